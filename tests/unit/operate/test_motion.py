"""The three models of a train: closed form against small steps, and the bounds against trains of every kind."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.operate.allowances import Allowances
from pointsman.operate.motion import Envelope, Pace, Ratio

ALLOW = Allowances()
SPEEDS = st.sampled_from([0.0, 20.0, 38.5, 40.0, 79.0, 80.0, 100.0])
HOST_LATE_S = ALLOW.rail_max_s + ALLOW.host_max_s


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


@st.composite
def paces(draw: st.DrawFn) -> Pace:
    moments = sorted(draw(st.lists(numbers(0.0, 3.0), max_size=4)))
    return Pace(
        t_s=draw(numbers(-1.0, 0.0)),
        x_mm=draw(numbers(-500.0, 500.0)),
        v_mm_s=draw(SPEEDS),
        order_mm_s=draw(SPEEDS),
        pending=tuple((moment, draw(SPEEDS)) for moment in moments),
        gain_mm_s2=draw(numbers(20.0, 300.0)),
        loss_mm_s2=draw(numbers(20.0, 300.0)),
    )


def stepped(pace: Pace, until_s: float, dt_s: float = 4e-3) -> tuple[float, float]:
    """Place and speed by small steps."""
    t, x, v = pace.t_s, pace.x_mm, pace.v_mm_s
    while t < until_s:
        dt = min(dt_s, until_s - t)
        order = ([pace.order_mm_s] + [speed for moment, speed in pace.pending if moment <= t + dt / 2])[-1]
        before = v
        v = min(order, v + pace.gain_mm_s2 * dt) if order > v else max(order, v - pace.loss_mm_s2 * dt)
        x += (before + v) / 2 * dt
        t += dt
    return x, v


# ------------------------------------------------------------ one model


@settings(max_examples=40, deadline=None)
@given(paces(), numbers(0.0, 5.0))
def test_closed_form_against_small_steps(pace: Pace, after_s: float) -> None:
    now = pace.at(pace.t_s + after_s)
    x, v = stepped(pace, pace.t_s + after_s)
    assert now.x_mm == pytest.approx(x, abs=2.0)
    assert now.v_mm_s == pytest.approx(v, abs=2.5)
    assert now.t_s == pytest.approx(pace.t_s + after_s)


@settings(max_examples=60, deadline=None)
@given(paces(), numbers(0.0, 5.0), numbers(0.0, 5.0))
def test_in_two_goes_as_in_one(pace: Pace, first_s: float, second_s: float) -> None:
    there = pace.at(pace.t_s + first_s).at(pace.t_s + first_s + second_s)
    once = pace.at(pace.t_s + first_s + second_s)
    assert (there.x_mm, there.v_mm_s) == (
        pytest.approx(once.x_mm, abs=1e-6),
        pytest.approx(once.v_mm_s, abs=1e-6),
    )
    assert (there.order_mm_s, there.pending) == (once.order_mm_s, once.pending)


@settings(max_examples=60, deadline=None)
@given(paces(), numbers(0.0, 400.0))
def test_when_and_at_agree(pace: Pace, way_mm: float) -> None:
    place = pace.x_mm + way_mm
    moment = pace.when(place)
    if moment == inf:
        rests_s, rests_mm = pace.rest()
        assert rests_mm < place
        assert pace.at(max(rests_s, 10.0)).x_mm < place
    else:
        assert moment >= pace.t_s
        assert pace.at(moment).x_mm == pytest.approx(place, abs=1e-4)
        assert pace.at(moment - 0.01).x_mm <= place + 1e-9


@settings(max_examples=60, deadline=None)
@given(paces())
def test_rest_is_where_it_stands_for_good(pace: Pace) -> None:
    when_s, where_mm = pace.rest()
    last = pace.pending[-1][1] if pace.pending else pace.order_mm_s
    assert (when_s == inf) is (last > 0)
    if when_s < inf:
        # The first moment from which on it stands for good; the last order may find it standing already.
        assert pace.at(when_s).v_mm_s == pytest.approx(0.0, abs=1e-6)
        assert pace.at(when_s + 100.0).x_mm == pytest.approx(where_mm, abs=1e-6)


def test_a_place_behind_has_been_reached() -> None:
    pace = Pace(2.0, 100.0, 0.0, 0.0, (), 120.0, 150.0)
    assert pace.when(99.0) == 2.0
    assert pace.when(100.0) == 2.0
    assert pace.when(100.1) == inf


def test_a_place_exactly_where_it_stands_between_two_orders() -> None:
    # 30 mm/s at 100 mm/s²: 4.5 mm to the stand, which is reached at 0.3 s and left at 1 s.
    pace = Pace(0.0, 0.1, 30.0, 0.0, ((1.0, 40.0),), 100.0, 100.0)
    assert pace.when(4.6) == pytest.approx(0.3, abs=1e-6)
    assert pace.when(4.6 + 1e-9) == pytest.approx(1.0, abs=1e-3)
    assert pace.at(1.0).v_mm_s == 0.0


def test_hand_computed_start_and_stop() -> None:
    # 0 to 40 mm/s at 100 mm/s² takes 0.4 s and 8 mm; from 2 s on 40 to 0 at 200 mm/s² takes 0.2 s and 4 mm.
    pace = Pace(0.0, 0.0, 0.0, 40.0, ((2.0, 0.0),), 100.0, 200.0)
    assert pace.at(0.4).x_mm == pytest.approx(8.0)
    assert pace.when(8.0 + 40.0) == pytest.approx(1.4)
    assert pace.rest() == (pytest.approx(2.2), pytest.approx(8.0 + 64.0 + 4.0))


# ------------------------------------------------------------ what is known of a speed


def test_ratio_narrows_by_what_is_measured_and_ignores_what_contradicts() -> None:
    ratio = Ratio(0.88, 1.12)
    assert ratio.middle == pytest.approx(1.0)
    assert ratio.narrowed(0.95, 1.0) == Ratio(0.95, 1.0)
    assert ratio.narrowed(0.5, 1.0) == Ratio(0.88, 1.0)
    assert ratio.narrowed(1.2, 1.3) == ratio


# ------------------------------------------------------------ the bounds


@dataclass(frozen=True)
class Given:
    """An order: when, what, and what becomes of it on the way to the rail and in the real locomotive."""

    t_s: float
    speed_mm_s: float
    ratio: Ratio
    takes_s: float
    part: float


@st.composite
def commands(draw: st.DrawFn) -> list[Given]:
    given_ = []
    t = 0.0
    for _ in range(draw(st.integers(1, 6))):
        t += draw(st.one_of(st.just(0.0), numbers(0.0, 0.1), numbers(0.0, 1.5)))
        low, high = sorted((draw(numbers(0.7, 1.3)), draw(numbers(0.7, 1.3))))
        takes = draw(
            st.one_of(st.sampled_from([ALLOW.rail_min_s, HOST_LATE_S]), numbers(ALLOW.rail_min_s, HOST_LATE_S))
        )
        part = draw(st.one_of(st.sampled_from([0.0, 1.0]), numbers(0.0, 1.0)))
        given_.append(Given(t, draw(SPEEDS), Ratio(low, high), takes, part))
    return given_


def rates(draw_part: float, nominal: float) -> float:
    return nominal * (1 - ALLOW.rate_error + 2 * ALLOW.rate_error * draw_part)


PARTS = st.one_of(st.sampled_from([0.0, 1.0]), numbers(0.0, 1.0))


def real_train(orders: list[Given], start_mm: float, gain: float, loss: float) -> Pace:
    """What the real locomotive does. Orders do not overtake each other on their way."""
    pending: list[tuple[float, float]] = []
    at = -inf
    for order in orders:
        at = max(at, order.t_s + order.takes_s)
        ratio = order.ratio.low + order.part * (order.ratio.high - order.ratio.low)
        pending.append((at, order.speed_mm_s * ratio))
    return Pace(0.0, start_mm, 0.0, 0.0, tuple(pending), gain, loss)


@settings(max_examples=150, deadline=None)
@given(commands(), PARTS, PARTS, PARTS, st.lists(numbers(0.0, 6.0), min_size=1, max_size=8))
def test_no_real_train_ever_leaves_the_envelope(
    orders: list[Given], stands: float, gain: float, loss: float, looks: list[float]
) -> None:
    real = real_train(orders, 100.0 + 12.0 * stands, rates(gain, 120.0), rates(loss, 150.0))
    envelope = Envelope.standing(0.0, 100.0, 112.0, (120.0, 150.0), ALLOW)
    moments = sorted({*looks, *(order.t_s for order in orders)})
    for moment in moments:
        envelope = envelope.at(moment)
        for order in orders:
            if order.t_s == moment:
                envelope = envelope.ordered(moment, order.speed_mm_s, order.ratio, ALLOW)
        _holds(envelope, real.at(moment))
    for later_s in (0.01, 0.05, 0.2, 1.0, 3.0):
        _holds(envelope.at(moments[-1] + later_s), real.at(moments[-1] + later_s))


def _holds(envelope: Envelope, real: Pace) -> None:
    slow, likely, fast = envelope.slow, envelope.likely, envelope.fast
    assert slow.x_mm - 1e-6 <= real.x_mm <= fast.x_mm + 1e-6
    assert slow.v_mm_s - 1e-6 <= real.v_mm_s <= fast.v_mm_s + 1e-6
    assert slow.x_mm - 1e-6 <= likely.x_mm <= fast.x_mm + 1e-6
    assert slow.v_mm_s - 1e-6 <= likely.v_mm_s <= fast.v_mm_s + 1e-6


@settings(max_examples=120, deadline=None)
@given(commands(), PARTS, PARTS, st.lists(numbers(20.0, 300.0), min_size=1, max_size=4), PARTS)
def test_an_edge_pulls_the_envelope_and_the_real_train_stays_in_it(
    orders: list[Given], gain: float, loss: float, beams: list[float], reported: float
) -> None:
    real = real_train(orders, 100.0, rates(gain, 120.0), rates(loss, 150.0))
    envelope = Envelope.standing(0.0, 90.0, 112.0, (120.0, 150.0), ALLOW)
    takes_s = ALLOW.sensor_min_s + reported * (ALLOW.sensor_max_s + ALLOW.host_max_s - ALLOW.sensor_min_s)
    happens: list[tuple[float, Given | float]] = [(order.t_s, order) for order in orders]
    for at in beams:
        passes_s = real.when(100.0 + at)
        if passes_s < 20.0:
            happens.append((passes_s + takes_s, 100.0 + at))
    for moment, what in sorted(happens, key=lambda h: h[0]):
        envelope = envelope.at(moment)
        if isinstance(what, Given):
            envelope = envelope.ordered(moment, what.speed_mm_s, what.ratio, ALLOW)
        else:
            least, most = envelope.since_edge_mm(ALLOW)
            assert 0.0 <= least <= most
            low, high = max(envelope.slow.x_mm, what + least), min(envelope.fast.x_mm, what + most)
            assert low <= high + 1e-6
            envelope = envelope.pulled(min(low, high), high)
            assert envelope.likely.x_mm == pytest.approx((low + high) / 2, abs=1e-5)
        _holds(envelope, real.at(moment))
    last_s = max(moment for moment, _ in happens)
    _holds(envelope.at(last_s + 0.7), real.at(last_s + 0.7))


@settings(max_examples=60, deadline=None)
@given(commands(), PARTS, PARTS, PARTS)
def test_a_train_called_steady_goes_at_the_speed_of_the_last_order(
    orders: list[Given], gain: float, loss: float, extra_s: float
) -> None:
    real = real_train(orders, 100.0, rates(gain, 120.0), rates(loss, 150.0))
    envelope = Envelope.standing(0.0, 90.0, 112.0, (120.0, 150.0), ALLOW)
    for order in orders:
        envelope = envelope.ordered(order.t_s, order.speed_mm_s, order.ratio, ALLOW)
    assert real.at(envelope.steady_s() + 1e-6 + extra_s).v_mm_s == pytest.approx(real.pending[-1][1], abs=1e-3)


@settings(max_examples=60, deadline=None)
@given(commands(), PARTS, PARTS, PARTS)
def test_after_its_rest_no_train_moves(orders: list[Given], stands: float, gain: float, loss: float) -> None:
    real = real_train(orders, 100.0 + 12.0 * stands, rates(gain, 120.0), rates(loss, 150.0))
    envelope = Envelope.standing(0.0, 100.0, 112.0, (120.0, 150.0), ALLOW)
    for order in orders:
        envelope = envelope.ordered(order.t_s, order.speed_mm_s, order.ratio, ALLOW)
    if orders[-1].speed_mm_s > 0:
        assert envelope.rest_s() == inf
        return
    assert real.at(envelope.rest_s() + 1e-6).x_mm == pytest.approx(real.rest()[1], abs=1e-6)
    resting = envelope.resting()
    assert resting.slow.x_mm - 1e-6 <= real.rest()[1] <= resting.fast.x_mm + 1e-6
    assert resting.fast.v_mm_s == pytest.approx(0.0, abs=1e-9)


def test_quick_successive_orders_keep_the_slowest_standing_until_the_first_must_have_come() -> None:
    # 80 is ordered, and 10 ms later 40: the second may arrive first of all moments, but also at the latest of all.
    envelope = Envelope.standing(0.0, 0.0, 0.0, (120.0, 150.0), ALLOW)
    envelope = envelope.ordered(0.0, 80.0, Ratio(1.0, 1.0), ALLOW).ordered(0.01, 40.0, Ratio(1.0, 1.0), ALLOW)
    assert envelope.at(HOST_LATE_S - 0.001).slow.v_mm_s == 0.0
    assert envelope.slow.pending == ((pytest.approx(HOST_LATE_S), 40.0),)
    assert envelope.fast.pending == ((pytest.approx(ALLOW.rail_min_s), 80.0), (pytest.approx(0.01 + HOST_LATE_S), 40.0))


def test_an_order_is_forgotten_once_the_next_must_have_come() -> None:
    envelope = Envelope.standing(0.0, 0.0, 0.0, (120.0, 150.0), ALLOW)
    for second in range(20):
        envelope = envelope.ordered(float(second), 40.0 + second % 2, Ratio(0.9, 1.1), ALLOW)
    assert len(envelope.orders) == 2


@settings(max_examples=60, deadline=None)
@given(numbers(90.0, 130.0))
def test_capped_by_an_edge_of_a_vehicle_that_may_stand(high_mm: float) -> None:
    envelope = Envelope.standing(0.0, 100.0, 120.0, (120.0, 150.0), ALLOW).capped(high_mm)
    assert envelope.slow.x_mm == 100.0
    assert envelope.fast.x_mm == min(120.0, max(100.0, high_mm))
    assert envelope.slow.x_mm <= envelope.likely.x_mm <= envelope.fast.x_mm
    assert envelope.likely.x_mm == min(110.0, envelope.fast.x_mm)


def test_the_likeliest_stop_is_where_the_likeliest_train_stops() -> None:
    envelope = Envelope.standing(0.0, 0.0, 10.0, (120.0, 150.0), ALLOW).ordered(0.0, 40.0, Ratio(0.9, 1.1), ALLOW)
    foreseen = envelope.stop_place_mm(3.0, ALLOW)
    stopped = envelope.ordered(3.0, 0.0, Ratio(0.9, 1.1), ALLOW)
    assert stopped.likely.rest()[1] == pytest.approx(foreseen)


def test_orders_change_nothing_at_their_own_moment() -> None:
    envelope = Envelope.standing(0.0, 0.0, 10.0, (120.0, 150.0), ALLOW)
    orders = [0.0, 0.02, 0.04]
    for moment in orders:
        envelope = envelope.ordered(moment, 80.0, Ratio(0.9, 1.1), ALLOW)
    for earlier, later in pairwise([*orders, 2.0]):
        assert envelope.at(later).slow.x_mm >= envelope.at(earlier).slow.x_mm
    assert envelope.at(-1.0) == envelope
