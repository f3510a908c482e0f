"""An attempt of a competition at the signal box: what nobody is shown, what is refused, and what a referee presses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from boxes import AT_THE_START, ground, opened, seen

from pointsman.box.box import Box
from pointsman.box.snapshot import Mode, Snapshot
from pointsman.box.task import deal
from pointsman.compete.chain import AttemptName
from pointsman.compete.evidence import evidence, no_pars
from pointsman.compete.marks import Outcome
from pointsman.errors import PointsmanError, RefusedError, UsageError
from pointsman.record import Line, read
from pointsman.resuming import interrupted
from pointsman.track.model import End, Leg
from pointsman.web.commands import Deeds, parse
from pointsman.web.sessions import Sessions

pytestmark = pytest.mark.usefixtures("solver_cache")

CARDS = ("2", "1", "3")
ATTEMPT = ("autumn", "r1-ann-1")
STOOD = {Mode.READY, Mode.PAUSED, Mode.HALTED, Mode.DEALT}


@asynccontextmanager
async def ready(
    folder: Path, *, speed: float | None = None, hints: bool = False, told: list[Snapshot] | None = None
) -> AsyncIterator[Box]:
    """An attempt that was begun; ``told`` hears every snapshot."""
    async with opened(folder, speed=speed) as box:
        box.subscribe([].append if told is None else told.append)
        await box.deal_attempt("classic", CARDS, ATTEMPT, hints=hints)
        await box.begin(End.TO)
        assert (await seen(box, lambda now: now.mode in STOOD)).mode is Mode.READY
        yield box


def journals(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.journal"))


def pressed(folder: Path) -> list[Line]:
    """The presses in all journals of a folder."""
    return [line for path in journals(folder) for line in read(path).lines if line.kind == "pressed"]


def keeps(now: Snapshot) -> bool:
    """Whether a snapshot tells nothing of how it is done, or how well it can be done."""
    puzzle = now.puzzle or {}
    hidden = ("par", "proved", "distance", "seed", "level")
    return not now.route and not puzzle.get("plan") and not puzzle.get("next") and not any(map(puzzle.get, hidden))


async def solve(box: Box) -> Snapshot:
    """Drive the best plan as a person may have found it."""
    task = await asyncio.to_thread(deal, ground(), "classic", None, None, lambda _: None, CARDS)
    over: asyncio.Future[PointsmanError | None] = asyncio.get_running_loop().create_future()
    box.hand.play(task.runs, over.set_result, one=False)
    assert await over is None
    box.retell()
    return await seen(box, lambda now: now.mode in {Mode.SOLVED, Mode.HALTED})


async def test_nobody_is_shown_a_plan_or_a_par_and_only_a_person_drives(tmp_path: Path) -> None:
    told: list[Snapshot] = []
    async with ready(tmp_path, told=told) as box:
        for deed in (box.auto, box.step, lambda: box.demo(True), lambda: box.deal("classic")):
            with pytest.raises(RefusedError, match="attempt r1-ann-1 of autumn is on") as caught:
                await deed()
            assert caught.value.cure == "end the attempt first"
        with pytest.raises(RefusedError, match="allow no hint"):
            await box.hint()
        solved = await solve(box)
        assert solved.mode is Mode.SOLVED
        (journal,) = journals(tmp_path)
        assert solved.attempt == {
            "competition": "autumn",
            "attempt": "r1-ann-1",
            "clock_stands": False,
            "over": True,
            "reached": True,
            "hints": False,
            "journal": journal.name,
        }
        assert solved.puzzle is not None
        assert solved.puzzle["done"]["runs"] == 9
        await box.press_fault("derailment", "bob")
        await box.press_fault("derailment", "bob", taken_back=True)
        with pytest.raises(RefusedError, match="the attempt is over"):
            await box.clock(stands=True, by="bob")
        assert all(map(keeps, told))
        covered = [one for one in told if one.puzzle is not None and one.mode is Mode.DEALT]
        assert covered
        assert not any(
            one.puzzle["cards"] or one.puzzle["goal"] or one.puzzle["target"] for one in covered if one.puzzle
        )
        assert solved.puzzle["cards"] == list(CARDS)
        sessions = Sessions(None, lambda: 0.0)
        await Deeds(box, sessions).do(parse('{"do":"deal","puzzle":"classic","cards":"2, 1 3"}'), sessions.new(), "")
        assert box.snapshot.attempt is None
        assert not keeps(box.snapshot)
        assert box.snapshot.puzzle is not None
        assert (box.snapshot.puzzle["seed"], box.snapshot.puzzle["wagons"]) == (None, list(CARDS))
        with pytest.raises(UsageError, match="has the level that it has"):
            await box.deal("classic", cards=CARDS, level=1)
    assert [line.values.get("taken_back") for line in pressed(tmp_path)] == [None, True]
    header = read(journal).lines[0].values
    assert header["attempt"] == {"competition": "autumn", "attempt": "r1-ann-1", "hints": False}
    assert (header["wagons"], header["runs"], header["seed"]) == ("2 1 3", [], None)


async def test_the_same_attempt_is_dealt_once_and_no_other_meanwhile(tmp_path: Path) -> None:
    async with opened(tmp_path) as box:
        with pytest.raises(UsageError, match="there is no wagon '9'"):
            await box.deal_attempt("classic", ("2", "1", "9"), ATTEMPT)
        with pytest.raises(RefusedError, match="the goal is reached"):
            await box.deal_attempt("classic", ("1", "2", "3"), ATTEMPT)
        assert box.snapshot.attempt is None
        await box.deal_attempt("classic", CARDS, ATTEMPT)
        dealt = box.snapshot
        await box.deal_attempt("classic", CARDS, ATTEMPT)
        assert box.snapshot == dealt
        with pytest.raises(RefusedError, match="r1-ann-1 of autumn is on"):
            await box.deal_attempt("classic", CARDS, ("autumn", "r1-bob-1"))
        assert dealt.question is not None
        with pytest.raises(RefusedError, match="cannot clear the layout"):
            await box.answer(dealt.question["id"], False)
        with pytest.raises(RefusedError, match="has not begun"):
            await box.press_fault("derailment", "bob")


async def test_while_the_clock_stands_a_train_is_braked_and_nothing_is_driven(tmp_path: Path) -> None:
    async with ready(tmp_path, speed=8.0) as box:
        hand = box.hand
        hand.take("ann")
        hand.drive("ann", End.FROM, 40)
        await seen(box, lambda now: now.vehicles["L"]["v_mm_s"] < 0)
        queued = [asyncio.ensure_future(hand.turnout("ann", name, Leg.THROWN)) for name in ("T1", "T2")]
        await asyncio.sleep(0)
        await box.clock(stands=True, by="bob", why="a machine sticks")
        assert box.snapshot.attempt is not None
        assert box.snapshot.attempt["clock_stands"]
        with pytest.raises(RefusedError, match="cannot drive now: the referee's clock stands") as caught:
            hand.drive("ann", End.FROM, 40)
        assert caught.value.cure == "let the clock go first"
        with pytest.raises(RefusedError, match="clock stands"):
            await hand.turnout("ann", "T1", Leg.THROWN)
        with pytest.raises(RefusedError, match="clock stands"):
            await hand.uncouple("ann", "s1")
        # Ordered while the train moved: whichever was looked at by then, or waited, none of them was done.
        answers = await asyncio.gather(*queued, return_exceptions=True)
        assert all(isinstance(one, RefusedError) for one in answers)
        await seen(box, lambda now: now.drive is None)
        assert box.snapshot.mode is not Mode.HALTED
        await box.clock(stands=True, by="bob")
        await box.press_fault("hand", "bob")
        await box.clock(stands=False, by="bob")
        hand.drive("ann", End.FROM, 40)
        await seen(box, lambda now: now.vehicles["L"]["v_mm_s"] < 0)
    assert [dict(line.values) for line in pressed(tmp_path)] == [
        {"what": "clock", "stands": True, "by": "bob", "why": "a machine sticks"},
        {"what": "fault", "fault": "hand", "by": "bob"},
        {"what": "clock", "stands": False, "by": "bob", "why": ""},
    ]


async def test_after_a_halt_it_stays_the_attempt_and_begins_only_when_the_clock_goes(tmp_path: Path) -> None:
    told: list[Snapshot] = []
    async with ready(tmp_path, told=told) as box:
        box.hand.take("ann")
        box.emergency_stop("a spectator")
        await seen(box, lambda now: now.mode is Mode.HALTED and now.throttle == {} and now.halted is not None)
        # Pressed just then: whoever writes the journal may be about to end.
        await box.press_fault("derailment", "bob")
        await box.clock(stands=True, by="bob")
        await seen(box, lambda now: bool(now.halted and now.halted["cure"]))
        (first,) = journals(tmp_path)
        assert [line.kind for line in read(first).lines if line.kind in {"end", "pressed"}].count("pressed") == 2
        with pytest.raises(RefusedError, match="the goal is reached") as caught:
            await box.put_right("head: L | s1: 2 1 3 | s2: 4 5 | s3:", "marshal")
        assert caught.value.cure.startswith("end the attempt")
        await box.put_right(AT_THE_START, "marshal")
        assert box.snapshot.puzzle is not None
        assert box.snapshot.puzzle["cards"] == list(CARDS)
        with pytest.raises(RefusedError, match="cannot begin now: the referee's clock stands"):
            await box.begin(End.TO)
        await box.clock(stands=False, by="bob")
        await box.begin(End.TO)
        assert (await seen(box, lambda now: now.mode in STOOD)).mode is Mode.READY
        await box.press_fault("hand", "bob")
        assert (await solve(box)).mode is Mode.SOLVED
    assert all(map(keeps, told))
    second = next(path for path in journals(tmp_path) if path != first)
    header = read(second).lines[0].values
    assert (header["attempt"]["attempt"], header["goes_on_from"]) == ("r1-ann-1", str(first))
    assert [line.values["what"] for line in pressed(tmp_path)].count("fault") == 2
    # All of it is evidence: what was pressed when nobody wrote the journal any more, too.
    found = evidence(second, attempt=AttemptName(*ATTEMPT), pars=no_pars)
    faults = {fault.value: figure.value for fault, figure in found.marks.faults.items()}
    assert (found.marks.outcome, faults) == (Outcome.FINISHED, {"derailment": 1, "hand": 1})


async def test_after_a_kill_it_is_offered_as_the_attempt_that_it_is(tmp_path: Path) -> None:
    async with ready(tmp_path / "played", hints=True) as box:
        await box.clock(stands=True, by="bob")
        await box.clock(stands=False, by="bob")
        await box.press_fault("hand", "bob")
        await box.clock(stands=True, by="bob")
        (journal,) = journals(tmp_path / "played")
        # All that was confirmed is with the operating system by now: a program that is killed leaves this.
        left = tmp_path / "killed"
        left.mkdir()
        (left / journal.name).write_bytes(journal.read_bytes())
    told: list[Snapshot] = []
    async with opened(left) as box:
        box.subscribe(told.append)
        now = box.snapshot
        assert now.attempt is not None
        assert (now.attempt["attempt"], now.attempt["clock_stands"]) == ("r1-ann-1", True)
        with pytest.raises(RefusedError, match="r1-ann-1 of autumn is on"):
            await box.deal("classic")
        await box.take_up()
        await box.put_right(AT_THE_START, "marshal")
        await box.clock(stands=False, by="bob")
        await box.begin(End.TO)
        assert (await seen(box, lambda now: now.mode in STOOD)).mode is Mode.READY
        await box.hint()
        hinted = await seen(box, lambda now: bool(now.puzzle and now.puzzle["hint"]))
        assert hinted.puzzle is not None
        assert hinted.puzzle["hint"] == {"run": hinted.puzzle["hint"]["run"], "distance": None}
        assert (await seen(box, lambda now: bool(now.puzzle and now.puzzle["done"]["hints"]))).mode is Mode.READY
        assert not any("positions" in one.note for one in told)
        assert all(map(keeps, told))
    async with opened(left) as box:
        assert box.snapshot.question is not None
        await box.answer(box.snapshot.question["id"], False)
        assert box.snapshot.attempt is not None
        assert (box.snapshot.attempt["over"], box.snapshot.attempt["reached"]) == (True, False)
        await box.deal("classic", seed="1")


async def test_it_is_ended_where_it_stands_and_a_train_is_braked_first(tmp_path: Path) -> None:
    async with ready(tmp_path, speed=8.0) as box:
        hand = box.hand
        hand.take("ann")
        hand.drive("ann", End.FROM, 40)
        await seen(box, lambda now: now.vehicles["L"]["v_mm_s"] < 0)
        await box.end_attempt("bob")
        now = box.snapshot
        assert now.attempt is not None
        assert (now.mode, now.puzzle, now.attempt["over"], now.attempt["reached"]) == (Mode.IDLE, None, True, False)
        await box.end_attempt("bob")
        (journal,) = journals(tmp_path)
        with pytest.raises(PointsmanError, match="went to its end"):
            interrupted(journal)
        assert not [line for line in read(journal).lines if line.kind == "halt"]
        await box.deal_attempt("classic", CARDS, ("autumn", "r1-bob-1"))
        box.emergency_stop("a spectator")
        await box.end_attempt("bob")
        assert box.snapshot.mode is Mode.IDLE


async def test_one_that_was_halted_is_ended_too(tmp_path: Path) -> None:
    async with ready(tmp_path) as box:
        box.emergency_stop("a spectator")
        await seen(box, lambda now: bool(now.halted and now.halted["cure"]))
        await box.end_attempt("bob")
        assert (box.snapshot.mode, box.snapshot.halted, box.snapshot.puzzle) == (Mode.IDLE, None, None)
        await box.deal("classic", seed="1")
