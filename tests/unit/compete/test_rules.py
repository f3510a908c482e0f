"""What a competition refuses, each with its reason and a cure, and what its book comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction

import pytest
from evening import ROUND, SECRET, START, Evening, attempt, cards, commitment, evening, finished

from pointsman.compete.book import Book
from pointsman.compete.entries import (
    AdvanceRule,
    AttemptEnded,
    Checked,
    ClockStarted,
    Created,
    CutOffRule,
    EntrantAdded,
    EntrantChanged,
    FaultMarked,
    HeatOpened,
    HintMarked,
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
    Withdrawn,
)
from pointsman.compete.marks import Fault, Outcome
from pointsman.compete.ranking import By
from pointsman.compete.state import Phase
from pointsman.errors import LayoutError, RefusedError, UsageError

CHILDREN = replace(ROUND, round="r2", category="children")
SHARING = replace(ROUND, round="r3", scheme="aiguilleur")
TOKEN = TokenGiven("Tablet", Scope.MARK, "7" * 64, START + timedelta(hours=5))


def opened(its: Evening) -> None:
    its.write(HeatOpened("r1", 2, cards(2), 7))


def runs(its: Evening) -> None:
    """Ada's clock runs."""
    its.write(attempt(), SetUpAgreed("a1", "head: 1 2"), ClockStarted("a1"))


def rerun(its: Evening) -> None:
    """Ada's first attempt failed by the equipment, and is on again with the first spare."""
    its.write(attempt())
    its.end(outcome=Outcome.EQUIPMENT)
    its.write(attempt("a2", spare=1), why="a wire came off")


def ended(its: Evening) -> None:
    its.write(attempt())
    its.end()


def revealed(its: Evening) -> None:
    its.write(Revealed("r1", SECRET.hex()))


REFUSED: list[tuple[Callable[[Evening], object], Callable[[Evening], object], str]] = [
    (lambda e: None, lambda e: e.write(Created("Again", date(2026, 11, 28))), "the competition has begun already"),
    (lambda e: None, lambda e: e.write(EntrantAdded("ada", "Ada B.")), "there is an entrant ada already"),
    (lambda e: None, lambda e: e.write(EntrantChanged("ada", "Ada B.")), "this needs a reason"),
    (ended, lambda e: e.write(EntrantChanged("ada", "Ada", category="x"), why="y"), "ada has started, and a class"),
    (lambda e: e.write(Withdrawn("ada")), lambda e: e.write(Withdrawn("ada")), "ada has withdrawn already"),
    # rounds and draws
    (
        lambda e: None,
        lambda e: e.write(replace(ROUND, heats=6)),
        "round r1 is announced, and an announced round is not",
    ),
    (lambda e: None, lambda e: e.write(commitment(ROUND)), "the draws of round r1 are settled"),
    (
        lambda e: None,
        lambda e: e.write(replace(ROUND, round="r2", cut_off=CutOffRule(3, Fraction(9)))),
        "a cut-off after 3 of 3 attempts cuts nothing off",
    ),
    (lambda e: None, lambda e: e.write(HeatOpened("r1", 3, cards(3), 7)), "heat 3 of round r1 is not the next one"),
    (lambda e: None, lambda e: e.write(HeatOpened("r1", 1, cards(3), 7)), "heat 1 of round r1 is open already"),
    (lambda e: None, lambda e: e.write(HeatOpened("r1", 4, cards(4), 7)), "round r1 has no heat 4"),
    (lambda e: None, lambda e: e.write(HeatOpened("r1", 2, cards(1), 7)), "this draw was used in round r1 already"),
    (rerun, lambda e: e.write(HeatOpened("r1", 2, cards(1, 1), 7)), "this draw was used in round r1 already"),
    (
        lambda e: None,
        lambda e: e.write(HeatOpened("r1", 2, cards(2), 10)),
        "a draw of par 10 is not in the range 5 to 9",
    ),
    (lambda e: e.write(CHILDREN), lambda e: e.write(HeatOpened("r2", 1, cards(), 7)), "nothing has been committed to"),
    (lambda e: e.write(CHILDREN), lambda e: e.write(Revealed("r2", "0" * 32)), "nothing has been committed to"),
    (revealed, lambda e: e.write(HeatOpened("r1", 2, cards(2), 7)), "round r1 is over: its secret is out"),
    (revealed, lambda e: e.write(attempt()), "round r1 is over: its secret is out"),
    (revealed, revealed, "the secret of round r1 is out already"),
    (lambda e: None, lambda e: e.write(Revealed("r1", "0" * 32)), "are not what was committed to"),
    (lambda e: e.write(attempt()), revealed, "attempt a1 of round r1 has not ended"),
    # attempts
    (lambda e: e.write(Withdrawn("ada")), lambda e: e.write(attempt()), "ada has withdrawn"),
    (lambda e: None, lambda e: e.write(attempt(heat=2)), "heat 2 of round r1 is not open"),
    (lambda e: None, lambda e: e.write(attempt(number=4)), "there is no attempt 4 in round r1"),
    (lambda e: e.write(attempt()), lambda e: e.write(attempt(entrant="bo")), "there is an attempt a1 already"),
    (lambda e: e.write(attempt()), lambda e: e.write(attempt("a2", number=2)), "attempt a1 of ada has not ended"),
    (ended, lambda e: e.write(attempt("a2")), "ada has made attempt 1 of round r1 already"),
    (ended, lambda e: e.write(attempt("a2", spare=1), why="again"), "ada has made attempt 1 of round r1 already"),
    (ended, lambda e: e.write(attempt("a2", number=2)), "this draw was used in attempt a1 already"),
    (lambda e: None, lambda e: e.write(attempt(spare=1), why="x"), "a spare draw is for an attempt that is run again"),
    (lambda e: None, lambda e: e.write(replace(attempt(), cards=("9",))), "this is not the draw of heat 1"),
    (lambda e: None, lambda e: e.write(replace(attempt(), par=8)), "this is not the draw of heat 1"),
    (
        lambda e: e.write(CHILDREN, commitment(CHILDREN), HeatOpened("r2", 1, cards(), 7)),
        lambda e: e.write(replace(attempt(), round="r2")),
        "ada is not in the class children of round r2",
    ),
    (
        lambda e: (e.write(attempt()), e.end(outcome=Outcome.EQUIPMENT)),
        lambda e: e.write(attempt("a2")),
        "an attempt that is run again takes a spare draw, and a reason",
    ),
    (
        lambda e: (e.write(attempt()), e.end(outcome=Outcome.EQUIPMENT)),
        lambda e: e.write(attempt("a2", spare=1)),
        "an attempt that is run again takes a spare draw, and a reason",
    ),
    (
        lambda e: (e.write(attempt()), e.end(outcome=Outcome.EQUIPMENT)),
        lambda e: e.write(attempt("a2", spare=3), why="x"),
        "heat 1 has no spare 3",
    ),
    (
        lambda e: (opened(e), e.write(attempt()), e.end(outcome=Outcome.EQUIPMENT)),
        lambda e: e.write(replace(attempt("a2", spare=1), cards=cards(2)), why="x"),
        "this draw was used in round r1 already",
    ),
    (
        lambda e: (rerun(e), e.write(attempt("b1", "bo")), e.end("b1", Outcome.EQUIPMENT)),
        lambda e: e.write(attempt("b2", "bo", spare=1), why="x"),
        "this draw was used in attempt a2 already",
    ),
    (
        lambda e: e.write(attempt(), SetUpAgreed("a1", "head: 1")),
        lambda e: e.write(SetUpAgreed("a1", "head: 2")),
        "the set-up of attempt a1 is agreed already",
    ),
    (runs, lambda e: e.write(Paused("a1", 5)), "this needs a reason"),
    (runs, lambda e: e.write(Resumed("a1", 5)), "attempt a1 is running"),
    (lambda e: e.write(attempt()), lambda e: e.write(Resumed("a1", 5)), "attempt a1 is called"),
    (lambda e: e.write(attempt()), lambda e: e.write(Paused("a1", 5), why="x"), "attempt a1 is called"),
    (lambda e: e.write(attempt()), lambda e: e.write(HintMarked("a1", 5)), "attempt a1 is called"),
    (
        lambda e: e.write(attempt()),
        lambda e: e.write(ClockStarted("a1")),
        "the set-up of attempt a1 is not agreed",
    ),
    (runs, lambda e: e.write(ClockStarted("a1")), "attempt a1 is running"),
    (runs, lambda e: e.write(SetUpAgreed("a1", "head: 1")), "the set-up of attempt a1 is agreed already"),
    (lambda e: None, lambda e: e.write(SpeedChecked("r1", "L", 1_000, 20_000)), "round r1 has no speed limit"),
    (lambda e: None, lambda e: e.write(SharedTrainCounted("r1", 1, 3)), "no train is shared in round r1"),
    (
        lambda e: e.write(SHARING, commitment(SHARING)),
        lambda e: e.write(SharedTrainCounted("r3", 1, 3)),
        "heat 1 of round r3 is not open",
    ),
    (
        lambda e: e.write(
            SHARING, commitment(SHARING), HeatOpened("r3", 1, cards(), 7), SharedTrainCounted("r3", 1, 3)
        ),
        lambda e: e.write(SharedTrainCounted("r3", 1, 4)),
        "the shared train of heat 1 is counted already",
    ),
    (
        lambda e: None,
        lambda e: e.write(replace(ROUND, round="r4", format="knockout", advance=AdvanceRule(By.RANK, Fraction(1)))),
        "nobody advances from a knockout",
    ),
    (
        lambda e: (runs(e), e.write(Paused("a1", 900), why="x")),
        lambda e: e.write(Resumed("a1", 800)),
        "the clock of attempt a1 was stopped at 900 ms, and not at 800 ms",
    ),
    (
        lambda e: (runs(e), e.write(Paused("a1", 900), why="x"), e.write(Resumed("a1", 900))),
        lambda e: e.write(Paused("a1", 800), why="x"),
        "the clock of attempt a1 has shown 900 ms already, and does not go back to 800 ms",
    ),
    (ended, lambda e: e.write(Paused("a1", 5), why="x"), "attempt a1 is ended"),
    (ended, lambda e: e.write(FaultMarked("a1", Fault.HAND, 5)), "attempt a1 is ended"),
    (ended, lambda e: e.write(HintMarked("a1", 5)), "attempt a1 is ended"),
    (ended, lambda e: e.end(), "attempt a1 is ended"),
    (
        lambda e: e.write(attempt()),
        lambda e: e.write(AttemptEnded("a1", Outcome.EQUIPMENT)),
        "this needs a reason",
    ),
    (
        lambda e: e.write(attempt()),
        lambda e: e.write(AttemptEnded("a1", Outcome.DID_NOT_FINISH, marks=finished())),
        "the marks say finished, and the entry says did-not-finish",
    ),
    (
        lambda e: e.write(attempt()),
        lambda e: e.write(AttemptEnded("a1", Outcome.FINISHED)),
        "nothing shows how this was done",
    ),
    (ended, lambda e: e.write(MarksCorrected("a1", finished(9))), "this needs a reason"),
    (
        lambda e: e.write(attempt()),
        lambda e: e.write(MarksCorrected("a1", finished(9)), why="x"),
        "attempt a1 is called",
    ),
    (
        rerun,
        lambda e: e.write(MarksCorrected("a1", finished()), why="it was good after all"),
        "attempt a1 was run again as a2, so that how it ended stays",
    ),
    # a second pair of eyes
    (lambda e: e.write(attempt()), lambda e: e.write(Checked("a1"), by="Zoe"), "attempt a1 is called"),
    (ended, lambda e: e.write(Checked("a1")), "Marshal has written of attempt a1, and does not check it too"),
    (ended, lambda e: e.write(Checked("a1"), by="MARSHAL"), "MARSHAL has written of attempt a1"),
    (
        lambda e: (ended(e), e.write(Checked("a1"), by="Zoe")),
        lambda e: e.write(Checked("a1"), by="Yan"),
        "attempt a1 was checked by Zoe",
    ),
    (
        lambda e: (ended(e), e.write(MarksCorrected("a1", finished(9)), by="Zoe", why="x")),
        lambda e: e.write(Checked("a1"), by="Zoe"),
        "Zoe has written of attempt a1",
    ),
    # tokens
    (lambda e: e.write(TOKEN), lambda e: e.write(replace(TOKEN, sha256="8" * 64)), "there is a token Tablet already"),
    (lambda e: e.write(TOKEN), lambda e: e.write(replace(TOKEN, name="Two")), "there is a token Two already"),
    (lambda e: None, lambda e: e.write(replace(TOKEN, expires=START)), "this token would have expired already"),
    (
        lambda e: e.write(TOKEN, TokenRevoked("Tablet")),
        lambda e: e.write(TokenRevoked("Tablet")),
        "token Tablet was revoked already",
    ),
]


@pytest.mark.parametrize(("before", "refused", "told"), REFUSED, ids=[told for _, _, told in REFUSED])
def test_what_the_rules_forbid_is_refused_with_a_cure_and_leaves_the_book_as_it_was(
    before: Callable[[Evening], object], refused: Callable[[Evening], object], told: str
) -> None:
    its = evening(heats=1)
    before(its)
    was = its.book
    with pytest.raises(RefusedError) as caught:
        refused(its)
    assert told in caught.value.what
    assert caught.value.cure
    assert its.book is was


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        (lambda e: e.write(Withdrawn("adda")), "there is no entrant 'adda'\n  -> did you mean ada?"),
        (lambda e: e.write(attempt(entrant="zz")), "there is no entrant 'zz'"),
        (lambda e: e.write(HeatOpened("r9", 1, cards(), 7)), "there is no round 'r9'"),
        (lambda e: e.write(Checked("a9")), "there is no attempt 'a9'"),
        (lambda e: e.write(TokenRevoked("x")), "there is no token 'x'"),
        (lambda e: e.write(replace(ROUND, round="r2", scheme="alen")), "there is no scheme 'alen'"),
        (
            lambda e: e.write(replace(ROUND, round="r2", heats=4)),
            "heats: 4 heats cannot be shared out among 3 attempts\n  -> take 6, or another multiple of 3",
        ),
        (lambda e: e.write(replace(ROUND, round="r2", format="best-of-0")), "there is no format 'best-of-0'"),
        (lambda e: e.write(replace(ROUND, round="r2", scheme="least-moves")), "least-moves needs a time limit"),
        (lambda e: e.write(replace(ROUND, round="r2", par_least=9, par_most=5)), "the pars 9 to 5 are no range"),
        (
            lambda e: e.write(replace(ROUND, round="r2", advance=AdvanceRule(By.PERCENT, Fraction(101)))),
            "101 percent cannot advance",
        ),
        (lambda e: e.write(CHILDREN, replace(commitment(CHILDREN), draws=8)), "8 draws are possible"),
    ],
)
def test_what_is_not_there_or_cannot_be_right_is_told(refused: Callable[[Evening], object], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        refused(evening())
    assert told in str(caught.value)


def test_a_clubs_own_scheme_is_read_when_the_round_is_announced() -> None:
    with pytest.raises(LayoutError, match="ours"):
        evening().write(replace(ROUND, round="r2", scheme="ours", own_scheme="title = 3"))


def test_nothing_comes_before_the_beginning() -> None:
    with pytest.raises(RefusedError, match="has not begun"):
        Book.empty("club").write(EntrantAdded("ada", "Ada"), by="Marshal", at=START)


def test_an_attempt_with_all_that_can_happen_to_it() -> None:
    its = evening(heats=1)
    its.write(attempt(), SetUpAgreed("a1", "head: 1 2"))
    called = its.book.state.attempts["a1"]
    assert (called.outcome, called.phase, called.shows_ms(START + timedelta(hours=1))) == (None, Phase.CALLED, 0)
    started_at = START + timedelta(seconds=its.write(ClockStarted("a1")))
    assert its.book.state.attempts["a1"].shows_ms(started_at + timedelta(seconds=3.5)) == 3_500
    its.write(Paused("a1", 4_000), why="a wire came off")
    assert its.book.state.attempts["a1"].phase is Phase.PAUSED
    fault, hint = FaultMarked("a1", Fault.HAND, 3_900), HintMarked("a1", 4_000)
    assert its.book.state.attempts["a1"].shows_ms(started_at + timedelta(hours=1)) == 4_000
    goes_on_at = START + timedelta(seconds=its.write(fault, Resumed("a1", 4_000)))
    assert its.book.state.attempts["a1"].shows_ms(goes_on_at + timedelta(seconds=2)) == 6_000
    its.write(hint)
    its.end(by="Yan")
    state = its.book.state
    done = state.attempts["a1"]
    assert (done.phase, done.outcome, done.clock_ms) == (Phase.ENDED, Outcome.FINISHED, 4_000)
    assert done.pressed == (fault, hint)
    assert done.hands == {"marshal", "yan"}
    assert state.unchecked == ("a1",)
    its.write(Checked("a1"), by="Zoe")
    assert its.book.state.unchecked == ()
    its.write(MarksCorrected("a1", finished(13)), why="misread", by="Xu")
    assert its.book.state.unchecked == ("a1",)
    assert its.book.state.attempts["a1"].marks == finished(13)


def test_after_an_equipment_fault_the_same_place_is_run_again_on_a_fresh_spare_each_time() -> None:
    its = evening(heats=1)
    rerun(its)
    its.end("a2", Outcome.EQUIPMENT)
    its.write(attempt("a3", spare=2), why="again")
    its.end("a3")
    # How the last one ended can be corrected still.
    its.write(MarksCorrected("a3", replace(finished(), outcome=Outcome.DID_NOT_FINISH)), why="it was not the goal")
    assert its.book.state.attempts["a3"].outcome is Outcome.DID_NOT_FINISH


def test_all_of_a_heat_play_its_draw_and_nobody_plays_one_twice() -> None:
    its = evening(heats=2)
    for name in ("ada", "bo"):
        its.write(attempt(f"{name}-1", name))
        its.end(f"{name}-1")
        its.write(attempt(f"{name}-2", name, heat=2, number=2))
        its.end(f"{name}-2")
    assert len(its.book.state.of_round("r1")) == 4


def test_an_entrants_name_and_train_are_corrected_also_after_the_start() -> None:
    its = evening(heats=1)
    its.write(attempt())
    its.write(EntrantChanged("ada", "Ada B.", "Eastern", train="Milk"), why="misspelt")
    assert its.book.state.entrants["ada"].about.name == "Ada B."


def test_a_class_is_corrected_before_the_first_attempt() -> None:
    its = evening(heats=1)
    its.write(EntrantChanged("bo", "Bo", category=""), why="ten years old today")
    assert its.book.state.entrants["bo"].about.category == ""


def test_in_a_round_with_a_speed_limit_no_clock_starts_before_every_locomotive_has_kept_to_it() -> None:
    its = Evening()
    announced = replace(ROUND, speed_limit_mm_s=50)
    start = evening()
    its.write(*(one.entry for one in start.book.written[:3]), announced, commitment(announced))
    its.write(HeatOpened("r1", 1, cards(), 7), attempt(), SetUpAgreed("a1", "head: 1"))

    for speeds in ((), (SpeedChecked("r1", "L", 1_000, 20_000), SpeedChecked("r1", "M", 1_000, 19_999))):
        its.write(*speeds)
        with pytest.raises(RefusedError, match="keeps to 50 mm/s"):
            its.write(ClockStarted("a1"))
    its.write(SpeedChecked("r1", "M", 1_000, 20_001), ClockStarted("a1"))
    assert its.book.state.attempts["a1"].phase is Phase.RUNNING
