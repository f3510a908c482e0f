"""Two ends in one process, for virtual time: what one writes the other reads in the loop's next pass."""

from __future__ import annotations

from pointsman.errors import LinkLostError, PortError
from pointsman.transports.base import Transport


class MemoryTransport(Transport):
    """One end of a pair. Bytes written while the far end is not open are gone, as on a cable."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._far: MemoryTransport | None = None
        self._there = True

    def plug(self, there: bool) -> None:
        """This end's port vanishes, or is there again: then it can be opened again."""
        self._there = there
        if not there:
            self._lose("the port is gone")

    async def _open(self) -> None:
        if not self._there:
            raise PortError("there is no such port", where=self.name, cure="plug it in again")
        if self._far is None:
            raise PortError("this end has no other end", where=self.name, cure="make both with memory_pair()")

    def _write(self, data: bytes) -> None:
        far = self._far
        if far is None or self._loop is None:
            raise LinkLostError("this end has no other end", where=self.name)
        self._loop.call_soon(far._deliver, data)

    async def close(self) -> None:
        """Close this end; the far end loses the link in the loop's next pass."""
        was_open = self.is_open
        await super().close()
        if was_open and self._far is not None and self._loop is not None:
            self._loop.call_soon(self._far._lose, "closed by the far end")

    def _shut(self) -> None:
        """Nothing is held. Losing the link tells nobody: the far end has closed it."""


def memory_pair(name: str = "memory") -> tuple[MemoryTransport, MemoryTransport]:
    """The host's end and the station's end of a link in memory."""
    host, station = MemoryTransport(name), MemoryTransport(f"{name}, far end")
    host._far, station._far = station, host
    return host, station
