"""The emergency stop: at once, again until a fence confirms it, and with the power off behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.drivers.halt import STOP_REPEAT_S

TRIES = 10
"""What was written arrives, or the connection breaks: more of it helps nobody."""

Write = Callable[[bool], None]
"""Writes the stop once; with the power off, or without."""


class Halt:
    """A stop that is under way from ``begin`` until its power off is confirmed. It lives in the running event loop.

    The power goes with the second sending, 100 ms after the first, so that decoders hear the stop; or with the first.
    ``accept`` and ``reject`` answer the commands that it carries out.
    """

    def __init__(self, write: Write, accept: Callable[[int], None], reject: Callable[[int, str], None]) -> None:
        self._write = write
        self._accept = accept
        self._reject = reject
        self._cut_power = self._complete = False
        self._sent = 0
        self._numbers: list[int] = []
        self._timer: asyncio.TimerHandle | None = None
        self.under_way = False

    def begin(self, *, cut_power: bool, number: int | None) -> None:
        """Stop now; ``number`` is the command that wants it, if one does."""
        if not self.under_way:
            self.under_way = True
            self._sent, self._cut_power = 0, False
        self._complete = False
        self._cut_power |= cut_power
        if number is not None:
            self._numbers.append(number)
        self._send()

    def confirmed(self, *, power_off: bool) -> None:
        """A fence behind a sending is back; was the power off with it?"""
        self._complete |= power_off
        for number in self._numbers:
            self._accept(number)
        self._numbers.clear()
        if self._sent >= TRIES:
            self.under_way = False

    def end(self, why: str) -> None:
        """Give it up."""
        self.under_way = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        numbers, self._numbers = self._numbers, []
        for number in numbers:
            self._reject(number, why)

    def _send(self) -> None:
        cut = self._cut_power or self._sent > 0
        self._sent += 1
        self._write(cut)
        if self._timer is not None:
            self._timer.cancel()
        if self.under_way:
            self._timer = asyncio.get_running_loop().call_later(STOP_REPEAT_S, self._again)

    def _again(self) -> None:
        self._timer = None
        if self._complete:
            self.under_way = False
        elif self.under_way and self._sent < TRIES:
            self._send()
