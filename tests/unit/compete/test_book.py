"""Taking back, and the chain: what is not whole is found and named."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from evening import ROUND, SECRET, Evening, attempt, evening, finished
from hypothesis import given
from hypothesis import strategies as st

from pointsman.compete.book import Book, Head, faults, fold, taken_back
from pointsman.compete.entries import Checked, EntrantAdded, MarksCorrected, Revealed, Withdrawn
from pointsman.compete.entry_json import line_hash, read_line, write_line
from pointsman.errors import CompetitionError, RefusedError, UsageError


def test_what_is_taken_back_does_not_count_and_counts_again_when_that_is_taken_back() -> None:
    its = evening()
    with_both = its.book.state
    withdrawal = its.write(Withdrawn("ada"))
    without_ada = its.book.state
    undone = its.undo(withdrawal)
    assert its.book.state == with_both
    again = its.undo(undone)
    assert its.book.state == without_ada
    its.undo(again)
    assert its.book.state == with_both
    assert taken_back(its.book.written) == {withdrawal, again}
    assert len(its.lines) == its.book.head.entries == again + 1


def test_an_entry_that_another_rests_on_is_taken_back_after_it() -> None:
    its = evening(heats=1)
    its.write(attempt())
    end = its.end()
    checked = its.write(Checked("a1"), by="Zoe")
    with pytest.raises(RefusedError) as caught:
        its.undo(end)
    assert caught.value.what == f"entry {end} cannot be taken back: entry {checked} rests on it"
    assert caught.value.cure == f"take entry {checked} back first"
    its.undo(checked)
    undone = its.undo(end)
    again = its.end()
    with pytest.raises(RefusedError, match=f"entry {undone} cannot be taken back: entry {again} rests on it"):
        its.undo(undone)


def test_a_correction_taken_back_leaves_what_was_before() -> None:
    its = evening(heats=1)
    its.write(attempt())
    its.end()
    its.write(Checked("a1"), by="Zoe")
    before = its.book.state
    correction = its.write(MarksCorrected("a1", finished(99)), why="misread")
    its.undo(correction)
    assert its.book.state == before


def test_a_round_can_be_taken_back_until_something_was_committed_to_and_draws_never() -> None:
    its = evening(heats=1)
    second = replace(ROUND, round="r2")
    its.undo(its.write(second))
    its.write(replace(second, heats=6))
    its.write(Revealed("r1", SECRET.hex()))
    kinds = {one.seq: type(one.entry).__name__ for one in its.book.written}
    seen = [seq for seq, kind in kinds.items() if kind in {"Created", "Committed", "HeatOpened", "Revealed"}]
    assert len(seen) == 4
    for seq in seen:
        with pytest.raises(RefusedError, match=f"entry {seq} was seen by everybody"):
            its.undo(seq)
    with pytest.raises(RefusedError, match="entry 4 cannot be taken back: entry 5 rests on it"):
        its.undo(4)


def test_what_cannot_be_taken_back_is_told() -> None:
    its = evening()
    entrant = its.write(EntrantAdded("cy", "Cy"))
    with pytest.raises(RefusedError, match="this needs a reason"):
        its.undo(entrant, why="")
    its.undo(entrant)
    with pytest.raises(RefusedError, match=f"entry {entrant} is taken back already"):
        its.undo(entrant)
    with pytest.raises(UsageError, match="there is no entry 99"):
        its.undo(99)
    with pytest.raises(UsageError, match="there is no entry"):
        its.undo(its.book.head.entries + 1)


@given(st.data())
def test_an_evening_of_entries_and_undoings_is_the_fold_of_its_lines(data: st.DataObject) -> None:
    its = evening()
    for number in range(data.draw(st.integers(1, 12))):
        if data.draw(st.booleans()):
            its.write(EntrantAdded(f"e{number}", "Somebody"))
            continue
        try:
            its.undo(data.draw(st.integers(1, its.book.head.entries)))
        except RefusedError:
            continue
    read = Book.read("club", its.lines, its.book.head)
    assert read == its.book
    assert fold(read.written) == its.book.state
    half = len(its.lines) // 2
    first = Book.read("club", its.lines[:half], Head(half, line_hash(its.lines[half - 1][1])))
    assert first.read_on(its.lines[half:], its.book.head) == its.book


def whole() -> Evening:
    its = evening(heats=1)
    its.write(attempt())
    its.end()
    return its


def found(lines: list[tuple[int, str]], head: Head) -> list[str]:
    return list(faults("club", lines, head))


def test_a_whole_book_has_no_faults() -> None:
    its = whole()
    assert found(its.lines, its.book.head) == []


@pytest.mark.parametrize("seq", range(1, 9))
def test_a_changed_entry_is_found_and_named(seq: int) -> None:
    its = whole()
    lines, last = list(its.lines), len(its.lines)
    lines[seq - 1] = (seq, lines[seq - 1][1].replace('"by":"Marshal"', '"by":"Mallory"'))
    told = f"entry {seq} was changed: " + (
        "another hash was noted" if seq == last else f"entry {seq + 1} holds on to another one"
    )
    assert found(lines, its.book.head) == [told]


@pytest.mark.parametrize("seq", range(1, 9))
def test_a_removed_entry_is_found_and_named(seq: int) -> None:
    its = whole()
    lines = [(number, line) for number, line in its.lines if number != seq]
    assert found(lines, its.book.head) == [f"entry {seq} is missing"]


def test_a_removed_entry_is_found_when_those_behind_it_move_up() -> None:
    its = whole()
    kept = [line for number, line in its.lines if number != 3]
    assert "entry 3 was entry 4: entries were exchanged" in found(list(enumerate(kept, 1)), its.book.head)


def test_exchanged_entries_are_found_and_named() -> None:
    its = whole()
    lines = list(its.lines)
    lines[1], lines[2] = (2, lines[2][1]), (3, lines[1][1])
    told = found(lines, its.book.head)
    assert told[:2] == [
        "entry 2 was entry 3: entries were exchanged",
        "entry 3 was entry 2: entries were exchanged",
    ]


def test_an_entry_that_is_none_any_more_is_found_and_named() -> None:
    its = whole()
    lines = list(its.lines)
    lines[3] = (4, lines[3][1][:-9])
    assert found(lines, its.book.head)[0].startswith("entry 4 was changed: is not JSON")


def test_a_chain_written_anew_is_found_by_whoever_noted_its_head() -> None:
    its = whole()
    before, lines = json.loads(its.lines[0][1])["before"], []
    for seq, line in its.lines:
        written = replace(read_line(line, "")[0], by="Mallory")
        lines.append((seq, write_line(written, before)))
        before = line_hash(lines[-1][1])
    assert found(lines, Head(len(lines), before)) == []
    assert found(lines, its.book.head) == ["entry 8 was changed: another hash was noted"]


def test_a_book_that_is_not_this_competitions_is_found() -> None:
    its = whole()
    assert list(faults("other", its.lines, its.book.head)) == [
        "entry 1 was changed: it does not hold on to the competition other"
    ]


def test_entries_that_nobody_noted_are_told() -> None:
    its = whole()
    assert found(its.lines, Head(7, its.book.head.hash)) == ["8 entries are there, and 7 were noted"]


def test_a_book_that_is_not_whole_is_not_read() -> None:
    its = whole()
    with pytest.raises(CompetitionError, match="entry 3 is missing") as caught:
        Book.read("club", its.lines[:2] + its.lines[3:], its.book.head)
    assert caught.value.where == "club"
    assert caught.value.cure


def test_entries_without_their_beginning_come_to_nothing() -> None:
    with pytest.raises(RefusedError, match="has not begun"):
        fold(whole().book.written[1:])
