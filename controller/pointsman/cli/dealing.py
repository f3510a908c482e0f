"""``deal``: draws as cards, of a wished level or par; ``challenges``: forty graded tasks."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from pointsman.cli.output import AsJson, Cards, PuzzleName, Seed, compact_table, console, print_json, say, whole_line
from pointsman.cli.progress import searching
from pointsman.cli.puzzles import CountName, show_task
from pointsman.draws import can_be_solved, draw_again, drawn, drawn_again, fresh_seed
from pointsman.errors import UsageError
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.puzzle import Count
from pointsman.solver.budget import Budget
from pointsman.solver.challenges import Challenge, GradedDraw, Wish, check_draws, draw_for, scale_of_draws
from pointsman.solver.challenges import challenges as forty
from pointsman.solver.grade import RANKS, Grader, check_gradable, gradable, second_rank_up_to
from pointsman.solver.table import table_for


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(deal)
    app.command()(challenges)


def deal(
    puzzle: PuzzleName,
    seed: Seed = None,
    cards: Cards = None,
    level: Annotated[int | None, typer.Option(min=1, max=4, help="How hard: 1 is the easiest quarter.")] = None,
    least: Annotated[int | None, typer.Option("--min", min=0, help="The least par.")] = None,
    most: Annotated[int | None, typer.Option("--max", min=0, help="The greatest par.")] = None,
    count: CountName = None,
    as_json: AsJson = False,
) -> None:
    """Draw the wagons, and print the cards.

    They are drawn as tokens from a mug: every order is as likely as any other. The same seed draws the same cards.
    Where that is quickly known, a draw that cannot be solved is drawn again, or, with --seed or --cards, it is said.

    With --level, --min, --max or --count the draw can be solved and is as wished; its par and level are told. For that
    it may be drawn again; the seed that is told draws the same without any wish.
    """
    wish = Wish(level, least, most)
    wished = bool(str(wish)) or count is not None
    if wished and cards is not None:
        why = "--cards is one certain draw, so it cannot be given with --level, --min, --max or --count"
        raise UsageError(why, cure="leave one out")
    if wished:
        _deal_graded(choose(puzzle), seed if seed is not None else fresh_seed(), wish, count, as_json)
        return
    chosen, given = drawn(puzzle, seed, cards)
    first = chosen
    with searching(quiet=as_json) as progress:
        solvable = can_be_solved(chosen.puzzle, progress)
        if solvable is False and not given:
            chosen, solvable = draw_again(puzzle, chosen, Count.RUNS, progress), True
    if as_json:
        print_json({**_draw_json(chosen), "solvable": solvable})
        return
    out = console()
    if chosen is not first:
        say(out, drawn_again(first))
    show_task(out, chosen)
    if solvable is False:
        say(out, "This draw cannot be solved, which is proved.", "yellow")


def _deal_graded(chosen: Chosen, seed: str, wish: Wish, count: Count | None, as_json: bool) -> None:
    counted = _counted(chosen, count)
    found = _draw(chosen, seed, wish, counted, quiet=as_json)
    graded_draw = replace(chosen, puzzle=found.draw.puzzle, seed=found.draw.seed, cards=found.draw.cards)
    if as_json:
        graded = {"count": str(counted), "par": found.grade.par, "level": found.level, "draws": found.number}
        print_json({**_draw_json(graded_draw), "solvable": True, **graded})
        return
    out = console()
    show_task(out, graded_draw)
    whole_line(out, f"par    {counted.shown(found.grade.par)}, level {found.level} of 4")


def _draw_json(chosen: Chosen) -> dict[str, Any]:
    return {
        "puzzle": chosen.name,
        "seed": chosen.seed,
        "cards": list(chosen.cards),
        "start": str(chosen.start),
        "goal": str(chosen.goal),
    }


def _counted(chosen: Chosen, count: Count | None) -> Count:
    """The count that tasks are graded by: the one named, or the puzzle's own if it can be, or runs."""
    if count is None:
        return gradable(chosen.puzzle.count)
    check_gradable(count)
    return count


def _draw(chosen: Chosen, seed: str, wish: Wish, count: Count, *, quiet: bool) -> GradedDraw:
    if wish.least is not None and wish.most is not None and wish.least > wish.most:
        raise UsageError(f"--min {wish.least} is more than --max {wish.most}", cure="exchange them")
    check_draws(chosen.puzzle)
    with searching(quiet=quiet) as progress:
        table = table_for(chosen.track, chosen.start, chosen.goal, count, progress=progress, budget=Budget())
    grader = Grader(table)
    return draw_for(chosen.puzzle, seed, wish, table, grader, scale_of_draws(chosen.puzzle, table, grader))


def challenges(
    layout: Annotated[
        str,
        typer.Argument(metavar="LAYOUT", help="layout[/puzzle]: the puzzle says what is asked, classic if not named."),
    ],
    seed: Seed = None,
    count: CountName = None,
    as_json: AsJson = False,
) -> None:
    """Print 40 graded challenges in four levels.

    Each with its par and ranks. Every one can be solved, and none is like another. The same seed gives the same
    challenges.
    """
    chosen = choose(layout)
    counted = _counted(chosen, count)
    seed = seed if seed is not None else fresh_seed()
    with searching(quiet=as_json) as progress:
        table = table_for(chosen.track, chosen.start, chosen.goal, counted, progress=progress)
    found = forty(chosen.puzzle, seed, table)
    if as_json:
        values = [_challenge_json(challenge, counted) for challenge in found]
        print_json({"puzzle": chosen.name, "seed": seed, "count": str(counted), "challenges": values})
        return
    out = console()
    out.print(chosen.track.title, style="bold")
    whole_line(out, f"seed   {seed}")
    out.print(
        f"{RANKS[0]} for the par, {RANKS[1]} up to the number behind it, {RANKS[2]} for more. Counted in {counted}."
    )
    rows = compact_table(out, "", "level", "par", "up to", "from", "to")
    for column in rows.columns[:4]:
        column.justify = "right"
    for number, one in enumerate(found, 1):
        par = one.grade.par
        rows.add_row(
            str(number), str(one.level), str(par), str(second_rank_up_to(par)), _occupied(one), str(one.goal)
        )  # fmt: skip
    out.print(rows)


def _occupied(challenge: Challenge) -> str:
    """The start without its empty segments."""
    return " | ".join(f"{name}: {' '.join(inside)}" for name, inside in challenge.start.segments if inside)


def _challenge_json(challenge: Challenge, count: Count) -> dict[str, Any]:
    grade = challenge.grade
    return {
        "start": str(challenge.start),
        "goal": str(challenge.goal),
        "level": challenge.level,
        "par": grade.par,
        "count": str(count),
        "plans": grade.plans,
        "dead_ends": grade.dead_ends,
        "difficulty": grade.difficulty,
        "ranks": {RANKS[0]: grade.par, RANKS[1]: second_rank_up_to(grade.par), RANKS[2]: None},
    }
