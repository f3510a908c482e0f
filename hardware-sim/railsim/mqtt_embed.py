"""The nodes of one MQTT station of the simulated layout, as a broker's client sees them.

``attach`` joins them to any broker by a function; ``railsim.mqtt_serve`` joins them to a real one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from railsim.faults import Way
from railsim.mqtt_node import MqttNode, Publication
from railsim.post import BrokerHands

if TYPE_CHECKING:
    from railsim.embed import Simulation


class NodeSide:
    """The nodes and their simulation, whose time is the event loop's. Made by ``Simulation.nodes``."""

    def __init__(self, simulation: Simulation, station: str, node: MqttNode) -> None:
        self.node = node
        self._simulation = simulation
        self._station = station
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
        self._simulation.lost(self._station)

    def receive(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """A message from the broker, now."""
        if not self._simulation.closed:
            arrives = partial(self.node.receive, topic, payload, retained=retained)
            self._simulation.post(Way.TO_NODES, self._station, arrives)

    def to_host(self, arrives: Callable[[], None]) -> None:
        """A message from the broker to a host begins its way; ``arrives`` is called at its end."""
        if self._simulation.closed:
            arrives()
        else:
            self._simulation.post(Way.TO_HOST, self._station, arrives)

    def opened(self, broker: BrokerHands) -> None:
        """The broker is one that faults can do something to."""
        self._simulation.opened(broker)

    def deliver(self, said: Publication) -> None:
        """What the nodes say; nobody hears it without a broker."""
        if self._publish is not None:
            self._publish(said)
