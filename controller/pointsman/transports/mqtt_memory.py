"""A broker in this process, for virtual time: retained messages, last wills, restarts, and what goes wrong between.

What one client publishes the others get in the loop's next pass, in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from pointsman.errors import LinkLostError, PortError
from pointsman.transports.mqtt_base import Delivery, MqttLink, Will


class MemoryBroker:
    """The broker. ``denied``: topics that its access list passes on to nobody. ``stalled``: it is deaf and dumb."""

    def __init__(self) -> None:
        self.retained: dict[str, bytes] = {}
        self.denied: set[str] = set()
        self.running = True
        self.links = 0
        self._clients: list[MemoryClient] = []
        self._stalled = False
        self._held: list[tuple[str, bytes, bool]] = []

    def client(self, on_message: Callable[[Delivery], None], on_lost: Callable[[str], None]) -> MemoryClient:
        """Connect. Raises PortError when it does not run."""
        if not self.running:
            raise PortError("nobody answers", where="broker in memory", cure="is the broker on?")
        client = MemoryClient(self, on_message, on_lost)
        self._clients.append(client)
        return client

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """A message from anybody."""
        if self._stalled:
            self._held.append((topic, payload, retain))
            return
        if topic in self.denied or not self.running:
            return
        if retain:
            self.retained.pop(topic, None)
            if payload:
                self.retained[topic] = payload
        for client in list(self._clients):
            client.hear(Delivery(topic, payload), topic)

    def stall(self, stalled: bool) -> None:
        """Take nothing and say nothing; afterwards everything comes late."""
        self._stalled = stalled
        if not stalled:
            held, self._held = self._held, []
            for topic, payload, retain in held:
                self.publish(topic, payload, retain=retain)

    def stop(self, *, forget: bool = True) -> None:
        """End, losing every client; without ``forget`` what is retained is there again at the next start."""
        self.running = False
        for client in list(self._clients):
            client.lose("closed by the broker", will=False)
        if forget:
            self.retained.clear()

    def start(self) -> None:
        """Run again."""
        self.running = True

    def leave(self, client: MemoryClient) -> None:
        """A client has gone."""
        if client in self._clients:
            self._clients.remove(client)


class MemoryClient:
    """One client's side of the broker."""

    def __init__(
        self, broker: MemoryBroker, on_message: Callable[[Delivery], None], on_lost: Callable[[str], None]
    ) -> None:
        self.will: Delivery | None = None
        self._broker = broker
        self._on_message = on_message
        self._on_lost = on_lost
        self._filters: list[str] = []
        self._open = True

    def subscribe(self, topics: Sequence[str]) -> None:
        """Ask for topics (``+`` and a last ``#`` stand for any); what is retained comes first."""
        self._filters += topics
        for topic, payload in list(self._broker.retained.items()):
            if topic not in self._broker.denied and any(matches(wanted, topic) for wanted in topics):
                self.hear(Delivery(topic, payload, retained=True), topic)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Send a message; a client that has been lost sends nothing."""
        if self._open:
            self._broker.publish(topic, payload, retain=retain)

    def hear(self, delivery: Delivery, topic: str) -> None:
        """Get a message, in the loop's next pass, if it was asked for."""
        if any(matches(wanted, topic) for wanted in self._filters):
            asyncio.get_running_loop().call_soon(self._deliver, delivery)

    def lose(self, reason: str, *, will: bool = True) -> None:
        """Be cut off, without a goodbye."""
        if self._open:
            self.close(goodbye=not will)
            asyncio.get_running_loop().call_soon(self._on_lost, reason)

    def close(self, *, goodbye: bool = True) -> None:
        """Leave; without a goodbye the last will is published (its ``retained`` says whether to keep it)."""
        if not self._open:
            return
        self._open = False
        self._broker.leave(self)
        if not goodbye and self.will is not None:
            self._broker.publish(self.will.topic, self.will.payload, retain=self.will.retained)

    def _deliver(self, delivery: Delivery) -> None:
        if self._open:
            self._on_message(delivery)


class MemoryLink(MqttLink):
    """A host's link to the broker in memory. ``carry`` brings messages over: it calls what it gets, now or later."""

    def __init__(
        self, broker: MemoryBroker, *, carry: Callable[[Callable[[], None]], None] = lambda arrives: arrives()
    ) -> None:
        super().__init__("broker in memory")
        self._broker = broker
        self._carry = carry
        self._client: MemoryClient | None = None
        self._client_id = ""

    @property
    def is_open(self) -> bool:
        """Can it be published now?"""
        return self._client is not None

    @property
    def client_id(self) -> str:
        """A number of its own for every link."""
        return self._client_id

    async def open(self, will: Will | None) -> None:
        """Connect. Raises PortError when the broker does not run."""
        client = self._broker.client(self._heard, self._lost)
        client.will = None if will is None else Delivery(will.topic, will.payload)
        self._client = client
        self._broker.links += 1
        self._client_id = f"pm{self._broker.links}"

    async def subscribe(self, topics: Sequence[str]) -> None:
        """Ask for these topics. Raises LinkLostError."""
        self._needed().subscribe(topics)

    def publish(self, topic: str, payload: bytes) -> None:
        """Send a message. Raises LinkLostError when the link is not open."""
        self._needed().publish(topic, payload)

    async def close(self) -> None:
        """Say goodbye."""
        self._leave(goodbye=True)

    async def abort(self) -> None:
        """End at once: the last will is published."""
        self._leave(goodbye=False)

    def cut(self, reason: str = "the connection broke") -> None:
        """The network ends it: the last will is published, and the host is told."""
        if self._client is not None:
            self._client.lose(reason)

    def guardian_fds(self) -> tuple[int, ...]:
        """None."""
        return ()

    def _leave(self, *, goodbye: bool) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close(goodbye=goodbye)

    def _needed(self) -> MemoryClient:
        if self._client is None:
            raise LinkLostError("the link is not open", where=self.name, cure="open it again")
        return self._client

    def _heard(self, delivery: Delivery) -> None:
        self._carry(partial(self._arrived, self._client, delivery))

    def _arrived(self, client: MemoryClient | None, delivery: Delivery) -> None:
        if client is not None and client is self._client:
            self._on_message(delivery)

    def _lost(self, reason: str) -> None:
        if self._client is not None:
            self._client = None
            self._on_lost(reason)


def matches(wanted: str, topic: str) -> bool:
    """Is a topic one of those that were asked for?"""
    asked, parts = wanted.split("/"), topic.split("/")
    if asked[-1] == "#":
        asked, parts = asked[:-1], parts[: len(asked) - 1]
    return len(asked) == len(parts) and all(a in ("+", p) for a, p in zip(asked, parts, strict=True))
