"""Listens to a node, and tells what happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from pointsman.drivers.node.link import SILENT_AFTER_S
from pointsman.drivers.node.talk import Talk
from pointsman.protocols.node import FromNode, Happened
from pointsman.protocols.node_messages import State
from pointsman.transports.base import Transport
from pointsman.workbench.telling import Interpreter, about_words


async def monitor(transport: Transport, show: Callable[[str], None], for_s: float) -> None:
    """Show what a node is, its whole state, and then everything that happens; 0 s is until it is cancelled.

    Asks only, and never commands. Raises PortError, LinkLostError, StationError.
    """
    interpreter, silence = Interpreter(), _Silence(show)

    def hear(said: FromNode) -> None:
        if isinstance(said, Happened):
            silence.over()
        for line in interpreter.lines(said):
            show(line)

    talk = Talk(transport, hear)
    try:
        show(about_words(await talk.open()))
        silence.over()
        await talk.ask(State())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(for_s or None):
                await talk.lost()
    finally:
        silence.end()
        await talk.close()


class _Silence:
    """Tells once when nothing comes from the node any more, and once when it speaks again."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._timer: asyncio.TimerHandle | None = None
        self._silent = False

    def over(self) -> None:
        if self._silent:
            self._silent = False
            self._show("it speaks again")
        self.end()
        self._timer = asyncio.get_running_loop().call_later(SILENT_AFTER_S, self._begin)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _begin(self) -> None:
        self._silent = True
        self._show(f"silent for {SILENT_AFTER_S:g} s: it says twice a second that it lives, if it does")
