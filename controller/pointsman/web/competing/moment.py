"""The time of an evening, which does not jump when the computer's clock is set."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def _utc() -> datetime:
    return datetime.now(UTC)


def _up_s() -> float:
    # Where there is one, a clock that goes on while the computer sleeps: so does what is on at the table.
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


class Steady:
    """The time in UTC: that at which this was made, and how long it is since. May be used by several threads.

    A computer without a clock of its own gets its time when it finds a network, and that may be in the middle of an
    attempt. ``clock`` tells the time as it is set, ``up_s`` seconds that always go on.
    """

    def __init__(self, clock: Callable[[], datetime] = _utc, up_s: Callable[[], float] = _up_s) -> None:
        self._up_s = up_s
        self._began, self._began_s = clock(), up_s()

    def __call__(self) -> datetime:
        """The moment."""
        return self._began + timedelta(seconds=self._up_s() - self._began_s)


def in_text(moment: datetime) -> str:
    """A moment in UTC as the interface tells it: ``2026-11-30T19:00:00.000Z``."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
