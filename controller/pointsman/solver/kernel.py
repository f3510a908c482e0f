"""The compiled inner loops: one sweep of a search backwards from the goal, and a best-first search forwards.

Neither knows any rule of the game: they carry arrangements along the arcs they are given and add up costs.

Importing this module imports numba (about half a second); a table that is read from its file needs neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pointsman.solver.compiled import compiled

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

OVERFULL, NEW, FURTHEST = 0, 1, 2


def _spread(  # noqa: PLR0917  (the compiler takes plain arrays)
    distance: NDArray[Any],
    low: int,
    high: int,
    far: int,
    first: int,
    last: int,
    begins: Longs,
    source: Ints,
    cost: Ints,
    carrying: Ints,
    carried: Ints,
    waiting: Longs,
    told: Longs,
) -> None:
    """Give every position one arc before one with ``low <= distance < high`` its distance, if that is nearer.

    ``distance`` is flat, node by node, one entry per arrangement, ``far`` where no way is known. Nodes ``first`` to
    ``last`` (not included) are looked at. The arcs that end in node t are ``begins[t]`` to ``begins[t + 1]``: from
    node ``source``, and ``carried[carrying]`` takes the arrangement after the arc to the one before it.
    Positions behind that come below ``high`` too are looked at at once: there is room for ``len(waiting)``.
    ``told[OVERFULL]`` grows by those for which there was none: then the bucket must be looked through again.
    ``told[NEW]`` grows by the positions that had no way before, and ``told[FURTHEST]`` is the greatest distance given
    so far; ``far`` or more means that it does not fit.
    """
    arrangements = carried.shape[1]
    for start in range(first * arrangements, last * arrangements):
        if not low <= np.int64(distance[start]) < high:
            continue
        position, depth = np.int64(start), 0
        while True:
            node, arrangement = position // arrangements, position % arrangements
            here = np.int64(distance[position])
            for arc in range(begins[node], begins[node + 1]):
                before = np.int64(source[arc]) * arrangements + carried[carrying[arc], arrangement]
                there = here + cost[arc]
                known = np.int64(distance[before])
                if there >= known:
                    if known == far:
                        told[2] = max(told[2], there)
                    continue
                distance[before] = there
                told[1] += 1 if known == far else 0
                told[2] = max(told[2], there)
                if there < high and before <= start:
                    if depth < len(waiting):
                        waiting[depth] = before
                        depth += 1
                    else:
                        told[0] += 1
            if depth == 0:
                break
            depth -= 1
            position = waiting[depth]


def _slot_for(table: Ints, node: int, rank: int, lies: int) -> Any:
    """Where in the hash table the search for a state begins. Products stay below 2**63."""
    folded = (lies ^ (lies >> 31)) & 0x7FFFFFFF
    key = (np.int64(node) * 73856093) ^ (np.int64(rank) * 19349663) ^ (np.int64(folded) * 83492791)
    return (key ^ (key >> 17)) & (len(table) - 1)


slot_for: Any = compiled(_slot_for)


def _rehash(table: Ints, state_node: Ints, state_rank: Ints, state_lies: Longs, states: int) -> None:
    """Enter all states into an empty hash table."""
    for state in range(states):
        at = slot_for(table, state_node[state], state_rank[state], state_lies[state])
        while table[at] >= 0:
            at = (at + 1) & (len(table) - 1)
        table[at] = state


EXPANDED, STATES, HEAPED, FOUND, LOWEST = 0, 1, 2, 3, 4
GOING_ON, ARRIVED, EXHAUSTED, FULL = 0, 1, 2, 3


def _best_first(  # noqa: PLR0912, PLR0915, PLR0917  (one loop, compiled as a whole)
    slots: Longs,
    entries: Longs,
    state_node: Ints,
    state_rank: Ints,
    state_lies: Longs,
    state_cost: Longs,
    state_parent: Ints,
    state_arc: Ints,
    table: Ints,
    counters: Longs,
    begins: Longs,
    target: Ints,
    cost: Longs,
    carrying: Ints,
    route: Ints,
    carried: Ints,
    routes: NDArray[np.int8],
    change_cost: int,
    row: Ints,
    distance: NDArray[Any],
    far: int,
    factor: int,
    place: Ints,
    reached: NDArray[np.bool_],
    limit: int,
    expansions: int,
) -> int:
    """Look at the most promising states until one is at the goal, or ``expansions`` are done.

    States are (node, rank, lies): two bits of ``lies`` for every turnout, 0 while it may lie either way. ``slots``
    and ``entries`` are a heap of (least total, state), ``table`` finds a state by its hash. ``distance[row[node],
    rank] * factor`` never exceeds what is still to come, and less of it is gone after an arc than the arc costs.
    States whose total would reach ``limit`` are left out. Returns GOING_ON, ARRIVED (``counters[FOUND]`` is the
    state), EXHAUSTED, or FULL: the arrays must grow first.
    """
    mask = len(table) - 1
    capacity = len(state_node)
    most = 0
    for node in range(len(begins) - 1):
        most = max(most, begins[node + 1] - begins[node])
    for _ in range(expansions):
        if counters[2] == 0:
            return 2
        if counters[1] + most >= capacity or 2 * (counters[1] + most) >= len(table) or counters[2] + most >= len(slots):
            return 3
        total, state = slots[0], entries[0]
        # take the top of the heap away
        counters[2] -= 1
        size = counters[2]
        moved, moved_entry = slots[size], entries[size]
        at = 0
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and (
                slots[child + 1] < slots[child]
                or (slots[child + 1] == slots[child] and entries[child + 1] > entries[child])
            ):
                child += 1
            if slots[child] > moved or (slots[child] == moved and entries[child] <= moved_entry):
                break
            slots[at], entries[at] = slots[child], entries[child]
            at = child
        slots[at], entries[at] = moved, moved_entry
        node, rank, lies = state_node[state], state_rank[state], state_lies[state]
        so_far = state_cost[state]
        if total != so_far + np.int64(distance[row[node], rank]) * factor:
            continue  # a cheaper way to this state was found after this entry was made
        counters[4] = total
        counters[0] += 1
        if reached[place[node], rank]:
            counters[3] = state
            return 1
        for arc in range(begins[node], begins[node + 1]):
            there, rank_there = target[arc], carried[carrying[arc], rank]
            to_go = np.int64(distance[row[there], rank_there])
            if to_go == far:
                continue
            now, spent = lies, so_far + cost[arc]
            if change_cost > 0:
                way = route[arc]
                for leg in range(routes.shape[1]):
                    turnout = routes[way, leg]
                    if turnout < 0:
                        break
                    shift = turnout & ~1
                    lie = np.int64(1 + (turnout & 1))
                    known = (now >> shift) & 3
                    if known != lie:
                        spent += change_cost if known != 0 else 0
                        now = (now & ~(np.int64(3) << shift)) | (lie << shift)
            estimate = spent + to_go * factor
            if estimate >= limit:
                continue
            place_in = slot_for(table, there, rank_there, now)
            while True:
                other = table[place_in]
                if other < 0:
                    other = np.int32(counters[1])
                    counters[1] += 1
                    table[place_in] = other
                    state_node[other], state_rank[other], state_lies[other] = there, rank_there, now
                    break
                if state_node[other] == there and state_rank[other] == rank_there and state_lies[other] == now:
                    if state_cost[other] <= spent:
                        other = np.int32(-1)
                    break
                place_in = (place_in + 1) & mask
            if other < 0:
                continue
            state_cost[other], state_parent[other], state_arc[other] = spent, state, arc
            at = counters[2]
            counters[2] += 1
            while at > 0:
                above = (at - 1) // 2
                if slots[above] < estimate or (slots[above] == estimate and entries[above] >= other):
                    break
                slots[at], entries[at] = slots[above], entries[above]
                at = above
            slots[at], entries[at] = estimate, other
    return 0


rehash: Any = compiled(_rehash)
spread: Any = compiled(_spread)
best_first: Any = compiled(_best_first)
