"""Ramps in closed form against small steps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from railsim.motion import Motion

speeds = st.just(0.0) | st.floats(0.1, 150)
rates = st.floats(20, 800)


@given(speeds, speeds, rates, rates, st.floats(0, 5))
def test_distance_and_speed_against_small_steps(v0: float, v1: float, up: float, down: float, t_s: float) -> None:
    motion = Motion.ramp(v0, v1, up, down)
    steps = 2000
    dt = t_s / steps
    speed, distance = v0, 0.0
    for _ in range(steps):
        after = min(v1, speed + up * dt) if v1 > speed else max(v1, speed - down * dt)
        distance += (speed + after) / 2 * dt
        speed = after
    assert motion.speed_mm_s(t_s) == pytest.approx(speed, abs=1e-6)
    assert motion.distance_mm(t_s) == pytest.approx(distance, abs=0.01)


@given(speeds, speeds, rates, rates, st.floats(0, 500))
def test_time_for_a_distance_is_the_inverse(v0: float, v1: float, up: float, down: float, distance: float) -> None:
    motion = Motion.ramp(v0, v1, up, down)
    t_s = motion.time_for_mm(distance)
    if math.isinf(t_s):
        assert motion.distance_mm(motion.stops_after_s) <= distance + 1e-9
    elif t_s < 1e6:
        assert motion.distance_mm(t_s) == pytest.approx(distance, abs=1e-6)


def test_braking_distance() -> None:
    motion = Motion.ramp(80.0, 0.0, 120.0, 160.0)
    assert motion.stops_after_s == 0.5
    assert motion.distance_mm(0.5) == motion.distance_mm(9.0) == 20.0
    assert math.isinf(motion.time_for_mm(20.1))
    assert math.isinf(Motion.ramp(0.0, 10.0, 100.0, 100.0).stops_after_s)
    assert Motion.ramp(30.0, 80.0, 100.0, 100.0).highest_mm_s == 80.0
