"""What a person may say of what stands where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metal import builtin

from pointsman.errors import NotationError
from pointsman.operate.putting_right import corrected, how, why_not_so
from pointsman.puzzle.position import parse_position
from pointsman.track.marks import marked, pushed_towards
from pointsman.track.model import End

SMALL = builtin("inglenook-small")
HALTED = parse_position("head: L 4 | s1: 1 2 | s2: 5 | T1>thrown: 3", SMALL)


def after(answer: str) -> str:
    return str(corrected(SMALL, HALTED, answer))


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ("3 s3", "head: L 4 | s1: 1 2 | s2: 5 | s3: 3"),
        ("3 s2", "head: L 4 | s1: 1 2 | s2: 3 5 | s3:"),
        ("3 s2 2", "head: L 4 | s1: 1 2 | s2: 5 3 | s3:"),
        ("3 head", "head: L 4 3 | s1: 1 2 | s2: 5 | s3:"),
        ("3 HEAD 1", "head: 3 L 4 | s1: 1 2 | s2: 5 | s3:"),
        ("l s3", "head: 4 | s1: 1 2 | s2: 5 | s3: L | T1>thrown: 3"),
        ("2 s1", "head: L 4 | s1: 2 1 | s2: 5 | s3: | T1>thrown: 3"),
        ("3 s2, 4 s2,5  s3 ", "head: L | s1: 1 2 | s2: 4 3 | s3: 5"),
        ("head: L | s1: 1 2 3 | s2: 4 5", "head: L | s1: 1 2 3 | s2: 4 5 | s3:"),
    ],
)
def test_what_is_meant(answer: str, line: str) -> None:
    assert after(answer) == line


@pytest.mark.parametrize(
    ("answer", "what", "cure"),
    [
        ("", "'' is not understood", "write a wagon and its track, like 4 s3, or the whole line"),
        ("3", "'3' is not understood", "like 4 s3"),
        ("3 s2 1 1", "is not understood", "like 4 s3"),
        ("3 s2,", "'' is not understood", "like 4 s3"),
        ("9 s2", "there is no vehicle '9'", "known here"),
        ("3 s9", "there is no track 's9'", "known here"),
        ("3 T1", "there is no track 'T1'", "s1"),
        ("3 s2 0", "there is no place 0 for 3 in s2", "places are 1 to 2"),
        ("3 s2 3", "there is no place 3 for 3 in s2", "places are 1 to 2"),
        ("3 s2 -1", "there is no place -1", "places"),
        ("3 s2 ²", "there is no place ²", "places"),
        ("3 s2 " + "9" * 5000, "there is no place 9", "places"),
        ("head: L", "missing: 4 1 2 5 3", "every vehicle"),
        ("head: L 4 9", "there is no vehicle '9'", ""),
        ("s1: 1 2 3 4", "4 vehicles in s1, which holds 3", ""),
        ("head: L 4 | s1: 1 2 | s2: 5 5", "5 is in s2 already", ""),
    ],
)
def test_what_cannot_be_meant(answer: str, what: str, cure: str) -> None:
    with pytest.raises(NotationError) as raised:
        after(answer)
    assert what in raised.value.what
    assert cure in raised.value.cure


@given(st.text(alphabet="L1234 5s,:|T>head\x00\xb2é", max_size=30))
def test_whatever_is_typed_no_vehicle_is_lost(answer: str) -> None:
    try:
        found = corrected(SMALL, HALTED, answer)
    except NotationError:
        return
    assert sorted(found.vehicles) == sorted(HALTED.vehicles)


@pytest.mark.parametrize(
    ("line", "reasons"),
    [
        ("head: L 4 | s1: 1 2 | s2: 5 | s3: 3", []),
        ("head: L 4 | s1: 1 2 | s2: 5 | T1>thrown: 3", ["3 stands on T1: say on which track it stands"]),
    ],
)
def test_why_it_cannot_stand_so(line: str, reasons: list[str]) -> None:
    assert why_not_so(SMALL, parse_position(line, SMALL)) == reasons


def test_a_track_may_be_too_full_in_between_but_not_in_the_end() -> None:
    full = corrected(SMALL, HALTED, "3 s1, 4 s1")
    assert why_not_so(SMALL, full) == ["4 vehicles in s1, which holds 3"]
    assert why_not_so(SMALL, corrected(SMALL, full, "1 s2")) == []


def test_vehicles_that_are_too_long_for_a_track() -> None:
    # Two units of room, 199 mm: a locomotive of 117 mm and a wagon of 84 do not fit in.
    long = corrected(SMALL, HALTED, "3 s1, L s3, 4 s3")
    assert why_not_so(SMALL, long) == ["4 L are 201 mm long, s3 is 199"]


def test_the_example_is_something_that_could_be_meant() -> None:
    assert how(SMALL, HALTED) == "write a wagon and its track, like 4 s3, or the whole line"


def test_how_a_row_is_set_up() -> None:
    assert marked(SMALL, "head", ["L"]) == "L"
    assert marked(SMALL, "head", ["4", "L"]) == "L"
    assert marked(SMALL, "head", ["L", "4"]) is None  # beyond the fouling point
    assert marked(SMALL, "head", ["4", "3", "L"]) is None  # beyond the buffers
    assert marked(SMALL, "s1", ["L", "4"]) is None
    assert marked(SMALL, "head", ["4"]) is None
    assert [pushed_towards(SMALL.segments[name]) for name in ("head", "s1", "s3")] == [End.TO, End.FROM, End.FROM]
    assert pushed_towards(builtin("timesaver").segments["B"]) in set(End)
