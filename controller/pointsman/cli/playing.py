"""``play``: a puzzle on a layout."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pointsman.app import journal_path
from pointsman.beforehand import check_there, wired
from pointsman.cli.aftermath import repeat_command
from pointsman.cli.driving import DEFAULT_SPEED, Manner, Targets, carry_out, check_files, check_hands, check_options
from pointsman.cli.output import AsJson, Cards, PuzzleName, Seed, console, say
from pointsman.cli.progress import searching
from pointsman.cli.putting_right import drivable_runs, with_measured
from pointsman.cli.puzzles import CountName
from pointsman.cli.setting_up import set_up
from pointsman.draws import drawn, drawn_again, solved
from pointsman.links import parse_target
from pointsman.playing import PlayRequest
from pointsman.puzzle.choice import Chosen
from pointsman.puzzle.puzzle import Count
from pointsman.solver.apart import solve_apart
from pointsman.solver.search import Solution
from pointsman.track.model import End


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)


def play(
    puzzle: PuzzleName,
    seed: Seed = None,
    cards: Cards = None,
    on: Targets = None,
    speed: Annotated[
        float | None, typer.Option(help="Simulated layout only: times real time (1 if not given; 0 = at once).")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Simulated layout only: do not ask.")] = False,
    facing: Annotated[
        End | None,
        typer.Option(
            help="Where the locomotive's front points: to the `from` or the `to` end of its track; in a headshunt "
            "`to` is the points, `from` the buffer stop. On direct current, where it runs when driven forward: the "
            "rails' wires decide. Asked if not given."
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
    chosen, given = drawn(puzzle, seed, cards)
    wiring, target = wired(chosen.folder, chosen.track, hardware, target)
    check_there(target)
    check_hands(wiring, as_json, yes)
    # With --json standard output is for the result alone; what a person reads goes to standard error.
    out = console(stderr=as_json)
    counted = count or chosen.puzzle.count
    chosen, solution = _solved(out, puzzle, chosen, counted, seeded=given)
    least = counted.shown(solution.optimum) + (", and in no less" if solution.proved else "")
    chosen = with_measured(out, chosen, wiring, target)
    runs = drivable_runs(out, chosen, wiring, solution, target)
    facing = set_up(out, chosen, wiring, target, facing, yes, least)
    request = PlayRequest(
        chosen=chosen,
        runs=runs,
        wiring=wiring,
        target=target,
        facing=facing,
        journal=journal or journal_path(chosen.name),
        speed=None if speed == 0 else (speed or DEFAULT_SPEED),
        count=str(counted),
        hardware=_whole(hardware),
    )
    carry_out(out, request, Manner(yes, as_json, picture_file, repeat_command(puzzle, request, hardware)))


def _whole(hardware: str | None) -> str:
    """How a wiring was named, so that it is found from any folder."""
    path = Path(hardware or "")
    return str(path.resolve()) if path.suffix == ".toml" or len(path.parts) > 1 else hardware or ""


def _solved(out: Console, puzzle: str, chosen: Chosen, count: Count, *, seeded: bool) -> tuple[Chosen, Solution]:
    """A draw with its plan: the one given, or, if that was nobody's wish and is impossible, another."""
    with searching(quiet=False) as progress:
        found, solution = solved(puzzle, chosen, count, progress, seeded=seeded, by=solve_apart)
    if found is not chosen:
        say(out, drawn_again(chosen))
    return found, solution
