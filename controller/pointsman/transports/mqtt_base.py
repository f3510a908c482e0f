"""A link to an MQTT broker carries messages, not bytes: topics, payloads, and whether the broker had kept them.

Everything goes out at most once (QoS 0) and is never retained: what cannot be sent now is never sent. Nothing
reconnects by itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message from the broker. ``retained``: it is what the broker had kept, of unknown age."""

    topic: str
    payload: bytes
    retained: bool = False


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes, at most once and not retained, when the link ends without a goodbye."""

    topic: str
    payload: bytes


def _ignore(_: object) -> None:
    """For callbacks that nobody asked for."""


class MqttLink(ABC):
    """A link to a broker. It belongs to the event loop in which ``open`` was awaited.

    ``on_message(Delivery)`` and ``on_lost(reason)`` are called in the loop's thread; ``on_lost`` once, and never after
    ``close`` or ``abort``. After a loss it can be opened again: with a new session, in which nothing is subscribed.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._on_message: Callable[[Delivery], None] = _ignore
        self._on_lost: Callable[[str], None] = _ignore

    def listen(self, on_message: Callable[[Delivery], None], on_lost: Callable[[str], None]) -> None:
        """Say who gets messages, and who is told of a loss."""
        self._on_message = on_message
        self._on_lost = on_lost

    @property
    @abstractmethod
    def is_open(self) -> bool:
        """Can it be published now?"""

    @property
    @abstractmethod
    def client_id(self) -> str:
        """Our name at the broker, new for every link."""

    @abstractmethod
    async def open(self, will: Will | None) -> None:
        """Connect, leaving a last will. Raises PortError."""

    @abstractmethod
    async def subscribe(self, topics: Sequence[str]) -> None:
        """Ask for these topics; what the broker has kept of them comes first. Raises LinkLostError, PortError."""

    @abstractmethod
    def publish(self, topic: str, payload: bytes) -> None:
        """Send a message now, at most once, not retained. Raises LinkLostError when the link is not open."""

    @abstractmethod
    async def close(self) -> None:
        """Say goodbye: no last will is published."""

    @abstractmethod
    async def abort(self) -> None:
        """End the link at once, without a goodbye; what this computer has not sent yet is thrown away."""

    @abstractmethod
    def guardian_fds(self) -> tuple[int, ...]:
        """Descriptors for a guardian, that may write packets on them, or shut the connection down."""

    @property
    def encrypted(self) -> bool:
        """Can nobody but this process write on it?"""
        return False
