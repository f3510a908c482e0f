"""The distance of every position from a goal: one backward search per track, count and kind of goal, kept on disk.

A draw only renames wagons, so all draws of a puzzle share one table; so do all starts that can be reached from one
another. One byte per position.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pointsman.errors import BudgetSpentError, UsageError
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.solver.arrangements import MOST_WAGONS, Arrangements, number_of_arrangements
from pointsman.solver.budget import Budget
from pointsman.solver.cache import cache_directory, read_sealed, write_sealed
from pointsman.solver.cost import Weights, weights_of
from pointsman.solver.games import Game, graph_for, nodes_for
from pointsman.solver.graph import Graph
from pointsman.solver.memory import Remembered
from pointsman.solver.reached import reached_at
from pointsman.solver.shapes import shape_of
from pointsman.solver.steps import check_start
from pointsman.track.model import Track

FORMAT = "pointsman distances 3"
UNLIMITED = Budget()

_SLICE = 1_000_000  # positions per call of the kernel: some 50 ms, so that Ctrl-C is heard
_WAITING = 1_000_000  # positions of a bucket that may wait at once; with more it is looked through again
_LONG = 2**31 - 1  # no arc costs as much


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come: ``stage`` in words, positions found in this stage so far, steps looked back."""

    stage: str
    positions: int
    depth: int


Report = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class Table:
    """``distance[n, r]``: from node n with the arrangement of rank r to the goal, ``far`` when there is no way.

    For runs and pull-drops the nodes are the shapes; for reversals and couplings shapes with what must be
    remembered. For seconds they are the shapes, and the distance is a lower bound: couplings and turnouts are left out.
    """

    locomotive: str
    graph: Graph
    nodes: Remembered
    arrangements: Arrangements
    distance: NDArray[np.uint8] | NDArray[np.uint32]

    @property
    def far(self) -> int:
        """The distance of a position from which there is no way to the goal."""
        return int(np.iinfo(self.distance.dtype).max)

    @property
    def solved(self) -> int:
        """How many positions have a way to the goal."""
        return int(np.count_nonzero(self.distance != self.far))

    def place(self, position: Position, goal: Goal) -> tuple[int, int] | None:
        """Node and rank of a start for one goal of the table's kind; None when it is not in the table."""
        wagons = shape_of(position, self.locomotive)[1]
        number = self.graph.shapes.find(position)
        node = None if number is None else self.nodes.node(number)
        if node is None:
            return None
        kinds = goal.kinds(wagons)
        row = np.array([[kinds[wagon] for wagon in wagons]], dtype=np.uint8)
        return node, int(self.arrangements.rank(row)[0])

    def distance_of(self, position: Position, goal: Goal) -> int | None:
        """The distance of a start from a goal of the table's kind; None when there is no way."""
        place = self.place(position, goal)
        if place is None or self.distance[place] == self.far:
            return None
        return int(self.distance[place])

    def draws(self, start: Position) -> NDArray[Any]:
        """The distances of all draws from one start: of every way to put the goal's wagons into its places."""
        node = self.nodes.node(self.graph.shapes.number(start))
        row: NDArray[Any] = self.distance[node]
        return row


def table_for(
    track: Track,
    start: Position,
    goal: Goal,
    count: Count,
    *,
    progress: Report = silent,
    cache: Path | None = None,
    budget: Budget = UNLIMITED,
) -> Table:
    """The table for a start and goal, from the cache (``cache``, else the user's) or newly searched.

    Raises UsageError when the count is not defined here and BudgetSpentError when more positions, memory or time than
    the budget allows would be needed. A damaged, older or foreign file is searched anew and replaced.
    """
    shelf = Shelf.of(track, start, goal, count, progress=progress, cache=cache, budget=budget)
    return shelf.table() or shelf.make(progress=progress, budget=budget)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where the table for a start and goal is kept, and everything it takes to make it."""

    track: Track
    goal: Goal
    count: Count
    game: Game
    nodes: Remembered
    kinds: Mapping[str, int]
    description: str
    path: Path

    @classmethod
    def of(
        cls,
        track: Track,
        start: Position,
        goal: Goal,
        count: Count,
        *,
        progress: Report = silent,
        cache: Path | None = None,
        budget: Budget = UNLIMITED,
    ) -> Shelf:
        """Explores where wagons can stand, if that was never done. Raises UsageError and BudgetSpentError."""
        locomotive = locomotive_of(track, start)
        check_start(track, count, start, locomotive)
        store = cache_directory() if cache is None else cache
        kinds = goal.kinds(shape_of(start, locomotive)[1])
        if len(kinds) > MOST_WAGONS:
            raise UsageError(
                f"{len(kinds)} wagons stand on the track, and at most {MOST_WAGONS} can be searched",
                where=str(start),
                cure="let fewer take part",
            )
        size = number_of_arrangements(counts_of(kinds))

        def on_shape(shapes: int) -> None:
            budget.check(shapes * size)
            if shapes % 256 == 1:
                progress(Progress("looking where wagons can stand", shapes * size, 0))

        game = graph_for(track, start, count, cache=store, on_shape=on_shape)
        budget.check(len(game.graph.shapes) * size)
        nodes = nodes_for(track, game, start, remembered_for(count), cache=store)
        description = describe(track, goal, count, locomotive, kinds, game, start)
        path = store / "tables" / f"{hashlib.sha256(description.encode()).hexdigest()[:24]}.table"
        return cls(track, goal, count, game, nodes, kinds, description, path)

    def table(self) -> Table | None:
        """The table from its file; None when the file is missing, damaged, or of another format or game."""
        return _read(self.path, self.game.locomotive, self.game.graph, self.nodes, self.description, self.kinds)

    def make(self, *, progress: Report = silent, budget: Budget = UNLIMITED) -> Table:
        """Search the table and keep it. Raises BudgetSpentError."""
        game, size = self.game, number_of_arrangements(counts_of(self.kinds))
        budget.check(len(self.nodes.shape) * size, table_bytes(game.graph, self.nodes, size, self.count))
        table = build(
            self.track, game.graph, self.nodes, self.goal, self.count, game.locomotive, self.kinds,
            progress=progress, budget=budget,
        )  # fmt: skip
        write_sealed(self.path, _packed(table, self.description))
        return table


def build(
    track: Track,
    graph: Graph,
    nodes: Remembered,
    goal: Goal,
    count: Count,
    locomotive: str,
    kinds: Mapping[str, int],
    *,
    progress: Report = silent,
    budget: Budget = UNLIMITED,
) -> Table:
    """Search backwards from every position in which the goal is reached. Raises BudgetSpentError."""
    arrangements = Arrangements.of(counts_of(kinds))
    dtype = np.uint32 if count is Count.SECONDS else np.uint8
    distance = np.full((len(nodes.shape), len(arrangements)), np.iinfo(dtype).max, dtype=dtype)
    distance[reached_at(graph, goal, kinds, arrangements, locomotive)[nodes.shape]] = 0
    weights = weights_of(count, track, locomotive)
    _search(graph, nodes, arrangements, distance, arc_costs(graph, nodes, weights), progress, budget)
    return Table(locomotive, graph, nodes, arrangements, distance)


def remembered_for(count: Count) -> tuple[Count, ...]:
    """The counts whose memory the nodes of a table have; seconds do without, and are completed going forwards."""
    return (count,) if count in (Count.REVERSALS, Count.COUPLINGS) else ()


def table_bytes(graph: Graph, nodes: Remembered, size: int, count: Count) -> int:
    """What a table of ``size`` arrangements takes at most while it is made: estimated before anything is taken."""
    wagons, per_position = int(graph.permutations.shape[1]), 4 if count is Count.SECONDS else 1
    carried = 4 * len(graph.permutations) + 24 + 10 * wagons  # bytes an arrangement, with the rows and their keys
    positions = size * len(nodes.shape)
    return positions * (1 + per_position) + size * carried + 40 * len(nodes.source)


def arc_costs(graph: Graph, nodes: Remembered, weights: Weights) -> NDArray[np.int64]:
    """What every arc between nodes costs, turnout changes left out."""
    fixed = weights.steps + weights.runs * graph.runs
    costs: NDArray[np.int64] = (fixed + weights.units * graph.units.astype(np.int64))[nodes.arc]
    costs += weights.reversals * nodes.reversals.astype(np.int64)
    costs += weights.couplings * nodes.couplings.astype(np.int64)
    return costs


def describe(
    track: Track,
    goal: Goal,
    count: Count,
    locomotive: str,
    kinds: Mapping[str, int],
    game: Game,
    start: Position,
) -> str:
    """Everything that the distances depend on, as one text: two tables with the same text are the same."""
    # What must be remembered begins with the start, so every start has its own nodes there.
    begins = None if not remembered_for(count) else str(shape_of(start, locomotive)[0])
    weights = weights_of(count, track, locomotive).all
    return json.dumps([FORMAT, game.name, count, goal.pattern(kinds), counts_of(kinds), begins, weights])


def counts_of(kinds: Mapping[str, int]) -> list[int]:
    """How many wagons there are of every kind."""
    of_kind = list(kinds.values())
    return [of_kind.count(kind) for kind in range(max(of_kind, default=-1) + 1)]


def carried_back(graph: Graph, arrangements: Arrangements) -> NDArray[np.int32]:
    """For every permutation, the rank before an arc for every rank after it."""
    backwards = np.argsort(graph.permutations, axis=1).astype(np.int8)  # the inverse permutations
    return _carried(backwards, arrangements)


def carried_on(graph: Graph, arrangements: Arrangements) -> NDArray[np.int32]:
    """For every permutation, the rank after an arc for every rank before it."""
    return _carried(graph.permutations, arrangements)


def _carried(permutations: NDArray[np.int8], arrangements: Arrangements) -> NDArray[np.int32]:
    carried = np.empty((len(permutations), len(arrangements)), dtype=np.int32)
    for number, permutation in enumerate(permutations):
        carried[number] = arrangements.carried(permutation)
    return carried


def _search(
    graph: Graph,
    nodes: Remembered,
    arrangements: Arrangements,
    distance: NDArray[Any],
    costs: NDArray[np.int64],
    progress: Report,
    budget: Budget,
) -> None:
    """Bucket by bucket, each as wide as the cheapest arc: what is in one is settled before it is left.

    Arcs that cost nothing stay within their bucket: what they come to waits there, to be looked at in turn.
    """
    progress(Progress("preparing the search", 0, 0))
    from pointsman.solver.kernel import FURTHEST, NEW, OVERFULL, spread  # numba takes half a second to import

    carried = carried_back(graph, arrangements)
    by_target = np.argsort(nodes.target, kind="stable")
    begins = np.searchsorted(nodes.target[by_target], np.arange(len(nodes.shape) + 1)).astype(np.int64)
    source, carrying = nodes.source[by_target], graph.permutation[nodes.arc[by_target]]
    cost = costs[by_target].astype(np.int32)
    flat, far = distance.reshape(-1), int(np.iinfo(distance.dtype).max)
    known = int(np.count_nonzero(flat == 0))
    width = max(1, int(cost.min(initial=_LONG)))
    number, block = len(nodes.shape), max(1, _SLICE // len(arrangements))
    told = np.zeros(3, dtype=np.int64)
    waiting = np.zeros(_WAITING if np.any(cost < width) else 0, dtype=np.int64)
    depth, low = 0, 0
    while known and low <= told[FURTHEST]:
        progress(Progress("searching", known, depth))
        told[OVERFULL] = 1
        while told[OVERFULL]:
            told[OVERFULL] = told[NEW] = 0
            for first in range(0, number, block):
                budget.check_time()
                ends = first, min(first + block, number)
                spread(flat, low, low + width, far, *ends, begins, source, cost, carrying, carried, waiting, told)
            known += int(told[NEW])
        if told[FURTHEST] >= far:
            raise BudgetSpentError(
                f"not proved: {far - 1} steps and more, the most this table can hold", cure="count something else"
            )
        low += width
        depth += 1


def _packed(table: Table, description: str) -> bytes:
    buffer = io.BytesIO()
    buffer.write(f"{FORMAT}\n{description}\n".encode())
    np.save(buffer, table.distance, allow_pickle=False)
    return buffer.getvalue()


def _read(
    path: Path, locomotive: str, graph: Graph, nodes: Remembered, description: str, kinds: Mapping[str, int]
) -> Table | None:
    """A table from its file; None when the file is missing, damaged, or of another format or game."""
    body = read_sealed(path)
    if body is None:
        return None
    buffer = io.BytesIO(body)
    if [buffer.readline(), buffer.readline()] != [f"{FORMAT}\n".encode(), f"{description}\n".encode()]:
        return None
    # The seal and the two lines say that this program wrote it, so what follows is what _packed wrote.
    distance = np.load(buffer, allow_pickle=False)
    return Table(locomotive, graph, nodes, Arrangements.of(counts_of(kinds)), distance)
