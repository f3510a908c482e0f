"""What a node still has to say, and in which order it goes out when the serial port has room."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator

from pointsman.protocols import node_messages as m
from pointsman.protocols.node import Counts, write_event
from pointsman.protocols.node_constants import ALIVE_MS, LONGEST, Latch
from pointsman.protocols.node_messages import Told

MOST_EVENTS = 24
"""Events that wait for the serial port; one more is lost, and the count shows it."""


class Outbox:
    """Answers, events, the report of everything, and signs of life. Times are seconds.

    ``everything`` gives the events of the whole state, each as it is when it is taken, ``End`` last; ``latch`` is asked
    for each sign of life. ``answer`` is the line of an answer that has not left, and ``unheard`` that of a refusal of
    what was not heard; empty for none. ``due_s``: when the next sign of life is due.
    """

    def __init__(self, now_s: float, everything: Callable[[], Iterator[Told]], latch: Callable[[], Latch]) -> None:
        self.answer = b""
        self.unheard = b""
        self.due_s = now_s + ALIVE_MS / 1000
        self._everything = everything
        self._latch = latch
        self._counts = Counts()
        self._events: deque[Told] = deque()
        self._lost = False
        self._says_alive = False
        self._report: Iterator[Told] | None = None
        self._report_again = False

    def tell(self, event: Told) -> None:
        """Something has happened."""
        if len(self._events) < MOST_EVENTS:
            self._events.append(event)
        else:
            self._lost = True

    def report(self) -> None:
        """Everything is to be told, from the beginning."""
        self._report, self._report_again = self._everything(), False

    def report_after_stop(self) -> None:
        """One that is under way goes on to its end: stops may come faster than everything can be told."""
        self._report_again = self._report is not None
        self._report = self._report or self._everything()

    def step(self, now_s: float) -> None:
        """Do what is due by now."""
        if self.due_s <= now_s:
            self.due_s = math.inf
            self._says_alive = True

    def has_line(self) -> bool:
        """Whether something is still to be sent."""
        waits = self.answer or self.unheard or self._says_alive or self._events
        return bool(waits) or self._report is not None

    @property
    def room_wanted(self) -> int:
        """Bytes that must have room before the next line is taken: an answer's own, for anything else the most."""
        return len(self.answer) or LONGEST

    def take_line(self, now_s: float) -> bytes:
        """The next line to send: answers first, what happened before the report of everything, that it is newest.

        What was not heard comes last, so that a flood of garbage hides nothing.
        """
        if self.answer:
            line, self.answer = self.answer, b""
            return line
        if self._says_alive:
            self._says_alive = False
            self.due_s = now_s + ALIVE_MS / 1000
            return self._counted(m.Alive(self._latch()))
        if self._events:
            return self._counted(self._events.popleft())
        if self._report is None:
            line, self.unheard = self.unheard, b""
            return line
        event = next(self._report)
        if isinstance(event, m.End):
            self._report = self._everything() if self._report_again else None
            self._report_again = False
        return self._counted(event)

    def _counted(self, event: Told) -> bytes:
        if self._lost:
            self._lost = False
            self._counts.take()
        return write_event(self._counts.take(), event)
