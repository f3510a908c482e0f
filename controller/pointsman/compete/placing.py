"""How many wagons stand in the places that a goal names for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pointsman.puzzle.goal import Goal
from pointsman.puzzle.pattern import Block, Choice, Element
from pointsman.puzzle.position import Position


def placed(goal: Goal, position: Position, locomotives: Collection[str]) -> int | None:
    """How many stand in their places; None where a goal's places depend on one another, or are named by kinds alone.

    In a row that is written wagon by wagon each has its own place, counted from where the row is read; in braces with
    nothing but names it is any place of the braces.
    """
    found = 0
    for term in goal.terms:
        row = term.row(position, locomotives) or ()
        here = _in_row(term.elements, row)
        if here is None:
            return None
        found += here
    return found


def _in_row(elements: Sequence[Element], row: Sequence[str]) -> int | None:
    at = found = 0
    for element in elements:
        if isinstance(element, Choice):
            found += element.of is not None and at < len(row) and row[at] in element.of
            at += 1
        elif isinstance(element, Block) and element.names_only and not element.more:
            names = {choice.name for choice in element.choices}
            found += len(names & set(row[at : at + len(names)]))
            at += len(names)
        else:
            return None
    return found
