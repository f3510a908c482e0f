"""Names <-> addresses: which station and which number each turnout, beam, magnet and locomotive has.

One layout can run on other hardware: a ``Wiring`` is read from its own file (``layouts/<name>/hardware/*.toml``).
It is for drivers and the simulated layout; of it the rail tower uses only what a machine is (its kind and time).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

NO_NUMBER = -1
"""The ``number`` of a turnout that is moved by hand: the station knows nothing of it."""


class TurnoutKind(StrEnum):
    """What moves the points."""

    SERVO = "servo"
    STALL_MOTOR = "stall-motor"
    ACCESSORY_DECODER = "accessory-decoder"
    SOLENOID = "solenoid"
    HAND = "hand"


class UncouplerKind(StrEnum):
    """What parts a coupling."""

    PERMANENT = "permanent"
    SERVO = "servo"
    COIL = "coil"
    HAND = "hand"


class Protocol(StrEnum):
    """What a station speaks."""

    DCCEX = "dccex"


@dataclass(frozen=True, slots=True)
class StationWiring:
    """A command station."""

    name: str
    protocol: Protocol


@dataclass(frozen=True, slots=True)
class ServoPositions:
    """Where a servo stands for each leg *of the layout*, in 1/4096 of its pulses' 20 ms: 205 is 1 ms, 410 is 2 ms."""

    thrown: int
    closed: int


@dataclass(frozen=True, slots=True)
class TurnoutWiring:
    """A turnout's machine. ``number`` is the station's id; ``move_time_s`` is until the points are surely over.

    Kind ``hand`` has ``NO_NUMBER``. ``pin``, ``servo`` and ``dcc_address`` (1..2044) are what the station has to be
    told to define it; None where the file does not say.
    """

    station: str
    number: int
    kind: TurnoutKind
    move_time_s: float
    inverted: bool
    pulse_limited_by: str
    pin: int | None = None
    servo: ServoPositions | None = None
    dcc_address: int | None = None


@dataclass(frozen=True, slots=True)
class BeamWiring:
    """A beam's sensor, and its pin if the file says it. ``inverted``: the station's inactive means a body is seen."""

    station: str
    number: int
    inverted: bool
    pin: int | None = None


@dataclass(frozen=True, slots=True)
class UncouplerWiring:
    """A magnet's output, and its pin if the file says it.

    A permanent magnet and a hand have no number; ``hold_s`` is how long it is energised.
    """

    station: str
    number: int | None
    kind: UncouplerKind
    hold_s: float
    inverted: bool
    pulse_limited_by: str
    pin: int | None = None


@dataclass(frozen=True, slots=True)
class LocomotiveWiring:
    """A locomotive's address."""

    station: str
    cab: int


@dataclass(frozen=True, slots=True)
class Wiring:
    """The whole wiring of a layout on one set of hardware; keys are the layout's names."""

    name: str
    stations: Mapping[str, StationWiring]
    turnouts: Mapping[str, TurnoutWiring]
    beams: Mapping[str, BeamWiring]
    uncouplers: Mapping[str, UncouplerWiring]
    locomotives: Mapping[str, LocomotiveWiring]
