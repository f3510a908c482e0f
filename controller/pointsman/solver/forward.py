"""The best plan for costs of several parts: a best-first search from the start, guided by a table of distances.

States are a node of the game, an arrangement, and, when seconds are counted, how the turnouts lie. The table never
says more than is still to come, so the first time the search comes to the goal its plan is the best. It first goes
straight for the goal: that gives a plan at once, and everything that cannot be better is left out from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pointsman.errors import UsageError
from pointsman.solver.cost import Weights
from pointsman.solver.memory import Remembered
from pointsman.solver.table import Table, arc_costs, carried_on

_FIRST = 1 << 16  # states there is room for at first
_SLICE = 100_000  # expansions per call of the kernel: some 100 ms, so that Ctrl-C is heard
NO_LIMIT = 1 << 62
"""No plan costs as much."""
_MOST_TURNOUTS = 31
STATE_BYTES = 80
"""What a state takes with its share of the heap and the hash table, at most, while the arrays grow."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to: arcs of the plain graph, their cost, and the least that any plan costs."""

    arcs: tuple[int, ...]
    cost: int
    bound: int
    states: int

    @property
    def proved(self) -> bool:
        """Whether no plan costs less."""
        return self.cost == self.bound


class Forward:
    """A search prepared for a start's node and rank. Every distance is multiplied by ``factor`` to be part of a cost.

    ``row`` is the table's row for every node; ``reached`` says where the goal is, shape by shape.
    """

    def __init__(
        self,
        table: Table,
        nodes: Remembered,
        weights: Weights,
        factor: int,
        row: NDArray[np.int32],
        reached: NDArray[np.bool_],
    ) -> None:
        graph = table.graph
        self._nodes = nodes
        self._costs = arc_costs(graph, nodes, weights)
        names = sorted({turnout for route in graph.routes for turnout, _ in route})
        if weights.changes and len(names) > _MOST_TURNOUTS:
            raise UsageError(
                f"seconds are counted on at most {_MOST_TURNOUTS} turnouts, and here are {len(names)}",
                cure="count runs, reversals or couplings",
            )
        number = {name: place for place, name in enumerate(names)}
        longest = max((len(route) for route in graph.routes), default=0)
        self._routes = np.full((len(graph.routes), longest), -1, dtype=np.int8)
        for place, route in enumerate(graph.routes):
            for leg, (turnout, lie) in enumerate(route):
                self._routes[place, leg] = 2 * number[turnout] + (lie == "thrown")
        self._changes = weights.changes
        self._graph = (
            np.searchsorted(nodes.source, np.arange(len(nodes.shape) + 1)).astype(np.int64),
            nodes.target,
            self._costs,
            graph.permutation[nodes.arc],
            graph.route[nodes.arc],
            carried_on(graph, table.arrangements),
            self._routes,
            weights.changes,
            row,
            table.distance,
            table.far,
            factor,
            nodes.shape,
            reached,
        )

    def dive(self, node: int, rank: int) -> tuple[tuple[int, ...], int] | None:
        """A plan at once, going by the table's distances alone: its arcs and cost. None when that ends nowhere."""
        begins, target, costs, carrying, route, carried, _, _, row, distance, far, factor, shape, reached = self._graph
        lies = 0
        arcs, total = [], 0
        seen = {(node, rank)}
        while not reached[shape[node], rank]:
            best = None
            for arc in range(int(begins[node]), int(begins[node + 1])):
                there, then = int(target[arc]), int(carried[carrying[arc], rank])
                to_go = int(distance[row[there], then])
                if to_go == far or (there, then) in seen:
                    continue
                spent, now = self._way(int(route[arc]), lies)
                estimate = int(costs[arc]) + spent + to_go * factor
                if best is None or estimate < best[0]:
                    best = estimate, arc, there, then, now, int(costs[arc]) + spent
            if best is None:
                return None
            _, arc, node, rank, lies, cost = best
            seen.add((node, rank))
            arcs.append(arc)
            total += cost
        return tuple(int(arc) for arc in self._nodes.arc[arcs]) if arcs else (), total

    def _way(self, route: int, lies: int) -> tuple[int, int]:
        spent = 0
        if self._changes:
            for turnout in self._routes[route].tolist():
                if turnout < 0:
                    break
                shift, lie = turnout & ~1, 1 + (turnout & 1)
                known = lies >> shift & 3
                spent += self._changes if known not in (0, lie) else 0
                lies = lies & ~(3 << shift) | lie << shift
        return spent, lies

    def search(
        self,
        node: int,
        rank: int,
        *,
        known: tuple[tuple[int, ...], int] | None,
        may_go_on: Callable[[int], bool],
        report: Callable[[int], None],
    ) -> Found | None:
        """The best plan; None when there is none. ``may_go_on`` is asked with how many bytes are wanted in all."""
        from pointsman.solver.kernel import ARRIVED, EXHAUSTED, FULL, LOWEST, STATES, best_first

        *_, row, distance, far, factor, _, _ = self._graph
        first = int(distance[row[node], rank])
        if first == far:
            return None
        limit = NO_LIMIT if known is None else known[1]
        states = _States(_FIRST)
        states.begin(node, rank, first * factor)
        while True:
            outcome = best_first(*states.arrays, *self._graph, limit, _SLICE)
            counters = states.counters
            if outcome == ARRIVED:
                arcs, cost = states.path()
                return Found(tuple(int(arc) for arc in self._nodes.arc[list(arcs)]), cost, cost, int(counters[STATES]))
            if outcome == EXHAUSTED:
                return None if known is None else Found(*known, known[1], int(counters[STATES]))
            report(int(counters[STATES]))
            room = len(states.node) * (2 if outcome == FULL else 1)
            if not may_go_on(room * STATE_BYTES):
                bound = int(counters[LOWEST])
                arcs, cost = ((), NO_LIMIT) if known is None else known
                return Found(arcs, cost, min(bound, cost), int(counters[STATES]))
            if outcome == FULL:
                states = states.grown()


class _States:
    """The arrays of a search under way."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.slots = np.zeros(2 * room, dtype=np.int64)
        self.entries = np.zeros(2 * room, dtype=np.int64)
        self.node = np.zeros(room, dtype=np.int32)
        self.rank = np.zeros(room, dtype=np.int32)
        self.lies = np.zeros(room, dtype=np.int64)
        self.cost = np.zeros(room, dtype=np.int64)
        self.parent = np.full(room, -1, dtype=np.int32)
        self.arc = np.full(room, -1, dtype=np.int32)
        self.table = np.full(4 * room, -1, dtype=np.int32)
        self.counters = np.zeros(5, dtype=np.int64)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return (
            self.slots, self.entries, self.node, self.rank, self.lies,
            self.cost, self.parent, self.arc, self.table, self.counters,
        )  # fmt: skip

    def begin(self, node: int, rank: int, estimate: int) -> None:
        from pointsman.solver.kernel import HEAPED, LOWEST, STATES, slot_for

        self.node[0], self.rank[0] = node, rank
        self.slots[0] = estimate
        self.table[slot_for(self.table, node, rank, 0)] = 0
        self.counters[[STATES, HEAPED, LOWEST]] = 1, 1, estimate

    def path(self) -> tuple[tuple[int, ...], int]:
        """Arcs from the start to the state found, and its cost."""
        from pointsman.solver.kernel import FOUND

        state = int(self.counters[FOUND])
        cost = int(self.cost[state])
        arcs = []
        while self.parent[state] >= 0:
            arcs.append(int(self.arc[state]))
            state = int(self.parent[state])
        return tuple(arcs[::-1]), cost

    def grown(self) -> _States:
        """The same with twice the room."""
        from pointsman.solver.kernel import STATES, rehash

        more = _States(2 * self.room)
        for name in ("slots", "entries", "node", "rank", "lies", "cost", "parent", "arc"):
            old = getattr(self, name)
            getattr(more, name)[: len(old)] = old
        more.counters[:] = self.counters
        rehash(more.table, more.node, more.rank, more.lies, int(self.counters[STATES]))
        return more
