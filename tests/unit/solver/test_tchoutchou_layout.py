"""The built-in Tchoutchou: which trains are right, how hard its draws are; all found again by plain search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from solver_cases import case

from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count, Puzzle
from pointsman.puzzle.puzzle_file import load_puzzle
from pointsman.solver.table import table_for
from pointsman.track.builtin import find_layout
from pointsman.track.layout import load_layout

FOLDER = find_layout("tchoutchou")
TRACK = load_layout(FOLDER)
PUZZLES = {name: load_puzzle(FOLDER / "puzzles" / f"{name}.toml", TRACK) for name in ("classic", "variant")}
FIVE = ("tender", "ladies", "cows", "coal", "caboose")
MIDDLES = {
    "classic": set(permutations(("ladies", "cows", "coal"))),
    "variant": {("ladies", "coal", "cows"), ("cows", "coal", "ladies")},
}
HISTOGRAMS = {
    "classic": {1: 36, 7: 132, 9: 228, 11: 120, 13: 462, 15: 480, 17: 1416, 19: 1086, 21: 756, 23: 324},
    "variant": {
        1: 12, 7: 56, 9: 126, 11: 102, 13: 394, 15: 344, 17: 1142, 19: 1104, 21: 992, 23: 628, 25: 126, 27: 14,
    },
}  # fmt: skip


def good(puzzle: Puzzle, position: str) -> bool:
    return puzzle.goal.reached(parse_position(position, TRACK), TRACK.locomotives)


@pytest.mark.parametrize(("name", "ways"), [("classic", 6), ("variant", 2)])
def test_the_orders_of_a_train(name: str, ways: int) -> None:
    """Of the 120 orders of five wagons: the tender next to the locomotive, the caboose last, the middle free or not."""
    found = {order for order in permutations(FIVE) if good(PUZZLES[name], f"s1: L {' '.join(order)}")}
    assert found == {("tender", *middle, "caboose") for middle in MIDDLES[name]}
    assert len(found) == ways


@pytest.mark.parametrize("name", PUZZLES)
def test_of_two_wagons_of_a_kind_either_does(name: str) -> None:
    found = {
        middle
        for middle in permutations(("ladies", "miners", "cows", "oxen", "coal", "salt"), 3)
        if good(PUZZLES[name], f"s1: L tender {' '.join(middle)} caboose")
    }
    assert len(found) == 8 * len(MIDDLES[name])


@pytest.mark.parametrize("name", PUZZLES)
@pytest.mark.parametrize(
    "position",
    [
        "head: L | s1: tender ladies coal cows caboose",
        "T1>closed: L | s1: tender ladies coal cows caboose",
        "head: L tender ladies | T1>closed: coal | s1: cows caboose",
        "s1: L tender ladies coal cows | s2: caboose",
        "s1: tender ladies coal cows caboose L",
    ],
)
def test_what_is_no_train_yet(name: str, position: str) -> None:
    assert not good(PUZZLES[name], position)


@pytest.mark.parametrize(("name", "mean"), [("classic", 16.9786), ("variant", 18.2810)])
def test_every_draw_can_be_solved(name: str, mean: float, tables: Path) -> None:
    puzzle = PUZZLES[name]
    table = table_for(TRACK, puzzle.start, puzzle.goal, Count.RUNS, cache=tables)
    assert (table.distance.size, table.solved, int(table.distance.max())) == (1_980_720, 1_980_720, 29)
    draws = table.draws(puzzle.start)
    assert dict(Counter(draws.tolist())) == HISTOGRAMS[name]
    assert len(draws) == 5040
    assert round(float(np.mean(draws)), 4) == mean


# ------------------------------------------------------------ plain search
#
# A search that shares nothing with the program. A letter is a vehicle: L, tender, passengers, cattle, goods, k for the
# caboose. On this ladder nothing ever stands to the left of L, so a line's vehicles are a word that begins with L, and
# how many of them each of its tracks holds.

State = tuple[str, str, str, str, str, str, str]
HEAD, S1, S2, S3, T1, T2, WAY = range(7)
"""What a state has: a word for every track and turnout, and the lines that are open while a turnout is occupied."""
LINES = {"1": (HEAD, T1, S1), "2": (HEAD, T1, T2, S2), "3": (HEAD, T1, T2, S3)}
ROOM = {HEAD: 4, S1: 6, S2: 3, S3: 3, T1: 1, T2: 1}


def onward(state: State) -> Iterator[State]:
    """Every position one run away; each of these runs can be made back, so they are those one run before, too."""
    for way, line in LINES.items():
        here = [state[part] for part in line]
        if (state[WAY] and way not in state[WAY]) or not any("L" in word for word in here):
            continue
        last = len(line) - 1
        first = end = next(place for place, word in enumerate(here) if word)
        while end + 1 < last and here[end + 1]:
            end += 1
        if 0 < end == last - 1:  # over the last turnout into the siding
            end = last
        row, standing = "".join(here), "" if end == last else here[last]
        holds = [len(word) for word in here[:last]] + [len(here[last]) - len(standing)]
        yield from pushed(state, way, row, holds, end, len(standing))
        for left in range(holds[last] + 1 - (first == last)):
            drawn = [*holds[:last], holds[last] - left]
            yield from pulled(state, way, row, drawn, first)


def pushed(state: State, way: str, row: str, holds: list[int], front: int, standing: int) -> Iterator[State]:
    """From the headshunt on, one vehicle's length after the other; what stands in the siding is pushed before it."""
    line, at = LINES[way], list(holds)
    while True:
        if line[front] in {HEAD, T1, T2}:
            front += 1
            if front == len(line) - 1:
                at[front] += standing
        rear = next(place for place, many in enumerate(at) if many)
        if rear == len(line) - 1 or at[front] == ROOM[line[front]]:
            return
        at[front] += 1
        at[rear] -= 1
        yield put(state, way, row, at)


def pulled(state: State, way: str, row: str, holds: list[int], front: int) -> Iterator[State]:
    """Towards the headshunt; what the line has more than it holds is left, or stands, in the siding."""
    line, at = LINES[way], list(holds)
    while True:
        rear = max(place for place, many in enumerate(at) if many)
        front = max(front - 1, 0)
        if rear == 0 or at[front] == ROOM[line[front]]:
            return
        at[front] += 1
        at[rear] -= 1
        yield put(state, way, row, at)


def put(state: State, way: str, row: str, holds: list[int]) -> State:
    line, after, at = LINES[way], list(state), 0
    for part, many in zip(line[:-1], holds, strict=False):
        after[part] = row[at : at + many]
        at += many
    after[line[-1]] = row[at:]
    after[WAY] = way if after[T2] or (after[T1] and way == "1") else "23" if after[T1] else ""
    head, s1, s2, s3, t1, t2, lies = after
    return head, s1, s2, s3, t1, t2, lies


def distances(others: str, middles: set[tuple[str, ...]], deepest: int = 99) -> dict[State, int]:
    """How far everything is, up to a depth, from the trains with these middles, the others anywhere."""
    letter = {"ladies": "p", "cows": "c", "coal": "g"}
    found = {
        ("", f"Lt{''.join(letter[name] for name in middle)}k", "".join(row[:at]), "".join(row[at:]), "", "", ""): 0
        for middle in middles
        for row in permutations(others)
        for at in range(max(0, len(row) - 3), min(3, len(row)) + 1)
    }
    layer = list(found)
    for depth in range(1, deepest + 1):
        # In a dict, so that the order is the same each time.
        layer = list(dict.fromkeys(after for state in layer for after in onward(state) if after not in found))
        found |= dict.fromkeys(layer, depth)
        if not layer:
            break
    return found


@pytest.mark.parametrize("name", PUZZLES)
def test_with_the_five_wagons_alone_every_distance_is_found_again(name: str, tables: Path) -> None:
    of = case(TRACK, f"head: L | s1: {' '.join(FIVE)}", str(PUZZLES[name].goal))
    table = table_for(*of, Count.RUNS, cache=tables)
    plain = distances("", MIDDLES[name])
    assert len(plain) == 32_760
    assert Counter(plain.values()) == Counter(table.distance.reshape(-1).tolist())
    draws = Counter(far for state, far in plain.items() if state[HEAD] == "L" and len(state[S1]) == 5)
    assert draws == Counter(table.draws(of[1]).tolist())


@pytest.mark.parametrize("name", PUZZLES)
def test_with_all_eight_the_easiest_draws_are_found_again(name: str) -> None:
    plain = distances("pcg", MIDDLES[name], 7)
    draws = Counter(far for state, far in plain.items() if [len(word) for word in state[:5]] == [1, 5, 3, 0, 0])
    assert draws == {far: many for far, many in HISTOGRAMS[name].items() if far <= 7}
