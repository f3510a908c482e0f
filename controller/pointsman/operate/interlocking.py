"""May this step go now? Every command passes here just before it is sent; a refusal gives its reasons.

The planner already chose steps that fit; this looks again, from the belief and the observed beams of this moment,
with the real lengths, and knows nothing of why the step was chosen.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pointsman.operate.belief import Belief
from pointsman.operate.foul import fouled
from pointsman.operate.steps import DriveStep, Step, TurnoutStep, UncoupleStep
from pointsman.operate.sweep import Sweep
from pointsman.track.model import Leg, Track
from pointsman.track.path import Stretch, line_through, stretch_mm


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


def reasons_against(track: Track, belief: Belief, step: Step, around: Surroundings) -> list[str]:
    """Why a step must not go now, a sentence each; empty when it may."""
    found = [f"everything was stopped: {around.halted}"] if around.halted else []
    match step:
        case TurnoutStep():
            return found + _against_turnout(track, belief, step, around)
        case UncoupleStep():
            return found + _against_uncoupling(track, belief, step, around)
        case _:
            return found + _against_drive(track, belief, step, around)


def _against_turnout(track: Track, belief: Belief, step: TurnoutStep, around: Surroundings) -> list[str]:
    found = [f"{name} is moving" for name in around.moving]
    found += [
        f"{vehicle} stands on {step.turnout}, or may"
        for vehicle in belief.spots
        if step.turnout in touched_turnouts(track, belief, vehicle)
    ]
    occupied = belief.position.on_turnout(step.turnout)
    if occupied is not None:
        found.append(f"the train stands across {step.turnout}: {occupied[0]} is on it")
    return found


def _against_uncoupling(track: Track, belief: Belief, step: UncoupleStep, around: Surroundings) -> list[str]:
    found = [f"{name} is moving" for name in around.moving]
    found += [f"magnet {name} is still on" for name in around.energised if name != step.uncoupler]
    magnet = track.uncouplers[step.uncoupler]
    lie = {**dict.fromkeys(track.turnouts, Leg.CLOSED), **belief.commanded}
    line = line_through(track, Stretch(magnet.place.element, magnet.place.leg, True), lie)
    over = line.coordinate(magnet.place)
    for name in (step.kept, step.left):
        spot = belief.spots[name]
        at = line.coordinate(spot.place)
        if at is None or over is None:
            found.append(f"{name} does not stand on the line of magnet {step.uncoupler}")
            continue
        off = abs(abs(at - over) - track.vehicle(name).length_mm / 2)
        if off - spot.error_mm > magnet.reach_mm:
            found.append(f"the end of {name} is {off:.0f} mm from magnet {step.uncoupler}")
    return found


def _against_drive(track: Track, belief: Belief, step: DriveStep, around: Surroundings) -> list[str]:
    found = [] if around.power_on else ["the track power is off"]
    found += [f"{name} is moving" for name in around.moving if name != step.locomotive]
    found += [f"magnet {name} is on" for name in around.energised]
    swept = step.sweep
    first, last = _swept_mm(step)
    for stretch, start in zip(swept.path.stretches, swept.path.starts_mm, strict=True):
        if stretch.leg is None or start > last or start + stretch_mm(track, stretch) < first:
            continue
        lie = belief.commanded.get(stretch.element)
        if stretch.element in around.turning:
            found.append(f"{stretch.element} is still moving")
        elif lie is None:
            found.append(f"nobody knows how {stretch.element} lies")
        elif lie is not stretch.leg:
            found.append(f"{stretch.element} lies for its {lie} leg, the train needs {stretch.leg}")
        found += _fouling(track, belief, swept, stretch.element)
    if step.stop.target_mm + step.stop.long_mm > step.stop.limit_mm:
        found.append("there is not room enough to stop")
    if max(zone.speed_mm_s for zone in step.zones) > track.speeds.limit:
        found.append(f"faster than {track.speeds.limit:.0f} mm/s")
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
    found = []
    for beam in track.beams.values():
        broken = belief.beams.get(beam.name, False)
        bodies = [
            (abs(spot.place.at_mm - beam.place.at_mm) - track.vehicle(name).body_mm / 2, spot.error_mm, name)
            for name, spot in belief.spots.items()
            if (spot.place.element, spot.place.leg) == (beam.place.element, beam.place.leg)
        ]
        if broken and all(off > error for off, error, _ in bodies):
            found.append(f"beam {beam.name} is broken, though nothing should stand there")
        if not broken:
            found += [f"beam {beam.name} does not see {name}" for off, error, name in bodies if off < -error]
    return found


def touched_turnouts(track: Track, belief: Belief, vehicle: str, *, sure: bool = False) -> set[str]:
    """Turnouts that some part of a vehicle is on or foul of, or may be (``sure``: is for certain)."""
    spot = belief.spots[vehicle]
    half_mm = track.vehicle(vehicle).buffers_mm / 2
    return fouled(track, spot, half_mm - spot.error_mm if sure else half_mm + spot.error_mm)
