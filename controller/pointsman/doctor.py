"""The composition root of ``doctor``: a link that only asks, in steps between which a person can be asked.

It has the link from ``links``, and no driver: the driver's way of opening one stops whoever is driving. What is
peculiar to DCC-EX (definitions, currents) is the ``Doctor``'s; other stations are listened to, and the machines of a
node can be moved.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pointsman.dispatch.guardian import Guarded, Guardian
from pointsman.drivers.dccex.addresses import Addresses
from pointsman.drivers.dccex.defining import define
from pointsman.drivers.dccex.driver import LISTEN_FIRST_S
from pointsman.drivers.dccex.examiner import Examiner
from pointsman.drivers.dccex.findings import Findings, examine
from pointsman.drivers.dccex.lines import Definition, Definitions, definitions
from pointsman.drivers.dccex.moving import Mover, check_nobody_drives
from pointsman.drivers.dccex.vigil import Vigil
from pointsman.drivers.hearing import Ear, Seen, Told
from pointsman.drivers.jmri.hearing import JmriEar
from pointsman.drivers.moved import Moved
from pointsman.drivers.node.hearing import NodeEar
from pointsman.drivers.node.moving import NodeMover
from pointsman.errors import StationError, StoppedError, UsageError
from pointsman.links import On, Target, link_to, simulated, simulated_link
from pointsman.posix import endings
from pointsman.protocols.dccex import Reply
from pointsman.protocols.dccex.replies import LocomotiveState, Saved
from pointsman.track.model import Track
from pointsman.track.wiring import Protocol, Wiring
from pointsman.transports.base import Transport
from pointsman.transports.mqtt_base import MqttLink

CTRL_C = 130
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patient:
    """A layout with its wiring, of which one station is looked at."""

    track: Track
    wiring: Wiring
    wiring_file: Path
    addresses: Addresses


@dataclass(slots=True)
class _Cabs:
    """Locomotives that were heard of, with their last speed."""

    speeds: dict[int, int] = field(default_factory=dict)

    def hear(self, reply: Reply) -> None:
        if isinstance(reply, LocomotiveState) and reply.register >= 0:
            self.speeds[reply.cab] = reply.speed


class _Steps:
    """Something that is done in steps between which a person can be asked; to be used in a ``with``."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the link; nothing is sent."""
        try:
            self._runner.run(self._stack.aclose())
        finally:
            self._runner.close()

    def _run(self, step: Awaitable[T]) -> T:
        async def stoppable() -> T:
            task, loop = asyncio.current_task(), asyncio.get_running_loop()
            assert task is not None
            ended: list[BaseException] = []

            def stop(why: str, code: int) -> None:
                ended.append(StoppedError(why, code))
                task.cancel()

            def fault(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
                # A callback raised, perhaps because nobody reads what is printed: nothing goes on after that.
                ended.append(context.get("exception") or RuntimeError(context["message"]))
                task.cancel()

            loop.set_exception_handler(fault)
            with endings(loop, stop):
                try:
                    return await step
                except asyncio.CancelledError:
                    if not ended:
                        raise
                    raise ended[0] from None

        return self._runner.run(stoppable())

    def _until_stopped(self, seconds: float | None, step: Awaitable[None]) -> None:
        """Do a step for so long; None is until Ctrl-C, which then is no error."""
        try:
            self._run(step)
        except StoppedError as stopped:
            if stopped.code != CTRL_C or seconds is not None:
                raise


class Doctor(_Steps):
    """A station under examination; to be used in a ``with``, in the main thread.

    Each method blocks until it is done, and raises StoppedError when a person or the system ends it. Between two of
    them nothing is on its way and nothing is energised. ``note`` hears what a person should know of the port.
    """

    def __init__(self, target: Target, patient: Patient | None, note: Callable[[str], None]) -> None:
        if target.on is On.SIM and patient is None:
            raise UsageError(
                "the simulated layout needs a layout", cure="name one: pointsman doctor inglenook --on sim"
            )
        super().__init__()
        self._target = target
        self._patient = patient
        self._note = note
        self._cabs = _Cabs()
        self._vigil: Vigil | None = None
        self._transport: Transport | None = None
        self._examiner: Examiner | None = None

    # ------------------------------------------------------------ the steps

    def examine(self) -> Findings:
        """Open the link, if it is not open, and ask for everything. Raises PortError, LinkLostError, StationError."""
        return self._run(self._examine())

    def definitions(self, found: Findings) -> Definitions:
        """What would be sent to define what the station lacks, or has otherwise.

        Raises LayoutError when the wiring does not say enough.
        """
        patient = self._layout()
        wanted = definitions(patient.wiring, patient.addresses.station, str(patient.wiring_file), found.shield)
        return wanted.against(found.lines)

    def check_nobody_drives(self, found: Findings) -> None:
        """Raise StationError when a locomotive runs: then nothing else may be moved."""
        check_nobody_drives(found, self._cabs.speeds, str(self._target))

    def define(self, found: Findings, lines: Iterable[Definition]) -> Saved | None:
        """Send definitions and keep them; what was kept, or None where the station cannot."""
        self.check_nobody_drives(found)
        return self._run(define(self._open(), lines))

    def move(self, found: Findings, tell: Callable[[Moved], None]) -> list[Moved]:
        """Try every turnout and magnet; ``tell`` hears of each. Raises StationError and LinkError."""
        self.check_nobody_drives(found)
        return self._run(self._move(found, tell))

    def watch(self, seconds: float | None, ready: Callable[[], None], tell: Callable[[Seen], None]) -> None:
        """Tell every change for so long; None is until Ctrl-C, which then is no error.

        ``ready`` is called when it has begun.
        """
        vigil = Vigil(self._open(), None if self._patient is None else self._patient.addresses, tell)
        self._vigil = vigil
        try:
            self._until_stopped(seconds, vigil.keep(seconds, ready))
        finally:
            self._vigil = None

    # ------------------------------------------------------------ inside

    def _open(self) -> Examiner:
        assert self._examiner is not None, "examine() opens the link"
        return self._examiner

    def _layout(self) -> Patient:
        assert self._patient is not None, "only with a layout"
        return self._patient

    async def _examine(self) -> Findings:
        if self._examiner is None:
            self._transport = await self._stack.enter_async_context(self._link())
            examiner = Examiner(self._transport, self._hear, self._note)
            self._stack.push_async_callback(examiner.close)
            # A network connection resets nothing: there is no greeting to be waited for.
            await examiner.open(0.0 if self._target.on is On.TCP else LISTEN_FIRST_S)
            self._examiner = examiner
        return await examine(self._examiner, None if self._patient is None else self._patient.addresses)

    def _hear(self, reply: Reply) -> None:
        self._cabs.hear(reply)
        if self._vigil is not None:
            self._vigil.hear(reply)

    async def _move(self, found: Findings, tell: Callable[[Moved], None]) -> list[Moved]:
        patient, examiner = self._layout(), self._open()
        task = asyncio.current_task()
        assert task is not None
        guardian: Guardian | None = None
        gone: list[str] = []

        def died(why: str) -> None:
            gone.append(why)
            if not mover.switching_off:
                task.cancel()

        def watched(energised: bool) -> None:
            if guardian is None:
                return
            if not energised:
                guardian.rest()
            elif not guardian.alive_now():
                raise StationError(
                    "the guardian process has ended: nothing is moved without it",
                    where=examiner.where,
                    cure="try again",
                )

        mover = Mover(
            examiner, patient.addresses, patient.wiring, tell, watched, lambda: self.check_nobody_drives(found)
        )
        assert self._transport is not None
        fds = self._transport.guardian_fds()
        if fds:
            guardian = await Guardian.start([Guarded(fds, mover.guardian_frames())], died)
        try:
            return await mover.move(found)
        except asyncio.CancelledError:
            if gone:
                raise StationError(gone[0], where=examiner.where, cure="try again") from None
            raise
        finally:
            if guardian is not None:
                await guardian.goodbye()

    @asynccontextmanager
    async def _link(self) -> AsyncIterator[Transport]:
        if self._target.on is On.SIM:
            patient = self._layout()
            simulation = simulated(patient.track, patient.wiring, {}, {})
            try:
                station = patient.addresses.station
                yield _wire(await simulated_link(simulation, station, Protocol.DCCEX, by_pty=False))
            finally:
                await simulation.close()
        else:
            yield _wire(link_to(self._target))


def _wire(link: Transport | MqttLink) -> Transport:
    assert isinstance(link, Transport), "a DCC-EX station is at a port or on the network"
    return link


class Listening(_Steps):
    """A station behind JMRI or at an MQTT broker, or a node, which is listened to and told nothing but by ``move``.

    To be used as a ``Doctor`` is; ``tell`` hears of every change.
    """

    def __init__(
        self, target: Target, track: Track, wiring: Wiring, station: str, tell: Callable[[Seen], None]
    ) -> None:
        super().__init__()
        self._target = target
        self._track = track
        self._wiring = wiring
        self._station = station
        self._tell = tell
        self._ear: Ear | None = None

    @property
    def ear(self) -> Ear:
        """What is heard; once ``listen`` was called."""
        assert self._ear is not None, "listen() makes it"
        return self._ear

    def listen(self) -> list[Told]:
        """Open the link, and hear how everything is. Raises LinkError."""
        return self._run(self._listen())

    def watch(self, seconds: float | None, ready: Callable[[], None]) -> None:
        """Tell every change for so long; None is until Ctrl-C, which then is no error."""
        ready()
        self._until_stopped(seconds, self.ear.keep(seconds))

    def move(self, tell: Callable[[Moved], None], *, coils: bool) -> list[Moved]:
        """Try every servo of a node, and with ``coils`` what it has to be armed for; ``tell`` hears of each.

        Raises StationError, also when somebody drives there, and LinkError.
        """
        return self._run(NodeMover(self.node, tell).move(coils=coils))

    @property
    def node(self) -> NodeEar:
        """What is heard of a node."""
        assert isinstance(self._ear, NodeEar), "only a node is told anything"
        return self._ear

    async def _listen(self) -> list[Told]:
        link = await self._link()
        if isinstance(link, MqttLink):
            from pointsman.drivers.mqtt.hearing import MqttEar

            self._ear = MqttEar(link, self._wiring, self._tell, self._station)
        elif self._wiring.stations[self._station].protocol is Protocol.NODE:
            self._ear = NodeEar(link, self._wiring, self._tell, self._station)
        else:
            self._ear = JmriEar(link, self._wiring, self._tell, self._station)
        self._stack.push_async_callback(self._ear.close)
        await self._ear.open()
        return self._ear.told()

    async def _link(self) -> Transport | MqttLink:
        if self._target.on is not On.SIM:
            return link_to(self._target, self._wiring.stations[self._station])
        simulation = simulated(self._track, self._wiring, {}, {})
        self._stack.push_async_callback(simulation.close)
        speaks = self._wiring.stations[self._station].protocol
        return await simulated_link(simulation, self._station, speaks, by_pty=False)
