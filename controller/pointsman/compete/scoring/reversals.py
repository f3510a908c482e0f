"""Movesaver: only the locomotive's changes of direction, and derailments are free, for the track is to blame."""

from __future__ import annotations

from fractions import Fraction

from pointsman.compete.marks import Marks, Measure
from pointsman.compete.scoring.scheme import Scheme, Taken, Terms, scored
from pointsman.compete.scoring.score import Key, Score, unit_of


def attempt(marks: Marks, terms: Terms) -> Score | None:
    """How many reversals. Faults cost nothing; as many share a rank."""
    return scored(marks, terms, unit_of(Measure.REVERSALS), _rule)


def _rule(taken: Taken) -> tuple[Fraction, Key]:
    return taken.amount(Measure.REVERSALS), ()


REVERSALS = Scheme(
    name="reversals",
    title="Fewest reversals, derailments free",
    source="The Movesaver contest, as reported: moves needed to get off a wrongly set turnout count. It says nothing "
    "of other faults; that they are free too is ours.",
    attempt=attempt,
    uses=lambda _: frozenset({Measure.REVERSALS}),
)
