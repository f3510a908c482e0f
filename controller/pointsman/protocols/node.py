"""The protocol of the Arduino node, both roles, without any input or output.

The host's side: ``write_command`` and ``STOP`` make bytes, ``HostReader`` turns bytes into answers and events. The
node's side: ``NodeReader`` turns bytes into commands, ``write_answer``, ``write_refusal`` and ``write_event`` make
bytes. Names and limits come from ``firmware/protocol.toml``, which also says what a line is.

A line is kept only when its checksum is right. What is cut, changed, too long or not known is handed out as
``Garbled`` or ``Unknown`` with the reason for which a node refuses it; nothing raises, and no more than one line is
ever kept. Lines without anything in them count as none.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pointsman.errors import ProtocolError
from pointsman.protocols import node_constants as k
from pointsman.protocols.node_constants import Refusal, Verb
from pointsman.protocols.node_messages import Command, Told, Value, command_of, event_of, value_words, words

STOP = bytes([k.STOP_BYTE])
"""Stops everything at any moment, even inside a line; to be repeated until the whole state has been told."""
UNREAD = 0
"""The number of an answer to a line whose own number could not be read."""

_LINE = re.compile(rb"(.*)\*([0-9A-F]{4})", re.DOTALL)
_NUMBERED = re.compile(r"([0-9]+) (.*)")
_COUNTED = re.compile(r"@([0-9]{1,2}) (.+)")
_LF, _CR = 0x0A, 0x0D


@dataclass(frozen=True, slots=True)
class Asked:
    """A command that came whole. ``body`` is its line without the checksum: that of a repeat is the same."""

    number: int
    command: Command
    body: str


@dataclass(frozen=True, slots=True)
class StopAsked:
    """The stop byte came; what was being read when it came is gone."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answer yes; ``node_messages.about_of`` and ``answer_of`` read its values."""

    number: int
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer no. ``reason`` is a ``Refusal`` where it is one that is known; only ``version`` comes with a value."""

    number: int
    reason: str
    values: tuple[str, ...] = ()

    @property
    def version(self) -> int | None:
        """The version that the node speaks, where it refuses because of that and says so."""
        if self.reason != Refusal.VERSION or not self.values or not re.fullmatch("[0-9]{1,9}", self.values[0]):
            return None
        return int(self.values[0])

    @property
    def meaning(self) -> str:
        """The reason, for a person."""
        if self.version not in {None, k.VERSION}:
            return f"it speaks version {self.version} of the protocol, and this program version {k.VERSION}"
        return k.REFUSALS[Refusal(self.reason)] if self.reason in k.REFUSALS else f"it says {self.reason!r}"


@dataclass(frozen=True, slots=True)
class Happened:
    """An event, and its place in the count of all events."""

    count: int
    event: Told


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line that came whole and says nothing known; ``number`` is ``UNREAD`` where it has none."""

    number: int
    refusal: Refusal
    body: str


@dataclass(frozen=True, slots=True)
class Garbled:
    """A line that did not come whole, as far as it was kept."""

    refusal: Refusal
    data: bytes


FromHost = Asked | StopAsked | Unknown | Garbled
FromNode = Accepted | Refused | Happened | Unknown | Garbled

# ---------------------------------------------------------------- writing


def crc(body: bytes) -> int:
    """The CRC-16/CCITT-FALSE of a line's body."""
    return binascii.crc_hqx(body, 0xFFFF)


def write_command(number: int, command: Command) -> bytes:
    """The line of a command. Raises ProtocolError for what the node would have to refuse as out of range."""
    return _line(f"{_numbered(number)} {' '.join(words(command))}")


def write_answer(number: int, verb: Verb, values: Sequence[Value] = ()) -> bytes:
    """The line of the answer yes to a verb. Raises ProtocolError for values that do not belong to it."""
    return _line(" ".join([str(_numbered(number)), "ok", *value_words(verb, values)]))


def write_refusal(number: int, refusal: Refusal, values: Sequence[Value] = ()) -> bytes:
    """The line of the answer no; ``UNREAD`` to a line whose number could not be read.

    Raises ProtocolError for values that do not belong to it.
    """
    told = number if number == UNREAD else _numbered(number)
    return _line(" ".join([str(told), "no", refusal, *value_words(refusal, values)]))


def write_event(count: int, event: Told) -> bytes:
    """The line of an event. Raises ProtocolError for a value out of range."""
    if not 0 <= count <= k.LAST_COUNT:
        raise ProtocolError(f"the count of events {count} is outside 0 .. {k.LAST_COUNT}", cure="count round")
    return _line(f"@{count} {' '.join(words(event))}")


def _numbered(number: int) -> int:
    if not 1 <= number <= k.LAST_NUMBER:
        raise ProtocolError(f"number {number} of a line is outside 1 .. {k.LAST_NUMBER}", cure="count round")
    return number


def _line(body: str) -> bytes:
    """Never too long: every value has its limits."""
    data = body.encode("ascii")
    return b"%s*%04X\n" % (data, crc(data))


# ---------------------------------------------------------------- reading


class _Lines:
    """Bytes in, lines out: the body of each, or why it has none; None for a stop byte."""

    def __init__(self, *, stops: bool) -> None:
        self._stops = stops
        self._kept = bytearray()
        self._bad: Refusal | None = None

    def feed(self, data: bytes) -> list[str | Garbled | None]:
        found: list[str | Garbled | None] = []
        for byte in data:
            if byte == k.STOP_BYTE and self._stops:
                found.append(None)
                self._begin()
            elif byte == _LF:
                if self._kept or self._bad is not None:
                    found.append(self._line())
                self._begin()
            elif byte != _CR:
                self._keep(byte)
        return found

    def _begin(self) -> None:
        self._kept.clear()
        self._bad = None

    def _keep(self, byte: int) -> None:
        full = len(self._kept) == k.LONGEST - 1
        if self._bad is None and (full or not 0x20 <= byte <= 0x7E):
            self._bad = Refusal.LONG if 0x20 <= byte <= 0x7E else Refusal.FORM
        if not full:
            self._kept.append(byte)

    def _line(self) -> str | Garbled:
        data = bytes(self._kept)
        if self._bad is not None:
            return Garbled(self._bad, data)
        found = _LINE.fullmatch(data)
        if found is None or crc(found[1]) != int(found[2], 16):
            return Garbled(Refusal.CRC, data)
        return found[1].decode("ascii")


class NodeReader:
    """The node's side: feed bytes, get what the host has told."""

    def __init__(self) -> None:
        self._lines = _Lines(stops=True)

    def feed(self, data: bytes) -> list[FromHost]:
        """What ``data`` completes, in order. Never raises."""
        return [
            StopAsked() if line is None else line if isinstance(line, Garbled) else _asked(line)
            for line in self._lines.feed(data)
        ]


class HostReader:
    """The host's side: feed bytes, get the answers and events of a node."""

    def __init__(self) -> None:
        self._lines = _Lines(stops=False)

    def feed(self, data: bytes) -> list[FromNode]:
        """What ``data`` completes, in order. Never raises."""
        lines = (line for line in self._lines.feed(data) if line is not None)
        return [line if isinstance(line, Garbled) else _told(line) for line in lines]


def _asked(body: str) -> Asked | Unknown:
    number, said = _numbers(body)
    if number == UNREAD:
        return Unknown(UNREAD, Refusal.FORM, body)
    command = command_of(said)
    if isinstance(command, Refusal):
        return Unknown(number, command, body)
    return Asked(number, command, body)


def _told(body: str) -> Accepted | Refused | Happened | Unknown:
    counted = _COUNTED.fullmatch(body)
    if counted is not None:
        event = event_of(counted[2].split(" "))
        return Unknown(UNREAD, Refusal.FORM, body) if event is None else Happened(int(counted[1]), event)
    number, said = _numbers(body)
    match said:
        case ["ok", *values] if number != UNREAD:
            return Accepted(number, tuple(values))
        case ["no", reason, *values] if reason:
            return Refused(number, Refusal(reason) if reason in k.REFUSALS else reason, tuple(values))
    return Unknown(number, Refusal.FORM, body)


def _numbers(body: str) -> tuple[int, list[str]]:
    """A line's number and its words; ``UNREAD`` where it has none that a line may have."""
    found = _NUMBERED.fullmatch(body)
    if found is None:
        return UNREAD, []
    number = int(found[1])
    return number if number <= k.LAST_NUMBER else UNREAD, found[2].split(" ")


# ---------------------------------------------------------------- counting


class Numbers:
    """The numbers of the lines that a host writes: up from 1, and round."""

    def __init__(self) -> None:
        self._last = 0

    def take(self) -> int:
        """The next number."""
        self._last = self._last % k.LAST_NUMBER + 1
        return self._last


class Counts:
    """The counts of the events that a node tells: up from 0, and round."""

    def __init__(self) -> None:
        self._next = 0

    def take(self) -> int:
        """The next count."""
        count, self._next = self._next, (self._next + 1) % (k.LAST_COUNT + 1)
        return count


class Gaps:
    """Whether a host has heard every event. The first one that it hears begins the count."""

    def __init__(self) -> None:
        self._expected: int | None = None

    def heard(self, count: int) -> int:
        """How many events were lost before this one, at least (a whole round of them would not be seen)."""
        expected = count if self._expected is None else self._expected
        self._expected = (count + 1) % (k.LAST_COUNT + 1)
        return (count - expected) % (k.LAST_COUNT + 1)

    def restart(self) -> None:
        """The node has started anew: the next event begins the count."""
        self._expected = None
