"""The line to a node carried by an MQTT broker, from this program to a bridge beside the node, and back. No input or
output.

Everything goes at most once and is never retained. A message is a head in words and, where the head says so, a line
feed and bytes of the line, in their order. HOST and BRIDGE are random words, new for every link; HOST.BRIDGE is a
session, the one host that has the line.

On ``PREFIXpointsman/node/NAME/to``, which the bridge reads:

* ``HOST open`` wants the line, and is said again until it is answered;
* ``HOST.BRIDGE NUMBER ECHO`` carries bytes, or none; ``NUMBER`` rises, ``ECHO`` is the latest number of the bridge's;
* ``HOST close`` gives the line back; ``HOST stop`` does too, and is what is left with a broker and with a guardian.

On ``PREFIXpointsman/node/NAME/from``, which the host reads:

* ``HOST.BRIDGE NUMBER ECHO``, as above: the first one is the answer to ``open``;
* ``HOST busy``: another host has the line; ``HOST closed WHY``: this one has it no more;
* ``BRIDGE offline``: the bridge's last will.

How old a message is at most, its echo shows: it was written after the number that it echoes was sent, by the clock of
whoever sent that one and gets this one. Nothing that is older than ``FRESH_S``, or has come before, is carried on; only
the stop byte is, from anybody and of any age, if the broker had not kept it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pointsman.errors import ProtocolError
from pointsman.protocols import jmri_mqtt
from pointsman.protocols.jmri_mqtt import checked

FRESH_S = 0.3
"""Older bytes are not carried on: a node, or what is believed of it, may be late by so much and no more."""
EVERY_S = 0.1
"""Both sides say something at least so often, so that the other can show that what it says is fresh."""
LONGEST_WHY = 300
_KEPT_S = 2 * FRESH_S
_WORD = r"[0-9a-z]{1,40}"
_HEAD = re.compile(rb"[^\n]{1,1000}")
_CARRIES = re.compile(rf"({_WORD}\.{_WORD}) ([0-9]{{1,15}}) ([0-9]{{1,15}})")
_SAYS = re.compile(rf"({_WORD}) (open|close|stop|busy|offline|closed)(?: (.*))?")


@dataclass(frozen=True, slots=True)
class Topics:
    """The two topics of the bridge of a name. Raises ProtocolError for a name or a prefix that no topic can have."""

    name: str
    prefix: str = ""

    def __post_init__(self) -> None:
        checked(self.name)
        jmri_mqtt.Topics(self.prefix)

    @property
    def to(self) -> str:
        """To the bridge."""
        return f"{self.prefix}pointsman/node/{self.name}/to"

    @property
    def back(self) -> str:
        """From the bridge."""
        return f"{self.prefix}pointsman/node/{self.name}/from"


@dataclass(frozen=True, slots=True)
class Open:
    """A host wants the line."""

    host: str


@dataclass(frozen=True, slots=True)
class Close:
    """A host gives the line back. ``died``: it is its last will, or its guardian's word."""

    host: str
    died: bool = False


@dataclass(frozen=True, slots=True)
class Carried:
    """Bytes of the line, or none."""

    session: str
    number: int
    echo: int
    data: bytes = b""

    @property
    def host(self) -> str:
        """Whose session it is."""
        return self.session.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Busy:
    """Another host has the line."""

    host: str


@dataclass(frozen=True, slots=True)
class Closed:
    """A host has the line no more, or does not get it."""

    host: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Offline:
    """A bridge is not at the broker any more."""

    bridge: str


Message = Open | Close | Carried | Busy | Closed | Offline


def write(message: Message) -> bytes:
    """The payload of a message. Raises ProtocolError for a word that cannot stand in it."""
    data = b""
    match message:
        case Open(host):
            head = f"{host} open"
        case Close(host, died):
            head = f"{host} {'stop' if died else 'close'}"
        case Carried(session, number, echo, data):
            head, data = f"{session} {number} {echo}", b"\n" + data
        case Busy(host):
            head = f"{host} busy"
        case Closed(host, why):
            head = f"{host} closed {' '.join(why.split())[:LONGEST_WHY]}".rstrip()
        case Offline(bridge):
            head = f"{bridge} offline"
    if _read_head(head, b"") is None:
        raise ProtocolError(
            f"{head!r} cannot be the head of a message", cure="use short words of small letters, digits"
        )
    return head.encode() + data


def read(payload: bytes) -> Message | None:
    """The message of a payload; None when it is none. Never raises."""
    head, feed, data = payload.partition(b"\n")
    if not _HEAD.fullmatch(head):
        return None
    found = _read_head(head.decode(errors="replace"), data)
    return found if isinstance(found, Carried) == bool(feed) else None


def _read_head(head: str, data: bytes) -> Message | None:
    if (carries := _CARRIES.fullmatch(head)) is not None:
        return Carried(carries[1], int(carries[2]), int(carries[3]), data)
    says = _SAYS.fullmatch(head)
    if says is None or (says[3] is not None and says[2] != "closed"):
        return None
    who = says[1]
    match says[2]:
        case "open":
            return Open(who)
        case "busy":
            return Busy(who)
        case "closed":
            return Closed(who, says[3] or "")
        case "offline":
            return Offline(who)
    return Close(who, died=says[2] == "stop")


class Ages:
    """Numbers one side's messages, and shows how old the other side's are. Times are of one clock, in seconds.

    What the other side sends before it has heard anything echoes number 0, which counts as sent at ``since_s``.
    """

    def __init__(self, since_s: float) -> None:
        self._number = 0
        self._latest = 0
        self._sent: dict[int, float] = {0: since_s}

    def next(self, now_s: float) -> tuple[int, int]:
        """The number and the echo of a message that is sent now."""
        self._number += 1
        # their echoes would show that what carries them is too old
        self._sent = {number: t_s for number, t_s in self._sent.items() if t_s >= now_s - _KEPT_S}
        self._sent[self._number] = now_s
        return self._number, self._latest

    def fresh(self, message: Carried, now_s: float) -> bool:
        """Has a message that comes now not come before, and is it young enough?"""
        if message.number <= self._latest:
            return False
        self._latest = message.number
        sent_s = self._sent.get(message.echo)
        return sent_s is not None and now_s - sent_s <= FRESH_S
