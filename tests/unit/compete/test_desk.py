"""The desk: every deed of an evening, on a real store, by several people and programs."""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from attempt_plays import played
from desk_bench import CODE, CREATED, HELPER, MARSHAL, OTHER, Watch, desk_at, desk_of, finish, kinds, on, plan
from shared_cache import shared_cache

from pointsman.compete.commitment import Files
from pointsman.compete.desk import Desk
from pointsman.compete.desk_draws import Draws
from pointsman.compete.doubts import DoubtKind, played_again
from pointsman.compete.draws import draw_list
from pointsman.compete.entries import (
    ClockStarted,
    Committed,
    EntrantAdded,
    FaultMarked,
    HeatOpened,
    Journal,
    MarksCorrected,
    Paused,
    RoundAnnounced,
    Scope,
    TokenGiven,
)
from pointsman.compete.marks import Fault, Figure, Marks, Measure, Outcome
from pointsman.compete.plans import Programme
from pointsman.compete.state import Phase
from pointsman.compete.store.store import Store
from pointsman.compete.tokens import admitted
from pointsman.errors import CompetitionError, LayoutError, PointsmanError, RefusedError, UsageError
from pointsman.operate.referee import Origin
from pointsman.puzzle.choice import choose
from pointsman.puzzle.puzzle import Count
from pointsman.solver.search import solve
from pointsman.track.builtin import find_layout

TOGETHER_WITHIN_S = 60.0


@pytest.fixture(scope="module")
def draws(tmp_path_factory: pytest.TempPathFactory) -> Draws:
    """What is known of the puzzle: one for all tests, which draw from it anew."""
    return Draws(shared_cache(tmp_path_factory))


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(str(tmp_path / "store.sqlite3")) as its:
        yield its


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, draws: Draws) -> Path:
    """A store with Ada and Bo in it, and the first heat of a round open."""
    place = tmp_path_factory.mktemp("begun") / "store.sqlite3"
    with Store(str(place)) as store:
        its = desk_at(store, Watch(), draws)
        its.announce(plan(), CODE, MARSHAL)
        its.open_heat("r1", CODE, MARSHAL)
    return place


@pytest.fixture
def desk(begun: Path, tmp_path: Path, watch: Watch, draws: Draws) -> Iterator[Desk]:
    """A desk of its own at a copy of that store."""
    with Store(str(shutil.copy(begun, tmp_path / "begun.sqlite3"))) as store:
        yield desk_of(store, watch, draws)


# ---------------------------------------------------------------- rounds and their draws


def test_a_round_is_announced_opened_played_and_revealed(desk: Desk, watch: Watch) -> None:
    its = desk.state.rounds["r1"]
    assert its.committed is not None
    assert (its.announced.puzzle, its.announced.layout_sha256) == (
        "inglenook-small/classic",
        Files.of("inglenook-small").layout,
    )
    (heat,) = its.heats
    for name in ("ada", "bo"):
        attempt = desk.call("r1", name, MARSHAL)
        assert (attempt.cards, attempt.par, attempt.attempt) == (heat.cards, heat.par, f"r1-{name}-1")
        agreed = desk.agree(attempt.attempt, HELPER).set_up
        assert agreed is not None
        assert agreed.position.startswith("head: L | ")
        desk.start(attempt.attempt, HELPER)
        watch.on(65.25)
        desk.end(attempt.attempt, Outcome.FINISHED, HELPER, counts={Measure.REVERSALS: 11})
        marks = desk.state.attempts[attempt.attempt].marks
        assert marks is not None
        assert marks.time_ms == Figure(65_250, Origin.ENTERED)
        assert marks.par[Count.PULL_DROPS] == heat.par
        assert marks.par.keys() == {Count.RUNS, Count.PULL_DROPS, Count.REVERSALS, Count.COUPLINGS}
        desk.check(attempt.attempt, OTHER)
    assert desk.state.unchecked == ()
    revealed = desk.reveal("r1", CODE, MARSHAL)
    assert desk.reveal("r1", CODE, MARSHAL) == revealed
    # Anyone derives the same draw from what is published now.
    parts = its.parts(its.committed)
    secret = bytes.fromhex(revealed.secret)
    parts.check(secret, its.committed.commitment)
    own = draw_list("inglenook-small", Count.PULL_DROPS).pool(parts.pars).heat(parts, secret, 1)[0]
    assert (own.wagons, own.par) == (heat.cards, heat.par)


def test_an_announcement_is_written_with_its_commitment_or_not_at_all(store: Store, watch: Watch, draws: Draws) -> None:
    desk = desk_at(store, watch, draws)
    before = desk.book
    for wrong, error in (
        (plan(par_least=30, par_most=40), UsageError),
        (plan(most_wagons=4), RefusedError),
        (plan(puzzle="inglenook", category="children"), RefusedError),
        (plan(puzzle="inglenook-smell"), UsageError),
        (plan().model_copy(update={"heats": 4, "format": "best-of-3"}), LayoutError),
    ):
        with pytest.raises(error):
            desk.announce(wrong, CODE, MARSHAL)
    with pytest.raises(UsageError, match="a marshal's code has 8 to 128"):
        desk.announce(plan(), "short", MARSHAL)
    assert desk.book == before
    committed = desk.announce(plan(most_wagons=5), CODE, MARSHAL)
    assert kinds(desk)[-2:] == [RoundAnnounced, Committed]
    # The same once more is that announcement; with another code, or by another, or otherwise it is refused.
    assert desk.announce(plan(most_wagons=5), CODE, MARSHAL) == committed
    others = [(plan(), CODE, OTHER), (plan(heats=2, spares=0), CODE, MARSHAL), (plan(), "another code", MARSHAL)]
    for other, code, by in others:
        with pytest.raises(RefusedError):
            desk.announce(other, code, by)
    assert kinds(desk).count(Committed) == 1


def test_a_heat_is_opened_by_its_code_and_once(store: Store, watch: Watch, draws: Draws) -> None:
    desk = desk_at(store, watch, draws)
    desk.announce(plan(heats=2, spares=0), CODE, MARSHAL)
    with pytest.raises(RefusedError, match="this code does not open these draws"):
        desk.open_heat("r1", "another code", MARSHAL)
    with pytest.raises(UsageError, match="there is no round 'r2'"):
        desk.open_heat("r2", CODE, MARSHAL)
    with pytest.raises(RefusedError, match="open heat 1 first"):
        desk.open_heat("r1", CODE, MARSHAL, heat=2)
    first = desk.open_heat("r1", CODE, MARSHAL, heat=1)
    assert desk.open_heat("r1", CODE, MARSHAL, heat=1) == first
    assert kinds(desk).count(HeatOpened) == 1
    second = desk.open_heat("r1", CODE, MARSHAL)
    assert second.heat == 2
    assert second.cards != first.cards
    with pytest.raises(RefusedError, match="round r1 has no heat 3"):
        desk.open_heat("r1", CODE, MARSHAL)


def test_a_layout_that_was_changed_since_is_found_before_it_is_played(
    store: Store, watch: Watch, draws: Draws, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    shutil.copytree(find_layout("inglenook-small"), own)
    desk = desk_at(store, watch, draws)
    desk.announce(plan(puzzle=str(own), heats=2, spares=0), CODE, MARSHAL)
    assert desk.state.rounds["r1"].announced.puzzle == str(own / "puzzles" / "classic.toml")
    desk.open_heat("r1", CODE, MARSHAL)
    attempt = desk.call("r1", "ada", MARSHAL).attempt
    with (own / "layout.toml").open("a") as file:
        file.write("# another layout\n")
    again = desk_of(store, watch, Draws())
    for its in (desk, again):
        with pytest.raises(RefusedError, match=r"layout\.toml is not what it was"):
            its.open_heat("r1", CODE, MARSHAL)
        with pytest.raises(RefusedError, match=r"layout\.toml is not what it was"):
            its.agree(attempt, HELPER)


def test_a_secret_is_not_told_by_mistake_while_somebody_waits(desk: Desk) -> None:
    finish(desk, on(desk))
    with pytest.raises(RefusedError, match="attempts of round r1 are still to come"):
        desk.reveal("r1", CODE, MARSHAL)
    desk.withdraw("bo", "went home", MARSHAL)
    desk.withdraw("bo", "went home", MARSHAL)
    desk.reveal("r1", CODE, MARSHAL)


def test_a_round_may_be_ended_early_with_a_reason(desk: Desk) -> None:
    attempt = on(desk)
    with pytest.raises(RefusedError, match="has not ended"):
        desk.reveal("r1", CODE, MARSHAL, why="the hall closes")
    finish(desk, attempt)
    desk.reveal("r1", CODE, MARSHAL, why="the hall closes")
    assert desk.book.written[-1].why == "the hall closes"


def test_a_locomotive_is_timed_before_a_round_with_a_speed_limit(store: Store, watch: Watch, draws: Draws) -> None:
    desk = desk_at(store, watch, draws)
    desk.announce(plan(speed_limit_mm_s=150), CODE, MARSHAL)
    desk.open_heat("r1", CODE, MARSHAL)
    with pytest.raises(RefusedError, match="no locomotive has shown"):
        on(desk)
    desk.speed("r1", "L", 1000, 8000, HELPER)
    assert desk.start("r1-ada-1", HELPER).phase is Phase.RUNNING


# ---------------------------------------------------------------- the clock and the presses


def test_the_clock_runs_from_the_press_and_stands_for_the_equipment(desk: Desk, watch: Watch) -> None:
    attempt = on(desk)
    watch.on(10)
    desk.pause(attempt, "a wire came off", HELPER)
    watch.on(300)
    assert desk.resume(attempt, HELPER).shows_ms(watch()) == 10_000
    watch.on(5.5)
    desk.fault(attempt, Fault.DERAILMENT, HELPER)
    desk.hint(attempt, HELPER)
    watch.on(1)
    its = desk.end(attempt, Outcome.FINISHED, HELPER, counts={Measure.REVERSALS: 11, Measure.RUNS: 14})
    assert its.marks is not None
    assert its.marks.time_ms == Figure(16_500, Origin.ENTERED)
    assert its.marks.faults == {Fault.DERAILMENT: Figure(1, Origin.ENTERED)}
    assert its.marks.hints == Figure(1, Origin.ENTERED)
    assert (its.marks.runs, its.marks.couplings) == (Figure(14, Origin.ENTERED), None)


def test_a_press_that_comes_twice_is_done_once_and_answered_the_same(desk: Desk, watch: Watch) -> None:
    called = desk.call("r1", "ada", MARSHAL)
    assert desk.call("r1", "ada", MARSHAL) == called
    attempt = called.attempt
    twice = [
        lambda: desk.agree(attempt, HELPER),
        lambda: desk.start(attempt, HELPER),
        lambda: desk.fault(attempt, Fault.HAND, HELPER, 1_000),
        lambda: desk.hint(attempt, HELPER, 1_100),
        lambda: desk.pause(attempt, "a wire came off", HELPER, 1_500),
        lambda: desk.resume(attempt, HELPER),
        lambda: desk.end(attempt, Outcome.FINISHED, HELPER, at_ms=2_000, counts={Measure.REVERSALS: 9}),
        lambda: desk.check(attempt, OTHER),
    ]
    for press in twice:
        watch.on(1)
        first = press()
        head = desk.book.head
        assert press() == first
        assert desk.book.head == head
    # What comes again after others have come changes nothing either.
    head = desk.book.head
    desk.pause(attempt, "a wire came off", HELPER, 1_500)
    desk.fault(attempt, Fault.HAND, HELPER, 1_000)
    assert desk.book.head == head
    # Another's press, at another moment, or of another kind, is another one.
    its = desk.state.attempts[attempt].marks
    assert its is not None
    assert its.time_ms == Figure(2_000, Origin.ENTERED)


def test_two_presses_are_two(desk: Desk, watch: Watch) -> None:
    attempt = on(desk)
    watch.on(5)
    desk.fault(attempt, Fault.HAND, HELPER, 1_000)
    desk.fault(attempt, Fault.HAND, HELPER, 1_001)
    desk.fault(attempt, Fault.HAND, OTHER, 1_000)
    desk.fault(attempt, Fault.SIDE_SWIPE, HELPER, 1_000)
    desk.fault(attempt, Fault.HAND, HELPER)
    desk.fault(attempt, Fault.HAND, HELPER)
    assert len(desk.state.attempts[attempt].pressed) == 6
    with pytest.raises(RefusedError, match="is running"):
        desk.start(attempt, OTHER)


def test_a_press_that_was_taken_back_does_not_come_back_with_a_late_answer(desk: Desk, watch: Watch) -> None:
    attempt = on(desk)
    watch.on(5)
    desk.fault(attempt, Fault.HAND, HELPER, 1_000)
    desk.undo(desk.book.head.entries, "a slip", HELPER)
    assert desk.fault(attempt, Fault.HAND, HELPER, 1_000).pressed == ()


def test_a_fault_that_is_told_after_the_end_is_not_lost(desk: Desk, watch: Watch) -> None:
    attempt = on(desk)
    watch.on(60)
    finish(desk, attempt)
    desk.check(attempt, OTHER)
    for _ in range(2):
        its = desk.fault(attempt, Fault.HAND, MARSHAL, 59_000)
        assert its.marks is not None
        assert its.marks.faults == {Fault.HAND: Figure(1, Origin.ENTERED)}
    assert its.checked_by == ""
    last = desk.book.written[-1]
    assert isinstance(last.entry, MarksCorrected)
    assert last.why == "hand: pressed at 0:59, told after the end"
    with pytest.raises(RefusedError, match="had ended at 1:00 already"):
        desk.fault(attempt, Fault.HAND, MARSHAL, 60_001)
    with pytest.raises(RefusedError, match="is ended"):
        desk.fault(attempt, Fault.HAND, MARSHAL)


@pytest.mark.parametrize(
    ("device_ms", "counts_ms", "noted"),
    [
        (59_500, 59_500, False),  # the network's delay
        (62_000, 62_000, False),
        (40_000, 40_000, True),  # told twenty seconds late
        (75_000, 60_000, True),  # the device has missed a pause
        (2_000, 10_000, True),  # before the clock went on at ten seconds
    ],
)
def test_a_device_whose_clock_is_far_off_is_believed_no_further_than_it_can_be_right(
    desk: Desk, watch: Watch, device_ms: int, counts_ms: int, noted: bool
) -> None:
    attempt = on(desk)
    watch.on(10)
    desk.pause(attempt, "a wire came off", HELPER)
    desk.resume(attempt, HELPER)
    watch.on(50)
    its = desk.end(attempt, Outcome.DID_NOT_FINISH, HELPER, at_ms=device_ms)
    assert its.marks is not None
    assert its.marks.time_ms == Figure(counts_ms, Origin.ENTERED)
    assert ("the device's clock showed" in desk.book.written[-1].why) is noted


def test_what_cannot_be_pressed_is_refused_with_a_reason(desk: Desk, watch: Watch) -> None:
    attempt = desk.call("r1", "ada", MARSHAL).attempt
    with pytest.raises(RefusedError, match="has not been started"):
        desk.fault(attempt, Fault.HAND, HELPER)
    with pytest.raises(RefusedError, match="the set-up of attempt r1-ada-1 is not agreed"):
        desk.start(attempt, HELPER)
    with pytest.raises(UsageError, match="there is no attempt 'r1-ada-2'\n  -> did you mean r1-ada-1"):
        desk.start("r1-ada-2", HELPER)
    desk.agree(attempt, HELPER)
    desk.start(attempt, HELPER)
    with pytest.raises(RefusedError, match="this needs a reason"):
        desk.pause(attempt, "", HELPER)
    with pytest.raises(RefusedError, match="is running"):
        desk.resume(attempt, HELPER)


# ---------------------------------------------------------------- how attempts end


def test_what_the_scheme_needs_is_asked_for_before_an_attempt_ends(store: Store, watch: Watch, draws: Draws) -> None:
    desk = desk_at(store, watch, draws)
    desk.announce(plan(scheme="moves-and-time"), CODE, MARSHAL)
    desk.open_heat("r1", CODE, MARSHAL)
    attempt = on(desk)
    with pytest.raises(RefusedError, match="nobody has measured: couplings and runs"):
        desk.end(attempt, Outcome.FINISHED, HELPER)
    its = desk.end(attempt, Outcome.FINISHED, HELPER, counts={Measure.COUPLINGS: 9, Measure.RUNS: 14})
    assert its.outcome is Outcome.FINISHED
    with pytest.raises(RefusedError, match="has ended already"):
        desk.end(attempt, Outcome.DID_NOT_FINISH, HELPER)


def test_results_are_typed_where_no_clock_ran(desk: Desk) -> None:
    attempt = desk.call("r1", "ada", MARSHAL).attempt
    its = desk.end(attempt, Outcome.FINISHED, HELPER, counts={Measure.REVERSALS: 9, Measure.TIME: 61_000})
    assert its.marks is not None
    assert its.marks.time_ms == Figure(61_000, Origin.ENTERED)
    absent = desk.call("r1", "bo", MARSHAL).attempt
    assert desk.end(absent, Outcome.DID_NOT_START, HELPER).outcome is Outcome.DID_NOT_START


def test_who_has_started_did_not_not_start(desk: Desk) -> None:
    attempt = on(desk)
    with pytest.raises(RefusedError, match="the clock of attempt r1-ada-1 has run"):
        desk.end(attempt, Outcome.DID_NOT_START, HELPER)
    with pytest.raises(RefusedError, match="say what was wrong with the equipment"):
        desk.end(attempt, Outcome.EQUIPMENT, HELPER)


def test_an_attempt_is_run_again_on_the_next_spare_that_nobody_had(desk: Desk) -> None:
    first = on(desk)
    with pytest.raises(RefusedError, match="has not ended by a fault of the equipment"):
        desk.rerun(first, CODE, "the motor stalled", MARSHAL)
    desk.end(first, Outcome.EQUIPMENT, HELPER, why="the motor stalled")
    with pytest.raises(RefusedError, match="this code does not open"):
        desk.rerun(first, "another code", "the motor stalled", MARSHAL)
    with pytest.raises(RefusedError, match="a spare draw, and a reason"):
        desk.rerun(first, CODE, "", MARSHAL)
    again = desk.rerun(first, CODE, "the motor stalled", MARSHAL)
    assert (again.attempt, again.spare, again.number, again.heat) == ("r1-ada-1-again", 1, 1, 1)
    assert again.cards != desk.state.attempts[first].started.cards
    assert desk.rerun(first, CODE, "the motor stalled", MARSHAL) == again
    # Taken back, the spare is used up all the same: Ada has seen it.
    desk.undo(desk.book.head.entries, "the wrong entrant", MARSHAL)
    second = desk.rerun(first, CODE, "the motor stalled", MARSHAL)
    assert (second.attempt, second.spare) == ("r1-ada-1-again-2", 2)
    desk.end(second.attempt, Outcome.EQUIPMENT, HELPER, why="again")
    with pytest.raises(RefusedError, match="heat 1 has no spare draw left: it had 2"):
        desk.rerun(second.attempt, CODE, "again", MARSHAL)


def test_marks_are_corrected_and_checked_by_somebody_else(desk: Desk, watch: Watch) -> None:
    attempt = on(desk)
    watch.on(60)
    finish(desk, attempt)
    right = Marks(Outcome.FINISHED, time_ms=Figure(60_000), reversals=Figure(12, Origin.ENTERED))
    with pytest.raises(RefusedError, match="this needs a reason"):
        desk.correct(attempt, right, "", MARSHAL)
    with pytest.raises(RefusedError, match="nobody has measured: reversals"):
        desk.correct(attempt, Marks(Outcome.FINISHED), "a slip", MARSHAL)
    corrected = desk.correct(attempt, right, "counted again", MARSHAL)
    assert corrected.marks == right
    assert desk.correct(attempt, right, "counted again", MARSHAL) == corrected
    assert kinds(desk).count(MarksCorrected) == 1
    for by in (HELPER, "mo"):
        with pytest.raises(RefusedError, match="does not check it too"):
            desk.check(attempt, by)
    assert desk.check(attempt, OTHER).checked_by == OTHER
    desk.undo(desk.book.head.entries, "the wrong one", OTHER)
    assert desk.state.unchecked == (attempt,)


def test_a_journal_is_the_evidence_and_a_person_cannot_say_otherwise(desk: Desk, watch: Watch, tmp_path: Path) -> None:
    attempt, journal = on(desk), tmp_path / "ada.journal"
    its = desk.state.attempts[attempt].started
    chosen = choose("inglenook-small", cards=its.cards)
    solution = solve(chosen.track, chosen.start, chosen.goal, Count.RUNS)
    played(chosen, solution.runs, journal, named={"competition": "club", "attempt": attempt})
    for outcome in (Outcome.DID_NOT_FINISH, Outcome.DID_NOT_START):
        with pytest.raises(RefusedError, match="the journal shows"):
            desk.end(attempt, outcome, HELPER, journal=journal)
    ended = desk.end(attempt, Outcome.FINISHED, HELPER, journal=journal)
    assert ended.ended is not None
    assert ended.ended.journal == Journal("ada.journal", hashlib.sha256(journal.read_bytes()).hexdigest())
    assert ended.marks is not None
    assert ended.marks.runs == Figure(solution.optimum)
    assert ended.marks.par[Count.RUNS] == solution.optimum
    # Another's journal is none.
    other = on(desk, "bo")
    with pytest.raises(CompetitionError):
        desk.end(other, Outcome.FINISHED, HELPER, journal=journal)


def test_a_train_that_all_share_is_counted_for_its_heat(store: Store, watch: Watch, draws: Draws) -> None:
    desk = desk_at(store, watch, draws)
    desk.announce(plan(scheme="aiguilleur", count="runs", par_least=7, par_most=7, spares=0), CODE, MARSHAL)
    desk.open_heat("r1", CODE, MARSHAL)
    for _ in range(2):
        desk.shared_train("r1", 1, 3, HELPER)
    assert desk.state.rounds["r1"].shared_placed == {1: 3}
    with pytest.raises(RefusedError, match="counted already"):
        desk.shared_train("r1", 1, 4, HELPER)


# ---------------------------------------------------------------- people and their devices


def test_entrants_are_entered_changed_and_withdrawn(store: Store, watch: Watch, draws: Draws) -> None:
    desk = desk_at(store, watch, draws, ())
    assert desk.enter("Zoë Martin", MARSHAL, club="Eastern") == "zoe-martin"
    # Sent again it is the same one; another of that name is another one.
    assert desk.enter("Zoë Martin", MARSHAL, club="Eastern") == "zoe-martin"
    assert desk.enter("Zoë Martin", OTHER) == "zoe-martin-2"
    assert desk.enter("Ляля", MARSHAL) == "entrant"
    assert desk.enter("Bo", MARSHAL, entrant="b7") == "b7"
    assert desk.enter("Bo", MARSHAL, entrant="b7") == "b7"
    with pytest.raises(RefusedError, match="there is an entrant b7 already"):
        desk.enter("Bob", MARSHAL, entrant="b7")
    desk.change("zoe-martin", "married", MARSHAL, name="Zoë Marin")
    about = desk.state.entrants["zoe-martin"].about
    assert (about.name, about.club) == ("Zoë Marin", "Eastern")
    with pytest.raises(RefusedError, match="this needs a reason"):
        desk.change("zoe-martin", "", MARSHAL, name="Zoë")
    desk.withdraw("b7", "", MARSHAL)
    assert desk.state.entrants["b7"].withdrawn
    before = desk.book
    with pytest.raises(RefusedError, match="there is an entrant b7 already"):
        desk.enter_all([EntrantAdded("x1", "X"), EntrantAdded("b7", "Y")], MARSHAL)
    assert desk.book == before
    desk.enter_all([EntrantAdded("x1", "X"), EntrantAdded("x2", "Y")], MARSHAL)
    assert {"x1", "x2"} <= desk.state.entrants.keys()


def test_a_token_is_told_once_and_revoked(store: Store, watch: Watch, draws: Draws) -> None:
    desk = desk_at(store, watch, draws)
    token = desk.give_token("Hal's tablet", Scope.MARK, timedelta(hours=6), MARSHAL)
    assert admitted(desk.state, token, Scope.MARK, now=watch()).given.name == "Hal's tablet"
    assert token not in str(desk.book)
    desk.revoke("Hal's tablet", MARSHAL)
    with pytest.raises(RefusedError, match="this device is not admitted"):
        admitted(desk.state, token, Scope.LOOK, now=watch())
    assert kinds(desk).count(TokenGiven) == 1


def test_a_competition_begins_by_its_programme_or_not_at_all(store: Store, watch: Watch, draws: Draws) -> None:
    twice = (EntrantAdded("ada", "Ada"), EntrantAdded("ada", "Ada"))
    with pytest.raises(RefusedError, match="there is an entrant ada already"):
        Desk.begin(
            store, Programme("club", CREATED, twice, (plan(),)), CODE, MARSHAL, now=watch, version="0.1.0", draws=draws
        )
    assert store.competitions() == ()
    programme = Programme("club", CREATED, twice[:1], (plan(), plan(id="r2")))
    desk = Desk.begin(store, programme, CODE, MARSHAL, now=watch, version="0.1.0", draws=draws)
    assert list(desk.state.rounds) == ["r1", "r2"]
    assert list(desk.state.entrants) == ["ada"]
    assert desk.open_heat("r2", CODE, MARSHAL).heat == 1


# ---------------------------------------------------------------- several desks


def test_desks_of_several_programs_do_each_thing_once(desk: Desk, tmp_path: Path, watch: Watch, draws: Draws) -> None:
    """Six desks, each with a store of its own, call the same two, and press the same things."""
    attempt = on(desk)
    watch.on(60)
    refused: list[PointsmanError] = []
    gate = threading.Barrier(6)

    def evening(number: int) -> None:
        with Store(str(tmp_path / "begun.sqlite3")) as store:
            mine = desk_of(store, watch, draws)
            gate.wait(TOGETHER_WITHIN_S)
            mine.fault(attempt, Fault.HAND, f"helper {number}", 1_000 + number)
            mine.fault(attempt, Fault.DERAILMENT, HELPER, 2_000)  # one press, and it came six times
            try:
                mine.call("r1", "bo", f"helper {number}")
            except RefusedError as error:
                refused.append(error)
            mine.end(attempt, Outcome.DID_NOT_FINISH, HELPER, at_ms=60_000)

    threads = [threading.Thread(target=evening, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TOGETHER_WITHIN_S)
    its = desk.state.attempts[attempt]
    assert its.marks is not None
    assert its.marks.faults == {
        Fault.HAND: Figure(6, Origin.ENTERED),
        Fault.DERAILMENT: Figure(1, Origin.ENTERED),
    }
    assert len(refused) == 5
    assert [name for name in desk.state.attempts if name != attempt] == ["r1-bo-1"]
    assert kinds(desk).count(FaultMarked) + kinds(desk).count(MarksCorrected) == 7
    assert (kinds(desk).count(Paused), kinds(desk).count(ClockStarted)) == (0, 1)


def test_nobody_plays_a_draw_that_could_be_seen_before(desk: Desk) -> None:
    finish(desk, on(desk, "ada"))
    desk.enter("Cleo", MARSHAL)
    finish(desk, on(desk, "cleo"))  # Bo is still to play: nobody knows the draw yet
    desk.withdraw("bo", "went home", MARSHAL)
    back = desk.book.head.entries
    desk.undo(back, "is back", MARSHAL)
    desk.enter("Dag", MARSHAL)
    for name in ("bo", "dag"):
        with pytest.raises(RefusedError, match=f"the draw of heat 1 of round r1 could be seen by all before {name}"):
            desk.call("r1", name, MARSHAL)
    # What was taken back after all had played was seen by then as well.
    desk.withdraw("bo", "went home", MARSHAL)
    desk.withdraw("dag", "came too late", MARSHAL)
    for seq in [one.seq for one in reversed(desk.book.written) if getattr(one.entry, "attempt", "") == "r1-ada-1"]:
        desk.undo(seq, "not so good", MARSHAL)
    with pytest.raises(RefusedError, match="could be seen by all before ada"):
        desk.call("r1", "ada", MARSHAL)


def test_nobody_checks_what_was_written_under_the_same_name_with_other_spaces(desk: Desk) -> None:
    attempt = on(desk, "ada")
    desk.fault(attempt, Fault.HAND, "Ann Lee")
    finish(desk, attempt)
    with pytest.raises(RefusedError, match="does not check it too"):
        desk.check(attempt, "ann  LEE")
    desk.check(attempt, "Ann Lea")


def test_a_second_try_on_a_draw_whose_first_was_taken_back_is_told(desk: Desk) -> None:
    first = on(desk, "ada")
    finish(desk, first)
    for seq in [one.seq for one in reversed(desk.book.written) if getattr(one.entry, "attempt", "") == first]:
        desk.undo(seq, "a slip", MARSHAL)
    assert played_again(desk.book) == (), "it is gone"
    again = desk.call("r1", "ada", MARSHAL)
    (doubt,) = played_again(desk.book)
    assert (doubt.attempt, doubt.kind) == (again.attempt, DoubtKind.AGAIN)
    assert first in doubt.what
    # Whose call alone was taken back has not been at it.
    desk.call("r1", "bo", MARSHAL)
    desk.undo(desk.book.head.entries, "not here", MARSHAL)
    desk.call("r1", "bo", MARSHAL)
    assert [one.attempt for one in played_again(desk.book)] == [again.attempt]
