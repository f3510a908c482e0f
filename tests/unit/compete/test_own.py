"""A club's own scheme: what it counts, and every mistake with its file, key and cure."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from attempts import ABSENT, played

from pointsman.compete.marks import Fault, Marks, Outcome
from pointsman.compete.scoring.own import load_own, read_own
from pointsman.compete.scoring.scheme import Terms
from pointsman.compete.scoring.score import Score
from pointsman.errors import LayoutError

DNF = Outcome.DID_NOT_FINISH
EVENING = """
title = "Our evening"
over_par = ["runs", "time_s"]
ties = ["faults", "time_s"]
did_not_finish = 150
did_not_start = 200

[weights]
time_s = 0.1
runs = 3

[penalties]
derailment = 5
hand = 2.5
hints = 4

[caps]
time_s = 900
hints = 2
points = 150
"""


def scored(text: str, marks: Marks) -> Score:
    found = read_own(text, file="own.toml").attempt(marks, Terms())
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("marks", "text", "why"),
    [
        (played(seconds=90, runs=12), "0 points", ""),
        (played(seconds=91, runs=12), "0.1 points", ""),
        (played(seconds=100, runs=14), "7 points", ""),
        (played(seconds=90, runs=12, faults={Fault.DERAILMENT: 2, Fault.SIDE_SWIPE: 9}), "10 points", ""),
        (played(seconds=90, runs=12, hints=2, faults={Fault.HAND: 1}), "10.5 points", ""),
        (played(seconds=90, hints=3), "did not finish, 150 points", "more than the cap allows: hints"),
        (played(seconds=901, hints=3), "did not finish, 150 points", "more than the cap allows: time_s, hints"),
        (played(seconds=900), "81 points", ""),
        (played(seconds=90, runs=100), "150 points", ""),
        (played(outcome=DNF), "did not finish, 150 points", ""),
        (ABSENT, "did not start, 200 points", ""),
    ],
)
def test_a_worked_example(marks: Marks, text: str, why: str) -> None:
    found = scored(EVENING, marks)
    assert (found.text, found.why) == (text, why)


def test_a_tenth_is_a_tenth() -> None:
    assert scored('title = "t"\n[weights]\ntime_s = 0.1\n', played(seconds=3)).value == Fraction(3, 10)


def test_ties_are_broken_as_it_says() -> None:
    text = 'title = "t"\nties = ["faults", "time_s"]\n[weights]\nruns = 1\n'
    clean, quick = played(seconds=200), played(seconds=100, faults={Fault.HAND: 1})
    assert scored(text, clean) < scored(text, quick)
    assert scored(text, played(seconds=199)) < scored(text, clean)


def test_more_is_better_where_it_starts_with_points() -> None:
    text = 'title = "t"\nunit = "stars"\nstart_with = 10\n[weights]\nruns = 0.5\n'
    few, many = scored(text, played(runs=10)), scored(text, played(runs=18))
    assert (few.text, many.text) == ("5 stars", "1 star")
    assert few < many
    assert scored(text, played(runs=99)).text == "0 stars"
    assert scored(text, played(outcome=DNF)).text == "did not finish, 0 stars"


def test_without_flat_points_one_that_did_not_finish_has_none() -> None:
    assert scored('title = "t"\n[penalties]\nhand = 1\n', played(outcome=DNF)).value is None


HEAD = 'title = "t"\n'
WEIGHT = "[weights]\nruns = 1\n"


@pytest.mark.parametrize(
    ("text", "key", "what", "cure"),
    [
        ("title = ", "", "is not TOML", "missing quote"),
        ("[weights]\nruns = 1\n", "title", "is missing", "add `title = ...`"),
        ('title = ""\n' + WEIGHT, "title", "must not be empty", "one line for a person"),
        ("title = 7\n" + WEIGHT, "title", "must be text in quotes, but is 7", "one line for a person"),
        (HEAD, "", "nothing costs anything", "add what costs"),
        (HEAD + "[weights]\nrums = 1\n", "weights.rums", "is not a key of [weights]", "did you mean runs?"),
        (HEAD + "[weight]\nruns = 1\n", "weight", "is not a key of the top of the file", "did you mean weights?"),
        (HEAD + "[weights]\nruns = -1\n", "weights.runs", "must be at least 0, but is -1", "what one of them costs"),
        (HEAD + '[weights]\nruns = "2,5"\n', "weights.runs", "must be a number", "with a point: 2.5"),
        (HEAD + "[weights]\nruns = 2,5\n", "", "is not TOML", "write 2.5"),
        (HEAD + "[weights]\nruns = nan\n", "weights.runs", "must be a finite number", "what one of them costs"),
        (HEAD + "[weights]\nruns = true\n", "weights.runs", "must be a number, but is true", "what one of them costs"),
        (HEAD + "weights = 3\n", "weights", "must be a table, but is 3", "a table of what moves and time cost"),
        (HEAD + "[penalties]\nside_swipe = 1\n", "penalties.side_swipe", "is not a key", "did you mean side-swipe?"),
        (
            HEAD + WEIGHT + "[caps]\nhints = 1.5\n",
            "caps.hints",
            "must be a whole number, but is 1.5",
            "the most that is",
        ),
        (
            HEAD + WEIGHT + "[caps]\nruns = 0\n",
            "caps.runs",
            "must be more than 0, but is 0",
            "the most that is allowed",
        ),
        (HEAD + 'over_par = ["hints"]\n' + WEIGHT, "over_par[0]", "'hints' cannot be used here", "known here: runs"),
        (HEAD + 'over_par = ["couplings"]\n' + WEIGHT, "over_par[0]", "costs nothing", "add `couplings = ...` under"),
        (HEAD + 'over_par = ["runs", "runs"]\n' + WEIGHT, "over_par[1]", "is there twice", "leave one of them out"),
        (HEAD + 'ties = ["tims_s"]\n' + WEIGHT, "ties[0]", "'tims_s' cannot be used here", "did you mean time_s?"),
        (HEAD + "did_not_start = 120\n" + WEIGHT, "caps.points", "is missing", "add `points = ...`, at most 120"),
        (
            HEAD + "did_not_finish = 90\ndid_not_start = 80\n" + WEIGHT + "[caps]\npoints = 80\n",
            "did_not_start",
            "costs less than did_not_finish",
            "let it cost as much",
        ),
        (
            HEAD + "did_not_finish = 90\n" + WEIGHT + "[caps]\npoints = 100\n",
            "did_not_finish",
            "costs less than the 100 that a finished attempt can",
            "let it cost at least 100",
        ),
        (HEAD + "start_with = 9\ndid_not_start = 9\n" + WEIGHT, "did_not_start", "stands beside start_with", "has 0"),
    ],
)
def test_a_mistake_is_named_with_file_key_and_cure(text: str, key: str, what: str, cure: str) -> None:
    with pytest.raises(LayoutError) as caught:
        read_own(text, file="own.toml")
    (mistake,) = caught.value.mistakes
    assert (mistake.file, mistake.key) == ("own.toml", key)
    assert what in mistake.what
    assert cure in mistake.cure
    assert "layouts/" not in mistake.cure


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(LayoutError) as caught:
        read_own('ties = ["x"]\nbonus = 1\n[weights]\nruns = -1\n[caps]\nhints = "two"\n', file="own.toml")
    assert {m.key for m in caught.value.mistakes} == {"title", "ties[0]", "bonus", "weights.runs", "caps.hints"}


def test_a_file_is_read_with_its_text_and_named_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "evening.toml"
    path.write_text(EVENING, encoding="utf-8")
    scheme, text = load_own(path)
    assert (scheme.name, scheme.title, text) == ("evening", "Our evening", EVENING)
    assert scheme.source == f"the club's own: {path}"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LayoutError) as caught:
        load_own(tmp_path / "evening.toml")
    (mistake,) = caught.value.mistakes
    assert mistake.what == "there is no such file"
    assert mistake.cure == "check the path; docs/scoring.md shows how to write one"
