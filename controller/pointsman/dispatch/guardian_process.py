"""The guardian itself: a program of its own, standard library only, that stops trains when its parent dies or hangs.

Run as ``python -I -S guardian_process.py PIPE FDS=WRITES...``: the read end of a pipe, and for each link its open
descriptors (comma-separated) and what to write on each of them (hexadecimal, comma-separated; nothing: the connection
is shut down). It says ``ready``, then reads the pipe:

* ``W`` (watch): the parent is alive, and from now on half a second without another byte is as bad as its death;
* ``R`` (rest): nothing moves, silence is in order until the next ``W``;
* ``goodbye``, then the end: it ends silently;
* the end without a goodbye, or silence while it watches: it writes, on all links at the same time.

It belongs to a session of its own and ignores the polite signals: Ctrl-C or Ctrl-Z in the terminal must not end it
before it is needed.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterable
from itertools import zip_longest
from typing import TypeAlias

NAME = "pointsman-guard"
"""Who holds a port together with the program; the kernel keeps 15 letters."""
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

Link: TypeAlias = "tuple[list[int], list[bytes]]"
"""Descriptors, and what each is to get; nothing: it is shut down."""


def main(arguments: list[str]) -> int:
    """Block until the pipe closes or falls silent; 0 after a goodbye, 1 after stopping everything."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE", "SIGQUIT", "SIGTSTP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    call_oneself(NAME)
    pipe = int(arguments[0])
    links = [read_link(argument) for argument in arguments[1:]]
    os.write(1, READY)
    heard, silent = listen(pipe)
    if heard == GOODBYE:
        return 0
    # A parent that wakes again finds a broken pipe at once, and what stands in the other one, before it can send.
    os.close(pipe)
    if silent:
        with contextlib.suppress(OSError):  # it has died meanwhile: nobody has to be told
            os.write(1, SILENT)
    stop_all(links)
    if not silent:
        for fds, writes in links:
            for fd in fds if writes else ():
                release(fd)
    return 1


def call_oneself(name: str) -> None:
    """Let lists of processes show a name of its own for this one (Linux)."""
    with contextlib.suppress(OSError), open("/proc/self/comm", "w", encoding="ascii") as comm:  # noqa: PTH123
        comm.write(name)


def read_link(argument: str) -> Link:
    """A link as the parent has written it down."""
    fds, _, writes = argument.partition("=")
    return [int(fd) for fd in fds.split(",")], [bytes.fromhex(data) for data in writes.split(",") if data]


def stop_all(links: list[Link]) -> None:
    """Shut down, or write what each link is to get: the first at once, and the last ones together after a pause."""
    for fds, writes in links:
        if not writes:
            for fd in fds:
                shut_down(fd)
    failed: set[int] = set()
    first = [[(fds, data) for data in writes[:-1] or writes] for fds, writes in links]
    for position, column in enumerate(zip_longest(*first)):
        if position:
            time.sleep(BETWEEN_WRITES_S)
        failed |= write_round(column, failed)
    last = [(fds, writes[-1]) for fds, writes in links if len(writes) > 1]
    if last:
        time.sleep(BEFORE_LAST_S)
        write_round(last, failed)


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


def write_round(column: Iterable[tuple[list[int], bytes] | None], failed: set[int]) -> set[int]:
    """Write on each descriptor that has not failed yet, whichever takes it first; those that do not take it all.

    A link that takes nothing keeps no other one from its stop.
    """
    ends = time.monotonic() + WRITE_WITHIN_S
    left = {fd: data for cell in column if cell for fd in cell[0] for data in [cell[1]] if fd not in failed}
    lost: set[int] = set()
    while left:
        ready = select.select([], list(left), [], max(0.0, ends - time.monotonic()))[1]
        if not ready:
            return lost | left.keys()
        for fd in ready:
            try:
                left[fd] = left[fd][os.write(fd, left[fd]) :]
            except BlockingIOError:
                continue
            except OSError:
                lost.add(fd)
                left[fd] = b""
            if not left[fd]:
                del left[fd]
    return lost


def shut_down(fd: int) -> None:
    """End a connection at both ends, whoever else holds it."""
    with contextlib.suppress(OSError), socket.socket(fileno=fd) as connection:  # it has ended already
        connection.shutdown(socket.SHUT_RDWR)


def release(fd: int) -> None:
    """Let others open a terminal again that the dead program had claimed."""
    if os.isatty(fd):
        import fcntl
        import termios

        fcntl.ioctl(fd, termios.TIOCNXCL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
