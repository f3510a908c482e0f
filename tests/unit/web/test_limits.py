"""Nobody keeps others out, and nothing is done by a misunderstanding: limits, time-outs, and what is not well said."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from pages import WITH_PIN, opened, served

from pointsman.errors import UsageError
from pointsman.web.commands import Drive, means_stop, parse
from pointsman.web.rates import MOST_ADDRESSES, Rates, address_of
from pointsman.web.running import Served

pytestmark = pytest.mark.usefixtures("solver_cache")


class Line:
    """A connection on which bytes are sent as they are."""

    def __init__(self, house: Served) -> None:
        self.host = house.address.removeprefix("http://").rstrip("/")

    async def __aenter__(self) -> Line:
        host, _, port = self.host.partition(":")
        self.reader, self.writer = await asyncio.open_connection(host, int(port))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()
        with suppress(ConnectionError):  # the other side has ended it
            await self.writer.wait_closed()

    def say(self, *lines: str) -> None:
        """Send lines, with the ``Host`` after the first one."""
        first, *rest = lines
        self.writer.write("\r\n".join([first, f"host: {self.host}", *rest]).encode())

    async def answer(self) -> str:
        """The first line of an answer; the rest of it is read too."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next(line for line in head.splitlines() if line.startswith("content-length:"))
        await self.reader.readexactly(int(length.split()[1]))
        return head.splitlines()[0]

    async def ended(self) -> bool:
        """Wait until the other side has ended it."""
        try:
            async with asyncio.timeout(30):
                return await self.reader.read() == b""
        except ConnectionError:
            return True


async def test_a_line_on_which_no_whole_request_comes_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointsman.web.lines.REQUEST_WITHIN_S", 0.5)
    async with served(tmp_path) as (house, browser):
        async with Line(house) as silent, Line(house) as head, Line(house) as body, Line(house) as used:
            head.say("GET /healthz HTTP/1.1", "x-a: b")
            origin = f"origin: http://{body.host}"
            body.say("POST /api/session HTTP/1.1", origin, "content-length: 40", "", '{"pin":')
            used.say("GET /healthz HTTP/1.1", "", "")
            assert await used.answer() == "http/1.1 200 ok"
            used.say("GET /healthz HTTP/1.1", "x-a: b")
            for line in (silent, head, body, used):
                assert await line.ended()
        assert (await browser.get("/healthz")).status_code == 200


async def test_a_line_that_drips_is_ended_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointsman.web.lines.REQUEST_WITHIN_S", 0.3)
    async with served(tmp_path) as (house, _), Line(house) as line:
        line.say("GET /healthz HTTP/1.1", "x-a: ")
        ending = asyncio.create_task(line.ended())
        while not ending.done():
            line.writer.write(b"b")
            await asyncio.wait([ending], timeout=0.02)
        assert await ending


async def test_a_line_whose_request_has_come_lives_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointsman.web.lines.REQUEST_WITHIN_S", 0.5)
    async with served(tmp_path) as (house, browser), opened(house, browser) as page, Line(house) as line:
        line.say("GET /healthz HTTP/1.1", "", "")
        assert await line.answer() == "http/1.1 200 ok"
        async with Line(house) as silent:
            assert await silent.ended()
        line.say("GET /healthz HTTP/1.1", "", "")
        assert await line.answer() == "http/1.1 200 ok"
        assert (await page.ask("emergency-stop"))["type"] == "done"


async def test_many_idle_lines_give_way_to_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_EACH", "MOST_LINES"):
        with monkeypatch.context() as patched:
            patched.setattr(f"pointsman.web.lines.{name}", 3)
            async with (
                served(tmp_path) as (house, _),
                Line(house) as first,
                Line(house) as second,
                Line(house) as third,
                Line(house) as new,
            ):
                new.say("GET /healthz HTTP/1.1", "", "")
                assert await new.answer() == "http/1.1 200 ok"
                assert await first.ended()
                for line in (second, third):
                    line.say("GET /healthz HTTP/1.1", "", "")
                    assert await line.answer() == "http/1.1 200 ok"


async def test_one_address_asks_for_so_much_and_may_stop_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pointsman.web.guarding.AT_ONCE", 3)
    monkeypatch.setattr("pointsman.web.guarding.A_SECOND", 1e-6)
    monkeypatch.setattr("pointsman.web.guarding.TOO_MUCH_S", 0.01)
    async with served(tmp_path) as (house, browser):
        answers = [await browser.get("/healthz") for _ in range(4)]
        assert [one.status_code for one in answers] == [200, 200, 200, 429]
        told = await browser.get("/api/state", headers={"accept-language": "fr"})
        assert told.json()["why"] == "trop de demandes viennent de cette adresse"
        assert (await browser.post("/api/emergency-stop", json={})).status_code == 202
        async with opened(house, browser) as page:
            assert (await page.ask("emergency-stop"))["type"] == "done"


async def test_stops_are_counted_only_while_there_is_nothing_to_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pointsman.web.routes.STOPS_AT_ONCE", 2)
    monkeypatch.setattr("pointsman.web.routes.STOPS_A_SECOND", 1e-6)
    async with served(tmp_path) as (house, browser), opened(house, browser) as page:
        stops = [await browser.post("/api/emergency-stop", json={}) for _ in range(3)]
        assert [one.status_code for one in stops] == [202, 202, 429]
        await page.ask("deal", puzzle="classic", seed="1")
        await page.ask("begin", facing="to")
        await page.in_mode("ready")
        assert (await browser.post("/api/emergency-stop", json={})).status_code == 202
        assert await page.in_mode("halted") == "halted"


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"power_off": "no"}', b"[]"])
async def test_a_stop_that_is_not_well_said_stops(tmp_path: Path, body: bytes) -> None:
    async with served(tmp_path, WITH_PIN) as (house, browser), opened(house, browser) as page:
        kind = {"content-type": "application/json"}
        answer = await browser.post("/api/emergency-stop", content=body, headers=kind)
        assert answer.status_code in ({202} if not body else {400, 422})
        await page.until(lambda message: str(message.get("note")).startswith("emergency stop by"))


async def test_a_stop_on_the_websocket_that_is_not_well_said_stops(tmp_path: Path) -> None:
    async with served(tmp_path, WITH_PIN) as (house, browser), opened(house, browser) as page:
        refused = await page.ask("emergency-stop", power_off="no", hurry=True)
        assert refused["type"] == "refused"
        await page.until(lambda _: page.state["note"].startswith("emergency stop by"))


@pytest.mark.parametrize(
    "said",
    [
        '{"do":"drive","towards":"to","speed_mm_s":"40"}',
        '{"do":"drive","towards":"to","speed_mm_s":true}',
        '{"do":"drive","towards":"to","speed_mm_s":NaN}',
        '{"do":"drive","towards":"to","speed_mm_s":Infinity}',
        '{"do":"drive","towards":1,"speed_mm_s":40}',
        '{"do":"drive","towards":"TO","speed_mm_s":40}',
        '{"do":"demo","on":"false"}',
        '{"do":"demo","on":0}',
        '{"do":"take","steal":"no"}',
        '{"do":"function","number":"2","on":true}',
        '{"do":"function","number":2.0,"on":1}',
        '{"do":"answer","question":"1","yes":true}',
        '{"do":"answer","question":true,"yes":true}',
        '{"do":"deal","puzzle":"classic","seed":3}',
        '{"do":"deal","puzzle":"classic","level":"3"}',
        '{"do":"hint","id":"1"}',
    ],
)
def test_what_has_another_type_is_taken_for_nothing(said: str) -> None:
    with pytest.raises(UsageError, match="this cannot be asked for"):
        parse(said)
    assert not means_stop(said)


def test_a_whole_number_is_a_speed_too() -> None:
    asked = parse('{"do":"drive","towards":"to","speed_mm_s":40}')
    assert isinstance(asked, Drive)
    assert asked.speed_mm_s == 40


async def test_what_is_refused_is_told_to_nobody_but_who_asked_for_it(tmp_path: Path) -> None:
    async with served(tmp_path) as (house, browser), opened(house, browser) as page, opened(house, browser) as other:
        for _ in range(3):
            assert (await page.ask("drive", towards="to", speed_mm_s=40))["type"] == "refused"
        assert (await page.ask("auto"))["type"] == "refused"
        assert (await page.ask("protection", level="warn"))["type"] == "done"
        told = await other.until(lambda message: message["type"] == "change")
        assert (told["seq"], told["protection"]) == (1, "warn"), "the first that others are told"
        assert "refusal" not in told


def test_each_address_has_a_rate_of_its_own_and_a_network_is_one() -> None:
    now = [0.0]
    rates = Rates(2.0, 3, lambda: now[0])
    assert [rates.allows("a") for _ in range(4)] == [True, True, True, False]
    assert rates.allows("b")
    now[0] = 0.5
    assert [rates.allows("a") for _ in range(2)] == [True, False]
    now[0] = 1000.0
    assert [rates.allows("a") for _ in range(4)] == [True, True, True, False]
    for number in range(MOST_ADDRESSES):
        rates.allows(str(number))
    assert rates.allows("a"), "it was forgotten"
    assert address_of(("2001:db8::1", 1)) == address_of(("2001:db8::ffff:2", 2)) != address_of(("2001:db8:0:1::1", 1))
    assert address_of(("fe80::1%eth0", 1)) == "fe80::/64"
    assert address_of(("::ffff:192.168.1.5", 1)) == address_of(("192.168.1.5", 1)) == "192.168.1.5"
    assert (address_of(None), address_of(("name", 1))) == ("", "name")
