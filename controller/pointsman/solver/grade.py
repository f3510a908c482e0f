"""How hard a task is: one whole number from its best plans, and levels made of it. No floats: alike on every machine.

What is looked at are all positions on all best plans, layer by layer: the layer of distance d has those from which d
more steps are needed. From the positions of a layer, counted together,

* ``best`` steps come nearer to the goal, and
* ``all`` steps are legal, those that lose ground counted twice. Such a step is a *dead end*: more is needed after it
  than before it, or there is no way to the goal any more; it costs the step itself and the way out.

The *difficulty* is 4 * log2 of the product of ``all / best`` over all layers, rounded down: how many choices between
two things, in quarters, a best plan is made of. A longer plan has more layers, more best plans make ``best`` larger,
and dead ends near the way make ``all`` larger.

A *scale* cuts the difficulties of a sample into four equal parts: the levels 1 to 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointsman.errors import UsageError
from pointsman.puzzle.puzzle import Count
from pointsman.solver.table import Table

LEVELS = (1, 2, 3, 4)

RANKS = ("Chef de gare", "Aiguilleur", "Atteleur")
"""Station master, pointsman and coupler: the ranks of Gare de triage, the best first."""

_PARTS = 4  # of one choice between two things


def gradable(count: Count) -> Count:
    """The count that tasks are graded by: this one when its steps cost one each, else runs."""
    return count if count in (Count.RUNS, Count.PULL_DROPS) else Count.RUNS


def check_gradable(count: Count) -> None:
    """UsageError unless tasks can be graded by this count."""
    if gradable(count) is not count:
        raise UsageError(
            f"tasks are not graded by {count}: what a step costs there depends on the steps before it",
            cure=f"use --count {Count.RUNS} or --count {Count.PULL_DROPS}",
        )


def second_rank_up_to(par: int) -> int:
    """The most moves that still make an Aiguilleur: a quarter over par, rounded up, and always two."""
    return par + max(2, -(-par // 4))


@dataclass(frozen=True, slots=True)
class Grade:
    """``par`` is the least number of steps, ``plans`` how many plans take as few (sequences of steps).

    ``dead_ends`` is how many steps from positions on these plans lose ground.
    """

    par: int
    plans: int
    dead_ends: int
    difficulty: int


@dataclass(frozen=True, slots=True)
class Scale:
    """The least difficulties of the levels 2, 3 and 4."""

    bounds: tuple[int, int, int]

    @classmethod
    def of(cls, difficulties: Iterable[int]) -> Scale:
        """Four parts of a sample, as equal as ties allow: numbers n/4, n/2 and 3n/4 of it, sorted, begin a level."""
        found = sorted(difficulties)
        return cls((found[len(found) // 4], found[len(found) // 2], found[3 * len(found) // 4]))

    def level(self, difficulty: int) -> int:
        """1 to 4."""
        return 1 + sum(bound <= difficulty for bound in self.bounds)


class Grader:
    """Grades by a table of runs or pull-drops, where every arc is one step."""

    def __init__(self, table: Table) -> None:
        self._table = table
        graph = table.graph
        self._begins = np.searchsorted(graph.source, np.arange(len(graph.shapes) + 1))
        self._size = len(table.arrangements)
        self._known: dict[tuple[int, int], Grade | None] = {}

    def grade(self, place: tuple[int, int]) -> Grade | None:
        """The grade of a node and rank of the table; None when there is no way to the goal."""
        if place not in self._known:
            self._known[place] = self._graded(place)
        return self._known[place]

    def _graded(self, place: tuple[int, int]) -> Grade | None:
        table = self._table
        par = int(table.distance[place])
        if par == table.far:
            return None
        nodes = np.array([place[0] * self._size + place[1]], dtype=np.int64)
        plans = [1]
        dead_ends, over, under = 0, 1, 1
        for distance in range(par, 0, -1):
            origin, ends = self._onward(nodes)
            there = table.distance.reshape(-1)[ends]
            best = there == distance - 1
            worse = int(np.count_nonzero(there > distance))
            dead_ends += worse
            over *= len(ends) + worse
            under *= int(np.count_nonzero(best))
            nodes, end = np.unique(ends[best], return_inverse=True)
            further = [0] * len(nodes)
            for one, other in zip(origin[best].tolist(), end.tolist(), strict=True):
                further[other] += plans[one]
            plans = further
        difficulty = (over**_PARTS // under**_PARTS).bit_length() - 1
        return Grade(par, sum(plans), dead_ends, difficulty)

    def _onward(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every step from these positions: from which of them, and to which position."""
        graph, arrangements = self._table.graph, self._table.arrangements
        shape, rank = nodes // self._size, nodes % self._size
        number = self._begins[shape + 1] - self._begins[shape]
        origin = np.repeat(np.arange(len(nodes)), number)
        arc = np.arange(len(origin)) - np.repeat(np.cumsum(number) - number, number) + self._begins[shape][origin]
        order = graph.permutations[graph.permutation[arc]].astype(np.intp)
        rows = np.take_along_axis(arrangements.rows[rank[origin]], order, axis=1)
        return origin, graph.target[arc].astype(np.int64) * self._size + arrangements.rank(rows)
