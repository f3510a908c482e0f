"""The composition root: the one place that picks concrete classes, and alone may know the simulated layout."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
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
from pointsman.drivers.dccex import DccExDriver
from pointsman.drivers.jmri import JmriDriver
from pointsman.errors import (
    HaltedError,
    JournalError,
    PointsmanError,
    StoppedError,
    UsageError,
)
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
from pointsman.track.wiring import Protocol as Speaks
from pointsman.track.wiring import Wiring
from pointsman.transports.base import Transport
from pointsman.transports.memory import memory_pair
from pointsman.transports.mqtt_base import MqttLink
from pointsman.transports.serial import SerialTransport
from pointsman.transports.tcp import TcpTransport
from pointsman.transports.websocket import JMRI_PORT, WebSocketTransport

if TYPE_CHECKING:
    from pointsman.drivers.mqtt import MqttDriver
    from railsim.embed import Simulation

ResultT = TypeVar("ResultT")

DCCEX_TCP_PORT = 2560
_HOST_AND_PORT = re.compile(r"(\[(?P<v6>[^\[\]]+)\]|(?P<host>[^:\[\]]+))(:(?P<port>[0-9]{1,5}))?")
HARDWARE_CAP_MM_S = 60.0
"""Without a relay in the track feed nothing outside the computer stops a train: then nothing goes faster."""


class On(StrEnum):
    """What a play runs on."""

    SIM = "sim"
    SERIAL = "serial"
    TCP = "tcp"
    JMRI = "jmri"
    MQTT = "mqtt"


_PORTS = {On.TCP: DCCEX_TCP_PORT, On.JMRI: JMRI_PORT, On.MQTT: 0}
"""Those that are on the network, with the port when none is given; a broker's depends on whether it is encrypted."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the layout is: simulated, at a serial port, at a station on the network, behind JMRI, or at an MQTT broker.

    Port 0 of a broker is its usual one, with or without encryption.
    """

    on: On
    address: str = ""
    port: int = 0

    def __str__(self) -> str:
        host = f"[{self.address}]" if ":" in self.address else self.address
        if self.on in _PORTS:
            return f"{self.on}:{host}" + (f":{self.port}" if self.port else "")
        return f"serial:{self.address}" if self.on is On.SERIAL else "sim"


def parse_target(text: str) -> Target:
    """``sim``, ``serial:PORT``, or ``HOST[:PORT]`` after ``tcp:``, ``jmri:`` or ``mqtt:``. Raises UsageError."""
    kind, _, rest = text.partition(":")
    if text == On.SIM:
        return Target(On.SIM)
    if kind == On.SERIAL and rest:
        return Target(On.SERIAL, rest)
    if kind in _PORTS and rest:
        # An address of IPv6 has colons of its own and stands in brackets.
        found = _HOST_AND_PORT.fullmatch(rest)
        if found and (found["port"] is None or 0 < int(found["port"]) < 65536):
            return Target(On(kind), found["v6"] or found["host"], int(found["port"] or _PORTS[On(kind)]))
    raise UsageError(
        f"--on {text!r} is not understood",
        cure="write sim, serial:/dev/ttyACM0, tcp:192.168.4.1:2560, jmri:192.168.1.20:12080, or mqtt:192.168.4.1",
    )


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
            async with self._link() as (transport, simulation):
                result = await self._hold(transport, simulation, journal)
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

    @asynccontextmanager
    async def _link(self) -> AsyncIterator[tuple[Transport | MqttLink, Simulation | None]]:
        """The transport of the target; with the simulated layout behind it when that is the target."""
        match self._setting.target:
            case Target(on=On.SERIAL, address=address):
                yield SerialTransport(address), None
            case Target(on=On.TCP, address=address, port=port):
                yield TcpTransport(address, port), None
            case Target(on=On.JMRI, address=address, port=port):
                yield WebSocketTransport(address, port), None
            case Target(on=On.MQTT, address=address, port=port):
                from pointsman.drivers.mqtt.settings import broker_settings
                from pointsman.transports.mqtt import BrokerLink

                yield BrokerLink(broker_settings(address, port, os.environ)), None
            case _:
                async with _simulated(self._setting) as (transport, simulation):
                    yield transport, simulation

    async def _hold(self, transport: Transport | MqttLink, simulation: Simulation | None, journal: Journal) -> ResultT:
        setting, loop = self._setting, asyncio.get_running_loop()
        track, allow = as_driven(setting.track, setting.wiring), setting.allow
        cap = cap_of(setting.target)
        belief = at_setup(track, setting.start, setting.facing, allow.mark_error_mm, allow.setup_error_mm)
        planner = Planner(track, setting.wiring, allow, cap, couple_up=setting.couple_up)
        driver = _driver(setting, transport, self._receive)
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
                guarded = Guarded(transport.guardian_fds(), driver.guardian_frames())
                self._guardian = await Guardian.start([guarded], self._guardian_gone)
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


def _behind_jmri(wiring: Wiring) -> bool:
    return any(made.protocol is Speaks.JMRI for made in wiring.stations.values())


def _driver(
    setting: Setting, transport: Transport | MqttLink, emit: Callable[[Event], None]
) -> DccExDriver | JmriDriver | MqttDriver:
    """The driver for what the target speaks; the simulated layout speaks what the wiring says."""
    if isinstance(transport, MqttLink):
        from pointsman.drivers.mqtt import MqttDriver

        return MqttDriver(transport, setting.wiring, emit=emit)
    if setting.target.on is On.JMRI or (setting.target.on is On.SIM and _behind_jmri(setting.wiring)):
        return JmriDriver(transport, setting.wiring, emit=emit)
    return DccExDriver(transport, setting.wiring, emit=emit)


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


@asynccontextmanager
async def _simulated(setting: Setting) -> AsyncIterator[tuple[Transport, Simulation]]:
    """The simulated layout on this loop's clock, behind a real pseudo-terminal when the clock has a pace.

    A clock that jumps is no match for a terminal, so then (and where there are no pseudo-terminals, and for JMRI, which
    has texts) the bytes go through memory. Either way the clock stands still while bytes are on their way.
    """
    from railsim.clock import VirtualLoop
    from railsim.embed import Simulation
    from railsim.setup import Setup

    setup = Setup(dict(setting.start.segments), facing=dict.fromkeys(setting.track.locomotives, setting.facing))
    seed = crc32(setting.seed.encode(errors="surrogateescape"))
    simulation = Simulation(setting.built, setting.wiring, setup, seed=seed)
    loop = asyncio.get_running_loop()
    try:
        if setting.speed is None or sys.platform == "win32" or _behind_jmri(setting.wiring):
            host, station = memory_pair("the simulated layout")
            await station.open()
            link = simulation.memory(station.write)
            station.listen(link.write, lambda _: None)
            yield host, simulation
        else:
            pty = simulation.open_pty()
            transport = SerialTransport(pty.path)
            if isinstance(loop, VirtualLoop):
                loop.hold_while(
                    lambda: (
                        transport.is_open
                        and (transport.sent_bytes, transport.received_bytes) != (pty.received_bytes, pty.sent_bytes)
                    )
                )
            yield transport, simulation
    finally:
        await simulation.close()
