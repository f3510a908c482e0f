"""The layout on which attempts are played: what the book is told of it, and what it is told of the book.

Nothing here moves anything. An attempt is dealt, a person begins and drives it on the layout's page, and here the book
is written: that the set-up was agreed, that the clock runs, and, once the layout has confirmed the goal, how it ended,
with the journal as its evidence. What a referee presses goes to both.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pointsman.box.box import Box
from pointsman.box.snapshot import Mode, Snapshot
from pointsman.compete.chain import AttemptName
from pointsman.compete.desk import Desk
from pointsman.compete.entries import FaultMarked
from pointsman.compete.evidence import Evidence, evidence, no_pars
from pointsman.compete.marks import Outcome
from pointsman.compete.state import Attempt, Phase, State
from pointsman.errors import JournalError, PointsmanError, RefusedError, UsageError, did_you_mean
from pointsman.puzzle.choice import choose
from pointsman.record import decode

BY = "the layout"
"""Who writes what the layout itself has shown."""
T = TypeVar("T")
CUT_OFF = "the program was ended in the middle of it"
_LOG = logging.getLogger(__name__)


class Stage:
    """The box beside one competition's book; used in the box's loop. ``changed`` is called after the book was written.

    ``journals`` is the box's folder for them.
    """

    def __init__(
        self, box: Box, desk: Desk, journals: Path, now: Callable[[], datetime], changed: Callable[[], Awaitable[None]]
    ) -> None:
        self.name = box.ground.track.name
        self._box, self._desk, self._journals, self._now, self._changed = box, desk, journals, now, changed
        self._turn = asyncio.Lock()
        self._news = asyncio.Event()
        self._failed: set[tuple[str, str]] = set()
        self._shown: str | None = None

    # ---------------------------------------------------------------- from the layout to the book

    async def follow(self) -> None:
        """Write into the book what the layout shows, until this is cancelled."""
        unsubscribe = self._box.subscribe(lambda _: self._news.set())
        try:
            await self._take_up()
            while True:
                self._news.clear()
                await self._write(self._box.snapshot)
                await self._news.wait()
        finally:
            unsubscribe()

    @property
    def attempt(self) -> str | None:
        """The attempt of this competition that is on, on the layout."""
        its = self._of(self._box.snapshot)
        return None if its is None or its["over"] else str(its["attempt"])

    def _of(self, snapshot: Snapshot) -> dict[str, Any] | None:
        its = snapshot.attempt
        return dict(its) if its is not None and its["competition"] == self._desk.competition else None

    async def _write(self, snapshot: Snapshot) -> None:
        """Whatever the book does not know yet."""
        its = self._of(snapshot)
        if self.attempt != self._shown:
            self._shown = self.attempt
            await self._changed()
        if its is None or its["journal"] is None:
            return
        name, journal = str(its["attempt"]), self._journals / its["journal"]
        async with self._turn:
            known = (await self._state()).attempts.get(name)
            if known is None or known.phase is Phase.ENDED:
                return
            if known.phase is Phase.CALLED and known.set_up is None:
                await self._do(name, "set-up", lambda: self._desk.agree(name, BY))
            if _moves(snapshot) and known.phase is Phase.CALLED:
                await self._do(name, "start", lambda: self._desk.start(name, BY))
            elif _moves(snapshot) and known.phase is Phase.PAUSED and not its["clock_stands"]:
                await self._do(name, "resume", lambda: self._desk.resume(name, BY))
            if its["over"] and its["reached"]:
                await self._do(name, "end", lambda: self._desk.end(name, Outcome.FINISHED, BY, journal=journal))

    async def _do(self, name: str, what: str, deed: Callable[[], object]) -> None:
        """Have something written; what cannot be is tried once, and then a person has to do it."""
        if (name, what) in self._failed:
            return
        try:
            await asyncio.to_thread(deed)
        except PointsmanError as error:
            self._failed.add((name, what))
            _LOG.warning("%s of attempt %s was not written: %s", what, name, error)
        await self._changed()

    async def _state(self) -> State:
        return await asyncio.to_thread(lambda: self._desk.state)

    async def _take_up(self) -> None:
        """After a start: what the journals know of attempts that have not ended in the book.

        One whose goal was confirmed ends. Of another the clock stands from where its journal stops until something
        moves again, and presses that the journal has not got are written into it.
        """
        for name, its in (await self._state()).attempts.items():
            journal = await asyncio.to_thread(self.journal_of, name) if its.phase is not Phase.ENDED else None
            if journal is None:
                continue
            try:
                found = await asyncio.to_thread(self._evidence, name, its, journal)
            except PointsmanError as error:
                _LOG.warning("attempt %s: %s", name, error)
                continue
            if found.marks.outcome is Outcome.FINISHED:
                await self._do(name, "end", partial(self._desk.end, name, Outcome.FINISHED, BY, journal=journal))
                continue
            if its.phase is Phase.RUNNING:
                stopped = datetime.fromtimestamp(journal.stat().st_mtime, UTC)
                at_ms = its.shows_ms(max(its.since or stopped, min(stopped, self._now())))
                await self._do(name, "pause", partial(self._desk.pause, name, CUT_OFF, BY, at_ms))
            if name == self.attempt:
                await self._press_missing(name, its, found)
        known = (await self._state()).attempts.get(self.attempt or "")
        if self.attempt is not None and (known is None or known.phase is Phase.ENDED):
            # Its journal is evidence by now: nothing is added to it, and nobody is offered to go on.
            await self._box.end_attempt(BY)

    async def _press_missing(self, name: str, its: Attempt, found: Evidence) -> None:
        """Write presses into the journal of an attempt that it has not got; one that cannot be is told."""
        missing = Counter(press.fault for press in its.pressed if isinstance(press, FaultMarked))
        missing -= Counter({fault: figure.value for fault, figure in found.marks.faults.items()})
        for fault in missing.elements():
            try:
                await self._box.press_fault(str(fault), BY)
            except PointsmanError as error:
                _LOG.warning("%s of attempt %s was not written: %s", fault, name, error)

    def _evidence(self, name: str, its: Attempt, journal: Path) -> Evidence:
        puzzle = self._desk.state.rounds[its.started.round].announced.puzzle
        chosen = choose(puzzle, cards=its.started.cards)
        return evidence(journal, chosen=chosen, attempt=AttemptName(self._desk.competition, name), pars=no_pars)

    def journal_of(self, name: str) -> Path | None:
        """The newest journal of an attempt, if it was played here. Blocks."""
        found = []
        for path in self._journals.glob("*.journal"):
            with suppress(JournalError, OSError), path.open("rb") as lines:
                of = decode(lines.readline().rstrip(b"\n")).values.get("attempt")
                its = self._desk.competition, name
                if isinstance(of, dict) and (of.get("competition"), of.get("attempt")) == its:
                    found.append((path.stat().st_mtime_ns, path))
        return max(found)[1] if found else None

    # ---------------------------------------------------------------- from the book to the layout

    async def play(self, name: str) -> None:
        """Deal the cards of an attempt that is called. Raises RefusedError, UsageError."""
        state = await self._state()
        if name not in state.attempts:
            raise UsageError(f"there is no attempt {name!r}", cure=did_you_mean(name, state.attempts))
        its = state.attempts[name]
        if its.phase is not Phase.CALLED:
            raise RefusedError([f"attempt {name} is {its.phase}"], cure="call somebody, and play that attempt")
        told = state.rounds[its.started.round].announced
        chosen = await asyncio.to_thread(choose, told.puzzle)
        if chosen.folder.resolve() != self._box.ground.folder.resolve():
            raise RefusedError([f"{told.puzzle} is not a puzzle of {self.name}"], cure="serve the layout of this round")
        hints = told.most_hints is None or told.most_hints > 0
        of = self._desk.competition, name
        await self._box.deal_attempt(chosen.puzzle.name, its.started.cards, of, hints=hints)

    def check(self, do: str, name: str) -> None:
        """RefusedError for what is not done by the book alone while an attempt is on, on the layout."""
        if name != self.attempt:
            return
        if do == "hint":
            raise RefusedError(["hints of this attempt are given by the layout"], cure="ask for one on its page")
        if do == "start":
            raise RefusedError(["this clock starts with the first movement"], cure="begin on the layout's page")

    async def taken_back(self, press: FaultMarked, by: str) -> None:
        """A press does not count any more: so too in the journal of the attempt that was last on the layout."""
        its = self._of(self._box.snapshot)
        known = (await self._state()).attempts.get(press.attempt)
        if known is None or known.phase is Phase.ENDED:
            # Its journal is the one that it ended with, to the last byte.
            return
        if its is not None and its["attempt"] == press.attempt and its["journal"] is not None:
            await self._box.press_fault(str(press.fault), by, taken_back=True)

    async def around(
        self, do: str, name: str, by: str, fields: Mapping[str, Any], deed: Callable[[], Awaitable[T]]
    ) -> T:
        """Do a deed of the attempt that is on, and what goes with it on the layout."""
        async with self._turn:
            before = (await self._state()).attempts[name]
            _check_first(do, before, fields)
            if do == "pause" and before.phase is Phase.RUNNING:
                await self._box.clock(stands=True, by=by, why=str(fields["why"]))
            if do == "end":
                await self._box.end_attempt(by)
            answer = await deed()
            after = (await self._state()).attempts[name]
            if do == "fault" and len(after.pressed) > len(before.pressed):
                await self._box.press_fault(str(fields["fault"]), by)
            if do == "resume" and after.phase is Phase.RUNNING:
                await self._box.clock(stands=False, by=by)
            return answer


def _check_first(do: str, its: Attempt, fields: Mapping[str, Any]) -> None:
    """RefusedError for what the book would refuse, before anything on the layout is stopped or ended for it."""
    if do in {"pause", "end"} and not fields["why"] and (do == "pause" or fields["outcome"] == Outcome.EQUIPMENT):
        raise RefusedError(["this needs a reason"], cure="say what is wrong with the equipment")
    if do != "end":
        return
    if fields["outcome"] == Outcome.FINISHED and not fields["counts"]:
        raise RefusedError(
            ["the layout has not confirmed the goal"],
            cure="let it be driven on; an attempt that is given up did not finish",
        )
    if fields["outcome"] == Outcome.DID_NOT_START and its.phase is not Phase.CALLED:
        raise RefusedError(
            [f"the clock of attempt {its.started.attempt} has run"], cure="then it was started: it did not finish"
        )


def _moves(snapshot: Snapshot) -> bool:
    """Whether a train moves in play; while it is made ready, what moves only proves where it stands."""
    playing = snapshot.mode not in {Mode.STARTING, Mode.IDLE, Mode.DEALT}
    return playing and any(its["v_mm_s"] for its in snapshot.vehicles.values())
