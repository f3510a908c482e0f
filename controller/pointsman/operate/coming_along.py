"""What may come along behind a train: until a beam has seen it, one way or the other, nobody knows.

Behind what surely moves may stand vehicles whose coupling to it is open, or is not, and behind them others of which
the same holds. A drive carries them all (``DriveStep.dragging``), and which couplings nobody knows (``loose``). An edge
that only one of them can cause says that it comes, with all between it and the train and all that is surely coupled to
it; those further back may come or may not. One that was not seen where it would have been was left, with all behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from pointsman.operate.belief import Belief, Spot
from pointsman.operate.settle import moved
from pointsman.operate.steps import DriveStep
from pointsman.operate.sweep import Body, Edge, Sweep


def not_known(dragging: Sweep | None, kept: Sweep, belief: Belief) -> frozenset[frozenset[str]]:
    """The couplings behind what surely moves (``kept``) of which nobody knows whether they hold."""
    if dragging is None:
        return frozenset()
    names = [body.vehicle for body in dragging.bodies]
    behind = names[: names.index(kept.tail.vehicle) + 1]
    return frozenset(frozenset(pair) for pair in pairwise(behind)) - belief.coupled


def what_moves(step: DriveStep, rear: str) -> Sweep:
    """The sweep of all that surely moves; ``rear`` is the last vehicle seen to come along, empty while none is."""
    if not rear or step.dragging is None:
        return step.sweep
    names = [body.vehicle for body in step.dragging.bodies]
    bodies = step.dragging.bodies[names.index(rear) :]
    moving = {body.vehicle for body in bodies}
    return replace(step.dragging, bodies=bodies, edges=tuple(e for e in step.dragging.edges if e.vehicle in moving))


def edges_behind(step: DriveStep, rear: str) -> list[Edge]:
    """The edges that only what does not surely move would cause, if it came along."""
    if step.dragging is None:
        return []
    own = {body.vehicle for body in what_moves(step, rear).bodies}
    start_mm = step.sweep.start_low_mm
    return [edge for edge in step.dragging.edges if edge.vehicle not in own and edge.c_mm >= start_mm]


def rear_with(step: DriveStep, vehicle: str) -> str:
    """The last vehicle that surely comes along when one does."""
    assert step.dragging is not None, "it was seen to come along"
    names = [body.vehicle for body in step.dragging.bodies]
    at = names.index(vehicle)
    while at > 0 and frozenset(names[at - 1 : at + 1]) not in step.loose:
        at -= 1
    return names[at]


def after(
    belief: Belief,
    step: DriveStep,
    rear: str,
    between_mm: tuple[float, float],
    match_mm: float,
    begun: Mapping[str, bool],
) -> Belief:
    """The belief when the locomotive has stopped between two places; ``begun`` are the beams as they were before.

    What came along is coupled to it. What may have come and was not seen yet, one way or the other, stands anywhere
    between where it stood and where it would then be.
    """
    low_mm, high_mm = between_mm
    swept = what_moves(step, rear)
    belief = _coupled_up(belief, step, swept)
    found = moved(belief, replace(step, sweep=swept), low_mm, high_mm)
    behind = _may_have_come(step, swept, low_mm - match_mm, begun)
    if not behind:
        return found
    spots, names = dict(found.spots), [swept.tail.vehicle, *(body.vehicle for body in behind)]
    assert step.dragging is not None, "something may have come along"
    for body in behind:
        low, high = body.rest_low_mm, body.high_mm(high_mm)
        spots[body.vehicle] = Spot(step.dragging.path.place((low + high) / 2), (high - low) / 2)
    # Nobody knows that they have been apart: what a magnet has parted does not couple before they have. Nor whether
    # what stood pushed together has been drawn.
    doubtful = {frozenset(pair) for pair in pairwise(names)}
    pushed = frozenset(pair for pair in found.pushed if not pair & set(names[1:]))
    return replace(found, spots=spots, pushed=pushed, parted=found.parted | (belief.parted & doubtful))


def _coupled_up(belief: Belief, step: DriveStep, swept: Sweep) -> Belief:
    """The belief with the couplings that have shown that they hold."""
    names, kept = [body.vehicle for body in swept.bodies], step.sweep.tail.vehicle
    for far, near in pairwise(names[: names.index(kept) + 1]):
        if near == kept or frozenset((far, near)) in step.loose:
            belief = belief.with_coupled(near, far)
    return belief


def _may_have_come(step: DriveStep, swept: Sweep, passed_mm: float, begun: Mapping[str, bool]) -> list[Body]:
    """What may have come along without having been seen, the nearest to the train first."""
    found: list[Body] = []
    for group in _groups(step, swept):
        if any(_surely_left(step, body.vehicle, passed_mm, begun) for body in group):
            break
        found += group
    return found


def _groups(step: DriveStep, swept: Sweep) -> Iterator[list[Body]]:
    """What stands behind a train, in groups that are surely coupled, the nearest first; nothing if it surely stays."""
    bodies = [] if step.dragging is None else list(step.dragging.bodies)
    names = [body.vehicle for body in bodies]
    at = names.index(swept.tail.vehicle) if bodies else 0
    while at > 0 and frozenset(names[at - 1 : at + 1]) in step.loose:
        end, at = at, names.index(rear_with(step, names[at - 1]))
        yield bodies[at:end][::-1]


def _surely_left(step: DriveStep, vehicle: str, passed_mm: float, begun: Mapping[str, bool]) -> bool:
    """Whether a vehicle was not seen where it would have been, had it come along."""
    swept = step.sweep
    assert step.dragging is not None, "something may have come along"
    for edge in step.dragging.edges:
        if edge.vehicle != vehicle or not (edge.active and edge.sure and swept.start_low_mm <= edge.c_mm <= passed_mm):
            continue
        # It was not in the beam before: that was free, or it stood too far from it.
        if edge.c_mm >= swept.start_high_mm or not begun.get(edge.beam, False):
            return True
    return False
