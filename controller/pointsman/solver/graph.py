"""The game without its names: shapes, and the steps between them.

A *shape* is a position in which all wagons look alike. What a step may do never depends on which wagon is which, so
it leads from one shape to another and carries the wagons along in a fixed way. A position is then a shape and an
*arrangement*, the wagons in the shape's reading order, and every step is an arc: source shape, target shape, and the
permutation it makes of the arrangement. The whole legality is asked once per shape, not once per position.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.shapes import Shapes, packed, row_of, shape_of, slot_name
from pointsman.solver.steps import steps_of
from pointsman.track.model import Track

Ints = NDArray[np.int32]

STEP_BY_STEP = 500
"""Up to so many shapes ``puzzle.moves`` is asked itself: that takes less time than to load the compiled rules."""


@dataclass(frozen=True, slots=True)
class Graph:
    """All shapes reachable from one of them. Arcs stand sorted by source.

    ``source``, ``target``, ``units``: one entry per arc; ``permutation`` and ``route`` index ``permutations`` and
    ``routes``. After an arc, slot i holds what stood in slot ``permutations[p, i]``. ``routes`` are the legs that the
    turnouts must lie for, in the order in which they are needed; ``runs`` is how many runs every step has.
    """

    shapes: Shapes
    source: Ints
    target: Ints
    permutation: Ints
    units: Ints
    route: Ints
    runs: int
    permutations: NDArray[np.int8]
    routes: tuple[tuple[tuple[str, str], ...], ...]


def explore(
    track: Track, start: Position, locomotive: str, step: Count, *, on_shape: Callable[[int], None] = lambda _: None
) -> Graph:
    """The graph of everything reachable from a position by steps of a count; ``on_shape`` is told how many shapes are
    known. Many shapes, and runs between them, are left to compiled code, which gives the very same graph.
    """
    most = STEP_BY_STEP if step is Count.RUNS else None
    found = explored_step_by_step(track, start, locomotive, step, most=most, on_shape=on_shape)
    if found is None:
        from pointsman.solver.exploring import explored_by_runs  # numba takes half a second to import

        found = explored_by_runs(track, start, locomotive, on_shape=on_shape)
    if found is None:
        found = explored_step_by_step(track, start, locomotive, step, on_shape=on_shape)
    assert found is not None, "without a limit it is explored to the end"
    return found


def explored_step_by_step(
    track: Track,
    start: Position,
    locomotive: str,
    step: Count,
    *,
    most: int | None = None,
    on_shape: Callable[[int], None] = lambda _: None,
) -> Graph | None:
    """The graph by asking for the steps of every shape; None when there are more than ``most``."""
    steps = steps_of(track, step, locomotive)
    turnouts = tuple(track.turnouts)
    first, wagons = shape_of(start, locomotive)
    slot = {slot_name(number): number for number in range(len(wagons))}
    known = {packed(row_of(first, turnouts, locomotive)): 0}
    shapes = [first]
    permutations: dict[tuple[int, ...], int] = {tuple(range(len(wagons))): 0}
    routes: dict[tuple[tuple[str, str], ...], int] = {}
    arcs = array("i")  # five numbers an arc
    at, runs = 0, 1
    while at < len(shapes):
        on_shape(len(shapes))
        for one in steps(shapes[at]):
            after, runs = one.after, len(one.runs)
            found = known.setdefault(packed(row_of(after, turnouts, locomotive)), len(shapes))
            if found == len(shapes):
                shapes.append(shape_of(after, locomotive)[0])
            order = tuple(slot[vehicle] for vehicle in after.vehicles if vehicle in slot)
            carried = permutations.setdefault(order, len(permutations))
            way = routes.setdefault(one.legs, len(routes))
            arcs.extend((at, found, carried, one.units, way))
        at += 1
        if most is not None and len(shapes) > most:
            return None
    rows = np.frombuffer(b"".join(known), dtype=np.int16).reshape(len(shapes), -1)
    columns = np.array(arcs, dtype=np.int32).reshape(-1, 5)
    carried_by = np.array(list(permutations), dtype=np.int8).reshape(len(permutations), len(wagons))
    return graph_of(Shapes.of(track, locomotive, rows), columns, runs, carried_by, tuple(routes))


def graph_of(
    shapes: Shapes,
    arcs: Ints,
    runs: int,
    permutations: NDArray[np.int8],
    routes: tuple[tuple[tuple[str, str], ...], ...],
) -> Graph:
    """A graph from its arcs, a row each: source, target, permutation, units, route."""
    source, target, permutation, units, route = (np.ascontiguousarray(column) for column in arcs.T)
    return Graph(shapes, source, target, permutation, units, route, runs, permutations, routes)
