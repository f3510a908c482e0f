"""Test support: a cable to a station that can be watched."""

from __future__ import annotations

import os
import re
import select
import socket
import threading
import time


class Wire:
    """A cable that can be watched: a TCP listener that hands everything on to railsim, and keeps when what passed.

    ``passed`` is what was written towards the station, ``answered`` what came from it.
    """

    def __init__(self, far_port: int, port: int = 0) -> None:
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = self._listener.getsockname()[1]
        self._far = socket.create_connection(("127.0.0.1", far_port))
        self.passed: list[tuple[float, bytes]] = []
        self.answered: list[tuple[float, bytes]] = []
        self._stop = os.eventfd(0)
        self._thread = threading.Thread(target=self._carry)
        self._thread.start()

    def seen(self, pattern: bytes, after_s: float) -> float | None:
        """When something was written towards the station first, after a moment."""
        for at, data in list(self.passed):
            if at >= after_s and re.search(pattern, data):
                return at
        return None

    def close(self) -> None:
        os.eventfd_write(self._stop, 1)
        self._thread.join()
        os.close(self._stop)
        self._listener.close()
        self._far.close()

    def _carry(self) -> None:
        ready = select.select([self._listener, self._stop], [], [])[0]
        if self._stop in ready:
            return
        near, _ = self._listener.accept()
        with near:
            while True:
                ready = select.select([near, self._far, self._stop], [], [])[0]
                if self._stop in ready:
                    return
                for source, sink in ((near, self._far), (self._far, near)):
                    if source in ready:
                        try:
                            data = source.recv(4096)
                        except ConnectionResetError:  # killed with bytes unread
                            return
                        if not data:
                            return
                        kept = self.passed if source is near else self.answered
                        kept.append((time.monotonic(), data))
                        sink.sendall(data)


def moved_s(wire: Wire) -> None:
    """Wait until a speed was written to the station."""
    until = time.monotonic() + 20
    while wire.seen(rb"<t 3 \d\d+ ", 0.0) is None:
        assert time.monotonic() < until
        select.select([], [], [], 0.01)


def passed(wire: Wire, pattern: bytes, since_s: float) -> float:
    """When something was written to the station."""
    until = time.monotonic() + 5
    while (at := wire.seen(pattern, since_s)) is None:
        assert time.monotonic() < until, pattern
        select.select([], [], [], 0.005)
    return at
