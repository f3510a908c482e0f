"""Counting: what a play's commands add up to."""

from __future__ import annotations

from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

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
from pointsman.operate.referee import Origin, Score, fold, with_run


def scored(*messages: Command | Event) -> Score:
    return reduce(fold, messages, Score())


def test_a_change_of_speed_is_no_start_and_the_first_direction_is_free() -> None:
    score = scored(Drive("L", True, 2), Drive("L", True, 30), Stop("L", True), Drive("L", True, 2))
    assert (score.raw_starts, score.reversals) == (2, 0)
    assert score.moving == {"L"}


def test_a_reversal_is_against_the_locomotives_own_last_direction() -> None:
    score = scored(
        Drive("L", True, 2),
        Stop("L", True),
        Drive("M", False, 2),
        Stop("M", False),
        Drive("L", False, 2),
        Stop("L", False),
        Drive("L", False, 2),
        Stop("L", False),
        Drive("L", True, 2),
    )
    assert (score.raw_starts, score.reversals) == (5, 2)
    assert dict(score.headed) == {"L": True, "M": False}


def test_a_drive_at_step_0_starts_nothing() -> None:
    assert scored(Drive("L", True, 0)) == Score()


def test_turnouts_uncouplings_and_emergency_stops() -> None:
    score = scored(
        SetTurnout("T1", True),
        SetTurnout("T1", False),
        SetUncoupler("s1", True),
        SetUncoupler("s1", False),
        Drive("L", True, 2),
        EmergencyStop(),
    )
    assert (score.turnouts_moved, score.uncouplings, score.emergency_stops) == (2, 1, 1)
    assert score.moving == frozenset()


@given(st.sampled_from([SetPower(True), Accepted(1.0, 3), SensorChanged(1.0, "s1", True)]))
def test_what_is_no_doing_of_the_train_counts_nothing(message: Command | Event) -> None:
    score = scored(Drive("L", True, 2), SetTurnout("T1", True))
    assert fold(score, message) == score


def test_runs_are_counted_when_they_are_finished_and_every_figure_is_seen() -> None:
    assert with_run(with_run(Score())).runs == 2
    assert Score().origin is Origin.SEEN
