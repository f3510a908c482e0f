"""Uncoupling by hand: which coupling stands over a magnet, the slack-back that it may need, and the step that parts it.

A person stops with the coupling over the magnet. The program slackens it where it is taut: a slack-back of at most
20 mm, which is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from pointsman.errors import RefusedError
from pointsman.operate.ahead import hand_sweeps
from pointsman.operate.belief import Belief
from pointsman.operate.coming_along import not_known
from pointsman.operate.needs import TOUCH_BUFFER_MM, furthest_mm
from pointsman.operate.office import Office
from pointsman.operate.parting import MISSED_BACK_MM
from pointsman.operate.steps import DriveStep, UncoupleStep, Zone
from pointsman.operate.stopping import Need
from pointsman.track.model import End, Track, Uncoupler
from pointsman.track.path import Path, Stretch, line_through
from pointsman.track.wiring import UncouplerKind

TAUT_MM = 0.5
"""A coupling that is so nearly drawn out is taut, and no magnet parts it."""
STOP_THERE = "stop with the coupling over it"
STOP_NEARER = "stop with the coupling nearer to its middle"


@dataclass(frozen=True, slots=True)
class Coupling:
    """The coupling over a magnet: ``left`` is left with what is beyond it (``with_it``, itself included).

    ``slack``: it stands pushed together, and may be parted at once.
    """

    uncoupler: Uncoupler
    kept: str
    left: str
    with_it: tuple[str, ...]
    slack: bool


def over(track: Track, belief: Belief, magnet: Uncoupler, locomotive: str) -> Coupling:
    """The coupling of a locomotive's train that stands over a magnet. RefusedError, with the distance, if none does."""
    line = line_through(track, Stretch(magnet.place.element, magnet.place.leg, True), belief.lies(track))
    at_mm = line.coordinate(magnet.place)
    along = _along(belief, line)
    if at_mm is None or locomotive not in along:
        raise RefusedError(
            [f"{locomotive} does not stand on the line of magnet {magnet.name}"],
            where=f"magnet {magnet.name}",
            cure=STOP_THERE,
        )
    order = sorted(along, key=lambda name: along[name][0])
    engine = order.index(locomotive)
    found = []
    for low, high in pairwise(range(len(order))):
        near, far = track.vehicle(order[low]), track.vehicle(order[high])
        middle = (along[near.name][0] + near.buffers_mm / 2 + along[far.name][0] - far.buffers_mm / 2) / 2
        apart = along[far.name][0] - along[near.name][0] - (near.length_mm + far.length_mm) / 2
        if apart <= along[near.name][1] + along[far.name][1]:
            found.append((abs(middle - at_mm), low))
    off_mm, low = min(found, default=(inf, 0))
    if off_mm > magnet.reach_mm:
        where = "no coupling is near" if off_mm == inf else f"the nearest coupling is {off_mm:.0f} mm from"
        raise RefusedError([f"{where} magnet {magnet.name}"], where=f"magnet {magnet.name}", cure=STOP_THERE)
    kept, left = (low, low + 1) if engine <= low else (low + 1, low)
    beyond = order[left:] if left > kept else order[: left + 1]
    pair = frozenset((order[kept], order[left]))
    if pair in belief.parted:
        raise RefusedError(
            [f"{order[left]} was uncoupled from {order[kept]} already"],
            where=f"magnet {magnet.name}",
            cure="drive away from it",
        )
    return Coupling(magnet, order[kept], order[left], tuple(beyond), pair in belief.pushed)


def slacken(office: Office, belief: Belief, coupling: Coupling, locomotive: str) -> DriveStep | None:
    """The slack-back that a coupling needs; None when it is slack already. RefusedError when there is no room for it.

    It must end with the coupling still within the magnet's reach.
    """
    if coupling.slack:
        return None
    track, kept, left = office.track, coupling.kept, coupling.left
    swept, dragging = hand_sweeps(track, belief, locomotive, _towards(track, belief, locomotive, left))
    at_mm = swept.path.coordinate(coupling.uncoupler.place)
    names = [body.vehicle for body in swept.bodies]
    if at_mm is None or kept not in names or left not in names:
        raise RefusedError(
            [f"{locomotive} is not coupled to {kept}"],
            where=f"magnet {coupling.uncoupler.name}",
            cure="couple up first",
        )
    near, far = swept.body(kept), swept.body(left)
    slack_mm = near.half_length_mm + far.half_length_mm - near.half_buffers_mm - far.half_buffers_mm
    low_mm = far.rest_high_mm - far.offset_mm
    if frozenset((kept, left)) in belief.coupled:
        low_mm = min(low_mm, near.rest_high_mm + slack_mm - near.offset_mm)
    cut_mm = near.offset_mm + near.half_buffers_mm
    reach_mm = coupling.uncoupler.reach_mm
    start_mm = (swept.start_low_mm + swept.start_high_mm) / 2
    need = Need(
        max(low_mm + 0.1, at_mm - reach_mm - cut_mm),
        at_mm + reach_mm - cut_mm,
        min(furthest_mm(swept, TOUCH_BUFFER_MM), start_mm + office.allow.slack_back_mm + MISSED_BACK_MM),
        why=(f"the coupling between {kept} and {left} must be slack over magnet {coupling.uncoupler.name}",),
    )
    try:
        stop = office.stop_of(swept, need)
    except RefusedError as error:  # its cures are for who builds a layout
        raise RefusedError(
            [f"from here the coupling of {kept} and {left} cannot surely be slackened over the magnet"],
            where=f"magnet {coupling.uncoupler.name}",
            cure=STOP_NEARER,
        ) from error
    if stop.target_mm - start_mm > office.allow.slack_back_mm:
        raise RefusedError(
            [f"a slack-back of {stop.target_mm - start_mm:.0f} mm, more than {office.allow.slack_back_mm:.0f}"],
            where=f"magnet {coupling.uncoupler.name}",
            cure="push the wagons together there",
        )
    gently = Zone(swept.start_low_mm, track.speeds.coupling)
    step = office.drive(belief, swept, stop, [gently], f"back to slacken {left} | {kept}")
    # What stands at the other end may be coupled, and is then drawn along.
    return replace(step, dragging=dragging, loose=not_known(dragging, swept, belief))


def part(office: Office, coupling: Coupling) -> UncoupleStep:
    """The step that parts it."""
    name = coupling.uncoupler.name
    wired = office.wiring.uncouplers[name]
    if wired.kind is UncouplerKind.HAND:
        return UncoupleStep(name, coupling.kept, coupling.left, 0.0, inf, energise=False, by_hand=True)
    energise = wired.kind is not UncouplerKind.PERMANENT
    return UncoupleStep(name, coupling.kept, coupling.left, wired.hold_s, wired.hold_s + 5.0, energise)


def couple_up(belief: Belief, near: str, far: str) -> str:
    """How a person makes sure that two neighbours are coupled, the nearer one to the locomotive first.

    What was uncoupled, or may have been, couples only when the two have been apart.
    """
    if frozenset((near, far)) in belief.parted:
        return f"by hand: draw {near} away from {far}, then drive against it until they have surely met"
    return f"by hand: drive {near} against {far} until they have surely met, or draw {far} past a beam"


def left_to_magnets(office: Office, belief: Belief) -> Belief:
    """The belief once everything has stood: over a magnet that is always on, what is not surely taut may have parted.

    What has parted there does not couple again before it has been apart, so this holds until it surely has been.
    """
    track, may_be_open = office.track, set[frozenset[str]]()
    for magnet in track.uncouplers.values():
        if office.wiring.uncouplers[magnet.name].kind is not UncouplerKind.PERMANENT:
            continue
        line = line_through(track, Stretch(magnet.place.element, magnet.place.leg, True), belief.lies(track))
        at_mm, along = line.coordinate(magnet.place), _along(belief, line)
        for low, high in pairwise(sorted(along, key=lambda name: along[name][0])):
            near, far = track.vehicle(low), track.vehicle(high)
            middle = (along[low][0] + near.buffers_mm / 2 + along[high][0] - far.buffers_mm / 2) / 2
            doubt_mm = max(along[low][1], along[high][1])
            taut = along[high][0] - along[low][0] >= (near.length_mm + far.length_mm) / 2 - TAUT_MM
            if at_mm is not None and not taut and abs(middle - at_mm) <= magnet.reach_mm + doubt_mm:
                may_be_open.add(frozenset((low, high)))
    return replace(belief, coupled=belief.coupled - may_be_open, parted=belief.parted | may_be_open)


def over_any(track: Track, belief: Belief, train: Sequence[str]) -> bool:
    """Whether a coupling of a train (in order) stands over a magnet, as far as is known."""
    for magnet in track.uncouplers.values():
        line = line_through(track, Stretch(magnet.place.element, magnet.place.leg, True), belief.lies(track))
        at_mm, along = line.coordinate(magnet.place), _along(belief, line)
        for one, other in pairwise(train):
            if one in along and other in along and at_mm is not None:
                low, high = sorted((one, other), key=lambda name: along[name][0])
                ends = (
                    along[low][0] + track.vehicle(low).buffers_mm / 2,
                    along[high][0] - (track.vehicle(high).buffers_mm / 2),
                )
                if abs(sum(ends) / 2 - at_mm) <= magnet.reach_mm:
                    return True
    return False


def _along(belief: Belief, line: Path) -> Mapping[str, tuple[float, float]]:
    """Where everything on a line stands: middle and doubt."""
    return {
        name: (at, spot.error_mm)
        for name, spot in belief.spots.items()
        if (at := line.coordinate(spot.place)) is not None
    }


def _towards(track: Track, belief: Belief, locomotive: str, vehicle: str) -> End:
    """The end of the locomotive's element towards which a vehicle of its train stands."""
    place = belief.spots[locomotive].place
    line = line_through(track, Stretch(place.element, place.leg, True), belief.lies(track))
    here, there = line.coordinate(place), line.coordinate(belief.spots[vehicle].place)
    assert here is not None, "a locomotive stands on its own line"
    if there is None:
        raise RefusedError([f"{vehicle} is not on the line of {locomotive}"], cure="say what stands where")
    return End.TO if there > here else End.FROM
