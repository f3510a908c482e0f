"""The published tables, and those of the shunting model, number by number."""

from __future__ import annotations

import numpy as np
import pytest
from solver_cases import Case, TableOf, case
from tracks import inglenook, small

from pointsman.puzzle.puzzle import Count
from pointsman.solver.search import best_plan

START = "head: L | s1: 1 2 3 4 5 | s2: 6 7 8"
SMALL_START = "head: L | s1: 1 2 3 | s2: 4 5"
TRAIN = "s1: 1 2 3 4 5"
SIDINGS = "s1: 1 2 3 4 5 | s2+s3: {6 7 8}"
SIDING_2 = "s1: 1 2 3 4 5 | s2: {6 7 8}"
FULL = "s1: 1 2 3 4 5 | s2: 6 7 8"


def classic(goal: str, start: str = START) -> Case:
    return case(inglenook(), start, goal)


def histogram(distances: np.ndarray) -> str:
    values, counts = np.unique(distances, return_counts=True)
    return " ".join(f"{value}:{count}" for value, count in zip(values.tolist(), counts.tolist(), strict=True))


# ---------------------------------------------------------------- pull-drops


def test_pull_drops_with_every_place_fixed(table_of: TableOf) -> None:
    """Tables of n1ksn/sml-shunting."""
    of = classic(FULL)
    table = table_of(of, Count.PULL_DROPS)
    assert table.solved == table.distance.size == 2_136_960
    assert (int(table.distance.max()), int(np.count_nonzero(table.distance == 21))) == (21, 11)
    draws = table.draws(of[1])
    assert histogram(draws) == (
        "0:1 4:5 5:10 6:8 7:88 8:130 9:445 10:806 11:1876 12:3125 13:5438 14:7178 15:8123 16:7428 17:3926 18:1431 "
        "19:294 20:8"
    )
    assert draws.mean() == pytest.approx(14.437, abs=5e-4)


def test_pull_drops_with_the_others_in_the_short_sidings(table_of: TableOf) -> None:
    of = classic(SIDINGS)
    table = table_of(of, Count.PULL_DROPS)
    assert table.solved == table.distance.size == 356_160
    draws = table.draws(of[1])
    assert histogram(draws) == (
        "0:1 4:9 5:13 6:33 7:101 8:191 9:357 10:675 11:1036 12:1332 13:1303 14:976 15:565 16:127 17:1"
    )
    assert draws.mean() == pytest.approx(12.054, abs=5e-4)


@pytest.mark.parametrize(("goal", "mean", "hardest"), [(SIDING_2, 12.878, "17:13"), (TRAIN, 11.812, "17:1")])
def test_pull_drops_with_the_others_elsewhere(table_of: TableOf, goal: str, mean: float, hardest: str) -> None:
    of = classic(goal)
    draws = table_of(of, Count.PULL_DROPS).draws(of[1])
    assert draws.mean() == pytest.approx(mean, abs=5e-4)
    assert histogram(draws).endswith(hardest)


@pytest.mark.parametrize(
    ("goal", "number", "mean", "hardest"),
    [("s1: 1 2 3 | s2: 4 5", 120, 9.858, "14:5"), ("s1: 1 2 3 | s2+s3: {4 5}", 60, 8.0, "12:2")],
)
def test_pull_drops_on_the_small_inglenook(
    table_of: TableOf, goal: str, number: int, mean: float, hardest: str
) -> None:
    of = case(small(), SMALL_START, goal)
    draws = table_of(of, Count.PULL_DROPS).draws(of[1])
    assert len(draws) == number
    assert draws.mean() == pytest.approx(mean, abs=5e-4)
    assert histogram(draws).endswith(hardest)


@pytest.mark.parametrize(
    ("geometry", "start", "goal", "solvable", "of_draws", "most"),
    [
        ((5, 3, 2, 3, 8), START, SIDINGS, 840, 6720, None),
        ((5, 3, 2, 3, 7), "head: L | s1: 1 2 3 4 5 | s2: 6 7", "s1: 1 2 3 4 5 | s2+s3: {6 7}", 2520, 2520, 15),
        ((4, 2, 2, 2, 6), "head: L | s1: 1 2 3 4 | s2: 5 6", "s1: 1 2 3 4 | s2+s3: {5 6}", 60, 360, None),
        ((4, 3, 3, 3, 7), "head: L | s1: 1 2 3 4 | s2: 5 6 7", "s1: 1 2 3 4 | s2+s3: {5 6 7}", 840, 840, 12),
    ],
)
def test_solvability_is_not_a_given(
    table_of: TableOf,
    geometry: tuple[int, int, int, int, int],
    start: str,
    goal: str,
    solvable: int,
    of_draws: int,
    most: int | None,
) -> None:
    of = case(inglenook(*geometry), start, goal)
    draws = table_of(of, Count.PULL_DROPS).draws(of[1])
    assert (int(np.count_nonzero(draws != np.iinfo(draws.dtype).max)), len(draws)) == (solvable, of_draws)
    if most is not None:
        assert int(draws.max()) == most


def test_a_larger_inglenook(table_of: TableOf) -> None:
    start = "head: L | s1: 1 2 3 4 5 6 | s2: 7 8 9 10"
    of = case(inglenook(6, 4, 4, 4, 10), start, "s1: 1 2 3 4 5 6 | s2: {7 8 9 10}")
    draws = table_of(of, Count.PULL_DROPS).draws(of[1])
    assert (len(draws), int(draws.max())) == (151_200, 17)


def test_one_of_the_hardest_full_orders(table_of: TableOf) -> None:
    of = classic(FULL, "head: L | s1: 2 1 4 3 8 | s2: 7 6 5")
    assert table_of(of, Count.PULL_DROPS).distance_of(of[1], of[2]) == 20


# ---------------------------------------------------------------- runs


@pytest.mark.parametrize(
    ("start", "fewest"),
    [("head: L | s1: 4 6 2 7 8 | s2: 1 5 3", 25), ("head: L | s1: 6 4 7 5 8 | s2: 1 3 2", 21)],
)
def test_runs_for_the_train_only(table_of: TableOf, start: str, fewest: int) -> None:
    of = classic(TRAIN, start)
    assert table_of(of, Count.RUNS).distance_of(of[1], of[2]) == fewest


def test_runs_of_all_draws(table_of: TableOf) -> None:
    of = classic(SIDINGS)
    draws = table_of(of, Count.RUNS).draws(of[1])
    assert histogram(draws) == (
        "0:1 7:9 9:16 11:32 13:103 15:214 17:370 19:713 21:1090 23:1436 25:1285 27:929 29:473 31:49"
    )
    assert draws.mean() == pytest.approx(22.8135, abs=5e-5)


def test_the_ladder_trick(table_of: TableOf) -> None:
    """The first turnout carries one vehicle more than the headshunt holds, so 16 trips are not 31 runs."""
    of = classic(SIDINGS, "head: L | s1: 1 3 6 2 7 | s2: 8 5 4")
    trips = best_plan(of[0], table_of(of, Count.PULL_DROPS), of[1], of[2], Count.PULL_DROPS)
    runs = best_plan(of[0], table_of(of, Count.RUNS), of[1], of[2], Count.RUNS)
    assert (trips.optimum, runs.optimum) == (16, 27)


@pytest.mark.parametrize("goal", [TRAIN, SIDINGS])
def test_pull_drops_never_need_more_than_2n_less_1_runs(table_of: TableOf, goal: str) -> None:
    of = classic(goal)
    trips = table_of(of, Count.PULL_DROPS).draws(of[1]).astype(int)
    runs = table_of(of, Count.RUNS).draws(of[1]).astype(int)
    more = trips >= 1
    assert np.all(runs[more] <= 2 * trips[more] - 1)
    assert np.any(runs[more] < 2 * trips[more] - 1)
