"""A puzzle: a track, a start, a goal, and what is counted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pointsman.errors import UsageError
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.position import Position
from pointsman.track.model import Track


class Count(StrEnum):
    """What is counted (the shunting model, "What is counted")."""

    RUNS = "runs"
    PULL_DROPS = "pull-drops"
    REVERSALS = "reversals"
    COUPLINGS = "couplings"
    SECONDS = "seconds"

    def shown(self, value: int) -> str:
        """A value as people read it: ``25 runs``; seconds, which are kept in milliseconds, as ``about 93 seconds``."""
        if self is Count.SECONDS:
            return f"about {(value + 500) // 1000} seconds"
        return f"{value} {self.value.removesuffix('s') if value == 1 else self.value}"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A start to be brought to a goal on a track with the fewest of what ``count`` names."""

    name: str
    title: str
    track: Track
    start: Position
    goal: Goal
    count: Count

    @property
    def locomotive(self) -> str:
        """The one locomotive in the start."""
        return locomotive_of(self.track, self.start)

    @property
    def wagons(self) -> tuple[str, ...]:
        """The wagons in the start, in reading order."""
        return tuple(vehicle for vehicle in self.start.vehicles if vehicle not in self.track.locomotives)


def locomotive_of(track: Track, position: Position) -> str:
    """The one locomotive in a position; UsageError when there is none, or more than one."""
    found = [vehicle for vehicle in position.vehicles if vehicle in track.locomotives]
    if len(found) != 1:
        raise UsageError(
            f"{len(found)} locomotives in '{position}'",
            cure=f"put exactly one of {' '.join(track.locomotives)} there",
        )
    return found[0]
