"""The control of one layout: what is believed and under way, and the only caller of the driver.

It takes the driver's events, judges them, and stops everything when one does not fit; it sends commands and waits for
their evidence. What is to be done, in which order, is the dispatcher's business. Nothing resumes by itself: after a
halt this object only refuses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Protocol, TypeVar

from pointsman.dispatch.hand_status import HandStatus
from pointsman.dispatch.journal import Journal
from pointsman.dispatch.reasons import reason_to_stop, whereabouts
from pointsman.errors import HaltedError
from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    EmergencyStop,
    Event,
    LinkChanged,
    LinkLost,
    LinkUp,
    PowerDivided,
    PowerReported,
    Rejected,
    SensorChanged,
    SetFunction,
    Stop,
    TurnoutReported,
)
from pointsman.operate import power, referee, tracker
from pointsman.operate.belief import Belief
from pointsman.operate.causes import likely_cause
from pointsman.operate.hands import HandWork
from pointsman.operate.motion import Ratio
from pointsman.operate.power import Power
from pointsman.record import message_values
from pointsman.track.model import Leg, Track

CONFIRM_WITHIN_S = 1.5
"""A command that the station has not confirmed by then is missing evidence."""
OBEYED_WITHIN_S = 0.3
"""So is an order to a train: it comes to the rail later than is allowed for, and the train is further on."""
TICK_S = 0.05
"""How often the supervision looks whether the program itself is alive, while anything moves or a magnet is on."""
STALLED_S = 0.2
"""A supervision that comes so late says that the program stood still: what happened meanwhile was not watched."""
STILL_MOVING_AFTER_S = 0.3
"""A beam that changes this long after an emergency stop says that something still moves: the power goes off."""
LOOK = "look at the layout before anything else"
BUSY = "the computer was busy: end other programs, then start again"


T = TypeVar("T")
Ask = Callable[[HandWork], Awaitable[bool]]
"""Asks a person to do something; True when it is done, False when it will not be. It may take for ever."""


class Driver(Protocol):
    """What the dispatcher needs of a driver."""

    def send(self, command: Command, number: int) -> None:
        """Hand a command to the station; only events confirm it."""

    def halt(self, *, power_off: bool = False) -> None:
        """Stop everything at once, skipping every queue."""

    def beat(self) -> bool:
        """The supervision has looked at everything: said on to a station that stops without a heartbeat.

        True when there is one that waits for the next, though nothing moves.
        """


@dataclass(frozen=True, slots=True)
class Status:
    """What a screen shows at a moment: belief, what is being done, and where in the plan.

    ``halted`` is why everything was stopped; empty while it was not. ``cure`` is what a hand must do at once then,
    if anything.
    """

    t_s: float
    belief: Belief
    doing: str
    run: int
    runs: int
    score: referee.Score
    drive: tracker.Drive | None = None
    turning: tuple[str, ...] = ()
    note: str = ""
    asking: bool = False
    links: Mapping[str, LinkChanged] = field(default_factory=dict)
    power: Power = Power.UNTOLD
    energised: tuple[str, ...] = ()
    halted: str = ""
    hand: HandStatus | None = None
    cure: str = ""


@dataclass(slots=True)
class State:
    """What changes while a play is under way."""

    belief: Belief
    score: referee.Score = field(default_factory=referee.Score)
    ratios: dict[tracker.RatioKey, Ratio] = field(default_factory=dict)
    drive: tracker.Drive | None = None
    driven: tracker.Drive | None = None
    doing: str = "getting ready"
    run: int = 0
    runs: int = 0
    power_on: bool = False
    power: Power = Power.UNTOLD
    link_up: bool = False
    links: dict[str, LinkChanged] = field(default_factory=dict)
    turning: set[str] = field(default_factory=set)
    energised: set[str] = field(default_factory=set)
    moving: set[str] = field(default_factory=set)
    moved: bool = False
    """Whether anything moved when everything was stopped."""
    unconfirmed: dict[int, tuple[float, Command]] = field(default_factory=dict)
    asides: set[int] = field(default_factory=set)
    """Commands that are not waited for: lights and the like."""
    look_s: float = inf
    """When whoever drives wants to look again what the train does, at the latest."""
    halted: str = ""
    halted_s: float = inf
    cure: str = LOOK
    watching: bool = False
    asking: bool = False
    followed: bool = False
    met: tuple[str, ...] = ()
    seen: set[str] = field(default_factory=set)
    hand: HandStatus | None = None
    between: str = ""


class Control:
    """State, evidence and halts of one layout. It lives in the running event loop, whose clock is the one clock.

    ``beat`` is called by the supervision, with whether anything moves or is energised: what stops the trains when this
    program does not. The supervision alone gives the driver its heartbeat, and only after it has looked at every
    deadline; once everything is stopped it gives none, so that a station which has not heard the stop stops by itself.
    ``stops_itself``: such a one feeds everything that moves.
    """

    def __init__(
        self,
        track: Track,
        driver: Driver,
        journal: Journal,
        belief: Belief,
        *,
        show: Callable[[Status], None],
        beat: Callable[[bool], None],
        score: referee.Score | None = None,
        stops_itself: bool = False,
    ) -> None:
        self.track = track
        self.loop = asyncio.get_running_loop()
        self.state = State(belief, score or referee.Score())
        self._driver = driver
        self._journal = journal
        self._show = show
        self._beat = beat
        self._running_on = power.running_on(stops_itself=stops_itself)
        self._ticker: asyncio.TimerHandle | None = None
        self._active = False
        self._changed = asyncio.Event()
        self._number = 0
        self._events = 0
        self._stops: dict[str, int] = {}
        self._ending: HaltedError | None = None

    def receive(self, event: Event) -> None:
        """Take an event from the driver; to be called in the loop's thread."""
        self._events += 1
        self.state.power = power.fold(self.state.power, event)
        self._judge(event)
        self.write("event", message_values(event), event.t_s)
        self._changed.set()

    def halt(self, why: str, *, power_off: bool = False) -> None:
        """Stop everything at once. The stop leaves first and is written down afterwards. May be called repeatedly."""
        state = self.state
        first = not state.halted
        state.halted = state.halted or why
        try:
            self._driver.halt(power_off=power_off)
        finally:
            if first:
                self._halted(why)
            self._changed.set()

    def _halted(self, why: str) -> None:
        state = self.state
        state.halted_s = self.loop.time()
        state.score = referee.fold(state.score, EmergencyStop())
        if state.cure == LOOK and state.drive is not None and state.drive.doubt == why:
            state.cure = "; ".join(filter(None, [likely_cause(state.drive), LOOK]))
        state.moved = bool(state.moving)
        state.moving.clear()
        self.write("halt", {"why": why, "doing": state.doing, "position": str(state.belief.position)})
        # The end of the play may be seconds away: what a hand must do at once is said at once.
        self.tell(f"STOPPED: {why}" + (f"; {self._running_on}" if state.cure == self._running_on else ""))

    # ------------------------------------------------------------ supervision

    def watch(self) -> None:
        """The power comes on, something begins to move, or a magnet comes on."""
        if self._ticker is None:
            self._supervise(self.loop.time())
        elif not self._active:
            self._tell_guardian()

    def _supervise(self, due_s: float) -> None:
        state, now = self.state, self.loop.time()
        if (state.moving or state.energised) and now > due_s + STALLED_S:
            if not state.halted:
                state.cure = f"{BUSY}; {LOOK}"
            self.halt(f"this program stood still for {now - due_s:.1f} s, and nothing was watched meanwhile")
        self._check_deadlines(now)
        self._tell_guardian()
        waited_for = not state.halted and self._driver.beat()
        again = self._active or waited_for
        self._ticker = self.loop.call_at(now + TICK_S, self._supervise, now + TICK_S) if again else None

    def _check_deadlines(self, now: float) -> None:
        """Whoever waits for something looks at its deadline; that somebody still does is looked at here."""
        number = self._oldest()
        if self.state.halted:
            return
        if now > self._due_s(number) + STALLED_S:
            self._missing(number)
        elif now > self.state.look_s + STALLED_S:
            self.halt("a part of this program hangs: nobody looked what the train does")

    def _tell_guardian(self) -> None:
        # After a halt it goes on to the end: until the stop is confirmed this program must not freeze unseen.
        self._active = bool(self.state.moving or self.state.energised or self.state.halted)
        self._beat(self._active)

    def close(self) -> None:
        """The link is closed: nothing is supervised any more."""
        if self._ticker is not None:
            self._ticker.cancel()
            self._ticker = None
            self._beat(False)

    # ------------------------------------------------------------ judging events

    def _judge(self, event: Event) -> None:
        match event:
            case SensorChanged():
                self._sensor(event)
            case Accepted(number=number):
                self.state.unconfirmed.pop(number, None)
                self.state.asides.discard(number)
            case Rejected(number=number, why=why):
                self._rejected(number, why)
            case TurnoutReported(turnout=turnout, thrown=thrown):
                self.state.belief = self.state.belief.with_report(turnout, Leg.THROWN if thrown else Leg.CLOSED)
            case PowerReported(on=on):
                was_on, self.state.power_on = self.state.power_on, on
                if was_on and not on:
                    self._doubt("the track power went off")
            case PowerDivided(what=what):
                if self.state.power_on:
                    self._doubt(f"part of the track power went off: {what}")
            case LinkChanged(station=station):
                self.state.links[station] = event
                self.tell()
            case LinkUp():
                self.state.link_up = self.state.watching = True
            case LinkLost() if self.state.moving:
                # Perhaps nothing that was written since was heard.
                self.state.cure = self._running_on
                self._doubt(reason_to_stop(event))
            case LinkLost() if self.state.moved and self.state.power_on:
                # Nor perhaps the stop, nor that the power is to go off.
                self.state.cure = self._running_on
                if self._ending is not None:
                    self._ending.cure = self._running_on
                self.tell(f"{reason_to_stop(event)}; {self._running_on}")
            case _:
                reason = reason_to_stop(event)
                if reason:
                    self._doubt(reason)

    def _rejected(self, number: int, why: str) -> None:
        if number in self.state.asides:
            self.state.asides.discard(number)
            self.tell(why)
            return
        _, command = self.state.unconfirmed.pop(number, (0.0, None))
        # A speed that was still waiting when a stop went out is dropped: that is what the stop is for.
        if not (isinstance(command, Drive) and number < self._stops.get(command.locomotive, 0)):
            self._doubt(f"command {number} was not accepted: {why}")

    def _sensor(self, event: SensorChanged) -> None:
        state = self.state
        if state.belief.beams.get(event.sensor) is event.active:
            return
        known = event.sensor in state.belief.beams
        state.belief = state.belief.with_beam(event.sensor, event.active)
        if state.halted:
            if event.t_s > state.halted_s + STILL_MOVING_AFTER_S:
                self.halt(state.halted, power_off=True)
            return
        if state.drive is not None:
            state.drive = tracker.fold(state.drive, event)
            if state.drive.doubt:
                self._doubt(state.drive.doubt)
            self.tell()
        elif state.asking:
            # Somebody was asked to put a hand there. How the beams are afterwards is looked at after the answer.
            return
        elif state.watching and known:
            now = "broken" if event.active else "freed"
            self._doubt(f"beam {event.sensor} was {now} while everything stood")

    def _doubt(self, why: str) -> None:
        if self.state.watching and not self.state.halted:
            self.halt(why)

    # ------------------------------------------------------------ sending and waiting

    def send(self, command: Command, *, patience_s: float = 0.0) -> None:
        """Write a command down and send it; a stop is sent first. Only events confirm it.

        ``patience_s`` is what its confirmation may take on top of the usual time.
        """
        self._number += 1
        state = self.state
        if not isinstance(command, Stop):
            self.write("command", {"number": self._number, **message_values(command)})
        if isinstance(command, SetFunction):
            state.asides.add(self._number)  # before it is sent: it may be refused at once
        self._driver.send(command, self._number)
        if not isinstance(command, SetFunction):
            state.unconfirmed[self._number] = (self.loop.time() + patience_s, command)
        state.score = referee.fold(state.score, command)
        state.power = power.fold(state.power, command)
        if isinstance(command, Stop):
            self._stops[command.locomotive] = self._number
            self.write("command", {"number": self._number, **message_values(command)})

    async def confirmed(self) -> None:
        """Wait until everything that was sent is confirmed; HaltedError when something is not, in time."""
        await self.until(inf, lambda: not self.state.unconfirmed)

    async def until_event(self, t_s: float, or_when: Callable[[], bool] = lambda: False) -> None:
        """Wait for the next event, or until ``or_when`` holds (see ``wake``), at most until a moment."""
        seen = self._events
        await self.until(t_s, lambda: self._events != seen or or_when())

    def wake(self) -> None:
        """Something has changed that whoever waits may wait for."""
        self._changed.set()

    async def until(self, t_s: float, enough: Callable[[], bool] = lambda: False) -> None:
        """Wait for a moment, or until ``enough`` holds, which events change; HaltedError if everything was stopped."""
        while True:
            self.stand_by()
            now = self.loop.time()
            number = self._oldest()
            overdue_s = self._due_s(number)
            if now > overdue_s:
                self._missing(number)
                continue
            if now >= t_s or enough():
                return
            until = min(t_s, overdue_s + 0.001)
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until if until < inf else None):
                    await self._changed.wait()

    def _oldest(self) -> int:
        """The command that must be confirmed first; 0 when none is waited for."""
        return min(self.state.unconfirmed, key=self._due_s, default=0)

    def _missing(self, number: int) -> None:
        """A command is not confirmed in time."""
        _, command = self.state.unconfirmed[number]
        if self.state.moving:
            self.state.cure = self._running_on
        self.halt(f"the station did not confirm command {number} ({type(command).__name__})")

    def _due_s(self, number: int) -> float:
        """When a command must have been confirmed."""
        if number not in self.state.unconfirmed:
            return inf
        sent_s, command = self.state.unconfirmed[number]
        return sent_s + (OBEYED_WITHIN_S if isinstance(command, Drive | Stop) else CONFIRM_WITHIN_S)

    async def answered(self, ask: Ask, work: HandWork) -> bool:
        """A person's answer; HaltedError as soon as everything was stopped meanwhile.

        A beam that changes meanwhile is no doubt.
        """
        self.state.asking = True
        try:
            return await self.awaited(ask(work))
        finally:
            self.state.asking = False

    async def awaited(self, what: Awaitable[T]) -> T:
        """Wait for somebody else, however long that takes; HaltedError as soon as everything was stopped meanwhile."""
        waiting = asyncio.ensure_future(what)
        waiting.add_done_callback(lambda _: self._changed.set())
        try:
            await self.until(inf, waiting.done)
            return waiting.result()
        finally:
            waiting.cancel()
            await asyncio.wait([waiting])

    def stand_by(self) -> None:
        """Raise what ended the play, if anything did; its cure changes if the link is lost with the power on."""
        if self.state.halted:
            self._ending = HaltedError(
                self.state.halted,
                where=self.state.doing,
                confirmed=str(self.state.belief.position),
                believed=whereabouts(self.track, self.state.belief, self.state.drive),
                cure=self.state.cure,
            )
            raise self._ending

    def write(self, kind: str, values: dict[str, object], t_s: float | None = None) -> bool:
        """Write a line into the journal, of now or of a moment; whether it is there."""
        return self._journal.write(self.loop.time() if t_s is None else t_s, kind, values)

    def tell(self, note: str = "") -> None:
        """Show what is believed and done now."""
        state = self.state
        self._show(
            Status(
                t_s=self.loop.time(),
                belief=state.belief,
                doing=state.doing,
                run=state.run,
                runs=state.runs,
                score=state.score,
                drive=state.drive,
                turning=tuple(state.turning),
                note=note,
                asking=state.asking,
                links=dict(state.links),
                power=state.power,
                energised=tuple(sorted(state.energised)),
                halted=state.halted,
                hand=state.hand,
                cure=self._running_on if state.halted and state.cure == self._running_on else "",
            )
        )
