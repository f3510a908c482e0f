"""``play`` and ``ports``: a puzzle on a layout, and where a station may be plugged in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from pointsman.app import (
    HARDWARE_CAP_MM_S,
    On,
    PlayRequest,
    PlayResult,
    StoppedError,
    Stopper,
    Target,
    fresh_seed,
    journal_path,
    parse_target,
)
from pointsman.app import (
    play as play_on,
)
from pointsman.cli.output import AsJson, PuzzleName, Seed, print_json
from pointsman.cli.progress import searching
from pointsman.cli.puzzles import CountName, picture, show_cards
from pointsman.cli.screen import Screen
from pointsman.errors import HaltedError, UsageError
from pointsman.puzzle.choice import Chosen, choose
from pointsman.solver.apart import solve_apart
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.ports import PortInfo, list_ports

DEFAULT_SPEED = 1.0


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(play)
    app.command()(ports)


def play(
    puzzle: PuzzleName,
    seed: Seed = None,
    on: Annotated[str, typer.Option("--on", help="sim, serial:PORT or tcp:HOST[:PORT].")] = "sim",
    speed: Annotated[
        float | None, typer.Option(help="Simulated layout only: times real time (1 if not given; 0 = at once).")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Simulated layout only: do not ask.")] = False,
    facing: Annotated[
        End | None, typer.Option(help="Which end of its track the locomotive's front faces; asked if not given.")
    ] = None,
    hardware: Annotated[str | None, typer.Option(help="Wiring: a name in hardware/, or a path.")] = None,
    count: CountName = None,
    journal: Annotated[Path | None, typer.Option(help="Where to write the journal.")] = None,
    picture_file: Annotated[Path | None, typer.Option("--picture", help="Save the last picture as SVG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a puzzle, solve it, and carry it out on a layout, every step checked and its evidence awaited."""
    target = parse_target(on)
    _check_options(target, speed, yes, as_json)
    chosen = choose(puzzle, seed=seed or fresh_seed())
    wiring = load_wiring(find_wiring(chosen.folder, hardware), chosen.track)
    # With --json standard output is for the result alone; what a person reads goes to standard error.
    console = Console(stderr=as_json)
    counted = count or chosen.puzzle.count
    with searching(quiet=False) as progress:
        solution = solve_apart(chosen.track, chosen.start, chosen.goal, counted, progress=progress)
    facing = _set_up(console, chosen, target, facing, yes, f"{solution.optimum} {solution.count}")
    request = PlayRequest(
        chosen=chosen,
        runs=solution.runs,
        wiring=wiring,
        target=target,
        facing=facing,
        journal=journal or journal_path(chosen.name),
        speed=None if speed == 0 else (speed or DEFAULT_SPEED),
        count=str(counted),
    )
    result = _carry_out(console, request, picture_file)
    _tell(console, request, result, as_json)
    if result.truth is not None and not result.truth.good:
        raise HaltedError(
            "the simulated layout does not agree with what was believed", where=str(request.journal), cure="report it"
        )


def ports(as_json: AsJson = False) -> None:
    """List the serial ports, who holds them, and what is missing to use them."""
    found = list_ports()
    if as_json:
        print_json({"ports": [_port_json(port) for port in found]})
        return
    console = Console()
    if not found:
        console.print("No serial port found. Plug the station in; its cable must carry data, not only power.")
        return
    table = Table(box=box.SIMPLE_HEAD)
    for header in ("port", "what it is", "may it be used?"):
        table.add_column(header)
    for port in found:
        table.add_row(port.path, port.description, _usable(port))
    console.print(table)


def _usable(port: PortInfo) -> str:
    if port.holders:
        return f"held by {', '.join(str(holder) for holder in port.holders)}"
    if not port.permitted:
        return f"no permission: sudo usermod -a -G {port.group} $USER, then log out and in again"
    return "yes"


def _check_options(target: Target, speed: float | None, yes: bool, as_json: bool) -> None:
    real = target.on is not On.SIM
    if real and speed is not None:
        raise UsageError("--speed is for the simulated layout only", cure="leave it out: real trains keep real time")
    if real and yes:
        raise UsageError("--yes is for the simulated layout only", cure="look at the layout, then answer the question")
    if speed is not None and speed < 0:
        raise UsageError(f"--speed {speed} is not possible", cure="give 0 for at once, or a number above 0")
    if as_json and not (yes or sys.stdin.isatty()):
        raise UsageError("nobody can be asked whether the layout is set up", cure="add --yes (simulated layout only)")


def _set_up(console: Console, chosen: Chosen, target: Target, facing: End | None, yes: bool, fewest: str) -> End:
    """Show the set-up picture and wait for a person's yes; which way the locomotive faces."""
    console.print(f"[bold]{chosen.puzzle.title}[/]  (seed {chosen.seed})")
    show_cards(console, chosen)
    console.print(f"The fewest is {fewest}. Set up like this:")
    console.print(picture(console, chosen.track, chosen.start))
    engine = chosen.puzzle.locomotive
    mark = chosen.track.locomotives[engine].mark
    console.print(
        f"Wagons pushed up to the first beam; {engine} on its mark in {mark.element} "
        f"({mark.at_mm:.0f} mm from the 'from' end).",
        highlight=False,
    )
    if target.on is On.SIM:
        if not yes and sys.stdin.isatty():
            typer.confirm("Is the layout set up like this?", abort=True)
        return facing or End.TO
    console.print(
        f"[yellow]No relay in the track feed is known: nothing goes faster than {HARDWARE_CAP_MM_S:.0f} mm/s, "
        "and if this computer dies as a whole, only a hand on the power switch stops the train.[/]"
    )
    if not sys.stdin.isatty():
        raise UsageError("nobody can be asked whether the layout is set up", cure="run it in a terminal")
    if facing is None:
        facing = _ask_facing(engine, mark.element)
    typer.confirm("Is the layout set up like this, and is everybody clear of it?", abort=True)
    return facing


def _ask_facing(engine: str, segment: str) -> End:
    while True:
        answer = typer.prompt(f"Which end of {segment} does the front of {engine} face, 'to' or 'from'?")
        if answer.strip() in list(End):
            return End(answer.strip())


def _carry_out(console: Console, request: PlayRequest, picture_file: Path | None) -> PlayResult:
    stoppers: list[Stopper] = []

    def gone(why: str) -> None:
        for stop in stoppers:
            stop(why, HaltedError.exit_code)

    screen = Screen(console, request.chosen, gone)
    try:
        return play_on(request, screen.show, stoppers.append)
    except StoppedError as stopped:
        screen.close()
        console.print(f"[red]{stopped}[/]\nJournal: {request.journal}")
        raise typer.Exit(stopped.code) from stopped
    finally:
        screen.close()
        if picture_file is not None:
            screen.save_picture(picture_file)


def _tell(console: Console, request: PlayRequest, result: PlayResult, as_json: bool) -> None:
    truth = result.truth
    if as_json:
        print_json(
            {
                "puzzle": request.chosen.name,
                "seed": request.chosen.seed,
                "start": str(request.chosen.start),
                "goal": str(request.chosen.goal),
                "position": str(result.position),
                "confirmed": result.reached,
                "runs": result.score.runs,
                "raw_starts": result.score.raw_starts,
                "origin": str(result.score.origin),
                "duration_s": round(result.duration_s, 1),
                "journal": str(request.journal),
                "truth": None if truth is None else truth.line,
                "truth_agrees": None if truth is None else truth.agrees and truth.reached,
                "incidents": None if truth is None else list(truth.incidents),
            }
        )
        return
    console.print(
        f"[bold green]Done.[/] {result.score.runs} runs ({result.score.raw_starts} starts) in "
        f"{result.duration_s:.0f} s, every step confirmed: {result.position}",
        highlight=False,
    )
    if truth is not None and truth.good:
        console.print("The simulated layout, asked afterwards, agrees; nothing was bumped, derailed or run through.")
    for incident in truth.incidents if truth is not None else ():
        console.print(f"[red]{incident}[/]")
    console.print(f"Journal: {request.journal}", highlight=False)


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
