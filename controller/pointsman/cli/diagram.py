"""The layout drawn in the terminal, from the drawing coordinates of its file.

Nothing is told by colour alone: the leg that a turnout lies for is a solid line and the other a broken one, a broken
beam and a magnet that is on are filled, a locomotive has other ends than a wagon, and what is only assumed or still
moving is marked in the turnout's label. Vehicles are drawn in order, at the points' end of their track; where exactly
they stand is nothing that a position says.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pointsman.cli.canvas import ASCII, UNICODE, Canvas, Cell, Glyphs, line_cells
from pointsman.track.colour import hex_colour
from pointsman.track.fit import fit
from pointsman.track.model import Leg, Locomotive, Place, Point, Side, Track, Vehicle

ROWS_APART = 3
"""Rows from one level of track to the next: its own line, what stands below it, what is written above the next."""

_TRACK = "grey70"
_IDLE = "grey42"
_LABEL = "grey62"
_QUIET = "grey50"
_WARN = "bold yellow"
_ALERT = "bold red"


class Surety(StrEnum):
    """How surely a turnout is known to lie as it is said to."""

    SEEN = "seen"
    ASSUMED = "assumed"
    MOVING = "moving"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Lie:
    """Which way a turnout lies (``leg`` is None when nobody knows), and how surely."""

    leg: Leg | None
    surety: Surety


_EITHER = Lie(None, Surety.SEEN)
"""In a plan of the track no turnout lies for any leg."""


def can_draw(console: Console) -> bool:
    """Whether the console shows the drawing characters; else the plain ones are used.

    A dumb terminal and the Linux text console lack some of them, whatever their encoding says.
    """
    if os.environ.get("TERM", "") in {"dumb", "linux"}:
        return False
    glyphs = "".join(getattr(UNICODE, name) for name in ("track", "down", "idle_down", "points", "beam_free", "cut"))
    try:
        glyphs.encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def render(
    track: Track,
    vehicles: Mapping[str, Sequence[str]],
    *,
    lies: Mapping[str, Lie] | None = None,
    beams: Mapping[str, bool] | None = None,
    magnets_on: Collection[str] = (),
    width: int = 80,
    unicode: bool = True,
) -> Text:
    """The layout as lines of at most ``width`` columns (40 at least).

    ``vehicles`` has the names of those in a segment or on a turnout, from -> to, or toe -> leg; ``beams`` says which
    are broken, those not mentioned are free. Without ``lies`` a plan of the track is drawn, with both legs of every
    turnout alike; with them, a turnout that is not mentioned is not known.
    """
    sheet = _Sheet(track, UNICODE if unicode else ASCII, max(width, 40))
    known = dict.fromkeys(track.turnouts, _EITHER) if lies is None else lies
    for name in track.turnouts:
        sheet.draw_turnout(name, known.get(name, Lie(None, Surety.UNKNOWN)))
    for name in track.segments:
        sheet.draw_segment(name)
    for name in track.turnouts:
        sheet.draw_points(name, known.get(name, Lie(None, Surety.UNKNOWN)))
    for name, standing in vehicles.items():
        sheet.draw_vehicles(name, [track.vehicle(v) for v in standing], known.get(name))
    broken = beams or {}
    for beam in track.beams.values():
        sheet.draw_beam(beam.place, broken=broken.get(beam.name, False))
    for magnet in track.uncouplers.values():
        sheet.draw_magnet(magnet.place, on=magnet.name in magnets_on)
    sheet.label_turnouts(known)
    sheet.label_segments(vehicles)
    sheet.write_legend(known)
    return sheet.canvas.text()


def dimensions(track: Track) -> Table:
    """Each segment's capacity, its millimetres, and the room left over."""
    table = Table(
        title=f"{track.title} ({track.scale}, one wagon is {track.unit_mm:g} mm)",
        title_justify="left",
        box=box.SIMPLE_HEAD,
    )
    table.add_column("track")
    for header in ("holds", "length mm", "usable mm", "taken mm", "left mm"):
        table.add_column(header, justify="right")
    for segment in track.segments.values():
        found = fit(track, segment)
        figures = (found.length_mm, found.room_mm, found.need_mm, found.spare_mm)
        table.add_row(segment.name, str(found.capacity), *(f"{figure:.0f}" for figure in figures))
    return table


class _Sheet:
    """A canvas with the scale of one layout on it."""

    def __init__(self, track: Track, glyphs: Glyphs, width: int) -> None:
        self.track = track
        self.glyphs = glyphs
        self.width = width
        self.canvas = Canvas(width)
        drawing = track.drawing
        points = [p for line in drawing.segments.values() for p in line]
        points += [p for joints in drawing.turnouts.values() for p in joints.values()]
        self._left = min(x for x, _ in points)
        span = max(x for x, _ in points) - self._left
        self._columns_per_unit = (width - 1) / span if span else 1.0
        # Levels are spread evenly, however the file spaces them: what stands beside the track needs its rows.
        self._rows = {y: 1 + ROWS_APART * i for i, y in enumerate(sorted({y for _, y in points}))}
        self._pad = " " if self._has_room_for_pads() else ""
        self._unwritten: list[tuple[str, str]] = []

    def _has_room_for_pads(self) -> bool:
        """Whether names get a blank to either side: only when every full track can show all of its vehicles so."""
        longest = max((len(name) for name in [*self.track.wagons, *self.track.locomotives]), default=0)
        return all(
            segment.capacity * (longest + 4) + 3 <= len(_longest_level([c for c, _ in self._segment_cells(name)]))
            for name, segment in self.track.segments.items()
        )

    def cell(self, point: Point) -> Cell:
        x, y = point
        return round((x - self._left) * self._columns_per_unit), self._rows[y]

    # ------------------------------------------------------------ tracks

    def draw_segment(self, name: str) -> None:
        segment = self.track.segments[name]
        g = self.glyphs
        cells = self._segment_cells(name)
        for cell, glyph in cells:
            self.canvas.put(cell, glyph, _TRACK)
        for joint, (cell, _), (inner, _) in (
            (segment.meets_from, cells[0], cells[1]),
            (segment.meets_to, cells[-1], cells[-2]),
        ):
            if joint is None:
                self.canvas.put(cell, g.buffer_left if cell[0] <= inner[0] else g.buffer_right, "bold " + _TRACK)

    def _segment_cells(self, name: str) -> list[tuple[Cell, str]]:
        g = self.glyphs
        points = [self.cell(p) for p in self.track.drawing.segments[name]]
        cells: list[tuple[Cell, str]] = []
        for start, end in pairwise(points):
            cells += line_cells(start, end, g.track, g.down, g.up, g.upright)
        # Two cells at least, so that both ends can be marked.
        return cells if len(cells) > 1 else [(points[0], g.track), (points[-1], g.track)]

    def _leg_cells(self, name: str, leg: Leg, *, solid: bool) -> list[tuple[Cell, str]]:
        g = self.glyphs
        joints = self.track.drawing.turnouts[name]
        kinds = (g.track, g.down, g.up, g.upright) if solid else (g.idle, g.idle_down, g.idle_up, g.idle_upright)
        return line_cells(self.cell(joints[Side.TOE]), self.cell(joints[Side(leg)]), *kinds)

    def draw_turnout(self, name: str, lie: Lie) -> None:
        # The leg it lies for last, so that it stays whole where both share cells.
        for leg in sorted(Leg, key=lambda one: one is lie.leg):
            solid = lie is _EITHER or (leg is lie.leg and lie.surety is not Surety.MOVING)
            for cell, glyph in self._leg_cells(name, leg, solid=solid):
                self.canvas.put(cell, glyph, _TRACK if solid else _IDLE)

    def draw_points(self, name: str, lie: Lie) -> None:
        sure = lie is _EITHER or (lie.surety in {Surety.SEEN, Surety.ASSUMED} and lie.leg is not None)
        glyph = self.glyphs.points if sure else self.glyphs.points_unsure
        self.canvas.put(self._toe(name), glyph, _TRACK if sure else _WARN)

    def _toe(self, name: str) -> Cell:
        return self.cell(self.track.drawing.turnouts[name][Side.TOE])

    # ------------------------------------------------------------ vehicles

    def draw_vehicles(self, element: str, standing: Sequence[Vehicle], lie: Lie | None) -> None:
        if not standing:
            return
        if element in self.track.segments:
            cells = [cell for cell, _ in self._segment_cells(element)]
            segment = self.track.segments[element]
            at_start, at_end = segment.meets_from is not None, segment.meets_to is not None
        else:
            leg = lie.leg if lie is not None and lie.leg is not None else Leg.CLOSED
            cells = [cell for cell, _ in self._leg_cells(element, leg, solid=True)]
            at_start = at_end = True
        level = _longest_level(cells)
        first, last = level[0][0], level[-1][0]
        ordered = list(standing) if first <= last else list(reversed(standing))
        start_left = at_start if first <= last else at_end
        end_right = at_end if first <= last else at_start
        # One cell at each end stays clear for the beam, the points or the buffer.
        room = abs(last - first) - 1
        boxes = self._boxes(ordered, room)
        length = sum(len(text) for text, _ in boxes)
        left, right = min(first, last) + 1, max(first, last)
        if start_left and not end_right:
            column = left + 1
        elif end_right and not start_left:
            column = right - length - 1
        else:
            column = left + (right - left - length) // 2
        column = max(left, min(column, right - length))
        for text, style in boxes:
            self.canvas.put((column, level[0][1]), text, style)
            column += len(text)

    def _boxes(self, standing: Sequence[Vehicle], room: int) -> list[tuple[str, str]]:
        """Vehicles as text and style, names cut so that all fit; their number when even that is too much."""
        longest = max(len(v.name) for v in standing)
        for pad, letters in [(self._pad, longest), *(("", letters) for letters in range(longest, 0, -1))]:
            boxes = [self._box(vehicle, letters, pad) for vehicle in standing]
            if sum(len(text) for text, _ in boxes) <= room:
                return boxes
        return [(f"[{len(standing)} vehicles]"[: max(room, 1)], "reverse")]

    def _box(self, vehicle: Vehicle, letters: int, pad: str) -> tuple[str, str]:
        g = self.glyphs
        name = vehicle.name
        if len(name) > letters:
            name = name[: letters - 1] + g.cut if letters > 1 else name[:1]
        is_loco = isinstance(vehicle, Locomotive)
        left, right = g.locomotive if is_loco else g.wagon
        background = hex_colour(vehicle.colour) or "#808080"
        return (
            f"{left}{pad}{name}{pad}{right}",
            f"{'bold ' if is_loco else ''}{_ink(background)} on {background}",
        )

    # ------------------------------------------------------------ beside the track

    def _place_cell(self, place: Place) -> Cell:
        if place.leg is None:
            cells = [cell for cell, _ in self._segment_cells(place.element)]
            length = self.track.segments[place.element].length_mm
        else:
            cells = [cell for cell, _ in self._leg_cells(place.element, place.leg, solid=True)]
            length = self.track.turnouts[place.element].through_mm(place.leg)
        return cells[round(place.at_mm / length * (len(cells) - 1))]

    def draw_beam(self, place: Place, *, broken: bool) -> None:
        column, row = self._place_cell(place)
        glyph = self.glyphs.beam_broken if broken else self.glyphs.beam_free
        self.canvas.put((column, row - 1), glyph, _ALERT if broken else _QUIET)

    def draw_magnet(self, place: Place, *, on: bool) -> None:
        column, row = self._place_cell(place)
        glyph = self.glyphs.magnet_on if on else self.glyphs.magnet_off
        self.canvas.put((column, row + 1), glyph, _ALERT if on else _QUIET)

    # ------------------------------------------------------------ words

    def label_turnouts(self, lies: Mapping[str, Lie]) -> None:
        for name in self.track.turnouts:
            lie = lies.get(name, Lie(None, Surety.UNKNOWN))
            text = name if lie is _EITHER else f"{name} {self._lie_text(lie)}"
            style = _LABEL if lie.surety in {Surety.SEEN, Surety.ASSUMED} else _WARN
            column, row = self._toe(name)
            legs = [self.cell(self.track.drawing.turnouts[name][Side(leg)])[0] for leg in Leg]
            rightward = sum(legs) >= 2 * column
            near = column + 2 if rightward else column - 1 - len(text)
            around = _around(near, 8)
            choices = [(c, row - 1) for c in around] + [(c, row + 1) for c in around]
            if not self.canvas.put_free(choices, text, style):
                self._unwritten.append((text, style))

    def _lie_text(self, lie: Lie) -> str:
        if lie.leg is None or lie.surety is Surety.UNKNOWN:
            return "?"
        mark = {Surety.MOVING: self.glyphs.moving, Surety.ASSUMED: self.glyphs.assumed, Surety.SEEN: ""}[lie.surety]
        return f"{mark}{lie.leg}"

    def label_segments(self, vehicles: Mapping[str, Sequence[str]]) -> None:
        for name, segment in self.track.segments.items():
            text = f"{name} {len(vehicles.get(name, ()))}/{segment.capacity}"
            level = _longest_level([cell for cell, _ in self._segment_cells(name)])
            left, right = sorted((level[0][0], level[-1][0]))
            row = level[0][1]
            # At the end away from the points, where nothing else is written.
            near = left + 2 if segment.meets_from is None else right - 1 - len(text)
            if segment.meets_from is not None and segment.meets_to is not None:
                near = (left + right - len(text)) // 2
            around = _around(near, 8)
            choices = [(c, row - 1) for c in around] + [(c, row + 1) for c in around]
            if not self.canvas.put_free(choices, text, _LABEL):
                self._unwritten.append((text, _LABEL))

    def write_legend(self, lies: Mapping[str, Lie]) -> None:
        """What the signs mean, those in use only; and labels that found no room."""
        g = self.glyphs
        used = {character for character, _ in self.canvas.cells.values()}
        sureties = {lie.surety for lie in lies.values() if lie.leg is not None}
        entries = [
            (f"{glyph} {meaning}", _QUIET)
            for glyph, meaning in (
                (g.beam_free, "beam free"),
                (g.beam_broken, "beam broken"),
                (g.magnet_off, "magnet"),
                (g.magnet_on, "magnet on"),
            )
            if glyph in used
        ]
        entries += [(f"{g.moving}moving", _QUIET)] if Surety.MOVING in sureties else []
        entries += [(f"{g.assumed}assumed, not seen", _QUIET)] if Surety.ASSUMED in sureties else []
        column, row = 0, max(row for _, row in self.canvas.cells) + 2
        for text, style in [*self._unwritten, *entries]:
            if column and column + len(text) > self.width:
                column, row = 0, row + 1
            self.canvas.put((column, row), text, style)
            column += len(text) + 3


def _around(near: int, reach: int) -> list[int]:
    """Columns to try: the wished one, then ever farther to both sides."""
    return [near] + [near + sign * by for by in range(1, reach + 1) for sign in (1, -1)]


def _longest_level(cells: Sequence[Cell]) -> list[Cell]:
    """The longest run of cells in one row."""
    best: list[Cell] = []
    run: list[Cell] = []
    for cell in cells:
        if not run or run[-1][1] != cell[1]:
            run = []
        run.append(cell)
        if len(run) > len(best):
            best = run
    return best


def _ink(background: str) -> str:
    """Black or white, whichever is read better on a colour (relative luminance, ITU-R BT.601 weights)."""
    red, green, blue = (int(background[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"
