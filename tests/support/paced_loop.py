"""Test support: the node's firmware and its layout by the wall clock, with the board's serial port on a real pty.

Any program may open it. Opening resets the board, as that of a real one does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from avr_node import AvrSide

from railsim.world import World

T = TypeVar("T")
LATE_MOST_S = 0.02
"""What is more than that behind the clock is forgotten: where the machine is too busy for it, it is so for the host."""
WITHIN_S = 30.0


class PacedLoop(threading.Thread):
    """Run it as a context; ask about the world with ``look``."""

    def __init__(self, world: World, side: AvrSide) -> None:
        super().__init__(name="paced loop")
        self._world = world
        self._side = side
        self._changed = threading.Condition()
        self._ended = False

    def __enter__(self) -> PacedLoop:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._ended = True
        self.join(WITHIN_S)

    def look(self, at: Callable[[World], T]) -> T:
        """Something of the world, now."""
        with self._changed:
            return at(self._world)

    def until(self, so: Callable[[World], bool], within_s: float = WITHIN_S) -> float:
        """Wait until something is so; returns the layout's time. Fails after so many real seconds."""
        with self._changed:
            assert self._changed.wait_for(lambda: so(self._world) or not self.is_alive(), within_s), "it never was"
            assert self.is_alive(), "the layout has ended"
            return self._world.now_s

    def run(self) -> None:
        """The thread's own: the layout never gets before the clock."""
        began_s = time.monotonic()
        while not self._ended:
            behind_s = time.monotonic() - began_s - self._world.now_s
            if behind_s > LATE_MOST_S:
                began_s += behind_s - LATE_MOST_S
            dues = (self._world.next_event_s(), self._side.node.next_event_s())
            due_s = min(due for due in dues if due is not None)
            wait_s = began_s + due_s - time.monotonic()
            if wait_s > 0:
                time.sleep(wait_s)
            with self._changed:
                for event in self._world.advance(due_s):
                    self._side.happened(event)
                self._side.node.advance(due_s)
                self._changed.notify_all()
