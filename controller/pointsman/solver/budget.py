"""How much a search may take: positions, seconds and memory. Everything large is asked for before it is taken."""

from __future__ import annotations

import time
from dataclasses import dataclass

from pointsman.errors import BudgetSpentError
from pointsman.posix import available_memory

BUDGET = 200_000_000
"""Positions that a search may look at unless the caller says otherwise."""

_SHARE = 0.7  # of what the system has free: others live there too
_MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Budget:
    """Positions, the moment (of ``time.monotonic``) at which to stop, and bytes; None is no limit."""

    positions: int = BUDGET
    until_s: float | None = None
    memory: int | None = None

    @classmethod
    def of(cls, positions: int, seconds: float | None, memory_mb: float | None) -> Budget:
        """From now on; without ``memory_mb`` a share of what the system has free."""
        free = available_memory()
        memory = None if free is None else int(free * _SHARE)
        if memory_mb is not None:
            memory = int(memory_mb * _MB)
        return cls(positions, None if seconds is None else time.monotonic() + seconds, memory)

    @property
    def left_s(self) -> float | None:
        """Seconds left; None without a limit."""
        return None if self.until_s is None else self.until_s - time.monotonic()

    def share(self, part: float) -> Budget:
        """The same with a part of the time that is left."""
        left = self.left_s
        until = None if left is None else time.monotonic() + max(0.0, left) * part
        return Budget(self.positions, until, self.memory)

    def holds(self, size: int) -> bool:
        """Whether so many bytes may be taken."""
        return self.memory is None or size <= self.memory

    def in_time(self) -> bool:
        """Whether there is time left."""
        left = self.left_s
        return left is None or left > 0

    def check_time(self) -> None:
        """BudgetSpentError when the time is over."""
        if not self.in_time():
            raise BudgetSpentError("not proved: the time is spent", cure="allow more seconds")

    def check(self, positions: int, size: int = 0) -> None:
        """BudgetSpentError when so many positions or bytes are more than allowed, or the time is over."""
        if positions > self.positions:
            raise BudgetSpentError(
                f"not proved: there are more than {positions:,} positions, and the budget is {self.positions:,}",
                cure="name fewer wagons in the goal (those not named are alike), or take the best found with --budget",
            )
        if not self.holds(size):
            needed, allowed = -(-size // _MB), (self.memory or 0) // _MB
            raise BudgetSpentError(
                f"not proved: {positions:,} positions need {needed:,} MB, and {allowed:,} MB may be used",
                cure="allow more memory, or name fewer wagons in the goal: those not named are alike",
            )
        self.check_time()
