"""How far a locomotive may go by hand, one way, from where everything stands: what comes first there, and why.

A person's throttle asks for a speed and not for a place. The furthest place is found here, along the line as the
turnouts lie, for all that the movement draws along and pushes on. Whatever the protection, nothing goes off the end of
the line, nor onto points that lie against it, are moving, or lie nobody knows how: these are rules of the metal. What
the game forbids (more vehicles in a track than it holds), and what only may be foul, is for the protection to decide.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pointsman.errors import RefusedError
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.interlocking import touched_turnouts
from pointsman.operate.needs import CONTACT_BUFFER_MM, furthest_mm
from pointsman.operate.sweep import NEAR_MM, Body, Sweep, sweep
from pointsman.track.model import End, Place, Track
from pointsman.track.path import Stretch, exit_joint, line_through, stretch_mm

INSIDE_MM = 1.0
"""A movement stops so much before it would be one vehicle too many."""


class Barrier(StrEnum):
    """What a movement must stop for."""

    END = "end"
    AGAINST = "against"
    UNKNOWN = "unknown"
    MOVING = "moving"
    FOUL = "foul"
    MAY_FOUL = "may be foul"
    FULL = "full"
    LOCOMOTIVE = "locomotive"
    MEETS_ITSELF = "meets itself"


OF_THE_GAME = frozenset({Barrier.FULL, Barrier.MAY_FOUL})
"""What a person may be allowed to pass; the others are rules of the metal."""


class Protection(StrEnum):
    """What the program keeps a person from who drives by hand.

    ``full``: every barrier brakes. ``warn``: those of ``OF_THE_GAME`` are told, and the train goes on. ``off``: they
    are not even told. The rules of the metal hold whatever the setting: the end of the line, points that lie against
    the train, move or are not known, what surely stands foul, points under a train, coupling speed before what is met,
    and magnets within their limits.
    """

    FULL = "full"
    WARN = "warn"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Limit:
    """Why a movement must stop, and where: the locomotive's middle may come to ``c_mm`` of the sweep's line.

    ``kind`` and ``name`` are what it concerns: a ``segment``, a ``turnout`` or a ``locomotive``; ``place`` is where the
    foremost end then is that must not go on.
    """

    barrier: Barrier
    kind: str
    name: str
    why: str
    c_mm: float
    place: Place


@dataclass(frozen=True, slots=True)
class Ahead:
    """What lies ahead one way: ``limits`` are all the reasons to stop, the nearest first.

    ``sweep`` has what surely moves, ``dragging`` that and what may come along behind it, None where nothing may.
    """

    sweep: Sweep
    dragging: Sweep | None
    limits: tuple[Limit, ...]

    def limit(self, protection: Protection = Protection.FULL) -> Limit:
        """The nearest that the protection does not let pass."""
        return next(x for x in self.limits if protection is Protection.FULL or x.barrier not in OF_THE_GAME)

    def let_pass(self, protection: Protection) -> Limit | None:
        """The nearest limit that the protection lets pass; None where there is none before the other."""
        nearest = self.limits[0]
        return nearest if protection is not Protection.FULL and nearest.barrier in OF_THE_GAME else None

    def passed_over(self, protection: Protection) -> Limit | None:
        """That limit, if the protection tells of it."""
        return self.let_pass(protection) if protection is Protection.WARN else None

    def room_mm(self, protection: Protection = Protection.FULL) -> float:
        """How far the locomotive may surely go; negative where it may already be too far."""
        return self.limit(protection).c_mm - self.sweep.start_high_mm


def ahead(
    track: Track, belief: Belief, locomotive: str, towards: End, allow: Allowances, turning: Collection[str] = ()
) -> Ahead:
    """How far a locomotive may go towards an end of the element it stands on (of a turnout: TO is the leg).

    ``turning`` are turnouts that have not had their time yet. Raises RefusedError when the belief in millimetres is no
    train on a line.
    """
    kept, dragging = hand_sweeps(track, belief, locomotive, towards)
    found = [_end(track, kept)]
    found += _turnouts(track, belief, kept, allow, turning)
    found += _fouling(track, belief, kept, allow)
    found += _overfull(track, kept)
    found += _locomotives(track, kept)
    return Ahead(kept, dragging, tuple(sorted(found, key=lambda limit: limit.c_mm)))


def towards_of(belief: Belief, forward: bool) -> End:
    """The end of the element that a locomotive stands on to which its decoder's direction leads."""
    return belief.facing if forward else belief.facing.other


# ------------------------------------------------------------ what moves


def hand_sweeps(track: Track, belief: Belief, locomotive: str, towards: End) -> tuple[Sweep, Sweep | None]:
    """The sweep of all that surely moves, and of what may come along too, None when nothing may.

    Behind the locomotive comes what is surely coupled to it. What is not, and does not surely stand apart, may.
    """
    place = belief.spots[locomotive].place
    here = Stretch(place.element, place.leg, towards is End.TO)
    path = line_through(track, here, belief.lies(track))
    along = {
        name: (at - spot.error_mm, at + spot.error_mm)
        for name, spot in belief.spots.items()
        if (at := path.coordinate(spot.place)) is not None
    }
    order = sorted(along, key=lambda name: sum(along[name]))
    at = order.index(locomotive)
    front = at
    while front + 1 < len(order) and not _apart(track, along, order[front], order[front + 1]):
        front += 1
    kept, last = _rears(track, belief, along, order, at)
    lies = belief.lies(track)
    surely = sweep(track, belief, here, order[kept : front + 1], locomotive, lies)
    return surely, None if last == kept else sweep(track, belief, here, order[last : front + 1], locomotive, lies)


def _rears(
    track: Track, belief: Belief, along: Mapping[str, tuple[float, float]], order: Sequence[str], at: int
) -> tuple[int, int]:
    """Where in the order a train ends behind its locomotive: what surely comes, and all that may come as well."""
    kept = at
    while kept > 0 and frozenset(order[kept - 1 : kept + 1]) in belief.coupled:
        kept -= 1
    last = kept
    while last > 0 and not _apart(track, along, order[last - 1], order[last]):
        last -= 1
    return kept, last


def _apart(track: Track, along: Mapping[str, tuple[float, float]], rear: str, front: str) -> bool:
    """Whether two neighbours surely stand further apart than a drawn coupling."""
    taut_mm = (track.vehicle(rear).length_mm + track.vehicle(front).length_mm) / 2
    return along[front][0] - along[rear][1] > taut_mm + NEAR_MM


# ------------------------------------------------------------ what it must stop for


def _limit(swept: Sweep, barrier: Barrier, kind: str, name: str, why: str, c_mm: float, at_mm: float) -> Limit:
    return Limit(barrier, kind, name, why, c_mm, swept.path.place(at_mm))


def _end(track: Track, swept: Sweep) -> Limit:
    last = swept.path.stretches[-1]
    c_mm, end_mm = furthest_mm(swept, CONTACT_BUFFER_MM), swept.path.end_mm
    kind = "segment" if last.leg is None else "turnout"
    if track.meets(exit_joint(last)) is None:
        return _limit(swept, Barrier.END, kind, last.element, f"the track ends in {last.element}", c_mm, end_mm)
    why = f"beyond {last.element} the line comes back to itself"
    return _limit(swept, Barrier.MEETS_ITSELF, kind, last.element, why, c_mm, end_mm)


def _turnouts(
    track: Track, belief: Belief, swept: Sweep, allow: Allowances, turning: Collection[str]
) -> Iterator[Limit]:
    """Points on the way that must not be entered as they are."""
    for stretch, start_mm in zip(swept.path.stretches, swept.path.starts_mm, strict=True):
        if stretch.leg is None:
            continue
        name, lie = stretch.element, belief.commanded.get(stretch.element)
        if name in turning:
            barrier, why = Barrier.MOVING, f"{name} is still moving"
        elif lie is None:
            barrier, why = Barrier.UNKNOWN, f"nobody knows how {name} lies"
        elif lie is not stretch.leg:
            barrier, why = Barrier.AGAINST, f"{name} lies for its {lie} leg, against a train from {stretch.leg}"
        else:
            continue
        long_mm = stretch_mm(track, stretch)
        # What stood foul of it could neither go on nor have it set, and might not be able to go back.
        low_mm = start_mm if stretch.forward else start_mm - (track.turnouts[name].fouling_mm - long_mm)
        c_mm = _short_of(swept, low_mm, start_mm + long_mm, allow)
        if c_mm is not None:
            yield _limit(swept, barrier, "turnout", name, why, c_mm, low_mm)


def _short_of(
    swept: Sweep, low_mm: float, high_mm: float, allow: Allowances, *, may_leave: bool = False
) -> float | None:
    """The furthest place at which nothing has newly come onto a piece of line; None when all is beyond it.

    What is on it already must not be moved there, unless it ``may_leave``.
    """
    found = []
    for body in swept.bodies:
        if body.rest_low_mm >= high_mm:
            continue  # beyond it, or about to be
        if body.rest_high_mm + body.half_length_mm <= low_mm:
            found.append(low_mm - allow.clear_mm - body.offset_mm - body.half_length_mm)
        elif not may_leave:
            found.append(body.rest_low_mm - body.offset_mm - NEAR_MM)
    return min(found, default=None)


def _fouling(track: Track, belief: Belief, swept: Sweep, allow: Allowances) -> Iterator[Limit]:
    """What is no part of the movement and stands foul of points on its way, or may."""
    own = {body.vehicle for body in swept.bodies}
    others = [vehicle for vehicle in belief.spots if vehicle not in own and not _behind(belief, swept, vehicle)]
    touched = {vehicle: touched_turnouts(track, belief, vehicle) for vehicle in others}
    for stretch, start_mm in zip(swept.path.stretches, swept.path.starts_mm, strict=True):
        for vehicle in others:
            if stretch.leg is None or stretch.element not in touched[vehicle]:
                continue
            end_mm = start_mm + stretch_mm(track, stretch)
            low_mm = start_mm + (_foul_from_mm(track, belief, stretch, vehicle) if stretch.forward else 0.0)
            c_mm = _short_of(swept, low_mm, end_mm, allow, may_leave=True)
            if c_mm is None:
                continue
            name = stretch.element
            sure = name in touched_turnouts(track, belief, vehicle, sure=True)
            why = f"{vehicle} stands foul of {name}{'' if sure else ', or may'}"
            barrier = Barrier.FOUL if sure else Barrier.MAY_FOUL
            yield _limit(swept, barrier, "turnout", name, why, c_mm, low_mm)


def _foul_from_mm(track: Track, belief: Belief, stretch: Stretch, vehicle: str) -> float:
    """How far from the toe a vehicle begins that stands foul on the leg that is not a train's."""
    assert stretch.leg is not None, "only points are fouled"
    other = line_through(track, Stretch(stretch.element, stretch.leg.other, True), belief.lies(track))
    spot = belief.spots[vehicle]
    at = other.coordinate(spot.place)
    return 0.0 if at is None else max(0.0, at - spot.error_mm - track.vehicle(vehicle).length_mm / 2)


def _behind(belief: Belief, swept: Sweep, vehicle: str) -> bool:
    """Whether a vehicle stands on the line itself, behind all that moves: it is left, and in nobody's way."""
    at = swept.path.coordinate(belief.spots[vehicle].place)
    return at is not None and at < swept.tail.rest_low_mm


def _overfull(track: Track, swept: Sweep) -> Iterator[Limit]:
    """Segments into which one vehicle more would come whole than they hold."""
    for stretch, start_mm in zip(swept.path.stretches, swept.path.starts_mm, strict=True):
        if stretch.leg is not None:
            continue
        capacity = track.segments[stretch.element].capacity
        end_mm = start_mm + stretch_mm(track, stretch)
        for first in range(len(swept.bodies) - capacity):
            row = swept.bodies[first : first + capacity + 1]
            c_mm = _whole_at(row, start_mm, end_mm)
            if c_mm is None or c_mm <= swept.start_high_mm:
                continue
            names = " ".join(body.vehicle for body in row)
            why = f"{stretch.element} holds {capacity}: {names} would be too many"
            yield _limit(swept, Barrier.FULL, "segment", stretch.element, why, c_mm - INSIDE_MM, start_mm)


def _whole_at(row: Sequence[Body], low_mm: float, high_mm: float) -> float | None:
    """The locomotive's place at which a row of bodies comes whole into a piece of line; None when it never does."""
    rear, front = row[0], row[-1]
    if rear.rest_low_mm - rear.half_buffers_mm >= low_mm:
        return None  # its rear is in already: it came in before, or stands beyond
    c_mm = low_mm + rear.half_buffers_mm - rear.offset_mm
    # The front may be further on by then, and out at the other end: the row is never whole inside.
    return c_mm if front.low_mm(c_mm) + front.half_buffers_mm <= high_mm else None


def _locomotives(track: Track, swept: Sweep) -> Iterator[Limit]:
    """Another locomotive is never pushed."""
    for far in swept.bodies:
        if far.vehicle in track.locomotives and far.offset_mm > 0:
            c_mm = far.rest_low_mm - far.offset_mm - 2 * NEAR_MM
            why = f"{far.vehicle} stands there, and is never pushed"
            at_mm = far.rest_low_mm - far.half_buffers_mm
            yield _limit(swept, Barrier.LOCOMOTIVE, "locomotive", far.vehicle, why, c_mm, at_mm)


def no_room(found: Limit) -> RefusedError:
    """The refusal of a throttle, where there is not room enough to start."""
    return RefusedError([found.why], where=f"{found.kind} {found.name}", cure=_CURES[found.barrier])


_CURES = {
    Barrier.END: "go the other way",
    Barrier.AGAINST: "set it for the train, or go the other way",
    Barrier.UNKNOWN: "set it",
    Barrier.MOVING: "wait until it is over",
    Barrier.FOUL: "push clear what stands there",
    Barrier.MAY_FOUL: "push it further in",
    Barrier.FULL: "leave a wagon elsewhere",
    Barrier.LOCOMOTIVE: "move that one first",
    Barrier.MEETS_ITSELF: "go the other way",
}
