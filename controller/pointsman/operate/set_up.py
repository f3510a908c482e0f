"""How everything has to stand before a play, and what the ends of a track are called, in words."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.operate.allowances import Allowances
from pointsman.puzzle.choice import Chosen
from pointsman.track.ends import ends_of
from pointsman.track.marks import marked, pushed_towards
from pointsman.track.model import End, Track


def set_up_lines(chosen: Chosen) -> list[str]:
    """Where everything has to stand before a play, in words."""
    track, engine = chosen.track, chosen.puzzle.locomotive
    segment = chosen.start.where(engine)[0]
    row = chosen.start.in_segment(segment)
    beside = [vehicle for vehicle in row if vehicle != engine]
    coupled = f"; {' '.join(beside)} coupled to it" if beside else ""
    near = f"its coupler within {Allowances().setup_error_mm:.0f} mm of it"
    wagons = f"Wagons: the first in each track just clear of the beam, {near}, the others pushed up to it."
    if marked(track, segment, row) == engine:
        return [wagons, f"{mark_line(track, engine)}{coupled}."]
    end = pushed_towards(track.segments[segment])
    first = row[0] if end is End.FROM else row[-1]
    where = f"{first} just clear of the beam at {ends_of(track, segment)[end].told}, {near}"
    return [wagons, f"{engine}: in {segment}, set up like wagons: {where}{coupled}."]


@dataclass(frozen=True, slots=True)
class Facing:
    """What a person is asked about the way a locomotive goes; ``note`` comes before ``question``, or is empty."""

    question: str
    note: str


def facing_asked(track: Track, engine: str, segment: str, *, dc: bool) -> Facing:
    """Where the front of a locomotive in a segment points: to one of the segment's ends.

    ``dc``: on direct current its front does not tell, but where it runs when it is driven forward.
    """
    told = " or to ".join(name.told for name in ends_of(track, segment).values())
    if not dc:
        return Facing(f"Does the front of {engine} point to {told}?", "")
    return Facing(
        f"When the node drives {engine} forward, does it run to {told}?",
        f"{engine} runs on direct current: the wires to the rails decide which way it runs, not its front. "
        "The first movement shows whether the answer is right.",
    )


def mark_line(track: Track, engine: str) -> str:
    """Where a locomotive's mark is, in words; without the full stop."""
    mark = track.locomotives[engine].mark
    names = ends_of(track, mark.element)
    return (
        f"{engine}: in {mark.element}, its coupler towards {names[End.TO].told} {mark.at_mm:.0f} mm from "
        f"{_what_is_at(track, mark.element, End.FROM)}"
    )


def _what_is_at(track: Track, segment: str, end: End) -> str:
    joint = track.segments[segment].meets(end)
    return "the buffer stop" if joint is None else f"the fouling point at {joint.turnout}"
