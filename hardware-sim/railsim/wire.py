"""The line between a host and the station, one way, and what a bad one does to the bytes. No clock of its own."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from railsim.hidden import Hidden

SPLIT_GAP_S = (0.001, 0.030)


@dataclass(slots=True)
class Wire:
    """Bytes go in with ``push`` and come out with ``due``, in order, as (port, bytes).

    ``lose``, ``double`` and ``corrupt`` count the bytes still to be spoilt, one of each piece that is pushed.
    ``late_s`` is added to every piece. Until ``split_until_s`` bytes come one by one, until ``held_until_s`` none
    comes and then all do, until ``silent_until_s`` all that is pushed is gone.
    """

    name: str
    hidden: Hidden
    lose: int = 0
    double: int = 0
    corrupt: int = 0
    late_s: float = 0.0
    split_until_s: float = -math.inf
    held_until_s: float = -math.inf
    silent_until_s: float = -math.inf
    _on_it: deque[tuple[float, str, bytes]] = field(default_factory=deque)
    _last_s: float = -math.inf
    _draws: int = 0

    def push(self, t_s: float, port: str, data: bytes) -> None:
        """Bytes begin their way at a time."""
        if t_s < self.silent_until_s:
            return
        # An empty piece says that the far end has hung up.
        if self.lose and data:
            self.lose -= 1
            at = self._index(data)
            data = data[:at] + data[at + 1 :]
        if self.double and data:
            self.double -= 1
            at = self._index(data)
            data = data[: at + 1] + data[at:]
        if self.corrupt and data:
            self.corrupt -= 1
            at = self._index(data)
            bit = 1 << int(self._draw(0, 8 - 1e-9))
            data = data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
        pieces = [data[i : i + 1] for i in range(len(data))] if data and t_s < self.split_until_s else [data]
        at_s = max(t_s + self.late_s, self.held_until_s, self._last_s)
        for number, piece in enumerate(pieces):
            if number:
                at_s += self._draw(*SPLIT_GAP_S)
            self._on_it.append((at_s, port, piece))
        self._last_s = at_s

    def next_s(self) -> float | None:
        """When the next bytes come out."""
        return self._on_it[0][0] if self._on_it else None

    def due(self, t_s: float) -> list[tuple[str, bytes]]:
        """What has come out by a time."""
        out = []
        while self._on_it and self._on_it[0][0] <= t_s:
            _, port, data = self._on_it.popleft()
            out.append((port, data))
        return out

    def hold(self, until_s: float) -> None:
        """Nothing comes out before a time, what is on its way neither."""
        self.held_until_s = max(self.held_until_s, until_s)
        self._on_it = deque((max(at_s, until_s), port, data) for at_s, port, data in self._on_it)
        self._last_s = max(self._last_s, until_s)

    def _index(self, data: bytes) -> int:
        return int(self._draw(0, len(data) - 1e-9))

    def _draw(self, low: float, high: float) -> float:
        self._draws += 1
        return self.hidden.uniform(f"wire/{self.name}/{self._draws}", low, high)
