"""Choosing a stop: on an edge or by distance, how far it can miss, and refusals with their figures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metal import builtin
from plays import ALLOW, set_up

from pointsman.errors import RefusedError
from pointsman.operate.allowances import reach_mm, stop_error_mm, stop_spread, top_speed_at_gap_mm_s
from pointsman.operate.motion import Pace
from pointsman.operate.stopping import Need, plan_stop
from pointsman.operate.sweep import Edge, Sweep, sweep
from pointsman.puzzle.position import parse_position
from pointsman.track.model import Leg
from pointsman.track.path import Stretch

SMALL = builtin("inglenook-small")
ENGINE = SMALL.locomotives["L"]
FAR = 5000.0


def swept_of(low_mm: float, high_mm: float, *edges: float, sure: bool = True) -> Sweep:
    """A lone locomotive that starts somewhere between two places, and the places of edges it causes."""
    belief = set_up(SMALL, parse_position("head: L | s2: 4 5", SMALL))
    lie = {"T1": Leg.CLOSED, "T2": Leg.CLOSED}
    whole = sweep(SMALL, belief, Stretch("head", None, True), ("L",), "L", lie)
    found = tuple(Edge("head", True, "L", c, sure) for c in edges)
    return replace(whole, start_low_mm=low_mm, start_high_mm=high_mm, edges=found)


# ------------------------------------------------------------ the numbers


def test_hand_computed_errors() -> None:
    # Reaction 20 + 10 + 73 = 103 ms. Creep 20 mm/s: 2.06 mm, braking 20²/300 = 1.333 mm; 50 mm blind at 12 %: 6 mm.
    assert ALLOW.reaction_s == pytest.approx(0.103)
    assert stop_error_mm(20.0, 50.0, 0.12, 150.0, ALLOW) == pytest.approx(6.0 + 2.06 + 400 / 300)
    # The likeliest reach: 20 mm/s x (10 + 20 + 10 + 14.9 + 73)/2 ms + braking.
    assert reach_mm(20.0, 150.0, ALLOW) == pytest.approx(20 * 0.06395 + 400 / 300)
    # At 40 ms a gap of 7 mm is surely seen up to 175 mm/s.
    assert top_speed_at_gap_mm_s(7.0, ALLOW) == pytest.approx(175.0)


@settings(max_examples=100, deadline=None)
@given(
    st.floats(10.0, 60.0),
    st.floats(0.0, 200.0),
    st.floats(0.0, 0.15),
    st.floats(-1.0, 1.0),
    st.floats(-1.0, 1.0),
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
)
def test_no_stop_misses_by_more_than_its_spread(
    speed: float, blind: float, error: float, off: float, rate: float, sensing: float, rail: float
) -> None:
    # A train passes an edge; its stop is ordered so that the likeliest train stands ``blind + reach`` beyond it.
    spread = stop_spread(speed, blind, error, 150.0, ALLOW)
    real = speed * (1 + off * error)
    braking = 150.0 * (1 + rate * ALLOW.rate_error)
    sensed_s = ALLOW.sensor_min_s + sensing * (ALLOW.sensor_max_s + ALLOW.host_max_s - ALLOW.sensor_min_s)
    heard_s = ALLOW.rail_min_s + rail * (ALLOW.rail_max_s + ALLOW.host_max_s - ALLOW.rail_min_s)
    train = Pace(0.0, 0.0, real, real, ((sensed_s + blind / speed + heard_s, 0.0),), 120.0, braking)
    aimed = blind + reach_mm(speed, 150.0, ALLOW)
    assert aimed - spread.short_mm - 1e-6 <= train.rest()[1] <= aimed + spread.long_mm + 1e-6


# ------------------------------------------------------------ the choice


def test_as_soon_as_possible_after_the_last_edge_before_it() -> None:
    stop = plan_stop(swept_of(100.0, 130.0, 200.0, 300.0), Need(305.0, 400.0, 410.0), ENGINE, 20.0, 0.12, ALLOW)
    assert stop.edge is not None
    assert stop.edge.c_mm == 300.0
    assert stop.target_mm - stop.short_mm == pytest.approx(305.0)
    assert stop.target_mm + stop.long_mm <= 400.0
    assert (stop.low_mm, stop.high_mm, stop.limit_mm, stop.speed_mm_s) == (305.0, 400.0, 410.0, 20.0)


def test_at_its_best_place() -> None:
    need = Need(302.0, 330.0, 410.0, target_mm=315.0, why=("it must be there",))
    stop = plan_stop(swept_of(100.0, 130.0, 200.0, 300.0), need, ENGINE, 20.0, 0.12, ALLOW)
    assert stop.target_mm == 315.0
    assert stop.edge is not None
    assert stop.edge.c_mm == 300.0
    assert stop.why == "it must be there"


def test_not_before_the_reaction_to_its_edge_is_over() -> None:
    need = Need(290.0, 340.0, 410.0, target_mm=299.0)
    stop = plan_stop(swept_of(290.0, 298.9, 300.0), need, ENGINE, 20.0, 0.12, ALLOW)
    assert stop.edge is None or stop.target_mm >= 300.0 + reach_mm(20.0, 150.0, ALLOW)


def test_by_distance_where_there_is_room_and_no_edge() -> None:
    stop = plan_stop(swept_of(100.0, 104.0), Need(150.0, 250.0, 260.0), ENGINE, 20.0, 0.12, ALLOW)
    assert stop.edge is None
    assert stop.short_mm > 2.0
    assert stop.target_mm - stop.short_mm == pytest.approx(150.0)


def test_with_less_than_20_mm_only_on_an_edge() -> None:
    narrow = Need(150.0, 169.9, 260.0)
    with pytest.raises(RefusedError, match=r"the stop must lie within 19\.9 mm"):
        plan_stop(swept_of(148.0, 148.1), narrow, ENGINE, 20.0, 0.12, ALLOW)
    assert plan_stop(swept_of(148.0, 148.1, 149.0), narrow, ENGINE, 20.0, 0.12, ALLOW).edge is not None
    assert plan_stop(swept_of(148.0, 148.1), Need(150.0, 170.1, 260.0), ENGINE, 20.0, 0.12, ALLOW).edge is None


def test_an_edge_that_is_not_sure_or_already_behind_is_no_help() -> None:
    narrow = Need(205.0, 215.0, 260.0)
    with pytest.raises(RefusedError):
        plan_stop(swept_of(100.0, 104.0, 200.0, sure=False), narrow, ENGINE, 20.0, 0.12, ALLOW)
    with pytest.raises(RefusedError):
        plan_stop(swept_of(199.0, 203.0, 200.0), narrow, ENGINE, 20.0, 0.12, ALLOW)
    assert plan_stop(swept_of(100.0, 104.0, 200.0), narrow, ENGINE, 20.0, 0.12, ALLOW).edge is not None


def test_refusals_say_the_room_the_miss_and_the_reason() -> None:
    need = Need(260.0, 262.0, 300.0, why=("2 must clear T1", "1 must not hit the buffer"))
    with pytest.raises(RefusedError) as refusal:
        plan_stop(swept_of(100.0, 104.0, 200.0), need, ENGINE, 20.0, 0.12, ALLOW)
    spread = stop_spread(20.0, 0.0, 0.12, 150.0, ALLOW)
    target = (260.0 + spread.short_mm - 200.0 * 0.12) / 0.88
    spread = stop_spread(20.0, target - 200.0, 0.12, 150.0, ALLOW)
    assert refusal.value.reasons == (
        f"the stop must lie within 2.0 mm, and it can miss by {spread.short_mm + spread.long_mm:.1f} mm in all "
        "(2 must clear T1; 1 must not hit the buffer)",
    )
    assert "put a beam nearer" in refusal.value.cure


def test_no_room_at_all() -> None:
    with pytest.raises(RefusedError) as refusal:
        plan_stop(swept_of(100.0, 104.0), Need(262.0, 250.0, 300.0), ENGINE, 20.0, 0.12, ALLOW)
    assert refusal.value.reasons == ("the stop must lie within 0.0 mm",)


@settings(max_examples=200, deadline=None)
@given(
    st.floats(0.0, 300.0),
    st.floats(0.0, 30.0),
    st.lists(st.floats(0.0, 600.0), max_size=5),
    st.floats(0.0, 600.0),
    st.floats(0.0, 120.0),
    st.none() | st.floats(0.0, 1.0),
)
def test_a_stop_that_is_chosen_fits_and_a_refusal_is_never_for_want_of_looking(
    start: float, doubt: float, edges: list[float], low: float, width: float, part: float | None
) -> None:
    swept = swept_of(start, start + doubt, *sorted(edges))
    need = Need(low, low + width, FAR, target_mm=None if part is None else low + part * width)
    try:
        stop = plan_stop(swept, need, ENGINE, 20.0, 0.12, ALLOW)
    except RefusedError:
        # Then not even the middle of the window can be met from any edge before it.
        middle = low + width / 2
        for c in edges:
            if c > start + doubt and c + reach_mm(20.0, 150.0, ALLOW) <= middle and part is None:
                spread = stop_spread(20.0, middle - c, 0.12, 150.0, ALLOW)
                assert spread.short_mm > width / 2 or spread.long_mm > width / 2
        return
    origin = (swept.start_low_mm + swept.start_high_mm) / 2 if stop.edge is None else stop.edge.c_mm
    extra = doubt / 2 if stop.edge is None else 0.0
    spread = stop_spread(20.0, stop.target_mm - origin, 0.12, 150.0, ALLOW)
    assert stop.short_mm == pytest.approx(spread.short_mm + extra)
    assert stop.long_mm == pytest.approx(spread.long_mm + extra)
    assert low - 1e-5 <= stop.target_mm - stop.short_mm
    assert stop.target_mm + stop.long_mm <= low + width + 1e-5


def test_needs_only_ever_get_narrower() -> None:
    need = Need(100.0, 200.0, 250.0)
    assert need.at_least(90.0, "no") == need
    assert need.at_most(210.0, "no") == need
    narrower = need.at_least(110.0, "a").at_most(190.0, "b")
    assert (narrower.low_mm, narrower.high_mm, narrower.why) == (110.0, 190.0, ("a", "b"))
