"""A DCC-EX station on a link: commands go down as frames with a fence behind each, events come up.

The running event loop's clock is the only one. Every event is emitted in a pass of its own of that loop, so whoever
sends is never called back in the middle of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from pointsman.drivers.dccex.addresses import Addresses
from pointsman.drivers.dccex.halt import DRAINED_AFTER_S, LAST_STOPS_S, StationHalt
from pointsman.drivers.dccex.link import Link
from pointsman.drivers.dccex.overheard import Overheard
from pointsman.drivers.dccex.proof import why_not
from pointsman.drivers.dccex.reports import Reports
from pointsman.drivers.dccex.setup import (
    Heard,
    RestartedInSetupError,
    Seeker,
    compare,
    make_safe,
    unanswered,
    went_early,
)
from pointsman.drivers.dccex.units import STOP, Units
from pointsman.drivers.dccex.window import Unit, Window
from pointsman.drivers.halt import Halting, check_release, refusal
from pointsman.drivers.patience import ANSWERS_WITHIN_S, LATE_AFTER_S, Patience
from pointsman.drivers.teller import Teller
from pointsman.errors import LinkLostError, PointsmanError, StationError
from pointsman.messages import (
    Command,
    EmergencyStop,
    Event,
    LinkLost,
    LinkState,
    LinkUp,
    OverCurrent,
    StationRestarted,
    Stop,
)
from pointsman.protocols.dccex import HostReader, Reply
from pointsman.protocols.dccex.replies import Done, FenceReached, Greeting, Refused
from pointsman.track.wiring import Wiring
from pointsman.transports.base import Transport

LISTEN_FIRST_S = 3.0
"""A board that was reset by opening its port greets by itself; only then is it asked."""
KEEP_ALIVE_S = 1.0
BETWEEN_WRITES_S = 0.01
"""For a board to read 40 bytes at 115200 baud takes 3.5 ms; its ring holds 64."""
SETUP_TRIES = 3


class DccExDriver:
    """Drives one station.

    ``emit`` gets the events. ``halted`` is the latch: set by an emergency stop, a restart of the station, an
    over-current or a lost link; until ``release`` (a person's act) nothing may move. After a LinkLost or
    StationRestarted ``open`` must be awaited again; it asks everything anew and does not release the latch. Opening
    again after a LinkLost opens the port anew, so a guardian must be started anew with the new descriptors.
    """

    def __init__(
        self,
        transport: Transport,
        wiring: Wiring,
        *,
        emit: Callable[[Event], None],
        station: str | None = None,
        listen_first_s: float = LISTEN_FIRST_S,
    ) -> None:
        self.halted = False
        self.greeting = ""
        self.link = Link.CLOSED
        self._transport = transport
        self._listen_first_s = listen_first_s
        self._addresses = Addresses(wiring, station)
        self._tell = Teller(self._addresses.station, emit)
        self._reader = HostReader()
        self._window = Window()
        self._units = Units(self._addresses)
        self._overheard = Overheard(self._addresses, self._units.has_set)
        self._reports = Reports(self._addresses, self._window, self._overheard)
        self._heard: Heard | None = None
        self._halting = Halting(StationHalt, self._write_halt, self._tell.accept, self._tell.reject)
        self._stops_failed = 0
        self._keep_alive_timer: asyncio.TimerHandle | None = None
        self._patience = Patience(self._late, self._overdue)
        transport.listen(self._on_data, self._lost, self._tell.note)

    # ------------------------------------------------------------ opening and closing

    async def open(self) -> None:
        """Open the link, or ask everything again on it; ends with the beams' first states, the power and LinkUp.

        First of all outputs are switched off and every locomotive is stopped. Raises PortError, LinkLostError, or
        StationError: nobody answers within a minute, the station does not know what the wiring names, or somebody
        else was driving this layout (which was stopped nevertheless).
        """
        self._loop = asyncio.get_running_loop()
        self._stop_timers()
        self._stops_failed = 0
        self._halting.give_up("the link is being opened again")
        if self.link is Link.SILENT:
            await self._transport.close()
        self._give_back(self._window.drop_all(), "the link is being opened again")
        self._tell.link(LinkState.OPENING, f"{self._transport.name} is being opened")
        try:
            await self._transport.open()
            for tries_left in reversed(range(SETUP_TRIES)):
                try:
                    await self._set_up()
                    break
                except RestartedInSetupError:
                    if not tries_left:
                        raise StationError(
                            f"the station restarted {SETUP_TRIES} times while it was set up",
                            where=self._transport.name,
                            cure="look at its power supply and cable",
                        ) from None
        except BaseException as error:
            self.link = Link.CLOSED
            self._tell.link(LinkState.CLOSED, error.what if isinstance(error, PointsmanError) else "broken off")
            self._heard = None
            self._stop_timers()
            await self._transport.close()
            raise
        self.link = Link.UP
        self._tell.link(LinkState.UP, self.greeting)
        self._reports.live = True
        now = self._loop.time()
        for event in self._reports.first_states(now):
            self._tell.event(event)
        self._tell.event(LinkUp(now, self.greeting))
        self._keep_alive_timer = self._loop.call_later(KEEP_ALIVE_S, self._keep_alive)

    async def _set_up(self) -> None:
        where = self._transport.name
        restarted = self.link is Link.RESTARTED
        self._heard = heard = Heard(greeting=self.greeting if restarted else "", booted=restarted)
        self.link = Link.SEEKING
        self._reports.start_afresh()
        self._window.forget()
        seeker = Seeker(heard, self._seek_write, where)
        self.greeting = await seeker.find(self._listen_first_s)
        await seeker.get_in_step()
        self._heard = None
        self.link = Link.SETTING_UP
        if heard.booted:
            self._overheard.forget()
        self._window.settle(self._units.off())
        missing_outputs = await make_safe(self._ask, self._addresses, where)
        self._overheard.check(where)
        await compare(self._ask, self._addresses, where, missing_outputs)
        self._overheard.check(where)
        self._units.start_afresh()
        self._window.settle(self._units.at_rest())

    def _seek_write(self, data: bytes) -> None:
        if not self._transport.is_open:
            raise went_early(self._transport.name)
        self._transport.write(data)

    def _ask(self, frames: bytes) -> asyncio.Future[list[Reply]]:
        """The replies to these frames, up to their fence."""
        return self._answer_to(Unit(frames))

    def _answer_to(self, unit: Unit) -> asyncio.Future[list[Reply]]:
        unit.answer = self._loop.create_future()
        if self.link is Link.SETTING_UP:
            self._window.queue([unit])
            self._pump()
        else:
            unit.answer.set_exception(unanswered(self.link, self._transport.name))
        return unit.answer

    async def close(self) -> None:
        """Stop every locomotive, switch outputs off and the main track's power off, then close the link."""
        answers: list[asyncio.Future[list[Reply]]] = []
        try:
            await self._halting.over(LAST_STOPS_S)
            self._halting.give_up("the link is being closed")
            if self.link in (Link.UP, Link.RESTARTED):
                self._give_back(self._window.drop_queue(), "the link is being closed")
                self.link = Link.SETTING_UP
                answers = [self._answer_to(unit) for unit in self._units.closing()]
                await asyncio.wait(answers, timeout=ANSWERS_WITHIN_S)
            await self._halting.over(LAST_STOPS_S)
            if self.link is Link.SILENT:
                # Let it read what it was sent; one write each: what its receive ring does not hold is lost.
                await asyncio.sleep(DRAINED_AFTER_S)
                for frames in self._units.guardian():
                    self._write(frames)
                    await asyncio.sleep(BETWEEN_WRITES_S)
        finally:
            self.link = Link.CLOSED
            self._tell.link(LinkState.CLOSED, "closed")
            self._halting.give_up("the link is closed")
            self._stop_timers()
            self._give_back(self._window.drop_all(), "the link is closed")
            # every one is looked at: to asyncio an exception that nobody sees is a fault of the program
            failed = [error for answer in answers if (error := answer.exception()) is not None]
            if failed:
                self._tell.note(f"while closing: {failed[0].args[0]}")
            await self._transport.close()

    def guardian_frames(self) -> tuple[bytes, ...]:
        """What a guardian writes when this process dies: the stop, outputs off, and at last the power off."""
        return self._units.guardian()

    # ------------------------------------------------------------ commands

    def send(self, command: Command, number: int) -> None:
        """Send a command; ``Accepted(number)`` or ``Rejected(number)`` comes later, from the fence behind it.

        It is accepted only when the station says that the machine has what was asked for. Stops are written at once
        unless the station's ring is full of them; everything else waits until little enough is under way. A stop that
        is not confirmed so becomes an emergency stop. Raises ProtocolError for a name or number that this station
        cannot have.
        """
        match command:
            case EmergencyStop():
                self._begin_halt(cut_power=False, number=number)
            case Stop():
                self._stop(command, number)
            case _:
                if why := refusal(command, halted=self.halted, unconfirmed=self._halting.halt is not None):
                    self._tell.reject(number, why)
                else:
                    self._enqueue(self._units.of(command, number), number)

    def halt(self, *, power_off: bool = False) -> None:
        """Stop everything now, past every queue, and again every 100 ms until a fence confirms it.

        The power is cut when no fence came within 300 ms, or at once with ``power_off``.
        """
        self._begin_halt(cut_power=power_off, number=None)

    def beat(self) -> bool:
        """Nobody here waits for a heartbeat."""
        return False

    def release(self) -> None:
        """A person's act: take the latch off. Every locomotive is set to speed 0 before anything else can go out.

        Raises StationError when the link is not up or the stop is not confirmed yet.
        """
        unconfirmed = self._halting.halt is not None
        check_release(up=self.link is Link.UP, unconfirmed=unconfirmed, where=self._transport.name)
        self._window.queue(self._units.standing())
        self.halted = False
        self._stops_failed = 0
        self._pump()

    def _stop(self, command: Stop, number: int) -> None:
        unit = self._units.drive(command, number)
        overtaken = self._window.drop_queue(drives=command.locomotive)
        if self.link is Link.UP:
            if self._window.takes_stop(unit):
                self._transmit(unit)
            else:
                self._window.queue_first(unit)
        else:
            if self.link in (Link.SILENT, Link.RESTARTED):
                # no answer can be waited for, but perhaps it is heard
                self._write(unit.wire)
            self._tell.reject(number, self.link.refusal)
        self._give_back(overtaken, "overtaken by a stop")

    def _enqueue(self, units: list[Unit], number: int) -> None:
        if self.link is not Link.UP:
            self._tell.reject(number, self.link.refusal)
            return
        self._window.queue(units)
        self._pump()

    # ------------------------------------------------------------ stopping everything

    def _begin_halt(self, *, cut_power: bool, number: int | None) -> None:
        self.halted = True
        if self._transport.is_open and self.link in (Link.UP, Link.SILENT, Link.RESTARTED):
            self._halting.begin(cut_power=cut_power, number=number)
        else:
            if self._transport.is_open:
                # being set up, which stops everything anyway; without a fence, which would upset the counting
                self._write(STOP)
            self._tell.reject(number, self.link.refusal)
        if self.link is not Link.SETTING_UP:
            self._give_back(self._window.drop_queue(), "everything was stopped")

    def _write_halt(self, halt: StationHalt) -> None:
        """One write: the stop, the cut if it is due, the fence."""
        unit = self._units.halt(cut_power=halt.cut_power)
        if self.link is Link.UP:
            self._transmit(unit)
        else:
            self._write(unit.wire)
            if halt.cut_power and not halt.outputs_off:
                halt.outputs_off = True
                self._write(b"".join(off.frames for off in self._units.all_off()))

    def _halt_confirmed(self) -> None:
        halt = self._halting.confirmed()
        if halt is None:
            return
        if self.link is Link.UP:
            self._window.queue(self._units.confirming(cut_power=halt.cut_power))
            self._pump()
        elif self.link is Link.SILENT:
            self._tell.note("the station answers again and has stopped everything; open the link again to go on")

    def _stop_failed(self) -> None:
        """A locomotive does not stand that must: the emergency stop; if that fails too, the power off; no more."""
        self._stops_failed += 1
        if self._stops_failed <= 2:
            self._begin_halt(cut_power=self._stops_failed == 2, number=None)

    # ------------------------------------------------------------ writing

    def _pump(self) -> None:
        while (unit := self._window.next_unit(self._loop.time())) is not None:
            if unit.batch is not None and unit.batch.failed:
                self._give_back([unit], "a part of it was rejected by the station (<X>)")
            else:
                self._transmit(unit)

    def _transmit(self, unit: Unit) -> None:
        self._window.sent(unit, self._loop.time())
        self._watch()
        self._write(unit.wire)

    def _write(self, data: bytes) -> None:
        if data and self._transport.is_open:
            try:
                self._transport.write(data)
            except LinkLostError as lost:
                # the transport calls on_lost too, in the next pass; by then this is known
                self._lost(lost.what)

    def _watch(self) -> None:
        """Let missing answers be noticed in time."""
        self._patience.wait(self._window.answers_due_t_s if self._window.under_way else None)

    def _keep_alive(self) -> None:
        self._keep_alive_timer = self._loop.call_later(KEEP_ALIVE_S, self._keep_alive)
        if self.link is Link.UP and not self._window.under_way:
            # the overload text goes to USB only, so where there is a track manager the currents are asked for
            self._window.queue([self._units.keep_alive(currents=self._reports.knows_tracks)])
            self._pump()

    # ------------------------------------------------------------ reading

    def _on_data(self, data: bytes) -> None:
        if self._heard is not None:
            self._heard.data(data, self._loop.time())
            if not self._heard.asked:
                self._tell.link(LinkState.BOOTING, "the station talks by itself, as it does when it starts")
        for reply in self._reader.feed(data):
            self._on_reply(reply)

    def _on_reply(self, reply: Reply) -> None:
        if self._heard is not None:
            self._heard.reply(reply)
        match reply:
            case FenceReached() if self.link in (Link.UP, Link.SETTING_UP):
                self._fence()
            case FenceReached() if self.link in (Link.SILENT, Link.RESTARTED):
                self._silent_fence()
            case Greeting(text) if self.link in (Link.UP, Link.SETTING_UP, Link.RESTARTED):
                self._restarted(text)
            case Refused() | Done():
                # nothing here defines or deletes: a lost byte made a deletion of a command (<T 1 1> without its end)
                self._window.rejection()
        if self._window.under_way:
            self._window.under_way[0].replies.append(reply)
        for event in self._reports.digest(reply, self._loop.time()):
            if isinstance(event, OverCurrent):
                self._latch("the station reports a short circuit")
            self._tell.heard(event)

    def _fence(self) -> None:
        unit = self._window.fence()
        self._watch()
        if self.link is Link.UP:
            self._tell.link(LinkState.UP, self.greeting)
        if unit is None:
            return
        why = why_not(unit, self._addresses, self._reports.main_power)
        if why:
            unit.fail()
        else:
            self._window.settle(unit.effects)
        if unit.answer is not None and not unit.answer.done():
            unit.answer.set_result(unit.replies)
        if unit.number is not None:
            if why:
                self._tell.reject(unit.number, why)
            else:
                self._tell.accept(unit.number)
        elif why and unit.effects and not unit.halt:
            # a stop, or a magnet switched off, of our own accord
            self._latch("")
            self._tell.note(f"{(unit.frames or unit.query).decode('ascii')}: {why}; everything stays stopped")
        if why and unit.stops:
            self._stop_failed()
        if unit.halt:
            self._halt_confirmed()
        self._pump()

    def _silent_fence(self) -> None:
        halt = self._halting.halt
        if halt is None or halt.answered:
            self._halt_confirmed()
        else:
            halt.answered = True
            self._halting.write()

    def _restarted(self, greeting: str) -> None:
        if self.link is Link.UP:
            self._tell.event(StationRestarted(self._loop.time(), greeting))
        self.greeting = greeting
        self.link = Link.RESTARTED
        self._tell.link(LinkState.LOST, "the station restarted")
        self._reports.start_afresh()
        self._window.forget()
        self._latch("the station restarted")
        self._give_back(self._window.drop_all(), "the station restarted")
        self._watch()

    def _overdue(self) -> None:
        """No answer: never silently alive. Stops are tried on, perhaps only the way back is broken."""
        if self.link is Link.SETTING_UP:
            self.link = Link.SILENT
            self._give_back(self._window.drop_all(), "")
            if self._reports.live:
                self._begin_halt(cut_power=True, number=None)
            return
        why = f"the station has not answered everything within {ANSWERS_WITHIN_S:g} s"
        self.link = Link.SILENT
        self._tell.link(LinkState.LOST, why)
        self._reports.live = False
        self._tell.event(LinkLost(self._loop.time(), why))
        self._give_back(self._window.drop_all(), why)
        self._begin_halt(cut_power=False, number=None)

    def _lost(self, reason: str) -> None:
        before, self.link = self.link, Link.CLOSED
        self._tell.link(LinkState.LOST, reason)
        self._stop_timers()
        self._latch(reason)
        if before in (Link.UP, Link.RESTARTED):
            self._tell.event(LinkLost(self._loop.time(), reason))
        if self._heard is not None:
            self._heard.changed.set()
        self._halting.give_up(reason)
        self._give_back(self._window.drop_all(), reason)

    # ------------------------------------------------------------ telling

    def _latch(self, why: str) -> None:
        self.halted = True
        if self.link is not Link.SETTING_UP:
            # what makes everything safe goes on
            self._give_back(self._window.drop_queue(), why)

    def _give_back(self, units: Iterable[Unit], why: str) -> None:
        """Units that will not be executed, or not known to be."""
        for unit in units:
            if unit.answer is not None and not unit.answer.done():
                unit.answer.set_exception(unanswered(self.link, self._transport.name))
            self._tell.reject(unit.number, why)

    def _late(self) -> None:
        if self.link is Link.UP:
            self._tell.link(LinkState.DOUBTFUL, f"no answer for {LATE_AFTER_S:g} s")

    def _stop_timers(self) -> None:
        self._tell.end_stretch()
        self._patience.end()
        if self._keep_alive_timer is not None:
            self._keep_alive_timer.cancel()
        self._keep_alive_timer = None
