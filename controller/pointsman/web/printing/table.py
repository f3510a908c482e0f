"""A table of results: places, who has them, a column for each attempt or round, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.web.printing.flow import Block
from pointsman.web.printing.sheet import GREY, MARGIN_MM, MM_PER_PT, Sheet

_RANK_MM = 14.0
_RESULT_MM = 36.0
_LEAST_NAME_MM = 44.0
_LEAST_COLUMN_MM, _MOST_COLUMN_MM = 20.0, 26.0
_PAD_MM, _GAP_MM = 1.2, 2.0
_LEADING = 1.18


@dataclass(frozen=True, slots=True)
class Cell:
    """Something short, and what is told of it in small letters, a line or more for each."""

    value: str = ""
    under: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One of a table: ``cells`` has one for each column."""

    rank: str
    who: Cell
    cells: tuple[Cell, ...]
    result: Cell


@dataclass(frozen=True, slots=True)
class _Manner:
    """How a value is set: largest and least size in points, and how many lines it may take in the largest."""

    sizes: tuple[float, float]
    most: int = 1
    bold: bool = True


_HEAD, _NAME, _RESULT = _Manner((8, 6), 2), _Manner((10.5, 7), 2), _Manner((10.5, 7), 2)
_VALUE, _UNDER = _Manner((10, 6), bold=False), _Manner((7, 5.5), 2, bold=False)


@dataclass(frozen=True, slots=True)
class _Put:
    """A line of letters; ``y`` is its foot below the top of what it belongs to."""

    x: float
    y: float
    text: str
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Lines between the margins of a sheet, of so many columns; those without room go on under the first ones."""

    sheet: Sheet
    columns: int

    @property
    def _room_mm(self) -> float:
        return self.sheet.width_mm - 2 * MARGIN_MM

    @property
    def _for_columns_mm(self) -> float:
        return self._room_mm - _RANK_MM - _RESULT_MM - _LEAST_NAME_MM

    @property
    def _across(self) -> int:
        """How many columns stand side by side."""
        return max(1, min(self.columns, int(self._for_columns_mm / _LEAST_COLUMN_MM)))

    @property
    def _column_mm(self) -> float:
        return min(_MOST_COLUMN_MM, self._for_columns_mm / self._across)

    def head(self, line: Line, over: str = "") -> Block:
        """The heads of the columns, ``over`` them a line that tells what they belong to."""
        puts, high = self._laid(line, head=True)
        above = 7.0 if over else 0.0

        def draw(top: float) -> None:
            if over:
                size = self.sheet.fitting(over, self._room_mm, 9, bold=True)
                self.sheet.text(MARGIN_MM, top + 4, over, size, bold=True)
            self._draw(puts, top + above)
            foot = top + above + high
            self.sheet.line((MARGIN_MM, foot), (MARGIN_MM + self._room_mm, foot), 0.5)

        return Block(above + high, draw, together=True)

    def block(self, line: Line, head: Block) -> Block:
        """A line, with a thin rule under it; ``head`` is repeated on every page."""
        puts, high = self._laid(line)

        def draw(top: float) -> None:
            self._draw(puts, top)
            self.sheet.line((MARGIN_MM, top + high), (MARGIN_MM + self._room_mm, top + high), 0.15, ink=GREY)

        return Block(high, draw, head=head)

    def _draw(self, puts: list[_Put], top: float) -> None:
        for put in puts:
            self.sheet.text(put.x, top + put.y, put.text, put.size, bold=put.bold)

    def _laid(self, line: Line, *, head: bool = False) -> tuple[list[_Put], float]:
        """Where everything of a line stands, and how high that is."""
        rank, who, value, result = (_HEAD,) * 4 if head else (_VALUE, _NAME, _VALUE, _RESULT)
        name_mm = self._room_mm - _RANK_MM - _RESULT_MM - self._column_mm * self._across
        left = MARGIN_MM + _RANK_MM
        right = MARGIN_MM + self._room_mm - _RESULT_MM
        found = [
            self._cell(Cell(line.rank), MARGIN_MM, _PAD_MM, _RANK_MM, rank),
            self._cell(line.who, left, _PAD_MM, name_mm, who),
        ]
        down = _PAD_MM
        for at in range(0, len(line.cells), self._across):
            row = [
                self._cell(cell, left + name_mm + number * self._column_mm, down, self._column_mm, value)
                for number, cell in enumerate(line.cells[at : at + self._across])
            ]
            down = max(foot for _, foot in row)
            found += row
        found.append(self._cell(line.result, right, _PAD_MM, _RESULT_MM, result))
        return [put for puts, _ in found for put in puts], max(foot for _, foot in found) + _PAD_MM

    def _cell(self, cell: Cell, x: float, top: float, wide_mm: float, manner: _Manner) -> tuple[list[_Put], float]:
        """The letters of a cell, and its foot."""
        found: list[_Put] = []
        values = [(cell.value, manner)] if cell.value else []
        for text, how in [*values, *((text, _UNDER) for text in cell.under)]:
            size, lines = self.sheet.set_in(text, wide_mm - _GAP_MM, how.sizes, most=how.most, bold=how.bold)
            step = size * MM_PER_PT * _LEADING
            for line in lines:
                found.append(_Put(x, top + 0.8 * step, line, size, how.bold))
                top += step
        return found, top
