"""Telling pages that a competition's book has changed, as Server-Sent Events.

A stream tells how far the book is, and nothing of what stands in it. It ends when whoever listens may do something else
than before, so that the page comes again as who it is now; and when the server ends.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable

from pointsman.compete.book import Head
from pointsman.errors import RefusedError
from pointsman.web.competing.admitted import Asker

BEAT_S = 10.0
"""So often at least something is sent, so that a lost connection is noticed."""
MOST_STREAMS = 300
MOST_EACH = 150
"""From one address: the tablets of a hall often share one."""
BEAT = ": still here\n\n"


class News:
    """The newest head, and everybody who waits for another one."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.over = False
        self._told = 0
        self._changed = asyncio.Event()
        self._each: Counter[str] = Counter()

    def tell(self, head: Head) -> None:
        """There is another head, or something else to be looked at."""
        self.head = head
        self._told += 1
        self._wake()

    def close(self) -> None:
        """End every stream."""
        self.over = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def check_room(self, address: str) -> None:
        """RefusedError when too many streams are open."""
        if self._each.total() >= MOST_STREAMS or self._each[address] >= MOST_EACH:
            raise RefusedError(["too many pages are open"], cure="close some of them")

    async def stream(
        self, address: str, who: Callable[[], Asker], left_s: Callable[[Asker], float]
    ) -> AsyncIterator[str]:
        """The events, as they are sent; ``left_s`` is for how long somebody is who they are."""
        self._each[address] += 1
        try:
            first, told = who(), -1
            while not self.over and who() == first:
                changed = self._changed
                if self._told != told:
                    told = self._told
                    yield f"event: head\ndata: {json.dumps({'entries': self.head.entries})}\n\n"
                    continue
                try:
                    async with asyncio.timeout(min(BEAT_S, max(0.0, left_s(first)))):
                        await changed.wait()
                except TimeoutError:
                    yield BEAT
        finally:
            self._each[address] -= 1
            if not self._each[address]:
                del self._each[address]
