"""The composition root: the one place that picks concrete classes, and alone may know the simulated layout."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from zlib import crc32

from platformdirs import user_data_dir

from pointsman.dispatch.control import Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.guardian import Guarded, Guardian
from pointsman.dispatch.journal import Journal
from pointsman.errors import (
    HaltedError,
    JournalError,
    PointsmanError,
    StoppedError,
)
from pointsman.links import On, StationLink, Target, drive, open_links
from pointsman.messages import Event
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.plan import Planner
from pointsman.operate.referee import Score
from pointsman.posix import endings
from pointsman.puzzle.choice import Chosen
from pointsman.puzzle.moves import Run, train_of
from pointsman.puzzle.position import Position
from pointsman.track.layout import load_layout
from pointsman.track.model import End, Track
from pointsman.track.percent import as_driven
from pointsman.track.wiring import Wiring

if TYPE_CHECKING:
    from railsim.embed import Simulation

ResultT = TypeVar("ResultT")

HARDWARE_CAP_MM_S = 60.0
"""Without a relay in the track feed nothing outside the computer stops a train: then nothing goes faster."""


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """Everything a play needs to be told. ``speed`` is for the simulated layout only (None: as fast as it goes)."""

    chosen: Chosen
    runs: tuple[Run, ...]
    wiring: Wiring
    target: Target
    facing: End
    journal: Path
    speed: float | None = None
    count: str = "runs"


@dataclass(frozen=True, slots=True)
class Witness:
    """The simulated layout, asked afterwards: what is really where, whether that is the goal, and what went wrong.

    A train that the goal asks for is ``reached`` only when it is coupled up.
    ``agrees``: every wagon that does not stand with the locomotive is in the segment, and in the order, believed.
    """

    line: str
    reached: bool
    agrees: bool
    incidents: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether belief and truth are one, and nothing was bumped or derailed."""
        return self.reached and self.agrees and not self.incidents


@dataclass(frozen=True, slots=True)
class PlayResult:
    """How a play ended: the confirmed position, whether it is the goal, and, on the simulated layout, what is true.

    ``seen`` are the vehicles that a beam has seen; of the others only a person has said where they stand.
    """

    position: Position
    reached: bool
    score: Score
    duration_s: float
    seen: frozenset[str] = frozenset()
    truth: Witness | None = None


def journal_path(name: str) -> Path:
    """A new place for a journal in the user's data folder, named after the moment and the puzzle."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    return Path(user_data_dir("pointsman")) / "journals" / f"{stamp}-{name.replace('/', '-')}.journal"


def cap_of(target: Target) -> float | None:
    """The fastest that anything may go on a target; None: the layout's own limit."""
    return None if target.on is On.SIM else HARDWARE_CAP_MM_S


Stopper = Callable[[str, int], None]
"""Stops a play from any thread: why, and the exit code that goes with it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a sitting is held on.

    ``track`` is the layout as it is believed to be, ``built`` as its own file has it (what the simulated one is made
    of); ``start`` is what stands where at set-up. ``speed`` and ``seed`` are for the simulated layout.
    """

    track: Track
    built: Track
    start: Position
    wiring: Wiring
    target: Target
    facing: End
    journal: Path
    speed: float | None
    seed: str
    allow: Allowances
    couple_up: bool = False


class Errand(Protocol[ResultT]):
    """What is done at a sitting: everything from the first movement to the last is under the dispatcher's eyes."""

    @property
    def setting(self) -> Setting:
        """Where it is done."""

    def header(self) -> dict[str, object]:
        """The first line of the journal."""

    async def work(self, dispatcher: Dispatcher) -> Belief:
        """Do it; the belief at the end."""

    def result(
        self, dispatcher: Dispatcher, final: Belief, duration_s: float, simulation: Simulation | None
    ) -> ResultT:
        """What came of it, when nothing moves any more."""

    def ending(self, result: ResultT) -> dict[str, object]:
        """The last line of the journal."""


def play(request: PlayRequest, show: Callable[[Status], None], on_ready: Callable[[Stopper], None]) -> PlayResult:
    """Play on the target and return how it ended; blocks. See ``sit``."""
    return sit(_Play(request), show, on_ready)


def sit(errand: Errand[ResultT], show: Callable[[Status], None], on_ready: Callable[[Stopper], None]) -> ResultT:
    """Do an errand on its target and return what came of it; blocks.

    ``on_ready`` is given, once, what stops it from another thread.
    Raises RefusedError, HaltedError (StoppedError for Ctrl-C and the like), LinkError, JournalError.
    """
    if errand.setting.target.on is On.SIM:
        from railsim.clock import VirtualLoop

        factory: Callable[[], asyncio.AbstractEventLoop] = lambda: VirtualLoop(errand.setting.speed)  # noqa: E731
    else:
        factory = asyncio.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        loop = runner.get_loop()
        sitting = _Sitting(errand, show)
        on_ready(lambda why, code: _in_loop(loop, sitting.stop, why, code))
        return runner.run(sitting.run())


def _in_loop(loop: asyncio.AbstractEventLoop, stop: Stopper, why: str, code: int) -> None:
    with suppress(RuntimeError):  # the loop has ended: nothing moves any more
        loop.call_soon_threadsafe(stop, why, code)


@dataclass(frozen=True, slots=True)
class _Play:
    """A play as an errand."""

    request: PlayRequest

    @property
    def setting(self) -> Setting:
        request, chosen = self.request, self.request.chosen
        return Setting(
            track=chosen.track,
            built=load_layout(chosen.folder),
            start=chosen.start,
            wiring=request.wiring,
            target=request.target,
            facing=request.facing,
            journal=request.journal,
            speed=request.speed,
            seed=str(chosen.seed),
            allow=Allowances(),
            couple_up=bool(chosen.goal.trains),
        )

    def header(self) -> dict[str, object]:
        request, chosen = self.request, self.request.chosen
        return {
            "program": f"pointsman {version('pointsman')}",
            "layout": str(chosen.track.name),
            "puzzle": chosen.name,
            "seed": chosen.seed,
            "start": str(chosen.start),
            "goal": str(chosen.goal),
            "count": request.count,
            "on": str(request.target),
            "facing": str(request.facing),
            "runs": [str(run) for run in request.runs],
        }

    async def work(self, dispatcher: Dispatcher) -> Belief:
        return await dispatcher.play(self.request.runs)

    def result(
        self, dispatcher: Dispatcher, final: Belief, duration_s: float, simulation: Simulation | None
    ) -> PlayResult:
        chosen = self.request.chosen
        return PlayResult(
            position=final.position,
            reached=chosen.goal.reached(final.position, chosen.track.locomotives),
            score=dispatcher.score,
            duration_s=duration_s,
            seen=dispatcher.seen,
            truth=None if simulation is None else _asked(simulation, chosen, final.position),
        )

    def ending(self, result: PlayResult) -> dict[str, object]:
        return {"position": str(result.position), "runs": result.score.runs, "seen": sorted(result.seen)}


class _Sitting(Generic[ResultT]):
    """One errand under way, in the running loop."""

    def __init__(self, errand: Errand[ResultT], show: Callable[[Status], None]) -> None:
        self._errand = errand
        self._setting = errand.setting
        self._show = show
        self._dispatcher: Dispatcher | None = None
        self._guardian: Guardian | None = None
        self._playing = False
        self._stopped: StoppedError | None = None
        self._main: asyncio.Task[ResultT] | None = None

    async def run(self) -> ResultT:
        self._main = asyncio.current_task()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._fault)
        with endings(loop, self.stop):
            return await self._journalled(loop)

    async def _journalled(self, loop: asyncio.AbstractEventLoop) -> ResultT:
        """The errand with its journal's first and last lines."""
        # Called in the journal's own thread: what cannot be written down must not go on.
        journal = Journal(self._setting.journal, lambda why: _in_loop(loop, self.stop, why, JournalError.exit_code))
        try:
            journal.write(loop.time(), "begin", self._errand.header())
            if self._stopped is not None:  # before there was anything to be stopped
                raise self._stopped
            simulated = partial(_simulated, self._setting)
            setting = self._setting
            async with open_links(setting.target, setting.wiring, simulated, setting.speed) as (links, simulation):
                result = await self._hold(links, simulation, journal)
            journal.write(loop.time(), "end", self._errand.ending(result))
            return result
        except (asyncio.CancelledError, PointsmanError) as error:
            if self._stopped is None:
                journal.write(loop.time(), "end", {"error": str(error)})
                raise
            believed = error.believed if isinstance(error, HaltedError) else ""
            ending = StoppedError(self._stopped.what, self._stopped.code, believed=believed)
            journal.write(loop.time(), "end", {"error": str(ending)})
            raise ending from error
        finally:
            journal.close()

    def stop(self, why: str, code: int) -> None:
        """Stop everything because a person or the system says so; in the loop's thread."""
        again = self._stopped is not None
        self._stopped = self._stopped or StoppedError(why, code)
        if self._dispatcher is not None and self._playing:
            # Whoever asks twice wants more than a stop: the power goes off too.
            self._dispatcher.halt(why, power_off=again)
        elif self._main is not None:
            self._main.cancel()

    def _receive(self, event: Event) -> None:
        if self._dispatcher is not None:
            self._dispatcher.receive(event)

    async def _hold(self, links: Sequence[StationLink], simulation: Simulation | None, journal: Journal) -> ResultT:
        setting, loop = self._setting, asyncio.get_running_loop()
        track, allow = as_driven(setting.track, setting.wiring), setting.allow
        cap = cap_of(setting.target)
        belief = at_setup(track, setting.start, setting.facing, allow.mark_error_mm, allow.setup_error_mm)
        planner = Planner(track, setting.wiring, allow, cap, couple_up=setting.couple_up)
        driver, drivers = drive(links, setting.wiring, self._receive)
        dispatcher = Dispatcher(
            track,
            planner,
            driver,
            journal,
            belief,
            allow=allow,
            show=self._show,
            cap_mm_s=cap or inf,
            beat=self._beat,
        )
        self._dispatcher = dispatcher
        try:
            await driver.open()
            if simulation is None:
                guarded = [Guarded(one.link.guardian_fds(), drivers[one.station].guardian_frames()) for one in links]
                self._guardian = await Guardian.start(guarded, self._guardian_gone)
            self._playing = True
            began = loop.time()
            final = await self._errand.work(dispatcher)
            duration = loop.time() - began
        finally:
            await driver.close()
            dispatcher.close()
            if self._guardian is not None:
                await self._guardian.goodbye()
        return self._errand.result(dispatcher, final, duration, simulation)

    def _fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A callback raised: a fault of ours, and a reason to stop before anything else."""
        self.stop(f"a fault of the program: {context.get('exception') or context['message']}", PointsmanError.exit_code)
        loop.default_exception_handler(context)

    def _beat(self, active: bool) -> None:
        """The supervision is alive; while anything moves the guardian wants to hear that."""
        if self._guardian is not None:
            if active:
                self._guardian.alive_now()
            else:
                self._guardian.rest()

    def _guardian_gone(self, why: str) -> None:
        if self._dispatcher is not None:
            self._dispatcher.halt(why)


def _asked(simulation: Simulation, chosen: Chosen, believed: Position) -> Witness:
    """What the simulated layout says of a confirmed position."""
    truth, track = simulation.truth(), chosen.track
    standing = {where: [v.name for v in found] for where, found in truth.on.items() if where in track.segments}
    real = Position.of(track, standing)
    train = set(train_of(track, believed, chosen.puzzle.locomotive, End.TO).vehicles)

    def parked(position: Position) -> list[list[str]]:
        return [[v for v in vehicles if v not in train] for _, vehicles in position.segments]

    return Witness(
        line=truth.line,
        reached=chosen.goal.reached(real, track.locomotives)
        and all(truth.coupled_up(real.in_segment(real.where(engine)[0])) for engine in chosen.goal.trains),
        agrees=parked(real) == parked(believed),
        incidents=tuple(str(incident) for incident in simulation.incidents),
    )


def _simulated(setting: Setting) -> Simulation:
    """The simulated layout on this loop's clock, as the setting has it."""
    from railsim.embed import Simulation
    from railsim.setup import Setup

    setup = Setup(dict(setting.start.segments), facing=dict.fromkeys(setting.track.locomotives, setting.facing))
    seed = crc32(setting.seed.encode(errors="surrogateescape"))
    return Simulation(setting.built, setting.wiring, setup, seed=seed)
