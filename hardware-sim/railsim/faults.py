"""What can be made to go wrong on the simulated layout: the kinds of fault, and how one is written.

::

    KIND[:TARGET][@SECONDS][=AMOUNT]        beam-late:head@12=0.5   silent@30   wagon-parts:4@41.5

A fault strikes at a moment. Without SECONDS that is the beginning, without TARGET the seed chooses among what there is
at that moment, and AMOUNT is as the table of kinds says. What a fault does is ``breakdowns``'s business.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from pointsman.errors import UsageError, did_you_mean
from pointsman.track.model import Track


class Fault(StrEnum):
    """The kinds of fault."""

    LOST = "lost-bytes"
    DOUBLED = "doubled-bytes"
    SPLIT = "split-bytes"
    CORRUPTED = "corrupted-bytes"
    DELAY = "delay"
    HELD = "bytes-held"
    VANISHES = "port-vanishes"
    RESET = "station-reset"
    SILENT = "silent"
    FULL = "full-buffer"
    TURNOUT_STUCK = "turnout-stuck"
    TURNOUT_SLOW = "turnout-slow"
    TURNOUT_REVERSED = "turnout-reversed"
    BEAM_DEAD = "beam-dead"
    BEAM_STUCK = "beam-stuck"
    BEAM_CHATTERS = "beam-chatters"
    BEAM_LATE = "beam-late"
    HOLDS = "wagon-holds"
    PARTS = "wagon-parts"
    LIFTED = "wagon-lifted"
    STALLS = "locomotive-stalls"
    RUNAWAY = "runaway"
    DIRTY = "dirty-track"
    SHORT = "short-circuit"
    PAUSED = "host-paused"
    BROKER_RESTART = "broker-restart"
    MESSAGES_DOUBLED = "messages-doubled"
    MESSAGES_LATE = "messages-late"
    MESSAGES_HELD = "messages-held"
    MESSAGES_RETAINED = "messages-retained"


class On(StrEnum):
    """What a fault strikes, hence what its target names."""

    BYTES = "direction"
    LINK = "nothing"
    TURNOUT = "turnout"
    BEAM = "beam"
    WAGON = "wagon"
    LOCOMOTIVE = "locomotive"
    BROKER = "memory of a broker"
    MESSAGES = "way"
    RETAINED = "sort of command"


BEHIND_BROKER = frozenset({On.BROKER, On.MESSAGES, On.RETAINED})
"""What there is only where nodes are behind a broker."""


class Direction(StrEnum):
    """A direction of the link."""

    TO_STATION = "to-station"
    FROM_STATION = "from-station"


class Memory(StrEnum):
    """What a broker that has started again still has of what it had retained; ``OLD``: as it was in the beginning."""

    KEPT = "kept"
    GONE = "gone"
    OLD = "old"


class Way(StrEnum):
    """A way of messages: between a broker and the nodes, or from it to the host."""

    TO_NODES = "to-nodes"
    FROM_NODES = "from-nodes"
    TO_HOST = "to-host"


class Left(StrEnum):
    """The commands that somebody has left at a broker."""

    TURNOUTS = "turnouts"
    MAGNETS = "magnets"
    POWER = "power"
    SPEED = "speed"


@dataclass(frozen=True, slots=True)
class About:
    """What a kind strikes, what its amount means (empty: it has none) and is when left out, and what happens."""

    on: On
    amount: str
    usual: float
    text: str


ABOUT: dict[Fault, About] = {
    Fault.LOST: About(On.BYTES, "bytes", 1, "bytes are lost, one of each of the next writes"),
    Fault.DOUBLED: About(On.BYTES, "bytes", 1, "bytes come twice, one of each of the next writes"),
    Fault.CORRUPTED: About(On.BYTES, "bytes", 1, "a bit of a byte is turned over, in each of the next writes"),
    Fault.SPLIT: About(On.BYTES, "seconds", 3, "bytes come one by one, 1 to 30 ms apart"),
    Fault.DELAY: About(On.BYTES, "seconds", 0.3, "from now on bytes come so much later"),
    Fault.HELD: About(On.BYTES, "seconds", 2, "nothing comes, then everything at once"),
    Fault.SILENT: About(On.BYTES, "seconds", math.inf, "what is sent is gone"),
    Fault.VANISHES: About(On.LINK, "seconds", 3, "the port is gone, and comes back"),
    Fault.RESET: About(On.LINK, "", 0, "the station starts afresh: power off, locomotives forgotten, a greeting"),
    Fault.FULL: About(On.LINK, "seconds", 1, "the station's loop is held up, and its receive ring of 64 bytes fills"),
    Fault.SHORT: About(On.LINK, "seconds", 2, "a short circuit: no power, the station says so on USB alone"),
    Fault.PAUSED: About(On.LINK, "seconds", 2, "the host's program stands still; the layout goes on"),
    Fault.TURNOUT_STUCK: About(On.TURNOUT, "", 0, "the points lie as they lie, whatever is commanded"),
    Fault.TURNOUT_SLOW: About(On.TURNOUT, "seconds", 3, "the points take so much longer"),
    Fault.TURNOUT_REVERSED: About(On.TURNOUT, "", 0, "the points go to the other leg than the one commanded"),
    Fault.BEAM_DEAD: About(On.BEAM, "", 0, "the beam sees nothing any more"),
    Fault.BEAM_STUCK: About(On.BEAM, "", 0, "the beam sees something always"),
    Fault.BEAM_CHATTERS: About(On.BEAM, "seconds", 1, "the beam flickers, then sees again what there is"),
    Fault.BEAM_LATE: About(On.BEAM, "seconds", 0.5, "from now on the beam tells so much later"),
    Fault.HOLDS: About(On.WAGON, "times", math.inf, "its couplings do not drop out over a magnet"),
    Fault.PARTS: About(On.WAGON, "", 0, "its coupling towards the locomotive opens by itself"),
    Fault.LIFTED: About(On.WAGON, "", 0, "a hand takes it off the track"),
    Fault.STALLS: About(On.LOCOMOTIVE, "seconds", 2, "it stands at once, and goes on by itself"),
    Fault.RUNAWAY: About(On.LOCOMOTIVE, "stops", 1, "its decoder does not hear the next stop"),
    Fault.DIRTY: About(On.LOCOMOTIVE, "seconds", 3, "it hears no command, then the last one"),
    Fault.BROKER_RESTART: About(On.BROKER, "seconds", 3, "the broker is gone, and comes back; then the nodes find it"),
    Fault.MESSAGES_DOUBLED: About(On.MESSAGES, "messages", 10, "each of the next messages comes twice"),
    Fault.MESSAGES_LATE: About(On.MESSAGES, "seconds", 0.3, "from now on messages come so much later"),
    Fault.MESSAGES_HELD: About(On.MESSAGES, "seconds", 2, "no message comes, then all at once"),
    Fault.MESSAGES_RETAINED: About(On.RETAINED, "", 0, "commands are left retained, and the nodes come anew to them"),
}

_FORM = re.compile(
    r"(?P<kind>[^:@=]+)(:(?P<target>[^@=]+))?(@(?P<at>[0-9.]+))?(=(?P<amount>[0-9.]+))?",
)
_EXAMPLE = "write KIND[:TARGET][@SECONDS][=AMOUNT], for example beam-late:head@12=0.5"


@dataclass(frozen=True, slots=True)
class Planned:
    """A fault that will strike at ``at_s`` seconds. ``target`` is empty where the seed is to choose."""

    kind: Fault
    target: str = ""
    at_s: float = 0.0
    amount: float | None = None

    @property
    def much(self) -> float:
        """The amount, or what is usual."""
        return ABOUT[self.kind].usual if self.amount is None else self.amount

    def __str__(self) -> str:
        target = f":{self.target}" if self.target else ""
        amount = "" if self.amount is None else f"={self.amount:g}"
        return f"{self.kind}{target}@{self.at_s:g}{amount}"


def parse_fault(text: str) -> Planned:
    """Read one fault. Raises UsageError that says what there is."""
    found = _FORM.fullmatch(text.strip())
    where = f"--fault {text!r}"
    if found is None:
        raise UsageError("it is not understood", where=where, cure=_EXAMPLE)
    if found["kind"] not in set(Fault):
        raise UsageError(
            f"there is no fault {found['kind']!r}",
            where=where,
            cure=f"there are: {' '.join(Fault)}; `railsim --faults` says what each does",
        )
    kind = Fault(found["kind"])
    at_s, amount = _number(found["at"], "@", where), _number(found["amount"], "=", where)
    about = ABOUT[kind]
    if amount is not None and not about.amount:
        raise UsageError(f"{kind} has no amount", where=where, cure="leave the = and what follows away")
    return Planned(kind, found["target"] or "", at_s or 0.0, amount)


def check_fault(fault: Planned, track: Track) -> None:
    """Raise UsageError when the fault's target is not on this track."""
    on = ABOUT[fault.kind].on
    names: dict[On, Collection[str]] = {
        On.BYTES: list(Direction),
        On.LINK: (),
        On.TURNOUT: track.turnouts,
        On.BEAM: track.beams,
        On.WAGON: track.wagons,
        On.LOCOMOTIVE: track.locomotives,
        On.BROKER: list(Memory),
        On.MESSAGES: list(Way),
        On.RETAINED: list(Left),
    }
    if not fault.target or fault.target in names[on]:
        return
    what, cure = f"{fault.kind} has no target", "leave the : and what follows away"
    if on is not On.LINK:
        what = f"there is no {on} {fault.target!r}"
        cure = f"{did_you_mean(fault.target, names[on])} (Without a target the seed chooses.)"
    raise UsageError(what, where=f"fault {fault}", cure=cure)


def kinds_table() -> str:
    """Every kind in a line, for a person who asks what there is."""
    width = max(map(len, Fault))
    return "\n".join(f"{kind:<{width}}  {_described(about)}" for kind, about in ABOUT.items())


def _described(about: About) -> str:
    usual = "for ever" if math.isinf(about.usual) else f"{about.usual:g}"
    amount = f" [= {about.amount}, {usual} if left out]" if about.amount else ""
    return f"{about.text}{amount}"


def _number(text: str | None, sign: str, where: str) -> float | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{sign}{text} is no number", where=where, cure=_EXAMPLE) from None
