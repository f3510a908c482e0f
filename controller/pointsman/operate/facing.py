"""Points that are passed facing, and may lie wrong: nothing tells how they really lie before a train is on them.

The first beam on the other leg would tell. Where a vehicle stands, or the line ends, so soon beyond it that a train
at shunting speed could not stop before, that beam is approached at coupling speed.
"""

from __future__ import annotations

from pointsman.operate.allowances import Allowances, stop_error_mm
from pointsman.operate.belief import Belief
from pointsman.operate.steps import Zone
from pointsman.operate.sweep import Sweep
from pointsman.track.model import Locomotive, Track
from pointsman.track.path import Stretch, line_through


def gentle_zones(
    track: Track, allow: Allowances, belief: Belief, swept: Sweep, until_mm: float, engine: Locomotive
) -> list[Zone]:
    """Where a movement up to ``until_mm`` must be gentle, lest it runs into something beyond points that lie wrong."""
    fastest_mm_s = track.speeds.shunting * (1 + engine.speed_error)
    way_mm = stop_error_mm(fastest_mm_s, 0.0, 0.0, engine.braking_mm_s2, allow)
    coupling_mm_s = track.speeds.coupling
    zones = []
    for stretch, toe_mm in zip(swept.path.stretches, swept.path.starts_mm, strict=True):
        beyond = _beyond(track, belief, swept, stretch)
        if beyond is None:
            continue
        seen_mm, met_mm = beyond
        front = _front(swept, toe_mm, toe_mm + seen_mm)
        if front is None:
            continue
        begin_mm = toe_mm + seen_mm - front
        # When even the slowest train has come so far, a report would be here.
        end_mm = begin_mm + coupling_mm_s * (allow.sensor_max_s + allow.host_max_s) + allow.match_mm
        if met_mm - seen_mm < way_mm and begin_mm < until_mm and swept.start_low_mm < end_mm:
            zones.append(Zone(begin_mm, coupling_mm_s, end_mm))
    return zones


def _front(swept: Sweep, toe_mm: float, beam_mm: float) -> float | None:
    """How far before the locomotive's middle that body reaches which comes to the beam first; None beyond it.

    A train that stands with its head on the points may already be on the other leg.
    """
    reach = {body: body.rest_high_mm + body.half_body_mm for body in swept.bodies}
    before = [body for body in swept.bodies if reach[body] <= (beam_mm if body.in_train else toe_mm)]
    if not before or before[-1].offset_mm < swept.head.offset_mm:
        return None
    return before[-1].offset_mm + before[-1].half_body_mm


def _beyond(track: Track, belief: Belief, swept: Sweep, way: Stretch) -> tuple[float, float] | None:
    """How far from the toe, along the leg that is not the way, the first beam is, and what would be met beyond it.

    None when no beam is there, or no points are passed facing.
    """
    if way.leg is None or not way.forward:
        return None
    lies = belief.lies(track)
    other = line_through(track, Stretch(way.element, way.leg.other, True), lies)
    beams = [at for beam in track.beams.values() if (at := other.coordinate(beam.place)) is not None and at > 0]
    if not beams:
        return None
    own = {body.vehicle for body in swept.bodies}
    ends = [
        at - spot.error_mm - track.vehicle(name).buffers_mm / 2
        for name, spot in belief.spots.items()
        if name not in own and (at := other.coordinate(spot.place)) is not None and at > 0
    ]
    return min(beams), min([*ends, other.end_mm])
