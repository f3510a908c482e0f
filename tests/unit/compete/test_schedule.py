"""Whose turn it is, in which heat, and why somebody may not be called."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from attempts import ABSENT, played
from club import EQUIPMENT, PAR, Club
from evening import ROUND, cards, commitment

from pointsman.compete.entries import AdvanceRule, CutOffRule, EntrantAdded, HeatOpened
from pointsman.compete.marks import Marks, Outcome
from pointsman.compete.ranking import By
from pointsman.compete.schedule import Due, Place, due, in_round, next_place, why_not
from pointsman.compete.standings import Tables
from pointsman.errors import UsageError

FIRST_TWO = AdvanceRule(By.RANK, Fraction(2))
UNMEASURED = Marks(Outcome.FINISHED)


def timed(seconds: float) -> Marks:
    return played(seconds=seconds)


def told(club: Club, entrant: str, round_id: str = "r1") -> tuple[Place | None, str]:
    return next_place(club.state, round_id, entrant), why_not(club.state, round_id, entrant)


def test_everybody_makes_one_attempt_after_the_other_each_in_its_heat() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="best-of-2", heats=2)
    assert told(club, "ann") == (Place(1, 1), "")
    club.play("ann", timed(60))
    assert told(club, "ann") == (Place(2, 2), "")
    assert told(club, "ben") == (Place(1, 1), "")
    club.play("ann", ABSENT)
    assert told(club, "ann") == (None, "ann has made every attempt of round r1")


def test_what_everybody_is_due_is_what_each_one_is_told() -> None:
    club = Club("ann", "ben", "cat", "dan", "eve")
    club.announce(scheme="allen", format="best-of-2", heats=4)
    club.play("cat", timed(60))
    club.call("ann")
    club.leave("dan")
    found = due(Tables(club.state), "r1")
    assert [its.entrant for its in found] == list(in_round(club.state, "r1"))
    assert found == tuple(Due(its.entrant, *told(club, its.entrant)) for its in found)


def test_a_heat_that_is_not_open_has_a_place_but_nobody_is_called() -> None:
    club = Club("ann")
    club.write(ROUND, commitment(ROUND))
    assert told(club, "ann") == (Place(1, 1), "heat 1 of round r1 is not open")
    club.write(HeatOpened("r1", 1, cards(1), PAR))
    assert told(club, "ann") == (Place(1, 1), "")
    club.play("ann", timed(60))
    assert told(club, "ann") == (Place(2, 2), "heat 2 of round r1 is not open")


def test_who_is_on_is_not_called_anywhere() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="best-of-2", heats=2)
    club.announce("r2", scheme="allen", format="best-of-1", heats=1)
    attempt = club.call("ann")
    why = f"attempt {attempt} of ann has not ended"
    assert told(club, "ann") == (None, why)
    assert told(club, "ann", "r2") == (Place(1, 1), why)
    assert told(club, "ben") == (Place(1, 1), "")
    club.end(attempt, timed(60))
    assert told(club, "ann", "r2") == (Place(1, 1), "")


def test_an_attempt_that_the_equipment_ended_is_run_again_before_the_next() -> None:
    club = Club("ann")
    club.announce(scheme="allen", format="best-of-2", heats=2)
    attempt = club.call("ann")
    club.end(attempt, EQUIPMENT)
    assert told(club, "ann") == (None, f"attempt {attempt} is to be run again on a spare draw")
    again = club.call("ann", number=1, heat=1)
    assert club.state.attempts[again].started.spare == 1
    assert told(club, "ann") == (None, f"attempt {again} of ann has not ended")
    club.end(again, timed(60))
    assert told(club, "ann") == (Place(2, 2), "")


def test_one_that_cannot_be_scored_yet_is_made_all_the_same() -> None:
    club = Club("ann")
    club.announce(scheme="allen", format="best-of-2", heats=2)
    club.play("ann", UNMEASURED)
    assert told(club, "ann") == (Place(2, 2), "")


def test_who_has_withdrawn_and_a_round_that_is_over() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="best-of-2", heats=2)
    club.play("ann", timed(60))
    club.leave("ann")
    assert told(club, "ann") == (None, "ann has withdrawn")
    club.leave("ben")
    assert told(club, "ben") == (None, "ben has withdrawn")
    assert in_round(club.state, "r1") == ("ann",)
    club.write(EntrantAdded("cat", "Cat"))
    club.reveal()
    assert told(club, "cat") == (None, "round r1 is over: its secret is out")


def test_names_that_nobody_knows_are_told_with_a_cure() -> None:
    club = Club("ann")
    club.announce()
    with pytest.raises(UsageError, match="there is no round 'r7'"):
        in_round(club.state, "r7")
    with pytest.raises(UsageError, match="there is no entrant 'anne'") as caught:
        next_place(club.state, "r1", "anne")
    assert caught.value.cure == "did you mean ann?"


# ---------------------------------------------------------------- groups


def test_groups_are_filled_evenly_and_one_stays_in_its_own() -> None:
    names = tuple(f"e{number}" for number in range(7))
    club = Club(*names)
    club.announce(scheme="allen", format="best-of-2", heats=6)
    # Three groups: group g makes attempt 1 in heat g, attempt 2 in heat 3 + g.
    assert [told(club, name)[0] for name in names[:4]] == [Place(1, 1), Place(1, 2), Place(1, 3), Place(1, 1)]
    for name in reversed(names):
        club.play(name, timed(60), timed(61))
    heats: dict[str, list[int]] = {}
    for its in club.state.attempts.values():
        heats.setdefault(its.started.entrant, []).append(its.started.heat)
    assert all(second == first + 3 for first, second in heats.values())
    assert sorted(Counter(first for first, _ in heats.values()).values()) == [2, 2, 3]


def test_who_comes_late_or_goes_moves_nobody_who_has_played() -> None:
    club = Club("ann", "ben", "cat", "dan")
    club.announce(scheme="allen", format="best-of-2", heats=4)
    club.play("cat", timed(60))
    assert told(club, "cat") == (Place(2, 3), "")
    club.leave("ann")
    club.write(EntrantAdded("eve", "Eve"))
    # Cat is in group 1 for good; Ben, Dan and Eve fill up.
    assert [told(club, name)[0] for name in ("ben", "cat", "dan", "eve")] == [
        Place(1, 2),
        Place(2, 3),
        Place(1, 1),
        Place(1, 2),
    ]


# ---------------------------------------------------------------- cut-off


def test_who_has_not_reached_the_cut_off_makes_no_more() -> None:
    club = Club("ann", "ben", "cat")
    club.announce(scheme="allen", format="best-of-3", heats=3, cut_off=CutOffRule(2, Fraction(60)))
    club.play("ann", timed(60.001), timed(60))
    club.play("ben", timed(60.001), Marks(Outcome.DID_NOT_FINISH))
    club.play("cat", timed(70))
    assert told(club, "ann") == (Place(3, 3), "")
    assert told(club, "ben") == (None, "ben has not reached the cut-off of round r1")
    assert told(club, "cat") == (Place(2, 2), "")


def test_a_cut_off_is_compared_with_what_is_shown() -> None:
    club = Club("ann")
    club.announce(scheme="par-ratio", format="best-of-2", heats=2, cut_off=CutOffRule(1, Fraction("108.33")))
    # 13 runs where the par is 12 are 108.333... %.
    club.play("ann", played(runs=13))
    assert told(club, "ann") == (Place(2, 2), "")


def test_a_cut_off_waits_for_what_cannot_be_scored() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="best-of-3", heats=3, cut_off=CutOffRule(2, Fraction(60)))
    club.play("ann", UNMEASURED, timed(70))
    assert told(club, "ann") == (None, "whether ann reaches the cut-off of round r1 is not known yet")
    club.play("ben", UNMEASURED, timed(59))
    assert told(club, "ben") == (Place(3, 3), "")


def test_a_cut_off_waits_for_a_heat_that_is_shared() -> None:
    club = Club("ann", "ben", "cat")
    club.announce(scheme="aiguilleur", format="best-of-2", heats=2, cut_off=CutOffRule(1, Fraction(0)))
    # Three over par; who wins the heat has five less.
    club.play("ann", played(runs=15))
    assert told(club, "ann") == (None, "whether ann reaches the cut-off of round r1 is not known yet")
    club.play("ben", played(runs=19))
    club.play("cat", played(runs=16))
    assert told(club, "ann") == (Place(2, 2), "")
    assert told(club, "cat") == (None, "cat has not reached the cut-off of round r1")
    row = next(its for its in Tables(club.state).standing("r1").rows if its.entrant == "cat")
    assert (row.result.cut_off, row.result.open) == (True, 0)


# ---------------------------------------------------------------- classes, feeding rounds, withdrawals


def test_a_class_has_its_own_rounds() -> None:
    club = Club(EntrantAdded("ann", "Ann", category="steam"), EntrantAdded("ben", "Ben", category="diesel"))
    club.announce(scheme="allen", format="best-of-1", heats=1, category="steam")
    club.announce("r2", scheme="allen", format="best-of-1", heats=1)
    assert in_round(club.state, "r1") == ("ann",)
    assert in_round(club.state, "r2") == ("ann", "ben")
    assert told(club, "ben") == (None, "ben is not in the class steam of round r1")


def final_of_two() -> Club:
    club = Club("ann", "ben", "cat", "dan")
    club.announce(scheme="allen", format="best-of-1", heats=1, advance=FIRST_TWO)
    club.announce("r2", scheme="allen", format="best-of-2", heats=2)
    return club


def test_nobody_is_called_to_a_final_before_it_is_certain_who_is_in_it() -> None:
    club = final_of_two()
    club.play_all([("ann", timed(60)), ("ben", timed(61)), ("cat", timed(62))])
    open_ = "who goes on to round r2 is not certain before round r1 is over"
    assert in_round(club.state, "r2") == ()
    assert told(club, "ann", "r2") == (None, open_)
    club.play("dan", timed(59))
    assert in_round(club.state, "r2") == ("dan", "ann")
    assert told(club, "dan", "r2") == (Place(1, 1), "")
    assert told(club, "ben", "r2") == (None, "ben has not advanced from round r1")


def test_who_withdraws_before_the_final_is_replaced_and_afterwards_not() -> None:
    club = final_of_two()
    club.play_all([("ann", timed(60)), ("ben", timed(61)), ("cat", timed(62)), ("dan", timed(63))])
    club.leave("ann")
    assert in_round(club.state, "r2") == ("ben", "cat")
    assert told(club, "ann", "r2") == (None, "ann has withdrawn")
    club.play("ben", timed(60), round_id="r2")
    club.leave("ben")
    assert in_round(club.state, "r2") == ("ben", "cat")
    assert told(club, "ben", "r2") == (None, "ben has withdrawn")
    assert told(club, "dan", "r2") == (None, "dan has not advanced from round r1")


# ---------------------------------------------------------------- pairs, knockout

PAIRED = tuple(EntrantAdded(name, name.title(), pair=pair) for name, pair in (("ann", "p"), ("ben", "p"), ("cat", "q")))


def test_who_has_no_partner_in_the_round_is_not_in_it() -> None:
    club = Club(*PAIRED, "dan")
    club.announce(scheme="allen", format="pairs-best-of-1", heats=1)
    assert in_round(club.state, "r1") == ("ann", "ben")
    assert told(club, "cat") == (None, "the pair q has not two who are in round r1")
    assert told(club, "dan") == (None, "dan is in no pair")
    assert told(club, "ben") == (Place(1, 1), "")


def test_in_a_knockout_those_who_meet_are_called_and_meet_again_after_a_tie() -> None:
    club = Club("ann", "ben", "cat")
    club.announce(scheme="allen", format="knockout", heats=3)
    # Ann is free in the first stage, and her turn comes in the second.
    assert told(club, "ann") == (None, "ann is through to the next stage of round r1")
    club.play("ben", timed(60))
    assert told(club, "ben") == (None, "ben has played, and the other has not yet")
    club.play("cat", timed(60))
    assert told(club, "ben") == (Place(2, 2), "")
    club.play("cat", timed(60))
    club.play("ben", timed(59))
    assert told(club, "cat") == (None, "cat is out of round r1")
    assert told(club, "ann") == (Place(3, 3), "")
    club.write(EntrantAdded("dan", "Dan"))
    assert told(club, "dan") == (None, "dan was not in round r1 when it began")
    club.play_all([("ann", timed(60)), ("ben", timed(60))])
    no_heat = "round r1 has no heat left: announce another round for those still in it"
    assert told(club, "ann") == (None, no_heat)
    assert told(club, "ben") == (None, no_heat)


def test_a_knockout_that_is_won_and_what_it_waits_for() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="knockout", heats=2)
    attempt = club.call("ann")
    club.end(attempt, EQUIPMENT)
    assert told(club, "ann") == (None, f"attempt {attempt} is to be run again on a spare draw")
    again = club.call("ann", number=1, heat=1)
    club.end(again, UNMEASURED)
    why = told(club, "ann")[1]
    assert why.startswith(f"attempt {again} cannot be scored: ")
    club.leave("ben")
    assert told(club, "ann") == (None, "ann has won round r1")


def test_a_knockout_of_one_has_nobody_to_meet() -> None:
    club = Club("ann")
    club.announce(scheme="allen", format="knockout", heats=1)
    assert told(club, "ann") == (None, "round r1 has nobody for ann to meet")
