"""Entries as text: every kind both ways, always the same bytes, and what is no entry is told as such."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from evening import ROUND, START, attempt, commitment, evening, finished
from hypothesis import given
from hypothesis import strategies as st

from pointsman.compete.entries import (
    AdvanceRule,
    AttemptEnded,
    Checked,
    ClockStarted,
    Created,
    CutOffRule,
    EntrantAdded,
    EntrantChanged,
    Entry,
    FaultMarked,
    HeatOpened,
    HintMarked,
    Journal,
    MarksCorrected,
    Paused,
    Resumed,
    Revealed,
    Scope,
    SetUpAgreed,
    SharedTrainCounted,
    SpeedChecked,
    TokenGiven,
    TokenRevoked,
    Undone,
    Withdrawn,
    Written,
)
from pointsman.compete.entry_json import KINDS, first_hash, kind_of, line_hash, read_line, write_line
from pointsman.compete.marks import Fault, Outcome
from pointsman.compete.ranking import By
from pointsman.errors import CompetitionError

BEFORE = "0" * 64
EVERY = (
    Created("Club evening", date(2026, 11, 27), "The shed"),
    EntrantAdded("ada", "Ada", "Eastern", "children", "Coal"),
    EntrantChanged("ada", "Ada É."),
    Withdrawn("ada"),
    replace(
        ROUND,
        own_scheme='title = "Ours"\n',
        time_limit_ms=600_000,
        cut_off=CutOffRule(1, Fraction(25, 2)),
        free_faults=(Fault.DERAILMENT,),
        most_hints=0,
        advance=AdvanceRule(By.PERCENT, Fraction(75)),
        category="children",
    ),
    commitment(ROUND),
    HeatOpened("r1", 1, ("1", "2"), 7),
    Revealed("r1", "0" * 32),
    attempt(),
    SetUpAgreed("a1", "head: 1 2 / L", "5" * 64),
    SpeedChecked("r1", "L", 1_000, 20_000),
    SharedTrainCounted("r1", 2, 3),
    ClockStarted("a1"),
    Paused("a1", 1_000),
    Resumed("a1", 1_000),
    FaultMarked("a1", Fault.SIDE_SWIPE, 2_000),
    HintMarked("a1", 3_000),
    AttemptEnded("a1", Outcome.FINISHED, Journal("a1.journal", "6" * 64), finished()),
    MarksCorrected("a1", finished(13)),
    Checked("a1"),
    Undone(3),
    TokenGiven("Tablet 1", Scope.MARK, "7" * 64, START),
    TokenRevoked("Tablet 1"),
)


def written(entry: Entry, why: str = "") -> Written:
    return Written(3, "Marshal", START, why, entry)


@pytest.mark.parametrize("entry", EVERY, ids=kind_of)
def test_every_kind_of_entry_is_read_as_it_was_written(entry: Entry) -> None:
    line = write_line(written(entry, "because"), BEFORE)
    assert read_line(line, "here") == (written(entry, "because"), BEFORE)
    assert json.loads(line)["kind"] == kind_of(entry)


def test_there_is_a_case_for_every_kind() -> None:
    assert {kind_of(entry) for entry in EVERY} == KINDS.keys()


def test_a_line_has_these_bytes_and_the_chain_this_hash() -> None:
    line = write_line(Written(4, "Renée", START, "déraillé", Withdrawn("ada")), BEFORE)
    assert line == (
        '{"at":"2026-11-27T18:30:00Z","before":"' + BEFORE + '","by":"Renée","entry":{"entrant":"ada"},'
        '"kind":"withdrawn","seq":4,"why":"déraillé"}'
    )
    assert line_hash(line) == hashlib.sha256(line.encode("utf-8")).hexdigest()
    assert first_hash("club") == hashlib.sha256(b"pointsman book 1\nclub\n").hexdigest()


def without(values: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != key}


WHOLE = json.loads(write_line(written(attempt()), BEFORE))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (WHOLE | {"kind": "attemt"}, 'there is no kind of entry "attemt"'),
        (WHOLE | {"kind": 3}, "there is no kind of entry 3"),
        (without(WHOLE, "why"), "is no entry: it must have at, before, by, entry, kind, seq, why"),
        (WHOLE | {"more": 1}, "is no entry"),
        ([1], "is no entry"),
        (WHOLE | {"before": 1}, "before must be a hash"),
        (WHOLE | {"entry": 3}, "attempt must be a table, but is 3"),
        (WHOLE | {"entry": without(WHOLE["entry"], "heat")}, "attempt.heat is missing"),
        (WHOLE | {"entry": WHOLE["entry"] | {"x": 1}}, "attempt.x is no key of such an entry"),
        (WHOLE | {"entry": WHOLE["entry"] | {"heat": "1"}}, 'attempt.heat must be a whole number, but is "1"'),
        (WHOLE | {"entry": WHOLE["entry"] | {"heat": True}}, "attempt.heat must be a whole number, but is true"),
        (WHOLE | {"entry": WHOLE["entry"] | {"heat": 0}}, "attempt.heat must be at least 1, but is 0"),
        (
            WHOLE | {"entry": WHOLE["entry"] | {"entrant": "Ada B"}},
            'attempt.entrant is not written as it should be: "Ada B"',
        ),
        (WHOLE | {"entry": WHOLE["entry"] | {"heat": 1_001}}, "attempt.heat must be at most 1000, but is 1001"),
        (WHOLE | {"entry": WHOLE["entry"] | {"cards": []}}, "attempt.cards must not be empty"),
        (WHOLE | {"entry": WHOLE["entry"] | {"cards": ["1"] * 101}}, "attempt.cards must have at most 100 of them"),
        (WHOLE | {"entry": WHOLE["entry"] | {"cards": "1"}}, "attempt.cards must be a list"),
        (WHOLE | {"by": ""}, "entry.by must not be empty"),
        (WHOLE | {"by": "x" * 201}, "entry.by must have at most 200 characters"),
        (WHOLE | {"by": 7}, "entry.by must be text, but is 7"),
        (
            WHOLE | {"kind": "fault", "entry": {"attempt": "a1", "fault": "cow", "at_ms": 1}},
            "fault.fault must be one of",
        ),
        (WHOLE | {"by": " x"}, 'entry.by must be one line, with no space at its ends, but is " x"'),
        (WHOLE | {"at": "2026-11-27T18:30:00+01:00"}, "entry.at must be in UTC"),
        (WHOLE | {"at": "2026-11-27T18:30:00"}, "entry.at must be in UTC"),
        (WHOLE | {"seq": 0}, "entry.seq must be at least 1"),
    ],
)
def test_what_is_no_entry_is_told_by_its_place_and_what_is_wrong(values: object, told: str) -> None:
    with pytest.raises(CompetitionError) as caught:
        read_line(json.dumps(values), "line 3")
    assert told in caught.value.what
    assert caught.value.where == "line 3"
    assert caught.value.cure


def test_marks_that_are_wrong_are_told_by_their_keys() -> None:
    line = write_line(written(MarksCorrected("a1", finished()), "a slip"), BEFORE)
    with pytest.raises(CompetitionError, match="time_ms"):
        read_line(line.replace("245312", "-1"), "here")


@pytest.mark.parametrize("line", ["", "{", "[" * 100_000, '{"a":' + "1" * 5_000 + "}", "x" * 300_000, '"\ud800"'])
def test_what_is_not_even_json_is_told_as_such(line: str) -> None:
    with pytest.raises(CompetitionError):
        read_line(line, "here")


@pytest.mark.parametrize(
    "wrong",
    [
        Written(1, "Marshal", START, "", EntrantAdded("Ada", "Ada")),
        Written(1, "Marshal", START, "", EntrantAdded("ada", "A\ud800")),
        Written(1, "Marshal", START, "", EntrantAdded("ada", "A\nB")),
        Written(1, "", START, "", EntrantAdded("ada", "Ada")),
        Written(1, "Marshal", START.replace(tzinfo=None), "", EntrantAdded("ada", "Ada")),
        Written(1, "Marshal", START.astimezone(timezone(timedelta(hours=1))), "", EntrantAdded("ada", "Ada")),
        Written(1, "Marshal", START, "", Paused("a1", -1)),
        Written(1, "Marshal", START, "", replace(ROUND, own_scheme="x" * 250_000)),
    ],
)
def test_what_could_not_be_read_again_is_not_written(wrong: Written) -> None:
    with pytest.raises(CompetitionError):
        write_line(wrong, BEFORE)


def test_what_would_be_read_as_another_entry_is_not_written() -> None:
    with pytest.raises(CompetitionError, match="would be read as another one"):
        write_line(written(HeatOpened("r1", 1, ["1", "2"], 7)), BEFORE)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["12.5", "1/0", "24/2", "x", "", "1" * 50, 12, None])
def test_what_is_no_exact_number_is_told(value: object) -> None:
    values = json.loads(write_line(written(EVERY[4]), BEFORE))
    values["entry"]["cut_off"]["at_most"] = value
    with pytest.raises(CompetitionError, match=r"round\.cut_off\.at_most must be an exact number"):
        read_line(json.dumps(values), "here")


TEXTS = st.text(max_size=20).filter(lambda text: text.isprintable() and text == text.strip())


@given(
    TEXTS.filter(bool),
    TEXTS,
    st.datetimes(timezones=st.just(UTC)),
)
def test_any_words_and_moments_come_back(by: str, club: str, at: datetime) -> None:
    its = Written(1, by, at, club, EntrantAdded("x", by, club))
    line = write_line(its, BEFORE)
    assert read_line(line, "here") == (its, BEFORE)
    # Whoever writes it again from its values has the same bytes.
    assert json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False) == line


def test_the_lines_of_an_evening_hold_on_to_each_other() -> None:
    before = first_hash("club")
    for seq, line in evening(heats=2).lines:
        its, told = read_line(line, "here")
        assert (its.seq, told) == (seq, before)
        before = line_hash(line)


def test_the_page_has_every_kind_of_entry_and_every_key() -> None:
    page = (Path(__file__).parents[3] / "docs" / "competition-book.md").read_text(encoding="utf-8")
    assert {name for name in KINDS if f"`{name}`" not in page} == set()
    assert {key for key in json.loads(write_line(written(attempt()), BEFORE)) if f"`{key}`" not in page} == set()
