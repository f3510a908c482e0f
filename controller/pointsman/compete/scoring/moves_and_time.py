"""Moves and time together, couplings counted: as at meets of the NMRA."""

from __future__ import annotations

from fractions import Fraction

from pointsman.compete.marks import Marks, Measure
from pointsman.compete.scoring.scheme import Scheme, Taken, Terms, scored
from pointsman.compete.scoring.score import POINTS, Key, Score

MOVE_S = 10
"""How many seconds weigh as much as one move."""


def attempt(marks: Marks, terms: Terms) -> Score | None:
    """A point for each coupling, uncoupling and run, and one for every 10 s; on a tie the fewer moves are better."""
    return scored(marks, terms, POINTS, _rule)


def _rule(taken: Taken) -> tuple[Fraction, Key]:
    moves = taken.amount(Measure.COUPLING_RUNS)
    return moves + taken.amount(Measure.TIME) / MOVE_S, (moves,)


MOVES_AND_TIME = Scheme(
    name="moves-and-time",
    title="Moves and time, couplings counted",
    source="Meets of the NMRA, as reported: moves and/or time, and couplings count. That 10 s weigh as much as a "
    "move, and the tie-break, are ours.",
    attempt=attempt,
    uses=lambda _: frozenset({Measure.COUPLING_RUNS, Measure.TIME}),
)
