"""What a plan costs: one whole number for every way of counting, and several in order of importance in one.

Seconds are counted in whole milliseconds, so that they are exact for what they are made of, and shown as "about":

* every unit advanced takes ``track.unit_mm`` at the layout's shunting speed;
* every run loses what the locomotive's own acceleration and braking cost against that speed, v/2a + v/2b;
* every coupling made or parted is done over one unit at the layout's coupling speed instead of its shunting speed;
* every turnout that must change takes ``TURNOUT_MS``. Its first setting is free: it is made before the train starts,
  whichever way it lay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pointsman.errors import UsageError
from pointsman.puzzle.moves import train_of
from pointsman.puzzle.puzzle import Count
from pointsman.solver.effects import facing_after
from pointsman.solver.steps import Step
from pointsman.track.model import Track

TURNOUT_MS = 1300
"""How long a turnout takes to change: a servo's time in layouts/README.md (``move_time_s``)."""

MOST_COUNTS = 4
_COUNT_BITS, _UNIT_BITS, _TIME_BITS = 12, 14, 24


@dataclass(frozen=True, slots=True)
class Weights:
    """What one of each adds to a cost."""

    steps: int = 0
    runs: int = 0
    reversals: int = 0
    couplings: int = 0
    units: int = 0
    changes: int = 0

    def times(self, factor: int) -> Weights:
        """Every weight times a factor."""
        return Weights(*(factor * one for one in self.all))

    def plus(self, other: Weights) -> Weights:
        """Weight by weight."""
        return Weights(*(a + b for a, b in zip(self.all, other.all, strict=True)))

    @property
    def all(self) -> tuple[int, ...]:
        """Steps, runs, reversals, couplings, units, changes."""
        return self.steps, self.runs, self.reversals, self.couplings, self.units, self.changes

    def cost(self, features: Sequence[int]) -> int:
        """The cost of so many of each."""
        return sum(a * b for a, b in zip(self.all, features, strict=True))


def weights_of(count: Count, track: Track, locomotive: str) -> Weights:
    """What one of each adds to a count."""
    match count:
        case Count.RUNS:
            return Weights(runs=1)
        case Count.PULL_DROPS:
            return Weights(steps=1)
        case Count.REVERSALS:
            return Weights(reversals=1)
        case Count.COUPLINGS:
            return Weights(couplings=1)
        case Count.SECONDS:
            return _seconds(track, locomotive)


def in_order(counts: Sequence[Count], track: Track, locomotive: str) -> tuple[Weights, int]:
    """One cost for several counts, the first the most important, and what the first is multiplied by in it.

    Units of travel break what ties are left. Raises UsageError for a count given twice, or too many of them.
    """
    if len(set(counts)) < len(counts):
        raise UsageError(f"a count is given twice: {', '.join(counts)}", cure="name each count once")
    if len(counts) > MOST_COUNTS:
        raise UsageError(f"{len(counts)} counts: {', '.join(counts)}", cure=f"name at most {MOST_COUNTS}")
    total, factor = Weights(), 1
    bits = _UNIT_BITS
    if Count.SECONDS not in counts:
        total, factor = Weights(units=1), 1 << bits
    for place, count in enumerate(reversed(counts)):
        total = total.plus(weights_of(count, track, locomotive).times(factor))
        if place < len(counts) - 1:
            factor <<= _TIME_BITS if count is Count.SECONDS else _COUNT_BITS
    return total, factor


def fits(values: Mapping[Count, int], units: int) -> bool:
    """Whether the counts of a plan stay within what ``in_order`` leaves room for."""
    return units < 1 << _UNIT_BITS and all(
        value < 1 << (_TIME_BITS if count is Count.SECONDS else _COUNT_BITS) for count, value in values.items()
    )


def tally(track: Track, plan: Sequence[Step], count: Count) -> int:
    """What a plan costs by one count (seconds in milliseconds), from a start at which nothing is coupled.

    Written by the rules and not by the tables of the search: every solution is checked with it.
    """
    features = features_of(track, plan)
    locomotive = plan[0].runs[0].locomotive if plan else ""
    return weights_of(count, track, locomotive).cost(features) if plan else 0


def features_of(track: Track, plan: Sequence[Step]) -> tuple[int, int, int, int, int, int]:
    """Steps, runs, reversals, couplings, units and turnout changes of a plan."""
    coupled: set[frozenset[str]] = set()
    lies: dict[str, str] = {}
    last = None
    reversals = couplings = changes = 0
    runs = [run for step in plan for run in step.runs]
    for run in runs:
        train = train_of(track, run.before, run.locomotive, run.towards)
        kept = train.vehicles[len(run.left) :]
        if run.left:
            parted = frozenset((run.left[-1], kept[0]))
            couplings += parted in coupled
            coupled.discard(parted)
        reversals += last is not None and last is not run.towards
        last = facing_after(track, train, run)
        after = train_of(track, run.after, run.locomotive, last)
        vehicles, end = after.vehicles, after.places[-1]
        # Only come up to: what stood in the last segment ahead, unless it stood behind the locomotive's front.
        hauled = set(kept[: kept.index(run.locomotive) + 1])
        met = set() if end.leg else set(run.before.in_segment(end.element)) - hauled
        for one, other in pairwise(vehicles):
            if not {one, other} & (met | set(run.left)) and frozenset((one, other)) not in coupled:
                couplings += 1
                coupled.add(frozenset((one, other)))
        for turnout, leg in run.legs:
            changes += lies.get(turnout, leg) != leg
            lies[turnout] = leg
    return len(plan), len(runs), reversals, couplings, sum(run.units for run in runs), changes


def _seconds(track: Track, locomotive: str) -> Weights:
    speed, unit = track.speeds.shunting, track.unit_mm
    engine = track.locomotives[locomotive]
    lost_s = speed / (2 * engine.acceleration_mm_s2) + speed / (2 * engine.braking_mm_s2)
    return Weights(
        runs=round(1000 * lost_s),
        couplings=max(0, round(1000 * (unit / track.speeds.coupling - unit / speed))),
        units=max(1, round(1000 * unit / speed)),
        changes=TURNOUT_MS,
    )
