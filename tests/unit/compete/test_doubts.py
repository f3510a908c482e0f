"""What is doubted, and what must not be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from attempts import ABSENT, PAR, played
from club import EQUIPMENT, Club
from evening import cards

from pointsman.compete.doubts import DoubtKind, doubts
from pointsman.compete.entries import AttemptStarted, MarksCorrected, SharedTrainCounted
from pointsman.compete.marks import Fault, Figure, Marks, Outcome
from pointsman.compete.standings import standings
from pointsman.puzzle.puzzle import Count

NAMES = tuple(f"e{number}" for number in range(1, 9))


def told(club: Club) -> list[tuple[str, DoubtKind, str]]:
    return [(its.attempt, its.kind, its.what) for its in doubts(club.state)]


def club_of(*entrants: str, scheme: str = "allen", form: str = "best-of-2", heats: int = 2) -> Club:
    club = Club(*entrants)
    club.announce(scheme=scheme, format=form, heats=heats, time_limit_ms=900_000)
    return club


def heat(*each: Marks) -> Club:
    """A heat in which these were made, one by each entrant."""
    club = club_of(*NAMES[: len(each)], form="best-of-1", heats=1)
    club.play_all(list(zip(NAMES, each, strict=False)))
    return club


def timed(*seconds: float) -> list[Marks]:
    return [played(seconds=its) for its in seconds]


def test_an_evening_without_anything_odd_has_no_doubts() -> None:
    club = club_of("ann", "ben", "cat")
    club.play("ann", played(seconds=83.412), played(seconds=75.031, runs=13))
    club.play("ben", played(seconds=101.77, faults={Fault.HAND: 1}), Marks(Outcome.DID_NOT_FINISH))
    club.play("cat", ABSENT)
    club.call("cat")
    assert told(club) == []


# ---------------------------------------------------------------- something is missing


def test_an_attempt_whose_forerunner_is_missing() -> None:
    club = club_of("ann", form="best-of-3", heats=3)
    club.end(club.call("ann", number=2, heat=2), played(seconds=83.412))
    assert told(club) == [("r1-ann-2", DoubtKind.GAP, "attempt 1 of ann is missing before it")]


def test_in_a_knockout_numbers_are_left_out_by_who_is_free() -> None:
    club = club_of("ann", "ben", "cat", form="knockout", heats=2)
    club.play("ben", played(seconds=60.1))
    club.play("cat", played(seconds=70.2))
    club.play("ann", played(seconds=65.3))
    assert club.state.attempts["r1-ann-2"].started.number == 2
    assert told(club) == []


def test_one_that_cannot_be_scored() -> None:
    club = club_of("ann", scheme="least-moves")
    club.play("ann", Marks(Outcome.FINISHED, time_ms=Figure(60_100)))
    ((attempt, kind, what),) = told(club)
    assert (attempt, kind) == ("r1-ann-1", DoubtKind.GAP)
    assert what.startswith("it cannot be scored: ")
    assert "runs" in what


def test_the_winner_of_a_shared_heat_whose_wagons_nobody_counted() -> None:
    club = club_of("ann", "ben", scheme="aiguilleur", form="best-of-1", heats=1)
    club.write(SharedTrainCounted("r1", 1, 3))
    club.play("ann", played(seconds=60.1, placed=None))
    # Nothing is missing while the heat is not over.
    assert told(club) == []
    club.play("ben", played(seconds=70.2, runs=14))
    assert {(attempt, kind) for attempt, kind, _ in told(club)} == {
        ("r1-ann-1", DoubtKind.GAP),
        ("r1-ben-1", DoubtKind.GAP),
    }


# ---------------------------------------------------------------- far from all others


def test_a_time_far_from_that_of_its_heat() -> None:
    club = heat(*timed(80.1, 84.2, 90.3, 95.4, 840.5))
    assert told(club) == [("r1-e5-1", DoubtKind.OUTLIER, "14:00.5, and the median of its heat is 1:30.3")]


def test_a_count_far_from_that_of_its_heat() -> None:
    many = [played(seconds=80.1 + number, runs=runs) for number, runs in enumerate((12, 12, 13, 14, 41))]
    assert told(heat(*many)) == [("r1-e5-1", DoubtKind.OUTLIER, "41 runs, and the median of its heat is 13 runs")]


@pytest.mark.parametrize(
    "seconds",
    [
        pytest.param((80.1, 84.2, 90.3, 840.5), id="of four nobody can say what is usual"),
        pytest.param((80.1, 84.2, 90.3, 95.4, 135.4), id="not half as far from the median as that is long"),
        pytest.param((20.1, 60.2, 100.3, 200.4, 300.5, 400.6), id="all of them are far apart"),
    ],
)
def test_what_is_slow_without_being_odd(seconds: Sequence[float]) -> None:
    assert told(heat(*timed(*seconds))) == []


def test_another_heat_and_a_spare_draw_are_compared_with_none() -> None:
    club = club_of(*NAMES[:5], form="best-of-1", heats=5)
    for name, marks in zip(NAMES, timed(80.1, 84.2, 90.3, 95.4, 840.5), strict=False):
        club.play(name, marks)
    assert told(club) == []
    club = heat(*timed(80.1, 84.2, 90.3, 95.4, 97.5), EQUIPMENT)
    club.end(club.call("e6", number=1, heat=1), played(seconds=840.5))
    assert told(club) == []


def test_who_gave_up_is_not_compared() -> None:
    gave_up = played(seconds=840.5, outcome=Outcome.DID_NOT_FINISH)
    assert told(heat(*timed(80.1, 84.2, 90.3, 95.4, 97.5), gave_up)) == []


# ---------------------------------------------------------------- there twice


def test_the_same_figures_of_one_entrant_the_later_one_is_doubted() -> None:
    club = club_of("ann")
    club.play("ann", *timed(60, 60))
    assert told(club) == [("r1-ann-2", DoubtKind.DOUBLED, "every figure is that of attempt r1-ann-1")]


def test_the_same_thousandth_of_two() -> None:
    club = heat(played(seconds=60.123), played(seconds=60.123, runs=14))
    assert told(club) == [("r1-e2-1", DoubtKind.DOUBLED, "its time of 1:00.123 is just that of attempt r1-e1-1")]


def test_the_same_whole_seconds_of_two_with_everything_else_alike() -> None:
    assert told(heat(*timed(60, 60))) == [
        ("r1-e2-1", DoubtKind.DOUBLED, "its time of 1:00 is just that of attempt r1-e1-1")
    ]
    assert told(heat(played(seconds=60), played(seconds=60, runs=13))) == []


def test_whole_seconds_alone_are_the_same_by_chance() -> None:
    alone = Marks(Outcome.FINISHED, time_ms=Figure(60_000))
    assert told(heat(alone, alone, alone)) == []
    assert told(heat(*[replace(alone, time_ms=Figure(60_010))] * 2)) != []


def test_the_same_time_of_one_entrant_with_other_moves_is_no_copy() -> None:
    club = club_of("ann")
    club.play("ann", played(seconds=60.123), played(seconds=60.123, runs=13))
    assert told(club) == []


def test_who_never_finished_is_no_copy_of_another() -> None:
    gave_up = played(seconds=60.123, outcome=Outcome.DID_NOT_FINISH)
    assert told(heat(gave_up, gave_up, ABSENT, ABSENT)) == []


# ---------------------------------------------------------------- too fast, better than possible


def test_more_runs_than_seconds() -> None:
    club = heat(played(seconds=11.999))
    assert told(club) == [("r1-e1-1", DoubtKind.PACE, "12 runs cannot be driven in 0:11.999")]
    assert told(heat(played(seconds=12))) == []


def test_runs_that_nobody_counted_are_known_by_reversals() -> None:
    marks = replace(played(seconds=10.9, reversals=10), runs=None)
    assert told(heat(marks)) == [("r1-e1-1", DoubtKind.PACE, "11 runs cannot be driven in 0:10.9")]
    assert told(heat(replace(marks, time_ms=Figure(11_000)))) == []


def test_who_gave_up_was_not_too_fast_either_unless_it_drove() -> None:
    assert told(heat(played(seconds=11, outcome=Outcome.DID_NOT_FINISH)))[0][1] is DoubtKind.PACE
    assert told(heat(Marks(Outcome.DID_NOT_FINISH, time_ms=Figure(0), runs=Figure(0)))) == []


def test_fewer_moves_than_the_par() -> None:
    club = heat(played(seconds=60.1, runs=11))
    assert told(club) == [("r1-e1-1", DoubtKind.UNDER_PAR, "11 runs, and the par of its draw is 12 runs")]


def test_the_par_is_that_of_the_draw_it_was_made_on() -> None:
    club = heat(replace(played(seconds=60.1, runs=6, reversals=10, couplings=8), par={}))
    assert told(club) == [("r1-e1-1", DoubtKind.UNDER_PAR, "6 runs, and the par of its draw is 7 runs")]


def test_a_faster_time_than_the_par_and_one_who_gave_up_early_are_none() -> None:
    assert PAR[Count.SECONDS] == 90_000
    assert told(heat(played(seconds=60.1))) == []
    assert told(heat(played(seconds=60.1, runs=3, outcome=Outcome.DID_NOT_FINISH))) == []


# ---------------------------------------------------------------- what counts


def test_what_is_run_again_is_not_doubted() -> None:
    club = heat(replace(played(seconds=1, runs=3), outcome=Outcome.EQUIPMENT))
    assert told(club) == []
    club.end(club.call("e1", number=1, heat=1), played(seconds=60.1))
    assert told(club) == []


def test_a_correction_ends_a_doubt_and_a_doubt_changes_no_result() -> None:
    club = heat(played(seconds=60.1, runs=11))
    before = standings(club.state)
    assert len(told(club)) == 1
    assert standings(club.state) == before
    club.write(MarksCorrected("r1-e1-1", played(seconds=60.1)))
    assert told(club) == []


def test_doubts_are_in_the_order_of_the_book() -> None:
    club = club_of("ann", "ben", form="best-of-1", heats=1)
    club.announce("r2", scheme="allen", format="best-of-1", heats=1)
    club.write(AttemptStarted("second", "r2", 1, "ann", 1, cards(1), 7))
    club.end("second", played(seconds=5.5))
    club.play("ben", played(seconds=6.6))
    assert [attempt for attempt, _, _ in told(club)] == ["second", "r1-ben-1"]
