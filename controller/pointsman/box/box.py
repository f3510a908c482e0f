"""The signal box of one layout: what may be done at a moment, and what everybody sees of it.

It lives in one event loop, the one of whoever shows it; the layout has a thread of its own (``box.sitting``). The
emergency stop alone may be called in any thread. Every method raises a PointsmanError when it is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from pointsman.box import shown
from pointsman.box.attempt import Attempt, Referee
from pointsman.box.board import Board, Hear
from pointsman.box.demo import Demo, Waits
from pointsman.box.hand import Hand
from pointsman.box.requests import by_hand, play_of
from pointsman.box.seat import Seat
from pointsman.box.sitting import Sitting
from pointsman.box.snapshot import Mode, Snapshot
from pointsman.box.task import Ground, Task, deal, deal_attempt, go_on_from, plan_from
from pointsman.box.under_way import UnderWay
from pointsman.box.unfinished import newest_unfinished
from pointsman.box.working import Working
from pointsman.errors import JournalError, PointsmanError, RefusedError, UsageError, did_you_mean
from pointsman.links import On
from pointsman.operate.putting_right import corrected, why_not_so
from pointsman.playing import AttemptOf, PlayRequest
from pointsman.resuming import Interrupted, interrupted
from pointsman.track.builtin import layout_puzzles
from pointsman.track.model import End

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
        self._seat = Seat(self.board, ground, self.hand, self._speed)
        self._referee = Referee(self._seat, self.hand)
        self._unfinished: Interrupted | None = None
        self._closing = False
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
            self._seat.attempt = attempt_of(play)
            text = f"{play.chosen.puzzle.title}: this play did not come to its end ({play.why}). Take it up?"
            question = self.board.question("take-up", text)
            self.board.publish(unfinished=shown.unfinished(play), question=question)
            self._seat.show_attempt()

    async def close(self) -> None:
        """Stop everything, and return when nothing is under way any more. May be called twice."""
        self._closing = True
        self._seat.close("the signal box is closed")
        if self._demo is not None:
            self._demo.end()
            await self._demo.ended()
        await self._seat.over()

    def emergency_stop(self, who: str, *, power_off: bool = False) -> None:
        """Stop everything at once; from anyone, in any thread. Asked twice, or if wished, the power goes off too."""
        self.halt(f"emergency stop by {who}", power_off=power_off)

    def halt(self, why: str, *, power_off: bool = False) -> None:
        """As ``emergency_stop``, for any reason."""
        moving = self._seat.stop(why, power_off=power_off)
        with suppress(RuntimeError):  # the loop has ended, and everything on the layout before it
            self.loop.call_soon_threadsafe(self._stopped, why, moving)

    def _stopped(self, why: str, moving: bool) -> None:
        if self._demo is not None:
            self._demo.end()
        self.hand.withdraw(why)
        if not moving and self.snapshot.halted is None:
            self.board.publish(note=f"{why}: nothing was moving")

    # ------------------------------------------------------------ a puzzle

    async def deal(
        self, name: str, *, seed: str | None = None, level: int | None = None, cards: Sequence[str] | None = None
    ) -> None:
        """Draw the cards of one of the layout's puzzles, of a level (1 to 4) if wished, and solve it.

        ``cards`` are the wagons of one certain draw, in the order of ``deal.places``.
        """
        self._no_demo()
        self._referee.no_attempt("deal")
        await self.draw(name, seed, level, cards)

    async def draw(self, name: str, seed: str | None, level: int | None, cards: Sequence[str] | None = None) -> None:
        """As ``deal``, for the demo too."""
        await self._dealt(name, lambda: deal(self.ground, name, seed, level, self._working.progress, cards))

    async def deal_attempt(
        self, puzzle: str, cards: Sequence[str], attempt: tuple[str, str], *, hints: bool = False
    ) -> None:
        """Deal these cards of a puzzle for an attempt, which is named by its competition and itself.

        A person drives it: nobody is shown a plan, a par or how far it is, and the cards only once it begins. ``hints``
        says whether the rules allow any. Asked again for the attempt that is dealt already, it does nothing.
        """
        self._no_demo()
        of = AttemptOf(*attempt, hints=hints)
        on = self._seat.attempt
        if on is not None and on.on and on.of == of and self.snapshot.mode is Mode.DEALT:
            return
        self._referee.no_attempt("deal")
        await self._dealt(puzzle, lambda: deal_attempt(self.ground, puzzle, cards, of))

    async def _dealt(self, name: str, make: Callable[[], Task]) -> None:
        self._only("deal", *_STOOD, *_STANDS)
        if name not in self.puzzles:
            raise UsageError(f"there is no puzzle {name!r}", cure=did_you_mean(name, self.puzzles))
        # From here on nothing else begins: nothing is judged above that could have changed by the time it is done.
        with self._working.on(shown.DRAWING):
            self._seat.stop(shown.MAKES_WAY)
            await self._seat.over()
            task = await asyncio.to_thread(make)
        self._lay_out(task)

    async def end_attempt(self, by: str) -> None:
        """End the attempt that is on, wherever it stands; a train that moves is braked first. Nothing without one."""
        await self._referee.end(by)
        self._unfinished = None

    async def press_fault(self, fault: str, by: str, *, taken_back: bool = False) -> None:
        """A referee has seen a fault, or takes one back: it is written into the journal of the attempt.

        Nothing on the layout changes. It may come a moment after the end, until something else is dealt.
        """
        await self._referee.fault(fault, by, taken_back=taken_back)

    async def clock(self, *, stands: bool, by: str, why: str = "") -> None:
        """A referee lets the attempt's clock stand, or go on. While it stands nothing is driven.

        A train that moves is braked, as its driver would.
        """
        if stands and self.snapshot.mode is Mode.STARTING:
            why = f"it cannot touch the clock now: it is {self.snapshot.mode}"
            raise RefusedError([why], cure="wait a moment")
        await self._referee.clock(stands, by, why)

    async def put_right(self, position: str, by: str) -> None:
        """What stands where, as a person says after a stop: a whole position, or like ``3 s2``.

        The rest is planned from there, and begins as every play does.
        """
        self._no_demo()
        self._only("put right", Mode.HALTED)
        attempt = self._seat.attempt
        if attempt is not None and attempt.over:
            raise RefusedError(["it cannot put right: the attempt is over"], cure="deal the next one")
        with self._working.on("planning from there"):
            play = self._unfinished or await self._interrupted()
            stands = corrected(play.chosen.track, play.position, position)
            against = why_not_so(play.chosen.track, stands)
            if against:
                raise RefusedError(against, where=str(stands), cure="say what stands where")
            task = await asyncio.to_thread(go_on_from, self.ground, play, stands, by, self._working.progress)
        if task is not None:
            self._lay_out(task)
            return
        if attempt is not None:
            # No movement has confirmed it: whether that counts is not for the signal box to say.
            raise RefusedError(["as it stands, the goal is reached"], cure="end the attempt, and judge how it ended")
        self._unfinished = None
        note = "as it stands, the goal is reached"
        self.board.publish(
            mode=Mode.SOLVED,
            halted=None,
            question=None,
            unfinished=None,
            vehicles=shown.standing(play.chosen.track, stands, self._seat.facing),
            note=note,
        )

    async def _interrupted(self) -> Interrupted:
        journal = self._seat.journal
        if journal is None:
            raise RefusedError(["there is no play to go on with"], cure="deal a puzzle")
        hardware = self.ground.hardware or None
        try:
            return await asyncio.to_thread(interrupted, journal, on=self.ground.target, hardware=hardware)
        except JournalError as error:
            why = "what this play has done cannot be read any more"
            raise RefusedError([f"{why}: {error.what}"], where=str(journal), cure="deal a puzzle") from error

    async def take_up(self) -> None:
        """Go on with the play that did not come to its end; what stands where is to be put right first."""
        self._no_demo()
        self._only("take up a play", Mode.IDLE)
        play = self._unfinished
        if play is None:
            raise RefusedError(["there is no play to take up"], cure="deal a puzzle")
        self.board.publish(
            mode=Mode.HALTED,
            vehicles=shown.standing(play.chosen.track, play.position, self._seat.facing),
            halted=shown.taking_up(play),
            question=None,
        )

    def _lay_out(self, task: Task) -> None:
        self._seat.lay_out(task)
        self._unfinished = None

    # ------------------------------------------------------------ a play

    async def begin(self, facing: End) -> None:
        """The layout is set up like the picture, says a person, and everybody is clear of it.

        Opens the link, switches the power on, sets every turnout once, and proves the locomotive, whose front points to
        an end of its track.
        """
        self._no_demo()
        self._referee.goes("begin")
        request = self._to_play(facing, self._journals)
        orders = self.hand.begin(request.chosen.puzzle.locomotive, self._speed)
        self._seat.begin(by_hand(request, orders, self.hand.protection))

    def start(self, facing: End, folder: Path) -> None:
        """Begin for the demo: nobody drives by hand then. ``folder`` is for the journal."""
        self._seat.begin(self._to_play(facing, folder))

    def _to_play(self, facing: End, folder: Path) -> PlayRequest:
        self._only("begin", Mode.DEALT)
        self._seat.must_be_free()
        course = self._seat.course
        assert course is not None, "something was dealt"
        self._seat.facing = facing
        speed = self._speed if self._simulated else None
        return play_of(self.ground, course.task, facing, folder, speed)

    async def over(self) -> None:
        """Return when no play is under way."""
        await self._seat.over()

    async def auto(self, who: str = "") -> None:
        """Drive the plan, run by run, from where it stands; a new plan, if a person has left it.

        ``who`` asks for it: where that one stops, or goes, while it is being planned, nothing is driven.
        """
        self._no_demo()
        self._referee.no_attempt("drive")
        self._between_runs("drive")
        if self.hand.orders is None:
            self.drive_on()
        else:
            await self._play(who, one=False)

    def drive_on(self) -> None:
        """As ``auto``, for the demo."""
        self._between_runs("drive").pace.on()
        self.board.publish(mode=Mode.AUTO)

    async def step(self, who: str = "") -> None:
        """Drive one run of the plan, as ``auto`` drives them all."""
        self._no_demo()
        self._referee.no_attempt("drive")
        sitting = self._between_runs("drive")
        if self.hand.orders is None:
            sitting.pace.one()
            self.board.publish(mode=Mode.AUTO)
        else:
            await self._play(who, one=True)

    async def _play(self, who: str, *, one: bool) -> None:
        """Let the program drive the plan on, or one run of it."""
        with self.hand.meaning(who) as meant:
            course = await self._planned()
        if meant.withdrawn:
            raise RefusedError([f"it does not set off: {meant.withdrawn}"], cure="ask again")
        self._between_runs("drive")  # planning took a while
        if self.snapshot.drive is not None:
            raise RefusedError(["a train is moving"], cure="stop it first")
        if not course.rest:
            raise RefusedError(["the plan is at its end"], cure="draw another puzzle")
        self.hand.play(course.rest, self._played, one=one)
        self.retell()

    async def _planned(self) -> UnderWay:
        """What is to be done with a plan from where everything stands; a new one where the last one is of no use there.

        That is so when a person has left it, and when its next run cannot be driven from so near, or so far.
        """
        course, status = self._seat.course, self._seat.told.status
        assert course is not None, "something is played"
        if status is None or not (course.left or course.rest):
            return course
        if status.hand is not None and status.hand.between:
            cure = "drive to where everything stands clear"
            raise RefusedError([f"nothing can be planned from here: {status.hand.between}"], cure=cure)
        belief = status.belief
        with self._working.on("planning from there"):
            told = self._working.progress if course.task.attempt is None else self._working.unheard
            task = await asyncio.to_thread(plan_from, self.ground, course.task, course.rest, belief, told)
        now = self._seat.told.status
        if now is None or now.belief.position != belief.position:
            raise RefusedError(["the train has been driven meanwhile"], cure="ask again when it stands")
        if task is not None:
            course.plan_anew(task)
            self.retell()
        return course

    def _played(self, error: PointsmanError | None) -> None:
        """What the program was to drive is over."""
        if isinstance(error, RefusedError) and self._seat.sitting is not None:
            self.refuse(error)
        self.retell()

    def retell(self) -> None:
        """Show the sitting anew: something has changed that the layout does not tell."""
        self._seat.retell()

    async def pause(self) -> None:
        """Begin no run after the one that is under way, nor any that is still being planned; the demo ends."""
        if self._demo is not None and self._demo.on:
            self._demo.end()
        elif not self.hand.withdraw("a pause was asked for") and self.snapshot.mode is not Mode.AUTO:
            raise RefusedError(["nothing is driven by itself"], cure="there is nothing to pause")
        if self.hand.orders is not None:
            self.hand.orders.pause()
        self.hold()

    def hold(self) -> None:
        """As ``pause``, for the demo too."""
        if self._seat.sitting is not None:
            self._seat.sitting.pace.hold()

    async def hint(self) -> None:
        """Show the best next run; that is counted, and written down."""
        self._no_demo()
        self._referee.may_hint()
        self._referee.goes("give a hint")
        self._between_runs("give a hint")
        course = await self._planned()
        sitting = self._between_runs("give a hint")
        if course.hint == course.done + 1 or not course.rest:
            return
        self._referee.goes("give a hint")
        course.hint = course.done + 1
        run, distance = course.rest[0], len(course.rest)
        sitting.do(lambda dispatcher: dispatcher.hinted(str(run), distance))
        self.retell()

    async def answer(self, question: int, yes: bool) -> None:
        """A person's answer to the question that is asked; a set-up picture is agreed to by ``begin``."""
        asked = self.snapshot.question
        if asked is None or asked["id"] != question:
            raise RefusedError(["that is not asked any more"], cure="look at the screen")
        sitting = self._seat.sitting
        match asked["kind"]:
            case "take-up" if yes:
                await self.take_up()
            case "take-up":
                self._unfinished = None
                await self._referee.end()
                self.board.publish(question=None, unfinished=None)
            case "by-hand" if sitting is not None and self._seat.told.question is not None:
                sitting.answer(self._seat.told.question.number, yes)
            case "set-up" if not yes:
                self._only("clear the layout", Mode.DEALT)
                self._referee.no_attempt("clear the layout")
                self._seat.clear()
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
        self._referee.no_attempt("begin the demo")
        self._only("begin the demo", *_STOOD)
        self._demo = Demo(self, self._journals / "demo", self._waits)

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
        if self._seat.sitting is not None and self.snapshot.mode is Mode.HALTED:
            raise RefusedError([f"it cannot {what} yet: the link is still open"], cure="wait a moment")
        if self.snapshot.mode not in modes:
            why = f"it cannot {what} now: it is {self.snapshot.mode}"
            raise RefusedError([why], cure=f"that can be done when it is {' or '.join(modes)}")

    def _between_runs(self, what: str) -> Sitting:
        self._only(what, *_STANDS)
        sitting = self._seat.sitting
        assert sitting is not None, "something is played"
        return sitting

    def stands(self, what: str) -> None:
        """Raises RefusedError unless a person may do something now: a sitting, and nothing that moves by itself."""
        self._no_demo()
        self._referee.goes(what)
        self._between_runs(what)


def attempt_of(play: Interrupted) -> Attempt | None:
    """The attempt that a play that did not come to its end is: begun, and its cards seen."""
    if play.attempt is None:
        return None
    # To a journal whose end is damaged nothing can be added: it is over with it, and its clock with it.
    stands = play.clock_stands and not play.told.bad
    return Attempt(play.attempt, play.journal, clock_stands=stands, stood=stands, covered=False)
