"""Recomputes all that can be recomputed of a competition, and tells each difference in a sentence.

The book is followed entry by entry, files are hashed again, draws derived, marks read off the journals, and who was in
each round is settled again. What cannot be looked at from here is told as well: it is not the same as being right.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pointsman.compete.book import Book, Head
from pointsman.compete.differences import Difference, Verified, differing, told
from pointsman.compete.export.book_json import Exported
from pointsman.compete.export.results import results_of
from pointsman.compete.pars import Pars
from pointsman.compete.pars import pars as solved
from pointsman.compete.standings import standings
from pointsman.compete.store.store import Store
from pointsman.compete.verify_draws import check_draws
from pointsman.compete.verify_entitled import check_entitled
from pointsman.compete.verify_marks import check_marks
from pointsman.errors import LayoutError, RefusedError, UsageError
from pointsman.solver.table import Report, silent

THE_BOOK = "the book"


@dataclass(frozen=True, slots=True)
class Means:
    """What a competition is verified with.

    ``journals`` is the folder in which they are, ``code`` the marshal's, for draws whose secret is not out. ``cache``
    is where tables are kept; ``pars`` finds what a draw can be solved with.
    """

    journals: Path
    code: str | None = None
    progress: Report = silent
    cache: Path | None = None
    pars: Pars = solved


def verify(
    store: Store, competition: str, means: Means, *, noted: Head | None = None, exported: Exported | None = None
) -> Verified:
    """Everything by which a competition in a store is not as it should be; a book that is not whole is read no further.

    ``noted`` is a head that was published, ``exported`` a copy to compare. Raises UsageError when there is no such
    competition, and CompetitionError when the store cannot be read.
    """
    heads = (noted, None if exported is None else exported.book.head)
    sentences = [fault for head in heads for fault in store.faults(competition, head)]
    found = tuple(Difference(THE_BOOK, fault) for fault in dict.fromkeys(sentences))
    if not found:
        try:
            book = store.book(competition)
        except (RefusedError, UsageError, LayoutError) as error:
            found = (Difference(THE_BOOK, told(error)),)
    copied = _results(exported) if exported is not None else Verified(())
    return Verified(found) + copied if found else verify_book(book, means) + copied


def verify_exported(exported: Exported, means: Means, *, noted: Head | None = None) -> Verified:
    """The same for a competition that was exported, with no store: its book, and the results as they stand in it."""
    found: list[Difference] = []
    if noted is not None:
        found = [Difference(THE_BOOK, fault) for fault in exported.book.faults(noted)]
    return Verified(tuple(found)) + verify_book(exported.book, means) + _results(exported)


def verify_book(book: Book, means: Means) -> Verified:
    """The same for a book that was read, and is whole."""
    return (
        check_draws(book, means.code, means.progress, means.cache)
        + check_entitled(book)
        + check_marks(book, means.journals, means.pars)
    )


def _results(exported: Exported) -> Verified:
    """Results that stand in an exported competition, and do not follow from its book."""
    right = results_of(standings(exported.book.state))
    return Verified(tuple(differing(exported.results, right, "the exported results")))
