"""The demo for exhibitions: it draws, solves, plays, waits, and again, for days, until a person ends it."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pointsman.box.board import Board
from pointsman.box.snapshot import Mode
from pointsman.errors import PointsmanError, RefusedError, UnsolvableError
from pointsman.track.model import End

KEPT = 20
"""Journals of the demo that are kept: the last ones."""
MOST_UNDRIVABLE = 20
"""Draws in a row that cannot be driven before the demo gives up."""
MOST_HALTED = 20
"""Plays in a row that come to no end before it does."""


@dataclass(frozen=True, slots=True)
class Waits:
    """How long a new draw is shown, and a solved one, in seconds of the computer's clock."""

    before_s: float = 6.0
    after_s: float = 12.0


class Played(Protocol):
    """What the demo does with a box."""

    board: Board
    puzzles: list[str]

    async def draw(self, name: str, seed: str | None, level: int | None) -> None:
        """Draw and solve."""

    def start(self, facing: End, folder: Path) -> None:
        """Begin, with a journal in a folder."""

    async def over(self) -> None:
        """Return when no play is under way."""

    def drive_on(self) -> None:
        """Drive every run."""

    def hold(self) -> None:
        """Pause after the run under way."""

    def refuse(self, error: PointsmanError) -> None:
        """Show why it did not go on."""


class Demo:
    """Runs as a task of the running loop. ``folder`` is for its journals."""

    def __init__(self, box: Played, folder: Path, waits: Waits) -> None:
        self._box, self._folder, self._waits = box, folder, waits
        self._task = asyncio.create_task(self._play(), name="demo")

    @property
    def on(self) -> bool:
        """Whether it goes on."""
        return not self._task.done()

    def end(self) -> None:
        """End it: the run under way is driven to its end, and no other begins."""
        if self.on:
            self._task.cancel()
            self._box.hold()

    async def ended(self) -> None:
        """Return when it has ended."""
        await asyncio.wait([self._task])

    async def _play(self) -> None:
        box, board = self._box, self._box.board
        board.publish(demo=True)
        halted = 0
        try:
            while True:
                await self._draw()
                await asyncio.sleep(self._waits.before_s)
                self._forget_old()
                halted = 0 if await self._solved() else halted + 1
                if halted == MOST_HALTED:
                    return
                await asyncio.sleep(self._waits.after_s)
        except PointsmanError as error:
            box.refuse(error)
        finally:
            board.publish(demo=False)

    async def _solved(self) -> bool:
        """Play what was drawn. What stops it though no person has asked for that, says everybody why, and no more.

        On a simulated layout nothing stands anywhere but where the next draw sets it up.
        """
        box, board = self._box, self._box.board
        box.start(End.TO, self._folder)
        mode = await board.until(Mode.READY, Mode.HALTED, Mode.DEALT)
        if mode is Mode.READY:
            box.drive_on()
            mode = await board.until(Mode.SOLVED, Mode.HALTED, Mode.DEALT)
        if mode is Mode.SOLVED:
            return True
        await box.over()
        why = board.snapshot.halted or board.snapshot.refusal or {"why": "it was stopped"}
        board.publish(note=f"{why['why']}: the demo begins anew with another draw")
        return False

    async def _draw(self) -> None:
        """Draw until something can be driven: the real lengths may forbid a draw."""
        for left in reversed(range(MOST_UNDRIVABLE)):
            try:
                await self._box.draw(random.choice(self._box.puzzles), None, None)
            except (RefusedError, UnsolvableError):
                if not left:
                    raise
            else:
                return

    def _forget_old(self) -> None:
        """Days of demo must not fill the disk; one that cannot be removed stays."""
        if self._folder.is_dir():
            for path in sorted(self._folder.glob("*.journal"))[: 1 - KEPT]:
                path.unlink(missing_ok=True)
