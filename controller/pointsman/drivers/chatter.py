"""What a station says beside its answers, but not more of it than a person could read or a journal should hold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from pointsman.messages import Event, StationNote

NOTES_A_SECOND = 20
LONGEST_NOTE = 500
DIFFERENT_NOTES = 200


class Chatter:
    """Passes the station's notes on to ``tell``: 20 in a stretch of a second, then only how many more there were.

    A defective station may talk without end. It lives in the running event loop.
    """

    def __init__(self, tell: Callable[[StationNote], None]) -> None:
        self._tell = tell
        self._ends_t_s = float("-inf")
        self._notes = 0
        self._timer: asyncio.TimerHandle | None = None

    def hear(self, note: StationNote) -> None:
        """A note of the station."""
        if note.t_s >= self._ends_t_s:
            self.end_stretch()
            self._ends_t_s = note.t_s + 1.0
        self._notes += 1
        if self._notes <= NOTES_A_SECOND:
            if len(note.text) > LONGEST_NOTE:
                note = replace(note, text=f"{note.text[:LONGEST_NOTE]}... ({len(note.text)} characters)")
            self._tell(note)
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(self._ends_t_s, self.end_stretch)

    def end_stretch(self) -> None:
        """Say how much was left out, if anything was; begin anew."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            left_out = self._notes - NOTES_A_SECOND
            now = asyncio.get_running_loop().time()
            self._tell(StationNote(now, f"the station said {left_out} more things in that second, left out here"))
        self._notes = 0
        self._ends_t_s = float("-inf")


class Once:
    """Notes, each of them the first time only on a link, and no more than 200: nobody reads them all."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def __call__(self, t_s: float, text: str) -> list[Event]:
        """The note, or nothing when it was told before."""
        if text in self._told or len(self._told) >= DIFFERENT_NOTES:
            return []
        self._told.add(text)
        return [StationNote(t_s, text)]
