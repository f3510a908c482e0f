"""The newest play of a layout that did not come to its end, from the journals there are."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pointsman.box.task import Ground
from pointsman.errors import JournalError, LayoutError, UsageError
from pointsman.record import decode
from pointsman.resuming import Interrupted, interrupted

LONGEST_HEADER_BYTES = 1 << 20
MOST_LOOKED_AT = 50
"""Journals whose first lines are read: a layout that has not been played for so long begins anew."""


def newest_unfinished(journals: Path, ground: Ground) -> Interrupted | None:
    """The layout's last play, if it was stopped after something had moved; None too when it cannot be gone on with."""
    for path in _newest_first(journals):
        if _is_of(path, ground.folder):
            return _unfinished(path, ground)
    return None


def _newest_first(journals: Path) -> list[Path]:
    dated = []
    for path in journals.glob("*.journal"):
        with suppress(OSError):  # it was removed meanwhile
            dated.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(dated, reverse=True)][:MOST_LOOKED_AT]


def _is_of(path: Path, folder: Path) -> bool:
    """Whether a journal is of a play on the layout in a folder."""
    try:
        with path.open("rb") as file:
            line = decode(file.readline(LONGEST_HEADER_BYTES).removesuffix(b"\n"))
    except (OSError, JournalError):
        return False
    return line.kind == "begin" and "puzzle" in line.values and line.values.get("folder") == str(folder.resolve())


def _unfinished(path: Path, ground: Ground) -> Interrupted | None:
    try:
        play = interrupted(path, on=ground.target, hardware=ground.hardware or None)
    except (JournalError, UsageError, LayoutError):  # it came to its end, or the layout is another one now
        return None
    came_to_something = play.told.score.raw_starts or "goes_on_from" in play.told.header
    return play if came_to_something else None
