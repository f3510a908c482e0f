"""The store: books are read from it, and entries are added to them, in transactions.

Whoever adds an entry first takes the competition for itself, reads what others have added since, and lets the rules
judge on that: of two at once the second waits, and is refused if it comes too late. When ``add`` has returned, the
entry is on the disk. Threads of one store that wait for each other share a transaction: the disk is waited for once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine, insert, make_url, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from pointsman.compete.book import Book, Head, faults
from pointsman.compete.entries import Created, Entry
from pointsman.compete.store.place import BUSY_S, WRITES, default_file, engine_of
from pointsman.compete.store.schema import bring_up
from pointsman.compete.store.sharing import Deed, Job, Sharing
from pointsman.compete.store.tables import COMPETITIONS, ENTRIES
from pointsman.errors import CompetitionError, RefusedError, UsageError, did_you_mean

__all__ = ["Deed", "Store"]

_OF_SCHEMA = 7_263_019_114_620_911
"""What those who bring a PostgreSQL database up wait for each other by; no other program has this number."""


class Store:
    """Books in one place: the path of a file, or a URL; without one it is the file in the user's data folder.

    A writer waits ``busy_s`` for others.

    Opening makes the tables, or brings them up to this program. It may be used by several threads at once. Raises
    CompetitionError when the place cannot be reached, is newer than this program, or is no store; UsageError.
    """

    def __init__(self, where: str | None = None, *, busy_s: float = BUSY_S) -> None:
        place = where if where is not None else str(default_file())
        self._engine: Engine = engine_of(place, busy_s)
        self.where = make_url(place).render_as_string(hide_password=True) if "://" in place else place
        self._busy_s = busy_s
        self._books: dict[str, Book] = {}
        self._file: tuple[int, int] | None = None
        self._sharing = Sharing(self._do_all)
        try:
            with self._writing() as connection:
                if self._engine.dialect.name == "postgresql":
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _OF_SCHEMA})
                bring_up(connection, self.where)
            self._file = self._file_now()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of every connection."""
        self._engine.dispose()

    def competitions(self) -> tuple[str, ...]:
        """The names of all competitions, in order."""
        with self._reading() as connection:
            return tuple(sorted(connection.scalars(select(COMPETITIONS.c.name))))

    def check_new(self, competition: str) -> None:
        """UsageError for what is no name of a competition, RefusedError when there is one of this name."""
        if not re.fullmatch(_NAME, competition):
            raise UsageError(
                f"{competition[:80]!r} is no name of a competition",
                cure="take a to z, 0 to 9, - and _, 60 at most, beginning with a letter or a digit",
            )
        if competition in self.competitions():
            raise self._taken(competition)

    def _taken(self, competition: str) -> RefusedError:
        return RefusedError(
            [f"there is a competition {competition} already"], where=self.where, cure="choose another name"
        )

    def create(self, competition: str, created: Created, *, by: str, at: datetime) -> Book:
        """Begin a competition. Raises RefusedError when there is one of this name; UsageError, CompetitionError."""
        self.check_new(competition)
        empty = Book.empty(competition)
        book, line = empty.write(created, by=by, at=at)
        with self._writing() as connection:
            row = {"name": competition, "entries": empty.head.entries, "head": empty.head.hash}
            try:
                connection.execute(insert(COMPETITIONS).values(row))
            except IntegrityError as error:
                raise self._taken(competition) from error
            self._put(connection, 0, book, [line])
        self._books[competition] = book
        return book

    def head(self, competition: str) -> Head:
        """How far a competition's book is, without reading it. Raises UsageError when there is none."""
        with self._reading() as connection:
            return self._head_of(connection, competition)

    def book(self, competition: str) -> Book:
        """A competition's book as it is now. Raises UsageError when there is none, CompetitionError if not whole."""
        # What is known is looked up first: another thread may add to it at once, and this one sees the store as it was.
        known = self._known(competition)
        with self._reading() as connection:
            book = self._read(connection, known)
        self._books[competition] = book
        return book

    def add(self, competition: str, entry: Entry, *, by: str, at: datetime, why: str = "") -> Book:
        """The book with one more entry, which is on the disk.

        Raises what ``Book.write`` raises, and then nothing was written; CompetitionError too when others write for too
        long, or the place has become unreachable.
        """
        return self.do(competition, lambda _: [(entry, why)], by=by, at=at)

    def do(self, competition: str, deed: Deed, *, by: str, at: datetime) -> Book:
        """The book with everything that a deed makes of it as it is now: all of its entries are on the disk, or none.

        Nobody else writes meanwhile, so a deed takes no time over it. Raises what the deed raises, and what ``add``
        does; then nothing was written.
        """
        return self._sharing.done(Job(competition, deed, by, at))

    def _do_all(self, competition: str, jobs: Sequence[Job]) -> None:
        """Do jobs in their order; what is refused leaves the others as they are."""
        with self._writing() as connection:
            before = book = self._read(connection, self._known(competition), take=True)
            lines: list[str] = []
            for job in jobs:
                book, more = job.judged(book)
                lines += more
            if lines:
                self._put(connection, before.head.entries, book, lines)
        self._books[competition] = book

    def faults(self, competition: str, noted: Head | None = None) -> tuple[str, ...]:
        """Everything by which a book is not whole, one sentence each; ``noted`` is a head published before.

        Reads all of it from the disk. Raises UsageError when there is no such competition.
        """
        with self._reading() as connection:
            head = self._head_of(connection, competition)
            lines = self._lines(connection, competition, 0)
        found = list(faults(competition, lines, head))
        if noted is not None:
            upto = [(seq, line) for seq, line in lines if seq <= noted.entries]
            found += [one for one in faults(competition, upto, noted) if one not in found]
        return tuple(found)

    def _known(self, competition: str) -> Book:
        return self._books.get(competition, Book.empty(competition))

    def _read(self, connection: Connection, known: Book, *, take: bool = False) -> Book:
        competition = known.competition
        head = self._head_of(connection, competition, take=take)
        if head.entries < known.head.entries or (head.entries == known.head.entries and head != known.head):
            known = Book.empty(competition)  # somebody has changed what was there: reading it whole tells
        if head == known.head and not take:
            return known
        return known.read_on(self._lines(connection, competition, known.head.entries), head)

    def _head_of(self, connection: Connection, competition: str, *, take: bool = False) -> Head:
        head = self._head(connection, competition, take=take)
        if head is None:
            names = connection.scalars(select(COMPETITIONS.c.name)).all()
            raise UsageError(
                f"there is no competition {competition!r}",
                where=self.where,
                cure=did_you_mean(competition, names) if names else "create one first",
            )
        return head

    @staticmethod
    def _head(connection: Connection, competition: str, *, take: bool = False) -> Head | None:
        query = select(COMPETITIONS.c.entries, COMPETITIONS.c.head).where(COMPETITIONS.c.name == competition)
        row = connection.execute(query.with_for_update() if take else query).one_or_none()
        return None if row is None else Head(row.entries, row.head)

    @staticmethod
    def _lines(connection: Connection, competition: str, after: int) -> list[tuple[int, str]]:
        query = select(ENTRIES.c.seq, ENTRIES.c.line).where(ENTRIES.c.competition == competition, ENTRIES.c.seq > after)
        return [(row.seq, row.line) for row in connection.execute(query.order_by(ENTRIES.c.seq))]

    @staticmethod
    def _put(connection: Connection, after: int, book: Book, lines: Sequence[str]) -> None:
        numbered = enumerate(lines, after + 1)
        rows = [{"competition": book.competition, "seq": seq, "line": line} for seq, line in numbered]
        connection.execute(insert(ENTRIES), rows)
        connection.execute(
            update(COMPETITIONS)
            .where(COMPETITIONS.c.name == book.competition)
            .values(entries=book.head.entries, head=book.head.hash)
        )

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        options = {WRITES: True}
        self._check_file()
        with self._told(), self._engine.execution_options(**options).begin() as connection:
            yield connection
            self._check_file()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        self._check_file()
        with self._told(), self._engine.begin() as connection:
            yield connection

    def _check_file(self) -> None:
        # A file that was removed stays writable for who has it open, and all of it is gone with the program.
        if self._file is not None and self._file_now() != self._file:
            raise CompetitionError(
                "the file was removed or replaced while it was in use; nothing was written",
                where=self.where,
                cure="put the file back that was there; or end the program, restore a copy, and start it again",
            )

    def _file_now(self) -> tuple[int, int] | None:
        """Which file it is, with SQLite; (0, 0) when there is none."""
        place = self._engine.url.database
        if self._engine.dialect.name != "sqlite" or place is None:
            return None
        try:
            its = Path(place).stat()
        except OSError:
            return 0, 0
        return its.st_dev, its.st_ino

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What a database complains of, in our words."""
        try:
            yield
        except SQLAlchemyError as error:
            raise self._in_our_words(error) from error

    def _in_our_words(self, error: SQLAlchemyError) -> CompetitionError:
        said = str(error.orig) if isinstance(error, DBAPIError) else str(error)
        if any(words in said for words in _BUSY):
            return CompetitionError(
                f"another program is writing for longer than {self._busy_s:g} s; nothing was written",
                where=self.where,
                cure="try again; if it stays so, end the program that holds the store",
            )
        if "file is not a database" in said:
            return CompetitionError("is no store of competitions", where=self.where, cure="give another file")
        return CompetitionError(
            f"the store cannot be used: {said}",
            where=self.where,
            cure="look whether it is there, has room, and may be written by you; what was confirmed is kept",
        )


_NAME = r"[a-z0-9][a-z0-9_-]{0,59}"
_BUSY = ("database is locked", "55P03", "lock timeout")
