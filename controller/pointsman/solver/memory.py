"""The graph in which a count is a plain sum over arcs: shapes, each with what must be remembered there.

Runs need no memory; reversals need the last direction; couplings and seconds need to know which neighbours are
coupled. Nodes are all (shape, memory) that can come up from a start at which nothing is coupled and the locomotive
has not run yet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pointsman.errors import BudgetSpentError
from pointsman.solver.effects import NO_PAIR, Effects
from pointsman.solver.graph import Graph

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

_DIRECTION_BITS = 2
MOST_ARCS = 30_000_000
"""Arcs between remembered shapes: more are not worth the memory."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """Nodes (shape, memory) and the arcs between them, sorted by source; node 0 is the start's.

    ``arc`` is the arc of the plain graph that an arc goes along; ``reversals`` and ``couplings`` what it adds.
    ``plain`` is the node for a memory of less: see ``within``.
    """

    shape: Ints
    memory: Longs
    source: Ints
    target: Ints
    arc: Ints
    reversals: NDArray[np.int8]
    couplings: NDArray[np.int8]

    def node(self, shape: int) -> int | None:
        """The node of a shape at a start, with nothing to remember; None when that never comes up."""
        keys = _keys(self.shape, self.memory)
        wanted = _keys(np.array([shape], dtype=np.int32), np.zeros(1, dtype=np.int64))[0]
        found = np.flatnonzero(keys == wanted)
        return int(found[0]) if len(found) else None

    def within(self, smaller: Remembered, *, direction: bool, pairs: bool) -> Ints:
        """For every node the node of a graph that remembers less: only the direction, only the pairs, or nothing."""
        mask = (3 if direction else 0) | (~3 if pairs else 0)
        known = _keys(smaller.shape, smaller.memory)
        order = np.argsort(known)
        place = np.searchsorted(known[order], _keys(self.shape, self.memory & mask))
        return order[place].astype(np.int32)


def plain(graph: Graph) -> Remembered:
    """Nothing to remember: a node for every shape."""
    shapes, arcs = len(graph.shapes), len(graph.source)
    nothing = np.zeros(arcs, dtype=np.int8)
    shape = np.arange(shapes, dtype=np.int32)
    return Remembered(
        shape,
        np.zeros(shapes, dtype=np.int64),
        graph.source,
        graph.target,
        np.arange(arcs, dtype=np.int32),
        nothing,
        nothing,
    )


def remember(graph: Graph, effects: Effects, shape: int, *, direction: bool, pairs: bool) -> Remembered:
    """Everything that can come up from a shape at a start. Raises BudgetSpentError when that is too much."""
    begins = np.searchsorted(graph.source, np.arange(len(graph.shapes) + 1))
    shapes = np.array([shape], dtype=np.int32)
    memories = np.zeros(1, dtype=np.int64)
    known = _keys(shapes, memories)
    parts = []
    total = 0
    fresh_shapes, fresh_memories = shapes, memories
    while len(fresh_shapes):
        number = begins[fresh_shapes + 1] - begins[fresh_shapes]
        total += int(number.sum())
        if total > MOST_ARCS:
            raise BudgetSpentError(
                f"not proved: the couplings alone can stand in more than {len(known):,} ways",
                cure="count runs, or fewer wagons",
            )
        origin = np.repeat(np.arange(len(fresh_shapes)), number)
        arc = np.arange(len(origin)) - np.repeat(np.cumsum(number) - number, number)
        arc = (arc + begins[fresh_shapes][origin]).astype(np.int32)
        after, reversals, couplings = _carry(effects, arc, fresh_memories[origin], direction, pairs)
        target = _keys(graph.target[arc], after)
        parts.append((_keys(fresh_shapes, fresh_memories)[origin], target, arc, reversals, couplings))
        fresh = np.setdiff1d(target, known)
        known = np.union1d(known, fresh)
        fresh_shapes, fresh_memories = _unpacked(fresh)
    source_key, target_key, arc, reversals, couplings = (np.concatenate(column) for column in zip(*parts, strict=True))
    source, target = np.searchsorted(known, source_key), np.searchsorted(known, target_key)
    order = np.argsort(source, kind="stable")
    all_shapes, all_memories = _unpacked(known)
    return Remembered(
        all_shapes,
        all_memories,
        source[order].astype(np.int32),
        target[order].astype(np.int32),
        arc[order],
        reversals[order],
        couplings[order],
    )


def _carry(
    effects: Effects, arc: Ints, memory: Longs, direction: bool, pairs: bool
) -> tuple[Longs, NDArray[np.int8], NDArray[np.int8]]:
    """What is remembered after arcs, and the reversals and couplings on the way."""
    reversals = np.zeros(len(arc), dtype=np.int8)
    couplings = np.zeros(len(arc), dtype=np.int8)
    for run in range(effects.of_arc.shape[1]):
        number = effects.of_arc[arc, run]
        some = np.flatnonzero(number >= 0)
        effect, before = number[some], memory[some]
        last, coupled = before & 3, before >> _DIRECTION_BITS
        now = np.zeros(len(some), dtype=np.int64)
        if direction:
            towards = effects.towards[effect].astype(np.int64)
            reversals[some] += ((last != 0) & (last != towards)).astype(np.int8)
            now |= effects.facing[effect]
        if pairs:
            parted = effects.parted[effect].astype(np.int64)
            couplings[some] += ((parted != NO_PAIR) & (coupled >> np.maximum(parted, 0) & 1 == 1)).astype(np.int8)
            for pair in range(effects.origin.shape[1]):
                origin = effects.origin[effect, pair].astype(np.int64)
                was = (origin != NO_PAIR) & (coupled >> np.maximum(origin, 0) & 1 == 1)
                moved = effects.moved[effect, pair]
                couplings[some] += (moved & ~was).astype(np.int8)
                now |= (moved | was).astype(np.int64) << (_DIRECTION_BITS + pair)
        memory = memory.copy()
        memory[some] = now
    return memory, reversals, couplings


def _keys(shape: Ints, memory: Longs) -> Longs:
    keys: Longs = shape.astype(np.int64) << 32 | memory
    return keys


def _unpacked(keys: Longs) -> tuple[Ints, Longs]:
    return (keys >> 32).astype(np.int32), keys & 0xFFFFFFFF
