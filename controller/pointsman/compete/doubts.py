"""What looks wrong in a competition's figures, so that somebody looks again. A doubt changes no result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from pointsman.compete.attempted import Attempted, latest, marks_of
from pointsman.compete.book import Book
from pointsman.compete.entries import AttemptStarted, ClockStarted
from pointsman.compete.lines import Played
from pointsman.compete.marks import MEASURE_OF, Marks, Measure, Outcome
from pointsman.compete.scoring.score import unit_of
from pointsman.compete.standings import Tables
from pointsman.compete.state import State
from pointsman.puzzle.puzzle import Count

ENOUGH = 5
"""Of a heat that fewer have finished nobody can say what is usual."""
SPREADS = 5
"""So many times the usual distance from the median is far, if it is half the median as well."""
LEAST_RUN_MS = 1000
"""No run can be driven in less: a locomotive starts, comes somewhere, and stops."""


class DoubtKind(StrEnum):
    """What looks wrong: something is missing, far from all others, there twice, too fast, or better than possible.

    ``again``: a draw is played that its entrant has been at before, in an attempt that was taken back.
    """

    GAP = "gap"
    OUTLIER = "outlier"
    DOUBLED = "doubled"
    PACE = "pace"
    UNDER_PAR = "under-par"
    AGAIN = "again"


@dataclass(frozen=True, slots=True)
class Doubt:
    """What looks wrong in an attempt, as one sentence."""

    attempt: str
    kind: DoubtKind
    what: str


def doubts(state: State, tables: Tables | None = None) -> tuple[Doubt, ...]:
    """Everything that looks wrong, by attempt in the order of the book; ``tables`` are those of the state."""
    tables = Tables(state) if tables is None else tables
    found: dict[str, list[Doubt]] = {}
    for round_id in state.rounds:
        for doubt in _kept(tables, round_id):
            found.setdefault(doubt.attempt, []).append(doubt)
    return tuple(doubt for name in state.attempts for doubt in found.get(name, ()))


def played_again(book: Book) -> tuple[Doubt, ...]:
    """Attempts on a draw on which their entrant's clock has run before, in an attempt that was taken back."""
    ran = {one.entry.attempt for one in book.written if isinstance(one.entry, ClockStarted)}
    state, before = book.state, {}
    found = []
    for one in book.written:
        its = one.entry
        if not isinstance(its, AttemptStarted):
            continue
        draw = its.entrant, its.round, its.heat, its.spare
        if its.attempt not in state.attempts:
            if its.attempt in ran:
                before[draw] = its.attempt
        elif draw in before:
            told = f"the clock has run on this draw before, in attempt {before[draw]}, which was taken back"
            found.append(Doubt(its.attempt, DoubtKind.AGAIN, told))
    return tuple(found)


def _kept(tables: Tables, round_id: str) -> tuple[Doubt, ...]:
    def made_of() -> object:
        return tables.played(round_id), tables.field(round_id).in_order

    return tables.kept("doubts", round_id, made_of, lambda: tuple(_of_round(tables, round_id)))


def _of_round(tables: Tables, round_id: str) -> Iterator[Doubt]:
    played = tables.played(round_id)
    names = set(latest(played.attempts).values())
    # In the order of the book: of two that are alike the later one is doubted.
    marks = {
        name: marks_of(its)
        for name, its in played.attempts.items()
        if name in names and its.outcome not in (None, Outcome.EQUIPMENT)
    }
    finished = {name: its for name, its in marks.items() if its.outcome is Outcome.FINISHED}
    if not played.form.knockout:
        yield from _gaps(played)
    yield from _missing(tables, round_id)
    yield from _outliers(played, finished)
    yield from _doubled(played, finished)
    for name, its in marks.items():
        yield from _too_fast(name, its)
    for name, its in finished.items():
        yield from _under_par(played, name, its)


def _gaps(played: Played) -> Iterator[Doubt]:
    for entrant, numbers in played.scores.items():
        for number, its in numbers.items():
            if number > 1 and number - 1 not in numbers and its.attempt is not None:
                yield Doubt(its.attempt, DoubtKind.GAP, f"attempt {number - 1} of {entrant} is missing before it")


def _missing(tables: Tables, round_id: str) -> Iterator[Doubt]:
    played = tables.played(round_id)
    rows: Iterable[Iterable[Attempted]] = (numbers.values() for numbers in played.scores.values())
    if played.scheme.shared is not None and not played.form.knockout:
        rows = (line.attempts for line in tables.lines(round_id).values())
    for row in rows:
        for its in row:
            if its.missing and its.attempt is not None:
                yield Doubt(its.attempt, DoubtKind.GAP, f"it cannot be scored: {its.missing}")


def _outliers(played: Played, finished: Mapping[str, Marks]) -> Iterator[Doubt]:
    heats: dict[int, list[str]] = {}
    for name in finished:
        started = played.attempts[name].started
        if not started.spare:
            heats.setdefault(started.heat, []).append(name)
    for names in heats.values():
        for measure in dict.fromkeys((Measure.TIME, played.terms.measure)):
            figures = {name: figure.value for name in names if (figure := finished[name].figure(measure)) is not None}
            yield from _far(figures, measure)


def _far(figures: Mapping[str, int], measure: Measure) -> Iterator[Doubt]:
    if len(figures) < ENOUGH:
        return
    # Twice and four times as much, in whole numbers: there are many figures, and fractions are slow.
    twice_middle = _twice_median(figures.values())
    twice_far = {name: abs(2 * figure - twice_middle) for name, figure in figures.items()}
    four_times_usual = _twice_median(twice_far.values())
    middle = Fraction(twice_middle, 2)
    for name, figure in figures.items():
        if 2 * twice_far[name] > max(SPREADS * four_times_usual, twice_middle):
            its, theirs = _shown(measure, figure), _shown(measure, middle)
            yield Doubt(name, DoubtKind.OUTLIER, f"{its}, and the median of its heat is {theirs}")


def _twice_median(values: Iterable[int]) -> int:
    in_order = sorted(values)
    return in_order[(len(in_order) - 1) // 2] + in_order[len(in_order) // 2]


def _shown(measure: Measure, figure: Fraction | int) -> str:
    return unit_of(measure).shown(Fraction(figure) / (1000 if measure is Measure.TIME else 1))


_FIGURES = (Measure.TIME, Measure.RUNS, Measure.REVERSALS, Measure.COUPLINGS, Measure.PULL_DROPS)


def _doubled(played: Played, finished: Mapping[str, Marks]) -> Iterator[Doubt]:
    """The same figures of one entrant, or one time of two.

    Whole seconds, as a stopwatch is often read, are the same by chance: something else must be measured, and be alike.
    """
    own: dict[tuple[object, ...], str] = {}
    times: dict[tuple[object, ...], str] = {}
    for name, marks in finished.items():
        if marks.time_ms is None:
            continue
        entrant, time_ms = played.attempts[name].started.entrant, marks.time_ms.value
        figures = tuple(None if (its := marks.figure(measure)) is None else its.value for measure in _FIGURES)
        before = own.setdefault((entrant, *figures), name)
        if before != name:
            yield Doubt(name, DoubtKind.DOUBLED, f"every figure is that of attempt {before}")
            continue
        whole = time_ms % 1000 == 0
        if whole and not any(its is not None for its in figures[1:]):
            continue
        other = times.setdefault(figures if whole else (time_ms,), name)
        if other != name and played.attempts[other].started.entrant != entrant:
            shown = _shown(Measure.TIME, time_ms)
            yield Doubt(name, DoubtKind.DOUBLED, f"its time of {shown} is just that of attempt {other}")


def _too_fast(name: str, marks: Marks) -> Iterator[Doubt]:
    """Each run takes a second at least; there is a run for each pull-drop, and one more than there are reversals."""
    if marks.time_ms is None:
        return
    runs, drops, reversals = marks.runs, marks.pull_drops, marks.reversals
    least = max(
        0 if runs is None else runs.value,
        0 if drops is None else drops.value,
        0 if reversals is None else reversals.value + 1,
    )
    if marks.time_ms.value < least * LEAST_RUN_MS:
        shown = _shown(Measure.TIME, marks.time_ms.value)
        yield Doubt(name, DoubtKind.PACE, f"{_shown(Measure.RUNS, least)} cannot be driven in {shown}")


def _under_par(played: Played, name: str, marks: Marks) -> Iterator[Doubt]:
    for count, par in {played.terms.count: played.attempts[name].started.par, **marks.par}.items():
        measure = MEASURE_OF[count]
        figure = marks.figure(measure)
        if figure is not None and figure.value < par and count is not Count.SECONDS:
            told = f"{_shown(measure, figure.value)}, and the par of its draw is {_shown(measure, par)}"
            yield Doubt(name, DoubtKind.UNDER_PAR, told)
