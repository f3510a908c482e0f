"""What the stop of a run has to satisfy, looking ahead to the run that follows.

The position of the model does not say how deep a train goes; the next run does. If it takes standing vehicles, the
train must meet them. If it leaves vehicles, their coupling must stop over a magnet. If it needs points moved, the
train must stand clear of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.stopping import Need
from pointsman.operate.sweep import Body, Edge, Sweep
from pointsman.puzzle.journey import towards_after, train_after
from pointsman.puzzle.moves import Run, train_of
from pointsman.track.model import Leg, Track

CONTACT_BUFFER_MM = 3.0
"""When vehicles are coupled up in front of a buffer, what is pushed may come this near to it."""
INSIDE_MM = 0.5
"""What must stand clear in a segment has its buffers at least this far inside."""
TOUCH_BUFFER_MM = 2.0
"""Nearer than this counts as hitting the buffer."""


def need_of(
    track: Track,
    allow: Allowances,
    belief: Belief,
    swept: Sweep,
    run: Run,
    upcoming: Run | None,
    *,
    couples_up: bool = False,
) -> Need:
    """The need of the stop that ends ``run``; ``upcoming`` is the run after it, None at the end of the plan.

    ``couples_up``: at the end of the plan the train must have met everything that the model counts to it.
    """
    free = Need(swept.start_low_mm, furthest_mm(swept, allow.buffer_mm), furthest_mm(swept, TOUCH_BUFFER_MM))
    if upcoming is None:
        need = _as_the_model_says(track, allow, swept, run, free)
        return _coupled_up(track, allow, belief, swept, run, need) if couples_up else need
    lies = {**belief.commanded, **dict(run.legs)}
    need = _short_of_wrong_points(allow, swept, run, lies, free)
    for turnout, leg in upcoming.legs:
        if lies.get(turnout) is not leg:
            need = _clear_of(allow, swept, run, turnout, need)
    if upcoming.towards is towards_after(track, run):
        return _for_the_same_way(track, swept, upcoming, need)
    kept = train_of(track, upcoming.before, upcoming.locomotive, upcoming.towards).vehicles[len(upcoming.left) :]
    moved = {b.vehicle for b in swept.bodies if b.in_train or run.before.where(b.vehicle) != run.after.where(b.vehicle)}
    # What this run leaves behind is no part of its sweep: the next one meets it on its own way.
    taken = [b for b in swept.bodies if b.vehicle in kept and b.vehicle not in moved]
    if taken:
        return _met(allow, swept, taken[-1], need)
    if upcoming.left and upcoming.left[-1] in moved:
        return _over_magnet(track, swept, upcoming, need)
    return need


def seen_needs(track: Track, belief: Belief, swept: Sweep, run: Run, upcoming: Run | None, need: Need) -> list[Need]:
    """Farther needs than ``need``, the best first: that beams see what is drawn over points which the next run moves.

    A wagon that has parted by itself would stand on them else, and nobody would know.
    """
    if upcoming is None or need.contact or need.target_mm is not None:
        return []
    lies = {**belief.commanded, **dict(run.legs)}
    spans = [_behind(swept, run, turnout) for turnout, leg in upcoming.legs if lies.get(turnout) is not leg]
    over_mm = max((span[1] for span in spans if span is not None), default=None)
    if over_mm is None:
        return []
    found = []
    for body in swept.bodies:
        if body.offset_mm >= 0:
            break
        edges = [e for e in swept.edges if e.vehicle == body.vehicle and e.active and e.sure]
        seen = [e for e in edges if _at_mm(track, swept, e) >= over_mm]
        if seen and seen[0].c_mm <= need.low_mm:
            break
        if seen:
            found.append(need.at_least(seen[0].c_mm, f"{body.vehicle} must be seen at beam {seen[0].beam}"))
    return found


def _at_mm(track: Track, swept: Sweep, edge: Edge) -> float:
    at = swept.path.coordinate(track.beams[edge.beam].place)
    assert at is not None, "a sweep's edges are at beams of its line"
    return at


def boundary(track: Track, run: Run) -> tuple[str, str]:
    """The neighbours that a run parts: the last vehicle kept, and the nearest left behind."""
    kept = train_of(track, run.before, run.locomotive, run.towards).vehicles[len(run.left)]
    return kept, run.left[-1]


def furthest_mm(swept: Sweep, margin_mm: float) -> float:
    """The furthest place of the locomotive at which nothing in the sweep comes nearer than this to the line's end."""
    last = swept.bodies[-1]
    return swept.path.end_mm - margin_mm - last.offset_mm - last.half_buffers_mm


def _coupled_up(track: Track, allow: Allowances, belief: Belief, swept: Sweep, run: Run, need: Need) -> Need:
    """The whole train must be met, as far as it is not surely coupled, and none of it pushed out at the far end."""
    train = train_after(track, run)
    ahead = [body for body in swept.bodies if body.offset_mm >= 0 and body.vehicle in train.vehicles]
    if all(frozenset((near.vehicle, far.vehicle)) in belief.coupled for near, far in pairwise(ahead)):
        return need
    far, element = ahead[-1], train.places[-1].element
    span = swept.path.span_mm(element)
    assert span is not None, "a run's way leads to where it ends"
    whole_mm = span[1] - far.offset_mm - far.half_buffers_mm
    return _met(allow, swept, far, need).at_most(whole_mm, f"{far.vehicle} must stand whole in {element}")


def _met(allow: Allowances, swept: Sweep, far: Body, need: Need) -> Need:
    """Everything that stands as far as ``far`` must be met, for which the buffer may be come nearer to."""
    met_mm = far.rest_high_mm - far.offset_mm
    need = replace(
        need, high_mm=min(need.high_mm + allow.buffer_mm - CONTACT_BUFFER_MM, furthest_mm(swept, CONTACT_BUFFER_MM))
    )
    need = need.at_least(met_mm, f"{far.vehicle} must be met")
    return replace(need, target_mm=max(met_mm + allow.contact_mm, need.low_mm), contact=True)


def _over_magnet(track: Track, swept: Sweep, upcoming: Run, need: Need) -> Need:
    """The coupling that the next run parts must stop over a magnet, and what is left must stand clear."""
    kept, left = boundary(track, upcoming)
    body = swept.body(left)
    element = upcoming.before.where(left)[0]
    cut = body.offset_mm - body.half_buffers_mm
    span = swept.path.span_mm(element)
    for magnet in track.uncouplers.values():
        at = swept.path.coordinate(magnet.place)
        if magnet.place.element != element or at is None or span is None:
            continue
        low = max(at - magnet.reach_mm, span[0]) - cut
        high = at + magnet.reach_mm - cut
        why = f"the coupling between {kept} and {left} must stop over magnet {magnet.name}"
        over = need.at_least(low, why).at_most(high, why)
        outermost = next((b for b in swept.bodies if b.vehicle == upcoming.left[0]), body)
        whole = span[1] - outermost.offset_mm - outermost.half_buffers_mm
        over = over.at_most(whole, f"{outermost.vehicle} must stand whole in {element}")
        if over.low_mm < over.high_mm:
            return replace(over, target_mm=(over.low_mm + over.high_mm) / 2)
    return need


def _for_the_same_way(track: Track, swept: Sweep, upcoming: Run, need: Need) -> Need:
    """The next run goes on the same way. If it leaves vehicles, their coupling must come over a magnet, drawn."""
    if not upcoming.left:
        return need
    kept, left = boundary(track, upcoming)
    body = next((b for b in swept.bodies if b.vehicle == kept), None)
    element = upcoming.before.where(left)[0]
    span = swept.path.span_mm(element)
    if body is None or span is None or all(b.vehicle != left for b in swept.bodies):
        return need  # this run has left them already
    cut = body.offset_mm - body.half_length_mm
    outermost = next((b for b in swept.bodies if b.vehicle == upcoming.left[0]), None)
    inside_mm = need.low_mm
    if outermost is not None:
        # What is left must have come into its segment whole.
        inside_mm = max(inside_mm, span[0] - outermost.offset_mm + outermost.half_length_mm)
    places = [(swept.path.coordinate(m.place), m) for m in track.uncouplers.values() if m.place.element == element]
    ahead = [(at - cut, m) for at, m in places if at is not None and at - cut + m.reach_mm >= inside_mm]
    if not ahead:
        return need
    target_mm, magnet = min(ahead, key=lambda found: found[0])
    why = f"the coupling between {kept} and {left} must come over magnet {magnet.name}"
    over = need.at_least(max(target_mm - magnet.reach_mm, inside_mm), why).at_most(target_mm + magnet.reach_mm, why)
    return replace(over, target_mm=target_mm)


def _short_of_wrong_points(allow: Allowances, swept: Sweep, run: Run, lies: Mapping[str, Leg], need: Need) -> Need:
    """Nothing that moves may come onto points beyond its way that lie against it."""
    on_the_way = dict(run.legs)
    for stretch, start in zip(swept.path.stretches, swept.path.starts_mm, strict=True):
        if stretch.leg is None or stretch.element in on_the_way or lies.get(stretch.element) is stretch.leg:
            continue
        if start < swept.start_low_mm + swept.head.offset_mm:
            continue
        for body in swept.bodies:
            if body.rest_high_mm < start:
                most_mm = start - allow.clear_mm - body.offset_mm - body.half_length_mm
                need = need.at_most(most_mm, f"{body.vehicle} must stop short of {stretch.element}")
    return need


def _as_the_model_says(track: Track, allow: Allowances, swept: Sweep, run: Run, need: Need) -> Need:
    """What the model says stands in the foremost segment must stand clear in it, and what has left, have left."""
    train = train_after(track, run)
    front = train.places[-1]
    span = swept.path.span_mm(front.element)
    if front.leg is None and span is not None:
        inside = [swept.body(v) for v, place in zip(train.vehicles, train.places, strict=True) if place == front]
        need = need.at_least(
            span[0] + INSIDE_MM - inside[0].offset_mm + inside[0].half_buffers_mm,
            f"{inside[0].vehicle} must stand clear in {front.element}",
        )
    rear = train_of(track, run.before, run.locomotive, run.towards).places[0]
    tail = swept.tail
    span = swept.path.span_mm(rear.element)
    if rear.leg is None and span is not None and run.after.where(tail.vehicle)[0] != rear.element:
        need = need.at_least(
            span[1] + allow.clear_mm - tail.offset_mm + tail.half_length_mm,
            f"{tail.vehicle} must have left {rear.element}",
        )
    return need


def _clear_of(allow: Allowances, swept: Sweep, run: Run, turnout: str, need: Need) -> Need:
    """The next run moves this turnout: the train must stand clear of it, beyond it or before it."""
    span = swept.path.span_mm(turnout)
    if span is None:
        return need
    head, tail = swept.head, swept.tail
    behind = _behind(swept, run, turnout)
    if behind is None:
        before_mm = span[0] - allow.clear_mm - head.offset_mm - head.half_length_mm
        return need.at_most(before_mm, f"{head.vehicle} must stay clear of {turnout}")
    clear_mm = behind[1] + allow.clear_mm - tail.offset_mm + tail.half_length_mm
    return need.at_least(clear_mm, f"{tail.vehicle} must clear {turnout}")


def _behind(swept: Sweep, run: Run, turnout: str) -> tuple[float, float] | None:
    """Both ends of a turnout that is on the train's way, or behind it, where it may still overhang it; else None."""
    span = swept.path.span_mm(turnout)
    if span is None or (turnout not in dict(run.legs) and span[0] >= swept.start_low_mm + swept.head.offset_mm):
        return None
    return span
