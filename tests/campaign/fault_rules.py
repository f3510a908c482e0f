"""What is right when a fault has struck: which reasons to halt, and which incidents the fault itself may force.

Data, and one judge. Several faults in a play: what is right for any of them is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from math import inf, isinf

from pointsman.drivers.dccex.halt import LAST_STOPS_S
from pointsman.errors import PointsmanError
from pointsman.playing import PlayResult
from pointsman.record import Reading
from pointsman.track.model import Joint, SegmentEnd, Side, Track
from railsim.embed import Simulation
from railsim.faults import ABOUT, Fault, Planned
from railsim.incidents import FaultStruck, Incident, Kind

NOTHING = "nothing there"
"""How it is said that a fault found nothing to strike."""
FOR_EVER = "the campaign waited an hour: this play never ends"

REASONS: dict[str, str] = {
    "link lost": r"the link to the station is lost|the link did not come up|the link was lost before|the link went",
    "no station": r"no DCC-EX station answers|the station restarted \d+ times",
    "no broker": r"nobody answers|does not send our own messages back",
    "not defined": r"the station does not (know|take)",
    "not confirmed": r"the station did not confirm",
    "rejected": r"command \d+ was not accepted: ",
    "restarted": r"the station restarted: ",
    "foreign": r"something else controls the layout|another program is driving",
    "overload": r"overload on the track",
    "no power": r"the track power went off|did not report the track power on",
    "stood still": r"this program stood still",
    "echo": r"was set to .*, and is reported",
    "came along": r"came along: it did not uncouple",
    "edge missing": r"should have been (broken|freed) by .*, and was not|was not (broken|freed) by .* where it should",
    "edge too many": r"nothing that moves should do that here|was (broken|freed) while everything stood",
    "edge early": r"before .* can have reached it|should only make it so further on",
    "edge late": r"later than it must have",
    "too far": r"may be about to run too far",
    "too slow": r"did not get there in|it was not done within",
    "set-up": r"though nothing should stand there|does not see",
    "interlocking": r"is broken by something that should not be there",
}
"""The reasons to halt, by what they say."""


@dataclass(frozen=True, slots=True)
class Ending:
    """``goal``, or ``halt`` with the name of its reason and what was said."""

    how: str
    reason: str = ""
    said: str = ""


class Place(StrEnum):
    """Where a fault may force an incident: at its target, beyond it, at the points beside it, or anywhere."""

    TARGET = "target"
    BEYOND = "beyond the target"
    BESIDE = "at the points beside the target"
    ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class Forced:
    """Incidents that a fault may force: of these kinds, there, and from its moment on.

    ``lasting``: only while the fault itself lasts (its amount), and half a second more; one that lasts for longer than
    a stop is written again and again may force them for ever.
    """

    kinds: frozenset[Kind]
    place: Place = Place.ANYWHERE
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """For a kind of fault: the reasons to halt that are right, and the incidents that it may force.

    ``late``: a stop may come as much later as the fault's amount says. ``deaf``: it may not come at all; then a person
    must be told to switch the power off by hand.
    """

    reasons: frozenset[str]
    forces: tuple[Forced, ...] = ()
    late: bool = False
    deaf: bool = False


def _rule(reasons: str, *forces: Forced, late: bool = False, deaf: bool = False) -> Rule:
    names = frozenset(name.strip() for name in reasons.split(","))
    assert names <= set(REASONS), names - set(REASONS)
    return Rule(names, forces, late, deaf)


STOPS_WITHIN_S = 0.5
"""After a fault that kept a stop away is over, the train needs this long."""
_BUFFER = frozenset({Kind.BUFFER})
_ROUGH = frozenset({Kind.ROUGH_COUPLING})
_RUN_THROUGH = frozenset({Kind.RUN_THROUGH})
_BUMPS = frozenset({Kind.BUFFER, Kind.COLLISION, Kind.ROUGH_COUPLING, Kind.SIDE_SWIPE, Kind.RUN_THROUGH})
RUNS_ON = Forced(_BUMPS)
"""Nothing of it can be stopped any more: it goes on until it meets something."""
RUNS_ON_MEANWHILE = Forced(_BUMPS | {Kind.COIL}, lasting=True)
"""It cannot be stopped, nor a coil switched off, while the fault lasts."""

_BEAMS = "edge missing, edge too many, edge early, edge late, too far, too slow"
_GARBLED = f"{_BEAMS}, link lost, not confirmed, rejected, foreign, no power, echo, no station"
_SPOILT = f"{_GARBLED}, not defined, set-up, came along"
RULES: dict[Fault, Rule] = {
    Fault.LOST: _rule(_SPOILT),
    Fault.DOUBLED: _rule(_SPOILT),
    Fault.CORRUPTED: _rule(_SPOILT),
    Fault.SPLIT: _rule(f"{_BEAMS}, link lost, not confirmed, no station", late=True),
    # Orders and reports come later than any allowance for them: the train is further on than is believed.
    Fault.DELAY: _rule(f"{_BEAMS}, link lost, not confirmed, no station, no power", RUNS_ON, late=True),
    Fault.HELD: _rule(f"{_BEAMS}, link lost, not confirmed, no station", RUNS_ON_MEANWHILE, late=True, deaf=True),
    Fault.SILENT: _rule(f"{_BEAMS}, link lost, not confirmed, no station", RUNS_ON_MEANWHILE, late=True, deaf=True),
    Fault.VANISHES: _rule("link lost, no station", RUNS_ON, Forced(frozenset({Kind.COIL})), deaf=True),
    # It greets 1.5 s after it has stopped everything; until then it sees nothing and answers nothing.
    Fault.RESET: _rule(f"restarted, no station, no power, link lost, not confirmed, {_BEAMS}"),
    Fault.FULL: _rule(_SPOILT, RUNS_ON_MEANWHILE, late=True),
    Fault.SHORT: _rule(f"overload, no power, {_BEAMS}"),
    Fault.PAUSED: _rule(f"stood still, link lost, not confirmed, {_BEAMS}", RUNS_ON_MEANWHILE),
    # Nothing tells how points really lie before a train is on them.
    Fault.TURNOUT_STUCK: _rule(
        _BEAMS,
        Forced(_RUN_THROUGH, Place.TARGET),
        Forced(_RUN_THROUGH, Place.BEYOND),
    ),
    Fault.TURNOUT_SLOW: _rule(
        _BEAMS,
        Forced(frozenset({Kind.DERAILMENT, Kind.RUN_THROUGH}), Place.TARGET),
    ),
    Fault.TURNOUT_REVERSED: _rule(
        _BEAMS,
        Forced(_RUN_THROUGH, Place.TARGET),
        Forced(_RUN_THROUGH, Place.BEYOND),
    ),
    # One that goes out where an edge is due makes that edge; the next stop is by the slowest train, at a creep.
    Fault.BEAM_DEAD: _rule(
        f"{_BEAMS}, set-up, came along", Forced(_BUFFER), Forced(frozenset({Kind.DERAILMENT}), Place.BESIDE)
    ),
    Fault.BEAM_STUCK: _rule(f"{_BEAMS}, set-up, interlocking, came along"),
    Fault.BEAM_CHATTERS: _rule(f"{_BEAMS}, set-up, interlocking, came along"),
    # What is late by less than can be told from a slow train makes it stop too late: at a creep, before a buffer.
    Fault.BEAM_LATE: _rule(f"{_BEAMS}, came along", Forced(_BUFFER)),
    Fault.HOLDS: _rule(f"{_BEAMS}, came along"),
    Fault.PARTS: _rule(_BEAMS),
    # Out of the middle of a train that is pushed: what is left closes up at its speed.
    Fault.LIFTED: _rule(f"{_BEAMS}, set-up", Forced(_ROUGH)),
    Fault.STALLS: _rule(_BEAMS),
    Fault.RUNAWAY: _rule(_BEAMS, RUNS_ON),
    # What did not hear that it must slow down is further on than is believed, until a beam tells.
    Fault.DIRTY: _rule(_BEAMS, RUNS_ON_MEANWHILE, Forced(_ROUGH)),
    Fault.BROKER_RESTART: _rule("link lost"),
    # What comes twice at once does nothing; after something newer it is not told from somebody else's command.
    Fault.MESSAGES_DOUBLED: _rule("foreign"),
    # The broker answers in time: how late a node obeys, or tells, is not seen before a train is on a beam.
    Fault.MESSAGES_LATE: _rule(f"{_BEAMS}, link lost, not confirmed", RUNS_ON, late=True),
    # A beam's word that was held makes a train stop too late, as with a beam that tells late.
    Fault.MESSAGES_HELD: _rule(
        f"{_BEAMS}, link lost, not confirmed, no broker, rejected", RUNS_ON_MEANWHILE, Forced(_BUFFER), late=True
    ),
    # Those who are there already hear them as anybody's commands.
    Fault.MESSAGES_RETAINED: _rule("link lost, foreign"),
}
WITH_CONTACTS: dict[Fault, Rule] = {
    Fault.TURNOUT_STUCK: _rule("echo"),
    Fault.TURNOUT_SLOW: _rule("echo, rejected"),
    Fault.TURNOUT_REVERSED: _rule("echo"),
}
"""Where a node tells what contacts at the points say, no train comes to points that lie otherwise."""


def rule_of(kind: Fault, *, contacts: bool) -> Rule:
    """The rule for a kind of fault; ``contacts``: points have some, and a node tells what they say."""
    return WITH_CONTACTS.get(kind, RULES[kind]) if contacts else RULES[kind]


UNSEEN = frozenset({Fault.LIFTED, Fault.PARTS})
"""What these do to a wagon nothing can tell that no beam is to see again: a goal is no false one for that."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a play. ``stood``: whether it stood in time after a halt, None without one; ``ended_s``: when."""

    simulation: Simulation
    reading: Reading
    result: PlayResult | None
    error: PointsmanError | None
    stood: bool | None
    ended_s: float
    finished_s: float


def judge(faults: Sequence[Planned], played: Played, *, contacts: bool = False) -> tuple[Ending, list[str]]:
    """How a play ended, and everything that is wrong with that. A fault that strikes later excuses nothing."""
    simulation, reading, result, error = played.simulation, played.reading, played.result, played.error
    struck = {(s.kind, s.t_s) for s in simulation.struck if s.t_s <= played.ended_s and not s.text.startswith(NOTHING)}
    rules = [rule_of(fault.kind, contacts=contacts) for fault in faults if (fault.kind, fault.at_s) in struck]
    wrong = []
    if reading.bad:
        wrong.append(f"the journal: {reading.bad}")
    if error is None:
        assert result is not None
        ending = Ending("goal")
        truth = result.truth
        true = truth is not None and result.reached and truth.reached and truth.agrees
        if not (true or any(struck.kind in UNSEEN and _unseen(struck, reading) for struck in simulation.struck)):
            wrong.append(f"FALSE DONE: believed {result.position}, truth {truth.line if truth else None}")
    else:
        ending = Ending("halt", reason_of(error), str(error.what))
        if not any(ending.reason in rule.reasons for rule in rules):
            wrong.append(f"halted for a wrong reason ({ending.reason or 'not known'}): {error}")
    wrong += [
        f"INCIDENT {incident}"
        for incident in simulation.incidents
        if not any(forced(incident, fault, simulation, contacts=contacts) for fault in faults)
    ]
    if played.stood is False:
        by_hand = error is not None and "BY HAND" in error.cure
        if not (any(rule.deaf for rule in rules) and by_hand):
            wrong.append(f"it still moves after the stop; cure: {error.cure if error else ''}")
    return ending, wrong


def _unseen(struck: FaultStruck, reading: Reading) -> bool:
    """Whether no beam was to see the wagon again after it was struck: then nothing can tell what has become of it."""
    edges = [f"{struck.target}{sign}@" for sign in "+-"]
    later = [line.text("evidence").split() for line in reading.lines if line.kind == "step" and line.t_s > struck.t_s]
    return not any(word.startswith(edge) for words in later for word in words for edge in edges)


def digest() -> str:
    """A short sum of the rules and of what each fault does: the table in the docs says by which it was made."""
    rules = [
        (
            kind,
            sorted(rule.reasons),
            [(sorted(force.kinds), force.place, force.lasting) for force in rule.forces],
            rule.late,
            rule.deaf,
            ABOUT[kind],
        )
        for kind in RULES
        for rule in (rule_of(kind, contacts=False), rule_of(kind, contacts=True))
    ]
    return sha256(repr(rules).encode()).hexdigest()[:12]


def late_s(faults: Sequence[Planned]) -> float:
    """How much later a stop may come to the rail because of the faults."""
    return sum(fault.much for fault in faults if RULES[fault.kind].late and not isinf(fault.much))


def forced(incident: Incident, fault: Planned, simulation: Simulation, *, contacts: bool = False) -> bool:
    """Whether a fault may have forced an incident."""
    struck = next((s for s in simulation.struck if s.kind == fault.kind and s.t_s == fault.at_s), None)
    if struck is None or incident.t_s < struck.t_s:
        return False
    for force in rule_of(fault.kind, contacts=contacts).forces:
        over_s = struck.t_s + fault.much + STOPS_WITHIN_S
        if not force.lasting or fault.much > LAST_STOPS_S:
            over_s = inf
        places = {
            Place.TARGET: {struck.target},
            Place.BEYOND: beyond(simulation.world.track, struck.target) if force.place is Place.BEYOND else set(),
            Place.BESIDE: beside(simulation.world.track, struck.target) if force.place is Place.BESIDE else set(),
            Place.ANYWHERE: {incident.where},
        }
        if incident.kind in force.kinds and incident.t_s <= over_s and incident.where in places[force.place]:
            return True
    return False


def beside(track: Track, beam: str) -> set[str]:
    """The turnouts that the element of a beam meets, or is."""
    segment = track.segments.get(track.beams[beam].place.element)
    if segment is None:
        return {track.beams[beam].place.element}
    return {met.turnout for met in (segment.meets_from, segment.meets_to) if met is not None}


def beyond(track: Track, turnout: str) -> set[str]:
    """The segments that a train can come to over a turnout's legs before it is in another segment."""
    found: set[str] = set()
    todo: list[Joint] = [track.turnouts[turnout].closed, track.turnouts[turnout].thrown]
    while todo:
        joint = todo.pop()
        if isinstance(joint, SegmentEnd):
            found.add(joint.segment)
        elif joint.side is Side.TOE:
            found.add(joint.turnout)
            todo += [track.turnouts[joint.turnout].closed, track.turnouts[joint.turnout].thrown]
        else:
            found.add(joint.turnout)
            todo.append(track.turnouts[joint.turnout].toe)
    return found


def reason_of(error: PointsmanError) -> str:
    """The name of the reason that an error says; empty when there is none."""
    return next((name for name, said in REASONS.items() if re.search(said, error.what)), "")
