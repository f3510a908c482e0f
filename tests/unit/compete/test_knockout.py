"""Knockout: who meets whom, who goes on, and the ranks in the end."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.compete.knockout import Meeting, first_stage, next_stage, places, winner
from pointsman.compete.marks import Outcome
from pointsman.compete.scoring.score import SECONDS, Score
from pointsman.errors import UsageError

DNF, DNS = (Score(outcome, None, SECONDS) for outcome in (Outcome.DID_NOT_FINISH, Outcome.DID_NOT_START))
FAST, SLOW = (Score(Outcome.FINISHED, Fraction(seconds), SECONDS) for seconds in (60, 61))


def test_the_strongest_meet_late_and_are_free_first() -> None:
    assert first_stage("abcd") == (Meeting("a", "d"), Meeting("b", "c"))
    assert first_stage("abcdef") == (Meeting("a", None), Meeting("d", "e"), Meeting("b", None), Meeting("c", "f"))


@given(st.integers(2, 33))
def test_when_the_stronger_always_wins_the_first_two_meet_in_the_final(many: int) -> None:
    seeded = [f"{number:02d}" for number in range(many)]
    stages: list[dict[Meeting, str]] = []
    meetings = first_stage(seeded)
    while True:
        stages.append({m: min(m.first, m.second or m.first) for m in meetings})
        if len(meetings) == 1:
            break
        meetings = next_stage(list(stages[-1].values()))
    assert {meetings[0].first, meetings[0].second} == {"00", "01"}
    ranks = places(stages)
    assert sorted(ranks) == seeded
    assert [name for name, rank in ranks.items() if rank == 1] == ["00"]
    for rank in ranks.values():
        assert rank == 1 + sum(other < rank for other in ranks.values())


@pytest.mark.parametrize(
    ("first", "second", "goes_on"),
    [
        (FAST, SLOW, "a"),
        (SLOW, FAST, "b"),
        (FAST, FAST, None),
        (DNF, SLOW, "b"),
        (DNF, DNF, None),
        (DNF, DNS, "a"),
        (DNS, DNS, None),
    ],
)
def test_who_goes_on(first: Score, second: Score, goes_on: str | None) -> None:
    assert winner(Meeting("a", "b"), {"a": first, "b": second}) == goes_on


def test_one_who_has_not_finished_has_beaten_nobody_who_has_tried() -> None:
    near, far = (Score(Outcome.DID_NOT_FINISH, Fraction(value), SECONDS) for value in (3, 9))
    assert winner(Meeting("a", "b"), {"a": near, "b": far}) is None


def test_a_meeting_is_open_until_both_have_played_and_one_who_is_free_goes_on() -> None:
    assert winner(Meeting("a", "b"), {"a": FAST}) is None
    assert winner(Meeting("a", None), {}) == "a"


def test_before_the_final_both_share_the_first_rank() -> None:
    stage = {Meeting("a", "d"): "a", Meeting("b", "c"): "c"}
    assert places([stage]) == {"a": 1, "c": 1, "d": 3, "b": 3}


@pytest.mark.parametrize("seeded", ["", "a", "aba"])
def test_those_who_cannot_meet(seeded: str) -> None:
    with pytest.raises(UsageError, match="give each entrant once"):
        first_stage(seeded)


def test_a_stage_that_is_not_decided() -> None:
    with pytest.raises(UsageError, match="decide every meeting"):
        next_stage("abc")
