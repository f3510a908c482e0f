"""The HTTP interface against its OpenAPI, for a few seconds: the examples, and what does not fit them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from api_campaign import COMPETING, ROLES, explore

pytestmark = pytest.mark.system


@pytest.mark.parametrize("role", ROLES)
def test_every_answer_is_one_that_the_openapi_tells_of(tmp_path: Path, role: str) -> None:
    outcome = explore(tmp_path, role, 4, 1, "--phases", "examples,fuzzing")
    assert outcome.wrong == ""
    assert outcome.mode == "dealt"
    assert outcome.forbidden <= ROLES[role][1]
    assert outcome.missed == frozenset()
    selected, total = re.findall(r"(\d+) selected / (\d+) total", outcome.told)[0]
    assert int(selected) == int(total) >= 8


def test_every_answer_of_a_competition_is_one_too(tmp_path: Path) -> None:
    role = "competition's helper"
    outcome = explore(tmp_path, role, 3, 1, "--phases", "coverage")
    assert outcome.wrong == ""
    assert outcome.mode == "competition"
    assert outcome.forbidden <= COMPETING[role][1]
    assert outcome.missed == frozenset()
    assert int(re.findall(r"(\d+) selected /", outcome.told)[0]) >= 13
