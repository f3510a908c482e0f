"""``deal`` and ``solve``: a draw as cards, and the best plan for it."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from pointsman.app import fresh_seed
from pointsman.cli.diagram import can_draw, render
from pointsman.cli.output import AsJson, PuzzleName, Seed, print_json
from pointsman.cli.progress import searching
from pointsman.errors import UsageError
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.journey import describe
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.search import Solution
from pointsman.solver.search import solve as best
from pointsman.solver.steps import Step
from pointsman.track.model import Track

CountName = Annotated[Count | None, typer.Option("--count", help="What is counted; the puzzle's own if not given.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(deal)
    app.command(name="solve")(solve)


def deal(puzzle: PuzzleName, seed: Seed = None, as_json: AsJson = False) -> None:
    """Draw the wagons of the train, as tokens from a mug, and print the cards."""
    chosen = choose(puzzle, seed=seed or fresh_seed())
    if as_json:
        print_json(
            {
                "puzzle": chosen.name,
                "seed": chosen.seed,
                "cards": list(chosen.cards),
                "start": str(chosen.start),
                "goal": str(chosen.goal),
            }
        )
        return
    console = Console()
    console.print(f"[bold]{chosen.puzzle.title}[/]  (seed {chosen.seed})")
    show_cards(console, chosen)
    console.print(f"start  {chosen.start}\ngoal   {chosen.goal}", markup=False, highlight=False)


def show_cards(console: Console, chosen: Chosen) -> None:
    """The drawn wagons as cards, first from the points first."""
    cards = [
        Panel(f" {card} ", box=box.ROUNDED if can_draw(console) else box.ASCII, expand=False) for card in chosen.cards
    ]
    console.print(Columns(cards, padding=(0, 0)))


def solve(
    puzzle: PuzzleName,
    seed: Seed = None,
    start: Annotated[str | None, typer.Option(help="A position: 'head: L | s1: 1 2 3 | ...'.")] = None,
    goal: Annotated[str | None, typer.Option(help="A goal: 's1: 3 1 2'.")] = None,
    count: CountName = None,
    as_json: AsJson = False,
) -> None:
    """Find the plan with the fewest moves, proved; or prove that there is none."""
    if seed is not None and (start is not None or goal is not None):
        raise UsageError("--seed draws the goal, so it cannot be given with --start or --goal", cure="leave one out")
    if seed is None and start is None and goal is None:
        seed = fresh_seed()
    chosen = choose(puzzle, seed=seed, start=start, goal=goal)
    counted = count or chosen.puzzle.count
    with searching(quiet=as_json) as progress:
        solution = best(chosen.track, chosen.start, chosen.goal, counted, progress=progress)
    if as_json:
        print_json({"puzzle": chosen.name, "seed": chosen.seed, **solution_json(solution)})
        return
    _print_solution(Console(), chosen, solution)


def solution_json(solution: Solution) -> dict[str, Any]:
    """A solution as JSON values."""
    return {
        "start": str(solution.start),
        "goal": str(solution.goal),
        "count": str(solution.count),
        "optimum": solution.optimum,
        "proved": solution.proved,
        "holds": solution.holds,
        "positions": solution.positions,
        "plan": [{"move": str(step), "position": str(step.after)} for step in solution.plan],
    }


def _print_solution(console: Console, chosen: Chosen, solution: Solution) -> None:
    if chosen.seed is not None:
        show_cards(console, chosen)
    console.print(
        f"[bold]{solution.optimum} {solution.count}[/], "
        f"{'proved the fewest' if solution.proved else 'not proved'} "
        f"(exact for turnouts that hold {solution.holds}; {solution.positions:,} positions looked at)"
    )
    table = Table(box=box.SIMPLE_HEAD if can_draw(console) else box.ASCII)
    table.add_column("", justify="right")
    table.add_column("move")
    table.add_column("then")
    for number, step in enumerate(solution.plan, 1):
        table.add_row(str(number), told(chosen.track, step), str(step.after))
    console.print(table)
    last = solution.plan[-1].after if solution.plan else solution.start
    console.print(picture(console, chosen.track, last))


def told(track: Track, step: Step) -> str:
    """A counted move in a sentence: a pull or drop as such, a run with who goes where."""
    return describe(track, step.runs[0]) if len(step.runs) == 1 else str(step)


def picture(console: Console, track: Track, position: Position) -> Any:
    """A position drawn."""
    return render(track, occupants(track, position), width=min(console.width, 100), unicode=can_draw(console))


def occupants(track: Track, position: Position) -> dict[str, tuple[str, ...]]:
    """The vehicles in every segment and on every turnout, from -> to."""
    found = {name: position.in_segment(name) for name in track.segments}
    for name in track.turnouts:
        on = position.on_turnout(name)
        if on is not None:
            found[name] = (on[0],)
    return found
