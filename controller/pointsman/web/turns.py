"""Turns: few texts are sent at a time, so that whoever asks for a stop never waits until a hundred others are told."""

from __future__ import annotations

import asyncio
from collections import deque

AT_A_TIME = 4
"""Texts that are sent before the loop looks at what has come in."""


class Turns:
    """Everybody who has something to do waits for a turn. Made in the running loop."""

    def __init__(self, at_a_time: int = AT_A_TIME) -> None:
        self._at_a_time = at_a_time
        self._loop = asyncio.get_running_loop()
        self._left = at_a_time
        self._counting = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        """Return when it is one's turn: in the order of asking, so many in each round of the loop."""
        if self._left > 0:
            self._left -= 1
            self._count()
            return
        turn = self._loop.create_future()
        self._waiting.append(turn)
        self._count()
        await turn

    def _count(self) -> None:
        if not self._counting:
            self._counting = True
            self._loop.call_soon(self._next_round)

    def _next_round(self) -> None:
        self._counting = False
        self._left = self._at_a_time
        while self._waiting and self._left > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._left -= 1
        if self._waiting or self._left < self._at_a_time:
            self._count()
