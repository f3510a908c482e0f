"""The fewest moves, whatever the round calls a move, under a cap of time."""

from __future__ import annotations

from fractions import Fraction

from pointsman.compete.marks import Marks, Measure
from pointsman.compete.scoring.scheme import Scheme, Taken, Terms, least_amount, scored
from pointsman.compete.scoring.score import Key, Score, unit_of


def attempt(marks: Marks, terms: Terms) -> Score | None:
    """How many moves; with as many, the shorter time is better. Over the time limit it did not finish."""

    def rule(taken: Taken) -> tuple[Fraction, Key]:
        return taken.amount(terms.measure), (taken.figure(Measure.TIME),)

    return scored(marks, terms, unit_of(terms.measure), rule)


LEAST_MOVES = Scheme(
    name="least-moves",
    title="Fewest moves under a time limit",
    source="The convention of New Zealand's clubs, as reported; gdlines.org plays `Least Moves` with runs. "
    "The tie-break by time is ours.",
    attempt=attempt,
    uses=lambda terms: frozenset({terms.measure, Measure.TIME}),
    needs_limit=True,
    best=lambda terms, par: least_amount(terms.measure, par),
)
