"""What the program believes: where each vehicle stands in millimetres, how the points lie, which way the engine faces.

Belief changes by evidence only. What was commanded and what was reported are separate fields, and neither is ever
written from the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pointsman.puzzle.position import Position
from pointsman.track.marks import marked, pushed_towards
from pointsman.track.model import End, Leg, Place, Track


@dataclass(frozen=True, slots=True)
class Spot:
    """A vehicle's middle stands within ``error_mm`` of a place."""

    place: Place
    error_mm: float


@dataclass(frozen=True, slots=True)
class Belief:
    """The whole belief between two movements.

    ``position`` is the model's, ``spots`` the metal's. ``facing`` is where the decoder's forward points on the element
    where the locomotive stands (for a turnout: ``to`` is the leg). ``parted`` names neighbours whose coupling was
    opened and that have not touched since; ``pushed`` neighbours that were last moved buffer to buffer;
    ``coupled`` those that surely met and were not parted since.
    """

    position: Position
    spots: Mapping[str, Spot]
    facing: End
    commanded: Mapping[str, Leg] = field(default_factory=dict)
    reported: Mapping[str, Leg] = field(default_factory=dict)
    beams: Mapping[str, bool] = field(default_factory=dict)
    pushed: frozenset[frozenset[str]] = frozenset()
    parted: frozenset[frozenset[str]] = frozenset()
    coupled: frozenset[frozenset[str]] = frozenset()
    proved: bool = False

    def with_turnout(self, turnout: str, leg: Leg) -> Belief:
        """After a turnout was commanded and its time has passed."""
        return replace(self, commanded={**self.commanded, turnout: leg})

    def lies(self, track: Track) -> dict[str, Leg]:
        """How every turnout lies as far as it was commanded; the others are taken as closed."""
        return {**dict.fromkeys(track.turnouts, Leg.CLOSED), **self.commanded}

    def with_report(self, turnout: str, leg: Leg) -> Belief:
        """After the station reported a turnout."""
        return replace(self, reported={**self.reported, turnout: leg})

    def with_beam(self, beam: str, active: bool) -> Belief:
        """After a beam changed."""
        return replace(self, beams={**self.beams, beam: active})

    def with_parted(self, one: str, other: str) -> Belief:
        """After the coupling between two vehicles was opened."""
        pair = frozenset((one, other))
        return replace(self, parted=self.parted | {pair}, coupled=self.coupled - {pair})

    def with_coupled(self, one: str, other: str) -> Belief:
        """After it has shown that the coupling between two vehicles holds: drawn, and so not pushed together."""
        pair = frozenset((one, other))
        return replace(self, parted=self.parted - {pair}, coupled=self.coupled | {pair}, pushed=self.pushed - {pair})


def at_setup(track: Track, position: Position, facing: End, mark_error_mm: float, setup_error_mm: float) -> Belief:
    """The belief when a person has set the layout up as the set-up picture shows.

    The locomotive stands at its mark, coupled to what shares its segment. The vehicles of every other segment, and of
    its own when they do not fit in so, stand buffer to buffer, pushed up to the first beam (``track.marks``).
    """
    spots: dict[str, Spot] = {}
    for segment in track.segments.values():
        inside = position.in_segment(segment.name)
        engine = marked(track, segment.name, inside)
        if engine is not None:
            spots |= _around(track, inside, engine, mark_error_mm)
            continue
        from_end = pushed_towards(segment) is End.FROM
        at, half = 0.0, setup_error_mm / 2
        for index, name in enumerate(inside if from_end else reversed(inside)):
            vehicle = track.vehicle(name)
            at += vehicle.buffers_mm / 2 if index else vehicle.length_mm / 2
            # Each coupling may be taut or closed: the further in, the less is known.
            reach = at + half + index * (vehicle.length_mm - vehicle.buffers_mm) / 2
            middle = reach if from_end else segment.length_mm - reach
            spots[name] = Spot(
                Place(segment.name, None, middle), half + index * (vehicle.length_mm - vehicle.buffers_mm) / 2
            )
            at += vehicle.buffers_mm / 2
    return Belief(position=position, spots=spots, facing=facing)


def _around(track: Track, row: Sequence[str], locomotive: str, mark_error_mm: float) -> dict[str, Spot]:
    """A row of coupled vehicles around the locomotive at its mark; each coupling may be taut or closed."""
    engine = track.locomotives[locomotive]
    element, middle = engine.mark.element, engine.mark.at_mm - engine.length_mm / 2
    spots = {locomotive: Spot(Place(element, None, middle), mark_error_mm)}
    here = row.index(locomotive)
    for way, outwards in ((1, row[here:]), (-1, row[here::-1])):
        at, error = middle, mark_error_mm
        for near, far in pairwise(track.vehicle(name) for name in outwards):
            taut, closed = (near.length_mm + far.length_mm) / 2, (near.buffers_mm + far.buffers_mm) / 2
            at += way * (taut + closed) / 2
            error += (taut - closed) / 2
            spots[far.name] = Spot(Place(element, None, at), error)
    return spots
