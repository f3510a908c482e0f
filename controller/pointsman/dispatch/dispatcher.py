"""The dispatcher: it checks a step, has it written down and sent, and awaits its evidence.

Evidence that is missing or unexpected sets doubt, and doubt stops everything at once: see ``dispatch.control``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from math import inf

from pointsman.dispatch.by_hand import ByHand, Hands
from pointsman.dispatch.control import CONFIRM_WITHIN_S, LOOK, Ask, Control, Driver, Status
from pointsman.dispatch.hand_status import HandStatus
from pointsman.dispatch.journal import Journal
from pointsman.dispatch.lines import stand_line, step_line
from pointsman.dispatch.orders import Orders
from pointsman.dispatch.reasons import what_ended
from pointsman.errors import LinkLostError, PointsmanError, RefusedError, StoppedError
from pointsman.messages import (
    Drive,
    Event,
    SetPower,
    SetTurnout,
    SetUncoupler,
    Stop,
)
from pointsman.operate import referee, tracker
from pointsman.operate.ahead import Protection
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.course import STEPS, Course
from pointsman.operate.hand_referee import Earlier
from pointsman.operate.hands import hand_work, is_by_hand
from pointsman.operate.interlocking import (
    Surroundings,
    reasons_against,
    reasons_against_setup,
    reasons_against_start,
)
from pointsman.operate.parting import MOST_TRIES
from pointsman.operate.plan import Planner
from pointsman.operate.power import Power
from pointsman.operate.steps import DriveStep, Job, Step, TurnoutStep, UncoupleStep
from pointsman.puzzle.moves import Run
from pointsman.track.model import Leg, Track


class Dispatcher:
    """Carries out plans on one layout. It lives in the running event loop, whose clock is the one clock.

    ``cap_mm_s`` is the fastest that anything may go; ``beat`` is called by the supervision, with whether anything
    moves or is energised: what stops the trains when this program does not. ``ask`` asks a person to do what no machine
    does; ``score`` is what was counted before, when an earlier play is gone on with.
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
        ask: Ask | None = None,
        score: referee.Score | None = None,
        stops_itself: bool = False,
    ) -> None:
        self._control = Control(
            track, driver, journal, belief, show=show, beat=beat, score=score, stops_itself=stops_itself
        )
        self._ask = ask
        self._earlier_runs = 0 if score is None else score.runs
        self._cap_mm_s = cap_mm_s
        self._planner = planner
        self._allow = allow

    # ------------------------------------------------------------ for the caller

    @property
    def belief(self) -> Belief:
        """What is believed now."""
        return self._control.state.belief

    @property
    def score(self) -> referee.Score:
        """What has been counted so far."""
        return self._control.state.score

    @property
    def seen(self) -> frozenset[str]:
        """The vehicles that a beam has seen; the others stand where a person said they do."""
        return frozenset(self._control.state.seen)

    @property
    def power(self) -> Power:
        """How the track power is, as far as the stations have said."""
        return self._control.state.power

    @property
    def drive(self) -> tracker.Drive | None:
        """The drive that is under way, or was when everything was stopped."""
        return self._control.state.drive

    @property
    def hand(self) -> HandStatus | None:
        """What a sitting by hand has to show; None while there is none."""
        return self._control.state.hand

    @property
    def halted(self) -> str:
        """Why everything was stopped; empty while it was not."""
        return self._control.state.halted

    def receive(self, event: Event) -> None:
        """Take an event from the driver; to be called in the loop's thread."""
        self._control.receive(event)

    def halt(self, why: str, *, power_off: bool = False) -> None:
        """Stop everything at once. May be called repeatedly."""
        self._control.halt(why, power_off=power_off)

    def hinted(self, run: str, distance: int) -> None:
        """A person was told the best next run: that counts, and is written down."""
        state = self._control.state
        state.score = referee.with_hint(state.score)
        self._control.write("hint", {"run": run, "distance": distance})
        self._control.tell()

    def pressed(self, what: str, **values: str | bool) -> bool:
        """A referee has pressed something (a fault, the clock): it is written down, and changes nothing else.

        Whether it is written: when the journal is closed already, it is not.
        """
        return self._control.write("pressed", {"what": what, **values})

    def close(self) -> None:
        """The link is closed: nothing is supervised any more."""
        self._control.close()

    async def play(self, runs: Sequence[Run], may_begin: Callable[[int], Awaitable[None]] | None = None) -> Belief:
        """Power on, set every turnout once, prove the locomotive, and carry out the runs.

        ``may_begin`` is awaited before each run, given its number from 1: a person may want to look first.
        Returns the belief at the end. Raises RefusedError before anything moves when the plan cannot be carried out,
        HaltedError when it was stopped.
        """
        state = self._control.state
        state.runs = self._earlier_runs + len(runs)
        self._check_hands([done.step for done in self._planner.rehearse(state.belief, runs)])
        async with self._watched():
            for turnout_step in self._planner.preparation(runs):
                await self._carry_out(turnout_step)
            if runs:
                await self._carry_out(self._planner.proving(state.belief, runs[0].locomotive))
            for job in self._planner.jobs(runs):
                if may_begin is not None:
                    await self._control.awaited(may_begin(job.number))
                state.run = self._earlier_runs + job.number
                at = job
                while True:
                    step, at = self._planner.next_step(state.belief, at)
                    if step is None:
                        break
                    await self._carry_out(step)
                    if state.followed:
                        at = self._once_more(at)
                state.belief = replace(state.belief, position=job.run.after)
                self._finish(job.run, runs[job.number - 2] if job.number > 1 else None)
                self._control.tell()
        return state.belief

    async def follow(self, course: Course) -> Belief:
        """Power on, set every turnout once, prove the locomotive, and carry out what a course asks for, to its end.

        Returns the belief at the end. Raises as ``play`` does.
        """
        state = self._control.state
        state.runs = STEPS
        opening = course.opening()
        self._check_hands(opening)
        async with self._watched():
            for turnout_step in opening:
                await self._carry_out(turnout_step)
            step: DriveStep | None = course.proving(state.belief)
            while step is not None:
                # Not what earlier passes taught: how far they differ is what is to be found out.
                state.ratios = course.known
                await self._carry_out(step)
                state.belief = course.placed(state.belief)
                step = course.next_step(state.belief, None if step.proves else state.driven)
                # After the last one nothing is being measured, and what was done last is still what was done for it.
                state.run = course.number or state.run
        return state.belief

    async def by_hand(
        self,
        orders: Orders,
        locomotive: str,
        protection: Protection = Protection.FULL,
        plan: Sequence[Run] = (),
        earlier: Earlier | None = None,
    ) -> Belief:
        """Power on, set every turnout once, prove the locomotive, and carry out what persons order, to its end.

        With a ``plan`` they are set for its first run: the proof may leave the train standing foul of them. ``earlier``
        is what an earlier sitting has counted. Returns the belief at the end. Raises RefusedError when the locomotive
        cannot be proved, HaltedError when everything was stopped; whoever then still waits is refused.
        """
        control, state, hands = self._control, self._control.state, self._hands()
        sitting = ByHand(control, self._planner, orders, hands, locomotive, self._allow, protection, earlier)
        ended: BaseException | None = None
        try:
            own = self._planner.settings(self._planner.lying_for(state.belief.position, locomotive))
            opening = self._planner.preparation(plan) if plan else own
            self._check_hands(opening)
            async with self._watched():
                for turnout_step in opening:
                    await self._carry_out(turnout_step)
                await self._carry_out(self._planner.proving(state.belief, locomotive))
                await sitting.serve()
        except PointsmanError as error:
            ended = error
            raise
        finally:
            orders.close(ended)
        return state.belief

    def _hands(self) -> Hands:
        return Hands(self._carry_out, self._begin, self._order_by_hand, self._ended, self._around, self._once_more)

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        """Everything is looked at, the power comes on, and whatever then ends the work before its end, stops it."""
        state = self._control.state
        # The driver's first reports (beams, power) end with the link being up.
        await self._control.until(self._control.loop.time() + CONFIRM_WITHIN_S, lambda: state.link_up)
        if not state.link_up:
            raise LinkLostError("the link did not come up", cure="look at the cable and the station")
        against = reasons_against_setup(self._control.track, state.belief)
        if against:
            raise RefusedError(against, where="set-up", cure="set the layout up as the picture shows, then start again")
        state.watching = True
        try:
            self._control.watch()
            await self._power_on()
            yield
        except BaseException as error:
            # Whatever ends a play before its end, the stop leaves first; after a halt this changes nothing.
            self._control.halt(what_ended(error))
            raise
        state.watching = False

    def _check_hands(self, steps: Sequence[Step]) -> None:
        """What a person has to do needs somebody who can be asked. Raises RefusedError."""
        by_hand = [str(step) for step in steps if is_by_hand(step)]
        if by_hand and self._ask is None:
            raise RefusedError(
                [f"nobody can be asked to do this: {by_hand[0]}"], cure="let a person play in a terminal"
            )

    def _once_more(self, job: Job) -> Job:
        """A coupling did not part: the job at its next try. HaltedError when there have been enough."""
        state, run = self._control.state, job.run
        state.followed = False
        state.score = referee.without_uncoupling(state.score)
        what = f"{run.left[-1]} came along: it did not uncouple"
        self._control.write("came along", {"run": job.number, "left": list(run.left), "tries": job.tries + 1})
        state.cure = f"uncouple {run.left[-1]} by hand"
        if state.met:
            self._control.halt(f"{what}, and {run.locomotive} may have met {state.met[0]} meanwhile")
        elif job.tries >= MOST_TRIES:
            self._control.halt(f"{what}, tried {job.tries + 1} times")
        self._control.stand_by()
        state.cure = LOOK
        self._control.tell(f"{what}; trying again")
        return job.again

    def _finish(self, run: Run, before: Run | None) -> None:
        """A run's evidence is complete: it counts."""
        state = self._control.state
        reversed_ = referee.reverses(self._control.track, before, run)
        state.score = referee.with_run(state.score, reversed_=reversed_)
        self._control.write(
            "run", {"number": state.run, "run": str(run), "reversed": reversed_, "position": str(run.after)}
        )

    # ------------------------------------------------------------ carrying out steps

    async def _power_on(self) -> None:
        self._control.state.doing = "track power on"
        self._control.tell()
        self._control.send(SetPower(True))
        await self._control.confirmed()
        await self._control.until(self._control.loop.time() + CONFIRM_WITHIN_S, lambda: self._control.state.power_on)
        if not self._control.state.power_on:
            self._control.halt("the station did not report the track power on")
            self._control.stand_by()

    async def _carry_out(self, step: Step) -> None:
        state = self._control.state
        state.doing = str(step)
        self._control.write("step", step_line(state.run, step))
        self._control.tell()
        self._check(step)
        match step:
            case TurnoutStep(by_hand=True) | UncoupleStep(by_hand=True):
                await self._by_hand(step)
            case TurnoutStep():
                # An answer may take as long as the points, and it may be asked twice.
                await self._within(step.deadline_s + 2 * step.wait_s, self._turn(step))
            case UncoupleStep():
                await self._within(step.deadline_s, self._uncouple(step))
            case DriveStep():
                await self._drive(step)

    async def _within(self, deadline_s: float, work: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(deadline_s):
                await work
        except TimeoutError:
            self._control.halt(f"it was not done within {deadline_s:.1f} s")
            self._control.stand_by()

    async def _by_hand(self, step: TurnoutStep | UncoupleStep) -> None:
        """Ask a person to do it, however long that takes; what the beams say must then be as it was before."""
        assert self._ask is not None, "steps that need hands are refused when there are none"
        control, state = self._control, self._control.state
        before, note = dict(state.belief.beams), ""
        while True:
            work = hand_work(control.track, step, note)
            control.write("asked", {"run": state.run, "what": work.text, "note": note})
            if not await control.answered(self._ask, work):
                why = f"the answer was no: {work.text}"
                control.halt(why)
                raise StoppedError(why, PointsmanError.exit_code, confirmed=str(state.belief.position))
            other = [name for name, broken in state.belief.beams.items() if before.get(name) is not broken]
            if not other:
                break
            is_now = "broken, and was free" if state.belief.beams[other[0]] else "free, and was broken"
            note = f"Beam {other[0]} is {is_now} before: put that right first."
        state.score = referee.with_hand(state.score)
        control.write("by hand", {"run": state.run, "what": str(step), "origin": str(referee.Origin.ENTERED)})
        match step:
            case TurnoutStep():
                state.belief = state.belief.with_turnout(step.turnout, step.leg)
            case UncoupleStep():
                self._parted(step)
        control.tell()

    async def _turn(self, step: TurnoutStep) -> None:
        state = self._control.state
        state.turning.add(step.turnout)
        await self._set(step)
        reported = state.belief.reported.get(step.turnout)
        if reported is not None and reported is not step.leg:
            # Once more, and not for ever: a machine that is driven again and again burns out.
            self._control.tell(f"{step.turnout} was set to {step.leg}, and is reported {reported}; setting it again")
            await self._set(step)
            reported = state.belief.reported.get(step.turnout)
        if reported is not None and reported is not step.leg:
            state.cure = f"look at {step.turnout} and its machine"
            self._control.halt(f"{step.turnout} was set to {step.leg} twice, and is reported {reported}")
            self._control.stand_by()
        state.turning.discard(step.turnout)
        state.belief = state.belief.with_turnout(step.turnout, step.leg)
        self._control.tell()

    async def _set(self, step: TurnoutStep) -> None:
        # Where a node reports, its answer comes only when the points are over.
        self._control.send(SetTurnout(step.turnout, step.leg is Leg.THROWN), patience_s=step.wait_s)
        await self._control.confirmed()
        # An echo only says that the station has heard: the machine is given its own time.
        await self._control.until(self._control.loop.time() + step.wait_s)

    async def _uncouple(self, step: UncoupleStep) -> None:
        state = self._control.state
        if not step.energise:
            await self._control.until(self._control.loop.time() + step.hold_s)
            self._parted(step)
            return
        state.energised.add(step.uncoupler)
        self._control.watch()
        try:
            self._control.send(SetUncoupler(step.uncoupler, True))
            await self._control.confirmed()
            await self._control.until(self._control.loop.time() + step.hold_s)
        finally:
            self._control.send(SetUncoupler(step.uncoupler, False))
        await self._control.confirmed()
        state.energised.discard(step.uncoupler)
        self._parted(step)

    def _parted(self, step: UncoupleStep) -> None:
        state = self._control.state
        state.belief = state.belief.with_parted(step.kept, step.left)
        state.score = referee.with_uncoupling(state.score)
        self._control.write("parted", {"kept": step.kept, "left": step.left, "at": step.uncoupler})

    def _begin(self, step: DriveStep) -> None:
        state = self._control.state
        state.doing = str(step)
        engine = self._control.track.locomotives[step.locomotive]
        state.drive = tracker.begin(
            step, engine, state.belief.beams, state.ratios, self._control.loop.time(), self._allow
        )

    async def _drive(self, step: DriveStep) -> None:
        state = self._control.state
        self._begin(step)
        assert state.drive is not None, "a drive has begun"
        while True:
            self._control.stand_by()
            state.drive, advice = tracker.advise(state.drive, self._control.loop.time())
            if state.drive.doubt:
                self._control.halt(state.drive.doubt)
            elif state.drive.phase is tracker.Phase.STANDING:
                break
            elif advice.order is not None:
                self._order(step, advice.order)
            else:
                state.look_s = advice.again_s
                await self._control.until_event(advice.again_s)
        self._ended()
        self._control.tell()

    def _ended(self) -> None:
        """The drive stands: what it has shown, and what is believed after it. To be told with all that comes of it."""
        state = self._control.state
        assert state.drive is not None, "a drive stands"
        state.look_s = inf
        state.ratios = dict(state.drive.ratios)
        state.seen |= {edge.vehicle for edge, _ in state.drive.seen}
        state.followed = state.drive.followed
        state.met = tracker.may_have_met(state.belief, state.drive)
        state.belief = tracker.after(state.belief, state.drive)
        state.driven, state.drive = state.drive, None
        state.moving.discard(state.driven.step.locomotive)
        self._control.write("stand", stand_line(state.belief))

    def _order_by_hand(self, step: DriveStep, speed_step: int) -> None:
        """An order of a throttle: its way is kept clear by its limit."""
        reasons = reasons_against_start(self._control.state.belief, step, self._around()) if speed_step else []
        if reasons:
            self._control.halt(reasons[0])
            self._control.stand_by()
        self._order(step, speed_step, checked=True)

    def _order(self, step: DriveStep, speed_step: int, *, checked: bool = False) -> None:
        state = self._control.state
        assert state.drive is not None, "only a drive gives orders"
        if speed_step == 0:
            self._control.send(Stop(step.locomotive, step.forward))
        else:
            if not checked:
                self._check(step)
            state.moving.add(step.locomotive)
            self._control.watch()
            self._control.send(Drive(step.locomotive, step.forward, speed_step))
        state.drive = tracker.ordered(state.drive, speed_step, self._control.loop.time())
        self._control.tell()

    def _check(self, step: Step) -> None:
        """The interlocking, just before a command. A refusal halts: the plan no longer fits what is believed."""
        self._control.stand_by()
        reasons = reasons_against(self._control.track, self._control.state.belief, step, self._around())
        if reasons:
            raise RefusedError(reasons, where=str(step), cure="look at the layout, then start again")

    def _around(self) -> Surroundings:
        state = self._control.state
        return Surroundings(
            moving=frozenset(state.moving),
            turning=frozenset(state.turning),
            energised=frozenset(state.energised),
            power_on=state.power_on,
            halted=state.halted,
            cap_mm_s=self._cap_mm_s,
            between=bool(state.between),
        )
