"""What a person orders who drives by hand, and how orders come to the layout's thread.

``Orders`` is given from any thread and read in the loop's own. A throttle is a wish that holds for a while: only the
newest counts, and it must be renewed. The others are done one after the other, and answered: with what came of them,
or with the error that says why not. A refusal is the answer to the one who asked; it stops nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock

from pointsman.errors import RefusedError
from pointsman.operate.ahead import Protection
from pointsman.puzzle.moves import Run
from pointsman.track.model import Leg

RENEWED_WITHIN_S = 1.5
"""A throttle that is not renewed for so long, in a person's own time, stops the train."""


@dataclass(frozen=True, slots=True)
class Throttle:
    """Drive at a speed, in the locomotive's own direction: ``forward`` is the decoder's. 0 brakes to a stand.

    The locomotive's direction, and not an end of the track: it stays what it is wherever the train has come to.
    """

    who: str
    locomotive: str
    forward: bool
    speed_mm_s: float

    def __str__(self) -> str:
        way = "forward" if self.forward else "backward"
        return f"{self.locomotive} {way} at {self.speed_mm_s:.0f} mm/s"


@dataclass(frozen=True, slots=True)
class Wish:
    """What the throttle says. ``fresh``: it was said since this was asked last, and not too long ago to hold.

    ``closed``: it was closed since then, though it may be open again; ``closings``: how often it was closed in all.
    """

    throttle: Throttle | None
    fresh: bool
    closed: bool
    closings: int


@dataclass(frozen=True, slots=True)
class Set:
    """Set a turnout."""

    who: str
    turnout: str
    leg: Leg


@dataclass(frozen=True, slots=True)
class Part:
    """Uncouple what stands over a magnet."""

    who: str
    uncoupler: str


@dataclass(frozen=True, slots=True)
class Function:
    """Switch a function of a locomotive: 0 the lights, 2 the horn. It may be ordered at any time."""

    who: str
    locomotive: str
    number: int
    on: bool


@dataclass(frozen=True, slots=True)
class Play:
    """Carry out runs from where the train stands. ``after_each`` is told each run that is done.

    ``brakes``: how often a pause had been asked for, or the throttle closed, when it was ordered.
    """

    who: str
    runs: tuple[Run, ...]
    after_each: Callable[[Run], None] = lambda _: None
    brakes: int = 0


@dataclass(frozen=True, slots=True)
class Protect:
    """Change the protection."""

    who: str
    protection: Protection


@dataclass(frozen=True, slots=True)
class Finish:
    """End the sitting, once everything stands."""

    who: str


Work = Set | Part | Function | Play | Protect | Finish


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was not done for a person, and why. ``about`` is what it concerns: ``turnout T1``, ``segment s2``.

    ``answered``: it is the answer to work, too, and not a throttle's.
    """

    who: str
    error: RefusedError
    answered: bool = False

    @property
    def about(self) -> str:
        """What the refusal concerns; empty when nothing on the layout."""
        return self.error.where


@dataclass(slots=True)
class Job:
    """Work with its answer: None when it is done, the number of runs done for ``Play``."""

    work: Work
    answer: Future[int] = field(default_factory=Future)

    def refuse(self, error: BaseException) -> None:
        """Answer with why not."""
        if not self.answer.done():
            self.answer.set_exception(error)

    def done(self, count: int = 0) -> None:
        """Answer that it is done."""
        if not self.answer.done():
            self.answer.set_result(count)


class Orders:
    """The orders of the persons at one layout. Its public methods may be called from any thread.

    ``on_refused`` is called with every refusal, in the layout's thread: a throttle's has no other way to its person.
    ``pace`` is how many seconds of the layout's clock pass in one of the persons'.
    """

    def __init__(self, on_refused: Callable[[Refusal], None] = lambda _: None, *, pace: float = 1.0) -> None:
        self._on_refused = on_refused
        self.renewed_within_s = RENEWED_WITHIN_S * max(1.0, pace)
        """As ``RENEWED_WITHIN_S``, on the layout's clock."""
        self._lock = Lock()
        self._jobs: deque[Job] = deque()
        self._throttle: Throttle | None = None
        self._said_s = 0.0
        self._fresh = self._closed = False
        self._closings = self._pauses = 0
        self.resting = False
        """Whether nothing is to be done before a person orders something; changes in the loop's thread only."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake: Callable[[], None] = lambda: None
        self._ended: BaseException | None = None

    # ------------------------------------------------------------ from any thread

    def throttle(self, who: str, locomotive: str, *, forward: bool, speed_mm_s: float) -> None:
        """Drive, or go on driving: to be said again within 1.5 s. A speed of 0 closes it, and brakes at once."""
        self._put(lambda: self._turn(Throttle(who, locomotive, forward, max(0.0, speed_mm_s))))

    def turnout(self, who: str, turnout: str, leg: Leg) -> Future[int]:
        """Set a turnout. The answer is there when it is over; RefusedError when it must not move."""
        return self._give(Set(who, turnout, leg))

    def uncouple(self, who: str, uncoupler: str) -> Future[int]:
        """Uncouple what stands over a magnet. RefusedError when nothing does that could part."""
        return self._give(Part(who, uncoupler))

    def function(self, who: str, locomotive: str, number: int, *, on: bool) -> Future[int]:
        """Switch a function; the answer is there when it was sent."""
        return self._give(Function(who, locomotive, number, on))

    def play(self, who: str, runs: tuple[Run, ...], after_each: Callable[[Run], None] = lambda _: None) -> Future[int]:
        """Carry out runs; the answer is how many, fewer than all when ``pause`` was asked for since it was ordered.

        ``after_each`` is called in the layout's thread. RefusedError when the next of them cannot be carried out.
        """
        with self._lock:
            brakes = self._closings + self._pauses
        return self._give(Play(who, runs, after_each, brakes))

    def pause(self) -> None:
        """Let the run under way be the last of those that are being played, or were ordered to be."""
        self._put(lambda: setattr(self, "_pauses", self._pauses + 1))

    def protect(self, who: str, protection: Protection) -> Future[int]:
        """Change what a person is kept from."""
        return self._give(Protect(who, protection))

    def turn_away(self, why: RefusedError) -> None:
        """Refuse all work that has been ordered, and was not begun, but the end of the sitting."""
        with self._lock:
            away = [job for job in self._jobs if not isinstance(job.work, Finish)]
            self._jobs = deque(job for job in self._jobs if isinstance(job.work, Finish))
        for job in away:
            job.refuse(why)

    def finish(self, who: str) -> Future[int]:
        """Brake, and end the sitting."""
        return self._give(Finish(who))

    def _give(self, work: Work) -> Future[int]:
        job = Job(work)

        def put() -> None:
            if self._ended is not None:
                job.refuse(self._ended)
            else:
                self._jobs.append(job)

        self._put(put)
        return job.answer

    def _turn(self, throttle: Throttle) -> None:
        self._throttle, self._fresh = throttle, True
        if throttle.speed_mm_s == 0:
            self._closed, self._closings = True, self._closings + 1
        self._said_s = 0.0 if self._loop is None else self._loop.time()

    def _put(self, change: Callable[[], None]) -> None:
        with self._lock:
            change()
            loop = self._loop
        if loop is not None and not loop.is_closed():
            # The loop may close in this very moment: then nobody needs to be woken.
            try:
                loop.call_soon_threadsafe(self._wake)
            except RuntimeError:
                return

    # ------------------------------------------------------------ in the loop's thread

    def open(self, loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
        """Somebody begins to carry out; ``wake`` is called in the loop after each order."""
        with self._lock:
            self._loop, self._wake = loop, wake

    def close(self, why: BaseException | None = None) -> None:
        """Nothing is carried out any more: what waits, and what comes later, is refused."""
        with self._lock:
            self._ended = why or RefusedError(["nobody drives here any more"], cure="start again")
            jobs, self._jobs = list(self._jobs), deque()
            self._loop = None
        for job in jobs:
            job.refuse(self._ended)

    def wish(self, now_s: float) -> Wish:
        """What the throttle says now."""
        with self._lock:
            fresh, self._fresh = self._fresh, False
            closed, self._closed = self._closed, False
            fresh = fresh and now_s < self._said_s + self.renewed_within_s
            return Wish(self._throttle, fresh, closed, self._closings)

    @property
    def closings(self) -> int:
        """How often the throttle was closed; from any thread."""
        with self._lock:
            return self._closings

    @property
    def said_s(self) -> float:
        """When the newest throttle was said, on the loop's clock."""
        return self._said_s

    @property
    def held(self) -> Throttle | None:
        """The newest throttle, however old."""
        return self._throttle

    def next(self, *, but: type[Finish] | None = None, only: type[Protect] | None = None) -> Job | None:
        """The next work to do, taken out; ``but``: work of a kind stays, ``only``: all other work does."""
        with self._lock:
            for job in self._jobs:
                if not (but is not None and isinstance(job.work, but)) and isinstance(job.work, only or object):
                    self._jobs.remove(job)
                    return job
            return None

    @property
    def ending(self) -> bool:
        """Whether the end of the sitting was ordered."""
        with self._lock:
            return any(isinstance(job.work, Finish) for job in self._jobs)

    def tell_refused(self, who: str, error: RefusedError, *, answered: bool) -> None:
        """Tell a person of a refusal."""
        self._on_refused(Refusal(who, error, answered))

    @property
    def waiting(self) -> bool:
        """Whether anything has been ordered that was not looked at."""
        with self._lock:
            return self._fresh or any(not isinstance(job.work, Finish) for job in self._jobs)

    def braked(self, play: Play) -> bool:
        """Whether a pause was asked for, or the throttle closed, since something was ordered to be played."""
        with self._lock:
            return self._closings + self._pauses > play.brakes
