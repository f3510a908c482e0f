"""Where a driven locomotive can be: a slowest, a likeliest and a fastest model of it, in closed form.

Each model (``Pace``) knows its place and speed at one moment and the orders still under way to it; it answers where
it is at a later moment, and when it will be at a place. ``Envelope`` holds the three; an edge seen at a beam pulls
all three to where the edge lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
                x += v * (end - t) + rate * (end - t) ** 2 / 2
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
                    x_mm=x + v * dt + a * dt * dt / 2,
                    v_mm_s=max(0.0, v + a * dt),
                    order_mm_s=now,
                    pending=left,
                )
        raise AssertionError("the last piece never ends")

    def ordered(self, effective_s: float, speed_mm_s: float) -> Pace:
        """The same model with one more order under way. A later order overtakes those that would come after it."""
        kept = tuple(order for order in self.pending if order[0] < effective_s)
        return replace(self, pending=(*kept, (effective_s, speed_mm_s)))

    def when(self, x_mm: float) -> float:
        """The moment at which it reaches a place; inf when it stops before."""
        if x_mm <= self.x_mm:
            return self.t_s
        for begin, x, v, a, end in self._legs():
            reach = inf if end == inf and v > 0 else x + v * (end - begin) + a * (end - begin) ** 2 / 2 if v or a else x
            if end == inf and v <= 0:
                return inf
            if x_mm <= reach:
                way = x_mm - x
                if a == 0.0:
                    return begin + way / v
                return begin + (sqrt(max(0.0, v * v + 2 * a * way)) - v) / a
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
class Envelope:
    """Slowest, likeliest and fastest; ``slow.x_mm <= likely.x_mm <= fast.x_mm``."""

    slow: Pace
    likely: Pace
    fast: Pace

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
        return Envelope(self.slow.at(t_s), self.likely.at(t_s), self.fast.at(t_s))

    def ordered(self, t_s: float, speed_mm_s: float, ratio: Ratio, allow: Allowances) -> Envelope:
        """The same train with a speed ordered at ``t_s`` (table speed; 0 stops)."""
        early, late = t_s + allow.rail_min_s, t_s + allow.rail_max_s + allow.host_max_s
        here = self.at(t_s)

        def final(pace: Pace) -> float:
            return pace.pending[-1][1] if pace.pending else pace.order_mm_s

        def when(pace: Pace, goal: float, sooner: float, later: float) -> float:
            return sooner if goal >= max(final(pace), pace.v_mm_s) else later

        slow_goal, likely_goal, fast_goal = (speed_mm_s * r for r in (ratio.low, ratio.middle, ratio.high))
        return Envelope(
            here.slow.ordered(when(here.slow, slow_goal, late, early), slow_goal),
            here.likely.ordered((early + late) / 2, likely_goal),
            here.fast.ordered(when(here.fast, fast_goal, early, late), fast_goal),
        )

    def pulled(self, low_mm: float, high_mm: float) -> Envelope:
        """The same train known to be between two places now."""
        return Envelope(self.slow.moved(low_mm), self.likely.moved((low_mm + high_mm) / 2), self.fast.moved(high_mm))

    def capped(self, high_mm: float) -> Envelope:
        """The same train known to be no further than a place."""
        high = max(high_mm, self.slow.x_mm)
        return Envelope(
            self.slow,
            self.likely.moved(min(self.likely.x_mm, high)),
            self.fast.moved(min(self.fast.x_mm, high)),
        )

    def resting(self) -> Envelope:
        """The same train after it has come to a stand (every model)."""
        return self.at(self.rest_s())

    def rest_s(self) -> float:
        """The moment at which every model has come to a stand; inf if one runs on."""
        return max(self.slow.rest()[0], self.likely.rest()[0], self.fast.rest()[0])

    def stop_place_mm(self, t_s: float, allow: Allowances) -> float:
        """Where the likeliest train would come to a stand if a stop were ordered at ``t_s``."""
        pace = self.likely.at(t_s)
        delay = (allow.rail_min_s + allow.rail_max_s + allow.host_max_s) / 2
        at_order = pace.at(t_s + delay)
        return at_order.x_mm + at_order.v_mm_s**2 / (2 * pace.loss_mm_s2)
