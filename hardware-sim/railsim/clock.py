"""One clock for everything in the process: an event loop on virtual time.

``VirtualLoop()`` runs as fast as possible: when nothing is ready, real input is polled without waiting, and if
nothing is there either the clock jumps to the next timer. ``VirtualLoop(speed=2)`` is paced: the clock runs at twice
real time and the loop really sleeps, waking for input and for ``call_soon_threadsafe`` as any loop does.

Callbacks of one pass of the loop all see the same time. With ``hold_while`` the clock stands still as long as bytes
written on one side of a link are unread on the other: neither side is ever late because the machine is slow. With
``pause_while`` it stands still for as long as it takes: a person is thinking.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from pointsman.errors import LinkError, UsageError

T = TypeVar("T")

HELD_AT_MOST_S = 5.0
"""Real seconds that the clock may be held before the loop gives up."""
HELD_POLL_S = 0.002
"""Real seconds between two looks at the predicates: the reader may be a thread that does not wake the loop."""
LAG_AT_MOST_S = 0.25
"""Real seconds a paced clock may fall behind and still catch up; what is more is forgotten (a suspended machine)."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose ``time()`` is virtual and starts at 0.

    ``speed``: virtual seconds per real second; None is as fast as possible. Raises UsageError for a speed <= 0.
    """

    def __init__(self, speed: float | None = None, *, held_at_most_s: float = HELD_AT_MOST_S) -> None:
        self._virtual = _VirtualSelector(selectors.DefaultSelector(), speed, held_at_most_s)
        super().__init__(self._virtual)
        if speed is not None and not speed > 0:
            self.close()
            raise UsageError(f"the clock cannot run at speed {speed}", cure="give a speed above 0, or none")

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._virtual.now_s

    def pause(self, for_s: float) -> None:
        """The program stands still for so long: the clock jumps, before anything else is called back."""
        self._virtual.owed_s += for_s

    def hold_while(self, unread: Callable[[], bool]) -> Callable[[], None]:
        """Let the clock stand still while ``unread()`` is true; returns a function that takes it back.

        ``unread`` may be called at any time from the loop's thread and must not block. When the clock was held for
        5 s of real time the running of the loop ends with a LinkError; holds are ignored from then on.
        """
        self._virtual.holds.append(unread)

        def release() -> None:
            if unread in self._virtual.holds:
                self._virtual.holds.remove(unread)

        return release

    def pause_while(self, waiting: Callable[[], bool]) -> None:
        """Let the clock stand still while ``waiting()`` is true, without a limit. Input and other threads are heard.

        ``waiting`` may change only in a callback of this loop.
        """
        self._virtual.pauses.append(waiting)


def run_virtual(main: Coroutine[Any, Any, T], *, speed: float | None = None) -> T:
    """Run a coroutine on a new VirtualLoop and return its result, as ``asyncio.run`` does."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(speed)) as runner:
        return runner.run(main)


class _VirtualSelector(selectors.BaseSelector):
    """The loop's only way to wait is ``select(timeout)``: what the wait means is decided here.

    asyncio asks for timeout 0 when callbacks are ready, None when there is no timer, else the time to the next timer.
    """

    def __init__(self, real: selectors.BaseSelector, speed: float | None, held_at_most_s: float) -> None:
        self.now_s = 0.0
        self.owed_s = 0.0
        self.holds: list[Callable[[], bool]] = []
        self.pauses: list[Callable[[], bool]] = []
        self._real = real
        self._speed = speed
        self._held_at_most_s = held_at_most_s
        self._held_since: float | None = None
        # A paced clock: at real time _anchor it was (or shall have been) now_s.
        self._anchor = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for input or for the next timer, in virtual time."""
        if self.owed_s:
            self.now_s, self.owed_s = self.now_s + self.owed_s, 0.0
            return self._real.select(0)
        if timeout is not None and timeout <= 0:
            return self._real.select(0)
        if any(waiting() for waiting in self.pauses):
            events = self._real.select(None)
            self._anchor = time.monotonic()
            return events
        if self._held():
            return self._select_held()
        if timeout is None:
            return self._select_without_timer()
        if self._speed is None:
            return self._select_jumping(timeout)
        return self._select_paced(timeout, self._speed)

    def _select_without_timer(self) -> list[tuple[selectors.SelectorKey, int]]:
        if self._speed is None:
            # Only input can go on from here, and waiting for it takes no virtual time.
            return self._real.select(None)
        events = self._real.select(None)
        if not self._held():
            real = time.monotonic()
            self.now_s += (real - self._anchor) * self._speed
            self._anchor = real
        return events

    def _select_jumping(self, timeout: float) -> list[tuple[selectors.SelectorKey, int]]:
        events = self._real.select(0)
        if not events:
            self.now_s += timeout
        return events

    def _select_paced(self, timeout: float, speed: float) -> list[tuple[selectors.SelectorKey, int]]:
        real = time.monotonic()
        self._anchor = max(self._anchor, real - LAG_AT_MOST_S)
        events = self._real.select(max(0.0, self._anchor + timeout / speed - real))
        real = time.monotonic()
        if self._held():
            # Written to meanwhile, by a thread or another process: this stretch of time does not count.
            self._anchor = real
        elif real >= self._anchor + timeout / speed:
            self.now_s += timeout
            self._anchor += timeout / speed
        else:
            self.now_s += (real - self._anchor) * speed
            self._anchor = real
        return events

    def _held(self) -> bool:
        if any(unread() for unread in self.holds):
            return True
        if self._held_since is not None:
            self._held_since = None
            self._anchor = time.monotonic()
        return False

    def _select_held(self) -> list[tuple[selectors.SelectorKey, int]]:
        real = time.monotonic()
        if self._held_since is None:
            self._held_since = real
        while True:
            events = self._real.select(HELD_POLL_S)
            if events or not self._held():
                return events
            if time.monotonic() - self._held_since > self._held_at_most_s:
                self.holds.clear()
                raise LinkError(
                    f"bytes written were not read on the other side for {self._held_at_most_s:g} s of real time, "
                    f"the clock stands at {self.now_s:.3f} s",
                    where="virtual clock",
                    cure="is the reader of the link still running?",
                )

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """As the real selector does."""
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        """As the real selector does."""
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """As the real selector does."""
        return self._real.modify(fileobj, events, data)

    def close(self) -> None:
        """As the real selector does."""
        self._real.close()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        """As the real selector does."""
        return self._real.get_map()
