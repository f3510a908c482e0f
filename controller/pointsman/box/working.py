"""What takes long at a signal box: while it goes on nothing else begins, and everybody sees how far it has come."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pointsman.box.board import Board
from pointsman.errors import PointsmanError, RefusedError, StoppedError
from pointsman.solver.table import Progress

PROGRESS_EVERY_S = 0.3


class Working:
    """Made in the running loop. ``busy`` says what is done now; empty while nothing is."""

    def __init__(self, board: Board, closing: Callable[[], bool]) -> None:
        self.busy = ""
        self._board = board
        self._closing = closing
        self._loop = asyncio.get_running_loop()
        self._told_s = 0.0

    @contextmanager
    def on(self, what: str) -> Iterator[None]:
        """While inside, only what takes long goes on. RefusedError while something else does."""
        if self.busy:
            raise RefusedError([f"it cannot begin now: it is {self.busy}"], cure="wait a moment")
        self.busy = what
        self._board.publish(note=f"{what} ...", refusal=None)
        try:
            yield
        finally:
            self.busy = ""
            self._board.publish(note="")

    def progress(self, progress: Progress) -> None:
        """How far the solver has come; in a thread of its own, which ends with an error once the box is closed."""
        self.unheard(progress)
        now = time.monotonic()
        if now - self._told_s > PROGRESS_EVERY_S:
            self._told_s = now
            note = f"{progress.stage}: {progress.positions:,} positions, {progress.depth} moves deep"
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._tell, note)

    def unheard(self, _: Progress) -> None:
        """As ``progress``, where nobody may know how far the solver has come."""
        if self._closing():
            raise StoppedError("the signal box is closed", PointsmanError.exit_code)

    def _tell(self, note: str) -> None:
        if self.busy:
            self._board.publish(note=note)
