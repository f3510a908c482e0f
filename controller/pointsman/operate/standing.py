"""The model's position of what stands on the metal, where it can be written.

A vehicle whole in a segment is in it; one that reaches over an end may be written on either side. Of the ways to write
it the position before is kept where that is still one: then nothing has changed. Where more vehicles of the train
stand on a turnout than the model has, those nearer to the locomotive are written in the next segment on its side, as
the runs of a plan are: what is furthest from it stays on the turnout. A wagon that is left foul of points, and what
fits nowhere, cannot be written: that is *between positions*.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from pointsman.operate.belief import Belief, Spot
from pointsman.puzzle.moves import why_impossible
from pointsman.puzzle.position import Position
from pointsman.track.model import Leg, Track
from pointsman.track.path import Stretch, following, line_through, stretch_mm

FOUL_MM = 3.0
"""A vehicle that reaches so little beyond an end, and the doubt about where it stands, is not counted as beyond it."""


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a vehicle on one element; ``at_mm`` is its middle there, ``mm`` its length."""

    element: str
    leg: Leg | None
    at_mm: float
    mm: float


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands where for the model: ``position`` None is between positions, and ``why``."""

    position: Position | None
    why: str = ""


def standing(track: Track, belief: Belief, before: Position, locomotive: str, train: Collection[str]) -> Standing:
    """The position in which everything stands; ``train`` are the vehicles that may be coupled to the locomotive."""
    parts = {name: parts_of(track, belief, name) for name in belief.spots}
    for name, own in parts.items():
        over = [part for part in own if part.leg is not None]
        if over and name not in train:
            return Standing(None, f"{name} stands foul of {over[0].element}")
    there = _best(track, belief, before, locomotive, parts)
    if there is not None:
        return Standing(there)
    crowded = {name: [*own, *_next_to(track, belief, name, locomotive, own)] for name, own in parts.items()}
    beside = _best(track, belief, None, locomotive, crowded)
    return Standing(beside) if beside is not None else Standing(None, _crowded(parts))


def _best(
    track: Track,
    belief: Belief,
    before: Position | None,
    locomotive: str,
    parts: Mapping[str, Sequence[Part]],
) -> Position | None:
    """The best position of those that a part for each vehicle gives; None when none is one of the model."""
    place = belief.spots[locomotive].place
    line = line_through(track, Stretch(place.element, place.leg, True), belief.lies(track))
    along = {name: at for name, spot in belief.spots.items() if (at := line.coordinate(spot.place)) is not None}
    order = sorted(along, key=lambda name: along[name])
    numbers = {stretch.element: number for number, stretch in enumerate(line.stretches)}
    trodden = {part.element for own in parts.values() for part in own if part.leg is not None and part.mm > 0}
    best: tuple[tuple[bool, int, float], Position] | None = None
    for choice in product(*parts.values()):
        chosen = dict(zip(parts, choice, strict=True))
        ways = [numbers[chosen[name].element] for name in order if chosen[name].element in numbers]
        position = _written(track, chosen) if ways == sorted(ways) else None
        if position is None or why_impossible(track, position, locomotive):
            continue
        bare = len(trodden - {part.element for part in choice})
        rank = position == before, -bare, sum(part.mm for part in choice)
        if best is None or rank > best[0]:
            best = rank, position
    return None if best is None else best[1]


def _next_to(track: Track, belief: Belief, vehicle: str, locomotive: str, own: Sequence[Part]) -> Iterator[Part]:
    """Where else a vehicle on a turnout may be written: on from there towards the locomotive, to the next segment."""
    if any(part.leg is None for part in own):
        return
    place, lies = belief.spots[vehicle].place, belief.lies(track)
    line = line_through(track, Stretch(place.element, place.leg, True), lies)
    here_mm, engine_mm = line.coordinate(place), line.coordinate(belief.spots[locomotive].place)
    if here_mm is None or engine_mm is None:
        return
    ways = (True, False) if vehicle == locomotive else (engine_mm > here_mm,)
    for forward in ways:
        here = Stretch(place.element, place.leg, forward)
        way_mm = stretch_mm(track, here) - place.at_mm if forward else place.at_mm
        seen = {part.element for part in own}
        beyond = following(track, here, lies)
        while beyond is not None:
            at_mm = -way_mm if beyond.forward else stretch_mm(track, beyond) + way_mm
            if beyond.element not in seen:
                yield Part(beyond.element, beyond.leg, at_mm, 0.0)
            if beyond.leg is None:
                break
            way_mm += stretch_mm(track, beyond)
            beyond = following(track, beyond, lies)


def parts_of(track: Track, belief: Belief, vehicle: str) -> list[Part]:
    """The elements that a vehicle stands on, along the line as the turnouts lie; never none."""
    spot = belief.spots[vehicle]
    half_mm = track.vehicle(vehicle).buffers_mm / 2
    found = list(_parts(track, spot, half_mm, belief.lies(track)))
    longest = max(found, key=lambda part: part.mm)
    tolerance_mm = spot.error_mm + FOUL_MM
    return [part for part in found if part is longest or part.mm > tolerance_mm]


def _parts(track: Track, spot: Spot, half_mm: float, lies: Mapping[str, Leg]) -> Iterator[Part]:
    place = spot.place
    low, high = place.at_mm - half_mm, place.at_mm + half_mm
    along = Stretch(place.element, place.leg, True)
    length = stretch_mm(track, along)
    inside = max(0.0, low), min(high, length)
    yield Part(place.element, place.leg, sum(inside) / 2, inside[1] - inside[0])
    for stretch, over_mm in ((along, high - length), (along.reverse, -low)):
        beyond, rest = following(track, stretch, lies), over_mm
        while beyond is not None and rest > 0:
            reach = min(rest, stretch_mm(track, beyond))
            middle = reach / 2 if beyond.forward else stretch_mm(track, beyond) - reach / 2
            yield Part(beyond.element, beyond.leg, middle, reach)
            rest -= reach
            beyond = following(track, beyond, lies)


def _written(track: Track, chosen: Mapping[str, Part]) -> Position | None:
    """The position of a choice of one part for each vehicle; None when the model has no such position."""
    segments: dict[str, list[tuple[float, str]]] = {}
    turnouts: dict[str, tuple[str, Leg]] = {}
    for name, part in chosen.items():
        if part.leg is None:
            segments.setdefault(part.element, []).append((part.at_mm, name))
        elif part.element in turnouts:
            return None
        else:
            turnouts[part.element] = name, part.leg
    if any(len(row) > track.segments[segment].capacity for segment, row in segments.items()):
        return None
    return Position.of(track, {name: [v for _, v in sorted(row)] for name, row in segments.items()}, turnouts)


def _crowded(parts: Mapping[str, Sequence[Part]]) -> str:
    """What cannot be written, for a person."""
    over: dict[str, list[str]] = {}
    for name, own in parts.items():
        for part in own:
            if part.leg is not None:
                over.setdefault(part.element, []).append(name)
    most = max(over.items(), key=lambda item: len(item[1]), default=None)
    if most is None:
        return "a track holds more than the game allows"
    return f"{' '.join(most[1])} stand on {most[0]}: the game writes one vehicle on a turnout"
