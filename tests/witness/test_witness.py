"""Fast Downward, given the puzzles in PDDL, finds the solver's optimum, and proves hopeless what the solver does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tracks import inglenook, small, timesaver

from pointsman.errors import UnsolvableError
from pointsman.puzzle.goal import parse_goal
from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.search import solve
from pointsman.track.model import Track

pytest.importorskip("up_fast_downward", reason="Fast Downward is not here: make witness")
pytest.importorskip("unified_planning", reason="the planner's interface is not here: make witness")

from pddl import PULL_DROPS, RUNS, Plan, ask, pull_drops, runs
from unified_planning.engines import PlanGenerationResultStatus as Status

Words = Mapping[str, str]

SMALL = Plan(
    {"head": 3, "s1": 3, "s2": 2, "s3": 2},
    {"T1": ("head.to", "s1.from", "T2.toe"), "T2": ("T1.thrown", "s2.from", "s3.from")},
)


def allen(bottom: int) -> Plan:
    """John Allen's Timesaver."""
    return Plan(
        {"UL": 3, "UR": 3, "LL": 2, "B": 2, "R": 2, "U": 1, "W": bottom},
        {
            "T3": ("UR.from", "UL.from", "T7.closed"),
            "T7": ("T11.thrown", "T3.thrown", "U.from"),
            "T11": ("LL.from", "T12.closed", "T7.toe"),
            "T12": ("W.from", "T11.closed", "B.from"),
            "T14": ("R.from", "W.to", "U.to"),
        },
    )


def optimum(track: Track, start: Words, goal: Words, count: Count, cache: Path) -> int:
    """What pointsman's solver says, and that it claims to have proved it."""
    position = parse_position(line(start), track)
    solution = solve(track, position, parse_goal(line(goal), track, position.vehicles), count, cache=cache)
    assert solution.proved
    return solution.optimum


def line(words: Words) -> str:
    return " | ".join(f"{segment}: {row}" for segment, row in words.items())


def rows(words: Words) -> dict[str, list[str]]:
    return {track: row.split() for track, row in words.items()}


def without_locomotive(words: Words) -> dict[str, list[str]]:
    return {track: [name for name in row if name != "L"] for track, row in rows(words).items()}


TRAIN: Words = {"s1": "1 2 3", "head": ""}
FULL: Words = {"s1": "1 2 3", "s2": "4 5"}


@pytest.mark.parametrize(
    ("long", "second", "goal", "trips"),
    [
        ("2 4 3", "1 5", TRAIN, 5),
        ("3 2 1", "4 5", TRAIN, 7),
        ("1 4 5", "2 3", TRAIN, 11),
        ("4 1 5", "2 3", TRAIN, 12),  # the published most
        ("4 1 5", "2 3", FULL, 14),  # the published most
    ],
)
def test_pull_drops_on_the_small_inglenook(long: str, second: str, goal: Words, trips: int, tmp_path: Path) -> None:
    start = {"head": "L", "s1": long, "s2": second}
    verdict = ask(PULL_DROPS, pull_drops({"s1": 3, "s2": 2, "s3": 2}, 2, without_locomotive(start), rows(goal)))
    assert (verdict.status, verdict.cost) == (Status.SOLVED_OPTIMALLY, trips)
    assert optimum(small(), start, goal, Count.PULL_DROPS, tmp_path) == trips


def test_a_draw_that_cannot_be_solved(tmp_path: Path) -> None:
    """4-2-2 with six wagons: 300 of the 360 draws are hopeless, and this is one of them."""
    start = {"head": "L", "s1": "2 1 4 3", "s2": "5 6"}
    goal = {"s1": "1 2 3 4", "head": ""}
    verdict = ask(PULL_DROPS, pull_drops({"s1": 4, "s2": 2, "s3": 2}, 2, without_locomotive(start), rows(goal)))
    assert (verdict.status, verdict.cost) == (Status.UNSOLVABLE_PROVEN, None)
    with pytest.raises(UnsolvableError):
        optimum(inglenook(4, 2, 2, 2, 6), start, goal, Count.PULL_DROPS, tmp_path)


def test_runs_on_the_small_inglenook(tmp_path: Path) -> None:
    start, goal = {"head": "L", "s1": "1 2 3"}, {"s1": "3 2 1"}
    verdict = ask(RUNS, runs(SMALL, rows(start), rows(goal)))
    assert (verdict.status, verdict.cost) == (Status.SOLVED_OPTIMALLY, 13)
    assert optimum(small(), start, goal, Count.RUNS, tmp_path) == 13


@pytest.mark.parametrize(
    ("bottom", "start", "goal", "starts"),
    [
        # The first two tell which way the points T3 face: they are numbers of the shunting model.
        (1, {"R": "L", "UL": "1"}, {"LL": "1"}, 5),
        (1, {"R": "L", "UR": "1"}, {"LL": "1"}, 3),
        (2, {"UL": "1 L", "LL": "2"}, {"LL": "1", "B": "2"}, 8),
        (2, {"R": "L", "UL": "1 2"}, {"UL": "2 1"}, 11),
        (1, {"R": "L", "UL": "1", "UR": "2"}, {"B": "2 1"}, 12),
    ],
)
def test_runs_on_the_timesaver(bottom: int, start: Words, goal: Words, starts: int, tmp_path: Path) -> None:
    verdict = ask(RUNS, runs(allen(bottom), rows(start), rows(goal)))
    assert (verdict.status, verdict.cost) == (Status.SOLVED_OPTIMALLY, starts)
    assert optimum(timesaver(bottom, 2), start, goal, Count.RUNS, tmp_path) == starts


def test_runs_that_cannot_be_made(tmp_path: Path) -> None:
    """A siding behind a headshunt that has room for the locomotive alone: no wagon comes out of it."""
    plan = Plan({"head": 1, "s1": 1, "s2": 1, "s3": 1}, SMALL.turnouts)
    start, goal = {"head": "L", "s1": "1", "s2": "2"}, {"s1": "2", "s2": "1"}
    verdict = ask(RUNS, runs(plan, rows(start), rows(goal)))
    assert (verdict.status, verdict.cost) == (Status.UNSOLVABLE_PROVEN, None)
    with pytest.raises(UnsolvableError):
        optimum(inglenook(1, 1, 1, 0, 2), start, goal, Count.RUNS, tmp_path)
