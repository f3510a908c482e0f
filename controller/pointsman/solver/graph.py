"""The game without its names: shapes, and the steps between them.

A *shape* is a position in which all wagons look alike. What a step may do never depends on which wagon is which, so
it leads from one shape to another and carries the wagons along in a fixed way. A position is then a shape and an
*arrangement*, the wagons in the shape's reading order, and every step is an arc: source shape, target shape, and the
permutation it makes of the arrangement. The whole legality is asked once per shape, not once per position.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointsman.puzzle.position import Position
from pointsman.solver.steps import Steps

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Graph:
    """All shapes reachable from one of them. Arcs stand sorted by source.

    ``shapes``: positions whose wagons are named by their slot, ".0", ".1" ... in reading order; ``number`` finds them.
    ``source``,
    ``target``, ``units``: one entry per arc; ``permutation`` and ``route`` index ``permutations`` and ``routes``.
    After an arc, slot i holds what stood in slot ``permutations[p, i]``. ``routes`` are the legs that the turnouts
    must lie for, in the order in which they are needed;
    ``runs`` is how many runs every step has.
    """

    shapes: tuple[Position, ...]
    number: Mapping[Position, int]
    source: Ints
    target: Ints
    permutation: Ints
    units: Ints
    route: Ints
    runs: int
    permutations: NDArray[np.int8]
    routes: tuple[tuple[tuple[str, str], ...], ...]


def shape_of(position: Position, locomotive: str) -> tuple[Position, tuple[str, ...]]:
    """The shape of a position and its arrangement: the wagons in reading order."""
    wagons = tuple(vehicle for vehicle in position.vehicles if vehicle != locomotive)
    return position.renamed({wagon: slot_name(slot) for slot, wagon in enumerate(wagons)}), wagons


def slot_name(slot: int) -> str:
    """What a shape calls the wagon in a slot: no vehicle of a layout can be called so."""
    return f".{slot}"


def slot_of(name: str) -> int:
    """The slot of a wagon of a shape."""
    return int(name[1:])


def explore(
    start: Position, locomotive: str, steps: Steps, *, on_shape: Callable[[int], None] = lambda _: None
) -> Graph:
    """The graph of everything reachable from a position; ``on_shape`` is told how many shapes are known."""
    first, wagons = shape_of(start, locomotive)
    slot = {slot_name(number): number for number in range(len(wagons))}
    known = {outline(first, locomotive): 0}
    shapes = [first]
    permutations: dict[tuple[int, ...], int] = {tuple(range(len(wagons))): 0}
    routes: dict[tuple[tuple[str, str], ...], int] = {}
    arcs = array("i")  # five numbers an arc
    at, runs = 0, 1
    while at < len(shapes):
        on_shape(len(shapes))
        for step in steps(shapes[at]):
            after, runs = step.after, len(step.runs)
            found = known.setdefault(outline(after, locomotive), len(shapes))
            if found == len(shapes):
                shapes.append(shape_of(after, locomotive)[0])
            order = [slot[v] for _, inside in after.segments for v in inside if v in slot]
            for _, vehicle, _ in after.turnouts:
                if vehicle in slot:
                    order.append(slot[vehicle])
            carried = permutations.setdefault(tuple(order), len(permutations))
            way = routes.setdefault(step.legs, len(routes))
            arcs.extend((at, found, carried, step.units, way))
        at += 1
    columns = np.array(arcs, dtype=np.int32).reshape(-1, 5).T
    source, target, permutation, units, route = (np.ascontiguousarray(column) for column in columns)
    table = np.array(list(permutations), dtype=np.int8).reshape(len(permutations), len(wagons))
    number = {shape: place for place, shape in enumerate(shapes)}
    return Graph(tuple(shapes), number, source, target, permutation, units, route, runs, table, tuple(routes))


def outline(position: Position, locomotive: str) -> tuple[object, ...]:
    """What two positions of one shape have in common; much quicker to make and to find again than the shape."""
    found: list[object] = [len(vehicles) for _, vehicles in position.segments]
    if position.turnouts:
        found += [(turnout, leg.value, vehicle == locomotive) for turnout, vehicle, leg in position.turnouts]
    for number, (_, vehicles) in enumerate(position.segments):
        if locomotive in vehicles:
            found.append((number, vehicles.index(locomotive)))
            break
    return tuple(found)
