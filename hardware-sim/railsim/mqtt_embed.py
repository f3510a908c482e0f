"""The simulated layout behind a broker, on a running event loop: its time is the loop's.

``attach`` joins it to any broker by a function; ``railsim.mqtt_serve`` joins it to a real one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.track.model import Track
from pointsman.track.wiring import Wiring
from railsim.hidden import Hidden
from railsim.incidents import Incident, WorldEvent
from railsim.mqtt_node import MqttNode, Publication
from railsim.setup import Setup
from railsim.truth import Truth
from railsim.world import World


class NodeSimulation:
    """A world and the nodes of its one MQTT station, run by the event loop in which it is made. End it with ``close``.

    ``on_event`` is called for everything that happens in the world. Raises UsageError (see ``World``, ``MqttNode``).
    """

    def __init__(
        self,
        track: Track,
        wiring: Wiring,
        setup: Setup,
        *,
        seed: int = 0,
        on_event: Callable[[WorldEvent], None] | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._origin_s = self._loop.time()
        hidden = Hidden(seed)
        self.world = World(track, setup, hidden, wiring)
        self.node = MqttNode(self.world, wiring, hidden)
        self._on_event = on_event
        self._publish: Callable[[Publication], None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def incidents(self) -> list[Incident]:
        """Everything that went wrong, up to now."""
        self._run()
        return self.world.incidents

    def truth(self) -> Truth:
        """What is really where, now."""
        self._run()
        return self.world.truth()

    # ------------------------------------------------------------ the broker

    def attach(self, publish: Callable[[Publication], None]) -> None:
        """A broker was found: ``publish`` takes what the nodes say, from now on."""
        self._run()
        self._publish = publish
        self.node.connected()
        self._run()

    def detach(self) -> None:
        """The broker was lost."""
        self._run()
        self._publish = None
        self.node.lost()
        self._run()

    def receive(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """A message from the broker, now."""
        if not self._closed:
            self._run()
            self.node.receive(topic, payload, retained=retained)
            self._run()

    async def close(self) -> None:
        """Let time stand."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ------------------------------------------------------------ time

    def _due(self, due_s: float) -> None:
        self._timer = None
        # A loop may call a hair before the time: that hair must not count as too early.
        self._run(due_s)

    def _next_s(self) -> float | None:
        times = [t_s for t_s in (self.world.next_event_s(), self.node.next_event_s()) if t_s is not None]
        return min(times, default=None)

    def _run(self, at_least_s: float = 0.0) -> None:
        if self._closed:
            return
        upto_s = max(self._loop.time() - self._origin_s, self.world.now_s, at_least_s)
        while (due := self._next_s()) is not None and due <= upto_s:
            self._step(max(due, self.world.now_s))
        self._step(upto_s)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self._next_s()
        if due is not None:
            self._timer = self._loop.call_at(self._origin_s + due, self._due, due)

    def _step(self, t_s: float) -> None:
        for event in self.world.advance(t_s):
            self.node.happened(event)
            if self._on_event is not None:
                self._on_event(event)
        for said in self.node.advance(t_s):
            if self._publish is not None:
                self._publish(said)
