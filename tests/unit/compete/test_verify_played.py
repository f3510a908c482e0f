"""An attempt that was really played is verified from its journal: a byte of it, or a figure of its marks, is found."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from attempt_plays import NAMED, played
from drawn_evening import CODE, drawn_evening
from shared_cache import shared_cache

from pointsman.compete.book import Book
from pointsman.compete.chain import AttemptName
from pointsman.compete.entries import AttemptEnded, Entry, Journal
from pointsman.compete.evidence import evidence
from pointsman.compete.marks import Figure, Marks
from pointsman.compete.pars import MOVES, fewest
from pointsman.compete.verify import Means, verify_book
from pointsman.operate.referee import Origin
from pointsman.puzzle.choice import choose
from pointsman.puzzle.puzzle import Count
from pointsman.solver.search import solve

ANNA = AttemptName(NAMED["competition"], NAMED["attempt"])


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> tuple[Book, Means]:
    """One at which Bo's second attempt was played on the layout; its book, and what it is verified with."""
    folder = tmp_path_factory.mktemp("evening")
    its = drawn_evening(folder, cache, competition=ANNA.competition)
    means = Means(folder / "journals", CODE, cache=cache, pars=partial(fewest, counts=MOVES, cache=cache))
    means.journals.mkdir()
    journal = means.journals / "one-anna-1"
    chosen = choose(str(its.layout), cards=its.draws[2][0].wagons)
    plan = solve(chosen.track, chosen.start, chosen.goal, Count.RUNS, cache=cache)
    played(chosen, plan.runs, journal)
    marks = evidence(journal, chosen=chosen, attempt=ANNA, pars=means.pars).marks
    its.start(ANNA.attempt, "bo", number=2)
    kept = Journal(journal.name, hashlib.sha256(journal.read_bytes()).hexdigest())
    its.evening.write(AttemptEnded(ANNA.attempt, marks.outcome, kept, marks))
    return its.evening.book, means


def told(book: Book, means: Means) -> tuple[list[str], list[str]]:
    found = verify_book(book, means)
    return [str(one) for one in found.differences], [str(one) for one in found.unchecked]


def with_last(book: Book, change: Callable[[Entry], Entry]) -> Book:
    """The book written anew, with another last entry."""
    new = Book.empty(book.competition)
    for one in book.written:
        entry = change(one.entry) if one.seq == book.head.entries else one.entry
        new, _ = new.write(entry, by=one.by, at=one.at, why=one.why)
    return new


def with_marks(book: Book, change: Callable[[Marks], Marks]) -> Book:
    def changed(entry: Entry) -> Entry:
        assert isinstance(entry, AttemptEnded)
        assert entry.marks is not None
        return replace(entry, marks=change(entry.marks))

    return with_last(book, changed)


def test_marks_follow_from_the_journal(evening: tuple[Book, Means]) -> None:
    assert told(*evening) == ([], [])


@pytest.mark.parametrize("place", [0.3, 0.999])
def test_a_byte_changed_in_a_journal_is_found(evening: tuple[Book, Means], tmp_path: Path, place: float) -> None:
    book, means = evening
    data = bytearray((means.journals / "one-anna-1").read_bytes())
    data[int(len(data) * place)] ^= 1
    (tmp_path / "one-anna-1").write_bytes(data)
    differences, _ = told(book, replace(means, journals=tmp_path))
    assert differences == ["attempt one-anna-1: its journal one-anna-1 is not what it was when the attempt ended"]


def test_a_journal_that_is_not_here_is_told_of(evening: tuple[Book, Means], tmp_path: Path) -> None:
    book, means = evening
    differences, unchecked = told(book, replace(means, journals=tmp_path))
    assert differences == []
    missing = f"{tmp_path}/one-anna-1: cannot be read: No such file or directory"
    assert unchecked == [f"attempt one-anna-1: its journal is not here: {missing}"]


@pytest.mark.parametrize(
    ("name", "figure"),
    [("runs", Figure(1)), ("time_ms", Figure(1000, Origin.ENTERED)), ("hints", Figure(2)), ("pull_drops", None)],
)
def test_a_figure_that_does_not_follow_is_found(evening: tuple[Book, Means], name: str, figure: Figure | None) -> None:
    book, means = evening
    last = book.written[-1].entry
    assert isinstance(last, AttemptEnded)
    right = getattr(last.marks, name)
    differences, _ = told(with_marks(book, lambda marks: replace(marks, **{name: figure})), means)
    assert len(differences) == 1
    assert differences[0].startswith(f"attempt one-anna-1: {name} was told as ")
    assert str(right.value) in differences[0] or not right.value


def test_a_par_that_does_not_follow_is_found(evening: tuple[Book, Means]) -> None:
    book, means = evening
    differences, _ = told(with_marks(book, lambda marks: replace(marks, par={**marks.par, Count.RUNS: 1})), means)
    assert [one.rpartition(" and is")[0] for one in differences] == ["attempt one-anna-1: par.runs was told as 1,"]


def test_a_journal_of_another_attempt_is_no_evidence(evening: tuple[Book, Means]) -> None:
    book, means = evening
    name = "b-other"
    new = Book.empty(book.competition)
    for one in book.written:
        changes = {"attempt": name} if getattr(one.entry, "attempt", "") == ANNA.attempt else {}
        new, _ = new.write(replace(one.entry, **changes), by=one.by, at=one.at, why=one.why)
    differences, _ = told(new, means)
    assert len(differences) == 1
    assert differences[0].startswith("attempt b-other: its journal tells of no such attempt: ")
