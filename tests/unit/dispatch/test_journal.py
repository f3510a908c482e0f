"""The journal's writer, with real files, another process and a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest

from pointsman.dispatch.journal import Journal, check_folder
from pointsman.errors import JournalError
from pointsman.record import encode, read


def never(text: str) -> None:
    raise AssertionError(text)


def test_lines_are_readable_by_another_process_before_the_journal_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "plays" / "one.journal"
    journal = Journal(path, never)
    try:
        for number in range(3):
            journal.write(float(number), "step", {"what": f"step {number}"})
        other = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read())"
        seen = subprocess.run([sys.executable, "-c", other, str(path)], capture_output=True, check=True).stdout
        assert seen == b"".join(encode(float(n), "step", {"what": f"step {n}"}) for n in range(3))
    finally:
        journal.close()
    reading = read(path)
    assert reading.bad == ""
    assert [line.values["what"] for line in reading.lines] == ["step 0", "step 1", "step 2"]


def test_what_is_written_survives_a_process_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "killed.journal"
    child = (
        "import os, signal, sys; from pathlib import Path; from pointsman.dispatch.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]), print)\n"
        "for n in range(50): journal.write(float(n), 'step', {'n': n})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", child, str(path)], check=False)
    assert ended.returncode == -9
    reading = read(path)
    assert reading.bad == ""
    assert [line.values["n"] for line in reading.lines] == list(range(50))


def test_closing_ends_the_syncing_thread_and_may_be_done_twice(tmp_path: Path) -> None:
    def syncing() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "journal"]

    journal = Journal(tmp_path / "one.journal", never)
    assert len(syncing()) == 1
    journal.write(1.0, "step", {})
    journal.close()
    assert syncing() == []
    journal.close()
    unused = Journal(tmp_path / "two.journal", never)
    unused.close()
    assert syncing() == []
    assert read(tmp_path / "two.journal").lines == ()


def test_a_journal_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "one.journal"
    journal = Journal(path, never)
    journal.write(1.0, "step", {"what": "first"})
    with pytest.raises(JournalError) as caught:
        Journal(path, never)
    assert str(path) in caught.value.what
    assert "File exists" in caught.value.what
    assert "--journal" in caught.value.cure
    journal.close()
    with pytest.raises(JournalError):
        Journal(path, never)
    assert read(path).lines[0].values == {"what": "first"}


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(JournalError, match="cannot be written"):
        Journal(tmp_path / "file" / "one.journal", never)
    with pytest.raises(JournalError, match="no journal can be written there: Not a directory") as caught:
        check_folder(tmp_path / "file" / "plays")
    assert "--journals" in caught.value.cure
    check_folder(tmp_path / "plays")
    assert list((tmp_path / "plays").iterdir()) == []


def test_one_that_is_removed_meanwhile_is_told_at_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "plays" / "one.journal"
    told: list[str] = []
    heard = threading.Event()

    def failed(text: str) -> None:
        told.append(text)
        heard.set()

    journal = Journal(path, failed)
    try:
        rmtree(path.parent)
        journal.write(1.0, "step", {})
        assert heard.wait(30)
    finally:
        journal.close()
    assert told == [f"the journal {path} cannot be written: it was removed"]


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full, a device that is always full")
def test_a_full_disk_is_told_once_and_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "full.journal"
    told: list[str] = []
    heard = threading.Event()

    def failed(text: str) -> None:
        told.append(text)
        heard.set()

    journal = Elsewhere(path, failed, os.open(FULL, os.O_WRONLY))
    try:
        for number in range(3):
            journal.write(float(number), "step", {"n": number})
        assert heard.is_set()
    finally:
        journal.close()
    assert told == [f"the journal {path} cannot be written: No space left on device"]


def test_a_disk_that_does_not_sync_is_told_by_the_thread(tmp_path: Path) -> None:
    told: list[str] = []
    heard = threading.Event()

    def failed(text: str) -> None:
        told.append(text)
        heard.set()

    # A pipe takes what is written and cannot be synced.
    reader, writer = os.pipe()
    journal = Elsewhere(tmp_path / "one.journal", failed, writer)
    try:
        journal.write(1.0, "step", {})
        assert heard.wait(5.0)
        journal.write(2.0, "step", {})
    finally:
        journal.close()
        os.close(reader)
    assert told == [f"the journal {tmp_path / 'one.journal'} cannot be written: Invalid argument"]


def test_a_line_that_only_partly_fits_is_told_and_reading_ends_before_it(tmp_path: Path) -> None:
    path = tmp_path / "short.journal"
    child = (
        "import resource, sys; from pathlib import Path; from pointsman.dispatch.journal import Journal\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (80, 80))\n"
        "journal = Journal(Path(sys.argv[1]), print)\n"
        "for n in range(5): journal.write(float(n), 'step', {'n': n})\n"
        "journal.close()\n"
    )
    ended = subprocess.run([sys.executable, "-c", child, str(path)], capture_output=True, text=True, check=True)
    assert ended.stdout == f"the journal {path} cannot be written: the disk is full\n"
    assert path.stat().st_size == 80
    reading = read(path)
    assert [line.values["n"] for line in reading.lines] == [0]
    assert reading.bad == "line 2 is damaged: it is cut short"


class Elsewhere(Journal):
    """A journal whose descriptor leads to something else than a file on a sound disk."""

    def __init__(self, path: Path, on_failure: Callable[[str], None], leads_to: int) -> None:
        super().__init__(path, on_failure)
        os.dup2(leads_to, self._file)
        os.close(leads_to)
