"""The nodes of one MQTT station of the simulated layout, as a broker's client sees them.

``attach`` joins them to any broker by a function; ``railsim.mqtt_serve`` joins them to a real one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from railsim.mqtt_node import MqttNode, Publication

if TYPE_CHECKING:
    from railsim.embed import Simulation


class NodeSide:
    """The nodes and their simulation, whose time is the event loop's. Made by ``Simulation.nodes``."""

    def __init__(self, simulation: Simulation, node: MqttNode) -> None:
        self.node = node
        self._simulation = simulation
        self._publish: Callable[[Publication], None] | None = None

    def attach(self, publish: Callable[[Publication], None]) -> None:
        """A broker was found: ``publish`` takes what the nodes say, from now on."""
        self._simulation.truth()
        self._publish = publish
        self._simulation.jog(self.node.connected)

    def detach(self) -> None:
        """The broker was lost."""
        self._simulation.truth()
        self._publish = None
        self._simulation.jog(self.node.lost)

    def receive(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """A message from the broker, now."""
        if not self._simulation.closed:
            self._simulation.jog(lambda: self.node.receive(topic, payload, retained=retained))

    def deliver(self, said: Publication) -> None:
        """What the nodes say; nobody hears it without a broker."""
        if self._publish is not None:
            self._publish(said)
