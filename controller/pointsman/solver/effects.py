"""What a run does beside moving vehicles: to the couplings, and to the way the locomotive last went.

Both belong to the position when reversals, couplings or seconds are counted, and neither depends on which wagon is
which, so they are worked out shape by shape like everything else. The rules, after the shunting model:

* Neighbours (in a segment, or along the train over an occupied turnout) are coupled once a run has moved them
  together. All that a run moves is then coupled. A run that leaves vehicles parts one pair, if it was coupled.
* Standing vehicles that a train meets are not moved, and so not coupled, until the train pushes them out at the far
  end of their segment or draws them away; nor are those that stand, uncoupled, ahead of the train in a segment which
  it only fills.
* At the start of a puzzle nothing is coupled, and the locomotive's first run is in no direction against the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pointsman.puzzle.moves import Run, Train, train_of
from pointsman.puzzle.position import Position
from pointsman.solver.graph import Graph
from pointsman.solver.shapes import packed, row_of
from pointsman.solver.steps import Steps
from pointsman.track.model import End, Leg, SegmentEnd, Side, Track
from pointsman.track.path import Stretch, exit_joint

NO_PAIR = -1
FREE = 0
"""The last direction of a locomotive that has not run yet; FROM is 1 and TO is 2, on the element where it stands."""

_DIRECTION = {End.FROM: 1, End.TO: 2}

Effect = tuple[int, int, int, tuple[tuple[bool, int], ...]]


@dataclass(frozen=True, slots=True)
class Effects:
    """``of_arc[a]`` are the effects of the runs of arc a, in order, -1 where it has fewer.

    For effect e: it starts ``towards[e]`` and the locomotive then faces ``facing[e]`` (1 FROM, 2 TO). It parts the
    pair of bit ``parted[e]`` of the shape before. Pair j of the shape after was pair ``origin[e, j]`` before
    (``NO_PAIR``: it is new), and is ``moved[e, j]`` together.
    """

    of_arc: NDArray[np.int32]
    towards: NDArray[np.int8]
    facing: NDArray[np.int8]
    parted: NDArray[np.int8]
    origin: NDArray[np.int8]
    moved: NDArray[np.bool_]


def effects_of(track: Track, graph: Graph, steps: Steps, locomotive: str) -> Effects:
    """The effects of all arcs of a graph that was explored with these steps."""
    worker = _Worker(track, locomotive)
    known: dict[Effect, int] = {}
    of_arc: list[tuple[int, int]] = []
    targets = iter(graph.target.tolist())
    turnouts = tuple(track.turnouts)
    for place, shape in enumerate(graph.shapes):
        for step in steps(shape):
            # Shapes are told apart by their number; between the two runs of a pull-drop, by their row.
            keys: list[object] = [
                place,
                *(packed(row_of(run.after, turnouts, locomotive)) for run in step.runs[:-1]),
                next(targets),
            ]
            found = [worker.effect(run, *ends) for run, ends in zip(step.runs, pairwise(keys), strict=True)]
            numbers = [known.setdefault(effect, len(known)) for effect in found]
            of_arc.append((numbers[0], numbers[1] if len(numbers) > 1 else -1))
    pairs = max((len(effect[3]) for effect in known), default=0)
    origin = np.full((len(known), pairs), NO_PAIR, dtype=np.int8)
    moved = np.zeros((len(known), pairs), dtype=np.bool_)
    for number, (_, _, _, carried) in enumerate(known):
        for pair, (together, before) in enumerate(carried):
            origin[number, pair], moved[number, pair] = before, together
    columns = np.array([effect[:3] for effect in known], dtype=np.int8).reshape(-1, 3).T
    towards, facing, parted = (np.ascontiguousarray(column) for column in columns)
    return Effects(np.array(of_arc, dtype=np.int32).reshape(-1, 2), towards, facing, parted, origin, moved)


class _Worker:
    """Remembers what it has found out about shapes and trains."""

    def __init__(self, track: Track, locomotive: str) -> None:
        self._track = track
        self._locomotive = locomotive
        self._pairs: dict[object, tuple[tuple[int, int], ...]] = {}
        self._chains: dict[object, tuple[tuple[int, ...], str | None]] = {}
        self._trains: tuple[Position | None, dict[End, Train]] = (None, {})

    def effect(self, run: Run, before_key: object, after_key: object) -> Effect:
        """Direction before and after, the pair parted, and what becomes of the pairs. The keys stand for shapes."""
        train = self._train(run)
        kept = train.vehicles[len(run.left) :]
        before = {pair: bit for bit, pair in enumerate(self._neighbours(run.before, before_key))}
        facing = facing_after(self._track, train, run)
        parted = before[frozenset((run.left[-1], kept[0]))] if run.left else NO_PAIR
        chain, end = self._chain(run.after, after_key, facing)
        moving = chain.difference(run.left)
        # What stood ahead in the segment where the chain now ends was only come up to.
        hauled = train.vehicles[: train.vehicles.index(self._locomotive) + 1]
        waiting = set() if end is None else set(run.before.in_segment(end)).difference(hauled)
        carried = []
        for pair in self._neighbours(run.after, after_key):
            together = pair <= moving and not pair & waiting
            bit = before.get(pair, NO_PAIR)
            carried.append((together, NO_PAIR if bit == parted else bit))
        return _DIRECTION[run.towards], _DIRECTION[facing], parted, tuple(carried)

    def _neighbours(self, position: Position, key: object) -> list[frozenset[str]]:
        """The neighbours in a position: those of each segment, and along the train over occupied turnouts."""
        names = position.vehicles
        found = self._pairs.get(key)
        if found is None:
            place = {name: number for number, name in enumerate(names)}
            rows = [vehicles for _, vehicles in position.segments]
            if position.turnouts:
                rows.append(train_of(self._track, position, self._locomotive, End.TO).vehicles)
            both = {(place[a], place[b]) for row in rows for a, b in pairwise(row)}
            found = tuple(sorted({(min(pair), max(pair)) for pair in both}))
            self._pairs[key] = found
        return [frozenset((names[a], names[b])) for a, b in found]

    def _chain(self, position: Position, key: object, facing: End) -> tuple[frozenset[str], str | None]:
        """The locomotive's chain, and the segment where it ends ahead; None when that is a turnout."""
        names = position.vehicles
        found = self._chains.get((key, facing))
        if found is None:
            chain = train_of(self._track, position, self._locomotive, facing)
            end = chain.places[-1]
            found = tuple(names.index(vehicle) for vehicle in chain.vehicles), None if end.leg else end.element
            self._chains[key, facing] = found
        return frozenset(names[number] for number in found[0]), found[1]

    def _train(self, run: Run) -> Train:
        position, trains = self._trains
        if position is not run.before:
            trains = {}
            self._trains = run.before, trains
        if run.towards not in trains:
            trains[run.towards] = train_of(self._track, run.before, self._locomotive, run.towards)
        return trains[run.towards]


def facing_after(track: Track, train: Train, run: Run) -> End:
    """The direction of a run on the element where its locomotive ends up; a reversing loop turns it round."""
    at = train.vehicles.index(run.locomotive)
    behind = {place.element for place in train.places[len(run.left) : at + 1] if place.leg is not None}
    ahead = list(run.legs[len(behind) :])
    here: Stretch | None = train.places[at]
    there = run.after.where(run.locomotive)
    forward = True
    while here is not None:
        if (here.element, here.leg) == there:
            forward = here.forward  # a train never enters what it stands on, so the last time is the one
        here = _onward(track, here, ahead)
    return End.TO if forward else End.FROM


def _onward(track: Track, here: Stretch, ahead: list[tuple[str, Leg]]) -> Stretch | None:
    """The next stretch of a run; ``ahead`` are the turnouts still to come, the next one is taken away."""
    joint = track.meets(exit_joint(here))
    if joint is None:
        return None
    if isinstance(joint, SegmentEnd):
        return Stretch(joint.segment, None, joint.end is End.FROM)
    if not ahead:
        return None
    turnout, leg = ahead.pop(0)
    return Stretch(turnout, leg, joint.side is Side.TOE)
