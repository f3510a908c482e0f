"""Where two legs of a turnout are too close together: vehicles on both, side by side, strike each other.

A zone is the track from a turnout's toe joint along one leg up to the fouling point, which may lie on the elements
beyond the leg. Along a zone everything is measured from the toe; two vehicles on the two legs touch when their
stretches of that measure overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pointsman.track.model import Leg, Side, Track, TurnoutSide
from pointsman.track.path import Stretch, exit_joint, following, stretch_mm
from railsim.train import Portion

FOUL_TOLERANCE_MM = 2.0
"""The fouling point has this much in hand: a vehicle that stands foul by less is not struck."""


@dataclass(frozen=True, slots=True)
class Zone:
    """The zone of one leg of a turnout."""

    turnout: str
    leg: Leg


@dataclass(frozen=True, slots=True)
class ZonePart:
    """A zone on one element: from ``low_mm`` to ``high_mm`` of it; ``toe_mm`` is the measure at the element's
    beginning and ``rising`` whether the measure grows along the element.
    """

    zone: Zone
    low_mm: float
    high_mm: float
    toe_mm: float
    rising: bool

    def measure_mm(self, at_mm: float) -> float:
        """Distance from the toe of a point of the element."""
        return self.toe_mm + at_mm if self.rising else self.toe_mm - at_mm

    def at_mm(self, measure_mm: float) -> float:
        """The point of the element at a distance from the toe."""
        return measure_mm - self.toe_mm if self.rising else self.toe_mm - measure_mm


Zones = Mapping[tuple[str, Leg | None], tuple[ZonePart, ...]]
"""The zones on each element (and leg)."""


def zones_of(track: Track) -> Zones:
    """All zones of a track."""
    parts: dict[tuple[str, Leg | None], list[ZonePart]] = {}
    for turnout in track.turnouts.values():
        for leg in Leg:
            todo = [(Stretch(turnout.name, leg, True), 0.0)]
            limit = turnout.fouling_mm - FOUL_TOLERANCE_MM
            while todo:
                stretch, measure = todo.pop()
                length = stretch_mm(track, stretch)
                reach = min(length, limit - measure)
                part = (
                    ZonePart(Zone(turnout.name, leg), 0.0, reach, measure, True)
                    if stretch.forward
                    else ZonePart(Zone(turnout.name, leg), length - reach, length, measure + length, False)
                )
                parts.setdefault((stretch.element, stretch.leg), []).append(part)
                if measure + length < limit:
                    todo += [(beyond, measure + length) for beyond in _beyond_either_way(track, stretch)]
    return {where: tuple(found) for where, found in parts.items()}


def _beyond_either_way(track: Track, stretch: Stretch) -> Iterable[Stretch]:
    joint = track.meets(exit_joint(stretch))
    if isinstance(joint, TurnoutSide) and joint.side is Side.TOE:
        return [Stretch(joint.turnout, leg, True) for leg in Leg]
    beyond = following(track, stretch, {})
    return [] if beyond is None else [beyond]


def measured(zones: Zones, portions: Iterable[Portion]) -> dict[Zone, list[tuple[float, float, str]]]:
    """What stands in each zone: (lowest and highest measure, vehicle)."""
    found: dict[Zone, list[tuple[float, float, str]]] = {}
    for portion in portions:
        for part in zones.get((portion.element, portion.leg), ()):
            low, high = max(portion.low_mm, part.low_mm), min(portion.high_mm, part.high_mm)
            if low < high:
                ends = sorted((part.measure_mm(low), part.measure_mm(high)))
                found.setdefault(part.zone, []).append((ends[0], ends[1], portion.vehicle))
    return found
