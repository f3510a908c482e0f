"""What was published, and what has come back of it.

A broker says nothing of a message that it took at most once. So every command is listened to: it comes back to us as
to everybody. Behind it goes a fence, a message of our own that only we hear. A fence that is back says that the broker
has handled all that went before; a command that is not back by then was not passed on to anybody.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from pointsman.drivers.mqtt.names import Kind
from pointsman.drivers.patience import ANSWERS_WITHIN_S

AGAIN_WITHIN_S = 2.0
STOOD_STILL_S = 0.1
"""A timer that comes so much too late says that the program stood still."""

Packet = tuple[str, bytes]
"""Topic and payload."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """A machine whose node must report a value (the layout's own sense of it), within a time from the command."""

    kind: Kind
    name: str
    value: bool
    within_s: float


@dataclass(slots=True, eq=False)
class Order:
    """Messages that were published together, with a fence behind them.

    ``number``: the command that is accepted when they are carried out. ``power``: what the track power is then, as
    far as anybody can know. ``halt``: an emergency stop. ``answer`` gets the topics that did not come back.
    """

    fence: int
    sent_t_s: float
    missing: list[Packet]
    number: int | None = None
    awaited: Awaited | None = None
    power: bool | None = None
    halt: bool = False
    reported: bool = False
    answer: asyncio.Future[list[str]] | None = None
    then: Callable[[], None] | None = None


@dataclass(slots=True)
class Orders:
    """What is under way to the broker and back, and what waits for a node's report."""

    under_way: deque[Order] = field(default_factory=deque)
    reporting: dict[tuple[Kind, str], Order] = field(default_factory=dict)
    _given_up: deque[Order] = field(default_factory=deque)
    _asked: dict[str, bytes] = field(default_factory=dict)
    _back_t_s: dict[Packet, float] = field(default_factory=dict)

    @property
    def answers_due_t_s(self) -> float | None:
        """When the oldest fence must be back; None when none is under way."""
        return self.under_way[0].sent_t_s + ANSWERS_WITHIN_S if self.under_way else None

    def sent(self, order: Order) -> None:
        """An order was published."""
        self.under_way.append(order)
        self._asked.update(order.missing)

    def echo(self, packet: Packet, t_s: float) -> bool:
        """A command was heard: is it ours, come back?"""
        for order in (*self._given_up, *self.under_way):
            if packet in order.missing:
                order.missing.remove(packet)
                self._back_t_s[packet] = t_s
                return True
        return False

    def came_again(self, packet: Packet, t_s: float) -> bool:
        """Has the same command of ours come back a moment ago? Then perhaps it was delivered twice."""
        return t_s - self._back_t_s.get(packet, -inf) <= AGAIN_WITHIN_S

    def asked(self, packet: Packet) -> bool:
        """Was this the last that we asked of its topic?"""
        return self._asked.get(packet[0]) == packet[1]

    def heard(self, packet: Packet) -> None:
        """Somebody else has asked something: from now on that is what holds."""
        self._asked[packet[0]] = packet[1]

    def fence(self, number: int) -> list[Order]:
        """A fence is back: the orders that it answers, oldest first."""
        while self._given_up and self._given_up[0].fence <= number:
            self._given_up.popleft()
        answered = []
        while self.under_way and self.under_way[0].fence <= number:
            answered.append(self.under_way.popleft())
        return answered

    def expecting(self, kind: Kind, name: str) -> Order | None:
        """The last order for a machine that is not carried out yet."""
        for order in reversed(self.under_way):
            if order.awaited is not None and (order.awaited.kind, order.awaited.name) == (kind, name):
                return order
        return self.reporting.get((kind, name))

    def drop_all(self) -> list[Order]:
        """Take out everything: no answer is waited for. What comes back of it on this link is ours none the less."""
        dropped = [*self.under_way, *self.reporting.values()]
        self._given_up.extend(self.under_way)
        self.under_way.clear()
        self.reporting.clear()
        return dropped

    def forget(self) -> None:
        """A new link: nothing has been asked on it."""
        self._given_up.clear()
        self._asked.clear()
        self._back_t_s.clear()
