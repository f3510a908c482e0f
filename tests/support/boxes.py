"""Test support: a signal box on the simulated small Inglenook."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from pointsman.box.box import Box
from pointsman.box.demo import Waits
from pointsman.box.snapshot import Snapshot
from pointsman.box.task import Ground
from pointsman.links import On, Target
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring

AT_THE_START = "head: L | s1: 1 2 3 | s2: 4 5 | s3:"
"""Where everything stands before anything has moved."""


def ground(layout: str | Path = "inglenook-small", hardware: str | None = None) -> Ground:
    """A layout with its usual wiring, or another one by its name, simulated."""
    folder = find_layout(layout)
    track = load_layout(folder)
    return Ground(folder, track, load_wiring(find_wiring(folder, hardware), track), hardware or "", Target(On.SIM))


@asynccontextmanager
async def opened(journals: Path, *, speed: float | None = None, hardware: str | None = None) -> AsyncIterator[Box]:
    """A box whose clock jumps, if it is not paced; closed however the test ends."""
    box = Box(ground(hardware=hardware), journals, speed=speed, waits=Waits(0.0, 0.0))
    try:
        await box.open()
        yield box
    finally:
        await box.close()


async def seen(box: Box, holds: Callable[[Snapshot], bool]) -> Snapshot:
    """Wait until something holds of what everybody sees, not for ever."""
    async with asyncio.timeout(60):
        return await box.board.when(holds)
