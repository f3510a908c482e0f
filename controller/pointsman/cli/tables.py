"""``table``: how far every position of a puzzle is from its goal; ``hint``: the next move from any position."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from pointsman.cli.chart import bar_chart
from pointsman.cli.output import (
    AsJson,
    Cards,
    PuzzleName,
    amount,
    compact_table,
    console,
    print_json,
    whole_line,
)
from pointsman.cli.progress import searching
from pointsman.cli.puzzles import CountName, picture, told
from pointsman.draws import drawn
from pointsman.errors import UsageError
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.moves import why_impossible
from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.challenges import check_draws, task_of
from pointsman.solver.grade import gradable
from pointsman.solver.hint import Hint, Hints
from pointsman.solver.shapes import shape_of
from pointsman.solver.table import Table, table_for

MOST_SHOWN = 10
"""Hardest draws that are named; of more only the number is told."""

BAR = 40


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(table)
    app.command()(hint)


@dataclass(frozen=True, slots=True)
class Survey:
    """A table in numbers: ``histogram`` and ``hardest`` are of the draws that have a solution."""

    positions: int
    solvable: int
    most: int | None
    draws: int
    histogram: tuple[tuple[int, int], ...]
    hardest: tuple[str, ...]
    hardest_number: int

    @property
    def solvable_draws(self) -> int:
        """Draws that have a solution."""
        return sum(many for _, many in self.histogram)

    @property
    def mean(self) -> Fraction | None:
        """The mean over the draws that have a solution."""
        number = self.solvable_draws
        return Fraction(sum(value * many for value, many in self.histogram), number) if number else None


def survey(chosen: Chosen, found: Table) -> Survey:
    """What a puzzle's table says."""
    known = found.distance[found.distance != found.far]
    draws = found.draws(chosen.start)
    values, numbers = np.unique(draws[draws != found.far], return_counts=True)
    shape = shape_of(chosen.start, chosen.puzzle.locomotive)[0]
    ranks = np.flatnonzero(draws == values[-1]) if len(values) else values
    named = any(vehicle in chosen.puzzle.wagons for vehicle in chosen.goal.vehicles)
    tasks = [task_of(chosen.puzzle, shape, row) for row in found.arrangements.rows[ranks[:MOST_SHOWN]].tolist()]
    return Survey(
        positions=found.distance.size,
        solvable=len(known),
        most=int(known.max()) if len(known) else None,
        draws=len(draws),
        histogram=tuple(zip(values.tolist(), numbers.tolist(), strict=True)),
        hardest=tuple(str(goal if named else start) for start, goal in tasks),
        hardest_number=len(ranks),
    )


def table(
    puzzle: PuzzleName,
    count: CountName = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the draws' histogram into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Tell how hard all draws of a puzzle are.

    The distance of every position from the goal is known: how many there are, the greatest, and those of the draws.
    """
    chosen = choose(puzzle)
    counted = count or chosen.puzzle.count
    if counted is Count.SECONDS:
        raise UsageError(
            "there is no table of seconds: they depend on how the turnouts lie, not on the position alone",
            cure="use --count runs, reversals, couplings or pull-drops",
        )
    check_draws(chosen.puzzle)
    with searching(quiet=as_json) as progress:
        found = table_for(chosen.track, chosen.start, chosen.goal, counted, progress=progress)
    result = survey(chosen, found)
    if svg is not None:
        _write(svg, bar_chart(f"Draws of {chosen.name} by {counted}", result.histogram, str(counted), "draws"))
    if as_json:
        print_json({"puzzle": chosen.name, **_survey_json(result, counted)})
        return
    _print_survey(console(), chosen, result, counted)


def _survey_json(result: Survey, count: Count) -> dict[str, Any]:
    return {
        "count": str(count),
        "positions": result.positions,
        "solvable": result.solvable,
        "max": result.most,
        "starts": {
            "n": result.draws,
            "solvable": result.solvable_draws,
            "mean": None if result.mean is None else float(result.mean),
            "max": result.histogram[-1][0] if result.histogram else None,
            "histogram": {str(value): many for value, many in result.histogram},
            "hardest": list(result.hardest),
        },
    }


def _print_survey(out: Console, chosen: Chosen, result: Survey, count: Count) -> None:
    out.print(chosen.puzzle.title, style="bold")
    whole_line(out, f"start  {chosen.start}")
    whole_line(out, f"goal   {chosen.goal}, as drawn")
    share = "all" if result.solvable == result.positions else f"{result.solvable:,}"
    out.print(f"{result.positions:,} positions; {share} have a way to the goal", end="")
    out.print("." if result.most is None else f", of at most {count.shown(result.most)}.")
    if result.mean is None:
        out.print(f"None of {amount(result.draws, 'draws')} has a solution.")
        return
    draws = f"{result.draws:,} draws" + (
        "" if result.solvable_draws == result.draws else f", {result.solvable_draws:,} of them with a solution"
    )
    out.print(f"{draws}: {float(result.mean):.4f} {count} in the mean.\n")
    rows = compact_table(out, str(count), "draws", "")
    rows.columns[0].justify = rows.columns[1].justify = "right"
    most = max(many for _, many in result.histogram)
    for value, many in result.histogram:
        rows.add_row(str(value), f"{many:,}", "#" * -(-BAR * many // most))
    out.print(rows)
    out.print(f"\nThe hardest, {amount(result.hardest_number, 'draws')}:")
    for draw in result.hardest:
        whole_line(out, f"  {draw}")
    if result.hardest_number > len(result.hardest):
        out.print("  ...")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot be written: {error.strerror}", where=str(path), cure="name a file in a folder of yours"
        ) from error


def hint(
    puzzle: PuzzleName,
    position: Annotated[str, typer.Option(help="Where everything stands: 'head: L 3 | s1: 1 2 | ...'.")],
    seed: Annotated[str | None, typer.Option("--seed", help="The seed whose draw is being played.")] = None,
    cards: Cards = None,
    goal: Annotated[str | None, typer.Option(help="Another goal than the puzzle's: 's1: 3 1 2'.")] = None,
    count: CountName = None,
    as_json: AsJson = False,
) -> None:
    """Tell the best next move from any position.

    And how many moves are still to come. Without --seed, --cards or --goal the goal is the one in the puzzle's file.
    """
    for name, value in (("--seed", seed), ("--cards", cards)):
        if value is not None and goal is not None:
            raise UsageError(f"{name} draws the goal, so it cannot be given with --goal", cure="leave one out")
    chosen = choose(puzzle, goal=goal) if seed is None and cards is None else drawn(puzzle, seed, cards)[0]
    here = parse_position(position, chosen.track, chosen.start.vehicles)
    reason = why_impossible(chosen.track, here, chosen.puzzle.locomotive)
    if reason:
        raise UsageError(reason, where=str(here), cure="put it in a segment, or beside the locomotive's train")
    counted = count or gradable(chosen.puzzle.count)
    with searching(quiet=as_json) as progress:
        hints = Hints.load(chosen.track, here, chosen.goal, counted, progress=progress)
    found = hints.hint(here)
    if as_json:
        print_json(
            {
                "puzzle": chosen.name,
                "seed": chosen.seed,
                "position": str(here),
                "goal": str(chosen.goal),
                "count": str(counted),
                "distance": found.distance,
                "move": None if found.step is None else str(found.step),
                "after": None if found.step is None else str(found.step.after),
            }
        )
        return
    _print_hint(console(), chosen, found, counted)


def _print_hint(out: Console, chosen: Chosen, found: Hint, count: Count) -> None:
    whole_line(out, f"goal   {chosen.goal}")
    if found.step is None:
        out.print("The goal is reached.")
        return
    out.print(f"{count.shown(found.distance)} to go. Next:")
    whole_line(out, f"  {told(chosen.track, found.step)}", "bold")
    whole_line(out, f"then   {found.step.after}")
    out.print(picture(out, chosen.track, found.step.after))
