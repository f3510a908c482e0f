"""A printed sheet: paper, lettering that fits, vehicles, and codes to scan. The same input gives the same bytes."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from io import BytesIO

import segno
from fpdf import FPDF
from PIL import Image

from pointsman.track.colour import hex_colour
from pointsman.track.model import Locomotive, Vehicle
from pointsman.web.printing.pictures import on_paper
from pointsman.web.printing.silhouettes import LOCOMOTIVE_WHEELS, MARKS, OUTLINES, WAGON_WHEELS, Point, lines

_NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)
_ENCODING = "cp1252"
"""What the fonts that every reader of PDF has can show."""
_SPACE = re.compile(r"[^\S\xa0]+")
"""What lines are broken at."""
MM_PER_PT = 25.4 / 72
_UNPAINTED = "#808080"
_DARK = 0.179
"""The luminance below which white lettering has the higher contrast."""
MARGIN_MM = 15.0


class Paper(StrEnum):
    """What is printed on, upright."""

    A4 = "a4"
    LETTER = "letter"

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height."""
        return (210.0, 297.0) if self is Paper.A4 else (215.9, 279.4)


class Face(StrEnum):
    """A lettering, by its name in every reader of PDF."""

    SANS = "helvetica"
    SERIF = "times"
    DIGITS = "courier"


def printable(text: str) -> str:
    """A text in the letters that can be printed: others lose their accents, and what is left of them becomes ``?``."""
    return "".join(_printable(letter) for letter in unicodedata.normalize("NFC", text))


def illegible(text: str) -> bool:
    """Whether a text has letters of which nothing but ``?`` can be printed."""
    return printable(text).count("?") > text.count("?")


def _printable(letter: str) -> str:
    if _has(letter):
        return letter if letter.isprintable() else " "
    plain = "".join(one for one in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(one))
    return plain if plain and all(_has(one) for one in plain) else "?"


def _has(letter: str) -> bool:
    try:
        letter.encode(_ENCODING)
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Ink:
    """A colour as red, green and blue, 0 to 255."""

    red: int
    green: int
    blue: int

    @classmethod
    def of(cls, colour: str) -> Ink:
        """A colour's name or ``#rrggbb``; grey for what is neither."""
        found = hex_colour(colour) or _UNPAINTED
        return cls(*(int(found[at : at + 2], 16) for at in (1, 3, 5)))

    @property
    def lettering(self) -> Ink:
        """Black or white, whichever has the higher contrast on it (WCAG 2 relative luminance)."""
        parts = [one / 255 for one in (self.red, self.green, self.blue)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return BLACK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > _DARK else WHITE


BLACK, WHITE, GREY = Ink(0, 0, 0), Ink(255, 255, 255), Ink(90, 90, 90)


class Sheet:
    """A document in millimetres from the upper left corner; sizes of letters are in points.

    ``across``: its pages lie on their long side.
    """

    def __init__(self, paper: Paper, title: str, language: str, *, across: bool = False) -> None:
        self.width_mm, self.height_mm = paper.size_mm[::-1] if across else paper.size_mm
        self._pdf = FPDF(unit="mm", format=(self.width_mm, self.height_mm))
        self._pdf.core_fonts_encoding = _ENCODING
        self._pdf.set_auto_page_break(False)
        self._pdf.set_creation_date(_NO_DATE)
        self._pdf.set_title(title)
        self._pdf.set_creator("pointsman")
        self._pdf.set_lang(language)
        self._pdf.set_line_width(0.3)

    def page(self) -> None:
        """Begin a page."""
        self._pdf.add_page()

    def whole(self) -> bytes:
        """The document."""
        return bytes(self._pdf.output())

    # ------------------------------------------------------------ letters

    def width_of(self, text: str, size: float, *, bold: bool = False, face: Face = Face.SANS) -> float:
        """How wide a text is."""
        self._pdf.set_font(face.value, "B" if bold else "", size)
        return self._pdf.get_string_width(printable(text))

    def fitting(self, text: str, room_mm: float, size: float, *, bold: bool = False, face: Face = Face.SANS) -> float:
        """The size in which a text fits, this one at most."""
        wide = self.width_of(text, size, bold=bold, face=face)
        return size if wide <= room_mm else size * room_mm / wide

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        bold: bool = False,
        ink: Ink = BLACK,
        align: str = "left",
        face: Face = Face.SANS,
    ) -> None:
        """A line of text; ``y`` is its foot, ``x`` its left end, or its ``middle`` or ``right`` end."""
        wide = self.width_of(text, size, bold=bold, face=face)
        self._pdf.set_text_color(ink.red, ink.green, ink.blue)
        self._pdf.text(x - wide * {"left": 0.0, "middle": 0.5, "right": 1.0}[align], y, printable(text))

    def paragraph(
        self, x: float, y: float, text: str, room_mm: float, size: float, *, bold: bool = False, ink: Ink = BLACK
    ) -> float:
        """Text broken between words, first foot at ``y``; the foot of the last line."""
        step = size * MM_PER_PT * 1.2
        for number, line in enumerate(self._broken(text, room_mm, size, bold=bold, face=Face.SANS)):
            y += step if number else 0
            self.text(x, y, line, self.fitting(line, room_mm, size, bold=bold), bold=bold, ink=ink)
        return y

    def set_in(
        self,
        text: str,
        room_mm: float,
        sizes: tuple[float, float],
        *,
        most: int = 1,
        bold: bool = False,
        face: Face = Face.SANS,
    ) -> tuple[float, list[str]]:
        """The largest size, of the two or between them, in which a text takes ``most`` lines, and these lines.

        One that takes more in the smallest has as many of that as it takes, its longest words parted: nothing is lost.
        """
        largest, least = sizes
        size = largest
        while size >= least:
            lines = self._broken(text, room_mm, size, bold=bold, face=face)
            if len(lines) <= most and all(self.width_of(one, size, bold=bold, face=face) <= room_mm for one in lines):
                return size, lines
            size -= 0.5
        parted = " ".join(self._parted(word, room_mm, least, bold=bold, face=face) for word in _SPACE.split(text))
        return least, self._broken(parted, room_mm, least, bold=bold, face=face)

    def _parted(self, word: str, room_mm: float, size: float, *, bold: bool, face: Face) -> str:
        """A word in pieces that have room, with spaces between them."""
        found = [""]
        for letter in word:
            if found[-1] and self.width_of(found[-1] + letter, size, bold=bold, face=face) > room_mm:
                found.append("")
            found[-1] += letter
        return " ".join(found)

    def _broken(self, text: str, room_mm: float, size: float, *, bold: bool, face: Face) -> list[str]:
        found = [""]
        for word in _SPACE.split(text.strip()):
            longer = f"{found[-1]} {word}".strip()
            if found[-1] and self.width_of(longer, size, bold=bold, face=face) > room_mm:
                found.append(word)
            else:
                found[-1] = longer
        return found

    # ------------------------------------------------------------ shapes

    def line(self, start: Point, end: Point, thick_mm: float = 0.3, *, ink: Ink = BLACK, dashed: bool = False) -> None:
        """A straight line."""
        self._pdf.set_draw_color(ink.red, ink.green, ink.blue)
        self._pdf.set_line_width(thick_mm)
        if dashed:
            self._pdf.set_dash_pattern(dash=1.5, gap=1.5)
        self._pdf.line(*start, *end)
        if dashed:
            self._pdf.set_dash_pattern()

    def box(self, x: float, y: float, w: float, h: float, thick_mm: float = 0.3, *, ink: Ink = BLACK) -> None:
        """An empty box."""
        self._pdf.set_draw_color(ink.red, ink.green, ink.blue)
        self._pdf.set_line_width(thick_mm)
        self._pdf.rect(x, y, w, h)

    def dot(self, x: float, y: float, radius: float) -> None:
        """A filled dot around a place."""
        self._pdf.set_fill_color(0, 0, 0)
        self._pdf.circle(x, y, radius, style="F")

    def code(self, x: float, y: float, side: float, text: str) -> None:
        """A QR code; its quiet zone is inside of ``side``."""
        rows = [list(row) for row in segno.make_qr(text, error="m").matrix_iter(border=4)]
        cell = side / len(rows)
        self._pdf.set_fill_color(0, 0, 0)
        for down, row in enumerate(rows):
            at = 0
            while at < len(row):
                end = at
                while end < len(row) and row[end]:
                    end += 1
                if end > at:
                    self._pdf.rect(x + at * cell, y + down * cell, (end - at) * cell, cell, style="F")
                at = end + 1

    def photo(self, x: float, y: float, w: float, h: float, data: bytes) -> bool:
        """A picture as large as it can be in that room, at the right end of it; False when it is damaged."""
        made = on_paper(data, (w, h))
        if made is None:
            return False
        with Image.open(BytesIO(made)) as picture:
            wide, high = picture.size
        scale = min(w / wide, h / high)
        wide_mm, high_mm = wide * scale, high * scale
        left, top = x + w - wide_mm, y + (h - high_mm) / 2
        self._pdf.image(BytesIO(made), left, top, wide_mm, high_mm)
        self.box(left, top, wide_mm, high_mm, 0.2, ink=GREY)
        return True

    def vehicle(self, x: float, foot: float, w: float, h: float, vehicle: Vehicle, *, named: bool = True) -> None:
        """A vehicle's silhouette, the middle of its floor at ``(x, foot)``, wheels within ``h``."""
        locomotive = isinstance(vehicle, Locomotive)
        kind = "locomotive" if locomotive else vehicle.kind if vehicle.kind in OUTLINES else "open"
        self.silhouette(x, foot, w, h, kind, Ink.of(vehicle.colour))
        body = h * 0.805
        if named:
            centre = foot - h + body * (0.5 if kind == "tank" else 0.62)
            size = self.fitting(vehicle.name, 0.76 * w, 0.58 * body / MM_PER_PT, bold=True)
            tall = size * MM_PER_PT
            half = self.width_of(vehicle.name, size, bold=True) / 2 + 0.12 * tall + 0.3
            # On a plate: black and white printers make most paints too dark, or too bright, for any lettering.
            up, down = centre - 0.46 * tall, centre + 0.46 * tall
            self._pdf.set_fill_color(255, 255, 255)
            self._pdf.polygon([(x - half, up), (x + half, up), (x + half, down), (x - half, down)], style="F")
            self.text(x, centre + 0.36 * tall, vehicle.name, size, bold=True, align="middle")

    def ghost(self, x: float, foot: float, w: float, h: float, kind: str, letter: str) -> None:
        """A white silhouette for a wagon of which only the kind is said, or nothing: then it is a plain one."""
        self.silhouette(x, foot, w, h, kind if kind in OUTLINES else "open", WHITE)
        size = self.fitting(letter, 0.84 * w, 0.4 * h / MM_PER_PT, bold=True)
        self.text(x, foot - 0.38 * h, letter, size, bold=True, align="middle")

    def silhouette(self, x: float, foot: float, w: float, h: float, kind: str, fill: Ink) -> None:
        """The outline of a kind of vehicle, one of ``OUTLINES``, the middle of its floor at ``(x, foot)``."""
        wheel = 0.13 * h
        body = h - 1.5 * wheel
        for at in LOCOMOTIVE_WHEELS if kind == "locomotive" else WAGON_WHEELS:
            self.dot(x + (at - 0.5) * w, foot - wheel, wheel)

        def put(points: list[Point]) -> list[Point]:
            return [(x + (px - 0.5) * w, foot - h + py * body) for px, py in points]

        self._pdf.set_draw_color(0, 0, 0)
        self._pdf.set_fill_color(fill.red, fill.green, fill.blue)
        self._pdf.set_line_width(max(0.25, 0.015 * h))
        for outline in lines(OUTLINES[kind]):
            self._pdf.polygon(put(outline), style="DF")
        mark = fill.lettering
        for points in lines(MARKS[kind]) if kind in MARKS else []:
            start, end = put(points)
            self.line(start, end, max(0.2, 0.012 * h), ink=mark)
