"""How many moves for each hundred of the par, with the ranks of Gare de triage: draws of any par can be compared."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pointsman.compete.marks import Marks, Measure, Outcome
from pointsman.compete.scoring.scheme import Scheme, Taken, Terms, scored
from pointsman.compete.scoring.score import PERCENT, Key, Score
from pointsman.puzzle.puzzle import Count
from pointsman.solver.grade import RANKS, second_rank_up_to


def attempt(marks: Marks, terms: Terms) -> Score | None:
    """Moves in percent of the par, with a rank; on a tie the shorter time is better."""

    def rule(taken: Taken) -> tuple[Fraction, Key]:
        return 100 * taken.amount(terms.measure) / taken.par(terms.count), (taken.figure(Measure.TIME),)

    score = scored(marks, terms, PERCENT, rule)
    if score is None or score.outcome is not Outcome.FINISHED:
        return score
    return replace(score, rank=_rank(Taken(marks), terms.count))


def _rank(taken: Taken, count: Count) -> str:
    """Chef de gare for the par, Aiguilleur up to a quarter over it (at least two moves), else Atteleur."""
    best, second, third = RANKS
    par, over = taken.par(count), taken.over_par(count)
    if over == 0:
        return best
    # Of seconds there is no move to spare: the quarter alone counts.
    most = par + par / 4 if count is Count.SECONDS else second_rank_up_to(int(par))
    return second if par + over <= most else third


PAR_RATIO = Scheme(
    name="par-ratio",
    title="Moves in percent of the par, with ranks",
    source="Ticket to Ride: Track Switcher / Les Aventuriers du Rail: Gare de triage (LogiQuest, 2021), whose ranks "
    "are Atteleur, Aiguilleur, and Chef de gare for the minimum. Where Aiguilleur begins (a quarter over par, rounded "
    "up, and always two moves), the ratio and the tie-break by time are ours.",
    attempt=attempt,
    uses=lambda terms: frozenset({terms.measure, Measure.TIME}),
    best=lambda _terms, _par: Fraction(100),
    by_par=True,
)
