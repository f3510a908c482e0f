"""Draws: the same one from the same seed on every machine.

A draw keeps the puzzle's start as it is and shuffles which wagon the goal asks for in which place, as cards or
tokens do in Alan Wright's Inglenook: 8 wagons and a train of 5 give 8 * 7 * 6 * 5 * 4 = 6720 different draws, each
equally likely. A draw that happens to be solved already is a draw like any other. When the goal names no wagon (it
asks by kind, say), the goal stays as it is and it is drawn which wagon stands in which place at the start.

The exact rule, so that anyone can repeat a draw:

* The seed is text (a whole number is its decimal digits), in Unicode form NFC.
* Number ``i`` (0, 1, 2, ...) is the first 8 bytes, most significant first, of the SHA-256 of the UTF-8 text
  ``pointsman deal 1``, line feed, the seed, line feed, ``i`` in decimal.
* To choose one of ``n``, take the next number that is below the largest multiple of ``n`` that is at most 2**64, and
  keep its remainder by ``n``; numbers above it are thrown away, so that no choice is likelier than another.
* The wagons lie in the order in which the start is read (segments in the track's order, from -> to). For each wagon
  that the goal names, term by term, one of those still lying there is chosen and taken away. A set is then sorted.
  When it names none, the same is done for each wagon of the start, in the order in which it is read.

A draw may also be given by its wagons, in that same order (``laid_out``): whoever drew them, and by whatever rule.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pointsman.errors import UsageError, did_you_mean
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.pattern import Block
from pointsman.puzzle.puzzle import Puzzle

_NUMBERS = 2**64


@dataclass(frozen=True, slots=True)
class Draw:
    """A dealt puzzle; ``cards`` are the wagons in the order drawn for the places that have an order of their own."""

    seed: str
    cards: tuple[str, ...]
    puzzle: Puzzle

    def __str__(self) -> str:
        return " ".join(f"[{card}]" for card in self.cards)


def deal(puzzle: Puzzle, seed: int | str) -> Draw:
    """The draw of a seed: the puzzle with the goal's wagons drawn anew. Any whole number or text is a seed."""
    text = unicodedata.normalize("NFC", str(seed))
    row = numbers(text)
    lying = list(puzzle.wagons)
    dealt, cards = _dealt(puzzle, [lying.pop(choose_one(row, len(lying))) for _ in places(puzzle)])
    return Draw(text, cards, dealt)


def places(puzzle: Puzzle) -> tuple[str, ...]:
    """The wagons into whose places a draw puts others: those that the goal names, term by term, or else all of them."""
    return tuple(vehicle for vehicle in puzzle.goal.vehicles if vehicle in puzzle.wagons) or puzzle.wagons


def laid_out(puzzle: Puzzle, wagons: Sequence[str]) -> tuple[Puzzle, tuple[str, ...]]:
    """A puzzle with these wagons in the places that a draw fills, and its cards.

    ``wagons`` has one for each of ``places``, those of sets too. Raises UsageError.
    """
    wanted = len(places(puzzle))
    for wagon in wagons:
        if wagon not in puzzle.wagons:
            raise UsageError(f"there is no wagon {wagon!r}", where=puzzle.name, cure=did_you_mean(wagon, puzzle.wagons))
        if wagons.count(wagon) > 1:
            raise UsageError(f"wagon {wagon} is drawn twice", where=puzzle.name, cure="name each wagon once")
    if len(wagons) != wanted:
        raise UsageError(
            f"{len(wagons)} wagons are named, and a draw has {wanted}",
            where=puzzle.name,
            cure=f"name {wanted} of {' '.join(puzzle.wagons)}",
        )
    return _dealt(puzzle, wagons)


def _dealt(puzzle: Puzzle, wagons: Sequence[str]) -> tuple[Puzzle, tuple[str, ...]]:
    names = dict(zip(places(puzzle), wagons, strict=True))
    if not any(vehicle in puzzle.wagons for vehicle in puzzle.goal.vehicles):
        return replace(puzzle, start=puzzle.start.renamed(names)), tuple(wagons)
    goal = puzzle.goal.renamed(names)
    return replace(puzzle, goal=goal), _cards(puzzle, goal)


def _cards(puzzle: Puzzle, goal: Goal) -> tuple[str, ...]:
    """The wagons that have a place in an order: those of a block have none."""
    blocks = [element for term in goal.terms for element in term.elements if isinstance(element, Block)]
    free = {choice.text for block in blocks for choice in block.choices}
    return tuple(vehicle for vehicle in goal.vehicles if vehicle in puzzle.wagons and vehicle not in free)


def numbers(seed: str, purpose: str = "pointsman deal 1") -> Iterator[int]:
    """The endless row of 64-bit numbers of a seed; every purpose has a row of its own."""
    counter = 0
    while True:
        digest = hashlib.sha256(f"{purpose}\n{seed}\n{counter}".encode("utf-8", "surrogateescape")).digest()
        yield int.from_bytes(digest[:8], "big")
        counter += 1


def choose_one(row: Iterator[int], choices: int) -> int:
    """An unbiased choice from 0 .. choices - 1 by the next numbers of a row."""
    limit = _NUMBERS - _NUMBERS % choices
    return next(number for number in row if number < limit) % choices
