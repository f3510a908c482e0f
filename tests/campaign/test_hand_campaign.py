"""A few sittings of the hand campaign, cut short: on each layout, and under each protection."""

from __future__ import annotations

import pytest
from hand_campaign import sit


@pytest.mark.parametrize(("number", "minutes"), [(7, 2), (10, 2), (13, 2), (20, 2)], ids=str)
def test_nothing_happens_and_nothing_is_believed_that_is_not_so(number: int, minutes: float) -> None:
    outcome = sit(number, minutes)
    assert outcome.wrong == ""
    assert outcome.runs > 1
    assert outcome.refusals > 10
