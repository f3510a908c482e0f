"""A competition as one JSON file, and back: the whole book, entry by entry, and what it comes to.

docs/competition-export.md says what stands where. The book is what counts; results are there for whoever wants no more,
and are read back as they stand in the file, to compare.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pointsman.compete.book import Book, Head
from pointsman.compete.entry_json import canonical, line_hash, write_line
from pointsman.errors import CompetitionError

FORM = "pointsman competition 1"
"""What the file begins with; another form of it gets another number."""
MOST_BYTES = 200_000_000

_KEYS = frozenset({"form", "competition", "head", "book", "results"})
_AGAIN = "export the competition again, or take a copy that nobody has edited"


@dataclass(frozen=True, slots=True)
class Exported:
    """What was read: the ``book``, which is whole, and the ``results`` as they stand in the file."""

    book: Book
    results: Mapping[str, Any]


def book_json(book: Book, results: Mapping[str, Any]) -> bytes:
    """The file, in UTF-8, the same for the same book: one entry in a line."""
    lines, before = [], Book.empty(book.competition).head.hash
    for written in book.written:
        lines.append(write_line(written, before))
        before = line_hash(lines[-1])
    head = {"entries": book.head.entries, "hash": book.head.hash}
    parts = (
        f'"form":{canonical(FORM)}',
        f'"competition":{canonical(book.competition)}',
        f'"head":{canonical(head)}',
        '"book":[\n' + ",\n".join(lines) + "\n]",
        f'"results":{json.dumps(results, ensure_ascii=False, indent=1)}',
    )
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def read_book_json(data: bytes, file: str) -> Exported:
    """The competition of such a file. Raises CompetitionError with everything by which it is not whole.

    ``file`` is named with what is wrong. RefusedError and UsageError for a book that breaks a rule.
    """
    if len(data) > MOST_BYTES:
        raise CompetitionError(f"is longer than {MOST_BYTES:,} bytes", where=file, cure="give an exported competition")
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CompetitionError(f"is not JSON: {error}", where=file, cure=_AGAIN) from error
    if not isinstance(values, dict) or values.get("form") != FORM or values.keys() != _KEYS:
        raise CompetitionError(
            f"is no exported competition: it must have {', '.join(sorted(_KEYS))}, and '{FORM}' as its form",
            where=file,
            cure="give a file that `pointsman compete export` has written, with this version or an older one",
        )
    name, head, entries, results = values["competition"], values["head"], values["book"], values["results"]
    if not (isinstance(name, str) and isinstance(results, dict) and isinstance(entries, list) and _is_head(head)):
        raise CompetitionError(
            "competition must be text, head a number and a hash, book a list, results a table", where=file, cure=_AGAIN
        )
    lines = [(number, canonical(entry)) for number, entry in enumerate(entries, 1)]
    try:
        return Exported(Book.read(name, lines, Head(head["entries"], head["hash"])), results)
    except CompetitionError as error:
        raise CompetitionError(error.what, where=file, cure=_AGAIN) from error


def _is_head(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"entries", "hash"}
        and type(value["entries"]) is int
        and isinstance(value["hash"], str)
    )
