"""Plans around forbidden runs: as short as can be without them, or proved impossible."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from tracks import small

from pointsman.errors import UnsolvableError
from pointsman.puzzle.goal import parse_goal
from pointsman.puzzle.moves import runs
from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.avoiding import Forbidden, runs_avoiding
from pointsman.solver.search import solve

TRACK = small()
START = parse_position("head: L | s1: 1 2 3 | s2: 4 5", TRACK)
GOAL = parse_goal("s1: 3 1 2", TRACK, START.vehicles)


def test_without_anything_forbidden_it_is_the_shortest(tmp_path: Path) -> None:
    best = solve(TRACK, START, GOAL, Count.RUNS, cache=tmp_path)
    assert len(runs_avoiding(TRACK, START, GOAL, [], cache=tmp_path)) == best.optimum


def test_each_run_of_a_plan_can_be_planned_around(tmp_path: Path) -> None:
    plan = runs_avoiding(TRACK, START, GOAL, [], cache=tmp_path)
    for run in plan:
        forbidden = Forbidden.of(run)
        other = runs_avoiding(TRACK, START, GOAL, [forbidden], cache=tmp_path)
        assert forbidden not in [Forbidden.of(r) for r in other]
        assert len(other) >= len(plan)
        assert other[0].before == START
        assert all(one.after == two.before for one, two in pairwise(other))
        assert GOAL.reached(other[-1].after, ["L"])


def test_the_way_around_is_the_shortest_there_is(tmp_path: Path) -> None:
    """Forbidding the second run of every optimal plan, one after the other, never shortens what is left."""
    forbidden: list[Forbidden] = []
    lengths = []
    for _ in range(12):
        plan = runs_avoiding(TRACK, START, GOAL, forbidden, cache=tmp_path)
        lengths.append(len(plan))
        forbidden.append(Forbidden.of(plan[1]))
    assert lengths == sorted(lengths)


def test_nowhere_to_go(tmp_path: Path) -> None:
    every = [Forbidden.of(run) for run in runs(TRACK, START, "L")]
    with pytest.raises(UnsolvableError, match="needs a run that the real lengths forbid"):
        runs_avoiding(TRACK, START, GOAL, every, cache=tmp_path)
