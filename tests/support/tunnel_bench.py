"""Test support: the node driver, a broker in memory, the bridge, and railsim's Uno behind it, on virtual time.

``to_bridge`` and ``from_bridge`` carry messages: each is called with what to call when it arrives.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path

from node_sim_bench import TRACK, WIRING, SimNode

from pointsman.app import cap_of
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.journal import Journal
from pointsman.drivers.node import NodeDriver
from pointsman.drivers.node.tunnel import Tunnel
from pointsman.links import On, Target
from pointsman.messages import Drive, Event
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.plan import Planner
from pointsman.protocols.node_tunnel import Topics
from pointsman.puzzle.choice import choose
from pointsman.puzzle.goal import parse_goal
from pointsman.solver.search import solve
from pointsman.track.driven import as_driven
from pointsman.track.model import End
from pointsman.transports.mqtt_base import Delivery
from pointsman.transports.mqtt_memory import MemoryBroker, MemoryLink
from pointsman.workbench.bridging import Bridge
from railsim.clock import run_virtual

Carry = Callable[[Callable[[], None]], None]
TOPICS = Topics("node", "club/")


def at_once(arrives: Callable[[], None]) -> None:
    arrives()


class TunnelNode(SimNode):
    """A driver and its node, with a broker and a bridge between them. ``said`` is what the bridge has said."""

    def __init__(self) -> None:
        super().__init__()
        self.broker = MemoryBroker()
        self.to_bridge: Carry = at_once
        self.from_bridge: Carry = at_once
        self.said: list[str] = []
        self.heard: list[Delivery] = []
        self.host_link = MemoryLink(self.broker, carry=self._from_bridge)
        self.bridge_link = MemoryLink(self.broker, carry=self._to_bridge)
        self.tunnel = Tunnel(self.host_link, TOPICS)
        self.dispatcher: Dispatcher | None = None
        self.driver = NodeDriver(self.tunnel, WIRING, emit=self._receive)
        self.bridge = Bridge(self.host, self.bridge_link, TOPICS, self.said.append)
        self.far.listen(self._down, self._unplugged)
        self._reopening: asyncio.Task[None] | None = None
        self._bridging: asyncio.Task[None] | None = None
        self.broker.client(self.heard.append, lambda _: None).subscribe(["#"])

    def _to_bridge(self, arrives: Callable[[], None]) -> None:
        self.to_bridge(arrives)

    def _from_bridge(self, arrives: Callable[[], None]) -> None:
        self.from_bridge(arrives)

    def _receive(self, event: Event) -> None:
        self.events.append(event)
        if self.dispatcher is not None:
            self.dispatcher.receive(event)

    def _unplugged(self, _: str) -> None:
        """The bridge has closed the port; the board is still there."""
        self._reopening = asyncio.ensure_future(self.far.open())

    async def bridged(self) -> None:
        """Let the bridge run."""
        self._bridging = asyncio.ensure_future(self.bridge.run())
        await asyncio.sleep(0.01)

    async def unbridged(self) -> None:
        """End the bridge."""
        if self._bridging is not None:
            self._bridging.cancel()
            await asyncio.wait([self._bridging])
            self._bridging = None

    async def up(self) -> TunnelNode:
        await self.bridged()
        await super().up()
        return self

    async def down(self) -> None:
        self.to_bridge = self.from_bridge = at_once
        await super().down()
        await self.unbridged()

    async def running(self) -> None:
        """The locomotive runs."""
        assert await self.does(Drive("L", True, 60), 1.0)
        assert self.speed_mm_s > 80

    async def play(self, journal_path: Path, cache: Path, goal: str) -> Belief:
        """Play to a goal, as fast as anything behind a broker may go; what is believed in the end."""
        chosen = choose("inglenook-small")
        puzzle = replace(chosen.puzzle, goal=parse_goal(goal, chosen.track, chosen.start.vehicles))
        runs = solve(puzzle.track, puzzle.start, puzzle.goal, puzzle.count, cache=cache).runs
        allow = Allowances()
        cap_mm_s = cap_of(Target(On.MQTT), WIRING)
        assert cap_mm_s is not None
        journal = Journal(journal_path, lambda why: None)
        track = as_driven(TRACK, WIRING)
        belief = at_setup(track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
        planner = Planner(track, WIRING, allow, cap_mm_s)
        self.dispatcher = Dispatcher(
            *(track, planner, self.driver, journal, belief),
            allow=allow,
            cap_mm_s=cap_mm_s,
            show=lambda _: None,
        )
        try:
            return await self.dispatcher.play(runs)
        finally:
            self.dispatcher.close()
            journal.close()

    async def again(self) -> None:
        """The link is opened again, and the power is switched on."""
        await self.driver.open()
        self.driver.release()
        await self.on()

    @property
    def speed_mm_s(self) -> float:
        return self.world.speed_mm_s("L")

    async def stands_after_s(self, at_most_s: float) -> float:
        """How long it takes from now until the locomotive stands, without power."""
        began = self.loop.time()
        while self.speed_mm_s or self.world.powered:
            assert self.loop.time() < began + at_most_s, (self.events, self.said)
            await asyncio.sleep(0.01)
        return self.loop.time() - began

    async def stays(self, seconds: float = 10.0) -> None:
        """It stands, and stays so."""
        until = self.loop.time() + seconds
        while self.loop.time() < until:
            assert not self.speed_mm_s
            assert not self.world.powered
            await asyncio.sleep(0.1)


def on_tunnel(test: Callable[[TunnelNode], Coroutine[None, None, None]]) -> Callable[[], None]:
    """Run a test with a node that is armed through the tunnel, and close everything."""

    async def main() -> None:
        made = await TunnelNode().up()
        try:
            await made.on()
            await test(made)
        finally:
            await made.down()
        before = len(made.heard)
        await asyncio.sleep(10)
        assert len(made.heard) == before, "nobody says anything any more"

    def run() -> None:
        run_virtual(main())

    run.__name__ = test.__name__
    return run
