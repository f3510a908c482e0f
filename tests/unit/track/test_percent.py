"""Percents and steps: what can be sent is sent exactly, and nothing goes faster than planned."""

from __future__ import annotations

from dataclasses import replace

from pointsman.track.model import SpeedTable
from pointsman.track.percent import STEPS, percent_of, step_of


def test_every_percent_has_a_step_of_its_own_and_back() -> None:
    assert len(set(STEPS)) == 101
    assert (STEPS[0], STEPS[1], STEPS[100]) == (0, 1, 126)
    assert [percent_of(step_of(percent)) for percent in range(101)] == list(range(101))


def test_a_step_that_cannot_be_had_becomes_a_slower_one_but_never_a_stand() -> None:
    for step in range(1, 127):
        sent = step_of(percent_of(step))
        assert 1 <= sent <= step
        assert step - sent <= 1
    assert percent_of(0) == step_of(0) == 0


def test_a_table_chooses_only_steps_that_can_be_sent() -> None:
    every = SpeedTable(((2, 20.0), (10, 40.0), (30, 80.0)))
    some = replace(every, steps=STEPS[1:])
    assert [every.step_for(mm_s) for mm_s in (5, 20, 22, 40, 79, 500)] == [2, 2, 2, 10, 29, 30]
    assert [some.step_for(mm_s) for mm_s in (5, 20, 22, 40, 79, 500)] == [3, 3, 3, 10, 29, 30]
    assert {some.step_for(mm_s) for mm_s in range(100)} <= set(STEPS)
    assert list(every.sendable) == [*range(2, 31)]
    assert list(some.sendable) == [step for step in STEPS if 2 <= step <= 30]
