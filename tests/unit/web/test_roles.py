"""Roles on a layout under way: who gives orders, what is always taken, and what becomes of a train when a role ends."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from pages import WITH_PIN, Page, opened, served

from pointsman.web.running import Served

pytestmark = pytest.mark.usefixtures("solver_cache")


@asynccontextmanager
async def another(browser: httpx.AsyncClient) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody else's browser."""
    origin = str(browser.base_url)
    async with httpx.AsyncClient(base_url=origin, headers=dict(browser.headers), trust_env=False) as one:
        yield one


@asynccontextmanager
async def looking(house: Served, other: httpx.AsyncClient) -> AsyncIterator[tuple[httpx.AsyncClient, Page]]:
    """Somebody who has opened the page."""
    async with another(other) as browser:
        await browser.get("/")
        async with opened(house, browser) as page:
            yield browser, page


@asynccontextmanager
async def driving(house: Served, marshal: httpx.AsyncClient) -> AsyncIterator[tuple[httpx.AsyncClient, Page]]:
    """A driver of L, and the page."""
    made = (await marshal.post("/api/driver-codes", json={"locomotive": "L"})).json()
    async with another(marshal) as browser:
        code = made["address"].partition("#driver=")[2]
        assert (await browser.post("/api/session", json={"code": code})).json()["role"] == "driver"
        async with opened(house, browser) as page:
            yield browser, page


@asynccontextmanager
async def ready(tmp_path: Path) -> AsyncIterator[tuple[Served, httpx.AsyncClient, Page]]:
    """A play under way that its marshal has begun."""
    async with served(tmp_path, WITH_PIN) as (house, browser):
        await browser.post("/api/session", json={"pin": "4711"})
        async with opened(house, browser) as marshal:
            await marshal.ask("deal", puzzle="classic", seed="1")
            await marshal.ask("begin", facing="to")
            assert await marshal.in_mode("ready", "halted") == "ready"
            yield house, browser, marshal


async def test_who_does_not_hold_the_throttle_moves_nothing_while_another_one_does(tmp_path: Path) -> None:
    async with (
        ready(tmp_path) as (house, browser, marshal),
        driving(house, browser) as (_, first),
        driving(house, browser) as (_, second),
    ):
        lay = house.box.snapshot.turnouts["T2"]["commanded"]
        other = "thrown" if lay == "closed" else "closed"
        assert (await first.ask("take"))["type"] == "done"
        for do, fields in (("turnout", {"name": "T2", "leg": other}), ("uncouple", {"name": "s1"})):
            refused = await second.ask(do, **fields)
            assert (refused["why"], refused["name"]) == (f"{first.you['who']} drives L", "L")
        assert house.box.snapshot.turnouts["T2"]["commanded"] == lay
        # The one who drives may, and the marshal; and anybody who may drive once nobody does.
        assert (await first.ask("turnout", name="T2", leg=other))["type"] == "done"
        assert (await marshal.ask("turnout", name="T2", leg=lay))["type"] == "done"
        await first.ask("release")
        assert (await second.ask("turnout", name="T2", leg=other))["type"] == "done"


async def test_every_message_is_answered_and_what_calms_is_taken_however_much_is_asked_for(tmp_path: Path) -> None:
    async with served(tmp_path) as (house, browser), opened(house, browser) as page:
        asked = ["hint"] * 70 + ["stop", "release", "pause", "emergency-stop"]
        for number, do in enumerate(asked, 1000):
            await page.send(json.dumps({"id": number, "do": do}))
        answers: dict[int, dict[str, object]] = {}
        while len(answers) < len(asked):
            told = await page.until(lambda message: message.get("id") is not None)
            answers[told["id"]] = told
        last = [answers[1070 + number] for number in range(4)]
        assert [one["type"] for one in last] == ["done", "done", "refused", "done"]
        assert last[2]["why"] == "nothing is driven by itself"
        assert answers[1069]["why"] == "too much is asked for at once"


async def test_who_signs_out_while_driving_gives_the_train_back_and_may_still_say_stop(tmp_path: Path) -> None:
    async with ready(tmp_path) as (house, browser, marshal), driving(house, browser) as (hand, page):
        await page.ask("take")
        assert (await page.ask("drive", towards="from", speed_mm_s=20))["type"] == "done"
        assert (await hand.delete("/api/session")).json()["role"] == "spectator"
        assert house.box.snapshot.throttle["L"] == {"holder": None, "towards": None, "speed_mm_s": 0.0}
        for do in ("stop", "release"):
            assert (await page.ask(do))["type"] == "done"
        assert (await page.ask("drive", towards="from", speed_mm_s=20))["why"] == "a spectator may not do this"
        assert (await marshal.ask("take"))["type"] == "done"


async def test_a_driver_who_becomes_marshal_while_driving_has_to_take_the_throttle_anew(tmp_path: Path) -> None:
    async with ready(tmp_path) as (house, browser, _), driving(house, browser) as (hand, page):
        await page.ask("take")
        await page.ask("drive", towards="from", speed_mm_s=20)
        assert (await hand.post("/api/session", json={"pin": "4711"})).json()["role"] == "marshal"
        assert house.box.snapshot.throttle["L"] == {"holder": None, "towards": None, "speed_mm_s": 0.0}
        assert (await page.ask("take"))["type"] == "done"
        assert house.box.snapshot.throttle["L"]["holder"] == page.you["who"] == "marshal 2"


async def test_who_is_there_is_told_to_the_marshal_alone(tmp_path: Path) -> None:
    async with (
        ready(tmp_path) as (house, browser, marshal),
        driving(house, browser) as (_, driver),
        looking(house, browser) as (nobody, spectator),
    ):
        await marshal.until(lambda _: bool(marshal.state["people"]))
        assert [one["who"] for one in marshal.state["people"]] == [driver.you["who"]]
        assert "people" not in driver.state | spectator.state
        assert [one["state"] for one in marshal.state["people"]] == ["may"]
        await driver.ask("take")
        await marshal.until(lambda _: marshal.state["people"][0]["state"] == "driving")
        assert (await marshal.ask("dismiss", who=driver.you["who"]))["type"] == "done"
        await driver.until(lambda message: message["type"] == "you")
        assert driver.you["role"] == "spectator"
        # Who becomes marshal on this page is told at once.
        await nobody.post("/api/session", json={"pin": "4711"})
        await spectator.until(lambda _: "people" in spectator.state)


async def test_a_secret_from_before_the_pin_is_worth_nothing_after_it(tmp_path: Path) -> None:
    async with served(tmp_path, WITH_PIN) as (_, browser), another(browser) as thief:
        await browser.get("/")
        for name, value in browser.cookies.items():
            thief.cookies.set(name, value)
        assert (await browser.post("/api/session", json={"pin": "4711"})).json()["role"] == "marshal"
        assert (await browser.get("/api/session")).json()["role"] == "marshal"
        assert (await thief.get("/api/session")).json()["role"] == "spectator"
    async with served(tmp_path, WITH_PIN) as (_, browser):
        first = await browser.post("/api/session", json={"pin": "4711"})
        assert len(first.headers.get_list("set-cookie")) == 1


async def test_only_a_marshal_answers_whether_a_play_is_taken_up_or_begun(tmp_path: Path) -> None:
    async with served(tmp_path, WITH_PIN) as (house, browser):
        await browser.post("/api/session", json={"pin": "4711"})
        async with opened(house, browser) as marshal, driving(house, browser) as (_, driver):
            await marshal.ask("deal", puzzle="classic", seed="1")
            asked = house.box.snapshot.question
            assert asked is not None
            for kind in ("set-up", "take-up"):
                house.box.board.publish(question={**asked, "kind": kind})
                refused = await driver.ask("answer", question=asked["id"], yes=False)
                assert refused["why"] == "a driver may not do this"
            # What a person is to do by hand, a driver answers too: here nobody waits for it.
            house.box.board.publish(question={**asked, "kind": "by-hand"})
            refused = await driver.ask("answer", question=asked["id"], yes=True)
            assert refused["why"] == "it is not said which way the locomotive faces"
