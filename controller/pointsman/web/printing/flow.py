"""What stands one under another: blocks over as many pages as they take, with heads that are repeated on each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """Something that is not parted; ``draw`` is told where its top is.

    ``head`` stands over it when it comes first on a page. ``together`` keeps it on the page of the next one, and
    ``apart`` begins a page with it.
    """

    high_mm: float
    draw: Callable[[float], None]
    head: Block | None = None
    together: bool = False
    apart: bool = False


def pages(blocks: Iterable[Block], room_mm: float) -> list[list[Block]]:
    """The blocks of each page, heads included; what is higher than a page has one to itself."""
    found: list[list[Block]] = []
    for run in _runs(blocks):
        high = sum(block.high_mm for block in run)
        used = sum(block.high_mm for block in found[-1]) if found else 0.0
        if not found or run[0].apart or used + high > room_mm:
            head = run[0].head
            found.append([] if head is None else [head])
        found[-1] += run
    return found


def _runs(blocks: Iterable[Block]) -> list[list[Block]]:
    """Blocks that stay together."""
    found: list[list[Block]] = []
    going_on = False
    for block in blocks:
        if going_on:
            found[-1].append(block)
        else:
            found.append([block])
        going_on = block.together
    return found
