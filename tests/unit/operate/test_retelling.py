"""What a journal says of what was counted by hand, and when it does not say all of it."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.operate.hand_referee import COUNTS, Earlier, Figures
from pointsman.operate.referee import Origin, Score
from pointsman.operate.retelling import Told, counted_values, retell, score_values
from pointsman.record import Line, Reading

BEFORE = Earlier(Figures(4, 3, 5, 2), frozenset({frozenset("L1"), frozenset("12")}))
SCORE = score_values(Score(runs=4, reversals=3))
STOOD = {"position": "head: L", "runs": 6, "reversals": 4, "couplings": 7, "pull_drops": 3, "coupled": [["1", "L"]]}


def told(header: dict[str, Any], *stood: dict[str, Any]) -> Told:
    lines = [Line(0.0, "begin", header), *(Line(1.0, "stood", values) for values in stood)]
    return retell(Reading(tuple(lines)), "")


def test_it_begins_with_nothing_and_goes_on_with_each_stand() -> None:
    assert told({"by_hand": True}).counted == Earlier()
    assert told({"by_hand": True}, STOOD).counted == Earlier(Figures(6, 4, 7, 3), frozenset({frozenset("L1")}))


def test_it_goes_on_with_what_an_earlier_one_has_counted() -> None:
    header = {"by_hand": True, "score": SCORE, "counted": counted_values(BEFORE)}
    assert told(header).counted == BEFORE
    assert told(header, STOOD).score.runs == 6


def test_where_figures_come_from_is_told_and_how_far_a_trip_has_come() -> None:
    origins = {**dict.fromkeys(COUNTS, Origin.SEEN), "runs": Origin.INFERRED, "couplings": Origin.ENTERED}
    known = Earlier(Figures(6, 4, 7, 3, origins), frozenset({frozenset("L1")}), under_way=2)
    assert told({"by_hand": True}, {**STOOD, **counted_values(known)}).counted == known


@pytest.mark.parametrize(
    "header",
    [{}, {"score": SCORE, "counted": counted_values(BEFORE)}, {"by_hand": True, "score": SCORE}],
    ids=["a play of the program", "one that goes on by the program", "one that goes on with such a one"],
)
def test_it_is_not_known_where_the_program_has_driven(header: dict[str, Any]) -> None:
    assert told(header, STOOD).counted is None


@pytest.mark.parametrize(
    "counted",
    [
        7,
        {},
        {**counted_values(BEFORE), "couplings": "5"},
        {**counted_values(BEFORE), "pull_drops": None},
        {**counted_values(BEFORE), "coupled": "L 1"},
        {**counted_values(BEFORE), "coupled": [["L"]]},
        {**counted_values(BEFORE), "coupled": [["L", 1]]},
    ],
)
def test_a_damaged_one_is_said(counted: object) -> None:
    found = told({"by_hand": True, "score": SCORE, "counted": counted})
    assert (found.lines, found.bad) == (0, "line 1: what was counted by hand is not whole")
