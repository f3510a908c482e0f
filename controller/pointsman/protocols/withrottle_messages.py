"""What a throttle app on a phone and its server say to each other in WiThrottle; ``withrottle`` reads and writes it.

A locomotive has a key: ``S3`` is the short address 3, ``L1234`` a long one. A phone may have several throttles, each
with a letter of its own choice that comes back in every line; ``*`` as a key is all locomotives of a throttle.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Points(IntEnum):
    """How a turnout lies."""

    UNKNOWN = 1
    CLOSED = 2
    THROWN = 4
    INCONSISTENT = 8


class TurnoutAction(StrEnum):
    """What a phone wants of a turnout."""

    THROW = "T"
    CLOSE = "C"
    TOGGLE = "2"


class About(StrEnum):
    """What a phone asks about a locomotive."""

    SPEED = "V"
    DIRECTION = "R"
    STEPS = "s"
    MOMENTARY = "m"


# ---------------------------------------------------------------- from a phone


@dataclass(frozen=True, slots=True)
class DeviceName:
    """``N``: the name that its owner gave the phone."""

    name: str


@dataclass(frozen=True, slots=True)
class DeviceId:
    """``HU``: what the app knows itself by; the same when it comes again."""

    text: str


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """``*``: the phone is there."""


@dataclass(frozen=True, slots=True)
class Monitoring:
    """``*+`` and ``*-``: whether the phone wants to be stopped when it is not heard."""

    on: bool


@dataclass(frozen=True, slots=True)
class Quit:
    """``Q``: the phone goes."""


@dataclass(frozen=True, slots=True)
class Acquire:
    """``M0+``: a throttle wants a locomotive; ``roster`` is its name where it was chosen by that."""

    throttle: str
    key: str
    roster: str | None = None


@dataclass(frozen=True, slots=True)
class Steal:
    """``M0S``: a throttle wants a locomotive that somebody else has."""

    throttle: str
    key: str


@dataclass(frozen=True, slots=True)
class Release:
    """``M0-``, and ``Q`` as an action: a throttle gives a locomotive back."""

    throttle: str
    key: str


@dataclass(frozen=True, slots=True)
class SetSpeed:
    """``V``: 0 to 126; below 0 is read as ``EmergencyStop``, and above 126 as 126."""

    throttle: str
    key: str
    step: int


@dataclass(frozen=True, slots=True)
class EmergencyStop:
    """``X``, or a speed below 0."""

    throttle: str
    key: str


@dataclass(frozen=True, slots=True)
class SetDirection:
    """``R``: forward is where the locomotive's own front points."""

    throttle: str
    key: str
    forward: bool


@dataclass(frozen=True, slots=True)
class Button:
    """``F``: the button of a function is pressed or let go; what that does is the server's business."""

    throttle: str
    key: str
    number: int
    pressed: bool


@dataclass(frozen=True, slots=True)
class SetFunction:
    """``f``: a function on or off."""

    throttle: str
    key: str
    number: int
    on: bool


@dataclass(frozen=True, slots=True)
class Query:
    """``q``: to be answered with what is asked about."""

    throttle: str
    key: str
    about: About


@dataclass(frozen=True, slots=True)
class SetSteps:
    """``s``: another mode of speed steps; 1 is 128 of them."""

    throttle: str
    key: str
    mode: int


@dataclass(frozen=True, slots=True)
class AskPower:
    """``PPA``: track power on or off."""

    on: bool


@dataclass(frozen=True, slots=True)
class AskTurnout:
    """``PTA``: set a turnout."""

    action: TurnoutAction
    name: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any other line, as far as it was kept."""

    line: bytes


Action = SetSpeed | EmergencyStop | SetDirection | Button | SetFunction | Query | SetSteps
"""What is said to a locomotive that a throttle has."""
FromPhone = (
    DeviceName
    | DeviceId
    | Heartbeat
    | Monitoring
    | Quit
    | Acquire
    | Steal
    | Release
    | Action
    | AskPower
    | AskTurnout
    | Unknown
)


# ---------------------------------------------------------------- to a phone


@dataclass(frozen=True, slots=True)
class Version:
    """``VN``: the version of the protocol."""


@dataclass(frozen=True, slots=True)
class Roster:
    """``RL``: names and keys of the locomotives."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Power:
    """``PPA``: the track power; None is not known."""

    on: bool | None


@dataclass(frozen=True, slots=True)
class TurnoutWords:
    """``PTT``: how turnouts and their states are called."""


@dataclass(frozen=True, slots=True)
class Turnouts:
    """``PTL``: name, name for people and state of each turnout."""

    entries: tuple[tuple[str, str, Points], ...]


@dataclass(frozen=True, slots=True)
class TurnoutState:
    """``PTA``: how a turnout lies now."""

    name: str
    points: Points


@dataclass(frozen=True, slots=True)
class WebPort:
    """``PW``: the port of the web page on the same computer."""

    port: int


@dataclass(frozen=True, slots=True)
class Interval:
    """``*``: so often a phone must be heard, in seconds."""

    seconds: int


@dataclass(frozen=True, slots=True)
class Alert:
    """``HM``: a sentence that a person has to see."""

    text: str


@dataclass(frozen=True, slots=True)
class Information:
    """``Hm``: a sentence that a person may want to see."""

    text: str


@dataclass(frozen=True, slots=True)
class Added:
    """``M0+``: the throttle has the locomotive."""

    throttle: str
    key: str


@dataclass(frozen=True, slots=True)
class Removed:
    """``M0-``: the throttle has it no longer, or does not get it."""

    throttle: str
    key: str


@dataclass(frozen=True, slots=True)
class InUse:
    """``M0S``: somebody else has it; it may be stolen."""

    throttle: str
    key: str


@dataclass(frozen=True, slots=True)
class Labels:
    """``M0L``: what the functions are called, from F0 on; an empty one is not there."""

    throttle: str
    key: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionState:
    """``F``: a function is on or off."""

    throttle: str
    key: str
    number: int
    on: bool


@dataclass(frozen=True, slots=True)
class Momentary:
    """``m``: whether a function is on only while its button is pressed."""

    throttle: str
    key: str
    number: int
    momentary: bool


@dataclass(frozen=True, slots=True)
class Speed:
    """``V``: 0 to 126, or ``STOPPED``."""

    throttle: str
    key: str
    step: int


@dataclass(frozen=True, slots=True)
class Direction:
    """``R``: which way."""

    throttle: str
    key: str
    forward: bool


@dataclass(frozen=True, slots=True)
class Steps:
    """``s1``: 128 speed steps."""

    throttle: str
    key: str


ToPhone = (
    Version
    | Roster
    | Power
    | TurnoutWords
    | Turnouts
    | TurnoutState
    | WebPort
    | Interval
    | Alert
    | Information
    | Added
    | Removed
    | InUse
    | Labels
    | FunctionState
    | Momentary
    | Speed
    | Direction
    | Steps
)
