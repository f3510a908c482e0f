"""How the vehicles are put on the track before anything moves.

Wagons of a segment are pushed up to the beam at its points end; a locomotive stands at its mark, and what shares its
segment stands coupled to it, or, where that does not fit in, is pushed up to the beam like wagons. How exactly each
stands, nobody knows: it is drawn from the seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pointsman.errors import NotationError, UsageError
from pointsman.track.marks import marked, pushed_towards
from pointsman.track.model import End, Leg, Locomotive, Track, Vehicle
from pointsman.track.path import Path, Stretch
from railsim.hidden import MARK_ERROR_MM, SETUP_GAP_MM, Hidden
from railsim.train import Placed, Rake, closed_mm, taut_mm


@dataclass(frozen=True, slots=True)
class Setup:
    """``segments``: vehicles from -> to. ``facing``: the end to which a locomotive's decoder "forward" points, ``to``
    unless stated. ``lie``: how turnouts lie; those not named, as the seed has it.
    """

    segments: Mapping[str, tuple[str, ...]]
    facing: Mapping[str, End] = field(default_factory=dict)
    lie: Mapping[str, Leg] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str, facing: Mapping[str, End] | None = None) -> Setup:
        """Read the puzzles' one-line notation: ``head: L | s1: 4 6 2``. Raises NotationError."""
        segments: dict[str, tuple[str, ...]] = {}
        for part in text.split("|"):
            name, colon, vehicles = part.partition(":")
            name = name.strip()
            if not colon or not name:
                raise NotationError(
                    f"{part.strip()!r} is not of the form 'segment: vehicles'", cure="write: head: L | s1: 4 6 2"
                )
            if ">" in name:
                raise NotationError(f"a vehicle stands on turnout {name.split('>')[0]}", cure="start on segments only")
            if name in segments:
                raise NotationError(f"segment {name} is given twice", cure="write each segment once")
            segments[name] = tuple(vehicles.split())
        return cls(segments, dict(facing or {}))


def to_the_points(track: Track, setup: Setup) -> dict[str, End]:
    """The end with the points for each locomotive on a segment that the track has; the ``from`` end if both have."""
    return {
        name: pushed_towards(track.segments[segment])
        for segment, names in setup.segments.items()
        for name in names
        if segment in track.segments and name in track.locomotives
    }


def place_all(track: Track, setup: Setup, hidden: Hidden) -> list[Rake]:
    """A rake for each segment with vehicles. Raises UsageError when the set-up does not fit the track."""
    _check(track, setup)
    rakes = []
    for segment, names in setup.segments.items():
        if names:
            rakes.append(_place(track, segment, [track.vehicle(name) for name in names], setup, hidden))
    return rakes


def _check(track: Track, setup: Setup) -> None:
    _known("segment", setup.segments, track.segments)
    _known("turnout", setup.lie, track.turnouts)
    _known("locomotive", setup.facing, track.locomotives)
    seen: set[str] = set()
    for names in setup.segments.values():
        _known("vehicle", names, {**track.wagons, **track.locomotives})
        for name in names:
            if name in seen:
                raise UsageError(f"vehicle {name} stands in two places", where="set-up", cure="write each vehicle once")
            seen.add(name)


def _known(what: str, names: Collection[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            cure = f"{what}s of this track: {' '.join(known) or 'none'}"
            raise UsageError(f"there is no {what} {name!r}", where="set-up", cure=cure)


def _place(track: Track, segment: str, vehicles: list[Vehicle], setup: Setup, hidden: Hidden) -> Rake:
    steps = [_distance(hidden, one, other) for one, other in itertools.pairwise(vehicles)]
    middles = [0.0]
    for step in steps:
        middles.append(middles[-1] + step)
    shift = _anchor(track, segment, vehicles, middles, hidden)
    placed = [
        Placed(vehicle, middle + shift, setup.facing.get(vehicle.name, End.TO) is End.TO)
        for vehicle, middle in zip(vehicles, middles, strict=True)
    ]
    length = track.segments[segment].length_mm
    if placed[0].low_mm < 0 or placed[-1].high_mm > length:
        raise UsageError(
            f"{' '.join(v.name for v in vehicles)} do not fit into {segment}: they reach from "
            f"{placed[0].low_mm:.0f} to {placed[-1].high_mm:.0f} mm of {length:.0f}",
            where="set-up",
            cure="put fewer vehicles there, or move the locomotive's mark",
        )
    return Rake(Path.of(track, [Stretch(segment, None, True)]), placed, [True] * len(steps))


def _distance(hidden: Hidden, one: Vehicle, other: Vehicle) -> float:
    taut = hidden.chance(f"{one.name}-{other.name}/taut")
    return taut_mm(one, other) if taut else closed_mm(one, other)


def _anchor(track: Track, segment: str, vehicles: list[Vehicle], middles: list[float], hidden: Hidden) -> float:
    at_its_mark = marked(track, segment, [vehicle.name for vehicle in vehicles])
    for vehicle, middle in zip(vehicles, middles, strict=True):
        if isinstance(vehicle, Locomotive) and vehicle.name == at_its_mark:
            error = hidden.uniform(f"{vehicle.name}/mark", -MARK_ERROR_MM, MARK_ERROR_MM)
            return vehicle.mark.at_mm - vehicle.length_mm / 2 + error - middle
    gap = hidden.uniform(f"{segment}/set-up", 0.0, SETUP_GAP_MM)
    stated = track.segments[segment]
    if pushed_towards(stated) is End.TO:
        return stated.length_mm - gap - vehicles[-1].length_mm / 2 - middles[-1]
    return gap + vehicles[0].length_mm / 2
