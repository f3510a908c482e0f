"""The only legality: which runs a locomotive can make, after the shunting model.

A *run* is one start of the locomotive, in one direction, until it stops. The train advances one unit (one vehicle)
at a time; the order of its vehicles never changes, so a step is: one vehicle fewer in the rearmost element, one more
in the foremost. Two rules decide whether the foremost element takes it:

* a segment that the train enters over an occupied turnout is filled before its leading vehicle leaves it, and
  standing vehicles met there become part of what is pushed;
* once full, or once the train is wholly inside, the leading vehicle leaves at the far end, if the track goes on.

Every stop after a whole unit is a successor, until the track ends or the train comes round to where it was. This
module serves one locomotive and turnouts that hold one vehicle; anything else is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pointsman.errors import UsageError
from pointsman.puzzle.position import Position
from pointsman.track.model import End, Leg, SegmentEnd, Side, Track, TurnoutSide
from pointsman.track.path import Stretch, exit_joint


@dataclass(frozen=True, slots=True)
class Run:
    """One start of the locomotive until it stops.

    ``towards`` is relative to the element where the locomotive stands at the start: an end of the segment, or on a
    turnout TO for the leg and FROM for the toe. ``left`` are the vehicles left behind, outermost first. ``units`` is
    how far the train advances. ``legs`` has every turnout the train stands on at the start, rear to front, then
    every one its front reaches, in travel order, each with the leg it must lie for.
    """

    locomotive: str
    towards: End
    left: tuple[str, ...]
    units: int
    legs: tuple[tuple[str, Leg], ...]
    before: Position
    after: Position

    def __str__(self) -> str:
        dropped = f", leaving {' '.join(self.left)}" if self.left else ""
        over = f" over {' '.join(f'{turnout}>{leg}' for turnout, leg in self.legs)}" if self.legs else ""
        return f"{self.locomotive} {self.towards} {self.units}{over}{dropped}"


@dataclass(frozen=True, slots=True)
class Train:
    """A locomotive with the unbroken chain around it, from the rear to the front in a direction of travel.

    ``places`` has, vehicle by vehicle, the stretch it stands on, as it is travelled.
    """

    vehicles: tuple[str, ...]
    places: tuple[Stretch, ...]


def train_of(track: Track, position: Position, locomotive: str, towards: End) -> Train:
    """The chain of vehicles around a locomotive, ordered for a run ``towards`` an end of the element it is on.

    Raises UsageError when the locomotive is not on the track, or its chain closes on itself round a ring.
    """
    try:
        element, leg = position.where(locomotive)
    except KeyError:
        raise UsageError(f"locomotive {locomotive} is not on the track", cure=f"the position is {position}") from None
    here = Stretch(element, leg, towards is End.TO)
    behind = _beyond(track, position, here.reverse)
    stretches = [*(stretch.reverse for stretch in reversed(behind)), here, *_beyond(track, position, here)]
    vehicles: list[str] = []
    places: list[Stretch] = []
    for stretch in stretches:
        standing = _standing(position, stretch)
        vehicles += standing
        places += [stretch] * len(standing)
    if len(set(vehicles)) < len(vehicles):
        raise UsageError(
            f"the train of {locomotive} bites its own tail: which way its wagons are coupled cannot be written",
            where=str(position),
            cure="divide the ring into two segments",
        )
    return Train(tuple(vehicles), tuple(places))


def runs(track: Track, position: Position, locomotive: str) -> Iterator[Run]:
    """Every legal run, towards FROM first, fewest vehicles left behind first, closed legs first."""
    check_scope(track, position, locomotive)
    for towards in End:
        train = train_of(track, position, locomotive, towards)
        for left in range(_most_left(train, locomotive) + 1):
            yield from _advance(track, position, locomotive, towards, train, left)


def follow(track: Track, position: Position, run: Run) -> Position:
    """The position after a run made from ``position``; UsageError with the reason when it is not legal there."""
    reason = why_not(track, position, run)
    if reason:
        raise UsageError(f"not a legal run: {reason}", where=str(run))
    return run.after


def why_not(track: Track, position: Position, run: Run) -> str:
    """Why a run is not legal in a position, in one sentence; empty when it is."""
    if run.before != position:
        return f"it starts from '{run.before}', but the vehicles stand at '{position}'"
    check_scope(track, position, run.locomotive)
    train = train_of(track, position, run.locomotive, run.towards)
    left = len(run.left)
    if train.vehicles[:left] != run.left:
        return f"the rear of the train is {' '.join(train.vehicles)}, it cannot leave {' '.join(run.left)}"
    most = _most_left(train, run.locomotive)
    if left > most:
        return f"at most {most} vehicles can be left: those behind the locomotive in the rearmost segment"
    if run.units < 1:
        return "it goes nowhere"
    furthest = 0
    others = []
    for legal in _advance(track, position, run.locomotive, run.towards, train, left):
        if legal == run:
            return ""
        on_the_way = legal.legs == run.legs[: len(legal.legs)]
        furthest = max(furthest, legal.units if on_the_way else 0)
        others += [legal] if legal.units == run.units else []
    if furthest < run.units:
        return f"that way the track ends after {furthest} of {run.units} units"
    return "its legs or its end are not what that run gives: " + "; ".join(str(other) for other in others)


def why_impossible(track: Track, position: Position, locomotive: str) -> str:
    """Why a position cannot come up in play, in one sentence; empty when it can.

    Nothing may be left on a turnout: every vehicle on one must be in the locomotive's train.
    """
    if locomotive not in position.vehicles:
        return f"locomotive {locomotive} is not on the track"
    train = train_of(track, position, locomotive, End.TO)
    for turnout, vehicle, _ in position.turnouts:
        if vehicle not in train.vehicles:
            return f"{vehicle} stands on {turnout} and is not coupled to {locomotive}: nothing may be left on a turnout"
    return ""


@dataclass(frozen=True, slots=True)
class _Moving:
    """A train under way: ``counts[i]`` of its vehicles on ``stretches[i]``, rear to front; ``legs`` as in Run.

    ``standing`` are the vehicles in every segment that are not of the train, from -> to.
    """

    vehicles: tuple[str, ...]
    stretches: tuple[Stretch, ...]
    counts: tuple[int, ...]
    legs: tuple[tuple[str, Leg], ...]
    standing: dict[str, tuple[str, ...]]


def _advance(track: Track, position: Position, locomotive: str, towards: End, train: Train, left: int) -> Iterator[Run]:
    """All runs one way that leave so many vehicles, one route after the other, nearest stops first."""
    stretches: list[Stretch] = []
    counts: list[int] = []
    for place in train.places[left:]:
        if not stretches or stretches[-1].element != place.element:
            stretches.append(place)
            counts.append(0)
        counts[-1] += 1
    legs = tuple((stretch.element, stretch.leg) for stretch in stretches if stretch.leg is not None)
    dropped = train.vehicles[:left]
    standing = dict(position.segments)
    for place in train.places:
        if place.leg is None:
            standing[place.element] = ()
    if dropped:
        rear = train.places[0]
        standing[rear.element] = dropped if rear.forward else dropped[::-1]
    start = _Moving(train.vehicles[left:], tuple(stretches), tuple(counts), legs, standing)
    ways: list[tuple[_Moving, tuple[_Moving, ...]]] = [(moving, (start,)) for moving in reversed(_steps(track, start))]
    while ways:
        moving, behind = ways.pop()
        if _comes_round(moving, behind):
            continue
        after = _position(track, position, moving)
        if after != position:
            yield Run(locomotive, towards, dropped, len(behind), moving.legs, position, after)
        ways += [(further, (*behind, moving)) for further in reversed(_steps(track, moving))]


def _comes_round(moving: _Moving, behind: tuple[_Moving, ...]) -> bool:
    """Whether a train was in the same place before on its run: on a ring it would go round for ever."""
    turnouts = [turnout for turnout, _ in moving.legs]
    if len(set(turnouts)) == len(turnouts):
        return False
    place = moving.vehicles, moving.stretches, moving.counts
    return any((one.vehicles, one.stretches, one.counts) == place for one in behind)


def _steps(track: Track, moving: _Moving) -> list[_Moving]:
    """The train one unit on: one result, or one for each leg of a facing turnout, or none where the track ends."""
    front = moving.stretches[-1]
    if front.leg is None and len(moving.stretches) > 1 and moving.counts[-1] < track.segments[front.element].capacity:
        return [_shifted(moving)]
    found = []
    for stretch in _onward(track, front):
        if any(stretch.element == own.element for own in moving.stretches):
            continue  # the train would meet itself
        if stretch.leg is not None:
            legs = (*moving.legs, (stretch.element, stretch.leg))
            found.append(_shifted(_entering(moving, stretch, (), legs, moving.standing)))
            continue
        there = moving.standing[stretch.element]
        met = there if stretch.forward else there[::-1]
        entering = _entering(moving, stretch, met, moving.legs, {**moving.standing, stretch.element: ()})
        # Now the segment is the front: it takes one vehicle, or, being full, hands one on at its far end.
        found += _steps(track, entering)
    return found


def _entering(
    moving: _Moving,
    stretch: Stretch,
    met: tuple[str, ...],
    legs: tuple[tuple[str, Leg], ...],
    standing: dict[str, tuple[str, ...]],
) -> _Moving:
    """The train about to enter a stretch, with the vehicles it meets there joined on in front."""
    return _Moving(moving.vehicles + met, (*moving.stretches, stretch), (*moving.counts, len(met)), legs, standing)


def _shifted(moving: _Moving) -> _Moving:
    """One vehicle fewer in the rearmost element, one more in the foremost."""
    counts = [*moving.counts]
    counts[0] -= 1
    counts[-1] += 1
    gone = 0 if counts[0] else 1
    return _Moving(moving.vehicles, moving.stretches[gone:], tuple(counts[gone:]), moving.legs, moving.standing)


def check_scope(track: Track, position: Position, locomotive: str) -> None:
    """UsageError when the rules here do not cover the track, or what stands on it."""
    others = [name for name in track.locomotives if name != locomotive and name in position.vehicles]
    if others:
        raise UsageError(
            f"{' '.join(others)} on the track beside {locomotive}", cure="one locomotive at a time can be moved here"
        )
    odd = [turnout.name for turnout in track.turnouts.values() if turnout.holds != 1]
    if odd:
        raise UsageError(
            f"turnout {odd[0]} holds {track.turnouts[odd[0]].holds}",
            cure="turnouts must hold one vehicle (holds = 1)",
        )


def _onward(track: Track, stretch: Stretch) -> tuple[Stretch, ...]:
    """What lies beyond a stretch: nothing, one stretch, or both legs of a facing turnout."""
    joint = track.meets(exit_joint(stretch))
    if joint is None:
        return ()
    if isinstance(joint, SegmentEnd):
        return (Stretch(joint.segment, None, joint.end is End.FROM),)
    if joint.side is Side.TOE:
        return tuple(Stretch(joint.turnout, leg, True) for leg in Leg)
    return (Stretch(joint.turnout, Leg(joint.side), False),)


def _beyond(track: Track, position: Position, start: Stretch) -> list[Stretch]:
    """The stretches of the chain beyond a stretch of it, through occupied turnouts along the leg they lie for."""
    found: list[Stretch] = []
    seen = {start.element}
    here = start
    while True:
        joint = track.meets(exit_joint(here))
        if isinstance(joint, TurnoutSide):
            occupied = position.on_turnout(joint.turnout)
            if occupied is None or joint.side not in (Side.TOE, Side(occupied[1])) or _broken(track, position, here):
                return found
            here = Stretch(joint.turnout, occupied[1], joint.side is Side.TOE)
        elif joint is None:
            return found
        else:
            here = Stretch(joint.segment, None, joint.end is End.FROM)
        if here.element in seen:
            return found
        seen.add(here.element)
        found.append(here)


def _broken(track: Track, position: Position, here: Stretch) -> bool:
    """Whether a segment parts the chain: it lies between two occupied turnouts and is not full."""
    if here.leg is not None or len(position.in_segment(here.element)) == track.segments[here.element].capacity:
        return False
    behind = track.meets(exit_joint(here.reverse))
    if not isinstance(behind, TurnoutSide):
        return False
    occupied = position.on_turnout(behind.turnout)
    return occupied is not None and behind.side in (Side.TOE, Side(occupied[1]))


def _standing(position: Position, stretch: Stretch) -> tuple[str, ...]:
    """The vehicles on a stretch in the order of travel, rear first."""
    if stretch.leg is None:
        inside = position.in_segment(stretch.element)
        return inside if stretch.forward else inside[::-1]
    return tuple(vehicle for turnout, vehicle, _ in position.turnouts if turnout == stretch.element)


def _most_left(train: Train, locomotive: str) -> int:
    """How many vehicles can be left behind: those behind the locomotive in the rearmost segment."""
    rear = train.places[0]
    if rear.leg is not None:
        return 0
    return min(train.vehicles.index(locomotive), sum(place.element == rear.element for place in train.places))


def _position(track: Track, before: Position, moving: _Moving) -> Position:
    """The position with the train where it has come to."""
    inside = dict(moving.standing)
    on: dict[str, tuple[str, Leg]] = {}
    at = 0
    for stretch, count in zip(moving.stretches, moving.counts, strict=True):
        vehicles = moving.vehicles[at : at + count]
        at += count
        if stretch.leg is not None:
            on[stretch.element] = vehicles[0], stretch.leg
        elif stretch.forward:
            inside[stretch.element] += vehicles
        else:
            inside[stretch.element] = vehicles[::-1] + inside[stretch.element]
    return Position(
        tuple((name, inside[name]) for name, _ in before.segments),
        tuple((name, *on[name]) for name in track.turnouts if name in on),
    )
