"""``play`` and ``ports``: a puzzle on a layout, and where a station may be plugged in."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pointsman.app import PlayRequest, PlayResult, Stopper, journal_path
from pointsman.app import play as play_on
from pointsman.calibrating import calibrated
from pointsman.cli.aftermath import repeat_command, tell_stopped
from pointsman.cli.draws import draw_again, drawn_again, fresh_seed, impossible
from pointsman.cli.output import (
    AsJson,
    PuzzleName,
    Seed,
    amount,
    compact_table,
    console,
    fail_with,
    print_json,
    say,
    whole_line,
)
from pointsman.cli.progress import searching
from pointsman.cli.puzzles import CountName
from pointsman.cli.screen import Screen
from pointsman.cli.setting_up import set_up
from pointsman.errors import HaltedError, JournalError, PointsmanError, UnsolvableError, UsageError
from pointsman.links import On, Target, fitting, parse_target
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.moves import Run
from pointsman.puzzle.puzzle import Count
from pointsman.replanning import drivable
from pointsman.solver.apart import solve_apart
from pointsman.solver.search import Solution
from pointsman.track.builtin import find_wiring
from pointsman.track.calibration_file import Calibrated
from pointsman.track.model import End
from pointsman.track.tomlfile import is_file, is_folder
from pointsman.track.wiring import Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.ports import PortInfo, check_port, list_ports

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


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(play)
    app.command()(ports)


def play(
    puzzle: PuzzleName,
    seed: Seed = None,
    on: Targets = None,
    speed: Annotated[
        float | None, typer.Option(help="Simulated layout only: times real time (1 if not given; 0 = at once).")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Simulated layout only: do not ask.")] = False,
    facing: Annotated[
        End | None,
        typer.Option(
            help="Where the locomotive's front points: to the `from` or the `to` end of its track; in a headshunt "
            "`to` is the points, `from` the buffer stop. Asked if not given."
        ),
    ] = None,
    hardware: Annotated[str | None, typer.Option(help="Wiring: a name in hardware/, or a path.")] = None,
    count: CountName = None,
    journal: Annotated[Path | None, typer.Option(help="Where to write the journal.")] = None,
    picture_file: Annotated[Path | None, typer.Option("--picture", help="Save the last picture as SVG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a puzzle, solve it, and drive it.

    Every step is checked before it is sent, its evidence is awaited, and all is stopped when the evidence does not fit.
    """
    target = parse_target(",".join(on or ["sim"]))
    check_options(target, speed, yes)
    check_files(journal, picture_file)
    for port in target.serial_ports:
        check_port(port)
    chosen = choose(puzzle, seed=seed if seed is not None else fresh_seed())
    wiring = load_wiring(find_wiring(chosen.folder, hardware), chosen.track)
    target = fitting(target, wiring)
    # With --json standard output is for the result alone; what a person reads goes to standard error.
    out = console(stderr=as_json)
    counted = count or chosen.puzzle.count
    chosen, solution = _solved(out, puzzle, chosen, counted, seeded=seed is not None)
    least = counted.shown(solution.optimum) + (", and in no less" if solution.proved else "")
    chosen = _calibrated(out, chosen, target)
    runs = _drivable(out, chosen, wiring, solution, target)
    facing = set_up(out, chosen, target, facing, yes, least)
    request = PlayRequest(
        chosen=chosen,
        runs=runs,
        wiring=wiring,
        target=target,
        facing=facing,
        journal=journal or journal_path(chosen.name),
        speed=None if speed == 0 else (speed or DEFAULT_SPEED),
        count=str(counted),
    )
    result, wrong = _carry_out(out, request, picture_file, repeat_command(puzzle, request, hardware))
    _conclude(out, request, result, wrong, as_json)


def _solved(out: Console, puzzle: str, chosen: Chosen, count: Count, *, seeded: bool) -> tuple[Chosen, Solution]:
    """A draw with its plan: the one given, or, if that was nobody's wish and is impossible, another."""
    with searching(quiet=False) as progress:
        try:
            return chosen, solve_apart(chosen.track, chosen.start, chosen.goal, count, progress=progress)
        except UnsolvableError as error:
            if seeded:
                raise impossible(chosen, error) from error
        # The solver has left its table on the disk: here it is only read.
        other = draw_again(puzzle, chosen, count, progress)
        say(out, drawn_again(chosen))
        return other, solve_apart(other.track, other.start, other.goal, count, progress=progress)


def _calibrated(out: Console, chosen: Chosen, target: Target) -> Chosen:
    """The puzzle with what was measured of its locomotive; says so. Raises LayoutError for a damaged file."""
    track, used = calibrated(chosen.track, chosen.folder, target, seed=str(chosen.seed))
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


def _drivable(out: Console, chosen: Chosen, wiring: Wiring, solution: Solution, target: Target) -> tuple[Run, ...]:
    """The plan, or the best one around what the real lengths forbid, and why."""
    with searching(quiet=False) as progress:
        found = drivable(chosen, wiring, solution.runs, target, progress)
    for refusal in found.refused:
        say(out, f"Not driven: {refusal.where}: {refusal.what}.")
    if found.refused:
        say(out, f"Planned around it: {amount(len(found.runs), 'runs')}.")
    return found.runs


def ports(as_json: AsJson = False) -> None:
    """List the serial ports, and whether they can be used.

    Says who holds a port, or which group to join for the permission.
    """
    found = list_ports()
    if as_json:
        print_json({"ports": [_port_json(port) for port in found]})
        return
    show_ports(console(), found)


def show_ports(out: Console, found: Sequence[PortInfo]) -> None:
    """The ports as a table, with what is needed to use each."""
    if not found:
        out.print("No serial port found. Plug the station in; its cable must carry data, not only power.")
        return
    table = compact_table(out, "port", "what it is", "can it be used?")
    for port in found:
        table.add_row(port.path, "" if port.description == "n/a" else port.description, _usable(port))
    out.print(table)
    for port in found:
        if port.stable_path:
            whole_line(out, f"{port.path} keeps this name over replugging: {port.stable_path}")
    usable = [port.stable_path or port.path for port in found if _usable(port) == "yes"]
    for path in usable[:1]:
        whole_line(out, f"To play there: pointsman play inglenook --on serial:{path}")


def _usable(port: PortInfo) -> str:
    if port.holders:
        return f"held by {', '.join(str(holder) for holder in port.holders)}"
    if not port.permitted:
        return f"no permission: sudo usermod -a -G {port.group} $USER, then log out and in again"
    return "yes"


def check_options(target: Target, speed: float | None, yes: bool) -> None:
    """What can be wrong about options that only make sense together. Raises UsageError."""
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


def check_files(journal: Path | None, picture_file: Path | None) -> None:
    """What can be known before anything moves about the files that are to be written."""
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


def _carry_out(
    out: Console, request: PlayRequest, picture_file: Path | None, again: str
) -> tuple[PlayResult, PointsmanError | None]:
    """Play; the result, and why the picture could not be saved, if it could not. Raises what the play raises."""
    stoppers: list[Stopper] = []

    def gone(why: str) -> None:
        for stop in stoppers:
            stop(why, HaltedError.exit_code)

    screen = Screen(out, request.chosen, gone)
    try:
        result = play_on(request, screen.show, stoppers.append)
    except PointsmanError as error:
        screen.close()
        if not isinstance(error, JournalError):
            tell_stopped(out, request, again)
        _save(screen, picture_file)
        raise
    finally:
        screen.close()
    return result, _save(screen, picture_file)


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
    unseen = _unseen(request, result)
    seen = sorted(result.seen - {request.chosen.puzzle.locomotive})
    if unseen:
        say(out, f"Seen at a beam: {' '.join(seen) or 'no wagon'}. As set up, and not seen since: {' '.join(unseen)}.")
    whole_line(out, f"now    {result.position}")
    if truth is not None and truth.good:
        out.print("The simulated layout, asked afterwards, agrees; nothing was bumped, derailed or run through.")
    for incident in truth.incidents if truth is not None else ():
        out.print(incident, style="red")
    whole_line(out, f"Journal: {request.journal}")


def _unseen(request: PlayRequest, result: PlayResult) -> list[str]:
    """Wagons that no beam has seen: that they are there is a person's word."""
    return [wagon for wagon in request.chosen.puzzle.wagons if wagon not in result.seen]


def _as_json(request: PlayRequest, result: PlayResult) -> dict[str, Any]:
    truth = result.truth
    return {
        "puzzle": request.chosen.name,
        "seed": request.chosen.seed,
        "start": str(request.chosen.start),
        "goal": str(request.chosen.goal),
        "position": str(result.position),
        "confirmed": result.reached,
        "runs": result.score.runs,
        "raw_starts": result.score.raw_starts,
        "origin": str(result.score.origin),
        "seen": sorted(result.seen),
        "as_set_up": _unseen(request, result),
        "duration_s": round(result.duration_s, 1),
        "journal": str(request.journal),
        "truth": None if truth is None else truth.line,
        "truth_agrees": None if truth is None else truth.agrees and truth.reached,
        "incidents": None if truth is None else list(truth.incidents),
    }


def _port_json(port: PortInfo) -> dict[str, Any]:
    return {
        "port": port.path,
        "stable_path": port.stable_path,
        "description": port.description,
        "hardware_id": port.hardware_id,
        "permitted": port.permitted,
        "group": port.group,
        "holders": [{"pid": holder.pid, "program": holder.program} for holder in port.holders],
    }
