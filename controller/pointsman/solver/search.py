"""The best plan: fewest steps of what is counted, proved; among those the gentlest on the metal.

Of all plans with the fewest steps the one with the fewest units of travel is taken (so that no train goes deeper into
a siding than the plan needs), of those the one with the fewest turnout changes (each turnout's first setting is
free), and of those the first in the order in which ``puzzle.moves`` names runs: the same plan on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pointsman.errors import UnsolvableError, UsageError
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.moves import Run, why_impossible
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.solver.graph import Graph, shape_of, slot_name
from pointsman.solver.steps import Step, Steps, steps_of
from pointsman.solver.table import BUDGET, FAR, Report, Table, silent, table_for
from pointsman.track.model import Track

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Solution:
    """A plan with the fewest steps.

    ``optimum`` is how many of ``count`` it takes, ``proved`` that no plan takes fewer, ``positions`` how many have a
    way to the goal, all of which were looked at, ``holds`` how many vehicles a turnout holds in the model it is
    exact for.
    """

    start: Position
    goal: Goal
    count: Count
    optimum: int
    proved: bool
    plan: tuple[Step, ...]
    positions: int
    holds: int = 1

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
    progress: Report = silent,
    cache: Path | None = None,
    budget: int = BUDGET,
) -> Solution:
    """The best plan from a start to a goal; ``cache`` is a directory, the user's own if None.

    Raises UsageError when the position or the count makes no sense here, UnsolvableError when it is proved that
    there is no plan, and BudgetSpentError when nothing could be proved within ``budget`` positions.
    """
    locomotive = locomotive_of(track, start)
    reason = why_impossible(track, start, locomotive)
    if reason:
        raise UsageError(reason, where=str(start), cure="put it in a segment, or beside the locomotive's train")
    table = table_for(track, start, goal, count, progress=progress, cache=cache, budget=budget)
    return best_plan(track, table, start, goal, count)


def best_plan(track: Track, table: Table, start: Position, goal: Goal, count: Count) -> Solution:
    """The best plan by a table that was made for goals of this kind. Raises UnsolvableError."""
    place = table.place(start, goal)
    if place is None or table.distance[place] == FAR:
        raise UnsolvableError(
            f"proved: there is no way from here to '{goal}'. It can be reached from {table.solved:,} positions, all "
            "of which were looked at, and this is not one of them",
            where=str(start),
            cure="draw again, or change the goal",
        )
    arcs = _best_arcs(table, place)
    plan = _steps_along(arcs, table, start, steps_of(track, count, table.locomotive))
    return Solution(start, goal, count, len(plan), True, plan, table.solved)


@dataclass(frozen=True, slots=True)
class _Layer:
    """The arcs of all shortest plans between two distances: from a node of this layer, to a node of the next."""

    origin: Ints
    end: Ints
    arc: Ints


def _best_arcs(table: Table, place: tuple[int, int]) -> list[int]:
    """The arcs of the best plan."""
    layers = _shortest(table, place)
    units = table.graph.units
    to_go = np.zeros(1 + int(layers[-1].end.max()) if layers else 1, dtype=np.int64)
    kept: list[_Layer] = []
    for layer in reversed(layers):
        total = units[layer.arc] + to_go[layer.end]
        to_go = np.full(1 + int(layer.origin.max()), np.iinfo(np.int64).max, dtype=np.int64)
        np.minimum.at(to_go, layer.origin, total)
        best = total == to_go[layer.origin]
        kept.append(_Layer(layer.origin[best], layer.end[best], layer.arc[best]))
    return _fewest_changes(table.graph, kept[::-1])


def _shortest(table: Table, place: tuple[int, int]) -> list[_Layer]:
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
        layers.append(_Layer(origin[nearer], end.astype(np.int64), arc[nearer]))
    return layers


def _fewest_changes(graph: Graph, layers: Sequence[_Layer]) -> list[int]:
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


def _steps_along(arcs: Sequence[int], table: Table, start: Position, steps: Steps) -> tuple[Step, ...]:
    """The arcs as steps of the real wagons, each found among the legal ones."""
    graph = table.graph
    position = start
    plan = []
    for arc in arcs:
        _, wagons = shape_of(position, table.locomotive)
        order = graph.permutations[graph.permutation[arc]]
        after = graph.shapes[graph.target[arc]].renamed({slot_name(i): wagons[slot] for i, slot in enumerate(order)})
        route = graph.routes[graph.route[arc]]
        wanted = (after, int(graph.units[arc]), route)
        step = next(step for step in steps(position) if (step.after, step.units, step.legs) == wanted)
        plan.append(step)
        position = after
    return tuple(plan)
