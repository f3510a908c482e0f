"""The server for phones: garbage, floods, slow phones and too many of them, names, and a real socket."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import socket
from dataclasses import replace

import pytest
from phone_bench import SECOND, SWITCHER, TURNOUT_S, Handset, bench

from pointsman.errors import PortError, ProtocolError, UsageError
from pointsman.phones.naming import LONGEST_NAME, shown_name
from pointsman.phones.phone import INTERVAL_S, QUIET_S, UNNAMED_S
from pointsman.phones.server import (
    AT_ONCE,
    DEAD_S,
    MOST_BYTES,
    MOST_EACH,
    MOST_PHONES,
    MOST_UNREAD,
    Phones,
    phones_host,
    phones_served,
)
from railsim.clock import run_virtual

# ---------------------------------------------------------------- what is no phone, and what is too much


def test_garbage_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20")
            before = list(on.railway.orders)
            dice = random.Random(7)
            for number in range(40):
                noise = Handset(on.phones, f"10.0.0.{number % 10}")
                for _ in range(20):
                    if not noise.connection.over:
                        noise.wire.protocol.data_received(dice.randbytes(dice.randrange(1, 2000)))
                noise.wire.break_off()
                await asyncio.sleep(0)
            assert on.railway.orders == before
            assert len(on.phones.people) == 1
            assert on.railway.velocity(SWITCHER) == 20

    run_virtual(main())
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


def test_one_that_is_no_phone_is_shown_out() -> None:
    async def main() -> None:
        async with bench() as on:
            scanner, reader = Handset(on.phones, "10.0.0.1"), Handset(on.phones, "10.0.0.2")
            scanner.say("GET / HTTP/1.1", "Host: x", "")
            reader.say("*-")
            await asyncio.sleep(UNNAMED_S + 1.0)
            assert scanner.wire.closing
            assert on.phones.connections.keys() == {reader.connection}
            await asyncio.sleep(600.0)
            assert not reader.wire.closing, "one that only reads may be silent"

    run_virtual(main())


def test_phones_that_are_quiet_for_long_give_way_when_there_is_no_room() -> None:
    async def main() -> None:
        async with bench() as on:
            driver = on.driver()
            quiet = [Handset(on.phones, f"10.0.0.{number}") for number in range(MOST_PHONES - 1)]
            for one in quiet:
                one.say("NQuiet")
            for _ in range(round(QUIET_S)):
                driver.say("*")
                await asyncio.sleep(0.9)
            assert Handset(on.phones, "10.0.1.1").heard() == ["HMThere are too many phones."]
            for _ in range(round(QUIET_S * 0.2)):
                driver.say("*")
                quiet[0].say("*")
                await asyncio.sleep(1.0)
            late = Handset(on.phones, "10.0.1.2")
            assert late.heard()[-1] == f"*{INTERVAL_S}"
            gone = [one for one in quiet if one.wire.closing]
            assert gone == [quiet[1]]
            assert not driver.wire.closing

    run_virtual(main())


@pytest.mark.parametrize("what", ["lines", "bytes", "unread"])
def test_too_much_ends_the_connection_and_stops_its_train(what: str) -> None:
    async def main() -> None:
        async with bench() as on:
            phone, other = on.driver(), on.handset(*SECOND)
            phone.say("M0AS3<;>V20")
            await asyncio.sleep(1.0)
            match what:
                case "lines":
                    phone.say(*["*"] * int(AT_ONCE - 10))
                    assert not phone.connection.over
                    phone.say(*["M0AS3<;>V20"] * 200)
                case "bytes":
                    phone.wire.protocol.data_received(b"*" * (MOST_BYTES + 1))
                case _:
                    phone.wire.stuck = True
                    for _ in range(MOST_UNREAD // 1000):
                        phone.say(*["M0+S3<;>S3"] * 3)
                        await asyncio.sleep(0.2)
            await asyncio.sleep(0)
            assert on.railway.velocity(SWITCHER) == 0
            assert phone.connection.over
            assert not other.connection.over
            await asyncio.sleep(2.0)
            assert len(on.phones.connections) == 1

    run_virtual(main())


def test_an_emergency_stop_is_heard_in_a_flood() -> None:
    async def main() -> None:
        async with bench() as on:
            phone, other = on.driver(), on.handset(*SECOND)
            phone.say("M0AS3<;>V20")
            before = on.drives
            other.say(*["M0AS3<;>V9"] * 300, "M0A*<;>X")
            assert other.connection.over
            assert on.railway.orders[-1] == ("stand", SWITCHER)
            assert on.railway.orders[-2] == ("emergency stop", other.who, False)
            phone.say("M0AS3<;>V0", *["M0AS3<;>V30"] * 300)
            assert on.drives == before, "and nothing else is"

    run_virtual(main())


def test_a_phone_that_does_not_read_delays_nobody() -> None:
    async def main() -> None:
        async with bench() as on:
            phone, other = on.driver(), on.handset(*SECOND)
            other.wire.stuck = True
            for _ in range(100):
                other.say("M0A*<;>X")
                phone.say("PTA2LT1")
                await asyncio.sleep(TURNOUT_S)
            assert phone.heard().count("PTA4LT1") == 50

    run_virtual(main())


def test_there_are_only_so_many() -> None:
    async def main() -> None:
        async with bench() as on:
            same = [Handset(on.phones, "10.0.0.1") for _ in range(MOST_EACH + 1)]
            assert same[-1].heard() == ["HMThere are too many connections from this phone."]
            assert same[-1].wire.closing
            others = [Handset(on.phones, f"10.0.1.{n}") for n in range(MOST_PHONES)]
            assert [one.wire.closing for one in others] == [False] * (MOST_PHONES - MOST_EACH) + [True] * MOST_EACH
            assert others[-1].heard() == ["HMThere are too many phones."]
            others[-1].say("M0A*<;>X", "NLate")
            assert on.railway.orders == []
            same[0].wire.break_off()
            await asyncio.sleep(0)
            assert not Handset(on.phones, "10.0.2.1").wire.closing

    run_virtual(main())


def test_names_are_shown_harmlessly() -> None:
    assert shown_name("  My\tPhone \r\n ") == "My Phone"
    assert shown_name("Ève's téléphone 📱") == "Ève's téléphone 📱"
    assert shown_name("evil\x1b[31m\u202egnp.\u200b\x00") == "evil[31mgnp."
    assert shown_name("a" + "\u0336" * 50 + "b") == "a\u0336\u0336b"
    assert shown_name("x" * 500) == "x" * LONGEST_NAME
    assert shown_name("\u200b\x07") == ""


def test_the_marshal_sees_each_change() -> None:
    async def main() -> None:
        async with bench() as on:
            seen: list[list[tuple[str, str]]] = []
            on.phones.people_changed = lambda: seen.append([(one.name, one.state) for one in on.phones.people])
            phone = Handset(on.phones)
            assert seen == []
            phone.say("NKit\x07ty")
            phone.say("M0+S3<;>S3")
            on.phones.accept(phone.who, SWITCHER)
            phone.say("M0-*<;>r")
            phone.wire.break_off()
            await asyncio.sleep(0)
            flat = [row for number, row in enumerate(seen) if number == 0 or row != seen[number - 1]]
            states = ["reading", "waiting", "driving", "reading"]
            assert flat == [*([("Kitty", state)] for state in states), []]

    run_virtual(main())


def test_a_railway_whose_names_no_phone_can_show_is_refused_at_once() -> None:
    async def main() -> None:
        async with bench() as on:
            turnout = replace(on.railway.view.turnouts[0], title=r"Lead]\[")
            on.railway.view = replace(on.railway.view, turnouts=(turnout,))
            with pytest.raises(ProtocolError, match="cannot be shown"):
                Phones(on.railway)

    run_virtual(main())


# ---------------------------------------------------------------- the network


async def connect(ends: contextlib.AsyncExitStack, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection that is closed with ``ends``."""
    reading, writing = await asyncio.open_connection("127.0.0.1", port)

    async def close() -> None:
        writing.close()
        with contextlib.suppress(ConnectionError):
            await writing.wait_closed()

    ends.push_async_callback(close)
    return reading, writing


async def test_over_a_real_socket() -> None:
    async with asyncio.timeout(20), contextlib.AsyncExitStack() as ends, bench() as on:
        async with phones_served(on.railway, "127.0.0.1", 0, web_port=8765) as (phones, port):
            reading, writing = await connect(ends, port)
            introduction = [(await reading.readline()).decode().rstrip("\n") for _ in range(7)]
            assert introduction[0] == "VN2.0"
            assert introduction[-2:] == ["PW8765", f"*{INTERVAL_S}"]
            writing.write(b"NReal\r\nHU1\r\n*+\r\n")
            assert await reading.readline() == f"*{INTERVAL_S}\n".encode()
            phones.accept("phone 1", SWITCHER)
            writing.write(b"M0+S3<;>S3\nM0A")
            await reading.readuntil(b"M0AS3<;>s1\n")
            writing.write(b"S3<;>V30\nM0AS3<;>qV\n")
            assert await reading.readline() == b"M0AS3<;>V30\n"
            assert on.railway.velocity(SWITCHER) == 30
            (gone,) = phones.connections.values()
            writing.close()
            await gone
            assert on.railway.velocity(SWITCHER) == 0
            later, _ = await connect(ends, port)
            await later.readuntil(b"*")
            (connection,) = phones.connections
            connected = connection.transport.get_extra_info("socket")
            assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == DEAD_S * 1000
        with contextlib.suppress(ConnectionResetError):
            assert await later.read() == f"{INTERVAL_S}\n".encode(), "the server has closed it"


async def test_a_port_that_another_program_has() -> None:
    async with bench() as on:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(PortError, match=f"127.0.0.1:{port}"):
                async with phones_served(on.railway, "127.0.0.1", port):
                    raise AssertionError("it is taken")


def test_phones_are_served_only_when_that_is_wished_and_others_may_come_in() -> None:
    assert phones_host(None, wished=False) is None
    assert phones_host("0.0.0.0", wished=False) is None
    assert phones_host("0.0.0.0", wished=True) == "0.0.0.0"
    with pytest.raises(UsageError, match="--host"):
        phones_host(None, wished=True)
