"""A puzzle that is played, in JSON values."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from boxes import ground
from pointsman.box.course import Course

from pointsman.box.task import deal


@pytest.mark.usefixtures("solver_cache")
def test_a_plan_is_put_into_words_once_until_there_is_another() -> None:
    task = deal(ground(), "classic", "1", None, lambda _: None)
    course = Course(task)
    before = course.puzzle(None)
    course.done = 1
    after = course.puzzle(None)
    assert after["plan"] is before["plan"]
    assert (before["next"], after["next"], after["distance"]) == (0, 1, len(task.runs) - 1)
    course.left = True
    assert (course.puzzle(None)["plan"], course.puzzle(None)["distance"]) == ([], None)
    course.plan_anew(replace(task, runs=task.runs[1:]))
    assert [one["text"] for one in course.puzzle(None)["plan"]] == [one["text"] for one in before["plan"][1:]]
    json.dumps(course.puzzle(None))
