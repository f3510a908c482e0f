"""How fast a locomotive was between two beams, from the journal of a calibration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pointsman.errors import JournalError
from pointsman.messages import SensorChanged
from pointsman.record import Line, message_of, read


@dataclass(frozen=True, slots=True)
class Timed:
    """The fastest passage: whole millimetres and milliseconds, as ``entries.SpeedChecked`` has them."""

    locomotive: str
    distance_mm: int
    time_ms: int


def speed_from(journal: Path) -> Timed:
    """The fastest passage from one of a calibration's two beams to the other, in one drive, front edge to front edge.

    Raises JournalError for a journal that cannot be read, is no calibration's, or has no whole passage.
    """
    where, lines = str(journal), read(journal).lines
    header = lines[0].values if lines else {}
    locomotive, between, distance_mm = (header.get(name) for name in ("calibrates", "between", "distance_mm"))
    whole = isinstance(between, list) and len(between) == 2 and isinstance(distance_mm, int | float)
    if not whole or not isinstance(locomotive, str):
        cure = "give one that pointsman calibrate wrote"
        raise JournalError("this is not the journal of a calibration", where=where, cure=cure)
    times_s = list(_passages_s(lines, frozenset(map(str, between or ()))))
    if not times_s:
        cure = "calibrate again, and let it pass both beams"
        raise JournalError("no passage between both beams is in it", where=where, cure=cure)
    return Timed(locomotive, round(distance_mm or 0), round(1000 * min(times_s)))


def _passages_s(lines: tuple[Line, ...], beams: frozenset[str]) -> Iterator[float]:
    """Seconds from the first break of one beam to the first break of the other, of every drive that has both."""
    broken: dict[str, float] = {}
    for line in lines:
        if line.kind == "step":
            broken.clear()  # another drive begins
        message = message_of(line) if line.kind == "event" else None
        if not isinstance(message, SensorChanged) or not message.active or message.sensor not in beams:
            continue
        if message.sensor not in broken:
            broken[message.sensor] = line.t_s
            if len(broken) == len(beams) == 2:
                yield line.t_s - min(broken.values())
