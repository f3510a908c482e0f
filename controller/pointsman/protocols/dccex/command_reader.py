"""The station's side of the wire: bytes in, commands out, as the reader of firmware 5.4 to 5.6 does it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pointsman.protocols.dccex.checks import HIGHEST_CAB, HIGHEST_SPEED
from pointsman.protocols.dccex.commands import (
    Blank,
    Command,
    CurrentLimits,
    Currents,
    DefineDccTurnout,
    DefineOutput,
    DefinePinTurnout,
    DefineSensor,
    DefineServoTurnout,
    DeleteOutput,
    DeleteSensor,
    DeleteTurnout,
    EmergencyLock,
    EmergencyStop,
    Fence,
    Forget,
    Function,
    LegacyThrottle,
    ListOutputs,
    ListSensors,
    ListTurnouts,
    MainCurrent,
    Overflow,
    Power,
    Reset,
    Save,
    SensorStates,
    SetOutput,
    SetTrackMode,
    SetTurnout,
    ShowTurnout,
    Status,
    Throttle,
    ThrottleQuery,
    TrackModes,
    TurnoutIds,
    TurnoutQuery,
    UnknownCommand,
)

MOST_PARAMETERS = 9
_PARAMETER = re.compile(r"-?[0-9A-Za-z_]*")
_NUMBER = re.compile(r"-?[0-9]*")

Parameter = int | str


class StationReader:
    """Feed bytes, get the commands they complete.

    ``limit`` is the most characters of a command with its closing bracket (63 on an AVR, 255 elsewhere). A bracket
    inside an unfinished command is kept: at the end the text is split there, all parts but the last are rejected.
    A stray ``>`` and all else outside brackets is ignored. An overlong command is discarded whole.
    """

    def __init__(self, limit: int = 63) -> None:
        self._limit = limit
        self._inside = False
        self._quoted = False
        self._text: list[str] = []

    def feed(self, data: bytes) -> list[Command]:
        """Commands completed by ``data``, in order. Never raises; keeps at most ``limit`` characters."""
        commands: list[Command] = []
        for char in data.decode("latin-1"):
            if not self._inside:
                if char == "<":
                    self._inside = True
                    self._quoted = False
                    self._text.clear()
                continue
            if len(self._text) >= self._limit:
                self._inside = False
                commands.append(Overflow())
                # the rest is skipped up to the next '<', and this very character may be one
                if char == "<":
                    self._inside = True
                    self._quoted = False
                    self._text.clear()
                continue
            if char == ">" and not self._quoted:
                self._inside = False
                commands.extend(_split("".join(self._text)))
                continue
            self._text.append(char)
            if char == '"':
                self._quoted = not self._quoted
            elif self._quoted and len(self._text) > self._limit // 2:
                self._quoted = False
        return commands


def _split(text: str) -> list[Command]:
    *broken, last = text.split("<")
    rejected: list[Command] = [UnknownCommand(part) for part in broken if part.strip()]
    return [*rejected, parse_command(last)]


def parse_command(text: str, *, strict: bool = True) -> Command:
    """The command in the text between two brackets; ``UnknownCommand`` for all that a station rejects.

    ``strict`` as from firmware 5.4 on: stray punctuation and more than nine parameters are rejected, whatever they
    belong to. Before, the surplus is dropped, and punctuation makes too many parameters of the rest.
    """
    stripped = text.strip(" ")
    if not stripped:
        return Blank()
    parameters = _parameters(stripped[1:]) if strict else _old_parameters(stripped[1:])
    parser = _PARSERS.get(stripped[0])
    if parameters is None or parser is None:
        return UnknownCommand(text)
    return parser(parameters) or UnknownCommand(text)


def _parameters(text: str) -> list[Parameter] | None:
    """Numbers wrapped to 16 bit and words in capitals; None for stray punctuation or too many."""
    words = text.split(" ")
    parameters: list[Parameter] = []
    for word in filter(None, words):
        if not _PARAMETER.fullmatch(word):
            return None
        parameters.append(_value(word))
    return parameters if len(parameters) <= MOST_PARAMETERS else None


def _old_parameters(text: str) -> list[Parameter]:
    parameters: list[Parameter] = []
    at = 0
    while len(parameters) < MOST_PARAMETERS:
        while text[at : at + 1] == " ":
            at += 1
        if at == len(text):
            break
        found = _PARAMETER.match(text, at)
        word = found.group() if found else ""
        # where nothing is read the next one begins at the same place, and so on until there are too many
        parameters.append(_value(word))
        at += len(word)
    return parameters


def _value(word: str) -> Parameter:
    """A number wrapped to 16 bit, or a word in capitals."""
    if not _NUMBER.fullmatch(word):
        return word.upper()
    value = int(word) if word not in ("", "-") else 0
    return (value + 0x8000) % 0x10000 - 0x8000


def _alone(command: Command) -> Callable[[Sequence[Parameter]], Command | None]:
    return lambda parameters: None if parameters else command


def _power(on: bool) -> Callable[[Sequence[Parameter]], Command | None]:
    def parse(parameters: Sequence[Parameter]) -> Command | None:
        match parameters:
            case []:
                return Power(on)
            case ["MAIN" | "PROG" | "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" as track]:
                return Power(on, str(track))
            case ["JOIN"] if on:
                return Power(on, "JOIN")
        return None

    return parse


def _throttle(parameters: Sequence[Parameter]) -> Command | None:
    match parameters:
        case [int(cab)] if cab >= 1:
            return ThrottleQuery(cab)
        case [int(cab), int(speed), 0 | 1 as forward] if _drivable(cab, speed):
            return Throttle(cab, speed, forward == 1)
        case [int(register), int(cab), int(speed), 0 | 1 as forward] if _drivable(cab, speed):
            return LegacyThrottle(register, cab, speed, forward == 1)
    return None


def _drivable(cab: int, speed: int) -> bool:
    if cab == 0:
        # everyone: an emergency stop, or, in some versions, a stop
        return speed in (-1, 0)
    # not every version checks how high an address may be
    return cab >= 1 and -1 <= speed <= HIGHEST_SPEED


def _emergency(parameters: Sequence[Parameter]) -> Command | None:
    match parameters:
        case ["P" | "R" | "Q" as action]:
            return EmergencyLock(str(action))
    return EmergencyStop()


def _function(parameters: Sequence[Parameter]) -> Command | None:
    match parameters:
        case [int(cab), int(function), 0 | 1 as on] if 1 <= cab <= HIGHEST_CAB and 0 <= function <= HIGHEST_CAB:
            return Function(cab, function, on == 1)
    return None


def _forget(parameters: Sequence[Parameter]) -> Command | None:
    match parameters:
        case []:
            return Forget(0)
        case [int(cab)] if 0 <= cab <= HIGHEST_CAB:
            return Forget(cab)
    return None


def _turnout(parameters: Sequence[Parameter]) -> Command | None:
    match parameters:
        case []:
            return ListTurnouts()
        case [int(turnout)]:
            return DeleteTurnout(turnout)
        case [int(turnout), "X"]:
            return ShowTurnout(turnout)
        case [int(turnout), (0 | 1 | "C" | "T") as state]:
            return SetTurnout(turnout, state in (1, "T"))
        case [int(turnout), "SERVO", int(vpin), int(thrown), int(closed), int(profile)] if 0 <= profile <= 4:
            return DefineServoTurnout(turnout, vpin, thrown, closed, profile)
        case [int(turnout), int(vpin), int(thrown), int(closed)]:
            return DefineServoTurnout(turnout, vpin, thrown, closed, 1)
        case [int(turnout), "VPIN", int(vpin)]:
            return DefinePinTurnout(turnout, vpin)
        case [int(turnout), "DCC", int(linear)] if 1 <= linear <= 2048:
            return DefineDccTurnout(turnout, (linear - 1) // 4 + 1, (linear - 1) % 4)
        case [int(turnout), "DCC", int(address), int(sub)] | [int(turnout), int(address), int(sub)]:
            return DefineDccTurnout(turnout, address, sub) if 0 <= address <= 511 and 0 <= sub <= 3 else None
    return None


def _sensor(parameters: Sequence[Parameter]) -> Command | None:
    match parameters:
        case []:
            return ListSensors()
        case [int(sensor)]:
            return DeleteSensor(sensor)
        case [int(sensor), int(vpin), int(pullup)]:
            return DefineSensor(sensor, vpin, pullup != 0)
    return None


def _output(parameters: Sequence[Parameter]) -> Command | None:
    match parameters:
        case []:
            return ListOutputs()
        case [int(output)]:
            return DeleteOutput(output)
        case [int(output), int(state)]:
            return SetOutput(output, state != 0)
        case [int(output), int(vpin), int(iflag)] if 0 <= iflag <= 7:
            return DefineOutput(output, vpin, iflag)
    return None


def _information(parameters: Sequence[Parameter]) -> Command | None:
    match parameters:
        case ["T"]:
            return TurnoutIds()
        case ["T", int(turnout)]:
            return TurnoutQuery(turnout)
        case ["I"]:
            return Currents()
        case ["G"]:
            return CurrentLimits()
    return None


def _track_manager(parameters: Sequence[Parameter]) -> Command | None:
    match parameters:
        case []:
            return TrackModes()
        case [str(track), str(mode)] if len(track) == 1 and track in "ABCDEFGH":
            return SetTrackMode(track, mode)
        case [str(track), "DC" | "DCX" | "DC_INV" as mode, int(cab)] if len(track) == 1 and track in "ABCDEFGH":
            return SetTrackMode(track, str(mode), cab)
    return None


def _diagnostics(parameters: Sequence[Parameter]) -> Command | None:
    return Reset() if list(parameters) == ["RESET"] else None


_PARSERS: dict[str, Callable[[Sequence[Parameter]], Command | None]] = {
    "s": _alone(Status()),
    # with parameters, too
    "#": lambda _: Fence(),
    "1": _power(True),
    "0": _power(False),
    "t": _throttle,
    "!": _emergency,
    "F": _function,
    "-": _forget,
    "T": _turnout,
    "S": _sensor,
    "Q": _alone(SensorStates()),
    "Z": _output,
    "J": _information,
    "c": _alone(MainCurrent()),
    "=": _track_manager,
    "E": _alone(Save()),
    "D": _diagnostics,
    "C": _diagnostics,
}
