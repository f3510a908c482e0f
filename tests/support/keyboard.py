"""Test support: a person at the keyboard of a terminal, who types the next line when there is a question."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO


@contextmanager
def keyboard() -> Iterator[tuple[TextIO, Callable[[str], None]]]:
    """A terminal to be standard input, and what is to be typed there: a line, or a Ctrl-D, for each question.

    Before every question what was typed is thrown away, and in packet mode a terminal tells its other end of that.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCPKT, struct.pack("i", 1))
    ended, end = os.pipe()
    lines: deque[str] = deque()

    def type_when_asked() -> None:
        while ended not in select.select([master, ended], [], [])[0]:
            thrown_away = os.read(master, 4096)[0] & termios.TIOCPKT_FLUSHREAD
            if thrown_away and lines:
                line = lines.popleft().encode()
                assert os.write(master, line) == len(line)

    typist = threading.Thread(target=type_when_asked, name="typist")
    with os.fdopen(slave, "r", encoding="utf-8") as terminal:
        typist.start()
        try:
            yield terminal, lambda typed: lines.extend(re.findall(r"[^\n\x04]*[\n\x04]", typed))
        finally:
            os.close(end)
            typist.join()
    os.close(ended)
    os.close(master)
