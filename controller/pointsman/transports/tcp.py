"""A link over TCP: DCC-EX stations with WiFi or Ethernet listen on port 2560."""

from __future__ import annotations

import asyncio
import os
import socket

from pointsman.errors import LinkLostError, PortError
from pointsman.transports.base import WRITE_TIMEOUT_S, Transport

DCCEX_PORT = 2560
CONNECT_TIMEOUT_S = 5.0


class TcpTransport(Transport):
    """A TCP connection, without Nagle's delay. A write that stays unsent for 0.2 s ends the link."""

    def __init__(self, host: str, port: int = DCCEX_PORT) -> None:
        super().__init__(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        self._host = host
        self._port = port
        self._wire: asyncio.Transport | None = None
        self._unsent_timer: asyncio.TimerHandle | None = None

    async def _open(self) -> None:
        assert self._loop is not None
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                wire, _ = await self._loop.create_connection(lambda: _Wire(self), self._host, self._port)
        except TimeoutError as error:
            raise PortError(
                f"nobody answers within {CONNECT_TIMEOUT_S:g} s",
                where=self.name,
                cure="is the station on this network?",
            ) from error
        except socket.gaierror as error:
            raise PortError(
                "no computer of this name is known", where=self.name, cure="give the station's IP address"
            ) from error
        except ValueError as error:
            # a label of the name is empty or longer than 63 letters, or it has a character that no name has
            raise PortError(
                "this cannot be the name of a computer", where=self.name, cure="give the station's IP address"
            ) from error
        except OSError as error:
            raise PortError(
                _refusal(error),
                where=self.name,
                cure=f"is the station on, and does it listen on port {self._port}?",
            ) from error
        self._wire = wire
        self._socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _write(self, data: bytes) -> None:
        assert self._wire is not None
        if self._wire.is_closing():
            raise LinkLostError("the connection is closed", where=self.name)
        self._wire.write(data)
        if self._wire.get_write_buffer_size() and self._unsent_timer is None:
            assert self._loop is not None
            self._unsent_timer = self._loop.call_later(WRITE_TIMEOUT_S, self._check_unsent)

    def _check_unsent(self) -> None:
        self._unsent_timer = None
        if self._wire is not None and self._wire.get_write_buffer_size():
            self._lose(f"the station takes no bytes, {self._wire.get_write_buffer_size()} wait")

    def _shut(self) -> None:
        if self._unsent_timer is not None:
            self._unsent_timer.cancel()
            self._unsent_timer = None
        if self._wire is not None:
            if self._wire.get_write_buffer_size():
                self._wire.abort()
            else:
                self._wire.close()
            self._wire = None

    def _socket(self) -> socket.socket:
        assert self._wire is not None
        found: socket.socket = self._wire.get_extra_info("socket")
        return found

    def guardian_fds(self) -> tuple[int, ...]:
        """The connection's descriptor."""
        return (self._socket().fileno(),) if self.is_open else ()


def _refusal(error: OSError) -> str:
    """Why a connection did not come to be, in the system's own words; asyncio puts addresses and numbers there."""
    if error.errno is None:  # one of each of several addresses
        return "no address of it takes a connection"
    why = os.strerror(error.errno)
    return why[:1].lower() + why[1:]


class _Wire(asyncio.Protocol):
    """Hands what asyncio calls back to the transport that opened this connection, and to no later one."""

    def __init__(self, owner: TcpTransport) -> None:
        self._owner = owner
        self._wire: asyncio.BaseTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._wire = transport

    def data_received(self, data: bytes) -> None:
        if self._owner._wire is self._wire:
            self._owner._deliver(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._owner._wire is self._wire:
            self._owner._lose(f"the connection broke: {exc}" if exc else "closed by the far end")
