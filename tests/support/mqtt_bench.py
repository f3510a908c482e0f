"""Test support: a driver, a broker in memory and the simulated layout's node behind it, in virtual time.

``Bench.play`` plays a whole puzzle with the real dispatcher; ``Bench.up`` only brings the link up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from pointsman.dispatch.control import Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.journal import Journal
from pointsman.drivers.mqtt import MqttDriver
from pointsman.messages import Accepted, Command, Event, Rejected
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.plan import Planner
from pointsman.puzzle.choice import choose
from pointsman.puzzle.goal import parse_goal
from pointsman.solver.search import solve
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.driven import as_driven
from pointsman.track.layout import load_layout
from pointsman.track.model import End
from pointsman.track.wiring import Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.mqtt_base import Delivery
from pointsman.transports.mqtt_memory import MemoryBroker, MemoryClient, MemoryLink
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.mqtt_embed import NodeSide
from railsim.mqtt_node import Publication
from railsim.setup import Setup

LAYOUT = "inglenook-small"
TRACK = load_layout(find_layout(LAYOUT))
WIRING = load_wiring(find_wiring(find_layout(LAYOUT), "mqtt"), TRACK)
START = "head: L | s1: 1 2 3 | s2: 4 5"


def wired(**changes: object) -> Wiring:
    """The wiring with other settings of its station."""
    station = WIRING.stations["yard"]
    assert station.mqtt is not None
    changed = replace(station, mqtt=replace(station.mqtt, **changes))  # type: ignore[arg-type]
    return replace(WIRING, stations={"yard": changed})


class Node:
    """The layout's node, and its connection to the broker in memory."""

    def __init__(self, broker: MemoryBroker, simulation: NodeSide) -> None:
        self.broker = broker
        self.simulation = simulation
        self.client: MemoryClient | None = None
        self.deaf = False
        self.says_after_s = 0.0

    def connect(self) -> None:
        """Find the broker."""
        client = self.broker.client(self._heard, lambda _: self._lost())
        will = self.simulation.node.will(self.simulation.node.nodes[0])
        client.will = Delivery(will.topic, will.payload, retained=True)
        self.client = client
        client.subscribe(self.simulation.node.subscriptions())
        self.simulation.attach(self._say)

    def lose(self) -> None:
        """Lose the broker without a goodbye."""
        assert self.client is not None
        self.client.lose("cut")

    def _say(self, said: Publication) -> None:
        if self.says_after_s:
            asyncio.get_running_loop().call_later(self.says_after_s, self._publish, said)
        else:
            self._publish(said)

    def _publish(self, said: Publication) -> None:
        if self.client is not None:
            self.client.publish(said.topic, said.payload, retain=said.retain)

    def _heard(self, delivery: Delivery) -> None:
        if not self.deaf:
            self.simulation.receive(delivery.topic, delivery.payload, retained=delivery.retained)

    def _lost(self) -> None:
        self.client = None
        self.simulation.detach()


class Bench:
    """Driver, broker and node. Everything that was published is in ``heard``, with its time."""

    def __init__(self, wiring: Wiring = WIRING, start: str = START, seed: int = 1) -> None:
        self.loop = asyncio.get_running_loop()
        self.broker = MemoryBroker()
        self.wiring = wiring
        self.events: list[Event] = []
        self.heard: list[tuple[float, str, bytes]] = []
        self.simulation = Simulation(TRACK, wiring, Setup.parse(start), seed=seed)
        self.node = Node(self.broker, self.simulation.nodes())
        self.link = MemoryLink(self.broker)
        self.dispatcher: Dispatcher | None = None
        self.driver = MqttDriver(self.link, wiring, emit=self._receive)
        self.listener = self.broker.client(self._overhear, lambda _: None)
        self.listener.subscribe(["#"])
        self.final: Belief | None = None

    async def up(self) -> Bench:
        """The node and the driver find the broker."""
        self.node.connect()
        await self.driver.open()
        await asyncio.sleep(0.01)
        self.events.clear()
        self.heard.clear()
        return self

    @property
    def speed_mm_s(self) -> float:
        """How fast the locomotive is now."""
        self.simulation.truth()
        return self.simulation.world.speed_mm_s("L")

    @property
    def dead(self) -> bool:
        """Does everything stand, without power?"""
        return self.speed_mm_s == 0 and not self.simulation.world.powered

    async def down(self) -> None:
        """End everything."""
        await self.driver.close()
        await self.simulation.close()
        await asyncio.sleep(0.01)

    async def sent(self, command: Command, number: int = 1, wait_s: float = 0.05) -> list[Event]:
        """Send a command and wait a while: the events that came."""
        self.events.clear()
        self.driver.send(command, number)
        await asyncio.sleep(wait_s)
        return self.events

    def of(self, *kinds: type) -> list[Event]:
        """Events of some kinds."""
        return [event for event in self.events if isinstance(event, kinds)]

    def answers(self) -> list[tuple[int, bool]]:
        """Commands by number, and whether they were accepted."""
        return [(e.number, isinstance(e, Accepted)) for e in self.events if isinstance(e, Accepted | Rejected)]

    def published(self, prefix: str) -> list[tuple[str, str]]:
        """What was published on topics that begin so."""
        return [
            (topic, payload.decode(errors="replace")) for _, topic, payload in self.heard if topic.startswith(prefix)
        ]

    async def play(self, journal_path: Path, cache: Path, goal: str, *, act: Callable[[], None] | None = None) -> None:
        """Play; raises what the dispatcher raises. ``act`` is done when the locomotive drives its first run."""
        chosen = choose(LAYOUT)
        puzzle = replace(chosen.puzzle, goal=parse_goal(goal, chosen.track, chosen.start.vehicles))
        runs = solve(puzzle.track, puzzle.start, puzzle.goal, puzzle.count, cache=cache).runs
        track = as_driven(chosen.track, self.wiring)
        allow = Allowances()
        journal = Journal(journal_path, lambda why: None)
        belief = at_setup(track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
        acts = [act] if act is not None else []

        def show(status: Status) -> None:
            if acts and status.run and status.drive is not None:
                self.loop.call_later(1.0, acts.pop())

        planner = Planner(track, self.wiring, allow)
        self.dispatcher = Dispatcher(track, planner, self.driver, journal, belief, allow=allow, show=show)
        self.node.connect()
        try:
            await self.driver.open()
            self.final = await self.dispatcher.play(runs)
        finally:
            await asyncio.sleep(3)
            self.speed_in_the_end = self.speed_mm_s
            await self.driver.close()
            self.dispatcher.close()
            await self.simulation.close()
            journal.close()

    def _receive(self, event: Event) -> None:
        self.events.append(event)
        if self.dispatcher is not None:
            self.dispatcher.receive(event)

    def _overhear(self, delivery: Delivery) -> None:
        if not delivery.retained:
            self.heard.append((self.loop.time(), delivery.topic, delivery.payload))


Scene = Callable[[Bench], Coroutine[Any, Any, None]]


def on_bench(scene: Scene, **settings: object) -> None:
    """Run a scene with the link up."""

    async def main() -> None:
        bench = await Bench(wired(**settings)).up()
        try:
            await scene(bench)
        finally:
            await bench.down()

    run_virtual(main())
