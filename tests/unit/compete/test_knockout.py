"""Knockout: who meets whom, who goes on, and the ranks in the end."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.compete.knockout import Meeting, Met, bracket, first_stage, stages_of, winner
from pointsman.compete.marks import Outcome
from pointsman.compete.scoring.score import SECONDS, Score
from pointsman.errors import UsageError

DNF, DNS = (Score(outcome, None, SECONDS) for outcome in (Outcome.DID_NOT_FINISH, Outcome.DID_NOT_START))
FAST, SLOW = (Score(Outcome.FINISHED, Fraction(seconds), SECONDS) for seconds in (60, 61))


def test_the_strongest_meet_late_and_are_free_first() -> None:
    assert first_stage("abcd") == (Meeting("a", "d"), Meeting("b", "c"))
    assert first_stage("abcdef") == (Meeting("a", None), Meeting("d", "e"), Meeting("b", None), Meeting("c", "f"))


def by_number(name: str, heat: int) -> Score:
    """The lower number is the better one, in every heat."""
    return Score(Outcome.FINISHED, Fraction(int(name)), SECONDS)


def nobody(name: str) -> bool:
    return False


@given(st.integers(2, 33))
def test_when_the_stronger_always_wins_the_first_two_meet_in_the_final(many: int) -> None:
    seeded = [f"{number:02d}" for number in range(many)]
    its = bracket(seeded, by_number, nobody)
    final = its.meetings[-1]
    assert {final.first, final.second} == {"00", "01"}
    assert (its.still, its.due) == (("00",), {})
    assert final.stage == final.heat == stages_of(many)
    ranks = {"00": 1, **its.ranks}
    assert sorted(ranks) == seeded
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


def played(**scores: list[Score]) -> Callable[[str, int], Score | None]:
    """Scores by side, heat by heat."""
    return lambda name, heat: dict(enumerate(scores.get(name, []), 1)).get(heat)


def test_before_the_final_both_are_still_in_it_and_due_in_the_next_heat() -> None:
    its = bracket("abcd", played(a=[FAST], b=[SLOW], c=[FAST], d=[SLOW]), nobody)
    assert its.ranks == {"d": 3, "b": 3}
    assert its.still == ("a", "c")
    assert its.due == {"a": 2, "c": 2}
    assert its.meetings[-1] == Met(2, 2, "a", "c")


def test_two_who_tie_meet_again_in_the_next_heat_and_the_final_is_in_the_one_after() -> None:
    scores = {"a": [FAST], "d": [FAST], "b": [SLOW], "c": [FAST]}
    its = bracket("abcd", played(**scores), nobody)
    assert its.due == {"a": 2, "d": 2}
    assert its.meetings == (
        Met(1, 1, "a", "d", again=True),
        Met(1, 1, "b", "c", "c", over=True),
        Met(1, 2, "a", "d"),
    )
    scores = {"a": [FAST, SLOW], "d": [FAST, FAST], "b": [SLOW], "c": [FAST]}
    its = bracket("abcd", played(**scores), nobody)
    assert its.due == {"c": 3, "d": 3}
    assert its.still == ("c", "d")


def test_one_who_ties_may_go_on_while_others_play() -> None:
    its = bracket("abcd", played(a=[FAST], d=[FAST], b=[SLOW]), nobody)
    assert its.due == {"a": 2, "d": 2, "b": 1, "c": 1}


def test_who_withdraws_has_lost_unless_the_meeting_is_decided() -> None:
    its = bracket("abcd", played(a=[FAST], d=[SLOW]), lambda name: name in "ad")
    assert its.meetings[0].winner == "a"
    its = bracket("abcd", played(b=[SLOW], c=[FAST], a=[FAST]), lambda name: name == "a")
    assert its.meetings[0].winner == "d"
    assert its.due == {"d": 2, "c": 2}


def test_where_both_withdraw_the_next_opponent_is_free() -> None:
    its = bracket("abcd", played(b=[SLOW], c=[FAST]), lambda name: name in "ad")
    assert its.ranks == {"a": 3, "d": 3, "b": 3}
    assert its.still == ("c",)
    assert its.meetings[-1] == Met(2, 2, "c", None, "c", over=True)
    its = bracket("ab", played(), lambda name: True)
    assert (its.still, its.ranks) == ((), {"a": 2, "b": 2})


@pytest.mark.parametrize("seeded", ["", "a", "aba"])
def test_those_who_cannot_meet(seeded: str) -> None:
    with pytest.raises(UsageError, match="give each entrant once"):
        first_stage(seeded)
