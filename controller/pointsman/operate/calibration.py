"""From timed passes between two beams to a speed table: median, spread, what is rejected and why, and the fit.

Speeds are in mm/s, forward and reverse are the decoder's. A *spread* is (fastest - slowest) / median of the passes of
one step in one direction. Pure: no clock, no layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median

from pointsman.track.checks import SLOWEST_STEP_MM_S
from pointsman.track.model import ByDirection, SpeedTable

PASSES = 3
"""Passes of a step in each direction, at least."""
MOST_SPREAD = 0.06
"""Passes that differ by more than this share of their median are no measurement."""
ATTEMPTS = 2
"""A step that is rejected is measured once more, and then left out."""
DRIFT = 0.05
"""How far a measured speed may be off on another day: a warm motor, a dirty rail, a heavier train."""
LEAST_POINTS = 2
"""A speed table is a line: it needs two points."""
WORST_ERROR = 0.5
"""A locomotive whose speed is less certain than this cannot be driven by a table."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One speed step, measured in both directions."""

    step: int
    forward_mm_s: float
    reverse_mm_s: float
    spread: float

    @property
    def mean_mm_s(self) -> float:
        """Halfway between the two directions."""
        return (self.forward_mm_s + self.reverse_mm_s) / 2

    @property
    def half_difference(self) -> float:
        """How far each direction is from the mean, as a part of it."""
        return abs(self.forward_mm_s - self.reverse_mm_s) / 2 / self.mean_mm_s


@dataclass(frozen=True, slots=True)
class Fit:
    """A locomotive's measured speeds as its file has them.

    ``speeds`` is halfway between the directions, ``speed_error`` covers both of them; ``by_direction`` has them apart.
    """

    speeds: SpeedTable
    speed_error: float
    by_direction: ByDirection


def spread_of(speeds_mm_s: Sequence[float]) -> float:
    """(fastest - slowest) / median; 0 for one pass. Needs at least one."""
    return (max(speeds_mm_s) - min(speeds_mm_s)) / median(speeds_mm_s)


def measured(step: int, forward_mm_s: Sequence[float], reverse_mm_s: Sequence[float]) -> Measured:
    """The medians of the passes of a step; each direction needs at least one."""
    spread = max(spread_of(forward_mm_s), spread_of(reverse_mm_s))
    return Measured(step, median(forward_mm_s), median(reverse_mm_s), spread)


def reason_against(found: Measured, slower: Measured | None) -> str:
    """Why a measurement is rejected, in one clause; empty when it is sound. ``slower`` is the last sound one below."""
    if found.spread > MOST_SPREAD:
        return f"its passes differ by {found.spread:.0%}, and {MOST_SPREAD:.0%} is allowed"
    if slower is None:
        return ""
    for direction, here, below in (
        ("forward", found.forward_mm_s, slower.forward_mm_s),
        ("reverse", found.reverse_mm_s, slower.reverse_mm_s),
    ):
        if here <= below:
            return f"{direction} it is no faster ({here:.1f} mm/s) than step {slower.step} ({below:.1f} mm/s)"
    return ""


def fit(found: Sequence[Measured]) -> Fit:
    """The tables through sound measurements, rising in step; see ``why_no_fit`` for what they must satisfy."""
    apart = max(m.spread / 2 for m in found) + DRIFT
    both = max((1 + m.half_difference) * (1 + apart) - 1 for m in found)
    return Fit(
        speeds=SpeedTable(tuple((m.step, _rounded(m.mean_mm_s)) for m in found)),
        speed_error=_up(both),
        by_direction=ByDirection(
            forward=SpeedTable(tuple((m.step, _rounded(m.forward_mm_s)) for m in found)),
            reverse=SpeedTable(tuple((m.step, _rounded(m.reverse_mm_s)) for m in found)),
            error=_up(apart),
        ),
    )


def why_no_fit(found: Sequence[Measured]) -> tuple[str, str]:
    """Why no table can be made of the sound measurements, and the cure; both empty when one can."""
    if len(found) < LEAST_POINTS:
        return (
            f"{len(found)} of the speed steps could be measured, and a table needs {LEAST_POINTS}",
            "see to what was rejected: clean rails and wheels, oil the locomotive, look at the beams; then again",
        )
    if found[0].mean_mm_s > SLOWEST_STEP_MM_S:
        return (
            f"the lowest step, {found[0].step}, gives {found[0].mean_mm_s:.0f} mm/s, and it must give at most "
            f"{SLOWEST_STEP_MM_S:g}",
            "let its speed_table begin with a lower step, or lower the decoder's start voltage (CV2), or a node's "
            "dc_lowest",
        )
    made = fit(found)
    if made.speed_error > WORST_ERROR:
        return (
            f"forward and reverse differ so much that the speed is known to {made.speed_error:.0%} only",
            "see to the locomotive: a tight gear, or the decoder's forward and reverse trim (CV66, CV95)",
        )
    if any(a[1] >= b[1] for a, b in zip(made.speeds.points, made.speeds.points[1:], strict=False)):
        return ("the steps lie so close together that their speeds are the same", "spread the steps of its speed_table")
    return "", ""


def _rounded(speed_mm_s: float) -> float:
    return round(speed_mm_s, 1)


def _up(error: float) -> float:
    """An error is never rounded to a smaller one."""
    return ceil(error * 1000 - 1e-9) / 1000
