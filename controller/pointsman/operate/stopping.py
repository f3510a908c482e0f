"""Choosing where a drive stops: on which edge, how far beyond it, and whether that is exact enough.

A *need* is what a stop has to satisfy, in the locomotive's coordinate of the sweep; a *stop* is how it is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pointsman.errors import RefusedError
from pointsman.operate.allowances import Allowances, reach_mm, stop_spread
from pointsman.operate.sweep import Edge, Sweep
from pointsman.track.model import Locomotive


@dataclass(frozen=True, slots=True)
class Need:
    """The stop must lie in ``low_mm``..``high_mm``; ``target_mm`` is the best place, None for "as soon as possible".

    ``limit_mm`` is where something would be hit or fall: passing it is an accident, not an inaccuracy. ``contact``
    says that vehicles are met before the stop, so that it is made at coupling speed and without creeping. ``why`` has
    a phrase for each bound, for the person who reads a refusal.
    """

    low_mm: float
    high_mm: float
    limit_mm: float
    target_mm: float | None = None
    contact: bool = False
    why: tuple[str, ...] = ()

    def at_least(self, c_mm: float, why: str) -> Need:
        """With a nearer bound, if it is one."""
        return replace(self, low_mm=c_mm, why=(*self.why, why)) if c_mm > self.low_mm else self

    def at_most(self, c_mm: float, why: str) -> Need:
        """With a farther bound, if it is one."""
        return replace(self, high_mm=c_mm, why=(*self.why, why)) if c_mm < self.high_mm else self


@dataclass(frozen=True, slots=True)
class Stop:
    """How a stop is made: when the likeliest train would come to a stand at ``target_mm``, after ``edge`` was seen.

    It ends at most ``short_mm`` before and ``long_mm`` beyond the target. ``surely``: not the likeliest, the fastest
    train is stopped there.
    """

    target_mm: float
    low_mm: float
    high_mm: float
    limit_mm: float
    short_mm: float
    long_mm: float
    speed_mm_s: float
    edge: Edge | None
    why: str
    surely: bool = False


def plan_stop(
    sweep: Sweep, need: Need, locomotive: Locomotive, speed_mm_s: float, table_error: float, allow: Allowances
) -> Stop:
    """The nearest stop that is exact enough; RefusedError with the figures when there is none.

    It is made after the last sure edge before it, or, where there is room, by distance from where the train stands.
    """
    braking = locomotive.braking_mm_s2
    reach = reach_mm(speed_mm_s, braking, allow)
    on_an_edge = need.high_mm - need.low_mm < allow.on_an_edge_mm
    best: Stop | None = None
    tightest = float("inf")
    for edge, origin, doubt in _origins(sweep):
        if edge is None and on_an_edge:
            continue
        spread = stop_spread(speed_mm_s, 0.0, table_error, braking, allow)
        # The nearest place that still clears the near bound: the error grows with the blind way, solve for it.
        clear = (need.low_mm + spread.short_mm + doubt - origin * table_error) / (1 - table_error)
        furthest = (need.high_mm - spread.long_mm - doubt + origin * table_error) / (1 + table_error)
        best_place = clear if need.target_mm is None else max(clear, min(need.target_mm, furthest))
        target = max(best_place, origin + reach if edge is not None else origin)
        spread = stop_spread(speed_mm_s, target - origin, table_error, braking, allow)
        short, long = spread.short_mm + doubt, spread.long_mm + doubt
        if target - short < need.low_mm - 1e-6 or target + long > need.high_mm + 1e-6:
            tightest = min(tightest, short + long)
            continue
        found = Stop(
            target_mm=target,
            low_mm=need.low_mm,
            high_mm=need.high_mm,
            limit_mm=need.limit_mm,
            short_mm=short,
            long_mm=long,
            speed_mm_s=speed_mm_s,
            edge=edge,
            why="; ".join(need.why),
        )
        if best is None or _better(found, best, need):
            best = found
    if best is not None:
        return best
    room = max(0.0, need.high_mm - need.low_mm)
    reasons = [f"the stop must lie within {room:.1f} mm"]
    if tightest < float("inf"):
        reasons[0] += f", and it can miss by {tightest:.1f} mm in all"
    if need.why:
        reasons[0] += f" ({'; '.join(need.why)})"
    raise RefusedError(reasons, cure="give the track more length, put a beam nearer, or use a slower lowest speed step")


def _origins(sweep: Sweep) -> Iterable[tuple[Edge | None, float, float]]:
    half = (sweep.start_high_mm - sweep.start_low_mm) / 2
    yield None, (sweep.start_low_mm + sweep.start_high_mm) / 2, half
    for edge in sweep.edges:
        if edge.sure and edge.c_mm > sweep.start_high_mm - 0.05:
            yield edge, edge.c_mm, 0.0


def _better(one: Stop, other: Stop, need: Need) -> bool:
    """Whether a stop is better: nearer to its target at worst, or, without a target, sooner at worst."""
    if need.target_mm is None:
        return one.target_mm + one.long_mm < other.target_mm + other.long_mm
    return _worst_off(one, need.target_mm) < _worst_off(other, need.target_mm)


def _worst_off(stop: Stop, target_mm: float) -> float:
    return max(abs(stop.target_mm - stop.short_mm - target_mm), abs(stop.target_mm + stop.long_mm - target_mm))
