"""What is under way to JMRI: texts that were written, and the answer that says they were carried out.

JMRI handles the texts of a connection in order and answers a request with its id. A throttle is answered without one,
so a question for the power goes behind it: its answer is the fence.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pointsman.drivers.jmri.asked import Key, Value
from pointsman.drivers.patience import ANSWERS_WITHIN_S
from pointsman.protocols.jmri_json import HIGHEST_ID, Bean, Failure, Message, Power, Throttle


@dataclass(slots=True, eq=False)
class Unit:
    """Messages that are written together; the last one is answered with its id.

    ``number``: the command that is accepted with it. ``asks``: the values asked for. ``engines``: throttles that must
    have reported everything before. ``then`` is called when it was accepted.
    """

    messages: tuple[Message, ...]
    number: int | None = None
    asks: tuple[tuple[Key, Value], ...] = ()
    engines: tuple[str, ...] = ()
    halt: bool = False
    then: Callable[[], None] | None = None
    answer: asyncio.Future[Message] | None = None
    ids: range = range(0)
    sent_s: float = 0.0
    within_s: float = ANSWERS_WITHIN_S
    failure: str = ""
    reports_before: dict[str, int] = field(default_factory=dict)


class Window:
    """The units under way, oldest first."""

    def __init__(self) -> None:
        self.under_way: deque[Unit] = deque()
        self._last_id = 0

    @property
    def answers_due_t_s(self) -> float | None:
        """When the oldest must have been answered; None when nothing is under way."""
        return min((unit.sent_s + unit.within_s for unit in self.under_way), default=None)

    def sending(self, unit: Unit, t_s: float) -> list[Message]:
        """Take a unit in: its messages, each with an id of its own."""
        if self._last_id + len(unit.messages) >= HIGHEST_ID:
            self._last_id = 0
        first = self._last_id + 1
        self._last_id += len(unit.messages)
        unit.ids = range(first, self._last_id + 1)
        unit.sent_s = t_s
        self.under_way.append(unit)
        return [numbered(message, number) for number, message in zip(unit.ids, unit.messages, strict=True)]

    def answered(self, message: Message) -> Unit | None:
        """The unit that this message completes, taken out; None when it completes none.

        A failure without an id can be any of them, so it is the oldest's.
        """
        id_ = getattr(message, "id", 0)
        if isinstance(message, Failure):
            failed = next((unit for unit in self.under_way if id_ in unit.ids), None)
            if failed is None and not id_ and self.under_way:
                failed = self.under_way[0]
            if failed is not None:
                failed.failure = failed.failure or f"JMRI says: {message.message or f'error {message.code}'}"
        done = next((unit for unit in self.under_way if id_ and id_ == unit.ids[-1]), None)
        if done is not None:
            self.under_way.remove(done)
        return done

    def drop_all(self) -> list[Unit]:
        """Take out everything: no answer will come."""
        dropped = [*self.under_way]
        self.under_way.clear()
        return dropped


def numbered(message: Message, id_: int) -> Message:
    """The message with an id, where it can have one."""
    return replace(message, id=id_) if isinstance(message, Bean | Power | Throttle) else message
