"""Test support: the node driver on railsim's Uno with the small Inglenook on it, joined in memory, on virtual time.

``to_node`` and ``to_host`` may change what passes. A heart beats as the supervision's does, while ``beating``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from pointsman.drivers.node import NodeDriver
from pointsman.messages import Accepted, Command, Event, Rejected, SetPower
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.setup import Setup
from railsim.world import World

FOLDER = find_layout("inglenook-small")
TRACK = load_layout(FOLDER)
WIRING = load_wiring(find_wiring(FOLDER, "uno-dc"), TRACK)
TICK_S = 0.05


class SimNode:
    """A driver and its node."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.events: list[Event] = []
        self.to_node: Callable[[bytes], bytes] = lambda data: data
        self.to_host: Callable[[bytes], bytes] = lambda data: data
        self.beating = True
        self.simulation = Simulation(TRACK, WIRING, Setup.parse("head: L | s1: 1 2 3 | s2: 4 5"), seed=1, boot_s=0.1)
        self.host, self.far = memory_pair("the node")
        self.link = self.simulation.memory(self._up)
        self.far.listen(self._down, lambda _: None)
        self.driver = NodeDriver(self.host, WIRING, emit=self.events.append)
        self._numbers = 0
        self._heart: asyncio.TimerHandle | None = None

    def _up(self, data: bytes) -> None:
        passed = self.to_host(data)
        if self.far.is_open and passed:
            self.far.write(passed)

    def _down(self, data: bytes) -> None:
        self.link.write(self.to_node(data))

    def _beat(self) -> None:
        if self.beating:
            self.driver.beat()
        self._heart = self.loop.call_later(TICK_S, self._beat)

    async def up(self) -> SimNode:
        await self.far.open()
        await self.driver.open()
        self._beat()
        return self

    async def down(self) -> None:
        if self._heart is not None:
            self._heart.cancel()
        await self.driver.close()
        await asyncio.sleep(0.01)
        await self.far.close()
        await self.simulation.close()

    async def does(self, command: Command, within_s: float = 0.3) -> bool:
        """Was it accepted by then? It must have been answered."""
        self._numbers += 1
        self.driver.send(command, self._numbers)
        await asyncio.sleep(within_s)
        answers = [e for e in self.events if isinstance(e, Accepted | Rejected) and e.number == self._numbers]
        assert len(answers) == 1, answers
        return isinstance(answers[0], Accepted)

    async def on(self) -> None:
        assert await self.does(SetPower(True)), self.events
        self.events.clear()

    @property
    def world(self) -> World:
        """The world, now."""
        self.simulation.truth()
        return self.simulation.world

    def of(self, *kinds: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kinds)]


def on_node(test: Callable[[SimNode], Coroutine[None, None, None]]) -> Callable[[], None]:
    """Run a test with a node that is armed, and close it."""

    async def main() -> None:
        made = await SimNode().up()
        try:
            await made.on()
            await test(made)
        finally:
            made.to_node = made.to_host = lambda data: data
            await made.down()

    def run() -> None:
        run_virtual(main())

    run.__name__ = test.__name__
    return run
