"""The one sitting that there may be at a signal box, and what everybody sees of it.

A second one cannot begin, nor another puzzle be laid out under it, before it is heard to have ended: whatever moves is
reached by a stop that is said here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Any

from pointsman.box import picture, shown
from pointsman.box.attempt import Attempt
from pointsman.box.board import Board
from pointsman.box.hand import Hand
from pointsman.box.sitting import Sitting, Told
from pointsman.box.snapshot import Mode
from pointsman.box.task import Ground, Task
from pointsman.box.under_way import UnderWay
from pointsman.dispatch.control import Status
from pointsman.errors import HaltedError, RefusedError
from pointsman.hand_driving import HandRequest
from pointsman.links import On
from pointsman.playing import PlayRequest
from pointsman.track.model import End

LOOK_AGAIN_S = 0.1
"""While a train moves, where it is by now is told so often."""


class Seat:
    """Used in its box's loop; ``stop`` may be called in any thread. ``speed`` is the pace of the layout's clock.

    ``course`` is the puzzle that is laid out, or played; ``told`` what was heard last of the sitting; ``journal`` that
    of the last one; ``attempt`` the attempt of a competition that is on, or was the last one.
    """

    def __init__(self, board: Board, ground: Ground, hand: Hand, speed: float | None) -> None:
        self.course: UnderWay | None = None
        self.told = Told()
        self.facing = End.TO
        self.journal: Path | None = None
        self.attempt: Attempt | None = None
        self._board, self._ground, self._hand, self._speed = board, ground, hand, speed
        self._sitting: Sitting | None = None
        self._closed = False
        self._halted_s = inf
        self._look: asyncio.TimerHandle | None = None

    @property
    def sitting(self) -> Sitting | None:
        """The sitting that lives; None once it is heard to have ended."""
        return self._sitting

    @property
    def failed(self) -> bool:
        """Whether the last sitting did not end as it was to."""
        result = self.told.result
        truth = None if result is None else result.truth
        return self.told.error is not None or (truth is not None and not truth.sound)

    def must_be_free(self) -> None:
        """Raises RefusedError while a sitting lives, or for good once it is closed: none is ever replaced."""
        if self._sitting is not None:
            raise RefusedError(["a play is under way"], cure="end it first")
        if self._closed:
            raise RefusedError(["it cannot begin: the signal box is being closed"], cure="start it again")

    def lay_out(self, task: Task) -> None:
        """A new plan is there, and the picture of how everything has to be set up for it."""
        self.must_be_free()
        self.course, self.told = UnderWay(task), Told()
        if task.attempt is None:
            self.attempt = None
        elif task.earlier is None:
            self.attempt = Attempt(task.attempt)
        self._board.publish(
            **shown.nothing_on(self._ground),
            mode=Mode.DEALT,
            vehicles=shown.standing(task.chosen.track, task.chosen.start, self.facing),
            route=self._route(self.course),
            puzzle=self._puzzle(self.course, None),
            attempt=self._attempt_shown(),
            refusal=None,
            halted=None,
            question=self._set_up_question(task),
            unfinished=None,
            note=" ".join(task.refused),
        )

    def clear(self) -> None:
        """Nothing is laid out any more."""
        self.must_be_free()
        self.course = None
        self._board.publish(mode=Mode.IDLE, question=None, puzzle=None, route=(), vehicles={}, note="")

    def begin(self, request: PlayRequest | HandRequest) -> None:
        """Begin a sitting."""
        self.must_be_free()
        if self.attempt is not None:
            self.attempt.journal, self.attempt.covered = request.journal, False
        self.journal, self.told, self._halted_s = request.journal, Told(), inf
        sitting = self._sitting = Sitting(request, self._heard)
        self._board.publish(mode=Mode.STARTING, question=None, refusal=None, note="", attempt=self._attempt_shown())
        sitting.start()

    def stop(self, why: str, *, power_off: bool = False) -> bool:
        """Stop everything at once; from any thread. Whether there was a sitting to stop."""
        sitting = self._sitting
        if sitting is not None:
            sitting.stop(why, power_off=power_off)
        return sitting is not None

    def close(self, why: str) -> None:
        """Stop everything; nothing begins any more."""
        self._closed = True
        self.stop(why)
        self._look_on()

    async def over(self) -> None:
        """Return when no sitting lives: what it told last was heard before its thread has ended."""
        if self._sitting is not None:
            await self._sitting.ended()

    def _set_up_question(self, task: Task) -> dict[str, Any]:
        text = shown.set_up(task, real=self._ground.target.on is not On.SIM)
        return self._board.question("set-up", text, **shown.facing(self._ground, task))

    # ------------------------------------------------------------ an attempt

    def show_attempt(self) -> None:
        """Show everybody how the attempt is."""
        self._board.publish(attempt=self._attempt_shown())

    def give_up(self) -> None:
        """Clear the layout of an attempt that was ended before its goal."""
        if self._sitting is None:
            self.clear()
            self._board.publish(halted=None, unfinished=None, drive=None)

    def _attempt_shown(self) -> dict[str, Any] | None:
        return None if self.attempt is None else self.attempt.shown()

    def _puzzle(self, course: UnderWay, status: Status | None) -> dict[str, Any]:
        """The puzzle as everybody may see it."""
        puzzle = course.puzzle(status)
        return puzzle if self.attempt is None else self.attempt.kept(puzzle)

    def _route(self, course: UnderWay) -> tuple[dict[str, Any], ...]:
        """The way of the next run of the plan; none where nobody may see that."""
        run = None if self.attempt is not None else course.next_run
        return picture.route(course.task.chosen.track, run)

    # ------------------------------------------------------------ what is heard of the sitting

    def retell(self) -> None:
        """Show the sitting anew: something has changed that the layout does not tell."""
        if self._sitting is not None:
            self._show(self.told, self.told)

    def _heard(self, told: Told) -> None:
        """Something new of the sitting."""
        before, self.told = self.told, told
        if told.ended:
            self._sitting = None
        self._show(before, told)

    def _show(self, before: Told, told: Told) -> None:
        course, status = self.course, told.status
        assert course is not None, "something is played"
        course.done = max(course.done, told.run - 1)
        changes: dict[str, Any] = {}
        if status is not None and self._hand.orders is not None:
            self._follow(course, status)
        if status is not None:
            course.began_s = status.t_s if course.began_s is None else course.began_s
            changes = {**shown.seen(self._ground, status), **self._moving(status), "note": shown.note(status)}
        if told.notes:
            changes["note"] = told.notes[-1]
        if told.question != before.question:
            asked = told.question
            changes["question"] = None if asked is None else self._board.question("by-hand", asked.text)
        if told.ended:
            changes |= self._ended(course, told, changes.get("vehicles", {}))
        elif status is not None and status.halted:
            changes |= shown.being_halted(self._ground, status)
        elif status is not None and status.hand is not None:
            changes |= {"mode": self._hand.mode, "throttle": self._hand.throttle}
        elif told.waits:
            changes["mode"] = Mode.READY if told.run == 1 else Mode.PAUSED
        elif told.run:
            changes["mode"] = Mode.AUTO
        route = () if told.ended else self._route(course)
        self._board.publish(**changes, route=route, puzzle=self._puzzle(course, status), attempt=self._attempt_shown())
        self._look_on()

    def _follow(self, course: UnderWay, status: Status) -> None:
        """Where in the plan everything stands by now; the sitting ends when the goal is reached."""
        hand = self._hand
        hand.hear(status)
        if status.hand is None or status.drive is not None or status.hand.between:
            return
        reached = course.follow(status.belief.position)
        if reached and not hand.playing and not course.finishing and hand.orders is not None:
            course.finishing = True
            hand.orders.finish("the goal")

    def _ended(self, course: UnderWay, told: Told, standing: Mapping[str, Any]) -> dict[str, Any]:
        """The sitting is over, one way or another: nothing resumes by itself."""
        self._hand.end()
        over: dict[str, Any] = {"question": None, "drive": None, "throttle": {}}
        position = "" if told.status is None else str(told.status.belief.position)
        error = told.error
        attempt = self.attempt
        if told.result is not None:
            truth = told.result.truth
            if attempt is not None and attempt.over and not told.result.reached and not self.failed:
                # It was ended before its goal: that is how an attempt may end.
                return {**over, "mode": Mode.IDLE, "note": ""}
            if attempt is not None and told.result.reached:
                attempt.over = attempt.reached = True
            if truth is None or truth.good:
                course.solved()
                return {**over, "mode": Mode.SOLVED, "note": "solved"}
            error = HaltedError("the simulated layout does not agree with what was believed", cure="report it")
        assert error is not None, "it ended one way or another"
        moved = told.status is not None and told.status.score.raw_starts > course.score_before.raw_starts
        if moved or isinstance(error, HaltedError):
            return {**over, **shown.halted(self._ground, error, position, standing)}
        # Nothing has moved: it may be begun again.
        refusal = shown.refusal(self._ground.track, error, self._board.snapshot.t_s)
        question = self._set_up_question(course.task)
        return {**over, "mode": Mode.DEALT, "refusal": refusal, "question": question, "note": ""}

    # ------------------------------------------------------------ where everything is by now

    def _moving(self, status: Status) -> dict[str, Any]:
        """Where everything is now, by the clock of a layout that is not asked."""
        t_s, halted = status.t_s, bool(status.halted)
        if halted:
            # Where it was then: how far it ran on nobody has seen.
            t_s = self._halted_s = min(t_s, self._halted_s)
        elif self._rolling is not None and self._speed is not None:
            t_s += (time.monotonic() - self.told.status_s) * self._speed
        return shown.moving(status, t_s, over=halted or self.told.ended)

    @property
    def _rolling(self) -> Status | None:
        """What was told last, while a train moves."""
        status = self.told.status
        moves = status is not None and status.drive is not None and not (status.halted or self.told.ended)
        return status if moves else None

    def _look_on(self) -> None:
        """While a train moves, look again soon where it is by now. A clock that jumps tells nothing between events."""
        if self._look is not None:
            self._look.cancel()
            self._look = None
        if self._speed is not None and self._rolling is not None and not self._closed:
            self._look = asyncio.get_running_loop().call_later(LOOK_AGAIN_S, self._look_again)

    def _look_again(self) -> None:
        status = self._rolling
        if status is not None:
            self._board.publish(**self._moving(status))
            self._look_on()
