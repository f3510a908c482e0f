"""A puzzle that is played, in JSON values."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from boxes import ground

from pointsman.box.task import deal
from pointsman.box.under_way import UnderWay


@pytest.mark.usefixtures("solver_cache")
def test_a_plan_is_put_into_words_once_until_there_is_another() -> None:
    task = deal(ground(), "classic", "1", None, lambda _: None)
    under_way = UnderWay(task)
    before = under_way.puzzle(None)
    under_way.done = 1
    after = under_way.puzzle(None)
    assert after["plan"] is before["plan"]
    assert (before["next"], after["next"], after["distance"]) == (0, 1, len(task.runs) - 1)
    under_way.left = True
    assert (under_way.puzzle(None)["plan"], under_way.puzzle(None)["distance"]) == ([], None)
    under_way.plan_anew(replace(task, runs=task.runs[1:]))
    assert [one["text"] for one in under_way.puzzle(None)["plan"]] == [one["text"] for one in before["plan"][1:]]
    json.dumps(under_way.puzzle(None))
