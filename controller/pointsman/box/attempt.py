"""An attempt of a competition on the layout: what is kept from everybody meanwhile, and what a referee presses."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pointsman.box.hand import Hand
from pointsman.box.sitting import Sitting
from pointsman.dispatch.journal import append
from pointsman.errors import RefusedError
from pointsman.playing import AttemptOf

CLOCK_STANDS = "the referee's clock stands"


@dataclass(slots=True)
class Attempt:
    """The attempt that is on, or was the last one.

    ``journal`` is that of its last sitting, None before the first; ``stood``: it says that the clock stands.
    ``covered``: its cards are not shown yet, since the set-up has not been agreed to. ``over``: nothing of it is driven
    any more; ``reached``: the goal was confirmed.
    """

    of: AttemptOf
    journal: Path | None = None
    clock_stands: bool = False
    stood: bool = False
    covered: bool = True
    over: bool = False
    reached: bool = False

    @property
    def on(self) -> bool:
        """Whether it goes on."""
        return not self.over

    def shown(self) -> dict[str, Any]:
        """What everybody sees of it."""
        return {
            "competition": self.of.competition,
            "attempt": self.of.attempt,
            "clock_stands": self.clock_stands,
            "over": self.over,
            "reached": self.reached,
            "hints": self.of.hints,
            "journal": None if self.journal is None else self.journal.name,
        }

    def kept(self, puzzle: dict[str, Any]) -> dict[str, Any]:
        """A puzzle in JSON values without what nobody may see, also when it is over: others may have to play it yet."""
        hint = puzzle["hint"]
        told = {**puzzle, "seed": None, "level": None, "par": None, "proved": None, "plan": [], "next": 0}
        told |= {"distance": None, "hint": None if hint is None else {**hint, "distance": None}}
        return {**told, "cards": [], "wagons": [], "goal": "", "target": {}} if self.covered else told


class Held(Protocol):
    """What a referee needs of the seat."""

    attempt: Attempt | None

    @property
    def sitting(self) -> Sitting | None:
        """The sitting that lives."""

    @property
    def failed(self) -> bool:
        """Whether the last one did not end as it was to."""

    async def over(self) -> None:
        """Return when none lives."""

    def show_attempt(self) -> None:
        """Show everybody how the attempt is."""

    def give_up(self) -> None:
        """Clear the layout of an attempt that was stopped."""


class Referee:
    """Used in its box's loop."""

    def __init__(self, seat: Held, hand: Hand) -> None:
        self._seat, self._hand = seat, hand
        self._turn = asyncio.Lock()

    def no_attempt(self, what: str) -> None:
        """Raises RefusedError while an attempt is on: then ``what`` is not done."""
        attempt = self._seat.attempt
        if attempt is not None and attempt.on:
            why = f"it cannot {what} now: attempt {attempt.of.attempt} of {attempt.of.competition} is on"
            raise RefusedError([why], cure="end the attempt first")

    def goes(self, what: str) -> None:
        """Raises RefusedError while the clock stands, and when the attempt was ended."""
        attempt = self._seat.attempt
        if attempt is None:
            return
        if attempt.over:
            raise RefusedError([f"it cannot {what}: the attempt is over"], cure="deal the next one")
        if attempt.clock_stands:
            raise RefusedError([f"it cannot {what} now: {CLOCK_STANDS}"], cure="let the clock go first")

    def may_hint(self) -> None:
        """Raises RefusedError where the rules of the attempt allow no hint."""
        attempt = self._seat.attempt
        if attempt is not None and not attempt.of.hints:
            raise RefusedError(["the rules of this attempt allow no hint"], cure="drive on without one")

    async def fault(self, fault: str, by: str, *, taken_back: bool) -> None:
        """A fault was seen, or is taken back: it is written into the journal, a moment after the end too."""
        attempt = self._begun("write a fault down")
        values: dict[str, str | bool] = {"fault": fault, "by": by}
        async with self._turn:
            await self._press(attempt, "fault", **values, **({"taken_back": True} if taken_back else {}))

    async def clock(self, stands: bool, by: str, why: str) -> None:
        """Let the clock stand: from now on nothing is driven, and a train that moves is braked. Or let it go on."""
        attempt = self._begun("touch the clock")
        if attempt.over:
            cure = "correct the attempt in the competition"
            raise RefusedError(["it cannot touch the clock: the attempt is over"], cure=cure)
        if stands:
            # Before anything that takes a while: no order is taken any more.
            attempt.clock_stands = True
            self._hand.stand(RefusedError([CLOCK_STANDS], cure="let the clock go first"))
            self._seat.show_attempt()
        async with self._turn:
            if stands is not attempt.stood:
                await self._press(attempt, "clock", stands=stands, by=by, why=why)
            attempt.stood = attempt.clock_stands = stands
        self._seat.show_attempt()

    async def end(self, by: str = "") -> None:
        """End the attempt where it is; a train that moves is braked first. Nothing, if none is on."""
        attempt = self._seat.attempt
        if attempt is None or attempt.over:
            return
        attempt.over = True
        self._hand.stand(RefusedError(["the attempt is over"], cure="deal the next one"))
        self._seat.show_attempt()
        orders = self._hand.orders
        sat = self._seat.sitting is not None and orders is not None
        if sat and orders is not None:
            # However it ends now, it is heard to: a link may fail before anybody takes orders.
            orders.finish(by)
            await self._seat.over()
        if not attempt.reached and not (sat and self._seat.failed):
            self._seat.give_up()

    def _begun(self, what: str) -> Attempt:
        attempt = self._seat.attempt
        if attempt is None:
            raise RefusedError([f"it cannot {what}: there is no attempt"], cure="deal an attempt first")
        if attempt.journal is None:
            raise RefusedError([f"it cannot {what}: the attempt has not begun"], cure="begin it first")
        return attempt

    async def _press(self, attempt: Attempt, what: str, **values: str | bool) -> None:
        """Write a press into the journal: by whoever is writing it, or at its end when nobody is any more."""
        while (sitting := self._seat.sitting) is not None:
            if await sitting.did(lambda dispatcher: dispatcher.pressed(what, **values)):
                return
            await self._seat.over()
        assert attempt.journal is not None, "it has begun"
        await asyncio.to_thread(append, attempt.journal, "pressed", {"what": what, **values})
