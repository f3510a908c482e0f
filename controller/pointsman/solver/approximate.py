"""A good plan, and how much better one could be, where the whole space is too large for the budget.

Tables of an easier game guide it: there some of the wagons that the goal tells apart are alike. A plan of the real
game is one of the easier game too, so what the easier game needs, the real one needs at least.

The search is best-first on cost so far plus ``w`` times what the tables say. A large ``w`` comes to the goal soon; it
is then lowered step by step, and whatever could not be better than the best plan so far is left out. With w = 1 the
least total still open is what every plan costs at least, and a search that runs dry proves the best plan.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pointsman.errors import BudgetSpentError, UnsolvableError
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.solver.arrangements import number_of_arrangements
from pointsman.solver.budget import Budget
from pointsman.solver.cache import cache_directory
from pointsman.solver.cost import Weights
from pointsman.solver.forward import NO_LIMIT, Found
from pointsman.solver.games import Game, graph_for, nodes_for
from pointsman.solver.memory import Remembered
from pointsman.solver.reached import reached_in
from pointsman.solver.shapes import shape_of
from pointsman.solver.table import (
    Progress,
    Report,
    Table,
    arc_costs,
    build,
    counts_of,
    remembered_for,
    table_bytes,
)
from pointsman.track.model import Track

_GREED = (1000, 5, 3, 2, 1)  # how much the tables count, in turn
_STATE_BYTES = 700  # of a state in plain Python, with its share of the heap and the dictionary
_CELLS = 20_000_000  # the most positions in a table of an easier game
_FEW_CELLS = 100_000  # made however little time there is: without a table nothing could be said
_CELLS_A_SECOND = 500_000  # what a slow machine is sure to look at
_AT_ONCE = 256  # expansions between two looks at the clock, and before the first one

State = tuple[int, bytes, int]


def approximate(
    track: Track,
    start: Position,
    goal: Goal,
    counts: Sequence[Count],
    weights: Weights,
    factor: int,
    *,
    cache: Path | None,
    budget: Budget,
    progress: Report,
    why: BudgetSpentError,
) -> tuple[Game, Found]:
    """The best plan found within the budget, in the arcs of the game.

    Raises BudgetSpentError, with what was proved so far, when no plan was found, and UnsolvableError when even the
    easier game has none or everything has been looked at.
    """
    locomotive = locomotive_of(track, start)
    store = cache_directory() if cache is None else cache
    game = graph_for(track, start, counts[0], cache=store, on_shape=lambda _: budget.check_time())
    nodes = nodes_for(track, game, start, set(counts), cache=store)
    small = nodes_for(track, game, start, remembered_for(counts[0]), cache=store)
    wagons = shape_of(start, locomotive)[1]
    kinds = goal.kinds(wagons)
    guides = []
    for easier in _easier(kinds, len(small.shape), game, small, counts[0], budget):
        table = build(
            track, game.graph, small, goal, counts[0], locomotive,
            {wagon: easier[kind] for wagon, kind in kinds.items()}, progress=progress,
        )  # fmt: skip
        guides.append(_Guide.of(table, easier))
    row = nodes.within(small, direction=counts[0] is Count.REVERSALS, pairs=counts[0] is Count.COUPLINGS)
    search = _Search(game, nodes, goal, kinds, weights, factor, tuple(guides), row.tolist())
    node = nodes.node(game.graph.shapes.number(start))
    assert node is not None, "the start is the first node"
    begin = node, bytes(kinds[wagon] for wagon in wagons), 0
    least = search.to_go(begin)
    if least is None:
        raise UnsolvableError(
            f"proved: there is no way from here to '{goal}', even if some of its wagons were alike",
            where=str(start),
            cure="draw again, or change the goal",
        )
    best: tuple[tuple[int, ...], int] | None = None
    bound = least
    for greed in _GREED:
        outcome = search.run(begin, greed, NO_LIMIT if best is None else best[1], budget, progress)
        best = outcome.best or best
        if outcome.dry:
            # Nothing cheaper than the best is left, whatever the greed: that is a proof.
            bound = NO_LIMIT
            break
        if greed == 1:
            bound = max(bound, outcome.open)
        if not budget.in_time():
            break
    if best is None and bound == NO_LIMIT:
        raise UnsolvableError(
            f"proved: there is no way from here to '{goal}'. Everything that can be reached was looked at",
            where=str(start),
            cure="draw again, or change the goal",
        )
    if best is None:
        least_shown = counts[0].shown(bound // factor)
        known = f"; none takes less than {least_shown}" if least_shown != counts[0].shown(0) else ""
        raise BudgetSpentError(
            f"{why.what}, and no plan was found{known}",
            where=f"from '{start}'",
            cure="allow more seconds or memory, or ask for less",
        )
    arcs = tuple(int(arc) for arc in nodes.arc[list(best[0])]) if best[0] else ()
    return game, Found(arcs, best[1], min(bound, best[1]), search.states)


def _easier(
    kinds: Mapping[str, int], number: int, game: Game, nodes: Remembered, count: Count, budget: Budget
) -> Iterator[list[int]]:
    """Which kinds become which: the first ones kept apart and the others alike, then the last ones kept apart."""
    left = budget.left_s
    cells = _CELLS if left is None else max(number, _FEW_CELLS, min(_CELLS, int(left * _CELLS_A_SECOND)))
    most = max(kinds.values(), default=-1) + 1
    seen = set()
    for last in (False, True):
        for kept in range(most, -1, -1):
            names = range(most - kept, most) if last else range(kept)
            easier = [0 if kind not in names else 1 + names.index(kind) for kind in range(most)]
            if most and len(names) == most:
                easier = list(range(most))
            size = number_of_arrangements(counts_of({wagon: easier[kind] for wagon, kind in kinds.items()}))
            takes = table_bytes(game.graph, nodes, size, count)
            if number * size <= cells and (budget.memory is None or takes <= budget.memory // 4):
                if tuple(easier) not in seen:
                    seen.add(tuple(easier))
                    yield easier
                break


@dataclass(frozen=True, slots=True)
class _Guide:
    """A table of an easier game: kinds become its kinds, an arrangement of them has a rank."""

    easier: bytes
    rank: dict[bytes, int]
    table: Table

    @classmethod
    def of(cls, table: Table, easier: list[int]) -> _Guide:
        rows = {bytes(row.tolist()): rank for rank, row in enumerate(table.arrangements.rows)}
        return cls(bytes(easier).ljust(256, b"\0"), rows, table)

    def distance(self, row: int, arrangement: bytes) -> int | None:
        found = int(self.table.distance[row, self.rank[arrangement.translate(self.easier)]])
        return None if found == self.table.far else found


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A plan, if one was found; the least that is still open; whether nothing is."""

    best: tuple[tuple[int, ...], int] | None
    open: int
    dry: bool


@dataclass(slots=True)
class _Search:
    """The search in plain Python: states are (node, arrangement, how the turnouts lie)."""

    game: Game
    nodes: Remembered
    goal: Goal
    kinds: Mapping[str, int]
    weights: Weights
    factor: int
    guides: tuple[_Guide, ...]
    row: list[int]
    states: int = 0
    _begins: list[int] = field(init=False)
    _arcs: list[tuple[int, tuple[int, ...], int, tuple[tuple[int, int], ...]]] = field(init=False)

    def __post_init__(self) -> None:
        graph, nodes = self.game.graph, self.nodes
        self._begins = np.searchsorted(nodes.source, np.arange(len(nodes.shape) + 1)).tolist()
        names = sorted({turnout for route in graph.routes for turnout, _ in route})
        routes = [tuple((2 * names.index(t), 1 + (leg == "thrown")) for t, leg in route) for route in graph.routes]
        orders = [tuple(row) for row in graph.permutations.tolist()]
        self._arcs = [
            (target, orders[order], cost, routes[route])
            for target, order, cost, route in zip(
                nodes.target.tolist(),
                graph.permutation[nodes.arc].tolist(),
                arc_costs(graph, nodes, self.weights).tolist(),
                graph.route[nodes.arc].tolist(),
                strict=True,
            )
        ]

    def to_go(self, state: State) -> int | None:
        """What every plan from a state costs at least; None when there is none."""
        most = 0
        for guide in self.guides:
            distance = guide.distance(self.row[state[0]], state[1])
            if distance is None:
                return None
            most = max(most, distance)
        return most * self.factor

    def reached(self, state: State) -> bool:
        """Whether the goal is reached in a state."""
        shape = self.game.graph.shapes[self.nodes.shape[state[0]]]
        rows = np.frombuffer(state[1], dtype=np.uint8).reshape(1, -1)
        return bool(reached_in(shape, self.goal, self.kinds, rows, self.game.locomotive)[0])

    def run(self, begin: State, greed: int, limit: int, budget: Budget, progress: Report) -> _Outcome:
        """One search that leaves out what costs ``limit`` or more."""
        least = self.to_go(begin) or 0
        queue = [(greed * least, 0, 0, begin)]
        known: dict[State, tuple[int, State | None, int]] = {begin: (0, None, -1)}
        serial, lowest = 0, least
        while queue:
            if serial % _AT_ONCE == _AT_ONCE - 1:
                progress(Progress("looking for a plan", self.states, 0))
                if not budget.in_time() or not budget.holds(_STATE_BYTES * len(known)):
                    return _Outcome(None, lowest, False)
            total, _, so_far, state = heapq.heappop(queue)
            if known[state][0] < so_far:
                continue
            lowest = total
            serial += 1
            self.states += 1
            if self.reached(state):
                return _Outcome((self._path(known, state), so_far), lowest, greed == 1)
            for after, cost, arc in self._onward(state):
                spent = so_far + cost
                to_go = self.to_go(after)
                if to_go is None or spent + to_go >= limit:
                    continue
                if after not in known or spent < known[after][0]:
                    known[after] = spent, state, arc
                    heapq.heappush(queue, (spent + greed * to_go, -len(known), spent, after))
        return _Outcome(None, limit, True)

    def _onward(self, state: State) -> Iterator[tuple[State, int, int]]:
        node, arrangement, lies = state
        for arc in range(self._begins[node], self._begins[node + 1]):
            target, order, cost, route = self._arcs[arc]
            now = lies
            if self.weights.changes:
                for shift, lie in route:
                    before = now >> shift & 3
                    cost += self.weights.changes if before not in (0, lie) else 0
                    now = now & ~(3 << shift) | lie << shift
            yield (target, bytes([arrangement[slot] for slot in order]), now), cost, arc

    @staticmethod
    def _path(known: Mapping[State, tuple[int, State | None, int]], state: State) -> tuple[int, ...]:
        arcs = []
        at: State | None = state
        while at is not None:
            _, at, arc = known[at]
            arcs.append(arc)
        return tuple(arcs[-2::-1])
