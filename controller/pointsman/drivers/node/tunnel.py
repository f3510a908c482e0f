"""A link to a node whose line is carried by an MQTT broker: this program's end (``protocols/node_tunnel.py``)."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress

from pointsman.errors import LinkLostError, PortError
from pointsman.protocols import node_tunnel as t
from pointsman.protocols.jmri_mqtt import publish_packet
from pointsman.protocols.node import STOP
from pointsman.transports.base import Transport
from pointsman.transports.mqtt_base import Delivery, MqttLink, Will

OPENED_WITHIN_S = 3.0
"""A bridge gives up a host that has died after less."""
AGAIN_AFTER_S = 0.25
SILENT_AFTER_S = 1.0
CLOSED_WITHIN_S = 1.0
HOST_BYTES = 9


class Tunnel(Transport):
    """The line of one node, through the bridge of a name at a broker.

    Whenever it ends otherwise than by ``close``, the broker tells the bridge to stop the node. It ends when the broker
    is lost, when the bridge says so, or when nothing fresh has come from it for a second.
    """

    def __init__(self, link: MqttLink, topics: t.Topics) -> None:
        super().__init__(f"node {topics.name} at {link.name}")
        self._link = link
        self._topics = topics
        self._host, self._session = secrets.token_hex(HOST_BYTES), ""
        self._ages = t.Ages(0.0)
        self._opening: asyncio.Future[None] | None = None
        self._busy, self._why_not = False, ""
        self._fresh_s = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._given_back = asyncio.Event()
        self._ending: asyncio.Task[None] | None = None
        link.listen(self._on_message, self._broken)

    # ------------------------------------------------------------ opening and closing

    async def _open(self) -> None:
        assert self._loop is not None
        await self._ended()
        self._host, self._session = secrets.token_hex(HOST_BYTES), ""
        self._busy, self._why_not = False, ""
        self._given_back = asyncio.Event()
        self._opening = self._loop.create_future()
        try:
            await self._link.open(Will(self._topics.to, t.write(t.Close(self._host, died=True))))
            await self._link.subscribe([self._topics.back])
            self._ages = t.Ages(self._loop.time())
            await self._ask(self._opening)
        except BaseException:
            await self._link.abort()
            raise
        finally:
            self._opening.cancel()
            self._opening = None
        self._begin_saying()

    async def _ask(self, answer: asyncio.Future[None]) -> None:
        """Ask for the line until it is given. Raises PortError."""
        assert self._loop is not None
        until_s = self._loop.time() + OPENED_WITHIN_S
        while self._loop.time() < until_s:
            self._link.publish(self._topics.to, t.write(t.Open(self._host)))
            await asyncio.wait([answer], timeout=AGAIN_AFTER_S)
            if self._why_not:
                cure = "look at the bridge and its node, then try again"
                raise PortError(self._why_not, where=self.name, cure=cure)
            if answer.done():
                return
        if self._busy:
            raise PortError(
                "another program has the line to this node", where=self.name, cure="close it; it would drive this too"
            )
        raise PortError(
            f"no bridge of this name answers within {OPENED_WITHIN_S:g} s",
            where=self.name,
            cure=f"does `pointsman node bridge --name {self._topics.name}` run beside the node, at this broker, and "
            f"does the broker's access list let both write and read {self._topics.to} and {self._topics.back}?",
        )

    async def close(self) -> None:
        """Give the line back, and say goodbye; when this returns others may have it, unless the bridge hangs (1 s)."""
        if self.is_open:
            self.is_open = False
            self._stop_saying()
            with suppress(LinkLostError, TimeoutError):  # nobody is there: the broker's will, or silence, tells it
                self._publish(t.Close(self._host))
                async with asyncio.timeout(CLOSED_WITHIN_S):
                    await self._given_back.wait()
            await self._link.close()
        await self._ended()

    def _shut(self) -> None:
        self._stop_saying()
        assert self._loop is not None
        self._ending = self._loop.create_task(self._link.abort())

    async def _ended(self) -> None:
        ending, self._ending = self._ending, None
        if ending is not None:
            await ending

    # ------------------------------------------------------------ saying

    def _write(self, data: bytes) -> None:
        _, stop, behind = data.rpartition(STOP)
        if stop:
            # a message of its own, that is obeyed however old it is; what stands before it, it would undo
            self._carry(STOP)
        if behind:
            self._carry(behind)

    def _carry(self, data: bytes = b"") -> None:
        assert self._loop is not None
        self._publish(t.Carried(self._session, *self._ages.next(self._loop.time()), data))

    def _publish(self, message: t.Message) -> None:
        self._link.publish(self._topics.to, t.write(message))

    def _begin_saying(self) -> None:
        assert self._loop is not None
        self._fresh_s = self._loop.time()
        self._timer = self._loop.call_later(t.EVERY_S, self._say)

    def _say(self) -> None:
        """Show the bridge that we are there. No heartbeat of the node's: that only the supervision gives."""
        assert self._loop is not None
        if self._loop.time() > self._fresh_s + SILENT_AFTER_S:
            self._lose(f"nothing fresh has come from the bridge for {SILENT_AFTER_S:g} s")
            return
        try:
            self._carry()
        except LinkLostError as lost:
            self._lose(lost.what)
            return
        self._timer = self._loop.call_later(t.EVERY_S, self._say)

    def _stop_saying(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ------------------------------------------------------------ hearing

    def _on_message(self, delivery: Delivery) -> None:
        message = t.read(delivery.payload)
        match message:  # what the broker has kept names other hosts: their words are new for every link
            case t.Carried(host=self._host):
                self._carried(message)
            case t.Busy(host=self._host):
                self._busy = True
            case t.Closed(host=self._host, why=why):
                self._end(f"the bridge has given up the line: {why}" if why else "the bridge has given up the line")
            case t.Offline(bridge=bridge) if self._session.endswith(f".{bridge}"):
                self._end("the bridge has lost the broker")

    def _carried(self, message: t.Carried) -> None:
        assert self._loop is not None
        if not self._session:
            self._session = message.session
            if self._opening is not None and not self._opening.done():
                self._opening.set_result(None)
        elif self._session != message.session:
            self._end(f"two bridges are called {self._topics.name}")
            return
        if self._ages.fresh(message, self._loop.time()):
            self._fresh_s = self._loop.time()
            if message.data:
                self._deliver(message.data)

    def _broken(self, reason: str) -> None:
        self._end(f"the broker: {reason}")

    def _end(self, why: str) -> None:
        self._given_back.set()
        if self._opening is not None:
            self._why_not = self._why_not or why
            if not self._opening.done():
                self._opening.set_result(None)
        self._lose(why)

    # ------------------------------------------------------------ for a guardian

    def guardian_fds(self) -> tuple[int, ...]:
        """The descriptor of the connection to the broker."""
        return self._link.guardian_fds()

    def framed(self, data: bytes) -> bytes:  # noqa: ARG002 - of a guardian, which cannot show how old it is, a stop counts
        """What makes the bridge stop the node; nothing where only this process can write on the connection."""
        if self._link.encrypted:
            return b""
        return publish_packet(self._topics.to, t.write(t.Close(self._host, died=True)))
