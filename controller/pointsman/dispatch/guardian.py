"""The guardian seen from the controller: a child process that holds the port and stops trains if we die.

A stock DCC-EX station keeps a locomotive moving for ever when its host dies. No exit handler runs after ``kill -9``,
but the kernel closes our end of a pipe; the guardian wakes from its read and writes the stop. It cannot help when
the computer itself dies. Other children must be started by exec (``spawn``, ``subprocess``), never by a bare fork:
a forked child would keep the pipe open.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pointsman.dispatch import guardian_process
from pointsman.errors import LinkError

READY_WITHIN_S = 5.0
GONE_WITHIN_S = 2.0


class Guardian:
    """A running guardian process. Made by ``start``; ended by ``goodbye``, or by our death."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: int, on_death: Callable[[str], None]) -> None:
        self._process = process
        self._pipe = pipe
        self._on_death = on_death
        self._loop: asyncio.AbstractEventLoop | None = None

    @classmethod
    async def start(cls, fds: Sequence[int], writes: Sequence[bytes], on_death: Callable[[str], None]) -> Guardian:
        """Start a guardian for open links and return when it is ready (some 50 ms).

        ``fds``: descriptors of the links (``Transport.guardian_fds``); the child gets duplicates. ``writes``: what
        it writes on each, in this order, with a pause before the last. ``on_death(why)`` is called in the running
        event loop when the guardian ends without a goodbye: stop everything then. Raises LinkError.
        """
        if not fds or not writes:
            raise LinkError("a guardian needs an open link and something to write", cure="open the link first")
        guardian = await asyncio.to_thread(cls._spawn, list(fds), list(writes), on_death)
        guardian._loop = asyncio.get_running_loop()
        guardian._loop.add_reader(guardian._output(), guardian._died)
        return guardian

    @classmethod
    def _spawn(cls, fds: list[int], writes: list[bytes], on_death: Callable[[str], None]) -> Guardian:
        read_end, write_end = os.pipe()
        program = str(Path(guardian_process.__file__).resolve())
        arguments = [str(read_end), ",".join(map(str, fds)), ",".join(data.hex() for data in writes)]
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                pass_fds=(read_end, *fds),
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
        """Is the process running?"""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    async def goodbye(self) -> None:
        """End it silently: after the link was left in a safe state. A second call does nothing."""
        if self._pipe < 0:
            return
        self._unwatch()
        with contextlib.suppress(BrokenPipeError):  # it has just died: what it was for is over
            os.write(self._pipe, guardian_process.GOODBYE)
        self._hang_up()
        await asyncio.to_thread(self._bury)

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

    def _died(self) -> None:
        """Its output ended: nobody holds the other end any more."""
        self._unwatch()
        self._hang_up()
        # The stop first: burying may have to wait for the process.
        self._on_death("the guardian process ended: nobody would stop the trains if this program died")
        self._bury()

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
