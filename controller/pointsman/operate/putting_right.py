"""Putting right: what a person says stands where, after a stop. It changes a position, or is refused with a cure.

An answer is a whole position in the one-line notation, or vehicles with their new tracks: ``3 s2``, ``3 s2 1, 4 s1``.
After it everything is set up by hand as before a play, so it must be possible to stand so: on tracks, not on points.
"""

from __future__ import annotations

from collections.abc import Collection

from pointsman.errors import NotationError, did_you_mean
from pointsman.puzzle.position import Position, parse_position
from pointsman.track.marks import pushed_towards
from pointsman.track.model import End, Track


def how(track: Track, position: Position) -> str:
    """How to answer, with an example that could be meant."""
    wagon = next((name for name in position.vehicles if name not in track.locomotives), position.vehicles[0])
    segment = next((name for name in reversed([*track.segments]) if wagon not in position.in_segment(name)), "")
    return f"write a wagon and its track, like {wagon} {segment}, or the whole line"


def corrected(track: Track, position: Position, answer: str) -> Position:
    """The position after an answer; one change after the other, so a track may be too full in between.

    ``3 s2`` puts 3 at the end of s2 where its row is pushed up, ``3 s2 2`` at the second place as the line is written.
    Raises NotationError, which leaves everything as it was.
    """
    if ":" in answer:
        return parse_position(answer, track, position.vehicles)
    for change in answer.split(","):
        position = _moved(track, position, change.split())
    return position


def why_not_so(track: Track, position: Position) -> list[str]:
    """Why everything cannot be set up so, a sentence each; empty when it can."""
    found = [f"{name} stands on {turnout}: say on which track it stands" for turnout, name, _ in position.turnouts]
    for segment in track.segments.values():
        row = position.in_segment(segment.name)
        length_mm = sum(track.vehicle(name).length_mm for name in row)
        if len(row) > segment.capacity:
            found.append(f"{len(row)} vehicles in {segment.name}, which holds {segment.capacity}")
        elif length_mm > segment.length_mm:
            found.append(f"{' '.join(row)} are {length_mm:.0f} mm long, {segment.name} is {segment.length_mm:.0f}")
    return found


def _moved(track: Track, position: Position, words: list[str]) -> Position:
    if len(words) not in {2, 3}:
        raise NotationError(f"{' '.join(words)!r} is not understood", cure=how(track, position))
    vehicle = _known("vehicle", words[0], position.vehicles)
    segment = track.segments[_known("track", words[1], track.segments)]
    rows = {name: [other for other in row if other != vehicle] for name, row in position.segments}
    row = rows[segment.name]
    at = len(row) if pushed_towards(segment) is End.TO else 0
    if len(words) == 3:
        if not (words[2].isdecimal() and len(words[2]) <= 3 and 1 <= int(words[2]) <= len(row) + 1):
            raise NotationError(
                f"there is no place {words[2]} for {vehicle} in {segment.name}", cure=f"places are 1 to {len(row) + 1}"
            )
        at = int(words[2]) - 1
    row.insert(at, vehicle)
    return Position.of(track, rows, {turnout: (on, leg) for turnout, on, leg in position.turnouts if on != vehicle})


def _known(what: str, name: str, names: Collection[str]) -> str:
    """A name, in whichever case it is written."""
    alike = [known for known in names if known.casefold() == name.casefold()]
    if name in names or len(alike) == 1:
        return name if name in names else alike[0]
    raise NotationError(f"there is no {what} {name!r}", cure=did_you_mean(name, names))
