"""The track: segments joined by turnouts, what stands beside them, and the vehicles, in millimetres.

``Track`` is plain, immutable data that every part of the rail tower shares. It is made by ``track.layout`` from a
file, which is also where every rule about it is checked; here nothing is checked twice.

Coordinates: along a segment ``at_mm`` runs from its ``from`` end (0) to its ``to`` end (``length_mm``); along a
turnout from the toe joint (0) towards the leg. A segment's ends are the fouling points: the stretch of plain track
between a turnout's leg joint and the fouling point belongs to the turnout.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class End(StrEnum):
    """The two ends of a segment."""

    FROM = "from"
    TO = "to"

    @property
    def other(self) -> End:
        """The opposite end."""
        return End.TO if self is End.FROM else End.FROM


class Leg(StrEnum):
    """The two legs of a turnout."""

    CLOSED = "closed"
    THROWN = "thrown"

    @property
    def other(self) -> Leg:
        """The other leg."""
        return Leg.THROWN if self is Leg.CLOSED else Leg.CLOSED


class Side(StrEnum):
    """The three sides of a turnout."""

    TOE = "toe"
    CLOSED = "closed"
    THROWN = "thrown"


@dataclass(frozen=True, slots=True)
class SegmentEnd:
    """One end of a segment."""

    segment: str
    end: End

    def __str__(self) -> str:
        return f"{self.segment}.{self.end}"


@dataclass(frozen=True, slots=True)
class TurnoutSide:
    """One side of a turnout."""

    turnout: str
    side: Side

    def __str__(self) -> str:
        return f"{self.turnout}.{self.side}"


Joint = SegmentEnd | TurnoutSide


@dataclass(frozen=True, slots=True)
class Segment:
    """Plain track, clear of all fouling points; ``capacity`` in units is the game's rule. None is a buffer."""

    name: str
    capacity: int
    length_mm: float
    meets_from: TurnoutSide | None
    meets_to: TurnoutSide | None

    def meets(self, end: End) -> TurnoutSide | None:
        """What the given end is joined to; None is a buffer."""
        return self.meets_from if end is End.FROM else self.meets_to


@dataclass(frozen=True, slots=True)
class Turnout:
    """A turnout; ``holds`` is how many vehicles of a train may stand on it in the model.

    ``length_mm`` is toe joint to leg joint, ``fouling_mm`` toe joint to the fouling point of the legs.
    """

    name: str
    holds: int
    length_mm: float
    fouling_mm: float
    toe: Joint
    closed: Joint
    thrown: Joint

    def meets(self, side: Side) -> Joint:
        """What the given side is joined to."""
        return {Side.TOE: self.toe, Side.CLOSED: self.closed, Side.THROWN: self.thrown}[side]

    def through_mm(self, leg: Leg) -> float:
        """Length from the toe joint along a leg to where the next element begins.

        That is the fouling point when the leg meets a segment, the leg joint when it meets a turnout.
        """
        return self.fouling_mm if isinstance(self.meets(Side(leg)), SegmentEnd) else self.length_mm


@dataclass(frozen=True, slots=True)
class Place:
    """A point on the track: on a segment (``leg`` None) or on a leg of a turnout."""

    element: str
    leg: Leg | None
    at_mm: float


@dataclass(frozen=True, slots=True)
class Beam:
    """A light beam across the track above buffer height: it sees bodies and the gaps between them."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class Uncoupler:
    """A magnet: parts a coupling that stands with slack within ``reach_mm`` to either side of it."""

    name: str
    place: Place
    reach_mm: float


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A wagon or locomotive.

    ``length_mm`` is the pitch over couplers when drawn (couplings taut), ``buffers_mm`` when pushed (buffers
    touching), ``body_mm`` what a beam sees. ``colour`` is for drawings only, and so is ``photo``, the path of a picture
    in the layout's folder.
    """

    name: str
    kind: str
    length_mm: float
    buffers_mm: float
    body_mm: float
    colour: str
    photo: str | None = field(default=None, kw_only=True)


HIGHEST_STEP = 126
"""DCC's speed steps are 1 to 126, and 0 stands."""


@dataclass(frozen=True, slots=True)
class SpeedTable:
    """Nominal speed of a locomotive per DCC step: (step, mm/s), both rising; straight lines between.

    ``steps``: the steps that can be sent, rising, at least one of them within the table; empty is every step.
    """

    points: tuple[tuple[int, float], ...]
    steps: tuple[int, ...] = ()

    @property
    def sendable(self) -> Sequence[int]:
        """The steps within the table that can be sent, rising."""
        first, last = self.points[0][0], self.points[-1][0]
        return [step for step in self.steps if first <= step <= last] or range(first, last + 1)

    def speed_mm_s(self, step: int) -> float:
        """Nominal speed at a step; 0 at step 0, the first entry's speed below it, the last one's above it."""
        if step <= 0:
            return 0.0
        low_step, low_speed = self.points[0]
        if step <= low_step:
            return low_speed
        for high_step, high_speed in self.points[1:]:
            if step <= high_step:
                return low_speed + (high_speed - low_speed) * (step - low_step) / (high_step - low_step)
            low_step, low_speed = high_step, high_speed
        return low_speed

    def step_for(self, speed_mm_s: float) -> int:
        """The highest step whose nominal speed is at most the one asked; the lowest step of the table if none is."""
        steps = self.sendable
        return steps[max(0, bisect_right(steps, speed_mm_s + 1e-9, key=self.speed_mm_s) - 1)]


@dataclass(frozen=True, slots=True)
class ByDirection:
    """Measured speeds of the decoder's two directions, apart; ``error`` is how far either may be off (0.06 = 6 %)."""

    forward: SpeedTable
    reverse: SpeedTable
    error: float


@dataclass(frozen=True, slots=True)
class Locomotive(Vehicle):
    """A locomotive. ``mark`` is where its ``to``-side coupler face stands at set-up.

    ``speed_error`` is how far the table may be off (0.12 = 12 %) in either direction, rates are in mm/s².
    ``by_direction`` is there when the two directions were measured.
    """

    speeds: SpeedTable
    speed_error: float
    acceleration_mm_s2: float
    braking_mm_s2: float
    mark: Place
    by_direction: ByDirection | None = None

    def speed_bounds(self, step: int, forward: bool) -> tuple[float, float]:
        """True speed over table speed lies between these two in a direction of the decoder, as far as is known."""
        low, high = 1 - self.speed_error, 1 + self.speed_error
        nominal = self.speeds.speed_mm_s(step)
        if self.by_direction is None or not nominal:
            return low, high
        table = self.by_direction.forward if forward else self.by_direction.reverse
        ratio = table.speed_mm_s(step) / nominal
        # Never wider than what the planner counts with, which is the whole error.
        return max(low, ratio * (1 - self.by_direction.error)), min(high, ratio * (1 + self.by_direction.error))


@dataclass(frozen=True, slots=True)
class Speeds:
    """Speeds of the layout in mm/s (metal.md, "Sensing and positions")."""

    creep: float
    coupling: float
    rough: float
    shunting: float
    limit: float


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where things are drawn, in grid units: a line for each segment (from -> to) and each turnout's three joints."""

    segments: Mapping[str, tuple[Point, ...]]
    turnouts: Mapping[str, Mapping[Side, Point]]


@dataclass(frozen=True, slots=True)
class Track:
    """A whole layout, without its wiring."""

    name: str
    title: str
    scale: str
    unit_mm: float
    segments: Mapping[str, Segment]
    turnouts: Mapping[str, Turnout]
    beams: Mapping[str, Beam]
    uncouplers: Mapping[str, Uncoupler]
    wagons: Mapping[str, Vehicle]
    locomotives: Mapping[str, Locomotive]
    speeds: Speeds
    drawing: Drawing

    def vehicle(self, name: str) -> Vehicle:
        """A wagon or locomotive by its name."""
        found = self.locomotives.get(name)
        return found if found is not None else self.wagons[name]

    def meets(self, joint: Joint) -> Joint | None:
        """What lies beyond a joint; None is a buffer."""
        if isinstance(joint, SegmentEnd):
            return self.segments[joint.segment].meets(joint.end)
        return self.turnouts[joint.turnout].meets(joint.side)
