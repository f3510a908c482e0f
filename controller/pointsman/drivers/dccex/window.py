"""What waits to be sent, what is under way, and what was asked for.

Each unit goes out in one write with a fence behind it, so answers can be attributed: a station answers fences in
order, and a rejection belongs to the oldest unit whose fence is not back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from pointsman.drivers.patience import ANSWERS_WITHIN_S
from pointsman.protocols.dccex import Reply, encode
from pointsman.protocols.dccex.commands import Fence

FENCE = encode(Fence())
WINDOW_BYTES = 28
"""Unread bytes under way. A board's receive ring holds 64; a stop (27) and an emergency stop (9) must always fit."""
STOP_BYTES = 55
"""As many with stops among them: an emergency stop must fit behind them."""

PAUSE_AFTER_S = 0.5
"""A stream of units is interrupted now and then: a station that answers has then answered everything."""


class Kind(Enum):
    """What a value belongs to."""

    TURNOUT = auto()
    MAGNET = auto()
    CAB = auto()
    POWER = auto()


@dataclass(frozen=True, slots=True)
class Target:
    """Speed (-1 emergency stop) and direction of a locomotive; None is either direction."""

    speed: int
    forward: bool | None

    @property
    def stands(self) -> bool:
        """Is all that is asked that it stands?"""
        return self.speed <= 0 and self.forward is None

    def __str__(self) -> str:
        way = {None: "", True: " forward", False: " in reverse"}[self.forward]
        return f"an emergency stop{way}" if self.speed < 0 else f"step {self.speed}{way}"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a unit asks for: this machine shall have this value (the station's own sense of it)."""

    kind: Kind
    number: int
    value: bool | Target

    def agrees(self, value: bool | Target) -> bool:
        """Is ``value`` what was asked for?"""
        if isinstance(self.value, Target) and isinstance(value, Target) and self.value.forward is None:
            return self.value.speed == value.speed
        return self.value == value


@dataclass(slots=True)
class Batch:
    """Units that belong together: after a rejection the rest of them is not sent."""

    failed: bool = False


@dataclass(slots=True, eq=False)
class Unit:
    """Frames that go out in one write, then ``query``, which asks what they have done, and a fence.

    ``number``: the command that is accepted when the fence is back. ``drives``: the locomotive it may set going,
    ``stops``: the one that must stand afterwards; ``cab``: the one that the query asks for.
    ``alone``: goes out only when nothing is under way. ``answer`` gets the replies that came before the fence.
    """

    frames: bytes
    number: int | None = None
    effects: tuple[Effect, ...] = ()
    drives: str = ""
    stops: str = ""
    query: bytes = b""
    cab: int = 0
    batch: Batch | None = None
    alone: bool = False
    halt: bool = False
    answer: asyncio.Future[list[Reply]] | None = None
    replies: list[Reply] = field(default_factory=list)
    rejected: bool = False

    @property
    def wire(self) -> bytes:
        """The bytes of the one write."""
        return self.frames + self.query + FENCE

    def fail(self) -> None:
        """It was not done: what belongs together with it is not sent."""
        self.rejected = True
        if self.batch is not None:
            self.batch.failed = True


class Window:
    """The queue and what is under way."""

    def __init__(self) -> None:
        self.under_way: deque[Unit] = deque()
        self._queue: deque[Unit] = deque()
        self._settled: dict[tuple[Kind, int], Effect] = {}
        self._busy_since_t_s = 0.0

    @property
    def answers_due_t_s(self) -> float:
        """When everything under way must have been answered, or an answer was lost.

        A lost fence would shift every later one by a unit, for ever: so it is not the oldest unit that counts, but
        since when something has been under way without a pause.
        """
        return self._busy_since_t_s + ANSWERS_WITHIN_S

    def queue(self, units: Iterable[Unit]) -> None:
        """Put units at the end of the queue."""
        self._queue.extend(units)

    def queue_first(self, unit: Unit) -> None:
        """Put a unit before all others that wait."""
        self._queue.appendleft(unit)

    def takes_stop(self, unit: Unit) -> bool:
        """Does the station's ring hold this unit now, and an emergency stop behind it?"""
        return not self.under_way or self._unread_bytes() + len(unit.wire) <= STOP_BYTES

    def _unread_bytes(self) -> int:
        return sum(len(unit.wire) for unit in self.under_way)

    def next_unit(self, t_s: float) -> Unit | None:
        """Take the next unit from the queue if it may go out at ``t_s``."""
        if not self._queue:
            return None
        unit = self._queue[0]
        unread = self._unread_bytes()
        pause = t_s >= self._busy_since_t_s + PAUSE_AFTER_S
        if self.under_way and (pause or unit.alone or unread + len(unit.wire) > WINDOW_BYTES):
            return None
        return self._queue.popleft()

    def sent(self, unit: Unit, t_s: float) -> None:
        """A unit was written at ``t_s``."""
        if not self.under_way:
            self._busy_since_t_s = t_s
        self.under_way.append(unit)

    def rejection(self) -> None:
        """The station rejected something: it can only be of the oldest unit under way."""
        if self.under_way:
            self.under_way[0].fail()

    def fence(self) -> Unit | None:
        """A fence is back: the oldest unit; None when none was under way."""
        return self.under_way.popleft() if self.under_way else None

    def settle(self, effects: Iterable[Effect]) -> None:
        """From now on these values are what the machines should have."""
        for effect in effects:
            self._settled[effect.kind, effect.number] = effect

    def forget(self) -> None:
        """The station starts afresh: nothing is known to have been asked for."""
        self._settled.clear()

    def drop_queue(self, drives: str | None = None) -> list[Unit]:
        """Take out what is not sent yet: all of it, or what would set one locomotive going."""
        dropped = [unit for unit in self._queue if drives is None or unit.drives == drives]
        self._queue = deque(unit for unit in self._queue if unit not in dropped)
        return dropped

    def drop_all(self) -> list[Unit]:
        """Take out everything, under way too: no fence will come."""
        dropped = [*self.under_way, *self._queue]
        self.under_way.clear()
        self._queue.clear()
        return dropped

    def asked_for(self, kind: Kind, number: int) -> bool:
        """Has anything been asked of this machine since the station started?"""
        return next(self._targets(kind, number), None) is not None

    def awaited(self, kind: Kind, number: int) -> bool | Target | None:
        """What a unit that is under way asks of this machine."""
        asked = [e.value for unit in self.under_way for e in unit.effects if (e.kind, e.number) == (kind, number)]
        return asked[-1] if asked else None

    @property
    def queried_cab(self) -> int:
        """The locomotive that the oldest unit under way asks for; 0 is none."""
        return self.under_way[0].cab if self.under_way else 0

    def agrees(self, kind: Kind, number: int, value: bool | Target) -> bool:
        """Is a reported value what was last asked for, or what is under way?"""
        return any(target.agrees(value) for target in self._targets(kind, number))

    def _targets(self, kind: Kind, number: int) -> Iterator[Effect]:
        settled = self._settled.get((kind, number))
        if settled is not None:
            yield settled
        for unit in self.under_way:
            for effect in unit.effects:
                if (effect.kind, effect.number) == (kind, number):
                    yield effect
