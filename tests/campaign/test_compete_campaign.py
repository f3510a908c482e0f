"""A small competition of the campaign: a dozen entrants, every kind of driver, three rounds."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from compete_campaign import FIRST, hold, small_evening
from compete_drivers import Driver


@pytest.mark.usefixtures("solver_cache")
def test_everything_of_a_small_competition_is_as_it_should_be(tmp_path: Path) -> None:
    assert set(FIRST) == set(Driver)
    with ProcessPoolExecutor(1) as pool:
        its = hold(tmp_path, pool, len(FIRST), small_evening(), say=lambda _: None)
    assert its.wrong == []
    assert {its.driver for its in its.played.values()} == set(Driver) - {Driver.ABSENT}
    happened = its.happened
    assert happened["withdrawn"] == 2
    assert happened["went on for one who withdrew"] == 1
    assert happened["run again on a spare draw"] >= 1
    assert happened["cut off"] >= 1
    assert happened["outcomes compared with the truth"] == sum(one.asked for one in its.played.values()) > 12
    assert happened["changes found"] == 7
