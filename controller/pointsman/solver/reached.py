"""In which positions a goal is reached, for all arrangements of a shape at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    return np.stack([reached_in(shape, goal, kinds, arrangements.rows, locomotive) for shape in graph.shapes])


def reached_in(shape: Position, goal: Goal, kinds: Mapping[str, int], rows: Rows, locomotive: str) -> Flags:
    """Which arrangements (rows of kinds, slot by slot) of a shape reach the goal.

    With fewer kinds than the goal tells apart, those are found that may reach it.
    """
    reached = np.ones(len(rows), dtype=np.bool_)
    for term in goal.terms:
        standing = term.row(shape, (locomotive,))
        if standing is None:
            return np.zeros(len(rows), dtype=np.bool_)
        _hold(reached, term, standing, kinds, rows, locomotive)
        if not reached.any():
            break
    return reached


def _hold(
    reached: Flags, term: Term, standing: tuple[str, ...], kinds: Mapping[str, int], rows: Rows, locomotive: str
) -> None:
    """Take away what a term does not allow."""
    symbols = _symbols(kinds, locomotive)
    places = fixed(term.elements, symbols)
    if places is not None and len(places) != len(standing):
        reached[:] = False
        return
    columns = [None if name == locomotive else rows[:, slot_of(name)] for name in standing]
    if places is None:
        reached &= _accepted(term.automaton(symbols), columns, len(rows))
    else:
        for column, allowed in zip(columns, places, strict=True):
            reached &= _taken(column, allowed)
    for apart in term.apart:
        one, other = (_surely(those, kinds, locomotive) for those in (apart.one, apart.other))
        for a, b in pairwise(columns):
            reached &= ~((_taken(a, one) & _taken(b, other)) | (_taken(a, other) & _taken(b, one)))


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
