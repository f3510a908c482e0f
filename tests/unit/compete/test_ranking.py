"""Ranks, ties, and who advances."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.compete.formats import Result
from pointsman.compete.marks import Outcome
from pointsman.compete.ranking import Advance, Advancing, By, Edge, advancing, ranked
from pointsman.compete.scoring.score import POINTS, SECONDS, Score
from pointsman.errors import UsageError

DNF = Result(Score(Outcome.DID_NOT_FINISH, None, POINTS))
DNS = Result(Score(Outcome.DID_NOT_START, None, POINTS))


def points(number: int, *then: int, still: int = 0, higher: bool = False) -> Result:
    return Result(Score(Outcome.FINISHED, Fraction(number), POINTS, then, higher), still)


def ranks(**results: Result) -> dict[str, int | None]:
    return {place.entrant: place.rank for place in ranked(results)}


def goes_on(by: By, value: int, results: dict[str, Result], *withdrawn: str, edge: Edge = Edge.ALL) -> Advancing:
    return advancing(ranked(results), Advance(by, Fraction(value), edge), withdrawn)


def test_ties_share_a_rank_after_the_tie_break() -> None:
    found = ranks(ann=points(7), ben=points(5, 2), cat=points(5, 1), dan=points(5, 2), eve=points(9))
    assert found == {"cat": 1, "ben": 2, "dan": 2, "ann": 4, "eve": 5}


def test_not_finished_and_not_started_come_last_and_who_has_no_score_has_no_rank() -> None:
    found = ranks(ann=DNS, ben=Result(None, 3), cat=DNF, dan=points(9), eve=DNF)
    assert found == {"dan": 1, "cat": 2, "eve": 2, "ann": 4, "ben": None}
    assert list(found) == ["dan", "cat", "eve", "ann", "ben"]


def test_where_more_is_better() -> None:
    assert ranks(ann=points(7, higher=True), ben=points(9, higher=True)) == {"ben": 1, "ann": 2}


def test_seconds_are_not_compared_with_points() -> None:
    with pytest.raises(UsageError, match="scores of different kinds: points, seconds"):
        ranked({"ann": points(7), "ben": Result(Score(Outcome.FINISHED, Fraction(7), SECONDS))})


FIELD = {"ann": points(1), "ben": points(2), "cat": points(3), "dan": points(4), "eve": DNF, "flo": DNS}
TIED = {"ann": points(1), "ben": points(2), "cat": points(2), "dan": points(4)}


@pytest.mark.parametrize(
    ("by", "value", "through", "reserves"),
    [
        (By.RANK, 2, "ann ben", "cat dan"),
        (By.RANK, 9, "ann ben cat dan", ""),  # who did not finish does not go on
        (By.PERCENT, 50, "ann ben", "cat dan"),  # of the five who started, rounded down
        (By.PERCENT, 5, "ann", "ben cat dan"),
        (By.RESULT, 3, "ann ben cat", ""),
        (By.RESULT, 0, "", ""),
    ],
)
def test_who_advances(by: By, value: int, through: str, reserves: str) -> None:
    found = goes_on(by, value, FIELD)
    assert (" ".join(found.entrants), " ".join(found.reserves)) == (through, reserves)
    assert found.certain


def test_the_next_one_takes_the_place_of_one_who_withdraws() -> None:
    assert goes_on(By.RANK, 2, FIELD, "ann").entrants == ("ben", "cat")
    assert goes_on(By.PERCENT, 50, FIELD, "ben").entrants == ("ann", "cat")
    assert goes_on(By.RESULT, 3, FIELD, "ben").entrants == ("ann", "cat")


def test_those_tied_at_the_edge_all_go_on_or_all_stay() -> None:
    assert goes_on(By.RANK, 2, TIED) == Advancing(("ann", "ben", "cat"), ("dan",), ("ben", "cat"))
    assert goes_on(By.RANK, 2, TIED, edge=Edge.NONE) == Advancing(("ann",), ("ben", "cat", "dan"), ("ben", "cat"))
    assert goes_on(By.RANK, 3, TIED).tied == ()  # they are both through: nothing is at the edge
    assert goes_on(By.RANK, 2, TIED, "cat") == Advancing(("ann", "ben"), ("dan",))


def test_it_is_open_while_an_attempt_is() -> None:
    assert not goes_on(By.RANK, 1, {"ann": points(1), "ben": points(2, still=1)}).certain
    assert not goes_on(By.RESULT, 1, {"ann": points(1), "ben": Result(None, 1)}).certain


@pytest.mark.parametrize(
    ("by", "value"),
    [(By.RANK, Fraction(0)), (By.RANK, Fraction(3, 2)), (By.PERCENT, Fraction(0)), (By.PERCENT, Fraction(101))],
)
def test_a_rule_that_cannot_be(by: By, value: Fraction) -> None:
    with pytest.raises(UsageError, match="cannot advance"):
        Advance(by, value)


fields = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.one_of(
        st.builds(points, st.integers(0, 3), st.integers(0, 1), still=st.integers(0, 1)),
        st.sampled_from([DNF, DNS, Result(None, 2)]),
    ),
)


@given(fields, st.randoms(use_true_random=False))
def test_the_order_of_entrants_changes_no_rank(field: dict[str, Result], random: Random) -> None:
    names = list(field)
    random.shuffle(names)
    assert ranked({name: field[name] for name in names}) == ranked(field)


@given(fields)
def test_a_rank_is_one_more_than_how_many_are_better(field: dict[str, Result]) -> None:
    places = ranked(field)
    assert sorted(place.entrant for place in places) == sorted(field)
    for place in places:
        own = place.result.score
        scores = [other.result.score for other in places if other.result.score is not None]
        assert place.rank == (None if own is None else 1 + sum(score < own for score in scores))
        assert place.shared == (own is not None and sum(score.ties_with(own) for score in scores) > 1)


@given(fields, st.integers(1, 8), st.sampled_from(Edge), st.sets(st.sampled_from("abcdefgh"), max_size=3))
def test_nobody_goes_on_before_a_better_one_or_apart_from_an_equal_one(
    field: dict[str, Result], many: int, edge: Edge, withdrawn: set[str]
) -> None:
    found = goes_on(By.RANK, many, field, *withdrawn, edge=edge)
    score = {name: its.score for name, its in field.items()}
    assert not set(found.entrants) & withdrawn
    assert not set(found.reserves) & {*withdrawn, *found.entrants}
    for through in found.entrants:
        for not_through in found.reserves:
            one, other = score[through], score[not_through]
            assert one is not None
            assert other is not None
            assert one < other
    if not found.tied:
        assert len(found.entrants) == min(many, len(found.entrants) + len(found.reserves))
