"""The line to a node: one command at a time goes out, answers and events come in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.drivers.node.asked import Asked
from pointsman.drivers.node.orders import AGAIN_AFTER_S, Answer, Order, Orders
from pointsman.protocols.node import UNREAD, Accepted, FromNode, HostReader, Refused
from pointsman.protocols.node_constants import Refusal
from pointsman.protocols.node_messages import Turnout


class Line:
    """Writes what waits in ``orders`` with ``write``, again as long as no answer comes, and reads what comes.

    ``answered`` is called with each order and its answer. Nothing goes out unless ``talks``; ``again_s`` is how long
    an answer is waited for. ``asked`` keeps what the node was told. It lives in the running event loop.
    """

    def __init__(self, write: Callable[[bytes], None], answered: Callable[[Order, Answer], None]) -> None:
        self.talks = False
        self.again_s = AGAIN_AFTER_S
        self.orders = Orders()
        self.asked = Asked()
        self._write = write
        self._answered = answered
        self._reader = HostReader()
        self._timer: asyncio.TimerHandle | None = None

    def start_afresh(self) -> None:
        """A new connection: what came over the old one in part is nothing."""
        self._reader = HostReader()

    def end(self) -> list[Order]:
        """Nothing goes out any more; what was under way, and what waited."""
        self.talks = False
        self._cancel()
        return self.orders.drop()

    def add(self, order: Order) -> None:
        """Let an order go out when it is its turn."""
        self.asked.wants(order.message)
        self.orders.add(order, asyncio.get_running_loop().time())
        self.pump()

    def pump(self) -> None:
        """Write what comes next, if nothing is under way."""
        if self.talks and (line := self.orders.next(asyncio.get_running_loop().time())):
            self._put(line)

    def feed(self, data: bytes) -> list[FromNode]:
        """What ``data`` completes, in order. Answers are for ``take``."""
        return self._reader.feed(data)

    def take(self, answer: Answer) -> None:
        """An answer has come: perhaps to what is under way, perhaps once more to what was before that."""
        order = self.orders.under_way
        if isinstance(answer, Refused) and answer.number == UNREAD:
            self._again()  # something came garbled: in case it was ours
        elif order is None or order.line_number != answer.number:
            late = self.orders.late(answer)
            if late is not None:
                self._answered(late, answer)
        elif isinstance(answer, Refused) and answer.reason == Refusal.NUMBER:
            self._put(self.orders.renumbered())  # what had the number was a command of another program
        else:
            self.orders.answered()
            if isinstance(answer, Accepted):
                self.asked.took(order.message, asyncio.get_running_loop().time())
            self._cancel()
            if not self._rests(order, answer):
                self._answered(order, answer)
            self.pump()

    def _rests(self, order: Order, answer: Answer) -> bool:
        """Whether points cannot be moved only yet: then they are asked once more by and by."""
        loop = asyncio.get_running_loop()
        resting = isinstance(answer, Refused) and answer.reason == Refusal.RESTING
        if not (resting and isinstance(order.message, Turnout) and self.orders.rests(order, loop.time())):
            return False
        loop.call_at(order.not_before_s, self.pump)
        return True

    def _put(self, line: bytes) -> None:
        self._cancel()
        self._timer = asyncio.get_running_loop().call_later(self.again_s, self._again)
        self._write(line)

    def _again(self) -> None:
        """It is not answered yet."""
        line = self.orders.again()
        if line:
            self._put(line)
        else:
            self.pump()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
