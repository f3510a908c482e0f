"""An Arduino node behind a link: commands go down as messages, answers and reports come up as events.

The running event loop's clock is the only one. Every event is emitted in a pass of its own of that loop, so whoever
sends is never called back in the middle of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from pointsman.drivers.halt import Halt, Halting, check_release
from pointsman.drivers.node.addresses import Addresses, why_not
from pointsman.drivers.node.arming import Arming
from pointsman.drivers.node.line import Line
from pointsman.drivers.node.link import SILENT_AFTER_S, Link
from pointsman.drivers.node.moves import Moves
from pointsman.drivers.node.orders import AGAIN_AFTER_S, Answer, Order
from pointsman.drivers.node.reports import Reports
from pointsman.drivers.node.setup import SetUp, greeting, seek
from pointsman.drivers.node.whole import TOLD_WITHIN_S, WHOLE_WITHIN_S, Whole
from pointsman.drivers.patience import ANSWERS_WITHIN_S, LATE_AFTER_S, Patience, late_t_s, within
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
    PowerReported,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    StationRestarted,
    StationStopped,
    Stop,
)
from pointsman.protocols import node as wire
from pointsman.protocols import node_messages as m
from pointsman.protocols.node_constants import Latch
from pointsman.track.wiring import Wiring
from pointsman.transports.base import Transport

SEEK_AGAIN_S = 0.25
SETUP_TRIES = 3
STOPS_WITHOUT_EFFECT_S = 3.0
_OFF = (wire.STOP + wire.write_command(1, m.Off()), wire.STOP + wire.write_command(2, m.Off()))
"""Last words. The node does not hear a line with the number of its last command: of two, one at least is another."""


class NodeDriver:
    """Drives what is on one node.

    ``emit`` gets the events. ``halted`` is the latch of this program beside the node's own: set by an emergency stop,
    by the node having stopped or started anew, or by a lost link; until ``release`` (a person's act) nothing may move.
    After a LinkLost or StationRestarted ``open`` must be awaited again; it asks everything anew and does not release
    the latch; a guardian must be started anew with the new descriptors.
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
        self._line = Line(self._write, self._answered)
        self._gaps = wire.Gaps()
        self._reports = Reports(self._addresses, self._line.asked)
        self._whole = Whole(self._ask_state, lambda: self._out_of_sight("the node does not tell its whole state"))
        self._moves = Moves(self._tell.accept, self._tell.reject, self._line.asked.arrived)
        self._heard = asyncio.Event()
        self._heard_s = 0.0
        self._about: m.About | None = None
        self._why_lost = ""
        self._restarts = 0
        self._stop_seen = False
        self._arming = Arming(self._whole, self._put, self._tell.reject, self._armed, self._latched)
        self._halting = Halting(Halt, self._write_halt, self._tell.accept, self._tell.reject)
        self._patience = Patience(self._late, self._overdue)
        transport.listen(self._on_data, self._lost, self._tell.note)

    # ------------------------------------------------------------ opening and closing

    async def open(self) -> None:
        """Connect, stop everything and ask everything; ends with the beams' first states, the power and LinkUp.

        Raises PortError, LinkLostError, or StationError: it is no node, or not the one that the wiring has.
        """
        self._loop = asyncio.get_running_loop()
        self._quit(Link.CLOSED, "the link is being opened again")
        self._halting.give_up("the link is being opened again")
        await self._transport.close()
        self._line.start_afresh()
        self._heard = asyncio.Event()
        self.link = Link.SEEKING
        self._tell.link(LinkState.OPENING, f"{self._transport.name} is being opened")
        try:
            await self._transport.open()
            for tries_left in reversed(range(SETUP_TRIES)):
                if await self._set_up():
                    break
                if not tries_left:
                    raise StationError(
                        f"the node started anew {SETUP_TRIES} times while it was set up",
                        where=self._transport.name,
                        cure="look at its power supply and cable",
                    )
        except BaseException as error:
            self._quit(Link.CLOSED, "the link is not up")
            self._tell.link(LinkState.CLOSED, error.what if isinstance(error, PointsmanError) else "broken off")
            self._halting.give_up("the link is not up")
            await self._transport.close()
            raise
        self.link = Link.UP
        self._tell.link(LinkState.UP, self.greeting)
        self._reports.live = True
        for event in self._reports.first_states(self._loop.time()):
            self._tell.event(event)
        self._tell.event(LinkUp(self._loop.time(), self.greeting))
        self._watch()

    async def _set_up(self) -> bool:
        """One try; False when the board started anew meanwhile."""
        self.link = Link.SEEKING
        self._reports.start_afresh()
        self._gaps.restart()
        self._line.talks, self._line.again_s = True, SEEK_AGAIN_S
        # Whatever a program before this one has set going, ends before anything is asked.
        self._write(wire.STOP)
        restarts = self._restarts
        set_up = SetUp(self._ask, self._addresses, self._transport.name)
        answer = await seek(self._give(m.Hello()), self._until, self._boots, self._transport.name)
        if restarts != self._restarts:
            return False  # before anything else, it wants to be greeted again
        self._about = about = set_up.about(answer)
        self.link, self._line.again_s, self._heard_s = Link.SETTING_UP, AGAIN_AFTER_S, self._loop.time()
        try:
            await set_up.make_safe(about)
            await set_up.compare(about)
            self._reports.start_afresh()
            self._whole.wanted()
            await self._until(lambda: self._whole.known, WHOLE_WITHIN_S + TOLD_WITHIN_S)
        except LinkLostError:
            if restarts != self._restarts and self._transport.is_open:
                return False
            raise
        self.greeting = greeting(about)
        self._arming.start_afresh(set_up.heartbeat_s)
        return True

    def _boots(self) -> None:
        self._tell.link(LinkState.BOOTING, "it does not answer yet: perhaps opening its port has reset it")

    async def _ask(self, message: m.Command) -> Answer:
        if not self.link.opening or not self._transport.is_open:
            raise self._setup_error()
        return await self._give(message)

    def _give(self, message: m.Command) -> asyncio.Future[Answer]:
        answer: asyncio.Future[Answer] = self._loop.create_future()
        self._line.add(Order(message, answer=answer))
        self._watch()
        return answer

    async def _until(self, true: Callable[[], bool], at_most_s: float) -> bool:
        """Wait until it is true; LinkLostError when the link is lost, or the board starts anew, before."""
        restarts = self._restarts
        found = await within(
            self._heard, lambda: true() or not self.link.opening or restarts != self._restarts, at_most_s
        )
        if found and not true():
            raise self._setup_error()
        return found

    def _setup_error(self) -> LinkLostError:
        return LinkLostError(
            f"the link was lost before everything was answered: {self._why_lost}",
            where=self._transport.name,
            cure="look at the node and its cable, then try again",
        )

    async def close(self) -> None:
        """Stop the locomotive, switch magnets and the power off, then close the connection."""
        await self._halting.over(STOPS_WITHOUT_EFFECT_S)
        self._halting.give_up("the link is being closed")
        try:
            if self.link is Link.UP and self._about is not None:
                self._give_back(self._line.orders.drop(), "the link is being closed")
                self._reports.expected.add(Latch.HOST)
                self.link = Link.SETTING_UP
                safe = SetUp(self._ask, self._addresses, self._transport.name).make_safe(self._about)
                closing = asyncio.ensure_future(safe)
                await asyncio.wait([closing], timeout=ANSWERS_WITHIN_S)
                if not closing.done():
                    closing.cancel()
                    await asyncio.wait([closing])
                elif (error := closing.exception()) is not None:
                    self._tell.note(f"while closing: {error.args[0]}")
            else:
                self._write(b"".join(_OFF))
        finally:
            self._quit(Link.CLOSED, "the link is closed")
            self._tell.link(LinkState.CLOSED, "closed")
            self._tell.end_stretch()
            await self._transport.close()

    def guardian_frames(self) -> tuple[bytes, ...]:
        """What a guardian writes when this process dies: stop byte and power off, twice. Nothing: see ``framed``."""
        return tuple(filter(None, map(self._transport.framed, _OFF)))

    # ------------------------------------------------------------ commands

    def send(self, command: Command, number: int) -> None:
        """Send a command; ``Accepted(number)`` or ``Rejected(number)`` comes later, with the node's answer.

        Of a turnout it comes when the node says how its points lie, of the power when the node is armed: that waits
        for a heartbeat. Raises ProtocolError for a name that this node does not have.
        """
        match command:
            case EmergencyStop():
                self._begin_halt(number)
            case _ if why := why_not(command, halted=self.halted, unconfirmed=self._halting.halt is not None):
                self._tell.reject(number, why)
            case Stop(locomotive=name, forward=forward):
                self._addresses.check_locomotive(name)
                waits = self._line.orders.drop_waiting(lambda o: isinstance(o.message, m.Drive) and not o.stops)
                self._give_back(waits, "a stop overtook it")
                self._send(m.Drive(forward, 0), number)
            case Drive(locomotive=name, forward=forward, step=step):
                self._addresses.check_locomotive(name)
                self._send(m.Drive(forward, step), number)
            case SetTurnout(turnout=name, thrown=thrown):
                points = self._addresses.turnout(name)
                turn = m.Turnout(points.number, points.ours(thrown))
                self._send(turn, number, lambda _: self._moves.begin(points, number, self._loop))
            case SetUncoupler(uncoupler=name, on=on):
                magnet = self._addresses.magnet(name)
                self._send(m.Magnet(magnet.number, magnet.on_ms if on else 0), number)
            case SetPower(on=True):
                if self.link is Link.UP and self._about is not None:
                    self._arming.begin(number, self._about)
                else:
                    self._tell.reject(number, self.link.refusal)
            case SetPower():
                self._reports.expected.add(Latch.HOST)
                self._send(m.Off(), number)

    def _send(self, message: m.Command, number: int, then: Callable[[wire.Accepted], None] | None = None) -> None:
        order = Order(message, number, then)
        m.words(message)  # what cannot be said is refused before it waits
        if self.link is Link.UP:
            self._put(order)
            return
        if self.link is Link.SILENT and order.stops:
            # no answer can be waited for, but perhaps it is heard
            self._write(wire.write_command(1, message))
        self._tell.reject(number, self.link.refusal)

    def _put(self, order: Order) -> None:
        self._line.add(order)
        self._watch()

    def _armed(self) -> None:
        self._reports.expected.clear()
        self._tell_all(self._reports.armed(self._loop.time()))

    def _latched(self, latch: Latch) -> None:
        self._tell_all(self._reports.latched(latch, self._loop.time()))

    def beat(self) -> bool:
        """The supervision has looked at everything: tell the node, every 200 ms or as often as it wants to be told.

        Returns whether it is to be called on, every 50 ms, even when nothing moves: while the link is up.
        """
        beats = self.link is Link.UP and not self.halted
        if beats:
            self._arming.beat(waits=self._line.orders.asked(m.Beat))
        return beats

    def halt(self, *, power_off: bool = False) -> None:  # noqa: ARG002 - a node's stop cuts the power in any case
        """Stop everything now, and again every 100 ms until the node has told that everything is stopped.

        Its relay opens with it.
        """
        self._begin_halt(None)

    def release(self) -> None:
        """A person's act: take the latch off. Raises StationError when the link is not up or the stop not confirmed.

        The node keeps its own until the power is switched on.
        """
        unconfirmed = self._halting.halt is not None
        check_release(up=self.link is Link.UP, unconfirmed=unconfirmed, where=self._transport.name)
        self.halted = False

    # ------------------------------------------------------------ stopping everything

    def _begin_halt(self, number: int | None) -> None:
        self.halted = True
        if self._transport.is_open and self.link in (Link.UP, Link.SILENT, Link.RESTARTED):
            self._stop_seen = False
            self._halting.begin(cut_power=True, number=number)
            self._give_back(self._line.orders.drop(lambda order: not order.stops), "everything was stopped")
            self._line.pump()
            return
        if self._transport.is_open:
            # being set up, which stops everything anyway
            self._write(wire.STOP)
        self._tell.reject(number, self.link.refusal)

    def _write_halt(self, halt: Halt) -> None:
        self._reports.expected.add(Latch.STOP)
        if self.link is Link.UP and self._loop.time() - halt.started_t_s > STOPS_WITHOUT_EFFECT_S:
            self._out_of_sight(f"the node has not confirmed a stop within {STOPS_WITHOUT_EFFECT_S:g} s")
        else:
            self._write(wire.STOP)

    def _stop_told(self) -> None:
        """Everything has been told since the stop: it is confirmed if the node is latched and drives nothing."""
        if self._halting.halt is not None and self._stop_seen and not self._reports.step:
            self._halting.confirmed()
            if self.link is Link.SILENT:
                self._tell.note("the node answers again and has stopped everything; open the link again to go on")

    # ------------------------------------------------------------ writing

    def _write(self, data: bytes) -> None:
        if self._transport.is_open:
            try:
                self._transport.write(data)
            except LinkLostError as lost:
                # the transport calls on_lost too, in the next pass; by then this is known
                self._lost(lost.what)

    # ------------------------------------------------------------ reading

    def _on_data(self, data: bytes) -> None:
        for said in self._line.feed(data):
            self._on_message(said)
        self._heard.set()

    def _on_message(self, said: wire.FromNode) -> None:
        now = self._loop.time()
        if not isinstance(said, wire.Garbled):
            self._heard_s = now
        match said:
            case wire.Accepted() | wire.Refused():
                self._line.take(said)
            case wire.Happened(count, event):
                if isinstance(event, m.About | m.OtherVersion):
                    self._gaps.restart()
                    self._restarted(event)
                lost = self._gaps.heard(count)
                if lost:
                    self._missed(f"{lost} of the node's messages did not come")
                self._on_event(event)
            case wire.Garbled():
                self._missed("a line of the node came garbled")
            case wire.Unknown(body=body):
                self._tell.heard(StationNote(now, f"not understood: {body}"))
        self._watch()

    def _on_event(self, event: m.Told) -> None:
        now = self._loop.time()
        self._tell_all(self._reports.digest(event, now))
        match event:
            case m.Latched(latch) | m.Alive(latch) if latch is not Latch.NONE:
                self._stop_seen = True
            case m.Points(turnout, lie):
                self._moves.told(turnout, lie)
            case m.End():
                self._report_ended()

    def _report_ended(self) -> None:
        """Everything has been told. What was told before the question was answered, was told for another reason."""
        if not self._line.orders.asked(m.State):
            self._whole.told(complete=self._about is not None and self._reports.complete(self._about))
        if self._whole.known:
            for turnout, lie in self._reports.lies.items():
                self._moves.lies(turnout, lie)
        self._stop_told()
        self._arming.go_on()

    def _missed(self, what: str) -> None:
        """Something that the node said is lost: what it was, its whole state tells."""
        if self.link is Link.UP:
            self._tell.heard(StationNote(self._loop.time(), f"{what}: its whole state is asked for"))
        if self.link in (Link.UP, Link.SETTING_UP):
            self._whole.missed()

    def _ask_state(self) -> None:
        if not self._line.orders.asked(m.State):
            self._put(Order(m.State()))

    def _answered(self, order: Order, answer: Answer) -> None:
        if order.answer is not None:
            if not order.answer.done():
                order.answer.set_result(answer)
        elif isinstance(answer, wire.Refused):
            why = f"the node refused it: {answer.meaning}"
            if order.number is None:
                self._tell.note(f"{' '.join(m.words(order.message))!r}: {why}")
            self._tell.reject(order.number, why)
        else:
            if order.then is not None:
                order.then(answer)
            if order.number is not None and not isinstance(order.message, m.Turnout):
                self._tell.accept(order.number)

    # ------------------------------------------------------------ watching, and losing it

    def _watch(self) -> None:
        """Let an answer that is late, or silence, be noticed in time; and that neither is any more."""
        dues = [self._heard_s + SILENT_AFTER_S, self._line.orders.answer_due_t_s]
        due = min(due for due in dues if due is not None)
        watched = self.link in (Link.UP, Link.SETTING_UP)
        self._patience.wait(due if watched else None)
        if self.link is Link.UP and self._loop.time() < late_t_s(due):
            self._tell.link(LinkState.UP, "the node answers in time")

    def _late(self) -> None:
        if self.link is Link.UP:
            self._tell.link(LinkState.DOUBTFUL, f"the node is {LATE_AFTER_S:g} s late")

    def _overdue(self) -> None:
        """Never silently alive. Stops are tried on, perhaps only the way back is broken."""
        silent = self._loop.time() >= self._heard_s + SILENT_AFTER_S
        self._out_of_sight("the node is silent" if silent else "the node does not answer a command")

    def _out_of_sight(self, why: str) -> None:
        if self.link is not Link.UP:
            self._lost(why)
            return
        self._lose(Link.SILENT, why)
        self._tell.event(LinkLost(self._loop.time(), why))
        self._begin_halt(None)

    def _restarted(self, event: m.About | m.OtherVersion) -> None:
        """The board has started: nothing that was asked of it holds any more."""
        if self.link is Link.SETTING_UP or (self.link is Link.SEEKING and not self._line.orders.asked(m.Hello)):
            self._restarts += 1
            self._why_lost = "the node started anew"
            self._whole.end()
            self._give_back(self._line.orders.drop(), self._why_lost)
        elif self.link is Link.UP:
            said = greeting(event) if isinstance(event, m.About) else f"it speaks protocol version {event.version}"
            self._lose(Link.RESTARTED, "the node started anew")
            self._tell.event(StationRestarted(self._loop.time(), said))
            self._tell.event(PowerReported(self._loop.time(), False))

    def _lost(self, reason: str) -> None:
        before = self.link
        self._lose(Link.CLOSED, reason)
        if before is Link.UP:
            self._tell.event(LinkLost(self._loop.time(), reason))
        self._halting.give_up(reason)
        self._heard.set()

    def _lose(self, link: Link, why: str) -> None:
        self.halted = True
        self._tell.link(LinkState.LOST, why)
        self._tell.end_stretch()
        self._quit(link, why)

    def _quit(self, link: Link, why: str) -> None:
        """The link is not up any more: nothing that was under way is known to be carried out."""
        self.link = link
        self._why_lost = why
        self._reports.live = False
        self._patience.end()
        self._whole.end()
        self._give_back(self._line.end(), why)

    # ------------------------------------------------------------ telling

    def _tell_all(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, StationStopped):
                self.halted = True
            self._tell.heard(event)

    def _give_back(self, orders: Iterable[Order], why: str) -> None:
        """Orders that are not known to be carried out."""
        for order in orders:
            if order.answer is not None and not order.answer.done():
                order.answer.set_exception(self._setup_error())
            self._tell.reject(order.number, why)
        if self.link is not Link.UP:
            self._moves.give_up(why)
        if self.link is not Link.UP or self.halted:
            self._arming.give_up(why)
