"""Test support: a board run by avrsim, in lockstep (the test grants its time) or by the wall clock."""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import pytest

PROGRAM_FOLDER = Path(__file__).parents[2] / "firmware" / "avrsim"
BUILD = PROGRAM_FOLDER / "build"
WITHIN_S = 60.0
"""How long the program may take for one answer, on a busy machine."""

_missing = [name for name in ("make", "gcc", "avr-gcc") if shutil.which(name) is None]
_headers = ("/usr/include/simavr/sim_avr.h", "/usr/lib/avr/include/avr/io.h")
_missing += [header for header in _headers if not Path(header).exists()]
needs_avrsim = pytest.mark.skipif(bool(_missing), reason=f"not installed (make deps): {', '.join(_missing)}")


def make(folder: Path, *targets: str, within_s: float) -> None:
    """Make targets of the Makefile in a folder, in its ``build``; several test processes may ask at the same time."""
    (folder / "build").mkdir(exist_ok=True)
    with (folder / "build" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(
            ["make", "--no-print-directory", "-C", str(folder), *targets],
            capture_output=True, text=True, timeout=within_s, check=False, env={**os.environ, "MAKEFLAGS": ""},
        )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr


def build(*targets: str) -> None:
    """Make avrsim, or ``targets`` of its Makefile."""
    make(PROGRAM_FOLDER, *targets, within_s=WITHIN_S)


def sketch(name: str, board: str) -> Path:
    """One of avrsim's own test sketches, built for ``board``."""
    elf = BUILD / f"{name}.{board}.elf"
    build(f"build/{elf.name}")
    return elf


@dataclass(frozen=True, slots=True)
class Event:
    """What a board told: ``edge``, ``duty``, ``pulse``, ``uart``, ``reset``, ``opened``, ...; at its own time."""

    kind: str
    at_us: float
    values: tuple[str, ...]


class RefusedError(AssertionError):
    """avrsim answered no."""


class Board:
    """A running board. Pins are Arduino's: a number, or "A0". Close it, or use it in a ``with``."""

    def __init__(self, kind: str, elf: Path, *options: str, eeprom: Path | None = None) -> None:
        build()
        # The path of a socket must be short: a test's own folder may lie too deep.
        self._folder = Path(tempfile.mkdtemp(prefix="avrsim-"))
        self.events: list[Event] = []
        self._sent_in_all = 0
        path = self._folder / "control"
        words = [str(BUILD / "avrsim"), "--end-with-parent", "--board", kind, "--socket", str(path), *options]
        words += ["--eeprom", str(eeprom)] if eeprom else []
        self.process = subprocess.Popen([*words, str(elf)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(WITHIN_S)
        self._lines = self._socket.makefile("r", encoding="ascii")
        try:
            assert self.process.stdout is not None
            self.pty = self.process.stdout.readline().removeprefix("pty ").strip()
            if not self.process.stdout.readline().startswith("ready"):
                raise AssertionError("avrsim did not start: " + self.close())
            self._socket.connect(str(path))
            self._answer()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Board:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> str:
        """End it; gives what it wrote to standard error. May be called again."""
        self._lines.close()
        self._socket.close()
        if self.process.poll() is None:
            self.process.terminate()
        try:
            said = self.process.communicate(timeout=10)[1] if not self._closed else ""
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait(10)
            shutil.rmtree(self._folder, ignore_errors=True)
        return said

    @property
    def _closed(self) -> bool:
        return self.process.stderr is None or self.process.stderr.closed

    def ask(self, command: str) -> str:
        """What it answers to a command, after "ok"; what it told meanwhile is in ``events``."""
        self._socket.sendall(command.encode("ascii") + b"\n")
        return self._answer()

    def _answer(self) -> str:
        while True:
            line = self._lines.readline()
            assert line.endswith("\n"), "avrsim has ended: " + self.close()
            if line.startswith("!"):
                kind, at_us, *values = line[1:].split()
                self.events.append(Event(kind, float(at_us), tuple(values)))
            elif line.startswith("ok"):
                return line[2:].strip()
            else:
                raise RefusedError(line.strip())

    def grant(self, time_us: float, host_bytes: int = 0) -> list[Event]:
        """Let it run for ``time_us`` of its own time; gives what it told.

        ``host_bytes``: how many bytes the host has written to the pty in all; the board waits until it has them.
        """
        before = len(self.events)
        self._sent_in_all = int(self.ask(f"run {time_us} {host_bytes}").split()[1])
        return self.events[before:]

    def sent(self) -> int:
        """How many bytes it has written to the pty in all, up to the end of the last grant."""
        return self._sent_in_all

    def say(self, data: bytes) -> None:
        """Send it bytes, without the pty."""
        self.ask("send " + data.hex())

    def heard(self) -> bytes:
        """All that its serial port has sent, since ``uart on``."""
        return b"".join(bytes.fromhex(one.values[0]) for one in self.events if one.kind == "uart")

    def pin(self, pin: int | str) -> str:
        """Its level: "0", "1", "u" (pulled up) or "z" (it floats)."""
        return self.ask(f"pin {pin}")

    def drive(self, pin: int | str, level: str) -> None:
        """Put "0" or "1" on it, or let it go ("z")."""
        self.ask(f"set {pin} {level}")

    def watch(self, pin: int | str, *what: str) -> None:
        """Be told of its ``edges``, ``duty`` or ``pulses``."""
        self.ask(f"watch {pin} {' '.join(what)}")

    def duty(self, pin: int | str) -> float:
        """The part of the time for which it is high: 0 to 1."""
        return float(self.ask(f"duty {pin}"))

    def pulse(self, pin: int | str) -> tuple[float, float, int] | None:
        """Its last whole high pulse in us, the time between the last two beginnings in us, and how many there were."""
        answer = self.ask(f"pulse {pin}").split()
        return None if answer == ["none"] else (float(answer[0]), float(answer[1]), int(answer[2]))

    def eeprom(self, first: int, count: int) -> bytes:
        """What lies in it."""
        return bytes.fromhex(self.ask(f"eeprom {first} {count}"))

    def stand(self) -> dict[str, float]:
        """Its time (``now``, us) and what its serial port counted: ``overrun``, ``unheard``, ``unread``, ..."""
        return {name: float(value) for name, value in (word.split("=") for word in self.ask("stand").split())}


@contextmanager
def opened(board: Board) -> Iterator[int]:
    """The host's end of the pty, as a file descriptor. Does not wait for a byte that is not there."""
    end = os.open(board.pty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        yield end
    finally:
        os.close(end)


def read(end: int, count: int) -> bytes:
    """Exactly ``count`` bytes from a pty; fails when they do not come."""
    found = b""
    while len(found) < count:
        assert select.select([end], [], [], 5)[0], f"only {found!r} came, of {count} bytes"
        found += os.read(end, count - len(found))
    return found
