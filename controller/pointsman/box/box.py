"""The signal box of one layout: what may be done at a moment, and what everybody sees of it.

It lives in one event loop, the one of whoever shows it; the layout has a thread of its own (``box.sitting``). The
emergency stop alone may be called in any thread. Every method raises a PointsmanError when it is refused.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from pointsman.box import picture, shown
from pointsman.box.board import Board, Hear
from pointsman.box.demo import Demo, Waits
from pointsman.box.hand import Hand
from pointsman.box.requests import by_hand, play_of
from pointsman.box.sitting import Sitting, Told
from pointsman.box.snapshot import Mode, Snapshot
from pointsman.box.task import Ground, Task, deal, go_on_from, plan_from
from pointsman.box.under_way import UnderWay
from pointsman.box.unfinished import newest_unfinished
from pointsman.box.working import Working
from pointsman.dispatch.control import Status
from pointsman.errors import HaltedError, PointsmanError, RefusedError, UsageError, did_you_mean
from pointsman.hand_driving import HandRequest
from pointsman.links import On
from pointsman.operate.putting_right import corrected, why_not_so
from pointsman.playing import PlayRequest
from pointsman.resuming import Interrupted, interrupted
from pointsman.track.builtin import layout_puzzles
from pointsman.track.model import End

LOOK_AGAIN_S = 0.1
"""While a train moves, where it is by now is told so often."""
_STOOD = (Mode.IDLE, Mode.DEALT, Mode.SOLVED, Mode.HALTED)
"""Nothing is under way."""
_STANDS = (Mode.READY, Mode.PAUSED, Mode.HAND)
"""Something is under way, and nothing moves by itself."""


class Box:
    """See the module. ``speed`` is the pace of the simulated layout (None: as fast as it goes).

    ``journals`` is the folder for the journals; those of the demo are in a folder of their own in it.
    """

    def __init__(
        self, ground: Ground, journals: Path, *, speed: float | None = 1.0, waits: Waits | None = None
    ) -> None:
        self.ground = ground
        self.puzzles = layout_puzzles(ground.folder)
        self.board = Board(shown.before_all(ground))
        self._journals = journals
        self._simulated = ground.target.on is On.SIM
        self._speed = speed if self._simulated else 1.0
        self._waits = waits or Waits()
        self.loop = asyncio.get_running_loop()
        self.hand = Hand(self)
        self._working = Working(self.board, lambda: self._closing)
        self._course: UnderWay | None = None
        self._sitting: Sitting | None = None
        self._told = Told()
        self._facing = End.TO
        self._unfinished: Interrupted | None = None
        self._journal: Path | None = None
        self._halted_s = inf
        self._closing = False
        self._look: asyncio.TimerHandle | None = None
        self._demo: Demo | None = None

    @property
    def snapshot(self) -> Snapshot:
        """What everybody sees now."""
        return self.board.snapshot

    def subscribe(self, hear: Hear) -> Callable[[], None]:
        """Call ``hear`` with every new snapshot, in this loop, until what is returned is called. It must not wait."""
        return self.board.subscribe(hear)

    async def open(self) -> None:
        """Look for a play that did not come to its end, and offer to take it up."""
        play = await asyncio.to_thread(newest_unfinished, self._journals, self.ground)
        if play is not None:
            self._unfinished = play
            text = f"{play.chosen.puzzle.title}: this play did not come to its end ({play.why}). Take it up?"
            self.board.publish(unfinished=shown.unfinished(play), question=self.board.question("take-up", text))

    async def close(self) -> None:
        """Stop everything, and return when nothing is under way any more. May be called twice."""
        self._closing = True
        sitting = self._sitting
        if sitting is not None:
            sitting.stop("the signal box is closed")
        if self._demo is not None:
            self._demo.end()
            await self._demo.ended()
        if sitting is not None:
            await sitting.ended()
        if self._look is not None:
            self._look.cancel()

    def emergency_stop(self, who: str, *, power_off: bool = False) -> None:
        """Stop everything at once; from anyone, in any thread. Asked twice, or if wished, the power goes off too."""
        self.halt(f"emergency stop by {who}", power_off=power_off)

    def halt(self, why: str, *, power_off: bool = False) -> None:
        """As ``emergency_stop``, for any reason."""
        sitting = self._sitting
        if sitting is not None:
            sitting.stop(why, power_off=power_off)
        with suppress(RuntimeError):  # the loop has ended, and everything on the layout before it
            self.loop.call_soon_threadsafe(self._stopped, why)

    def _stopped(self, why: str) -> None:
        if self._demo is not None:
            self._demo.end()
        if self._sitting is None and self.snapshot.halted is None:
            self.board.publish(note=f"{why}: nothing was moving")

    # ------------------------------------------------------------ a puzzle

    async def deal(self, name: str, *, seed: str | None = None, level: int | None = None) -> None:
        """Draw the cards of one of the layout's puzzles, of a level (1 to 4) if wished, and solve it."""
        self._no_demo()
        await self.draw(name, seed, level)

    async def draw(self, name: str, seed: str | None, level: int | None) -> None:
        """As ``deal``, for the demo too."""
        self._only("deal", *_STOOD, *_STANDS)
        if name not in self.puzzles:
            raise UsageError(f"there is no puzzle {name!r}", cure=did_you_mean(name, self.puzzles))
        sitting = self._sitting
        if sitting is not None:
            sitting.stop(shown.MAKES_WAY)
            await self.board.until(*_STOOD)
            await sitting.ended()
        with self._working.on(shown.DRAWING):
            task = await asyncio.to_thread(deal, self.ground, name, seed, level, self._working.progress)
        self._settle(task)

    async def put_right(self, position: str, by: str) -> None:
        """What stands where, as a person says after a stop: a whole position, or like ``3 s2``.

        The rest is planned from there, and begins as every play does.
        """
        self._no_demo()
        self._only("put right", Mode.HALTED)
        play = self._unfinished or await self._interrupted()
        stands = corrected(play.chosen.track, play.position, position)
        against = why_not_so(play.chosen.track, stands)
        if against:
            raise RefusedError(against, where=str(stands), cure="say what stands where")
        with self._working.on("planning from there"):
            task = await asyncio.to_thread(go_on_from, self.ground, play, stands, by, self._working.progress)
        if task is not None:
            self._settle(task)
            return
        self._unfinished = None
        note = "as it stands, the goal is reached"
        self.board.publish(
            mode=Mode.SOLVED,
            halted=None,
            question=None,
            unfinished=None,
            vehicles=shown.standing(play.chosen.track, stands, self._facing),
            note=note,
        )

    async def _interrupted(self) -> Interrupted:
        if self._journal is None:
            raise RefusedError(["there is no play to go on with"], cure="deal a puzzle")
        hardware = self.ground.hardware or None
        return await asyncio.to_thread(interrupted, self._journal, on=self.ground.target, hardware=hardware)

    async def take_up(self) -> None:
        """Go on with the play that did not come to its end; what stands where is to be put right first."""
        self._no_demo()
        self._only("take up a play", Mode.IDLE)
        play = self._unfinished
        if play is None:
            raise RefusedError(["there is no play to take up"], cure="deal a puzzle")
        self.board.publish(
            mode=Mode.HALTED,
            vehicles=shown.standing(play.chosen.track, play.position, self._facing),
            halted=shown.taking_up(play),
            question=None,
        )

    def _settle(self, task: Task) -> None:
        """A new plan is there, and the picture of how everything has to be set up for it."""
        self._course, self._told, self._unfinished = UnderWay(task), Told(), None
        self.board.publish(
            **shown.nothing_on(self.ground),
            mode=Mode.DEALT,
            vehicles=shown.standing(task.chosen.track, task.chosen.start, self._facing),
            route=picture.route(task.chosen.track, self._course.next_run),
            puzzle=self._course.puzzle(None),
            refusal=None,
            halted=None,
            question=self._set_up_question(task),
            unfinished=None,
            note=" ".join(task.refused),
        )

    def _set_up_question(self, task: Task) -> dict[str, Any]:
        text = shown.set_up(task, real=not self._simulated)
        return self.board.question("set-up", text, **shown.facing(self.ground, task))

    # ------------------------------------------------------------ a play

    async def begin(self, facing: End) -> None:
        """The layout is set up like the picture, says a person, and everybody is clear of it.

        Opens the link, switches the power on, sets every turnout once, and proves the locomotive, whose front points to
        an end of its track.
        """
        self._no_demo()
        request = self._to_play(facing, self._journals)
        orders = self.hand.begin(request.chosen.puzzle.locomotive, self._speed)
        self._begin(by_hand(request, orders, self.hand.protection))

    def start(self, facing: End, folder: Path) -> None:
        """Begin for the demo: nobody drives by hand then. ``folder`` is for the journal."""
        self._begin(self._to_play(facing, folder))

    def _to_play(self, facing: End, folder: Path) -> PlayRequest:
        self._only("begin", Mode.DEALT)
        assert self._course is not None, "something was dealt"
        self._facing = facing
        speed = self._speed if self._simulated else None
        return play_of(self.ground, self._course.task, facing, folder, speed)

    def _begin(self, request: PlayRequest | HandRequest) -> None:
        self._journal, self._told, self._halted_s = request.journal, Told(), inf
        self._sitting = Sitting(request, self._heard)
        self.board.publish(mode=Mode.STARTING, question=None, refusal=None, note="")
        self._sitting.start()

    async def auto(self) -> None:
        """Drive the plan, run by run, from where it stands; a new plan, if a person has left it."""
        self._no_demo()
        self._between_runs("drive")
        if self.hand.orders is None:
            self.drive_on()
        else:
            await self._play(one=False)

    def drive_on(self) -> None:
        """As ``auto``, for the demo."""
        self._between_runs("drive").pace.on()
        self.board.publish(mode=Mode.AUTO)

    async def step(self) -> None:
        """Drive one run of the plan."""
        self._no_demo()
        sitting = self._between_runs("drive")
        if self.hand.orders is None:
            sitting.pace.one()
            self.board.publish(mode=Mode.AUTO)
        else:
            await self._play(one=True)

    async def _play(self, *, one: bool) -> None:
        """Let the program drive the plan on, or one run of it."""
        course = await self._planned()
        self._between_runs("drive")  # planning took a while
        if self.snapshot.drive is not None:
            raise RefusedError(["a train is moving"], cure="stop it first")
        if not course.rest:
            raise RefusedError(["the plan is at its end"], cure="draw another puzzle")
        self.hand.play(course.rest, self._played, one=one)
        self.retell()

    async def _planned(self) -> UnderWay:
        """What is to be done with a plan from where everything stands; a new one if a person has left the last one."""
        course, status = self._course, self._told.status
        assert course is not None, "something is played"
        if not course.to_be_planned or status is None:
            return course
        if status.hand is not None and status.hand.between:
            cure = "drive to where everything stands clear"
            raise RefusedError([f"nothing can be planned from here: {status.hand.between}"], cure=cure)
        position = status.belief.position
        with self._working.on("planning from there"):
            task = await asyncio.to_thread(plan_from, self.ground, course.task, position, self._working.progress)
        now = self._told.status
        if now is not None and now.belief.position == position:
            course.plan_anew(task)
            self.retell()
            return course
        raise RefusedError(["the train has been driven meanwhile"], cure="ask again when it stands")

    def _played(self, error: PointsmanError | None) -> None:
        """What the program was to drive is over."""
        if isinstance(error, RefusedError) and self._sitting is not None:
            self.refuse(error)
        self.retell()

    async def pause(self) -> None:
        """Begin no run after the one that is under way; the demo ends."""
        if self._demo is not None:
            self._demo.end()
        elif self.snapshot.mode is not Mode.AUTO:
            raise RefusedError(["nothing is driven by itself"], cure="there is nothing to pause")
        if self.hand.orders is not None:
            self.hand.orders.pause()
        self.hold()

    def hold(self) -> None:
        """As ``pause``, for the demo too."""
        if self._sitting is not None:
            self._sitting.pace.hold()

    async def hint(self) -> None:
        """Show the best next run; that is counted, and written down."""
        self._no_demo()
        self._between_runs("give a hint")
        course = await self._planned()
        sitting = self._between_runs("give a hint")
        if course.hint == course.done + 1 or not course.rest:
            return
        course.hint = course.done + 1
        run, distance = course.rest[0], len(course.rest)
        sitting.do(lambda dispatcher: dispatcher.hinted(str(run), distance))
        self.board.publish(puzzle=course.puzzle(self._told.status))

    async def answer(self, question: int, yes: bool) -> None:
        """A person's answer to the question that is asked; a set-up picture is agreed to by ``begin``."""
        asked = self.snapshot.question
        if asked is None or asked["id"] != question:
            raise RefusedError(["that is not asked any more"], cure="look at the screen")
        match asked["kind"]:
            case "take-up" if yes:
                await self.take_up()
            case "take-up":
                self._unfinished = None
                self.board.publish(question=None, unfinished=None)
            case "by-hand" if self._sitting is not None and self._told.question is not None:
                self._sitting.answer(self._told.question.number, yes)
            case "set-up" if not yes:
                self._course = None
                self.board.publish(mode=Mode.IDLE, question=None, puzzle=None, route=(), vehicles={}, note="")
            case _:
                raise RefusedError(["it is not said which way the locomotive faces"], cure="begin, with its facing")

    # ------------------------------------------------------------ the demo

    async def demo(self, on: bool) -> None:
        """Draw, solve, play, wait, and again, until a person ends it; then it pauses after the run under way.

        Refused on a real layout: there somebody has to set everything up again before each play.
        """
        if not on:
            if self._demo is not None:
                self._demo.end()
            return
        self._no_demo()
        if not self._simulated:
            why = "after each play everything would have to be set up again by hand"
            raise RefusedError([why], where="the demo", cure="it runs on the simulated layout only")
        self._only("begin the demo", *_STOOD)
        self._demo = Demo(self, self._journals / "demo", self._waits)

    # ------------------------------------------------------------ what is heard of the sitting

    def _heard(self, told: Told) -> None:
        """Something new of the sitting; in this loop."""
        before, self._told = self._told, told
        course, status = self._course, told.status
        assert course is not None, "something is played"
        course.done = max(course.done, told.run - 1)
        changes: dict[str, Any] = {}
        if status is not None and self.hand.orders is not None:
            self._follow(course, status)
        if status is not None:
            course.began_s = status.t_s if course.began_s is None else course.began_s
            changes = {**shown.seen(self.ground, status), **self._moving(), "note": shown.note(status)}
        if told.notes:
            changes["note"] = told.notes[-1]
        if told.question != before.question:
            asked = told.question
            changes["question"] = None if asked is None else self.board.question("by-hand", asked.text)
        if told.ended:
            changes |= self._ended(told, changes.get("vehicles", {}))
        elif status is not None and status.halted:
            changes |= shown.being_halted(status)
        elif status is not None and status.hand is not None:
            changes |= {"mode": self.hand.mode, "throttle": self.hand.throttle}
        elif told.waits:
            changes["mode"] = Mode.READY if told.run == 1 else Mode.PAUSED
        elif told.run:
            changes["mode"] = Mode.AUTO
        route = picture.route(course.task.chosen.track, None if told.ended else course.next_run)
        self.board.publish(**changes, route=route, puzzle=course.puzzle(status))
        self._look_on()

    def _follow(self, course: UnderWay, status: Status) -> None:
        """Where in the plan everything stands by now; the sitting ends when the goal is reached."""
        self.hand.hear(status)
        if status.hand is None or status.drive is not None or status.hand.between:
            return
        reached = course.follow(status.belief.position)
        if reached and not self.hand.playing and not course.finishing and self.hand.orders is not None:
            course.finishing = True
            self.hand.orders.finish("the goal")

    def retell(self) -> None:
        """Show the sitting anew: something has changed that the layout does not tell."""
        if self._sitting is not None:
            self._heard(self._told)

    def _ended(self, told: Told, standing: Mapping[str, Any]) -> dict[str, Any]:
        """The sitting is over, one way or another: nothing resumes by itself."""
        course, self._sitting = self._course, None
        assert course is not None, "something was played"
        self.hand.end()
        over: dict[str, Any] = {"question": None, "drive": None, "throttle": {}}
        position = "" if told.status is None else str(told.status.belief.position)
        error = told.error
        if told.result is not None:
            truth = told.result.truth
            if truth is None or truth.good:
                course.solved()
                return {**over, "mode": Mode.SOLVED, "note": "solved"}
            error = HaltedError("the simulated layout does not agree with what was believed", cure="report it")
        assert error is not None, "it ended one way or another"
        moved = told.status is not None and told.status.score.raw_starts > course.score_before.raw_starts
        if moved or isinstance(error, HaltedError):
            return {**over, **shown.halted(self.ground.track, error, position, standing)}
        # Nothing has moved: it may be begun again.
        refusal = shown.refusal(self.ground.track, error, self.snapshot.t_s)
        question = self._set_up_question(course.task)
        return {**over, "mode": Mode.DEALT, "refusal": refusal, "question": question, "note": ""}

    def _moving(self) -> dict[str, Any]:
        """Where everything is now, by the clock of a layout that is not asked."""
        told = self._told
        assert told.status is not None, "something was told"
        t_s, halted = told.status.t_s, bool(told.status.halted)
        if halted:
            # Where it was then: how far it ran on nobody has seen.
            t_s = self._halted_s = min(t_s, self._halted_s)
        elif self._rolls(told) and self._speed is not None:
            t_s += (time.monotonic() - told.status_s) * self._speed
        return shown.moving(told.status, t_s, over=halted or told.ended)

    @staticmethod
    def _rolls(told: Told) -> bool:
        status = told.status
        return status is not None and status.drive is not None and not (status.halted or told.ended)

    def _look_on(self) -> None:
        """While a train moves, look again soon where it is by now. A clock that jumps tells nothing between events."""
        if self._look is not None:
            self._look.cancel()
            self._look = None
        if self._speed is not None and self._rolls(self._told):
            self._look = self.loop.call_later(LOOK_AGAIN_S, self._look_again)

    def _look_again(self) -> None:
        self.board.publish(**self._moving())
        self._look_on()

    # ------------------------------------------------------------ refusing, and what takes long

    def refuse(self, error: PointsmanError) -> None:
        """Show everybody why something was refused."""
        self.board.publish(refusal=shown.refusal(self.ground.track, error, self.snapshot.t_s))

    def _no_demo(self) -> None:
        if self._demo is not None and self._demo.on:
            raise RefusedError(["the demo is running"], cure="end the demo first")

    def _only(self, what: str, *modes: Mode) -> None:
        if self._closing:
            raise RefusedError([f"it cannot {what}: the signal box is being closed"], cure="start it again")
        if self._working.busy:
            raise RefusedError([f"it cannot {what} now: it is {self._working.busy}"], cure="wait a moment")
        if self._sitting is not None and self.snapshot.mode is Mode.HALTED:
            raise RefusedError([f"it cannot {what} yet: the link is still open"], cure="wait a moment")
        if self.snapshot.mode not in modes:
            why = f"it cannot {what} now: it is {self.snapshot.mode}"
            raise RefusedError([why], cure=f"that can be done when it is {' or '.join(modes)}")

    def _between_runs(self, what: str) -> Sitting:
        self._only(what, *_STANDS)
        assert self._sitting is not None, "something is played"
        return self._sitting

    def stands(self, what: str) -> None:
        """Raises RefusedError unless a person may do something now: a sitting, and nothing that moves by itself."""
        self._no_demo()
        self._between_runs(what)
