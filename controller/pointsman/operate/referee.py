"""Counting what was done: ``fold(score, message)`` over the commands and reports of a play.

Every figure has an origin. Here all of them are *seen*: they follow from commands the station confirmed. A raw start
is every start of the locomotive; runs are those the game counts (a stop over a magnet that is continued the same way,
and a slack-back, belong to the run).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from pointsman.messages import Command, Drive, EmergencyStop, Event, SetTurnout, SetUncoupler, Stop


class Origin(StrEnum):
    """Where a figure comes from, best first."""

    SEEN = "seen"
    INFERRED = "inferred at the next count"
    ENTERED = "entered by a person"


@dataclass(frozen=True, slots=True)
class Score:
    """Figures of one play so far, and what is needed to go on counting."""

    raw_starts: int = 0
    reversals: int = 0
    runs: int = 0
    turnouts_moved: int = 0
    uncouplings: int = 0
    emergency_stops: int = 0
    origin: Origin = Origin.SEEN
    moving: frozenset[str] = frozenset()
    headed: tuple[tuple[str, bool], ...] = ()


def fold(score: Score, message: Command | Event) -> Score:
    """The score after one more message."""
    match message:
        case Drive(locomotive=name, forward=forward, step=step) if step > 0 and name not in score.moving:
            before = dict(score.headed).get(name)
            return replace(
                score,
                raw_starts=score.raw_starts + 1,
                reversals=score.reversals + (before is not None and before is not forward),
                moving=score.moving | {name},
                headed=tuple({**dict(score.headed), name: forward}.items()),
            )
        case Stop(locomotive=name):
            return replace(score, moving=score.moving - {name})
        case SetTurnout():
            return replace(score, turnouts_moved=score.turnouts_moved + 1)
        case SetUncoupler(on=True):
            return replace(score, uncouplings=score.uncouplings + 1)
        case EmergencyStop():
            return replace(score, emergency_stops=score.emergency_stops + 1, moving=frozenset())
        case _:
            return score


def with_run(score: Score) -> Score:
    """The score after a run of the plan was finished and its evidence was complete."""
    return replace(score, runs=score.runs + 1)
