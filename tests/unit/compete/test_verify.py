"""What is verified: whatever is changed in the store, in a layout's file or in a draw is found, with where it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from drawn_evening import CODE, Drawn, drawn_evening
from shared_cache import shared_cache

from pointsman.compete.book import Book, Head
from pointsman.compete.differences import Verified
from pointsman.compete.entries import (
    AdvanceRule,
    AttemptEnded,
    AttemptStarted,
    ClockStarted,
    EntrantAdded,
    FaultMarked,
    HeatOpened,
    HintMarked,
    SetUpAgreed,
)
from pointsman.compete.export.book_json import book_json, read_book_json
from pointsman.compete.export.results import results_of
from pointsman.compete.marks import Fault, Figure, Marks, Outcome
from pointsman.compete.ranking import By
from pointsman.compete.standings import standings
from pointsman.compete.store.store import Store
from pointsman.compete.verify import Means, verify, verify_book, verify_exported
from pointsman.operate.referee import Origin


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


@pytest.fixture
def means(tmp_path: Path, cache: Path) -> Means:
    return Means(tmp_path / "journals", cache=cache)


@pytest.fixture
def drawn(tmp_path: Path, cache: Path) -> Drawn:
    return drawn_evening(tmp_path, cache)


def told(found: Verified) -> list[str]:
    return [str(one) for one in found.differences]


def test_of_an_evening_as_it_was_nothing_differs(drawn: Drawn, tmp_path: Path, means: Means) -> None:
    drawn.reveal()
    place = drawn.kept(tmp_path / "store")
    with Store(place) as store:
        assert verify(store, "club", means, noted=drawn.evening.book.head) == Verified(())


def test_before_the_secret_is_out_the_marshals_code_opens_the_draws(drawn: Drawn, means: Means) -> None:
    assert verify_book(drawn.evening.book, replace(means, code=CODE)) == Verified(())
    without = verify_book(drawn.evening.book, means)
    assert without.differences == ()
    assert [str(one) for one in without.unchecked] == [
        "round r1: its secret is not out: give the marshal's code to derive its draws"
    ]
    assert told(verify_book(drawn.evening.book, replace(means, code="another word or two"))) == [
        "round r1: this code does not open these draws"
    ]


def rewritten(book: Book, change: type, **values: object) -> Book:
    """A book written anew with other values in the last entry of a kind, as one with the right tools could do it."""
    last = max(one.seq for one in book.written if isinstance(one.entry, change))
    new = Book.empty(book.competition)
    for one in book.written:
        entry = replace(one.entry, **values) if one.seq == last else one.entry
        new, _ = new.write(entry, by=one.by, at=one.at, why=one.why)
    return new


def test_a_draw_that_does_not_follow_from_the_secret_is_found(drawn: Drawn, means: Means) -> None:
    drawn.reveal()
    right = " ".join(drawn.draws[2][0].wagons)
    other = next(
        draw.wagons for draw in (drawn.draws[1][1], drawn.draws[2][1]) if draw.wagons != drawn.draws[2][0].wagons
    )
    changed = rewritten(drawn.evening.book, HeatOpened, cards=tuple(reversed(other)))
    assert told(verify_book(changed, means)) == [
        f"round r1, heat 2: the draw {' '.join(reversed(other))} was played, and {right} follows from the secret"
    ]
    par = drawn.draws[2][0].par
    changed = rewritten(drawn.evening.book, HeatOpened, par=par - 1)
    assert told(verify_book(changed, means)) == [
        f"round r1, heat 2: a par of {par - 1} was told of its draw, and it is {par}"
    ]


def test_a_used_spare_is_derived_too(drawn: Drawn, means: Means) -> None:
    its = drawn.evening
    spare = next(one for one in its.book.written if isinstance(one.entry, AttemptStarted) and one.entry.spare)
    new = Book.empty("club")
    for one in its.book.written:
        entry = replace(one.entry, cards=("9", "9", "9")) if one.seq == spare.seq else one.entry
        new, _ = new.write(entry, by=one.by, at=one.at, why=one.why)
    right = " ".join(drawn.draws[1][1].wagons)
    assert told(verify_book(new, replace(means, code=CODE))) == [
        f"attempt a1-again: the draw 9 9 9 was played, and {right} follows from the secret"
    ]


@pytest.mark.parametrize("file", ["layout.toml", "puzzles/classic.toml"])
def test_a_byte_more_in_a_file_of_the_layout_is_found(drawn: Drawn, means: Means, file: str) -> None:
    path = drawn.layout / file
    path.write_bytes(path.read_bytes() + b"\n")
    found = verify_book(drawn.evening.book, replace(means, code=CODE))
    assert told(found) == [f"round r1: {path} is not what it was when the draws were committed to"]
    assert [one.what for one in found.unchecked] == ["its draws cannot be derived without the files that it had"]


def test_a_layout_that_is_not_here_is_told_of_and_is_no_difference(drawn: Drawn, means: Means) -> None:
    drawn.reveal()
    drawn.layout.rename(drawn.layout.with_name("gone"))
    found = verify_book(drawn.evening.book, means)
    assert found.differences == ()
    assert [one.what[:23] for one in found.unchecked] == ["its files are not here:", "its draws cannot be der"]


def change(place: str, statement: str) -> None:
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute(statement).rowcount == 1
        connection.commit()


@pytest.mark.parametrize(
    ("statement", "where"),
    [
        ("UPDATE entries SET line = replace(line, 'Ada', 'Eda') WHERE seq = 2", "entry 2 was changed"),
        ("DELETE FROM entries WHERE seq = 4", "entry 4 is missing"),
        ("UPDATE entries SET line = line || ' ' WHERE seq = 12", "entry 12 was changed"),
        ("UPDATE competitions SET entries = entries - 1", "13 entries are there, and 12 were noted"),
    ],
)
def test_a_byte_changed_in_the_store_is_found(
    drawn: Drawn, tmp_path: Path, means: Means, statement: str, where: str
) -> None:
    place = drawn.kept(tmp_path / "store")
    change(place, statement)
    with Store(place) as store:
        found = verify(store, "club", means)
    assert any(where in one for one in told(found)), told(found)


def test_a_book_written_anew_is_found_by_a_head_that_was_published(drawn: Drawn, tmp_path: Path, means: Means) -> None:
    published = Head(7, drawn.evening.book.head.hash)
    place = drawn.kept(tmp_path / "store")
    with Store(place) as store:
        assert told(verify(store, "club", means, noted=published)) == [
            "the book: entry 7 was changed: another hash was noted"
        ]


# ---------------------------------------------------------------- marks by hand, who played, results


def test_a_figure_that_nobody_can_have_seen_is_found(drawn: Drawn, means: Means) -> None:
    ended = next(one for one in reversed(drawn.evening.book.written) if isinstance(one.entry, AttemptEnded)).entry
    assert ended.marks is not None
    marks = replace(ended.marks, runs=Figure(3), faults={Fault.HAND: Figure(1)})
    assert told(verify_book(rewritten(drawn.evening.book, AttemptEnded, marks=marks), replace(means, code=CODE))) == [
        "attempt b1: runs: told as seen, and there is no journal",
        "attempt b1: hand: told as seen, and there is no journal",
    ]


def test_a_fault_that_was_pressed_and_is_missing_is_found(drawn: Drawn, means: Means) -> None:
    its = drawn.evening
    its.write(AttemptStarted("b2", "r1", 2, "bo", 2, drawn.draws[2][0].wagons, drawn.draws[2][0].par))
    its.write(SetUpAgreed("b2", "head: L"), ClockStarted("b2"))
    its.write(*[FaultMarked("b2", Fault.DERAILMENT, at) for at in (1, 2)], HintMarked("b2", 3))
    marks = Marks(Outcome.DID_NOT_FINISH, Origin.ENTERED, faults={Fault.DERAILMENT: Figure(1, Origin.ENTERED)})
    its.write(AttemptEnded("b2", Outcome.DID_NOT_FINISH, marks=marks))
    assert told(verify_book(its.book, replace(means, code=CODE))) == [
        "attempt b2: derailment was pressed 2 times, and its marks have 1",
        "attempt b2: hints were pressed 1 times, and its marks have 0",
    ]
    its.undo(its.book.head.entries - 2)
    assert len(told(verify_book(its.book, replace(means, code=CODE)))) == 1


def test_who_plays_where_nobody_is_entitled_to_is_found(drawn: Drawn, means: Means) -> None:
    """The first of the first round alone goes on; and nobody before that is certain."""
    its = drawn
    its.announce("s1", "best-of-1", AdvanceRule(By.RANK, Fraction(1)))
    its.announce("s2", "best-of-1")
    its.start("ada-1", "ada", round_id="s1")
    its.end("ada-1", 9)
    its.start("ada-2", "ada", round_id="s2")
    its.end("ada-2", 9)
    assert told(verify_book(its.evening.book, replace(means, code=CODE))) == [
        "attempt ada-2: ada was called before it was certain who is in round s2"
    ]
    its.start("bo-1", "bo", round_id="s1", heat=2)
    its.end("bo-1", 12)
    its.start("bo-2", "bo", round_id="s2", heat=2)
    its.end("bo-2", 12)
    assert told(verify_book(its.evening.book, replace(means, code=CODE)))[1:] == [
        "attempt bo-2: bo was called, and is not among those in round s2"
    ]


def test_the_second_attempt_in_the_first_ones_heat_is_found(drawn: Drawn, means: Means) -> None:
    its = drawn.evening
    draw = drawn.draws[2][0]
    its.write(AttemptStarted("b2", "r1", 2, "bo", 2, draw.wagons, draw.par), EntrantAdded("eve", "Eve"))
    its.write(AttemptStarted("e1", "r1", 2, "eve", 1, draw.wagons, draw.par))
    assert told(verify_book(its.book, replace(means, code=CODE))) == [
        "attempt e1: attempt 1 was made in heat 2, and belongs in heat 1"
    ]


def test_results_that_do_not_follow_from_their_book_are_found(drawn: Drawn, means: Means) -> None:
    drawn.reveal()
    book = drawn.evening.book
    right = book_json(book, results_of(standings(book.state)))
    assert verify_exported(read_book_json(right, "x"), means, noted=book.head) == Verified(())
    wrong = right.replace(b'"rank": 2', b'"rank": 1')
    assert wrong != right
    found = told(verify_exported(read_book_json(wrong, "x"), means, noted=Head(3, "0" * 64)))
    assert found[0] == "the book: entry 3 was changed: another hash was noted"
    assert found[1] == "the exported results: rounds[1].rows[2].rank was told as 1, and is 2"
