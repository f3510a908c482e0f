"""A drive by hand: along a sweep without a planned stop, as fast as the throttle says, and never beyond a limit.

It is followed by the tracker as any drive is. It brakes when even the fastest train that can be meant would come to a
stand just before the limit, and goes at coupling speed where something may be met.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from pointsman.operate import tracker
from pointsman.operate.ahead import Ahead, Limit, Protection
from pointsman.operate.belief import Belief
from pointsman.operate.coming_along import not_known
from pointsman.operate.facing import gentle_zones
from pointsman.operate.office import Office, decoder_forward
from pointsman.operate.plan import contacts
from pointsman.operate.steps import DriveStep, Zone
from pointsman.operate.stopping import Stop

LOOK_MM = 1.5
"""A limit is kept by so much more: the train is looked at from time to time only."""
CREEP_BEFORE_MM = 20.0
COUPLING_BEFORE_MM = 50.0
"""So long before its limit a movement goes at coupling speed, and so long at a creep: it stops nearer to it so."""


def hand_step(
    office: Office, belief: Belief, found: Ahead, speed_mm_s: float, protection: Protection = Protection.FULL
) -> DriveStep:
    """The drive along what lies ahead, at a throttle's speed."""
    swept, limit = found.sweep, found.limit(protection)
    engine = office.track.locomotives[swept.locomotive]
    target = limit.c_mm - LOOK_MM
    stop = Stop(
        target_mm=target,
        low_mm=swept.start_low_mm,
        high_mm=limit.c_mm,
        limit_mm=limit.c_mm,
        short_mm=0.0,
        long_mm=0.0,
        speed_mm_s=office.nominal_mm_s(engine, office.track.speeds.creep),
        edge=None,
        why=limit.why,
        surely=True,
    )
    step = DriveStep(
        locomotive=swept.locomotive,
        forward=decoder_forward(belief, swept),
        sweep=swept,
        zones=(),
        stop=stop,
        deadline_s=inf,
        text=f"by hand: {swept.locomotive} towards {limit.name}",
        dragging=found.dragging,
        loose=not_known(found.dragging, swept, belief),
    )
    return replace(step, zones=zones(office, belief, step, speed_mm_s))


def zones(office: Office, belief: Belief, step: DriveStep, speed_mm_s: float) -> tuple[Zone, ...]:
    """How fast a drive by hand may be where: as the throttle says, and slower where it must."""
    swept, stop, speeds = step.sweep, step.stop, office.track.speeds
    engine = office.track.locomotives[swept.locomotive]
    begin = swept.start_low_mm
    creep = office.nominal_mm_s(engine, speeds.creep)
    every = [
        Zone(begin, min(speed_mm_s, speeds.shunting, office.cap_mm_s)),
        *contacts(swept, stop, speeds.coupling, belief.coupled),
        *gentle_zones(office.track, office.allow, belief, swept, stop.limit_mm, engine),
        Zone(max(begin, stop.target_mm - COUPLING_BEFORE_MM), speeds.coupling),
        Zone(max(begin, stop.target_mm - CREEP_BEFORE_MM), creep),
    ]
    return tuple(sorted(every, key=lambda zone: (zone.from_mm, -zone.speed_mm_s)))


def at_speed(office: Office, belief: Belief, drive: tracker.Drive, speed_mm_s: float) -> tracker.Drive:
    """The drive under way with the throttle at another speed; ``belief`` is that of its start."""
    step = replace(drive.step, zones=zones(office, belief, drive.step, speed_mm_s))
    return replace(drive, step=step)


def start_mm(office: Office, locomotive: str) -> float:
    """The room that the shortest drive takes: off at the lowest step, and stopped as soon as it is looked at."""
    engine, allow = office.track.locomotives[locomotive], office.allow
    creep = office.nominal_mm_s(engine, office.track.speeds.creep) * (1 + engine.speed_error)
    late_s = allow.rail_max_s + allow.host_max_s + 2 * tracker.LOOK_AGAIN_CHANGING_S
    return creep * late_s + creep**2 / (2 * engine.braking_mm_s2 * (1 - allow.rate_error)) + LOOK_MM


def has_room(office: Office, found: Ahead, protection: Protection) -> bool:
    """Whether there is room enough to start at all."""
    return found.room_mm(protection) >= start_mm(office, found.sweep.locomotive)


def limit_of(drive: tracker.Drive, found: Ahead, protection: Protection) -> Limit | None:
    """The limit that a drive which stands has been stopped by; None when it stands short of it."""
    limit = found.limit(protection)
    return limit if tracker.stands_between(drive)[1] >= limit.c_mm - 2 * LOOK_MM else None
