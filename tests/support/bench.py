"""Test support: the real dispatcher and driver against the real simulated station, in virtual time, with saboteurs.

Bytes pass through memory. ``to_station`` and ``from_station`` may change what passes; ``later`` does something to the
layout at a moment, as a hand, another throttle or a failing part would.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pointsman.dispatch.control import Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.journal import Journal
from pointsman.drivers.dccex import DccExDriver
from pointsman.messages import Event
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.hands import HandWork
from pointsman.operate.plan import Planner
from pointsman.operate.referee import Score
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.goal import parse_goal
from pointsman.puzzle.moves import Run
from pointsman.solver.search import solve
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring import Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import MemoryTransport, memory_pair
from railsim.clock import VirtualLoop, run_virtual
from railsim.embed import MemoryLink, Simulation
from railsim.profiles import DEFAULT_PROFILE, find_profile
from railsim.setup import Setup
from railsim.truth import Truth

Filter = Callable[[bytes], bytes]


@dataclass
class Bench:
    """One play to be; everything that happened is in it afterwards."""

    journal_path: Path
    cache: Path
    puzzle: str = "inglenook-small"
    goal: str = "s1: 3 1 2"
    seed: int = 1
    facing: End = End.TO
    start: str | None = None
    real_start: str | None = None
    to_station: Filter = lambda data: data
    from_station: Filter = lambda data: data
    at: list[tuple[float, Callable[[Bench], Any]]] = field(default_factory=list)
    when_doing: list[tuple[str, float, Callable[[Bench], Any]]] = field(default_factory=list)
    run_on_s: float = 3.0
    wired: Callable[[Wiring], Wiring] = lambda wiring: wiring
    hand: Callable[[Bench, HandWork], Awaitable[bool]] | None = None
    score: Score | None = None
    profile: str = DEFAULT_PROFILE
    serial: bool = True

    statuses: list[Status] = field(default_factory=list)
    sent: list[tuple[float, bytes]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    asked: list[HandWork] = field(default_factory=list)
    beats: list[tuple[float, bool]] = field(default_factory=list)

    simulation: Simulation = field(init=False)
    dispatcher: Dispatcher = field(init=False)
    link: MemoryLink = field(init=False)
    host: MemoryTransport = field(init=False)
    chosen: Chosen = field(init=False)
    final: Belief | None = None
    playing: asyncio.Task[Any] | None = None
    halted_s: float | None = None

    def later(self, t_s: float, act: Callable[[Bench], Any]) -> None:
        """Do something at a moment of the play."""
        self.at.append((t_s, act))

    def while_doing(self, text: str, act: Callable[[Bench], Any], after_s: float = 0.0) -> None:
        """Do something, once, so long after the program has begun a step whose text begins so."""
        self.when_doing.append((text, after_s, act))

    def play(self) -> Belief:
        """Play; raises what the dispatcher raises. The layout runs on for a while after the end."""
        return run_virtual(self._play())

    async def carry_out(self) -> Belief:
        """What is done once the link is open."""
        return await self.dispatcher.play(self.runs())

    def runs(self) -> Sequence[Run]:
        """The best plan."""
        puzzle = self.chosen.puzzle
        return solve(puzzle.track, puzzle.start, self.chosen.goal, puzzle.count, cache=self.cache).runs

    @property
    def truth(self) -> Truth:
        """What is really where."""
        return self.simulation.truth()

    def other_throttle(self, frames: bytes) -> None:
        """Another host program on the same station."""
        self.simulation.memory(lambda _: None, serial=False).write(frames)

    def frames_after(self, t_s: float) -> list[bytes]:
        """What was written to the station from a moment on."""
        return [data for at, data in self.sent if at >= t_s]

    async def _play(self) -> Belief:
        self.chosen = choose(self.puzzle, start=self.start)
        track = self.chosen.track
        self.chosen = Chosen(
            self.chosen.name,
            self.chosen.folder,
            _with_goal(self.chosen, self.goal),
            None,
            (),
        )
        loop = asyncio.get_running_loop()
        wiring = self.wired(load_wiring(find_wiring(self.chosen.folder), track))
        start = str(self.chosen.start) if self.real_start is None else self.real_start
        setup = Setup.parse(start, facing={"L": self.facing})
        self.simulation = Simulation(track, wiring, setup, seed=self.seed, profile=find_profile(self.profile))
        host, station = memory_pair("bench")
        self.host = host
        await station.open()
        self.link = self.simulation.memory(lambda data: self._up(station.write, data), serial=self.serial)
        station.listen(self._down, lambda _: None)
        allow = Allowances()
        belief = at_setup(track, self.chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
        journal = Journal(self.journal_path, lambda why: loop.call_soon_threadsafe(self.dispatcher.halt, why))
        journal.write(loop.time(), "begin", {"start": str(self.chosen.start)})
        driver = DccExDriver(host, wiring, emit=self._receive)
        planner = Planner(track, wiring, allow)
        self.dispatcher = Dispatcher(
            track,
            planner,
            driver,
            journal,
            belief,
            allow=allow,
            show=self._show,
            beat=self._beaten,
            ask=None if self.hand is None else self._asked,
            score=self.score,
        )
        for t_s, act in self.at:
            loop.call_at(t_s, act, self)
        try:
            await driver.open()
            self.playing = asyncio.current_task()
            self.final = await self.carry_out()
            return self.final
        finally:
            self.halted_s = loop.time()
            self.at_halt = self.simulation.truth()
            await asyncio.sleep(self.run_on_s)
            self.now_s_in_the_end = loop.time()
            self.speed_in_the_end = self.simulation.world.speed_mm_s("L")
            await driver.close()
            self.dispatcher.close()
            self.at_close = self.simulation.truth()
            await self.simulation.close()
            journal.close()

    async def _asked(self, work: HandWork) -> bool:
        assert self.hand is not None
        self.asked.append(work)
        return await self.hand(self, work)

    def _beaten(self, active: bool) -> None:
        self.beats.append((self.now_s(), active))

    @property
    def loop(self) -> VirtualLoop:
        """The loop that it runs in."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        return loop

    def now_s(self) -> float:
        """The loop's time."""
        return asyncio.get_running_loop().time()

    def _receive(self, event: Event) -> None:
        self.events.append(event)
        self.dispatcher.receive(event)

    def _show(self, status: Status) -> None:
        self.statuses.append(status)
        loop = asyncio.get_running_loop()
        for entry in list(self.when_doing):
            text, after_s, act = entry
            if status.doing.startswith(text) and not status.note:
                self.when_doing.remove(entry)
                loop.call_later(after_s, act, self)

    def _down(self, data: bytes) -> None:
        self.sent.append((asyncio.get_running_loop().time(), data))
        passed = self.to_station(data)
        if passed:
            self.link.write(passed)

    def _up(self, write: Callable[[bytes], None], data: bytes) -> None:
        passed = self.from_station(data)
        if passed:
            write(passed)


def _with_goal(chosen: Chosen, goal: str) -> Any:
    return replace(chosen.puzzle, goal=parse_goal(goal, chosen.track, chosen.start.vehicles))
