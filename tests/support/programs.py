"""Test support: whole programs in processes of their own, with a terminal to talk to, in real time.

Waiting is always for an event (output, an end, a file's content), with a time-out that only a failure reaches.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pointsman.track.builtin import find_layout

WITHIN_S = 40.0


class Program:
    """A program with a pseudo-terminal as its standard input, output and error.

    ``of_a_shell``: the terminal is that of the program's session, so that Ctrl-C in it is a signal.
    """

    def __init__(
        self, *command: str, env: dict[str, str] | None = None, stdout: int | None = None, of_a_shell: bool = False
    ) -> None:
        self._master, slave = pty.openpty()
        self.terminal_path = os.ttyname(slave)
        self.text = ""
        self._answered = 0
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *command] if of_a_shell else command,
            stdin=slave,
            stdout=slave if stdout is None else stdout,
            stderr=slave,
            env={**os.environ, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "200", **(env or {})},
            start_new_session=not of_a_shell,
        )
        os.close(slave)

    def expect(self, pattern: str, within_s: float = WITHIN_S) -> re.Match[str]:
        """Read until the output matches."""
        return self._expect(pattern, 0, within_s)

    def asked(self, question: str) -> re.Match[str]:
        """Read until the output since the last answer matches.

        What is typed before a question is thrown away: only when it can be read may it be answered.
        """
        return self._expect(question, self._answered, WITHIN_S)

    def _expect(self, pattern: str, since: int, within_s: float) -> re.Match[str]:
        until, wanted = time.monotonic() + within_s, re.compile(pattern)
        while (found := wanted.search(self.text, since)) is None:
            assert self._read(until - time.monotonic()), f"no {pattern!r} in:\n{self.text}"
        return found

    def answer(self, line: str) -> None:
        """Type a line."""
        self._answered = len(self.text)
        self.type(line + "\n")

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def signal(self, number: int) -> None:
        """Send a signal to the program (not to its children)."""
        self.process.send_signal(number)

    def interrupted(self) -> int:
        """Press Ctrl-C at a question, as a person does: again when nothing happens. The exit code.

        Python can miss the first one in the moment between its look at the signals and its waiting for a key.
        """
        for _ in range(5):
            self.signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                return self.ends(3.0)
        return self.ends()

    def ends(self, within_s: float = WITHIN_S) -> int:
        """Read to the end; the exit code."""
        until = time.monotonic() + within_s
        while self._read(until - time.monotonic()):
            pass
        return self.process.wait(max(0.1, until - time.monotonic()))

    def hang_up(self) -> None:
        """Close its terminal; nothing more is read."""
        os.close(self._master)
        self._master = os.open(os.devnull, os.O_RDONLY)

    def close(self) -> None:
        """End it, whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        with suppress(OSError):
            os.close(self._master)

    def _read(self, wait_s: float) -> bool:
        if wait_s <= 0 or not select.select([self._master], [], [], wait_s)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the last process that had the terminal has ended
            return False
        self.text += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


def tool(name: str) -> str:
    """The path of an installed command of this environment."""
    return str(Path(sys.executable).with_name(name))


def quick_layout(folder: Path) -> Path:
    """A copy of the small Inglenook for tests in real time: points over soon, the locomotive near its beam.

    JMRI reports its points: on a busy machine that report needs some time.
    """
    home = folder / "quick"
    shutil.copytree(find_layout("inglenook-small"), home)
    change(home / "layout.toml", r"mark = \{[^}]*\}", 'mark = { on = "head", at_mm = 300 }')
    change(home / "hardware" / "dccex.toml", r'kind = "servo"', 'kind = "accessory-decoder"')
    for wiring, time_s in (("dccex", 0.3), ("jmri", 1.0)):
        change(home / "hardware" / f"{wiring}.toml", r"move_time_s = [\d.]+", f"move_time_s = {time_s}")
    return home


def change(path: Path, pattern: str, to: str) -> None:
    """Change what matches in a file, which must be there."""
    text, count = re.subn(pattern, to, path.read_text())
    assert count, f"no {pattern} in {path}"
    path.write_text(text)


class RailSim(Program):
    """The simulated layout as a program of its own, behind JMRI if you like; ``truth`` is what it writes."""

    def __init__(self, folder: Path, *options: str, layout: str | Path = "inglenook-small", jmri: bool = False) -> None:
        self.port = folder / "station"
        self.truth_path = folder / "truth.json"
        reached = ["--jmri", "0", "--hardware", "jmri"] if jmri else ["--pty", str(self.port), "--tcp", "0"]
        arguments = [*reached, "--truth", str(self.truth_path), *options]
        super().__init__(tool("railsim"), str(layout), *arguments)
        self.expect("ready")
        self.tcp_port = int(self.expect(r"127\.0\.0\.1:(\d+)").group(1))

    @property
    def truth(self) -> dict[str, Any]:
        """What is really where; it is written at every stop, so it is current when nothing moves."""
        found: dict[str, Any] = json.loads(self.truth_path.read_text())
        return found

    def finish(self) -> dict[str, Any]:
        """End it as a person would, and read the last truth."""
        self.signal(signal.SIGINT)
        self.ends()
        return self.truth


@contextmanager
def running(make: Callable[[], Program]) -> Iterator[Any]:
    """A program that is ended when the block is left."""
    program = make()
    try:
        yield program
    finally:
        program.close()
