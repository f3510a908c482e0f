"""The first twenty draws of the campaign, and the first three of its Timesavers."""

from __future__ import annotations

import pytest
from campaign import INGLENOOKS, play_draw


@pytest.mark.parametrize("number", [*range(20), *range(INGLENOOKS, INGLENOOKS + 3)])
def test_ends_with_truth_as_the_goal_and_no_incident(number: int) -> None:
    assert play_draw(number).wrong == ""
