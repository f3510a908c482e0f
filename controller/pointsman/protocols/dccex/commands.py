"""What a host says to a station: one frozen dataclass a message.

``body()`` gives the text between the angle brackets, checked; ``encode`` the bytes of the frame. Some commands are
read (a station must understand them) but never written: their ``body()`` raises ``ProtocolError``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from pointsman.errors import ProtocolError
from pointsman.protocols.dccex import checks


def _never(what: str, why: str) -> NoReturn:
    raise ProtocolError(f"{what} is never sent", cure=why)


@dataclass(frozen=True, slots=True)
class Status:
    """``<s>``: greeting, power, turnouts and sensors; no end mark, so a fence belongs behind it."""

    def body(self) -> str:
        """The text between the brackets."""
        return "s"


@dataclass(frozen=True, slots=True)
class Fence:
    """``<#>``: its answer proves that everything sent before it on this port was read and executed."""

    def body(self) -> str:
        """The text between the brackets."""
        return "#"


@dataclass(frozen=True, slots=True)
class Power:
    """``<1 MAIN>``, ``<0>``: power of all tracks (empty), MAIN, PROG, JOIN, or one track by its letter."""

    on: bool
    track: str = ""

    def body(self) -> str:
        """The text between the brackets; a bare ``<1>`` would also power the programming track and is refused."""
        if not self.track:
            if self.on:
                _never("a bare <1>", "name the track: <1 MAIN>")
            return "0"
        if self.track == "JOIN" and not self.on:
            _never("<0 JOIN>", "the station rejects it; <0> unjoins")
        return f"{int(self.on)} {checks.keyword('track', self.track)}"


@dataclass(frozen=True, slots=True)
class Throttle:
    """``<t cab speed dir>``: speed -1 emergency stop, 0 stop, 1..126; direction is the decoder's own."""

    cab: int
    speed: int
    forward: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"t {checks.cab(self.cab)} {checks.speed(self.speed)} {int(self.forward)}"


@dataclass(frozen=True, slots=True)
class LegacyThrottle:
    """``<t reg cab speed dir>``, the form of DCC++; answered with an extra ``<T reg speed dir>``. Read only."""

    register: int
    cab: int
    speed: int
    forward: bool

    def body(self) -> str:
        """Refused."""
        _never("the legacy throttle command", "use <t cab speed dir>")


@dataclass(frozen=True, slots=True)
class ThrottleQuery:
    """``<t cab>``: what is sent to this locomotive?"""

    cab: int

    def body(self) -> str:
        """The text between the brackets."""
        return f"t {checks.cab(self.cab)}"


@dataclass(frozen=True, slots=True)
class EmergencyStop:
    """``<!>``: every locomotive, by the DCC broadcast. No latch: the next throttle command moves one again."""

    def body(self) -> str:
        """The text between the brackets."""
        return "!"


@dataclass(frozen=True, slots=True)
class EmergencyLock:
    """``<!P>`` lock, ``<!R>`` resume, ``<!Q>`` ask (5.5.56 and later; before, each is a plain ``<!>``). Read only."""

    action: str

    def body(self) -> str:
        """Refused: after ``<!R>`` the locomotives run at speeds stored while they stood."""
        _never(f"<!{self.action}>", "use <!>, and speed 0 for every locomotive before anything moves again")


@dataclass(frozen=True, slots=True)
class Function:
    """``<F cab fn 0|1>``."""

    cab: int
    function: int
    on: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"F {checks.cab(self.cab)} {checks.within('function', self.function, 0, 28)} {int(self.on)}"


@dataclass(frozen=True, slots=True)
class Forget:
    """``<- cab>``: emergency stop, then out of the reminders. 0 is all of them (read only)."""

    cab: int

    def body(self) -> str:
        """The text between the brackets."""
        return f"- {checks.cab(self.cab)}"


@dataclass(frozen=True, slots=True)
class SetTurnout:
    """``<T id 0|1>``: 1 thrown, 0 closed. No broadcast when it already is so."""

    turnout: int
    thrown: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"T {checks.number('turnout', self.turnout)} {int(self.thrown)}"


@dataclass(frozen=True, slots=True)
class ListTurnouts:
    """``<T>``: a detail line for each; rejected when there is none."""

    def body(self) -> str:
        """The text between the brackets."""
        return "T"


@dataclass(frozen=True, slots=True)
class ShowTurnout:
    """``<T id X>``: the detail line of one."""

    turnout: int

    def body(self) -> str:
        """The text between the brackets."""
        return f"T {checks.number('turnout', self.turnout)} X"


@dataclass(frozen=True, slots=True)
class TurnoutIds:
    """``<JT>``: which turnouts are there?"""

    def body(self) -> str:
        """The text between the brackets."""
        return "JT"


@dataclass(frozen=True, slots=True)
class TurnoutQuery:
    """``<JT id>``: commanded state and caption of one."""

    turnout: int

    def body(self) -> str:
        """The text between the brackets."""
        return f"JT {checks.number('turnout', self.turnout)}"


@dataclass(frozen=True, slots=True)
class DefineServoTurnout:
    """``<T id SERVO vpin thrown closed profile>``. The servo jumps to its closed position at once."""

    turnout: int
    vpin: int
    thrown_position: int
    closed_position: int
    profile: int

    def body(self) -> str:
        """The text between the brackets."""
        head = f"T {checks.number('turnout', self.turnout)} SERVO {checks.number('vpin', self.vpin)}"
        thrown = checks.within("thrown position", self.thrown_position, 0, 4095)
        closed = checks.within("closed position", self.closed_position, 0, 4095)
        return f"{head} {thrown} {closed} {checks.within('profile', self.profile, 0, 4)}"


@dataclass(frozen=True, slots=True)
class DefinePinTurnout:
    """``<T id VPIN vpin>``: one output pin."""

    turnout: int
    vpin: int

    def body(self) -> str:
        """The text between the brackets."""
        return f"T {checks.number('turnout', self.turnout)} VPIN {checks.number('vpin', self.vpin)}"


@dataclass(frozen=True, slots=True)
class DefineDccTurnout:
    """``<T id DCC address sub>``: an accessory decoder; stored as thrown, without any packet."""

    turnout: int
    address: int
    sub: int

    def body(self) -> str:
        """The text between the brackets."""
        address = checks.within("address", self.address, 0, 511)
        return f"T {checks.number('turnout', self.turnout)} DCC {address} {checks.within('sub', self.sub, 0, 3)}"


@dataclass(frozen=True, slots=True)
class DeleteTurnout:
    """``<T id>``: deletes. One lost digit of a throw gives it, so it is read and never written."""

    turnout: int

    def body(self) -> str:
        """Refused."""
        _never("the deletion of a turnout", "define it anew with other values instead")


@dataclass(frozen=True, slots=True)
class SensorStates:
    """``<Q>``: the state of every sensor; nothing when there is none."""

    def body(self) -> str:
        """The text between the brackets."""
        return "Q"


@dataclass(frozen=True, slots=True)
class ListSensors:
    """``<S>``: the definition of every sensor."""

    def body(self) -> str:
        """The text between the brackets."""
        return "S"


@dataclass(frozen=True, slots=True)
class DefineSensor:
    """``<S id vpin pullup>``: active means that the pin is low."""

    sensor: int
    vpin: int
    pullup: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"S {checks.number('sensor', self.sensor)} {checks.number('vpin', self.vpin)} {int(self.pullup)}"


@dataclass(frozen=True, slots=True)
class DeleteSensor:
    """``<S id>``. Read only."""

    sensor: int

    def body(self) -> str:
        """Refused."""
        _never("the deletion of a sensor", "define it anew with other values instead")


@dataclass(frozen=True, slots=True)
class SetOutput:
    """``<Z id 0|1>``."""

    output: int
    on: bool

    def body(self) -> str:
        """The text between the brackets."""
        return f"Z {checks.number('output', self.output)} {int(self.on)}"


@dataclass(frozen=True, slots=True)
class ListOutputs:
    """``<Z>``: a detail line for each; rejected when there is none."""

    def body(self) -> str:
        """The text between the brackets."""
        return "Z"


@dataclass(frozen=True, slots=True)
class DefineOutput:
    """``<Z id vpin iflag>``: bit 0 inverted, bit 1 fixed state at power-on, bit 2 that state."""

    output: int
    vpin: int
    iflag: int

    def body(self) -> str:
        """The text between the brackets."""
        head = f"Z {checks.number('output', self.output)} {checks.number('vpin', self.vpin)}"
        return f"{head} {checks.within('iflag', self.iflag, 0, 7)}"


@dataclass(frozen=True, slots=True)
class DeleteOutput:
    """``<Z id>``. Read only."""

    output: int

    def body(self) -> str:
        """Refused."""
        _never("the deletion of an output", "define it anew with other values instead")


@dataclass(frozen=True, slots=True)
class MainCurrent:
    """``<c>``: the first track's current and trip limit."""

    def body(self) -> str:
        """The text between the brackets."""
        return "c"


@dataclass(frozen=True, slots=True)
class Currents:
    """``<JI>``: mA of every track."""

    def body(self) -> str:
        """The text between the brackets."""
        return "JI"


@dataclass(frozen=True, slots=True)
class CurrentLimits:
    """``<JG>``: trip limit in mA of every track."""

    def body(self) -> str:
        """The text between the brackets."""
        return "JG"


@dataclass(frozen=True, slots=True)
class TrackModes:
    """``<=>``: the mode of every track."""

    def body(self) -> str:
        """The text between the brackets."""
        return "="


@dataclass(frozen=True, slots=True)
class SetTrackMode:
    """``<= A MAIN>``, ``<= A DC 3>``: switches that track's power off, too."""

    track: str
    mode: str
    cab: int | None = None

    def body(self) -> str:
        """The text between the brackets."""
        head = f"= {checks.keyword('track', self.track)} {checks.keyword('mode', self.mode)}"
        return head if self.cab is None else f"{head} {checks.cab(self.cab)}"


@dataclass(frozen=True, slots=True)
class Save:
    """``<E>``: definitions into the station's EEPROM."""

    def body(self) -> str:
        """The text between the brackets."""
        return "E"


@dataclass(frozen=True, slots=True)
class Reset:
    """``<D RESET>``: the station starts afresh. Read only."""

    def body(self) -> str:
        """Refused."""
        _never("a reset", "press the station's own button")


@dataclass(frozen=True, slots=True)
class Blank:
    """``< >``: answered with a bare line end. Read only."""

    def body(self) -> str:
        """Refused."""
        _never("a blank command", "use a fence, <#>")


@dataclass(frozen=True, slots=True)
class Overflow:
    """More than a buffer's worth: the station discards it all and says so on USB only. Read only."""

    def body(self) -> str:
        """Refused."""
        _never("an overlong command", f"keep to {checks.LONGEST_COMMAND} characters")


@dataclass(frozen=True, slots=True)
class UnknownCommand:
    """Anything that a station rejects with ``<X>``; ``text`` is what stood between the brackets. Read only."""

    text: str

    def body(self) -> str:
        """Refused."""
        _never(f"the unknown command <{self.text}>", "use one of the known commands")


Command = (
    Status
    | Fence
    | Power
    | Throttle
    | LegacyThrottle
    | ThrottleQuery
    | EmergencyStop
    | EmergencyLock
    | Function
    | Forget
    | SetTurnout
    | ListTurnouts
    | ShowTurnout
    | TurnoutIds
    | TurnoutQuery
    | DefineServoTurnout
    | DefinePinTurnout
    | DefineDccTurnout
    | DeleteTurnout
    | SensorStates
    | ListSensors
    | DefineSensor
    | DeleteSensor
    | SetOutput
    | ListOutputs
    | DefineOutput
    | DeleteOutput
    | MainCurrent
    | Currents
    | CurrentLimits
    | TrackModes
    | SetTrackMode
    | Save
    | Reset
    | Blank
    | Overflow
    | UnknownCommand
)


def encode(command: Command) -> bytes:
    """The frame of a command, brackets included, at most 60 bytes. ``ProtocolError`` when it must not be sent."""
    frame = f"<{command.body()}>"
    if len(frame) > checks.LONGEST_COMMAND:
        raise ProtocolError(
            f"{frame} has {len(frame)} characters; the station may discard more than {checks.LONGEST_COMMAND}",
            cure="use smaller numbers or shorter names",
        )
    return frame.encode("ascii")
