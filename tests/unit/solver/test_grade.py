"""Grades against a plain search by the rules; draws and challenges that can be solved, and are the same everywhere."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import log2
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solver_cases import TableOf, case
from tracks import inglenook, small, track_of

from pointsman.errors import UnsolvableError, UsageError
from pointsman.puzzle.deal import deal
from pointsman.puzzle.goal import Goal, parse_goal
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count, Puzzle
from pointsman.solver.challenges import (
    Challenge,
    Wish,
    challenges,
    draw_for,
    numbered,
    scale_of_draws,
    task_of,
)
from pointsman.solver.grade import (
    LEVELS,
    Grade,
    Grader,
    Scale,
    check_gradable,
    gradable,
    second_rank_up_to,
)
from pointsman.solver.search import solve
from pointsman.solver.steps import steps_of
from pointsman.solver.table import Table, table_for
from pointsman.track.model import Track

START = "head: L | s1: 1 2 3 | s2: 4 5"


def puzzle_of(track: Track, start: str, goal: str, count: Count = Count.RUNS) -> Puzzle:
    position = parse_position(start, track)
    return Puzzle("test", "Test", track, position, parse_goal(goal, track, position.vehicles), count)


SMALL = puzzle_of(small(), START, "s1: 1 2 3")
TIGHT = puzzle_of(inglenook(4, 2, 2, 2, 6), "head: L | s1: 1 2 3 4 | s2: 5 6", "s1: 1 2 3 4 | s2+s3: {5 6}")


def table(of: Puzzle, table_of: TableOf, count: Count = Count.RUNS) -> Table:
    return table_of((of.track, of.start, of.goal), count)


# ---------------------------------------------------------------- the measure


def onward(track: Track, position: Position, count: Count) -> list[Position]:
    return [step.after for step in steps_of(track, count, "L")(position)]


def plainly(track: Track, start: Position, goal: Goal, count: Count) -> Grade:
    """The grade by searching forwards from the start, and from every neighbour of a way."""

    def steps_to_go(position: Position) -> int:
        seen, layer, steps = {position}, [position], 0
        while not any(goal.reached(one, track.locomotives) for one in layer):
            layer = list(dict.fromkeys(n for one in layer for n in onward(track, one, count) if n not in seen))
            seen.update(layer)
            steps += 1
        return steps

    known: dict[Position, int] = {}

    def distance(position: Position) -> int:
        if position not in known:
            known[position] = steps_to_go(position)
        return known[position]

    layer, par, dead_ends, product = Counter({start: 1}), distance(start), 0, Fraction(1)
    for left in range(par, 0, -1):
        every, best, further = 0, 0, Counter[Position]()
        for position, plans in layer.items():
            for after in onward(track, position, count):
                worse = distance(after) > left
                every += 1 + worse
                dead_ends += worse
                if distance(after) == left - 1:
                    best += 1
                    further[after] += plans
        product *= Fraction(every, best)
        layer = further
    # The product is far from a power of 2 ** 1/4 wherever floats could round it wrongly.
    return Grade(par, layer.total(), dead_ends, int(4 * (log2(product.numerator) - log2(product.denominator)) + 1e-9))


@pytest.mark.parametrize(
    ("start", "goal", "count"),
    [
        ("head: L | s1: 1 2 | s2: 3", "s1: 2 1", Count.RUNS),
        ("head: L | s1: 1 2 | s2: 3", "s1: 3 1", Count.RUNS),
        ("head: L 3 | s1: 1 2", "s1: 3 1 2", Count.RUNS),
        ("head: L | s1: 1 2 | s2: 3", "s1: 2 3 1", Count.PULL_DROPS),
        ("head: L | s1: 1 2 3", "s1: 2 3 1", Count.PULL_DROPS),
    ],
)
def test_a_grade_is_what_a_plain_search_finds(start: str, goal: str, count: Count, table_of: TableOf) -> None:
    of = case(inglenook(3, 1, 1, 2, 3), start, goal)
    found = table_of(of, count)
    place = found.place(of[1], of[2])
    assert place is not None
    grade = Grader(found).grade(place)
    assert grade == plainly(of[0], of[1], of[2], count)
    assert grade.par == solve(*of, count).optimum > 0


def test_what_is_solved_is_no_trouble_and_what_cannot_be_solved_has_no_grade(table_of: TableOf) -> None:
    found = table(SMALL, table_of)
    place = found.place(SMALL.start, SMALL.goal)
    assert place is not None
    assert Grader(found).grade(place) == Grade(0, 1, 0, 0)
    found = table(TIGHT, table_of)
    draws = found.draws(TIGHT.start)
    node = found.graph.shapes.number(found.graph.shapes[0])
    impossible = next(rank for rank, distance in enumerate(draws.tolist()) if distance == found.far)
    assert Grader(found).grade((node, impossible)) is None


def test_only_counts_whose_steps_cost_one_are_graded() -> None:
    assert [gradable(count) for count in (Count.RUNS, Count.PULL_DROPS, Count.SECONDS)] == [
        Count.RUNS,
        Count.PULL_DROPS,
        Count.RUNS,
    ]
    check_gradable(Count.PULL_DROPS)
    with pytest.raises(UsageError, match="not graded by couplings"):
        check_gradable(Count.COUPLINGS)


@given(st.lists(st.integers(0, 500), min_size=1), st.integers(0, 500))
def test_levels_rise_with_the_difficulty_and_cut_a_sample_into_quarters(sample: list[int], other: int) -> None:
    scale = Scale.of(sample)
    assert scale.level(other) <= scale.level(other + 1)
    for level in LEVELS:
        # Ties go up, so no level below the last holds more than its quarter and what rounding leaves over.
        assert sum(scale.level(one) < level for one in sample) <= len(sample) * (level - 1) // 4


@pytest.mark.parametrize(("par", "most"), [(0, 2), (1, 3), (8, 10), (9, 12), (12, 15), (13, 17), (40, 50)])
def test_the_second_rank_is_for_up_to_a_quarter_over_par_and_always_two(par: int, most: int) -> None:
    assert second_rank_up_to(par) == most


# ---------------------------------------------------------------- draws


@pytest.mark.parametrize(
    "goal",
    [
        "s1: 3 1 2",
        "s1: 3 1 2 | s2: 5 4",
        "s1: {1 4 5}",
        "s2+s3: {1 2} | s1: 5 4 3",
        "s1: ? 2 ..",
        "s1: .. {4 3}",
        "L+: 2 1",
    ],
)
def test_an_arrangement_says_which_draw_it_is(goal: str, table_of: TableOf) -> None:
    puzzle = puzzle_of(small(), START, goal)
    found = table(puzzle, table_of)
    tasks = [task_of(puzzle, found.graph.shapes[0], row) for row in found.arrangements.rows.tolist()]
    assert {start for start, _ in tasks} == {puzzle.start}
    assert len({str(goal) for _, goal in tasks}) == len(found.arrangements)
    assert [found.place(*task) for task in tasks] == [(0, rank) for rank in range(len(tasks))]
    assert {str(deal(puzzle, seed).puzzle.goal) for seed in range(400)} <= {str(goal) for _, goal in tasks}


def test_when_the_goal_names_no_wagon_an_arrangement_says_where_they_stand(table_of: TableOf) -> None:
    track = small()
    kinds = dict(zip("12345", ("coach", "coach", "cattle", "goods", "goods"), strict=True))
    wagons = {name: replace(wagon, kind=kinds[name]) for name, wagon in track.wagons.items()}
    puzzle = puzzle_of(replace(track, wagons=wagons), START, "s1: @coach @coach @cattle !cattle/goods")
    found = table(puzzle, table_of)
    tasks = [task_of(puzzle, found.graph.shapes[0], row) for row in found.arrangements.rows.tolist()]
    assert len({start for start, _ in tasks}) == len(tasks) == 30
    assert {goal for _, goal in tasks} == {puzzle.goal}
    assert [found.place(*task) for task in tasks] == [(0, rank) for rank in range(30)]
    assert len(challenges(puzzle, 1, found)) == 40


def test_draws_that_cannot_be_compared_are_refused(table_of: TableOf) -> None:
    """Whether 1 is an open wagon is another matter in every draw."""
    puzzle = puzzle_of(small(), START, "s1: 1 .. | s2: @open ..")
    found = table(puzzle, table_of)
    with pytest.raises(UsageError, match="by name and by kind"):
        challenges(puzzle, 1, found)
    with pytest.raises(UsageError, match="by name and by kind"):
        scale_of_draws(puzzle, found, Grader(found))


@given(st.integers(0, 10**9))
@settings(max_examples=40, deadline=None)
def test_no_draw_is_without_a_solution_on_a_layout_where_most_are(table_of: TableOf, seed: int) -> None:
    """4-2-2 with six wagons: 60 of 360 draws can be made."""
    found = table(TIGHT, table_of)
    grader = Grader(found)
    scale = scale_of_draws(TIGHT, found, grader)
    draw = draw_for(TIGHT, str(seed), Wish(), found, grader, scale)
    assert found.distance_of(draw.draw.puzzle.start, draw.draw.puzzle.goal) == draw.grade.par
    assert draw.draw == deal(TIGHT, draw.draw.seed)
    assert draw.draw.seed == (str(seed) if draw.number == 1 else f"{seed} #{draw.number}")
    for earlier in range(1, draw.number):
        refused = deal(TIGHT, numbered(str(seed), earlier)).puzzle
        assert found.distance_of(refused.start, refused.goal) is None


@pytest.mark.parametrize("wish", [Wish(level=1), Wish(4), Wish(2, 13, 17), Wish(least=17), Wish(most=9)])
def test_a_draw_is_as_wished(wish: Wish, table_of: TableOf) -> None:
    found = table(SMALL, table_of)
    grader = Grader(found)
    scale = scale_of_draws(SMALL, found, grader)
    for seed in range(20):
        draw = draw_for(SMALL, str(seed), wish, found, grader, scale)
        assert wish.par_fits(draw.grade.par)
        assert wish.level in (None, draw.level)
        assert scale.level(draw.grade.difficulty) == draw.level


def test_wishes_that_cannot_be_fulfilled(table_of: TableOf) -> None:
    found = table(SMALL, table_of)
    grader = Grader(found)
    scale = scale_of_draws(SMALL, found, grader)
    with pytest.raises(UsageError, match="no draw with par 50 or more: those with a solution have pars from 0 to 21"):
        draw_for(SMALL, "1", Wish(least=50), found, grader, scale)
    with pytest.raises(UsageError, match="no draw with level 4 and par 9 or less"):
        draw_for(SMALL, "1", Wish(4, most=9), found, grader, scale)


def test_a_puzzle_without_any_solution(tmp_path: Path) -> None:
    """A dead end with the locomotive at its open end: what stands behind one another stays so."""
    stub = puzzle_of(track_of("stub", {"a": 3}, {}, 2), "a: 1 2 L", "a: {1}")
    found = table_for(stub.track, stub.start, stub.goal, Count.RUNS, cache=tmp_path)
    with pytest.raises(UnsolvableError, match="none of 64 draws"):
        scale_of_draws(stub, found, Grader(found))
    with pytest.raises(UsageError, match="no draw with a solution: none has one"):
        draw_for(stub, "1", Wish(), found, Grader(found), Scale((0, 0, 0)))
    with pytest.raises(UsageError, match="no task with L alone"):
        challenges(stub, 1, found)


# ---------------------------------------------------------------- challenges


def same_task(one: Challenge) -> tuple[str, str]:
    return str(one.start), str(one.goal)


@pytest.mark.parametrize("count", [Count.RUNS, Count.PULL_DROPS])
def test_forty_challenges(table_of: TableOf, count: Count, tables: Path) -> None:
    found = table(SMALL, table_of, count)
    forty = challenges(SMALL, 1979, found)
    assert Counter(one.level for one in forty) == dict.fromkeys(LEVELS, 10)
    assert len({same_task(one) for one in forty}) == 40
    difficulties = [one.grade.difficulty for one in forty]
    assert difficulties == sorted(difficulties)
    for one in forty:
        assert one.start.in_segment("head") == ("L",)
        assert sorted(one.start.vehicles) == sorted(SMALL.start.vehicles)
        solution = solve(SMALL.track, one.start, one.goal, count, cache=tables)
        assert (solution.optimum, solution.proved) == (one.grade.par, True)
        assert one.goal.reached(solution.plan[-1].after, ["L"])


def test_the_seed_decides(table_of: TableOf) -> None:
    found = table(SMALL, table_of)
    assert challenges(SMALL, 7, found) == challenges(SMALL, "7", found)
    assert {same_task(one) for one in challenges(SMALL, 7, found)} != {
        same_task(one) for one in challenges(SMALL, 8, found)
    }


def test_they_are_the_same_on_every_machine(tmp_path: Path) -> None:
    """Also where the positions were first explored from elsewhere, so that the table has another order."""
    elsewhere = parse_position("s1: L 4 2 | s3: 5 | s2: 1 3", SMALL.track)
    table_for(SMALL.track, elsewhere, SMALL.goal, Count.RUNS, cache=tmp_path)
    found = table_for(SMALL.track, SMALL.start, SMALL.goal, Count.RUNS, cache=tmp_path)
    assert found.graph.shapes.number(found.graph.shapes[0]) == 0
    assert not found.graph.shapes[0].in_segment("head")
    forty = challenges(SMALL, 1979, found)
    assert [(*same_task(one), one.grade) for one in forty[::13]] == PINNED


PINNED = [
    ("head: L | s1: 1 2 | s2: 3 | s3: 4 5", "s1: 3 1 2", Grade(par=3, plans=2, dead_ends=12, difficulty=35)),
    ("head: L | s1: 1 2 | s2: 3 4 | s3: 5", "s1: 1 4 2", Grade(par=9, plans=24, dead_ends=74, difficulty=105)),
    ("head: L | s1: 1 2 3 | s2: 4 | s3: 5", "s1: 1 5 2", Grade(par=13, plans=4, dead_ends=59, difficulty=172)),
    ("head: L | s1: 1 2 3 | s2: | s3: 4 5", "s1: 1 4 5", Grade(par=21, plans=480, dead_ends=300, difficulty=243)),
]


def test_a_layout_too_small_for_forty_says_so(table_of: TableOf) -> None:
    fork = puzzle_of(inglenook(2, 1, 1, 1, 2), "head: L | s1: 1 2", "s1: 2 1")
    with pytest.raises(UsageError, match="too few different tasks for 10 of every level: "):
        challenges(fork, 1, table(fork, table_of))
