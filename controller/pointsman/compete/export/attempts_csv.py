"""Every attempt of a competition as a row of a table: who, where, what was measured, and what it is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from pointsman.compete.attempted import Attempted
from pointsman.compete.export.csv_cells import Cell, Style, table_csv
from pointsman.compete.marks import Fault, Marks, Measure
from pointsman.compete.standings import Standings
from pointsman.compete.state import Attempt, State

_MEASURES = {
    Measure.RUNS: "runs",
    Measure.REVERSALS: "reversals",
    Measure.COUPLINGS: "couplings",
    Measure.PULL_DROPS: "pull-drops",
    Measure.HINTS: "hints",
    Measure.EMERGENCY_STOPS: "emergency stops",
    Measure.HELPED: "times another was helped on",
    Measure.PLACED: "wagons in their places",
}
_FAULTS = {
    Fault.DERAILMENT: "derailments",
    Fault.SIDE_SWIPE: "side-swipes",
    Fault.HAND: "hand touches",
    Fault.OVER_FULL: "over-full sidings",
}
HEADINGS = (
    "round",
    "title of the round",
    "heat",
    "spare draw",
    "entrant",
    "name",
    "club",
    "class",
    "train",
    "pair",
    "number of the attempt",
    "attempt",
    "how it ended",
    "score",
    "unit",
    "rank by par",
    "why it does not count as finished",
    "origin",
    "time (s)",
    *_MEASURES.values(),
    *_FAULTS.values(),
    "draw",
    "par",
    "corrected",
    "checked by",
    "journal",
    "SHA-256 of the journal",
)
"""The columns; docs/competition-export.md tells what each is."""


def attempts_csv(state: State, standings: Standings, style: Style) -> bytes:
    """The table as CSV, in the order of the book.

    Draws are told of rounds whose secret is out alone, so that everybody may have it at any time.
    """
    scores = {
        attempted.attempt: attempted
        for standing in standings.rounds.values()
        for row in standing.rows
        for attempted in row.attempts
        if attempted.attempt is not None
    }
    rows = (_row(state, name, its, scores, style) for name, its in state.attempts.items())
    return table_csv(HEADINGS, rows, style)


def _row(state: State, name: str, its: Attempt, scores: Mapping[str, Attempted], style: Style) -> list[Cell]:
    started, its_round, score = its.started, state.rounds[its.started.round], scores.get(name)
    about = state.entrants[started.entrant].about
    journal = its.ended.journal if its.ended is not None else None
    told = its_round.secret is not None
    return [
        started.round,
        its_round.announced.title,
        started.heat,
        started.spare or None,
        started.entrant,
        about.name,
        about.club,
        about.category,
        about.train,
        about.pair,
        started.number,
        name,
        style.tell(its.outcome or its.phase),
        *_scored(score, style),
        *_measured(its.marks),
        " ".join(started.cards) if told else None,
        started.par if told else None,
        its.corrected,
        its.checked_by,
        None if journal is None else journal.name,
        None if journal is None else journal.sha256,
    ]


def _scored(its: Attempted | None, style: Style) -> Iterator[Cell]:
    score = None if its is None else its.score
    if score is None:
        yield from (None, None, None, None if its is None else style.tell(its.missing), None)
        return
    yield None if score.value is None else score.rounded.value
    yield style.tell(score.unit.many)
    yield score.rank
    yield style.tell(score.why)
    yield style.tell(score.origin)


def _measured(marks: Marks | None) -> Iterator[Cell]:
    if marks is None:
        yield from (None,) * (1 + len(_MEASURES) + len(_FAULTS))
        return
    yield None if marks.time_ms is None else Fraction(marks.time_ms.value, 1000)
    measures: tuple[Measure | Fault, ...] = (*_MEASURES, *_FAULTS)
    for measure in measures:
        figure = marks.figure(measure)
        yield None if figure is None else figure.value
