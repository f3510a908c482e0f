"""A draw sheet: one page with what was drawn, how it is set up, what is to be formed, and room for what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.track.model import Track
from pointsman.web.printing.plan import Plan
from pointsman.web.printing.sheet import GREY, MARGIN_MM, Paper, Sheet
from pointsman.web.printing.words import Words

_CODE_MM = 36.0
_MOST_ROWS, _LEAST_ROWS = 6, 3
_ROW_MM = 8.0
_TOKEN_MM = (16.5, 11.0)
_GAP_MM = 2.5


@dataclass(frozen=True, slots=True)
class Group:
    """What stands side by side: vehicles, kinds (``@van``), any wagon (``?``), any number of them (``..``)."""

    names: tuple[str, ...]
    any_order: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """Where it stands, and what."""

    label: str
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A puzzle as it was drawn, with its par.

    ``name`` is layout/puzzle, ``target`` as ``box.task.target_of`` has it, ``par`` in what is counted (milliseconds for
    seconds), ``link`` is what the code to scan says: an address, or the command that draws the same.
    """

    track: Track
    name: str
    title: str
    seed: str | None
    cards: tuple[str, ...]
    start: Position
    goal: str
    target: Mapping[str, Sequence[str | Sequence[str]]]
    count: Count
    par: int
    proved: bool
    link: str


def draw_sheet(drawn: Drawn, language: str, paper: Paper) -> bytes:
    """A PDF of one page."""
    words = Words(language)
    sheet = Sheet(paper, f"{words.sentence(drawn.title)} - {drawn.name}", language)
    sheet.page()
    _Page(sheet, words, drawn).draw()
    return sheet.whole()


class _Page:
    def __init__(self, sheet: Sheet, words: Words, drawn: Drawn) -> None:
        self._sheet, self._words, self._drawn = sheet, words, drawn
        self._right = sheet.width_mm - MARGIN_MM
        self._room = self._right - MARGIN_MM

    def draw(self) -> None:
        """From the top; the record stands at the foot of the last page."""
        y = self._head()
        if self._drawn.cards:
            y = self._heading(y, self._words("cards"))
            y = self._flow(y, [Term("", (Group(self._drawn.cards),))])
        y = self._heading(y, self._words("set-up"))
        plan = Plan(self._drawn.track, MARGIN_MM, y - 4, self._room)
        plan.draw(self._sheet, self._drawn.start)
        y = self._heading(y + plan.height_mm, self._words("target"))
        y = self._flow(y, [self._term(place, items) for place, items in self._drawn.target.items()])
        goal = self._words("print.goal", goal=self._drawn.goal)
        self._record(self._sheet.paragraph(MARGIN_MM, y + 1, goal, self._room, 8, ink=GREY))

    def _head(self) -> float:
        sheet, words, drawn = self._sheet, self._words, self._drawn
        room = self._room - _CODE_MM - 4
        code_left = self._right - _CODE_MM
        # Its quiet zone reaches into the margin: the pattern ends where everything else does.
        sheet.code(code_left + 3.5, MARGIN_MM - 6, _CODE_MM, drawn.link)
        caption = words("print.scan")
        sheet.text(self._right, MARGIN_MM + 30.5, caption, sheet.fitting(caption, _CODE_MM + 4, 7), align="right")
        title = words.sentence(drawn.track.title)
        sheet.text(MARGIN_MM, MARGIN_MM + 2, title, sheet.fitting(title, room, 11), ink=GREY)
        y = sheet.paragraph(MARGIN_MM, MARGIN_MM + 10, words.sentence(drawn.title), room, 15, bold=True)
        named = drawn.name if drawn.seed is None else f"{drawn.name}, {words('seed', seed=drawn.seed)}"
        sheet.text(MARGIN_MM, y + 7, named, sheet.fitting(named, room, 11))
        par = words("print.par", par=words.counted(drawn.count, drawn.par))
        how = words("print.proved" if drawn.proved else "print.at-most")
        sheet.text(MARGIN_MM, y + 14, f"{par} ({how})", 12, bold=True)
        sheet.paragraph(MARGIN_MM, y + 19, drawn.link, room, 7, ink=GREY)
        return max(y + 22, MARGIN_MM + 32)

    def _heading(self, y: float, text: str) -> float:
        """A line and a word over what follows; where that begins."""
        self._sheet.line((MARGIN_MM, y + 2), (self._right, y + 2), 0.3, ink=GREY)
        self._sheet.text(MARGIN_MM, y + 7.5, text, 11, bold=True)
        return y + 11

    def _term(self, place: str, items: Sequence[str | Sequence[str]]) -> Term:
        name = place.replace("+", " + ")
        if place.endswith("+"):
            name = self._words("print.train-of", name=place[:-1])
        return Term(
            f"{name}:", tuple(Group((one,)) if isinstance(one, str) else Group(tuple(one), True) for one in items)
        )

    def _flow(self, y: float, terms: Sequence[Term]) -> float:
        """Terms side by side where they have room, each with its vehicles; where the next thing begins."""
        names = [name for term in terms for group in term.groups for name in group.names]
        above = 5.0 if any(group.any_order for term in terms for group in term.groups) else 0.0
        below = 5.0 if any(name.startswith("@") for name in names) else 0.0
        high = above + _TOKEN_MM[1] + below + 3.5
        x = MARGIN_MM
        y = self._room_for(high, y)
        for term in terms:
            label = self._sheet.fitting(term.label, 60, 11, bold=True)
            head = self._sheet.width_of(term.label, label, bold=True) + 3 if term.label else 0.0
            whole = head + sum(self._wide(name) + _GAP_MM for group in term.groups for name in group.names)
            if x > MARGIN_MM and x + whole > self._right:
                x, y = MARGIN_MM, self._room_for(high, y + high)
            self._sheet.text(x, y + above + 0.7 * _TOKEN_MM[1], term.label, label, bold=True)
            x += head
            if not term.groups:
                empty = self._words("empty")
                self._sheet.text(x, y + above + 0.7 * _TOKEN_MM[1], empty, 11)
                x += self._sheet.width_of(empty, 11)
            for group in term.groups:
                began = x
                for name in group.names:
                    wide = self._wide(name)
                    if x + wide > self._right:
                        self._bracket(group, began, x, y + above)
                        x, y = MARGIN_MM + head, self._room_for(high, y + high)
                        began = x
                    self._one(name, x + wide / 2, y + above + _TOKEN_MM[1])
                    x += wide + _GAP_MM
                self._bracket(group, began, x, y + above)
            x += 8
        return y + high

    def _room_for(self, high: float, y: float) -> float:
        """Where so much can be drawn: here, or at the top of another page."""
        if y + high <= self._sheet.height_mm - MARGIN_MM:
            return y
        self._sheet.page()
        return MARGIN_MM

    def _bracket(self, group: Group, began: float, ended: float, top: float) -> None:
        """Over vehicles that may stand in any order."""
        if not group.any_order or ended <= began:
            return
        right = ended - _GAP_MM
        for start, end in (((began, top), (began, top - 1.5)), ((right, top), (right, top - 1.5))):
            self._sheet.line(start, end, 0.4)
        self._sheet.line((began, top - 1.5), (right, top - 1.5), 0.4)
        text = self._words("any-order")
        size = self._sheet.fitting(text, max(right - began, 12), 8)
        self._sheet.text((began + right) / 2, top - 2.5, text, size, align="middle")

    def _wide(self, name: str) -> float:
        """How much a vehicle takes, with the name of its kind under it where only that is asked for."""
        wide = _TOKEN_MM[0]
        return max(wide, self._sheet.width_of(self._words.kind(name[1:]), 8) + 1) if name.startswith("@") else wide

    def _one(self, name: str, middle: float, foot: float) -> None:
        """A vehicle; a white one where only its kind is asked for (``@van``), or any (``?``); or what is written."""
        sheet, track = self._sheet, self._drawn.track
        wide, high = _TOKEN_MM
        if name in track.wagons or name in track.locomotives:
            sheet.vehicle(middle, foot, wide, high, track.vehicle(name))
        elif name == "?":
            sheet.ghost(middle, foot, wide, high, "open", "?")
        elif name.startswith("@"):
            sheet.ghost(middle, foot, wide, high, name[1:], "")
            sheet.text(middle, foot + 3.6, self._words.kind(name[1:]), 8, align="middle")
        elif name == "..":
            sheet.text(middle, foot - 3, "…", 16, bold=True, align="middle")
        else:
            sheet.text(middle, foot - 3.5, name, sheet.fitting(name, wide, 11), align="middle")

    def _record(self, y: float) -> None:
        """Where it is written down who did it in how many: all rows with room, on another page if those are few."""
        sheet, words, drawn = self._sheet, self._words, self._drawn
        foot = sheet.height_mm - MARGIN_MM
        rows = min(_MOST_ROWS, int((foot - y - 9) / _ROW_MM) - 1)
        if rows < _LEAST_ROWS:
            sheet.page()
            rows = _MOST_ROWS
        top = foot - _ROW_MM * (rows + 1)
        sheet.text(MARGIN_MM, top - 2.5, words("print.run"), 11, bold=True)
        # What is the time needs no second column for it.
        counts = [] if drawn.count is Count.SECONDS else [(words(f"count.{drawn.count}").capitalize(), 0.16)]
        spare = 0.0 if counts else 0.04
        columns = [
            (words("print.date"), 0.16 + spare),
            (words("print.name"), 0.3 + spare),
            (words("print.time"), 0.14 + spare),
            *counts,
            (words("print.signature"), 0.24 + spare),
        ]
        x = MARGIN_MM
        for text, share in columns:
            sheet.text(x + 2, top + 5.5, text, sheet.fitting(text, share * self._room - 4, 9), bold=True)
            for row in range(rows + 1):
                sheet.box(x, top + row * _ROW_MM, share * self._room, _ROW_MM, 0.25)
            x += share * self._room
