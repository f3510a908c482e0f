"""Carries the line of a node to an MQTT broker and back: the far end of ``drivers/node/tunnel.py``.

It adds nothing to the line but stops. The port is open only while a host has the line: so the node, which hears a
heartbeat only from that host, stops everything by itself when either is gone, and is stopped here before.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from pointsman.errors import LinkError, LinkLostError
from pointsman.protocols import node_tunnel as t
from pointsman.protocols.node import STOP
from pointsman.transports.base import Transport
from pointsman.transports.mqtt_base import Delivery, MqttLink, Will

SILENT_AFTER_S = 1.5
STOOD_STILL_S = 0.5
"""What waited at the port meanwhile is as old: so much, a guardian gives a host too."""
GATHER_S = 0.02
"""A line that has not ended waits so long for its end, to go in one message."""
BROKER_AGAIN_S = 1.0
BRIDGE_BYTES = 6
ENDED = "the bridge has been ended"

Say = Callable[[str], None]


class _Session:
    """The host that has the line."""

    def __init__(self, host: str, bridge: str, now_s: float) -> None:
        self.host = host
        self.name = f"{host}.{bridge}"
        self.ages = t.Ages(now_s)
        self.fresh_s = now_s
        self.late = False


class Bridge:
    """Carries the line at ``port``, for one host at a time. ``say`` is told what a person should know."""

    def __init__(self, port: Transport, link: MqttLink, topics: t.Topics, say: Say) -> None:
        self._port = port
        self._link = link
        self._topics = topics
        self._tell = say
        self._bridge = ""
        self._broken: asyncio.Future[str] | None = None
        self._session: _Session | None = None
        self._work: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._gathering: asyncio.TimerHandle | None = None
        self._gathered = b""
        self._due_s = 0.0
        self._said = ""
        self._ended = False
        port.listen(self._on_data, lambda why: self._end(f"the node's port: {why}"), say)
        link.listen(self._on_message, self._on_broken)

    async def run(self) -> None:
        """Serve until it is cancelled; a broker that is not there is tried again every second."""
        try:
            while True:
                try:
                    await self._join()
                except LinkError as error:
                    self._say_once(f"{error}\n  -> it goes on trying; Ctrl-C ends it")
                    await asyncio.sleep(BROKER_AGAIN_S)
                else:
                    await self._serve()
                finally:
                    await self._worked()
                    if self._ended:
                        # With a goodbye the host still hears why, and no last will says that the broker was lost.
                        await self._link.close()
                    else:
                        await self._link.abort()
        finally:
            await self._leave()

    async def _join(self) -> None:
        self._bridge = secrets.token_hex(BRIDGE_BYTES)
        self._broken = asyncio.get_running_loop().create_future()
        await self._link.open(Will(self._topics.back, t.write(t.Offline(self._bridge))))
        await self._link.subscribe([self._topics.to])

    async def _serve(self) -> None:
        assert self._broken is not None
        self._say_once(f"{self._link.name} is there; hosts find this node as {self._topics.name}")
        try:
            why = await self._broken
        except asyncio.CancelledError:
            self._ended = True
            self._end(ENDED)
            raise
        self._said = ""
        self._say_once(f"{self._link.name}: {why}")

    async def _leave(self) -> None:
        self._end(ENDED)
        await self._worked()
        await self._port.close()

    async def _worked(self) -> None:
        """Wait until the port is as it should be."""
        while self._work is not None:
            await asyncio.wait([self._work])

    # ------------------------------------------------------------ one host at a time

    def _asked(self, host: str) -> None:
        if self._session is not None:
            if self._session.host != host:
                self._publish(t.Busy(host))
        elif self._work is None:  # else it asks again
            self._do(self._begin(host))

    async def _begin(self, host: str) -> None:
        broken = self._broken
        try:
            await self._port.open()
        except LinkError as error:
            self._tell(f"a host wants the line: {error}")
            self._publish(t.Closed(host, f"{error.what} ({error.cure})" if error.cure else error.what))
            return
        if broken is None or broken.done():
            await self._port.close()
            return
        now_s = asyncio.get_running_loop().time()
        self._session = _Session(host, self._bridge, now_s)
        self._tell(f"host {host} has the line")
        self._due_s = now_s
        self._tick()

    def _end(self, why: str) -> None:
        """The host has the line no more: the node is stopped, and its port closed."""
        session, self._session = self._session, None
        if session is None:
            return
        for timer in (self._timer, self._gathering):
            if timer is not None:
                timer.cancel()
        self._timer = self._gathering = None
        self._gathered = b""
        self._write(STOP + STOP)  # on a line with noise one may be lost, and nobody stays to see
        self._tell(f"host {session.host} has the line no more: {why}")
        self._do(self._close(session.host, why))

    async def _close(self, host: str, why: str) -> None:
        await self._port.close()
        self._publish(t.Closed(host, why))

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        """Open or close the port: never both, for a host has the line only while nothing of this is under way."""
        self._work = asyncio.get_running_loop().create_task(work)
        self._work.add_done_callback(self._done)

    def _done(self, work: asyncio.Task[None]) -> None:
        self._work = None
        work.result()

    # ------------------------------------------------------------ from the node

    def _on_data(self, data: bytes) -> None:
        if self._session is None:
            return
        self._gathered += data
        if b"\n" in data:
            self._pass_on()
        elif self._gathering is None:
            self._gathering = asyncio.get_running_loop().call_later(GATHER_S, self._pass_on)

    def _pass_on(self) -> None:
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        data, self._gathered = self._gathered, b""
        self._carry(data)

    def _carry(self, data: bytes) -> None:
        if self._session is not None:
            number, echo = self._session.ages.next(asyncio.get_running_loop().time())
            self._publish(t.Carried(self._session.name, number, echo, data))

    def _tick(self) -> None:
        """Let the host show that it is there, and see whether it has."""
        assert self._session is not None
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        if now_s > self._due_s + STOOD_STILL_S:
            self._end(f"the bridge stood still for {now_s - self._due_s:.1f} s")
        elif now_s > self._session.fresh_s + SILENT_AFTER_S:
            self._end(f"nothing fresh has come from it for {SILENT_AFTER_S:g} s")
        else:
            self._carry(b"")
            self._due_s = now_s + t.EVERY_S
            self._timer = loop.call_at(self._due_s, self._tick)

    # ------------------------------------------------------------ from the broker

    def _on_message(self, delivery: Delivery) -> None:
        if delivery.retained:
            self._say_once(f"{self._topics.to}: the broker has kept a message, which is not carried on: delete it")
            return
        if STOP in delivery.payload:
            self._write(STOP)  # from anybody, of any age
        message = t.read(delivery.payload)
        match message:
            case t.Open(host):
                self._asked(host)
            case t.Close(host, died) if self._session is not None and host == self._session.host:
                self._end("it has died, or hangs" if died else "it has given it back")
            case t.Carried():
                self._carried(message)
            case None if delivery.payload != STOP:
                self._say_once(f"{self._topics.to}: a message that no host has written is not carried on")

    def _carried(self, message: t.Carried) -> None:
        session = self._session
        if session is None or message.session != session.name:
            why = f"bridge {self._bridge} does not know it: it started anew, or there are two of this name"
            self._publish(t.Closed(message.host, why))
            return
        now_s = asyncio.get_running_loop().time()
        if session.ages.fresh(message, now_s):
            session.fresh_s = now_s
            self._write(message.data.rpartition(STOP)[2])
        elif message.data and not session.late:
            session.late = True
            self._tell(f"host {session.host}: what comes {t.FRESH_S:g} s late is not carried on: is the network slow?")

    def _on_broken(self, why: str) -> None:
        if self._broken is not None and not self._broken.done():
            self._broken.set_result(why)
        self._end(f"the broker: {why}")

    # ------------------------------------------------------------ out

    def _write(self, data: bytes) -> None:
        if data and self._port.is_open:
            with suppress(LinkLostError):  # the port says so itself, in the loop's next pass
                self._port.write(data)

    def _publish(self, message: t.Message) -> None:
        if self._link.is_open:
            self._link.publish(self._topics.back, t.write(message))

    def _say_once(self, text: str) -> None:
        if text != self._said:
            self._said = text
            self._tell(text)
