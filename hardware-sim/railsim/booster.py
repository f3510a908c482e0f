"""The main track's output stage when the rails are short-circuited: it cuts the power, and tries again by itself.

Figures, recorded from a running 5.6.0: cut after 100 ms, tried again after pauses of 40, 80, 160, 320 ms and so on up
to 10 s. Nothing of it is broadcast; it is a comment for the USB port.
"""

from __future__ import annotations

import math
from enum import Enum, auto

ALERT_S = 0.1
FIRST_PAUSE_S = 0.04
LONGEST_PAUSE_S = 10.0
SHORT_MA = 1789


class Stage(Enum):
    """What the output stage makes of the current."""

    NORMAL = auto()
    ALERT = auto()
    """Too much flows; the power is still on."""
    OVERLOAD = auto()
    """Cut, to be tried again."""


class Booster:
    """``track`` and ``limit_ma`` are for the texts; ``by_letter``: as firmware 5 words them, else as 4 does."""

    def __init__(self, track: str, limit_ma: int, *, by_letter: bool) -> None:
        self.stage = Stage.NORMAL
        self.shorted = False
        self._track = f"TRACK {track}" if by_letter else "MAIN TRACK"
        self._limit_ma = limit_ma
        self._has_alert = by_letter
        self._due_s = math.inf
        self._pause_s = FIRST_PAUSE_S

    def next_s(self) -> float:
        """When something happens next."""
        return self._due_s

    def switched_off(self) -> None:
        """The track's power was switched off."""
        self.stage = Stage.NORMAL
        self._due_s = math.inf
        self._pause_s = FIRST_PAUSE_S

    def look(self, t_s: float) -> None:
        """The power came on, or something now lies across the rails: see what flows, at this time."""
        if self.stage is Stage.NORMAL and self.shorted:
            self._due_s = t_s

    def step(self, t_s: float) -> list[str]:
        """What is due at this time; returns the texts of the comments that it makes."""
        self._due_s = math.inf
        match self.stage:
            case Stage.NORMAL if self.shorted and self._has_alert:
                self.stage, self._due_s = Stage.ALERT, t_s + ALERT_S
                return [f"{self._track} ALERT {SHORT_MA}mA"]
            case Stage.NORMAL | Stage.ALERT if self.shorted:
                return [self._cut(t_s)]
            case Stage.ALERT:
                self.switched_off()
                return [f"{self._track} NORMAL 0mA"]
            case Stage.OVERLOAD:
                waited_s = self._pause_s / 2
                self.stage, self._due_s = Stage.ALERT, t_s + ALERT_S
                words = "RESTORE (after" if self._has_alert else "RESET (after"
                return [f"{self._track} POWER {words} {waited_s * 1000:.0f}ms)"]
        return []

    def _cut(self, t_s: float) -> str:
        pause_s = self._pause_s
        self.stage, self._due_s = Stage.OVERLOAD, t_s + pause_s
        self._pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        if self._has_alert:
            told = f"{SHORT_MA}mA (max {self._limit_ma}mA) detected after {ALERT_S * 1000:.0f}ms"
            return f"{self._track} POWER OVERLOAD {told}. Pause {pause_s * 1000:.0f}ms"
        return f"{self._track} POWER OVERLOAD current={SHORT_MA} max={self._limit_ma} offtime={pause_s * 1000:.0f}"
