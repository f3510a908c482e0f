"""What all links have in common: whole writes out, callbacks in, and two counters."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable

from pointsman.errors import LinkLostError

WRITE_TIMEOUT_S = 0.2
"""A write that the system does not take within this time ends the link: a stop cannot wait behind it."""


def _ignore(_: object) -> None:
    """For callbacks that nobody asked for."""


class Transport(ABC):
    """A link that carries bytes. It belongs to the event loop in which ``open`` was awaited.

    ``on_data(bytes)`` and ``on_lost(reason)`` are called in the loop's thread; ``on_lost`` once, and never after
    ``close``. ``on_note(text)`` says things a person should know. After a loss, or ``close``, it can be opened again.

    ``received_bytes`` counts what was handed to ``on_data``, ``sent_bytes`` what ``write`` accepted, since the
    object was made: a simulated layout compares them with the far side's to know whether anything is unread.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.received_bytes = 0
        self.sent_bytes = 0
        self.is_open = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._on_data: Callable[[bytes], None] = _ignore
        self._on_lost: Callable[[str], None] = _ignore
        self._on_note: Callable[[str], None] = _ignore

    def listen(
        self,
        on_data: Callable[[bytes], None],
        on_lost: Callable[[str], None],
        on_note: Callable[[str], None] = _ignore,
    ) -> None:
        """Set the callbacks; before ``open``."""
        self._on_data = on_data
        self._on_lost = on_lost
        self._on_note = on_note

    async def open(self) -> None:
        """Open the link. Raises PortError with what to do; does nothing if it is open."""
        if self.is_open:
            return
        self._loop = asyncio.get_running_loop()
        await self._open()
        self.is_open = True

    def write(self, data: bytes) -> None:
        """Hand ``data`` to the system at once and as one piece. Raises LinkLostError, also when it is not open."""
        if not self.is_open:
            raise LinkLostError("the link is not open", where=self.name, cure="open it again")
        try:
            self._write(data)
        except LinkLostError as lost:
            self._lose(lost.what)
            raise
        self.sent_bytes += len(data)

    async def close(self) -> None:
        """Close the link; nothing is called back any more."""
        if self.is_open:
            self.is_open = False
            self._shut()

    def drop(self) -> None:
        """Let go of the link at once, without a word to the far end; nothing is called back any more."""
        if self.is_open:
            self.is_open = False
            self._shut()

    def framed(self, data: bytes) -> bytes:
        """What must be written on a descriptor of ``guardian_fds`` for ``data`` to arrive.

        Nothing where only this process can write on it: then the end of the connection must stop the far end.
        """
        return data

    def guardian_fds(self) -> tuple[int, ...]:
        """The open descriptors that a guardian process should inherit; none if there is no such thing."""
        return ()

    def _deliver(self, data: bytes) -> None:
        """To be called in the loop's thread. Data that is read after the end is dropped."""
        if self.is_open:
            self.received_bytes += len(data)
            self._on_data(data)

    def _lose(self, reason: str) -> None:
        """To be called in the loop's thread."""
        if self.is_open:
            self.is_open = False
            self._shut()
            assert self._loop is not None
            # not from within a write: whoever writes shall not be called back in the middle of it
            self._loop.call_soon(self._on_lost, reason)

    @abstractmethod
    async def _open(self) -> None: ...

    @abstractmethod
    def _write(self, data: bytes) -> None: ...

    @abstractmethod
    def _shut(self) -> None:
        """Let go of everything; must not raise."""
