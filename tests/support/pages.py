"""Test support: a signal box that is served, and pages on its websocket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from boxes import ground
from websockets.asyncio.client import ClientConnection, connect

from pointsman.web.running import Door, Served, serving

HERE = Door("127.0.0.1", 0, None)
WITH_PIN = Door("127.0.0.1", 0, "4711")


@asynccontextmanager
async def served(tmp_path: Path, wanted: Door = HERE, **limits: int) -> AsyncIterator[tuple[Served, httpx.AsyncClient]]:
    async with serving(ground(), tmp_path, wanted, speed=None, **limits) as house:
        origin = house.address.rstrip("/")
        async with httpx.AsyncClient(base_url=origin, headers={"origin": origin}, trust_env=False) as browser:
            yield house, browser


class Page:
    """A page on the websocket, and the state that it knows."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._number = 0
        self.state: dict[str, Any] = {}
        self.you: dict[str, Any] = {}

    async def ask(self, do: str, **fields: object) -> dict[str, Any]:
        """Ask for something; the answer."""
        self._number += 1
        number = self._number
        await self._socket.send(json.dumps({"id": number, "do": do, **fields}))
        return await self.until(lambda message: message.get("id") == number)

    async def send(self, text: str) -> None:
        """Send a text, and do not wait for its answer."""
        await self._socket.send(text)

    async def say(self, text: str) -> dict[str, Any]:
        """Send a text, and hear that it is refused."""
        await self._socket.send(text)
        return await self.until(lambda message: message["type"] == "refused")

    async def flood(self, texts: list[str]) -> None:
        """Send many texts, and hear until the connection ends."""
        for text in texts:
            await self._socket.send(text)
        await self.until(lambda _: False)

    async def until(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Hear until something holds of a message."""
        async with asyncio.timeout(60):
            while True:
                message: dict[str, Any] = json.loads(await self._socket.recv())
                if message["type"] in {"state", "change"}:
                    self.state |= message
                elif message["type"] == "you":
                    self.you = message
                if holds(message):
                    return message

    async def in_mode(self, *modes: str) -> str:
        """Hear until the state has one of these modes."""
        if self.state.get("mode") not in modes:
            await self.until(lambda _: self.state.get("mode") in modes)
        return str(self.state["mode"])


@asynccontextmanager
async def opened(house: Served, browser: httpx.AsyncClient, **headers: str) -> AsyncIterator[Page]:
    origin = headers.pop("origin", house.address.rstrip("/"))
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    address = house.address.replace("http", "ws", 1) + "ws"
    async with connect(address, origin=origin, additional_headers={"cookie": cookie, **headers}, proxy=None) as socket:  # type: ignore[arg-type]
        page = Page(socket)
        await page.until(lambda message: message["type"] == "you")
        yield page
