"""A desk's deeds while an attempt is on: the set-up agreed, the clock started, stopped and going on, faults and hints.

A function with a ``book`` judges on it, and tells what is to be written: nothing for a press that has come twice.
"""

from __future__ import annotations

from dataclasses import replace

from pointsman.compete.book import Book
from pointsman.compete.desk_book import Writing, attempt_of, was_last, was_written, with_note
from pointsman.compete.desk_clock import Shown, shown
from pointsman.compete.entries import (
    ClockStarted,
    FaultMarked,
    HintMarked,
    MarksCorrected,
    Paused,
    Resumed,
    SetUpAgreed,
)
from pointsman.compete.marks import Marks, with_fault, with_hint
from pointsman.compete.state import Attempt, Phase, person
from pointsman.errors import RefusedError
from pointsman.operate.referee import Origin


def agreed(book: Book, entry: SetUpAgreed, by: str) -> Writing:
    """The wagons stand as drawn."""
    its = attempt_of(book.state, entry.attempt)
    return [] if its.set_up == entry and was_last(book, entry.attempt, by, SetUpAgreed) else [(entry, "")]


def started(book: Book, attempt: str, by: str) -> Writing:
    """The clock runs."""
    its = attempt_of(book.state, attempt)
    done = its.phase is not Phase.CALLED and was_last(book, attempt, by, ClockStarted)
    return [] if done else [(ClockStarted(attempt), "")]


def paused(book: Book, attempt: str, why: str, by: str, at: Shown) -> Writing:
    """The clock stands; a press that comes again after the clock went on changes nothing."""
    its = attempt_of(book.state, attempt)
    clock_ms, note = at.of(its)
    if its.phase is Phase.PAUSED and was_last(book, attempt, by, Paused, Resumed):
        return []
    if at.device_ms is not None and was_written(book, Paused(attempt, at.device_ms), by):
        return []
    if not why:
        raise RefusedError(["this needs a reason"], where=attempt, cure="say what is wrong with the equipment")
    return [(Paused(attempt, clock_ms), with_note(why, note))]


def resumed(book: Book, attempt: str, by: str) -> Writing:
    """The clock goes on from where it stood."""
    its = attempt_of(book.state, attempt)
    if its.phase is Phase.RUNNING and was_last(book, attempt, by, Resumed, Paused):
        return []
    return [(Resumed(attempt, its.clock_ms), "")]


def pressed(book: Book, attempt: str, entry: FaultMarked | HintMarked, by: str, at: Shown) -> Writing:
    """A fault was seen, or a hint given; ``entry`` says when by the device's clock, if that told.

    One that was pressed before the attempt ended, and is told after, is a correction of the marks.
    """
    its = attempt_of(book.state, attempt)
    clock_ms, note = at.of(its)
    if at.device_ms is None:
        entry = replace(entry, at_ms=clock_ms)
    elif was_written(book, entry, by):
        return []
    if its.phase is Phase.CALLED:
        raise RefusedError(
            [f"the clock of attempt {attempt} has not been started"], where=attempt, cure="start it first"
        )
    if its.phase is not Phase.ENDED or its.marks is None or at.device_ms is None:
        return [(entry, note)]
    return _late(book, its, its.marks, entry, by)


def _late(book: Book, its: Attempt, marks: Marks, entry: FaultMarked | HintMarked, by: str) -> Writing:
    what = str(entry.fault) if isinstance(entry, FaultMarked) else "hint"
    why = f"{what}: pressed at {shown(entry.at_ms)}, told after the end"
    if any(
        isinstance(one.entry, MarksCorrected)
        and (one.entry.attempt, one.why, person(one.by)) == (entry.attempt, why, person(by))
        for one in book.written
    ):
        return []
    time_ms = marks.time_ms.value if marks.time_ms is not None else its.clock_ms
    if entry.at_ms > time_ms:
        raise RefusedError(
            [f"attempt {entry.attempt} had ended at {shown(time_ms)} already"],
            where=entry.attempt,
            cure="correct its marks if they are wrong",
        )
    more = with_fault(marks, entry.fault) if isinstance(entry, FaultMarked) else with_hint(marks, Origin.ENTERED)
    return [(MarksCorrected(entry.attempt, more), why)]
