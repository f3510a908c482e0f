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
from pointsman.solver.graph import Graph
from pointsman.solver.shapes import Shapes, slot_of

Flags = NDArray[np.bool_]
Rows = NDArray[np.uint8]


def reached_at(
    graph: Graph, goal: Goal, kinds: Mapping[str, int], arrangements: Arrangements, locomotive: str
) -> Flags:
    """In which arrangements of which shapes the goal is reached: one row per shape, one column per rank."""
    tests = [_Test.of(term, kinds, locomotive) for term in goal.terms]
    shapes = graph.shapes
    reached = np.zeros((len(shapes), len(arrangements)), dtype=np.bool_)
    possible = np.flatnonzero(np.logical_and.reduce([_as_many(test, shapes) for test in tests]))
    if len(possible):
        seen = np.hstack([_seen(test.term, shapes)[possible] for test in tests])
        _, first, same = np.unique(seen, axis=0, return_index=True, return_inverse=True)
        alike = [_reached(tests, shapes[int(possible[one])], arrangements.rows, locomotive) for one in first]
        reached[possible] = np.stack(alike)[same.reshape(-1)]
    return reached


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


def _as_many(test: _Test, shapes: Shapes) -> Flags:
    """The shapes in which as many vehicles stand as a term wants, where it says how many."""
    if test.places is None or test.term.train is not None:
        return np.ones(len(shapes), dtype=np.bool_)
    number = np.zeros(len(shapes), dtype=np.int64)
    element, _ = shapes.locomotive_at
    for segment in map(shapes.segments.index, test.term.segments):
        number += shapes.counts[:, segment]
        number -= (element == segment) & (not test.term.names(shapes.locomotive))
    as_many: Flags = number == len(test.places)
    return as_many


def _seen(term: Term, shapes: Shapes) -> NDArray[np.int64]:
    """All that a term sees of every shape: which slots stand where in its segments. Shapes alike in it are one case."""
    element, place = shapes.locomotive_at
    counts = shapes.counts
    wagons = counts - (element[:, np.newaxis] == np.arange(counts.shape[1]))
    before = np.cumsum(wagons, axis=1) - wagons
    if term.train is not None:
        # The locomotive's segment, whatever it is called; on a turnout, or with another one occupied, nothing.
        inside = np.minimum(element, counts.shape[1] - 1)[:, np.newaxis]
        free = np.all(shapes.rows[:, counts.shape[1] : -2] == 0, axis=1)
        own = [np.take_along_axis(table, inside, axis=1)[:, 0] for table in (counts, before)]
        return np.where(free[:, np.newaxis], np.column_stack([*own, place]), -1)
    some = [shapes.segments.index(segment) for segment in term.segments]
    there = np.column_stack([element == segment for segment in some])
    return np.hstack([counts[:, some], before[:, some], np.where(there, 1 + place[:, np.newaxis], 0)])


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
