"""A sheet of character cells for drawing tracks in a terminal, and the glyphs it is drawn with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.text import Text

Cell = tuple[int, int]
"""(column, row)."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """What things look like; ``down`` and ``up`` are the diagonals as read from left to right."""

    track: str
    down: str
    up: str
    upright: str
    idle: str
    idle_down: str
    idle_up: str
    idle_upright: str
    buffer_left: str
    buffer_right: str
    points: str
    points_unsure: str
    beam_free: str
    beam_broken: str
    magnet_off: str
    magnet_on: str
    wagon: tuple[str, str]
    locomotive: tuple[str, str]
    moving: str
    assumed: str
    cut: str


UNICODE = Glyphs(
    track="━",
    down="╲",
    up="╱",
    upright="┃",
    idle="╌",
    idle_down="⋱",
    idle_up="⋰",
    idle_upright="╎",
    buffer_left="┣",
    buffer_right="┫",
    points="●",
    points_unsure="○",
    beam_free="▽",
    beam_broken="▼",
    magnet_off="△",
    magnet_on="▲",
    wagon=("[", "]"),
    locomotive=("▐", "▌"),
    moving="»",
    assumed="~",
    cut="…",
)

ASCII = Glyphs(
    track="=",
    down="\\",
    up="/",
    upright="|",
    idle=".",
    idle_down=".",
    idle_up=".",
    idle_upright=".",
    buffer_left="|",
    buffer_right="|",
    points="O",
    points_unsure="o",
    beam_free="v",
    beam_broken="V",
    magnet_off="^",
    magnet_on="A",
    wagon=("[", "]"),
    locomotive=("<", ">"),
    moving=">",
    assumed="~",
    cut="'",
)


@dataclass(slots=True)
class Canvas:
    """Cells with a character and a style each, empty where nothing was drawn; nothing is drawn past the width."""

    width: int
    cells: dict[Cell, tuple[str, str]] = field(default_factory=dict)

    def put(self, cell: Cell, text: str, style: str = "") -> None:
        """Write over whatever is there, from ``cell`` to the right."""
        column, row = cell
        for offset, character in enumerate(text[: max(self.width - column, 0)]):
            self.cells[column + offset, row] = (character, style)

    def is_free(self, cell: Cell, length: int) -> bool:
        """Whether a text of this length would touch nothing, with a blank to either side of it."""
        column, row = cell
        return column >= 0 and all((c, row) not in self.cells for c in range(column - 1, column + length + 1))

    def put_free(self, choices: Iterable[Cell], text: str, style: str) -> bool:
        """Write at the first place where it touches nothing and stays on the sheet; False if there is none."""
        for column, row in choices:
            if column + len(text) <= self.width and self.is_free((column, row), len(text)):
                self.put((column, row), text, style)
                return True
        return False

    def text(self) -> Text:
        """The sheet as lines without trailing blanks."""
        rows = [row for _, row in self.cells]
        lines = [self._line(row) for row in range(min(rows), max(rows) + 1)] if rows else []
        return Text("\n", no_wrap=True, overflow="crop", end="").join(lines)

    def _line(self, row: int) -> Text:
        columns = sorted(column for column, r in self.cells if r == row)
        line = Text()
        at = 0
        for column in columns:
            line.append(" " * (column - at))
            character, style = self.cells[column, row]
            line.append(character, style)
            at = column + 1
        return line


def line_cells(start: Cell, end: Cell, flat: str, down: str, up: str, upright: str) -> list[tuple[Cell, str]]:
    """The cells of a line from start to end: the slope first, one row a cell, then level along the end's row.

    A level line has the start's cell, a sloping one begins beside it; both end at the end's.
    """
    (x, y), (end_x, end_y) = start, end
    step_x = (end_x > x) - (end_x < x)
    step_y = (end_y > y) - (end_y < y)
    slope = upright if step_x == 0 else down if step_x == step_y else up
    cells = [(start, flat)] if y == end_y else []
    while y + step_y != end_y and step_y:
        y += step_y
        x += step_x if x != end_x else 0
        cells.append(((x, y), slope if x != end_x or not step_x else upright))
    if x == end_x and step_y:
        cells.append((end, upright))
    while x != end_x:
        x += step_x
        cells.append(((x, end_y), flat))
    return cells
