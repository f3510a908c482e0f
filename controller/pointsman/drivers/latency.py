"""How fast a station answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

_SLOW_S = 0.1


@dataclass(frozen=True, slots=True)
class Latency:
    """How long questions took to be answered, in seconds."""

    count: int
    min_s: float
    median_s: float
    max_s: float

    @classmethod
    def of(cls, took_s: Sequence[float]) -> Latency:
        """Of how long each took: one at least."""
        return cls(len(took_s), min(took_s), median(took_s), max(took_s))

    @property
    def warning(self) -> str:
        """What a person should know of a slow one; empty for any other."""
        return "slow: a stop that is asked for comes as late as that" if self.max_s > _SLOW_S else ""

    def words(self, questions: str) -> str:
        """For a person; ``questions`` is what was asked."""
        least_ms, middle_ms, most_ms = (1000 * one for one in (self.min_s, self.median_s, self.max_s))
        spread = f"within {least_ms:.1f} to {most_ms:.1f} ms, median {middle_ms:.1f} ms"
        return f"{spread} ({self.count} {questions})"

    def json(self) -> dict[str, Any]:
        """In milliseconds, as JSON values."""
        return {
            "count": self.count,
            "min": round(self.min_s * 1000, 3),
            "median": round(self.median_s * 1000, 3),
            "max": round(self.max_s * 1000, 3),
        }
