"""In which positions a goal is reached, for all arrangements of a shape at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pointsman.puzzle.goal import LOCOMOTIVE, Goal, Term
from pointsman.puzzle.pattern import Automaton, Choice, Symbols, fixed
from pointsman.puzzle.position import Position
from pointsman.solver.arrangements import Arrangements
from pointsman.solver.graph import Graph, slot_of

Flags = NDArray[np.bool_]
Rows = NDArray[np.uint8]


def reached_at(
    graph: Graph, goal: Goal, kinds: Mapping[str, int], arrangements: Arrangements, locomotive: str
) -> Flags:
    """In which arrangements of which shapes the goal is reached: one row per shape, one column per rank."""
    tests = [_Test.of(term, kinds, locomotive) for term in goal.terms]
    return np.stack([_reached(tests, shape, arrangements.rows, locomotive) for shape in graph.shapes])


def reached_in(shape: Position, goal: Goal, kinds: Mapping[str, int], rows: Rows, locomotive: str) -> Flags:
    """Which arrangements (rows of kinds, slot by slot) of a shape reach the goal.

    With fewer kinds than the goal tells apart, those are found that may reach it.
    """
    return _reached([_Test.of(term, kinds, locomotive) for term in goal.terms], shape, rows, locomotive)


@dataclass(frozen=True, slots=True)
class _Test:
    """A term prepared for kinds: place by place where that says it all, else by its automaton."""

    term: Term
    places: tuple[Symbols, ...] | None
    machine: Automaton | None
    apart: tuple[tuple[frozenset[int], frozenset[int]], ...]

    @classmethod
    def of(cls, term: Term, kinds: Mapping[str, int], locomotive: str) -> _Test:
        symbols = _symbols(kinds, locomotive)
        places = fixed(term.elements, symbols)
        machine = term.automaton(symbols) if places is None else None
        apart = tuple((_surely(a.one, kinds, locomotive), _surely(a.other, kinds, locomotive)) for a in term.apart)
        return cls(term, places, machine, apart)


def _reached(tests: Sequence[_Test], shape: Position, rows: Rows, locomotive: str) -> Flags:
    standing = [test.term.row(shape, (locomotive,)) for test in tests]
    for test, row in zip(tests, standing, strict=True):
        if row is None or (test.places is not None and len(test.places) != len(row)):
            return np.zeros(len(rows), dtype=np.bool_)
    reached = np.ones(len(rows), dtype=np.bool_)
    for test, row in zip(tests, standing, strict=True):
        columns = [None if name == locomotive else rows[:, slot_of(name)] for name in row or ()]
        if test.machine is not None:
            reached &= _accepted(test.machine, columns, len(rows))
        else:
            for column, allowed in zip(columns, test.places or (), strict=True):
                reached &= _taken(column, allowed)
        for one, other in test.apart:
            for a, b in pairwise(columns):
                reached &= ~((_taken(a, one) & _taken(b, other)) | (_taken(a, other) & _taken(b, one)))
    return reached


def _symbols(kinds: Mapping[str, int], locomotive: str) -> Callable[[Choice], Symbols]:
    wagons = frozenset(kinds.values())

    def symbols(choice: Choice) -> Symbols:
        if choice.of is None:
            return wagons
        return frozenset(
            LOCOMOTIVE if v == locomotive else kinds[v] for v in choice.of if v in kinds or v == locomotive
        )

    return symbols


def _surely(those: frozenset[str], kinds: Mapping[str, int], locomotive: str) -> frozenset[int]:
    """The kinds of which every wagon is one of those."""
    others = {kind for wagon, kind in kinds.items() if wagon not in those}
    found = {kind for wagon, kind in kinds.items() if wagon in those and kind not in others}
    return frozenset(found | ({LOCOMOTIVE} if locomotive in those else set()))


def _taken(column: Rows | None, allowed: Symbols) -> Flags:
    """Row by row whether what stands in a place is allowed there; None is the locomotive."""
    if column is None:
        return np.array([allowed is None or LOCOMOTIVE in allowed])
    if allowed is None:
        return np.array([True])
    if len(allowed) == 1:
        same: Flags = column == next(iter(allowed))
        return same
    lookup = np.zeros(LOCOMOTIVE + 1, dtype=np.bool_)
    lookup[list(allowed)] = True
    found: Flags = lookup[column]
    return found


def _accepted(machine: Automaton, columns: list[Rows | None], number: int) -> Flags:
    """The rows that an automaton accepts: where it may be after each place, for all rows together."""
    at = np.zeros((machine.states, number), dtype=np.bool_)
    at[0] = True
    for column in columns:
        onward = np.zeros_like(at)
        for before, taken, after in machine.steps:
            np.logical_or(onward[after], at[before] & _taken(column, taken), out=onward[after])
        at = onward
    accepted = np.zeros(number, dtype=np.bool_)
    for state in machine.accepting:
        accepted |= at[state]
    return accepted
