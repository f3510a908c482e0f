"""The link to a real MQTT broker, over TCP, with or without TLS. MQTT 3.1.1, which every broker and JMRI speak."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import ssl
import threading
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import aiomqtt
import paho.mqtt.client as paho

from pointsman.errors import LinkLostError, PortError
from pointsman.posix import break_off, link_socket_options
from pointsman.transports.base import WRITE_TIMEOUT_S
from pointsman.transports.mqtt_base import Delivery, MqttLink, Will

PORT = 1883
TLS_PORT = 8883
CONNECT_WITHIN_S = 5.0
KEEP_ALIVE_S = 2
"""The broker publishes the last will of a client that was silent for one and a half times this."""
PENDING_AT_MOST = 1000
"""Messages on their way out of this program at one time; more is a fault."""
CLIENT_ID_BYTES = 9
NOT_LET_IN = {4, 5, 134, 135}
"""Bad user or password, or not authorised: as MQTT 3.1.1 has it, and as the library translates it."""

_SILENT = logging.getLogger("pointsman.mqtt")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False
"""For the client library: what it has to say comes as an exception too, and that is told in our words."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Where a broker is, and who we are there. ``ca_file``: the certificates that its own is checked against."""

    host: str
    port: int = 0
    user: str = ""
    password: str = field(default="", repr=False)
    tls: bool = False
    ca_file: str = ""

    @property
    def address(self) -> str:
        """Host and port, for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port or self.usual_port}"

    @property
    def usual_port(self) -> int:
        """The port when none is given."""
        return TLS_PORT if self.tls else PORT


class _Encrypted(ssl.SSLSocket):
    """A socket that is closed when the two sides do not agree: the library forgets it then."""

    def do_handshake(self, block: bool = False) -> None:
        """Agree on keys. Raises OSError."""
        try:
            super().do_handshake(block)
        except OSError:
            self.close()
            raise


class _Client(aiomqtt.Client):
    """The library's client, with what it has no call for: to be cut off at once, without a trace."""

    def cut(self) -> None:
        """End the connection, if there is one, and throw away what it has not sent."""
        wire = self._client.socket()
        if isinstance(wire, socket.socket):
            with suppress(OSError):  # it has just broken, which is what is wanted
                break_off(wire)
        if wire is not None:
            self._client._sock_close()
        if not self._disconnected.done():
            self._disconnected.set_result(None)

    async def gone(self) -> None:
        """Wait until nothing of it runs any more."""
        if self._misc_task is not None:
            self._misc_task.cancel()
            await asyncio.gather(self._misc_task, return_exceptions=True)

    def fileno(self) -> int | None:
        """The socket's descriptor."""
        wire = self._client.socket()
        return None if wire is None else wire.fileno()

    def _on_socket_register_write(self, client: paho.Client, userdata: Any, sock: Any) -> None:
        """At once where that can be: a pass of the loop later the descriptor may be closed, or somebody else's."""
        if threading.current_thread() is not self._thread:
            super()._on_socket_register_write(client, userdata, sock)
            return
        self._loop.add_writer(sock.fileno(), self._take)

    def _take(self) -> None:
        try:
            self._client.loop_write()
        except (OSError, ValueError) as error:
            if not self._disconnected.done():
                self._disconnected.set_exception(error)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._thread = threading.current_thread()
        super().__init__(*arguments, **options)


class BrokerLink(MqttLink):
    """A link over TCP, with or without TLS. A message that the system does not take within 0.2 s ends it."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(f"broker {broker.address}")
        self._broker = broker
        self._client: _Client | None = None
        self._client_id = ""
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_open(self) -> bool:
        """Can it be published now?"""
        return self._client is not None

    @property
    def client_id(self) -> str:
        """Letters and digits, 20 of them, most of them random: two that are alike would push each other out."""
        return self._client_id

    async def open(self, will: Will | None) -> None:
        """Connect, leaving a last will. Raises PortError."""
        if self._client is not None:
            raise PortError("is open already", where=self.name, cure="close it first")
        self._client_id = f"pm{secrets.token_hex(CLIENT_ID_BYTES)}"
        client = _Client(
            self._broker.host,
            self._broker.port or self._broker.usual_port,
            identifier=self._client_id,
            username=self._broker.user or None,
            password=self._broker.password or None,
            clean_session=True,
            will=None if will is None else aiomqtt.Will(will.topic, will.payload, qos=0, retain=False),
            keepalive=KEEP_ALIVE_S,
            timeout=CONNECT_WITHIN_S,
            tls_context=await asyncio.to_thread(self._tls) if self._broker.tls else None,
            socket_options=link_socket_options(),
            logger=_SILENT,
        )
        client.pending_calls_threshold = PENDING_AT_MOST
        entering = asyncio.get_running_loop().create_task(client.__aenter__())
        try:
            await asyncio.shield(entering)
        except BaseException as error:
            # Broken off or not, a thread of the library's goes on connecting: what it makes must not be left behind.
            await asyncio.gather(entering, return_exceptions=True)
            client.cut()
            await client.gone()
            if isinstance(error, aiomqtt.MqttError | OSError | ValueError):
                raise self._refusal(error) from error
            raise
        self._client = client
        self._start(self._read(client))

    def _tls(self) -> ssl.SSLContext:
        try:
            context = ssl.create_default_context(cafile=self._broker.ca_file or None)
        except (OSError, ValueError) as error:
            raise PortError(
                f"cannot be used as a file of certificates: {getattr(error, 'strerror', None) or error}",
                where=self._broker.ca_file,
                cure="name the broker's CA certificate, in PEM form",
            ) from error
        context.sslsocket_class = _Encrypted
        return context

    def _refusal(self, error: Exception) -> PortError:
        """Why there is no connection, and what to do."""
        text = str(error)
        if isinstance(error, aiomqtt.MqttCodeError) and _code(error.rc) in NOT_LET_IN:
            what, cure = "the broker does not accept this user and password", "docs/mqtt.md says where they are set"
        elif "CERTIFICATE_VERIFY_FAILED" in text:
            what = f"the broker's certificate cannot be trusted: {text.rpartition(': ')[2]}"
            cure = "name the CA certificate that signed it, and the host as the certificate has it"
        elif "SSL" in text:
            what, cure = f"no encrypted connection: {text}", "does the broker speak TLS on this port?"
        elif isinstance(error, ValueError):
            what, cure = "this cannot be the name of a computer", "give the broker's IP address"
        elif "timed out" in text:
            what, cure = "no MQTT broker answers", "is the broker on, on this network, and is this its port?"
        else:
            what, cure = f"cannot connect: {text}", "is the broker on, and does it listen on this port?"
        return PortError(what, where=self.name, cure=cure)

    async def subscribe(self, topics: Sequence[str]) -> None:
        """Ask for these topics. Raises LinkLostError, and PortError for a topic that the broker refuses."""
        client = self._needed()
        try:
            granted = await client.subscribe([(topic, 0) for topic in topics])
        except aiomqtt.MqttError as error:
            raise LinkLostError(f"the broker does not answer: {error}", where=self.name) from error
        refused = [topic for topic, code in zip(topics, granted, strict=False) if _code(code) >= 0x80]
        if refused:
            raise PortError(
                f"the broker refuses to send {', '.join(refused)}", where=self.name, cure="look at its access list"
            )

    def publish(self, topic: str, payload: bytes) -> None:
        """Send a message now. Raises LinkLostError when the link is not open."""
        self._start(self._write(self._needed(), topic, payload))

    async def close(self) -> None:
        """Say goodbye."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(aiomqtt.MqttError):  # it has broken: then there is nobody to say it to
                await client.__aexit__(None, None, None)
            client.cut()
            await client.gone()
        await self._end_tasks()

    async def abort(self) -> None:
        """End the link at once, without a goodbye."""
        client, self._client = self._client, None
        if client is not None:
            client.cut()
            await client.gone()
        await self._end_tasks()

    def guardian_fds(self) -> tuple[int, ...]:
        """The connection's descriptor."""
        fileno = None if self._client is None else self._client.fileno()
        return () if fileno is None else (fileno,)

    @property
    def encrypted(self) -> bool:
        """Can nobody but this process write on it?"""
        return self._broker.tls

    # ------------------------------------------------------------ inside

    def _needed(self) -> _Client:
        if self._client is None:
            raise LinkLostError("the link is not open", where=self.name, cure="open it again")
        return self._client

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        # Tasks begin in the order in which they were made, so messages keep theirs.
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # raised by who gets the messages: a fault of the program, told as any callback's is
            context = {"message": "a message was not taken", "exception": error, "task": task}
            asyncio.get_running_loop().call_exception_handler(context)

    async def _write(self, client: _Client, topic: str, payload: bytes) -> None:
        if client is not self._client:
            return  # lost, or closed, since it was asked for: too late for it
        try:
            await client.publish(topic, payload, qos=0, retain=False, timeout=WRITE_TIMEOUT_S)
        except aiomqtt.MqttError as error:
            self._lose(client, f"a message could not be sent: {error}")

    async def _read(self, client: _Client) -> None:
        try:
            async for message in client.messages:
                if client is not self._client:
                    return
                self._on_message(Delivery(str(message.topic), message.payload, message.retain))
        except aiomqtt.MqttError as error:
            self._lose(client, f"the connection broke: {error.__cause__ or error}")

    def _lose(self, client: _Client, reason: str) -> None:
        if client is not self._client:
            return
        self._client = None
        client.cut()
        self._on_lost(reason)

    async def _end_tasks(self) -> None:
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _code(answer: object) -> int:
    """A code of the broker's, which the library gives as a number or as an object; 0 when there is none."""
    value = getattr(answer, "value", answer)
    return value if isinstance(value, int) else 0
