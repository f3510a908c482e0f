"""What a puzzle asks for, and its one-line notation.

A goal is one or more terms, parted by ``|``; every term must hold, and whatever no term speaks of is free::

    s1: 1 2 3 4 5                        s1 holds exactly these, in this order from its `from` end
    s1: 1 2 3 4 5 | s2: 6 7 8            and s2 holds exactly those
    s1: 1 2 3 4 5 | s2: {6 7 8}          s2 holds those, in any order
    s1: 1 2 3 4 5 | s2+s3: {6 7 8}       s2 and s3 together hold those, in any arrangement
    s1: 1 2 3 4 5 | head:                and no wagon stands in head

A goal looks at wagons only: a locomotive may be anywhere, in a named segment too, unless the term names it; then the
term's segment is compared with its locomotive.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pointsman.errors import NotationError
from pointsman.puzzle.position import Position
from pointsman.track.model import Track

_FORMS = "write a goal like 's1: 1 2 3' (in order), 's2: {4 5}' (any order) or 's2+s3: {4 5}', parted by '|'"


@dataclass(frozen=True, slots=True)
class Term:
    """The segments together hold exactly these vehicles; in this order, or in any.

    A term over several segments is always in any order.
    """

    segments: tuple[str, ...]
    vehicles: tuple[str, ...]
    any_order: bool

    def reached(self, position: Position, locomotives: Collection[str]) -> bool:
        """Whether the term holds in a position; ``locomotives`` are overlooked unless the term names one."""
        found = [vehicle for segment in self.segments for vehicle in position.in_segment(segment)]
        if not any(vehicle in locomotives for vehicle in self.vehicles):
            found = [vehicle for vehicle in found if vehicle not in locomotives]
        if self.any_order:
            return sorted(found) == sorted(self.vehicles)
        return tuple(found) == self.vehicles

    def __str__(self) -> str:
        names = " ".join(self.vehicles)
        body = f"{{{names}}}" if self.any_order else names
        return f"{'+'.join(self.segments)}: {body}".rstrip()


@dataclass(frozen=True, slots=True)
class Goal:
    """All terms must hold. Terms stand in the track's order, so equal goals are equal."""

    terms: tuple[Term, ...]

    @property
    def vehicles(self) -> tuple[str, ...]:
        """Every vehicle named, term by term."""
        return tuple(vehicle for term in self.terms for vehicle in term.vehicles)

    def reached(self, position: Position, locomotives: Collection[str]) -> bool:
        """Whether the goal is reached in a position."""
        return all(term.reached(position, locomotives) for term in self.terms)

    def kinds(self, wagons: Collection[str]) -> dict[str, int]:
        """Which wagons are alike for this goal: wagon -> kind, numbered from 0.

        A wagon with a place of its own is a kind of its own, those of one set are alike, and so are all that the
        goal does not name. Two goals that differ only by the names of wagons give the same kinds place by place, so
        they share one table of distances.
        """
        found: dict[str, int] = {}
        kind = 0
        for term in self.terms:
            for vehicle in term.vehicles:
                if vehicle in wagons:
                    found[vehicle] = kind
                    kind += 0 if term.any_order else 1
            kind += 1 if term.any_order and any(vehicle in wagons for vehicle in term.vehicles) else 0
        return found | {wagon: kind for wagon in wagons if wagon not in found}

    def renamed(self, names: Mapping[str, str]) -> Goal:
        """The same goal with vehicles renamed; a set keeps no order, so it is sorted as before the renaming."""
        return Goal(
            tuple(
                Term(term.segments, _in_order([names.get(v, v) for v in term.vehicles], term.any_order), term.any_order)
                for term in self.terms
            )
        )

    def __str__(self) -> str:
        return " | ".join(str(term) for term in self.terms)


def parse_goal(text: str, track: Track, vehicles: Collection[str] | None = None) -> Goal:
    """Read the one-line notation; ``vehicles``, when given, are those of the puzzle.

    Raises NotationError, which names the part: unknown or repeated segments and vehicles, more than fits.
    """
    known = (*track.locomotives, *track.wagons) if vehicles is None else tuple(vehicles)
    terms: list[Term] = []
    places: set[str] = set()
    seen: set[str] = set()
    for number, part in enumerate(text.split("|"), start=1):
        where = f"goal, part {number} ({part.strip()!r})"
        term = _read_term(part, where)
        room = 0
        for segment in term.segments:
            if segment not in track.segments:
                cure = f"segments of this track: {' '.join(track.segments)}"
                raise NotationError(f"there is no segment {segment!r}", where=where, cure=cure)
            if segment in places:
                raise NotationError(f"segment {segment} is given twice", where=where, cure="name each segment once")
            places.add(segment)
            room += track.segments[segment].capacity
        for vehicle in term.vehicles:
            if vehicle not in known:
                cure = f"vehicles of this puzzle: {' '.join(known)}"
                raise NotationError(f"there is no vehicle {vehicle!r}", where=where, cure=cure)
            if vehicle in seen:
                raise NotationError(f"vehicle {vehicle} is given twice", where=where, cure="name each vehicle once")
            seen.add(vehicle)
        if len(term.vehicles) > room:
            what = f"{len(term.vehicles)} vehicles in {'+'.join(term.segments)}, which holds {room}"
            raise NotationError(what, where=where, cure="ask for fewer vehicles there")
        order = [segment for segment in track.segments if segment in term.segments]
        terms.append(Term(tuple(order), term.vehicles, term.any_order))
    rank = {segment: place for place, segment in enumerate(track.segments)}
    return Goal(tuple(sorted(terms, key=lambda term: rank[term.segments[0]])))


def _read_term(part: str, where: str) -> Term:
    head, colon, body = part.partition(":")
    segments = tuple(name.strip() for name in head.split("+"))
    body = body.strip()
    any_order = body.startswith("{") and body.endswith("}")
    names = body[1:-1] if any_order else body
    if not colon or not all(segments) or any(mark in names for mark in ":{}"):
        raise NotationError("not of the form 'segment: vehicles'", where=where, cure=_FORMS)
    vehicles = names.split()
    if len(segments) > 1 and not any_order:
        raise NotationError("several segments have no one order", where=where, cure="put the vehicles in braces")
    return Term(segments, _in_order(vehicles, any_order), any_order)


def _in_order(vehicles: list[str], any_order: bool) -> tuple[str, ...]:
    """A set is kept sorted (short names first, so that 10 comes after 9), a list as it is."""
    return tuple(sorted(vehicles, key=lambda name: (len(name), name)) if any_order else vehicles)
