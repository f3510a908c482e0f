"""Where a locomotive's speed is measured: a line that it can go to and fro on alone, and two beams on it.

Every line through the segment of the locomotive's mark is looked at, whichever way the points would have to lie. On a
line the locomotive goes *up*, from ``near`` to ``far`` and beyond, and *down*, back again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from pointsman.errors import RefusedError, UsageError
from pointsman.operate.allowances import Allowances
from pointsman.track.model import End, Leg, Locomotive, SegmentEnd, Side, Track
from pointsman.track.path import Path, Stretch, exit_joint

SHORTEST_MM = 100.0
"""Two beams that stand nearer than this time nothing well."""
SHORTEST_S = 1.0
"""A passage must take this long: the reports of two beams may differ by 20 ms in what they are late."""
FOR_THE_STOP_MM = 40.0
"""Room for a stop at a creep, with all that it can miss by."""


@dataclass(frozen=True, slots=True)
class Section:
    """A line with two beams on it; ``near_mm`` < ``far_mm`` are coordinates of ``path``.

    The locomotive's middle may stand from ``low_mm`` to ``high_mm``; up to ``top_mm_s`` there is room for.
    """

    path: Path
    near: str
    far: str
    near_mm: float
    far_mm: float
    low_mm: float
    high_mm: float
    top_mm_s: float

    @property
    def distance_mm(self) -> float:
        """How far apart the beams are along the track."""
        return self.far_mm - self.near_mm

    @property
    def legs(self) -> dict[str, Leg]:
        """How the turnouts of the line have to lie."""
        return {stretch.element: stretch.leg for stretch in self.path.stretches if stretch.leg is not None}

    @property
    def elements(self) -> tuple[str, ...]:
        """Segments and turnouts that the locomotive may come to, in the order of the line."""
        return tuple(stretch.element for stretch in self.path.stretches)


def run_up_mm(mm_s: float, engine: Locomotive, allow: Allowances) -> float:
    """How far the fastest train comes before even the slowest surely goes at a speed, and a beam has said so."""
    gain_low = engine.acceleration_mm_s2 * (1 - allow.rate_error)
    gain_high = engine.acceleration_mm_s2 * (1 + allow.rate_error)
    steady_s = allow.rail_max_s + allow.host_max_s + mm_s / gain_low
    at_speed_s = steady_s - allow.rail_min_s - mm_s / gain_high + allow.sensor_max_s + allow.host_max_s
    return mm_s**2 / (2 * gain_high) + mm_s * at_speed_s


def unsure_when_sounded(mm_s: float, engine: Locomotive, allow: Allowances) -> float:
    """How far a speed may be off, as a part of it, that was timed over the locomotive's own length at one beam."""
    return 2 * (allow.edge_mm + allow.jitter_s * mm_s) / engine.body_mm + 2 * allow.wavering


def slow_after_mm(mm_s: float, ahead_mm: float, engine: Locomotive, allow: Allowances) -> float:
    """How far beyond an edge the fastest train can be at a creep, if it must not brake before the edge was seen.

    ``ahead_mm`` is how far the fastest is ahead of the true one by then.
    """
    loss_low = engine.braking_mm_s2 * (1 - allow.rate_error)
    late_s = allow.rail_max_s + allow.host_max_s + allow.sensor_max_s + allow.host_max_s
    return ahead_mm + mm_s * late_s + mm_s**2 / (2 * loss_low) + allow.match_mm


def stand_after_mm(mm_s: float, distance_mm: float, engine: Locomotive, allow: Allowances) -> float:
    """How far beyond a beam (its middle, when the body has just left it) a train must stand, to have come at a speed
    and to go back at it."""
    ahead_mm = distance_mm * unsure_when_sounded(mm_s, engine, allow)
    slowed = slow_after_mm(mm_s, ahead_mm, engine, allow) - engine.body_mm
    return max(run_up_mm(mm_s, engine, allow), slowed)


def sections(track: Track, engine: Locomotive, ceiling_mm_s: float, allow: Allowances) -> list[Section]:
    """Every section that the locomotive can reach from its mark without turning back, on each line once."""
    found = []
    for path in _lines(track, engine.mark.element):
        half, body = engine.buffers_mm / 2, engine.body_mm / 2
        low = path.starts_mm[0] + allow.buffer_mm + half
        high = path.end_mm - allow.buffer_mm - half
        places = [(at, beam.name) for beam in track.beams.values() if (at := path.coordinate(beam.place)) is not None]
        for (near_mm, near), (far_mm, far) in combinations(sorted(places), 2):
            room_mm = min(near_mm - body - low, high - far_mm - body)
            top = _top_mm_s(room_mm, far_mm - near_mm, engine, ceiling_mm_s, allow)
            found.append(Section(path, near, far, near_mm, far_mm, low, high, top))
    return found


def choose_section(
    track: Track,
    engine: Locomotive,
    ceiling_mm_s: float,
    allow: Allowances,
    between: tuple[str, str] | None = None,
) -> Section:
    """The longest section with room to stop at both ends from everyday speed; or the best between two given beams.

    Where none has so much room, the one with the most. Raises UsageError for a beam that is not there, RefusedError
    when the locomotive cannot be measured there.
    """
    found = sections(track, engine, ceiling_mm_s, allow)
    where = f"from {engine.mark.element}, where {engine.name} stands,"
    if between is not None:
        for beam in between:
            if beam not in track.beams:
                raise UsageError(
                    f"there is no beam {beam!r}", where="--between", cure=f"beams: {', '.join(track.beams)}"
                )
        found = [section for section in found if {section.near, section.far} == set(between)]
        if not found:
            raise RefusedError(
                [f"no line {where} leads past both {between[0]} and {between[1]}"],
                cure="name two beams that it can pass without turning back",
            )
    slowest = engine.speeds.speed_mm_s(engine.speeds.sendable[0])
    good = [s for s in found if s.distance_mm >= SHORTEST_MM and s.top_mm_s >= 2 * slowest]
    if not good:
        raise RefusedError(
            [
                f"no two beams in a line {where} are {SHORTEST_MM:.0f} mm apart with room for {engine.name} "
                "to gather speed and to stop beyond both"
                if between is None
                else f"between {between[0]} and {between[1]} there is not room to gather speed and to stop beyond both"
            ],
            cure="measure it elsewhere: time it over a metre of track, and write speed_table by hand",
        )
    everyday = 0.9 * min(track.speeds.shunting, ceiling_mm_s)
    quick = [section for section in good if section.top_mm_s >= everyday]
    if quick:
        return max(quick, key=lambda section: section.distance_mm)
    return max(good, key=lambda section: (section.top_mm_s, section.distance_mm))


def _top_mm_s(room_mm: float, distance_mm: float, engine: Locomotive, ceiling_mm_s: float, allow: Allowances) -> float:
    """The fastest whole mm/s that there is room and length for; 0 when there is none."""
    for mm_s in range(int(min(ceiling_mm_s, distance_mm / SHORTEST_S)), 0, -1):
        if stand_after_mm(mm_s, distance_mm, engine, allow) + FOR_THE_STOP_MM <= room_mm:
            return float(mm_s)
    return 0.0


def _lines(track: Track, segment: str) -> Iterator[Path]:
    """Every line through a segment, whichever way turnouts lie; a line ends before it would come to itself."""
    here = Stretch(segment, None, True)
    for behind in _ways(track, here.reverse, frozenset({segment})):
        passed = frozenset(stretch.element for stretch in behind)
        for ahead in _ways(track, here, passed | {segment}):
            yield Path.of(track, [*(stretch.reverse for stretch in reversed(behind)), here, *ahead])


def _ways(track: Track, stretch: Stretch, passed: frozenset[str]) -> Iterator[tuple[Stretch, ...]]:
    joint = track.meets(exit_joint(stretch))
    if joint is None:
        onward = []
    elif isinstance(joint, SegmentEnd):
        onward = [Stretch(joint.segment, None, joint.end is End.FROM)]
    elif joint.side is Side.TOE:
        onward = [Stretch(joint.turnout, leg, True) for leg in Leg]
    else:
        onward = [Stretch(joint.turnout, Leg(joint.side), False)]
    onward = [following for following in onward if following.element not in passed]
    if not onward:
        yield ()
    for following in onward:
        for rest in _ways(track, following, passed | {following.element}):
            yield (following, *rest)
