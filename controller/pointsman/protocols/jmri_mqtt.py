"""Topics and payloads as JMRI has them over MQTT, both roles, without any input or output.

``Topics.read`` turns a topic and its payload into a message, ``Topics.write`` a message into a topic and a payload.
A host publishes commands, a node publishes states; each reads what the other writes.

Conventions: type topic and name (``track/turnout/T1``) behind a prefix, payloads in capitals, speeds in whole
percents. A node that has real feedback reports it on ``.../state`` and never publishes on a command topic. Three
topics are our own: ``.../state`` of lights and power, ``track/node/NAME`` with ``online`` or ``offline``, and
``pointsman/CLIENT/fence``.

Reading is lenient: case and blanks around a payload do not matter, and whatever has no meaning here is kept as
``Unknown``. Writing is strict: ``ProtocolError`` for what a broker or a node would refuse or misread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from pointsman.errors import ProtocolError

HIGHEST_PERCENT = 100
HIGHEST_FUNCTION = 68
LONGEST_TEXT = 200
"""Characters of a name, a prefix or a tag; a broker allows 65535 bytes of topic, a small node far less."""

_NOT_IN_NAMES = re.compile(r"[+#/\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NOT_IN_PREFIX = re.compile(r"[+#\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_FENCE = re.compile(r"([0-9A-Za-z]{1,40}) ([0-9]{1,15})")
_DECIMAL = re.compile(r"[0-9]{1,9}")


class Points(StrEnum):
    """Where a turnout lies, by its node's report."""

    CLOSED = "CLOSED"
    THROWN = "THROWN"
    UNKNOWN = "UNKNOWN"
    INCONSISTENT = "INCONSISTENT"


class Direction(StrEnum):
    """The direction of a locomotive; ``STOP`` is the emergency stop."""

    FORWARD = "FORWARD"
    REVERSE = "REVERSE"
    STOP = "STOP"


@dataclass(frozen=True, slots=True)
class TurnoutCommand:
    """``track/turnout/NAME``: move the points."""

    name: str
    thrown: bool


@dataclass(frozen=True, slots=True)
class TurnoutState:
    """``track/turnout/NAME/state``: where the points lie."""

    name: str
    points: Points


@dataclass(frozen=True, slots=True)
class SensorState:
    """``track/sensor/NAME``: active or inactive; None when its node does not know."""

    name: str
    active: bool | None


@dataclass(frozen=True, slots=True)
class LightCommand:
    """``track/light/NAME``: switch an output. ``intensity`` 0.0 to 1.0 when one was given (read only)."""

    name: str
    on: bool
    intensity: float | None = None


@dataclass(frozen=True, slots=True)
class LightState:
    """``track/light/NAME/state``: how an output is switched."""

    name: str
    on: bool


@dataclass(frozen=True, slots=True)
class ReporterState:
    """``track/reporter/NAME``: the tag that is there, and what else was said; an empty tag is nothing present."""

    name: str
    tag: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class PowerCommand:
    """``track/power``: switch the track power."""

    on: bool


@dataclass(frozen=True, slots=True)
class PowerState:
    """``track/power/state``: the track power."""

    on: bool


@dataclass(frozen=True, slots=True)
class ThrottleSpeed:
    """``cab/ADDRESS/throttle``: 0 to 100 percent. ``stop``: an empty or unreadable one, an emergency stop."""

    cab: str
    percent: int
    stop: bool = False


@dataclass(frozen=True, slots=True)
class ThrottleDirection:
    """``cab/ADDRESS/direction``. An empty one is read as ``STOP``."""

    cab: str
    direction: Direction


@dataclass(frozen=True, slots=True)
class FunctionCommand:
    """``cab/ADDRESS/function/N``: 0 is the light."""

    cab: str
    function: int
    on: bool


@dataclass(frozen=True, slots=True)
class Availability:
    """``track/node/NAME``: ``online``, retained; ``offline`` is the node's last will."""

    node: str
    online: bool


@dataclass(frozen=True, slots=True)
class Fence:
    """``pointsman/CLIENT/fence``: a client's own message that comes back to it through the broker."""

    client: str
    session: str
    number: int


@dataclass(frozen=True, slots=True)
class HostState:
    """``track/$state``: JMRI's last will, ``lost``; empty when JMRI is there. Read only."""

    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything else, as it came. Read only."""

    topic: str
    payload: bytes


Message = (
    TurnoutCommand
    | TurnoutState
    | SensorState
    | LightCommand
    | LightState
    | ReporterState
    | PowerCommand
    | PowerState
    | ThrottleSpeed
    | ThrottleDirection
    | FunctionCommand
    | Availability
    | Fence
    | HostState
    | Unknown
)

Command = TurnoutCommand | LightCommand | PowerCommand | ThrottleSpeed | ThrottleDirection | FunctionCommand
"""What a host tells nodes to do: retained it is history, and nothing may move because of it."""


class Topics:
    """All topics behind one prefix (JMRI's channel): ``/trains/`` in JMRI until 2022, empty since. Put before as is."""

    def __init__(self, prefix: str = "") -> None:
        """Raises ProtocolError for a prefix that no topic can have."""
        if _NOT_IN_PREFIX.search(prefix) or len(prefix) > LONGEST_TEXT:
            raise ProtocolError(
                f"{prefix!r} cannot be the beginning of a topic",
                cure="leave out +, # and control characters, and keep it short",
            )
        self.prefix = prefix

    # ------------------------------------------------------------ reading

    def read(self, topic: str, payload: bytes) -> Message:
        """What a message means. Never raises."""
        unknown = Unknown(topic, payload)
        if not topic.startswith(self.prefix):
            return unknown
        text = payload.decode("utf-8", errors="replace").strip()
        match topic[len(self.prefix) :].split("/"):
            case ["track", "turnout" | "sensor" | "light" | "reporter" as kind, name] if name:
                return _read_machine(kind, name, text) or unknown
            case ["track", "turnout", name, "state"] if name:
                return TurnoutState(name, Points(text.upper())) if text.upper() in set(Points) else unknown
            case ["track", "light", name, "state"] if name:
                on = _on(text)
                return unknown if on is None else LightState(name, on)
            case ["track", "power"]:
                on = _on(text)
                return unknown if on is None else PowerCommand(on)
            case ["track", "power", "state"]:
                on = _on(text)
                return unknown if on is None else PowerState(on)
            case ["cab", cab, "throttle"] if cab:
                return _read_speed(cab, text)
            case ["cab", cab, "direction"] if cab:
                return _read_direction(cab, text) or unknown
            case ["cab", cab, "function", number] if cab and _DECIMAL.fullmatch(number):
                on = _on(text)
                return unknown if on is None else FunctionCommand(cab, int(number), on)
            case ["track", "node", node] if node and text.lower() in {"online", "offline"}:
                return Availability(node, text.lower() == "online")
            case ["pointsman", client, "fence"] if client:
                found = _FENCE.fullmatch(text)
                return Fence(client, found[1], int(found[2])) if found else unknown
            case ["track", "$state"]:
                return HostState(text)
        return unknown

    # ------------------------------------------------------------ writing

    def topic(self, message: Message) -> str:
        """Where a message is published. Raises ProtocolError for what is read only, and for an impossible name."""
        match message:
            case TurnoutCommand(name=name):
                own = f"track/turnout/{checked(name)}"
            case TurnoutState(name=name):
                own = f"track/turnout/{checked(name)}/state"
            case SensorState(name=name):
                own = f"track/sensor/{checked(name)}"
            case LightCommand(name=name):
                own = f"track/light/{checked(name)}"
            case LightState(name=name):
                own = f"track/light/{checked(name)}/state"
            case ReporterState(name=name):
                own = f"track/reporter/{checked(name)}"
            case PowerCommand():
                own = "track/power"
            case PowerState():
                own = "track/power/state"
            case ThrottleSpeed(cab=cab):
                own = f"cab/{checked(cab)}/throttle"
            case ThrottleDirection(cab=cab):
                own = f"cab/{checked(cab)}/direction"
            case FunctionCommand(cab=cab, function=number):
                own = f"cab/{checked(cab)}/function/{_within('function', number, HIGHEST_FUNCTION)}"
            case Availability(node=node):
                own = f"track/node/{checked(node)}"
            case Fence(client=client):
                own = f"pointsman/{checked(client)}/fence"
            case HostState() | Unknown():
                raise ProtocolError(f"{message} is never published", cure="use one of the known messages")
        return self.prefix + own

    def write(self, message: Message) -> tuple[str, bytes]:
        """Topic and payload of a message. Raises ProtocolError, as ``topic`` does, and for a number out of range."""
        topic = self.topic(message)
        match message:
            case TurnoutCommand(thrown=thrown):
                text = "THROWN" if thrown else "CLOSED"
            case TurnoutState(points=points):
                text = str(points)
            case SensorState(active=active):
                text = "UNKNOWN" if active is None else "ACTIVE" if active else "INACTIVE"
            case LightCommand(on=on) | LightState(on=on) | PowerCommand(on=on) | PowerState(on=on):
                text = _on_off(on)
            case FunctionCommand(on=on):
                text = _on_off(on)
            case ReporterState(tag=tag, text=more):
                text = f"{_word(tag)} {_line(more)}".strip()
            case ThrottleSpeed(percent=percent):
                text = str(_within("speed", percent, HIGHEST_PERCENT))
            case ThrottleDirection(direction=direction):
                text = str(direction)
            case Availability(online=online):
                text = "online" if online else "offline"
            case Fence(session=session, number=number):
                text = f"{session} {number}"
                if not _FENCE.fullmatch(text):
                    raise ProtocolError(f"{text!r} is no fence", cure="use letters, digits and a number")
            case HostState() | Unknown():
                raise AssertionError("topic() has refused it")
        return topic, text.encode("utf-8")


def publish_packet(topic: str, payload: bytes) -> bytes:
    """The bytes of an MQTT PUBLISH packet (3.1.1 section 3.3): at most once, not retained.

    For whoever holds an open connection and nothing else: it may be written behind any whole packet.
    """
    name = topic.encode("utf-8")
    body = len(name).to_bytes(2, "big") + name + payload
    left, length = len(body), bytearray()
    while True:
        left, digit = divmod(left, 128)
        length.append(digit | (0x80 if left else 0))
        if not left:
            return b"\x30" + bytes(length) + body


# ---------------------------------------------------------------- pieces


def _read_machine(kind: str, name: str, text: str) -> Message | None:
    value = text.upper()
    match kind:
        case "turnout" if value in {"CLOSED", "THROWN"}:
            return TurnoutCommand(name, value == "THROWN")
        case "sensor" if value in {"ACTIVE", "INACTIVE", "UNKNOWN"}:
            return SensorState(name, None if value == "UNKNOWN" else value == "ACTIVE")
        case "light":
            return _read_light(name, value)
        case "reporter":
            tag, _, more = text.partition(" ")
            return ReporterState(name, tag, more.strip())
    return None


def _read_light(name: str, value: str) -> LightCommand | None:
    on = _on(value)
    if on is not None:
        return LightCommand(name, on)
    word, _, number = value.partition(" ")
    try:
        intensity = float(number) if word == "INTENSITY" else -1.0
    except ValueError:
        return None
    return LightCommand(name, intensity > 0, intensity) if 0.0 <= intensity <= 1.0 else None


def _read_speed(cab: str, text: str) -> ThrottleSpeed:
    """A whole number, clamped to 0..100; anything else is an emergency stop."""
    sign, digits = (text[0], text[1:]) if text[:1] in {"+", "-"} else ("", text)
    if not _DECIMAL.fullmatch(digits):
        return ThrottleSpeed(cab, 0, stop=True)
    return ThrottleSpeed(cab, 0 if sign == "-" else min(int(digits), HIGHEST_PERCENT))


def _read_direction(cab: str, text: str) -> ThrottleDirection | None:
    value = text.upper() or Direction.STOP
    return ThrottleDirection(cab, Direction(value)) if value in set(Direction) else None


def _on(text: str) -> bool | None:
    return {"ON": True, "OFF": False}.get(text.upper())


def _on_off(on: bool) -> str:
    return "ON" if on else "OFF"


def checked(name: str) -> str:
    """A name as one level of a topic. Raises ProtocolError for one that cannot be."""
    if not name or len(name) > LONGEST_TEXT or _NOT_IN_NAMES.search(name):
        raise ProtocolError(
            f"{name!r} cannot stand in a topic", cure="leave out +, #, / and control characters, and keep it short"
        )
    return name


def _word(text: str) -> str:
    if " " in text:
        raise ProtocolError(f"the tag {text!r} has a blank", cure="put what follows it into the text")
    return _line(text)


def _line(text: str) -> str:
    if len(text) > LONGEST_TEXT or not (text.isprintable() or not text):
        raise ProtocolError(f"{text[:40]!r} cannot be reported", cure="keep it short and printable")
    return text


def _within(what: str, value: int, highest: int) -> int:
    if not 0 <= value <= highest:
        raise ProtocolError(f"{what} {value} is outside 0 .. {highest}", cure="correct the number")
    return value
