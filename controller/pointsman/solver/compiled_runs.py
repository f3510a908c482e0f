"""The rules of ``puzzle.moves`` once more, for compiled code: everything reachable by runs, shape by shape.

What is found here is the same graph that ``puzzle.moves`` gives, in the same order, arc by arc: tests compare the
two. One thing is left to ``puzzle.moves``: a run that passes a turnout twice.

A vehicle is its slot; the locomotive comes after the last slot. An element is a segment or, after all of those, a
turnout; its sides are FROM and TO, or toe, closed and thrown. A *train under way* is a row of numbers::

    units, vehicles, stretches, legs | vehicles, rear to front | element, leg, forward, count of every stretch | legs
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pointsman.solver.compiled import compiled

Shorts = NDArray[np.int16]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

BUFFER, TOE, FREE = -1, 0, 0
SEGMENT = 0  # the leg of a stretch that is a segment

AT, SHAPES, ARCS, PERMUTATIONS, ROUTES = 0, 1, 2, 3, 4
DONE, GOING_ON, FULL, PASSED_TWICE, BITES_ITS_TAIL = 0, 1, 2, 3, 4

UNITS, VEHICLES, STRETCHES, LEGS, HEAD = 0, 1, 2, 3, 4
ELEMENT, LEG, FORWARD, COUNT, PARTS = 0, 1, 2, 3, 4


@compiled
def place_for(items: Shorts, number: int, table: Ints, row: Shorts) -> Any:
    """Which of the items a row is; the number of items when it is new, and then it is entered, if there is room."""
    key = np.uint32(2166136261)
    for column in range(len(row)):
        key = np.uint32((key ^ np.uint32(row[column] + 32768)) * np.uint32(16777619))
    at = np.int64(key ^ (key >> np.uint32(15))) & (len(table) - 1)
    while table[at] >= 0:
        found = table[at]
        same = True
        for column in range(len(row)):
            if items[found, column] != row[column]:
                same = False
                break
        if same:
            return found
        at = (at + 1) & (len(table) - 1)
    if number < len(items):
        for column in range(len(row)):
            items[number, column] = row[column]
        table[at] = number
    return number


class Rails(NamedTuple):
    """The capacity of every segment; for every side of every element, which element and which side of it are there."""

    capacity: Longs
    element: Longs
    side: Longs


class Standing(NamedTuple):
    """How many vehicles stand in each segment, and which, from FROM to TO; how turnouts lie, and which vehicle is on.

    A turnout lies FREE, or for leg 1 or 2.
    """

    counts: Longs
    inside: Longs
    lies: Longs
    on: Longs


class Bench(NamedTuple):
    """Room to work in: trains under way, and where the stretches and the legs begin in one; the chain being made, and
    its vehicles with the stretches they stand on; a row, an arrangement and a route.
    """

    ways: Longs
    first: int
    legs: int
    chain: Longs
    train: Longs
    places: Longs
    row: Shorts
    order: Shorts
    route: Shorts


@compiled
def joined_over(lies: Longs, turnout: int, side: int) -> bool:
    """Whether an occupied turnout lies for this side of it: then the chain goes on over it."""
    lie = lies[turnout]
    if side == TOE:
        return bool(lie != FREE)
    return bool(lie == side)


@compiled
def out_of(leg: int, forward: int) -> int:
    """The side by which a train leaves a stretch."""
    if leg == SEGMENT:
        return 1 if forward else 0
    return leg if forward else TOE


@compiled
def beyond(rails: Rails, now: Standing, chain: Longs, start: int) -> int:
    """Write the chain beyond its stretch at ``start``; where it ends."""
    segments, number = len(rails.capacity), start + 1
    here, leg, forward = chain[start, ELEMENT], chain[start, LEG], chain[start, FORWARD]
    while True:
        out = out_of(leg, forward)
        there, enters = rails.element[here, out], rails.side[here, out]
        if there == BUFFER:
            return number
        if there >= segments:
            if not joined_over(now.lies, there - segments, enters):
                return number
            if leg == SEGMENT and now.counts[here] != rails.capacity[here]:
                behind, by = rails.element[here, 1 - out], rails.side[here, 1 - out]
                if behind != BUFFER and joined_over(now.lies, behind - segments, by):
                    return number  # between two occupied turnouts the chain holds only over a full segment
            leg = now.lies[there - segments]
        else:
            leg = SEGMENT
        here, forward = there, 1 if enters == 0 else 0
        for earlier in range(start, number):
            if chain[earlier, ELEMENT] == here:
                return number
        chain[number, ELEMENT], chain[number, LEG], chain[number, FORWARD] = here, leg, forward
        number += 1


@compiled
def train_of(rails: Rails, now: Standing, home: int, home_leg: int, towards: int, bench: Bench) -> int:
    """The chain around the locomotive, rear first, and the stretch of each of its vehicles; -1 when it bites its tail.

    ``home`` and ``home_leg`` are where the locomotive stands.
    """
    chain, train, places = bench.chain, bench.train, bench.places
    segments, vehicles = len(rails.capacity), 0
    chain[0, ELEMENT], chain[0, LEG], chain[0, FORWARD] = home, home_leg, 1 - towards
    rear = beyond(rails, now, chain, np.int64(0)) - 1
    chain[rear + 1, ELEMENT], chain[rear + 1, LEG], chain[rear + 1, FORWARD] = home, home_leg, towards
    length = beyond(rails, now, chain, rear + 1) - 1
    for at in range(length):  # what is behind was found from the locomotive to the rear
        one = rear - at if at < rear else at + 1
        here, leg = chain[one, ELEMENT], chain[one, LEG]
        forward = 1 - chain[one, FORWARD] if at < rear else chain[one, FORWARD]
        number = 1 if leg != SEGMENT else now.counts[here]
        for place in range(number):
            vehicle = now.on[here - segments] if leg != SEGMENT else 0
            if leg == SEGMENT:
                vehicle = now.inside[here, place if forward else number - 1 - place]
            for earlier in range(vehicles):
                if train[earlier] == vehicle:
                    return -1
            train[vehicles] = vehicle
            places[vehicles, ELEMENT], places[vehicles, LEG], places[vehicles, FORWARD] = here, leg, forward
            vehicles += 1
    return vehicles


@compiled
def shift(ways: Longs, way: int, first: int) -> None:
    """One vehicle fewer in the rearmost element, one more in the foremost. ``first`` is where the stretches begin."""
    front = first + PARTS * (ways[way, STRETCHES] - 1)
    ways[way, first + COUNT] -= 1
    ways[way, front + COUNT] += 1
    if ways[way, first + COUNT] == 0:
        for at in range(first, front):
            ways[way, at] = ways[way, at + PARTS]
        ways[way, STRETCHES] -= 1
    ways[way, UNITS] += 1


@compiled
def steps(rails: Rails, left: Standing, bench: Bench, last: int) -> int:
    """The last of the trains under way one unit on: in its place and behind it, the first to be looked at last.

    How many trains there are then; -1 when one passes a turnout twice. ``left`` is what stands beside the train, or
    stood until it was met.
    """
    ways, first, legs, segments = bench.ways, bench.first, bench.legs, len(rails.capacity)
    while True:
        number = ways[last, STRETCHES]
        front = first + PARTS * (number - 1)
        here, leg = ways[last, front + ELEMENT], ways[last, front + LEG]
        if leg == SEGMENT and number > 1 and ways[last, front + COUNT] < rails.capacity[here]:
            shift(ways, last, first)
            return last + 1
        out = out_of(leg, ways[last, front + FORWARD])
        there, enters = rails.element[here, out], rails.side[here, out]
        if there == BUFFER:
            return last
        for at in range(first, front + PARTS, PARTS):
            if ways[last, at + ELEMENT] == there:
                return last  # the train would meet itself
        ahead = front + PARTS
        ways[last, STRETCHES] = number + 1
        ways[last, ahead + ELEMENT], ways[last, ahead + COUNT] = there, 0
        if there < segments:
            # No turnout is passed twice, so a segment is entered only once: what stands there has not been met yet.
            ways[last, ahead + LEG], ways[last, ahead + FORWARD] = SEGMENT, 1 if enters == 0 else 0
            standing = left.counts[there]
            for place in range(standing):
                met = place if enters == 0 else standing - 1 - place
                ways[last, HEAD + ways[last, VEHICLES]] = left.inside[there, met]
                ways[last, VEHICLES] += 1
            ways[last, ahead + COUNT] = standing
            continue
        leg_at = legs + ways[last, LEGS]
        for at in range(legs, leg_at):
            if ways[last, at] // 2 == there - segments:
                return -1
        ways[last, LEGS] += 1
        trailing = enters != TOE
        if not trailing:
            for at in range(leg_at):
                ways[last + 1, at] = ways[last, at]
        choices = 1 if trailing else 2
        for choice in range(choices):
            lie = enters if trailing else 2 - choice
            ways[last + choice, ahead + LEG], ways[last + choice, ahead + FORWARD] = lie, 0 if trailing else 1
            ways[last + choice, leg_at] = 2 * (there - segments) + lie - 1
            shift(ways, last + choice, first)
        return last + choices


@compiled
def begin(now: Standing, vehicles: int, number: int, left: Standing, bench: Bench) -> None:
    """The train about to start, the only one under way, and what stands when it has left its rearmost vehicles."""
    ways, places, segments = bench.ways, bench.places, len(now.counts)
    for segment in range(segments):
        left.counts[segment] = now.counts[segment]
        for place in range(now.counts[segment]):
            left.inside[segment, place] = now.inside[segment, place]
    for at in range(vehicles):
        if places[at, LEG] == SEGMENT:
            left.counts[places[at, ELEMENT]] = 0
    if number > 0:
        rear = places[0, ELEMENT]
        left.counts[rear] = number
        for place in range(number):
            left.inside[rear, place if places[0, FORWARD] else number - 1 - place] = bench.train[place]
    ways[0, UNITS], ways[0, VEHICLES], ways[0, STRETCHES], ways[0, LEGS] = 0, vehicles - number, 0, 0
    at = bench.first - PARTS
    for place in range(number, vehicles):
        here, leg = places[place, ELEMENT], places[place, LEG]
        ways[0, HEAD + place - number] = bench.train[place]
        if ways[0, STRETCHES] == 0 or ways[0, at + ELEMENT] != here:
            at += PARTS
            ways[0, at + ELEMENT], ways[0, at + LEG], ways[0, at + COUNT] = here, leg, 0
            ways[0, at + FORWARD] = places[place, FORWARD]
            ways[0, STRETCHES] += 1
            if leg != SEGMENT:
                ways[0, bench.legs + ways[0, LEGS]] = 2 * (here - segments) + leg - 1
                ways[0, LEGS] += 1
        ways[0, at + COUNT] += 1


@compiled
def settle(left: Standing, bench: Bench, way: int, then: Standing) -> None:
    """Where everything is with a train where it has come to."""
    ways, segments = bench.ways, len(left.counts)
    for turnout in range(len(then.lies)):
        then.lies[turnout] = FREE
    for segment in range(segments):
        then.counts[segment] = left.counts[segment]
        for place in range(left.counts[segment]):
            then.inside[segment, place] = left.inside[segment, place]
        for at in range(HEAD, HEAD + ways[way, VEHICLES]):
            if left.counts[segment] > 0 and ways[way, at] == left.inside[segment, 0]:
                then.counts[segment] = 0  # the train has met them
    at = HEAD
    for stretch in range(bench.first, bench.first + PARTS * ways[way, STRETCHES], PARTS):
        here, number = ways[way, stretch + ELEMENT], ways[way, stretch + COUNT]
        if ways[way, stretch + LEG] != SEGMENT:
            then.lies[here - segments], then.on[here - segments] = ways[way, stretch + LEG], ways[way, at]
        else:
            forward, standing = ways[way, stretch + FORWARD], then.counts[here]
            if not forward:
                for place in range(standing - 1, -1, -1):
                    then.inside[here, place + number] = then.inside[here, place]
            for place in range(number):
                slot = standing + place if forward else number - 1 - place
                then.inside[here, slot] = ways[way, at + place]
            then.counts[here] += number
        at += number


@compiled
def pack(then: Standing, bench: Bench) -> bool:
    """The row of a position's shape and the order of its wagons; whether that is not the order of their slots."""
    row, order = bench.row, bench.order
    segments, turnouts, locomotive, slot = len(then.counts), len(then.lies), len(order), 0
    row[segments + turnouts + 1] = 0
    for segment in range(segments):
        row[segment] = then.counts[segment]
        for place in range(then.counts[segment]):
            if then.inside[segment, place] == locomotive:
                row[segments + turnouts], row[segments + turnouts + 1] = segment, place
            else:
                order[slot] = then.inside[segment, place]
                slot += 1
    for turnout in range(turnouts):
        row[segments + turnout] = then.lies[turnout]
        if then.lies[turnout] != FREE and then.on[turnout] == locomotive:
            row[segments + turnout] += 2
            row[segments + turnouts] = segments + turnout
        elif then.lies[turnout] != FREE:
            order[slot] = then.on[turnout]
            slot += 1
    moved = False
    for wagon in range(locomotive):
        moved = moved or order[wagon] != wagon
    return moved


@compiled
def unpack(rows: Shorts, number: int, locomotive: int, now: Standing) -> int:
    """A shape from its row; the leg under the locomotive."""
    segments, turnouts, slot, leg = len(now.counts), len(now.lies), 0, SEGMENT
    home = rows[number, segments + turnouts]
    for segment in range(segments):
        now.counts[segment] = rows[number, segment]
        for place in range(now.counts[segment]):
            if segment == home and place == rows[number, segments + turnouts + 1]:
                now.inside[segment, place] = locomotive
            else:
                now.inside[segment, place] = slot
                slot += 1
    for turnout in range(turnouts):
        code = rows[number, segments + turnout]
        now.lies[turnout] = FREE if code == FREE else 1 + (code - 1) % 2
        if segments + turnout == home:
            now.on[turnout], leg = locomotive, now.lies[turnout]
        elif code != FREE:
            now.on[turnout] = slot
            slot += 1
    return leg


@compiled
def explore_on(  # noqa: PLR0917  (one loop, compiled as a whole)
    rails: Rails,
    now: Standing,
    left: Standing,
    then: Standing,
    bench: Bench,
    rows: Shorts,
    row_table: Ints,
    permutations: Shorts,
    permutation_table: Ints,
    routes: Shorts,
    route_table: Ints,
    arcs: Ints,
    counters: Longs,
    shapes: int,
) -> int:
    """Look at up to ``shapes`` more shapes, in the order in which they were found.

    Returns DONE, GOING_ON, or, with nothing kept of the shape at ``counters[AT]``: FULL (an array must grow),
    PASSED_TWICE or BITES_ITS_TAIL.
    """
    locomotive = permutations.shape[1]
    train, places, row = bench.train, bench.places, bench.row
    for _ in range(shapes):
        number = counters[AT]
        if number == counters[SHAPES]:
            return DONE
        before = counters[ARCS]
        home = rows[number, len(row) - 2]
        home_leg = unpack(rows, number, locomotive, now)
        for towards in range(2):
            vehicles = train_of(rails, now, home, home_leg, towards, bench)
            if vehicles < 0:
                counters[ARCS] = before
                return BITES_ITS_TAIL
            most = 0
            while places[0, LEG] == SEGMENT and train[most] != locomotive and places[most, ELEMENT] == places[0, 0]:
                most += 1
            for dropped in range(most + 1):
                begin(now, vehicles, dropped, left, bench)
                waiting = steps(rails, left, bench, np.int64(0))
                while waiting > 0:
                    way = waiting - 1
                    settle(left, bench, way, then)
                    changed = pack(then, bench)
                    for column in range(len(row)):
                        changed = changed or row[column] != rows[number, column]
                    if changed:
                        for leg in range(len(bench.route)):
                            bench.route[leg] = bench.ways[way, bench.legs + leg] if leg < bench.ways[way, LEGS] else -1
                        target = place_for(rows, counters[SHAPES], row_table, row)
                        permutation = place_for(permutations, counters[PERMUTATIONS], permutation_table, bench.order)
                        route = place_for(routes, counters[ROUTES], route_table, bench.route)
                        if (
                            target == len(rows)
                            or permutation == len(permutations)
                            or route == len(routes)
                            or counters[ARCS] == len(arcs)
                        ):
                            counters[ARCS] = before
                            return FULL
                        counters[SHAPES] = max(counters[SHAPES], target + 1)
                        counters[PERMUTATIONS] = max(counters[PERMUTATIONS], permutation + 1)
                        counters[ROUTES] = max(counters[ROUTES], route + 1)
                        arc = counters[ARCS]
                        arcs[arc, 0], arcs[arc, 1], arcs[arc, 2] = number, target, permutation
                        arcs[arc, 3], arcs[arc, 4] = bench.ways[way, UNITS], route
                        counters[ARCS] = arc + 1
                    waiting = steps(rails, left, bench, way)
                if waiting < 0:
                    counters[ARCS] = before
                    return PASSED_TWICE
        counters[AT] = number + 1
    return GOING_ON


@compiled
def enter_again(items: Shorts, number: int, table: Ints) -> None:
    """Enter the first items into an empty table."""
    row = np.empty(items.shape[1], np.int16)
    for item in range(number):
        for column in range(len(row)):
            row[column] = items[item, column]
        place_for(items, np.int64(item), table, row)
