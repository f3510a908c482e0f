"""What a clock shows at a press: by this computer, and by the device on which somebody pressed.

A press may arrive late, and then the device is right: it shows less. It cannot show more than has passed since the
clock was started; a device that does has missed a pause, and this computer's clock counts. A clock that was forgotten
shows a day at most. Where the two are far apart the entry says so, for whoever checks it; no press is lost for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from pointsman.compete.entries import LONGEST_MS
from pointsman.compete.scoring.score import SECONDS
from pointsman.compete.state import Attempt, Phase

FAR_MS = 3_000
"""Devices that are so far apart do not only see the network's delay."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A moment, and what the clock of somebody's device showed then; None when it was pressed here."""

    at: datetime
    device_ms: int | None = None

    def of(self, its: Attempt) -> tuple[int, str]:
        """What the clock of an attempt is taken to show, in milliseconds, and what there is to say about it."""
        here_ms, device_ms = min(its.shows_ms(self.at), LONGEST_MS), self.device_ms
        if device_ms is None:
            return here_ms, ""
        note = ""
        if abs(device_ms - here_ms) > FAR_MS:
            note = f"the device's clock showed {shown(device_ms)}, this computer's {shown(here_ms)}"
        if its.phase is not Phase.RUNNING or device_ms > here_ms + FAR_MS:
            return here_ms, note
        return max(device_ms, its.clock_ms, its.since_ms), note


def shown(clock_ms: int) -> str:
    """A clock as people read it."""
    return SECONDS.shown(Fraction(clock_ms, 1000))
