"""What waits for the node and what is under way to it: one command at a time, stops before all others.

A node reads one line at a time. A command that is not answered is written again, under the same number: the node then
answers it again and does not carry it out again, but only as long as nothing else came in between. So the next one
waits for the answer, and what was given up is never written again. A heartbeat is written once: said later than the
supervision said it, it would hide that the supervision hangs.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from pointsman.drivers.patience import ANSWERS_WITHIN_S
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import Accepted, Numbers, Refused, write_command

AGAIN_AFTER_S = 0.1
"""An answer takes some 10 ms, and twice as long through a USB converter of the slow kind."""
FRESH_S = 0.1
"""So old may a heartbeat be when it leaves."""
REST_S = 1.0
"""So long points are asked again whose coil must rest first: twice what a new board lets a solenoid rest."""
REST_AGAIN_S = 0.1

Answer = Accepted | Refused


@dataclass(slots=True, eq=False)
class Order:
    """A command for the node. ``number``: the dispatcher's command that it carries out.

    ``then`` is called when the answer was yes; ``answer`` gets it, whatever it was.
    """

    message: m.Command
    number: int | None = None
    then: Callable[[Accepted], None] | None = None
    answer: asyncio.Future[Answer] | None = None
    given_s: float = 0.0
    not_before_s: float = 0.0
    sent_s: float = 0.0
    line_number: int = 0
    line: bytes = b""

    @property
    def stops(self) -> bool:
        """Does it only switch something off?"""
        match self.message:
            case m.Off() | m.Drive(step=0) | m.Magnet(on_ms=0):
                return True
        return False

    @property
    def beats(self) -> bool:
        """Is it a heartbeat?"""
        return isinstance(self.message, m.Beat)


class Orders:
    """The orders of one link. Nothing is written here: ``next`` and ``again`` give the bytes."""

    def __init__(self) -> None:
        self.under_way: Order | None = None
        self._waiting: deque[Order] = deque()
        self._given_up: Order | None = None
        self._numbers = Numbers()

    @property
    def answer_due_t_s(self) -> float | None:
        """When what is under way must have been answered; None when nothing is, or only a heartbeat."""
        order = self.under_way
        return None if order is None or order.beats else order.sent_s + ANSWERS_WITHIN_S

    def add(self, order: Order, t_s: float) -> None:
        """Let an order wait: a stop behind the other stops, a heartbeat behind these, all others behind all."""
        order.given_s = t_s
        rank = _rank(order)
        place = next((at for at, other in enumerate(self._waiting) if _rank(other) > rank), len(self._waiting))
        self._waiting.insert(place, order)

    def asked(self, kind: type[m.Command]) -> bool:
        """Does one of this kind wait, or is it under way?"""
        under_way = [] if self.under_way is None else [self.under_way]
        return any(isinstance(order.message, kind) for order in (*under_way, *self._waiting))

    def next(self, t_s: float) -> bytes:
        """The line of the next order, which is under way from now on; nothing when none waits or one is under way."""
        ready = [order for order in self._waiting if order.not_before_s <= t_s]
        for order in ready if self.under_way is None else ():
            self._waiting.remove(order)
            if order.beats and t_s > order.given_s + FRESH_S:
                continue
            self.under_way = order
            order.sent_s = t_s
            return self._number(order)
        return b""

    def again(self) -> bytes:
        """What is under way once more; a heartbeat is given up instead."""
        order = self.under_way
        if order is None or not order.beats:
            return b"" if order is None else order.line
        self.under_way, self._given_up = None, order
        return b""

    def late(self, answer: Answer) -> Order | None:
        """The heartbeat that was given up last, taken out, when this answers it: on a slow line it was heard too."""
        order = self._given_up
        if order is None or order.line_number != answer.number:
            return None
        self._given_up = None
        return order

    def renumbered(self) -> bytes:
        """What is under way, under a new number: the node has heard another command under the old one."""
        order = self.under_way
        return b"" if order is None else self._number(order)

    def answered(self) -> None:
        """What is under way has been answered: nothing is, until ``next``."""
        self.under_way = None

    def rests(self, order: Order, t_s: float) -> bool:
        """Let points whose coil must rest first wait for another try; False when they have been asked for too long.

        A coil rests after a start of the board too, and a port may start it anew when it is opened.
        """
        if t_s >= order.given_s + REST_S:
            return False
        order.not_before_s = t_s + REST_AGAIN_S
        self._waiting.append(order)
        return True

    def drop(self, wanted: Callable[[Order], bool] = lambda _: True) -> list[Order]:
        """Take out what waits or is under way: no answer is waited for any more."""
        under_way = [] if self.under_way is None else [self.under_way]
        dropped = [order for order in (*under_way, *self._waiting) if wanted(order)]
        self._waiting = deque(order for order in self._waiting if order not in dropped)
        self._given_up = None
        if self.under_way in dropped:
            self.under_way = None
        return dropped

    def drop_waiting(self, wanted: Callable[[Order], bool]) -> list[Order]:
        """Take out what has not been written yet."""
        return self.drop(lambda order: order is not self.under_way and wanted(order))

    def _number(self, order: Order) -> bytes:
        order.line_number = self._numbers.take()
        order.line = write_command(order.line_number, order.message)
        return order.line


def _rank(order: Order) -> int:
    return 0 if order.stops else 1 if order.beats else 2
