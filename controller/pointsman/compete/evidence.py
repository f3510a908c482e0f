"""The marks of one attempt, from its journal: every convention of counting at once, and where each figure comes from.

A journal that goes on from an earlier one is told together with it. docs/competition-evidence.md says in words what
each figure rests on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pointsman.compete.chain import AttemptName, chain
from pointsman.compete.following import Following, ReplayStep
from pointsman.compete.marks import Figure, Marks, Outcome
from pointsman.compete.pars import Pars
from pointsman.compete.pars import pars as solved
from pointsman.compete.placing import placed
from pointsman.compete.retracing import fan_of
from pointsman.operate.hand_referee import Figures
from pointsman.operate.referee import Origin
from pointsman.puzzle.choice import Chosen
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.track.model import Track


def no_pars(_track: Track, _start: Position, _goal: Goal) -> Mapping[Count, int]:
    """For whom only what was done matters: nothing is solved."""
    return {}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What journals say of an attempt.

    ``position`` is the last one that was confirmed, ``between`` why it cannot be written how everything stood in the
    end, empty when it can. ``journals`` are the files, the earliest first, ``attempt`` what they name themselves, and
    ``steps`` what happened, in its order.
    """

    marks: Marks
    position: Position
    between: str
    chosen: Chosen
    attempt: AttemptName | None
    journals: tuple[Path, ...]
    steps: tuple[ReplayStep, ...]


def evidence(
    journal: Path, *, chosen: Chosen | None = None, attempt: AttemptName | None = None, pars: Pars = solved
) -> Evidence:
    """The marks of an attempt by its last journal, and those that it goes on from; blocks while pars are found.

    ``chosen`` is the draw that was played, if that is known, else the one that the first journal names is loaded;
    ``attempt`` the attempt that it must be of. Figures that were counted are *seen*, *inferred* where no beam has seen
    a run or the time ends with a journal that was cut off, and *entered* from a person's first word on; a fault is one
    person's press. Raises CompetitionError when a journal cannot be read, was damaged, is of another puzzle or attempt,
    or says what no attempt can have been.
    """
    links, played = chain(journal, chosen, attempt)
    followed = Following(played)
    for link in links:
        followed.follow(link)
    track, goal = played.track, played.goal
    par = pars(track, played.start, goal)
    left: Mapping[Count, int] = dict.fromkeys(par, 0)
    if not followed.reached:
        # Pull-drops are counted from headshunt to headshunt: one that was under way is still missing.
        left = {**pars(track, followed.home, goal), **pars(track, followed.position, goal)}
    return Evidence(
        _marks(followed, played, par, left),
        position=followed.position,
        between=followed.between,
        chosen=played,
        attempt=links[0].attempt,
        journals=tuple(link.path for link in links),
        steps=tuple(followed.steps),
    )


def steps(journal: Path, *, chosen: Chosen | None = None, attempt: AttemptName | None = None) -> tuple[ReplayStep, ...]:
    """What happened in an attempt, in its order, for showing it again. Raises as ``evidence`` does."""
    return evidence(journal, chosen=chosen, attempt=attempt, pars=no_pars).steps


def _marks(followed: Following, played: Chosen, par: Mapping[Count, int], left: Mapping[Count, int]) -> Marks:
    def figure(name: str) -> Figure:
        counted: Figures = followed.figures
        return Figure(getattr(counted, name), counted.origins[name])

    stood = placed(played.goal, followed.position, played.track.locomotives)
    word = Origin.ENTERED if followed.entered else Origin.SEEN
    ended = Outcome.DID_NOT_FINISH if followed.moved else Outcome.DID_NOT_START
    return Marks(
        outcome=Outcome.FINISHED if followed.reached else ended,
        outcome_origin=word,
        time_ms=Figure(followed.clock.shows_ms, Origin.INFERRED if followed.clock.cut else Origin.SEEN),
        runs=figure("runs"),
        reversals=figure("reversals"),
        couplings=figure("couplings"),
        pull_drops=figure("pull_drops") if fan_of(played.track) else None,
        hints=Figure(followed.hints),
        emergency_stops=Figure(followed.stops),
        placed=None if stood is None else Figure(stood, word),
        faults=dict(followed.faults),
        par=dict(par),
        left=dict(left),
    )
