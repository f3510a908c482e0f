"""Counting what was done: ``fold(score, message)`` over the commands of a play, and the runs that were finished.

Every figure has an origin. A run counts when its evidence is complete, and so the figures are *seen*, until a person's
word is taken for something: from then on they are *entered by a person*. Raw starts are all starts of the locomotive;
runs and reversals are those the game counts: a stop over a magnet that is continued the same way, a slack-back and the
proving move belong to no other run and are no reversals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from pointsman.messages import Command, Drive, EmergencyStop, Event, SetTurnout, Stop
from pointsman.puzzle.journey import towards_after
from pointsman.puzzle.moves import Run
from pointsman.track.model import Track


class Origin(StrEnum):
    """Where a figure comes from, best first."""

    SEEN = "seen"
    INFERRED = "inferred at the next count"
    ENTERED = "entered by a person"


@dataclass(frozen=True, slots=True)
class Score:
    """Figures of one play so far, and what is needed to go on counting.

    ``turnouts_moved`` counts commands to turnouts, the preparation included; ``uncouplings`` couplings parted;
    ``by_hand`` what a person did and said so, ``hints`` how often a person was told the best next run.
    """

    raw_starts: int = 0
    reversals: int = 0
    runs: int = 0
    turnouts_moved: int = 0
    uncouplings: int = 0
    emergency_stops: int = 0
    by_hand: int = 0
    hints: int = 0
    origin: Origin = Origin.SEEN
    moving: frozenset[str] = frozenset()


def fold(score: Score, message: Command | Event) -> Score:
    """The score after one more message."""
    match message:
        case Drive(locomotive=name, step=step) if step > 0 and name not in score.moving:
            return replace(score, raw_starts=score.raw_starts + 1, moving=score.moving | {name})
        case Stop(locomotive=name):
            return replace(score, moving=score.moving - {name})
        case SetTurnout():
            return replace(score, turnouts_moved=score.turnouts_moved + 1)
        case EmergencyStop():
            return replace(score, emergency_stops=score.emergency_stops + 1, moving=frozenset())
        case _:
            return score


def with_run(score: Score, *, reversed_: bool) -> Score:
    """The score after a run was finished and its evidence was complete; ``reversed_``: against the run before it."""
    return replace(score, runs=score.runs + 1, reversals=score.reversals + reversed_)


def with_uncoupling(score: Score) -> Score:
    """The score after a coupling was parted."""
    return replace(score, uncouplings=score.uncouplings + 1)


def without_uncoupling(score: Score) -> Score:
    """The score after it has shown that a coupling did not part."""
    return replace(score, uncouplings=score.uncouplings - 1)


def with_hand(score: Score) -> Score:
    """The score after a person did something and said so: from now on it rests on that word too."""
    return replace(score, by_hand=score.by_hand + 1, origin=Origin.ENTERED)


def with_hint(score: Score) -> Score:
    """The score after a person was told the best next run."""
    return replace(score, hints=score.hints + 1)


def reverses(track: Track, before: Run | None, run: Run) -> bool:
    """Whether a run goes against the direction of the one before it; the first run of a play is free."""
    return before is not None and run.towards is not towards_after(track, before)
