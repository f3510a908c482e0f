"""Test support: the simulated layout in memory, an examiner on one link, and another host on a second one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pointsman.drivers.dccex.addresses import Addresses
from pointsman.drivers.dccex.examiner import Examiner
from pointsman.drivers.dccex.findings import Findings, examine
from pointsman.drivers.dccex.moving import Mover
from pointsman.drivers.dccex.vigil import Vigil
from pointsman.drivers.hearing import Seen
from pointsman.drivers.moved import Moved
from pointsman.protocols.dccex import Command, HostReader, Reply, StationReader
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring import Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import MemoryTransport, memory_pair
from railsim.clock import run_virtual
from railsim.embed import MemoryLink, Simulation
from railsim.incidents import WorldEvent
from railsim.profiles import DEFAULT_PROFILE, find_profile
from railsim.setup import Setup

FOLDER = find_layout("inglenook")

TRACK = load_layout(FOLDER)

MEGA = load_wiring(find_wiring(FOLDER, "mega"), TRACK)

ASKING = (
    c.Status,
    c.Fence,
    c.TrackModes,
    c.Currents,
    c.CurrentLimits,
    c.MainCurrent,
    c.TurnoutIds,
    c.ListTurnouts,
    c.ListSensors,
    c.SensorStates,
    c.ListOutputs,
    c.ThrottleQuery,
)


class Scene:
    """The simulated layout, an examiner on one link, and another host on a second one."""

    def __init__(self, wiring: Wiring, position: str, profile: str) -> None:
        self.wiring = wiring
        self.addresses = Addresses(wiring)
        self.happened: list[WorldEvent] = []
        self.commands: list[Command] = []
        self.heard: list[Reply] = []
        self.damage: Callable[[bytes], bytes] = lambda data: data
        self._news = asyncio.Event()
        self.vigil: Vigil | None = None
        setup = Setup.parse(position) if position else Setup({})
        self.simulation = Simulation(
            TRACK, wiring, setup, boot_s=0.0, profile=find_profile(profile), on_event=self.happened.append
        )
        self.host, self._far = memory_pair("bench")
        self._commands_in = StationReader()
        self._others = HostReader()
        self._other_heard: list[Reply] = []
        self.other: MemoryLink = self.simulation.memory(self._hear_other)
        self.examiner = Examiner(self.host, self._hear, lambda _: None)

    def _hear_other(self, data: bytes) -> None:
        self._other_heard += self._others.feed(data)
        self._news.set()

    def _hear(self, reply: Reply) -> None:
        self.heard.append(reply)
        self._news.set()
        if self.vigil is not None:
            self.vigil.hear(reply)

    async def open(self) -> None:
        await self._far.open()
        link = self.simulation.memory(self._answer)

        def pass_on(data: bytes) -> None:
            self.commands += self._commands_in.feed(data)
            link.write(self.damage(data))

        self._far.listen(pass_on, lambda _: None)
        await self.examiner.open(0.1)

    def _answer(self, data: bytes) -> None:
        if self._far.is_open:
            self._far.write(data)

    @property
    def far(self) -> MemoryTransport:
        return self._far

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until it is true, looking again at every reply; raises TimeoutError after a minute."""
        async with asyncio.timeout(60):
            while not true():
                self._news.clear()
                await self._news.wait()

    async def asked(self, text: str) -> list[Reply]:
        """What another host is answered."""
        self._other_heard.clear()
        self.other.write(text.encode() + b"<#>")
        await self.until(lambda: any(isinstance(reply, r.FenceReached) for reply in self._other_heard))
        return [reply for reply in self._other_heard if not isinstance(reply, r.FenceReached)]

    async def examined(self) -> Findings:
        return await examine(self.examiner, self.addresses)

    def mover(self, tell: Callable[[Moved], None] = lambda _: None, alive: list[bool] | None = None) -> Mover:
        heard = [] if alive is None else alive
        return Mover(self.examiner, self.addresses, self.wiring, tell, heard.append, lambda: None)


def scene(
    act: Callable[[Scene], Awaitable[None]],
    wiring: Wiring = MEGA,
    position: str = "head: L | s1: 1 2",
    profile: str = DEFAULT_PROFILE,
) -> Scene:
    async def main() -> Scene:
        made = Scene(wiring, position, profile)
        try:
            await made.open()
            await act(made)
        finally:
            await made.examiner.close()
            await made.far.close()
            await made.simulation.close()
        return made

    return run_virtual(main())


def watched(s: Scene) -> list[Seen]:
    seen: list[Seen] = []
    s.vigil = Vigil(s.examiner, s.addresses, seen.append)
    return seen
