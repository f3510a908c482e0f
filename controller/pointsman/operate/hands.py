"""Work for a person's hands: points and couplings that no machine moves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pointsman.operate.steps import Step, TurnoutStep, UncoupleStep
from pointsman.track.model import End, Joint, Leg, SegmentEnd, Side, Track


@dataclass(frozen=True, slots=True)
class HandWork:
    """What a person is asked to do while everything stands. A yes says that it is done; nothing else has seen it.

    ``text`` is the request, in sentences; ``note`` is why it is asked again, if it is.
    """

    step: TurnoutStep | UncoupleStep
    text: str
    note: str = ""


def is_by_hand(step: Step) -> bool:
    """Whether a step is a person's to do."""
    return isinstance(step, TurnoutStep | UncoupleStep) and step.by_hand


def hand_work(track: Track, step: TurnoutStep | UncoupleStep, note: str = "") -> HandWork:
    """The request that goes with a step."""
    match step:
        case TurnoutStep(turnout=turnout, leg=leg):
            text = f"Set {turnout} by hand to {leg}: towards {' or '.join(leads_to(track, turnout, leg))}."
        case UncoupleStep(uncoupler=uncoupler, kept=kept, left=left):
            place = track.uncouplers[uncoupler].place
            text = f"Uncouple {left} from {kept} by hand, in {place.element}{_by(track, uncoupler)}. Move no wagon."
    return HandWork(step, text, note)


def leads_to(track: Track, turnout: str, leg: Leg) -> list[str]:
    """The segments that a train comes to which takes a leg of a turnout from its toe, over other turnouts too."""
    return list(dict.fromkeys(_beyond(track, track.turnouts[turnout].meets(Side(leg)), {turnout})))


def _beyond(track: Track, joint: Joint, seen: Collection[str]) -> list[str]:
    if isinstance(joint, SegmentEnd):
        return [joint.segment]
    if joint.turnout in seen:
        return []
    turnout = track.turnouts[joint.turnout]
    ways = [Side(leg) for leg in Leg] if joint.side is Side.TOE else [Side.TOE]
    return [name for side in ways for name in _beyond(track, turnout.meets(side), {*seen, turnout.name})]


def _by(track: Track, uncoupler: str) -> str:
    """Near which turnout an uncoupler is, if there is one at that end of its segment."""
    place = track.uncouplers[uncoupler].place
    segment = track.segments.get(place.element)
    if segment is None:
        return ""
    met = segment.meets(End.FROM if place.at_mm < segment.length_mm / 2 else End.TO)
    return f" by {met.turnout}" if met is not None else ""
