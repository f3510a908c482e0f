"""Reversals, couplings and seconds against a plain search that keeps its own books on named vehicles."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import count as counting
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from solver_cases import case
from tracks import inglenook, small, timesaver, track_of

from pointsman.puzzle.goal import Goal, parse_goal
from pointsman.puzzle.journey import towards_after
from pointsman.puzzle.moves import Run, runs, train_of
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.cost import TURNOUT_MS, features_of
from pointsman.solver.search import solve
from pointsman.solver.steps import Step
from pointsman.track.model import End, Leg, SegmentEnd, Side, Track, TurnoutSide

Pairs = frozenset[frozenset[str]]
State = tuple[Position, End | None, Pairs, tuple[tuple[str, Leg], ...]]
MS = {"units": 1050, "runs": 600, "couplings": 1050, "changes": TURNOUT_MS}
"""Of the hand-made tracks: 84 mm at 80 and 40 mm/s; 80/(2*120) + 80/(2*150) s."""


def neighbours(track: Track, position: Position) -> set[frozenset[str]]:
    """Vehicles next to each other in a segment, or beside an occupied turnout along the leg it lies for."""
    found = {frozenset(pair) for _, vehicles in position.segments for pair in pairwise(vehicles)}
    for turnout, vehicle, leg in position.turnouts:
        for side in (Side.TOE, Side(leg)):
            joint = track.turnouts[turnout].meets(side)
            if isinstance(joint, SegmentEnd):
                inside = position.in_segment(joint.segment)
                if inside:
                    found.add(frozenset((vehicle, inside[0 if joint.end is End.FROM else -1])))
            else:
                assert isinstance(joint, TurnoutSide)
                on = position.on_turnout(joint.turnout)
                if on and joint.side in (Side.TOE, Side(on[1])):
                    found.add(frozenset((vehicle, on[0])))
    return found


def stays(run: Run, vehicle: str) -> bool:
    """Ahead of the train, a vehicle has not been moved when all on one side of it in its segment is as before."""
    (one, leg), (other, _) = run.before.where(vehicle), run.after.where(vehicle)
    if leg is not None or one != other:
        return False
    before, after = run.before.in_segment(one), run.after.in_segment(one)
    at, then = before.index(vehicle), after.index(vehicle)
    return at == then or len(before) - at == len(after) - then


def book(track: Track, state: State, run: Run) -> tuple[State, dict[str, int]]:
    """One run's changes of direction, couplings, turnouts and so on, and the state after it."""
    position, last, coupled, lies = state
    train = train_of(track, position, "L", run.towards).vehicles
    hauled = set(train[len(run.left) : train.index("L") + 1])
    moved = {v for v in position.vehicles if v in hauled or (v not in run.left and not stays(run, v))}
    near = neighbours(track, run.after)
    made = {pair for pair in near if pair <= moved} - coupled
    parted = {pair for pair in coupled if len(pair & set(run.left)) == 1 and pair & moved}
    now = dict(lies)
    changes = 0
    for turnout, leg in run.legs:
        changes += now.get(turnout, leg) != leg
        now[turnout] = leg
    after = run.after, towards_after(track, run), frozenset((coupled - parted) | made), tuple(sorted(now.items()))
    return after, {
        "runs": 1,
        "reversals": int(last is not None and last is not run.towards),
        "couplings": len(made) + len(parted),
        "units": run.units,
        "changes": changes,
    }


def costs(counts: tuple[Count, ...], features: dict[str, int]) -> tuple[int, ...]:
    ms = sum(MS[name] * features[name] for name in MS)
    return tuple(ms if count is Count.SECONDS else features[count.value] for count in counts)


def forgetting(state: State, counts: tuple[Count, ...]) -> State:
    """Without what these counts need not remember, so that the plain search has fewer states."""
    position, last, coupled, lies = state
    pairs = Count.COUPLINGS in counts or Count.SECONDS in counts
    return (
        position,
        last if Count.REVERSALS in counts else None,
        coupled if pairs else frozenset(),
        lies if Count.SECONDS in counts else (),
    )


def cheapest(track: Track, start: Position, counts: tuple[Count, ...]) -> Iterator[tuple[Position, tuple[int, ...]]]:
    """Every reachable position with the least cost, cheapest first (a position may come up again)."""
    order = counting()
    begin: State = (start, None, frozenset(), ())
    queue = [((0,) * len(counts), next(order), begin)]
    best = {begin: (0,) * len(counts)}
    while queue:
        so_far, _, state = heapq.heappop(queue)
        if best[state] < so_far:
            continue
        yield state[0], so_far
        for run in runs(track, state[0], "L"):
            after, features = book(track, state, run)
            after = forgetting(after, counts)
            total = tuple(a + b for a, b in zip(so_far, costs(counts, features), strict=True))
            if after not in best or total < best[after]:
                best[after] = total
                heapq.heappush(queue, (total, next(order), after))


def least(track: Track, start: Position, goal: Goal, counts: tuple[Count, ...]) -> tuple[int, ...]:
    return next(cost for position, cost in cheapest(track, start, counts) if goal.reached(position, ("L",)))


WAYS = [
    (Count.REVERSALS,),
    (Count.COUPLINGS,),
    (Count.SECONDS,),
    (Count.RUNS, Count.COUPLINGS, Count.SECONDS),
    (Count.REVERSALS, Count.RUNS),
    (Count.COUPLINGS, Count.REVERSALS, Count.RUNS),
    (Count.SECONDS, Count.RUNS),
]
RUN_ROUND = track_of(
    "loop",
    {"a": 2, "b": 3, "c": 1, "d": 2},
    {"T": ("a.to", "b.from", "c.from"), "U": ("d.from", "b.to", "c.to")},
    3,
)


@pytest.mark.parametrize("counts", WAYS, ids="+".join)
@pytest.mark.parametrize(
    ("track", "start", "goal", "wagons"),
    [
        (small(), "head: L | s1: 1 2 3", "s1: {} {} {}", "123"),
        (inglenook(2, 1, 1, 1, 3), "head: L | s1: 1 2 | s2: 3", "s1: {} {} | s2+s3: {{{}}}", "123"),
        (RUN_ROUND, "d: L | a: 1 2", "d: {} {}", "12"),
        (timesaver(2), "R: L | UL: 1", "LL: {}", "1"),
    ],
    ids=["small", "tiny", "loop", "timesaver"],
)
def test_every_draw_costs_what_a_plain_search_finds(
    tables: Path, track: Track, start: str, goal: str, wagons: str, counts: tuple[Count, ...]
) -> None:
    """One plain search over the whole space settles all draws at once."""
    draws = [case(track, start, goal.format(*order)) for order in permutations(wagons)]
    open_ = dict(enumerate(draws))
    found: dict[int, tuple[int, ...]] = {}
    for position, cost in cheapest(track, draws[0][1], counts):
        for number, (_, _, wanted) in [*open_.items()]:
            if wanted.reached(position, ("L",)):
                found[number] = cost
                del open_[number]
        if not open_:
            break
    assert found
    for number, cost in found.items():
        solution = solve(*draws[number], counts[0], then=counts[1:], cache=tables)
        assert tuple(value for _, value in solution.values) == cost
        assert (solution.optimum, solution.bound, solution.proved) == (cost[0], cost[0], True)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations("12345678"), st.integers(2, 4), st.sampled_from(WAYS))
def test_cases_in_large_spaces(tables: Path, order: list[str], far: int, counts: tuple[Count, ...]) -> None:
    """Goals near enough for the plain search: where a short walk from the start comes to."""
    track, position, _ = case(inglenook(), f"head: L | s1: {' '.join(order[:5])} | s2: {' '.join(order[5:])}", "s3:")
    start = position
    for step in range(far):
        options = list(runs(track, position, "L"))
        position = options[int(order[step]) * 7 % len(options)].after
    goal = parse_goal(
        " | ".join(f"{s}: {' '.join(v for v in position.in_segment(s) if v != 'L')}" for s in ("s2", "s3")), track
    )
    solution = solve(track, start, goal, counts[0], then=counts[1:], cache=tables)
    assert tuple(value for _, value in solution.values) == least(track, start, goal, counts)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10**6), max_size=25), st.sampled_from([inglenook(), timesaver(2), RUN_ROUND]))
def test_two_ways_of_keeping_books_agree(walk: list[int], track: Track) -> None:
    start = {
        "inglenook": "head: L 1 | s1: 2 3 4 | s2: 5",
        "timesaver": "R: L | UL: 1 2 | UR: 3 | W: 4",
        "loop": "d: L | a: 1 2",
    }
    state: State = (parse_position(start[track.name], track), None, frozenset(), ())
    totals = dict.fromkeys(("runs", "reversals", "couplings", "units", "changes"), 0)
    plan = []
    for choice in walk:
        options = list(runs(track, state[0], "L"))
        run = options[choice % len(options)]
        plan.append(Step((run,)))
        state, features = book(track, state, run)
        totals = {name: totals[name] + features[name] for name in totals}
    assert features_of(track, plan)[1:] == tuple(totals.values())
