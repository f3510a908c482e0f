"""The time of an evening, when somebody sets the computer's clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pointsman.web.competing.moment import Steady

EVENING = datetime(2026, 11, 30, 19, tzinfo=UTC)


def test_the_time_goes_on_when_the_clock_is_set() -> None:
    at, up_s = EVENING, 100.0
    now = Steady(lambda: at, lambda: up_s)
    for wrong in (-timedelta(hours=1), timedelta(days=400)):
        at, up_s = EVENING + wrong, up_s + 60.5
        assert now() == EVENING + timedelta(seconds=up_s - 100.0)


def test_it_is_the_time_of_the_computer() -> None:
    before = datetime.now(UTC)
    now = Steady()
    assert before <= now() <= datetime.now(UTC) + timedelta(seconds=1)
    assert now() <= now()
