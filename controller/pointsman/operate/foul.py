"""Which turnouts a standing vehicle is on, or foul of: too near for a train on the other leg, or for moving points.

From a turnout's toe joint to its fouling point along either leg a vehicle stands foul of it. The fouling point may lie
on the elements beyond the leg, as it does where a turnout's leg meets the toe of the next.
"""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.operate.belief import Spot
from pointsman.track.model import Leg, Side, Track, TurnoutSide
from pointsman.track.path import Stretch, exit_joint, following, stretch_mm

Part = tuple[Stretch, float, float]
"""A piece of a stretch, from and to in mm of its element."""


def fouled(track: Track, spot: Spot, half_mm: float) -> set[str]:
    """The turnouts that a vehicle fouls which reaches ``half_mm`` to either side of its place."""
    found = set()
    covered = list(_covered(track, spot, half_mm))
    for turnout in track.turnouts.values():
        for leg in Leg:
            for stretch, low, high in _ahead(track, Stretch(turnout.name, leg, True), turnout.fouling_mm):
                if any(
                    (stretch.element, stretch.leg) == (own.element, own.leg) and max(low, here) < min(high, there)
                    for own, here, there in covered
                ):
                    found.add(turnout.name)
    return found


def _covered(track: Track, spot: Spot, half_mm: float) -> Iterator[Part]:
    """The pieces of track under a vehicle: on its own element, and what hangs over either end of it."""
    place = spot.place
    low, high = place.at_mm - half_mm, place.at_mm + half_mm
    along = Stretch(place.element, place.leg, True)
    length = stretch_mm(track, along)
    yield along, max(low, 0.0), min(high, length)
    for stretch, over_mm in ((along, high - length), (along.reverse, -low)):
        if over_mm > 0:
            for beyond in _beyond(track, stretch):
                yield from _ahead(track, beyond, over_mm)


def _ahead(track: Track, stretch: Stretch, way_mm: float) -> Iterator[Part]:
    """The pieces within a way from the beginning of a stretch, over both legs of every facing turnout."""
    length = stretch_mm(track, stretch)
    reach = min(length, way_mm)
    yield stretch, *((0.0, reach) if stretch.forward else (length - reach, length))
    if way_mm > length:
        for beyond in _beyond(track, stretch):
            yield from _ahead(track, beyond, way_mm - length)


def _beyond(track: Track, stretch: Stretch) -> list[Stretch]:
    joint = track.meets(exit_joint(stretch))
    if isinstance(joint, TurnoutSide) and joint.side is Side.TOE:
        return [Stretch(joint.turnout, leg, True) for leg in Leg]
    beyond = following(track, stretch, {})
    return [] if beyond is None else [beyond]
