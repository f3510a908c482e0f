"""Several persons at one signal box at the same moment: never two plays, and a stop reaches whatever moves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random

import pytest
from boxes import AT_THE_START, opened, seen

from pointsman.box.box import Box
from pointsman.box.snapshot import Mode
from pointsman.errors import PointsmanError, RefusedError
from pointsman.track.model import End

pytestmark = pytest.mark.usefixtures("solver_cache")

STANDS = {Mode.IDLE, Mode.DEALT, Mode.SOLVED, Mode.HALTED}
CLOSED_WITHIN_S = 60


def layouts() -> list[threading.Thread]:
    """The threads in which something is played now."""
    return [thread for thread in threading.enumerate() if thread.name == "layout"]


@asynccontextmanager
async def watched(tmp_path: Path, *, speed: float | None = None) -> AsyncIterator[Box]:
    """A box with a play that was begun; it never has two, and it can be closed."""
    most = 0

    def look(_: object) -> None:
        nonlocal most
        most = max(most, len(layouts()))

    async with opened(tmp_path, speed=speed) as box:
        await box.deal("classic", seed="1")
        await box.begin(End.TO)
        assert (await seen(box, lambda now: now.mode in {Mode.READY, *STANDS})).mode is Mode.READY
        box.subscribe(look)
        yield box
        async with asyncio.timeout(CLOSED_WITHIN_S):
            await box.close()
    assert most == 1
    assert not layouts()


async def outcome(deed: Awaitable[object]) -> str:
    """Why it was refused; empty when it was done."""
    try:
        await deed
    except PointsmanError as error:
        return error.what
    return ""


async def begun_after(box: Box, deed: Awaitable[None]) -> str:
    """Somebody begins as soon as a deed is done."""
    why = await outcome(deed)
    await outcome(box.begin(End.TO))
    return why


async def stopped(box: Box) -> None:
    """An emergency stop, after which nothing is under way."""
    thread = threading.Thread(target=box.emergency_stop, args=("a spectator",))
    thread.start()
    await seen(box, lambda now: now.mode in STANDS and not (now.halted and not now.halted["cure"]))
    thread.join()
    for one in layouts():  # it has told its end, and is about to end
        await asyncio.to_thread(one.join, CLOSED_WITHIN_S)
    assert not layouts()


async def test_of_two_draws_at_once_one_is_refused_and_a_stop_reaches_what_moves(tmp_path: Path) -> None:
    async with watched(tmp_path, speed=3.0) as box:
        draws = [box.deal("classic", seed="1"), box.deal("classic", seed="2")]
        whys = await asyncio.gather(*(begun_after(box, draw) for draw in draws))
        assert whys == ["", "it cannot deal now: it is drawing and solving"]
        await seen(box, lambda now: now.drive is not None or now.mode in STANDS)
        assert box.snapshot.drive is not None, "it creeps, to prove the locomotive"
        await stopped(box)
        assert box.snapshot.mode is Mode.HALTED
        assert box.snapshot.halted is not None
        assert box.snapshot.halted["why"] == "emergency stop by a spectator"


async def test_of_what_is_put_right_twice_and_drawn_anew_at_once_the_first_holds(tmp_path: Path) -> None:
    async with watched(tmp_path) as box:
        await box.step()
        await seen(box, lambda now: now.mode in {Mode.PAUSED, Mode.HALTED})
        await stopped(box)
        deeds = [
            box.put_right(AT_THE_START, "ann"),
            box.put_right("head: L | s1: 3 2 1 | s2: 4 5 | s3:", "bob"),
            box.deal("classic", seed="3"),
        ]
        assert (await asyncio.gather(*(begun_after(box, deed) for deed in deeds)))[0] == ""
        assert box.snapshot.puzzle is not None
        assert box.snapshot.puzzle["position"] == AT_THE_START


async def test_what_is_dealt_while_something_else_is_solved_is_refused(tmp_path: Path) -> None:
    async with watched(tmp_path) as box:
        drawing = asyncio.create_task(box.deal("classic", seed="2"))
        await asyncio.sleep(0)
        for deed in (box.auto, box.step, box.hint, lambda: box.begin(End.TO), lambda: box.demo(True)):
            with pytest.raises(RefusedError):
                await deed()
        await drawing
        assert box.snapshot.mode is Mode.DEALT


@pytest.mark.parametrize("seed", range(3))
async def test_a_storm_of_orders(tmp_path: Path, seed: int) -> None:
    """Whatever is ordered in whatever order, nothing but a refusal comes of it, and the next stop stops everything."""
    random = Random(seed)
    async with watched(tmp_path, speed=random.choice([None, 50.0])) as box:
        deeds: list[Callable[[], Awaitable[object]]] = [
            lambda: begun_after(box, box.deal("classic", seed=str(random.randrange(3)))),
            lambda: begun_after(box, box.put_right(AT_THE_START, "ann")),
            lambda: box.begin(End.TO),
            box.auto,
            box.step,
            box.hint,
            box.pause,
            box.take_up,
            lambda: box.demo(random.random() < 0.3),
        ]
        for _ in range(4):
            under_way = []
            for _ in range(8):
                under_way.append(asyncio.create_task(outcome(random.choice(deeds)())))
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(under_way[-1]), random.choice([0.001, 0.05, 1.0]))
            await stopped(box)
            async with asyncio.timeout(CLOSED_WITHIN_S):
                await asyncio.gather(*under_way)
            await stopped(box)
