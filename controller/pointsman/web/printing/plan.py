"""The layout with everything standing on it, as it is to be set up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot

from pointsman.puzzle.position import Position
from pointsman.track.model import Leg, Side, Track, Vehicle
from pointsman.web.printing.sheet import GREY, Sheet
from pointsman.web.printing.silhouettes import Point

_LEVEL_MM = 21.0
"""Between tracks side by side: room for vehicles and a line of names."""
_MOST_HIGH_MM = 80.0
_HEAD = 0.72
"""Room over the uppermost track, in levels."""
_MOST_MM, _LEAST_MM = 15.0, 5.0
_BUFFER_MM = 2.2
_CLEAR_MM = 2.5
"""Between a track and the middle of a turnout's name."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A track drawn ``width_mm`` wide, its upper left corner at (``left_mm``, ``top_mm``)."""

    track: Track
    left_mm: float
    top_mm: float
    width_mm: float

    @property
    def height_mm(self) -> float:
        """How high it is, with the names under the lowest track."""
        return self._level_mm * (len(self._levels) - 1 + _HEAD + 0.35)

    @property
    def _points(self) -> list[Point]:
        drawing = self.track.drawing
        found = [point for line in drawing.segments.values() for point in line]
        return found + [point for joints in drawing.turnouts.values() for point in joints.values()]

    @property
    def _levels(self) -> list[float]:
        return sorted({y for _, y in self._points})

    @property
    def _level_mm(self) -> float:
        return min(_LEVEL_MM, _MOST_HIGH_MM / len(self._levels))

    def at(self, point: Point) -> Point:
        """A point of the layout's drawing on paper. Levels are spread evenly, however the file spaces them."""
        across = [x for x, _ in self._points]
        span = max(across) - min(across) or 1.0
        # A buffer stop at the edge is drawn whole.
        x = self.left_mm + 1 + (point[0] - min(across)) * (self.width_mm - 2) / span
        return x, self.top_mm + self._level_mm * (self._levels.index(point[1]) + _HEAD)

    def draw(self, sheet: Sheet, position: Position) -> None:
        """Draw the tracks, their names, and the vehicles of a position."""
        wide = self._vehicle_mm()
        for name, joints in self.track.drawing.turnouts.items():
            toe = self.at(joints[Side.TOE])
            for leg in Leg:
                sheet.line(toe, self.at(joints[Side(leg)]), 0.9)
            sheet.dot(*toe, 1.1)
            self._name_turnout(sheet, name, toe)
        for name, segment in self.track.segments.items():
            line = [self.at(point) for point in self.track.drawing.segments[name]]
            for start, end in pairwise(line):
                sheet.line(start, end, 0.9)
            for joint, place in ((segment.meets_from, line[0]), (segment.meets_to, line[-1])):
                if joint is None:
                    sheet.line((place[0], place[1] - _BUFFER_MM), (place[0], place[1] + _BUFFER_MM), 1.4)
            self._stand(sheet, name, line, position.in_segment(name), wide)
        for name, vehicle, leg in position.turnouts:
            joints = self.track.drawing.turnouts[name]
            toe, end = self.at(joints[Side.TOE]), self.at(joints[Side(leg)])
            middle = ((toe[0] + end[0]) / 2, (toe[1] + end[1]) / 2)
            sheet.vehicle(middle[0], middle[1] - 0.4, wide, 0.66 * wide, self.track.vehicle(vehicle))

    def _name_turnout(self, sheet: Sheet, name: str, toe: Point) -> None:
        """Its name beside its toe, where no track is; below the track rather than among the vehicles."""
        half = sheet.width_of(name, 8) / 2
        places = [(toe[0] + side * (half + 1.2), toe[1] + down) for down in (2.9, -2.9) for side in (-1, 1)]
        tracks = [(self.at(a), self.at(b)) for line in self.track.drawing.segments.values() for a, b in pairwise(line)]
        for joints in self.track.drawing.turnouts.values():
            tracks += [(self.at(joints[Side.TOE]), self.at(joints[Side(leg)])) for leg in Leg]
        clear = [min(_distance(place, start, end) for start, end in tracks) for place in places]
        best = next((place for place, room in zip(places, clear, strict=True) if room >= _CLEAR_MM), None)
        x, y = best or places[clear.index(max(clear))]
        sheet.text(x, y + 1, name, 8, ink=GREY, align="middle")

    def _vehicle_mm(self) -> float:
        """The width of a vehicle: as many as a track holds are to find room on it."""
        found = [_MOST_MM, self._level_mm - 2]
        for name, segment in self.track.segments.items():
            start, end = _longest([self.at(point) for point in self.track.drawing.segments[name]])
            found.append((abs(end[0] - start[0]) - 3) / segment.capacity / 1.08)
        return max(min(found), _LEAST_MM)

    def _stand(self, sheet: Sheet, name: str, line: Sequence[Point], standing: Sequence[str], wide: float) -> None:
        segment = self.track.segments[name]
        start, end = _longest(line)
        towards = 1.0 if start[0] <= end[0] else -1.0
        row: list[Vehicle] = [self.track.vehicle(one) for one in standing]
        step = 1.08 * wide
        # At the points, where they are pushed up to; in the middle where there are points at both ends.
        if segment.meets_to is None:
            first = start[0] + towards * (wide / 2 + 2)
        elif segment.meets_from is None:
            first = end[0] - towards * (wide / 2 + 2 + step * (len(row) - 1))
        else:
            first = (start[0] + end[0]) / 2 - towards * step * (len(row) - 1) / 2
        foot = (start[1] + end[1]) / 2 - 0.4
        for number, vehicle in enumerate(row):
            sheet.vehicle(first + towards * step * number, foot, wide, 0.66 * wide, vehicle)
        names = list(standing) if towards > 0 else list(reversed(standing))
        text = f"{name}: {' '.join(names)}" if names else name
        room = abs(end[0] - start[0])
        size = max(sheet.fitting(text, max(room, 12), 8.5), 6)
        sheet.text((start[0] + end[0]) / 2, foot + 4.6, text, size, align="middle")


def _longest(line: Sequence[Point]) -> tuple[Point, Point]:
    """The longest level stretch of a line, or its longest if none is level."""
    return max(pairwise(line), key=lambda two: (two[0][1] == two[1][1], abs(two[1][0] - two[0][0])))


def _distance(place: Point, start: Point, end: Point) -> float:
    """From a place to the nearest of a straight line."""
    along = (end[0] - start[0], end[1] - start[1])
    long = along[0] ** 2 + along[1] ** 2 or 1.0
    t = ((place[0] - start[0]) * along[0] + (place[1] - start[1]) * along[1]) / long
    t = min(max(t, 0.0), 1.0)
    return hypot(place[0] - start[0] - t * along[0], place[1] - start[1] - t * along[1])
