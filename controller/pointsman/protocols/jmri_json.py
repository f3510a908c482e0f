"""JMRI's JSON protocol (version 5), both roles: the text of a websocket message <-> frozen dataclasses.

The same message types go both ways: a client asks for or sets a value, the server answers with it and reports it.
Reading is lenient and never raises: what has no known type is kept as ``Unknown``, a field of the wrong sort counts as
not there.

What JMRI does with them (read in its source, versions 4.19 to 5.x):

* A ``Bean`` (turnout, sensor, light) is asked for by name. From then on its changes are reported, and before that they
  are not. It is reported under its system name, whatever name it was asked by.
* The ``id`` of a request comes back in the answer, or in the ``Failure``; not in a ``Pong``, and a ``Throttle`` is
  answered without one. Texts of one connection are handled in order, so a request with an id that follows them is a
  fence behind both.
* The keys of a throttle's message are carried out in their order.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any

LONGEST_TEXT = 1 << 20
"""Characters. A longer text is not looked into."""
_FUNCTION = re.compile(r"F(?:[0-9]|1[0-9]|2[0-8])")
HIGHEST_ID = 2**31 - 1


class BeanType(StrEnum):
    """The things that have a name and a state."""

    TURNOUT = "turnout"
    SENSOR = "sensor"
    LIGHT = "light"


class Method(StrEnum):
    """What is to be done."""

    GET = "get"
    POST = "post"


UNKNOWN = 0
INCONSISTENT = 8
"""States that everything may have. A turnout under way to where it was sent is inconsistent, too."""


class TurnoutState(IntEnum):
    """A turnout's state."""

    CLOSED = 2
    THROWN = 4


class SensorState(IntEnum):
    """A sensor's state."""

    ACTIVE = 2
    INACTIVE = 4


class SwitchState(IntEnum):
    """The state of a light and of the power. Power may be idle too: on, with every locomotive stopped."""

    ON = 2
    OFF = 4
    IDLE = 8


@dataclass(frozen=True, slots=True)
class Hello:
    """The server's greeting, and how often it wants to hear something (0: it did not say)."""

    jmri: str = ""
    json: str = ""
    railroad: str = ""
    heartbeat_ms: int = 0
    id: int = 0


@dataclass(frozen=True, slots=True)
class Ping:
    """The client is there."""


@dataclass(frozen=True, slots=True)
class Pong:
    """The server is there."""


@dataclass(frozen=True, slots=True)
class Goodbye:
    """The sender ends the connection."""


@dataclass(frozen=True, slots=True)
class Bean:
    """A turnout, sensor or light. ``state`` is None in a question, and in an answer that has none."""

    type: BeanType
    name: str
    state: int | None = None
    method: Method = Method.GET
    id: int = 0


@dataclass(frozen=True, slots=True)
class Power:
    """The track power of a connection; ``default`` says whether it is the one that is meant when none is named."""

    state: int | None = None
    name: str = ""
    default: bool | None = None
    method: Method = Method.GET
    id: int = 0


@dataclass(frozen=True, slots=True)
class Throttle:
    """A throttle, by the name its client gave it. Fields that are None (or False) are not in the message.

    ``speed`` is 0 to 1 of the highest step, below 0 after an emergency stop. ``status`` asks for everything.
    ``function`` is one function and whether it is on; the many of a whole status are not read.
    """

    name: str
    address: int | None = None
    is_long_address: bool | None = None
    forward: bool | None = None
    speed: float | None = None
    emergency_stop: bool = False
    idle: bool = False
    release: bool = False
    status: bool = False
    speed_steps: int | None = None
    clients: int | None = None
    function: tuple[int, bool] | None = None
    id: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """A request was not carried out; ``code`` is HTTP's, or 512 for a throttle that could not be had."""

    code: int
    message: str
    id: int = 0


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything else, as it came."""

    text: str


Message = Hello | Ping | Pong | Goodbye | Bean | Power | Throttle | Failure | Unknown

# ---------------------------------------------------------------- writing


def write(message: Message) -> str:
    """The text of a message, pure ASCII. ``read`` gives the message back."""
    match message:
        case Hello():
            data: dict[str, Any] = {
                "JMRI": message.jmri,
                "json": message.json,
                "heartbeat": message.heartbeat_ms,
                "railroad": message.railroad,
            }
            return _text("hello", data, message.id)
        case Ping():
            return '{"type":"ping"}'
        case Pong():
            return '{"type":"pong"}'
        case Goodbye():
            return '{"type":"goodbye"}'
        case Bean():
            data = {"name": message.name} | _given({"state": message.state})
            return _text(str(message.type), data, message.id, message.method)
        case Power():
            data = _given({"name": message.name or None, "state": message.state, "default": message.default})
            return _text("power", data, message.id, message.method)
        case Throttle():
            return _text("throttle", _throttle_data(message), message.id)
        case Failure():
            return _text("error", {"code": message.code, "message": message.message}, message.id)
        case Unknown(text):
            return text


def _text(type_: str, data: Mapping[str, Any], id_: int, method: Method = Method.GET) -> str:
    content: dict[str, Any] = {"type": type_}
    if method is not Method.GET:
        content["method"] = str(method)
    content["data"] = data
    if id_:
        content["id"] = id_
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def _throttle_data(message: Throttle) -> dict[str, Any]:
    """In the order in which it shall be carried out: the direction before the speed, the status last."""
    data: dict[str, Any] = {"name": message.name, "throttle": message.name}
    if message.emergency_stop:
        data["eStop"] = None
    data |= _given(
        {
            "address": message.address,
            "isLongAddress": message.is_long_address,
            "forward": message.forward,
            "speed": message.speed,
            "speedSteps": message.speed_steps,
            "clients": message.clients,
        }
    )
    if message.function is not None:
        data[f"F{message.function[0]}"] = message.function[1]
    asked = {"idle": message.idle, "release": message.release, "status": message.status}
    return data | {key: None for key, wanted in asked.items() if wanted}


def _given(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if value is not None}


# ---------------------------------------------------------------- reading


def read(text: str | bytes) -> tuple[Message, ...]:
    """The messages of a text: one, or those of a list. Never raises."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    if len(text) > LONGEST_TEXT:
        return (Unknown(f"{text[:200]}... ({len(text)} characters)"),)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return (Unknown(text),)
    return tuple(_messages(content, text))


def _messages(content: Any, text: str) -> Iterator[Message]:
    found: Any = content
    if isinstance(content, dict) and content.get("type") == "list" and isinstance(content.get("data"), list):
        found = content["data"]
    if not isinstance(found, list):
        yield _message(found) or Unknown(text)
        return
    for one in found:
        yield _message(one) or Unknown(json.dumps(one))


def _message(content: Any) -> Message | None:
    if not isinstance(content, dict):
        return None
    data = content.get("data")
    data = data if isinstance(data, dict) else {}
    id_ = _whole(content.get("id"))
    id_ = id_ if id_ is not None and 0 < id_ <= HIGHEST_ID else 0
    method = Method.POST if content.get("method", data.get("method")) == Method.POST else Method.GET
    match content.get("type"):
        case "hello":
            return _hello(data, id_)
        case "ping":
            return Ping()
        case "pong":
            return Pong()
        case "goodbye":
            return Goodbye()
        case "turnout" | "sensor" | "light" as type_ if _words(data.get("name")):
            return Bean(BeanType(type_), _words(data.get("name")), _whole(data.get("state")), method, id_)
        case "power":
            default = _truth(data.get("default"))
            return Power(_whole(data.get("state")), _words(data.get("name")), default, method, id_)
        case "throttle" if _words(data.get("name")) or _words(data.get("throttle")):
            return _throttle(data, id_)
        case "error":
            return Failure(_whole(data.get("code")) or 0, _words(data.get("message")), id_)
    return None


def _hello(data: Mapping[str, Any], id_: int) -> Hello:
    heartbeat_ms = _whole(data.get("heartbeat")) or 0
    return Hello(
        jmri=_words(data.get("JMRI")) or _words(data.get("jmri")),
        json=_words(data.get("json")),
        railroad=_words(data.get("railroad")),
        heartbeat_ms=max(heartbeat_ms, 0),
        id=id_,
    )


def _throttle(data: Mapping[str, Any], id_: int) -> Throttle:
    return Throttle(
        name=_words(data.get("name")) or _words(data.get("throttle")),
        address=_whole(data.get("address")),
        is_long_address=_truth(data.get("isLongAddress")),
        forward=_truth(data.get("forward")),
        speed=_number(data.get("speed")),
        emergency_stop="eStop" in data,
        idle="idle" in data,
        release="release" in data,
        status="status" in data,
        speed_steps=_whole(data.get("speedSteps")),
        clients=_whole(data.get("clients")),
        function=_one_function(data),
        id=id_,
    )


def _one_function(data: Mapping[str, Any]) -> tuple[int, bool] | None:
    found = [
        (int(key[1:]), value)
        for key, value in data.items()
        if _FUNCTION.fullmatch(key) is not None and isinstance(value, bool)
    ]
    return found[0] if len(found) == 1 else None


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _whole(value: Any) -> int | None:
    """A whole number that 32 bits hold; JSON may write 4 as 4.0."""
    number = _number(value)
    if number is None or not number.is_integer() or abs(number) > HIGHEST_ID:
        return None
    return int(number)
