"""Vehicles on the track: a ``Rake`` is a row of vehicles that are coupled or touch, on one path in millimetres.

Coupled neighbours have slack: the distance of their centres lies between half their summed lengths over buffers
(closed, when pushed) and half their summed lengths over taut couplers (when drawn). Wagons are moved by friction
only: one stands where it is unless it is pushed or drawn. So when the locomotive in a rake travels to X, a vehicle
ahead of it is at max(where it was, X + closed distances between), and one behind at max(where it was, X - taut
distances between): closed form, whatever the slack was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pointsman.track.model import Leg, Locomotive, Place, Side, Track, TurnoutSide, Vehicle
from pointsman.track.path import Path, Stretch, exit_joint, following, stretch_mm
from railsim.hidden import EMERGENCY_BRAKING_MM_S2, FRICTION_MM_S2, Performance
from railsim.motion import Motion

TOUCHING_MM = 1e-6
"""Below this a gap is none (rounding)."""

Lie = Mapping[str, Leg | None]
"""How each turnout lies; None while it moves."""


@dataclass(slots=True)
class Placed:
    """A vehicle and the coordinate of its middle on its rake's path.

    ``points_up``: a locomotive's decoder "forward" is towards rising coordinates.
    """

    vehicle: Vehicle
    at_mm: float
    points_up: bool = True

    @property
    def low_mm(self) -> float:
        """The buffers at the low end."""
        return self.at_mm - self.vehicle.buffers_mm / 2

    @property
    def high_mm(self) -> float:
        """The buffers at the high end."""
        return self.at_mm + self.vehicle.buffers_mm / 2


def closed_mm(one: Vehicle, other: Vehicle) -> float:
    """Distance of two middles when the buffers touch."""
    return (one.buffers_mm + other.buffers_mm) / 2


def taut_mm(one: Vehicle, other: Vehicle) -> float:
    """Distance of two middles when the coupling is drawn."""
    return (one.length_mm + other.length_mm) / 2


@dataclass(frozen=True, slots=True)
class Portion:
    """The part of a vehicle (over buffers) that lies on one element, from its beginning: a segment's ``from`` end or
    a turnout's toe.
    """

    element: str
    leg: Leg | None
    low_mm: float
    high_mm: float
    vehicle: str


@dataclass(slots=True, eq=False)
class Rake:
    """A row of vehicles by rising coordinate; ``coupled[i]`` is the coupling between i and i+1.

    The path covers at least every vehicle. ``derailed`` is for ever.
    """

    path: Path
    vehicles: list[Placed]
    coupled: list[bool]
    derailed: bool = False
    _portions: tuple[Portion, ...] | None = field(default=None, repr=False)

    def index(self, name: str) -> int | None:
        """Where in the row a vehicle is, None when it is not in it."""
        for i, placed in enumerate(self.vehicles):
            if placed.vehicle.name == name:
                return i
        return None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the vehicles in the row."""
        return tuple(placed.vehicle.name for placed in self.vehicles)

    def flip(self) -> None:
        """Look at the same row from the other side: coordinates change their sign."""
        path = self.path
        stretches = tuple(stretch.reverse for stretch in reversed(path.stretches))
        starts = tuple(
            -(start + stretch_mm(path.track, stretch))
            for stretch, start in zip(reversed(path.stretches), reversed(path.starts_mm), strict=True)
        )
        self.path = Path(path.track, stretches, starts)
        self.vehicles = [Placed(p.vehicle, -p.at_mm, not p.points_up) for p in reversed(self.vehicles)]
        self.coupled.reverse()

    def moved(self, driver: int, to_mm: float) -> list[float]:
        """Where all middles are when the vehicle ``driver`` has gone up to a coordinate."""
        at = [placed.at_mm for placed in self.vehicles]
        at[driver] = to_mm
        for i in range(driver + 1, len(at)):
            at[i] = max(at[i], at[i - 1] + closed_mm(self.vehicles[i - 1].vehicle, self.vehicles[i].vehicle))
        for i in range(driver - 1, -1, -1):
            at[i] = max(at[i], at[i + 1] - taut_mm(self.vehicles[i + 1].vehicle, self.vehicles[i].vehicle))
        return at

    def offsets_mm(self, driver: int) -> list[float]:
        """What to add to the driver's coordinate to get each vehicle's, once all slack is taken up going upwards."""
        offsets = [0.0] * len(self.vehicles)
        for i in range(driver + 1, len(offsets)):
            offsets[i] = offsets[i - 1] + closed_mm(self.vehicles[i - 1].vehicle, self.vehicles[i].vehicle)
        for i in range(driver - 1, -1, -1):
            offsets[i] = offsets[i + 1] - taut_mm(self.vehicles[i + 1].vehicle, self.vehicles[i].vehicle)
        return offsets

    def place(self, at_mm: Sequence[float]) -> None:
        """Set the middles."""
        for placed, at in zip(self.vehicles, at_mm, strict=True):
            placed.at_mm = at
        self._portions = None

    def split(self, after: int) -> Rake:
        """Cut the row behind vehicle ``after``; returns the upper part as a rake of its own."""
        upper = Rake(self.path, self.vehicles[after + 1 :], self.coupled[after + 1 :], self.derailed)
        del self.vehicles[after + 1 :]
        del self.coupled[after:]
        self._portions = None
        return upper

    def separate(self, driver_name: str | None) -> list[Rake]:
        """Cut the row where nothing holds it; returns what is cut off.

        Vehicles that only touch stay together when the locomotive ``driver_name``, going up, pushes them.
        """
        cut_off: list[Rake] = []
        driver = None if driver_name is None else self.index(driver_name)
        for i in range(len(self.coupled) - 1, -1, -1):
            low, high = self.vehicles[i], self.vehicles[i + 1]
            pushed = driver is not None and i >= driver and high.low_mm - low.high_mm <= TOUCHING_MM
            if self.coupled[i] or pushed:
                continue
            other = self.split(i)
            if driver is not None and i < driver:
                # This is the locomotive's rake: it goes on with the upper part.
                other.vehicles, self.vehicles = self.vehicles, other.vehicles
                other.coupled, self.coupled = self.coupled, other.coupled
                return [*cut_off, other, *other.separate(None)]
            cut_off += [other, *other.separate(None)]
        return cut_off

    def append(self, other: Rake, portion: Portion, coupled: bool) -> None:
        """Take in a rake that is touched at the high end; ``portion`` is any part of it on this rake's path."""
        mine, theirs = _stretch_index(self.path, portion), _stretch_index(other.path, portion)
        if self.path.stretches[mine].forward is not other.path.stretches[theirs].forward:
            other.flip()
            theirs = _stretch_index(other.path, portion)
        last, first = self.vehicles[-1], other.vehicles[0]
        shift = last.at_mm + closed_mm(last.vehicle, first.vehicle) - first.at_mm
        beyond = slice(theirs + 1, None)
        self.path = Path(
            self.path.track,
            self.path.stretches[: mine + 1] + other.path.stretches[beyond],
            self.path.starts_mm[: mine + 1] + tuple(start + shift for start in other.path.starts_mm[beyond]),
        )
        for placed in other.vehicles:
            placed.at_mm += shift
        self.vehicles += other.vehicles
        self.coupled += [coupled, *other.coupled]
        self._portions = None

    def cover(self, lie: Lie, reach_mm: float) -> str | None:
        """Lay the path anew: under the bodies as it is, and beyond both ends as the turnouts lie.

        It goes on for ``reach_mm`` upwards (at least a vehicle's length, for what hangs over), and a vehicle's length
        downwards. Returns what ends it above: None (nothing near), "" (a buffer), or a turnout that is moving.
        """
        track = self.path.track
        first, last = self.vehicles[0], self.vehicles[-1]
        reach_mm = max(reach_mm, last.vehicle.length_mm)
        low, high = first.at_mm - first.vehicle.body_mm / 2, last.at_mm + last.vehicle.body_mm / 2
        kept = [
            (stretch, start)
            for stretch, start in zip(self.path.stretches, self.path.starts_mm, strict=True)
            if start < high - TOUCHING_MM and start + stretch_mm(track, stretch) > low + TOUCHING_MM
        ]
        end, ended = kept[-1][1] + stretch_mm(track, kept[-1][0]), None
        while end < high + reach_mm:
            beyond, ended = _beyond(track, kept[-1][0], lie)
            if beyond is None:
                break
            kept.append((beyond, end))
            end += stretch_mm(track, beyond)
        while kept[0][1] > low - first.vehicle.length_mm:
            beyond, _ = _beyond(track, kept[0][0].reverse, lie)
            if beyond is None:
                break
            kept.insert(0, (beyond.reverse, kept[0][1] - stretch_mm(track, beyond)))
        self.path = Path(track, tuple(s for s, _ in kept), tuple(start for _, start in kept))
        self._portions = None
        return ended

    @property
    def portions(self) -> tuple[Portion, ...]:
        """Every vehicle over its buffers, element by element; the path must cover them."""
        if self._portions is None:
            found = []
            for placed in self.vehicles:
                for stretch, start in zip(self.path.stretches, self.path.starts_mm, strict=True):
                    length = stretch_mm(self.path.track, stretch)
                    low, high = max(placed.low_mm - start, 0.0), min(placed.high_mm - start, length)
                    if low < high:
                        if not stretch.forward:
                            low, high = length - high, length - low
                        found.append(Portion(stretch.element, stretch.leg, low, high, placed.vehicle.name))
            self._portions = tuple(found)
        return self._portions

    def on_points(self, turnout: str) -> tuple[str, ...]:
        """The vehicles whose bodies stand between a turnout's toe joint and its leg joints."""
        found = []
        for stretch, start in zip(self.path.stretches, self.path.starts_mm, strict=True):
            if stretch.element != turnout or stretch.leg is None:
                continue
            points = self.path.track.turnouts[turnout].length_mm
            low = start if stretch.forward else start + stretch_mm(self.path.track, stretch) - points
            found += [
                placed.vehicle.name
                for placed in self.vehicles
                if placed.at_mm + placed.vehicle.body_mm / 2 > low + TOUCHING_MM
                and placed.at_mm - placed.vehicle.body_mm / 2 < low + points - TOUCHING_MM
            ]
        return tuple(found)


def coordinates(path: Path, place: Place) -> list[float]:
    """Every coordinate at which a path passes a place."""
    return [
        start + (place.at_mm if stretch.forward else stretch_mm(path.track, stretch) - place.at_mm)
        for stretch, start in zip(path.stretches, path.starts_mm, strict=True)
        if stretch.element == place.element and stretch.leg == place.leg
    ]


def _stretch_index(path: Path, portion: Portion) -> int:
    for i, stretch in enumerate(path.stretches):
        if stretch.element == portion.element and stretch.leg == portion.leg:
            return i
    raise AssertionError(f"{portion} is not on the path")


def _beyond(track: Track, stretch: Stretch, lie: Lie) -> tuple[Stretch | None, str | None]:
    joint = track.meets(exit_joint(stretch))
    if joint is None:
        return None, ""
    if isinstance(joint, TurnoutSide) and joint.side is Side.TOE:
        leg = lie[joint.turnout]
        if leg is None:
            return None, joint.turnout
        return Stretch(joint.turnout, leg, True), None
    return following(track, stretch, {}), None


@dataclass(slots=True)
class Motor:
    """A locomotive's decoder and motor: what was commanded, and how it really moves.

    ``heading_forward`` is the way it travels (or last travelled); it changes at a stand only. ``stalled``: it stands
    against something and does so until commanded otherwise. ``held``: it gets no current where it stands.
    """

    locomotive: Locomotive
    real: Performance
    forward: bool = True
    step: int = 0
    emergency: bool = False
    heading_forward: bool = True
    speed_mm_s: float = 0.0
    stalled: bool = False
    held: bool = False

    def target_mm_s(self, powered: bool) -> float:
        """The speed it makes for, in the commanded direction."""
        if not powered or self.emergency or self.stalled or self.held:
            return 0.0
        return self.real.speed_mm_s(self.step, self.forward)

    def runs(self, powered: bool) -> bool:
        """Whether it moves, or is about to."""
        return self.speed_mm_s > 0 or self.target_mm_s(powered) > 0

    def motion(self, powered: bool) -> Motion:
        """How it goes on from now; a change of direction only as far as the stand between."""
        target = self.target_mm_s(powered)
        if self.heading_forward is not self.forward:
            target = 0.0
        braking = self.real.braking_mm_s2
        if not powered:
            braking = FRICTION_MM_S2
        elif self.emergency:
            braking = EMERGENCY_BRAKING_MM_S2
        return Motion.ramp(self.speed_mm_s, target, self.real.acceleration_mm_s2, braking)

    def halt(self) -> None:
        """Stand at once, and stay until commanded otherwise."""
        self.speed_mm_s = 0.0
        self.stalled = True
