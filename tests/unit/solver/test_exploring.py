"""The compiled rules against ``puzzle.moves``: the same graph, arc by arc, or the same refusal."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tracks import inglenook, small, timesaver, track_of

from pointsman.errors import UsageError
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.exploring import explored_by_runs
from pointsman.solver.graph import STEP_BY_STEP, Graph, explore, explored_step_by_step
from pointsman.track.model import Track

MOST = 400  # shapes of a track that is made up


def assert_same(one: Graph, other: Graph) -> None:
    for name in ("source", "target", "permutation", "units", "route", "permutations"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert np.array_equal(one.shapes.rows, other.shapes.rows)
    assert (one.routes, one.runs) == (other.routes, other.runs)


def passes_twice(graph: Graph) -> bool:
    return any(len({turnout for turnout, _ in route}) < len(route) for route in graph.routes)


@pytest.mark.parametrize(
    ("track", "start", "shapes"),
    [
        (small(), "head: L | s1: 1 2 3 | s2: 4 5", 149),
        (inglenook(), "head: L | s1: 1 2 3 4 5 | s2: 6 7 8", 353),
        (timesaver(2, 2), "R: L | UL: 1 | UR: 2", 657),
        (timesaver(1, 3), "R: L | UL: 1 | UR: 2 | LL: 3", 1889),
    ],
)
def test_a_whole_space_is_the_same_arc_by_arc(track: Track, start: str, shapes: int) -> None:
    position = parse_position(start, track)
    plain = explored_step_by_step(track, position, "L", Count.RUNS)
    compiled = explored_by_runs(track, position, "L")
    assert plain is not None
    assert compiled is not None
    assert len(plain.shapes) == shapes
    assert_same(plain, compiled)


@st.composite
def tracks(draw: st.DrawFn) -> tuple[Track, Position]:
    """Any way to join a few segments and turnouts, with vehicles anywhere."""
    segments, turnouts = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    sides = [f"T{n}.{side}" for n in range(turnouts) for side in ("toe", "closed", "thrown")]
    ends = draw(st.permutations([f"s{n}.{end}" for n in range(segments) for end in ("from", "to")]))
    order = draw(st.permutations(sides))
    joined: dict[str, str] = {}
    direct = draw(st.integers(max(0, (len(sides) - len(ends) + 1) // 2), len(sides) // 2))
    for one, other in zip(order[: 2 * direct : 2], order[1 : 2 * direct : 2], strict=True):
        assume(one.partition(".")[0] != other.partition(".")[0])
        joined |= {one: other, other: one}
    joined |= dict(zip(order[2 * direct :], ends, strict=False))
    capacities = {f"s{n}": draw(st.integers(1, 3)) for n in range(segments)}
    wagons = draw(st.integers(0, min(3, sum(capacities.values()) - 1)))
    points = {f"T{n}": (joined[f"T{n}.toe"], joined[f"T{n}.closed"], joined[f"T{n}.thrown"]) for n in range(turnouts)}
    track = track_of("made up", capacities, points, wagons)
    places = draw(st.permutations([name for name, room in capacities.items() for _ in range(room)]))
    vehicles = ["L", *(str(n) for n in range(1, wagons + 1))]
    inside = {name: [v for v, place in zip(vehicles, places, strict=False) if place == name] for name in capacities}
    return track, Position.of(track, inside)


@settings(deadline=None, max_examples=150)
@given(tracks())
def test_on_any_track_it_is_the_same_or_left_to_the_plain_rules(made: tuple[Track, Position]) -> None:
    track, start = made
    try:
        plain = explored_step_by_step(track, start, "L", Count.RUNS, most=MOST)
    except UsageError as refused:
        with pytest.raises(UsageError, match=re.escape(refused.what)):
            explore(track, start, "L", Count.RUNS)
        return
    assume(plain is not None)
    assert plain is not None
    compiled = explored_by_runs(track, start, "L")
    if compiled is None:
        assert passes_twice(plain)
    else:
        assert_same(plain, compiled)


def test_a_ring_is_explored_step_by_step_however_large() -> None:
    ring = track_of(
        "ring",
        {"A": 3, "B": 3, "C": 2},
        {"T1": ("A.to", "B.from", "C.from"), "T2": ("A.from", "B.to", "C.to")},
        2,
    )
    start = parse_position("A: L | B: 1 | C: 2", ring)
    assert explored_by_runs(ring, start, "L") is None
    graph = explore(ring, start, "L", Count.RUNS)
    assert passes_twice(graph)


def test_large_spaces_are_left_to_the_compiled_rules() -> None:
    track = timesaver(2, 3)
    start = parse_position("R: L | UL: 1 | UR: 2 | LL: 3", track)
    told: list[int] = []
    graph = explore(track, start, "L", Count.RUNS, on_shape=told.append)
    assert len(graph.shapes) == 2050
    assert STEP_BY_STEP < max(told) <= len(graph.shapes)
    assert len(told) < len(graph.shapes)
