"""Vehicles as seen from the side: the page's outlines, for paper.

Each is a path in a box of 1 x 1 with its floor at y = 1; a test compares them with those of the page (shapes.js).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Point = tuple[float, float]

OUTLINES = {
    "locomotive": "M0 1V.42Q0 .3 .06 .3H.22V.06Q.22 0 .27 0H.73Q.78 0 .78 .06V.3H.94Q1 .3 1 .42V1Z",
    "van": "M0 1V.2Q.5 -.14 1 .2V1Z",
    "open": "M0 1V.22H1V1Z",
    "mineral": "M.08 1L0 .22H1L.92 1Z",
    "hopper": "M.16 1L0 .55V.16H1V.55L.84 1Z",
    "tank": "M.12 .12H.88Q1 .12 1 .5T.88 .88H1V1H0V.88H.12Q0 .88 0 .5T.12 .12Z",
    "flat": "M0 1V.18H.07V.36H.93V.18H1V1Z",
    "box": "M0 1V.08H.3V0H.7V.08H1V1Z",
    "reefer": "M0 1V.08H.08V0H.24V.08H.76V0H.92V.08H1V1Z",
    "coach": "M0 1V.16Q0 0 .12 0H.88Q1 0 1 .16V1Z",
    "cattle": "M0 1V.1H1V1Z",
    "goods": "M0 1V.3L.2 .12L.4 .26L.62 .06L.82 .24L1 .14V1Z",
    "caboose": "M0 1V.26H.32V0H.68V.26H1V1Z",
    "tender": "M0 1V.12H.64L.76 .4H1V1Z",
}
MARKS = {
    "cattle": "M.04 .3H.2M.8 .3H.96M.04 .45H.2M.8 .45H.96",
    "coach": "M.06 .24H.94",
    "reefer": "M.14 .12V.9M.86 .12V.9",
    "van": "M.12 .24V.94M.88 .24V.94",
}
"""Lines on the body, in the same box."""
LOCOMOTIVE_WHEELS = (0.16, 0.39, 0.61, 0.84)
WAGON_WHEELS = (0.2, 0.8)
_CURVE_PARTS = 12
_TOKEN = re.compile(r"[A-Z]|-?\d*\.?\d+")
_TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "T": 2, "Z": 0}


def lines(path: str) -> list[list[Point]]:
    """A path as lines of points, one for each of its parts; curves are made of short straight pieces."""
    found: list[list[Point]] = []
    bend: Point = (0.0, 0.0)
    for command, given in _steps(path):
        if command == "M":
            found.append([(given[0], given[1])])
            continue
        if command == "Z":
            continue
        here = found[-1][-1]
        if command in {"Q", "T"}:
            # T goes on smoothly: its bend is the last one's mirror image.
            bend = (given[0], given[1]) if command == "Q" else (2 * here[0] - bend[0], 2 * here[1] - bend[1])
            found[-1] += _curve(here, bend, (given[-2], given[-1]))
        elif command == "H":
            found[-1].append((given[0], here[1]))
        elif command == "V":
            found[-1].append((here[0], given[0]))
        else:
            found[-1].append((given[0], given[1]))
    return found


def _steps(path: str) -> Iterator[tuple[str, list[float]]]:
    tokens = _TOKEN.findall(path)
    while tokens:
        command = tokens.pop(0)
        yield command, [float(tokens.pop(0)) for _ in range(_TAKES[command])]


def _curve(start: Point, bend: Point, end: Point) -> list[Point]:
    found = []
    for part in range(1, _CURVE_PARTS + 1):
        t = part / _CURVE_PARTS
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
        found.append((a * start[0] + b * bend[0] + c * end[0], a * start[1] + b * bend[1] + c * end[1]))
    return found
