"""What a host and a node say to each other: one frozen dataclass for each verb and each event of the node protocol.

A message's fields stand in the order in which its words do; how many there are, and between which limits, is in the
generated ``node_constants``. ``words`` writes a message and refuses (``ProtocolError``) what is out of range;
``command_of`` and ``event_of`` read one and never raise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TypeVar

from pointsman.errors import ProtocolError
from pointsman.protocols import node_constants as k
from pointsman.protocols.node_constants import (
    Board,
    Event,
    Latch,
    Lie,
    Refusal,
    Reset,
    Setting,
    SettingsState,
    Verb,
)

# ---------------------------------------------------------------- what a host tells


@dataclass(frozen=True, slots=True)
class Hello:
    """Who are you? Answered with ``About``, or refused as of another version; ``UNTOLD`` where none can be read."""

    version: int = k.VERSION


@dataclass(frozen=True, slots=True)
class State:
    """Tell everything: answered, and then told as events, the last of which is ``End``."""


@dataclass(frozen=True, slots=True)
class Beat:
    """The host is there, and its supervision is. Answered with why the node is latched, if it is."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Close the relay, and obey again."""


@dataclass(frozen=True, slots=True)
class Off:
    """Everything stops, the relay opens, and the node is latched."""


@dataclass(frozen=True, slots=True)
class Turnout:
    """Move the points of a turnout, from 1 on."""

    turnout: int
    thrown: bool


@dataclass(frozen=True, slots=True)
class Magnet:
    """Switch a magnet, from 1 on, for a time; 0 ms switches it off."""

    magnet: int
    on_ms: int


@dataclass(frozen=True, slots=True)
class Drive:
    """Direction and step (0 to 126) of the locomotive on DC."""

    forward: bool
    step: int


@dataclass(frozen=True, slots=True)
class Get:
    """How is it set? ``of`` is the number of the turnout or beam, 0 for a setting of the whole node."""

    setting: Setting
    of: int = 0


@dataclass(frozen=True, slots=True)
class Set:
    """Set it so until the next reset, or for longer with ``Store``."""

    setting: Setting
    of: int
    value: int


@dataclass(frozen=True, slots=True)
class Store:
    """Keep the settings as they are now."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """Go back to the safe settings; what is stored stays until ``Store``."""


@dataclass(frozen=True, slots=True)
class Trip:
    """Let the watchdog reset the node, on purpose."""


Command = Hello | State | Beat | Arm | Off | Turnout | Magnet | Drive | Get | Set | Store | Defaults | Trip

# ---------------------------------------------------------------- what a node tells by itself


@dataclass(frozen=True, slots=True)
class About:
    """What a node is, and how many of everything is fitted; as an event, that it has started."""

    version: int
    firmware: str
    board: Board
    reset: Reset
    turnouts: int
    beams: int
    magnets: int
    dc: bool
    relay: bool


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """A node that speaks another version of the protocol; more of its hello is not read."""

    version: int


@dataclass(frozen=True, slots=True)
class Points:
    """How a turnout lies, as far as the node knows."""

    turnout: int
    lie: Lie


@dataclass(frozen=True, slots=True)
class Beam:
    """Whether a body is in a beam, from 1 on."""

    beam: int
    broken: bool


@dataclass(frozen=True, slots=True)
class Coil:
    """Whether a magnet is on."""

    magnet: int
    on: bool


@dataclass(frozen=True, slots=True)
class Driven:
    """What the locomotive on DC is driven with."""

    forward: bool
    step: int


@dataclass(frozen=True, slots=True)
class Latched:
    """Why everything is kept stopped; ``Latch.NONE`` when it is not."""

    latch: Latch


@dataclass(frozen=True, slots=True)
class SettingsAre:
    """Where the settings come from."""

    settings: SettingsState


@dataclass(frozen=True, slots=True)
class Alive:
    """The node's own heartbeat."""

    latch: Latch


@dataclass(frozen=True, slots=True)
class End:
    """Everything has been told."""


Told = About | OtherVersion | Points | Beam | Coil | Driven | Latched | SettingsAre | Alive | End

COMMANDS: Mapping[Verb, Callable[..., Command]] = {
    Verb.HELLO: Hello,
    Verb.STATE: State,
    Verb.BEAT: Beat,
    Verb.ARM: Arm,
    Verb.OFF: Off,
    Verb.TURNOUT: Turnout,
    Verb.MAGNET: Magnet,
    Verb.DRIVE: Drive,
    Verb.GET: Get,
    Verb.SET: Set,
    Verb.STORE: Store,
    Verb.DEFAULTS: Defaults,
    Verb.TRIP: Trip,
}
EVENTS: Mapping[Event, Callable[..., Told]] = {
    Event.HELLO: About,
    Event.TURNOUT: Points,
    Event.BEAM: Beam,
    Event.MAGNET: Coil,
    Event.DRIVE: Driven,
    Event.LATCH: Latched,
    Event.SETTINGS: SettingsAre,
    Event.ALIVE: Alive,
    Event.END: End,
}
_about: Callable[..., About] = About
_NAMES: dict[object, Verb | Event] = {made: name for table in (COMMANDS, EVENTS) for name, made in table.items()}

# ---------------------------------------------------------------- words

Name = TypeVar("Name", bound=StrEnum)
Value = int | str
"""What a field holds; truths count as numbers, names of an enumeration as text."""
UNTOLD = 0
"""The version of a hello that has none; never written."""
_SETTINGS = {number: setting for setting, (number, *_) in k.SETTINGS.items()}
_NUMBER = re.compile(r"[0-9]+")
_FIRMWARE = re.compile(r"[0-9A-Za-z._+-]{1,12}")
_TRUTHS = frozenset({"leg", "direction", "broken", "on", "dc", "relay"})
_ENUMS: dict[str, type[StrEnum]] = {
    "board": Board,
    "reset": Reset,
    "lie": Lie,
    "latch": Latch,
    "settings": SettingsState,
}
_COUNT = (0, k.LIMITS["of"][1])
_LIMITS = k.LIMITS | {
    "turnouts": _COUNT,
    "beams": _COUNT,
    "magnets": _COUNT,
    "beam": (1, k.LIMITS["of"][1]),
}


class _BadWordError(Exception):
    """A word that says nothing; never leaves this file."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


def words(message: Command | Told) -> list[str]:
    """A message's words, its name first. Raises ProtocolError for a value out of range."""
    if isinstance(message, OtherVersion):
        return [str(Event.HELLO), _write("version", message.version)]
    name = _NAMES[type(message)]
    wanted = k.VERB_VALUES[name] if isinstance(name, Verb) else k.EVENT_VALUES[name]
    values = [getattr(message, field.name) for field in fields(message)]
    written = [_write(what, value) for what, value in zip(wanted, values, strict=True)]
    if isinstance(message, Get | Set):
        _check_setting(message)
    return [str(name), *written]


def wants_hello(command: Command) -> bool:
    """Whether a node carries it out only after a hello of its own version.

    That is what moves something, or may change what moves. What stops and switches off is heard from anybody.
    """
    match command:
        case Hello() | State() | Beat() | Off() | Get() | Magnet(on_ms=0) | Drive(step=0):
            return False
    return True


def value_words(of: Verb | Refusal, values: Sequence[Value]) -> list[str]:
    """The words of the values of an answer to a verb, or of a refusal. Raises ProtocolError for others than belong."""
    wanted = k.ANSWER_VALUES.get(of, ()) if isinstance(of, Verb) else k.REFUSAL_VALUES.get(of, ())
    if len(wanted) != len(values):
        raise ProtocolError(
            f"an answer with {of} carries {len(wanted)} values, not {len(values)}", cure="give what belongs to it"
        )
    return [_write(what, value) for what, value in zip(wanted, values, strict=True)]


def command_of(said: Sequence[str]) -> Command | Refusal:
    """The command that words mean, or why they mean none."""
    try:
        verb = Verb(said[0])
    except ValueError:
        return Refusal.VERB
    if verb is Verb.HELLO and (told := _version(said[1:])) != k.VERSION:
        return Hello(told)
    try:
        return COMMANDS[verb](*_read_all(k.VERB_VALUES[verb], said[1:]))
    except _BadWordError as bad:
        return bad.refusal


def event_of(said: Sequence[str]) -> Told | None:
    """The event that words mean; None when they mean none."""
    try:
        event = Event(said[0])
    except ValueError:
        return None
    if event is Event.HELLO:
        return about_of(said[1:])
    try:
        return EVENTS[event](*_read_all(k.EVENT_VALUES[event], said[1:]))
    except _BadWordError:
        return None


def about_of(values: Sequence[str]) -> About | OtherVersion | None:
    """What the values of a hello, answered or told, say; None when they say nothing."""
    try:
        (version,) = _read_all(("version",), values[:1])
        if version != k.VERSION:
            return OtherVersion(int(version))
        return _about(*_read_all(k.EVENT_VALUES[Event.HELLO], values))
    except _BadWordError:
        return None


def answer_of(verb: Verb, values: Sequence[str]) -> tuple[Value, ...] | None:
    """The values of an answer to a verb; None when they are others than belong to it."""
    try:
        return tuple(_read_all(k.ANSWER_VALUES.get(verb, ()), values))
    except _BadWordError:
        return None


def setting_names(setting: Setting) -> tuple[str, ...]:
    """The names that the values of a setting stand for, from 0 on; none for one that is a number."""
    return tuple(k.NAMED_SETTINGS.get(setting, ()))


def machine_number(machine: k.Machine) -> int:
    """What the setting ``machine`` is for one."""
    return setting_names(Setting.MACHINE).index(machine)


def owners(about: About) -> dict[str, range]:
    """What settings are of, and its numbers: 0 for the whole node, and its turnouts and beams, which count from 1."""
    return {"node": range(1), "turnout": range(1, about.turnouts + 1), "beam": range(1, about.beams + 1)}


def _version(said: Sequence[str]) -> int:
    """The version in a host's hello, whatever else it says."""
    low, high = k.LIMITS["version"]
    told = said[0] if said else ""
    return int(told) if _NUMBER.fullmatch(told) and low <= int(told) <= high else UNTOLD


def _check_setting(message: Get | Set) -> None:
    _, low, high, _, of_what = k.SETTINGS[message.setting]
    if (message.of == 0) is not (of_what == "node"):
        raise ProtocolError(
            f"{message.setting} is a setting of a {of_what}, not of number {message.of}",
            cure="0 for the node, else the number of the turnout or beam",
        )
    if isinstance(message, Set):
        _within(str(message.setting), message.value, low, high)


def _read_all(wanted: Sequence[str], said: Sequence[str]) -> list[Value]:
    """A word that has not the form of what is wanted counts before one that is out of range."""
    if len(wanted) != len(said):
        raise _BadWordError(Refusal.FORM)
    for what, word in zip(wanted, said, strict=True):
        if what not in _ENUMS and what != "firmware" and not _NUMBER.fullmatch(word):
            raise _BadWordError(Refusal.FORM)
    return [_read(what, word) for what, word in zip(wanted, said, strict=True)]


def _read(what: str, word: str) -> Value:
    if what in _ENUMS:
        try:
            return _ENUMS[what](word)
        except ValueError:
            raise _BadWordError(Refusal.FORM) from None
    if what == "firmware":
        if not _FIRMWARE.fullmatch(word):
            raise _BadWordError(Refusal.FORM)
        return word
    low, high = _LIMITS.get(what, (0, 1))
    number = int(word)
    if not low <= number <= high or (what == "setting" and number not in _SETTINGS):
        raise _BadWordError(Refusal.RANGE)
    if what == "setting":
        return _SETTINGS[number]
    return number == 1 if what in _TRUTHS else number


def _write(what: str, value: Value) -> str:
    if what in _ENUMS:
        return str(_one_of(what, _ENUMS[what], value))
    if what == "setting":
        return str(k.SETTINGS[_one_of(what, Setting, value)][0])
    if what == "firmware":
        if not isinstance(value, str) or not _FIRMWARE.fullmatch(value):
            raise ProtocolError(
                f"{value!r} is no firmware version", cure="letters, digits, points and dashes, 12 at most"
            )
        return value
    return str(_within(what, value, *_LIMITS.get(what, (0, 1))))


def _one_of(what: str, kind: type[Name], value: Value) -> Name:
    try:
        return kind(str(value))
    except ValueError:
        raise ProtocolError(f"{value!r} is no {what} that there is", cure=f"one of: {', '.join(kind)}") from None


def _within(what: str, value: Value, low: int, high: int) -> int:
    if not isinstance(value, int) or not low <= value <= high:
        raise ProtocolError(f"{what} {value} is outside {low} .. {high}", cure="give a number that the node can take")
    return int(value)
