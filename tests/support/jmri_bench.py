"""Test support: the JMRI driver and the simulated layout behind JMRI, joined in memory on virtual time.

What passes is kept, and ``to_jmri`` and ``from_jmri`` may change it: they get a message and give those that pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from typing import Any

from pointsman.drivers.jmri import JmriDriver
from pointsman.messages import Accepted, Drive, Event, ForeignControl, Rejected, SetPower
from pointsman.protocols.jmri_json import BeanType, Message, read, write
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring import LocomotiveWiring, TurnoutKind, UncouplerKind, Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.jmri_station import JmriStation
from railsim.setup import Setup
from railsim.world import World

FOLDER = find_layout("inglenook-small")
TRACK = load_layout(FOLDER)
START = "head: L | s1: 1 2 3 | s2: 4 5"
PLAIN = load_wiring(find_wiring(FOLDER, "jmri"), TRACK)
WIRING = replace(
    PLAIN,
    turnouts={
        "T1": PLAIN.turnouts["T1"],
        "T2": replace(PLAIN.turnouts["T2"], kind=TurnoutKind.SERVO, move_time_s=1.3, inverted=True),
    },
    beams={**PLAIN.beams, "s2": replace(PLAIN.beams["s2"], inverted=True)},
    uncouplers={
        **PLAIN.uncouplers,
        "s2": replace(PLAIN.uncouplers["s2"], inverted=True),
        "s3": replace(PLAIN.uncouplers["s3"], kind=UncouplerKind.PERMANENT, name=""),
    },
    locomotives={"L": LocomotiveWiring("main", 3), "M": LocomotiveWiring("main", 100, long=True)},
)
"""T1 has feedback, T2 none; T2, beam s2 and magnet s2 are the other way round; M is not on the track."""

Filter = Callable[[Message], Iterable[Message]]


class Bench:
    """A driver and its JMRI."""

    def __init__(self, wiring: Wiring = WIRING) -> None:
        self.events: list[Event] = []
        self.asked: list[tuple[float, Message]] = []
        self.to_jmri: Filter = lambda message: [message]
        self.from_jmri: Filter = lambda message: [message]
        self.host, self.far = memory_pair("bench")
        self.simulation = Simulation(TRACK, wiring, Setup.parse(START), seed=1)
        self.driver = JmriDriver(self.host, wiring, emit=self.events.append)
        self.port: str | None = None
        self.far.listen(self._down, self._gone)

    @property
    def jmri(self) -> JmriStation:
        station = self.simulation.station
        assert isinstance(station, JmriStation)
        return station

    @property
    def world(self) -> World:
        """The world, now."""
        self.simulation.jog(lambda: None)
        return self.simulation.world

    @property
    def now_s(self) -> float:
        return asyncio.get_running_loop().time()

    async def open(self) -> None:
        """Let the driver open: whoever connects is greeted."""
        await self.far.open()
        asyncio.get_running_loop().call_soon(self._connect)
        await self.driver.open()
        await asyncio.sleep(0.001)

    def _connect(self) -> None:
        self.port = self.simulation.attach("bench", self._up, self.cut, serial=False)

    def cut(self) -> None:
        """The connection ends: both sides are told."""
        self.far.drop()
        self.host._lose("closed by the far end")
        asyncio.get_running_loop().call_soon(self._gone, "")

    def _gone(self, _: str) -> None:
        if self.port is not None:
            port, self.port = self.port, None
            self.simulation.jog(lambda: self.simulation.detach(port))

    async def up(self) -> Bench:
        await self.open()
        self.events.clear()
        self.asked.clear()
        return self

    async def down(self) -> None:
        await self.driver.close()
        await asyncio.sleep(0.001)
        await self.far.close()
        await self.simulation.close()

    def _down(self, data: bytes) -> None:
        (message,) = read(data)
        self.asked.append((self.now_s, message))
        for passed in self.to_jmri(message):
            if self.port is not None:
                self.simulation.receive(self.port, write(passed).encode())

    def _up(self, data: bytes) -> None:
        for message in read(data):
            for passed in self.from_jmri(message):
                self.say(passed)

    def say(self, message: Message) -> None:
        """A text to the driver."""
        if self.far.is_open:
            self.far.write(write(message).encode())

    def by_hand(self, act: Callable[[JmriStation], Any]) -> None:
        """Somebody uses JMRI otherwise."""
        self.simulation.jog(lambda: act(self.jmri))

    def of(self, *kinds: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kinds)]

    def answers(self) -> list[tuple[int, bool]]:
        return [(e.number, isinstance(e, Accepted)) for e in self.events if isinstance(e, Accepted | Rejected)]

    def asked_for(self, kind: type, since_s: float = 0.0) -> list[Any]:
        return [message for at_s, message in self.asked if isinstance(message, kind) and at_s >= since_s]


def bench(test: Callable[[Bench], Coroutine[None, None, None]]) -> Callable[[], None]:
    """Run a test of an open bench, and close it; no timer may be left behind."""

    async def main() -> None:
        made = await Bench().up()
        await test(made)
        made.to_jmri = made.from_jmri = lambda message: [message]
        foreign = len(made.of(ForeignControl))
        await made.down()
        assert len(made.of(ForeignControl)) == foreign, "closing is no foreign control"
        before = len(made.events)
        await asyncio.sleep(20)
        assert len(made.events) == before, "a closed driver is silent"

    def run() -> None:
        run_virtual(main())

    run.__name__ = test.__name__
    return run


TURNOUT, SENSOR, LIGHT = BeanType.TURNOUT, BeanType.SENSOR, BeanType.LIGHT


async def running(made: Bench, step: int = 30) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.1)
    made.driver.send(Drive("L", True, step), 2)
    await asyncio.sleep(0.5)
    assert made.world.speed_mm_s("L") > 0
    made.events.clear()
    made.asked.clear()
