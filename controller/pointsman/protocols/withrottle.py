"""WiThrottle, the protocol of throttle apps on phones, in the role of the server, without any input or output.

``Reader`` turns bytes of a phone into commands, ``write`` turns what a phone is told into bytes. Both are lines of
UTF-8; ``withrottle_messages`` has what they say.

Reading is lenient: LF, CR or both end a line, empty lines count as none, and whatever has no meaning here is kept as
``Unknown``; nothing raises, and no more than one line is ever kept. Writing is strict: ``ProtocolError`` for a name
that would be taken apart or a number that no phone expects. Sentences for a person are cut and made one line instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pointsman.errors import ProtocolError
from pointsman.protocols.dcc import HIGHEST_LONG, HIGHEST_SHORT
from pointsman.protocols.withrottle_messages import (
    About,
    Acquire,
    Added,
    Alert,
    AskPower,
    AskTurnout,
    Button,
    DeviceId,
    DeviceName,
    Direction,
    EmergencyStop,
    FromPhone,
    FunctionState,
    Heartbeat,
    Information,
    Interval,
    InUse,
    Labels,
    Momentary,
    Monitoring,
    Points,
    Power,
    Query,
    Quit,
    Release,
    Removed,
    Roster,
    SetDirection,
    SetFunction,
    SetSpeed,
    SetSteps,
    Speed,
    Steal,
    Steps,
    ToPhone,
    TurnoutAction,
    Turnouts,
    TurnoutState,
    TurnoutWords,
    Unknown,
    Version,
    WebPort,
)

VERSION = "2.0"
"""Apps leave a server that speaks an older one."""
ALL = "*"
"""The key of all locomotives of a throttle."""
HIGHEST_STEP = 126
STOPPED = -1
"""The speed of a locomotive after an emergency stop."""
FUNCTIONS = 29
"""F0 to F28."""
LONGEST = 256
"""Bytes of a line from a phone; of a longer one only the beginning is kept, and it means nothing."""
LONGEST_TEXT = 200
"""Characters of a sentence for a person."""
_LONGEST_NAME = 60

_KEY = re.compile(r"[SL][0-9]{1,5}")
_SPEED = re.compile(r"V(-?[0-9]{1,4})")
_FUNCTION = re.compile(r"([Ff])([01])([0-9]{1,2})")
_STEPS = re.compile(r"s([0-9]{1,2})")
_TURNOUT = re.compile(r"PTA([TC2])(.+)")
_MULTI = re.compile(r"M(\S)([-+AS])(.*?)(?:<;>(.*))?")
_NOT_IN_NAMES = re.compile(r"\]\\\[|\}\|\{|<;>|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NOT_IN_TEXTS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_LF, _CR = 0x0A, 0x0D


# ---------------------------------------------------------------- reading


class Reader:
    """Bytes in, commands out."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._long = False

    def feed(self, data: bytes) -> list[FromPhone]:
        """The commands of every line that has ended."""
        found: list[FromPhone] = []
        for byte in data:
            if byte in {_LF, _CR}:
                line = bytes(self._kept)
                if line.strip():
                    found.append(Unknown(line) if self._long else read(line))
                self._kept.clear()
                self._long = False
            elif len(self._kept) < LONGEST:
                self._kept.append(byte)
            else:
                self._long = True
        return found


def read(line: bytes) -> FromPhone:
    """What a line means, without its end. Never raises."""
    text = line.decode("utf-8", errors="replace").strip()
    if text in _WORDS:
        return _WORDS[text]
    if text.startswith("HU"):
        return DeviceId(text[2:])
    if text.startswith("N"):
        return DeviceName(text[1:].strip())
    turnout = _TURNOUT.fullmatch(text)
    if turnout:
        return AskTurnout(TurnoutAction(turnout[1]), turnout[2])
    multi = _MULTI.fullmatch(text)
    found = None
    if multi and multi[1].isprintable() and (multi[3] == ALL or _KEY.fullmatch(multi[3])):
        found = _read_multi(multi[1], multi[2], multi[3], multi[4] or "")
    return found or Unknown(line)


_WORDS: dict[str, FromPhone] = {
    "*": Heartbeat(),
    "*+": Monitoring(True),
    "*-": Monitoring(False),
    "Q": Quit(),
    "PPA1": AskPower(True),
    "PPA0": AskPower(False),
}


def _read_multi(throttle: str, what: str, key: str, rest: str) -> FromPhone | None:
    if what == "A":
        return _read_action(throttle, key, rest)
    if what == "-":
        return Release(throttle, key)
    if key == ALL:
        return None
    if what == "S":
        return Steal(throttle, key)
    return Acquire(throttle, key, rest[1:] if rest.startswith("E") else None)


def _read_action(throttle: str, key: str, rest: str) -> FromPhone | None:
    if rest in _PLAIN_ACTIONS:
        return _PLAIN_ACTIONS[rest](throttle, key)
    speed = _SPEED.fullmatch(rest)
    if speed:
        step = int(speed[1])
        return EmergencyStop(throttle, key) if step < 0 else SetSpeed(throttle, key, min(step, HIGHEST_STEP))
    function = _FUNCTION.fullmatch(rest)
    if function:
        make = Button if function[1] == "F" else SetFunction
        return make(throttle, key, int(function[3]), function[2] == "1")
    steps = _STEPS.fullmatch(rest)
    return SetSteps(throttle, key, int(steps[1])) if steps else None


_PLAIN_ACTIONS: dict[str, Callable[[str, str], FromPhone]] = {
    "X": EmergencyStop,
    "I": lambda throttle, key: SetSpeed(throttle, key, 0),
    "R1": lambda throttle, key: SetDirection(throttle, key, True),
    "R0": lambda throttle, key: SetDirection(throttle, key, False),
    "Q": Release,
    "qV": lambda throttle, key: Query(throttle, key, About.SPEED),
    "qR": lambda throttle, key: Query(throttle, key, About.DIRECTION),
    "qs": lambda throttle, key: Query(throttle, key, About.STEPS),
    "qm": lambda throttle, key: Query(throttle, key, About.MOMENTARY),
}


# ---------------------------------------------------------------- writing


def write(message: ToPhone) -> bytes:
    """The line of a message. Raises ProtocolError for a name or a number that cannot be sent."""
    return f"{_general(message)}\n".encode()


def _general(message: ToPhone) -> str:
    match message:
        case Version():
            return f"VN{VERSION}"
        case Roster(entries):
            listed = (f"]\\[{_name(name)}}}|{{{_address(key)}}}|{{{key[0]}" for name, key in entries)
            return f"RL{len(entries)}{''.join(listed)}"
        case Power(on):
            return f"PPA{2 if on is None else int(on)}"
        case TurnoutWords():
            return f"PTT]\\[Turnouts}}|{{Turnout]\\[Closed}}|{{{Points.CLOSED}]\\[Thrown}}|{{{Points.THROWN}"
        case Turnouts(entries):
            return "PTL" + "".join(f"]\\[{_name(name)}}}|{{{_name(said)}}}|{{{at}" for name, said, at in entries)
        case TurnoutState(name, points):
            return f"PTA{points}{_name(name)}"
        case WebPort(port):
            return f"PW{_within('port', port, 1, 65535)}"
        case Interval(seconds):
            return f"*{_within('heartbeat', seconds, 0, 30)}"
        case Alert(text):
            return f"HM{_sentence(text)}"
        case Information(text):
            return f"Hm{_sentence(text)}"
    return _of_locomotive(message)


def _of_locomotive(message: ToPhone) -> str:
    assert not isinstance(
        message,
        Version | Roster | Power | TurnoutWords | Turnouts | TurnoutState | WebPort | Interval | Alert | Information,
    ), "those were written"
    key, number = _key(message.key), FUNCTIONS - 1
    match message:
        case Added():
            what, rest = "+", ""
        case Removed():
            what, rest = "-", ""
        case InUse():
            what, rest = "S", key
        case Labels(labels=labels):
            what, rest = "L", "".join(f"]\\[{_name(label) if label else ''}" for label in labels)
        case FunctionState(number=n, on=on):
            what, rest = "A", f"F{on:d}{_within('function', n, 0, number)}"
        case Momentary(number=n, momentary=momentary):
            what, rest = "A", f"m{momentary:d}{_within('function', n, 0, number)}"
        case Speed(step=step):
            what, rest = "A", f"V{_within('speed', step, STOPPED, HIGHEST_STEP)}"
        case Direction(forward=forward):
            what, rest = "A", f"R{forward:d}"
        case Steps():
            what, rest = "A", "s1"
    return f"M{_letter(message.throttle)}{what}{key}<;>{rest}"


def key_of(address: int, *, long: bool) -> str:
    """The key of a locomotive."""
    return f"{'L' if long else 'S'}{address}"


def _key(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise ProtocolError(f"{key!r} is no locomotive's address", cure="write S or L and the number")
    return key


def _address(key: str) -> int:
    return _within("address", int(_key(key)[1:]), 1, HIGHEST_SHORT if key[0] == "S" else HIGHEST_LONG)


def _letter(throttle: str) -> str:
    if len(throttle) != 1 or throttle.isspace() or not throttle.isprintable():
        raise ProtocolError(f"{throttle!r} is no throttle", cure="say the letter that the phone has said")
    return throttle


def _name(name: str) -> str:
    if not name or len(name) > _LONGEST_NAME or _NOT_IN_NAMES.search(name):
        raise ProtocolError(f"{name[:80]!r} cannot be shown on a phone", cure="use a short, printable name")
    return name


def _sentence(text: str) -> str:
    line = _NOT_IN_TEXTS.sub(" ", text).strip()
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 4]} ..."


def _within(what: str, value: int, lowest: int, highest: int) -> int:
    if not lowest <= value <= highest:
        raise ProtocolError(f"{what} {value} is outside {lowest} .. {highest}", cure="correct the number")
    return value
