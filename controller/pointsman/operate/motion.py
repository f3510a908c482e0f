"""Where a driven locomotive can be: a slowest, a likeliest and a fastest model of it, in closed form.

Each model (``Pace``) knows its place and speed at one moment and the orders still under way to it; it answers where
it is at a later moment, and when it will be at a place. ``Envelope`` holds the three; an edge seen at a beam pulls
all three to where the edge lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, sqrt

from pointsman.operate.allowances import Allowances


@dataclass(frozen=True, slots=True)
class Pace:
    """One model of the train: place (mm), speed (mm/s), and orders as (moment, speed) in time order."""

    t_s: float
    x_mm: float
    v_mm_s: float
    order_mm_s: float
    pending: tuple[tuple[float, float], ...]
    gain_mm_s2: float
    loss_mm_s2: float

    def _legs(self) -> Iterator[tuple[float, float, float, float, float]]:
        """Pieces of constant acceleration: (begin, place, speed, acceleration, end); the last never ends."""
        t, x, v, order = self.t_s, self.x_mm, self.v_mm_s, self.order_mm_s
        for arrives, following in (*self.pending, (inf, 0.0)):
            until = max(arrives, t)
            if v != order:
                rate = self.gain_mm_s2 if order > v else -self.loss_mm_s2
                reached = t + (order - v) / rate
                end = min(reached, until)
                yield t, x, v, rate, end
                x += _way_mm(v, rate, end - t)
                v = order if end == reached else v + rate * (end - t)
                t = end
            if t < until:
                yield t, x, v, 0.0, until
                x += v * (until - t) if until < inf else 0.0
                t = until
            order = following

    def at(self, t_s: float) -> Pace:
        """The same model at a later moment."""
        if t_s <= self.t_s:
            return self
        left = tuple(order for order in self.pending if order[0] > t_s)
        done = [order for order in self.pending if order[0] <= t_s]
        now = done[-1][1] if done else self.order_mm_s
        for begin, x, v, a, end in self._legs():
            if t_s <= end:
                dt = t_s - begin
                return replace(
                    self,
                    t_s=t_s,
                    x_mm=x + _way_mm(v, a, dt),
                    v_mm_s=max(0.0, v + a * dt),
                    order_mm_s=now,
                    pending=left,
                )
        raise AssertionError("the last piece never ends")

    def bound_for(self, order_mm_s: float, pending: tuple[tuple[float, float], ...]) -> Pace:
        """The same model with these orders instead of its own: the one that rules now, and those to come."""
        return replace(self, order_mm_s=order_mm_s, pending=pending)

    def when(self, x_mm: float) -> float:
        """The moment at which it reaches a place; inf when it stops before."""
        if x_mm <= self.x_mm:
            return self.t_s
        for begin, x, v, a, end in self._legs():
            # Rounding may put the place a hair before the piece that begins there.
            way = max(0.0, x_mm - x)
            if way <= (_way_mm(v, a, end - begin) if v > 0 or a > 0 else 0.0):
                return begin + (2 * way / (v + sqrt(max(0.0, v * v + 2 * a * way))) if way else 0.0)
        return inf

    def rest(self) -> tuple[float, float]:
        """When and where it comes to a stand once every order under way has arrived; (inf, inf) if it runs on."""
        for begin, x, v, _a, end in self._legs():
            if end == inf:
                return (begin, x) if v <= 0 else (inf, inf)
        raise AssertionError("the last piece never ends")

    def moved(self, x_mm: float) -> Pace:
        """The same model put at another place."""
        return replace(self, x_mm=x_mm)


@dataclass(frozen=True, slots=True)
class Ratio:
    """True speed over table speed lies between ``low`` and ``high``."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The likeliest."""
        return (self.low + self.high) / 2

    def narrowed(self, low: float, high: float) -> Ratio:
        """With a measurement taken in; a measurement that contradicts the belief is not taken."""
        new = Ratio(max(self.low, low), min(self.high, high))
        return new if new.low < new.high else self


@dataclass(frozen=True, slots=True)
class Order:
    """A speed that was ordered: it rules from some moment in ``early_s``..``late_s`` on, until the next one does.

    The true speed it gives lies in ``low_mm_s``..``high_mm_s``.
    """

    early_s: float
    late_s: float
    low_mm_s: float
    high_mm_s: float


_STANDING = (Order(-inf, -inf, 0.0, 0.0),)


@dataclass(frozen=True, slots=True)
class Envelope:
    """Slowest, likeliest and fastest; ``slow.x_mm <= likely.x_mm <= fast.x_mm``.

    ``orders`` are those that may rule the train now or later, in the order in which they were sent: none overtakes
    another on its way to the rail.
    """

    slow: Pace
    likely: Pace
    fast: Pace
    orders: tuple[Order, ...] = _STANDING

    @classmethod
    def standing(
        cls, t_s: float, low_mm: float, high_mm: float, rates: tuple[float, float], allow: Allowances
    ) -> Envelope:
        """A train that stands somewhere between two places; ``rates`` are acceleration and braking in mm/s²."""
        gain, loss = rates
        less, more = 1 - allow.rate_error, 1 + allow.rate_error
        return cls(
            Pace(t_s, low_mm, 0.0, 0.0, (), gain * less, loss * more),
            Pace(t_s, (low_mm + high_mm) / 2, 0.0, 0.0, (), gain, loss),
            Pace(t_s, high_mm, 0.0, 0.0, (), gain * more, loss * less),
        )

    def at(self, t_s: float) -> Envelope:
        """The same train at a later moment."""
        return replace(self, slow=self.slow.at(t_s), likely=self.likely.at(t_s), fast=self.fast.at(t_s))

    def ordered(self, t_s: float, speed_mm_s: float, ratio: Ratio, allow: Allowances) -> Envelope:
        """The same train with a speed ordered at ``t_s`` (table speed; 0 stops)."""
        early, late = t_s + allow.rail_min_s, t_s + allow.rail_max_s + allow.host_max_s
        orders = (*self.orders, Order(early, late, speed_mm_s * ratio.low, speed_mm_s * ratio.high))
        # What the order after it has surely overruled is forgotten.
        orders = tuple(o for o, after in pairwise(orders) if after.late_s > t_s) + orders[-1:]
        here = self.at(t_s)
        likeliest = [
            Order(middle, middle, goal, goal)
            for middle, goal in (((o.early_s + o.late_s) / 2, (o.low_mm_s + o.high_mm_s) / 2) for o in orders)
        ]
        return Envelope(
            here.slow.bound_for(*_course(orders, t_s, lambda ruling: min(o.low_mm_s for o in ruling))),
            here.likely.bound_for(*_course(likeliest, t_s, lambda ruling: ruling[0].low_mm_s)),
            here.fast.bound_for(*_course(orders, t_s, lambda ruling: max(o.high_mm_s for o in ruling))),
            orders,
        )

    def pulled(self, low_mm: float, high_mm: float) -> Envelope:
        """The same train known to be between two places now."""
        return replace(
            self,
            slow=self.slow.moved(low_mm),
            likely=self.likely.moved((low_mm + high_mm) / 2),
            fast=self.fast.moved(high_mm),
        )

    def capped(self, high_mm: float) -> Envelope:
        """The same train known to be no further than a place."""
        high = max(high_mm, self.slow.x_mm)
        return replace(
            self,
            likely=self.likely.moved(min(self.likely.x_mm, high)),
            fast=self.fast.moved(min(self.fast.x_mm, high)),
        )

    def resting(self) -> Envelope:
        """The same train after it has come to a stand (every model)."""
        return self.at(self.rest_s())

    def rest_s(self) -> float:
        """The moment at which every model has come to a stand; inf if one runs on."""
        return max(self.slow.rest()[0], self.likely.rest()[0], self.fast.rest()[0])

    def steady_s(self) -> float:
        """The moment from which on the train surely goes at the speed that was ordered last."""
        last = self.orders[-1]
        slow, fast = self.slow.at(last.late_s), self.fast.at(last.late_s)
        gaining_s = (last.high_mm_s - slow.v_mm_s) / self.slow.gain_mm_s2
        losing_s = (fast.v_mm_s - last.low_mm_s) / self.fast.loss_mm_s2
        return last.late_s + max(0.0, gaining_s, losing_s)

    def since_edge_mm(self, allow: Allowances) -> tuple[float, float]:
        """How far the train has come, at least and at most, since it caused an edge that is reported now."""
        soon, late = allow.sensor_min_s, allow.sensor_max_s + allow.host_max_s
        # Its speed was lower before while it gathers speed, and higher while it brakes.
        least = self.slow.v_mm_s * soon - self.fast.gain_mm_s2 * soon**2 / 2
        most = self.fast.v_mm_s * late + self.slow.loss_mm_s2 * late**2 / 2
        return max(0.0, least), most

    def stop_place_mm(self, t_s: float, allow: Allowances) -> float:
        """Where the likeliest train would come to a stand if a stop were ordered at ``t_s``."""
        return self._stop_mm(self.likely.at(t_s), t_s, (allow.rail_min_s + allow.rail_max_s + allow.host_max_s) / 2)

    def latest_stop_mm(self, t_s: float, allow: Allowances, at_most_mm: float = inf) -> float:
        """Where the fastest train would if the stop came as late as it can, and it were at most at a place now."""
        pace = self.fast.at(t_s)
        return self._stop_mm(pace.moved(min(pace.x_mm, at_most_mm)), t_s, allow.rail_max_s + allow.host_max_s)

    @staticmethod
    def _stop_mm(pace: Pace, t_s: float, delay: float) -> float:
        at_order = pace.at(t_s + delay)
        return at_order.x_mm + at_order.v_mm_s**2 / (2 * pace.loss_mm_s2)


def _way_mm(v_mm_s: float, rate_mm_s2: float, dt_s: float) -> float:
    """The way in a time at a constant rate. One home, so that ``at`` and ``when`` round alike."""
    return v_mm_s * dt_s + (rate_mm_s2 * dt_s**2 / 2 if rate_mm_s2 else 0.0)


def _course(
    orders: Sequence[Order], t_s: float, pick: Callable[[list[Order]], float]
) -> tuple[float, tuple[tuple[float, float], ...]]:
    """The speed picked at each moment from all the orders that may rule then: now, and as (moment, speed) from now on.

    An order may rule from its earliest moment until the latest of the one after it. The bound of the speed at each
    moment bounds the train, however many orders are under way at once.
    """
    ends = [*(order.late_s for order in orders[1:]), inf]
    moments = sorted({m for o in orders for m in (o.early_s, o.late_s) if m > t_s})
    course: list[tuple[float, float]] = []
    for moment in (t_s, *moments):
        speed = pick([o for o, end in zip(orders, ends, strict=True) if o.early_s <= moment < end])
        if not course or speed != course[-1][1]:
            course.append((moment, speed))
    return course[0][1], tuple(course[1:])
