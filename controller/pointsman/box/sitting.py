"""A sitting in a thread of its own: what it tells comes together in the thread of whoever shows it.

Nothing here ever waits for that thread: what is told again before it was taken replaces what was told before.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from pointsman.app import Setting, Simulated, Stopper, sit
from pointsman.box.pace import Pace
from pointsman.dispatch.control import Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.errors import HaltedError, PointsmanError
from pointsman.hand_driving import HandDriving, HandRequest, HandResult
from pointsman.operate.belief import Belief
from pointsman.operate.hands import HandWork
from pointsman.playing import Play, PlayRequest, PlayResult

MOST_NOTES = 20


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked to do in mid-play."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Told:
    """What a sitting tells. ``run`` is the one that waits or has begun; 0 before the first.

    ``status_s`` is when ``status`` was told, in seconds of the computer's own clock. ``result`` or ``error`` is how it
    ended.
    """

    status: Status | None = None
    status_s: float = 0.0
    notes: tuple[str, ...] = ()
    run: int = 0
    waits: bool = False
    question: Question | None = None
    result: PlayResult | HandResult | None = None
    error: PointsmanError | None = None

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.result is not None or self.error is not None


class Sitting:
    """One play under way. Made, and heard, in the running loop; ``stop`` may be called in any thread."""

    def __init__(self, request: PlayRequest | HandRequest, hear: Callable[[Told], None]) -> None:
        self.request = request
        self.pace = Pace(self._paced)
        self._hear = hear
        self._home = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._told = Told()
        self._notes: deque[str] = deque(maxlen=MOST_NOTES)
        self._calling = False
        self._stopper: Stopper | None = None
        self._stops: list[str] = []
        self._layout: tuple[asyncio.AbstractEventLoop, Dispatcher] | None = None
        self._waiting: list[Callable[[Dispatcher], None]] = []
        self._asked: set[asyncio.Future[bool]] = set()
        self._over = False
        self._answers: dict[int, asyncio.Future[bool]] = {}
        self._questions = 0
        self._thread = threading.Thread(target=self._run, name="layout")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, why: str, *, power_off: bool = False) -> None:
        """Stop everything at once; from any thread. Asked twice, the power goes off too."""
        with self._lock:
            times = 2 if power_off and not self._stops else 1
            self._stops += [why] * times
            stopper = self._stopper
        if stopper is not None:
            for _ in range(times):
                stopper(why, HaltedError.exit_code)

    def do(self, work: Callable[[Dispatcher], None]) -> None:
        """Have something done in the layout's loop; nothing when that has ended, or has not come so far."""
        if self._layout is not None:
            loop, dispatcher = self._layout
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(work, dispatcher)

    async def did(self, work: Callable[[Dispatcher], bool]) -> bool:
        """Have something done in the layout's loop, as soon as that is there: whether it was; False where it ended."""
        if self._over:
            return False
        done: asyncio.Future[bool] = self._home.create_future()

        def do(dispatcher: Dispatcher) -> None:
            was = work(dispatcher)
            with suppress(RuntimeError):  # nobody is there any more who wants to know
                self._home.call_soon_threadsafe(_answer, done, was)

        with self._lock:
            if self._layout is None:
                self._waiting.append(do)
        self._asked.add(done)
        self.do(do)
        try:
            return await done
        finally:
            self._asked.discard(done)

    def answer(self, number: int, yes: bool) -> None:
        """A person's answer to a question; one that is no longer asked is forgotten."""

        def give(_: Dispatcher) -> None:
            waiting = self._answers.get(number)
            if waiting is not None and not waiting.done():
                waiting.set_result(yes)

        self.do(give)

    async def ended(self) -> None:
        """Return when its thread has ended."""
        await asyncio.to_thread(self._thread.join)

    # ------------------------------------------------------------ in the layout's thread

    def _run(self) -> None:
        try:
            result = self._sat(self.request)
        except PointsmanError as error:
            self._tell(error=error)
        except BaseException as error:
            self._tell(error=PointsmanError(f"a fault of the program: {error!r}", cure="report it, with the journal"))
            raise
        else:
            self._tell(result=result)

    def _sat(self, request: PlayRequest | HandRequest) -> PlayResult | HandResult:
        told = self._show, self._ready, self._ask
        if isinstance(request, HandRequest):
            return sit(_HandErrand(HandDriving(request), self), *told)
        return sit(_Errand(Play(request), self), *told)

    def _ready(self, stopper: Stopper) -> None:
        with self._lock:
            self._stopper = stopper
            stops = list(self._stops)
        for why in stops:
            stopper(why, HaltedError.exit_code)

    def opened(self, dispatcher: Dispatcher) -> None:
        """The dispatcher is there; in the layout's loop."""
        with self._lock:
            self._layout = asyncio.get_running_loop(), dispatcher
            waiting, self._waiting = self._waiting, []
        for work in waiting:
            work(dispatcher)

    def _show(self, status: Status) -> None:
        self._tell(status=status, status_s=time.monotonic())

    def _paced(self, number: int, waits: bool) -> None:
        self._tell(run=number, waits=waits)

    async def _ask(self, work: HandWork) -> bool:
        self._questions += 1
        number = self._questions
        self._answers[number] = asyncio.get_running_loop().create_future()
        text = " ".join(filter(None, [work.note, work.text]))
        self._tell(question=Question(number, text))
        try:
            return await self._answers[number]
        finally:
            del self._answers[number]
            self._tell(question=None)

    def _tell(self, **what: object) -> None:
        with self._lock:
            self._told = replace(self._told, **what)  # type: ignore[arg-type]
            status = what.get("status")
            if isinstance(status, Status) and status.note:
                self._notes.append(status.note)
            if self._calling:
                return
            self._calling = True
        with suppress(RuntimeError):  # nobody is there any more who shows it
            self._home.call_soon_threadsafe(self._take)

    # ------------------------------------------------------------ at home

    def _take(self) -> None:
        with self._lock:
            self._calling = False
            told = replace(self._told, notes=tuple(self._notes))
            self._notes.clear()
        if told.ended:
            # Its loop has ended: what was not done by now never will be.
            self._over = True
            for done in self._asked:
                _answer(done, False)
        self._hear(told)


def _answer(done: asyncio.Future[bool], was: bool) -> None:
    if not done.done():
        done.set_result(was)


@dataclass(frozen=True, slots=True)
class _Errand:
    """A play whose runs begin as a person wishes."""

    play: Play
    sitting: Sitting

    @property
    def setting(self) -> Setting:
        return replace(self.play.setting, thinking=self.sitting.pace.waiting)

    def header(self) -> dict[str, object]:
        return self.play.header()

    async def work(self, dispatcher: Dispatcher) -> Belief:
        self.sitting.opened(dispatcher)
        return await dispatcher.play(self.play.request.runs, self.sitting.pace.may_begin)

    def result(
        self, dispatcher: Dispatcher, final: Belief, duration_s: float, simulation: Simulated | None
    ) -> PlayResult:
        return self.play.result(dispatcher, final, duration_s, simulation)

    def ending(self, result: PlayResult) -> dict[str, object]:
        return self.play.ending(result)


@dataclass(frozen=True, slots=True)
class _HandErrand:
    """A sitting that takes orders."""

    driving: HandDriving
    sitting: Sitting

    @property
    def setting(self) -> Setting:
        return self.driving.setting

    def header(self) -> dict[str, object]:
        return self.driving.header()

    async def work(self, dispatcher: Dispatcher) -> Belief:
        self.sitting.opened(dispatcher)
        return await self.driving.work(dispatcher)

    def result(
        self, dispatcher: Dispatcher, final: Belief, duration_s: float, simulation: Simulated | None
    ) -> HandResult:
        return self.driving.result(dispatcher, final, duration_s, simulation)

    def ending(self, result: HandResult) -> dict[str, object]:
        return self.driving.ending(result)
