"""What a running train meets next: the one search behind every event of the world.

The train's rake is turned so that it travels up its path. Everything it can meet lies at a coordinate of one of its
vehicles, hence at a coordinate of the locomotive; the nearest comes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pointsman.track.model import Leg, Track
from pointsman.track.path import Path, stretch_mm
from railsim.foul import Zone, Zones, measured
from railsim.train import TOUCHING_MM, Lie, Portion, Rake, coordinates

LOOK_AHEAD_MM = 700.0
LOOK_AGAIN_MM = 60.0


@dataclass(frozen=True, slots=True)
class AtBeam:
    """A vehicle's body begins or ends breaking a beam."""

    beam: str
    vehicle: str
    covers: bool


@dataclass(frozen=True, slots=True)
class AtVehicle:
    """The buffers meet those of another vehicle, now ``gap_mm`` away."""

    portion: Portion
    gap_mm: float


@dataclass(frozen=True, slots=True)
class AtBuffer:
    """The buffers meet the end of the track."""

    segment: str


@dataclass(frozen=True, slots=True)
class AtPoints:
    """The first axle comes to points that lie wrong (``run_through``) or are moving."""

    turnout: str
    run_through: bool


@dataclass(frozen=True, slots=True)
class AtFoul:
    """The leading vehicle strikes the side of one that stands foul on the other leg."""

    turnout: str
    vehicle: str


@dataclass(frozen=True, slots=True)
class LookAgain:
    """Nothing happens: the end of what was looked at is near."""


Meeting = AtBeam | AtVehicle | AtBuffer | AtPoints | AtFoul | LookAgain

_RANK = {AtBeam: 0, LookAgain: 1, AtPoints: 2, AtBuffer: 3, AtFoul: 4, AtVehicle: 5}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A meeting and the locomotive's coordinate at which it comes."""

    driver_mm: float
    meeting: Meeting

    @property
    def order(self) -> tuple[float, int]:
        """By coordinate; what only looks comes before what stops."""
        return self.driver_mm, _RANK[type(self.meeting)]


def candidates(
    track: Track,
    zones: Zones,
    rake: Rake,
    driver: int,
    lie: Lie,
    everything: Sequence[Portion],
    covered: Mapping[str, set[str]],
) -> list[Candidate]:
    """All that the rake can meet going up, nearest first; lays the rake's path anew.

    ``everything`` are the portions of all vehicles, this rake's own too; ``covered`` names the vehicles in each beam.
    """
    ended_by = rake.cover(lie, LOOK_AHEAD_MM)
    lead = rake.vehicles[-1]
    offsets = rake.offsets_mm(driver)
    front_offset = offsets[-1] + lead.vehicle.buffers_mm / 2
    front = lead.high_mm
    # The leading vehicle may not move before its slack is closed: what touches it is met only then.
    begins = max(rake.vehicles[driver].at_mm, lead.at_mm - offsets[-1])

    def by_front(at_mm: float, meeting: Meeting) -> Candidate:
        return Candidate(max(at_mm - front_offset, begins), meeting)

    found = _beams(track, rake, offsets, covered)
    found += [
        by_front(at, AtVehicle(portion, max(0.0, at - front)))
        for at, portion in _vehicles(rake.path, front, everything)
    ]
    found += [by_front(at, meeting) for at, meeting in _fouls(zones, rake.path, front, everything)]
    axle = (lead.vehicle.buffers_mm - lead.vehicle.body_mm) / 2
    found += [by_front(at + axle, meeting) for at, meeting in _points(track, rake.path, front - axle, lie)]
    end = rake.path.end_mm
    if ended_by is None:
        found.append(by_front(end - LOOK_AGAIN_MM, LookAgain()))
    elif ended_by:
        found.append(by_front(end + axle, AtPoints(ended_by, run_through=False)))
    else:
        found.append(by_front(end, AtBuffer(rake.path.stretches[-1].element)))
    found.sort(key=lambda candidate: candidate.order)
    return found


def _beams(track: Track, rake: Rake, offsets: Sequence[float], covered: Mapping[str, set[str]]) -> list[Candidate]:
    found = []
    for beam in track.beams.values():
        for at in coordinates(rake.path, beam.place):
            for placed, offset in zip(rake.vehicles, offsets, strict=True):
                half = placed.vehicle.body_mm / 2
                name = placed.vehicle.name
                covers = name not in covered[beam.name]
                if covers and placed.at_mm >= at:
                    continue
                middle = at - half if covers else at + half
                moves_from = placed.at_mm - offset
                found.append(Candidate(max(middle - offset, moves_from), AtBeam(beam.name, name, covers)))
    return found


def _vehicles(path: Path, front: float, everything: Sequence[Portion]) -> list[tuple[float, Portion]]:
    nearest: tuple[float, Portion] | None = None
    for stretch, start in zip(path.stretches, path.starts_mm, strict=True):
        length = stretch_mm(path.track, stretch)
        if start + length <= front:
            continue
        for portion in everything:
            if portion.element != stretch.element or portion.leg != stretch.leg:
                continue
            low, high = portion.low_mm, portion.high_mm
            if not stretch.forward:
                low, high = length - high, length - low
            if start + high > front + TOUCHING_MM and (nearest is None or start + low < nearest[0]):
                nearest = (start + low, portion)
        if nearest is not None:
            break
    return [] if nearest is None else [nearest]


def _fouls(zones: Zones, path: Path, front: float, everything: Sequence[Portion]) -> list[tuple[float, AtFoul]]:
    standing = measured(zones, everything)
    found = []
    for stretch, start in zip(path.stretches, path.starts_mm, strict=True):
        length = stretch_mm(path.track, stretch)
        if start + length <= front:
            continue
        for part in zones.get((stretch.element, stretch.leg), ()):
            for low, high, vehicle in standing.get(Zone(part.zone.turnout, part.zone.leg.other), ()):
                ends = [min(max(part.at_mm(measure), part.low_mm), part.high_mm) for measure in (low, high)]
                along = sorted(start + (at if stretch.forward else length - at) for at in ends)
                if along[1] - along[0] > TOUCHING_MM and along[1] > front + TOUCHING_MM:
                    found.append((along[0], AtFoul(part.zone.turnout, vehicle)))
    return found


def _points(track: Track, path: Path, axle: float, lie: Lie) -> list[tuple[float, AtPoints]]:
    found = []
    for stretch, start in zip(path.stretches, path.starts_mm, strict=True):
        if stretch.leg is None or stretch.forward:
            continue
        joint = start + stretch_mm(track, stretch) - track.turnouts[stretch.element].length_mm
        lies: Leg | None = lie[stretch.element]
        if joint >= axle - TOUCHING_MM and lies is not stretch.leg:
            found.append((joint, AtPoints(stretch.element, run_through=lies is not None)))
    return found
