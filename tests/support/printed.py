"""Test support: what stands in a PDF, as somebody who reads it finds it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any

import segno
from fpdf import FPDF
from pypdf import PageObject, PdfReader

MM = 72 / 25.4
_LETTER_MM = 1.0
"""Less than the smallest letter that is printed is high."""
_NUMBER = r"(-?[\d.]+)"
_PICTURE = re.compile(rf"{_NUMBER} 0 0 {_NUMBER} {_NUMBER} {_NUMBER} cm /I\d+ Do")
_FILLED_BOX = re.compile(rf"{_NUMBER} {_NUMBER} {_NUMBER} {_NUMBER} re f\b")


@dataclass(frozen=True)
class Room:
    """A place on a page, from its lower left corner."""

    left: float
    top: float
    wide: float
    high: float


@dataclass(frozen=True)
class Line:
    """A text on a page (from 0): its two ends from the left edge, its foot from the lower edge."""

    page: int
    text: str
    left: float
    right: float
    foot: float


@dataclass(frozen=True)
class Printed:
    """The pages of a document."""

    pages: tuple[PageObject, ...]
    title: str
    created: str

    @classmethod
    def of(cls, document: bytes) -> Printed:
        reader = PdfReader(BytesIO(document), strict=True)
        about = reader.metadata
        assert about is not None
        return cls(tuple(reader.pages), str(about.title), str(about["/CreationDate"]))

    @property
    def text(self) -> str:
        return "\n".join(page.extract_text() for page in self.pages)

    @property
    def sizes_mm(self) -> set[tuple[float, float]]:
        return {(round(float(p.mediabox.width) / MM, 1), round(float(p.mediabox.height) / MM, 1)) for p in self.pages}

    def feet_mm(self) -> list[tuple[str, float, float]]:
        """Every text with its left end and its foot, from the page's lower left corner."""
        found: list[tuple[str, float, float]] = []

        def hear(text: str, matrix: list[float], at: list[float], _font: object, _size: float) -> None:
            if text.strip():
                found.append((text.strip(), at[4] / MM, at[5] / MM))

        for page in self.pages:
            page.extract_text(visitor_text=hear)
        return found

    def lines_mm(self) -> list[Line]:
        """Every text with both its ends, as the widths of the fonts that every reader has tell."""
        found: list[Line] = []
        measure = FPDF(unit="mm")
        measure.core_fonts_encoding = "cp1252"

        def hear(number: int, text: str, _matrix: object, at: list[float], font: Any, size: float) -> None:
            if text.strip():
                family, _, style = str(font["/BaseFont"]).removeprefix("/").partition("-")
                measure.set_font(family.lower(), "B" if "Bold" in style else "", size)
                left = at[4] / MM
                wide = measure.get_string_width(text.strip())
                found.append(Line(number, text.strip(), left, left + wide, at[5] / MM))

        for number, page in enumerate(self.pages):
            page.extract_text(visitor_text=partial(hear, number))
        return found

    def overlapping(self) -> list[tuple[str, str]]:
        """Texts that are written into one another: on one page and as good as one height, and of one's span."""
        found = []
        lines = sorted(self.lines_mm(), key=lambda line: (line.page, line.foot))
        for number, one in enumerate(lines):
            for other in lines[number + 1 :]:
                if other.page != one.page or other.foot - one.foot > _LETTER_MM:
                    break
                if min(one.right, other.right) - max(one.left, other.left) > _LETTER_MM:
                    found.append((one.text, other.text))
        return found

    def pictures_mm(self) -> list[Room]:
        """Where the pictures are, in the order in which they were put."""
        found = []
        for page in self.pages:
            contents = page.get_contents()
            assert contents is not None
            for w, h, x, y in _PICTURE.findall(contents.get_data().decode("latin-1")):
                wide, high = float(w) / MM, float(h) / MM
                found.append(Room(float(x) / MM, float(y) / MM + high, wide, high))
        return found

    def code(self) -> list[list[int]]:
        """The modules of the QR code on the first page: its boxes are the only ones that are filled."""
        contents = self.pages[0].get_contents()
        assert contents is not None
        boxes = [tuple(map(float, found)) for found in _FILLED_BOX.findall(contents.get_data().decode("latin-1"))]
        cell = min(abs(h) for *_, h in boxes)
        left, top = min(x for x, *_ in boxes), max(max(y, y + h) for _, y, _, h in boxes)
        down = max(round((top - max(y, y + h)) / cell) for _, y, _, h in boxes) + 1
        found = [[0] * down for _ in range(down)]
        for x, y, w, h in boxes:
            row = round((top - max(y, y + h)) / cell)
            for column in range(round((x - left) / cell), round((x - left + w) / cell)):
                found[row][column] = 1
        return found


def code_of(text: str) -> list[list[int]]:
    """The modules of a QR code that says a text, without its quiet zone."""
    return [[int(bit) for bit in row] for row in segno.make_qr(text, error="m").matrix]
