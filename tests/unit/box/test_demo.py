"""The demo when the simulated layout stops by itself, as on a computer that is too busy."""

from __future__ import annotations

import asyncio
import os
import termios
import threading
from pathlib import Path

import pytest
from boxes import opened, seen

from pointsman.box.snapshot import Mode, Snapshot

pytestmark = pytest.mark.usefixtures("solver_cache")

READER = "reader of "


def stop_the_port() -> None:
    """The port of the simulated station takes no bytes any more."""
    (name,) = [thread.name for thread in threading.enumerate() if thread.name.startswith(READER)]
    port = os.open(name.removeprefix(READER), os.O_RDWR | os.O_NOCTTY)
    try:
        termios.tcflow(port, termios.TCOOFF)
    finally:
        os.close(port)


async def test_a_halt_that_nobody_asked_for_is_told_and_the_demo_begins_anew(tmp_path: Path) -> None:
    told: list[Snapshot] = []
    async with opened(tmp_path, speed=20.0) as box:
        box.subscribe(told.append)
        await box.demo(True)
        await seen(box, lambda now: now.drive is not None)
        stop_the_port()
        halted = await seen(box, lambda now: bool(now.halted and now.halted["cure"]))
        assert halted.halted is not None
        assert "the port takes no bytes for 0.2 s" in halted.halted["why"]
        assert (await seen(box, lambda now: now.mode is Mode.AUTO)).demo
        # And once a person ends it, it stays stopped.
        box.emergency_stop("a spectator")
        await seen(box, lambda now: not now.demo and bool(now.halted and now.halted["cure"]))
        await asyncio.sleep(0)
        assert box.snapshot.mode is Mode.HALTED
    notes = {one.note for one in told}
    assert any(note.endswith("the demo begins anew with another draw") for note in notes)
    said = [*notes, *(one.halted["cure"] for one in told if one.halted)]
    assert not [text for text in said if "BY HAND" in text]
