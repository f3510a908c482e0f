"""The store, on SQLite and on a real PostgreSQL: what is confirmed is there, and whatever is not whole is named."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import book_writer
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from evening import START, Evening, attempt, evening
from postgres import THERE, Postgres, needs_postgresql, postgres
from sqlalchemy import delete, insert, inspect, text, update
from sqlalchemy.exc import IntegrityError

from pointsman.compete.book import Book, Head
from pointsman.compete.entries import Checked, Created, EntrantAdded, Entry, Undone, Withdrawn
from pointsman.compete.store.place import WRITES, default_file, engine_of
from pointsman.compete.store.schema import bring_up
from pointsman.compete.store.store import Store
from pointsman.compete.store.tables import COMPETITIONS, ENTRIES, METADATA, VERSION_TABLE
from pointsman.errors import CompetitionError, RefusedError, UsageError

CREATED = Created("Club evening", date(2026, 11, 27))
PROCESS_WITHIN_S = 120.0
AFTER = 5
"""So many entries are confirmed when the writer is killed."""


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres | None]:
    """One for all tests; None where there is no PostgreSQL."""
    if not THERE:
        yield None
        return
    with postgres() as its:
        yield its


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=needs_postgresql)])
def place(request: pytest.FixtureRequest, tmp_path: Path, server: Postgres | None) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "with space % é" / "store.sqlite3")
    assert server is not None
    return server.database()


def filled(store: Store, its: Evening) -> Evening:
    """The same book in the store, as it was written."""
    for one in its.book.written:
        if isinstance(one.entry, Created):
            store.create("club", one.entry, by=one.by, at=one.at)
        else:
            store.add("club", one.entry, by=one.by, at=one.at, why=one.why)
    return its


def change(place: str, *statements: Any) -> None:
    """Do to the tables what the program never does."""
    engine = engine_of(place)
    try:
        with engine.execution_options(**{WRITES: True}).begin() as connection:
            for statement in statements:
                connection.execute(statement)
    finally:
        engine.dispose()


def test_a_book_is_there_again_when_the_store_is_opened_again(place: str) -> None:
    its = evening(heats=2)
    its.write(attempt())
    its.undo(its.end())
    with Store(place) as store:
        assert store.competitions() == ()
        filled(store, its)
    with Store(place) as again:
        assert again.competitions() == ("club",)
        assert again.book("club") == its.book
        assert again.faults("club") == ()
        # Nothing is lost of what is beyond ASCII, and what two have written is one book.
        added = again.add("club", EntrantAdded("zoe", "Zoë 🚂 Ляля"), by="Renée", at=START)
    with Store(place) as third:
        assert third.book("club") == added


def test_what_is_refused_leaves_nothing_behind(place: str) -> None:
    with Store(place) as store:
        its = filled(store, evening())
        with pytest.raises(RefusedError, match="there is an entrant ada already"):
            store.add("club", EntrantAdded("ada", "Ada"), by="Marshal", at=START)
        with pytest.raises(RefusedError, match="entry 1 was seen by everybody"):
            store.add("club", Undone(1), by="Marshal", at=START, why="x")
        with pytest.raises(CompetitionError):
            store.add("club", EntrantAdded("Ä", "Ada"), by="Marshal", at=START)
        assert store.book("club") == its.book
        assert store.faults("club") == ()


def test_a_deed_is_written_whole_or_not_at_all(place: str) -> None:
    with Store(place) as store:
        its = filled(store, evening())
        two = [(EntrantAdded("cy", "Cy"), ""), (EntrantAdded("ada", "Ada"), "")]
        with pytest.raises(RefusedError, match="there is an entrant ada already"):
            store.do("club", lambda _: two, by="Marshal", at=START)
        assert store.book("club") == its.book
        assert store.do("club", lambda _: [], by="Marshal", at=START) == its.book

        def of_what_is_there(book: Book) -> list[tuple[Entry, str]]:
            return [(Withdrawn(name), f"one of {len(book.state.entrants)}") for name in book.state.entrants]

        with Store(place) as other:
            other.add("club", EntrantAdded("cy", "Cy"), by="Marshal", at=START)
        book = store.do("club", of_what_is_there, by="Marshal", at=START)
        assert [(one.entry, one.why) for one in book.written[-3:]] == [
            (Withdrawn(name), "one of 3") for name in ("ada", "bo", "cy")
        ]
        assert store.faults("club") == ()


def test_competitions_do_not_meet(place: str) -> None:
    with Store(place) as store:
        its = filled(store, evening())
        store.create("other", CREATED, by="Marshal", at=START)
        with pytest.raises(RefusedError, match="there is a competition other already"):
            store.create("other", CREATED, by="Marshal", at=START)
        for wrong in ("", "Other", "../x", "x" * 61):
            with pytest.raises(UsageError, match="is no name of a competition"):
                store.create(wrong, CREATED, by="Marshal", at=START)
        with pytest.raises(UsageError, match="there is no competition 'othr'\n  -> did you mean other"):
            store.book("othr")
        assert store.competitions() == ("club", "other")
        assert store.book("club") == its.book


def test_of_two_with_a_store_of_their_own_each_judges_on_what_the_other_has_written(place: str) -> None:
    with Store(place) as one, Store(place) as two:
        its = filled(one, evening(heats=1))
        assert two.book("club") == its.book
        one.add("club", Withdrawn("ada"), by="Marshal", at=START)
        with pytest.raises(RefusedError, match="ada has withdrawn"):
            two.add("club", attempt(), by="Marshal", at=START)
        two.add("club", attempt(entrant="bo"), by="Marshal", at=START)
        with pytest.raises(RefusedError, match="attempt a1 is called"):
            one.add("club", Checked("a1"), by="Zoe", at=START)
        assert one.book("club") == two.book("club")


def test_what_the_migrations_make_is_what_the_tables_say(place: str) -> None:
    Store(place).close()
    engine = engine_of(place)
    try:
        with engine.begin() as connection:
            options = {"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
            found = compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)
    finally:
        engine.dispose()
    assert found == []


def test_a_store_of_a_newer_program_is_refused_and_left_alone(place: str) -> None:
    with Store(place) as store:
        its = filled(store, evening())
    change(place, text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(CompetitionError, match="was written by a newer pointsman") as caught:
        Store(place)
    assert "9999" in caught.value.what
    assert caught.value.cure.startswith("use that version")
    change(place, text(f"UPDATE {VERSION_TABLE} SET version_num = '0001'"))
    with Store(place) as store:
        assert store.book("club") == its.book


def test_steps_that_do_not_come_to_their_end_leave_nothing_behind(place: str) -> None:
    engine = engine_of(place)
    try:
        with engine.execution_options(**{WRITES: True}).connect() as connection:
            bring_up(connection, place)
            assert inspect(connection).has_table("entries")
            connection.rollback()
        assert inspect(engine).get_table_names() == []
    finally:
        engine.dispose()


def test_many_threads_with_one_store_lose_nothing(place: str) -> None:
    told: list[int] = []
    with Store(place) as store:
        store.create("club", CREATED, by="Marshal", at=START)

        def add(number: int) -> None:
            told.append(store.add("club", EntrantAdded(f"e{number}", "X"), by="Marshal", at=START).head.entries)

        threads = [threading.Thread(target=add, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PROCESS_WITHIN_S)
        assert sorted(told) == list(range(2, 22))
        assert store.faults("club") == ()
        assert len(store.book("club").state.entrants) == 20


def test_several_that_open_an_empty_place_at_once_all_find_it_ready(place: str) -> None:
    failed: list[BaseException] = []

    def open_one() -> None:
        try:
            Store(place).close()
        except BaseException as error:  # noqa: BLE001  # told below
            failed.append(error)

    threads = [threading.Thread(target=open_one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PROCESS_WITHIN_S)
    assert failed == []


def of(seq: int) -> Any:
    return (ENTRIES.c.competition == "club") & (ENTRIES.c.seq == seq)


def exchanged(lines: dict[int, str]) -> list[Any]:
    return [update(ENTRIES).where(of(2)).values(line=lines[3]), update(ENTRIES).where(of(3)).values(line=lines[2])]


TAMPERED: list[tuple[Callable[[dict[int, str]], list[Any]], str]] = [
    (
        lambda lines: [update(ENTRIES).where(of(3)).values(line=lines[3].replace("Bo", "Bob"))],
        "entry 3 was changed: entry 4 holds on to another one",
    ),
    (
        lambda lines: [update(ENTRIES).where(of(6)).values(line=lines[6].replace("Marshal", "Mallory"))],
        "entry 6 was changed: another hash was noted",
    ),
    (lambda lines: [delete(ENTRIES).where(of(2))], "entry 2 is missing"),
    (lambda lines: [delete(ENTRIES).where(of(6))], "entry 6 is missing"),
    (exchanged, "entry 2 was entry 3: entries were exchanged"),
    (
        lambda lines: [update(COMPETITIONS).values(head="0" * 64)],
        "entry 6 was changed: another hash was noted",
    ),
]


@pytest.mark.parametrize(("how", "told"), TAMPERED, ids=["changed", "last", "removed", "cut", "exchanged", "head"])
def test_what_was_changed_in_the_tables_is_found_and_named(
    place: str, how: Callable[[dict[int, str]], list[Any]], told: str
) -> None:
    with Store(place) as store:
        its = filled(store, evening())
        change(place, *how(dict(its.lines)))
        assert told in store.faults("club")
    with Store(place) as again, pytest.raises(CompetitionError) as caught:
        again.book("club")
    assert told in caught.value.what


def test_a_chain_written_anew_is_found_by_the_head_that_was_published(place: str) -> None:
    with Store(place) as store:
        noted = filled(store, evening()).book.head
        store.add("club", Withdrawn("bo"), by="Marshal", at=START)
        assert store.faults("club", noted) == ()
        assert store.faults("club", replace(noted, hash="0" * 64)) == ("entry 6 was changed: another hash was noted",)


def test_a_book_that_was_restored_from_a_copy_is_read_as_it_is_now(place: str) -> None:
    with Store(place) as store:
        its = filled(store, evening())
        store.add("club", Withdrawn("bo"), by="Marshal", at=START)
        whole = its.book.head
        change(place, delete(ENTRIES).where(of(7)), update(COMPETITIONS).values(entries=whole.entries, head=whole.hash))
        assert store.book("club") == its.book
        assert store.add("club", Withdrawn("ada"), by="Marshal", at=START).head.entries == 7


def test_a_writer_who_waits_too_long_is_told(place: str) -> None:
    with Store(place, busy_s=0.1) as store:
        its = filled(store, evening())
        engine = engine_of(place)
        try:
            with engine.execution_options(**{WRITES: True}).begin() as holds:
                holds.execute(update(COMPETITIONS).values(head=COMPETITIONS.c.head))
                with pytest.raises(CompetitionError, match="another program is writing for longer than"):
                    store.add("club", Withdrawn("ada"), by="Marshal", at=START)
                # Who only looks does not wait.
                assert store.book("club") == its.book
        finally:
            engine.dispose()
        store.add("club", Withdrawn("ada"), by="Marshal", at=START)


def writer(place: str, name: str, many: int) -> subprocess.Popen[str]:
    words = [sys.executable, book_writer.__file__, place, name, str(many)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


@pytest.mark.system
def test_two_programs_that_write_at_once_lose_nothing(place: str) -> None:
    with Store(place) as store:
        store.create("club", CREATED, by="Marshal", at=START)
    writers = [writer(place, name, 10) for name in ("one", "two")]
    try:
        for process in writers:
            go(process)
        told = [process.communicate(timeout=PROCESS_WITHIN_S)[0].split() for process in writers]
    finally:
        for process in writers:
            with process:
                process.kill()
    assert [process.returncode for process in writers] == [0, 0]
    assert sorted(int(seq) for each in told for seq in each[::2]) == list(range(2, 22))
    with Store(place) as store:
        assert len(store.book("club").state.entrants) == 20
        assert store.faults("club") == ()


@pytest.mark.system
def test_what_was_confirmed_is_there_after_a_kill_in_the_middle(place: str) -> None:
    with Store(place) as store:
        store.create("club", CREATED, by="Marshal", at=START)
    with writer(place, "w", 10_000) as process:
        try:
            go(process)
            assert process.stdout is not None
            for _ in range(AFTER):
                process.stdout.readline()
        finally:
            process.kill()
        told = process.stdout.read().split("\n")
    # The last line may be torn; those before it were confirmed.
    confirmed = [line.split() for line in told[:-1] if line]
    with Store(place) as store:
        book = store.book("club")
        assert store.faults("club") == ()
        least = int(confirmed[-1][0]) if confirmed else 1 + AFTER
        # One more may have been written whose confirmation was not told any more.
        assert least <= book.head.entries <= least + 1
        for seq, its_hash in confirmed:
            assert store.faults("club", Head(int(seq), its_hash)) == ()
        assert len(store.add("club", EntrantAdded("x", "X"), by="Marshal", at=START).written) == book.head.entries + 1


def test_the_file_lies_with_the_users_data_and_keeps_the_rules_of_its_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with Store() as store:
        store.create("club", CREATED, by="Marshal", at=START)
        assert store.where == str(default_file()) == str(tmp_path / "pointsman" / "competitions.sqlite3")
    with closing(sqlite3.connect(store.where)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with pytest.raises(IntegrityError):
        change(store.where, insert(ENTRIES).values(competition="nobody", seq=1, line="x"))


def test_a_file_may_be_named_by_a_url_too(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/store") as store:
        store.create("club", CREATED, by="Marshal", at=START)
    with Store(str(tmp_path / "store")) as store:
        assert store.competitions() == ("club",)


@needs_postgresql
def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CompetitionError, match="the store cannot be used") as caught:
        Store(f"postgresql://pointsman:secret@/d?host={tmp_path}")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("mysql://x/y", "a store in mysql is not known"),
        ("://", "this is no URL of a database"),
        ("postgresql://x:port/y", "this is no URL of a database"),
        ("sqlite://", "a store has to be in a file"),
    ],
)
def test_a_place_that_cannot_be_is_told(where: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        Store(where)
    assert told in caught.value.what
    assert caught.value.cure


def test_a_file_that_is_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(b"not a database, and longer than its first page has to be" * 100)
    before = file.read_bytes()
    with pytest.raises(CompetitionError, match="is no store of competitions"):
        Store(str(file))
    assert file.read_bytes() == before
    with pytest.raises(CompetitionError, match="cannot be made"):
        Store(str(file / "below" / "store"))
    with pytest.raises(CompetitionError, match="the store cannot be used"):
        Store(str(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is in use cannot be removed there")
def test_nothing_is_confirmed_into_a_file_that_is_gone(tmp_path: Path) -> None:
    where, kept = tmp_path / "store.sqlite3", tmp_path / "kept"
    with Store(str(where)) as store:
        before = store.create("club", CREATED, by="Ada", at=START)
        where.rename(kept)
        for look in (store.book, store.head):
            with pytest.raises(CompetitionError, match="removed or replaced"):
                look("club")
        with pytest.raises(CompetitionError, match="removed or replaced"):
            store.add("club", EntrantAdded("anna", "Anna"), by="Ada", at=START)
        assert not where.exists(), "no empty one is made in its place"
        where.write_bytes(kept.read_bytes())
        with pytest.raises(CompetitionError, match="removed or replaced"):
            store.add("club", EntrantAdded("anna", "Anna"), by="Ada", at=START)
        kept.replace(where)
        assert store.book("club") == before, "the one that was there is taken up again"
        after = store.add("club", EntrantAdded("anna", "Anna"), by="Ada", at=START)
    with Store(str(where)) as store:
        assert store.book("club").head == after.head
