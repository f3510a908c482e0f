"""A competition on a layout: what the layout writes into the book, and what a referee presses goes to both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from boxes import ground, seen
from halls import ALONE, CLUB, CODE, FINAL, Browser, begun, events

from pointsman.box.box import Box
from pointsman.box.snapshot import Mode
from pointsman.box.task import deal
from pointsman.compete.store.store import Store
from pointsman.errors import PointsmanError
from pointsman.record import Line, read
from pointsman.track.model import End
from pointsman.web.competing.hall import Hall
from pointsman.web.running import Served, serving

pytestmark = pytest.mark.usefixtures("solver_cache")


@asynccontextmanager
async def staged(folder: Path, where: str) -> AsyncIterator[tuple[Served, Browser]]:
    """While inside, a competition is served with the small Inglenook."""
    journals = folder / "journals"
    journals.mkdir(exist_ok=True)
    with Store(where) as store:
        hall = Hall(store, CLUB, version="0.1.0", journals=journals)
        async with serving(ground(), journals, ALONE, speed=None, hall=hall) as house:
            origin = house.address.rstrip("/")
            async with httpx.AsyncClient(base_url=origin, headers={"origin": origin}, trust_env=False) as http:
                yield house, Browser(http)


async def called(browser: Browser) -> str:
    """An entrant who is called to a place in the one heat."""
    await browser.done("enter", name="Anna")
    await browser.done("announce", plan=FINAL, code=CODE)
    await browser.done("open-heat", round="r1", code=CODE, heat=1)
    return str((await browser.done("call", round="r1", entrant="anna"))["attempt"])


async def until(browser: Browser, name: str, **values: object) -> dict[str, Any]:
    """Look again at every change until an attempt is so."""
    async with asyncio.timeout(60), events(browser) as told:
        while not values.items() <= (found := await browser.attempt(name)).items():
            await told.head()
    return found


async def solve(box: Box, cards: tuple[str, ...]) -> None:
    """Drive the best plan as a person may have found it."""
    task = await asyncio.to_thread(deal, ground(), "classic", None, None, lambda _: None, cards)
    over: asyncio.Future[PointsmanError | None] = asyncio.get_running_loop().create_future()
    box.hand.play(task.runs, over.set_result, one=False)
    assert await over is None
    box.retell()
    assert (await seen(box, lambda now: now.mode in {Mode.SOLVED, Mode.HALTED})).mode is Mode.SOLVED


def presses(folder: Path) -> list[Line]:
    """What was pressed, by all journals."""
    paths = sorted((folder / "journals").glob("*.journal"))
    return [line for path in paths for line in read(path).lines if line.kind == "pressed"]


async def test_an_attempt_on_the_layout_from_its_call_to_its_replay(tmp_path: Path) -> None:
    async with staged(tmp_path, begun(tmp_path)) as (house, browser):
        name = await called(browser)
        assert (await browser.view())["layout"] == {"name": "inglenook-small"}
        await browser.done("play", attempt=name)
        assert house.box.snapshot.mode is Mode.DEALT, "it is dealt, and nothing moves"
        dealt = await until(browser, name, on_layout=True, set_up=False)
        await house.box.begin(End.TO)
        await until(browser, name, set_up=True, phase="called")
        assert (await browser.refused("hint", attempt=name))[0] == 403
        assert (await browser.refused("start", attempt=name))[0] == 403
        solving = asyncio.create_task(solve(house.box, tuple(dealt["cards"])))
        ended = await until(browser, name, phase="ended")
        await solving
        assert (ended["outcome"], ended["replay"]) == ("finished", True)
        assert ended["marks"]["runs"] == {"value": dealt["par"], "origin": "seen"}
        assert ended["marks"]["time_ms"]["value"] > 0
        assert [line["by"] for line in (await browser.view())["log"]][:3] == ["the layout"] * 3
        shown = (await browser.http.get(f"/api/competitions/{CLUB}/attempts/{name}/replay", timeout=60)).json()
        assert (shown["par"], len(shown["plan"])) == (dealt["par"], dealt["par"])
        assert {"start", "goal"} <= {step["kind"] for step in shown["steps"]}


async def test_presses_go_to_book_and_journal_once_however_often_they_are_sent(tmp_path: Path) -> None:
    async with staged(tmp_path, begun(tmp_path)) as (house, browser):
        name = await called(browser)
        await browser.done("play", attempt=name)
        await house.box.begin(End.TO)
        await seen(house.box, lambda now: now.mode is Mode.READY)
        await until(browser, name, set_up=True)
        await asyncio.to_thread(house_start, house, name)
        for _ in range(2):
            await browser.done("fault", attempt=name, fault="derailment", at_ms=0)
        await browser.done("pause", attempt=name, why="a coupling is open")
        assert house.box.snapshot.attempt is not None
        assert house.box.snapshot.attempt["clock_stands"]
        await browser.done("resume", attempt=name)
        assert not house.box.snapshot.attempt["clock_stands"]
        await browser.done("end", attempt=name, outcome="did-not-finish")
        ended = await browser.attempt(name)
        assert (ended["phase"], ended["outcome"], ended["on_layout"]) == ("ended", "did-not-finish", False)
        assert ended["marks"]["faults"] == {"derailment": {"value": 1, "origin": "entered by a person"}}
    told = [line.values.get("fault", line.values.get("stands")) for line in presses(tmp_path)]
    assert told == ["derailment", True, False]


async def test_a_press_that_the_book_refuses_ends_and_stops_nothing_on_the_layout(tmp_path: Path) -> None:
    async with staged(tmp_path, begun(tmp_path)) as (house, browser):
        name = await called(browser)
        await browser.done("play", attempt=name)
        await house.box.begin(End.TO)
        await seen(house.box, lambda now: now.mode is Mode.READY)
        await until(browser, name, set_up=True)
        await asyncio.to_thread(house_start, house, name)
        for press, said in (
            ({"do": "end", "outcome": "finished"}, "the layout has not confirmed the goal"),
            ({"do": "end", "outcome": "did-not-start"}, f"the clock of attempt {name} has run"),
            ({"do": "end", "outcome": "equipment"}, "this needs a reason"),
            ({"do": "pause", "why": ""}, "this needs a reason"),
        ):
            assert await browser.refused(attempt=name, **press) == (403, said)
        still = house.box.snapshot.attempt
        assert still is not None
        assert (house.box.snapshot.mode, still["over"], still["clock_stands"]) == (Mode.READY, False, False)
        await until(browser, name, phase="running")


def house_start(house: Served, name: str) -> None:
    """Start the clock as the layout does with the first movement."""
    assert house.hall is not None
    house.hall.desk.start(name, "the layout")
