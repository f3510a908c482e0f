"""A seed that nobody chose, which draws of a puzzle can be solved, and another in place of one that cannot be."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pointsman.errors import BudgetSpentError, UnsolvableError
from pointsman.puzzle.choice import Chosen, choose, wagons_in
from pointsman.puzzle.deal import deal
from pointsman.puzzle.puzzle import Count, Puzzle
from pointsman.solver.budget import Budget
from pointsman.solver.challenges import one_table
from pointsman.solver.search import Solution, solve
from pointsman.solver.table import Report, Table, table_for
from pointsman.track.model import Track

CHEAP_POSITIONS = 3_000_000
"""Tables up to this size are made in a few seconds, without being asked for."""
CHEAP_S = 10.0
"""Whatever takes longer than this is not done without being asked for."""
TRIES = 20
"""Draws that are searched one by one, where they share no table, before giving up."""


@dataclass(frozen=True, slots=True)
class Draws:
    """How many draws of a puzzle can be solved, of how many there are; each is as likely as any other."""

    possible: int
    total: int

    @classmethod
    def of(cls, table: Table, puzzle: Puzzle) -> Draws:
        """Counted in a table for the puzzle's kind of goal."""
        row = table.draws(puzzle.start)
        return cls(int(np.count_nonzero(row != table.far)), len(row))

    def __str__(self) -> str:
        if self.total == 1:
            return "can be solved" if self.possible else "cannot be solved"
        if self.possible == self.total:
            return f"all {self.total:,} draws can be solved"
        return f"{self.possible or 'none':,} of {self.total:,} draws can be solved"


def fresh_seed() -> str:
    """A seed that nobody chose, short enough to read out."""
    return str(secrets.randbelow(1_000_000))


def drawn(text: str, seed: str | None, cards: str | None) -> tuple[Chosen, bool]:
    """A draw by its seed or by its wagons, else one that nobody chose; and whether it was given.

    ``text`` names the puzzle; ``cards`` are wagons as ``choice.wagons_in`` takes them, in the order of ``deal.places``.
    Raises UsageError, LayoutError.
    """
    given = seed is not None or cards is not None
    wagons = None if cards is None else wagons_in(cards)
    return choose(text, seed=seed if given else fresh_seed(), cards=wagons), given


def cheap_table(puzzle: Puzzle, progress: Report) -> Table | None:
    """The table that knows every draw of a puzzle; None when it would take long to make, or when there is no such."""
    if not one_table(puzzle) or not solvable_here(puzzle.track):
        return None
    try:
        return table_for(
            puzzle.track,
            puzzle.start,
            puzzle.goal,
            Count.RUNS,
            progress=progress,
            budget=Budget.of(CHEAP_POSITIONS, CHEAP_S, None),
        )
    except BudgetSpentError:
        return None


def can_be_solved(puzzle: Puzzle, progress: Report) -> bool | None:
    """Whether one draw can be solved; None when that would take long to say."""
    if not solvable_here(puzzle.track):
        return None
    try:
        solve(puzzle.track, puzzle.start, puzzle.goal, Count.RUNS, progress=progress, budget=CHEAP_POSITIONS)
    except UnsolvableError:
        return False
    except BudgetSpentError:
        return None
    return True


def solvable_here(track: Track) -> bool:
    """Whether the solver takes this track: so far it knows only turnouts that hold one vehicle."""
    return all(turnout.holds == 1 for turnout in track.turnouts.values())


def draw_again(text: str, chosen: Chosen, count: Count, progress: Report) -> Chosen:
    """A draw that can be solved, in place of one that cannot be; ``text`` names the puzzle.

    Raises UnsolvableError when no draw can be, or none was found.
    """
    base = choose(text).puzzle
    table = table_for(chosen.track, chosen.start, chosen.goal, count, progress=progress)
    if one_table(base):
        draws = Draws.of(table, chosen.puzzle)
        if not draws.possible:
            raise _none(chosen, f"proved impossible: none of its {draws.total:,} draws can be solved")
        while True:
            draw = deal(base, fresh_seed())
            if table.distance_of(draw.puzzle.start, draw.puzzle.goal) is not None:
                return choose(text, seed=draw.seed)
    for _ in range(TRIES):
        draw = deal(base, fresh_seed())
        table = table_for(base.track, draw.puzzle.start, draw.puzzle.goal, count, progress=progress)
        if table.distance_of(draw.puzzle.start, draw.puzzle.goal) is not None:
            return choose(text, seed=draw.seed)
    raise _none(chosen, f"proved impossible: this draw, and {TRIES} others")


def solved(
    text: str, chosen: Chosen, count: Count, progress: Report, *, seeded: bool, by: Callable[..., Solution] = solve
) -> tuple[Chosen, Solution]:
    """A draw with its plan: the one given, or, if that was nobody's wish and is impossible, another.

    ``by`` is ``search.solve``, or takes what it takes. Raises UnsolvableError.
    """
    try:
        return chosen, by(chosen.track, chosen.start, chosen.goal, count, progress=progress)
    except UnsolvableError as error:
        if seeded:
            raise impossible(chosen, error) from error
    # The solver has left its table on the disk: here it is only read.
    other = draw_again(text, chosen, count, progress)
    return other, by(other.track, other.start, other.goal, count, progress=progress)


def _none(chosen: Chosen, what: str) -> UnsolvableError:
    return UnsolvableError(
        what,
        where=chosen.name,
        cure="give the layout more room (a longer headshunt or siding), or let the puzzle ask for less",
    )


def drawn_again(chosen: Chosen) -> str:
    """What a person is told when an impossible draw was replaced."""
    return f"Seed {chosen.seed} ({_cards(chosen)}) cannot be solved, which is proved: drawn again."


def impossible(chosen: Chosen, error: UnsolvableError) -> UnsolvableError:
    """A proof that there is no way, with what was drawn or asked for."""
    if chosen.seed is None and chosen.cards:
        return UnsolvableError(
            error.what,
            where=f"{chosen.name}, {_cards(chosen)}",
            cure="draw again: give other --cards, or none at all",
        )
    if chosen.seed is None:
        return UnsolvableError(error.what, where=f"from '{chosen.start}'", cure="change the start or the goal")
    return UnsolvableError(
        error.what,
        where=f"{chosen.name}, seed {chosen.seed}, {_cards(chosen)}",
        cure="draw again: give another --seed, or none at all",
    )


def _cards(chosen: Chosen) -> str:
    return f"cards {' '.join(chosen.cards)}" if chosen.cards else f"goal '{chosen.goal}'"
