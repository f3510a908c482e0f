"""A puzzle that was dealt, with its plan: made in the solver's process, and told in JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pointsman.calibrating import calibrated
from pointsman.draws import fresh_seed, solved
from pointsman.errors import RefusedError, UsageError
from pointsman.links import Target
from pointsman.operate.belief import Belief
from pointsman.operate.hand_referee import Figures
from pointsman.operate.referee import Origin, Score
from pointsman.playing import AttemptOf
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.journey import describe
from pointsman.puzzle.moves import Run
from pointsman.puzzle.pattern import Block
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.replanning import drivable, may_begin
from pointsman.resuming import Interrupted, put_right
from pointsman.solver.apart import apart, solve_apart
from pointsman.solver.budget import Budget
from pointsman.solver.challenges import Wish, check_draws, draw_for, scale_of_draws
from pointsman.solver.cost import features_of
from pointsman.solver.grade import Grader, gradable
from pointsman.solver.search import Solution
from pointsman.solver.steps import Step
from pointsman.solver.table import Report, table_for
from pointsman.track.model import Track
from pointsman.track.wiring import Wiring

MOST_DRAWS = 20
"""Draws in a row whose goal is reached before anything has moved: then it is the puzzle that asks for nothing."""

NO_PLAN = "no plan can be driven from where the train stands"
DRIVE_CLEAR = "drive the whole train into one track, off the points, and ask again"


@dataclass(frozen=True, slots=True)
class Ground:
    """What everything is played on: a layout's folder, its track, its wiring (and how that was named), and where."""

    folder: Path
    track: Track
    wiring: Wiring
    hardware: str
    target: Target


@dataclass(frozen=True, slots=True)
class Task:
    """A puzzle with the runs that will be driven.

    ``par`` is the least of what is counted (milliseconds for seconds), ``level`` is 1 to 4 where it was wished for.
    ``earlier`` is the play that it goes on with, put right by a person. ``attempt`` is the attempt of a competition
    that it is: then there are no runs but those that a hint was planned with, and the par is not known.
    """

    chosen: Chosen
    runs: tuple[Run, ...]
    refused: tuple[str, ...]
    count: Count
    par: int
    proved: bool
    level: int | None = None
    earlier: Interrupted | None = None
    by: str = ""
    attempt: AttemptOf | None = None


@dataclass(frozen=True, slots=True)
class _Dealt:
    chosen: Chosen
    solution: Solution
    level: int | None


def deal(
    ground: Ground,
    puzzle: str,
    seed: str | None,
    level: int | None,
    progress: Report,
    cards: Sequence[str] | None = None,
) -> Task:
    """Draw the cards of a puzzle and solve it; without a seed until it can be solved and is not solved yet. Blocks.

    ``cards`` are the wagons of one certain draw, see ``puzzle.choice.choose``.

    Raises UsageError, LayoutError, UnsolvableError, RefusedError.
    """
    text = f"{ground.folder}/{puzzle}"
    dealt = apart(_dealt, (text, seed, level, cards), {}, progress)
    assert isinstance(dealt, _Dealt)
    return _driven(ground, dealt.chosen, dealt.solution, dealt.level, progress)


def deal_attempt(ground: Ground, puzzle: str, cards: Sequence[str], attempt: AttemptOf) -> Task:
    """A certain draw of a puzzle for an attempt of a competition: a person drives it, and nothing is planned. Blocks.

    Raises UsageError, LayoutError, RefusedError.
    """
    chosen = _measured(ground, choose(f"{ground.folder}/{puzzle}", cards=cards))
    if chosen.goal.reached(chosen.start, chosen.track.locomotives):
        raise RefusedError(["as it is set up, the goal is reached"], where=chosen.name, cure="draw another one")
    return _unplanned(chosen, chosen.puzzle.count, attempt)


def go_on_from(ground: Ground, play: Interrupted, position: Position, by: str, progress: Report) -> Task | None:
    """The rest of an earlier play from where a person says that everything stands; None: its goal is reached there.

    Raises UnsolvableError, RefusedError.
    """
    chosen = put_right(play, position)
    if chosen.goal.reached(position, chosen.track.locomotives):
        return None
    if play.attempt is not None:
        return replace(_unplanned(_measured(ground, chosen), play.count, play.attempt), earlier=play, by=by)
    solution = solve_apart(chosen.track, position, chosen.goal, play.count, progress=progress)
    return replace(_driven(ground, chosen, solution, None, progress), earlier=play, by=by)


def plan_from(ground: Ground, task: Task, rest: Sequence[Run], belief: Belief, progress: Report) -> Task | None:
    """A task with another plan: from where everything stands in a sitting under way, to the same goal. Blocks.

    None: the ``rest`` of the plan there is can be driven from there. Raises UnsolvableError, RefusedError.
    """
    if rest and may_begin(task.chosen, ground.wiring, rest, ground.target, belief):
        return None
    position = belief.position
    chosen = replace(task.chosen, puzzle=replace(task.chosen.puzzle, start=position))
    solution = solve_apart(chosen.track, position, chosen.goal, task.count, progress=progress)
    try:
        runs, refused = _drivable(ground, chosen, solution, progress, belief)
    except RefusedError as refusal:
        raise RefusedError([NO_PLAN], where=refusal.where, cure=DRIVE_CLEAR) from refusal
    return replace(task, runs=runs, refused=refused)


def place_in(runs: Sequence[Run], position: Position) -> int | None:
    """The index of the run of a plan that begins from a position; as many as there are runs where it ends; or None."""
    stands = [*(run.before for run in runs), *(run.after for run in runs[-1:])]
    return stands.index(position) if position in stands else None


def _driven(ground: Ground, chosen: Chosen, solution: Solution, level: int | None, progress: Report) -> Task:
    chosen = _measured(ground, chosen)
    runs, refused = _drivable(ground, chosen, solution, progress)
    return Task(
        chosen=chosen,
        runs=runs,
        refused=refused,
        count=solution.count,
        par=solution.optimum,
        proved=solution.proved,
        level=level,
    )


def _unplanned(chosen: Chosen, count: Count, attempt: AttemptOf) -> Task:
    return Task(chosen=chosen, runs=(), refused=(), count=count, par=0, proved=False, attempt=attempt)


def _measured(ground: Ground, chosen: Chosen) -> Chosen:
    """With what was measured of its locomotives."""
    track, _ = calibrated(chosen.track, chosen.folder, ground.wiring, ground.target, seed=chosen.chance)
    return replace(chosen, puzzle=replace(chosen.puzzle, track=track))


def _drivable(
    ground: Ground, chosen: Chosen, solution: Solution, progress: Report, under_way: Belief | None = None
) -> tuple[tuple[Run, ...], tuple[str, ...]]:
    """The runs that will be driven, and in words the ones that the real lengths forbid."""
    found = drivable(chosen, ground.wiring, solution.runs, ground.target, progress, under_way=under_way)
    return found.runs, tuple(f"Not driven: {one.where}: {one.what}." for one in found.refused)


def _dealt(text: str, seed: str | None, level: int | None, cards: Sequence[str] | None, *, progress: Report) -> _Dealt:
    """In the solver's process: nothing that is searched or compiled holds up what owns a link."""
    for _ in range(1 if seed is not None or cards is not None else MOST_DRAWS):
        dealt = _drawn(text, seed, level, cards, progress)
        if dealt.solution.runs:
            return dealt
    raise RefusedError(["as it is set up, the goal is reached"], where=dealt.chosen.name, cure="draw another one")


def _drawn(text: str, seed: str | None, level: int | None, cards: Sequence[str] | None, progress: Report) -> _Dealt:
    given = seed is not None or cards is not None
    chosen = choose(text, seed=seed if given else fresh_seed(), cards=cards)
    count = chosen.puzzle.count
    if level is not None and cards is not None:
        cure = "leave one of them out"
        raise UsageError("a draw that is given has the level that it has", where=text, cure=cure)
    if level is not None:
        base, counted = choose(text).puzzle, gradable(count)
        check_draws(base)
        table = table_for(base.track, base.start, base.goal, counted, progress=progress, budget=Budget())
        grader = Grader(table)
        scale = scale_of_draws(base, table, grader)
        found = draw_for(base, str(chosen.seed), Wish(level, None, None), table, grader, scale)
        chosen = choose(text, seed=found.draw.seed)
    drawn, solution = solved(text, chosen, count, progress, seeded=given)
    return _Dealt(drawn, solution, level if drawn is chosen else None)


# ---------------------------------------------------------------- in JSON values


def fixed_of(task: Task) -> dict[str, Any]:
    """What a puzzle and its plan are, whatever has been done of them: made once for each plan, since it is much."""
    chosen = task.chosen
    return {
        "name": chosen.puzzle.name,
        "title": chosen.puzzle.title,
        "seed": chosen.seed,
        "level": task.level,
        "start": str(chosen.start),
        "goal": str(chosen.goal),
        "count": str(task.count),
        "par": task.par,
        "proved": task.proved,
        "cards": list(chosen.cards),
        "wagons": list(chosen.wagons),
        "target": target_of(chosen.goal),
        "plan": [_planned(chosen.track, number, run) for number, run in enumerate(task.runs, 1)],
    }


def puzzle(
    task: Task,
    fixed: Mapping[str, Any],
    score: Score,
    done: int | None,
    position: Position,
    seconds: float,
    hint: int | None,
    by_hand: Figures | None = None,
) -> dict[str, Any]:
    """A puzzle as it stands after so many runs of its plan; None: the plan is left, and no other is made yet.

    ``fixed`` is what never changes of it. ``hint`` is the number of the run that was told. ``by_hand`` is what was
    counted in a sitting that takes orders.
    """
    track, runs = task.chosen.track, task.runs if done is not None else ()
    left = None if done is None else len(runs) - done
    return {
        **fixed,
        "position": str(position),
        "done": _done(task, score, done or 0, seconds, by_hand),
        "plan": fixed["plan"] if done is not None else [],
        "next": done or 0,
        "distance": left,
        "hint": None if hint is None else {"run": describe(track, runs[hint - 1]), "distance": left},
    }


def target_of(goal: Goal) -> dict[str, Any]:
    """What is wanted, by the segments (``s2+s3``) or the train (``L+``) it is about; what is in any order is a list."""
    return {
        "+".join(term.segments) if term.train is None else f"{term.train}+": [
            [*map(str, element.choices), *([".."] if element.more else [])]
            if isinstance(element, Block)
            else str(element)
            for element in term.elements
        ]
        for term in goal.terms
    }


def _planned(track: Track, number: int, run: Run) -> dict[str, Any]:
    return {
        "number": number,
        "text": describe(track, run),
        "engine": run.locomotive,
        "towards": str(run.towards),
        "left": list(run.left),
        "after": str(run.after),
    }


def _done(task: Task, score: Score, done: int, seconds: float, by_hand: Figures | None) -> dict[str, Any]:
    """The figures so far. Couplings are counted from a start at which nothing is coupled, or from what is known."""
    figures = {"runs": score.runs, "reversals": score.reversals}
    origins = dict.fromkeys((*figures, "couplings", "pull_drops"), _word(score.origin))
    couplings = drops = None
    if by_hand is not None and (task.earlier is None or task.earlier.told.counted is not None):
        couplings, drops = by_hand.couplings, by_hand.pull_drops
        if score.origin is Origin.SEEN:
            origins = {name: _word(origin) for name, origin in by_hand.origins.items()}
    elif not task.earlier:
        couplings = _couplings(task.chosen.track, task.runs[:done])
    return {
        **figures,
        "couplings": couplings,
        "pull_drops": drops,
        "seconds": round(seconds),
        "raw_starts": score.raw_starts,
        "hints": score.hints,
        "emergency_stops": score.emergency_stops,
        "by_hand": score.by_hand,
        "origins": origins,
    }


def _word(origin: Origin) -> str:
    """Where a figure comes from, in one word: the page has its own sentence for each."""
    return origin.name.lower()


def _couplings(track: Track, runs: Sequence[Run]) -> int:
    return features_of(track, [Step((run,)) for run in runs])[3] if runs else 0
