"""A game's graph of shapes, kept on disk: every goal on the same track with as many wagons skips the exploring.

One file for the shapes and arcs, and, once a count has asked for it, one for what the runs do to couplings and
directions. Positions that cannot be reached from one another have files of their own.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import count as counting
from pathlib import Path

import numpy as np

from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.solver.cache import read_sealed, write_sealed
from pointsman.solver.effects import Effects, effects_of
from pointsman.solver.graph import Graph, explore
from pointsman.solver.memory import Remembered, plain, remember
from pointsman.solver.shapes import Shapes, shape_of
from pointsman.solver.steps import steps_of
from pointsman.track.model import Track

FORMAT = "pointsman shapes 2"


@dataclass(frozen=True, slots=True)
class Game:
    """A graph of shapes; ``name`` tells it from all others, its order too."""

    name: str
    step: Count
    locomotive: str
    graph: Graph


def graph_for(
    track: Track, start: Position, count: Count, *, cache: Path, on_shape: Callable[[int], None] = lambda _: None
) -> Game:
    """The graph of everything reachable from a start, from the cache or newly explored."""
    locomotive = locomotive_of(track, start)
    step = Count.PULL_DROPS if count is Count.PULL_DROPS else Count.RUNS
    wagons = shape_of(start, locomotive)[1]
    segments = [[s.name, s.capacity, str(s.meets_from), str(s.meets_to)] for s in track.segments.values()]
    turnouts = [[t.name, t.holds, str(t.toe), str(t.closed), str(t.thrown)] for t in track.turnouts.values()]
    description = json.dumps([FORMAT, segments, turnouts, locomotive, step, len(wagons)])
    digest = hashlib.sha256(description.encode()).hexdigest()[:24]
    for number in counting():  # one file for every set of positions that cannot be reached from the others
        name = f"{digest}-{number}"
        path = cache / "graphs" / f"{name}.graph"
        body = read_sealed(path)
        graph = None if body is None else _graph_of(body, track, locomotive, description)
        if body is None or graph is None:
            graph = explore(track, start, locomotive, step, on_shape=on_shape)
            body = _packed_graph(graph, description)
            write_sealed(path, body)
        if graph.shapes.find(start) is not None:
            # Explored anew from elsewhere, a graph has another order: what was made for the old one must not fit.
            return Game(f"{name}-{hashlib.sha256(body).hexdigest()[:24]}", step, locomotive, graph)
    raise AssertionError("counting has no end")


def nodes_for(track: Track, game: Game, start: Position, counts: Collection[Count], *, cache: Path) -> Remembered:
    """The shapes of a game with what these counts must remember. Raises BudgetSpentError when that is too much."""
    direction = Count.REVERSALS in counts
    pairs = Count.COUPLINGS in counts or Count.SECONDS in counts
    if not direction and not pairs:
        return plain(game.graph)
    path = cache / "graphs" / f"{game.name}.effects"
    effects = _read_effects(path, game)
    if effects is None:
        steps = steps_of(track, game.step, game.locomotive)
        effects = effects_of(track, game.graph, steps, game.locomotive)
        write_sealed(path, _packed_effects(effects, game))
    number = game.graph.shapes.number(start)
    return remember(game.graph, effects, number, direction=direction, pairs=pairs)


def _packed_graph(graph: Graph, description: str) -> bytes:
    header = {"routes": graph.routes, "runs": graph.runs}
    buffer = io.BytesIO()
    for line in (description, json.dumps(header, separators=(",", ":"))):
        buffer.write(line.encode() + b"\n")
    for array in (
        graph.shapes.rows, graph.source, graph.target, graph.permutation, graph.units, graph.route, graph.permutations,
    ):  # fmt: skip
        np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _graph_of(body: bytes, track: Track, locomotive: str, description: str) -> Graph | None:
    """A graph from its file's content; None when that is of another format or game."""
    buffer = io.BytesIO(body)
    if buffer.readline() != description.encode() + b"\n":
        return None
    # The seal and the line say that this program wrote it, so what follows is what _packed_graph wrote.
    header = json.loads(buffer.readline())
    routes = tuple(tuple((turnout, leg) for turnout, leg in route) for route in header["routes"])
    rows, source, target, permutation, units, route, permutations = (
        np.load(buffer, allow_pickle=False) for _ in range(7)
    )
    shapes = Shapes.of(track, locomotive, rows)
    return Graph(shapes, source, target, permutation, units, route, header["runs"], permutations, routes)


def _packed_effects(effects: Effects, game: Game) -> bytes:
    buffer = io.BytesIO()
    buffer.write(f"{FORMAT} {game.name}\n".encode())
    for array in (
        effects.of_arc, effects.towards, effects.facing, effects.parted, effects.origin, effects.moved,
    ):  # fmt: skip
        np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _read_effects(path: Path, game: Game) -> Effects | None:
    body = read_sealed(path)
    if body is None:
        return None
    buffer = io.BytesIO(body)
    if buffer.readline() != f"{FORMAT} {game.name}\n".encode():
        return None
    return Effects(*(np.load(buffer, allow_pickle=False) for _ in range(6)))
