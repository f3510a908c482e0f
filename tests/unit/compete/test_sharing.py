"""Threads of one store that write at once share a transaction: one that is refused takes nothing from the others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from evening import START, evening

from pointsman.compete.book import Book
from pointsman.compete.entries import Created, EntrantAdded, Entry, Withdrawn
from pointsman.compete.store.sharing import Job, Sharing
from pointsman.compete.store.store import Store
from pointsman.errors import CompetitionError, RefusedError

HANG_S = 30.0
Deed = Callable[[Book], Sequence[tuple[Entry, str]]]


def club(folder: Path) -> Store:
    store = Store(str(folder / "competitions.sqlite3"))
    created = evening().book.written[0].entry
    assert isinstance(created, Created)
    store.create("club", created, by="Ada", at=START)
    return store


def adding(name: str) -> Deed:
    return lambda _: [(EntrantAdded(name, name.title()), "")]


def together(store: Store, deeds: Sequence[Deed]) -> list[Future[Book]]:
    """Have them done by a thread each, which all wait before the first of them is written."""
    waiting = threading.Semaphore(0)
    may_go = threading.Event()

    def holding(book: Book) -> Sequence[tuple[Entry, str]]:
        assert may_go.wait(HANG_S)
        return adding("first")(book)

    def one(deed: Deed) -> Book:
        waiting.release()
        return store.do("club", deed, by="Ada", at=START)

    with ThreadPoolExecutor(len(deeds) + 1) as pool:
        first = pool.submit(one, holding)
        assert waiting.acquire(timeout=HANG_S)
        others = [pool.submit(one, deed) for deed in deeds]
        for _ in deeds:
            assert waiting.acquire(timeout=HANG_S)
        may_go.set()
    return [first, *others]


def test_who_is_refused_hears_why_and_all_others_are_written(tmp_path: Path) -> None:
    with club(tmp_path) as store:
        nobody: Deed = lambda book: [(EntrantAdded("late", "Late"), ""), *adding("first")(book)]  # noqa: E731
        done = together(store, [adding("bo"), nobody, adding("cy")])
        assert [future.exception() is None for future in done] == [True, True, False, True]
        assert isinstance(done[2].exception(), RefusedError)
        book = store.book("club")
        assert set(book.state.entrants) == {"first", "bo", "cy"}, "nothing of what is refused in part"
        assert store.faults("club") == ()
        assert book.head.entries == 4


def test_each_is_told_the_book_with_its_own_entry(tmp_path: Path) -> None:
    with club(tmp_path) as store:
        names = [f"e{number}" for number in range(12)]
        done = together(store, [adding(name) for name in names])
        for name, future in zip(["first", *names], done, strict=True):
            assert name in future.result().state.entrants
        assert len(store.book("club").state.entrants) == 13


def test_a_fault_of_the_program_in_one_is_its_own_alone(tmp_path: Path) -> None:
    def broken(_: Book) -> Sequence[tuple[Entry, str]]:
        raise ZeroDivisionError

    with club(tmp_path) as store:
        done = together(store, [broken, adding("bo")])
        assert isinstance(done[1].exception(), ZeroDivisionError)
        assert set(done[2].result().state.entrants) == {"first", "bo"}


def test_where_the_transaction_fails_each_of_them_has_failed() -> None:
    def run(_: str, jobs: Sequence[Job]) -> None:
        for job in jobs:
            job.judged(evening().book)
        raise CompetitionError("the disk is full")

    sharing = Sharing(run)
    job = Job("club", lambda _: [(Withdrawn("ada"), "")], "Ada", START)
    with pytest.raises(CompetitionError, match="the disk is full"):
        sharing.done(job)
    assert isinstance(job.error, CompetitionError)
    with pytest.raises(CompetitionError, match="the disk is full"):
        job.answer()


def test_a_reader_beside_writers_keeps_what_is_known(tmp_path: Path) -> None:
    with club(tmp_path) as store:
        over = threading.Event()

        def read() -> int:
            most = 0
            while not over.is_set():
                entries = store.book("club").head.entries
                assert entries >= most, "a book does not get shorter"
                most = entries
            return most

        with ThreadPoolExecutor(6) as pool:
            readers = [pool.submit(read) for _ in range(2)]
            writers = [pool.submit(store.do, "club", adding(f"e{n}"), by="Ada", at=START) for n in range(60)]
            try:
                for writer in writers:
                    writer.result(HANG_S)
            finally:
                over.set()
            for reader in readers:
                reader.result(HANG_S)
        assert store.book("club").head.entries == 61
        assert store.faults("club") == ()
