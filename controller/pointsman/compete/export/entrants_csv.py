"""Entrants from a spreadsheet's CSV: every mistake is named with its line, and with one there are no entrants.

Commas, semicolons or tabs, headers in English or French, UTF-8 with or without a mark at its beginning:
docs/competition-export.md.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from pointsman.compete.desk_entrants import id_of
from pointsman.compete.entries import EntrantAdded, Written
from pointsman.compete.entry_json import write_line
from pointsman.compete.state import Entrant, person
from pointsman.errors import CompetitionError, did_you_mean
from pointsman.track.tomlfile import Notes

MOST_BYTES = 1_000_000

_COLUMNS = {
    "id": "entrant",
    "identifiant": "entrant",
    "name": "name",
    "nom": "name",
    "club": "club",
    "category": "category",
    "class": "category",
    "categorie": "category",
    "classe": "category",
    "train": "train",
    "pair": "pair",
    "paire": "pair",
    "binome": "pair",
}
"""What the book calls a column, by its header without accents, in small letters."""
_GUIDE = "docs/competition-export.md"
_SOME_TIME = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that is not empty, and the line that it begins in, from 1."""

    line: int
    cells: tuple[str, ...]


def read_entrants(data: bytes, file: str, known: Mapping[str, Entrant]) -> tuple[EntrantAdded, ...]:
    """The entrants of a CSV file; ``known`` are those of the competition already, ``file`` is named with mistakes.

    Who has no id gets one made of the name. Raises LayoutError with every mistake.
    """
    notes = Notes(file, guide=_GUIDE)
    rows = _rows(_text(data, notes), notes)
    notes.raise_if_any()
    if not rows:
        notes.add("", "has no rows", f"give a header and a row for each entrant; see {_GUIDE}")
    columns = _columns(rows[0], notes) if rows else {}
    if rows[1:] == [] and columns:
        notes.add("", "has no entrants", "give a row for each below the header")
    found = list(_entrants(rows, columns, known, notes)) if columns else []
    notes.raise_if_any()
    return tuple(found)


def _text(data: bytes, notes: Notes) -> str:
    if len(data) > MOST_BYTES:
        notes.add("", f"is longer than {MOST_BYTES:,} bytes", "give a file of entrants alone")
        return ""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        notes.add(
            f"line {line}",
            "is not in UTF-8",
            'save the table as "CSV UTF-8", or choose UTF-8 where it asks for letters',
        )
        return ""


def _rows(text: str, notes: Notes) -> list[_Row]:
    """The rows that are not empty, read with the separator by which the header has most of the columns known here."""
    lines = text.splitlines(keepends=True)
    skipped, separators = 0, ",;\t"
    if lines and (told := re.fullmatch(r"sep=([,;\t])\s*", lines[0], re.IGNORECASE)):
        skipped, separators = 1, told[1]
    # Of none that fits the first one is taken: the header is complained of then.
    best = max(separators, key=lambda sep: _fitting(lines[skipped:], sep))
    rows: list[_Row] = []
    last = skipped
    reader = csv.reader(lines[skipped:], delimiter=best, strict=True)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            notes.add(
                f"line {last + 1}", f"cannot be read: {error}", 'close every quotation mark, write " within as ""'
            )
            return rows
        if cells is None:
            return rows
        trimmed = tuple(cell.strip() for cell in cells)
        if any(trimmed):
            rows.append(_Row(last + 1, trimmed))
        last = skipped + reader.line_num


def _fitting(lines: list[str], separator: str) -> int:
    header = next((line for line in lines if line.strip(f"{separator} \r\n")), "")
    return sum(_plain(cell) in _COLUMNS for cell in header.replace('"', "").split(separator))


def _columns(header: _Row, notes: Notes) -> dict[int, str]:
    """Which cell of a row is what; empty if no name is among them."""
    found: dict[int, str] = {}
    where = f"line {header.line}"
    for place, cell in enumerate(header.cells):
        column = _COLUMNS.get(_plain(cell))
        if cell and column is None:
            notes.add(where, f"there is no column {cell!r}", did_you_mean(_plain(cell), _COLUMNS))
        elif column in found.values():
            notes.add(where, f"column {cell!r} is there twice", "leave one of them out")
        elif column is not None:
            found[place] = column
    if "name" not in found.values():
        notes.add(where, "there is no column 'name'", "the first row names the columns: name, club, category, train")
        return {}
    return found


def _entrants(
    table: list[_Row], columns: Mapping[int, str], known: Mapping[str, Entrant], notes: Notes
) -> Iterator[EntrantAdded]:
    header, rows, ids = table[0].cells, table[1:], set(known)
    given = {cell for row in rows for place, cell in enumerate(row.cells) if columns.get(place) == "entrant"}
    names = {person(its.about.name): "is in the competition already" for its in known.values()}
    for row in rows:
        where = f"line {row.line}"
        values = {column: row.cells[place] for place, column in columns.items() if place < len(row.cells)}
        surplus = [cell for place, cell in enumerate(row.cells) if cell and not any(header[place : place + 1])]
        if surplus:
            notes.add(where, f"{surplus[0]!r} stands in no column", "give the column a header, or leave that out")
        name, its_id = values.get("name", ""), values.get("entrant", "")
        if not name:
            notes.add(where, "has no name", "give the name, or remove the row")
            continue
        if not its_id:
            if person(name) in names:
                notes.add(where, f"{name} {names[person(name)]}", "remove the row; if it is another one, give an id")
                continue
            its_id = id_of(name, ids | given)
        elif its_id in ids:
            notes.add(where, f"there is an entrant {its_id} already", "choose another id")
            continue
        names[person(name)] = f"is in line {row.line} already"
        ids.add(its_id)
        entrant = EntrantAdded(**{**values, "entrant": its_id})
        try:
            # What the book would not take is complained of in its own words.
            write_line(Written(1, "import", _SOME_TIME, "", entrant), "")
        except CompetitionError as error:
            notes.add(where, error.what, "correct that cell")
            continue
        yield entrant


def _plain(text: str) -> str:
    """Without accents, in small letters, so that a header may be written as people do."""
    apart = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
