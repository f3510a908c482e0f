"""Writing the journal: each line is in the operating system's hands before ``write`` returns, and on the disk soon.

``kill -9`` loses nothing that was written; a power cut loses at most the last 100 ms, for a thread syncs the file that
often. A disk that fails, or a file that is removed meanwhile, is told once, to the callback given, and never stops a
train from being stopped.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from errno import ENOENT
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from pointsman.errors import JournalError
from pointsman.record import encode, read

SYNC_EVERY_S = 0.1
PLACED_BY = "--journal (of serve: --journals)"
"""The options that say where journals are."""


def check_folder(folder: Path) -> None:
    """Make a folder for journals, if need be. Raises JournalError when nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            file.write(b"\n")
    except OSError as error:
        what = f"no journal can be written there: {error.strerror}"
        raise JournalError(what, where=str(folder), cure=f"give another place with {PLACED_BY}") from error


def append(path: Path, kind: str, values: Mapping[str, Any]) -> None:
    """Add one line to a journal that nobody writes any more; it is on the disk when this returns.

    It has the time of the line before it. Raises JournalError, too where the end is damaged: what follows it is lost.
    """
    reading = read(path)
    if reading.bad or not reading.lines:
        cure = "go on with the play: its new journal takes it"
        raise JournalError(f"nothing can be added to it: {reading.bad or 'it is empty'}", where=str(path), cure=cure)
    try:
        with path.open("ab", buffering=0) as file:
            file.write(encode(reading.lines[-1].t_s, kind, values))
            os.fsync(file.fileno())
    except OSError as error:
        cure = "make room on the disk, and allow it to be written"
        raise JournalError(f"cannot be written: {error.strerror}", where=str(path), cure=cure) from error


class Journal:
    """One journal file, created new. Raises JournalError when it cannot be."""

    def __init__(self, path: Path, on_failure: Callable[[str], None]) -> None:
        self.path = path
        self._on_failure = on_failure
        self._failed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except OSError as error:
            raise JournalError(
                f"the journal {path} cannot be written: {error.strerror}", cure=f"give another place with {PLACED_BY}"
            ) from error
        self._dirty = threading.Event()
        self._closing = threading.Event()
        self._syncer = threading.Thread(target=self._sync, name="journal", daemon=True)
        self._syncer.start()

    def write(self, t_s: float, kind: str, values: Mapping[str, Any]) -> bool:
        """Append one line; whether it was. A failure goes to the callback, once; the caller decides what it means.

        The journal's own thread may be the first to find it: then the callback is called there.

        After ``close`` nothing is written any more: the last events of a link may come late.
        """
        if self._closing.is_set():
            return False
        data = encode(t_s, kind, values)
        try:
            written = os.write(self._file, data)
            if written != len(data):
                raise OSError(0, "the disk is full")
        except OSError as error:
            self._fail(error)
            return False
        self._dirty.set()
        return True

    def close(self) -> None:
        """Sync what is left and close. May be called twice."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._dirty.set()
        self._syncer.join()
        os.close(self._file)

    def _sync(self) -> None:
        while True:
            self._dirty.wait()
            self._dirty.clear()
            try:
                os.fsync(self._file)
                if os.fstat(self._file).st_nlink == 0:
                    raise OSError(ENOENT, "it was removed")
            except OSError as error:
                self._fail(error)
            if self._closing.wait(SYNC_EVERY_S):
                if self._dirty.is_set():
                    continue
                return

    def _fail(self, error: OSError) -> None:
        if not self._failed:
            self._failed = True
            self._on_failure(f"the journal {self.path} cannot be written: {error.strerror}")
