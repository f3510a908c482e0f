"""Test support: two stations as one driver, on the simulated layout, in virtual time: DCC-EX (main) and MQTT (yard).

``MIXED`` has the locomotive and the magnets at main, turnouts and beams at yard; ``SWAPPED`` is the other way round.
``BOTH_FEED`` is ``MIXED`` with decoders in the track that yard works: the power is both stations'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mqtt_bench import Node

from pointsman.dispatch.control import Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.journal import Journal
from pointsman.drivers.dccex import DccExDriver
from pointsman.drivers.mqtt import MqttDriver
from pointsman.drivers.several import Stations
from pointsman.messages import Event
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
from pointsman.track.wiring import NO_NUMBER, TurnoutKind, Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import memory_pair
from pointsman.transports.mqtt_base import Delivery
from pointsman.transports.mqtt_memory import MemoryBroker, MemoryLink
from railsim.embed import Simulation
from railsim.setup import Setup

LAYOUT = "inglenook-small"
TRACK = load_layout(find_layout(LAYOUT))
MIXED = load_wiring(find_wiring(find_layout(LAYOUT), "mixed"), TRACK)


def _swapped() -> Wiring:
    names = list(enumerate((*MIXED.beams, *MIXED.turnouts), start=1))
    number = {name: i for i, name in names}
    return replace(
        MIXED,
        turnouts={n: replace(w, station="main", number=number[n], name="") for n, w in MIXED.turnouts.items()},
        beams={n: replace(w, station="main", number=number[n], name="") for n, w in MIXED.beams.items()},
        uncouplers={n: replace(w, station="yard", number=None, name=n) for n, w in MIXED.uncouplers.items()},
        locomotives={n: replace(w, station="yard", name="3") for n, w in MIXED.locomotives.items()},
    )


SWAPPED = _swapped()
BOTH_FEED = replace(
    MIXED, turnouts={n: replace(w, kind=TurnoutKind.ACCESSORY_DECODER) for n, w in MIXED.turnouts.items()}
)
assert all(w.number == NO_NUMBER for w in MIXED.turnouts.values())


class Bench:
    """Both stations and what drives them. ``published`` is what anybody said at the broker, with its time."""

    def __init__(self, wiring: Wiring = MIXED, seed: int = 1, dccex: type[DccExDriver] = DccExDriver) -> None:
        self.loop = asyncio.get_running_loop()
        self.wiring = wiring
        self.events: list[Event] = []
        self.published: list[tuple[float, str, bytes]] = []
        self.simulation = Simulation(TRACK, wiring, Setup.parse("head: L | s1: 1 2 3 | s2: 4 5"), seed=seed, boot_s=0.1)
        self.broker = MemoryBroker()
        self.node = Node(self.broker, self.simulation.nodes("yard"))
        self.link = MemoryLink(self.broker)
        self.host, self.far = memory_pair("main's cable")
        self._wire = self.simulation.memory(
            lambda data: self.far.write(data) if self.far.is_open else None, station="main"
        )
        self.far.listen(self._wire.write, lambda _: None)
        self.driver = Stations(
            wiring,
            {
                "main": lambda emit: dccex(self.host, wiring, emit=emit, station="main", listen_first_s=0.01),
                "yard": lambda emit: MqttDriver(self.link, wiring, emit=emit, station="yard"),
            },
            emit=self._receive,
        )
        self.dispatcher: Dispatcher | None = None
        self.final: Belief | None = None
        self.broker.client(self._overhear, lambda _: None).subscribe(["#"])

    @property
    def speed_mm_s(self) -> float:
        """How fast the locomotive is now."""
        self.simulation.truth()
        return self.simulation.world.speed_mm_s("L")

    async def up(self) -> Bench:
        """Both stations are found."""
        self.node.connect()
        await self.far.open()
        await self.driver.open()
        await asyncio.sleep(0.01)
        return self

    async def down(self) -> None:
        """End everything."""
        await self.driver.close()
        if self.far.is_open:
            await self.far.close()
        await self.simulation.close()
        await asyncio.sleep(0.01)

    def cut(self, station: str) -> None:
        """The link to a station breaks."""
        if station == "yard":
            self.link.cut()
        else:
            self._closing = self.loop.create_task(self.far.close())

    async def play(self, journal_path: Path, cache: Path, *, act: Callable[[], None] | None = None) -> None:
        """Play; raises what the dispatcher raises. ``act`` is done when the locomotive drives its first run."""
        chosen = choose(LAYOUT)
        puzzle = replace(chosen.puzzle, goal=parse_goal("s1: 3 1 2", chosen.track, chosen.start.vehicles))
        runs = solve(puzzle.track, puzzle.start, puzzle.goal, puzzle.count, cache=cache).runs
        track, allow = as_driven(chosen.track, self.wiring), Allowances()
        journal = Journal(journal_path, lambda why: None)
        belief = at_setup(track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
        acts = [act] if act is not None else []

        def show(status: Status) -> None:
            if acts and status.run and status.drive is not None:
                self.loop.call_later(1.0, acts.pop())

        planner = Planner(track, self.wiring, allow)
        self.dispatcher = Dispatcher(track, planner, self.driver, journal, belief, allow=allow, show=show)
        try:
            await self.up()
            self.final = await self.dispatcher.play(runs)
        finally:
            await asyncio.sleep(3)
            self.speed_in_the_end = self.speed_mm_s
            await self.down()
            self.dispatcher.close()
            journal.close()

    def _receive(self, event: Event) -> None:
        self.events.append(event)
        if self.dispatcher is not None:
            self.dispatcher.receive(event)

    def _overhear(self, delivery: Delivery) -> None:
        self.published.append((self.loop.time(), delivery.topic, delivery.payload))
