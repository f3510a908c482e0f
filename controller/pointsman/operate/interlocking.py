"""May this step go now? Every command passes here just before it is sent; a refusal gives its reasons.

The planner already chose steps that fit; this looks again, from the belief and the observed beams of this moment,
with the real lengths, and knows nothing of why the step was chosen.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf

from pointsman.operate.belief import Belief
from pointsman.operate.foul import fouled
from pointsman.operate.steps import DriveStep, Step, TurnoutStep, UncoupleStep
from pointsman.operate.sweep import Sweep
from pointsman.track.model import Beam, End, Track
from pointsman.track.path import Stretch, line_through, stretch_mm

BETWEEN_BUFFERS_MM = 2.0
"""Half the play of a coupling: its middle lies this near to the end of either vehicle."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else matters for a step: what moves, what is on, whether a person has to act first."""

    moving: Collection[str] = ()
    """Locomotives that are not known to stand."""
    turning: Collection[str] = ()
    """Turnouts whose machine has not had its time yet."""
    energised: Collection[str] = ()
    """Magnets that are on."""
    power_on: bool = True
    halted: str = ""
    cap_mm_s: float = inf
    """The fastest that anything may go: lower than the layout's own limit where nothing else could stop a train."""
    between: bool = False
    """The position does not say what stands on turnouts: the millimetres alone do."""


def reasons_against(track: Track, belief: Belief, step: Step, around: Surroundings) -> list[str]:
    """Why a step must not go now, a sentence each; empty when it may."""
    found = [f"everything was stopped: {around.halted}"] if around.halted else []
    match step:
        case TurnoutStep():
            return found + _against_turnout(track, belief, step, around)
        case UncoupleStep():
            return found + _against_uncoupling(track, belief, step, around)
        case DriveStep():
            return found + _against_drive(track, belief, step, around)


def _against_turnout(track: Track, belief: Belief, step: TurnoutStep, around: Surroundings) -> list[str]:
    found = [f"{name} is moving" for name in around.moving]
    found += [f"{name} is still moving, and turnouts move one after the other" for name in around.turning]
    found += [
        f"beam {beam} at {step.turnout} is broken by something that should not be there"
        for beam in _unexplained(track, belief)
        if _stands_at(track, beam, step.turnout)
    ]
    found += [
        f"{vehicle} stands on {step.turnout}, or may"
        for vehicle in belief.spots
        if step.turnout in touched_turnouts(track, belief, vehicle)
    ]
    occupied = None if around.between else belief.position.on_turnout(step.turnout)
    if occupied is not None:
        found.append(f"the train stands across {step.turnout}: {occupied[0]} is on it")
    return found


def _against_uncoupling(track: Track, belief: Belief, step: UncoupleStep, around: Surroundings) -> list[str]:
    found = [f"{name} is moving" for name in around.moving]
    found += [f"{name} is still moving" for name in around.turning]
    found += [f"magnet {name} is still on" for name in around.energised if name != step.uncoupler]
    magnet = track.uncouplers[step.uncoupler]
    lie = belief.lies(track)
    line = line_through(track, Stretch(magnet.place.element, magnet.place.leg, True), lie)
    over = line.coordinate(magnet.place)
    for name in (step.kept, step.left):
        spot = belief.spots[name]
        at = line.coordinate(spot.place)
        if at is None or over is None:
            found.append(f"{name} does not stand on the line of magnet {step.uncoupler}")
            continue
        off = abs(abs(at - over) - track.vehicle(name).length_mm / 2)
        if off + spot.error_mm > magnet.reach_mm + BETWEEN_BUFFERS_MM:
            found.append(f"the end of {name} is {off:.0f} mm from magnet {step.uncoupler}")
    return found


def reasons_against_start(belief: Belief, step: DriveStep, around: Surroundings) -> list[str]:
    """Why nothing must be driven now, wherever its way leads, a sentence each; empty when it may."""
    found = [f"everything was stopped: {around.halted}"] if around.halted else []
    return found + _against_start(belief, step, around)


def _against_start(belief: Belief, step: DriveStep, around: Surroundings) -> list[str]:
    found = [] if around.power_on else ["the track power is off"]
    if not (belief.proved or step.proves):
        found.append(f"nobody has proved yet where {step.locomotive} is and which way it faces")
    found += [f"{name} is moving" for name in around.moving if name != step.locomotive]
    return found + [f"magnet {name} is on" for name in around.energised]


def _against_drive(track: Track, belief: Belief, step: DriveStep, around: Surroundings) -> list[str]:
    found = _against_start(belief, step, around)
    swept = step.sweep
    first, last = _swept_mm(step)
    for stretch, start in zip(swept.path.stretches, swept.path.starts_mm, strict=True):
        if stretch.leg is None or start > last or start + stretch_mm(track, stretch) < first:
            continue
        lie, reported = belief.commanded.get(stretch.element), belief.reported.get(stretch.element)
        if stretch.element in around.turning:
            found.append(f"{stretch.element} is still moving")
        elif lie is None:
            found.append(f"nobody knows how {stretch.element} lies")
        elif lie is not stretch.leg:
            found.append(f"{stretch.element} lies for its {lie} leg, the train needs {stretch.leg}")
        elif reported not in {None, lie}:
            found.append(f"{stretch.element} was set for its {lie} leg, and is reported {reported}")
        found += _fouling(track, belief, swept, stretch.element)
    if step.stop.target_mm + step.stop.long_mm > step.stop.limit_mm:
        found.append("there is not room enough to stop")
    fastest = min(track.speeds.limit, around.cap_mm_s)
    if max(zone.speed_mm_s for zone in step.zones) > fastest:
        found.append(f"faster than {fastest:.0f} mm/s")
    return found


def _fouling(track: Track, belief: Belief, swept: Sweep, turnout: str) -> list[str]:
    """Vehicles that are no part of the movement and stand foul of a turnout on its way."""
    own = {body.vehicle for body in swept.bodies}
    return [
        f"{vehicle} stands foul of {turnout}"
        for vehicle in belief.spots
        if vehicle not in own and turnout in touched_turnouts(track, belief, vehicle, sure=True)
    ]


def _swept_mm(step: DriveStep) -> tuple[float, float]:
    """The piece of line that the movement covers: from the tail at the start to the foremost end at the stop."""
    swept = step.sweep
    tail, last = swept.tail, swept.bodies[-1]
    furthest = step.stop.target_mm + step.stop.long_mm
    head = max(
        body.high_mm(furthest) + body.half_length_mm
        for body in swept.bodies
        if body.in_train or furthest + body.offset_mm > body.rest_low_mm
    )
    return tail.rest_low_mm - tail.half_length_mm, min(head, last.high_mm(furthest) + last.half_length_mm)


def reasons_against_setup(track: Track, belief: Belief) -> list[str]:
    """What the beams say against the set-up, a sentence each: they see the layout before anything moves."""
    found = [f"beam {beam} is broken, though nothing should stand there" for beam in _unexplained(track, belief)]
    for beam in track.beams.values():
        if not belief.beams.get(beam.name, False):
            found += [
                f"beam {beam.name} does not see {name}"
                for name, off, error in _bodies_at(track, belief, beam)
                if off < -error
            ]
    return found


def _unexplained(track: Track, belief: Belief) -> list[str]:
    """Beams that are broken, though no vehicle is believed to be where it could break them."""
    return [
        beam.name
        for beam in track.beams.values()
        if belief.beams.get(beam.name, False) and all(off > error for _, off, error in _bodies_at(track, belief, beam))
    ]


def _bodies_at(track: Track, belief: Belief, beam: Beam) -> list[tuple[str, float, float]]:
    """Every vehicle on the line of a beam: how far its body is from it (negative: in it), and how sure that is."""
    lie = belief.lies(track)
    line = line_through(track, Stretch(beam.place.element, beam.place.leg, True), lie)
    at = line.coordinate(beam.place)
    found = []
    for name, spot in belief.spots.items():
        middle = line.coordinate(spot.place)
        if at is not None and middle is not None:
            found.append((name, abs(middle - at) - track.vehicle(name).body_mm / 2, spot.error_mm))
    return found


def _stands_at(track: Track, beam: str, turnout: str) -> bool:
    """Whether a beam stands on a turnout, or at the end of a segment that meets it."""
    place = track.beams[beam].place
    if place.leg is not None:
        return place.element == turnout
    segment = track.segments[place.element]
    end = End.FROM if place.at_mm < segment.length_mm / 2 else End.TO
    met = segment.meets(end)
    return met is not None and met.turnout == turnout


def touched_turnouts(track: Track, belief: Belief, vehicle: str, *, sure: bool = False) -> set[str]:
    """Turnouts that some part of a vehicle is on or foul of, or may be (``sure``: is for certain)."""
    spot = belief.spots[vehicle]
    half_mm = track.vehicle(vehicle).buffers_mm / 2
    return fouled(track, spot, half_mm - spot.error_mm if sure else half_mm + spot.error_mm)
