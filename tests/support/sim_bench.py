"""Test support: the driver on the simulated station of a layout, joined in memory, on virtual time.

``damage`` changes what the station hears of a write.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import cache

from pointsman.drivers.dccex import DccExDriver
from pointsman.messages import (
    Command,
    Event,
    ForeignControl,
    LinkLost,
    OverCurrent,
    Rejected,
    StationRestarted,
)
from pointsman.puzzle.choice import Chosen, choose
from pointsman.track.builtin import find_wiring
from pointsman.track.wiring import Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.firmware import Cab
from railsim.profiles import PROFILES, find_profile
from railsim.setup import Setup
from railsim.station import Station

ALL = list(PROFILES)
STOPPING = (Rejected, ForeignControl, LinkLost, StationRestarted, OverCurrent)
"""What makes a dispatcher stop everything."""


@cache
def _layout() -> tuple[Chosen, Wiring]:
    chosen = choose("inglenook-small")
    return chosen, load_wiring(find_wiring(chosen.folder), chosen.track)


class SimBench:
    """A driver on the simulated station of a layout: cab 3, turnouts 1 and 2, outputs and sensors 1 to 3."""

    def __init__(self, profile: str = "5.6", *, serial: bool = True) -> None:
        self.events: list[Event] = []
        self.sent: list[bytes] = []
        self.damage: Callable[[bytes], bytes] = lambda data: data
        chosen, wiring = _layout()
        setup = Setup.parse(str(chosen.start))
        self.simulation = Simulation(chosen.track, wiring, setup, seed=1, boot_s=0.1, profile=find_profile(profile))
        self.host, self.far = memory_pair(profile)
        # what a station sends to a host that has gone is lost
        self.link = self.simulation.memory(
            lambda data: self.far.write(data) if self.far.is_open else None, serial=serial
        )
        self.far.listen(self._down, lambda _: None)
        self.driver = DccExDriver(self.host, wiring, emit=self.events.append, listen_first_s=0.01)

    def _down(self, data: bytes) -> None:
        self.sent.append(data)
        passed = self.damage(data)
        if passed:
            self.link.write(passed)

    async def up(self) -> SimBench:
        await asyncio.sleep(0.2)
        await self.far.open()
        await self.driver.open()
        await asyncio.sleep(0.001)
        self.events.clear()
        return self

    async def down(self) -> None:
        self.damage = lambda data: data
        await self.driver.close()
        await self.far.close()
        await self.simulation.close()
        await asyncio.sleep(0.001)

    async def does(self, command: Command, number: int = 1, within_s: float = 0.3) -> None:
        self.driver.send(command, number)
        await asyncio.sleep(within_s)

    def other(self, frames: bytes) -> None:
        """Another host on the network: a throttle, or whatever the station's automation would do."""
        self.simulation.memory(lambda _: None, serial=False).write(frames)

    def only(self, kind: type[Event]) -> Event:
        (found,) = [event for event in self.events if isinstance(event, kind)]
        return found

    def said(self, kind: type[Event] = Rejected) -> str:
        event = self.only(kind)
        return event.why if isinstance(event, Rejected) else event.what  # type: ignore[union-attr]

    @property
    def speed(self) -> int:
        return self.cabs[3].speed if 3 in self.cabs else 0

    @property
    def station(self) -> Station:
        assert isinstance(self.simulation.station, Station)
        return self.simulation.station

    @property
    def cabs(self) -> dict[int, Cab]:
        return self.station.cabs

    @property
    def thrown(self) -> dict[int, bool]:
        return {number: turnout.thrown for number, turnout in self.station.defined.turnouts.items()}

    @property
    def on(self) -> dict[int, bool]:
        return {number: output.on for number, output in self.station.defined.outputs.items()}


def sim(test: Callable[[SimBench], Coroutine[None, None, None]], profile: str = "5.6", *, serial: bool = True) -> None:
    async def main() -> None:
        b = await SimBench(profile, serial=serial).up()
        await test(b)
        await b.down()
        assert b.speed <= 0

    run_virtual(main())


def once(before: bytes, after: bytes) -> Callable[[bytes], bytes]:
    """Change the first write that has these bytes."""
    left = [before]

    def damage(data: bytes) -> bytes:
        if left and before in data:
            return data.replace(left.pop(), after, 1)
        return data

    return damage
