"""Points left in hand, added up over the rounds, as in the domino game Mexican Train."""

from __future__ import annotations

from fractions import Fraction

from pointsman.compete.marks import Marks, Outcome
from pointsman.compete.scoring.scheme import Scheme, Taken, Terms, scored
from pointsman.compete.scoring.score import POINTS, Key, Score

MOST = 120
"""What a round costs somebody who could not start; nothing costs more."""


def attempt(marks: Marks, terms: Terms) -> Score | None:
    """A point for each move over par, and for each that was still missing; 120 for who did not start.

    No more than 120 in any case, and 120 where it is not known what was missing, or the goal was reached too late.
    """

    def finished(taken: Taken) -> tuple[Fraction, Key]:
        return min(Fraction(MOST), taken.over_par(terms.count)), ()

    def not_finished(taken: Taken) -> tuple[Fraction, Key]:
        in_hand = taken.in_hand(terms.count) if taken.outcome is Outcome.DID_NOT_FINISH else None
        return Fraction(MOST) if in_hand is None else min(Fraction(MOST), in_hand), ()

    return scored(marks, terms, POINTS, finished, flat=not_finished)


ADDED_UP = Scheme(
    name="added-up",
    title="Moves over par, added up over the rounds",
    source="The domino game Mexican Train: up to 13 rounds, the points left in hand are added, the lowest total wins, "
    "and who could not even start has a flat 120. That what is left in hand are the moves over par and those still "
    "missing, and that nothing costs more than 120, are ours.",
    attempt=attempt,
    uses=lambda terms: frozenset({terms.measure}),
    ordered=False,
    by_par=True,
)
