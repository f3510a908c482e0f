"""What a station is told and tells: definitions in its EEPROM, answers for its ports, and its hands on the layout."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from pointsman.protocols.dccex import Reply, encode_reply


class To(Enum):
    """Who gets an answer: the port that asked, every port, or the USB port (comments and displays)."""

    ASKER = "asker"
    ALL = "all"
    USB = "usb"


@dataclass(frozen=True, slots=True)
class Answer:
    """Bytes, and for whom."""

    to: To
    data: bytes


def asker(reply: Reply) -> Answer:
    """A reply for the port that asked."""
    return Answer(To.ASKER, encode_reply(reply))


def to_all(reply: Reply) -> Answer:
    """A broadcast."""
    return Answer(To.ALL, encode_reply(reply))


def usb(reply: Reply) -> Answer:
    """A comment or display."""
    return Answer(To.USB, encode_reply(reply))


def app_line(text: str) -> Answer:
    """A bare line, as it is meant for throttle apps and reaches the serial port too."""
    return Answer(To.USB, f"{text}\n".encode("ascii"))


class Rails(Protocol):
    """What the station does to the layout. Numbers are the station's own."""

    def power(self, on: bool) -> None:
        """Power of the main track."""

    def throttle(self, cab: int, forward: bool, step: int, emergency: bool) -> None:
        """What is sent to a locomotive: step 0..126."""

    def turnout(self, number: int, thrown: bool) -> None:
        """The points are driven to one side, also when they are there already."""

    def output(self, number: int, on: bool) -> None:
        """An output is switched."""


@dataclass(slots=True)
class TurnoutRecord:
    """A defined turnout: what ``<T id X>`` tells, and the last commanded state."""

    kind: str
    values: tuple[int, ...]
    thrown: bool = False


@dataclass(slots=True)
class SensorRecord:
    """A defined sensor."""

    vpin: int
    pullup: bool = True


@dataclass(slots=True)
class OutputRecord:
    """A defined output."""

    vpin: int
    iflag: int = 0
    on: bool = False


@dataclass(slots=True)
class Definitions:
    """What the EEPROM holds: turnouts, sensors and outputs by number.

    ``script``: commands with their brackets that the station's own automation gives at every start.
    """

    turnouts: dict[int, TurnoutRecord] = field(default_factory=dict)
    sensors: dict[int, SensorRecord] = field(default_factory=dict)
    outputs: dict[int, OutputRecord] = field(default_factory=dict)
    script: tuple[str, ...] = ()
