"""Which runs may begin: wished for from any thread, awaited in the layout's loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from math import inf


class Pace:
    """Lets the runs of a play begin, one, or one after the other.

    ``told`` is called in the layout's thread with the number of a run (from 1), and whether it waits or has begun.
    """

    def __init__(self, told: Callable[[int, bool], None]) -> None:
        self._told = told
        self._lock = threading.Lock()
        self._up_to: float = 0
        self._number = 0
        self._gate: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._waiting = False

    def waiting(self) -> bool:
        """Whether a run waits for a person; changes in the layout's loop only."""
        return self._waiting

    def on(self) -> None:
        """Every run may begin, one after the other."""
        self._let(inf)

    def one(self) -> None:
        """The run that waits may begin, and none after it."""
        self._let(self._number)

    def hold(self) -> None:
        """None may begin after the one that is under way."""
        with self._lock:
            self._up_to = 0

    async def may_begin(self, number: int) -> None:
        """Wait until a run may begin."""
        while True:
            with self._lock:
                self._number = number
                if number <= self._up_to:
                    break
                loop, gate = asyncio.get_running_loop(), asyncio.Event()
                self._gate = loop, gate
            self._told(number, True)
            self._waiting = True
            try:
                await gate.wait()
            finally:
                self._waiting = False
        self._told(number, False)

    def _let(self, up_to: float) -> None:
        with self._lock:
            self._up_to = up_to
            gate, self._gate = self._gate, None
        if gate is not None:
            loop, event = gate
            with suppress(RuntimeError):  # the loop has ended: no run is to come
                loop.call_soon_threadsafe(event.set)
