"""Waiting for answers: missing ones are noticed in time, first as late, then as overdue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

ANSWERS_WITHIN_S = 1.0
LATE_AFTER_S = 0.5
"""Long before an answer is overdue a person may know that the link is in doubt."""


class Patience:
    """Waits for the oldest answer that is due. ``late`` and ``overdue`` are called in the loop, each at its time."""

    def __init__(self, late: Callable[[], None], overdue: Callable[[], None]) -> None:
        self._late = late
        self._overdue = overdue
        self._timers: list[asyncio.TimerHandle] = []

    def wait(self, due_t_s: float | None) -> None:
        """The oldest answer is due then; None: nothing is due any more."""
        self.end()
        if due_t_s is not None:
            loop = asyncio.get_running_loop()
            self._timers = [
                loop.call_at(late_t_s(due_t_s), self._late),
                loop.call_at(due_t_s, self._overdue),
            ]

    def end(self) -> None:
        """Nothing is due any more."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()


def late_t_s(due_t_s: float) -> float:
    """From when on an answer that is due at a time is late."""
    return due_t_s - ANSWERS_WITHIN_S + LATE_AFTER_S


async def within(event: asyncio.Event, true: Callable[[], bool], at_most_s: float) -> bool:
    """Wait until it is true, looked at whenever the event is set; false when it took too long."""
    try:
        async with asyncio.timeout(at_most_s):
            while not true():
                event.clear()
                await event.wait()
    except TimeoutError:
        return False
    return True
