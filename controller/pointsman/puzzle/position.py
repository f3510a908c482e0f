"""Where every vehicle is: the position of the shunting model, and its one-line notation.

A position says which vehicles stand in each segment, in order from its ``from`` end to its ``to`` end, and which
vehicle stands on an occupied turnout with the leg that turnout lies for. Where *in* a segment vehicles stand is no
part of it.

Notation, for a person and for a program alike::

    head: L | s1: 4 6 2 7 8 | s2: 1 5 3 | s3:
    head: L 4 | s1: 6 2 7 8 | s2: 1 5 | s3: | T1>thrown: 3

Parts may come in any order and empty segments may be left out; it is printed in the track's own order, segments
first, empty ones too, then the occupied turnouts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from pointsman.errors import NotationError, did_you_mean
from pointsman.track.model import Leg, Track


@dataclass(frozen=True, slots=True)
class Position:
    """An immutable, hashable position; make it with ``Position.of`` or ``parse_position``.

    ``segments`` has every segment of the track in the track's order with its vehicles from -> to, ``turnouts`` the
    occupied turnouts only, in the track's order: (turnout, vehicle on it, leg it lies for).
    """

    segments: tuple[tuple[str, tuple[str, ...]], ...]
    turnouts: tuple[tuple[str, str, Leg], ...] = ()

    @classmethod
    def of(
        cls,
        track: Track,
        segments: Mapping[str, Iterable[str]],
        turnouts: Mapping[str, tuple[str, Leg]] | None = None,
    ) -> Position:
        """A position from names that are known to be right; segments not named are empty."""
        on = turnouts or {}
        return cls(
            tuple((name, tuple(segments.get(name, ()))) for name in track.segments),
            tuple((name, *on[name]) for name in track.turnouts if name in on),
        )

    def in_segment(self, name: str) -> tuple[str, ...]:
        """The vehicles in a segment, from -> to. KeyError for a name that is no segment of the track."""
        for segment, vehicles in self.segments:
            if segment == name:
                return vehicles
        raise KeyError(name)

    def on_turnout(self, name: str) -> tuple[str, Leg] | None:
        """The vehicle on a turnout and the leg the turnout lies for; None when nothing stands on it."""
        for turnout, vehicle, leg in self.turnouts:
            if turnout == name:
                return vehicle, leg
        return None

    def where(self, vehicle: str) -> tuple[str, Leg | None]:
        """The element a vehicle stands on, and the leg when that is a turnout. KeyError when it is not here."""
        for segment, vehicles in self.segments:
            if vehicle in vehicles:
                return segment, None
        for turnout, on, leg in self.turnouts:
            if on == vehicle:
                return turnout, leg
        raise KeyError(vehicle)

    @property
    def vehicles(self) -> tuple[str, ...]:
        """Every vehicle, in reading order: segment by segment from -> to, then the occupied turnouts."""
        inside = tuple(vehicle for _, vehicles in self.segments for vehicle in vehicles)
        return inside + tuple(vehicle for _, vehicle, _ in self.turnouts)

    def renamed(self, names: Mapping[str, str]) -> Position:
        """The same position with vehicles renamed; those not in ``names`` keep theirs."""
        return Position(
            tuple((segment, tuple(names.get(v, v) for v in vehicles)) for segment, vehicles in self.segments),
            tuple((turnout, names.get(vehicle, vehicle), leg) for turnout, vehicle, leg in self.turnouts),
        )

    def __str__(self) -> str:
        parts = [" ".join((f"{segment}:", *vehicles)) for segment, vehicles in self.segments]
        parts += [f"{turnout}>{leg}: {vehicle}" for turnout, vehicle, leg in self.turnouts]
        return " | ".join(parts)


def parse_position(text: str, track: Track, vehicles: Collection[str] | None = None) -> Position:
    """Read the one-line notation.

    ``vehicles``, when given, are exactly those that must be there. Raises NotationError, which names the part.
    """
    segments: dict[str, tuple[str, ...]] = {}
    turnouts: dict[str, tuple[str, Leg]] = {}
    seen: dict[str, str] = {}
    for number, part in enumerate(text.split("|"), start=1):
        where = f"position, part {number} ({part.strip()!r})"
        head, colon, body = part.partition(":")
        head, names = head.strip(), tuple(body.split())
        if not colon or not head or ":" in body:
            raise NotationError("not of the form 'segment: vehicles'", where=where, cure=_example(track))
        _check_vehicles(names, track, seen, head, where)
        if ">" in head:
            _read_turnout(head, names, track, turnouts, where)
        else:
            _read_segment(head, names, track, segments, where)
    if vehicles is not None:
        _check_complete(seen, vehicles)
    return Position.of(track, segments, turnouts)


def _read_segment(
    name: str, names: tuple[str, ...], track: Track, segments: dict[str, tuple[str, ...]], where: str
) -> None:
    segment = track.segments.get(name)
    if segment is None:
        cure = did_you_mean(name, track.segments)
        if name in track.turnouts:
            cure = f"a vehicle on a turnout is written with the leg it lies for: {name}>closed or {name}>thrown"
        raise NotationError(f"there is no segment {name!r}", where=where, cure=cure)
    if name in segments:
        raise NotationError(f"segment {name} is given twice", where=where, cure="write each segment once")
    if len(names) > segment.capacity:
        raise NotationError(
            f"{len(names)} vehicles in {name}, which holds {segment.capacity}",
            where=where,
            cure="a capacity counts every vehicle, the locomotive too",
        )
    segments[name] = names


def _read_turnout(
    head: str, names: tuple[str, ...], track: Track, turnouts: dict[str, tuple[str, Leg]], where: str
) -> None:
    name, _, lie = (piece.strip() for piece in head.partition(">"))
    turnout = track.turnouts.get(name)
    if turnout is None:
        raise NotationError(f"there is no turnout {name!r}", where=where, cure=did_you_mean(name, track.turnouts))
    if lie not in {leg.value for leg in Leg}:
        raise NotationError(f"{lie!r} is no leg", where=where, cure=f"write {name}>closed or {name}>thrown")
    if name in turnouts:
        raise NotationError(f"turnout {name} is given twice", where=where, cure="write each turnout once")
    if turnout.holds < 1 or len(names) != 1:
        raise NotationError(
            f"{len(names)} vehicles on {name}, which holds {turnout.holds}",
            where=where,
            cure="write an occupied turnout with the one vehicle on it, and leave a free one out",
        )
    turnouts[name] = names[0], Leg(lie)


def _check_vehicles(names: tuple[str, ...], track: Track, seen: dict[str, str], place: str, where: str) -> None:
    for name in names:
        if name not in track.wagons and name not in track.locomotives:
            cure = did_you_mean(name, (*track.locomotives, *track.wagons))
            raise NotationError(f"there is no vehicle {name!r}", where=where, cure=cure)
        if name in seen:
            raise NotationError(
                f"vehicle {name} is in {seen[name]} already", where=where, cure="write each vehicle once"
            )
        seen[name] = place


def _check_complete(seen: Mapping[str, str], vehicles: Collection[str]) -> None:
    missing = [name for name in vehicles if name not in seen]
    if missing:
        raise NotationError(
            f"missing: {' '.join(missing)}", where="position", cure="every vehicle of the puzzle must stand somewhere"
        )
    extra = [name for name in seen if name not in vehicles]
    if extra:
        raise NotationError(
            f"not of this puzzle: {' '.join(extra)}",
            where="position",
            cure=f"vehicles of this puzzle: {' '.join(vehicles)}",
        )


def _example(track: Track) -> str:
    first = next(iter(track.segments))
    return f"write it like '{first}: 1 2 | ...', parts parted by '|'; segments: {' '.join(track.segments)}"
