"""What a transport calls back, collected, and waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.transports.base import Transport


class Ear:
    """Collects what a transport calls back, and lets a test wait for it."""

    def __init__(self, transport: Transport) -> None:
        self.data = b""
        self.lost: list[str] = []
        self.notes: list[str] = []
        self._changed = asyncio.Event()
        transport.listen(self._on_data, self._on_lost, self.notes.append)

    def _on_data(self, data: bytes) -> None:
        self.data += data
        self._changed.set()

    def _on_lost(self, reason: str) -> None:
        self.lost.append(reason)
        self._changed.set()

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until it is true, looking again at every call; raises TimeoutError after 3 s."""
        async with asyncio.timeout(3):
            while not true():
                self._changed.clear()
                await self._changed.wait()
