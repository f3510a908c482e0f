"""Formats: what becomes of a round's attempts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from attempts import ABSENT, played
from hypothesis import given
from hypothesis import strategies as st

from pointsman.compete.formats import CutOff, added, class_named, format_named, pair, result
from pointsman.compete.marks import Outcome
from pointsman.compete.scoring.book import scheme_named
from pointsman.compete.scoring.scheme import Terms
from pointsman.compete.scoring.score import PERCENT, POINTS, SECONDS, Score
from pointsman.errors import RefusedError, UsageError
from pointsman.operate.referee import Origin

DNF, DNS = (Score(outcome, None, SECONDS) for outcome in (Outcome.DID_NOT_FINISH, Outcome.DID_NOT_START))
NAMES = ("best-of-1", "best-of-3", "best-of-5", "mean-of-3", "average-of-5", "sum-of-3", "best-2-of-3")


def timed(seconds: float | str) -> Score:
    return Score(Outcome.FINISHED, Fraction(str(seconds)), SECONDS)


def points(number: int, outcome: Outcome = Outcome.FINISHED) -> Score:
    return Score(outcome, Fraction(number), POINTS)


def told(form: str, *attempts: Score | None, cut_off: CutOff | None = None) -> str:
    found = result(format_named(form), attempts, cut_off)
    return ("none" if found.score is None else found.score.text) + (f", {found.open} open" if found.open else "")


@pytest.mark.parametrize(
    ("form", "attempts", "text"),
    [
        ("best-of-3", [timed(70), timed(65), timed(80)], "1:05"),
        ("best-of-3", [timed(70), DNF], "1:10, 1 open"),
        ("best-of-3", [DNF, timed(80), DNS], "1:20"),
        ("best-of-3", [DNS, DNF, DNS], "did not finish"),
        ("best-of-3", [DNS, DNS, DNS], "did not start"),
        ("best-of-3", [], "none, 3 open"),
        ("best-of-3", [None, timed(70)], "1:10, 2 open"),  # one is to be run again
        ("mean-of-3", [timed(60), timed("60.001"), timed("60.001")], "1:00.001"),  # 60.000667 s
        ("mean-of-3", [timed(60), timed(60), timed("60.001")], "1:00"),  # 60.000333 s
        ("mean-of-2", [timed(60), timed("60.001")], "1:00.001"),  # half a thousandth goes up
        ("mean-of-3", [timed(60), timed(61)], "none, 1 open"),
        ("mean-of-3", [timed(60), DNF, timed(60)], "did not finish"),
        ("mean-of-3", [DNS, DNS, timed(60)], "did not finish"),
        ("mean-of-3", [DNS, DNS, DNS], "did not start"),
        ("average-of-5", [timed(10), timed(99), timed(20), timed(30), timed(40)], "0:30"),
        ("average-of-5", [timed(10), DNF, timed(20), timed(30), timed(40)], "0:30"),  # the worst may be one
        ("average-of-5", [timed(10), DNF, timed(20), DNS, timed(40)], "did not finish"),
        ("sum-of-3", [points(3), points(0), points(120, Outcome.DID_NOT_START)], "123 points"),
        ("sum-of-3", [points(120, Outcome.DID_NOT_START)] * 3, "did not start, 360 points"),
        ("sum-of-3", [timed(60), timed(60), DNF], "did not finish"),
        ("best-2-of-3", [points(-4), points(9), points(6)], "2 points"),
        ("best-2-of-3", [timed(60), DNF, timed(61)], "2:01"),
    ],
)
def test_a_worked_example(form: str, attempts: list[Score | None], text: str) -> None:
    assert told(form, *attempts) == text


def test_a_round_of_mexican_train_over_three_rounds() -> None:
    scheme = scheme_named("added-up")
    rounds = [scheme.attempt(marks, Terms()) for marks in (played(runs=15), ABSENT, played(runs=12))]
    assert told("sum-of-3", *rounds) == "123 points"


def test_what_looks_the_same_is_tied() -> None:
    def of(*attempts: tuple[Fraction, int]) -> Score:
        made = [Score(Outcome.FINISHED, value, PERCENT, (seconds,)) for value, seconds in attempts]
        found = result(format_named("best-of-2"), made).score
        assert found is not None
        return found

    even = result(format_named("mean-of-3"), [timed(60), timed(60), timed(60)]).score
    nearly = result(format_named("mean-of-3"), [timed(60), timed(60), timed("60.001")]).score
    assert even is not None
    assert nearly is not None
    assert even.ties_with(nearly)
    seven_sixths, as_shown = Fraction(700, 6), Fraction(11_667, 100)
    assert of((seven_sixths, 200), (as_shown, 100)).ties_with(of((as_shown, 100), (seven_sixths, 200)))
    assert of((seven_sixths, 200), (as_shown, 100)).then[0] == 100  # the shorter time decides, not what nobody sees


def test_ties_are_broken_by_the_next_best_or_by_the_best() -> None:
    def of(form: str, *seconds: float) -> Score:
        found = result(format_named(form), [timed(s) for s in seconds]).score
        assert found is not None
        return found

    assert of("best-of-3", 60, 70, 99) < of("best-of-3", 60, 71, 72)
    assert of("best-of-3", 60, 70, 99) < of("best-of-3", 60, 70, 100)
    assert of("best-of-3", 60, 70, 99).ties_with(of("best-of-3", 99, 60, 70))
    assert of("mean-of-3", 50, 70, 90) < of("mean-of-3", 60, 70, 80)
    assert of("average-of-5", 10, 30, 30, 30, 90) < of("average-of-5", 20, 30, 30, 30, 31)
    one = result(format_named("mean-of-3"), [DNF, timed(60), DNF]).score
    other = result(format_named("mean-of-3"), [timed(61), timed(61), DNF]).score
    assert one is not None
    assert other is not None
    assert one < other  # neither has a mean; the best attempt decides


def test_the_cut_off() -> None:
    cut_off = CutOff(after=2, at_most=Fraction(90))
    assert told("average-of-5", timed(91), timed(90), cut_off=cut_off) == "none, 3 open"
    assert told("average-of-5", timed(91), timed("90.001"), cut_off=cut_off) == "did not finish"
    assert told("average-of-5", timed(91), None, cut_off=cut_off) == "none, 4 open"
    assert told("best-of-3", timed(91), timed(95), cut_off=cut_off) == "1:31"
    assert result(format_named("best-of-3"), [timed(91), DNF], cut_off).cut_off
    more = Score(Outcome.FINISHED, Fraction(80), POINTS, higher=True)
    assert result(format_named("best-of-3"), [more, more], cut_off).cut_off
    assert not result(format_named("best-of-3"), [more, more], CutOff(2, Fraction(80))).cut_off


def test_more_attempts_than_there_are() -> None:
    with pytest.raises(UsageError, match="2 attempts in best-of-1"):
        result(format_named("best-of-1"), [DNF, DNF])


@pytest.mark.parametrize(
    "name", ["best-of-0", "average-of-2", "mean-of-1", "best-4-of-3", "best-0-of-3", "worst-of-3", ""]
)
def test_a_format_that_is_none(name: str) -> None:
    with pytest.raises(UsageError, match="such are: best-of-3"):
        format_named(name)


@pytest.mark.parametrize(("form", "origin"), [("best-of-3", Origin.SEEN), ("mean-of-3", Origin.ENTERED)])
def test_a_result_names_the_weakest_origin_of_the_attempts_it_is_made_of(form: str, origin: Origin) -> None:
    entered = Score(Outcome.FINISHED, Fraction(80), SECONDS, origin=Origin.ENTERED)
    found = result(format_named(form), [timed(70), entered, timed(90)]).score
    assert found is not None
    assert found.origin is origin


def test_a_pair_has_finished_when_both_have() -> None:
    assert pair(timed(60), timed(30)).text == "1:30"
    assert pair(timed(60), DNF).text == "did not finish"
    assert pair(DNS, DNS).text == "did not start"
    assert pair(points(3), points(120, Outcome.DID_NOT_START)).text == "did not start, 123 points"
    assert pair(timed(60), timed(30)).ties_with(pair(timed(30), timed(60)))


def test_what_cannot_be_added() -> None:
    with pytest.raises(UsageError, match="scores of different kinds: points, seconds"):
        added([timed(60), points(3)])
    with pytest.raises(UsageError, match="nothing to add up"):
        added([])


def test_a_class_with_fewer_wagons() -> None:
    children = class_named("children")
    children.check(5)
    class_named("open").check(99)
    for name in ("children", "Enfants"):
        with pytest.raises(RefusedError, match=f"the puzzle has 8 wagons, and {name} plays with at most 5"):
            class_named(name).check(8)


scores = st.one_of(
    st.builds(
        lambda ms, origin: Score(Outcome.FINISHED, Fraction(ms, 1000), SECONDS, origin=origin),
        st.integers(1, 4000),
        st.sampled_from(Origin),
    ),
    st.sampled_from([DNF, DNS]),
)
five = st.lists(scores, min_size=5, max_size=5)


@given(st.sampled_from(NAMES), five.flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))))
def test_the_order_of_attempts_changes_no_result(name: str, both: tuple[list[Score], list[Score]]) -> None:
    form = format_named(name)
    if form.attempts == 5:
        assert result(form, both[0]) == result(form, both[1])
    assert result(format_named("best-of-9"), both[0]) == result(format_named("best-of-9"), both[1])


@given(st.sampled_from(NAMES), st.lists(st.tuples(scores, scores), min_size=5, max_size=5))
def test_better_attempts_never_make_a_result_worse(name: str, both: list[tuple[Score, Score]]) -> None:
    form = format_named(name)
    pairs = both[: form.attempts]
    better = result(form, [min(pair) for pair in pairs]).score
    worse = result(form, [max(pair) for pair in pairs]).score
    assert better is not None
    assert worse is not None
    assert better.key <= worse.key
