"""The best plan: fewest steps of what is counted, proved; among those the gentlest on the metal.

Of all plans with the fewest steps the one with the fewest units of travel is taken (so that no train goes deeper into
a siding than the plan needs), of those the one with the fewest turnout changes (each turnout's first setting is
free), and of those the first in the order in which ``puzzle.moves`` names runs: the same plan on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pointsman.errors import BudgetSpentError, PointsmanError, UnsolvableError, UsageError
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.moves import Run, why_impossible
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.solver.approximate import approximate
from pointsman.solver.budget import BUDGET, Budget
from pointsman.solver.cache import cache_directory
from pointsman.solver.cost import Weights, features_of, fits, in_order, tally
from pointsman.solver.forward import NO_LIMIT, Forward, Found
from pointsman.solver.games import Game, graph_for, nodes_for
from pointsman.solver.graph import Graph
from pointsman.solver.meeting import MEETING_BYTES, Layer, Met, meet
from pointsman.solver.reached import reached_at
from pointsman.solver.shapes import shape_of
from pointsman.solver.steps import Step, Steps, check_start, steps_of
from pointsman.solver.table import Progress, Report, Shelf, Table, silent
from pointsman.track.model import Track

Ints = NDArray[np.int64]

_FOR_PROOF = 0.5  # of the time: when the whole space is not looked at by then, the rest is for some good plan


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan with the least of what is counted.

    ``optimum`` is how many of ``count`` it takes (milliseconds for seconds), ``bound`` that no plan takes fewer than
    that, ``proved`` that this plan is therefore the best, also by the counts of ``then`` among equals; ``values`` has
    all these counts. ``positions`` is how many were looked at, ``holds`` how many vehicles a turnout holds in the
    model it is exact for.
    """

    start: Position
    goal: Goal
    count: Count
    optimum: int
    proved: bool
    plan: tuple[Step, ...]
    positions: int
    holds: int = 1
    bound: int = 0
    then: tuple[Count, ...] = ()
    values: tuple[tuple[Count, int], ...] = ()

    @property
    def runs(self) -> tuple[Run, ...]:
        """The plan as single runs, whatever is counted: what is carried out."""
        return tuple(run for step in self.plan for run in step.runs)


def solve(
    track: Track,
    start: Position,
    goal: Goal,
    count: Count,
    *,
    then: Sequence[Count] = (),
    progress: Report = silent,
    cache: Path | None = None,
    budget: int = BUDGET,
    budget_s: float | None = None,
    memory_mb: float | None = None,
) -> Solution:
    """The best plan from a start to a goal; ``cache`` is a directory, the user's own if None.

    Of equal plans the one with the least of the counts ``then``, one after the other, is taken.

    With ``budget_s`` or ``memory_mb`` a search that would need more ends with the best plan found: then ``proved`` is
    False, and ``bound`` says what is proved. Without them it is all or nothing, within ``budget`` positions and what
    memory the system has free.

    Raises UsageError when the position or the count makes no sense here, UnsolvableError when it is proved that
    there is no plan, and BudgetSpentError when nothing could be proved within ``budget`` positions.
    """
    locomotive = locomotive_of(track, start)
    reason = why_impossible(track, start, locomotive)
    if reason:
        raise UsageError(reason, where=str(start), cure="put it in a segment, or beside the locomotive's train")
    missing = [vehicle for vehicle in goal.vehicles if vehicle not in start.vehicles]
    if missing:
        cure = "put them in the start, or ask for others"
        raise UsageError(
            f"the goal '{goal}' names {' '.join(missing)}, and the start does not", where=str(start), cure=cure
        )
    for one in then:
        check_start(track, one, start, locomotive)
    if Count.PULL_DROPS in then:
        raise UsageError("pull-drops cannot break ties", cure="count them first, and name other counts to break ties")
    weights, factor = in_order((count, *then), track, locomotive)
    allowed = Budget.of(budget, budget_s, memory_mb)
    limited = budget_s is not None or memory_mb is not None
    counts = (count, *then)
    try:
        share = allowed.share(_FOR_PROOF) if limited else allowed
        shelf = Shelf.of(track, start, goal, count, progress=progress, cache=cache, budget=share)
        table = shelf.table()
        single = count in (Count.RUNS, Count.PULL_DROPS) and not then
        if table is None and single:
            met = _meeting(shelf, start, share, progress)
            if met is not None:
                arcs = _gentlest(shelf.game.graph, met.layers)
                plan = _steps_along(arcs, shelf.game.graph, start, steps_of(track, count, locomotive))
                return _proved(start, goal, count, plan, met.positions)
        if table is None:
            table = shelf.make(progress=progress, budget=share)
        if single:
            return best_plan(track, table, start, goal, count)
        place = _place(table, start, goal)
        game, forward, node = _forward(track, table, start, goal, counts, weights, factor, cache)
        found = forward.search(
            node,
            place[1],
            known=forward.dive(node, place[1]),
            may_go_on=lambda size: allowed.in_time() and allowed.holds(size),
            report=lambda states: progress(Progress("comparing plans", states, 0)),
        )
        assert found is not None, "the table knows a way"
        if found.cost == NO_LIMIT:
            raise BudgetSpentError("not proved: the search was stopped", cure="allow more seconds or memory")
    except BudgetSpentError as spent:
        if not limited:
            raise
        game, found = approximate(
            track, start, goal, counts, weights, factor, cache=cache, budget=allowed, progress=progress, why=spent
        )
    return _solution(track, game, start, goal, counts, weights, factor, found)


def best_plan(track: Track, table: Table, start: Position, goal: Goal, count: Count) -> Solution:
    """The best plan by a table that was made for goals of this kind. Raises UnsolvableError."""
    layers = _shortest(table, _place(table, start, goal))
    arcs = _gentlest(table.graph, layers)
    plan = _steps_along(arcs, table.graph, start, steps_of(track, count, table.locomotive))
    return _proved(start, goal, count, plan, table.solved)


def _meeting(shelf: Shelf, start: Position, budget: Budget, progress: Report) -> Met | None:
    """All shortest plans by a search from both ends; None when only a table can tell."""
    game = shelf.game
    shape = game.graph.shapes.number(start)
    wagons = shape_of(start, game.locomotive)[1]

    def report(positions: int) -> None:
        budget.check_time()
        progress(Progress("searching from both ends", positions, 0))

    return meet(
        game.graph, shelf.goal, shelf.kinds, game.locomotive, shape, wagons,
        most=budget.positions if budget.memory is None else min(budget.positions, budget.memory // MEETING_BYTES),
        report=report,
    )  # fmt: skip


def _proved(start: Position, goal: Goal, count: Count, plan: tuple[Step, ...], positions: int) -> Solution:
    number = len(plan)
    return Solution(start, goal, count, number, True, plan, positions, 1, number, (), ((count, number),))


def _place(table: Table, start: Position, goal: Goal) -> tuple[int, int]:
    """Node and rank of a start; UnsolvableError when there is no way from there."""
    place = table.place(start, goal)
    if place is None or table.distance[place] == table.far:
        looked_at = (
            f"It can be reached from {table.solved:,} positions, all of which were looked at, not from this one"
            if table.solved
            else "It is reached in no position that can come up"
        )
        raise UnsolvableError(
            f"proved: there is no way from here to '{goal}'. {looked_at}",
            where=str(start),
            cure="draw again, or change the goal",
        )
    return place


def _forward(
    track: Track,
    table: Table,
    start: Position,
    goal: Goal,
    counts: tuple[Count, ...],
    weights: Weights,
    factor: int,
    cache: Path | None,
) -> tuple[Game, Forward, int]:
    """A search by several counts, or by one that a table alone does not settle, and the node it starts from."""
    store = cache_directory() if cache is None else cache
    graph, locomotive = table.graph, table.locomotive
    game = graph_for(track, start, counts[0], cache=store)
    nodes = nodes_for(track, game, start, set(counts), cache=store)
    row = nodes.within(table.nodes, direction=counts[0] is Count.REVERSALS, pairs=counts[0] is Count.COUPLINGS)
    shape, wagons = graph.shapes.number(start), shape_of(start, locomotive)[1]
    reached = reached_at(graph, goal, goal.kinds(wagons), table.arrangements, locomotive)
    node = nodes.node(shape)
    assert node is not None, "the start is the first node"
    return game, Forward(table, nodes, weights, factor, row, reached), node


def _solution(
    track: Track,
    game: Game,
    start: Position,
    goal: Goal,
    counts: tuple[Count, ...],
    weights: Weights,
    factor: int,
    found: Found,
) -> Solution:
    """What was found as a plan of real wagons, its counts taken once more from the plan itself."""
    plan = _steps_along(found.arcs, game.graph, start, steps_of(track, counts[0], game.locomotive))
    values = {count: tally(track, plan, count) for count in counts}
    features = features_of(track, plan)
    if not fits(values, features[4]) or weights.cost(features) != found.cost:
        raise PointsmanError(
            f"the plan found costs {weights.cost(features)}, and the search says {found.cost}",
            cure="this is a fault of the program: please report it with the puzzle",
        )
    best = values[counts[0]]
    bound = best if found.proved else min(best, found.bound // factor)
    return Solution(
        start, goal, counts[0], best, found.proved, plan, found.states, 1, bound, counts[1:], tuple(values.items())
    )


def _gentlest(graph: Graph, layers: Sequence[Layer]) -> list[int]:
    """The arcs of the best of all shortest plans."""
    units = graph.units
    to_go = np.zeros(1 + int(layers[-1].end.max()) if layers else 1, dtype=np.int64)
    kept: list[Layer] = []
    for layer in reversed(layers):
        total = units[layer.arc] + to_go[layer.end]
        to_go = np.full(1 + int(layer.origin.max()), np.iinfo(np.int64).max, dtype=np.int64)
        np.minimum.at(to_go, layer.origin, total)
        best = total == to_go[layer.origin]
        kept.append(Layer(layer.origin[best], layer.end[best], layer.arc[best]))
    return _fewest_changes(graph, kept[::-1])


def _shortest(table: Table, place: tuple[int, int]) -> list[Layer]:
    """Every arc of every shortest plan from a place, layer by layer."""
    graph, size = table.graph, len(table.arrangements)
    begins = np.searchsorted(graph.source, np.arange(len(graph.shapes) + 1))
    flat = table.distance.reshape(-1)
    nodes = np.array([place[0] * size + place[1]], dtype=np.int64)
    layers = []
    for distance in range(int(table.distance[place]), 0, -1):
        shape, rank = nodes // size, nodes % size
        number = begins[shape + 1] - begins[shape]
        origin = np.repeat(np.arange(len(nodes)), number)
        arc = np.arange(len(origin)) - np.repeat(np.cumsum(number) - number, number) + begins[shape][origin]
        order = graph.permutations[graph.permutation[arc]].astype(np.intp)
        rows = np.take_along_axis(table.arrangements.rows[rank[origin]], order, axis=1)
        ends = graph.target[arc].astype(np.int64) * size + table.arrangements.rank(rows)
        nearer = flat[ends] == distance - 1
        nodes, end = np.unique(ends[nearer], return_inverse=True)
        layers.append(Layer(origin[nearer], end.astype(np.int64), arc[nearer]))
    return layers


def _fewest_changes(graph: Graph, layers: Sequence[Layer]) -> list[int]:
    """Of the plans left, the first with the fewest turnout changes: how the turnouts lie is carried along."""
    lies: tuple[tuple[str, str], ...] = ()
    reached: dict[tuple[int, tuple[tuple[str, str], ...]], tuple[int, list[int]]] = {(0, lies): (0, [])}
    for layer in layers:
        onward: dict[int, list[tuple[int, int]]] = {}
        for origin, end, arc in zip(layer.origin.tolist(), layer.end.tolist(), layer.arc.tolist(), strict=True):
            onward.setdefault(origin, []).append((end, arc))
        further: dict[tuple[int, tuple[tuple[str, str], ...]], tuple[int, list[int]]] = {}
        for (node, lies), (changes, arcs) in reached.items():
            for end, arc in onward.get(node, ()):
                more, now = _changed(lies, graph.routes[graph.route[arc]])
                known = further.get((end, now))
                if known is None or changes + more < known[0]:
                    further[end, now] = changes + more, [*arcs, arc]
        reached = further
    return min(reached.values(), key=lambda found: found[0])[1]


def _changed(
    lies: tuple[tuple[str, str], ...], route: tuple[tuple[str, str], ...]
) -> tuple[int, tuple[tuple[str, str], ...]]:
    """How many turnouts must change for a route, and how they lie then; a first setting is no change."""
    now = dict(lies)
    changes = 0
    for turnout, leg in route:
        changes += now.get(turnout, leg) != leg
        now[turnout] = leg
    return changes, tuple(sorted(now.items()))


def _steps_along(arcs: Sequence[int], graph: Graph, start: Position, steps: Steps) -> tuple[Step, ...]:
    """The arcs as steps of the real wagons: the legal ones come in the same order from every position of a shape."""
    begins = np.searchsorted(graph.source, np.arange(len(graph.shapes) + 1))
    position = start
    plan = []
    for arc in arcs:
        number = arc - int(begins[graph.source[arc]])
        step = next(islice(steps(position), number, None))
        plan.append(step)
        position = step.after
    return tuple(plan)
