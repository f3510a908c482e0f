"""Driving by hand at a signal box: who holds the throttle, what is ordered with it, and what the program plays between.

One sitting takes both: a person drives, and the program plays the plan from wherever the train stands. An order goes to
the layout's thread and waits for nothing here; only what is asked for as work is awaited.

Pages say a direction as an end of the element on which the locomotive's middle stood when the drive began. A drive that
has ended by itself leaves that in doubt, so that the page must say ``stop`` before it drives again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from pointsman.box.board import Board
from pointsman.box.rights import Rights, check
from pointsman.box.snapshot import Mode
from pointsman.dispatch.control import Status
from pointsman.dispatch.hand_status import HandDrive
from pointsman.dispatch.orders import Orders, Refusal
from pointsman.errors import PointsmanError, RefusedError
from pointsman.operate.ahead import Protection
from pointsman.puzzle.moves import Run
from pointsman.track.model import End, Leg

PROGRAM = "the program"
DRIVES = Rights()
"""Whoever may drive what is driven here."""
Refused = Callable[[str, RefusedError], None]


@dataclass(slots=True)
class Meant:
    """That the program drives, as ``who`` has asked, once there is a plan; ``withdrawn`` is why it will not."""

    who: str
    withdrawn: str = ""


class Host(Protocol):
    """What it needs of its box."""

    board: Board

    def stands(self, what: str) -> None:
        """Raises RefusedError unless a person may do something now: a sitting, and nothing that moves by itself."""

    def retell(self) -> None:
        """Show everything anew."""


class Hand:
    """The desk of one box; used in its loop. ``orders`` are those of the sitting under way, None without one."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._hearers: list[Refused] = []
        self.protection = Protection.FULL
        self.orders: Orders | None = None
        self.holder: str | None = None
        self.whose: str | None = None
        self.playing = False
        self._engine = ""
        self._status: Status | None = None
        self._last: HandDrive | None = None
        self._way: tuple[End, bool] | None = None
        self._ended = self._own = False
        self._speed_mm_s = 0.0
        self._meant: Meant | None = None
        self._on: set[int] = set()

    @property
    def engine(self) -> str:
        """The locomotive that is driven here; empty without a sitting."""
        return self._engine if self.orders is not None else ""

    def on_refused(self, hear: Refused) -> None:
        """Call ``hear`` with what the layout refuses to somebody's throttle, and to whom."""
        self._hearers.append(hear)

    def begin(self, engine: str, speed: float | None = None) -> Orders:
        """A sitting begins: the orders that it takes. ``speed`` is the pace of a simulated layout."""
        loop = asyncio.get_running_loop()

        def told(refusal: Refusal) -> None:
            if not refusal.answered:
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(self._refused, refusal)

        self.end()
        self.orders, self._engine = Orders(told, pace=speed or 1.0), engine
        return self.orders

    def end(self) -> None:
        """The sitting is over: nobody holds anything any more."""
        self.orders = self.holder = self.whose = self._status = self._last = self._way = None
        self.playing = self._ended = self._own = False
        self._speed_mm_s = 0.0
        self._on.clear()
        self._host.board.publish(functions={})

    # ------------------------------------------------------------ the throttle

    def take(self, who: str, *, steal: bool = False, whose: str | None = None, rights: Rights = DRIVES) -> None:
        """Hold the throttle, closed: a train that moves is stopped first. From another one it must be stolen.

        ``whose`` hand it is in, where one person may have several of them, each with a name of its own.
        """
        self._orders("take the throttle")
        check(who, rights, self._engine, None)
        if self.holder not in {None, who} and not steal:
            raise RefusedError([f"{self.holder} drives {self._engine}"], where=self._engine, cure="take it over")
        self._close()
        self.holder, self.whose = who, whose or who
        self._host.retell()

    def release(self, who: str) -> None:
        """Give the throttle back; the train stops. Nothing, if ``who`` does not hold it."""
        self._withdraw_of(who)
        if who == self.holder:
            self._close()
            self.holder = self.whose = None
            self._host.retell()

    def drive(self, who: str, towards: End, speed_mm_s: float) -> None:
        """Drive at a speed above 0; it holds for 1.5 s. See the module for ``towards``."""
        orders = self._orders("drive")
        if who != self.holder:
            raise RefusedError(["you do not hold the throttle"], where=self._engine, cure="take it first")
        status = self._status
        if status is None or self._ended:
            return
        if self._way is None:
            self._way = towards, status.belief.facing is towards
        elif self._way[0] is not towards:
            raise RefusedError([f"{self._engine} is driving the other way"], where=self._engine, cure="stop first")
        self._speed_mm_s = speed_mm_s
        orders.throttle(who, self._engine, forward=self._way[1], speed_mm_s=speed_mm_s)
        self.show()

    def drive_own_way(self, who: str, *, forward: bool, speed_mm_s: float) -> None:
        """As ``drive``, in the locomotive's own direction."""
        orders = self._orders("drive")
        if who != self.holder:
            raise RefusedError(["you do not hold the throttle"], where=self._engine, cure="take it first")
        self._speed_mm_s, self._own = speed_mm_s, True
        orders.throttle(who, self._engine, forward=forward, speed_mm_s=speed_mm_s)
        self.show()

    def stop(self, who: str) -> None:
        """Brake to a stand. Never refused. Who does not hold the throttle still keeps the program from setting off."""
        self.withdraw(f"{who} has said stop")
        self._brake(who)

    def gone(self, who: str) -> None:
        """The connection of ``who`` has ended: the train stops, and the throttle stays held for who comes again."""
        self._withdraw_of(who)
        self._brake(who)

    def stand(self, why: RefusedError) -> None:
        """Brake to a stand, whoever drives, and refuse what was ordered and has not begun."""
        self.withdraw(why.what)
        if self.orders is not None:
            self.orders.turn_away(why)
        self._close()
        self.show()

    def _brake(self, who: str) -> None:
        if who == self.holder:
            self._close()
            self.show()

    def dismiss(self, whose: str) -> None:
        """Take a person the throttle, whichever hand it is in; the train stops."""
        if self.holder is not None and self.whose == whose:
            self.release(self.holder)

    def _close(self) -> None:
        if self.orders is not None and self.holder is not None:
            forward = True if self._way is None else self._way[1]
            self.orders.throttle(self.holder, self._engine, forward=forward, speed_mm_s=0)
        self._closed()

    def _closed(self) -> None:
        self._way, self._speed_mm_s = None, 0.0
        self._ended = self._own = False

    # ------------------------------------------------------------ other work

    async def turnout(self, who: str, name: str, leg: Leg, rights: Rights = DRIVES) -> None:
        """Set a turnout; returns when it has been set. ``box.rights`` says who may."""
        await asyncio.wrap_future(self._allowed("set a turnout", who, rights).turnout(who, name, leg))

    async def uncouple(self, who: str, magnet: str, rights: Rights = DRIVES) -> None:
        """Uncouple what stands over a magnet; as with ``turnout``."""
        await asyncio.wrap_future(self._allowed("uncouple", who, rights).uncouple(who, magnet))

    async def function(self, who: str, number: int, *, on: bool) -> None:
        """Switch a function of the locomotive: 0 the lights, 2 the horn."""
        await asyncio.wrap_future(self.switch(who, number, on=on))

    def switch(self, who: str, number: int, *, on: bool) -> Future[int]:
        """As ``function``; the answer comes later."""
        if self.orders is None or who != self.holder:
            raise RefusedError(["you do not hold the throttle"], where=self._engine, cure="take it first")
        orders, loop = self.orders, asyncio.get_running_loop()

        def answered(answer: Future[int]) -> None:
            if not answer.cancelled() and answer.exception() is None:
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(self._switched, orders, number, on)

        answer = orders.function(who, self._engine, number, on=on)
        answer.add_done_callback(answered)
        return answer

    def _switched(self, orders: Orders, number: int, on: bool) -> None:
        """It has been sent."""
        if orders is self.orders:
            (self._on.add if on else self._on.discard)(number)
            self._host.board.publish(functions={self._engine: sorted(self._on)})

    async def protect(self, who: str, protection: Protection) -> None:
        """Change what a person is kept from, from the next drive on."""
        if self.orders is not None:
            await asyncio.wrap_future(self.orders.protect(who, protection))
        self.protection = protection
        self._host.board.publish(protection=str(protection))

    def _allowed(self, what: str, who: str, rights: Rights) -> Orders:
        orders = self._orders(what)
        check(who, rights, self._engine, self.holder)
        return orders

    def _orders(self, what: str) -> Orders:
        self._host.stands(what)
        if self.orders is None:
            raise RefusedError([f"it cannot {what}: this play was the demo's"], cure="draw anew")
        return self.orders

    def play(self, runs: Sequence[Run], over: Callable[[PointsmanError | None], None], *, one: bool) -> None:
        """Let the program carry out runs, or the first of them; nobody holds the throttle then.

        How a run is driven depends on what comes after it: so it is told them all. ``over`` is told how it ended.
        """
        assert self.orders is not None, "a sitting is under way"
        orders = self.orders
        self.holder, self.whose, self.playing = None, None, True
        self._closed()
        answer = asyncio.wrap_future(orders.play(PROGRAM, tuple(runs), lambda _: orders.pause() if one else None))

        def done(answer: asyncio.Future[int]) -> None:
            if self.orders is orders:
                self.playing = False
            error = None if answer.cancelled() else answer.exception()
            over(error if isinstance(error, PointsmanError) else None)

        answer.add_done_callback(done)

    @contextmanager
    def meaning(self, who: str) -> Iterator[Meant]:
        """While inside, the program is about to drive for ``who``: whatever stops a train withdraws that."""
        self._meant = meant = Meant(who)
        try:
            yield meant
        finally:
            self._meant = None

    def withdraw(self, why: str) -> bool:
        """The program does not begin to drive; whether it was about to."""
        if self._meant is None:
            return False
        self._meant.withdrawn = self._meant.withdrawn or why
        return True

    def _withdraw_of(self, who: str) -> None:
        if self._meant is not None and self._meant.who == who:
            self.withdraw(f"{who} has gone")

    # ------------------------------------------------------------ what is heard of the layout

    def hear(self, status: Status) -> None:
        """What the layout tells."""
        self._status = status
        ended = None if status.hand is None else status.hand.ended
        if ended is None or ended == self._last:
            return
        self._last = ended
        if self.orders is None or ended.closings != self.orders.closings:
            return  # the throttle has been closed since: another drive was meant
        if self._way is not None:
            self._ended, self._speed_mm_s = True, 0.0
        elif self._own and self.holder is not None:
            # A throttle that knows nothing of ends has to be told that it stands.
            self._speed_mm_s = 0.0
            why = ended.why or "the train stands"
            error = RefusedError([why], where=self._engine, cure="close the throttle, then drive on")
            for hear in self._hearers:
                hear(self.holder, error)

    def _refused(self, refusal: Refusal) -> None:
        if refusal.who == self.holder:
            self._way, self._speed_mm_s = None, 0.0
        for hear in self._hearers:
            hear(refusal.who, refusal.error)
        self.show()

    @property
    def mode(self) -> Mode:
        """What goes on, in a sitting that takes orders."""
        if self.playing:
            return Mode.AUTO
        status = self._status
        if self.holder is not None or (status is not None and status.drive is not None):
            return Mode.HAND
        return Mode.PAUSED if status is not None and status.score.runs else Mode.READY

    @property
    def throttle(self) -> dict[str, Any]:
        """Who drives what, and how fast it was asked for."""
        if self.orders is None:
            return {}
        towards = None if self._way is None else str(self._way[0])
        return {self._engine: {"holder": self.holder, "towards": towards, "speed_mm_s": self._speed_mm_s}}

    def show(self) -> None:
        """Tell who drives, and how fast that is asked for."""
        self._host.board.publish(throttle=self.throttle)
