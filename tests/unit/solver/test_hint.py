"""Hints: following them is a best plan, and every position knows at once how far it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solver_cases import case
from tracks import inglenook, small

from pointsman.errors import UnsolvableError, UsageError
from pointsman.puzzle.moves import runs
from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.hint import Hint, Hints
from pointsman.solver.search import solve

CASE = case(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: 2 1 3")


@pytest.fixture(scope="module")
def hints(tables: Path) -> Hints:
    return Hints.load(*CASE, Count.RUNS, cache=tables)


def test_following_the_hints_is_a_best_plan(hints: Hints, tables: Path) -> None:
    track, position, goal = CASE
    left = solve(*CASE, Count.RUNS, cache=tables).optimum
    while (hint := hints.hint(position)).step is not None:
        assert hint.distance == hints.distance(position) == left
        assert hint.step.before == position
        position, left = hint.step.after, left - 1
    assert (hint, left) == (Hint(0, None), 0)
    assert goal.reached(position, track.locomotives)


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_after_any_moves_the_distance_is_the_least_there_is(hints: Hints, tables: Path, data: st.DataObject) -> None:
    track, position, goal = CASE
    for _ in range(data.draw(st.integers(1, 6))):
        position = data.draw(st.sampled_from(list(runs(track, position, "L")))).after
    distance = hints.distance(position)
    assert distance == hints.table.distance_of(position, goal)
    assert distance == solve(track, position, goal, Count.RUNS, cache=tables).optimum
    nearest = min(hints.distance(run.after) or 0 for run in runs(track, position, "L"))
    assert distance in (0, nearest + 1)


def test_hints_in_pull_drops(tables: Path) -> None:
    found = Hints.load(*CASE, Count.PULL_DROPS, cache=tables)
    step = found.hint(CASE[1]).step
    assert step is not None
    assert str(step).startswith("pull ")
    assert found.distance(step.after) == (found.distance(CASE[1]) or 0) - 1
    between = parse_position("s1: L 1 2 | s3: 3 | s2: 4 5", CASE[0])
    assert found.distance(between) is None


def test_where_there_is_no_way(tables: Path) -> None:
    track, start, goal = case(inglenook(4, 2, 2, 2, 6), "head: L | s1: 1 2 3 4 | s2: 5 6", "s1: 5 6 4 3 | s2+s3: {1 2}")
    found = Hints.load(track, start, goal, Count.RUNS, cache=tables)
    assert found.distance(start) is None
    with pytest.raises(UnsolvableError, match="there is no way"):
        found.hint(start)


def test_counts_that_need_more_than_the_position_are_refused(tables: Path) -> None:
    with pytest.raises(UsageError, match="couplings"):
        Hints.load(*CASE, Count.COUPLINGS, cache=tables)
