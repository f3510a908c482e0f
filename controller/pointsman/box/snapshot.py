"""What everybody sees of a signal box at a moment, as JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

Json = Mapping[str, Any]


class Mode(StrEnum):
    """What goes on."""

    IDLE = "idle"
    DEALT = "dealt"
    STARTING = "starting"
    READY = "ready"
    AUTO = "auto"
    PAUSED = "paused"
    HAND = "hand"
    HALTED = "halted"
    SOLVED = "solved"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A moment; every field is one key of what is sent, and changes as a whole. It is never changed in place.

    ``t_s`` is the layout's clock, which begins anew with every sitting. ``puzzle["next"]`` is the index in its plan of
    the run that comes next, or is under way; as many as there are when all are done.
    ``attempt`` is the attempt of a competition that is on, or was the last one.
    ``functions`` has for each locomotive the numbers of those that are on, as they were last ordered in this sitting.
    """

    t_s: float = 0.0
    mode: Mode = Mode.IDLE
    demo: bool = False
    links: tuple[Json, ...] = ()
    power: bool | None = None
    protection: str = "full"
    turnouts: Json = field(default_factory=dict)
    beams: Json = field(default_factory=dict)
    magnets: Json = field(default_factory=dict)
    vehicles: Json = field(default_factory=dict)
    drive: Json | None = None
    route: tuple[Json, ...] = ()
    puzzle: Json | None = None
    refusal: Json | None = None
    halted: Json | None = None
    question: Json | None = None
    throttle: Json = field(default_factory=dict)
    functions: Json = field(default_factory=dict)
    unfinished: Json | None = None
    attempt: Json | None = None
    note: str = ""

    def values(self) -> dict[str, Any]:
        """Every key with its value."""
        return {name: getattr(self, name) for name in NAMES}

    @property
    def still(self) -> bool:
        """Whether nothing is under way that could be stopped; while a link is being closed something is."""
        over = self.mode is Mode.HALTED and self.halted is not None and bool(self.halted["cure"])
        return not self.demo and (over or self.mode in {Mode.IDLE, Mode.DEALT, Mode.SOLVED})

    def changes(self, since: Snapshot) -> dict[str, Any]:
        """The keys that have other values than in an earlier one."""
        return {name: new for name in NAMES if (new := getattr(self, name)) != getattr(since, name)}


NAMES = tuple(one.name for one in fields(Snapshot))
