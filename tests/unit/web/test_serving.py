"""The server at its boundary: real sockets on loopback, a simulated layout whose clock jumps."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import httpx
import pytest
from pages import HERE, WITH_PIN, opened, served
from printed import Printed, code_of
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pointsman.errors import PortError, UsageError
from pointsman.web.logs import log_to
from pointsman.web.running import Door, door, listen, pin_in

pytestmark = pytest.mark.usefixtures("solver_cache")


async def test_from_opening_the_page_to_the_solved_puzzle(tmp_path: Path) -> None:
    async with served(tmp_path) as (house, browser):
        layout = (await browser.get("/api/layout")).json()
        assert layout["segments"]["s1"]["from"] == "T1.closed"
        assert [one["name"] for one in layout["puzzles"]] == house.box.puzzles
        async with opened(house, browser) as page, opened(house, browser) as other:
            assert page.you["role"] == "marshal"
            assert (await page.ask("deal", puzzle="classic", seed="1"))["type"] == "done"
            assert page.state["mode"] == "dealt"
            assert (await page.ask("begin", facing="to"))["type"] == "done"
            assert await page.in_mode("ready", "halted") == "ready"
            refused = await other.ask("deal", puzzle="nonsense")
            assert (refused["type"], refused["why"]) == ("refused", "there is no puzzle 'nonsense'")
            assert (await other.ask("auto"))["type"] == "done"
            assert await page.in_mode("solved", "halted") == "solved"
            assert await other.in_mode("solved", "halted") == "solved"
            assert {**page.state, "seq": 0} == {**other.state, "seq": 0}
        assert (await browser.get("/healthz")).json()["mode"] == "solved"


async def test_anyone_stops_everything_and_a_spectator_does_nothing_else(tmp_path: Path) -> None:
    async with served(tmp_path, WITH_PIN) as (house, browser):
        async with opened(house, browser) as spectator:
            assert spectator.you["role"] == "spectator"
            assert (await spectator.ask("deal", puzzle="classic"))["why"] == "a spectator may not do this"
            assert (await browser.post("/api/session", json={"pin": "4711"})).json()["role"] == "marshal"
            async with opened(house, browser) as marshal:
                await marshal.ask("deal", puzzle="classic", seed="1")
                await marshal.ask("begin", facing="to")
                await marshal.in_mode("ready")
                assert (await spectator.ask("emergency-stop"))["type"] == "done"
                assert await marshal.in_mode("halted") == "halted"
                assert marshal.state["halted"]["why"].startswith("emergency stop by spectator")
        answer = await browser.post("/api/emergency-stop", json={})
        assert (answer.status_code, answer.json()["role"]) == (202, "marshal")


async def test_a_driver_comes_by_a_code_that_is_good_once(tmp_path: Path) -> None:
    async with served(tmp_path, WITH_PIN) as (house, browser):
        assert (await browser.post("/api/driver-codes", json={"locomotive": "L"})).status_code == 403
        await browser.post("/api/session", json={"pin": "4711"})
        made = (await browser.post("/api/driver-codes", json={"locomotive": "L"})).json()
        address, _, code = made["address"].partition("#driver=")
        assert address == house.address
        assert made["svg"].startswith("<svg")
        async with httpx.AsyncClient(base_url=address, headers=dict(browser.headers), trust_env=False) as phone:
            assert (await phone.post("/api/session", json={"code": code})).json()["locomotive"] == "L"
            async with opened(house, phone) as driver, opened(house, browser) as marshal:
                assert driver.you["role"] == "driver"
                assert [one["who"] for one in marshal.state["people"]] == [driver.you["who"]]
                assert (await marshal.ask("dismiss", who=driver.you["who"]))["type"] == "done"
                assert marshal.state["people"] == []
        async with httpx.AsyncClient(base_url=address, headers=dict(browser.headers), trust_env=False) as second:
            assert (await second.post("/api/session", json={"code": code})).status_code == 403


async def test_wrong_pins_are_counted_and_then_refused_whatever_they_are(tmp_path: Path) -> None:
    async with served(tmp_path, WITH_PIN) as (_, browser):
        for _ in range(5):
            answer = await browser.post("/api/session", json={"pin": "0000"})
            assert answer.json()["why"] == "this is not the marshal's PIN"
        answer = await browser.post("/api/session", json={"pin": "4711"})
        assert (answer.status_code, answer.json()["why"]) == (403, "there were too many wrong tries")


async def test_other_pages_other_names_and_long_bodies_are_turned_away(tmp_path: Path) -> None:
    async with served(tmp_path) as (house, browser):
        for headers, status in (
            ({"host": "evil.example"}, 421),
            ({"origin": "http://evil.example"}, 403),
            ({"origin": ""}, 403),
        ):
            answer = await browser.post("/api/emergency-stop", json={}, headers=headers)
            assert answer.status_code == status
        answer = await browser.post("/api/session", content=b"x" * 5000)
        assert answer.status_code == 413
        for origin in ("http://evil.example", house.address.replace("127.0.0.1", "localhost").rstrip("/")):
            with pytest.raises(InvalidStatus):
                async with opened(house, browser, origin=origin):
                    pass
        answer = await browser.post("/api/emergency-stop", json={"power_off": "no"})
        assert answer.status_code == 422
        answer = await browser.put("/api/session")
        assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET, POST")
        answer = await browser.get("/api/state")
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "server" not in answer.headers


async def test_nonsense_is_refused_by_its_number_and_a_flood_is_shown_out(tmp_path: Path) -> None:
    async with served(tmp_path) as (house, browser), opened(house, browser) as page:
        assert (await page.ask("fly"))["why"] == "this cannot be done here"
        assert (await page.ask("deal", puzzle="x" * 100))["type"] == "refused"
        assert (await page.say("{"))["id"] is None
        with pytest.raises(ConnectionClosed):
            await page.flood(['{"do":"hint"}'] * 300)
        async with opened(house, browser) as other:
            with pytest.raises(ConnectionClosed):
                await other.flood(["x" * 3000])


async def test_one_address_cannot_keep_all_others_out(tmp_path: Path) -> None:
    async with served(tmp_path, most_each=1) as (house, browser):
        async with opened(house, browser):
            with pytest.raises(InvalidStatus):
                async with opened(house, browser):
                    pass
        async with opened(house, browser) as again:
            assert again.state["mode"] == "idle"


async def test_a_page_that_never_reads_delays_nobody(tmp_path: Path) -> None:
    async with served(tmp_path) as (house, browser), opened(house, browser) as quick:
        address = house.address.removeprefix("http://").rstrip("/")
        host, _, port = address.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=1024)
        asked = ["GET /ws HTTP/1.1", f"host: {address}", f"origin: http://{address}", "connection: upgrade"]
        asked += ["upgrade: websocket", "sec-websocket-version: 13", "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA=="]
        writer.write("\r\n".join([*asked, "", ""]).encode())
        assert (await reader.readline()).startswith(b"HTTP/1.1 101")
        for number in range(300):
            house.box.board.publish(note=f"{number} " + "x" * 20_000)
            told = await quick.until(lambda message: "note" in message)
            assert told["note"].startswith(f"{number} ")
        writer.close()
        assert (await quick.ask("emergency-stop"))["type"] == "done"


async def test_a_french_page_is_told_everything_in_french(tmp_path: Path) -> None:
    async with served(tmp_path) as (house, browser), opened(house, browser, **{"accept-language": "fr-BE"}) as page:
        assert (await page.ask("auto"))["why"] == "impossible de rouler maintenant : rien n'est tiré"
        await page.ask("language", language="en")
        assert (await page.ask("go-on"))["why"] == "it cannot drive now: it is idle"
        assert (await browser.get("/api/layout?lang=fr")).json()["title"] == "Petit Inglenook, 3-2-2"
        assert (await browser.get("/api/layout?lang=de")).status_code == 422


async def test_every_route_is_described_with_an_example(tmp_path: Path) -> None:
    async with served(tmp_path) as (_, browser):
        described = (await browser.get("/openapi.json")).json()
    for path, methods in described["paths"].items():
        for method, one in methods.items():
            assert one["description"], f"{method} {path}"
    named = described["components"]["schemas"]
    tops = [
        "LayoutView",
        "HealthView",
        "SessionView",
        "ByPin",
        "ByCode",
        "CodeWanted",
        "CodeView",
        "StopWanted",
        "RefusedView",
    ]
    assert all("example" in named[name] for name in tops)


def test_a_port_that_is_taken_is_named_with_a_cure() -> None:
    with listen(HERE) as taken, pytest.raises(PortError, match="another program has this port") as refused:
        listen(Door("127.0.0.1", taken.getsockname()[1], None))
    assert "--port" in refused.value.cure


@pytest.mark.parametrize("host", ["192.168.1..20", "a" * 64, "\udcff", "x.invalid"])
def test_a_host_that_is_none_is_refused_with_a_cure(host: str) -> None:
    with pytest.raises(PortError) as refused:
        listen(Door(host, 0, None))
    assert "--host" in refused.value.cure


def test_who_lets_others_in_has_a_pin() -> None:
    assert door(None, 1, None).pin is None
    drawn = door("0.0.0.0", 1, None)
    assert drawn.is_open
    assert drawn.pin is not None
    assert len(drawn.pin) == 6
    assert door("192.168.1.5", 1, "4711").pin == "4711"
    with pytest.raises(UsageError):
        door("0.0.0.0", 1, "1")


def test_a_pin_is_the_first_line_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "pin"
    file.write_text("  4711 \nnot this\n", encoding="utf-8")
    assert pin_in(file) == "4711"
    for content in (b"", b"\n4711\n", b"\xff\xfe"):
        file.write_bytes(content)
        with pytest.raises(UsageError) as refused:
            pin_in(file)
        assert (refused.value.where, bool(refused.value.cure)) == (str(file), True)
    with pytest.raises(UsageError, match="No such file"):
        pin_in(tmp_path / "none")


def test_the_log_is_one_json_object_a_line_and_of_the_server_only_what_is_wrong() -> None:
    out = StringIO()
    with restored("pointsman.web", "pointsman.phones", "asyncio", "uvicorn"):
        log_to(out, as_json=True)
        logging.getLogger("pointsman.web").info("driver 1 comes in")
        logging.getLogger("pointsman.phones").info("phone 1 leaves: it has gone")
        logging.getLogger("asyncio").info("Using selector")
        logging.getLogger("asyncio").error("Exception in callback", exc_info=ValueError("it is wrong"))
        logging.getLogger("uvicorn.error").info("connection open")
        logging.getLogger("uvicorn.error").error("it is wrong")
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(line["level"], line["what"]) for line in lines] == [
        ("info", "driver 1 comes in"),
        ("info", "phone 1 leaves: it has gone"),
        ("error", "Exception in callback"),
        ("error", "it is wrong"),
    ]
    assert lines[2]["trace"] == "ValueError: it is wrong"


@contextmanager
def restored(*names: str) -> Iterator[None]:
    """While inside, these loggers may be changed."""
    loggers = [logging.getLogger(name) for name in names]
    before = [(list(logger.handlers), logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        logger.handlers, logger.level, logger.propagate = handlers, level, propagate


async def test_cards_and_the_draw_are_printed_for_anyone(tmp_path: Path) -> None:
    async with served(tmp_path) as (house, browser):
        cards = await browser.get("/api/print/cards.pdf?lang=fr&paper=letter")
        assert cards.headers["content-type"] == "application/pdf"
        assert Printed.of(cards.content).sizes_mm == {(215.9, 279.4)}
        assert "wagon minéralier" in Printed.of(cards.content).text
        early = await browser.get("/api/print/draw.pdf", headers={"accept-language": "fr"})
        assert (early.status_code, early.json()["why"]) == (403, "il n'y a pas de tirage à imprimer")
        assert (await browser.get("/api/print/cards.pdf?paper=a5")).status_code == 422
        await house.box.deal("classic", seed="7", level=None)
        draw = Printed.of((await browser.get("/api/print/draw.pdf")).content)
        assert "inglenook-small/classic, seed 7" in draw.text
        assert draw.code() == code_of("pointsman play inglenook-small/classic --seed 7")
