"""What a node has besides its program: pins for so much, a memory for its settings, and hands on the layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pointsman.protocols.node_constants import DUTY, LEAST_RESTS, LIMITS, SETTINGS, Board, Setting

STORE_BYTE_S = 0.0034
"""A byte of the EEPROM; of one that holds it already, nothing."""
MOST_VALUES = sum({"turnout": LIMITS["turnout"][1], "beam": LIMITS["of"][1]}.get(of, 1) for *_, of in SETTINGS.values())

Values = dict[tuple[Setting, int], int]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a board has pins for."""

    board: Board = Board.UNO
    turnouts: int = 0
    beams: int = 0
    magnets: int = 0
    dc: bool = False
    relay: bool = False


@dataclass(slots=True)
class Memory:
    """The EEPROM. ``stored``: None when there are no settings that can be read; ``works``: it can be written."""

    stored: Values | None = None
    works: bool = True

    def takes_s(self, values: Values) -> float:
        """How long it takes to store values."""
        old = self.stored
        changed = sum(old[key] != value for key, value in values.items()) if old else MOST_VALUES
        return 2 * (changed + 1) * STORE_BYTE_S if changed else 0.0  # and the checksum


class Hands(Protocol):
    """What a node does to the layout. Turnouts and magnets count from 1."""

    def relay(self, closed: bool) -> None:
        """The relay in the track's feed, and the output stage of the locomotive on DC."""

    def drive(self, forward: bool, step: int) -> None:
        """What the locomotive on DC gets now, as a step."""

    def magnet(self, magnet: int, on: bool) -> None:
        """The current through a magnet."""

    def turnout(self, turnout: int, thrown: bool, takes_s: float) -> None:
        """A machine begins to move."""


def safe_settings(fitted: Fitted) -> Values:
    """The settings of a node that nobody has set up."""
    count = {"node": 1, "turnout": fitted.turnouts, "beam": fitted.beams}
    return {
        (setting, of + (of_what != "node")): usual
        for setting, (_, _, _, usual, of_what) in SETTINGS.items()
        for of in range(count[of_what])
    }


def rests(values: Values) -> bool:
    """Whether every coil rests for long enough after its longest pulse."""
    return all(values[rest, 0] >= LEAST_RESTS * values[pulse, 0] for pulse, rest in DUTY.items())
