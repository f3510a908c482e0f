"""Test support: a calibration on the real dispatcher and driver against the real simulated station, in virtual time.

Each leg is a session of its own, as after a person has put the locomotive back on its mark. ``from_station`` may change
what passes; ``hidden`` is how the layout really is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from metal import builtin, wiring_of

from pointsman.dispatch.control import Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.journal import Journal
from pointsman.drivers.dccex import DccExDriver
from pointsman.errors import HaltedError
from pointsman.messages import Event
from pointsman.operate.belief import at_setup
from pointsman.operate.course import ALLOW, Course, untested
from pointsman.operate.plan import Planner
from pointsman.operate.section import choose_section
from pointsman.puzzle.position import Position
from pointsman.track.model import End, SpeedTable, Track
from pointsman.track.wiring import Wiring
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.hidden import Hidden
from railsim.setup import Setup


@dataclass
class CourseBench:
    """One calibration to be; ``table`` is the speed table that is believed, the layout's own if it is None."""

    folder: Path
    layout: str = "inglenook-small"
    seed: int = 1
    facing: End = End.TO
    cap_mm_s: float = inf
    between: tuple[str, str] | None = None
    table: tuple[tuple[int, float], ...] | None = None
    hidden: Callable[[], Hidden] | None = None
    from_station: Callable[[bytes], bytes] = lambda data: data

    said: list[str] = field(default_factory=list)
    doing: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    incidents: list[str] = field(default_factory=list)
    legs: int = 0
    took_s: float = 0.0

    course: Course = field(init=False)

    def __post_init__(self) -> None:
        real: Track = builtin(self.layout)
        wiring: Wiring = wiring_of(self.layout)
        (name,) = real.locomotives
        engine = real.locomotives[name]
        if self.table is not None:
            engine = replace(engine, speeds=SpeedTable(self.table))
        believed = replace(real, locomotives={name: engine})
        ceiling = min(self.cap_mm_s, real.speeds.limit)
        section = choose_section(believed, untested(engine), ceiling, ALLOW, self.between)
        self.real, self.wiring = real, wiring
        self.course = Course(believed, wiring, name, section, ceiling)

    def true_mm_s(self, step: int, forward: bool) -> float:
        """How fast the simulated locomotive really is."""
        (engine,) = self.real.locomotives.values()
        hidden = Hidden(self.seed) if self.hidden is None else self.hidden()
        return hidden.performance(engine).speed_mm_s(step, forward)

    def measure(self) -> Course:
        """Leg by leg to the end; a person puts the locomotive back after each stall. Raises what ends it."""
        while True:
            self.legs += 1
            try:
                run_virtual(self._leg())
            except HaltedError as halt:
                stalled = self.course.stalled(self._dispatcher.drive)
                if not stalled:
                    raise halt
                self.said.append(stalled)
                if not self.course.over:
                    continue
            return self.course

    async def _leg(self) -> None:
        course, track = self.course, self.course.track
        loop = asyncio.get_running_loop()
        self.doing.append(f"leg {self.legs}")
        name = course.locomotive
        mark = track.locomotives[name].mark.element
        start = Position.of(track, {mark: (name,)})
        setup = Setup({mark: (name,)}, facing={name: self.facing})
        hidden = None if self.hidden is None else self.hidden()
        simulation = Simulation(self.real, self.wiring, setup, seed=self.seed, hidden=hidden)
        host, station = memory_pair("bench")
        await station.open()

        def up(data: bytes) -> None:
            passed = self.from_station(data)
            if passed:
                station.write(passed)

        link = simulation.memory(up)
        station.listen(link.write, lambda _: None)
        belief = at_setup(track, start, End.TO, ALLOW.mark_error_mm, ALLOW.setup_error_mm)
        journal = Journal(
            self.folder / f"leg-{self.legs}.journal",
            lambda why: loop.call_soon_threadsafe(self._journal_failed, why),
        )
        driver = DccExDriver(host, self.wiring, emit=self._receive)
        planner = Planner(track, self.wiring, course.allow, self.cap_mm_s)
        self._dispatcher = Dispatcher(
            track, planner, driver, journal, belief, allow=course.allow, show=self._show, cap_mm_s=self.cap_mm_s
        )
        try:
            await driver.open()
            await self._dispatcher.follow(course)
        finally:
            await asyncio.sleep(3.0)
            self.took_s += loop.time()
            self.speed_in_the_end = simulation.world.speed_mm_s(name)
            await driver.close()
            self._dispatcher.close()
            self.incidents += [str(incident) for incident in simulation.incidents]
            await simulation.close()
            journal.close()

    def _journal_failed(self, why: str) -> None:
        self._dispatcher.halt(why)

    def _receive(self, event: Event) -> None:
        self.events.append(event)
        self._dispatcher.receive(event)

    def _show(self, status: Status) -> None:
        if not self.doing or self.doing[-1] != status.doing:
            self.doing.append(status.doing)
