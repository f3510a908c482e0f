"""The guardian seen from the controller: a child process that holds the port and stops trains if we die.

A stock DCC-EX station keeps a locomotive moving for ever when its host dies. No exit handler runs after ``kill -9``,
but the kernel closes our end of a pipe; the guardian wakes from its read and writes the stop. A program that is
stopped (Ctrl-Z, ``kill -STOP``) or hangs keeps its pipe: so while anything moves it must say that it is alive, and
half a second of silence is as bad as its death. It cannot help when the computer itself dies. Other children must be
started by exec (``spawn``, ``subprocess``), never by a bare fork: a forked child would keep the pipe open.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pointsman.dispatch import guardian_process
from pointsman.errors import LinkError

READY_WITHIN_S = 5.0
GONE_WITHIN_S = 2.0

_ENDED = "the guardian process ended: nobody would stop the trains if this program died"
_SILENT = (
    f"this program was stopped or hung for more than {guardian_process.SILENCE_S:g} s, "
    "so the guardian has stopped the trains"
)
_DEAF = "the guardian process does not listen: nobody would stop the trains if this program died"


@dataclass(frozen=True, slots=True)
class Guarded:
    """One station's open link. ``fds``: its descriptors (``guardian_fds``); the child gets duplicates.

    ``writes``: what is written on each, in this order, the first at once and the last after a pause. With none the
    connection is shut down instead: for stations that stop the trains when a host has gone (a broker by its last will).
    """

    fds: tuple[int, ...]
    writes: tuple[bytes, ...] = ()

    def __str__(self) -> str:
        return f"{','.join(map(str, self.fds))}={','.join(data.hex() for data in self.writes)}"


class Guardian:
    """A running guardian process. Made by ``start``; ended by ``goodbye``, by our death, or by our silence.

    It watches for silence between ``alive_now`` and ``rest`` only: a standing layout may be suspended in peace.
    """

    def __init__(self, process: subprocess.Popen[bytes], pipe: int, on_death: Callable[[str], None]) -> None:
        self._process = process
        self._pipe = pipe
        self._on_death = on_death
        self._loop: asyncio.AbstractEventLoop | None = None
        self._burial: asyncio.Future[None] | None = None

    @classmethod
    async def start(cls, links: Sequence[Guarded], on_death: Callable[[str], None]) -> Guardian:
        """Start a guardian for open links, all of one layout, and return when it is ready (some 50 ms).

        ``on_death(why)`` is called in the running event loop when the guardian ends without a goodbye, or has stopped
        everything because we were silent: stop everything then, too. Raises LinkError.
        """
        if not links or not all(link.fds for link in links):
            raise LinkError("a guardian needs an open link", cure="open the link first")
        guardian = await asyncio.to_thread(cls._spawn, list(links), on_death)
        guardian._loop = asyncio.get_running_loop()
        guardian._loop.add_reader(guardian._output(), guardian._died)
        return guardian

    @classmethod
    def _spawn(cls, links: list[Guarded], on_death: Callable[[str], None]) -> Guardian:
        read_end, write_end = os.pipe()
        # A guardian that is stopped itself, and reads no more, must not hang us.
        os.set_blocking(write_end, False)
        program = str(Path(guardian_process.__file__).resolve())
        arguments = [str(read_end), *map(str, links)]
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                pass_fds=(read_end, *(fd for link in links for fd in link.fds)),
                start_new_session=True,
            )
        except OSError as error:
            os.close(write_end)
            raise LinkError(
                f"the guardian cannot be started: {error}", cure="nothing may move without it; close other programs"
            ) from error
        finally:
            os.close(read_end)
        guardian = cls(process, write_end, on_death)
        guardian._await_ready()
        return guardian

    @property
    def alive(self) -> bool:
        """Is the process running, and would it still stop the trains?"""
        return self._pipe >= 0 and self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    def alive_now(self) -> bool:
        """Say that this program is alive, every 50 ms or so; from now until ``rest`` its silence is watched.

        Call it before the first command that sets something going, too. One byte, and never waits. False when nobody
        hears it: nothing may be set going, and ``on_death`` is called in the loop's next pass.
        """
        return self._say(guardian_process.WATCH)

    def rest(self) -> bool:
        """Say that everything stands and every magnet is off: silence is in order until the next ``alive_now``."""
        return self._say(guardian_process.REST)

    async def goodbye(self) -> None:
        """End it silently: after the link was left in a safe state. A second call does nothing."""
        if self._pipe >= 0:
            self._unwatch()
            with contextlib.suppress(BrokenPipeError, BlockingIOError):  # it has just ended, or will be ended
                os.write(self._pipe, guardian_process.GOODBYE)
            self._hang_up()
            await asyncio.to_thread(self._bury)
        elif self._burial is not None:
            await self._burial

    def _say(self, what: bytes) -> bool:
        if self._pipe < 0:
            return False
        try:
            os.write(self._pipe, what)
        except OSError as error:
            if self._loop is not None:
                # Not from within: whoever is just sending shall not be called back in the middle of it.
                self._loop.call_soon(self._died, _DEAF if isinstance(error, BlockingIOError) else "")
            return False
        return True

    def _await_ready(self) -> None:
        said = b""
        if select.select([self._output()], [], [], READY_WITHIN_S)[0]:
            said = os.read(self._output(), len(guardian_process.READY))
        if said != guardian_process.READY:
            self._process.kill()
            self._hang_up()
            self._bury()
            raise LinkError("the guardian does not start", cure="nothing may move without it; see the messages above")

    def _output(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def _died(self, why: str = "") -> None:
        """It said that it has stopped everything, or its output ended: nobody holds the other end any more."""
        if self._pipe < 0:
            return
        if not why:
            said = select.select([self._output()], [], [], 0)[0] and os.read(self._output(), 64)
            why = _SILENT if said == guardian_process.SILENT else _ENDED
        loop = self._loop
        self._unwatch()
        self._hang_up()
        self._on_death(why)
        if loop is not None:
            # It may still be writing: burying it takes up to two seconds.
            self._burial = loop.run_in_executor(None, self._bury)

    def _unwatch(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._output())
        self._loop = None

    def _hang_up(self) -> None:
        os.close(self._pipe)
        self._pipe = -1

    def _bury(self) -> None:
        try:
            self._process.wait(GONE_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
