"""JMRI behind a link: commands go down as messages, answers and reports come up as events.

The running event loop's clock is the only one. Every event is emitted in a pass of its own of that loop, so whoever
sends is never called back in the middle of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from pointsman.drivers.halt import STOP_REPEAT_S, Halt, Halting, check_release, refusal
from pointsman.drivers.jmri.addresses import Addresses
from pointsman.drivers.jmri.asked import Asked, Kind
from pointsman.drivers.jmri.link import Link
from pointsman.drivers.jmri.reports import Reports
from pointsman.drivers.jmri.setup import DEFAULT_HEARTBEAT_S, GREETING_WITHIN_S, SetUp, check_greeting
from pointsman.drivers.jmri.units import Units
from pointsman.drivers.jmri.window import Unit, Window
from pointsman.drivers.patience import ANSWERS_WITHIN_S, LATE_AFTER_S, Patience, late_t_s, within
from pointsman.drivers.teller import Teller
from pointsman.errors import LinkLostError, PointsmanError
from pointsman.messages import (
    Command,
    Drive,
    EmergencyStop,
    Event,
    LinkLost,
    LinkState,
    LinkUp,
    SetFunction,
    SetPower,
    SetTurnout,
    SetUncoupler,
    Stop,
)
from pointsman.protocols.jmri_json import Failure, Goodbye, Hello, Message, Ping, Pong, read, write
from pointsman.track.wiring import Wiring
from pointsman.transports.base import Transport

PING_EVERY_S = 1.0
STOPS_WITHOUT_EFFECT_S = 3.0
"""So long stops are written to a JMRI that does not confirm them. Then the connection is cut: it stops by itself."""


class JmriDriver:
    """Drives what is behind one JMRI.

    ``emit`` gets the events. ``halted`` is the latch: set by an emergency stop or a lost link; until ``release`` (a
    person's act) nothing may move. After a LinkLost ``open`` must be awaited again; it connects and asks everything
    anew and does not release the latch; a guardian must be started anew with the new descriptors.
    """

    def __init__(
        self, transport: Transport, wiring: Wiring, *, emit: Callable[[Event], None], station: str | None = None
    ) -> None:
        self.halted = False
        self.greeting = ""
        self.link = Link.CLOSED
        self._transport = transport
        self._addresses = Addresses(wiring, station)
        self._tell = Teller(self._addresses.station, emit)
        self._asked = Asked()
        self._window = Window()
        self._units = Units(self._addresses)
        self._reports = Reports(self._addresses, self._asked)
        self._hello: Hello | None = None
        self._failures: list[Failure] = []
        self._heard = asyncio.Event()
        self._why_lost = ""
        self._halting = Halting(Halt, self._write_halt, self._tell.accept, self._tell.reject)
        self._patience = Patience(self._late, self._overdue)
        self._ping_s: float | None = None
        self._timers: dict[Callable[[], None], asyncio.TimerHandle] = {}
        transport.listen(self._on_data, self._lost, self._tell.note)

    # ------------------------------------------------------------ opening and closing

    async def open(self) -> None:
        """Connect and ask everything; ends with the beams' first states, the power and LinkUp.

        First of all magnets are switched off and every locomotive is stopped. Raises PortError, LinkLostError, or
        StationError: it is no JMRI, it lacks what the wiring names, a beam's state is unknown, or somebody else was
        driving this layout (which was stopped nevertheless).
        """
        self._loop = asyncio.get_running_loop()
        self._stop_timers()
        self._halting.give_up("the link is being opened again")
        self._give_back(self._window.drop_all(), "the link is being opened again")
        await self._transport.close()
        self._asked.forget()
        self._reports.start_afresh()
        self._hello, self._ping_s = None, None
        self._heard = asyncio.Event()
        self.link = Link.SETTING_UP
        self._tell.link(LinkState.OPENING, f"{self._transport.name} is being opened")
        try:
            await self._transport.open()
            await self._until(lambda: self._hello is not None, GREETING_WITHIN_S)
            check_greeting(self._hello, self._transport.name)
            set_up = SetUp(self._ask, self._until, self._units, self._addresses, self._reports, self._failures)
            await set_up.run(self._transport.name)
        except BaseException as error:
            self.link = Link.CLOSED
            self._tell.link(LinkState.CLOSED, error.what if isinstance(error, PointsmanError) else "broken off")
            self._stop_timers()
            self._halting.give_up("the link is not up")
            await self._transport.close()
            raise
        assert self._hello is not None
        self.greeting = f"JMRI {self._hello.jmri}" + (f", {self._hello.railroad}" if self._hello.railroad else "")
        self.link = Link.UP
        self._tell.link(LinkState.UP, self.greeting)
        self._reports.live = True
        now = self._loop.time()
        for event in self._reports.first_states(now):
            self._tell.event(event)
        self._tell.event(LinkUp(now, self.greeting))
        self._keep_alive()

    async def _ask(self, unit: Unit) -> Message:
        if self.link is not Link.SETTING_UP or not self._transport.is_open:
            raise self._setup_error()
        unit.answer = self._loop.create_future()
        self._transmit(unit)
        return await unit.answer

    async def _until(self, true: Callable[[], bool], at_most_s: float) -> bool:
        found = await within(self._heard, lambda: true() or self.link is not Link.SETTING_UP, at_most_s)
        if self.link is not Link.SETTING_UP:
            raise self._setup_error()
        return found

    def _setup_error(self) -> LinkLostError:
        return LinkLostError(
            f"the link was lost before everything was answered: {self._why_lost}",
            where=self._transport.name,
            cure="look at JMRI and the network, then try again",
        )

    async def close(self) -> None:
        """Stop every locomotive, switch magnets and the track power off, then close the connection.

        A stop that is not confirmed yet is written on, until it is, or the connection was cut because of it.
        """
        await self._halting.over(STOPS_WITHOUT_EFFECT_S + 2 * STOP_REPEAT_S)
        self._halting.give_up("the link is being closed")
        try:
            if self.link is Link.UP:
                self._give_back(self._window.drop_all(), "the link is being closed")
                self.link = Link.SETTING_UP
                unit = self._units.closing()
                answer = asyncio.ensure_future(self._ask(unit))
                await asyncio.wait([answer], timeout=ANSWERS_WITHIN_S)
                if not answer.done():
                    answer.cancel()
                    await asyncio.wait([answer])
                elif (error := answer.exception()) is not None:
                    self._tell.note(f"while closing: {error.args[0]}")
            elif self.link is Link.SILENT:
                self._write_all(self._units.closing().messages)
        finally:
            self.link = Link.CLOSED
            self._tell.link(LinkState.CLOSED, "closed")
            self._stop_timers()
            self._give_back(self._window.drop_all(), "the link is closed")
            await self._transport.close()

    def guardian_frames(self) -> tuple[bytes, ...]:
        """What a guardian writes when this process dies: the stops, magnets off, and at last the power off.

        When it ends too, nobody holds the connection any more, and JMRI stops the locomotives by itself.
        """
        return tuple(self._transport.framed(text.encode("ascii")) for text in self._units.guardian())

    # ------------------------------------------------------------ commands

    def send(self, command: Command, number: int) -> None:
        """Send a command; ``Accepted(number)`` or ``Rejected(number)`` comes later, with JMRI's answer.

        A turnout whose feedback does not say within its time that it is there is ``ForeignControl``. Raises
        ProtocolError for a name that this station does not have.
        """
        match command:
            case EmergencyStop():
                self._begin_halt(cut_power=False, number=number)
            case _ if why := refusal(command, halted=self.halted, unconfirmed=self._halting.halt is not None):
                self._tell.reject(number, why)
            case Stop() | Drive():
                self._send(self._units.drive(command, number))
            case SetTurnout():
                self._send(self._units.turnout(command, number))
                self._reports.turning(self._addresses.turnout(command.turnout))
                self._check_at(self._addresses.turnout(command.turnout).settles_s)
            case SetUncoupler():
                self._send(self._units.magnet(command, number))
            case SetFunction():
                self._send(self._units.function(command, number))
            case SetPower(on=True):
                # nothing may start by it: everything stands and is off first, and that was accepted
                rest = self._units.rest(number)
                rest.then = lambda: self._power_on(number)
                self._send(rest)
            case SetPower():
                self._send(self._units.power(False, number))

    def _power_on(self, number: int) -> None:
        if self._halting.halt is None:
            self._send(self._units.power(True, number))
        else:
            self._tell.reject(number, "everything was stopped meanwhile")

    def halt(self, *, power_off: bool = False) -> None:
        """Stop everything now, and again every 100 ms until JMRI confirms it.

        The power is cut when no confirmation came within 300 ms, or at once with ``power_off``.
        """
        self._begin_halt(cut_power=power_off, number=None)

    def beat(self) -> bool:
        """Nobody here waits for a heartbeat."""
        return False

    def release(self) -> None:
        """A person's act: take the latch off. Every locomotive is set to speed 0 before anything else goes out.

        Raises StationError when the link is not up or the stop is not confirmed yet.
        """
        unconfirmed = self._halting.halt is not None
        check_release(up=self.link is Link.UP, unconfirmed=unconfirmed, where=self._transport.name)
        self._transmit(self._units.rest(None))
        self.halted = False

    def _send(self, unit: Unit) -> None:
        if self.link is Link.UP:
            self._transmit(unit)
            return
        if self.link is Link.SILENT:
            # no answer can be waited for, but perhaps a stop is heard
            rests = all(kind is not Kind.TURNOUT and not value for (kind, _), value in unit.asks)
            self._write_all(unit.messages if rests else ())
        self._tell.reject(unit.number, self.link.refusal)

    # ------------------------------------------------------------ stopping everything

    def _begin_halt(self, *, cut_power: bool, number: int | None) -> None:
        self.halted = True
        if self._transport.is_open and self.link in (Link.UP, Link.SILENT):
            self._halting.begin(cut_power=cut_power, number=number)
            return
        if self._transport.is_open:
            # being set up, which stops everything anyway
            self._write_all(self._units.halt(cut_power=cut_power).messages)
        self._tell.reject(number, self.link.refusal)

    def _write_halt(self, halt: Halt) -> None:
        """The stops, the cut if it is due, the fence."""
        if self._loop.time() - halt.started_t_s > STOPS_WITHOUT_EFFECT_S:
            self._cut_off()
        else:
            self._transmit(self._units.halt(cut_power=halt.cut_power))

    def _cut_off(self) -> None:
        """The last that can be done: when JMRI finds the connection closed, it stops the locomotives by itself."""
        why = f"JMRI has not confirmed a stop within {STOPS_WITHOUT_EFFECT_S:g} s: the connection to it was cut"
        self._transport.drop()
        self._tell.note(f"{why}, for then it stops the locomotives by itself")
        self._lost(why)

    def _halt_answered(self, unit: Unit) -> None:
        """Stopped is what JMRI sends no speed to; and dark, if that was asked for."""
        halt = self._halting.halt
        stand = all(self._reported(unit, name) and self._reports.engines[name].stands for name in unit.engines)
        if halt is None:
            return
        dark = self._reports.power is False
        if halt.cut_power and not dark:
            return  # not known is not off
        if not halt.cut_power and (unit.failure or not stand):
            return
        self._halting.confirmed()
        if self.link is Link.SILENT:
            self._tell.note("JMRI answers again and has stopped everything; open the link again to go on")

    # ------------------------------------------------------------ writing

    def _transmit(self, unit: Unit) -> None:
        now = self._loop.time()
        unit.reports_before = {name: self._reports.engines[name].reports for name in unit.engines}
        for key, value in unit.asks:
            settles_s = self._addresses.turnout(key[1]).settles_s if key[0] is Kind.TURNOUT else 0.0
            self._asked.ask(key, value, now, settles_s)
        self._write_all(self._window.sending(unit, now))
        self._watch()

    def _write_all(self, messages: Iterable[Message]) -> None:
        for message in messages:
            if not self._transport.is_open:
                return
            try:
                self._transport.write(write(message).encode("ascii"))
            except LinkLostError as lost:
                # the transport calls on_lost too, in the next pass; by then this is known
                self._lost(lost.what)
                return

    def _watch(self) -> None:
        """Let answers that are late, or missing, be noticed in time; and that none is late any more."""
        due = min((due for due in (self._window.answers_due_t_s, self._ping_s) if due is not None), default=None)
        self._patience.wait(due if self.link in (Link.UP, Link.SETTING_UP) else None)
        if self.link is Link.UP and (due is None or self._loop.time() < late_t_s(due)):
            self._tell.link(LinkState.UP, "JMRI answers in time")

    def _late(self) -> None:
        if self.link is Link.UP:
            self._tell.link(LinkState.DOUBTFUL, f"JMRI has not answered for {LATE_AFTER_S:g} s")

    def _keep_alive(self) -> None:
        heartbeat_s = (self._hello.heartbeat_ms / 1000 if self._hello else 0.0) or DEFAULT_HEARTBEAT_S
        self._call_in(min(PING_EVERY_S, heartbeat_s / 4), self._keep_alive)
        if self.link is Link.UP:
            self._check()
            if self._ping_s is None:
                self._ping_s = self._loop.time() + ANSWERS_WITHIN_S
                self._write_all([Ping()])
                self._watch()

    def _check_at(self, after_s: float) -> None:
        """Look at the right moment whether a turnout has arrived: before whoever waits for it goes on."""
        self._loop.call_later(after_s + 0.001, self._check)

    def _check(self) -> None:
        if self.link is Link.UP:
            for event in self._reports.overdue(self._loop.time()):
                self._tell.event(event)

    # ------------------------------------------------------------ reading

    def _on_data(self, data: bytes) -> None:
        for message in read(data):
            self._on_message(message)
        self._heard.set()

    def _on_message(self, message: Message) -> None:
        now = self._loop.time()
        match message:
            case Hello() if self._hello is None:
                self._hello = message
            case Pong():
                self._ping_s = None
                self._watch()
            case Goodbye() if self.link in (Link.UP, Link.SETTING_UP):
                self._out_of_sight("JMRI said goodbye: it is being closed")
            case Failure(id=0) if self.link is Link.SETTING_UP and len(self._failures) < 20:
                self._failures.append(message)
        for event in self._reports.digest(message, now):
            self._tell.heard(event)
        unit = self._window.answered(message)
        if unit is not None:
            self._answered(unit, message)
            self._watch()
        if self._reports.blind and self.link is Link.UP:
            self._out_of_sight(self._reports.blind)

    def _answered(self, unit: Unit, message: Message) -> None:
        if unit.answer is not None:
            if not unit.answer.done():
                unit.answer.set_result(message)
            return
        if unit.halt:
            self._halt_answered(unit)
            return
        failure = unit.failure or self._contradiction(unit)
        if failure and unit.number is None:
            self.halted = True
            self._tell.note(f"{failure}; everything stays stopped")
        elif failure:
            self._tell.reject(unit.number or 0, failure)
        elif unit.then is not None:
            unit.then()
        elif unit.number is not None:
            self._tell.accept(unit.number)

    def _contradiction(self, unit: Unit) -> str:
        """What JMRI says of a locomotive other than what was asked; empty when it agrees."""
        for name in unit.engines:
            engine = self._reports.engines[name]
            if not self._reported(unit, name):
                return f"JMRI does not say what it sends to locomotive {name}"
            for (kind, _), value in (ask for ask in unit.asks if ask[0][1] == name):
                newest = self._asked.value((kind, name)) == value
                if newest and kind is Kind.SPEED and engine.step != value:
                    return f"locomotive {name} shall run at step {value}, and JMRI sends {engine.step}"
                if newest and kind is Kind.DIRECTION and engine.forward != value:
                    return f"JMRI does not turn locomotive {name} round"
        return ""

    def _reported(self, unit: Unit, name: str) -> bool:
        return self._reports.engines[name].reports > unit.reports_before[name]

    # ------------------------------------------------------------ losing it

    def _overdue(self) -> None:
        """No answer: never silently alive. Stops are tried on, perhaps only the way back is broken."""
        if self.link is Link.SETTING_UP:
            self._lost("JMRI does not answer")
            return
        asked = "a ping" if self._ping_s is not None and self._loop.time() >= self._ping_s else "everything"
        self._out_of_sight(f"JMRI has not answered {asked} within {ANSWERS_WITHIN_S:g} s")

    def _out_of_sight(self, why: str) -> None:
        if self.link is not Link.UP:
            self._lost(why)
            return
        self.link = Link.SILENT
        self._tell.link(LinkState.LOST, why)
        self._reports.live = False
        self._tell.event(LinkLost(self._loop.time(), why))
        self._give_back([unit for unit in self._window.drop_all() if not unit.halt], why)
        self._begin_halt(cut_power=False, number=None)

    def _lost(self, reason: str) -> None:
        before, self.link = self.link, Link.CLOSED
        self._tell.link(LinkState.LOST, reason)
        self._why_lost = reason
        self._reports.live = False
        self._stop_timers()
        self.halted = True
        if before is Link.UP:
            self._tell.event(LinkLost(self._loop.time(), reason))
        self._heard.set()
        self._halting.give_up(reason)
        self._give_back(self._window.drop_all(), reason)

    # ------------------------------------------------------------ telling

    def _give_back(self, units: Iterable[Unit], why: str) -> None:
        """Units that are not known to be carried out."""
        for unit in units:
            if unit.answer is not None and not unit.answer.done():
                unit.answer.set_exception(self._setup_error())
            self._tell.reject(unit.number, why)

    # ------------------------------------------------------------ timers

    def _call_in(self, after_s: float, act: Callable[[], None]) -> None:
        self._cancel(act)
        self._timers[act] = self._loop.call_later(after_s, act)

    def _cancel(self, act: Callable[[], None]) -> None:
        timer = self._timers.pop(act, None)
        if timer is not None:
            timer.cancel()

    def _stop_timers(self) -> None:
        self._tell.end_stretch()
        self._patience.end()
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
