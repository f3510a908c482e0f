"""A sweep: everything that can move, and every beam edge it can cause, when a locomotive goes one way along a line.

One unknown, the locomotive's middle ``c`` in millimetres along the line, says where all the others are: a vehicle
stands where it is until the train, couplings taut behind the locomotive and closed before it, reaches it: its middle
is ``max(rest, c + offset)``. Standing vehicles ahead follow the same rule, for they are pushed when they are met.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pointsman.errors import RefusedError
from pointsman.operate.belief import Belief, Spot
from pointsman.track.model import Leg, Track
from pointsman.track.path import Path, Stretch, exit_joint, line_through

WIDE_MM = 40.0
"""Of a body that stands anywhere within more than this, nobody knows which edges it has caused already."""
NEAR_MM = 3.0
"""A body believed to stand so little beyond an edge may not have caused it yet: the beam knows."""
IN_ONE_TRACK = "drive the whole train into one track, off the points, or say what stands where"


@dataclass(frozen=True, slots=True)
class Body:
    """One vehicle in a sweep; ``rest_low_mm``..``rest_high_mm`` is where its middle stands before."""

    vehicle: str
    offset_mm: float
    rest_low_mm: float
    rest_high_mm: float
    half_length_mm: float
    half_buffers_mm: float
    half_body_mm: float
    in_train: bool

    def low_mm(self, c_mm: float) -> float:
        """Its rearmost possible middle when the locomotive is at c."""
        return max(self.rest_low_mm, c_mm + self.offset_mm)

    def high_mm(self, c_mm: float) -> float:
        """Its foremost possible middle when the locomotive is at c."""
        return max(self.rest_high_mm, c_mm + self.offset_mm)


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge to be expected: when the locomotive's middle is at ``c_mm``, ``vehicle`` breaks or frees a beam.

    ``sure`` edges tell where the locomotive is; the others, of a vehicle that may not be moving yet, only that it is
    no further. One that is not ``due`` may have come long ago: nothing is missing where it does not come.
    """

    beam: str
    active: bool
    vehicle: str
    c_mm: float
    sure: bool
    due: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Sweep:
    """Bodies in order along the line, rear to front; ``start_low_mm``..``start_high_mm`` is c before.

    ``loose`` are the vehicles of the model's train, in the same order, that surely stand apart behind all that moves.
    """

    path: Path
    locomotive: str
    bodies: tuple[Body, ...]
    start_low_mm: float
    start_high_mm: float
    edges: tuple[Edge, ...]
    loose: tuple[str, ...] = ()

    def body(self, vehicle: str) -> Body:
        """The body of a vehicle. Raises RefusedError, with the reason, for one that neither moves nor is met."""
        found = next((b for b in self.bodies if b.vehicle == vehicle), None)
        if found is None:
            raise self._without(vehicle)
        return found

    def _without(self, vehicle: str) -> RefusedError:
        if vehicle in self.loose:
            return RefusedError(
                [f"{vehicle} should be drawn along, and stands apart"],
                cure=f"push {self.tail.vehicle} and {self.loose[-1]} together first",
            )
        # A line that meets itself ends where the track goes on.
        first, last = self.path.stretches[0], self.path.stretches[-1]
        if any(self.path.track.meets(exit_joint(end)) is not None for end in (first.reverse, last)):
            return RefusedError(
                [f"{vehicle} is not on the line along which {self.locomotive} can be measured: it closes to a ring"],
                cure="go there another way, not round the ring",
            )
        return RefusedError(
            [f"{vehicle} is not in the way of {self.locomotive}, as the turnouts lie"],
            cure="set the turnouts for it, or say what stands where",
        )

    @property
    def tail(self) -> Body:
        """The last vehicle that moves."""
        return self.bodies[0]

    @property
    def head(self) -> Body:
        """The first vehicle of the train (not of those pushed)."""
        return [b for b in self.bodies if b.in_train][-1]

    def spots(self, low_mm: float, high_mm: float) -> dict[str, Spot]:
        """Where everything in the sweep stands when the locomotive has stopped between two places."""
        found = {}
        for body in self.bodies:
            low, high = body.low_mm(low_mm), body.high_mm(high_mm)
            found[body.vehicle] = Spot(self.path.place((low + high) / 2), (high - low) / 2)
        return found

    def pushed(self, low_mm: float, coupled: frozenset[frozenset[str]]) -> frozenset[frozenset[str]]:
        """Neighbours that surely stand buffer to buffer once the locomotive has come as far as ``low_mm``.

        Coupled ones do when the nearer has moved by their slack, wherever exactly they stood.
        """
        found = []
        for near, far in pairwise(self._ahead()):
            pair = frozenset((near.vehicle, far.vehicle))
            slack = near.half_length_mm + far.half_length_mm - near.half_buffers_mm - far.half_buffers_mm
            taken_up = pair in coupled and low_mm + near.offset_mm - near.rest_high_mm >= slack
            if taken_up or low_mm + far.offset_mm >= far.rest_high_mm:
                found.append(pair)
        return frozenset(found)

    def touched(self, high_mm: float) -> frozenset[frozenset[str]]:
        """Neighbours that may have met once the locomotive has come as far as ``high_mm``."""
        return frozenset(
            frozenset((near.vehicle, far.vehicle))
            for near, far in pairwise(self._ahead())
            if high_mm + far.offset_mm >= far.rest_low_mm
        )

    def apart(self, at_least_mm: float) -> frozenset[frozenset[str]]:
        """Neighbours that surely stood so far apart before, buffer from buffer."""
        return frozenset(
            frozenset((near.vehicle, far.vehicle))
            for near, far in pairwise(self._ahead())
            if far.rest_low_mm - near.rest_high_mm - (far.offset_mm - near.offset_mm) >= at_least_mm
        )

    def _ahead(self) -> tuple[Body, ...]:
        return self.bodies[[b.vehicle for b in self.bodies].index(self.locomotive) :]


def sweep(
    track: Track, belief: Belief, stretch: Stretch, train: Sequence[str], locomotive: str, lie: Mapping[str, Leg]
) -> Sweep:
    """The sweep of a train (rear to front, as it will travel) whose locomotive stands on, or near, a stretch.

    The model's train has every vehicle up to the next gap of a segment; those behind the locomotive that surely do not
    touch it stay where they are, and are no part of the sweep. Raises RefusedError when the belief in millimetres
    does not fit the train: then nothing may move.
    """
    path = line_through(track, stretch, lie)
    along: dict[str, tuple[float, float]] = {}
    for name, spot in belief.spots.items():
        at = path.coordinate(spot.place)
        if at is not None:
            along[name] = (at - spot.error_mm, at + spot.error_mm)
    missing = [name for name in train if name not in along]
    if missing:
        raise RefusedError(
            [f"as the points lie, {' '.join(missing)} does not stand in one line with the rest of the train"],
            cure=IN_ONE_TRACK,
        )
    order = sorted(along, key=lambda name: sum(along[name]))
    first = order.index(train[0])
    if order[first : first + len(train)] != list(train):
        raise RefusedError(
            [f"the train should be {' '.join(train)}, and {' '.join(order[first:])} stands there"],
            cure=IN_ONE_TRACK,
        )
    loose = _loose_behind(track, along, train, locomotive)
    moving = order[first + loose :]
    bodies = _bodies(track, moving, train, locomotive, along)
    low, high = along[locomotive]
    return Sweep(path, locomotive, bodies, low, high, _edges(track, path, bodies), tuple(train[:loose]))


def _loose_behind(track: Track, along: Mapping[str, tuple[float, float]], train: Sequence[str], locomotive: str) -> int:
    """How many vehicles at the rear of a train are surely not coupled to the rest of it."""
    for place in range(train.index(locomotive), 0, -1):
        near, far = train[place], train[place - 1]
        taut_mm = (track.vehicle(near).length_mm + track.vehicle(far).length_mm) / 2
        if along[near][0] - along[far][1] > taut_mm + NEAR_MM:
            return place
    return 0


def _bodies(
    track: Track,
    moving: Sequence[str],
    train: Sequence[str],
    locomotive: str,
    along: Mapping[str, tuple[float, float]],
) -> tuple[Body, ...]:
    middle = moving.index(locomotive)
    offsets = {locomotive: 0.0}
    for near, far in pairwise(moving[middle:]):
        offsets[far] = offsets[near] + (track.vehicle(near).buffers_mm + track.vehicle(far).buffers_mm) / 2
    for far, near in reversed(list(pairwise(moving[: middle + 1]))):
        offsets[far] = offsets[near] - (track.vehicle(near).length_mm + track.vehicle(far).length_mm) / 2
    return tuple(
        Body(
            vehicle=name,
            offset_mm=offsets[name],
            rest_low_mm=along[name][0],
            rest_high_mm=along[name][1],
            half_length_mm=track.vehicle(name).length_mm / 2,
            half_buffers_mm=track.vehicle(name).buffers_mm / 2,
            half_body_mm=track.vehicle(name).body_mm / 2,
            in_train=name in train,
        )
        for name in moving
    )


def _edges(track: Track, path: Path, bodies: Sequence[Body]) -> tuple[Edge, ...]:
    edges = []
    for beam in track.beams.values():
        at = path.coordinate(beam.place)
        if at is None:
            continue
        for body in bodies:
            for active, middle in ((True, at - body.half_body_mm), (False, at + body.half_body_mm)):
                # The locomotive itself is the unknown, so its own rest says nothing against its edges.
                own = body.offset_mm == 0.0
                if own or middle >= body.rest_low_mm - NEAR_MM:
                    # A body that stands within a hair of the beam has not passed it: the beam's state says so.
                    sure = own or middle > body.rest_high_mm - 0.05
                    due = sure or body.rest_high_mm - body.rest_low_mm <= WIDE_MM
                    edges.append(Edge(beam.name, active, body.vehicle, middle - body.offset_mm, sure, due))
    return tuple(sorted(edges, key=lambda e: e.c_mm))
