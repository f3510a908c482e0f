"""The HTTP interface against its OpenAPI, for a few seconds: the examples, and what does not fit them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from api_campaign import ROLES, explore

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
