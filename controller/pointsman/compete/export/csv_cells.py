"""A table as CSV that a spreadsheet opens with a double click, and in which nothing is a formula.

In UTF-8 with a mark at its beginning, for without it Excel reads other letters than were written; lines end as RFC 4180
has them. A spreadsheet takes a cell that begins with = + - or @ for a formula, whoever wrote it: such a text gets an
apostrophe before it. So does what would begin a cell if the file were opened with another separator.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

Cell = str | int | Fraction | bool | None
"""Text, a number, yes or no, or nothing."""

_FORMULA = re.compile(r"(^|[,;|\t\r\n])(\s*\"*\s*)(?=[=+\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}"
                      r"\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}])")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """How a table is written: ``tell`` puts the program's own words into a language.

    Where the decimal sign is a comma, spreadsheets want semicolons between cells.
    """

    tell: Callable[[str], str] = str
    decimal_comma: bool = False


def table_csv(headings: Sequence[str], rows: Iterable[Sequence[Cell]], style: Style) -> bytes:
    """The file of a table; headings are the program's own words, cells are given as they are."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if style.decimal_comma else ",", quoting=csv.QUOTE_MINIMAL)
    writer.writerow([style.tell(heading) for heading in headings])
    for row in rows:
        writer.writerow([_written(cell, style) for cell in row])
    return out.getvalue().encode("utf-8-sig")


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1\2'", text)


def _written(cell: Cell, style: Style) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return style.tell("yes" if cell else "no")
        case str():
            return harmless(cell)
        case _:
            return _number(Fraction(cell)).replace(".", "," if style.decimal_comma else ".")


def _number(value: Fraction) -> str:
    """A number in decimals, to the thousandth: results have no more."""
    thousandths = round(value * 1000)
    whole, part = divmod(abs(thousandths), 1000)
    decimals = f".{part:03d}".rstrip("0").rstrip(".")
    return f"{'-' if thousandths < 0 else ''}{whole}{decimals}"
