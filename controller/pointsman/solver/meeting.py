"""All shortest plans of one draw, without a table: a search from both ends that meets in the middle.

Level by level, from whichever side has fewer positions at its edge. The first time the two sides touch, the number of
levels is the fewest steps: had there been fewer, they would have touched before. Plain numpy, so that a single draw
needs neither a table nor the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointsman.puzzle.goal import Goal
from pointsman.solver.arrangements import BITS, Arrangements, number_of_arrangements
from pointsman.solver.graph import Graph
from pointsman.solver.reached import reached_at

Ints = NDArray[np.int64]

_MOST_GOALS = 20_000_000  # positions to be asked whether the goal is reached there
_MOST_KNOWN = 1_500_000  # positions of a side; with more a table is no slower, and serves all draws
_KEY_BITS = 62

MEETING_BYTES = 150
"""What a position takes on its way through a level, at most."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The arcs of all shortest plans between two distances: from a node of this layer, to a node of the next."""

    origin: Ints
    end: Ints
    arc: Ints


@dataclass(frozen=True, slots=True)
class Met:
    """The layers of all shortest plans, and how many positions were looked at."""

    layers: tuple[Layer, ...]
    positions: int


def meet(
    graph: Graph,
    goal: Goal,
    kinds: Mapping[str, int],
    locomotive: str,
    shape: int,
    wagons: tuple[str, ...],
    *,
    most: int,
    report: Callable[[int], None],
) -> Met | None:
    """All shortest plans from a shape with these wagons in its slots; None when a table must tell.

    That is when there is no plan, or when more than ``most`` positions would be looked at.
    """
    of_kind = list(kinds.values())
    counts = [of_kind.count(kind) for kind in range(max(of_kind, default=-1) + 1)]
    slots = len(wagons)
    fits = BITS * slots + len(graph.shapes).bit_length() <= _KEY_BITS
    places = number_of_arrangements(counts) * len(graph.shapes)
    if not fits or places > min(_MOST_GOALS, most * MEETING_BYTES):
        return None
    arrangements = Arrangements.of(counts)
    reached = reached_at(graph, goal, kinds, arrangements, locomotive)
    at_shape, at_rank = np.nonzero(reached)
    goals = np.sort(at_shape << BITS * slots | arrangements.keys[at_rank])
    begin = shape
    for wagon in wagons:
        begin = begin << BITS | kinds[wagon]
    ways = _Ways.of(graph, slots)
    forth, back = [np.array([begin], dtype=np.int64)], [goals]
    known = {True: forth[0], False: back[0]}
    met = np.intersect1d(forth[0], goals)
    while not len(met):
        forwards = len(forth[-1]) <= len(back[-1])
        levels = forth if forwards else back
        fresh = _without(np.unique(ways.step(levels[-1], forwards)[0]), known[forwards])
        levels.append(fresh)
        known[forwards] = np.sort(np.concatenate((known[forwards], fresh)), kind="stable")
        seen = len(known[True]) + len(known[False])
        report(seen)
        if not len(fresh) or seen > min(_MOST_KNOWN, most):
            return None
        met = fresh[_inside(fresh, known[not forwards])]
    return Met(tuple(_layers(ways, forth, back, met)), len(known[True]) + len(known[False]))


def _layers(ways: _Ways, forth: list[Ints], back: list[Ints], met: Ints) -> list[Layer]:
    """Both sides from where they met to their ends, kept to what lies on a shortest plan."""
    before: list[Layer] = []
    nodes = met
    for level in reversed(forth[:-1]):
        other, origin, arc = ways.step(nodes, False)
        kept = _inside(other, level)
        ahead, behind = nodes[origin[kept]], other[kept]
        earlier = np.unique(behind)
        before.append(_layer(earlier, nodes, behind, ahead, arc[kept]))
        nodes = earlier
    after: list[Layer] = []
    nodes = met
    for level in reversed(back[:-1]):
        other, origin, arc = ways.step(nodes, True)
        kept = _inside(other, level)
        later = np.unique(other[kept])
        after.append(_layer(nodes, later, nodes[origin[kept]], other[kept], arc[kept]))
        nodes = later
    return before[::-1] + after


def _layer(origins: Ints, ends: Ints, source: Ints, target: Ints, arc: Ints) -> Layer:
    order = np.lexsort((arc, source))  # as from a table: node by node, arc by arc
    origin, end = np.searchsorted(origins, source[order]), np.searchsorted(ends, target[order])
    return Layer(origin.astype(np.int64), end.astype(np.int64), arc[order].astype(np.int64))


def _inside(keys: Ints, known: Ints) -> NDArray[np.bool_]:
    """Which keys are among sorted ones."""
    if not len(known):
        return np.zeros(len(keys), dtype=np.bool_)
    found: NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    return found


def _without(keys: Ints, known: Ints) -> Ints:
    return keys[~_inside(keys, known)]


@dataclass(frozen=True, slots=True)
class _Ways:
    """The arcs in both directions; a position is a key: the shape, then the kinds slot by slot, ``BITS`` each."""

    slots: int
    arc: dict[bool, Ints]
    begins: dict[bool, Ints]
    other: dict[bool, Ints]
    shifts: dict[bool, Ints]

    @classmethod
    def of(cls, graph: Graph, slots: int) -> _Ways:
        by_source = np.arange(len(graph.source))
        by_target = np.argsort(graph.target, kind="stable")
        shapes = np.arange(len(graph.shapes) + 1)
        forwards = graph.permutations.astype(np.int64)
        backwards = np.argsort(graph.permutations, axis=1)
        return cls(
            slots,
            {True: by_source, False: by_target},
            {
                True: np.searchsorted(graph.source, shapes),
                False: np.searchsorted(graph.target[by_target], shapes),
            },
            {True: graph.target.astype(np.int64), False: graph.source[by_target].astype(np.int64)},
            {
                True: BITS * (slots - 1 - forwards)[graph.permutation],
                False: BITS * (slots - 1 - backwards)[graph.permutation[by_target]],
            },
        )

    def step(self, keys: Ints, forwards: bool) -> tuple[Ints, Ints, Ints]:
        """Everything one arc away: its key, which of ``keys`` it is next to, and the arc."""
        begins = self.begins[forwards]
        shape = keys >> BITS * self.slots
        number = begins[shape + 1] - begins[shape]
        origin = np.repeat(np.arange(len(keys)), number)
        way = np.arange(len(origin)) - np.repeat(np.cumsum(number) - number - begins[shape], number)
        there = self.other[forwards][way]
        kinds, shifts = keys[origin], self.shifts[forwards][way]
        for slot in range(self.slots):
            there = there << BITS | (kinds >> shifts[:, slot]) & ((1 << BITS) - 1)
        return there, origin, self.arc[forwards][way]
