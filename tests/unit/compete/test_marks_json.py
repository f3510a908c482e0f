"""Marks as JSON: whole both ways, and what is wrong with them named by key."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attempts import ABSENT, AGAIN, attempts, played
from hypothesis import given

from pointsman.compete.marks import Fault, Marks
from pointsman.compete.marks_json import marks_of, marks_values
from pointsman.errors import LayoutError


@given(attempts())
def test_marks_come_back_whole(marks: Marks) -> None:
    assert marks_of(json.loads(json.dumps(marks_values(marks))), "here") == marks


@pytest.mark.parametrize("marks", [ABSENT, AGAIN])
def test_what_was_not_measured_is_left_out(marks: Marks) -> None:
    assert marks_values(marks) == {"outcome": str(marks.outcome), "outcome_origin": "seen"}
    assert marks_of({"outcome": str(marks.outcome)}, "here") == marks


def test_how_marks_are_written() -> None:
    values = marks_values(played(seconds=245.312, faults={Fault.SIDE_SWIPE: 1}))
    assert values["time_ms"] == {"value": 245312, "origin": "seen"}
    assert values["faults"] == {"side-swipe": {"value": 1, "origin": "entered by a person"}}
    assert values["par"]["pull-drops"] == 6
    assert "hints" not in values


FIGURE = {"value": 1, "origin": "seen"}


@pytest.mark.parametrize(
    ("values", "key", "what"),
    [
        ([], "", "is not a table of marks"),
        ({}, "outcome", "is missing"),
        ({"outcome": "won"}, "outcome", "must be one of finished, did-not-finish"),
        ({"outcome": "finished", "time_ms": 7}, "time_ms", "must be a table, but is 7"),
        ({"outcome": "finished", "time_s": FIGURE}, "time_s", "is not a key"),
        ({"outcome": "finished", "runs": {**FIGURE, "value": -1}}, "runs.value", "must be at least 0, but is -1"),
        ({"outcome": "finished", "runs": {**FIGURE, "value": 1.5}}, "runs.value", "must be a whole number"),
        ({"outcome": "finished", "runs": {**FIGURE, "value": True}}, "runs.value", "must be a whole number"),
        ({"outcome": "finished", "runs": {**FIGURE, "origin": "guessed"}}, "runs.origin", "must be one of seen"),
        ({"outcome": "finished", "faults": {"foul": FIGURE}}, "faults.foul", "is not a key of [faults]"),
        ({"outcome": "finished", "par": {"runs": "12"}}, "par.runs", "must be a whole number"),
    ],
)
def test_a_mistake_is_named_with_its_key(values: Any, key: str, what: str) -> None:
    with pytest.raises(LayoutError) as caught:
        marks_of(values, "entry 7")
    (mistake,) = caught.value.mistakes
    assert (mistake.file, mistake.key) == ("entry 7", key)
    assert what in mistake.what
