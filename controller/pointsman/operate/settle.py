"""What the belief becomes when a drive has come to a stand."""

from __future__ import annotations

from dataclasses import replace

from pointsman.operate.belief import Belief
from pointsman.operate.steps import DriveStep
from pointsman.track.model import End

APART_MM = 2.0
"""Couplings that a magnet has opened may stay open when the two were not this far apart before they meet again."""


def moved(belief: Belief, step: DriveStep, low_mm: float, high_mm: float) -> Belief:
    """The belief when the locomotive of a step has stopped between two places of its line."""
    swept = step.sweep
    spots = swept.spots(low_mm, high_mm)
    names = {body.vehicle for body in swept.bodies}
    met = swept.pushed(low_mm, belief.coupled)
    # A coupling that was opened closes again only when the two have been apart.
    still_parted = belief.parted - (swept.touched(high_mm) & swept.apart(APART_MM))
    pushed = frozenset(pair for pair in belief.pushed if not pair & names) | met
    return replace(
        belief,
        spots={**belief.spots, **spots},
        facing=_facing_after(step, spots[swept.locomotive].place.element),
        pushed=pushed,
        coupled=(belief.coupled | met) - still_parted,
        parted=still_parted,
        proved=belief.proved or step.proves,
    )


def _facing_after(step: DriveStep, place_element: str) -> End:
    """Where the decoder's forward points on the element where the locomotive has come to stand."""
    stretch = next(s for s in step.sweep.path.stretches if s.element == place_element)
    return End.TO if stretch.forward is step.forward else End.FROM
