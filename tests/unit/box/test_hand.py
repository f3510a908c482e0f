"""Driving by hand at the signal box: who holds the throttle, what is refused, what is counted, and who goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from boxes import AT_THE_START, opened, seen

from pointsman.box.box import Box
from pointsman.box.snapshot import Mode, Snapshot
from pointsman.errors import RefusedError
from pointsman.operate.ahead import Protection
from pointsman.operate.retelling import retell
from pointsman.record import read
from pointsman.track.model import End, Leg

pytestmark = pytest.mark.usefixtures("solver_cache")


@asynccontextmanager
async def ready(tmp_path: Path, *, speed: float | None = None) -> AsyncIterator[Box]:
    """A play that was begun, and nothing has moved but the proof of the locomotive."""
    async with opened(tmp_path, speed=speed) as box:
        await box.deal("classic", seed="1")
        await box.begin(End.TO)
        assert (await seen(box, lambda now: now.mode in {Mode.READY, Mode.HALTED, Mode.DEALT})).mode is Mode.READY
        yield box


async def stood_again(box: Box, since: Snapshot) -> Snapshot:
    """Wait until the locomotive has moved since then, and stands."""
    return await seen(box, lambda now: now.drive is None and now.vehicles["L"] != since.vehicles["L"])


async def test_one_that_is_not_renewed_stops_and_the_program_goes_on_from_there_to_the_end(tmp_path: Path) -> None:
    async with ready(tmp_path) as box:
        hand = box.hand
        with pytest.raises(RefusedError, match="do not hold the throttle"):
            hand.drive("ann", End.TO, 60)
        hand.take("ann")
        assert box.snapshot.throttle["L"]["holder"] == "ann"
        before = box.snapshot
        hand.drive("ann", End.TO, 60)
        stood = await stood_again(box, before)
        assert stood.mode is Mode.HAND
        # It stands, but the throttle was not closed: what is said again now moves nothing.
        hand.drive("ann", End.TO, 60)
        hand.stop("ann")
        await box.hand.turnout("ann", "T2", Leg.THROWN)
        assert (await seen(box, lambda now: now.turnouts["T2"]["commanded"] == "thrown")).vehicles == stood.vehicles
        # Back to where it stood: from there the plan goes on.
        while box.snapshot.puzzle is not None and box.snapshot.puzzle["position"] != AT_THE_START:
            hand.drive("ann", End.FROM, 60)
            stood = await stood_again(box, stood)
            hand.stop("ann")
        hand.release("ann")
        await seen(box, lambda now: now.mode in {Mode.READY, Mode.PAUSED})
        await box.auto()
        assert (await seen(box, lambda now: now.mode in {Mode.SOLVED, Mode.HALTED})).mode is Mode.SOLVED
        assert box.snapshot.puzzle is not None
        done = box.snapshot.puzzle["done"]
        assert done["runs"] >= box.snapshot.puzzle["par"]
        assert box.snapshot.throttle == {}


async def onto_the_points(box: Box, leg: Leg) -> None:
    """Drive the locomotive by hand onto T1, which lies as said, and let go."""
    hand, before = box.hand, box.snapshot
    hand.take("ann")
    hand.drive("ann", End.FROM, 60)
    before = await stood_again(box, before)
    hand.stop("ann")
    await hand.turnout("ann", "T1", leg)
    onto = f"head: | s1: 1 2 3 | s2: 4 5 | s3: | T1>{leg}: L"
    for _ in range(5):
        if before.puzzle is not None and before.puzzle["position"] == onto:
            break
        hand.drive("ann", End.TO, 50)
        before = await stood_again(box, before)
        hand.stop("ann")
    hand.release("ann")
    now = await seen(box, lambda now: now.mode in {Mode.READY, Mode.PAUSED, Mode.HALTED})
    assert now.puzzle is not None
    assert now.puzzle["position"] == onto


@pytest.mark.parametrize("leg", Leg)
async def test_a_locomotive_on_the_points_can_be_given_a_hint_and_the_program_goes_on_from_there(
    tmp_path: Path, leg: Leg
) -> None:
    """Those of the plan, too: it stands before the wagons there, and not against them."""
    async with ready(tmp_path) as box:
        await onto_the_points(box, leg)
        await box.hint()
        assert box.snapshot.puzzle is not None
        assert box.snapshot.puzzle["hint"]["run"].startswith("L to head")
        await box.auto()
        assert (await seen(box, lambda now: now.mode in {Mode.SOLVED, Mode.HALTED})).mode is Mode.SOLVED
        assert box.snapshot.refusal is None


async def test_whatever_stops_a_train_keeps_one_from_setting_off_that_is_still_being_planned(tmp_path: Path) -> None:
    async with ready(tmp_path) as box:
        await onto_the_points(box, Leg.THROWN)
        stood = box.snapshot

        async def pause() -> None:
            await box.pause()

        async def stop() -> None:
            box.hand.stop("bob")

        async def gone() -> None:
            box.hand.gone("ann")

        async def emergency_stop() -> None:
            box.emergency_stop("a spectator")

        whys = ["a pause was asked for", "bob has said stop", "ann has gone", "emergency stop by a spectator"]
        for stops, why in zip((pause, stop, gone, emergency_stop), whys, strict=True):
            for deed in (box.auto, box.step):
                if deed == box.step and stops is emergency_stop:
                    continue
                setting_off = asyncio.create_task(deed("ann"))
                await asyncio.sleep(0)
                assert box.snapshot.note == "planning from there ..."
                await stops()
                with pytest.raises(RefusedError, match=f"does not set off: {why}"):
                    await setting_off
        ended = await seen(box, lambda now: bool(now.halted and now.halted["cure"]))
        assert (ended.vehicles, ended.drive) == (stood.vehicles, None)


def newest_journal(folder: Path) -> Path:
    return max(folder.rglob("*.journal"), key=lambda path: path.stat().st_mtime_ns)


async def test_what_was_counted_goes_on_after_a_putting_right(tmp_path: Path) -> None:
    async with ready(tmp_path) as box:
        for number in (1, 2):
            await box.step()
            await seen(box, lambda now, done=number: bool(now.puzzle and now.puzzle["next"] == done))  # type: ignore[misc]
            await seen(box, lambda now: now.mode in {Mode.PAUSED, Mode.HALTED})
        assert box.snapshot.puzzle is not None
        before, position = box.snapshot.puzzle["done"], box.snapshot.puzzle["position"]
        assert before["couplings"] > 0
        box.emergency_stop("ann")
        await seen(box, lambda now: now.mode is Mode.HALTED and now.throttle == {})
        await box.put_right(position, "marshal")
        counts = ("runs", "reversals", "couplings", "pull_drops")
        assert [box.snapshot.puzzle["done"][name] for name in counts] == [before[name] for name in counts]
        await box.begin(End.TO)
        assert (await seen(box, lambda now: now.mode in {Mode.READY, Mode.PAUSED, Mode.HALTED})).mode is not Mode.HALTED
        await box.auto()
        solved = await seen(box, lambda now: now.mode in {Mode.SOLVED, Mode.HALTED})
    assert solved.mode is Mode.SOLVED
    assert solved.puzzle is not None
    done = solved.puzzle["done"]
    assert done["runs"] == before["runs"] + len(solved.puzzle["plan"])
    assert done["couplings"] > before["couplings"]
    assert [done["origins"][name] for name in counts] == ["entered"] * 4
    told = retell(read(newest_journal(tmp_path)), "")
    assert told.counted is not None
    assert (told.counted.figures.couplings, told.counted.figures.runs) == (done["couplings"], done["runs"])


async def test_who_takes_over_stops_the_train_first(tmp_path: Path) -> None:
    async with ready(tmp_path, speed=3.0) as box:
        hand = box.hand
        hand.take("ann")
        hand.drive("ann", End.FROM, 40)
        await seen(box, lambda now: now.vehicles["L"]["v_mm_s"] < 0)
        with pytest.raises(RefusedError, match="ann drives L"):
            hand.take("bob")
        hand.take("bob", steal=True)
        await seen(box, lambda now: now.drive is None)
        with pytest.raises(RefusedError, match="do not hold"):
            hand.drive("ann", End.FROM, 40)
        hand.stop("ann")
        assert box.snapshot.throttle["L"] == {"holder": "bob", "towards": None, "speed_mm_s": 0.0}
        # Its connection ends: the train stops, and the throttle waits for who comes again.
        hand.drive("bob", End.FROM, 40)
        await seen(box, lambda now: now.drive is not None)
        hand.gone("bob")
        assert (await seen(box, lambda now: now.drive is None)).throttle["L"]["holder"] == "bob"
        hand.drive("bob", End.TO, 40)
        await seen(box, lambda now: now.vehicles["L"]["v_mm_s"] > 0)
        with pytest.raises(RefusedError, match="the other way"):
            hand.drive("bob", End.FROM, 40)
        with pytest.raises(RefusedError, match="a train is moving"):
            await box.auto()
        box.emergency_stop("a spectator")
        assert (await seen(box, lambda now: now.mode is Mode.HALTED)).throttle != {}
        await seen(box, lambda now: now.throttle == {})


async def test_who_takes_the_throttle_once_more_under_way_stops_and_may_be_dismissed_by_name(tmp_path: Path) -> None:
    async with ready(tmp_path, speed=3.0) as box:
        hand = box.hand
        hand.take("ann, page a", whose="ann")
        hand.drive("ann, page a", End.FROM, 40)
        await seen(box, lambda now: now.vehicles["L"]["v_mm_s"] < 0)
        assert hand.orders is not None
        before = hand.orders.closings
        hand.take("ann, page a", whose="ann")
        assert (box.snapshot.throttle["L"]["speed_mm_s"], hand.orders.closings) == (0.0, before + 1)
        await seen(box, lambda now: now.drive is None)
        hand.dismiss("ann, page a")
        assert hand.holder == "ann, page a"
        hand.dismiss("ann")
        assert hand.holder is None


async def test_which_functions_are_on_is_seen_by_everybody_once_they_are_sent_and_survives_a_taking_over(
    tmp_path: Path,
) -> None:
    async with ready(tmp_path) as box:
        hand = box.hand
        hand.take("ann")
        await hand.function("ann", 0, on=True)
        await seen(box, lambda now: now.functions == {"L": [0]})
        hand.take("bob", steal=True)
        with pytest.raises(RefusedError, match="do not hold"):
            await hand.function("ann", 0, on=False)
        with pytest.raises(RefusedError, match="no F29"):
            await hand.function("bob", 29, on=True)
        await hand.function("bob", 2, on=True)
        assert (await seen(box, lambda now: now.functions != {"L": [0]})).functions == {"L": [0, 2]}
        box.emergency_stop("a spectator")
        assert (await seen(box, lambda now: now.throttle == {})).functions == {}


async def test_a_throttle_that_knows_no_ends_is_told_why_each_of_its_drives_has_ended(tmp_path: Path) -> None:
    """The clock jumps: a drive may have begun and ended before anybody looks."""
    told: list[str] = []
    every: list[str] = []
    async with ready(tmp_path) as box:
        hand = box.hand
        hand.on_refused(lambda who, error: told.append(error.what))
        hand.take("ann")
        async with asyncio.timeout(30):
            while "the track ends in head" not in every:
                told.clear()
                hand.drive_own_way("ann", forward=False, speed_mm_s=60)
                await box.board.when(lambda _: bool(told))
                every += told
                hand.stop("ann")
    assert set(every) == {"the throttle was not renewed for 1.5 s", "the track ends in head"}


async def test_what_the_layout_refuses_goes_to_the_one_who_asked_and_says_where(tmp_path: Path) -> None:
    refused: list[tuple[str, RefusedError]] = []
    async with ready(tmp_path) as box:
        hand = box.hand
        hand.on_refused(lambda who, error: refused.append((who, error)))
        with pytest.raises(RefusedError, match="magnet s1"):
            await hand.uncouple("ann", "s1")
        hand.take("ann")
        await hand.function("ann", 0, on=True)
        for _ in range(12):
            before = box.snapshot
            hand.stop("ann")
            hand.drive("ann", End.FROM, 80)
            await seen(
                box, lambda now, was=before: bool(refused) or (now.drive is None and now.vehicles != was.vehicles)
            )  # type: ignore[misc]
            if refused:
                break
        assert [(who, error.what, error.where) for who, error in refused] == [
            ("ann", "the track ends in head", "segment head")
        ]
        await hand.protect("marshal", Protection.WARN)
        assert box.snapshot.protection == "warn"
