"""Bonus and malus after the domino game L'Aiguilleur: five for helping another on, and a train that all share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from pointsman.compete.marks import Marks, Measure, Outcome, weakest
from pointsman.compete.scoring.scheme import Scheme, Taken, Terms, scored
from pointsman.compete.scoring.score import POINTS, Key, Score
from pointsman.errors import UsageError

HELPED = 5
WON = 5


def attempt(marks: Marks, terms: Terms) -> Score | None:
    """A point of penalty for each move over par and each that was still missing, five less for each help given."""

    def finished(taken: Taken) -> tuple[Fraction, Key]:
        return taken.over_par(terms.count) - HELPED * taken.figure(Measure.HELPED), ()

    def not_finished(taken: Taken) -> tuple[Fraction, Key] | None:
        in_hand = taken.in_hand(terms.count)
        return None if in_hand is None else (in_hand - HELPED * taken.figure(Measure.HELPED), ())

    return scored(marks, terms, POINTS, finished, flat=not_finished)


def shared(
    marks: Mapping[str, Marks], scores: dict[str, Score | None], white_placed: int | None
) -> dict[str, Score | None]:
    """The scores of a heat, once its winner and the white train that all share are known.

    Who has the best score wins, and has five points less; several of them if they tie. If fewer wagons of the white
    train stand in their places than of the winner's, the others who have played share the difference as a penalty, in
    equal parts. While an attempt is still to be run again there is no winner yet.
    """
    if not scores or any(score is None for score in scores.values()):
        return scores
    known = {entrant: score for entrant, score in scores.items() if score is not None}
    best = min(known.values(), key=lambda score: score.key)
    if best.outcome is not Outcome.FINISHED:
        return scores
    winners = [entrant for entrant, score in known.items() if score.ties_with(best)]
    for entrant in winners:
        known[entrant] = _plus(known[entrant], Fraction(-WON))
    others = [e for e in known if e not in winners and marks[e].outcome is not Outcome.DID_NOT_START]
    if white_placed is None or not others:
        return {**known}
    placed = [marks[entrant].placed for entrant in winners]
    measured = [figure for figure in placed if figure is not None]
    if len(measured) < len(placed):
        raise UsageError("the wagons in their places of a winner were not counted", cure="count and enter them")
    behind = max(0, max(figure.value for figure in measured) - white_placed)
    for entrant in others:
        score = _plus(known[entrant], Fraction(behind, len(others)))
        known[entrant] = replace(score, origin=weakest([score.origin, *(figure.origin for figure in measured)]))
    return {**known}


def _plus(score: Score, points: Fraction) -> Score:
    return score if score.value is None else replace(score, value=score.value + points)


AIGUILLEUR = Scheme(
    name="aiguilleur",
    title="Bonus for helping, malus by the shared white train",
    source="The domino game L'Aiguilleur: five for helping another's locomotive on, five for the winner, and if the "
    "common white train ran less far than the winner's, the others share the difference; best of an agreed number "
    "of rounds, the lowest penalty wins. That penalties are moves over par, and that a train has run as far as it has "
    "wagons in their places, are ours.",
    attempt=attempt,
    uses=lambda terms: frozenset({terms.measure, Measure.HELPED, Measure.PLACED}),
    shared=shared,
    best=lambda _terms, _par: None,
    ordered=False,
    by_par=True,
)
