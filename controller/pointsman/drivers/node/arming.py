"""The heart that beats for a node, and arming it: nothing may start by that, and somebody must watch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.drivers.node.orders import Order
from pointsman.drivers.node.setup import all_off
from pointsman.drivers.node.whole import Whole
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import Accepted
from pointsman.protocols.node_constants import Latch, Verb

BEAT_EVERY_S = 0.2
_BEATS_A_WATCH = 3
"""So many heartbeats, at least, while the node waits for one."""
_EARLY_S = 1e-6
"""A clock may be so much before its time."""


def beat_every_s(heartbeat_s: float) -> float:
    """How often to beat for a node that waits so long for a heartbeat."""
    return min(BEAT_EVERY_S, heartbeat_s / _BEATS_A_WATCH)


class Arming:
    """Arms a node when its power is asked for: everything stands and is off, its whole state says so, and a heartbeat
    has come since. ``put`` lets an order go out, ``armed`` is called with the answer, ``latched`` with what the answer
    to a heartbeat shows. It lives in the running event loop.
    """

    def __init__(
        self,
        whole: Whole,
        put: Callable[[Order], None],
        reject: Callable[[int | None, str], None],
        armed: Callable[[], None],
        latched: Callable[[Latch], None],
    ) -> None:
        self._whole = whole
        self._put = put
        self._reject = reject
        self._armed = armed
        self._latched = latched
        self._number: int | None = None
        self._beaten = False
        self._beat_s = float("-inf")
        self._every_s = BEAT_EVERY_S

    def start_afresh(self, heartbeat_s: float) -> None:
        """A new link; ``heartbeat_s`` is how long its node waits for a heartbeat."""
        self._every_s = beat_every_s(heartbeat_s)
        self._beat_s = float("-inf")

    def begin(self, number: int, about: m.About) -> None:
        """Command ``number`` wants the power."""
        self.give_up("the power was switched on again")
        self._number, self._beaten = number, False
        # since the link came up, a host of another version may have spoken to it: it would be obeyed no more
        for message in (*all_off(about), m.Hello()):
            self._put(Order(message))
        self._whole.wanted()

    def give_up(self, why: str) -> None:
        """It shall not be armed."""
        number, self._number = self._number, None
        self._reject(number, why)

    def go_on(self) -> None:
        """Arm it, when that was asked for and everything that has to come first has come."""
        number = self._number
        if number is not None and self._whole.known and self._beaten:
            self._number = None
            self._put(Order(m.Arm(), number, lambda _: self._armed()))

    def beat(self, *, waits: bool) -> None:
        """The supervision has looked at everything: say so, unless it was said just now or still ``waits``."""
        now = asyncio.get_running_loop().time()
        if now >= self._beat_s + self._every_s - _EARLY_S and not waits:
            self._beat_s = now
            self._put(Order(m.Beat(), then=self._heard))

    def _heard(self, answer: Accepted) -> None:
        self._beaten = True
        values = m.answer_of(Verb.BEAT, answer.values)
        if values is not None:
            self._latched(Latch(str(values[0])))
        self.go_on()
