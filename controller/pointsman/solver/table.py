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
from itertools import count as counting
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pointsman.errors import BudgetSpentError
from pointsman.puzzle.goal import Goal, Term
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.solver.arrangements import Arrangements, number_of_arrangements
from pointsman.solver.cache import cache_directory, read_sealed, write_sealed
from pointsman.solver.graph import Graph, explore, shape_of, slot_of
from pointsman.solver.steps import check_start, steps_of
from pointsman.track.model import Leg, Track

FORMAT = "pointsman distances 2"
FAR = 255
BUDGET = 200_000_000
"""Positions, one byte each, that a search may look at unless the caller says otherwise."""

_SLICE = 1_000_000  # positions per call of the kernel: some 50 ms, so that Ctrl-C is heard


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
    """``distance[s, r]``: steps from shape s with the arrangement of rank r to the goal, FAR when there is no way."""

    locomotive: str
    graph: Graph
    arrangements: Arrangements
    distance: NDArray[np.uint8]

    @property
    def solved(self) -> int:
        """How many positions have a way to the goal."""
        return int(np.count_nonzero(self.distance != FAR))

    def place(self, position: Position, goal: Goal) -> tuple[int, int] | None:
        """Shape and rank of a position for one goal of the table's kind; None when the shape is not in the table."""
        shape, wagons = shape_of(position, self.locomotive)
        number = self.graph.number.get(shape)
        if number is None:
            return None
        kinds = goal.kinds(wagons)
        row = np.array([[kinds[wagon] for wagon in wagons]], dtype=np.uint8)
        return number, int(self.arrangements.rank(row)[0])

    def distance_of(self, position: Position, goal: Goal) -> int | None:
        """Fewest steps from a position to a goal of the table's kind; None when there is no way."""
        place = self.place(position, goal)
        if place is None or self.distance[place] == FAR:
            return None
        return int(self.distance[place])

    def draws(self, start: Position) -> NDArray[np.uint8]:
        """The distances of all draws from one start: of every way to put the goal's wagons into its places."""
        shape, _ = shape_of(start, self.locomotive)
        row: NDArray[np.uint8] = self.distance[self.graph.number[shape]]
        return row


def table_for(
    track: Track,
    start: Position,
    goal: Goal,
    count: Count,
    *,
    progress: Report = silent,
    cache: Path | None = None,
    budget: int = BUDGET,
) -> Table:
    """The table for a start and goal, from the cache (``cache``, else the user's) or newly searched.

    Raises UsageError when the count is not defined here and BudgetSpentError when more than ``budget`` positions
    would have to be looked at. A damaged, older or foreign file is searched anew and replaced.
    """
    locomotive = locomotive_of(track, start)
    check_start(track, count, start, locomotive)
    shape, wagons = shape_of(start, locomotive)
    kinds = goal.kinds(wagons)
    description = describe(track, goal, count, locomotive, kinds)
    name = hashlib.sha256(description.encode()).hexdigest()[:24]
    directory = (cache_directory() if cache is None else cache) / "tables"
    for number in counting():  # one file for every set of positions that cannot be reached from the others
        path = directory / f"{name}-{number}.table"
        table = _read(path, track, locomotive, description, kinds)
        if table is None:
            table = build(track, start, goal, count, progress=progress, budget=budget)
            write_sealed(path, _packed(table, description))
            return table
        if shape in table.graph.number:
            return table
    raise AssertionError("counting has no end")


def build(
    track: Track, start: Position, goal: Goal, count: Count, *, progress: Report = silent, budget: int = BUDGET
) -> Table:
    """Search backwards from every position in which the goal is reached. Raises BudgetSpentError."""
    locomotive = locomotive_of(track, start)
    _, wagons = shape_of(start, locomotive)
    kinds = goal.kinds(wagons)
    counts = _counts(kinds)
    size = number_of_arrangements(counts)
    told = [0]

    def on_shape(shapes: int) -> None:
        if shapes * size > budget:
            raise BudgetSpentError(
                f"not proved: there are more than {shapes * size:,} positions, and the budget is {budget:,}",
                cure="allow more positions, or name fewer wagons in the goal: those not named are alike",
            )
        if shapes >> 8 > told[0]:
            told[0] = shapes >> 8
            progress(Progress("looking where wagons can stand", shapes * size, 0))

    graph = explore(start, locomotive, steps_of(track, count, locomotive), on_shape=on_shape)
    arrangements = Arrangements.of(counts)
    distance = np.full((len(graph.shapes), size), FAR, dtype=np.uint8)
    for number, shape in enumerate(graph.shapes):
        distance[number, _reached(shape, goal, kinds, arrangements, locomotive)] = 0
    _search(graph, arrangements, distance, progress)
    return Table(locomotive, graph, arrangements, distance)


def describe(track: Track, goal: Goal, count: Count, locomotive: str, kinds: Mapping[str, int]) -> str:
    """Everything that the distances depend on, as one text: two tables with the same text are the same."""
    segments = [[s.name, s.capacity, str(s.meets_from), str(s.meets_to)] for s in track.segments.values()]
    turnouts = [[t.name, t.holds, str(t.toe), str(t.closed), str(t.thrown)] for t in track.turnouts.values()]
    pattern = str(goal.renamed({wagon: f"kind{kind}" for wagon, kind in kinds.items()}))
    return json.dumps([FORMAT, segments, turnouts, locomotive, count, pattern, _counts(kinds)])


def _counts(kinds: Mapping[str, int]) -> list[int]:
    of_kind = list(kinds.values())
    return [of_kind.count(kind) for kind in range(max(of_kind, default=-1) + 1)]


def _search(graph: Graph, arrangements: Arrangements, distance: NDArray[np.uint8], progress: Report) -> None:
    progress(Progress("preparing the search", 0, 0))
    from pointsman.solver.kernel import spread  # numba takes half a second to import: only when it is needed

    backwards = np.argsort(graph.permutations, axis=1).astype(np.int8)  # the inverse permutations
    carried = np.empty((len(backwards), len(arrangements)), dtype=np.int32)
    for number, permutation in enumerate(backwards):
        carried[number] = arrangements.carried(permutation)
    by_target = np.argsort(graph.target, kind="stable")
    begins = np.searchsorted(graph.target[by_target], np.arange(len(graph.shapes) + 1)).astype(np.int64)
    source, carrying = graph.source[by_target], graph.permutation[by_target]
    flat = distance.reshape(-1)
    known = int(np.count_nonzero(flat == 0))
    shapes, block = len(graph.shapes), max(1, _SLICE // len(arrangements))
    depth, new = 0, known
    while new:
        progress(Progress("searching", known, depth))
        new = 0
        for first in range(0, shapes, block):
            new += int(spread(flat, depth, first, min(first + block, shapes), begins, source, carrying, carried))
        known += new
        depth += 1
        if new and depth + 1 >= FAR:
            raise BudgetSpentError(
                f"not proved: {depth} steps and more, the most this table can hold", cure="count something else"
            )


def _reached(
    shape: Position, goal: Goal, kinds: Mapping[str, int], arrangements: Arrangements, locomotive: str
) -> NDArray[np.bool_]:
    """Which arrangements of a shape reach the goal."""
    reached = np.ones(len(arrangements), dtype=np.bool_)
    for term in goal.terms:
        wanted = _wanted(shape, term, kinds, locomotive)
        if wanted is None:
            return np.zeros(len(arrangements), dtype=np.bool_)
        for slot, kind in wanted:
            reached &= arrangements.rows[:, slot] == kind
    return reached


def _wanted(shape: Position, term: Term, kinds: Mapping[str, int], locomotive: str) -> list[tuple[int, int]] | None:
    """Which slot must hold which kind for a term to hold; None when the shape rules it out."""
    found = [vehicle for segment in term.segments for vehicle in shape.in_segment(segment)]
    if locomotive not in term.vehicles:
        found = [vehicle for vehicle in found if vehicle != locomotive]
    vehicles = list(term.vehicles)
    if term.any_order and locomotive in vehicles and locomotive in found:
        vehicles.remove(locomotive)
        found.remove(locomotive)
    if len(found) != len(vehicles):
        return None
    pairs = list(zip(found, vehicles, strict=True))
    if any((there == locomotive) != (named == locomotive) for there, named in pairs):
        return None
    return [(slot_of(there), kinds[named]) for there, named in pairs if named != locomotive]


def _packed(table: Table, description: str) -> bytes:
    graph = table.graph
    header = {
        "shapes": [[[list(v) for _, v in shape.segments], list(shape.turnouts)] for shape in graph.shapes],
        "routes": graph.routes,
    }
    buffer = io.BytesIO()
    for line in (FORMAT, description, json.dumps(header, separators=(",", ":"))):
        buffer.write(line.encode() + b"\n")
    for array in (graph.source, graph.target, graph.permutation, graph.units, graph.route, graph.permutations):
        np.save(buffer, array, allow_pickle=False)
    np.save(buffer, table.distance, allow_pickle=False)
    return buffer.getvalue()


def _read(path: Path, track: Track, locomotive: str, description: str, kinds: Mapping[str, int]) -> Table | None:
    """A table from its file; None when the file is missing, damaged, or of another format or game."""
    body = read_sealed(path)
    if body is None:
        return None
    buffer = io.BytesIO(body)
    if [buffer.readline(), buffer.readline()] != [FORMAT.encode() + b"\n", description.encode() + b"\n"]:
        return None
    # The seal and the two lines say that this program wrote it, so what follows is what _packed wrote.
    header = json.loads(buffer.readline())
    shapes = tuple(
        Position(
            tuple((name, tuple(vehicles)) for name, vehicles in zip(track.segments, inside, strict=True)),
            tuple((turnout, vehicle, Leg(leg)) for turnout, vehicle, leg in on),
        )
        for inside, on in header["shapes"]
    )
    routes = tuple(tuple((turnout, leg) for turnout, leg in route) for route in header["routes"])
    source, target, permutation, units, route, permutations, distance = (
        np.load(buffer, allow_pickle=False) for _ in range(7)
    )
    shape_number = {shape: number for number, shape in enumerate(shapes)}
    graph = Graph(shapes, shape_number, source, target, permutation, units, route, permutations, routes)
    return Table(locomotive, graph, Arrangements.of(_counts(kinds)), distance)
