"""Messages between a host and nodes, with the broker among them, and what goes wrong there. No clock of its own."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from railsim.faults import ABOUT, Fault, Left, Memory, On, Planned, Way
from railsim.hidden import Hidden

Act = Callable[[], None]

FINDS_BROKER_S = (0.5, 2.0)
"""Until a node has found its broker again."""


@dataclass(frozen=True, slots=True)
class BrokerHands:
    """What a fault needs done to a broker, and to the way of the nodes there.

    ``stop``: it is gone, and every connection with it; ``start``: it is there again, and has that of what it had
    retained. ``cut``: the connections of the nodes break; ``join``: they are made again, if they are not there and the
    broker is. ``retain``: somebody publishes such commands, retained. ``memories``, ``ways`` and ``left``: what of
    these there is.
    """

    stop: Act
    start: Callable[[Memory], None]
    cut: Act
    join: Act
    retain: Callable[[Left], None]
    memories: frozenset[Memory] = frozenset(Memory)
    ways: frozenset[Way] = frozenset(Way)
    left: frozenset[Left] = frozenset(Left)


@dataclass(slots=True)
class Mail:
    """Messages go in with ``push``, each for a station's connection, and come out with ``due``, in order.

    ``double`` counts those that will still come twice, ``late_s`` is added to each.
    """

    double: int = 0
    late_s: float = 0.0
    _held_until_s: float = -math.inf
    _on_it: deque[tuple[float, str, Act]] = field(default_factory=deque)
    _last_s: float = -math.inf

    def push(self, t_s: float, station: str, arrives: Act) -> None:
        """A message begins its way at a time."""
        self._last_s = max(t_s + self.late_s, self._held_until_s, self._last_s)
        self._on_it.append((self._last_s, station, arrives))
        if self.double:
            self.double -= 1
            self._on_it.append((self._last_s, station, arrives))

    def next_s(self) -> float | None:
        """When the next message comes out."""
        return self._on_it[0][0] if self._on_it else None

    def due(self, t_s: float) -> list[Act]:
        """What has come out by a time."""
        out = []
        while self._on_it and self._on_it[0][0] <= t_s:
            out.append(self._on_it.popleft()[2])
        return out

    def hold(self, until_s: float) -> None:
        """Nothing comes out before a time, what is on its way neither."""
        self._held_until_s = max(self._held_until_s, until_s)
        self._on_it = deque((max(at_s, until_s), station, act) for at_s, station, act in self._on_it)

    def drop(self, station: str) -> None:
        """A connection has broken: what was on it is gone."""
        self._on_it = deque(one for one in self._on_it if one[1] != station)


class Post:
    """The mail of all ways, and the brokers. ``at`` lets something be done at a time.

    A fault that strikes before there is a broker waits for the first one.
    """

    def __init__(self, hidden: Hidden, at: Callable[[float, Callable[[float], None]], None]) -> None:
        self.mails = {way: Mail() for way in Way}
        self._hidden = hidden
        self._at = at
        self._brokers: list[BrokerHands] = []
        self._waiting: list[Callable[[float], None]] = []
        self._away_until_s = -math.inf
        self._joins = 0

    def next_s(self) -> float | None:
        """When the next message comes out, on any way."""
        return min((t_s for mail in self.mails.values() if (t_s := mail.next_s()) is not None), default=None)

    def opened(self, broker: BrokerHands, t_s: float) -> None:
        """A broker is there."""
        self._brokers.append(broker)
        waiting, self._waiting = self._waiting, []
        for strike in waiting:
            self._at(t_s, strike)

    def waits(self, strike: Callable[[float], None]) -> bool:
        """Whether a fault has to wait for a broker; then it will strike as soon as there is one."""
        if self._brokers:
            return False
        self._waiting.append(strike)
        return True

    def targets(self, on: On) -> list[str]:
        """What can be struck of a sort of thing that only a broker has."""
        match on:
            case On.BROKER:
                return [memory for memory in Memory if all(memory in broker.memories for broker in self._brokers)]
            case On.MESSAGES:
                return [way for way in Way if all(way in broker.ways for broker in self._brokers)]
            case _:
                return [left for left in Left if any(left in broker.left for broker in self._brokers)]

    def strike(self, fault: Planned, target: str, t_s: float) -> str:
        """Do it; says what happened."""
        match fault.kind:
            case Fault.BROKER_RESTART:
                self._restart(Memory(target), t_s, fault.much)
            case Fault.MESSAGES_DOUBLED:
                self.mails[Way(target)].double += round(fault.much)
            case Fault.MESSAGES_LATE:
                self.mails[Way(target)].late_s = fault.much
            case Fault.MESSAGES_HELD:
                self.mails[Way(target)].hold(t_s + fault.much)
            case _:
                if target not in self.targets(On.RETAINED):
                    return ""
                for broker in self._brokers:
                    broker.cut()
                    broker.retain(Left(target))
                self._find_later(t_s)
        return f"{ABOUT[fault.kind].text}: {target}"

    def _restart(self, memory: Memory, t_s: float, for_s: float) -> None:
        for broker in self._brokers:
            broker.stop()
        self._away_until_s = max(self._away_until_s, t_s + for_s)
        if not math.isinf(for_s):
            self._at(t_s + for_s, lambda now: self._back(memory, now))

    def _back(self, memory: Memory, t_s: float) -> None:
        if t_s >= self._away_until_s:
            for broker in self._brokers:
                broker.start(memory)
            self._find_later(t_s)

    def _find_later(self, t_s: float) -> None:
        self._joins += 1
        self._at(t_s + self._hidden.uniform(f"finds the broker/{self._joins}", *FINDS_BROKER_S), self._find)

    def _find(self, t_s: float) -> None:
        if t_s >= self._away_until_s:
            for broker in self._brokers:
                broker.join()
