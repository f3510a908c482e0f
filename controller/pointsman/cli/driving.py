"""Carrying out a play at the command line: what is checked beforehand, shown meanwhile, and told at the end."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pointsman.app import Stopper, stops_itself
from pointsman.cli.aftermath import ask_for_hands, came_to_something, tell_stopped, tell_ways, tell_written
from pointsman.cli.asking import asking
from pointsman.cli.output import amount, exit_code, fail_with, print_json, say, tell, whole_line
from pointsman.cli.putting_right import go_on
from pointsman.cli.screen import Screen
from pointsman.cli.setting_up import agrees
from pointsman.errors import (
    HaltedError,
    JournalError,
    LinkError,
    PointsmanError,
    RefusedError,
    StoppedError,
    UsageError,
)
from pointsman.links import On, Target
from pointsman.playing import PlayRequest, PlayResult
from pointsman.playing import play as play_on
from pointsman.puzzle.choice import Chosen
from pointsman.resuming import interrupted
from pointsman.track.tomlfile import is_file, is_folder
from pointsman.track.wiring import TurnoutKind, UncouplerKind, Wiring

DEFAULT_SPEED = 1.0
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--on",
        metavar="TARGET",
        help="sim, serial:PORT, tcp:HOST[:PORT], jmri:HOST[:PORT] or mqtt:HOST[:PORT]; sim if not given. "
        "With several stations once for each: NAME=TARGET.",
    ),
]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a play is carried out.

    ``yes``: nobody is asked; ``again`` is the command that repeats the puzzle from its start.
    """

    yes: bool
    as_json: bool
    picture_file: Path | None
    again: str


def carry_out(out: Console, request: PlayRequest, manner: Manner) -> None:
    """Play, and tell how it ended. After a halt a person may put right what stands where, and the play goes on."""
    while True:
        try:
            result, wrong = _played(out, request, manner)
            break
        except PointsmanError as error:
            if not isinstance(error, JournalError):
                ask_for_hands(error, request.journal, stops_itself=stops_itself(request.target, request.wiring))
            if not _may_go_on(error, request, manner):
                if not isinstance(error, JournalError):
                    tell_stopped(out, request, manner.again)
                raise
            tell(error)
            tell_written(out, request)
            if not _agrees_to_go_on(out, request, manner.again):
                raise typer.Exit(exit_code(error)) from error
        gone_on = go_on(out, interrupted(request.journal), speed=request.speed)
        if not isinstance(gone_on, PlayRequest):
            return
        request = gone_on
    _conclude(out, request, result, wrong, manner.as_json)


def _agrees_to_go_on(out: Console, request: PlayRequest, again: str) -> bool:
    """Whether a person wants to put right and go on at once; what else there is to be done is told after a no."""
    agreed = False
    try:
        agreed = agrees(out, "Put right what stands where, and go on?")
    finally:
        if not agreed:
            tell_ways(out, request, again)
    return agreed


def _may_go_on(error: PointsmanError, request: PlayRequest, manner: Manner) -> bool:
    """Whether a person is there who may want to go on: not one who has just stopped it, and not a program.

    A play that never came to anything is not gone on with, it is begun again.
    """
    if manner.yes or manner.as_json or not sys.stdin.isatty() or isinstance(error, StoppedError):
        return False
    if isinstance(error, HaltedError):
        return True
    return isinstance(error, LinkError | RefusedError) and came_to_something(request)


def check_options(target: Target, speed: float | None, yes: bool) -> None:
    """What can be known beforehand about the target and who is there. Raises UsageError."""
    real = target.on is not On.SIM
    if real and speed is not None:
        raise UsageError("--speed is for the simulated layout only", cure="leave it out: real trains keep real time")
    if real and yes:
        raise UsageError("--yes is for the simulated layout only", cure="look at the layout, then answer the question")
    if speed is not None and not (isfinite(speed) and speed >= 0):
        raise UsageError(f"--speed {speed:g} is not possible", cure="give 0 for at once, or a number above 0")
    if not (yes or sys.stdin.isatty()):
        raise UsageError(
            "nobody can be asked whether the layout is set up: standard input is no terminal",
            cure="run it in a terminal" if real else "run it in a terminal, or add --yes",
        )


def check_hands(wiring: Wiring, as_json: bool, yes: bool) -> None:
    """What is worked by hand needs somebody who is asked in mid-play. Raises UsageError."""
    by_hand = [name for name, wired in wiring.turnouts.items() if wired.kind is TurnoutKind.HAND]
    by_hand += [name for name, magnet in wiring.uncouplers.items() if magnet.kind is UncouplerKind.HAND]
    if by_hand and as_json and not yes:
        raise UsageError(
            f"{by_hand[0]} is worked by hand, and with --json nobody is asked to do it",
            cure="leave --json out; on the simulated layout --yes lets a simulated hand do it",
        )


def check_files(journal: Path | None, picture_file: Path | None) -> None:
    """What can be known before anything moves about the files that are to be written.

    Raises JournalError for the journal's place, UsageError for the picture's.
    """
    if journal is not None and not is_folder(journal.parent):
        raise JournalError(
            "cannot be written: there is no such folder",
            where=str(journal),
            cure="make the folder, or give another place with --journal",
        )
    if journal is not None and (is_file(journal) or is_folder(journal)):
        raise JournalError("is there already", where=str(journal), cure="give a new name: no journal is written over")
    if picture_file is not None and (is_folder(picture_file) or not is_folder(picture_file.parent)):
        raise UsageError("the picture cannot be written there", where=str(picture_file), cure="give a file's path")


def _played(out: Console, request: PlayRequest, manner: Manner) -> tuple[PlayResult, PointsmanError | None]:
    """Play; the result, and why the picture could not be saved, if it could not. Raises what the play raises."""
    stoppers: list[Stopper] = []

    def gone(why: str) -> None:
        for stop in stoppers:
            stop(why, HaltedError.exit_code)

    screen = Screen(out, request.chosen, gone)
    try:
        result = play_on(request, screen.show, stoppers.append, None if manner.yes else asking(screen.ask))
    except PointsmanError:
        screen.close()
        _save(screen, manner.picture_file)
        raise
    finally:
        screen.close()
    return result, _save(screen, manner.picture_file)


def _save(screen: Screen, path: Path | None) -> PointsmanError | None:
    """Why the picture could not be saved, if it was to be and could not: it never hides how the play ended."""
    try:
        if path is not None:
            screen.save_picture(path)
    except UsageError as error:
        return error
    return None


def _conclude(
    out: Console, request: PlayRequest, result: PlayResult, wrong: PointsmanError | None, as_json: bool
) -> None:
    """Tell how a play ended; raise what is wrong in spite of it."""
    if result.truth is not None and not result.truth.good:
        wrong = HaltedError(
            "the simulated layout does not agree with what was believed", where=str(request.journal), cure="report it"
        )
    if as_json and wrong is not None:
        raise fail_with(_as_json(request, result), wrong)
    if as_json:
        print_json(_as_json(request, result))
        return
    _tell(out, request, result)
    if wrong is not None:
        raise wrong


def _tell(out: Console, request: PlayRequest, result: PlayResult) -> None:
    score, truth = result.score, result.truth
    counted = f" {amount(score.runs, 'runs')} ({amount(score.raw_starts, 'starts')}) in {result.duration_s:.0f} s"
    out.print(Text.assemble(("Done.", "bold green"), f"{counted}, every step as expected."))
    unseen = _unseen(request.chosen, result)
    seen = sorted(result.seen - {request.chosen.puzzle.locomotive})
    if unseen:
        say(out, f"Seen at a beam: {' '.join(seen) or 'no wagon'}. As set up, and not seen since: {' '.join(unseen)}.")
    whole_line(out, f"now    {result.position}")
    if truth is not None and truth.good:
        out.print("The simulated layout, asked afterwards, agrees; nothing was bumped, derailed or run through.")
    for incident in truth.incidents if truth is not None else ():
        out.print(incident, style="red")
    whole_line(out, f"Journal: {request.journal}")


def _unseen(chosen: Chosen, result: PlayResult) -> list[str]:
    """Wagons that no beam has seen: that they are there is a person's word."""
    return [wagon for wagon in chosen.puzzle.wagons if wagon not in result.seen]


def _as_json(request: PlayRequest, result: PlayResult) -> dict[str, Any]:
    before = None if request.put_right is None else request.put_right.journal
    return result_json(request.chosen, result, request.journal, before)


def result_json(chosen: Chosen, result: PlayResult, journal: Path | None, before: Path | None) -> dict[str, Any]:
    """How a play ended, as JSON values. ``before`` is the journal that it goes on from, if it does."""
    truth = result.truth
    return {
        "puzzle": chosen.name,
        "seed": chosen.seed,
        "start": str(chosen.start),
        "goal": str(chosen.goal),
        "position": str(result.position),
        "confirmed": result.reached,
        "runs": result.score.runs,
        "raw_starts": result.score.raw_starts,
        "by_hand": result.score.by_hand,
        "origin": str(result.score.origin),
        "seen": sorted(result.seen),
        "as_set_up": _unseen(chosen, result),
        "duration_s": round(result.duration_s, 1),
        "journal": None if journal is None else str(journal),
        "goes_on_from": None if before is None else str(before),
        "truth": None if truth is None else truth.line,
        "truth_agrees": None if truth is None else truth.agrees and truth.reached,
        "incidents": None if truth is None else list(truth.incidents),
    }
