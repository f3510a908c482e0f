"""Parting a coupling: draw it over a magnet if it does not stand there, slacken it, and energise the magnet."""

from __future__ import annotations

from math import inf

from pointsman.errors import RefusedError
from pointsman.operate.belief import Belief
from pointsman.operate.needs import TOUCH_BUFFER_MM, boundary, furthest_mm
from pointsman.operate.office import Office
from pointsman.operate.steps import DriveStep, Job, Step, UncoupleStep, Zone
from pointsman.operate.stopping import Need
from pointsman.operate.sweep import Body, Sweep
from pointsman.puzzle.moves import Run, train_of
from pointsman.track.model import Uncoupler
from pointsman.track.wiring import UncouplerKind

SLACKENING_MM = 4.0
"""What a slack-back goes further than the slack, at a creep."""
MISSED_BACK_MM = 15.0
"""A stop after setting back may be missed by this much."""
MOST_TRIES = 3
"""How often it is tried again to part a coupling; then a person is asked."""


def to_part(office: Office, belief: Belief, job: Job) -> bool:
    """Whether the run leaves vehicles that may be coupled to it."""
    if not job.run.left:
        return False
    kept, left = boundary(office.track, job.run)
    if frozenset((kept, left)) in belief.parted:
        return False
    swept = office.sweep_of(belief, job.run.locomotive, job.run.towards, dict(job.run.legs), job.run)
    line = swept.path
    near, far = belief.spots[kept], belief.spots[left]
    here, there = line.coordinate(near.place), line.coordinate(far.place)
    if here is None or there is None:
        return True
    taut = (office.track.vehicle(kept).length_mm + office.track.vehicle(left).length_mm) / 2
    gap = here - there - taut - near.error_mm - far.error_mm
    return gap <= office.allow.clear_mm


def over_magnet(office: Office, belief: Belief, job: Job) -> Uncoupler | None:
    """The magnet over which the coupling to part stands, pushed together, if it does."""
    kept, left = boundary(office.track, job.run)
    if frozenset((kept, left)) not in belief.pushed:
        return None
    swept = office.sweep_of(belief, job.run.locomotive, job.run.towards, dict(job.run.legs), job.run)
    body = swept.body(kept)
    for magnet in office.track.uncouplers.values():
        at = swept.path.coordinate(magnet.place)
        if at is None:
            continue
        low, high = body.rest_low_mm - body.half_buffers_mm, body.rest_high_mm - body.half_buffers_mm
        if at - magnet.reach_mm <= low and high <= at + magnet.reach_mm:
            return magnet
    return None


def draw_step(office: Office, belief: Belief, job: Job) -> Step | None:
    """Draw the train until the coupling to part stands over a magnet; None if there is nothing to draw.

    Raises RefusedError when no magnet is there for it, or there is no exact enough stop.
    """
    run = job.run
    if not to_part(office, belief, job) or over_magnet(office, belief, job) is not None:
        return None
    swept = office.sweep_of(belief, run.locomotive, run.towards, dict(run.legs))
    kept, left = boundary(office.track, run)
    body = swept.body(kept)
    if _drawn_over_magnet(office, swept, run, body):
        return None
    cut = body.offset_mm - body.half_length_mm
    magnet, at, whole_mm = _magnet_ahead(office, swept, run, body)
    # Slackening back takes up the coupling and what the stop misses: both must still end within the magnet's reach.
    back_mm = _slack_mm(office, body, left) + SLACKENING_MM
    need = Need(
        max(at - magnet.reach_mm + back_mm - cut, whole_mm),
        at + magnet.reach_mm - cut,
        furthest_mm(swept, TOUCH_BUFFER_MM),
        target_mm=at - cut,
        why=(f"the coupling between {kept} and {left} must come over magnet {magnet.name}",),
    )
    stop = office.stop_of(swept, need)
    text = f"draw until {left} | {kept} is over magnet {magnet.name}"
    return office.drive(belief, swept, stop, [], text)


def _drawn_over_magnet(office: Office, swept: Sweep, run: Run, body: Body) -> bool:
    """Whether the coupling behind a vehicle stands over a magnet already, wherever exactly it stands."""
    rear = train_of(office.track, run.before, run.locomotive, run.towards).places[0].element
    low, high = body.rest_low_mm - body.half_length_mm, body.rest_high_mm - body.half_length_mm
    return any(at - m.reach_mm <= low and high <= at + m.reach_mm for at, m in _magnets_in(office, swept, rear))


def _magnet_ahead(office: Office, swept: Sweep, run: Run, body: Body) -> tuple[Uncoupler, float, float]:
    """The nearest magnet over which the coupling behind a vehicle can be drawn, with what is left whole in its segment.

    Returns it, its coordinate, and the place of the locomotive from which on all that is left is in the segment.
    """
    rear = train_of(office.track, run.before, run.locomotive, run.towards).places[0].element
    ahead_mm = body.rest_low_mm - body.half_length_mm
    span = swept.path.span_mm(rear)
    # Of what is left, some may stand loose beyond a gap: they are no part of the sweep.
    outermost = next(b for b in swept.bodies if b.vehicle in run.left)
    whole_mm = swept.start_low_mm
    if span is not None and outermost.rest_low_mm - outermost.half_length_mm < span[0]:
        whole_mm = span[0] - outermost.offset_mm + outermost.half_length_mm
    cut = body.offset_mm - body.half_length_mm
    found = [
        (at, m)
        for at, m in _magnets_in(office, swept, rear)
        if at >= ahead_mm - m.reach_mm and at + m.reach_mm - cut >= whole_mm
    ]
    if not found:
        raise RefusedError(
            [f"no magnet in {rear} that the coupling behind {body.vehicle} could be drawn over"],
            cure="uncouple by hand, or put a magnet there",
        )
    at, magnet = min(found, key=lambda f: f[0])
    return magnet, at, whole_mm


def _slack_mm(office: Office, body: Body, left: str) -> float:
    """How far two coupled vehicles can close up."""
    neighbour = office.track.vehicle(left)
    return body.half_length_mm + neighbour.length_mm / 2 - body.half_buffers_mm - neighbour.buffers_mm / 2


def _magnets_in(office: Office, swept: Sweep, element: str) -> list[tuple[float, Uncoupler]]:
    """The magnets of an element on a sweep's line, each with its coordinate."""
    there = [m for m in office.track.uncouplers.values() if m.place.element == element]
    return [(at, m) for m in there if (at := swept.path.coordinate(m.place)) is not None]


def slack_step(office: Office, belief: Belief, job: Job) -> Step | None:
    """After drawing: back until the coupling over the magnet is slack; None when it is already.

    Raises RefusedError when that is further than the slack-back allowance, or there is no exact enough stop.
    """
    if over_magnet(office, belief, job) is not None:
        return None
    kept, left = boundary(office.track, job.run)
    step = _back_step(office, belief, job, office.allow.slack_back_mm, f"back to slacken {left} | {kept}")
    start = (step.sweep.start_low_mm + step.sweep.start_high_mm) / 2
    if step.stop.target_mm - start > office.allow.slack_back_mm:
        raise RefusedError(
            [f"a slack-back of {step.stop.target_mm - start:.0f} mm, more than {office.allow.slack_back_mm:.0f}"],
            cure="look at its magnet: the train stands too far from it",
        )
    return step


def set_back_step(office: Office, belief: Belief, job: Job) -> Step:
    """Back, gently, to where the coupling that did not part stands slack over its magnet again.

    Raises RefusedError when there is no exact enough stop.
    """
    kept, left = boundary(office.track, job.run)
    text = f"{left} came along: set back to uncouple it from {kept} once more"
    return _back_step(office, belief, job, inf, text)


def _back_step(office: Office, belief: Belief, job: Job, at_most_mm: float, text: str) -> DriveStep:
    run = job.run
    kept, left = boundary(office.track, run)
    away = run.towards.other
    swept = office.sweep_of(belief, run.locomotive, away, dict(run.legs))
    body = swept.body(kept)
    element = run.before.where(left)[0]
    span = swept.path.span_mm(element)
    if span is None:
        raise AssertionError(f"{left} was drawn over a magnet in {element}, and the line does not lead there")
    cut = body.offset_mm + body.half_buffers_mm
    magnets = _magnets_in(office, swept, element)
    at, magnet = min(magnets, key=lambda f: abs(f[0] - (body.rest_low_mm + body.half_length_mm)))
    slack = _slack_mm(office, body, left)
    # The kept vehicle must move by the slack, from wherever it stands, to come buffer to buffer.
    low = max(at - magnet.reach_mm, span[0], body.rest_high_mm + body.half_buffers_mm + slack + 0.1)
    high = at + magnet.reach_mm
    start = (swept.start_low_mm + swept.start_high_mm) / 2
    need = Need(
        low - cut,
        high - cut,
        min(furthest_mm(swept, TOUCH_BUFFER_MM), start + at_most_mm + MISSED_BACK_MM),
        why=(f"the coupling between {kept} and {left} must be slack over magnet {magnet.name}",),
    )
    gently = Zone(swept.start_low_mm, office.track.speeds.coupling)
    return office.drive(belief, swept, office.stop_of(swept, need), [gently], text)


def uncouple_step(office: Office, belief: Belief, job: Job) -> Step:
    """The magnet under the coupling that the run parts. Raises RefusedError when none lies there."""
    kept, left = boundary(office.track, job.run)
    magnet = over_magnet(office, belief, job)
    if magnet is None:
        raise RefusedError(
            [f"the coupling between {kept} and {left} does not stand slack over a magnet"],
            cure="uncouple by hand, then say what stands where",
        )
    wired = office.wiring.uncouplers[magnet.name]
    if wired.kind is UncouplerKind.HAND:
        return UncoupleStep(magnet.name, kept, left, 0.0, inf, energise=False, by_hand=True)
    energise = wired.kind is not UncouplerKind.PERMANENT
    return UncoupleStep(magnet.name, kept, left, wired.hold_s, wired.hold_s + 5.0, energise)
