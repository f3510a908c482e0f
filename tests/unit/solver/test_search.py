from __future__ import annotations

import heapq
from itertools import count as counting
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from solver_cases import Case, TableOf, case
from tracks import inglenook, small, timesaver, track_of

from pointsman.errors import BudgetSpentError, UnsolvableError, UsageError
from pointsman.puzzle.goal import Goal, parse_goal
from pointsman.puzzle.moves import Run, follow, runs
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.apart import solve_apart
from pointsman.solver.cache import VARIABLE
from pointsman.solver.compiling import ONCE, listening
from pointsman.solver.search import Solution, best_plan, solve
from pointsman.solver.table import Progress, table_for
from pointsman.track.model import Track

SMALL = case(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: 3 1 2")


def changes(plan: tuple[Run, ...]) -> int:
    lies: dict[str, str] = {}
    found = 0
    for run in plan:
        for turnout, leg in run.legs:
            found += lies.get(turnout, leg) != leg
            lies[turnout] = leg
    return found


def cost(solution: Solution) -> tuple[int, int, int]:
    return len(solution.plan), sum(run.units for run in solution.runs), changes(solution.runs)


def plain_cost(track: Track, start: Position, goal: Goal) -> tuple[int, int, int]:
    """Runs, units and turnout changes of the best plan, by a plain uniform-cost search that carries the lies along."""
    order = counting()
    queue: list[tuple[tuple[int, int, int], int, Position, tuple[tuple[str, str], ...]]] = []
    heapq.heappush(queue, ((0, 0, 0), next(order), start, ()))
    done = set()
    while queue:
        so_far, _, position, lies = heapq.heappop(queue)
        if (position, lies) in done:
            continue
        done.add((position, lies))
        if goal.reached(position, ("L",)):
            return so_far
        for run in runs(track, position, "L"):
            now = dict(lies)
            more = 0
            for turnout, leg in run.legs:
                more += now.get(turnout, leg) != leg
                now[turnout] = leg
            total = so_far[0] + 1, so_far[1] + run.units, so_far[2] + more
            heapq.heappush(queue, (total, next(order), run.after, tuple(sorted(now.items()))))
    raise AssertionError("unsolvable")


@pytest.mark.parametrize(
    "of",
    [
        case(small(), "head: L | s1: 1 2 | s2: 3", "s1: 2 1"),
        case(small(), "head: L | s1: 1 2 3", "s1: 2 1 3"),
        case(small(), "head: L | s1: 1 2 3", "s3: 2 1"),
        case(inglenook(3, 2, 2, 2, 4), "head: L | s1: 1 2 | s2: 3", "s2+s3: {1 2} | s1: 3"),
        case(timesaver(2), "R: L | UL: 1", "LL: 1"),
        case(timesaver(2), "R: L | UL: 1 | UR: 2", "UL: 2 | UR: 1"),
    ],
)
def test_the_plan_is_the_gentlest_of_the_shortest(tables: Path, of: Case) -> None:
    assert cost(solve(*of, Count.RUNS, cache=tables)) == plain_cost(*of)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations("12345"), st.sampled_from([Count.RUNS, Count.PULL_DROPS]))
def test_every_plan_is_legal_and_reaches_its_goal(tables: Path, drawn: list[str], count: Count) -> None:
    of = case(small(), "head: L | s1: 1 2 3 | s2: 4 5", f"s1: {' '.join(drawn[:3])} | s2+s3: {{{' '.join(drawn[3:])}}}")
    track, start, goal = of
    solution = solve(*of, count, cache=tables)
    position = start
    for run in solution.runs:
        position = follow(track, position, run)
    assert goal.reached(position, ("L",))
    assert solution.optimum == len(solution.plan)
    assert solution.proved
    assert len(solution.runs) == solution.optimum * (1 if count is Count.RUNS else 2)
    assert solution == solve(*of, count, cache=tables)


def test_pull_drops_are_written_for_a_person_and_made_of_runs(tables: Path) -> None:
    solution = solve(
        *case(small(), "head: L | s1: 1 2 3 | s2: 4", "s1: 1 | s2: 2 | s3: 3 4"), Count.PULL_DROPS, cache=tables
    )
    assert [str(step) for step in solution.plan][:2] == ["pull 4 from s2", "drop 4 in s3"]
    for step in solution.plan:
        assert step.before.in_segment("head")[0] == step.after.in_segment("head")[0] == "L"
        assert not step.after.turnouts
    assert [str(run) for run in solution.plan[0].runs] == [
        "L to 2 over T1>thrown T2>closed",
        "L from 3 over T2>closed T1>thrown",
    ]
    single = solve(*SMALL, Count.RUNS, cache=tables)
    assert str(single.plan[0]) == str(single.runs[0])


def test_a_locomotive_may_have_a_number_for_a_name(tables: Path) -> None:
    fan = track_of("fan", {"neck": 3, "a": 2, "b": 2}, {"T": ("neck.from", "a.to", "b.from")}, 2, ("0",))
    assert solve(*case(fan, "neck: 0 | a: 1 2", "a: 1 | b: 2"), Count.RUNS, cache=tables).optimum == 3


def test_nothing_to_do(tables: Path) -> None:
    solution = solve(*case(small(), "head: L | s1: 1 2 3", "s1: 1 2 3"), Count.RUNS, cache=tables)
    assert (solution.optimum, solution.plan, solution.runs) == (0, (), ())


def test_unsolvable_is_proved_and_counted(tables: Path, table_of: TableOf) -> None:
    """4-2-2 with six wagons: the short sidings leave too little room for most orders."""
    start = "head: L | s1: 1 2 3 4 | s2: 5 6"
    track = inglenook(4, 2, 2, 2, 6)
    draws = [case(track, start, f"s1: {' '.join(order)} | head:") for order in permutations("123456", 4)]
    table = table_of(draws[0], Count.PULL_DROPS)
    of = next(draw for draw in draws if table.distance_of(draw[1], draw[2]) is None)
    with pytest.raises(
        UnsolvableError, match=f"proved: there is no way .* from {table.solved:,} positions, all"
    ) as caught:
        solve(*of, Count.PULL_DROPS, cache=tables)
    assert not isinstance(caught.value, BudgetSpentError)
    assert 0 < table.solved < table.distance.size


def test_a_goal_that_no_position_can_have(tables: Path) -> None:
    with pytest.raises(UnsolvableError, match="reached in no position that can come up"):
        solve(*case(small(), "head: L | s1: 1 2 3", "head: | s1: | s2:"), Count.PULL_DROPS, cache=tables)


def test_a_budget_spent_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(BudgetSpentError, match="not proved: there are more than"):
        solve(*SMALL, Count.RUNS, cache=tmp_path, budget=1000)
    assert not list(tmp_path.rglob("*.table"))


def test_stopping_leaves_nothing_behind(tmp_path: Path) -> None:
    def impatient(progress: Progress) -> None:
        if progress.depth == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table_for(*SMALL, Count.RUNS, cache=tmp_path, progress=impatient)
    assert [path.suffix for path in tmp_path.rglob("*.*")] == [".graph"]


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[Progress] = []
    table = table_for(*SMALL, Count.RUNS, cache=tmp_path, progress=told.append)
    searching = [progress for progress in told if progress.stage == "searching"]
    assert [progress.depth for progress in searching] == list(range(len(searching)))
    assert searching[-1].positions == table.solved
    told.clear()
    assert solve(*SMALL, Count.RUNS, cache=tmp_path, progress=told.append).positions == table.solved
    assert told == []


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations("12345678"), st.sampled_from([Count.RUNS, Count.PULL_DROPS]), st.booleans())
def test_from_both_ends_comes_the_plan_that_the_table_gives(
    tables: Path, tmp_path_factory: pytest.TempPathFactory, drawn: list[str], count: Count, rest: bool
) -> None:
    goal = f"s1: {' '.join(drawn[:5])}" + (f" | s2+s3: {{{' '.join(drawn[5:])}}}" if rest else "")
    of = case(inglenook(), "head: L | s1: 1 2 3 4 5 | s2: 6 7 8", goal)
    table = table_for(*of, count, cache=tables)
    # An empty place for tables, with the shapes explored already.
    empty = tmp_path_factory.mktemp("empty")
    (empty / "graphs").symlink_to(tables / "graphs")
    met = solve(*of, count, cache=empty)
    assert met.plan == best_plan(of[0], table, of[1], of[2], count).plan
    assert met.proved
    assert not list(empty.rglob("*.table"))


def test_a_goal_that_names_what_the_start_has_not(tables: Path) -> None:
    track = small()
    with pytest.raises(UsageError, match="names 4, and the start does not"):
        solve(track, parse_position("head: L | s1: 1 2 3", track), parse_goal("s1: 4", track), Count.RUNS, cache=tables)


@pytest.mark.parametrize(
    ("count", "then", "what"),
    [
        (Count.RUNS, [Count.RUNS], "given twice"),
        (Count.RUNS, [Count.PULL_DROPS], "cannot break ties"),
        (Count.PULL_DROPS, [Count.RUNS, Count.REVERSALS, Count.COUPLINGS, Count.SECONDS], "5 counts"),
    ],
)
def test_counts_that_make_no_sense_together(tables: Path, count: Count, then: list[Count], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        solve(*SMALL, count, then=then, cache=tables)


def test_solving_apart_gives_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # A cache of its own: where the table is kept already, there is no progress to tell.
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    told: list[Progress] = []
    options = {"then": (Count.COUPLINGS, Count.SECONDS), "budget_s": 600.0, "memory_mb": 500.0}
    compiling: list[str] = []
    with listening(compiling.append):
        apart = solve_apart(*SMALL, Count.RUNS, progress=told.append, **options)  # type: ignore[arg-type]
    assert apart == solve(*SMALL, Count.RUNS, then=options["then"])  # type: ignore[arg-type]
    assert told
    assert set(compiling) == {ONCE}
    with pytest.raises(UsageError, match="given twice"):
        solve_apart(*SMALL, Count.RUNS, then=[Count.RUNS])


def test_positions_that_cannot_come_up_are_refused(tables: Path) -> None:
    with pytest.raises(UsageError, match="1 stands on T2 and is not coupled"):
        solve(*case(small(), "head: L | T2>closed: 1", "s1: 1"), Count.RUNS, cache=tables)
    with pytest.raises(UsageError, match="0 locomotives"):
        solve(*case(small(), "s1: 1", "s1: 1"), Count.RUNS, cache=tables)


@pytest.mark.parametrize(
    "track",
    [
        timesaver(),
        track_of("line", {"a": 3}, {}, 1),
        track_of(
            "through", {"a": 3, "b": 2, "c": 2}, {"T": ("a.to", "b.from", "c.from"), "U": ("a.from", "b.to", "c.to")}, 1
        ),
        track_of("apart", {"a": 3, "b": 2, "c": 2, "d": 1}, {"T": ("a.to", "b.from", "c.from")}, 1),
        track_of(
            "back",
            {"a": 3, "b": 2, "c": 2, "d": 1},
            {"T": ("a.to", "b.from", "U.closed"), "U": ("c.from", "T.thrown", "d.from")},
            1,
        ),
    ],
    ids=lambda track: track.name,
)
def test_pull_drops_need_a_fan_with_one_headshunt(tables: Path, track: Track) -> None:
    first = next(iter(track.segments))
    with pytest.raises(UsageError, match="fan out from one headshunt"):
        solve(*case(track, f"{first}: L 1", f"{first}: 1"), Count.PULL_DROPS, cache=tables)


@pytest.mark.parametrize("start", ["s1: L 1", "head: L | T1>closed: 1"])
def test_pull_drops_start_with_the_train_in_the_headshunt(tables: Path, start: str) -> None:
    with pytest.raises(UsageError, match="whole train in the headshunt"):
        solve(*case(small(), start, "s1: 1"), Count.PULL_DROPS, cache=tables)


def test_pull_drops_on_a_fan_whose_headshunt_meets_the_points_with_its_from_end(tables: Path) -> None:
    fan = track_of("fan", {"neck": 3, "a": 2, "b": 2}, {"T": ("neck.from", "a.to", "b.from")}, 2)
    solution = solve(*case(fan, "neck: L | a: 1 2", "a: 1 | b: 2"), Count.PULL_DROPS, cache=tables)
    assert [str(step) for step in solution.plan] == ["pull 2 from a", "drop 2 in b"]


def test_wagons_between_the_locomotive_and_the_buffer_stay_with_it(tables: Path) -> None:
    solution = solve(*case(small(), "head: 5 L | s1: 1 2", "s1: 2 | s2: 1"), Count.PULL_DROPS, cache=tables)
    assert all(step.after.in_segment("head")[0] == "5" for step in solution.plan)


def test_a_plan_from_the_middle_of_play_uses_the_same_table(table_of: TableOf) -> None:
    track, start, goal = SMALL
    table = table_of(SMALL, Count.RUNS)
    solution = best_plan(track, table, start, goal, Count.RUNS)
    for done, run in enumerate(solution.runs, start=1):
        rest = best_plan(track, table, run.after, goal, Count.RUNS)
        assert rest.optimum == solution.optimum - done
    beyond = case(small(), "head: L | s1: 1 2 3", "s1: 3 1 2")
    with pytest.raises(UnsolvableError):
        best_plan(track, table, beyond[1], goal, Count.RUNS)
