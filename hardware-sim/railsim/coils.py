"""Coils that get hot: one that has current for too long burns out."""

from __future__ import annotations

import math


class Coils:
    """The coils with current, by name. Times are seconds."""

    def __init__(self) -> None:
        self._on: dict[str, tuple[float, float]] = {}

    def switch(self, name: str, on: bool, now_s: float, at_most_s: float) -> None:
        """Current begins to flow, or ends; a coil that has it already stays as hot as it is."""
        if on:
            self._on.setdefault(name, (now_s + at_most_s, at_most_s))
        else:
            self._on.pop(name, None)

    def next_s(self) -> float:
        """When the next one burns out; infinite when none does."""
        return min((at_s for at_s, _ in self._on.values()), default=math.inf)

    def burnt(self, t_s: float) -> tuple[str, float] | None:
        """One that has burnt out by a time, and how long it would have borne it; each is told once."""
        for name, (at_s, at_most_s) in self._on.items():
            if at_s <= t_s:
                del self._on[name]
                return name, at_most_s
        return None
