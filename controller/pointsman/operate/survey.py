"""What a layout asks of its stops: the worst error of each kind, the room it has, and the speed at its beams."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.operate.allowances import Allowances, stop_error_mm, top_speed_at_gap_mm_s
from pointsman.track.model import End, Locomotive, Segment, Track


@dataclass(frozen=True, slots=True)
class StopSurvey:
    """One kind of stop at one place: made at ``speed_mm_s``, ``blind_mm`` after the last edge.

    ``error_mm`` is the worst error (blind way x speed error + speed x reaction + braking), ``room_mm`` what the track
    gives it.
    """

    place: str
    what: str
    speed_mm_s: float
    blind_mm: float
    error_mm: float
    room_mm: float

    @property
    def good(self) -> bool:
        """Whether the worst error fits in the room."""
        return self.error_mm <= self.room_mm


def narrowest_gap_mm(track: Track) -> float:
    """The smallest gap between two bodies that stand buffer to buffer: what a beam has to see between them."""
    spare = sorted(v.buffers_mm - v.body_mm for v in (*track.wagons.values(), *track.locomotives.values()))
    return (spare[0] + spare[min(1, len(spare) - 1)]) / 2


def top_speed_at_beams_mm_s(track: Track, allow: Allowances) -> float:
    """The fastest speed at which every gap is surely seen."""
    return top_speed_at_gap_mm_s(narrowest_gap_mm(track), allow)


def stops(track: Track, allow: Allowances) -> list[StopSurvey]:
    """Every kind of stop that a plan on this track can need, for the locomotive that stops worst."""
    found = []
    for engine in track.locomotives.values():
        for magnet in track.uncouplers.values():
            segment = track.segments.get(magnet.place.element)
            if segment is not None:
                found.append(_at_magnet(track, allow, engine, segment, magnet.name))
        for segment in track.segments.values():
            for end in End:
                if segment.meets(end) is not None:
                    found += [_clear(track, allow, engine, segment, end), _met(track, allow, engine, segment, end)]
    worst: dict[tuple[str, str], StopSurvey] = {}
    for survey in found:
        key = (survey.place, survey.what)
        if key not in worst or survey.error_mm - survey.room_mm > worst[key].error_mm - worst[key].room_mm:
            worst[key] = survey
    return list(worst.values())


def _speed(engine: Locomotive, speed_mm_s: float) -> float:
    return engine.speeds.speed_mm_s(engine.speeds.step_for(speed_mm_s))


def _survey(
    allow: Allowances, engine: Locomotive, place: str, what: str, speed_mm_s: float, blind_mm: float, room_mm: float
) -> StopSurvey:
    speed = _speed(engine, speed_mm_s)
    error = stop_error_mm(speed, blind_mm, engine.speed_error, engine.braking_mm_s2, allow)
    return StopSurvey(place, what, speed, blind_mm, error, room_mm)


def _beam_depth_mm(track: Track, segment: Segment, at_mm: float) -> float:
    beams = [b.place.at_mm for b in track.beams.values() if b.place.element == segment.name]
    return min((abs(at_mm - beam) for beam in beams), default=segment.length_mm)


def _at_magnet(track: Track, allow: Allowances, engine: Locomotive, segment: Segment, magnet: str) -> StopSurvey:
    """A coupling over a magnet: from the edge of the gap at the beam to the middle of where it may stop."""
    place, reach = track.uncouplers[magnet].place, track.uncouplers[magnet].reach_mm
    low = max(0.0, place.at_mm - reach)
    high = min(segment.length_mm, place.at_mm + reach)
    blind = _beam_depth_mm(track, segment, (low + high) / 2) + narrowest_gap_mm(track) / 2
    what = f"coupling over magnet {magnet}"
    return _survey(allow, engine, segment.name, what, track.speeds.creep, blind, high - low)


def _clear(track: Track, allow: Allowances, engine: Locomotive, segment: Segment, end: End) -> StopSurvey:
    """The whole of a full segment inside it, clear of the points."""
    at = 0.0 if end is End.FROM else segment.length_mm
    blind = _beam_depth_mm(track, segment, at) + narrowest_gap_mm(track) / 2 + allow.clear_mm
    return _survey(
        allow, engine, segment.name, "clear of the points", track.speeds.creep, blind, _spare_mm(track, allow, segment)
    )


def _met(track: Track, allow: Allowances, engine: Locomotive, segment: Segment, end: End) -> StopSurvey:
    """Standing vehicles met and pushed by the contact allowance, in a full segment."""
    at = 0.0 if end is End.FROM else segment.length_mm
    blind = _beam_depth_mm(track, segment, at) + allow.contact_mm
    room = _spare_mm(track, allow, segment) + allow.buffer_mm
    return _survey(allow, engine, segment.name, "vehicles met", track.speeds.creep, blind, room)


def _spare_mm(track: Track, allow: Allowances, segment: Segment) -> float:
    own = [e.length_mm for e in track.locomotives.values() if e.mark.element == segment.name][: segment.capacity]
    taken = sum(own) + (segment.capacity - len(own)) * track.unit_mm
    return segment.length_mm - allow.buffer_mm - taken
