"""What a station has to be told so that it knows a layout's turnouts, beams and magnets: lines made of the wiring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pointsman.drivers.dccex.examiner import Examiner
from pointsman.errors import LayoutError, Mistake, StationError
from pointsman.protocols.dccex import Command, encode
from pointsman.protocols.dccex.commands import (
    DefineDccTurnout,
    DefineOutput,
    DefinePinTurnout,
    DefineSensor,
    DefineServoTurnout,
    Save,
)
from pointsman.protocols.dccex.replies import Refused, Saved
from pointsman.track.wiring import TurnoutKind, TurnoutWiring, UncouplerKind, Wiring

SERVO_PROFILE = 2
"""Medium: over in about a second, which the usual time of a servo allows for."""
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
    """All that can be defined, and what cannot, each with the reason."""

    lines: tuple[Definition, ...]
    left_out: tuple[str, ...]


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
            left_out.append(f"magnet {name}: a servo's positions belong into the station's own automation")
            continue
        flag = ON_AT_START if magnet.inverted else OFF_AT_START
        output = DefineOutput(magnet.number, pin(f"magnets.{name}", magnet.pin), flag)
        lines.append(Definition(f"magnet {name}", output))
    if mistakes:
        raise LayoutError(mistakes)
    return Definitions(tuple(lines), tuple(left_out))


def _dcc(key: str, turnout: TurnoutWiring, file: str, mistakes: list[Mistake]) -> Command:
    linear = turnout.dcc_address
    if linear is None:
        mistakes.append(
            Mistake(file, f"{key}.dcc_address", "is missing: --define has to know it", "add the decoder's address")
        )
        linear = 1
    return DefineDccTurnout(turnout.number, (linear - 1) // 4 + 1, (linear - 1) % 4)


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
    # What the station calls thrown is the layout's closed when the wiring says that it is inverted.
    thrown, closed = (servo.closed, servo.thrown) if turnout.inverted else (servo.thrown, servo.closed)
    return DefineServoTurnout(turnout.number, pin, thrown, closed, SERVO_PROFILE)


async def define(examiner: Examiner, lines: Iterable[Definition]) -> Saved | None:
    """Send the definitions one by one, then keep them; what was kept, or None where the station cannot.

    Raises StationError at the first that is rejected, and as ``Examiner.ask`` does.
    """
    for one in lines:
        # Newer firmware does not say that it is done: what counts is that nothing was rejected.
        if Refused() in await examiner.ask(one.command):
            raise StationError(
                f"the station rejects {one.line} ({one.what})",
                where=examiner.where,
                cure="is this pin one that the board has, and is its extension plugged in? "
                "What was sent before is defined, but not kept over a reset",
            )
    return next((reply for reply in await examiner.ask(Save()) if isinstance(reply, Saved)), None)
