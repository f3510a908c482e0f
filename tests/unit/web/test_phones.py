"""A phone and a page at one server: the phone waits, is accepted, drives, and its train stops when it vanishes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from boxes import ground

from pointsman.box.snapshot import Mode, Snapshot
from pointsman.errors import RefusedError
from pointsman.track.model import End
from pointsman.web.commands import Accept, Deeds, Dismiss
from pointsman.web.running import Door, Served, serving
from pointsman.web.sessions import Role, Session

pytestmark = pytest.mark.usefixtures("solver_cache")
SPEED = 3.0
"""Of the layout's clock: a phone that says its throttle again in its own time drives on all the same."""
SOON_S = 20.0
MARSHAL = Session("", "marshal 1", Role.MARSHAL)


class Phone:
    """A phone at its socket; ``heard`` is every line that it was told."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self.heard: list[str] = []

    def say(self, *lines: str) -> None:
        self._writer.write("".join(f"{line}\n" for line in lines).encode())

    async def beat(self) -> None:
        """Give signs of life, as apps do."""
        while not self._writer.is_closing():
            self.say("*")
            await asyncio.sleep(1)

    async def until(self, part: str) -> str:
        """Read until a line has something in it."""
        try:
            async with asyncio.timeout(SOON_S):
                while part not in (line := (await self._reader.readline()).decode()):
                    assert line, f"it was shown out before {part!r}: {self.heard}"
                    self.heard.append(line)
        except TimeoutError:
            pytest.fail(f"it was not told {part!r}, but {self.heard}")
        return line

    def vanish(self) -> None:
        self._writer.transport.abort()


@asynccontextmanager
async def phone(house: Served) -> AsyncIterator[Phone]:
    reader, writer = await asyncio.open_connection("127.0.0.1", house.phones_port)
    one = Phone(reader, writer)
    beating = asyncio.create_task(one.beat())
    try:
        yield one
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def seen(house: Served, what: str, holds: Callable[[Snapshot], bool]) -> Snapshot:
    """The first snapshot of which something holds; nothing may be halted before."""
    try:
        async with asyncio.timeout(SOON_S):
            now = await house.box.board.when(lambda now: now.mode is Mode.HALTED or holds(now))
    except TimeoutError:
        pytest.fail(f"not {what}: {house.box.snapshot}")
    assert now.mode is not Mode.HALTED, now.halted
    return now


@pytest.mark.system
async def test_a_phone_waits_is_accepted_drives_and_vanishes(tmp_path: Path) -> None:
    door = Door("127.0.0.1", 0, None, phones=0)
    async with serving(ground(), tmp_path, door, speed=SPEED) as house:
        box, deeds = house.box, house.deeds
        await box.deal("classic", seed="1")
        await box.begin(End.TO)
        await seen(house, "proved", lambda now: now.mode is Mode.READY)
        async with phone(house) as one:
            one.say("NAnna", "HU1")
            assert "L}|{3}|{S" in await one.until("RL1")
            one.say("M0+S3<;>S3")
            await one.until("Waiting: the marshal has to accept Anna (phone 1) for L")
            (person,) = phones(deeds)
            assert person == ("phone 1", "waiting")
            with pytest.raises(RefusedError, match="no locomotive X"):
                await deeds.do(Accept(do="accept", who="phone 1", locomotive="X"), MARSHAL, "")
            await deeds.do(Accept(do="accept", who="phone 1", locomotive="L"), MARSHAL, "")
            await one.until("M0+S3")
            assert box.snapshot.throttle["L"]["holder"] == "phone 1"
            at = box.snapshot.vehicles["L"]
            one.say("M0AS3<;>R0", "M0AS3<;>V60")
            # It is told that the end of the line has stopped it, and its throttle goes back to 0.
            await one.until("the track ends in head")
            assert one.heard[-1] == "M0AS3<;>V0\n"
            stood = await seen(house, "standing", lambda now: now.drive is None)
            assert stood.vehicles["L"]["at_mm"] < at["at_mm"]
            # Opened at once, it is refused; closed first, it drives the other way.
            one.say("M0AS3<;>V60")
            await one.until("Press stop on the phone")
            one.say("M0AS3<;>V0", "M0AS3<;>R1", "M0AS3<;>V60")
            await seen(house, "driving", lambda now: now.vehicles["L"]["v_mm_s"] > 0)
            one.say("PTATT2")
            await one.until("is moving")
            one.vanish()
            await seen(house, "left", lambda now: now.drive is None and now.throttle["L"]["holder"] is None)
        with pytest.raises(RefusedError):
            await deeds.do(Dismiss(do="dismiss", who="phone 1"), MARSHAL, "")


async def test_a_phone_is_told_everything_in_french_where_that_is_spoken(tmp_path: Path) -> None:
    door = Door("127.0.0.1", 0, None, phones=0, language="fr")
    async with serving(ground(), tmp_path, door, speed=None) as house, phone(house) as one:
        one.say("NAnna", "HU1")
        await one.until("RL1")
        one.say("PTATT2")
        await one.until("HMLes aiguillages se manœuvrent par les téléphones que le chef de manœuvre a acceptés.")
        one.say("M0+S3<;>S3")
        await one.until("HMEn attente : le chef de manœuvre doit accepter Anna (phone 1) pour L à l'écran.")


def phones(deeds: Deeds) -> list[tuple[str, str]]:
    assert deeds.phones is not None
    return [(one.who, str(one.state)) for one in deeds.phones.people]
