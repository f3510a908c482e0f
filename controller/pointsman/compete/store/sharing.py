"""What several threads want to write at once is written by one of them, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from threading import Condition

from pointsman.compete.book import Book
from pointsman.compete.entries import Entry

Deed = Callable[[Book], Sequence[tuple[Entry, str]]]
"""What somebody does to a book as it is: entries, each with its reason; none when nothing is to be done."""


class Job:
    """A deed that is to be done, and what has come of it."""

    def __init__(self, competition: str, deed: Deed, by: str, at: datetime) -> None:
        self.competition = competition
        self.over = False
        self.error: BaseException | None = None
        self._deed, self._by, self._at = deed, by, at
        self._book: Book | None = None

    def judged(self, book: Book) -> tuple[Book, list[str]]:
        """The book after it, and the lines that are new: the same book and none when the deed is refused."""
        after, lines = book, []
        try:
            for entry, why in self._deed(book):
                after, line = after.write(entry, by=self._by, at=self._at, why=why)
                lines.append(line)
        except Exception as error:  # noqa: BLE001 - whoever asked for the deed hears of it, by ``answer``
            self.error = error
            return book, []
        self._book = after
        return after, lines

    def answer(self) -> Book:
        """The book as the deed left it. Raises what the deed, or the store, has raised."""
        if self.error is not None:
            raise self.error
        assert self._book is not None, "a job that is over was done, or has failed"
        return self._book


class Sharing:
    """Jobs, done by the first thread that comes while nobody does any: its own, and those of all who wait by then.

    ``run`` judges and writes jobs of one competition. When it fails nothing was written, and each of them has failed.
    """

    def __init__(self, run: Callable[[str, Sequence[Job]], None]) -> None:
        self._run = run
        self._changed = Condition()
        self._busy = False
        self._waiting: dict[str, list[Job]] = {}

    def done(self, job: Job) -> Book:
        """The book as the job left it; what it wrote is on the disk. Blocks; raises as ``Job.answer``."""
        with self._changed:
            self._waiting.setdefault(job.competition, []).append(job)
            while self._busy and not job.over:
                self._changed.wait()
            if job.over:
                return job.answer()
            self._busy = True
            jobs = self._waiting.pop(job.competition)
        try:
            self._run(job.competition, jobs)
        except BaseException as error:
            # What was refused was judged on what is not written now.
            for one in jobs:
                one.error = error
            raise
        finally:
            with self._changed:
                for one in jobs:
                    one.over = True
                self._busy = False
                self._changed.notify_all()
        return job.answer()
