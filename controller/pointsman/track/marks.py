"""How a row of vehicles is set up by hand in a segment: around a locomotive's mark, or pushed up to the first beam."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.track.model import End, Segment, Track


def marked(track: Track, segment: str, row: Sequence[str]) -> str | None:
    """The locomotive of a row (from -> to) that stands at its mark; None: the row is pushed up to the first beam.

    That is so when none of the row has its mark in the segment, or when the row around the mark would not fit in.
    """
    for name in row:
        engine = track.locomotives.get(name)
        if engine is None or engine.mark.element != segment:
            continue
        place = row.index(name)
        before_mm = sum(track.vehicle(other).length_mm for other in row[: place + 1])
        after_mm = sum(track.vehicle(other).length_mm for other in row[place + 1 :])
        if before_mm <= engine.mark.at_mm and engine.mark.at_mm + after_mm <= track.segments[segment].length_mm:
            return name
    return None


def pushed_towards(segment: Segment) -> End:
    """The end of a segment to which a row without a mark is pushed up: the points', the ``from`` end if both are."""
    return End.TO if segment.meets_from is None and segment.meets_to is not None else End.FROM
