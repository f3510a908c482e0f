"""Threads of one store: those that wait share a transaction, and a reader beside a writer keeps what is known."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from evening import START
from sqlalchemy import Engine, event

from pointsman.compete.book import Book
from pointsman.compete.entries import Created, EntrantAdded, Entry
from pointsman.compete.store.store import Store
from pointsman.errors import CompetitionError, RefusedError

WITHIN_S = 60.0


class Queued(str):
    """A competition's name that tells when it is looked up among what waits, which is under the lock."""

    seen: threading.Event

    def __new__(cls, name: str) -> Queued:
        its = super().__new__(cls, name)
        its.seen = threading.Event()
        return its

    def __hash__(self) -> int:
        self.seen.set()
        return super().__hash__()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(str(tmp_path / "store.sqlite3")) as its:
        its.create("club", Created("Club evening", date(2026, 11, 27)), by="Marshal", at=START)
        yield its


@contextmanager
def transactions() -> Iterator[list[str]]:
    """What is executed while inside, in every engine."""
    said: list[str] = []

    def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        said.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def together(store: Store, pool: ThreadPoolExecutor, names: tuple[str, ...], go: threading.Event) -> list[Future[Book]]:
    """Futures of entrants who are added by a thread each, all of whom wait behind a deed that is held until ``go``."""
    begun = threading.Event()

    def holds(_: Book) -> list[tuple[Entry, str]]:
        begun.set()
        assert go.wait(WITHIN_S)
        return []

    pool.submit(store.do, "club", holds, by="Marshal", at=START)
    assert begun.wait(WITHIN_S)
    found = []
    for name in names:
        club = Queued("club")
        found.append(pool.submit(store.add, club, EntrantAdded(name, name), by="Marshal", at=START))
        assert club.seen.wait(WITHIN_S)
    return found


def test_of_those_who_share_a_transaction_one_is_refused_and_the_others_are_written(store: Store) -> None:
    go = threading.Event()
    with ThreadPoolExecutor(8) as pool, transactions() as said:
        try:
            futures = together(store, pool, ("ada", "bo", "ada", "cy"), go)
        finally:
            go.set()
        written = [futures[number].result(WITHIN_S).head.entries for number in (0, 1, 3)]
        with pytest.raises(RefusedError, match="there is an entrant ada already"):
            futures[2].result(WITHIN_S)
    assert written == [2, 3, 4]
    assert sum(one.startswith("INSERT INTO entries") for one in said) == 1, "one transaction"
    assert list(store.book("club").state.entrants) == ["ada", "bo", "cy"]
    assert store.faults("club") == ()


def test_a_transaction_that_fails_fails_for_each_and_writes_nothing(store: Store) -> None:
    go = threading.Event()
    before = store.book("club")
    with ThreadPoolExecutor(8) as pool:
        try:
            futures = together(store, pool, ("ada", "ada", "bo"), go)
            aside = Path(store.where).rename(store.where + ".aside")
        finally:
            go.set()
        for one in futures:
            with pytest.raises(CompetitionError, match="the file was removed or replaced"):
                one.result(WITHIN_S)
    aside.rename(store.where)
    assert store.book("club") == before
    assert store.add("club", EntrantAdded("ada", "Ada"), by="Marshal", at=START).head.entries == 2
    assert store.faults("club") == ()


def test_a_reader_whose_snapshot_is_older_than_what_was_just_written_reads_nothing_anew(store: Store) -> None:
    reader = threading.get_ident()
    before = store.add("club", EntrantAdded("ada", "Ada"), by="Marshal", at=START)
    read: list[str] = []
    with ThreadPoolExecutor(1) as pool:

        def write_meanwhile(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
            if threading.get_ident() != reader:
                return
            read.append(statement)
            if "FROM competitions" in statement and len(read) <= 2:
                pool.submit(store.add, "club", EntrantAdded("bo", "Bo"), by="M", at=START).result(WITHIN_S)

        event.listen(Engine, "after_cursor_execute", write_meanwhile)
        try:
            assert store.book("club") == before
        finally:
            event.remove(Engine, "after_cursor_execute", write_meanwhile)
    assert not [one for one in read if "FROM entries" in one], "what is known was enough"
    assert list(store.book("club").state.entrants) == ["ada", "bo"]
