"""The board: the one snapshot of a signal box, and who hears of each new one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pointsman.box.snapshot import Mode, Snapshot

Hear = Callable[[Snapshot], None]


class Board:
    """Used in one event loop."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._hearers: list[Hear] = []
        self._changed = asyncio.Event()
        self._questions = 0

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        """Call ``hear`` with every new snapshot until what is returned is called. It must not wait."""
        self._hearers.append(hear)
        return lambda: self._hearers.remove(hear)

    def publish(self, **changes: Any) -> None:
        """A new snapshot for everybody, if anything in it is new."""
        new = replace(self.snapshot, **changes)
        if new == self.snapshot:
            return
        self.snapshot = new
        self._changed.set()
        for hear in list(self._hearers):
            hear(new)

    def question(self, kind: str, text: str, **more: Any) -> dict[str, Any]:
        """A question with a number of its own: an answer to an earlier one is none to this."""
        self._questions += 1
        return {"id": self._questions, "kind": kind, "text": text, **more}

    async def when(self, holds: Callable[[Snapshot], bool]) -> Snapshot:
        """The first snapshot, from now on, of which something holds."""
        while not holds(self.snapshot):
            self._changed.clear()
            await self._changed.wait()
        return self.snapshot

    async def until(self, *modes: Mode) -> Mode:
        """Wait for one of these modes."""
        return (await self.when(lambda snapshot: snapshot.mode in modes)).mode
