"""Names <-> addresses: which station and which number each turnout, beam, magnet and locomotive has.

One layout can run on other hardware: a ``Wiring`` is read from its own file (``layouts/<name>/hardware/*.toml``).
It is for drivers and the simulated layout; of it the rail tower uses only what a machine is (its kind and time).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

NO_NUMBER = -1
"""The ``number`` of what the station knows by a name, and of a turnout that is moved by hand."""


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
    JMRI = "jmri"

    @property
    def by_name(self) -> bool:
        """Whether turnouts, beams and magnets have a name there (text) instead of a number."""
        return self is not Protocol.DCCEX


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

    Kind ``hand`` has ``NO_NUMBER``. So has what the station knows by a ``name``; else that is empty, here and below.
    ``pin``, ``servo`` and ``dcc_address`` (1..2044) are what a station has to be told to define it; None where the file
    does not say.
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
    name: str = ""


@dataclass(frozen=True, slots=True)
class BeamWiring:
    """A beam's sensor, and its pin if the file says it. ``inverted``: the station's inactive means a body is seen."""

    station: str
    number: int
    inverted: bool
    pin: int | None = None
    name: str = ""


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
    name: str = ""


@dataclass(frozen=True, slots=True)
class LocomotiveWiring:
    """A locomotive's address; ``long`` says whether it is a long one where it may be either."""

    station: str
    cab: int
    long: bool | None = None


@dataclass(frozen=True, slots=True)
class Wiring:
    """The whole wiring of a layout on one set of hardware; keys are the layout's names."""

    name: str
    stations: Mapping[str, StationWiring]
    turnouts: Mapping[str, TurnoutWiring]
    beams: Mapping[str, BeamWiring]
    uncouplers: Mapping[str, UncouplerWiring]
    locomotives: Mapping[str, LocomotiveWiring]
