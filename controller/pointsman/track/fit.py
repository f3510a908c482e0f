"""Does the stated capacity of a segment fit in its millimetres? (The shunting model, "Exactness on real metal".)

Capacity x unit, with the locomotives' own lengths where they stand, and 20 mm must fit between the magnet or the
fouling point, whichever lies further in, and 10 mm before the buffer. More room than needed is fine.
"""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.track.model import End, Segment, Track

SLACK_MM = 20.0
"""Room for stops that are not to the millimetre."""

BUFFER_MM = 10.0
"""Nothing is planned to stand closer to a buffer than this."""

_ROUNDING_MM = 1e-6


@dataclass(frozen=True, slots=True)
class Fit:
    """How a segment's capacity fits; ``room_mm`` is the usable length, ``need_mm`` what the capacity takes of it."""

    segment: str
    capacity: int
    length_mm: float
    room_mm: float
    need_mm: float

    @property
    def spare_mm(self) -> float:
        """Room left; negative when the capacity is too large."""
        return self.room_mm - self.need_mm

    @property
    def fits(self) -> bool:
        """Whether the capacity may be stated."""
        return self.spare_mm >= -_ROUNDING_MM


def fit(track: Track, segment: Segment) -> Fit:
    """How the stated capacity of a segment fits in its millimetres."""
    room = segment.length_mm - margin_mm(track, segment, End.FROM) - margin_mm(track, segment, End.TO)
    return Fit(segment.name, segment.capacity, segment.length_mm, room, need_mm(track, segment, segment.capacity))


def need_mm(track: Track, segment: Segment, capacity: int) -> float:
    """Length that so many vehicles take, slack included; a locomotive whose mark is here counts by its own length."""
    here = [loco.length_mm for loco in track.locomotives.values() if loco.mark.element == segment.name][:capacity]
    return sum(here) + (capacity - len(here)) * track.unit_mm + SLACK_MM


def largest_capacity(track: Track, segment: Segment) -> int:
    """The largest capacity that fits; 0 when not even one vehicle does."""
    room = fit(track, segment).room_mm + _ROUNDING_MM
    capacity = 0
    while need_mm(track, segment, capacity + 1) <= room:
        capacity += 1
    return capacity


def margin_mm(track: Track, segment: Segment, end: End) -> float:
    """What one end of a segment loses: 10 mm at a buffer, at a turnout the depth of the magnet nearest to it."""
    if segment.meets(end) is None:
        return BUFFER_MM
    depths = [
        magnet.place.at_mm if end is End.FROM else segment.length_mm - magnet.place.at_mm
        for magnet in track.uncouplers.values()
        if magnet.place.element == segment.name
    ]
    # A magnet in the far half serves the other end.
    return min((depth for depth in depths if depth <= segment.length_mm / 2), default=0.0)
