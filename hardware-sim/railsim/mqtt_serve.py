"""The simulated layout's nodes at a real broker: they look for it again for as long as it is not there."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass

import aiomqtt

from pointsman.errors import UsageError
from railsim.faults import Fault, Left, Memory, Planned, Way
from railsim.mqtt_embed import NodeSide
from railsim.mqtt_node import Publication
from railsim.post import BrokerHands

PORT = 1883
KEEP_ALIVE_S = 2
TIMEOUT_S = 5.0
AGAIN_AFTER_S = 0.5
GOODBYE_WITHIN_S = 1.0

_SILENT = logging.getLogger("railsim.mqtt")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False
"""For the client library: what it has to say comes as an exception too."""


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where the broker is. User and password, if it wants them, are taken from the environment."""

    host: str
    port: int = PORT

    @classmethod
    def parse(cls, text: str) -> BrokerAddress:
        """``HOST`` or ``HOST:PORT``. Raises UsageError."""
        host, _, port = text.partition(":")
        if host and (not port or (port.isascii() and port.isdigit() and 0 < int(port) < 65536)):
            return cls(host, int(port or PORT))
        raise UsageError(f"--mqtt {text!r} is not understood", cure="write HOST or HOST:PORT, like localhost:1883")

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


MEMORIES = frozenset({Memory.KEPT})
WAYS = frozenset({Way.TO_NODES, Way.FROM_NODES})
"""What of a broker's faults can be done from a node's side: to it, its connection breaking is a broker that is gone."""


def check_at_broker(fault: Planned) -> None:
    """Raise UsageError for a fault that only the broker itself, or the host, could have."""
    where = f"fault {fault}"
    if fault.kind is Fault.BROKER_RESTART and fault.target not in ("", *MEMORIES):
        cure = f"restart it yourself, or use {fault.kind}:{Memory.KEPT}: then the nodes lose it, and find it again"
        raise UsageError(
            "the broker is a program of its own: what it has retained is its own affair", where=where, cure=cure
        )
    if fault.target == Way.TO_HOST:
        what = "what goes between the broker and a host does not come past here"
        raise UsageError(what, where=where, cure=f"use {Way.TO_NODES} or {Way.FROM_NODES}, or pointsman play --on sim")


class NodesAtBroker:
    """One connection for each node of a station; the first carries the states and the commands, all have a will.

    What a fault has left retained at the broker is deleted with ``close``.
    """

    def __init__(self, nodes: NodeSide, broker: BrokerAddress, say: Callable[[str], None]) -> None:
        self._nodes = nodes
        self._broker = broker
        self._say = say
        self._tasks: list[asyncio.Task[None]] = []
        self._errands: list[asyncio.Task[None]] = []
        self._left: set[str] = set()
        self._connections = 0
        self._alone = asyncio.Event()
        self._alone.set()
        self._cut_off = asyncio.Event()
        self._reachable = asyncio.Event()
        self._reachable.set()
        self.found = asyncio.Event()
        """Set when the first node has found the broker for the first time."""

    def start(self) -> None:
        """Begin to look for the broker."""
        first, *others = self._nodes.node.nodes
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._keep_on(first, carries=True))]
        self._tasks += [loop.create_task(self._keep_on(node, carries=False)) for node in others]
        for task in self._tasks:
            task.add_done_callback(_tell_a_fault)

    async def close(self) -> None:
        """Say goodbye: the nodes are offline."""
        tasks = [*self._tasks, *self._errands]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._publish([Publication(topic, b"") for topic in sorted(self._left)])

    async def _keep_on(self, node: str, *, carries: bool) -> None:
        missed = False
        while True:
            await self._reachable.wait()
            try:
                await self._be_there(node, carries=carries)
            except* (aiomqtt.MqttError, OSError, ValueError) as errors:
                if not missed:
                    self._say(f"node {node} looks for the broker: {errors.exceptions[0]}")
                missed = not self.found.is_set() or missed
            await asyncio.sleep(AGAIN_AFTER_S)

    async def _be_there(self, node: str, *, carries: bool) -> None:
        """Until the connection breaks; raises an ExceptionGroup with why."""
        will = self._nodes.node.will(node)
        async with asyncio.TaskGroup() as group, self._client(will) as client:
            breaking = group.create_task(self._break())
            self._connections += 1
            self._alone.clear()
            try:
                if carries:
                    await self._carry(group, client)
                else:
                    await client.publish(will.topic, b"online", qos=1, retain=True)
                    await self._listen(client)
            finally:
                breaking.cancel()
                with suppress(aiomqtt.MqttError):  # it is gone: then the broker says it, by the last will
                    await client.publish(will.topic, will.payload, qos=1, retain=True, timeout=GOODBYE_WITHIN_S)
                self._connections -= 1
                if not self._connections:
                    self._alone.set()

    def _client(self, will: Publication | None = None) -> aiomqtt.Client:
        return aiomqtt.Client(
            self._broker.host,
            self._broker.port,
            identifier=f"rs{secrets.token_hex(9)}",
            username=os.environ.get("POINTSMAN_MQTT_USER"),
            password=os.environ.get("POINTSMAN_MQTT_PASSWORD"),
            will=None if will is None else aiomqtt.Will(will.topic, will.payload, qos=1, retain=True),
            keepalive=KEEP_ALIVE_S,
            timeout=TIMEOUT_S,
            logger=_SILENT,
        )

    async def _carry(self, group: asyncio.TaskGroup, client: aiomqtt.Client) -> None:
        said: asyncio.Queue[Publication] = asyncio.Queue()
        await client.subscribe([(topic, 1) for topic in self._nodes.node.subscriptions()])
        speaking = group.create_task(self._speak(client, said))
        self._nodes.attach(said.put_nowait)
        self._say("broker found")
        if not self.found.is_set():
            self.found.set()
            hands = BrokerHands(
                self._cut, lambda _: None, self._cut, self._join, self._retain, MEMORIES, WAYS, self._some
            )
            self._nodes.opened(hands)
        try:
            await self._listen(client)
        finally:
            speaking.cancel()
            self._nodes.detach()
            self._say("broker lost")

    async def _listen(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            self._nodes.receive(str(message.topic), message.payload, retained=message.retain)

    async def _speak(self, client: aiomqtt.Client, said: asyncio.Queue[Publication]) -> None:
        while True:
            one = await said.get()
            await client.publish(one.topic, one.payload, qos=1, retain=one.retain)

    # ------------------------------------------------------------ for faults

    @property
    def _some(self) -> frozenset[Left]:
        return frozenset(left for left in Left if self._nodes.node.left(left))

    def _cut(self) -> None:
        self._reachable.clear()
        self._cut_off.set()

    async def _break(self) -> None:
        await self._cut_off.wait()
        raise aiomqtt.MqttError("the connection broke")

    def _retain(self, left: Left) -> None:
        self._begin(self._leave(self._nodes.node.left(left)))

    async def _leave(self, commands: Sequence[Publication]) -> None:
        # Whoever hears it at once obeys it, and rightly: it is old for those alone that come later.
        await self._alone.wait()
        self._left.update(command.topic for command in commands)
        await self._publish(commands)

    def _join(self) -> None:
        self._begin(self._find(self._errands))

    async def _find(self, before: Sequence[asyncio.Task[None]]) -> None:
        await asyncio.gather(*before, return_exceptions=True)
        self._cut_off.clear()
        self._reachable.set()

    def _begin(self, errand: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(errand)
        task.add_done_callback(_tell_a_fault)
        self._errands = [*self._errands, task]

    async def _publish(self, retained: Sequence[Publication]) -> None:
        """As somebody who comes for this alone."""
        if not retained:
            return
        try:
            async with self._client() as client:
                for one in retained:
                    await client.publish(one.topic, one.payload, qos=1, retain=True)
        except (aiomqtt.MqttError, OSError, ValueError) as error:
            self._say(f"retained commands could not be left or deleted: {error}")


def _tell_a_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        context = {"message": "a node has failed", "exception": error, "task": task}
        asyncio.get_running_loop().call_exception_handler(context)
