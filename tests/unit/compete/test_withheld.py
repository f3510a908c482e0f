"""Which heats nobody has to play any more."""

from __future__ import annotations

from fractions import Fraction

from club import EQUIPMENT, Club

from pointsman.compete.entries import AdvanceRule, EntrantAdded
from pointsman.compete.marks import Figure, Marks, Outcome
from pointsman.compete.ranking import By
from pointsman.compete.standings import Tables
from pointsman.compete.withheld import heats_over

ONE = {"format": "best-of-1", "heats": 1, "scheme": "allen"}
FIRST = AdvanceRule(By.RANK, Fraction(1))


def took(time_s: int) -> Marks:
    return Marks(Outcome.FINISHED, time_ms=Figure(1000 * time_s))


def over(club: Club, round_id: str = "r1") -> set[int]:
    return set(heats_over(Tables(club.state), round_id))


def test_a_heat_is_over_with_the_last_who_plays_it() -> None:
    club = Club("ada", "bob")
    club.announce()
    club.play("ada", took(90), took(90))
    assert over(club) == set()
    club.play("bob", took(90))
    assert over(club) == {1}
    on = club.call("bob")
    assert over(club) == {1}
    club.end(on, took(90))
    assert over(club) == {1, 2}
    club.leave("ada")
    club.leave("bob")
    assert over(club) == {1, 2}, "nobody has played the third"


def test_each_group_has_heats_of_its_own() -> None:
    club = Club("ada", "bob", "cleo")
    club.announce(heats=6, format="best-of-3")
    club.play("ada", took(90), took(90))
    club.play("bob", took(90))
    assert over(club) == set(), "cleo's group is not settled"
    club.play("cleo", took(90))
    assert over(club) == {1, 2}
    club.play("cleo", took(90))
    assert over(club) == {1, 2, 3}


def test_an_attempt_that_is_run_again_keeps_its_heat() -> None:
    club = Club("ada")
    club.announce(**ONE)
    club.play("ada", EQUIPMENT)
    assert over(club) == set()
    club.end(club.call("ada", number=1, heat=1), took(90))
    assert over(club) == {1}


def test_whoever_plays_in_another_round_meanwhile_has_this_one_still_to_play() -> None:
    club = Club("ada", "bob")
    club.announce("r1")
    club.announce("r2", **ONE)
    club.play("ada", took(90))
    club.play("bob", took(90), took(90))
    on = club.call("ada", "r2")
    assert over(club) == {1}
    club.end(on, took(90))
    assert over(club) == {1}


def test_nothing_is_over_before_it_is_known_who_is_in_the_round() -> None:
    club = Club()
    club.announce("r1", advance=FIRST, **ONE)
    club.announce("r2", **ONE)
    assert over(club) == over(club, "r2") == set()
    club.write(EntrantAdded("ada", "Ada"))
    assert over(club) == over(club, "r2") == set()
    club.play("ada", took(90))
    assert over(club) == {1}
    club.play("ada", took(90), round_id="r2")
    assert over(club, "r2") == {1}


def test_those_who_meet_in_a_knockout_know_nothing_of_the_heats_to_come() -> None:
    club = Club("ada", "bob", "cleo", "dora")
    club.announce(heats=3, format="knockout", scheme="allen")
    for name, time_s in (("ada", 90), ("dora", 100), ("bob", 90)):
        club.play(name, took(time_s))
    assert over(club) == set()
    club.play("cleo", took(90))
    assert over(club) == {1}, "bob and cleo meet again"
    for name, time_s in (("bob", 90), ("cleo", 100)):
        assert over(club) == {1}
        club.play(name, took(time_s))
    assert over(club) == {1, 2}
    club.play("ada", took(90))
    assert over(club) == {1, 2}
    club.play("bob", took(100))
    assert over(club) == {1, 2, 3}


def test_a_meeting_that_cannot_be_decided_is_not_over() -> None:
    club = Club("ada", "bob")
    club.announce(heats=2, format="knockout", scheme="reversals")
    club.play("ada", took(90))
    club.play("bob", took(100))
    assert over(club) == set()


def test_alone_in_a_knockout() -> None:
    club = Club("ada")
    club.announce(heats=1, format="knockout", scheme="allen")
    assert over(club) == set()


def test_with_the_secret_every_draw_is_out() -> None:
    club = Club("ada")
    club.announce()
    club.reveal()
    assert over(club) == {1, 2, 3}
