"""What is made of timed passes: medians, spreads, what is rejected and why, and the table through the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metal import builtin

from pointsman.operate.calibration import (
    DRIFT,
    MOST_SPREAD,
    Measured,
    fit,
    measured,
    reason_against,
    spread_of,
    why_no_fit,
)
from pointsman.track.model import Locomotive

SPEEDS = st.floats(min_value=1.0, max_value=150.0, allow_nan=False)
PASSES = st.lists(SPEEDS, min_size=1, max_size=9)


@given(PASSES, PASSES, st.randoms())
def test_medians_do_not_depend_on_the_order_of_the_passes(
    forward: list[float], reverse: list[float], dice: object
) -> None:
    found = measured(5, forward, reverse)
    dice.shuffle(forward)  # type: ignore[attr-defined]
    dice.shuffle(reverse)  # type: ignore[attr-defined]
    assert measured(5, forward, reverse) == found
    assert min(forward) <= found.forward_mm_s <= max(forward)
    assert min(reverse) <= found.reverse_mm_s <= max(reverse)


@given(st.floats(min_value=10.0, max_value=100.0), st.integers(min_value=1, max_value=4), st.floats(0.5, 3.0))
def test_one_pass_that_is_far_off_does_not_move_the_median_and_is_seen(true: float, pairs: int, off: float) -> None:
    speeds = [true] * (2 * pairs) + [true * off]
    found = measured(1, speeds, [true])
    assert found.forward_mm_s == pytest.approx(true)
    assert (reason_against(found, None) != "") is (abs(off - 1) > MOST_SPREAD)


@given(PASSES, st.floats(min_value=0.1, max_value=10.0))
def test_a_spread_is_a_share_of_the_speed(speeds: list[float], factor: float) -> None:
    assert spread_of(speeds) >= 0
    assert spread_of([factor * speed for speed in speeds]) == pytest.approx(spread_of(speeds), abs=1e-9)


@given(SPEEDS, SPEEDS, SPEEDS, SPEEDS)
def test_a_step_must_be_faster_than_the_one_below_in_both_directions(a: float, b: float, c: float, d: float) -> None:
    slower, found = Measured(4, a, b, 0.0), Measured(9, c, d, 0.0)
    reason = reason_against(found, slower)
    assert (reason == "") is (c > a and d > b)
    assert ("forward" in reason) is (c <= a)


@st.composite
def rising(draw: st.DrawFn) -> list[Measured]:
    """Sound measurements: both directions rise, the lowest is slow enough, the directions are not worlds apart."""
    steps = sorted(draw(st.sets(st.integers(1, 126), min_size=2, max_size=8)))
    forward = draw(st.floats(5.0, 24.0))
    bias = draw(st.floats(0.6, 1.6).filter(lambda bias: forward * (1 + bias) / 2 <= 25.0))
    found = []
    for step in steps:
        found.append(Measured(step, forward, forward * bias, draw(st.floats(0.0, MOST_SPREAD))))
        forward += draw(st.floats(1.0, 30.0))
    return found


def with_fit(found: list[Measured]) -> Locomotive:
    made = fit(found)
    return replace(
        builtin("inglenook").locomotives["L"],
        speeds=made.speeds,
        speed_error=made.speed_error,
        by_direction=made.by_direction,
    )


@given(rising())
def test_a_fit_goes_through_what_was_measured_and_its_bounds_cover_it(found: list[Measured]) -> None:
    assert why_no_fit(found) == ("", "")
    engine = with_fit(found)
    for one in found:
        nominal = engine.speeds.speed_mm_s(one.step)
        assert nominal == pytest.approx(one.mean_mm_s, abs=0.051)
        rounding = 0.2 / nominal
        for forward, mm_s in ((True, one.forward_mm_s), (False, one.reverse_mm_s)):
            low, high = engine.speed_bounds(one.step, forward)
            assert low - rounding <= mm_s / nominal * (1 - DRIFT)
            assert mm_s / nominal * (1 + DRIFT) <= high + rounding


@given(rising(), st.integers(1, 126), st.booleans())
def test_a_direction_is_never_counted_on_better_than_measured_nor_worse_than_planned(
    found: list[Measured], step: int, forward: bool
) -> None:
    engine = with_fit(found)
    assert engine.by_direction is not None
    low, high = engine.speed_bounds(step, forward)
    assert 1 - engine.speed_error <= low < high <= 1 + engine.speed_error
    table = engine.by_direction.forward if forward else engine.by_direction.reverse
    ratio = table.speed_mm_s(step) / engine.speeds.speed_mm_s(step)
    rounding = 0.2 / engine.speeds.speed_mm_s(step)
    assert low <= ratio * (1 - engine.by_direction.error) + rounding
    assert high >= ratio * (1 + engine.by_direction.error) - rounding


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([], "0 of the speed steps"),
        ([Measured(2, 20, 20, 0)], "1 of the speed steps"),
        ([Measured(2, 30, 28, 0), Measured(9, 50, 50, 0)], "the lowest step, 2, gives 29 mm/s"),
        ([Measured(2, 8, 30, 0), Measured(9, 16, 60, 0)], "forward and reverse differ"),
        ([Measured(2, 20.01, 20, 0), Measured(3, 20.02, 20.01, 0)], "speeds are the same"),
    ],
)
def test_why_there_is_no_table(found: list[Measured], words: str) -> None:
    why, cure = why_no_fit(found)
    assert words in why
    assert cure


def test_a_locomotive_that_was_not_measured_has_the_same_bounds_both_ways() -> None:
    engine = builtin("inglenook").locomotives["L"]
    assert engine.speed_bounds(10, True) == engine.speed_bounds(10, False) == (0.88, 1.12)
