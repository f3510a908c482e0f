"""A competition as it is served: its desk, what is seen of it, and who is told when it changes.

Everything that waits, for the store or for a solver, is done in threads. What other programs write is noticed by the
head of the book alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from pointsman.box.box import Box
from pointsman.compete.book import Book, Head
from pointsman.compete.desk import Desk
from pointsman.compete.entries import FaultMarked, Scope
from pointsman.compete.formats import FORMATS
from pointsman.compete.scoring.book import SCHEMES
from pointsman.compete.state import Round
from pointsman.compete.store.store import Store
from pointsman.errors import CompetitionError, RefusedError, UsageError, did_you_mean
from pointsman.web.audience import IN_WORDS, as_json
from pointsman.web.competing import catalogue, view
from pointsman.web.competing.admitted import Asker, Presented, asker_of
from pointsman.web.competing.deeds import SLOW, STAGED, Deed, End, Undo, done, least
from pointsman.web.competing.events import News
from pointsman.web.competing.moment import Steady
from pointsman.web.competing.replays import replay
from pointsman.web.competing.shared import Shared
from pointsman.web.competing.stage import Stage
from pointsman.web.competing.told import Told
from pointsman.web.competing.view import Seen
from pointsman.web.printing.press import Press
from pointsman.web.schemas import LayoutView

MOST_REPLAYS = 64
"""That are kept."""
WATCH_S = 0.5
"""So often the head in the store is looked at."""
_LOG = logging.getLogger(__name__)


class Hall:
    """One competition of a store. Blocks while it is made. Raises UsageError, CompetitionError.

    ``also`` are layouts besides the built-in ones, ``journals`` is the folder of those that attempts were played with.
    """

    def __init__(
        self,
        store: Store,
        competition: str,
        *,
        version: str,
        now: Callable[[], datetime] | None = None,
        also: tuple[str, ...] = (),
        journals: Path | None = None,
    ) -> None:
        now = Steady() if now is None else now
        self.name, self.now = competition, now
        self._store = store
        self.desk = Desk(store, competition, now=now, version=version)
        self.book: Book = store.book(competition)
        self.news = News(self.book.head)
        self.stage: Stage | None = None
        self.press = Press()
        self._also, self._journals = also, journals
        self._replays: OrderedDict[tuple[str, str], dict[str, Any]] = OrderedDict()
        self._trouble: CompetitionError | None = None
        self._seen: Shared[Seen] = Shared()
        self._before: Seen | None = None
        self._told: dict[tuple[Scope, str], Shared[Told]] = {}
        self._slow = asyncio.Semaphore(1)
        self._fixed: dict[str, Any] = {}

    def join(self, box: Box, journals: Path) -> None:
        """Attempts are played on this box, whose journals are in this folder."""
        self.stage = Stage(box, self.desk, journals, self.now, self._written)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """While inside, the store is watched, and the layout, if there is one."""
        tasks = [asyncio.create_task(self._watch(), name="competition")]
        if self.stage is not None:
            tasks.append(asyncio.create_task(self.stage.follow(), name="attempts"))
        for task in tasks:
            task.add_done_callback(_tell_failure)
        try:
            yield
        finally:
            self.close()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    def close(self) -> None:
        """Let every page go."""
        self.news.close()

    # ---------------------------------------------------------------- the book

    def take(self, book: Book) -> None:
        """There is a newer book: everybody is told."""
        self._trouble = None
        if book.head.entries < self.book.head.entries or book.head == self.book.head:
            return
        self.book = book
        self.news.tell(book.head)

    async def _written(self) -> None:
        """The book was written by the layout, or another attempt is on there."""
        self._told.clear()
        book = await asyncio.to_thread(self._store.book, self.name)
        if book.head == self.book.head:
            self.news.tell(book.head)
        self.take(book)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_S)
            try:
                head: Head = await asyncio.to_thread(self._store.head, self.name)
                if head != self.book.head or self._trouble is not None:
                    self.take(await asyncio.to_thread(self._store.book, self.name))
            except (CompetitionError, UsageError) as error:
                if self._trouble is None:
                    _LOG.warning("%s", error)
                self._trouble = CompetitionError(error.what, where=error.where, cure=error.cure)

    # ---------------------------------------------------------------- who asks

    def asker(self, shown: Presented) -> Asker:
        """Who that is, as far as the book is known here."""
        return asker_of(shown, self.book.state, self.now())

    def left_s(self, asker: Asker) -> float:
        """For how long somebody is who they are."""
        return float("inf") if asker.until is None else (asker.until - self.now()).total_seconds()

    # ---------------------------------------------------------------- what is seen

    async def told(self, scope: Scope, language: str) -> Told:
        """The view of a scope in a language. Raises CompetitionError when the book cannot be relied upon."""
        if self._trouble is not None:
            raise self._trouble
        seen = await self.seen()
        shared = self._told.setdefault((scope, language), Shared())
        return await shared.get(lambda: seen.book.head.entries, partial(self._tell, seen, scope, language))

    async def seen(self) -> Seen:
        """What the book comes to."""
        return await self._seen.get(lambda: self.book.head.entries, self._see)

    def _see(self) -> tuple[int, Seen]:
        book = self.book
        self._before = Seen.of(book, self._before)
        return book.head.entries, self._before

    def _tell(self, seen: Seen, scope: Scope, language: str) -> tuple[int, Told]:
        if not self._fixed:
            self._fixed = {
                "schemes": [{"name": one.name, "title": one.title} for one in SCHEMES.values()],
                "formats": list(FORMATS),
                "puzzles": catalogue.puzzles(self._also),
            }
        layout = None if self.stage is None else {"name": self.stage.name}
        on = None if self.stage is None else self.stage.attempt
        values = {**view.values(seen, scope), **self._fixed, "layout": layout}
        told = Told(values, view.attempts(seen, scope, on), seen.book.state.attempts, language)
        return seen.book.head.entries, told

    async def layout_of(self, round_id: str) -> LayoutView:
        """The layout of a round, as it is drawn. Raises UsageError, LayoutError."""
        its = self.round(round_id)
        return await asyncio.to_thread(catalogue.drawn_layout, its.announced.puzzle)

    async def set_up(self, round_id: str, heat: int, asker: Asker) -> dict[str, Any]:
        """What is to be set up for a heat. Raises UsageError, and RefusedError while it is a secret to the asker."""
        its, seen = self.round(round_id), await self.seen()
        if not 1 <= heat <= len(its.heats):
            raise UsageError(f"there is no heat {heat} to set up", where=round_id, cure="open it first")
        self._check_known(heat in seen.over.get(round_id, ()), asker)
        of = its.heats[heat - 1]
        position = await asyncio.to_thread(catalogue.position_of, its.announced.puzzle, of.cards)
        return {"puzzle": its.announced.puzzle, "cards": list(of.cards), "par": of.par, "position": position}

    async def replay(self, name: str, asker: Asker, language: str) -> str:
        """An attempt shown again, as JSON. Raises UsageError, RefusedError, CompetitionError."""
        seen = await self.seen()
        attempts = seen.book.state.attempts
        if name not in attempts:
            raise UsageError(f"there is no attempt {name!r}", cure=did_you_mean(name, attempts))
        its = attempts[name]
        self._check_known(seen.may_know(its, asker.scope), asker)
        key = name, "" if its.ended is None or its.ended.journal is None else its.ended.journal.sha256
        async with self._slow:
            if key not in self._replays:
                of = seen.book.state.rounds[its.started.round]
                self._replays[key] = await asyncio.to_thread(replay, self.name, its, of, self._journals)
                while len(self._replays) > MOST_REPLAYS:
                    self._replays.popitem(last=False)
            return as_json(IN_WORDS[language](self._replays[key]))

    @staticmethod
    def _check_known(known: bool, asker: Asker) -> None:
        if not known and not asker.may(Scope.MARSHAL):
            raise RefusedError(["others still have to play this heat"], cure="look again when everybody has played it")

    def round(self, round_id: str) -> Round:
        """A round. Raises UsageError."""
        rounds = self.book.state.rounds
        if round_id not in rounds:
            raise UsageError(f"there is no round {round_id!r}", cure=did_you_mean(round_id, rounds))
        return rounds[round_id]

    # ---------------------------------------------------------------- what is done

    async def do(self, deed: Deed, shown: Presented, address: str) -> tuple[Head, dict[str, Any]]:
        """Do something as whoever shows this; the head after it, and the answer. Raises PointsmanError."""
        if deed.do in SLOW:
            async with self._slow:
                book, answer = await asyncio.to_thread(self._do, deed, shown, address)
        elif self.stage is not None and deed.do in STAGED:
            book, answer = await self._staged(self.stage, deed, shown, address)
        elif deed.do == "play":
            await asyncio.to_thread(self._admitted, deed, shown)
            raise RefusedError(["no layout is served here"], cure="name it to pointsman compete run, and start again")
        else:
            book, answer = await asyncio.to_thread(self._do, deed, shown, address)
        self.take(book)
        if self.stage is not None and isinstance(deed, Undo):
            press = book.written[deed.seq - 1].entry
            if isinstance(press, FaultMarked):
                await self.stage.taken_back(press, book.written[-1].by)
        return book.head, answer

    async def _staged(self, stage: Stage, deed: Deed, shown: Presented, address: str) -> tuple[Book, dict[str, Any]]:
        """A deed of an attempt, where there is a layout."""
        asker = await asyncio.to_thread(self._admitted, deed, shown)
        fields = deed.model_dump()
        name = str(fields["attempt"])
        if deed.do == "play":
            await stage.play(name)
            return self.book, {"attempt": name}
        stage.check(deed.do, name)

        async def write() -> tuple[Book, dict[str, Any]]:
            return await asyncio.to_thread(self._do, deed, shown, address)

        if name != stage.attempt:
            return await write()
        return await stage.around(deed.do, name, asker.who, fields, write)

    def _admitted(self, deed: Deed, shown: Presented) -> Asker:
        """Who asks, if they may do this."""
        # By the book as it is now: another program may have taken a token back a moment ago.
        asker = asker_of(shown, self._store.book(self.name).state, self.now())
        asker.check(least(deed))
        return asker

    def _do(self, deed: Deed, shown: Presented, address: str) -> tuple[Book, dict[str, Any]]:
        asker = self._admitted(deed, shown)
        journal = self.stage.journal_of(deed.attempt) if self.stage is not None and isinstance(deed, End) else None
        answer = done(self.desk, deed, asker.who, address, journal)
        return self._store.book(self.name), answer

    def check_name(self, competition: str) -> None:
        """UsageError unless it is this one."""
        if competition != self.name:
            raise UsageError(
                f"there is no competition {competition!r} here", cure=did_you_mean(competition, [self.name])
            )


def _tell_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _LOG.error("a fault of the program: %s has ended", task.get_name(), exc_info=task.exception())
