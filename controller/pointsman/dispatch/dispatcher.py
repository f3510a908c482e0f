"""The dispatcher: the only caller of ``send``. It checks a step, writes it down, sends it, and awaits its evidence.

Evidence that is missing or unexpected sets doubt, and doubt stops everything at once: the stop leaves before it is
written down. Nothing resumes by itself: after a halt this object only refuses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from typing import Protocol

from pointsman.dispatch.journal import Journal
from pointsman.errors import HaltedError, LinkLostError, PointsmanError, RefusedError
from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    EmergencyStop,
    Event,
    ForeignControl,
    LinkLost,
    LinkUp,
    OverCurrent,
    PowerReported,
    Rejected,
    SensorChanged,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationRestarted,
    Stop,
    TurnoutReported,
)
from pointsman.operate import referee, tracker
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.interlocking import Surroundings, reasons_against, reasons_against_setup
from pointsman.operate.motion import Ratio
from pointsman.operate.plan import Planner
from pointsman.operate.steps import DriveStep, Step, TurnoutStep, UncoupleStep
from pointsman.puzzle.moves import Run
from pointsman.record import message_values
from pointsman.track.model import Leg, Track

CONFIRM_WITHIN_S = 1.5
"""A command that the station has not confirmed by then is missing evidence."""
TICK_S = 0.05
"""How often the supervision looks whether the program itself is alive, while anything moves or a magnet is on."""
STALLED_S = 0.2
"""A supervision that comes so late says that the program stood still: what happened meanwhile was not watched."""
STILL_MOVING_AFTER_S = 0.3
"""A beam that changes this long after an emergency stop says that something still moves: the power goes off."""


class Driver(Protocol):
    """What the dispatcher needs of a driver."""

    def send(self, command: Command, number: int) -> None:
        """Hand a command to the station; only events confirm it."""

    def halt(self, *, power_off: bool = False) -> None:
        """Stop everything at once, skipping every queue."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a screen shows at a moment: belief, what is being done, and where in the plan."""

    t_s: float
    belief: Belief
    doing: str
    run: int
    runs: int
    score: referee.Score
    drive: tracker.Drive | None = None
    turning: tuple[str, ...] = ()
    note: str = ""


@dataclass(slots=True)
class _State:
    """What changes while a play is under way."""

    belief: Belief
    score: referee.Score = field(default_factory=referee.Score)
    ratios: dict[tracker.RatioKey, Ratio] = field(default_factory=dict)
    drive: tracker.Drive | None = None
    doing: str = "getting ready"
    run: int = 0
    runs: int = 0
    power_on: bool = False
    link_up: bool = False
    turning: set[str] = field(default_factory=set)
    energised: set[str] = field(default_factory=set)
    moving: set[str] = field(default_factory=set)
    unconfirmed: dict[int, tuple[float, Command]] = field(default_factory=dict)
    halted: str = ""
    halted_s: float = inf
    cure: str = "look at the layout, set the wagons up again, and start again"
    watching: bool = False
    seen: set[str] = field(default_factory=set)


class Dispatcher:
    """Carries out plans on one layout. It lives in the running event loop, whose clock is the one clock.

    ``cap_mm_s`` is the fastest that anything may go; ``beat`` is called by the supervision, with whether anything
    moves or is energised: what stops the trains when this program does not.
    """

    def __init__(
        self,
        track: Track,
        planner: Planner,
        driver: Driver,
        journal: Journal,
        belief: Belief,
        *,
        allow: Allowances,
        show: Callable[[Status], None],
        cap_mm_s: float = inf,
        beat: Callable[[bool], None] = lambda _: None,
    ) -> None:
        self._track = track
        self._cap_mm_s = cap_mm_s
        self._beat = beat
        self._ticker: asyncio.TimerHandle | None = None
        self._planner = planner
        self._driver = driver
        self._journal = journal
        self._allow = allow
        self._show = show
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._number = 0
        self._events = 0
        self._stops: dict[str, int] = {}
        self._state = _State(belief)

    # ------------------------------------------------------------ for the caller

    @property
    def belief(self) -> Belief:
        """What is believed now."""
        return self._state.belief

    @property
    def score(self) -> referee.Score:
        """What has been counted so far."""
        return self._state.score

    @property
    def seen(self) -> frozenset[str]:
        """The vehicles that a beam has seen; the others stand where a person said they do."""
        return frozenset(self._state.seen)

    @property
    def halted(self) -> str:
        """Why everything was stopped; empty while it was not."""
        return self._state.halted

    async def play(self, runs: Sequence[Run]) -> Belief:
        """Power on, set every turnout once, prove the locomotive, and carry out the runs.

        Returns the belief at the end. Raises RefusedError before anything moves when the plan cannot be carried out,
        HaltedError when it was stopped.
        """
        state = self._state
        state.runs = len(runs)
        self._planner.rehearse(state.belief, runs)
        # The driver's first reports (beams, power) end with the link being up.
        await self._until(self._loop.time() + CONFIRM_WITHIN_S, lambda: state.link_up)
        if not state.link_up:
            raise LinkLostError("the link did not come up", cure="look at the cable and the station")
        against = reasons_against_setup(self._track, state.belief)
        if against:
            raise RefusedError(against, where="set-up", cure="set the layout up as the picture shows, then start again")
        state.watching = True
        try:
            await self._power_on()
            for turnout_step in self._planner.preparation(runs):
                await self._carry_out(turnout_step)
            if runs:
                await self._carry_out(self._planner.proving(state.belief, runs[0].locomotive))
            for job in self._planner.jobs(runs):
                state.run = job.number
                at = job
                while True:
                    step, at = self._planner.next_step(state.belief, at)
                    if step is None:
                        break
                    await self._carry_out(step)
                state.belief = replace(state.belief, position=job.run.after)
                self._finish(job.run, runs[job.number - 2] if job.number > 1 else None)
                self._tell()
        except BaseException as error:
            # Whatever ends a play before its end, the stop leaves first; after a halt this changes nothing.
            self.halt(error.what if isinstance(error, PointsmanError) else f"a fault of the program: {error!r}")
            raise
        state.watching = False
        return state.belief

    def _finish(self, run: Run, before: Run | None) -> None:
        """A run's evidence is complete: it counts."""
        state = self._state
        reversed_ = referee.reverses(self._track, before, run)
        state.score = referee.with_run(state.score, reversed_=reversed_)
        self._write("run", {"number": state.run, "run": str(run), "reversed": reversed_, "position": str(run.after)})

    def receive(self, event: Event) -> None:
        """Take an event from the driver; to be called in the loop's thread."""
        self._events += 1
        self._judge(event)
        self._write("event", message_values(event), event.t_s)
        self._changed.set()

    def halt(self, why: str, *, power_off: bool = False) -> None:
        """Stop everything at once. The stop leaves first and is written down afterwards. May be called repeatedly."""
        state = self._state
        first = not state.halted
        state.halted = state.halted or why
        self._driver.halt(power_off=power_off)
        if first:
            state.halted_s = self._loop.time()
            state.score = referee.fold(state.score, EmergencyStop())
            state.moving.clear()
            self._write("halt", {"why": why, "doing": state.doing, "position": str(state.belief.position)})
            self._tell(f"STOPPED: {why}")
        self._changed.set()

    # ------------------------------------------------------------ supervision

    def _watch(self) -> None:
        """Something begins to move, or a magnet comes on."""
        if self._ticker is None:
            self._supervise(self._loop.time())

    def _supervise(self, due_s: float) -> None:
        state, now = self._state, self._loop.time()
        if (state.moving or state.energised) and now > due_s + STALLED_S:
            self.halt(f"this program stood still for {now - due_s:.1f} s, and nothing was watched meanwhile")
        # After a halt it goes on to the end: until the stop is confirmed this program must not freeze unseen.
        active = bool(state.moving or state.energised or state.halted)
        self._beat(active)
        self._ticker = self._loop.call_at(now + TICK_S, self._supervise, now + TICK_S) if active else None

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
                self._state.unconfirmed.pop(number, None)
            case Rejected(number=number, why=why):
                self._rejected(number, why)
            case TurnoutReported(turnout=turnout, thrown=thrown):
                self._state.belief = self._state.belief.with_report(turnout, Leg.THROWN if thrown else Leg.CLOSED)
            case PowerReported(on=on):
                was_on, self._state.power_on = self._state.power_on, on
                if was_on and not on:
                    self._doubt("the track power went off")
            case LinkUp():
                self._state.link_up = self._state.watching = True
            case LinkLost() if self._state.moving:
                # Perhaps nothing that was written since was heard.
                self._state.cure = "SWITCH THE TRACK POWER OFF BY HAND NOW: the locomotive may still be running"
                self._doubt(_reason_to_stop(event))
            case _:
                reason = _reason_to_stop(event)
                if reason:
                    self._doubt(reason)

    def _rejected(self, number: int, why: str) -> None:
        _, command = self._state.unconfirmed.pop(number, (0.0, None))
        # A speed that was still waiting when a stop went out is dropped: that is what the stop is for.
        if not (isinstance(command, Drive) and number < self._stops.get(command.locomotive, 0)):
            self._doubt(f"the station rejected a command: {why}")

    def _sensor(self, event: SensorChanged) -> None:
        state = self._state
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
            self._tell()
        elif state.watching and known:
            now = "broken" if event.active else "freed"
            self._doubt(f"beam {event.sensor} was {now} while everything stood")

    def _doubt(self, why: str) -> None:
        if self._state.watching and not self._state.halted:
            self.halt(why)

    # ------------------------------------------------------------ carrying out steps

    async def _power_on(self) -> None:
        self._state.doing = "track power on"
        self._tell()
        self._send(SetPower(True))
        await self._confirmed()
        await self._until(self._loop.time() + CONFIRM_WITHIN_S, lambda: self._state.power_on)
        if not self._state.power_on:
            self.halt("the station did not report the track power on")
            self._stand_by()

    async def _carry_out(self, step: Step) -> None:
        state = self._state
        state.doing = str(step)
        self._write("step", {"run": state.run, "what": str(step), "evidence": _evidence(step)})
        self._tell()
        self._check(step)
        match step:
            case TurnoutStep():
                await self._within(step.deadline_s, self._turn(step))
            case UncoupleStep():
                await self._within(step.deadline_s, self._uncouple(step))
            case DriveStep():
                await self._drive(step)

    async def _within(self, deadline_s: float, work: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(deadline_s):
                await work
        except TimeoutError:
            self.halt(f"it was not done within {deadline_s:.1f} s")
            self._stand_by()

    async def _turn(self, step: TurnoutStep) -> None:
        state = self._state
        state.turning.add(step.turnout)
        self._send(SetTurnout(step.turnout, step.leg is Leg.THROWN))
        await self._confirmed()
        # An echo only says that the station has heard: the machine is given its own time.
        await self._until(self._loop.time() + step.wait_s)
        reported = state.belief.reported.get(step.turnout)
        if reported is not None and reported is not step.leg:
            self.halt(f"{step.turnout} was set to {step.leg}, and the station says {reported}")
            self._stand_by()
        state.turning.discard(step.turnout)
        state.belief = state.belief.with_turnout(step.turnout, step.leg)
        self._tell()

    async def _uncouple(self, step: UncoupleStep) -> None:
        state = self._state
        if not step.energise:
            await self._until(self._loop.time() + step.hold_s)
            self._parted(step)
            return
        state.energised.add(step.uncoupler)
        self._watch()
        try:
            self._send(SetUncoupler(step.uncoupler, True))
            await self._confirmed()
            await self._until(self._loop.time() + step.hold_s)
        finally:
            self._send(SetUncoupler(step.uncoupler, False))
        await self._confirmed()
        state.energised.discard(step.uncoupler)
        self._parted(step)

    def _parted(self, step: UncoupleStep) -> None:
        state = self._state
        state.belief = state.belief.with_parted(step.kept, step.left)
        state.score = referee.with_uncoupling(state.score)
        self._write("parted", {"kept": step.kept, "left": step.left, "at": step.uncoupler})

    async def _drive(self, step: DriveStep) -> None:
        state = self._state
        engine = self._track.locomotives[step.locomotive]
        state.drive = tracker.begin(step, engine, state.belief.beams, state.ratios, self._loop.time(), self._allow)
        while True:
            self._stand_by()
            state.drive, advice = tracker.advise(state.drive, self._loop.time())
            if state.drive.doubt:
                self.halt(state.drive.doubt)
            elif state.drive.phase is tracker.Phase.STANDING:
                break
            elif advice.order is not None:
                self._order(step, advice.order)
            else:
                await self._until_event(advice.again_s)
        state.ratios = dict(state.drive.ratios)
        state.seen |= {edge.vehicle for edge, _ in state.drive.seen}
        state.belief = tracker.after(state.belief, state.drive)
        state.drive = None
        state.moving.discard(step.locomotive)
        self._write("stand", {"position": str(state.belief.position), "spots": _spots(state.belief)})
        self._tell()

    def _order(self, step: DriveStep, speed_step: int) -> None:
        state = self._state
        if state.drive is None:
            return
        if speed_step == 0:
            self._send(Stop(step.locomotive, step.forward))
        else:
            self._check(step)
            state.moving.add(step.locomotive)
            self._watch()
            self._send(Drive(step.locomotive, step.forward, speed_step))
        state.drive = tracker.ordered(state.drive, speed_step, self._loop.time())

    def _check(self, step: Step) -> None:
        """The interlocking, just before a command. A refusal halts: the plan no longer fits what is believed."""
        self._stand_by()
        state = self._state
        around = Surroundings(
            moving=frozenset(state.moving),
            turning=frozenset(state.turning),
            energised=frozenset(state.energised),
            power_on=state.power_on,
            halted=state.halted,
            cap_mm_s=self._cap_mm_s,
        )
        reasons = reasons_against(self._track, state.belief, step, around)
        if reasons:
            raise RefusedError(reasons, where=str(step), cure="look at the layout, then start again")

    # ------------------------------------------------------------ sending and waiting

    def _send(self, command: Command) -> None:
        self._number += 1
        state = self._state
        if not isinstance(command, Stop):
            self._write("command", {"number": self._number, **message_values(command)})
        self._driver.send(command, self._number)
        state.unconfirmed[self._number] = (self._loop.time(), command)
        state.score = referee.fold(state.score, command)
        if isinstance(command, Stop):
            self._stops[command.locomotive] = self._number
            self._write("command", {"number": self._number, **message_values(command)})

    async def _confirmed(self) -> None:
        await self._until(inf, lambda: not self._state.unconfirmed)

    async def _until_event(self, t_s: float) -> None:
        """Wait for the next event, at most until a moment."""
        seen = self._events
        await self._until(t_s, lambda: self._events != seen)

    async def _until(self, t_s: float, enough: Callable[[], bool] = lambda: False) -> None:
        """Wait for a moment, or until ``enough`` holds, which events change; HaltedError if everything was stopped."""
        while True:
            self._stand_by()
            now = self._loop.time()
            overdue_s = CONFIRM_WITHIN_S + min((sent for sent, _ in self._state.unconfirmed.values()), default=inf)
            if now > overdue_s:
                self.halt(f"the station did not confirm {_oldest(self._state.unconfirmed)}")
                continue
            if now >= t_s or enough():
                return
            until = min(t_s, overdue_s + 0.001)
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until if until < inf else None):
                    await self._changed.wait()

    def _stand_by(self) -> None:
        """Raise what ended the play, if anything did."""
        if self._state.halted:
            raise HaltedError(
                self._state.halted,
                where=self._state.doing,
                believed=_believed(self._track, self._state),
                cure=self._state.cure,
            )

    def _write(self, kind: str, values: dict[str, object], t_s: float | None = None) -> None:
        self._journal.write(self._loop.time() if t_s is None else t_s, kind, values)

    def _tell(self, note: str = "") -> None:
        state = self._state
        self._show(
            Status(
                t_s=self._loop.time(),
                belief=state.belief,
                doing=state.doing,
                run=state.run,
                runs=state.runs,
                score=state.score,
                drive=state.drive,
                turning=tuple(state.turning),
                note=note,
            )
        )


def _reason_to_stop(event: Event) -> str:
    match event:
        case LinkLost(why=why):
            return f"the link to the station is lost: {why}"
        case StationRestarted(greeting=greeting):
            return f"the station restarted: {greeting}"
        case OverCurrent(what=what):
            return f"overload on the track: {what}"
        case ForeignControl(what=what):
            return f"something else controls the layout: {what}"
        case _:
            return ""


def _believed(track: Track, state: _State) -> str:
    """Where the vehicles were believed to be when everything was stopped, for the person who looks."""
    engines = [name for name in track.locomotives if name in state.belief.spots]
    spots = {name: state.belief.spots[name] for name in engines}
    if state.drive is not None:
        # As when the stop was sent: how far it ran on after that, nobody has seen.
        moving = state.drive.step.sweep.spots(state.drive.envelope.slow.x_mm, state.drive.envelope.fast.x_mm)
        spots |= {name: spot for name, spot in moving.items() if name in engines}
    where = [
        f"the middle of {name} at {spot.place.at_mm:.0f} mm of {spot.place.element}, give or take {spot.error_mm:.0f}"
        for name, spot in spots.items()
    ]
    return "; ".join([str(state.belief.position), *where])


def _evidence(step: Step) -> str:
    if not isinstance(step, DriveStep):
        return "the station's fence, then its own time"
    edges = [
        f"{e.vehicle}{'+' if e.active else '-'}@{e.beam}" for e in step.sweep.edges if e.c_mm <= step.stop.target_mm
    ]
    return " ".join(edges[-12:]) or "none on the way"


def _oldest(unconfirmed: dict[int, tuple[float, Command]]) -> str:
    number = min(unconfirmed)
    return f"command {number} ({type(unconfirmed[number][1]).__name__})"


def _spots(belief: Belief) -> dict[str, list[object]]:
    return {
        name: [spot.place.element, spot.place.leg, round(spot.place.at_mm, 1), round(spot.error_mm, 1)]
        for name, spot in belief.spots.items()
    }
