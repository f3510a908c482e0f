"""The lines that define a layout's turnouts, beams and magnets at a station, made of the wiring.

This is the one home of these lines: what defines them sends them, and what finds one missing names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pointsman.errors import LayoutError, Mistake
from pointsman.protocols.dccex import Command, encode
from pointsman.protocols.dccex.commands import (
    DefineDccTurnout,
    DefineOutput,
    DefinePinTurnout,
    DefineSensor,
    DefineServoTurnout,
)
from pointsman.track.wiring import (
    BeamWiring,
    ServoPositions,
    TurnoutKind,
    TurnoutWiring,
    UncouplerKind,
    UncouplerWiring,
    Wiring,
)

SERVO_PROFILE = 2
"""Medium: over in about a second, which the usual time of a servo allows for."""
SERVO_MAGNET = "a servo's positions belong into the station's own automation"
OFF_AT_START, ON_AT_START = 2, 6
"""An output has this state after every start. Without it, one that was left on would be on again."""

STANDARD_SHIELD = "STANDARD_MOTOR_SHIELD"
SHIELD_PINS = frozenset({3, 8, 9, 11, 12, 13})
"""Direction, power and brake of both tracks. Its two analogue pins have other numbers on every board."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One thing to be defined. ``moves``: a servo jumps to its closed position when it is defined."""

    what: str
    command: Command
    moves: bool = False

    @property
    def line(self) -> str:
        """What is sent."""
        return encode(self.command).decode("ascii")


@dataclass(frozen=True, slots=True)
class Definitions:
    """All that can be defined, and what cannot, each with the reason.

    ``untold``: the station has it, and does not tell how it is defined; so it may be as it should be.
    """

    lines: tuple[Definition, ...]
    left_out: tuple[str, ...]
    untold: tuple[Definition, ...] = ()

    def against(self, station: Mapping[str, str]) -> Definitions:
        """What a station lacks or has otherwise; by what it is, it has these lines, empty where it does not tell."""
        untold = tuple(one for one in self.lines if station.get(one.what) == "")
        lines = tuple(one for one in self.lines if station.get(one.what) != one.line and one not in untold)
        return Definitions(lines, self.left_out, untold)


def definitions(wiring: Wiring, station: str, file: str, shield: str) -> Definitions:
    """The definitions of everything that hangs on one station.

    ``file`` is the wiring's, for messages; ``shield`` the motor shield that the station names. Raises LayoutError
    with every key that is missing, or names a pin that the shield needs.
    """
    mistakes: list[Mistake] = []
    lines: list[Definition] = []
    left_out: list[str] = []

    def pin(key: str, given: int | None) -> int:
        if given is None:
            mistakes.append(Mistake(file, f"{key}.pin", "is missing: --define has to know it", "add `pin = ...`"))
        elif shield == STANDARD_SHIELD and given in SHIELD_PINS:
            taken = ", ".join(map(str, sorted(SHIELD_PINS)))
            mistakes.append(Mistake(file, f"{key}.pin", f"the motor shield needs pin {given}", f"none of {taken}"))
        return given or 0

    for name, turnout in wiring.turnouts.items():
        if turnout.station == station and turnout.kind is not TurnoutKind.HAND:
            key = f"turnouts.{name}"
            if turnout.kind is TurnoutKind.ACCESSORY_DECODER:
                command = _dcc(key, turnout, file, mistakes)
            elif turnout.kind is TurnoutKind.SERVO:
                command = _servo(key, turnout, pin(key, turnout.pin), file, mistakes)
            else:
                command = DefinePinTurnout(turnout.number, pin(key, turnout.pin))
            lines.append(Definition(f"turnout {name}", command, turnout.kind is TurnoutKind.SERVO))
    for name, beam in wiring.beams.items():
        if beam.station == station:
            sensor = DefineSensor(beam.number, pin(f"beams.{name}", beam.pin), pullup=True)
            lines.append(Definition(f"beam {name}", sensor))
    for name, magnet in wiring.uncouplers.items():
        if magnet.station != station or magnet.number is None:
            continue
        if magnet.kind is UncouplerKind.SERVO:
            left_out.append(f"magnet {name}: {SERVO_MAGNET}")
            continue
        output = DefineOutput(magnet.number, pin(f"magnets.{name}", magnet.pin), _flag(magnet))
        lines.append(Definition(f"magnet {name}", output))
    if mistakes:
        raise LayoutError(mistakes)
    return Definitions(tuple(lines), tuple(left_out))


def _dcc(key: str, turnout: TurnoutWiring, file: str, mistakes: list[Mistake]) -> Command:
    if turnout.dcc_address is None:
        mistakes.append(
            Mistake(file, f"{key}.dcc_address", "is missing: --define has to know it", "add the decoder's address")
        )
    return DefineDccTurnout(turnout.number, *_decoder(turnout.dcc_address or 1))


def _servo(key: str, turnout: TurnoutWiring, pin: int, file: str, mistakes: list[Mistake]) -> Command:
    servo = turnout.servo
    if servo is None:
        mistakes.append(
            Mistake(
                file,
                f"{key}.servo",
                "is missing: --define has to know where it stands for each leg",
                "add `servo = { thrown = ..., closed = ... }`, near 307 at first",
            )
        )
        return DefineServoTurnout(turnout.number, pin, 0, 0, SERVO_PROFILE)
    return DefineServoTurnout(turnout.number, pin, *_positions(turnout, servo), SERVO_PROFILE)


def _decoder(linear: int) -> tuple[int, int]:
    """Address and place at it of a decoder's number, 1 to 2044."""
    return (linear - 1) // 4 + 1, (linear - 1) % 4


def _positions(turnout: TurnoutWiring, servo: ServoPositions) -> tuple[int, int]:
    # What the station calls thrown is the layout's closed when the wiring says that it is inverted.
    return (servo.closed, servo.thrown) if turnout.inverted else (servo.thrown, servo.closed)


def _flag(magnet: UncouplerWiring) -> int:
    return ON_AT_START if magnet.inverted else OFF_AT_START


# ---------------------------------------------------------------- single lines, for whoever writes them by hand


def turnout_line(turnout: TurnoutWiring) -> str:
    """What defines a turnout; with words in capitals for what the wiring does not say."""
    if turnout.kind is TurnoutKind.ACCESSORY_DECODER:
        decoder = "ADDRESS PLACE" if turnout.dcc_address is None else _words(*_decoder(turnout.dcc_address))
        return f"<T {turnout.number} DCC {decoder}>"
    pin = _pin(turnout.pin)
    if turnout.kind is not TurnoutKind.SERVO:
        return f"<T {turnout.number} VPIN {pin}>"
    positions = "THROWN CLOSED" if turnout.servo is None else _words(*_positions(turnout, turnout.servo))
    return f"<T {turnout.number} SERVO {pin} {positions} {SERVO_PROFILE}>"


def beam_line(beam: BeamWiring) -> str:
    """What defines a beam; ``PIN`` where the wiring does not name it."""
    return f"<S {beam.number} {_pin(beam.pin)} 1>"


def magnet_line(magnet: UncouplerWiring) -> str:
    """What defines a magnet that has a number; ``PIN`` where the wiring does not name it.

    Its flag keeps it from being on again after a reset.
    """
    if magnet.kind is UncouplerKind.SERVO:
        return f"output {magnet.number}: {SERVO_MAGNET}"
    return f"<Z {magnet.number} {_pin(magnet.pin)} {_flag(magnet)}>"


def _pin(pin: int | None) -> str:
    return "PIN" if pin is None else str(pin)


def _words(*numbers: int) -> str:
    return " ".join(map(str, numbers))
