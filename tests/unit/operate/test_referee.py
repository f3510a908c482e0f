"""Counting: what a play's commands add up to."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from metal import builtin
from plays import draw

from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    EmergencyStop,
    Event,
    SensorChanged,
    SetPower,
    SetTurnout,
    SetUncoupler,
    Stop,
)
from pointsman.operate.referee import Origin, Score, fold, reverses, with_run, with_uncoupling
from pointsman.puzzle.journey import towards_after
from pointsman.puzzle.moves import runs

SMALL = builtin("inglenook-small")


def scored(*messages: Command | Event) -> Score:
    return reduce(fold, messages, Score())


def test_a_change_of_speed_is_no_start() -> None:
    score = scored(Drive("L", True, 2), Drive("L", True, 30), Stop("L", True), Drive("L", True, 2))
    assert score.raw_starts == 2
    assert score.moving == {"L"}


def test_a_run_back_is_a_reversal_and_the_first_one_is_free() -> None:
    _, plan = draw("inglenook-small", 2)
    assert not reverses(SMALL, None, plan[0])
    assert all(reverses(SMALL, before, run) for before, run in pairwise(plan))
    short, further = next(
        (short, further)
        for short in runs(SMALL, plan[0].before, "L")
        for further in runs(SMALL, short.after, "L")
        if further.towards is towards_after(SMALL, short)
    )
    assert not reverses(SMALL, short, further)


def test_a_drive_at_step_0_starts_nothing() -> None:
    assert scored(Drive("L", True, 0)) == Score()


def test_turnouts_and_emergency_stops() -> None:
    score = scored(
        SetTurnout("T1", True),
        SetTurnout("T1", False),
        SetUncoupler("s1", True),
        Drive("L", True, 2),
        EmergencyStop(),
    )
    assert (score.turnouts_moved, score.uncouplings, score.emergency_stops) == (2, 0, 1)
    assert score.moving == frozenset()


@given(st.sampled_from([SetPower(True), Accepted(1.0, 3), SensorChanged(1.0, "s1", True)]))
def test_what_is_no_doing_of_the_train_counts_nothing(message: Command | Event) -> None:
    score = scored(Drive("L", True, 2), SetTurnout("T1", True))
    assert fold(score, message) == score


def test_runs_are_counted_when_they_are_finished_and_every_figure_is_seen() -> None:
    score = with_uncoupling(with_run(with_run(Score(), reversed_=False), reversed_=True))
    assert (score.runs, score.reversals, score.uncouplings) == (2, 1, 1)
    assert Score().origin is Origin.SEEN
