"""The guardian itself: a program of its own, standard library only, that stops trains when its parent dies or hangs.

Run as ``python -I -S guardian_process.py PIPE FDS WRITES``: the read end of a pipe, the descriptors of open links
(comma-separated), and what to write on each of them (hexadecimal, comma-separated). It says ``ready``, then reads
the pipe:

* ``W`` (watch): the parent is alive, and from now on half a second without another byte is as bad as its death;
* ``R`` (rest): nothing moves, silence is in order until the next ``W``;
* ``goodbye``, then the end: it ends silently;
* the end without a goodbye, or silence while it watches: it writes.

It belongs to a session of its own and ignores the polite signals: Ctrl-C or Ctrl-Z in the terminal must not end it
before it is needed.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

WATCH = b"W"
REST = b"R"
GOODBYE = b"goodbye\n"
"""Holds none of the other two."""
READY = b"ready\n"
SILENT = b"silent\n"
SILENCE_S = 0.5
"""Of a parent that says every 50 ms that it is alive."""
BETWEEN_WRITES_S = 0.01
"""For a board to read 40 bytes at 115200 baud takes 3.5 ms; its ring holds 64, some of them the dead program's."""
BEFORE_LAST_S = 0.1
"""Between the emergency stop and cutting the power, so that decoders hear the stop."""
WRITE_WITHIN_S = 0.5


def main(arguments: list[str]) -> int:
    """Block until the pipe closes or falls silent; 0 after a goodbye, 1 after stopping everything."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE", "SIGQUIT", "SIGTSTP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    pipe = int(arguments[0])
    links = [int(fd) for fd in arguments[1].split(",")]
    writes = [bytes.fromhex(data) for data in arguments[2].split(",")]
    os.write(1, READY)
    heard, silent = listen(pipe)
    if heard == GOODBYE:
        return 0
    # A parent that wakes again finds a broken pipe at once, and what stands in the other one, before it can send.
    os.close(pipe)
    if silent:
        with contextlib.suppress(OSError):  # it has died meanwhile: nobody has to be told
            os.write(1, SILENT)
    for position, wanted in enumerate(writes):
        if position:
            time.sleep(BEFORE_LAST_S if position == len(writes) - 1 else BETWEEN_WRITES_S)
        links = [fd for fd in links if write_whole(fd, wanted)]
    if not silent:
        for fd in links:
            release(fd)
    return 1


def listen(pipe: int) -> tuple[bytes, bool]:
    """Read until the pipe ends, or is silent while it is watched: the last bytes, and whether it was the silence."""
    heard, watching = b"", False
    while True:
        if watching and not select.select([pipe], [], [], SILENCE_S)[0]:
            return heard, True
        data = os.read(pipe, 4096)
        if not data:
            return heard, False
        heard = (heard + data)[-len(GOODBYE) :]
        if WATCH in data or REST in data:
            watching = data.rfind(WATCH) > data.rfind(REST)


def write_whole(fd: int, data: bytes) -> bool:
    """Write it all, but do not hang on a link that takes nothing: False, and the others still get theirs."""
    ends = time.monotonic() + WRITE_WITHIN_S
    while data:
        ready = select.select([], [fd], [], max(0.0, ends - time.monotonic()))[1]
        if not ready:
            return False
        try:
            data = data[os.write(fd, data) :]
        except BlockingIOError:
            continue
        except OSError:
            return False
    return True


def release(fd: int) -> None:
    """Let others open a terminal again that the dead program had claimed."""
    if os.isatty(fd):
        import fcntl
        import termios

        fcntl.ioctl(fd, termios.TIOCNXCL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
