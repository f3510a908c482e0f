"""JMRI's JSON server on 127.0.0.1: real websockets to a simulated layout behind JMRI."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from pointsman.errors import PortError

if TYPE_CHECKING:
    from railsim.embed import Simulation

PATHS = ("/json/", "/json/v5/")
CLOSE_TIMEOUT_S = 0.5
LARGEST_MESSAGE_BYTES = 1 << 20


class JmriServer:
    """Any number of clients; what happens when one closes is the station's business.

    ``received_bytes`` and ``sent_bytes`` count texts, as links do.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._server: Server | None = None
        self.received_bytes = 0
        self.sent_bytes = 0

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._server is not None
        found = next(iter(self._server.sockets)).getsockname()[1]
        assert isinstance(found, int)
        return found

    async def start(self, port: int) -> None:
        """Listen; port 0 lets the system choose. Raises PortError."""
        try:
            self._server = await serve(
                self._serve,
                "127.0.0.1",
                port,
                process_request=_process_request,
                compression=None,
                ping_interval=None,
                close_timeout=CLOSE_TIMEOUT_S,
                max_size=LARGEST_MESSAGE_BYTES,
                server_header=None,
            )
        except OSError as error:
            raise PortError(
                f"cannot listen: {error.strerror or error}",
                where=f"127.0.0.1:{port}",
                cure="choose another port, or 0 for any",
            ) from error

    async def close(self) -> None:
        """Stop listening and close every connection."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    async def _serve(self, connection: ServerConnection) -> None:
        outgoing: asyncio.Queue[bytes | None] = asyncio.Queue()
        port = self._simulation.attach("jmri", outgoing.put_nowait, lambda: outgoing.put_nowait(None), serial=False)
        writer = asyncio.get_running_loop().create_task(self._write(connection, outgoing))
        try:
            while True:
                text = await connection.recv(decode=False)
                self.received_bytes += len(text)
                self._simulation.receive(port, text)
        except ConnectionClosed:
            pass  # how it ends for whichever reason: then the station lets go of what it held
        finally:
            self._simulation.detach(port)
            writer.cancel()
            await asyncio.wait([writer])

    async def _write(self, connection: ServerConnection, outgoing: asyncio.Queue[bytes | None]) -> None:
        try:
            while (text := await outgoing.get()) is not None:
                self.sent_bytes += len(text)
                await connection.send(text, text=True)
            await connection.close()
        except ConnectionClosed:
            pass  # the reader sees it, too


def _process_request(connection: ServerConnection, request: Request) -> Response | None:
    if request.path in PATHS:
        return None
    return connection.respond(HTTPStatus.NOT_FOUND, "There is a JSON server at /json/ only.\n")
