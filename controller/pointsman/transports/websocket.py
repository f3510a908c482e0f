"""A link over a websocket: one write is one text frame, one call of ``on_data`` is one message's text in UTF-8.

JMRI's JSON server speaks so, at ``ws://HOST:12080/json/``. Nothing here waits: a write is handed to a task of its own,
which the loop runs in its next pass, and what is not taken within 0.2 s ends the link.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from contextlib import suppress

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI, WebSocketException
from websockets.frames import Frame, Opcode

from pointsman.errors import PortError
from pointsman.transports.base import WRITE_TIMEOUT_S, Transport

JMRI_PORT = 12080
JMRI_PATH = "/json/"
OPEN_TIMEOUT_S = 5.0
CLOSE_TIMEOUT_S = 0.5
"""For the far end to answer the closing frame; then the connection is cut."""
LARGEST_MESSAGE_BYTES = 1 << 20
"""A larger message ends the link. JMRI's list of a thousand turnouts has some 400 kB."""
QUEUED_MESSAGES = 64


class WebSocketTransport(Transport):
    """A websocket's client. Its own pings are off: the protocol on top of it has a heartbeat.

    A binary frame is handed over as it is; whoever reads it takes no text from it.
    """

    def __init__(self, host: str, port: int = JMRI_PORT, path: str = JMRI_PATH) -> None:
        shown = f"[{host}]" if ":" in host else host
        super().__init__(f"{shown}:{port}")
        self._url = f"ws://{shown}:{port}{path}"
        self._port = port
        self._connection: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._writer: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._unsent: deque[tuple[float, bytes]] = deque()
        self._more = asyncio.Event()
        self._idle = asyncio.Event()
        self._unsent_timer: asyncio.TimerHandle | None = None

    async def _open(self) -> None:
        assert self._loop is not None
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                connection = await self._connect()
        except TimeoutError as error:
            raise self._refused(
                f"nobody answers within {OPEN_TIMEOUT_S:g} s", "is JMRI's computer on this network?"
            ) from error
        except socket.gaierror as error:
            raise self._refused("no computer of this name is known", "give the computer's IP address") from error
        except (InvalidURI, ValueError) as error:
            raise self._refused("this cannot be the name of a computer", "give the computer's IP address") from error
        except (InvalidHandshake, EOFError) as error:
            raise self._refused(
                f"something answers there, but it is no JSON server of JMRI: {error}",
                "start the web server in JMRI (Tools > Servers > Start Web Server), and look at the port",
            ) from error
        except OSError as error:
            raise self._refused(
                f"cannot connect: {error.strerror or error}",
                "start the web server in JMRI (Tools > Servers > Start Web Server); "
                f"does it listen on port {self._port}?",
            ) from error
        self._connection = connection
        self._unsent.clear()
        self._more, self._idle = asyncio.Event(), asyncio.Event()
        self._reader = self._loop.create_task(self._read(connection), name=f"reader of {self.name}")
        self._writer = self._loop.create_task(self._write_on(connection), name=f"writer of {self.name}")

    async def _connect(self) -> ClientConnection:
        return await _Connect(
            self._url,
            compression=None,
            user_agent_header=None,
            proxy=None,
            open_timeout=None,
            ping_interval=None,
            close_timeout=CLOSE_TIMEOUT_S,
            max_size=LARGEST_MESSAGE_BYTES,
            max_queue=QUEUED_MESSAGES,
        )

    def _refused(self, what: str, cure: str) -> PortError:
        return PortError(what, where=self.name, cure=cure)

    # ------------------------------------------------------------ both directions

    async def _read(self, connection: ClientConnection) -> None:
        try:
            while True:
                message = await connection.recv(decode=False)
                if self._connection is connection:
                    self._deliver(message)
        except ConnectionClosed as closed:
            if self._connection is connection:
                self._lose(_reason(closed))

    async def _write_on(self, connection: ClientConnection) -> None:
        try:
            while True:
                while self._unsent:
                    await connection.send(self._unsent[0][1], text=True)
                    self._unsent.popleft()
                self._more.clear()
                self._idle.set()
                await self._more.wait()
        except ConnectionClosed as closed:
            if self._connection is connection:
                self._lose(_reason(closed))
        finally:
            self._idle.set()

    def _write(self, data: bytes) -> None:
        assert self._connection is not None
        assert self._loop is not None
        self._unsent.append((self._loop.time(), data))
        self._idle.clear()
        self._more.set()
        if self._unsent_timer is None:
            self._unsent_timer = self._loop.call_later(WRITE_TIMEOUT_S, self._check_unsent)

    def _check_unsent(self) -> None:
        self._unsent_timer = None
        if self._connection is None or self._loop is None:
            return
        in_buffer = self._connection.transport.get_write_buffer_size()
        oldest_s, _ = self._unsent[0] if self._unsent else (self._loop.time(), b"")
        if in_buffer or self._loop.time() >= oldest_s + WRITE_TIMEOUT_S:
            self._lose(f"JMRI takes no bytes, {in_buffer + sum(len(data) for _, data in self._unsent)} wait")
        elif self._unsent:
            self._unsent_timer = self._loop.call_at(oldest_s + WRITE_TIMEOUT_S, self._check_unsent)

    # ------------------------------------------------------------ the end

    async def close(self) -> None:
        """Send what waits, say goodbye as websockets do, and close; never longer than half a second or so."""
        connection = self._connection
        if self.is_open and connection is not None:
            self.is_open = False
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await self._idle.wait()
            self._connection = None
            self._end_tasks()
            with suppress(WebSocketException, TimeoutError):
                async with asyncio.timeout(2 * CLOSE_TIMEOUT_S):
                    await connection.close()
            _cut(connection)
        if self._ending:
            await asyncio.wait(self._ending)

    def _shut(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            _cut(connection)
        self._end_tasks()

    def _end_tasks(self) -> None:
        if self._unsent_timer is not None:
            self._unsent_timer.cancel()
            self._unsent_timer = None
        for task in (self._reader, self._writer):
            if task is not None and not task.done():
                self._ending.add(task)
                task.add_done_callback(self._ending.discard)
                if task is not asyncio.current_task(self._loop):
                    task.cancel()
        self._reader = self._writer = None

    # ------------------------------------------------------------ for a guardian

    def guardian_fds(self) -> tuple[int, ...]:
        """The connection's descriptor: whole frames of ``framed`` may be written on it."""
        if self._connection is None:
            return ()
        found: socket.socket = self._connection.transport.get_extra_info("socket")
        return (found.fileno(),)

    def framed(self, data: bytes) -> bytes:
        """A text as the bytes of one frame, ready for whoever holds nothing but the descriptor."""
        return Frame(Opcode.TEXT, data).serialize(mask=True)


class _Connect(connect):
    """Does not go where an answer sends it: nobody named that place."""

    def process_redirect(self, exc: Exception) -> Exception:
        """A redirection is a refusal like any other."""
        return exc


def _cut(connection: ClientConnection) -> None:
    """The kernel tells JMRI at once; a closing frame would wait behind what it does not take.

    Closing the descriptor would end nothing while a guardian holds another one of the same connection.
    """
    with suppress(OSError):  # it has ended already
        connection.transport.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
    connection.transport.abort()


def _reason(closed: ConnectionClosed) -> str:
    """Why it ended, in words for a person."""
    if closed.rcvd is not None:
        said = f": {closed.rcvd.reason}" if closed.rcvd.reason else ""
        return f"closed by JMRI (code {int(closed.rcvd.code)}{said})"
    if closed.sent is not None:
        return f"what came in is no websocket's, or too large (code {int(closed.sent.code)})"
    cause = closed.__cause__
    return f"the connection broke: {cause}" if isinstance(cause, OSError) else "closed by the far end"
