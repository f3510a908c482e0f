"""A real pseudo-terminal as the station's USB port. POSIX only.

No end of it is kept open on the host's side: that the terminal hangs up is how one sees that no host is there. So
what the station says to nobody is gone, as on a board that is not plugged in, and nothing old waits for the host.
"""

from __future__ import annotations

import asyncio
import os
import select
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pointsman.errors import PortError
from pointsman.posix import made_by

LOOK_FOR_HOST_S = 0.02
LINK_MAKERS = frozenset({"railsim", "railsim.cli", "socat"})
"""Programs that make links to their terminals on purpose: one that runs keeps its link."""


class Attachable(Protocol):
    """What a link needs of the simulation."""

    def attach(
        self,
        kind: str,
        send: Callable[[bytes], None],
        cut: Callable[[], None],
        *,
        serial: bool,
        reset: bool = False,
        station: str | None = None,
    ) -> str:
        """A host has come."""

    def receive(self, port: str, data: bytes) -> None:
        """Bytes from a host."""

    def detach(self, port: str) -> None:
        """A host has gone."""


class PtyLink:
    """``path`` is what a host opens. ``received_bytes`` and ``sent_bytes`` count what the station's side has read
    and written; ``lost_bytes`` what the host did not take because its buffer was full.
    """

    def __init__(
        self,
        simulation: Attachable,
        loop: asyncio.AbstractEventLoop,
        *,
        reset_on_open: bool,
        station: str | None = None,
    ) -> None:
        """``station`` may be left out if there is only one with a serial line."""
        self._simulation = simulation
        self._station = station
        self._loop = loop
        self._reset_on_open = reset_on_open
        self._port: str | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.received_bytes = 0
        self.sent_bytes = 0
        self.lost_bytes = 0
        self._link: Path | None = None
        self._master, self.path = _terminal()
        self._look()

    @property
    def has_host(self) -> bool:
        """Has it been seen that a host is there? What that has written before is read then."""
        return self._port is not None

    def link_to(self, path: Path) -> None:
        """Make ``path`` a symbolic link to the terminal, until ``close``. Raises PortError if something is there."""
        try:
            if path.is_symlink() and self._left_behind(path):
                path.unlink()
            path.symlink_to(self.path)
        except FileNotFoundError:
            raise PortError(
                "cannot be made: its folder does not exist",
                where=str(path),
                cure=f"make the folder {path.parent}, or name a path in another",
            ) from None
        except OSError as error:
            raise PortError(
                f"cannot be made: {error.strerror}",
                where=str(path),
                cure="name a path that does not exist yet, or delete what is there",
            ) from error
        self._link = path

    def _left_behind(self, link: Path) -> bool:
        """Was a link made by a simulated layout that was killed? Then it leads nowhere, or to another terminal."""
        target = link.readlink()
        if not link.exists() or target == Path(self.path):
            return True
        # Another user's terminal may be another user's layout; Linux alone tells who has the other end of one.
        if target.parent != Path("/dev/pts") or target.stat().st_uid != os.getuid() or not Path("/proc/self").exists():
            return False
        words = {Path(word).name for line in made_by(str(target)) for word in line.split()}
        return not words & LINK_MAKERS

    def close(self) -> None:
        """Hang up, and take the symbolic link away."""
        self.plug(False)
        self._link = None

    def plug(self, there: bool) -> None:
        """The port vanishes, or comes back: as another terminal, under the same symbolic link if it had one."""
        self._leave()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._link is not None:
            self._link.unlink(missing_ok=True)
        if self._master >= 0:
            os.close(self._master)
            self._master = -1
        if there:
            self._master, self.path = _terminal()
            if self._link is not None:
                self.link_to(self._link)
            self._look()

    def _look(self) -> None:
        """Is there a host? The loop cannot wait for that: a hung up terminal is always ready."""
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        if any(event & select.POLLHUP for _, event in poll.poll(0)):
            self._timer = self._loop.call_later(LOOK_FOR_HOST_S, self._look)
            return
        self._timer = None
        self._loop.add_reader(self._master, self._read)
        self._port = self._simulation.attach(
            "pty", self._send, self._leave, serial=True, reset=self._reset_on_open, station=self._station
        )

    def _read(self) -> None:
        try:
            data = os.read(self._master, 4096)
        except BlockingIOError:
            return
        except OSError:
            data = b""  # EIO: the host has closed it
        if not data:
            self._leave()
            self._timer = self._loop.call_later(LOOK_FOR_HOST_S, self._look)
            return
        self.received_bytes += len(data)
        if self._port is not None:
            self._simulation.receive(self._port, data)

    def _send(self, data: bytes) -> None:
        try:
            written = os.write(self._master, data)
        except OSError:
            written = 0  # full, or the host is just going: its next reading of the terminal will tell
        self.sent_bytes += written
        self.lost_bytes += len(data) - written

    def _leave(self) -> None:
        if self._port is not None:
            port, self._port = self._port, None
            self._loop.remove_reader(self._master)
            self._simulation.detach(port)


def _terminal() -> tuple[int, str]:
    """A new pseudo-terminal: our end of it, and the path of the other."""
    try:
        master, slave = os.openpty()
    except OSError as error:
        raise PortError(f"no pseudo-terminal: {error.strerror}", cure="is /dev/pts mounted?") from error
    tty.setraw(slave)
    path = os.ttyname(slave)
    os.close(slave)
    os.set_blocking(master, False)
    return master, path
