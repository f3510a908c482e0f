"""The kernel against a plain search over the same legality, position by position."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from solver_cases import Case, TableOf, case
from tracks import inglenook, small, timesaver

from pointsman.puzzle.goal import Goal
from pointsman.puzzle.moves import runs
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.track.model import Track

Next = Callable[[Position], Iterator[Position]]


def by_kinds(kinds: str) -> Track:
    """The small ladder with wagons 1, 2, ... of these kinds."""
    track = inglenook(3, 2, 2, 2, len(kinds))
    wagons = {name: replace(wagon, kind=kind) for (name, wagon), kind in zip(track.wagons.items(), kinds, strict=True)}
    return replace(track, wagons=wagons)


def by_runs(track: Track) -> Next:
    return lambda position: (run.after for run in runs(track, position, "L"))


def by_pull_drops(track: Track) -> Next:
    """The published convention written directly: k wagons at the headshunt's end against a siding's end."""

    def moves(position: Position) -> Iterator[Position]:
        head = position.in_segment("head")
        for siding in ("s1", "s2", "s3"):
            there = position.in_segment(siding)
            for k in range(1, len(there) + 1):
                if len(head) + k <= track.segments["head"].capacity:
                    yield put(position, head + there[:k], siding, there[k:])
            for k in range(1, len(head)):
                if len(there) + k <= track.segments[siding].capacity:
                    yield put(position, head[:-k], siding, head[-k:] + there)

    def put(position: Position, head: tuple[str, ...], siding: str, there: tuple[str, ...]) -> Position:
        return Position.of(track, {**dict(position.segments), "head": head, siding: there})

    return moves


def plain_distances(start: Position, goal: Goal, onward: Next) -> dict[Position, int]:
    """Distance to the goal of everything reachable from the start, by search over named positions."""
    before: dict[Position, list[Position]] = {start: []}
    waiting = deque([start])
    while waiting:
        position = waiting.popleft()
        for after in onward(position):
            if after not in before:
                before[after] = []
                waiting.append(after)
            before[after].append(position)
    distance = {position: 0 for position in before if goal.reached(position, ("L",))}
    waiting = deque(distance)
    while waiting:
        position = waiting.popleft()
        for earlier in before[position]:
            if earlier not in distance:
                distance[earlier] = distance[position] + 1
                waiting.append(earlier)
    return {position: distance.get(position, -1) for position in before}


@pytest.mark.parametrize(
    ("of", "count"),
    [
        (case(small(), "head: L | s1: 1 2 3", "s1: 3 1 2"), Count.RUNS),
        (case(small(), "head: L | s1: 1 2 | s2: 3 4", "s1: 2 1 | s2+s3: {3 4}"), Count.RUNS),
        (case(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: 3 1 2 | s2: {4 5}"), Count.PULL_DROPS),
        (case(small(), "head: L | s1: 1 2 3 | s2: 4 5", "head: L 1 | s2: 2"), Count.PULL_DROPS),
        (case(inglenook(2, 1, 1, 1, 3), "head: L | s1: 1 2 | s2: 3", "s1: 2 1"), Count.RUNS),
        (case(inglenook(2, 1, 1, 1, 4), "head: L | s1: 1 2 | s2: 3 | s3: 4", "s1: 2 1"), Count.PULL_DROPS),
        (case(timesaver(2), "R: L | UL: 1 | UR: 2", "LL: 1 | B: 2"), Count.RUNS),
        (case(timesaver(2), "R: L | UL: 1 | UR: 2", "W: {L 1}"), Count.RUNS),
        (case(timesaver(1), "R: L | UL: 1 | UR: 2", "R: L | UL+UR: {1 2}"), Count.RUNS),
        (case(small(), "head: L | s1: 1 2 3", "L+: 3 1"), Count.RUNS),
        (case(small(), "head: L | s1: 1 2 | s2: 3 4", "s1: .. 3 .. | s2: ? 1"), Count.RUNS),
        (case(small(), "head: L | s1: 1 2 | s2: 3 4", "s1+s2: {4 2 ..}"), Count.RUNS),
        (case(by_kinds("aabb"), "head: L | s1: 1 2 | s2: 3 4", "s1: @b {3 @a} .. !a/tank"), Count.RUNS),
        (case(by_kinds("abc"), "head: L | s1: 1 2 3", "s1+s2: {@a @b @c} !a/b"), Count.RUNS),
        (case(by_kinds("abba"), "head: L | s1: 1 2 | s2: 3 4", "s1: .. @tank @b | s2: .. @a"), Count.RUNS),
    ],
)
def test_whole_spaces_agree(table_of: TableOf, of: Case, count: Count) -> None:
    track, start, goal = of
    table = table_of(of, count)
    plain = plain_distances(start, goal, by_runs(track) if count is Count.RUNS else by_pull_drops(track))
    assert len(plain) > 1
    for position, distance in plain.items():
        assert table.distance_of(position, goal) == (None if distance < 0 else distance)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 10**6), max_size=40))
@pytest.mark.parametrize(
    "of",
    [
        case(inglenook(), "head: L | s1: 1 2 3 4 5 | s2: 6 7 8", "s1: 4 2 8 1 3 | s2: {5 6 7}"),
        case(timesaver(2), "R: L | UL: 1 | UR: 2 | LL: 3", "B: 1 | LL: 2 | R: 3"),
    ],
)
def test_in_large_spaces_every_distance_fits_its_neighbours(table_of: TableOf, of: Case, walk: list[int]) -> None:
    """0 exactly at the goal, else one more than the nearest successor: that alone makes a distance right."""
    track, position, goal = of
    table = table_of(of, Count.RUNS)
    for choice in walk:
        options = list(runs(track, position, "L"))
        position = options[choice % len(options)].after
    distance = table.distance_of(position, goal)
    nearest = min(table.distance_of(run.after, goal) for run in runs(track, position, "L"))
    assert distance == (0 if goal.reached(position, ("L",)) else nearest + 1)
