"""The whole state of a node: asked for until it has come with nothing of it lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

TOLD_WITHIN_S = 1.0
"""A report of everything is some 25 lines, of 2 ms each."""
AGAIN_AFTER_S = 0.1
"""One that came with a gap in it is asked for anew, but not while whatever made the gap still lasts."""
WHOLE_WITHIN_S = 3.0


class Whole:
    """Whether everything is ``known``. ``ask`` asks the node once, ``fail`` is called when it does not tell it all."""

    def __init__(self, ask: Callable[[], None], fail: Callable[[], None]) -> None:
        self.known = False
        self._ask = ask
        self._fail = fail
        self._since_s = 0.0
        self._spoilt = False
        self._timer: asyncio.TimerHandle | None = None

    def wanted(self) -> None:
        """It is to be told, from the beginning."""
        self.known = False
        if self._timer is None:
            self._since_s = asyncio.get_running_loop().time()
            self._again()
        else:
            self._spoilt = True

    def missed(self) -> None:
        """Something that the node said is lost. What it was is only of importance when everything was known before."""
        if self.known or self._timer is not None:
            self.wanted()

    def told(self, *, complete: bool) -> None:
        """Everything has been told since it was asked."""
        if self._timer is None:
            return
        if self._spoilt or not complete:
            self._in(AGAIN_AFTER_S)
        else:
            self.end()
            self.known = True

    def end(self) -> None:
        """It is asked for no more."""
        self.known = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _again(self) -> None:
        self._timer = None
        if asyncio.get_running_loop().time() >= self._since_s + WHOLE_WITHIN_S:
            self._fail()
            return
        self._spoilt = False
        self._in(TOLD_WITHIN_S)
        self._ask()

    def _in(self, after_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(after_s, self._again)
