"""Whether the marks of attempts are those that their journals and presses come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pointsman.compete.book import Book
from pointsman.compete.by_hand import with_outcome
from pointsman.compete.chain import AttemptName, journal_in
from pointsman.compete.differences import Difference, Verified, differing, told
from pointsman.compete.entries import FaultMarked, HintMarked
from pointsman.compete.evidence import evidence
from pointsman.compete.marks import NONE, Fault, Figure, Marks, Measure, called
from pointsman.compete.marks_json import marks_values
from pointsman.compete.pars import Pars
from pointsman.compete.state import Attempt
from pointsman.errors import CompetitionError, LayoutError, NotationError, RefusedError, UsageError
from pointsman.operate.referee import Origin
from pointsman.puzzle.choice import choose
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.track.model import Track


def check_marks(book: Book, journals: Path, pars: Pars) -> Verified:
    """The marks with which each attempt has ended; what a person has corrected since is that person's word.

    ``journals`` is the folder in which they are. ``pars`` finds what a draw can be solved with; each is found once.
    """
    differences: list[Difference] = []
    unchecked: list[Difference] = []
    once = _Once(pars)
    for name, its in book.state.attempts.items():
        if its.ended is None:
            continue
        where = f"attempt {name}"
        if its.ended.marks is not None:
            differences += _pressed(where, its, its.ended.marks)
        if its.ended.journal is None:
            differences += _seen_by_nobody(where, its.ended.marks)
            continue
        try:
            journal = journal_in(journals, its.ended.journal)
        except UsageError as error:
            unchecked.append(Difference(where, f"its journal is not here: {told(error)}"))
        except RefusedError as error:
            differences.append(Difference(where, error.what))
        else:
            differences += _derived(where, its, journal, book, once)
    return Verified(tuple(differences), tuple(unchecked))


class _Once:
    """Pars, each of which is found once: all of a heat have the same draw."""

    def __init__(self, pars: Pars) -> None:
        self._pars = pars
        self._known: dict[tuple[str, str, str], Mapping[Count, int]] = {}

    def __call__(self, track: Track, start: Position, goal: Goal) -> Mapping[Count, int]:
        key = (track.name, str(start), str(goal))
        if key not in self._known:
            self._known[key] = self._pars(track, start, goal)
        return self._known[key]


def _derived(where: str, its: Attempt, journal: Path, book: Book, pars: Pars) -> Iterator[Difference]:
    """What of the marks does not follow from the journal."""
    assert its.ended is not None, "asked for one that has ended"
    announced = book.state.rounds[its.started.round].announced
    try:
        chosen = choose(announced.puzzle, cards=its.started.cards)
    except (UsageError, LayoutError, NotationError):
        chosen = None  # told of where the round's files are looked at; the journal names its puzzle itself
    try:
        found = evidence(journal, chosen=chosen, attempt=AttemptName(book.competition, its.started.attempt), pars=pars)
    except CompetitionError as error:
        yield Difference(where, f"its journal tells of no such attempt: {told(error)}")
        return
    if its.ended.marks is None:
        return
    noted, derived = its.ended.marks, with_outcome(found.marks, its.ended.outcome)
    # What cannot be proved with the memory that one computer has can be with that of another.
    noted, derived = _known_to_both(noted, derived), _known_to_both(derived, noted)
    yield from differing(marks_values(noted), marks_values(derived), where)


def _known_to_both(one: Marks, other: Marks) -> Marks:
    """Marks with the pars that the others have as well."""
    par = {count: least for count, least in one.par.items() if count in other.par}
    left = {count: least for count, least in one.left.items() if count in other.left}
    return replace(one, par=par, left=left)


def _pressed(where: str, its: Attempt, marks: Marks) -> Iterator[Difference]:
    """What was pressed, and is missing in the marks."""
    pressed = Counter(press.fault for press in its.pressed if isinstance(press, FaultMarked))
    for fault in Fault:
        noted = marks.faults.get(fault, NONE).value
        if pressed[fault] > noted:
            yield Difference(where, f"{fault} was pressed {pressed[fault]} times, and its marks have {noted}")
    hints = sum(isinstance(press, HintMarked) for press in its.pressed)
    if hints > marks.hints.value:
        yield Difference(where, f"hints were pressed {hints} times, and its marks have {marks.hints.value}")


def _seen_by_nobody(where: str, marks: Marks | None) -> Iterator[Difference]:
    """Figures that are told as seen, with no journal to show it."""
    if marks is None:
        return
    for measure in (*Measure, *Fault):
        figure: Figure | None = None if measure is Measure.COUPLING_RUNS else marks.figure(measure)
        if figure is not None and figure != NONE and figure.origin is not Origin.ENTERED:
            name = called(measure) if isinstance(measure, Measure) else str(measure)
            yield Difference(where, f"{name}: told as {figure.origin}, and there is no journal")
