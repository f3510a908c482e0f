"""A sitting by hand: it carries out what persons order, and keeps them from harm.

It lives in the dispatcher's loop and shares its control: every command is checked, written down and sent as in a play,
every drive is followed by the beams, and what does not fit stops everything. What a person must not do is refused, and
the refusal goes back to that person; it stops nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from pointsman.dispatch.control import Control
from pointsman.dispatch.hand_status import HandDrive, HandStatus
from pointsman.dispatch.orders import (
    RENEWED_WITHIN_S,
    Finish,
    Function,
    Job,
    Orders,
    Part,
    Play,
    Protect,
    Set,
    Throttle,
    Wish,
)
from pointsman.errors import RefusedError
from pointsman.messages import HIGHEST_FUNCTION, SetFunction
from pointsman.operate import hand_drive, tracker
from pointsman.operate.ahead import Ahead, Protection, ahead, no_room, towards_of
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.hand_counting import Counting, coupled_as_set_up
from pointsman.operate.hand_parting import couple_up, left_to_magnets, over, part, slacken
from pointsman.operate.hand_referee import Earlier
from pointsman.operate.interlocking import Surroundings, reasons_against, reasons_against_start
from pointsman.operate.plan import Planner
from pointsman.operate.retelling import counted_values
from pointsman.operate.steps import DriveStep, Step, TurnoutStep, UncoupleStep
from pointsman.operate.steps import Job as RunJob
from pointsman.operate.way_out import has_way_out, nothing_helps
from pointsman.puzzle.position import Position
from pointsman.track.model import Leg

CHANGED_AT_MOST_S = 0.1
"""A throttle that is turned up or down under way is followed so often at most; one that is closed, at once."""
LOOK_AT_IT = "look at the layout"
SAY_WHERE = "say what stands where"
RAISED = "the protection was raised"
SILENT = f"the throttle was not renewed for {RENEWED_WITHIN_S:g} s"


@dataclass(frozen=True, slots=True)
class Hands:
    """What a sitting has from its dispatcher.

    ``carry_out`` checks and carries out a step; ``order`` sends a speed step for a drive; ``begin`` and ``ended`` are
    for a drive that this sitting itself follows, and tells of; ``around`` is what else matters for a step; ``again`` is
    the job of a run whose coupling did not part.
    """

    carry_out: Callable[[Step], Awaitable[None]]
    begin: Callable[[DriveStep], None]
    order: Callable[[DriveStep, int], None]
    ended: Callable[[], None]
    around: Callable[[], Surroundings]
    again: Callable[[RunJob], RunJob]


class ByHand:
    """Serves the orders of persons from one stand to the next, until one of them ends it."""

    def __init__(
        self,
        control: Control,
        planner: Planner,
        orders: Orders,
        hands: Hands,
        locomotive: str,
        allow: Allowances,
        protection: Protection = Protection.FULL,
        earlier: Earlier | None = None,
    ) -> None:
        self._control = control
        self._planner = planner
        self._office = planner.office
        self._orders = orders
        self._hands = hands
        self._locomotive = locomotive
        self._allow = allow
        self._protection = protection
        self._counting = Counting(control.track, control.state.belief, locomotive, earlier)
        self._last: HandDrive | None = None
        self._spent: bool | None = None
        """The direction of a throttle that has been stopped, and must be closed before it drives again."""
        self._playing = False

    async def serve(self) -> None:
        """Carry out orders until a person ends the sitting. HaltedError when everything was stopped."""
        control, orders = self._control, self._orders
        control.state.belief = left_to_magnets(self._office, coupled_as_set_up(control.state.belief))
        control.state.doing = "by hand"
        orders.open(control.loop, self._woken)
        self._tell()
        while True:
            job = orders.next()
            if job is not None:
                if isinstance(job.work, Finish):
                    self._order_written(job.work.who, "end")
                    job.done()
                    return
                await self._answered(job)
                continue
            wish = orders.wish(control.loop.time())
            if wish.throttle is not None and self._drives(wish, wish.throttle):
                await self._drive(wish.throttle, wish.closings)
            elif not orders.waiting:
                orders.resting = True
                try:
                    await control.until(inf, lambda: orders.waiting or orders.ending)
                finally:
                    orders.resting = False

    async def _answered(self, job: Job) -> None:
        """Do one piece of work and answer it."""
        try:
            job.done(await self._work(job))
        except RefusedError as error:
            self._refused(job.work.who, error, answered=True)
            job.refuse(error)
            if self._control.state.moving:
                raise
        except BaseException as error:
            job.refuse(error)
            raise
        finally:
            self._control.state.doing = "by hand"
            self._tell()

    async def _work(self, job: Job) -> int:
        match job.work:
            case Set():
                await self._set(job.work)
            case Part():
                await self._part(job.work)
            case Play():
                return await self._play(job.work)
            case Protect():
                self._protect(job)
            case Function():
                self._switch(job.work)
            case Finish():
                raise AssertionError("the end is not work")
        return 0

    def _switch(self, order: Function) -> None:
        """Lights, horn: nothing moves by it, and nobody waits for it."""
        self._order_written(order.who, f"{order.locomotive} F{order.number} {'on' if order.on else 'off'}")
        if order.locomotive != self._locomotive or not 0 <= order.number <= HIGHEST_FUNCTION:
            raise RefusedError(
                [f"{order.locomotive} has no F{order.number} here"], cure=f"functions are F0 to F{HIGHEST_FUNCTION}"
            )
        self._control.send(SetFunction(order.locomotive, order.number, order.on))

    # ------------------------------------------------------------ turnouts and couplings

    async def _set(self, order: Set) -> None:
        self._order_written(order.who, f"{order.turnout} to {order.leg}")
        self._known("turnout", order.turnout, self._control.track.turnouts)
        step = self._planner.setting(order.turnout, order.leg)
        self._check(step, f"turnout {order.turnout}", "drive clear of it first")
        await self._hands.carry_out(step)
        self._stood()

    async def _part(self, order: Part) -> None:
        control, state = self._control, self._control.state
        self._order_written(order.who, f"uncouple at {order.uncoupler}")
        self._known("magnet", order.uncoupler, control.track.uncouplers)
        coupling = over(control.track, state.belief, control.track.uncouplers[order.uncoupler], self._locomotive)
        step = slacken(self._office, state.belief, coupling, self._locomotive)
        if step is not None:
            await self._carried_out(step, slack_back=True)
            if state.followed and state.driven is not None:
                raise RefusedError(
                    [f"{state.driven.rear} came along on the way back"],
                    where=f"magnet {order.uncoupler}",
                    cure="ask for it once more",
                )
        parts = part(self._office, coupling)
        self._check(parts, f"magnet {order.uncoupler}", "stop with the coupling over it")
        await self._hands.carry_out(parts)
        self._counting.parted(coupling.with_it, entered=parts.by_hand)

    def _known(self, what: str, name: str, names: Collection[str]) -> None:
        if name not in names:
            raise RefusedError([f"there is no {what} {name!r}"], cure=LOOK_AT_IT)

    def _check(self, step: Step, where: str, cure: str) -> None:
        """The interlocking, for the person who asked. Raises RefusedError."""
        state = self._control.state
        reasons = reasons_against(self._control.track, state.belief, step, self._hands.around())
        if reasons:
            raise RefusedError(reasons, where=where, cure=cure)

    # ------------------------------------------------------------ runs that the program plays

    async def _play(self, order: Play) -> int:
        state = self._control.state
        self._order_written(order.who, f"play {len(order.runs)} runs")
        if order.runs and (state.between or order.runs[0].before != state.belief.position):
            raise RefusedError(
                [state.between or f"the first run starts from '{order.runs[0].before}'"],
                cure="drive to where the position can be written, or ask for another plan",
            )
        done = 0
        self._playing = True
        try:
            for job in self._planner.jobs(order.runs):
                if self._orders.braked(order):
                    break
                await self._run(job)
                done += 1
                order.after_each(job.run)
        finally:
            self._playing = False
            self._forget_throttle()
        return done

    async def _run(self, job: RunJob) -> None:
        """One run of a plan, from its first step to its last."""
        state = self._control.state
        at = job
        try:
            while True:
                step, at = self._planner.next_step(state.belief, at)
                if step is None:
                    break
                if isinstance(step, DriveStep):
                    self._check_coupled(step)
                    await self._carried_out(step, slack_back=step.text.startswith("back "), placed=False)
                    if state.followed:
                        at = self._hands.again(at)
                else:
                    if isinstance(step, TurnoutStep):
                        self._check(step, f"turnout {step.turnout}", "by hand: drive clear of it first")
                    await self._hands.carry_out(step)
                    if isinstance(step, UncoupleStep):
                        self._counting.parted(job.run.left, entered=step.by_hand)
        except RefusedError:
            # What was driven of it is somewhere of its own.
            self._stood()
            raise
        state.belief, state.between = replace(state.belief, position=job.run.after), ""
        self._counting.placed(job.run.after)
        self._write_stood(run=str(job.run))
        self._tell()

    def _check_coupled(self, step: DriveStep) -> None:
        """A plan takes for granted what a person may have left open: that what it draws is coupled."""
        belief, names = self._control.state.belief, [body.vehicle for body in step.sweep.bodies]
        drawn = names[: names.index(step.locomotive) + 1]
        open_ = [pair for pair in pairwise(drawn) if frozenset(pair) not in belief.coupled]
        if open_:
            far, near = open_[-1]
            raise RefusedError(
                [f"nobody knows whether {far} is coupled to {near}" for far, near in reversed(open_)],
                where=belief.spots[far].place.element,
                cure=couple_up(belief, near, far),
            )

    def _forget_throttle(self) -> None:
        """What the throttle said while the program drove was no wish to drive on."""
        if self._orders.wish(self._control.loop.time()).closed:
            self._spent = None

    def _woken(self) -> None:
        """Something was ordered. While the program drives, other work waits; what a person is kept from does not."""
        while self._playing and (job := self._orders.next(only=Protect)) is not None:
            self._protect(job)
        self._control.wake()

    def _protect(self, job: Job) -> None:
        assert isinstance(job.work, Protect), "the protection"
        self._order_written(job.work.who, f"protection {job.work.protection}")
        self._protection = job.work.protection
        job.done()

    async def _carried_out(self, step: DriveStep, *, slack_back: bool = False, placed: bool = True) -> None:
        """A planned drive, counted."""
        await self._hands.carry_out(step)
        driven = self._control.state.driven
        assert driven is not None, "a drive that was carried out has ended"
        self._counted(driven, slack_back=slack_back, placed=placed)

    # ------------------------------------------------------------ the throttle

    def _drives(self, wish: Wish, throttle: Throttle) -> bool:
        """Whether the throttle asks for a drive: one that was stopped must be closed first."""
        if wish.closed or throttle.forward is not self._spent:
            self._spent = None
        return wish.fresh and throttle.speed_mm_s > 0 and self._spent is None

    async def _drive(self, throttle: Throttle, closings: int) -> None:
        control, state = self._control, self._control.state
        self._order_written(throttle.who, str(throttle))
        self._spent = throttle.forward
        try:
            if throttle.locomotive != self._locomotive:
                raise RefusedError([f"{throttle.locomotive} is not driven here"], cure=f"drive {self._locomotive}")
            towards = towards_of(state.belief, throttle.forward)
            found = ahead(control.track, state.belief, self._locomotive, towards, self._allow, state.turning)
            if not hand_drive.has_room(self._office, found, self._protection):
                raise no_room(found.limit(self._protection))
            step = hand_drive.hand_step(self._office, state.belief, found, throttle.speed_mm_s, self._protection)
            reasons = reasons_against_start(state.belief, step, self._hands.around())
            if reasons:
                raise RefusedError(reasons, where=self._locomotive, cure=LOOK_AT_IT)
        except RefusedError as error:
            self._refused(throttle.who, error)
            self._tell()
            self._end_if_stuck()
            return
        before, protection = state.belief, self._protection
        passed = found.let_pass(protection)
        if passed is not None:
            control.write("let pass", {"what": passed.why, "protection": str(protection)})
        self._hands.begin(step)
        braked = await self._roll(throttle, found, before)
        self._hands.ended()
        assert state.driven is not None, "a drive that stands has ended"
        reached = hand_drive.limit_of(state.driven, found, protection)
        came = f"{state.driven.rear} came along" if state.followed else ""
        self._counted(state.driven)
        why = braked if reached is None else reached.why
        # Whoever shows this may miss what is told between two looks: that it stands, and why, is one.
        self._last = HandDrive(self._last.number + 1 if self._last is not None else 1, closings, why or came)
        self._tell(f"stopped: {why}" if why else came)

    def _end_if_stuck(self) -> None:
        """A throttle was refused. Where no order would help, everything is stopped: then a person may put it right."""
        control, state = self._control, self._control.state
        track, around = control.track, self._hands.around()
        setting = {name: self._planner.setting(name, Leg.CLOSED) for name in track.turnouts}
        settable = [name for name in setting if not reasons_against(track, state.belief, setting[name], around)]
        if not has_way_out(self._office, state.belief, self._locomotive, settable):
            state.cure = SAY_WHERE
            control.halt(nothing_helps(self._locomotive))
            control.stand_by()

    async def _roll(self, throttle: Throttle, found: Ahead, before: Belief) -> str:
        """Follow the throttle until the train stands. Returns why it was braked, if not by the throttle."""
        control, state, orders = self._control, self._control.state, self._orders
        assert state.drive is not None, "a drive has begun"
        within_s, silent = orders.renewed_within_s, False
        renewed_s, changed_s = orders.said_s, control.loop.time()
        protection, why = self._protection, ""
        warned = found.passed_over(protection)
        self._tell(f"careful: {warned.why}" if warned is not None else "", found)
        while True:
            control.stand_by()
            now = control.loop.time()
            step = state.drive.step
            said = orders.wish(now)
            wish = said.throttle or throttle
            renewed_s = orders.said_s if said.fresh else renewed_s
            self._judge_while_rolling()
            raised = found.limit(self._protection).c_mm < found.limit(protection).c_mm
            if state.drive.phase is tracker.Phase.ROLLING:
                silent = now >= renewed_s + within_s
                brake = self._why_brake(throttle, wish, silent=silent, closed=said.closed) or (RAISED if raised else "")
                if brake:
                    why = brake if brake in {SILENT, RAISED} else ""
                    self._order_written(wish.who, brake)
                    self._hands.order(step, 0)
                    if wish.forward is not throttle.forward or said.closed:
                        self._spent = None
                elif wish.speed_mm_s != throttle.speed_mm_s and now >= changed_s + CHANGED_AT_MOST_S:
                    self._order_written(wish.who, str(wish))
                    throttle, changed_s = wish, now
                    state.drive = hand_drive.at_speed(self._office, before, state.drive, wish.speed_mm_s)
            state.drive, advice = tracker.advise(state.drive, now)
            if state.drive.doubt:
                control.halt(state.drive.doubt)
            elif state.drive.phase is tracker.Phase.STANDING:
                return why
            elif advice.order is not None:
                self._hands.order(step, advice.order)
            else:
                again_s = advice.again_s
                if state.drive.phase is tracker.Phase.ROLLING:
                    again_s = min(again_s, renewed_s + within_s)
                    if wish.speed_mm_s != throttle.speed_mm_s:
                        again_s = min(again_s, changed_s + CHANGED_AT_MOST_S)
                state.look_s = again_s
                await control.until_event(again_s, self._to_be_looked_at)

    def _to_be_looked_at(self) -> bool:
        """Whether something was ordered that changes a drive under way: its end does not once it brakes."""
        drive = self._control.state.drive
        rolls = drive is not None and drive.phase is tracker.Phase.ROLLING
        return self._orders.waiting or (rolls and self._orders.ending)

    def _why_brake(self, throttle: Throttle, wish: Throttle, *, silent: bool, closed: bool) -> str:
        """Why a throttle stops the train at once; empty while it does not."""
        if self._orders.ending:
            return "end"
        if silent:
            return SILENT
        if closed or wish.speed_mm_s == 0:
            return "stop"
        if wish.forward is not throttle.forward:
            return "stop to reverse"
        if wish.locomotive != throttle.locomotive:
            return f"stop: the throttle is another locomotive's, {wish.locomotive}"
        return ""

    def _judge_while_rolling(self) -> None:
        """Answer what is ordered while the train moves."""
        while (job := self._orders.next(but=Finish)) is not None:
            if isinstance(job.work, Protect):
                # A lower one holds from the next drive on; under a higher one this drive may have to end.
                self._protect(job)
                continue
            if isinstance(job.work, Function):
                self._answer_now(job, job.work)
                continue
            error = RefusedError([f"{self._locomotive} is moving"], cure="stop first")
            self._refused(job.work.who, error, answered=True)
            job.refuse(error)

    def _answer_now(self, job: Job, order: Function) -> None:
        try:
            self._switch(order)
            job.done()
        except RefusedError as error:
            self._refused(order.who, error, answered=True)
            job.refuse(error)

    # ------------------------------------------------------------ what has become of it

    def _counted(self, driven: tracker.Drive, *, slack_back: bool = False, placed: bool = True) -> None:
        """A drive has ended: where everything stands now, and what counts."""
        state = self._control.state
        state.belief = left_to_magnets(self._office, state.belief)
        stands = self._counting.driven(state.belief, driven, slack_back=slack_back)
        if placed:
            self._take(stands.position, stands.why)

    def _stood(self) -> None:
        """Where everything stands, when something but a drive has changed that."""
        stands = self._counting.look(self._control.state.belief)
        self._take(stands.position, stands.why)

    def _take(self, position: Position | None, why: str) -> None:
        state = self._control.state
        state.between = why
        if position is not None:
            state.belief = replace(state.belief, position=position)
        self._write_stood()

    def _write_stood(self, **more: str) -> None:
        """Write down where everything stands, and what has been counted so far."""
        state, tally = self._control.state, self._counting.tally
        figures = tally.counted
        state.score = replace(state.score, runs=figures.runs, reversals=figures.reversals)
        state.run = figures.runs
        self._control.write(
            "stood",
            {
                "position": str(state.belief.position),
                "between": state.between,
                "runs": figures.runs,
                "reversals": figures.reversals,
                **counted_values(tally.so_far),
                **more,
            },
        )

    def _order_written(self, who: str, what: str) -> None:
        self._control.write("order", {"who": who, "what": what})

    def _refused(self, who: str, error: RefusedError, *, answered: bool = False) -> None:
        self._control.write("refused", {"who": who, "why": error.what})
        self._orders.tell_refused(who, error, answered=answered)

    def _tell(self, note: str = "", found: Ahead | None = None) -> None:
        state, wish = self._control.state, self._orders.held
        state.hand = HandStatus(
            figures=self._counting.tally.counted,
            between=state.between,
            protection=self._protection,
            limit=None if found is None else found.limit(self._protection),
            warned=None if found is None else found.passed_over(self._protection),
            who="" if wish is None else wish.who,
            ended=self._last,
        )
        self._control.tell(note)
