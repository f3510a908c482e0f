"""Scores as people read them, and rounding: half up, to what is shown."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pointsman.compete.marks import Measure, Outcome
from pointsman.compete.scoring.score import PERCENT, POINTS, SECONDS, Score, Unit, unit_of


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        (SECONDS, Fraction(0), "0:00"),
        (SECONDS, Fraction(5, 2), "0:02.5"),
        (SECONDS, Fraction(3723), "62:03"),
        (SECONDS, Fraction(245_312, 1000), "4:05.312"),
        (SECONDS, Fraction(59_9995, 10_000), "1:00"),  # half a thousandth goes up
        (SECONDS, Fraction(59_9994, 10_000), "0:59.999"),
        (SECONDS, Fraction(-5), "-0:05"),
        (POINTS, Fraction(1), "1 point"),
        (POINTS, Fraction(-1), "-1 point"),
        (POINTS, Fraction(7, 3), "2.33 points"),
        (POINTS, Fraction(5, 1000), "0.01 points"),
        (POINTS, Fraction(-5, 1000), "0 points"),  # half up is towards more
        (POINTS, Fraction(105, 10), "10.5 points"),
        (PERCENT, Fraction(350, 3), "116.67 %"),
        (unit_of(Measure.RUNS), Fraction(1), "1 run"),
        (unit_of(Measure.PULL_DROPS), Fraction(2), "2 pull-drops"),
        (unit_of(Measure.COUPLING_RUNS), Fraction(20), "20 couplings and runs"),
        (Unit("Punkt", "Punkte"), Fraction(2), "2 Punkte"),
    ],
)
def test_a_value_as_people_read_it(unit: Unit, value: Fraction, text: str) -> None:
    assert unit.shown(value) == text


def test_one_without_a_value_is_after_all_that_did_not_finish_with_one() -> None:
    valued, bare = (Score(Outcome.DID_NOT_FINISH, value, POINTS) for value in (Fraction(119), None))
    absent = Score(Outcome.DID_NOT_START, Fraction(0), POINTS)
    assert sorted([absent, bare, valued]) == [valued, bare, absent]
