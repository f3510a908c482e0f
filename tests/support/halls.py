"""Test support: a competition that is served without a layout, and what is asked of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from pointsman.compete.entries import Created
from pointsman.compete.store.store import Store
from pointsman.web.competing.hall import Hall
from pointsman.web.front import Front
from pointsman.web.running import Door, serving_hall

CLUB = "club"
AT = f"/api/competitions/{CLUB}"
CODE = "four words nobody guesses"
ALONE = Door("127.0.0.1", 0, None)
BY_PIN = Door("127.0.0.1", 0, "4711")
FINAL = {
    "id": "r1",
    "title": "Final",
    "puzzle": "inglenook-small/classic",
    "count": "runs",
    "scheme": "allen",
    "format": "best-of-1",
    "par_least": 4,
    "par_most": 12,
    "heats": 1,
    "spares": 1,
}
"""A round of one attempt each, all on the same draw."""


@dataclass
class Browser:
    """Somebody's browser."""

    http: httpx.AsyncClient

    async def do(self, do: str, **fields: object) -> httpx.Response:
        """Ask for a deed."""
        return await self.http.post(f"{AT}/deeds", json={"do": do, **fields}, timeout=60)

    async def done(self, do: str, **fields: object) -> dict[str, Any]:
        """Have a deed done; its answer."""
        answer = await self.do(do, **fields)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["answer"]
        return found

    async def refused(self, do: str, **fields: object) -> tuple[int, str]:
        """Hear that a deed is refused: with which status, and why."""
        answer = await self.do(do, **fields)
        return answer.status_code, answer.json()["why"]

    async def view(self, **options: str) -> dict[str, Any]:
        """What is seen."""
        answer = await self.http.get(AT, params=options)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def attempt(self, name: str) -> dict[str, Any]:
        """An attempt as it is seen."""
        (found,) = [one for one in (await self.view())["attempts"] if one["id"] == name]
        return dict(found)


class Stream:
    """The events that one browser is told."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines

    async def head(self) -> int | None:
        """How many entries the book has now, from the next event; None when the stream has ended."""
        async with asyncio.timeout(30):
            async for line in self._lines:
                if line.startswith("data: "):
                    return int(json.loads(line.removeprefix("data: "))["entries"])
        return None


class Clock:
    """The time of an evening, which goes on when it is told to."""

    def __init__(self) -> None:
        self._now = datetime(2026, 11, 30, 19, tzinfo=UTC)

    def __call__(self) -> datetime:
        """The moment."""
        return self._now

    def goes(self, ms: int) -> None:
        """Let time pass."""
        self._now += timedelta(milliseconds=ms)


@dataclass
class Held:
    """A competition that is served."""

    clock: Clock
    hall: Hall
    front: Front
    store: Store

    @asynccontextmanager
    async def browser(self) -> AsyncIterator[Browser]:
        """Somebody who comes."""
        origin = self.front.address.rstrip("/")
        async with httpx.AsyncClient(base_url=origin, headers={"origin": origin}, trust_env=False) as http:
            yield Browser(http)

    @asynccontextmanager
    async def helper(self, token: str) -> AsyncIterator[Browser]:
        """A device that has shown its token."""
        async with self.browser() as browser:
            admitted = await browser.http.post(f"{AT}/token", json={"token": token})
            assert admitted.status_code == 200, admitted.text
            yield browser


@asynccontextmanager
async def events(browser: Browser) -> AsyncIterator[Stream]:
    """While inside, a browser hears of every change."""
    async with browser.http.stream("GET", f"{AT}/events") as answer:
        assert answer.status_code == 200
        async with aclosing(answer.aiter_lines()) as lines:
            yield Stream(lines)


def begun(folder: Path) -> str:
    """A store in which a competition has begun."""
    where = str(folder / "competitions.sqlite3")
    with Store(where) as store:
        store.create(CLUB, Created("Club evening", date(2026, 11, 30), "Liège"), by="Ada", at=Clock()())
    return where


@asynccontextmanager
async def held(folder: Path, wanted: Door = ALONE) -> AsyncIterator[Held]:
    """While inside, a competition that has just begun is served."""
    with Store(begun(folder)) as store:
        clock = Clock()
        hall = Hall(store, CLUB, version="0.1.0", now=clock)
        async with serving_hall(hall, wanted) as front:
            yield Held(clock, hall, front, store)
