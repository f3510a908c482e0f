"""What is made once for each state of the book, in a thread, and shared by all who ask for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    """The newest of a thing that is made of the book. Whoever asks gets one that is no older than the asking.

    However many ask while the book changes, one is made at a time, and each waits for two at most.
    """

    def __init__(self) -> None:
        self._made: tuple[int, T] | None = None
        self._turn = asyncio.Lock()

    async def get(self, newest: Callable[[], int], make: Callable[[], tuple[int, T]]) -> T:
        """The thing; ``newest`` is how far the book is, ``make`` blocks, and tells of how many entries it made it."""
        asked = newest()
        async with self._turn:
            if self._made is None or self._made[0] < asked:
                self._made = await asyncio.to_thread(make)
            return self._made[1]
