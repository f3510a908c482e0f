"""Standings, by examples worked out by hand: formats, withdrawals, who goes on, and what is certain when."""

from __future__ import annotations

from fractions import Fraction

import pytest
from attempts import ABSENT, played
from club import EQUIPMENT, Club

from pointsman.compete.entries import AdvanceRule, CutOffRule, EntrantAdded, MarksCorrected, SharedTrainCounted
from pointsman.compete.marks import Marks, Outcome
from pointsman.compete.ranking import By, Edge
from pointsman.compete.standings import Advances, RoundStanding, Row, standings

GIVEN_UP = Marks(Outcome.DID_NOT_FINISH)
FIRST = AdvanceRule(By.RANK, Fraction(1))


def timed(seconds: float) -> Marks:
    return played(seconds=seconds)


def standing(club: Club, round_id: str = "r1") -> RoundStanding:
    return standings(club.state).rounds[round_id]


def ranks(club: Club, round_id: str = "r1") -> dict[str, int | None]:
    return {row.entrant: row.rank for row in standing(club, round_id).rows}


def certain(club: Club, round_id: str = "r1") -> set[str]:
    return {row.entrant for row in standing(club, round_id).rows if row.rank_certain}


def row(club: Club, entrant: str, round_id: str = "r1") -> Row:
    return next(its for its in standing(club, round_id).rows if its.entrant == entrant)


def text(its: Row) -> str:
    return "" if its.result.score is None else its.result.score.text


def test_one_attempt_each_a_tie_shares_its_rank() -> None:
    club = Club("ann", "ben", "cat", "dan")
    club.announce(scheme="allen", format="best-of-1", heats=1)
    club.play_all([("ann", timed(70)), ("ben", timed(60)), ("cat", timed(70)), ("dan", GIVEN_UP)])
    its = standing(club)
    assert [(r.entrant, r.rank, r.shared) for r in its.rows] == [
        ("ben", 1, False),
        ("ann", 2, True),
        ("cat", 2, True),
        ("dan", 4, False),
    ]
    assert its.certain
    assert certain(club) == {"ann", "ben", "cat", "dan"}


def test_a_rank_is_certain_as_soon_as_nobody_can_pass() -> None:
    club = Club("ann", "ben", "cat")
    club.announce(scheme="least-moves", format="best-of-2", heats=2, time_limit_ms=900_000, par_least=7)
    club.play("ann", played(runs=9), played(runs=8))
    club.play("ben", played(runs=20), played(runs=12))
    assert certain(club) == set()
    # Cat can be better than both still, and pushes Ben down by that.
    club.play("cat", played(runs=10))
    assert certain(club) == {"ben"}
    assert ranks(club) == {"ann": 1, "cat": 2, "ben": 3}
    club.play("cat", played(runs=9))
    assert certain(club) == {"ann", "ben", "cat"}


def test_the_rank_of_one_who_has_still_to_play_can_be_certain() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="mean-of-2", heats=2)
    club.play("ann", timed(60), timed(61))
    club.play("ben", GIVEN_UP)
    # Without a value a mean has none, whatever comes.
    assert certain(club) == {"ann"}
    assert ranks(club) == {"ann": 1, "ben": None}
    club.play("ben", timed(10))
    assert certain(club) == {"ann", "ben"}
    assert text(row(club, "ben")) == "did not finish"


def test_an_attempt_that_is_on_or_to_be_run_again_is_open() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="best-of-1", heats=1)
    club.play("ben", timed(60))
    attempt = club.call("ann")
    assert not standing(club).certain
    club.end(attempt, EQUIPMENT)
    assert (row(club, "ann").result.open, row(club, "ann").attempts[0].attempt) == (1, attempt)
    again = club.call("ann", number=1, heat=1)
    club.end(again, timed(50))
    assert ranks(club) == {"ann": 1, "ben": 2}
    assert row(club, "ann").attempts[0].attempt == again
    assert standing(club).certain


def test_who_withdraws_keeps_what_it_has_and_who_never_came_is_not_in_it() -> None:
    club = Club("ann", "ben", "cat")
    club.announce(scheme="allen", format="best-of-3", heats=3)
    club.play("ann", timed(60))
    club.play("cat", timed(50), timed(70), timed(80))
    club.leave("ann")
    club.leave("ben")
    assert ranks(club) == {"cat": 1, "ann": 2}
    assert standing(club).certain
    club.write(EntrantAdded("dan", "Dan"))
    assert not standing(club).certain
    club.reveal()
    assert [(r.entrant, text(r)) for r in standing(club).rows][-1] == ("dan", "did not start")
    assert standing(club).certain


def test_a_mean_of_one_who_withdraws_did_not_finish() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="mean-of-3", heats=3)
    club.play("ann", timed(60))
    club.leave("ann")
    assert text(row(club, "ann")) == "did not finish"
    assert row(club, "ann").result.certain


def test_one_who_withdraws_while_on_is_open_until_that_ends() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="best-of-2", heats=2)
    attempt = club.call("ann")
    club.leave("ann")
    assert not row(club, "ann").result.certain
    club.end(attempt, ABSENT)
    assert (text(row(club, "ann")), row(club, "ann").result.open) == ("did not start", 0)


def test_a_cut_off_leaves_no_attempt_open() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="mean-of-3", heats=3, cut_off=CutOffRule(1, Fraction(60)))
    club.play("ann", timed(60.001))
    club.play("ben", timed(60))
    assert (row(club, "ann").result.cut_off, row(club, "ann").result.open) == (True, 0)
    assert (row(club, "ben").result.cut_off, row(club, "ben").result.open) == (False, 2)


def test_an_attempt_that_cannot_be_scored_says_why_and_is_open() -> None:
    club = Club("ann")
    club.announce(scheme="allen", format="best-of-1", heats=1)
    club.play("ann", Marks(Outcome.FINISHED))
    its = row(club, "ann")
    assert its.attempts[0].missing == "the time on the clock of an attempt was not measured"
    assert not standing(club).certain
    club.write(MarksCorrected("r1-ann-1", timed(60)))
    assert standing(club).certain


# ---------------------------------------------------------------- who goes on


def final(club: Club, rule: AdvanceRule, **changes: object) -> None:
    club.announce(scheme="allen", format="best-of-1", heats=1, advance=rule)
    club.announce("r2", scheme="allen", format="best-of-1", heats=1, **changes)


def test_nobody_is_in_a_final_before_the_round_before_is_certain() -> None:
    club = Club("ann", "ben", "cat")
    final(club, AdvanceRule(By.RANK, Fraction(2)))
    club.play_all([("ann", timed(70)), ("ben", timed(60))])
    assert (ranks(club, "r2"), standing(club, "r2").certain) == ({}, False)
    advances = {r.entrant: r.advances for r in standing(club).rows}
    assert advances == {"ben": Advances.YES, "ann": Advances.OPEN, "cat": Advances.OPEN}
    club.play("cat", timed(65))
    assert set(ranks(club, "r2")) == {"ben", "cat"}
    assert [r.advances for r in standing(club).rows] == [Advances.YES, Advances.YES, Advances.RESERVE]


def test_a_withdrawal_is_replaced_until_one_has_an_attempt_in_the_final() -> None:
    club = Club("ann", "ben", "cat", "dan")
    final(club, AdvanceRule(By.RANK, Fraction(2)))
    club.play_all([("ann", timed(50)), ("ben", timed(60)), ("cat", timed(70)), ("dan", GIVEN_UP)])
    club.leave("ann")
    assert set(ranks(club, "r2")) == {"ben", "cat"}
    club.play("ben", timed(50), round_id="r2")
    club.leave("ben")
    assert set(ranks(club, "r2")) == {"ben", "cat"}
    club.leave("cat")
    # Dan has not finished, and is no reserve.
    assert set(ranks(club, "r2")) == {"ben"}


@pytest.mark.parametrize(
    ("rule", "through"),
    [
        (AdvanceRule(By.RANK, Fraction(2)), {"ann", "ben", "cat"}),
        (AdvanceRule(By.RANK, Fraction(2), Edge.NONE), {"ann"}),
        (AdvanceRule(By.PERCENT, Fraction(50)), {"ann"}),
        (AdvanceRule(By.RESULT, Fraction(60)), {"ann", "ben", "cat"}),
        (AdvanceRule(By.RESULT, Fraction(59)), {"ann"}),
    ],
)
def test_who_goes_on(rule: AdvanceRule, through: set[str]) -> None:
    club = Club("ann", "ben", "cat", "dan")
    final(club, rule)
    club.play_all([("ann", timed(50)), ("ben", timed(60)), ("cat", timed(60)), ("dan", ABSENT)])
    assert set(ranks(club, "r2")) == through
    assert {r.entrant for r in standing(club).rows if r.advances is Advances.YES} == through


def test_who_goes_on_can_be_certain_before_the_last_attempt() -> None:
    club = Club("ann", "ben", "cat")
    club.announce(scheme="added-up", format="sum-of-2", heats=2, advance=FIRST, par_least=7)
    club.play("ann", played())
    club.play("ben", played(runs=40), GIVEN_UP)
    # Ann can have 120 at worst, and Ben has 148; Cat can be before both.
    assert (row(club, "ann").advances, row(club, "ben").advances) == (Advances.OPEN, Advances.RESERVE)
    club.play("cat", GIVEN_UP, GIVEN_UP)
    assert (row(club, "ann").advances, row(club, "cat").advances) == (Advances.YES, Advances.NO)
    assert not standing(club).certain


def test_how_many_a_percentage_is_depends_on_who_starts_yet() -> None:
    club = Club("ann", "ben", "cat", "dan")
    club.announce(scheme="allen", format="mean-of-2", heats=2, advance=AdvanceRule(By.PERCENT, Fraction(50)))
    for name, *each in (("ann", timed(60), timed(60)), ("ben", timed(61), timed(61)), ("cat", ABSENT), ("dan", ABSENT)):
        club.play(name, *each)
    # Cat and Dan cannot go on, but if they start two go on, else one.
    assert [row(club, name).advances for name in ("ann", "ben", "cat")] == [Advances.YES, Advances.OPEN, Advances.NO]
    club.play_all([("cat", ABSENT), ("dan", ABSENT)])
    assert row(club, "ben").advances is Advances.RESERVE


def test_who_had_an_attempt_in_the_final_stays_in_it_after_a_correction() -> None:
    club = Club("ann", "ben")
    final(club, FIRST)
    club.play_all([("ann", timed(50)), ("ben", timed(60))])
    club.play("ann", timed(55), round_id="r2")
    club.write(MarksCorrected("r1-ann-1", timed(70)))
    assert set(ranks(club, "r2")) == {"ann", "ben"}


def test_a_class_has_rounds_of_its_own_and_feeds_its_own() -> None:
    club = Club(EntrantAdded("ann", "Ann", category="children"), EntrantAdded("ben", "Ben"))
    club.announce("c1", scheme="allen", format="best-of-1", heats=1, category="children", advance=FIRST)
    club.announce("r1", scheme="allen", format="best-of-1", heats=1)
    club.announce("c2", scheme="allen", format="best-of-1", heats=1, category="children")
    assert set(ranks(club, "c1")) == {"ann"}
    assert set(ranks(club, "r1")) == {"ann", "ben"}
    club.play("ann", timed(60), round_id="c1")
    assert set(ranks(club, "c2")) == {"ann"}


# ---------------------------------------------------------------- pairs, knockout, shared


def in_pairs() -> Club:
    return Club(
        EntrantAdded("ann", "Ann", pair="Red"),
        EntrantAdded("ben", "Ben", pair="Red"),
        EntrantAdded("cat", "Cat", pair="Blue"),
        EntrantAdded("dan", "Dan", pair="Blue"),
        EntrantAdded("eve", "Eve", pair="Odd"),
        EntrantAdded("flo", "Flo"),
    )


def test_a_pair_has_both_scores_added() -> None:
    club = in_pairs()
    club.announce(scheme="allen", format="pairs-best-of-1", heats=1)
    club.play_all([("ann", timed(60)), ("ben", timed(61)), ("cat", timed(50))])
    assert [(r.entrant, r.members, r.rank) for r in standing(club).rows] == [
        ("Red", ("ann", "ben"), 1),
        ("Blue", ("cat", "dan"), None),
    ]
    assert certain(club) == set()
    club.play("dan", GIVEN_UP)
    assert [(r.entrant, text(r)) for r in standing(club).rows] == [("Red", "2:01"), ("Blue", "did not finish")]
    assert standing(club).certain
    assert {one.attempt for one in row(club, "Blue").attempts} == {"r1-cat-1", "r1-dan-1"}
    best = row(club, "Red").result.best
    assert best is not None
    assert best.text == "1:00"
    sums = {r.entrant: text(r) for r in standings(club.state).overall[""]}
    assert sums["ann"] == sums["ben"] == "2:01"
    assert sums["eve"] == sums["flo"] == "did not start"


def test_pairs_that_go_on_go_on_together() -> None:
    club = in_pairs()
    club.announce(scheme="allen", format="pairs-best-of-1", heats=1, advance=FIRST)
    club.announce("r2", scheme="allen", format="best-of-1", heats=1)
    for seconds, name in enumerate(("ann", "ben", "cat", "dan"), 60):
        club.play(name, timed(seconds))
    assert set(ranks(club, "r2")) == {"ann", "ben"}
    club.leave("ann")
    assert set(ranks(club, "r2")) == {"cat", "dan"}


def test_a_knockout_of_pairs() -> None:
    club = in_pairs()
    club.announce(scheme="allen", format="pairs-knockout", heats=1)
    club.play_all([("ann", timed(60)), ("ben", timed(60)), ("cat", timed(50))])
    assert standing(club).meetings[0].winner is None
    club.play("dan", timed(71))
    assert ranks(club) == {"Red": 1, "Blue": 2}
    assert standing(club).certain


def test_a_knockout_goes_by_the_ranks_of_the_round_before() -> None:
    club = Club("ann", "ben", "cat", "dan", "eve")
    club.announce(scheme="allen", format="best-of-1", heats=1, advance=AdvanceRule(By.RANK, Fraction(4)))
    club.announce("k", scheme="allen", format="knockout", heats=3)
    for seconds, name in enumerate(("eve", "dan", "cat", "ben", "ann"), 60):
        club.play(name, timed(seconds))
    assert [(m.first, m.second) for m in standing(club, "k").meetings] == [("eve", "ben"), ("dan", "cat")]
    # Before it has begun a withdrawal is replaced; afterwards it is a lost meeting.
    club.leave("dan")
    assert [(m.first, m.second) for m in standing(club, "k").meetings] == [("eve", "ann"), ("cat", "ben")]
    club.play("cat", timed(60), round_id="k")
    club.leave("eve")
    club.write(EntrantAdded("flo", "Flo"))
    assert [(m.first, m.second, m.winner) for m in standing(club, "k").meetings] == [
        ("eve", "ann", "ann"),
        ("cat", "ben", None),
    ]
    club.play("ben", timed(60), round_id="k")
    # They tie, and meet again in heat 2; so the final is in heat 3.
    club.play_all([("ben", timed(50)), ("cat", timed(51))], "k")
    assert certain(club, "k") == {"eve", "cat"}
    assert ranks(club, "k") == {"ann": 1, "ben": 1, "eve": 3, "cat": 3}
    club.play_all([("ann", timed(50)), ("ben", timed(49))], "k")
    assert [(m.heat, m.first, m.second) for m in standing(club, "k").meetings][-1] == (3, "ann", "ben")
    assert ranks(club, "k") == {"ben": 1, "ann": 2, "eve": 3, "cat": 3}
    assert standing(club, "k").certain
    assert [one.number for one in row(club, "ben", "k").attempts] == [1, 2, 3]


def test_a_knockout_of_one_has_nobody_to_meet() -> None:
    club = Club("ann")
    club.announce(format="knockout", heats=1)
    assert ranks(club) == {"ann": None}
    assert not standing(club).certain


def points(over: int, placed: int = 5, helped: int = 0) -> Marks:
    return played(runs=12 + over, placed=placed, helped=helped)


def test_a_heat_is_shared_once_everybody_has_played_it() -> None:
    club = Club("ann", "ben", "eve")
    club.announce(scheme="aiguilleur", format="best-of-1", heats=1)
    club.write(SharedTrainCounted("r1", 1, 3))
    club.play_all([("ann", points(1)), ("ben", points(5))])
    assert {r.entrant: text(r) for r in standing(club).rows} == {"ann": "1 point", "ben": "5 points", "eve": ""}
    assert (certain(club), row(club, "ann").result.open) == (set(), 1)
    club.play("eve", GIVEN_UP)
    assert {r.entrant: text(r) for r in standing(club).rows} == {
        "ann": "-4 points",
        "ben": "6 points",
        "eve": "did not finish",
    }
    assert certain(club) == {"ann", "ben", "eve"}


def test_a_heat_is_played_out_when_those_missing_have_withdrawn_or_were_cut_off() -> None:
    club = Club("ann", "ben", "eve")
    club.announce(scheme="aiguilleur", format="sum-of-2", heats=2, cut_off=CutOffRule(1, Fraction(4)))
    club.play_all([("ann", points(1)), ("ben", points(5)), ("eve", points(2))])
    club.play("ann", points(0))
    assert not standing(club).certain
    club.leave("eve")
    its = standing(club)
    assert its.certain
    assert [(r.entrant, text(r)) for r in its.rows] == [
        ("ann", "-9 points"),
        ("eve", "did not finish"),
        ("ben", "did not finish"),
    ]


def test_a_shared_heat_whose_winner_was_not_counted_is_open() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="aiguilleur", format="best-of-1", heats=1)
    club.write(SharedTrainCounted("r1", 1, 3))
    club.play_all([("ann", played(placed=None)), ("ben", points(5))])
    assert row(club, "ann").attempts[0].missing == "the wagons in their places of a winner were not counted"
    assert not standing(club).certain


# ---------------------------------------------------------------- overall


def test_overall_adds_the_rounds_of_each_class() -> None:
    club = Club("ann", "ben", EntrantAdded("kim", "Kim", category="children"))
    club.announce("r1", scheme="added-up", format="best-of-1", heats=1)
    club.announce("r2", scheme="added-up", format="best-of-1", heats=1, advance=FIRST)
    club.announce("r3", scheme="added-up", format="best-of-1", heats=1)
    club.announce("k", format="knockout", heats=1)
    club.play_all([("ann", points(3)), ("ben", points(7)), ("kim", points(1))])
    its = standings(club.state).overall
    assert [(r.entrant, r.rank, text(r)) for r in its[""]] == [("ann", 1, "3 points"), ("ben", 2, "7 points")]
    assert [r.rank_certain for r in its[""]] == [False, False]
    assert [(r.entrant, r.rank, text(r), r.rank_certain) for r in its["children"]] == [("kim", 1, "1 point", True)]
    club.play_all([("ann", points(5)), ("ben", points(0)), ("kim", ABSENT)], "r2")
    club.play("ben", points(0), round_id="r3")
    its = standings(club.state).overall
    assert [(r.entrant, text(r), r.rank_certain) for r in its[""]] == [
        ("ben", "7 points", True),
        ("ann", "128 points", True),
    ]


def test_rounds_of_several_units_have_no_sum() -> None:
    club = Club("ann")
    club.announce("r1", scheme="allen", format="best-of-1", heats=1)
    club.announce("r2", scheme="reversals", format="best-of-1", heats=1)
    assert standings(club.state).overall == {"": ()}
    assert standings(Club("ann").state).overall == {"": ()}


def test_overall_nothing_is_certain_while_it_is_open_who_is_in_the_final() -> None:
    club = Club("ann", "ben", "cat")
    both = AdvanceRule(By.RANK, Fraction(2))
    club.announce(scheme="allen", format="mean-of-2", heats=2, advance=both)
    club.announce("r2", scheme="allen", format="best-of-1", heats=1)
    for name, *each in (("ann", timed(60), timed(60)), ("ben", timed(61), timed(61)), ("cat", GIVEN_UP)):
        club.play(name, *each)
    assert certain(club) == {"ann", "ben"}
    assert not any(its.rank_certain for its in standings(club.state).overall[""] if its.entrant in ("ann", "ben"))
