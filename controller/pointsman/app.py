"""The composition root: it puts a play together from its parts, and holds it.

Links and the simulated layout it has from ``links``; of the latter it knows its clock and what it says when asked
(docs/adr/0005).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar
from zlib import crc32

from platformdirs import user_data_dir

from pointsman.dispatch.control import Ask, Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.guardian import Guarded, Guardian
from pointsman.dispatch.journal import PLACED_BY, Journal
from pointsman.errors import (
    HaltedError,
    JournalError,
    PointsmanError,
    StoppedError,
)
from pointsman.links import On, StationLink, Target, drive, open_links, simulated
from pointsman.messages import Event
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.hands import HandWork
from pointsman.operate.plan import Planner
from pointsman.operate.power import by_hand, running_on
from pointsman.operate.referee import Score
from pointsman.operate.steps import TurnoutStep, UncoupleStep
from pointsman.posix import endings
from pointsman.puzzle.choice import Chosen
from pointsman.puzzle.moves import train_of
from pointsman.puzzle.position import Position
from pointsman.track.driven import as_driven
from pointsman.track.model import End, Track
from pointsman.track.wiring import Wiring

if TYPE_CHECKING:
    from railsim.embed import Simulation

ResultT = TypeVar("ResultT")
Simulated: TypeAlias = "Simulation"
"""The simulated layout, for those who may not know more of it than ``asked`` says."""

ELSEWHERE = f"make room there, or give a place on another disk with {PLACED_BY}"
HARDWARE_CAP_MM_S = 60.0
"""Without a relay in the track feed nothing outside the computer stops a train: then nothing goes faster."""


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
    def sound(self) -> bool:
        """Whether belief and truth are one, and nothing was bumped or derailed, wherever it ended."""
        return self.agrees and not self.incidents

    @property
    def good(self) -> bool:
        """The same, and the goal is reached."""
        return self.reached and self.sound


def journal_path(name: str) -> Path:
    """A new place for a journal in the user's data folder, named after the moment and the puzzle."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    return Path(user_data_dir("pointsman")) / "journals" / f"{stamp}-{name.replace('/', '-')}.journal"


def cap_of(target: Target, wiring: Wiring) -> float | None:
    """The fastest that anything may go on a target; None: the layout's own limit.

    Without a relay nothing but a hand stops a train when this computer dies; behind a broker anything may be told late.
    """
    return None if target.on is On.SIM or (wiring.relays and not _by_broker(target)) else HARDWARE_CAP_MM_S


def stops_itself(target: Target, wiring: Wiring) -> bool:
    """Whether everything that moves stops within a second when this program falls silent, however it does.

    What passes through a broker may come late: nothing is promised there.
    """
    return wiring.stops_itself and not _by_broker(target)


def _by_broker(target: Target) -> bool:
    return any(one.on is On.MQTT for one in (target, *(each for _, each in target.each)))


Stopper = Callable[[str, int], None]
"""Stops a play from any thread: why, and the exit code that goes with it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a sitting is held on.

    ``track`` is the layout as it is believed to be, ``built`` as its own file has it (what the simulated one is made
    of); ``start`` is what stands where at set-up. ``speed``, ``seed`` and ``on_simulation`` are for that one alone.
    ``score`` is what was counted before, when an earlier play is gone on with, ``entered`` what a person has put right
    for that. ``thinking``: whether a person is waited for; a simulated clock without a pace then stands still.
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
    on_simulation: Callable[[Simulation], None] | None = None
    score: Score | None = None
    entered: Mapping[str, object] | None = None
    thinking: Callable[[], bool] | None = None


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


def sit(
    errand: Errand[ResultT],
    show: Callable[[Status], None],
    on_ready: Callable[[Stopper], None],
    ask: Ask | None = None,
) -> ResultT:
    """Do an errand on its target and return what came of it; blocks.

    ``on_ready`` is given, once, what stops it from another thread. ``ask`` asks a person to do what no machine does; on
    the simulated layout a simulated hand then does it, without asking when there is nobody to ask.
    Raises RefusedError, HaltedError (StoppedError for Ctrl-C and the like), LinkError, JournalError.
    """
    sitting = _Sitting(errand, show, ask)
    factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    if errand.setting.target.on is On.SIM:
        from railsim.clock import VirtualLoop

        def factory() -> VirtualLoop:
            setting = errand.setting
            loop = VirtualLoop(setting.speed)
            loop.pause_while(lambda: sitting.asking)
            if setting.thinking is not None and setting.speed is None:
                loop.pause_while(setting.thinking)
            return loop

    with asyncio.Runner(loop_factory=factory) as runner:
        loop = runner.get_loop()
        on_ready(lambda why, code: _in_loop(loop, sitting.stop, why, code))
        return runner.run(sitting.run())


def _in_loop(loop: asyncio.AbstractEventLoop, stop: Stopper, why: str, code: int) -> None:
    with suppress(RuntimeError):  # the loop has ended: nothing moves any more
        loop.call_soon_threadsafe(stop, why, code)


class _Sitting(Generic[ResultT]):
    """One errand under way, in the running loop."""

    def __init__(self, errand: Errand[ResultT], show: Callable[[Status], None], ask: Ask | None) -> None:
        self.asking = False
        self._person = ask
        self._simulation: Simulation | None = None
        self._errand = errand
        self._setting = errand.setting
        self._stops_itself = stops_itself(self._setting.target, self._setting.wiring)
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
            if self._setting.entered is not None:
                journal.write(loop.time(), "put right", self._setting.entered)
            if self._stopped is not None:  # before there was anything to be stopped
                raise self._stopped
            setting, layout = self._setting, partial(_simulated, self._setting)
            async with open_links(setting.target, setting.wiring, layout, setting.speed) as (links, simulation):
                result = await self._hold(links, simulation, journal)
            journal.write(loop.time(), "end", self._errand.ending(result))
            return result
        except (asyncio.CancelledError, PointsmanError) as error:
            doubt = "" if self._dispatcher is None else self._dispatcher.power.doubt
            if self._stopped is None:
                if isinstance(error, PointsmanError):
                    error.cure = by_hand(doubt, error.cure, stops_itself=self._stops_itself)
                journal.write(loop.time(), "end", {"error": str(error)})
                raise
            halted = error if isinstance(error, HaltedError) else None
            running = running_on(stops_itself=self._stops_itself)
            cure = running if halted is not None and halted.cure == running else ""
            if not cure and self._stopped.code == JournalError.exit_code:
                cure = ELSEWHERE
            ending = StoppedError(
                self._stopped.what,
                self._stopped.code,
                confirmed="" if halted is None else halted.confirmed,
                believed="" if halted is None else halted.believed,
                cure=by_hand(doubt, cure, stops_itself=self._stops_itself),
            )
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
        cap = cap_of(setting.target, setting.wiring)
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
            ask=None if simulation is None and self._person is None else self._ask,
            score=setting.score,
            stops_itself=self._stops_itself,
        )
        self._dispatcher, self._simulation = dispatcher, simulation
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
            await asyncio.sleep(0)  # drivers tell in the loop's next pass: what was told last is heard too
            dispatcher.close()
            if self._guardian is not None:
                await self._guardian.goodbye()
        return self._errand.result(dispatcher, final, duration, simulation)

    def _fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A callback raised: a fault of ours, and a reason to stop before anything else."""
        self.stop(f"a fault of the program: {context.get('exception') or context['message']}", PointsmanError.exit_code)
        loop.default_exception_handler(context)

    async def _ask(self, work: HandWork) -> bool:
        """Ask the person, if there is one; on the simulated layout a simulated hand then does it."""
        if self._person is not None:
            self.asking = True
            try:
                if not await self._person(work):
                    return False
            finally:
                self.asking = False
        if self._simulation is not None:
            match work.step:
                case TurnoutStep(turnout=turnout, leg=leg):
                    self._simulation.throw_by_hand(turnout, leg)
                case UncoupleStep(uncoupler=place):
                    self._simulation.uncouple_by_hand(place)
        return True

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


def asked(simulation: Simulation, chosen: Chosen, believed: Position) -> Witness:
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
    facing = dict.fromkeys(setting.track.locomotives, setting.facing)
    seed = crc32(setting.seed.encode(errors="surrogateescape"))
    simulation = simulated(setting.built, setting.wiring, dict(setting.start.segments), facing, seed)
    if setting.on_simulation is not None:
        setting.on_simulation(simulation)
    return simulation
