"""Positions in which all wagons look alike, as rows of small numbers: thousands of them are read and compared at once.

The wagons of a shape are named by their slot, ".0", ".1" ... in reading order.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from pointsman.puzzle.position import Position
from pointsman.track.model import Leg, Track

Rows = NDArray[np.int16]

_LEGS = tuple(Leg)
_BY_LOCOMOTIVE = 2
"""What is added to the number of a leg when the locomotive stands on the turnout."""


def shape_of(position: Position, locomotive: str) -> tuple[Position, tuple[str, ...]]:
    """The shape of a position and its arrangement: the wagons in reading order."""
    wagons = tuple(vehicle for vehicle in position.vehicles if vehicle != locomotive)
    return position.renamed({wagon: slot_name(slot) for slot, wagon in enumerate(wagons)}), wagons


def slot_name(slot: int) -> str:
    """What a shape calls the wagon in a slot: no vehicle of a layout can be called so."""
    return f".{slot}"


def slot_of(name: str) -> int:
    """The slot of a wagon of a shape."""
    return int(name[1:])


@dataclass(frozen=True)
class Shapes(Sequence[Position]):
    """Shapes of one track. ``rows[n]`` has, for shape n: how many vehicles stand in each segment, the locomotive too;
    for each turnout 0 when it is free, 1 or 2 for the leg it lies for under a wagon, 3 or 4 under the locomotive; the
    element on which the locomotive stands, segments first; and its place in the segment from ``from``, 0 on a turnout.
    """

    segments: tuple[str, ...]
    turnouts: tuple[str, ...]
    locomotive: str
    rows: Rows

    @classmethod
    def of(cls, track: Track, locomotive: str, rows: Rows) -> Shapes:
        """Shapes from their rows."""
        return cls(tuple(track.segments), tuple(track.turnouts), locomotive, rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Position: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Position]: ...

    def __getitem__(self, index: int | slice) -> Position | Sequence[Position]:
        if isinstance(index, slice):
            return Shapes(self.segments, self.turnouts, self.locomotive, self.rows[index])
        return self._position(self.rows[index].tolist())

    def __iter__(self) -> Iterator[Position]:
        return map(self._position, self.rows.tolist())

    def find(self, position: Position) -> int | None:
        """Which shape a position has; None when none of these."""
        return self._numbers.get(packed(row_of(position, self.turnouts, self.locomotive)))

    def number(self, position: Position) -> int:
        """Which shape a position has. Raises KeyError when it is none of these."""
        return self._numbers[packed(row_of(position, self.turnouts, self.locomotive))]

    @property
    def locomotive_at(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For every shape the element on which the locomotive stands, segments first, and its place there."""
        return self.rows[:, -2].astype(np.int64), self.rows[:, -1].astype(np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many vehicles stand in each segment, the locomotive too: a row for every shape."""
        return self.rows[:, : len(self.segments)].astype(np.int64)

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        content, width = self.rows.tobytes(), self.rows.itemsize * self.rows.shape[1]
        return {content[width * number : width * (number + 1)]: number for number in range(len(self.rows))}

    def _position(self, row: list[int]) -> Position:
        element, place = row[-2:]
        slot = 0
        inside = []
        for segment, (name, number) in enumerate(zip(self.segments, row, strict=False)):
            vehicles = []
            for at in range(number):
                if (segment, at) == (element, place):
                    vehicles.append(self.locomotive)
                else:
                    vehicles.append(slot_name(slot))
                    slot += 1
            inside.append((name, tuple(vehicles)))
        on = []
        for name, code in zip(self.turnouts, row[len(self.segments) : -2], strict=True):
            if code:
                wagon = code <= _BY_LOCOMOTIVE
                on.append((name, slot_name(slot) if wagon else self.locomotive, _LEGS[(code - 1) % _BY_LOCOMOTIVE]))
                slot += wagon
        return Position(tuple(inside), tuple(on))


def row_of(position: Position, turnouts: Sequence[str], locomotive: str) -> list[int]:
    """The row of a position's shape; ``turnouts`` are the track's, in its order."""
    found = [len(vehicles) for _, vehicles in position.segments]
    segments = len(found)
    element = place = 0
    if position.turnouts:
        codes = {}
        for turnout, vehicle, leg in position.turnouts:
            codes[turnout] = 1 + _LEGS.index(leg) + (_BY_LOCOMOTIVE if vehicle == locomotive else 0)
            if vehicle == locomotive:
                element = segments + turnouts.index(turnout)
        found += [codes.get(turnout, 0) for turnout in turnouts]
    else:
        found += [0] * len(turnouts)
    for number, (_, vehicles) in enumerate(position.segments):
        if locomotive in vehicles:
            element, place = number, vehicles.index(locomotive)
            break
    found += (element, place)
    return found


def packed(row: Sequence[int]) -> bytes:
    """A row as ``Shapes.rows`` has it in memory: quick to look up."""
    return array("h", row).tobytes()
