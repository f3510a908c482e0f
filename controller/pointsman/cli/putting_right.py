"""After a stop: what a person says stands where, and the play that goes on from there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.console import Console

from pointsman.calibrating import calibrated
from pointsman.cli.output import amount, say, whole_line
from pointsman.cli.progress import searching
from pointsman.cli.puzzles import picture
from pointsman.cli.setting_up import asked, set_up
from pointsman.errors import NotationError, PointsmanError, RefusedError, StoppedError, UnsolvableError, UsageError
from pointsman.links import On, Target
from pointsman.operate.putting_right import corrected, how, why_not_so
from pointsman.playing import PlayRequest
from pointsman.puzzle.choice import Chosen
from pointsman.puzzle.moves import Run
from pointsman.puzzle.position import Position
from pointsman.replanning import drivable
from pointsman.resuming import Interrupted, going_on, put_right
from pointsman.solver.apart import solve_apart
from pointsman.solver.search import Solution
from pointsman.track.calibration_file import Calibrated
from pointsman.track.model import End
from pointsman.track.wiring import Wiring


def go_on(
    out: Console,
    play: Interrupted,
    *,
    speed: float | None,
    facing: End | None = None,
    yes: bool = False,
    position: str | None = None,
    journal: Path | None = None,
) -> PlayRequest | Chosen:
    """The play that goes on from where a person says that everything stands; the puzzle if its goal is reached there.

    ``yes``: nobody is asked, and ``position`` (or the last confirmed one) is taken. Raises UsageError, RefusedError,
    UnsolvableError; StoppedError when the person does not want to.
    """
    track, real = play.chosen.track, play.target.on is not On.SIM
    stands = play.position if position is None else corrected(track, play.position, position)
    if yes:
        against = why_not_so(track, stands)
        if against:
            raise UsageError(against[0], where=str(stands), cure="say with --position what stands where")
    while True:
        if not yes:
            stands = _said(out, play, stands, real)
        chosen = with_measured(out, put_right(play, stands), play.wiring, play.target)
        if chosen.goal.reached(stands, track.locomotives):
            say(out, "As it stands, the goal is reached: there is nothing left to drive.")
            whole_line(out, f"now    {stands}")
            return chosen
        try:
            with searching(quiet=False) as progress:
                solution = solve_apart(track, stands, chosen.goal, play.count, progress=progress)
            runs = drivable_runs(out, chosen, play.wiring, solution, play.target)
            break
        except (UnsolvableError, RefusedError) as error:
            if yes:
                raise
            # A locomotive on the wrong side of its wagons, say: a hand can mend that too.
            say(out, f"From there it does not go on: {error.what}.")
    facing = set_up(out, chosen, play.wiring, play.target, facing, yes, f"{play.count.shown(solution.optimum)} more")
    return going_on(play, chosen, runs, facing, journal=journal, speed=speed)


def with_measured(out: Console, chosen: Chosen, wiring: Wiring, target: Target) -> Chosen:
    """The puzzle with what was measured of its locomotive; says so. Raises LayoutError for a damaged file."""
    track, used = calibrated(chosen.track, chosen.folder, wiring, target, seed=chosen.chance)
    for one in used:
        if one.locomotive == chosen.puzzle.locomotive:
            tell_calibrated(out, one)
    return replace(chosen, puzzle=replace(chosen.puzzle, track=track))


def tell_calibrated(out: Console, used: Calibrated) -> None:
    """That a locomotive's own file is used, not the layout's."""
    say(
        out,
        f"{used.locomotive}: speeds as measured on {used.measurement.date[:10]} between "
        f"{' and '.join(used.measurement.between)} ({used.path}).",
    )


def drivable_runs(out: Console, chosen: Chosen, wiring: Wiring, solution: Solution, target: Target) -> tuple[Run, ...]:
    """The plan, or the best one around what the real lengths forbid, and why."""
    with searching(quiet=False) as progress:
        found = drivable(chosen, wiring, solution.runs, target, progress)
    for refusal in found.refused:
        say(out, f"Not driven: {refusal.where}: {refusal.what}.")
    if found.refused:
        say(out, f"Planned around it: {amount(len(found.runs), 'runs')}.")
    return found.runs


def _said(out: Console, play: Interrupted, stands: Position, real: bool) -> Position:
    """What stands where, as a person says: the picture, corrected until it is right."""
    track = play.chosen.track
    if real:
        say(out, "Stand everything on its tracks, clear of the points. What stands where, and in which order?")
    else:
        say(out, "The simulated layout is set up as you say. What stands where, and in which order?")
    if play.told.doing:
        say(out, f"The picture shows the last confirmed position. Since then was begun: {play.told.doing}.")
    say(out, f"To correct it, {how(track, stands)}; q ends.")
    while True:
        out.print(picture(out, track, stands))
        whole_line(out, f"stands  {stands}")
        against = why_not_so(track, stands)
        for reason in against:
            say(out, f"Not yet: {reason}.")
        answer = asked(out, "What stands elsewhere?" if against else "Is that right? [y, or what stands elsewhere]")
        if answer.lower() in {"q", "quit"}:
            raise StoppedError("nothing was put right, and nothing was sent to the layout", PointsmanError.exit_code)
        if answer.lower() in {"y", "yes"}:
            if not against:
                return stands
            continue
        try:
            stands = corrected(track, stands, answer)
        except NotationError as error:
            say(out, str(error))
