"""Nodes behind an MQTT broker: commands go down as messages with a fence behind them, events come up.

What confirms what: a command is accepted when it has come back to us from the broker before the fence behind it, and,
where the wiring says that nodes report it, when the node has reported the new state after that. Without such a report
``Accepted`` says only that the broker has passed the command on; a node that is not there would not be noticed before
its last will says so.

The running event loop's clock is the only one. Every event is emitted in a pass of its own of that loop, so whoever
sends is never called back in the middle of it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Sequence

from pointsman.drivers.halt import check_release, refusal
from pointsman.drivers.mqtt.halt import Halt
from pointsman.drivers.mqtt.link import Link
from pointsman.drivers.mqtt.names import Kind, Names
from pointsman.drivers.mqtt.orders import STOOD_STILL_S, Awaited, Order, Orders
from pointsman.drivers.mqtt.reports import SETTLES_WITHIN_S, Reports
from pointsman.drivers.mqtt.setup import Listener, SetUp
from pointsman.drivers.patience import ANSWERS_WITHIN_S, LATE_AFTER_S, Patience
from pointsman.drivers.teller import Teller
from pointsman.errors import LinkLostError, PointsmanError, StationError
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
    StationNote,
    StationRestarted,
    Stop,
)
from pointsman.protocols.jmri_mqtt import (
    Fence,
    FunctionCommand,
    LightCommand,
    Message,
    PowerCommand,
    ThrottleDirection,
    ThrottleSpeed,
    TurnoutCommand,
    Unknown,
)
from pointsman.track.wiring import Wiring
from pointsman.transports.mqtt_base import Delivery, MqttLink, Will

KEEP_ALIVE_S = 0.5
SETUP_TRIES = 3


class MqttDriver:
    """Drives the nodes of one MQTT station.

    ``emit`` gets the events. ``halted`` is the latch: set by an emergency stop, a lost link, a node that is gone or
    has started anew; until ``release`` (a person's act) nothing may move. After a LinkLost or StationRestarted
    ``open`` must be awaited again; it begins a new session at the broker, in which everything is heard anew, and does
    not release the latch. A guardian must then be started anew with the new descriptors.
    """

    def __init__(
        self, link: MqttLink, wiring: Wiring, *, emit: Callable[[Event], None], station: str | None = None
    ) -> None:
        self.halted = False
        self.greeting = ""
        self.link = Link.CLOSED
        self._wire = link
        self._names = Names(wiring, station)
        self._tell = Teller(self._names.station, emit)
        self._orders = Orders()
        self._reports = Reports(self._names, self._orders, self._carried_out)
        self._session = ""
        self._fence_number = 0
        self._halt = Halt(self._write_halt, self._tell.accept, self._tell.reject)
        self._heard = Listener()
        self._keep_alive_timer: asyncio.TimerHandle | None = None
        self._patience = Patience(self._late, self._overdue)
        self._report_timers: dict[tuple[Kind, str], asyncio.TimerHandle] = {}
        link.listen(self._on_message, self._lost)

    # ------------------------------------------------------------ opening and closing

    async def open(self) -> None:
        """Begin a session at the broker; ends with the beams' first states, the power and LinkUp.

        First of all outputs are switched off, every locomotive is stopped and the power is switched off. Raises
        PortError, LinkLostError, or StationError: the broker does not pass our commands on, a node is not online, no
        state of a beam is known, or somebody else was driving this layout (which was stopped nevertheless).
        """
        self._loop = asyncio.get_running_loop()
        self._stop_timers()
        self._halt.end("the link is being opened again")
        self._give_back(self._orders.drop_all(), "the link is being opened again")
        await self._hang_up(self.link is not Link.SILENT)
        self._session = secrets.token_hex(8)
        self.link = Link.SETTING_UP
        self._tell.link(LinkState.OPENING, self._wire.name)
        self._reports.begin()
        try:
            await self._wire.open(Will(*self._names.topics.write(self._names.last_will())))
            for tries_left in reversed(range(SETUP_TRIES)):
                self._reports.start_afresh()
                self._orders.forget()
                await self._wire.subscribe(self._names.subscriptions(self._wire.client_id))
                await SetUp(
                    self._names,
                    self._reports,
                    self._ask,
                    self._heard,
                    lambda: self._wire.is_open,
                    self._wire.name,
                    self._names.topics.topic(Fence(self._wire.client_id, self._session, 0)),
                ).run()
                if not self._reports.restarted:
                    break
                if not tries_left:
                    raise StationError(
                        f"{self._reports.restarted}, again and again",
                        where=self._wire.name,
                        cure="look at its power supply and its network",
                    )
        except BaseException as error:
            self.link = Link.CLOSED
            self._tell.link(LinkState.CLOSED, error.what if isinstance(error, PointsmanError) else "it was given up")
            self._stop_timers()
            self._give_back(self._orders.drop_all(), "the link is not up")
            await self._hang_up(True)
            raise
        self.link = Link.UP
        self._reports.live = True
        self._expect_off()
        self.greeting = f"{self._wire.name}; nodes online: {', '.join(self._names.mqtt.nodes)}"
        now = self._loop.time()
        for event in self._reports.first_states(now):
            self._tell.event(event)
        self._tell.link(LinkState.UP, self.greeting)
        self._tell.event(LinkUp(now, self.greeting))
        self._keep_alive_timer = self._loop.call_later(KEEP_ALIVE_S, self._keep_alive)

    async def _ask(self, messages: Sequence[Message], *, power: bool | None = None) -> list[str] | None:
        """Publish, and wait for the fence behind: the topics that did not come back; None when the fence did not."""
        answer: asyncio.Future[list[str]] = self._loop.create_future()
        self._order(messages, answer=answer, power=power)
        try:
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                return await answer
        except TimeoutError:
            return None

    async def close(self) -> None:
        """Stop every locomotive, switch outputs off and the power off, then say goodbye to the broker.

        Where nodes report the power, one is given a second to say that it is off.
        """
        self._halt.end("the link is being closed")
        silent = self.link is Link.SILENT
        try:
            if self.link in (Link.UP, Link.GONE, Link.SILENT):
                self._give_back(self._orders.drop_all(), "the link is being closed")
                self.link = Link.SETTING_UP
                self._expect_off()
                self._reports.answers_off = False
                order = [*self._names.standing(), *self._names.all_off(), PowerCommand(False)]
                missing = await self._ask(order, power=False)
                if missing is None or missing:
                    self._tell.note("while closing: the broker has not taken everything")
                elif not await self._told_off():
                    self._tell.note(f"while closing: no node has reported the power off within {SETTLES_WITHIN_S:g} s")
        except LinkLostError as lost:
            self._tell.note(f"while closing: {lost.what}")
        finally:
            if self.link is not Link.CLOSED:
                self._tell.link(LinkState.CLOSED, "closed")
            self.link = Link.CLOSED
            self._stop_timers()
            self._give_back(self._orders.drop_all(), "the link is closed")
            await self._hang_up(not silent)

    async def _told_off(self) -> bool:
        """Whether a node says now that the power is off; true where none reports it."""
        if not self._names.power_reports:
            return True
        await self._heard.until(lambda: self._reports.answers_off or not self._wire.is_open, SETTLES_WITHIN_S)
        return self._reports.answers_off

    async def _hang_up(self, goodbye: bool) -> None:
        # without a goodbye the broker, if it is there, publishes our last will
        await (self._wire.close() if goodbye else self._wire.abort())

    def guardian_frames(self) -> tuple[bytes, ...]:
        """What a guardian writes when this process dies: the stop, outputs off, and at last the power off.

        Nothing on an encrypted link: the guardian ends the connection, and the broker publishes our last will.
        """
        return () if self._wire.encrypted else self._names.guardian()

    # ------------------------------------------------------------ commands

    def send(self, command: Command, number: int) -> None:
        """Send a command; ``Accepted(number)`` or ``Rejected(number)`` comes later.

        Raises ProtocolError for a name or number that this station cannot have.
        """
        match command:
            case EmergencyStop():
                self._begin_halt(cut_power=False, number=number)
            case Stop(locomotive=locomotive):
                self._order([ThrottleSpeed(self._names.cab(locomotive), 0)], number=number, stops=True)
            case _ if why := refusal(command, halted=self.halted, unconfirmed=self._halt.under_way):
                self._tell.reject(number, why)
            case Drive():
                self._order(self._names.drive(command), number=number)
            case SetTurnout(turnout=name, thrown=thrown):
                points = self._names.turnout(name)
                within_s = points.takes_s + SETTLES_WITHIN_S
                self._switch(
                    TurnoutCommand(points.topic, points.ours(thrown)),
                    Awaited(Kind.TURNOUT, name, thrown, within_s),
                    number,
                    points.reports,
                )
            case SetUncoupler(uncoupler=name, on=on):
                magnet = self._names.magnet(name)
                message = LightCommand(magnet.topic, magnet.ours(on))
                self._switch(message, Awaited(Kind.MAGNET, name, on, SETTLES_WITHIN_S), number, magnet.reports)
            case SetFunction(locomotive=name, function=function, on=on):
                self._order([FunctionCommand(self._names.cab(name), function, on)], number=number, echoed=False)
            case SetPower(on=True):
                # Nothing may start: everything stands and is off first, and that was passed on.
                first = [*self._names.standing(), *self._names.all_off()]
                self._order(first, number=number, then=lambda: self._power(True, number))
            case SetPower():
                self._power(False, number)

    def halt(self, *, power_off: bool = False) -> None:
        """Stop everything now, again every 100 ms until a fence confirms it; the power goes off with the second one.

        With ``power_off`` it goes off with the first one.
        """
        self._begin_halt(cut_power=power_off, number=None)

    def beat(self) -> bool:
        """Nobody here waits for a heartbeat."""
        return False

    def release(self) -> None:
        """A person's act: take the latch off. Every locomotive is set to speed 0 before anything else can go out.

        Raises StationError when the link is not up or the stop is not confirmed yet.
        """
        check_release(up=self.link is Link.UP, unconfirmed=self._halt.under_way, where=self._wire.name)
        self._order(self._names.standing())
        self.halted = False

    def _switch(self, message: Message, awaited: Awaited, number: int | None, reports: bool) -> None:
        if self.link is Link.UP:
            earlier = self._orders.reporting.pop((awaited.kind, awaited.name), None)
            if earlier is not None:
                self._give_back([earlier], "overtaken by another command")
            self._reports.expect(awaited.kind, awaited.name, awaited.value, self._loop.time() + awaited.within_s)
        self._order([message], number=number, awaited=awaited if reports else None)

    def _power(self, on: bool, number: int | None) -> None:
        if on and self._halt.under_way:
            self._tell.reject(number, "everything was stopped")
            return
        awaited = Awaited(Kind.POWER, "", on, SETTLES_WITHIN_S)
        self._reports.expect(Kind.POWER, "", on, self._loop.time() + SETTLES_WITHIN_S)
        reports = self._names.power_reports
        self._order([PowerCommand(on)], number=number, awaited=awaited if reports else None, power=on)

    # ------------------------------------------------------------ stopping everything

    def _begin_halt(self, *, cut_power: bool, number: int | None) -> None:
        self.halted = True
        if self._wire.is_open:
            self._halt.begin(cut_power=cut_power, number=number)
        else:
            self._tell.reject(number, self.link.refusal)

    def _write_halt(self, cut_power: bool) -> None:
        messages = [*self._names.stops(), *self._names.all_off()]
        if cut_power:
            messages.append(PowerCommand(False))
        self._expect_off()
        self._order(messages, stops=True, halt=True, power=False if cut_power else None)

    def _expect_off(self) -> None:
        until = self._loop.time() + SETTLES_WITHIN_S
        self._reports.expect(Kind.POWER, "", False, until)
        for magnet in self._names.magnets.values():
            self._reports.expect(Kind.MAGNET, magnet.name, False, until)

    # ------------------------------------------------------------ publishing

    def _order(
        self,
        messages: Sequence[Message],
        *,
        number: int | None = None,
        awaited: Awaited | None = None,
        power: bool | None = None,
        stops: bool = False,
        halt: bool = False,
        answer: asyncio.Future[list[str]] | None = None,
        then: Callable[[], None] | None = None,
        echoed: bool = True,
    ) -> None:
        """Publish messages with a fence behind; stops are tried on a link that is not up, too.

        ``echoed``: they are listened to, and must come back.
        """
        packets = [self._names.topics.write(message) for message in messages]
        tried = self.link in (Link.UP, Link.SETTING_UP) or (stops and self.link in (Link.SILENT, Link.GONE))
        if not (tried and self._wire.is_open):
            self._tell.reject(number, self.link.refusal)
            if answer is not None and not answer.done():
                answer.set_exception(LinkLostError("the link was lost", where=self._wire.name, cure="try again"))
            return
        self._fence_number += 1
        now = self._loop.time()
        missing = list(packets) if echoed else []
        order = Order(self._fence_number, now, missing, number, awaited, power, halt, answer=answer, then=then)
        self._orders.sent(order)
        fence = Fence(self._wire.client_id, self._session, self._fence_number)
        try:
            for packet in (*packets, self._names.topics.write(fence)):
                self._wire.publish(*packet)
        except LinkLostError as lost:
            self._lost(lost.what)
        self._watch()

    def _watch(self) -> None:
        """Let answers that are late, or missing, be noticed in time."""
        due = self._orders.answers_due_t_s
        self._patience.wait(due if self.link in (Link.UP, Link.GONE) else None)
        if due is None and self.link is Link.UP:
            self._tell.link(LinkState.UP, "the broker answers in time")

    def _late(self) -> None:
        if self.link is Link.UP:
            self._tell.link(LinkState.DOUBTFUL, f"an answer is later than {LATE_AFTER_S:g} s")

    def _keep_alive(self) -> None:
        self._keep_alive_timer = self._loop.call_later(KEEP_ALIVE_S, self._keep_alive)
        if self.link in (Link.UP, Link.GONE) and not self._orders.under_way:
            self._order([], stops=True)

    # ------------------------------------------------------------ hearing

    def _on_message(self, delivery: Delivery) -> None:
        message = self._names.topics.read(delivery.topic, delivery.payload)
        now = self._loop.time()
        events: list[Event] = []
        match message:
            case Fence(session=self._session, number=number) if not delivery.retained:
                self._fence(number)
            case TurnoutCommand() | LightCommand() | PowerCommand() | ThrottleSpeed() | ThrottleDirection():
                events = self._reports.command(message, delivery, now)
            case Unknown():
                if delivery.payload and self._reports.live:
                    text = delivery.payload[:80].decode(errors="replace")
                    self._tell.heard(StationNote(now, f"not understood: {delivery.topic} = {text}"))
            case _:
                events = self._reports.digest(message, delivery, now)
        for event in events:
            self._tell.heard(event)
        self._heard.wake()
        if self._reports.live:
            self._look_after_nodes(now)

    def _look_after_nodes(self, t_s: float) -> None:
        gone, restarted = self._reports.gone, self._reports.restarted
        if self.link is not Link.UP or not (gone or restarted):
            return
        self.link = Link.GONE
        self._reports.live = False
        self._tell.link(LinkState.LOST, gone or restarted)
        self._tell.event(LinkLost(t_s, gone) if gone else StationRestarted(t_s, restarted))
        self._begin_halt(cut_power=False, number=None)

    def _fence(self, number: int) -> None:
        for order in self._orders.fence(number):
            lost = sorted({topic for topic, _ in order.missing})
            if order.answer is not None and not order.answer.done():
                order.answer.set_result(lost)
            if order.halt and not lost:
                self._halt.confirmed(power_off=order.power is False)
                if self.link is Link.SILENT:
                    text = "the broker answers again, and has the stop; open the link again to go on"
                    for event in self._reports.once(self._loop.time(), text):
                        self._tell.event(event)
            if lost:
                self._tell.reject(
                    order.number, f"the broker does not pass on {', '.join(lost)}: look at its access list"
                )
            elif order.then is not None:
                order.then()
            elif order.awaited is not None and not order.reported:
                self._await_report(order, order.awaited)
            else:
                self._done(order)
        self._watch()

    def _await_report(self, order: Order, awaited: Awaited) -> None:
        key = (awaited.kind, awaited.name)
        self._orders.reporting[key] = order
        self._report_by(order.sent_t_s + awaited.within_s, key, order)

    def _report_by(self, due_t_s: float, key: tuple[Kind, str], order: Order) -> None:
        self._report_timers[key] = self._loop.call_at(due_t_s, self._unreported, due_t_s, key, order)

    def _unreported(self, due_t_s: float, key: tuple[Kind, str], order: Order) -> None:
        if self._orders.reporting.get(key) is not order or order.awaited is None:
            return
        if self._loop.time() > due_t_s + STOOD_STILL_S:
            # Not the node: this program. What has come meanwhile is heard first.
            self._report_by(self._loop.time() + STOOD_STILL_S, key, order)
            return
        del self._orders.reporting[key]
        if self._reports.answered(*key, order.sent_t_s):
            self._done(order)  # otherwise than it was told: what it said was told too, and speaks for itself
            return
        what = f"{key[0].name.lower()} {key[1]}".rstrip()
        self._tell.reject(order.number, f"its node has not reported {what} within {order.awaited.within_s:g} s")

    def _carried_out(self, kind: Kind, name: str, value: bool) -> None:
        """A node has reported a value; perhaps one that is waited for."""
        order = self._orders.expecting(kind, name)
        if order is None or order.awaited is None or order.awaited.value is not value:
            return
        order.reported = True
        if self._orders.reporting.pop((kind, name), None) is order:
            timer = self._report_timers.pop((kind, name), None)
            if timer is not None:
                timer.cancel()
            self._done(order)

    def _done(self, order: Order) -> None:
        now = self._loop.time()
        if order.power is not None and not self._names.power_reports:
            for event in self._reports.powered(order.power, now):
                self._tell.event(event)
        if order.number is not None:
            self._tell.accept(order.number)

    def _overdue(self) -> None:
        """No answer: never silently alive. Stops are tried on, perhaps only the way back is broken."""
        why = f"the broker has not answered within {ANSWERS_WITHIN_S:g} s"
        was_up = self.link is Link.UP
        self.link = Link.SILENT
        self._reports.live = False
        self._tell.link(LinkState.LOST, why)
        if was_up:
            self._tell.event(LinkLost(self._loop.time(), why))
        self._give_back(self._orders.drop_all(), why)
        self._begin_halt(cut_power=False, number=None)

    def _lost(self, reason: str) -> None:
        before, self.link = self.link, Link.CLOSED
        self._stop_timers()
        self.halted = True
        self._reports.live = False
        self._tell.link(LinkState.LOST, reason)
        if before is Link.UP:
            self._tell.event(LinkLost(self._loop.time(), reason))
        self._halt.end(reason)
        self._give_back(self._orders.drop_all(), reason)
        self._heard.wake()

    # ------------------------------------------------------------ telling

    def _give_back(self, orders: Iterable[Order], why: str) -> None:
        """Orders that will not be carried out, or not known to be."""
        for order in orders:
            if order.answer is not None and not order.answer.done():
                order.answer.set_exception(LinkLostError(why, where=self._wire.name, cure="try again"))
            self._tell.reject(order.number, why)

    def _stop_timers(self) -> None:
        self._tell.end_stretch()
        self._patience.end()
        for timer in (self._keep_alive_timer, *self._report_timers.values()):
            if timer is not None:
                timer.cancel()
        self._keep_alive_timer = None
        self._report_timers.clear()
