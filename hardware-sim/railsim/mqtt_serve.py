"""The simulated layout's nodes at a real broker: they look for it again for as long as it is not there."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import aiomqtt

from pointsman.errors import UsageError
from railsim.mqtt_embed import NodeSide
from railsim.mqtt_node import Publication

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


class NodesAtBroker:
    """One connection for each node of a station; the first carries the states and the commands, all have a will."""

    def __init__(self, nodes: NodeSide, broker: BrokerAddress, say: Callable[[str], None]) -> None:
        self._nodes = nodes
        self._broker = broker
        self._say = say
        self._tasks: list[asyncio.Task[None]] = []
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
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep_on(self, node: str, *, carries: bool) -> None:
        missed = False
        while True:
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
        async with asyncio.TaskGroup() as group:
            client = aiomqtt.Client(
                self._broker.host,
                self._broker.port,
                identifier=f"rs{secrets.token_hex(9)}",
                username=os.environ.get("POINTSMAN_MQTT_USER"),
                password=os.environ.get("POINTSMAN_MQTT_PASSWORD"),
                will=aiomqtt.Will(will.topic, will.payload, qos=1, retain=True),
                keepalive=KEEP_ALIVE_S,
                timeout=TIMEOUT_S,
                logger=_SILENT,
            )
            async with client:
                if carries:
                    await self._carry(group, client)
                else:
                    await client.publish(will.topic, b"online", qos=1, retain=True)
                    await self._listen(client)

    async def _carry(self, group: asyncio.TaskGroup, client: aiomqtt.Client) -> None:
        said: asyncio.Queue[Publication] = asyncio.Queue()
        await client.subscribe([(topic, 1) for topic in self._nodes.node.subscriptions()])
        speaking = group.create_task(self._speak(client, said))
        self._nodes.attach(said.put_nowait)
        self._say("broker found")
        self.found.set()
        try:
            await self._listen(client)
        finally:
            speaking.cancel()
            self._nodes.detach()
            with suppress(aiomqtt.MqttError):  # it is gone: then the broker says it, by the last will
                will = self._nodes.node.will(self._nodes.node.nodes[0])
                await client.publish(will.topic, will.payload, qos=1, retain=True, timeout=GOODBYE_WITHIN_S)
            self._say("broker lost")

    async def _listen(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            self._nodes.receive(str(message.topic), message.payload, retained=message.retain)

    async def _speak(self, client: aiomqtt.Client, said: asyncio.Queue[Publication]) -> None:
        while True:
            one = await said.get()
            await client.publish(one.topic, one.payload, qos=1, retain=one.retain)


def _tell_a_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        context = {"message": "a node has failed", "exception": error, "task": task}
        asyncio.get_running_loop().call_exception_handler(context)
