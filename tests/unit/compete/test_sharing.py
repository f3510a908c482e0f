"""Threads of one store that write at once share a transaction: each is told of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from evening import START, evening

from pointsman.compete.book import Book
from pointsman.compete.entries import Created, EntrantAdded, Entry
from pointsman.compete.store.store import Store

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
