"""John Allen's Timesaver: the time on the clock, and a minute more for each fault."""

from __future__ import annotations

from fractions import Fraction

from pointsman.compete.marks import Marks, Measure
from pointsman.compete.scoring.scheme import Scheme, Taken, Terms, scored
from pointsman.compete.scoring.score import SECONDS, Key, Score

FAULT_S = 60


def attempt(marks: Marks, terms: Terms) -> Score | None:
    """Seconds on the clock and 60 for each fault; with the same sum, the fewer faults are better."""
    return scored(marks, terms, SECONDS, _rule)


def _rule(taken: Taken) -> tuple[Fraction, Key]:
    return taken.amount(Measure.TIME) + FAULT_S * taken.faults, (taken.faults,)


ALLEN = Scheme(
    name="allen",
    title="Time, and a minute for each fault",
    source="John Allen, Model Railroader, November 1972; "
    "http://www.wymann.info/ShuntingPuzzles/Timesaver/timesaver-rules.html. The minute for a derailment or a "
    "side-swipe is his. Touching is forbidden there without a figure: that a hand and an over-full siding cost a "
    "minute too, and the tie-break, are ours.",
    attempt=attempt,
    uses=lambda _: frozenset({Measure.TIME}),
)
