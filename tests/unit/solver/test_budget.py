"""A budget: the best plan found, what is proved, and never more than that."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest
from solver_cases import Case, case
from tracks import inglenook, small, timesaver

from pointsman.errors import BudgetSpentError, UnsolvableError
from pointsman.posix import available_memory
from pointsman.puzzle.moves import follow
from pointsman.puzzle.puzzle import Count
from pointsman.solver.budget import Budget
from pointsman.solver.cost import tally
from pointsman.solver.search import Solution, solve

SMALL = case(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: 3 1 2")
CLASSIC = case(inglenook(), "head: L | s1: 2 1 4 3 8 | s2: 7 6 5", "s1: 1 2 3 4 5 | s2: 6 7 8")
FEW = 1000
"""Fewer positions than any of these spaces has, so no table of the real game is made."""


def check(of: Case, solution: Solution) -> None:
    track, position, goal = of
    for run in solution.runs:
        position = follow(track, position, run)
    assert goal.reached(position, ("L",))
    assert tally(track, solution.plan, solution.count) == solution.optimum
    assert solution.proved == (solution.bound == solution.optimum) or solution.then


@pytest.mark.parametrize("count", Count)
def test_a_small_space_is_proved_without_its_table(tables: Path, tmp_path: Path, count: Count) -> None:
    for order in list(permutations("123"))[1::2]:
        of = case(small(), "head: L | s1: 1 2 3", f"s1: {' '.join(order)}")
        true = solve(*of, count, cache=tables)
        found = solve(*of, count, cache=tmp_path, budget=20, budget_s=600)
        check(of, found)
        assert (found.optimum, found.bound, found.proved) == (true.optimum, true.optimum, True)
    assert not list(tmp_path.rglob("*.table"))


def test_too_little_memory_gives_a_plan_and_a_bound(tmp_path: Path) -> None:
    """One of the hardest full orders, 20 pull-drops (n1ksn); the whole table does not fit into 12 MB."""
    found = solve(*CLASSIC, Count.PULL_DROPS, cache=tmp_path, memory_mb=12)
    check(CLASSIC, found)
    assert found.bound <= 20 <= found.optimum
    assert found.bound >= 10
    assert found.proved == (found.bound == found.optimum == 20)


def test_too_little_time_gives_a_plan_and_a_bound(tmp_path: Path) -> None:
    of = case(timesaver(), "R: L | UL: 1 | UR: 2", "LL: 1 | UL: 2")
    true = solve(*of, Count.RUNS, cache=tmp_path)
    found = solve(*of, Count.RUNS, then=[Count.COUPLINGS], cache=tmp_path, budget=FEW, budget_s=4)
    check(of, found)
    assert found.bound <= true.optimum <= found.optimum


def test_hardly_any_time_still_gives_a_bound_and_no_memory_either_none(tables: Path) -> None:
    of = case(inglenook(), "head: L | s1: 1 2 3 4 5 | s2: 6 7 8", "s1: 6 4 1 8 7")
    true = solve(*of, Count.RUNS, cache=tables)
    with pytest.raises(BudgetSpentError) as caught:
        solve(*of, Count.RUNS, then=[Count.COUPLINGS], cache=tables, budget_s=1e-6)
    found = re.fullmatch(r"not proved: .*, and no plan was found; none takes less than (\d+) runs", caught.value.what)
    assert found is not None, caught.value.what
    assert 0 < int(found[1]) <= true.optimum
    with pytest.raises(BudgetSpentError, match=r"not proved: .*, and no plan was found\n"):
        solve(*of, Count.RUNS, then=[Count.COUPLINGS], cache=tables, budget_s=1e-6, memory_mb=0.001)


@pytest.mark.parametrize("limit", [{"budget_s": 0.0}, {"budget": FEW}, {"budget": FEW, "budget_s": 0.0}])
def test_nothing_found_is_no_answer(tmp_path: Path, limit: dict[str, float]) -> None:
    with pytest.raises(BudgetSpentError, match="not proved"):
        solve(*SMALL, Count.RUNS, cache=tmp_path, **limit)  # type: ignore[arg-type]


def test_impossible_is_proved_by_the_easier_game_or_by_running_dry(tmp_path: Path) -> None:
    cut = case(small(), "head: 4 L | s1: 1 2 3 | s2: 5", "s1: 4 1 2")
    with pytest.raises(UnsolvableError, match="proved") as caught:
        solve(*cut, Count.RUNS, cache=tmp_path, budget=FEW, budget_s=60)
    assert not isinstance(caught.value, BudgetSpentError)


def test_memory_is_asked_for_before_it_is_taken() -> None:
    free = available_memory()
    assert free is not None
    assert free > 1 << 20
    budget = Budget.of(10, None, None)
    assert budget.holds(free // 2)
    assert not budget.holds(free)
    assert not Budget.of(10, None, 1).holds(2 << 20)
    with pytest.raises(BudgetSpentError, match="5 positions need 3 MB, and 1 MB may be used"):
        Budget.of(10, None, 1).check(5, 3 << 20)
    assert Budget().in_time()
    assert Budget().share(0.5).left_s is None
    assert (Budget.of(1, 100, None).share(0.5).left_s or 0) <= 50
