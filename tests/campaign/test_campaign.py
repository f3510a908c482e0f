"""The first twenty draws of the campaign, and the first of its Timesavers and Tchoutchous."""

from __future__ import annotations

import pytest
from campaign import BEFORE_TCHOUTCHOUS, INGLENOOKS, play_draw

FIRST = [*range(20), *range(INGLENOOKS, INGLENOOKS + 3), *range(BEFORE_TCHOUTCHOUS, BEFORE_TCHOUTCHOUS + 4)]


@pytest.mark.parametrize("number", FIRST)
def test_ends_with_truth_as_the_goal_and_no_incident(number: int) -> None:
    assert play_draw(number).wrong == ""
