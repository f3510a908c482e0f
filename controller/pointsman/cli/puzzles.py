"""``solve``: the best plan for a draw; and how a task and a position are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from typing import Annotated, Any

import typer
from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from pointsman.cli.diagram import can_draw, render
from pointsman.cli.output import (
    AsJson,
    Cards,
    PuzzleName,
    Seed,
    amount,
    compact_table,
    console,
    print_json,
    say,
    whole_line,
)
from pointsman.cli.progress import searching
from pointsman.draws import draw_again, drawn, drawn_again, impossible
from pointsman.errors import UnsolvableError, UsageError
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.journey import describe
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.search import Solution
from pointsman.solver.search import solve as fewest
from pointsman.solver.steps import Step
from pointsman.track.model import Track

NARROWEST_MOVE = 24
"""Columns for a move, below which it reads better with the position on a line of its own."""

CountName = Annotated[Count | None, typer.Option("--count", help="What is counted; the puzzle's own if not given.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="solve")(solve)


def show_task(out: Console, chosen: Chosen) -> None:
    """What is asked: title and seed, the drawn wagons as cards, start and goal."""
    out.print(chosen.puzzle.title, style="bold")
    show_draw(out, chosen)


def show_draw(out: Console, chosen: Chosen) -> None:
    """The drawn wagons as cards, seed, start and goal."""
    lines = box.ROUNDED if can_draw(out) else box.ASCII
    if chosen.cards:
        out.print(Columns([Panel(f" {card} ", box=lines, expand=False) for card in chosen.cards], padding=(0, 0)))
    if chosen.seed is not None:
        whole_line(out, f"seed   {chosen.seed}")
    whole_line(out, f"start  {chosen.start}")
    whole_line(out, f"goal   {chosen.goal}")


def solve(
    puzzle: PuzzleName,
    seed: Seed = None,
    cards: Cards = None,
    start: Annotated[
        str | None, typer.Option(help="Another start than the puzzle's: 'head: L | s1: 1 2 3 | ...'.")
    ] = None,
    goal: Annotated[str | None, typer.Option(help="Another goal than the puzzle's: 's1: 3 1 2'.")] = None,
    count: Annotated[
        str | None,
        typer.Option(
            metavar="COUNT[,COUNT]",
            help=f"What is counted, and what breaks ties: {', '.join(Count)}; the puzzle's own if not given.",
        ),
    ] = None,
    budget: Annotated[float | None, typer.Option(help="Seconds that may be spent; then the best plan found.")] = None,
    memory: Annotated[float | None, typer.Option(help="Megabytes that may be taken; then the best plan found.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the plan with the fewest moves.

    The plan is proved to be the shortest; where there is none, that is proved.

    A position is written in one line: 'head: L 4 | s1: 6 2 | T1>closed: 3'. Each part is a track with its vehicles
    from its `from` end to its `to` end (in a siding the points' end comes first). T1>closed: 3 is vehicle 3
    standing on turnout T1, which lies for its closed leg.
    """
    own = start is not None or goal is not None
    for option, wished in (("--seed", seed), ("--cards", cards)):
        if wished is not None and own:
            why = f"{option} draws the goal, so it cannot be given with --start or --goal"
            raise UsageError(why, cure="leave one out")
    chosen, given = (choose(puzzle, start=start, goal=goal), True) if own else drawn(puzzle, seed, cards)
    missing = [wagon for wagon in chosen.goal.vehicles if wagon not in chosen.start.vehicles]
    if missing:
        raise UsageError(
            f"the start has no {' '.join(missing)}, which the goal '{chosen.goal}' names",
            where=f"--start '{start}'",
            cure="put every wagon of the goal in --start, or give another --goal",
        )
    counted, *ties = counts_of(count) if count is not None else [chosen.puzzle.count]
    for name, value in (("--budget", budget), ("--memory", memory)):
        if value is not None and not 0 < value < inf:
            raise UsageError(f"{name} {value} is not possible", cure="give a number above 0")
    out = console(stderr=as_json)
    with searching(quiet=as_json) as progress:
        best = partial(fewest, then=ties, progress=progress, budget_s=budget, memory_mb=memory)
        first = chosen
        try:
            if not as_json:
                show_task(out, chosen)
            solution = best(chosen.track, chosen.start, chosen.goal, counted)
        except UnsolvableError as error:
            if given:
                raise impossible(chosen, error) from error
            chosen = draw_again(puzzle, chosen, counted, progress)
            say(out, drawn_again(first))
            if not as_json:
                show_task(out, chosen)
            solution = best(chosen.track, chosen.start, chosen.goal, counted)
    if as_json:
        print_json({"puzzle": chosen.name, "seed": chosen.seed, **solution_json(solution)})
        return
    _print_solution(out, chosen, solution)


def counts_of(text: str) -> list[Count]:
    """``runs,couplings,seconds``: what is counted first, and what breaks ties. Raises UsageError."""
    found = []
    for name in text.split(","):
        if name.strip() not in list(Count):
            raise UsageError(
                f"{name.strip()!r} is nothing that is counted", where="--count", cure=f"choose from {', '.join(Count)}"
            )
        found.append(Count(name.strip()))
    if len(set(found)) < len(found):
        raise UsageError("a count is named twice", where=f"--count {text}", cure="name each once")
    return found


def solution_json(solution: Solution) -> dict[str, Any]:
    """A solution as JSON values."""
    return {
        "start": str(solution.start),
        "goal": str(solution.goal),
        "count": str(solution.count),
        "optimum": in_units(solution.count, solution.optimum),
        "proved": solution.proved,
        "bound": in_units(solution.count, solution.bound),
        "values": {str(count): in_units(count, value) for count, value in solution.values},
        "holds": solution.holds,
        "positions": solution.positions,
        "plan": [{"move": str(step), "position": str(step.after)} for step in solution.plan],
    }


def in_units(count: Count, value: int) -> float:
    """A value in the unit that the count is named after: seconds are kept in milliseconds."""
    return value / 1000 if count is Count.SECONDS else value


def _print_solution(out: Console, chosen: Chosen, solution: Solution) -> None:
    bound = solution.count.shown(solution.bound)
    if solution.proved:
        proof = "proved the least"
    elif bound != solution.count.shown(0):
        proof = f"proved only: not below {bound}"
    else:
        proof = "not proved to be the least"
    out.print(
        Text.assemble(
            (solution.count.shown(solution.optimum), "bold"),
            f"{_ties(solution)}, {proof}. {solution.positions:,} positions were looked at; "
            f"a turnout holds {amount(solution.holds, 'vehicles')}.",
        )
    )
    if solution.plan:
        out.print(_plan_table(out, chosen.track, solution.plan))
        out.print()
    last = solution.plan[-1].after if solution.plan else solution.start
    out.print(picture(out, chosen.track, last))


def _ties(solution: Solution) -> str:
    """The counts that broke ties, each with its value."""
    others = [count.shown(value) for count, value in solution.values if count in solution.then]
    return f" ({', '.join(others)})" if others else ""


def _plan_table(out: Console, track: Track, plan: Sequence[Step]) -> Table:
    """The moves, and what stands where after each: a column for each segment when they fit, else a line below."""
    rows = [(told(track, step), _cells(track, step.after)) for step in plan]
    columns = [*track.segments, "points"]
    width = sum(max(len(text) for text in (name, *found)) + 3 for name, *found in _columns(columns, rows))
    side_by_side = out.width - width >= len(str(len(plan))) + 3 + NARROWEST_MOVE
    table = compact_table(out, "", "move")
    table.columns[0].justify = "right"
    for name in columns if side_by_side else ():
        table.add_column(name, no_wrap=True)
    for number, (step, (move, cells)) in enumerate(zip(plan, rows, strict=True), 1):
        if side_by_side:
            table.add_row(str(number), move, *cells)
        else:
            table.add_row(str(number), Text.assemble(move, "\n", (str(step.after), "dim")))
    return table


def _columns(names: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> Iterator[tuple[str, ...]]:
    yield from zip(names, *(cells for _, cells in rows), strict=True)


def _cells(track: Track, position: Position) -> list[str]:
    on = [f"{name} {found[0]}" for name in track.turnouts if (found := position.on_turnout(name))]
    return [" ".join(position.in_segment(name)) for name in track.segments] + [" ".join(on)]


def told(track: Track, step: Step) -> str:
    """A counted move in a sentence: a pull or drop as such, a run with who goes where."""
    return describe(track, step.runs[0]) if len(step.runs) == 1 else str(step)


def picture(out: Console, track: Track, position: Position) -> Text:
    """A position drawn."""
    return render(track, occupants(track, position), width=min(out.width, 100), unicode=can_draw(out))


def occupants(track: Track, position: Position) -> dict[str, tuple[str, ...]]:
    """The vehicles in every segment and on every turnout, from -> to."""
    found = {name: position.in_segment(name) for name in track.segments}
    for name in track.turnouts:
        on = position.on_turnout(name)
        if on is not None:
            found[name] = (on[0],)
    return found
