"""Tracks for decoration: one laid around a page, and one that a train stands on."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, hypot, pi, sin

from pointsman.web.printing.sheet import Ink, Sheet
from pointsman.web.printing.silhouettes import Point

_EDGE_MM = 8.0
"""From the edge of the paper to the ends of the sleepers: every printer reaches so far."""
_SLEEPER_MM, _GAUGE_MM = 7.0, 3.6
_BEND_MM = 16.0
_APART_MM = 3.4
CLEAR_MM = _EDGE_MM + _SLEEPER_MM + 4
"""From the edge of the paper to where nothing of the track is."""
_WOOD, _STEEL = Ink(176, 150, 120), Ink(60, 60, 60)


def border(sheet: Sheet) -> None:
    """A track around the page, with round corners."""
    middle = list(_around(sheet.width_mm, sheet.height_mm, _EDGE_MM + _SLEEPER_MM / 2))
    for (x, y), (across, down) in middle:
        half = _SLEEPER_MM / 2
        sheet.line((x - across * half, y - down * half), (x + across * half, y + down * half), 1.1, ink=_WOOD)
    for side in (-_GAUGE_MM / 2, _GAUGE_MM / 2):
        rail = [(x + across * side, y + down * side) for (x, y), (across, down) in middle]
        for start, end in zip(rail, rail[1:] + rail[:1], strict=True):
            sheet.line(start, end, 0.5, ink=_STEEL)


def rails(sheet: Sheet, ends: tuple[float, float], top: float) -> None:
    """A track as seen from the side, from end to end, its rail at ``top``."""
    left, right = ends
    many = int((right - left) / 4)
    for number in range(many):
        x = left + (number + 0.5) * (right - left) / many
        sheet.line((x - 1, top + 1.3), (x + 1, top + 1.3), 1.2, ink=_WOOD)
    sheet.line((left, top + 0.3), (right, top + 0.3), 0.6, ink=_STEEL)


def _around(width: float, height: float, inset: float) -> Iterator[tuple[Point, Point]]:
    """Places on a rectangle with round corners, evenly spaced on each of its parts, with the way out from each."""
    left, top, right, bottom = inset, inset, width - inset, height - inset
    bend = _BEND_MM
    corners = (
        ((right - bend, top + bend), -pi / 2, (right, bottom - bend)),
        ((right - bend, bottom - bend), 0.0, (left + bend, bottom)),
        ((left + bend, bottom - bend), pi / 2, (left, top + bend)),
        ((left + bend, top + bend), pi, (right - bend, top)),
    )
    for (x, y), began, onwards in corners:
        many = round(bend * pi / 2 / _APART_MM)
        for number in range(many):
            angle = began + number * pi / 2 / many
            out = (cos(angle), sin(angle))
            yield (x + bend * out[0], y + bend * out[1]), out
        out = (round(cos(began + pi / 2)), round(sin(began + pi / 2)))
        here = (x + bend * out[0], y + bend * out[1])
        long = hypot(onwards[0] - here[0], onwards[1] - here[1])
        many = round(long / _APART_MM)
        for number in range(many):
            part = number / many
            yield (here[0] + part * (onwards[0] - here[0]), here[1] + part * (onwards[1] - here[1])), out
