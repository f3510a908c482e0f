"""Walking along the track: a ``Path`` is a chain of stretches with one coordinate in millimetres.

Used wherever millimetres matter: by the planner, the tracker, and the simulated layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pointsman.track.model import End, Leg, Place, SegmentEnd, Side, Track, TurnoutSide


@dataclass(frozen=True, slots=True)
class Stretch:
    """One element as it is travelled: a segment (``leg`` None) or one leg of a turnout.

    ``forward`` is from -> to along a segment, toe -> leg along a turnout.
    """

    element: str
    leg: Leg | None
    forward: bool

    @property
    def reverse(self) -> Stretch:
        """The same element travelled the other way."""
        return Stretch(self.element, self.leg, not self.forward)


def stretch_mm(track: Track, stretch: Stretch) -> float:
    """Length of a stretch."""
    if stretch.leg is None:
        return track.segments[stretch.element].length_mm
    return track.turnouts[stretch.element].through_mm(stretch.leg)


def exit_joint(stretch: Stretch) -> SegmentEnd | TurnoutSide:
    """The joint by which a train leaves a stretch."""
    if stretch.leg is None:
        return SegmentEnd(stretch.element, End.TO if stretch.forward else End.FROM)
    return TurnoutSide(stretch.element, Side(stretch.leg) if stretch.forward else Side.TOE)


def following(track: Track, stretch: Stretch, lie: Mapping[str, Leg]) -> Stretch | None:
    """The stretch beyond this one when the turnouts lie as given; None at a buffer.

    A turnout entered by a leg is travelled along that leg, whichever way it lies. A turnout entered by the toe
    must be in ``lie``.
    """
    joint = track.meets(exit_joint(stretch))
    if joint is None:
        return None
    if isinstance(joint, SegmentEnd):
        return Stretch(joint.segment, None, joint.end is End.FROM)
    if joint.side is Side.TOE:
        return Stretch(joint.turnout, lie[joint.turnout], True)
    return Stretch(joint.turnout, Leg(joint.side), False)


@dataclass(frozen=True, slots=True)
class Path:
    """Stretches end to end; ``starts_mm[i]`` is the coordinate where stretch i begins."""

    track: Track
    stretches: tuple[Stretch, ...]
    starts_mm: tuple[float, ...]

    @classmethod
    def of(cls, track: Track, stretches: Sequence[Stretch], origin_mm: float = 0.0) -> Path:
        """A path that begins at the given coordinate."""
        starts = []
        at = origin_mm
        for stretch in stretches:
            starts.append(at)
            at += stretch_mm(track, stretch)
        return cls(track, tuple(stretches), tuple(starts))

    @property
    def end_mm(self) -> float:
        """Coordinate of the far end."""
        return self.starts_mm[-1] + stretch_mm(self.track, self.stretches[-1])

    def coordinate(self, place: Place) -> float | None:
        """Coordinate of a place, None when the path does not pass it."""
        for stretch, start in zip(self.stretches, self.starts_mm, strict=True):
            if stretch.element == place.element and stretch.leg == place.leg:
                length = stretch_mm(self.track, stretch)
                return start + (place.at_mm if stretch.forward else length - place.at_mm)
        return None

    def place(self, at_mm: float) -> Place:
        """The place at a coordinate; a coordinate off either end gives a place beyond that end's element."""
        index = max((i for i, start in enumerate(self.starts_mm) if start <= at_mm), default=0)
        stretch = self.stretches[index]
        along = at_mm - self.starts_mm[index]
        if not stretch.forward:
            along = stretch_mm(self.track, stretch) - along
        return Place(stretch.element, stretch.leg, along)

    def span_mm(self, element: str) -> tuple[float, float] | None:
        """Coordinates of both ends of an element, low end first; None when the path does not pass it."""
        for stretch, start in zip(self.stretches, self.starts_mm, strict=True):
            if stretch.element == element:
                return start, start + stretch_mm(self.track, stretch)
        return None

    def inside(self, element: str, at_mm: float) -> bool:
        """Whether a coordinate lies within an element."""
        span = self.span_mm(element)
        return span is not None and span[0] <= at_mm <= span[1]


def line_through(track: Track, stretch: Stretch, lie: Mapping[str, Leg]) -> Path:
    """The whole line on which a stretch lies, from where it begins to where it ends, with the turnouts as given.

    It runs in the stretch's direction; the stretch itself begins at coordinate 0. A line that meets itself (a
    circle) ends before it would repeat an element.
    """
    behind: list[Stretch] = []
    seen = {stretch.element}
    at = following(track, stretch.reverse, lie)
    while at is not None and at.element not in seen:
        behind.append(at.reverse)
        seen.add(at.element)
        at = following(track, at, lie)
    ahead: list[Stretch] = []
    at = following(track, stretch, lie)
    while at is not None and at.element not in seen:
        ahead.append(at)
        seen.add(at.element)
        at = following(track, at, lie)
    origin = -sum(stretch_mm(track, s) for s in behind)
    return Path.of(track, [*reversed(behind), stretch, *ahead], origin)
