"""Test support: an evening's book, written entry by entry, with people, times and draws that fit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

from pointsman.compete.book import Book
from pointsman.compete.commitment import Files, ParRange, Parts
from pointsman.compete.entries import (
    AttemptEnded,
    AttemptStarted,
    Committed,
    Created,
    EntrantAdded,
    Entry,
    HeatOpened,
    RoundAnnounced,
    Undone,
)
from pointsman.compete.marks import Figure, Marks, Outcome
from pointsman.puzzle.puzzle import Count

START = datetime(2026, 11, 27, 18, 30, tzinfo=UTC)
LAYOUT, PUZZLE = "1" * 64, "2" * 64
SECRET = bytes(range(16))
OWN = ("1", "2", "3", "4", "5")
"""The draw of heat 1; that of another begins with its number."""


def cards(heat: int = 1, spare: int = 0) -> tuple[str, ...]:
    """Some draw, another one for every heat and spare."""
    return (f"{heat}", f"s{spare}", *OWN[2:])


ROUND = RoundAnnounced(
    "r1", "First round", "inglenook-small", LAYOUT, PUZZLE, Count.RUNS, "reversals", "best-of-3", 5, 9, 3, 2
)


def parts(announced: RoundAnnounced) -> Parts:
    """What settles the draws of such a round."""
    files, pars = Files(LAYOUT, PUZZLE), ParRange(announced.par_least, announced.par_most)
    return Parts("0.1.0", files, announced.round, announced.count, pars, 40, announced.heats, announced.spares)


def commitment(announced: RoundAnnounced) -> Committed:
    """A commitment to such a round with ``SECRET``."""
    return Committed(announced.round, "0.1.0", parts(announced).commitment(SECRET), "3" * 32, "4" * 32, 40)


def finished(runs: int = 12) -> Marks:
    """Marks of an attempt that reached the goal."""
    return Marks(Outcome.FINISHED, time_ms=Figure(245_312), runs=Figure(runs))


def attempt(name: str = "a1", entrant: str = "ada", heat: int = 1, number: int = 1, spare: int = 0) -> AttemptStarted:
    """An entrant called to a place."""
    return AttemptStarted(name, "r1", heat, entrant, number, cards(heat, spare), 7, spare)


@dataclass
class Evening:
    """A book that is being written; each entry a second after the one before, with its line kept as a store would."""

    book: Book = field(default_factory=lambda: Book.empty("club"))
    lines: list[tuple[int, str]] = field(default_factory=list)

    def write(self, *entries: Entry, by: str = "Marshal", why: str = "") -> int:
        """Write these, and tell the number of the last."""
        for entry in entries:
            seq = self.book.head.entries + 1
            self.book, line = self.book.write(entry, by=by, at=START + timedelta(seconds=seq), why=why)
            self.lines.append((seq, line))
        return self.book.head.entries

    def undo(self, seq: int, why: str = "a slip") -> int:
        """Take one back."""
        return self.write(Undone(seq), why=why)

    def end(self, name: str = "a1", outcome: Outcome = Outcome.FINISHED, by: str = "Marshal") -> int:
        """End an attempt by hand."""
        marks = replace(finished(), outcome=outcome)
        return self.write(AttemptEnded(name, outcome, marks=marks), by=by, why="a wire came off")


def evening(*, heats: int = 1) -> Evening:
    """One with Ada and Bo in it, a round announced and settled, and so many heats open."""
    its = Evening()
    its.write(
        Created("Club evening", date(2026, 11, 27), "The shed"),
        EntrantAdded("ada", "Ada", "Eastern", train="Coal"),
        EntrantAdded("bo", "Bo", category="children"),
        ROUND,
        commitment(ROUND),
    )
    for heat in range(1, heats + 1):
        its.write(HeatOpened("r1", heat, cards(heat), 7))
    return its
