"""What a station says: one frozen dataclass a message. ``body()`` is the text between the angle brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pointsman.protocols.dccex import checks

_VERSION = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class Greeting:
    """``<iDCC-EX V-5.6.0 / MEGA / ...>``; only the beginning ``iDCC`` and a dotted number are relied upon."""

    text: str

    @property
    def version(self) -> str:
        """The first dotted number, or an empty string."""
        found = _VERSION.search(self.text)
        return found.group() if found else ""

    def body(self) -> str:
        """The text between the brackets."""
        return self.text


@dataclass(frozen=True, slots=True)
class PowerState:
    """``<p1 A>``: one track by letter; ``<p1>``, ``<p1 MAIN>``, ``<p1 PROG>``, ``<p1 JOIN>``: the summary."""

    on: bool
    track: str = ""

    def body(self) -> str:
        """The text between the brackets."""
        return f"p{int(self.on)} {self.track}".rstrip()


@dataclass(frozen=True, slots=True)
class LocomotiveState:
    """``<l cab reg speedByte functMap>``: speed -1 emergency stop, 0 stop, 1..126; register -1 is "not known"."""

    cab: int
    speed: int
    forward: bool
    functions: int = 0
    register: int = 0

    def body(self) -> str:
        """The text between the brackets; the function map is written signed, as the station does."""
        code = 1 if self.speed < 0 else 0 if self.speed == 0 else self.speed + 1
        speed_byte = code | (0x80 if self.forward else 0)
        signed = self.functions - (1 << 32) if self.functions >= 1 << 31 else self.functions
        return f"l {self.cab} {self.register} {speed_byte} {signed}"


@dataclass(frozen=True, slots=True)
class TurnoutState:
    """``<H id 0|1>``: the last *commanded* state, 1 thrown."""

    turnout: int
    thrown: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"H {self.turnout} {int(self.thrown)}"


@dataclass(frozen=True, slots=True)
class TurnoutDefinition:
    """``<H id SERVO vpin thrown closed profile state>`` and its sisters; ``kind`` is empty for the legacy form."""

    turnout: int
    kind: str
    values: tuple[int, ...]
    thrown: bool

    def body(self) -> str:
        """The text between the brackets."""
        kind = [self.kind] if self.kind else []
        return " ".join(["H", str(self.turnout), *kind, *map(str, self.values), str(int(self.thrown))])


@dataclass(frozen=True, slots=True)
class TurnoutIdList:
    """``<jT 1 2 3>``."""

    turnouts: tuple[int, ...]

    def body(self) -> str:
        """The text between the brackets."""
        return " ".join(["jT", *map(str, self.turnouts)])


@dataclass(frozen=True, slots=True)
class TurnoutCaption:
    """``<jT id T|C "caption">``; ``thrown`` is None for ``<jT id X>``: unknown or hidden."""

    turnout: int
    thrown: bool | None
    caption: str = ""

    def body(self) -> str:
        """The text between the brackets."""
        if self.thrown is None:
            return f"jT {self.turnout} X"
        return f"jT {self.turnout} {'T' if self.thrown else 'C'} {checks.quoted(self.caption)}"


@dataclass(frozen=True, slots=True)
class SensorState:
    """``<Q id>`` active (pin low), ``<q id>`` inactive."""

    sensor: int
    active: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"{'Q' if self.active else 'q'} {self.sensor}"


@dataclass(frozen=True, slots=True)
class SensorDefinition:
    """``<Q id vpin pullup>``: four tokens, and no state."""

    sensor: int
    vpin: int
    pullup: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"Q {self.sensor} {self.vpin} {int(self.pullup)}"


@dataclass(frozen=True, slots=True)
class OutputState:
    """``<Y id 0|1>``."""

    output: int
    on: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"Y {self.output} {int(self.on)}"


@dataclass(frozen=True, slots=True)
class OutputDefinition:
    """``<Y id vpin iflag state>``."""

    output: int
    vpin: int
    iflag: int
    on: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"Y {self.output} {self.vpin} {self.iflag} {int(self.on)}"


@dataclass(frozen=True, slots=True)
class FenceReached:
    """``<# n>``: everything sent before the fence was read and executed; n is the number of locomotive slots."""

    slots: int

    def body(self) -> str:
        """The text between the brackets."""
        return f"# {self.slots}"


@dataclass(frozen=True, slots=True)
class Done:
    """``<O>``: a definition or deletion is done."""

    def body(self) -> str:
        """The text between the brackets."""
        return "O"


@dataclass(frozen=True, slots=True)
class Refused:
    """``<X>``: something was rejected; what, is not said."""

    def body(self) -> str:
        """The text between the brackets."""
        return "X"


@dataclass(frozen=True, slots=True)
class MainCurrentState:
    """``<c CurrentMAIN 123 C Milli 0 1998 1 1998>``: current, the scale's end and trip limit, in mA."""

    current_ma: int
    full_scale_ma: int
    trip_ma: int

    def body(self) -> str:
        """The text between the brackets."""
        return f"c CurrentMAIN {self.current_ma} C Milli 0 {self.full_scale_ma} 1 {self.trip_ma}"


@dataclass(frozen=True, slots=True)
class CurrentList:
    """``<jI 123 0>``: mA of each track in the order of letters; -1 is an overload."""

    currents_ma: tuple[int, ...]

    def body(self) -> str:
        """The text between the brackets."""
        return " ".join(["jI", *map(str, self.currents_ma)])


@dataclass(frozen=True, slots=True)
class CurrentLimitList:
    """``<jG 1499 1499>``: trip limit in mA of each track."""

    limits_ma: tuple[int, ...]

    def body(self) -> str:
        """The text between the brackets."""
        return " ".join(["jG", *map(str, self.limits_ma)])


@dataclass(frozen=True, slots=True)
class TrackMode:
    """``<= A MAIN>``, ``<= D DC 3>``; ``flag`` is A (automatic inversion), I (inverted) or empty."""

    track: str
    mode: str
    cab: int | None = None
    flag: str = ""

    def body(self) -> str:
        """The text between the brackets."""
        cab = [] if self.cab is None else [str(self.cab)]
        return " ".join(["=", self.track, self.mode, *cab, *filter(None, [self.flag])])


@dataclass(frozen=True, slots=True)
class Saved:
    """``<e turnouts sensors outputs>``: how many went into the EEPROM."""

    turnouts: int
    sensors: int
    outputs: int

    def body(self) -> str:
        """The text between the brackets."""
        return f"e {self.turnouts} {self.sensors} {self.outputs}"


@dataclass(frozen=True, slots=True)
class LegacyThrottleState:
    """``<T reg speed dir>``, the extra answer to a legacy throttle command: never a turnout."""

    register: int
    speed: int
    forward: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"T {self.register} {self.speed} {int(self.forward)}"


@dataclass(frozen=True, slots=True)
class Forgotten:
    """``<- cab>``: no longer in the reminders."""

    cab: int

    def body(self) -> str:
        """The text between the brackets."""
        return f"- {self.cab}"


@dataclass(frozen=True, slots=True)
class LockState:
    """``<!PAUSED>``, ``<!RESUMED>``: the locked emergency stop of 5.5.56 and later."""

    paused: bool

    def body(self) -> str:
        """The text between the brackets."""
        return "!PAUSED" if self.paused else "!RESUMED"


@dataclass(frozen=True, slots=True)
class Display:
    """``<@ display row "text">``: a line of the station's display."""

    display: int
    row: int
    text: str

    def body(self) -> str:
        """The text between the brackets."""
        return f"@ {self.display} {self.row} {checks.quoted(self.text)}"


@dataclass(frozen=True, slots=True)
class OperatorMessage:
    """``<m "text">``: for the person at the throttle."""

    text: str

    def body(self) -> str:
        """The text between the brackets."""
        return f"m {checks.quoted(self.text)}"


@dataclass(frozen=True, slots=True)
class Comment:
    """``<* text *>``: a diagnostic, on USB only; may hold line breaks and nested brackets."""

    text: str

    def body(self) -> str:
        """The text between the brackets."""
        return f"* {self.text} *"


@dataclass(frozen=True, slots=True)
class UnknownReply:
    """Any other frame, kept as it came: new ones appear with every release."""

    text: str

    def body(self) -> str:
        """The text between the brackets."""
        return self.text


Reply = (
    Greeting
    | PowerState
    | LocomotiveState
    | TurnoutState
    | TurnoutDefinition
    | TurnoutIdList
    | TurnoutCaption
    | SensorState
    | SensorDefinition
    | OutputState
    | OutputDefinition
    | FenceReached
    | Done
    | Refused
    | MainCurrentState
    | CurrentList
    | CurrentLimitList
    | TrackMode
    | Saved
    | LegacyThrottleState
    | Forgotten
    | LockState
    | Display
    | OperatorMessage
    | Comment
    | UnknownReply
)


def encode_reply(reply: Reply) -> bytes:
    """The line of a reply: the frame and a line feed, in latin-1."""
    return f"<{reply.body()}>\n".encode("latin-1", "replace")
