"""What the belief becomes when a drive has come to a stand."""

from __future__ import annotations

from dataclasses import replace

from pointsman.operate.belief import Belief
from pointsman.operate.steps import DriveStep
from pointsman.track.model import End

APART_MM = 2.0
"""Couplings that a magnet has opened may stay open when the two were not this far apart before they meet again."""
GONE_MM = 20.0
"""One that has gone so far from the other is surely apart from it, whatever the doubt about either."""


def moved(belief: Belief, step: DriveStep, low_mm: float, high_mm: float) -> Belief:
    """The belief when the locomotive of a step has stopped between two places of its line."""
    swept = step.sweep
    spots = swept.spots(low_mm, high_mm)
    names = {body.vehicle for body in swept.bodies}
    met = swept.pushed(low_mm, belief.coupled)
    # A coupling that was opened closes again only when the two have been apart.
    # Once one of them has gone its way they are apart, and will couple when they meet again.
    moved_mm = low_mm - swept.start_high_mm
    gone = {pair for pair in belief.parted if len(pair & names) == 1 and moved_mm >= GONE_MM}
    still_parted = belief.parted - gone - (swept.touched(high_mm) & swept.apart(APART_MM))
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
