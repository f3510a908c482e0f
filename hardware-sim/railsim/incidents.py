"""What goes wrong on a layout, and what happens on it at all, as the world records it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pointsman.track.model import Leg


class Kind(StrEnum):
    """The kinds of incident."""

    COLLISION = "collision"
    DERAILMENT = "derailment"
    RUN_THROUGH = "run-through"
    SIDE_SWIPE = "side-swipe"
    ROUGH_COUPLING = "rough coupling"
    BUFFER = "buffer"
    COIL = "coil"


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that must not happen: where (an element or magnet), which vehicles, and a sentence for a person."""

    t_s: float
    kind: Kind
    where: str
    vehicles: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.t_s:8.3f} s  {self.kind} at {self.where}: {self.text}"


@dataclass(frozen=True, slots=True)
class BeamChanged:
    """A beam was broken (``broken``) or became free, at the exact time."""

    t_s: float
    beam: str
    broken: bool


@dataclass(frozen=True, slots=True)
class TurnoutSettled:
    """The points are over."""

    t_s: float
    turnout: str
    leg: Leg


@dataclass(frozen=True, slots=True)
class Stopped:
    """A locomotive came to a stand."""

    t_s: float
    locomotive: str


@dataclass(frozen=True, slots=True)
class Coupled:
    """Two vehicles have coupled."""

    t_s: float
    vehicles: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Parted:
    """Two vehicles have parted, over a magnet or (``magnet`` empty) by themselves; they still stand as they stood."""

    t_s: float
    vehicles: tuple[str, str]
    magnet: str


@dataclass(frozen=True, slots=True)
class FaultStruck:
    """A planned fault has struck: its kind, its target where it has one, and a sentence for a person."""

    t_s: float
    kind: str
    target: str
    text: str


WorldEvent = BeamChanged | TurnoutSettled | Stopped | Coupled | Parted | Incident | FaultStruck
