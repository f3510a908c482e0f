"""A competition at its boundary: real sockets on loopback, a real store, nobody's layout."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from halls import AT, BY_PIN, CODE, FINAL, Browser, events, held

from pointsman.compete.entries import EntrantAdded
from pointsman.compete.store.store import Store

pytestmark = pytest.mark.usefixtures("solver_cache")


async def prepared(browser: Browser) -> None:
    """Two entrants, and a round whose first heat is open."""
    await browser.done("enter", name="Anna", club="Liège", train="L 12")
    await browser.done("enter", name="Bert")
    await browser.done("announce", plan=FINAL, code=CODE)
    await browser.done("open-heat", round="r1", code=CODE, heat=1)


async def test_an_evening_by_hand_from_the_entrants_to_the_standing(tmp_path: Path) -> None:
    async with held(tmp_path) as house, house.browser() as marshal, house.browser() as other:
        await prepared(marshal)
        view = await marshal.view()
        assert (view["scope"], view["title"], view["layout"]) == ("marshal", "Club evening", None)
        assert [one["name"] for one in view["entrants"]] == ["Anna", "Bert"]
        assert view["rounds"][0]["next"][0] == {"entrant": "anna", "number": 1, "heat": 1}
        name = (await marshal.done("call", round="r1", entrant="anna"))["attempt"]
        called = await marshal.attempt(name)
        assert called["start"].startswith("head:")
        assert len(set(called["cards"])) == 3, "so many stand in the goal"
        assert FINAL["par_least"] <= called["par"] <= FINAL["par_most"]
        assert (await marshal.refused("start", attempt=name))[0] == 403
        for deed in ("set-up", "start"):
            await marshal.done(deed, attempt=name)
        running = await marshal.attempt(name)
        assert running["phase"] == "running"
        house.clock.goes(245_312)
        assert (await marshal.attempt(name))["shows_ms"] == 245_312
        await marshal.done("fault", attempt=name, fault="derailment", at_ms=60_000)
        await marshal.done("end", attempt=name, outcome="finished", counts={"runs": 12})
        ended = await marshal.attempt(name)
        assert (ended["phase"], ended["shows_ms"], ended["outcome"]) == ("ended", 245_312, "finished")
        assert ended["faults"] == [{"fault": "derailment", "at_ms": 60_000}]
        assert (await marshal.view())["unchecked"] == [name]
        assert (await marshal.refused("check", attempt=name))[0] == 403
        await other.http.get("/competition")
        await other.done("check", attempt=name)
        view = await marshal.view()
        assert view["unchecked"] == []
        row = view["rounds"][0]["standing"]["rows"][0]
        assert (row["entrant"], row["rank"], row["text"]) == ("anna", 1, "5:05.312")
        assert view["log"][0]["text"] == f"{name}: the marks are checked"


async def test_nothing_of_a_draw_is_told_before_everybody_has_played_it(tmp_path: Path) -> None:
    async with held(tmp_path, BY_PIN) as house, house.browser() as marshal, house.browser() as nobody:
        await marshal.http.post("/api/session", json={"pin": "4711"})
        await marshal.done("announce", plan=FINAL, code=CODE)
        await marshal.done("open-heat", round="r1", code=CODE, heat=1)
        set_up = f"{AT}/rounds/r1/set-up/1"
        assert (await nobody.http.get(set_up)).status_code == 403, "nobody has entered yet"
        assert (await marshal.http.get(set_up)).status_code == 200
        for name in ("Anna", "Bert"):
            await marshal.done("enter", name=name)
        for entrant, told in (("anna", []), ("bert", ["under-par", "under-par"])):
            attempt = (await marshal.done("call", round="r1", entrant=entrant))["attempt"]
            for deed in ("set-up", "start"):
                await marshal.done(deed, attempt=attempt)
            house.clock.goes(60_000)
            await marshal.done("end", attempt=attempt, outcome="finished", counts={"runs": 1})
            doubts = (await nobody.view())["doubts"]
            assert [one["kind"] for one in doubts if "par" in one["text"]] == told
        assert (await nobody.http.get(set_up)).status_code == 200


async def test_what_a_scope_may_not_see_is_not_in_the_answer(tmp_path: Path) -> None:
    async with held(tmp_path, BY_PIN) as house, house.browser() as marshal, house.browser() as nobody:
        await marshal.http.post("/api/session", json={"pin": "4711"})
        await prepared(marshal)
        token = (await marshal.done("give-token", name="tablet 1", scope="mark", hours=4))["token"]
        name = (await marshal.done("call", round="r1", entrant="anna"))["attempt"]
        async with house.helper(token) as helper:
            for who, scope, sets_up in ((nobody, "look", False), (helper, "mark", True)):
                view = await who.view()
                assert view["scope"] == scope
                assert not {"log", "tokens"} & view.keys()
                (attempt,) = view["attempts"]
                assert attempt["par"] is None
                assert [attempt["cards"] is not None, attempt["start"] is not None] == [sets_up, sets_up]
            await ended(helper, name)
            for who in (nobody, helper):
                attempt = await who.attempt(name)
                assert [attempt["cards"], attempt["start"], attempt["par"]] == [None] * 3, "Bert still has to play it"
                assert "par" not in attempt["marks"]
            await ended(helper, (await helper.done("call", round="r1", entrant="bert"))["attempt"])
            attempt = await nobody.attempt(name)
            assert attempt["cards"] is not None
            assert attempt["par"] is not None
            assert (await helper.view())["who"] == "tablet 1"


async def ended(browser: Browser, name: str) -> None:
    """Play an attempt."""
    for deed in ("set-up", "start"):
        await browser.done(deed, attempt=name)
    await browser.done("end", attempt=name, outcome="finished", counts={"runs": 9})


async def test_a_scope_is_looked_at_for_every_deed(tmp_path: Path) -> None:
    async with held(tmp_path, BY_PIN) as house, house.browser() as marshal, house.browser() as nobody:
        await marshal.http.post("/api/session", json={"pin": "4711"})
        await prepared(marshal)
        status, why = await nobody.refused("call", round="r1", entrant="anna")
        assert (status, why) == (403, "spectator 2 may not do this")
        looks = (await marshal.done("give-token", name="screen", scope="look", hours=1))["token"]
        marks = (await marshal.done("give-token", name="tablet", scope="mark", hours=1))["token"]
        async with house.helper(looks) as screen, house.helper(marks) as tablet:
            assert await screen.refused("call", round="r1", entrant="anna") == (403, "screen may not do this")
            assert await tablet.refused("undo", seq=2, why="x") == (403, "tablet may not do this")
            assert await tablet.refused("withdraw", id="anna") == (403, "tablet may not do this")
            assert await tablet.refused("give-token", name="mine", scope="marshal", hours=1) == (
                403,
                "tablet may not do this",
            )
            await tablet.done("call", round="r1", entrant="anna")
            log = (await marshal.view())["log"]
            assert (log[0]["by"], log[0]["kind"]) == ("tablet", "AttemptStarted")
        assert (await nobody.http.post(f"{AT}/token", json={"token": "x" * 43})).status_code == 403


async def test_a_revoked_token_stops_at_once_also_on_a_stream_that_is_open(tmp_path: Path) -> None:
    async with held(tmp_path, BY_PIN) as house, house.browser() as marshal:
        await marshal.http.post("/api/session", json={"pin": "4711"})
        made = await marshal.done("give-token", name="tablet", scope="mark", hours=1)
        assert made["address"] == f"{house.front.address}competition#token={made['token']}"
        assert made["svg"].startswith("<svg")
        async with house.helper(made["token"]) as tablet, events(tablet) as told, events(marshal) as on:
            before = await told.head()
            assert await on.head() == before
            await marshal.done("revoke-token", name="tablet")
            assert await told.head() is None
            assert await on.head() == (before or 0) + 1
            assert await tablet.refused("check", attempt="x") == (403, "this device is not admitted")
            assert (await tablet.view())["scope"] == "look"
        # Another program takes one back: the deed that comes right after it is refused too.
        made = await marshal.done("give-token", name="other", scope="mark", hours=1)
        async with house.helper(made["token"]) as tablet:
            house.hall.desk.revoke("other", "Ada")
            assert await tablet.refused("check", attempt="x") == (403, "this device is not admitted")


async def test_what_another_program_writes_is_told_within_a_second(tmp_path: Path) -> None:
    async with held(tmp_path) as house, house.browser() as browser, events(browser) as told:
        assert await told.head() == 1
        with Store(house.store.where) as other:
            before = asyncio.get_running_loop().time()
            other.add("club", EntrantAdded("carla", "Carla"), by="Ada", at=house.clock())
            assert await told.head() == 2
        assert asyncio.get_running_loop().time() - before < 2.0
        assert [one["id"] for one in (await browser.view())["entrants"]] == ["carla"]


async def test_a_long_list_of_entrants_is_taken_and_a_longer_body_is_not(tmp_path: Path) -> None:
    async with held(tmp_path) as house, house.browser() as browser:
        rows = "\n".join(f"Entrant {number},Club of somebody" for number in range(300))
        assert len((await browser.done("import", csv=f"name,club\n{rows}\n"))["ids"]) == 300
        status, why = await browser.refused("import", csv="nonsense\nAnna\n")
        assert (status, bool(why)) == (422, True)
        assert (await browser.http.post(f"{AT}/deeds", content=b"x" * 300_001)).status_code == 413
        assert (await browser.http.post(f"{AT}/token", content=b"x" * 5_000)).status_code == 413
        foreign = await browser.http.post(f"{AT}/deeds", json={}, headers={"origin": "http://evil.example"})
        assert foreign.status_code == 403


async def test_what_is_not_there_and_not_well_said_is_refused_in_french_too(tmp_path: Path) -> None:
    async with held(tmp_path) as house, house.browser() as browser:
        answer = await browser.http.get("/api/competitions/other?lang=fr")
        assert (answer.status_code, answer.json()["why"]) == (422, "il n'y a pas de concours 'other' ici")
        assert (await browser.refused("fly"))[0] == 422
        assert (await browser.refused("fault", attempt="a", fault="hand", at_ms="5"))[0] == 422
        assert (await browser.http.get(f"{AT}/rounds/r9/layout")).status_code == 422
        assert (await browser.http.get("/", follow_redirects=False)).headers["location"] == "/competition"
        assert (await browser.http.get("/healthz")).json()["mode"] == "competition"
        await browser.done("enter", name="Anna")
        assert (await browser.view(lang="fr"))["log"][0]["text"] == "Anna participe"


async def test_an_answer_is_packed_for_who_reads_that(tmp_path: Path) -> None:
    async with held(tmp_path) as house, house.browser() as browser:
        await prepared(browser)
        name = (await browser.done("call", round="r1", entrant="anna"))["attempt"]
        for deed in ("set-up", "start"):
            await browser.done(deed, attempt=name)
        house.clock.goes(250)
        packed = await browser.http.get(AT, headers={"accept-encoding": "gzip"})
        plain = await browser.http.get(AT, headers={"accept-encoding": "identity"})
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        moving = ("now", "attempts")
        assert [{key: value for key, value in one.json().items() if key not in moving} for one in (packed, plain)] == [
            {key: value for key, value in plain.json().items() if key not in moving}
        ] * 2
        first, second = (one.json()["attempts"][0]["shows_ms"] for one in (packed, plain))
        assert (first, second) == (250, 250)


async def test_every_route_is_described(tmp_path: Path) -> None:
    async with held(tmp_path) as house, house.browser() as browser:
        described = (await browser.http.get("/openapi.json")).json()
    for path, methods in described["paths"].items():
        for method, one in methods.items():
            assert one["description"], f"{method} {path}"
    assert {"/api/competitions/{competition}", "/api/session"} <= described["paths"].keys()


async def test_an_open_heat_that_nobody_has_played_is_nobodys_to_see(tmp_path: Path) -> None:
    async with held(tmp_path, BY_PIN) as its, its.browser() as marshal, its.browser() as anybody:
        await marshal.http.post("/api/session", json={"pin": BY_PIN.pin})
        await marshal.done("announce", plan=FINAL, code=CODE)
        await marshal.done("open-heat", round="r1", code=CODE)
        assert (await anybody.http.get(f"{AT}/rounds/r1/set-up/1")).status_code == 403, "nobody has come yet"
        assert (await marshal.http.get(f"{AT}/rounds/r1/set-up/1")).status_code == 200


async def test_words_that_cannot_be_written_are_refused_and_not_sent_again_for_ever(tmp_path: Path) -> None:
    async with held(tmp_path) as its, its.browser() as marshal:
        assert await marshal.done("enter", name=" Anna\t", club="Liège ") == {"id": "anna"}, "as phones write"
        (anna,) = (await marshal.view())["entrants"]
        assert (anna["name"], anna["club"]) == ("Anna", "Liège")
        for wrong in ({"name": "a\nb"}, {"name": "\u202eabc"}, {"name": "x", "club": "a\0b"}, {"name": "   "}):
            assert (await marshal.do("enter", **wrong)).status_code == 422, wrong
        body = b'{"do": "announce", "plan": {"\\ud800": 1}, "code": "four words nobody guesses"}'
        odd = await marshal.http.post(f"{AT}/deeds", content=body, headers={"content-type": "application/json"})
        assert (odd.status_code, "plan" in odd.json()["why"]) == (422, True)


async def test_a_clock_that_was_forgotten_over_night_can_be_stopped(tmp_path: Path) -> None:
    async with held(tmp_path) as its, its.browser() as marshal:
        await prepared(marshal)
        name = (await marshal.done("call", round="r1", entrant="anna"))["attempt"]
        for deed in ("set-up", "start"):
            await marshal.done(deed, attempt=name)
        its.clock.goes(30 * 3600 * 1000)
        await marshal.done("fault", attempt=name, fault="hand")
        await marshal.done("pause", attempt=name, why="nobody was there any more")
        assert (await marshal.attempt(name))["shows_ms"] == 24 * 3600 * 1000
        await marshal.done("end", attempt=name, outcome="did-not-finish")


async def test_the_train_that_a_heat_shares_is_counted_at_the_desk(tmp_path: Path) -> None:
    async with held(tmp_path) as its, its.browser() as marshal:
        await marshal.done("enter", name="Anna")
        await marshal.done("announce", plan={**FINAL, "scheme": "aiguilleur"}, code=CODE)
        await marshal.done("open-heat", round="r1", code=CODE, heat=1)
        assert await marshal.done("shared-train", round="r1", heat=1, placed=3) == {}
        assert (await marshal.refused("shared-train", round="r1", heat=1, placed=4))[0] == 403, "it is counted once"
        assert (await marshal.view())["log"][0]["text"].startswith("the shared train of heat 1 of round r1 has 3")
