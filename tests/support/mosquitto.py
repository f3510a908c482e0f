"""Test support: a real mosquitto on a free port of this machine, with a configuration of its own, and cables to it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select

import pytest

FOUND = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
needs_mosquitto = pytest.mark.skipif(FOUND is None, reason="mosquitto is not installed (make deps)")
READY_WITHIN_S = 10.0


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        found: int = probe.getsockname()[1]
    return found


class Mosquitto:
    """A broker process. ``lines`` of configuration are added to the listener's; it keeps its port over restarts."""

    def __init__(self, folder: Path, *lines: str) -> None:
        assert FOUND is not None
        self.port = free_port()
        self._config = folder / "mosquitto.conf"
        anonymous = [] if any("password_file" in line for line in lines) else ["allow_anonymous true"]
        head = [f"listener {self.port} 127.0.0.1", "persistence false", "log_dest stderr", "log_type all"]
        # Started as root it would change to a user who may not read the test's folder.
        head += [f"user {pwd.getpwuid(os.getuid()).pw_name}"] if os.getuid() == 0 else []
        self._config.write_text("\n".join([*head, *anonymous, *lines, ""]), encoding="utf-8")
        self._log = folder / "mosquitto.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start, and wait until it listens."""
        assert FOUND is not None
        with self._log.open("ab") as log:
            self.process = subprocess.Popen([FOUND, "-c", str(self._config)], stderr=log, stdout=log)
        until = time.monotonic() + READY_WITHIN_S
        while True:
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            assert self.process.poll() is None, self.log
            assert time.monotonic() < until, self.log
            select([], [], [], 0.02)

    def stop(self, *, kill: bool = False) -> None:
        """End it: politely, or as a power cut would."""
        if self.process is not None:
            self.process.kill() if kill else self.process.terminate()
            self.process.wait(10)
            self.process = None

    @property
    def log(self) -> str:
        """What it has said."""
        return self._log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def mosquitto(folder: Path, *lines: str) -> Iterator[Mosquitto]:
    """A broker that is ended when the block is left."""
    broker = Mosquitto(folder, *lines)
    try:
        yield broker
    finally:
        broker.stop(kill=True)


class Cable:
    """A TCP cable to a broker that can be cut, and that can swallow everything (``dead``) while it looks whole."""

    def __init__(self, far_port: int) -> None:
        self._far_port = far_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.dead = False
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._wake_read, self._wake_write = os.pipe()
        self._ending = self._cutting = False
        self._thread = threading.Thread(target=self._carry)
        self._thread.start()

    def cut(self) -> None:
        """End every connection at once."""
        self._cutting = True
        os.write(self._wake_write, b"x")

    def close(self) -> None:
        """End it all."""
        self._ending = True
        os.write(self._wake_write, b"x")
        self._thread.join()
        self._listener.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _carry(self) -> None:
        while not self._ending:
            ready = select([self._listener, self._wake_read, *self._pairs], [], [])[0]
            if self._wake_read in ready:
                os.read(self._wake_read, 100)
            if self._cutting:
                self._cutting = False
                self._end_all()
                continue
            if self._listener in ready:
                near, far = self._listener.accept()[0], socket.create_connection(("127.0.0.1", self._far_port))
                self._pairs |= {near: far, far: near}
            for one in [one for one in ready if isinstance(one, socket.socket) and one in self._pairs]:
                self._pass_on(one)
        self._end_all()

    def _end_all(self) -> None:
        for one in list(self._pairs):
            one.close()
        self._pairs.clear()

    def _pass_on(self, one: socket.socket) -> None:
        other = self._pairs.get(one)
        if other is None:
            return
        try:
            data = one.recv(65536)
            if data:
                if not self.dead:
                    other.sendall(data)
                return
        except OSError:
            pass  # broken at one end: it ends at both
        for end in (one, other):
            self._pairs.pop(end, None)
            end.close()


@contextmanager
def cable(far_port: int) -> Iterator[Cable]:
    """A cable that is taken away when the block is left."""
    made = Cable(far_port)
    try:
        yield made
    finally:
        made.close()
