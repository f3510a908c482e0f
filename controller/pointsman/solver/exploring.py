"""Everything that can be reached by runs, explored by the compiled rules.

Importing this module imports numba (about half a second), so it is used where there are many shapes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pointsman.puzzle.moves import check_scope, runs
from pointsman.puzzle.position import Position
from pointsman.solver.compiled_runs import (
    ARCS,
    AT,
    BITES_ITS_TAIL,
    BUFFER,
    DONE,
    FULL,
    GOING_ON,
    HEAD,
    PARTS,
    PERMUTATIONS,
    ROUTES,
    SHAPES,
    Bench,
    Rails,
    Standing,
    enter_again,
    explore_on,
    place_for,
)  # fmt: skip
from pointsman.solver.graph import Graph, graph_of
from pointsman.solver.shapes import Shapes, row_of, shape_of
from pointsman.track.model import End, Joint, Leg, SegmentEnd, Side, Track, TurnoutSide

_SLICE = 4096  # shapes per call, at most: some 50 ms, so that Ctrl-C is heard
_MOST = 32767


class _Kept:
    """Rows of which each is kept once, and the hash table by which it is found."""

    def __init__(self, width: int, room: int) -> None:
        self.items = np.zeros((room, width), dtype=np.int16)
        self.table = np.full(4 * room, -1, dtype=np.int32)

    def grown(self, number: int) -> _Kept:
        """The same with twice the room, and the first ``number`` rows in it."""
        more = _Kept(self.items.shape[1], 2 * len(self.items))
        more.items[:number] = self.items[:number]
        enter_again(more.items, number, more.table)
        return more


def explored_by_runs(
    track: Track, start: Position, locomotive: str, *, on_shape: Callable[[int], None] = lambda _: None
) -> Graph | None:
    """The graph of all runs from a position. Raises UsageError as ``puzzle.moves`` does.

    None when ``puzzle.moves`` must be asked: a run passes a turnout twice, or the track is too large for numbers of
    two bytes.
    """
    check_scope(track, start, locomotive)
    first, wagons = shape_of(start, locomotive)
    width = len(track.segments) + len(track.turnouts) + 2
    capacities = [segment.capacity for segment in track.segments.values()]
    if max(width, len(wagons), *capacities) > _MOST:
        return None
    rails = _rails(track)
    now, left, then = (_standing(rails) for _ in range(3))
    bench = _bench(rails, len(wagons), width)
    kept = [_Kept(width, 1024), _Kept(len(wagons), 64), _Kept(max(1, len(track.turnouts)), 64)]
    counters = np.array([0, 1, 0, 1, 0], dtype=np.int64)
    for one, row in zip(kept, (row_of(first, tuple(track.turnouts), locomotive), range(len(wagons))), strict=False):
        place_for(one.items, 0, one.table, np.array(row, dtype=np.int16))
    arcs = np.zeros((8192, 5), dtype=np.int32)
    outcome = GOING_ON
    while outcome in {GOING_ON, FULL}:
        on_shape(int(counters[SHAPES]))
        if outcome == FULL:
            kept = [one.grown(int(counters[at])) for one, at in zip(kept, (SHAPES, PERMUTATIONS, ROUTES), strict=True)]
            arcs = np.concatenate((arcs, np.zeros_like(arcs)))
        tables = [array for one in kept for array in (one.items, one.table)]
        outcome = explore_on(rails, now, left, then, bench, *tables, arcs, counters, _SLICE)
    shapes = Shapes.of(track, locomotive, kept[0].items[: counters[SHAPES]])
    if outcome == BITES_ITS_TAIL:
        for _ in runs(track, shapes[int(counters[AT])], locomotive):
            pass  # it says so itself
    if outcome != DONE:
        return None
    names = [(turnout, leg.value) for turnout in track.turnouts for leg in Leg]
    routes = tuple(tuple(names[leg] for leg in row if leg >= 0) for row in kept[2].items[: counters[ROUTES]].tolist())
    permutations = kept[1].items[: counters[PERMUTATIONS]].astype(np.int8)
    return graph_of(shapes, arcs[: counters[ARCS]], 1, permutations, routes)


def _rails(track: Track) -> Rails:
    number = {name: place for place, name in enumerate([*track.segments, *track.turnouts])}
    element = np.full((len(number), len(Side)), BUFFER, dtype=np.int64)
    side = np.zeros_like(element)
    joints: list[Joint] = [SegmentEnd(name, end) for name in track.segments for end in End]
    joints += [TurnoutSide(name, one) for name in track.turnouts for one in Side]
    for joint in joints:
        met = track.meets(joint)
        if met is not None:
            here, there = _place(joint), _place(met)
            element[number[here[0]], here[1]], side[number[here[0]], here[1]] = number[there[0]], there[1]
    capacity = np.array([segment.capacity for segment in track.segments.values()], dtype=np.int64)
    return Rails(capacity, element, side)


def _place(joint: Joint) -> tuple[str, int]:
    if isinstance(joint, SegmentEnd):
        return joint.segment, list(End).index(joint.end)
    return joint.turnout, list(Side).index(joint.side)


def _standing(rails: Rails) -> Standing:
    segments, turnouts = len(rails.capacity), len(rails.element) - len(rails.capacity)
    inside = np.zeros((segments, int(rails.capacity.max())), dtype=np.int64)
    return Standing(np.zeros(segments, np.int64), inside, np.zeros(turnouts, np.int64), np.zeros(turnouts, np.int64))


def _bench(rails: Rails, wagons: int, width: int) -> Bench:
    elements, turnouts = len(rails.element), len(rails.element) - len(rails.capacity)
    first = HEAD + wagons + 1
    legs = first + PARTS * (elements + 1)
    most = int(rails.capacity.sum()) + 2 * turnouts + 4  # a way for every unit that a train can go, and one to choose
    return Bench(
        np.zeros((most, legs + turnouts + 1), np.int64),
        first,
        legs,
        np.zeros((2 * elements + 2, PARTS), np.int64),
        np.zeros(wagons + 1, np.int64),
        np.zeros((wagons + 1, PARTS), np.int64),
        np.zeros(width, np.int16),
        np.zeros(wagons, np.int16),
        np.zeros(max(1, turnouts), np.int16),
    )
