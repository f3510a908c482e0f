"""A desk's deeds with those who take part: entered, changed, withdrawn.

A function with a ``book`` judges on it, and tells what is to be written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import fields

from pointsman.compete.book import Book
from pointsman.compete.desk_book import Writing, was_written
from pointsman.compete.entries import EntrantAdded, EntrantChanged, Withdrawn
from pointsman.compete.state import known, person

_LONGEST = 40  # characters of an id that is made of a name


def entered(book: Book, about: EntrantAdded, by: str) -> Writing:
    """Somebody takes part."""
    there = book.state.entrants.get(about.entrant)
    if there is not None and was_written(book, about, by):
        return []
    return [(about, "")]


def entered_just_now(book: Book, about: EntrantAdded, by: str) -> str | None:
    """The id under which this person's last entry has entered just somebody like this, where it did."""
    mine = [one for one in book.written if person(one.by) == person(by)]
    last = mine[-1].entry if mine else None
    if isinstance(last, EntrantAdded) and _of(last) == _of(about) and last.entrant in book.state.entrants:
        return last.entrant
    return None


def id_of(name: str, taken: Collection[str]) -> str:
    """An id made of a name, such as ``zoe-martin``, that nobody has yet."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    base = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST].strip("-") or "entrant"
    return numbered(base, taken)


def numbered(base: str, taken: Collection[str]) -> str:
    """This id, or the first of ``base-2``, ``base-3``, ... that is not taken."""
    found, number = base, 1
    while found in taken:
        number += 1
        found = f"{base}-{number}"
    return found


def changed(book: Book, entrant: str, changes: Mapping[str, str], why: str) -> Writing:
    """An entrant with some of what is written of it changed."""
    about = known(book.state.entrants, entrant, "entrant").about
    entry = EntrantChanged(entrant, **{**_of(about), **changes})
    return [] if _of(entry) == _of(about) else [(entry, why)]


def withdrawn(book: Book, entrant: str, why: str) -> Writing:
    """An entrant starts no more."""
    its = known(book.state.entrants, entrant, "entrant")
    return [] if its.withdrawn else [(Withdrawn(entrant), why)]


def _of(about: EntrantAdded | EntrantChanged) -> dict[str, str]:
    """All that is written of an entrant but the id."""
    return {its.name: getattr(about, its.name) for its in fields(about) if its.name != "entrant"}
