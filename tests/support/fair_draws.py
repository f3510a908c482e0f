"""Test support: docs/fair-draws.md, followed step by step with nothing of the program."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

SMALL = "inglenook-small"

Row = tuple[int, ...]
Tracks = tuple[Row, Row, Row, Row]
"""Headshunt, s1, s2, s3: wagons by number, in the sidings from the points, in the headshunt from the buffer stop."""
ROOM = (2, 3, 2, 2)
START: Tracks = ((), (0, 1, 2), (3, 4), ())


def pull_drops(tracks: Tracks) -> Iterator[Tracks]:
    """One pull or one drop of one or more wagons between headshunt and siding, on the small Inglenook."""
    head = tracks[0]
    for siding in (1, 2, 3):
        there = tracks[siding]
        moved = [(head + there[:k], there[k:]) for k in range(1, len(there) + 1)]
        moved += [(head[:-k], head[-k:] + there) for k in range(1, len(head) + 1)]
        for left, right in moved:
            if len(left) <= ROOM[0] and len(right) <= ROOM[siding]:
                new = [left, *tracks[1:]]
                new[siding] = right
                yield new[0], new[1], new[2], new[3]


def reached(start: Tracks = START) -> dict[Tracks, int]:
    """Every position that can be reached from a start, with its pull-drops."""
    found = {start: 0}
    layer = [start]
    while layer:
        layer = [new for old in layer for new in pull_drops(old) if found.setdefault(new, found[old] + 1) > found[old]]
        layer = list(dict.fromkeys(layer))
    return found


FOUND = reached()


def pars_of(rows: Sequence[Row], holds: Callable[[Row, Tracks], bool]) -> dict[Row, int]:
    """Those with a solution, in lexicographic order."""
    return {
        row: min(known)
        for row in sorted(rows)
        if (known := [distance for tracks, distance in FOUND.items() if holds(row, tracks)])
    }


def within(pars: dict[Row, int], least: int, most: int) -> list[tuple[Row, int]]:
    return [(row, par) for row, par in pars.items() if least <= par <= most]


def train_only() -> tuple[list[Row], Callable[[Row, Tracks], bool]]:
    """``s1: 1 2 3``."""
    return list(permutations(range(5), 3)), lambda row, tracks: tracks[1] == row


def with_a_set() -> tuple[list[Row], Callable[[Row, Tracks], bool]]:
    """``s1: 1 2 3 | s2: {4 5}``: of the rows that differ only in the set's order the one in which it rises is kept."""
    rows = [row for row in permutations(range(5), 5) if row[3] < row[4]]
    return rows, lambda row, tracks: tracks[1] == row[:3] and sorted(tracks[2]) == list(row[3:])


def every_place() -> tuple[list[Row], Callable[[Row, Tracks], bool]]:
    """``s1: 1 2 3 | s2: 4 5``."""
    return list(permutations(range(5), 5)), lambda row, tracks: tracks[1] == row[:3] and tracks[2] == row[3:]


PUZZLES = {SMALL: train_only, f"{SMALL}/siding-2": with_a_set, f"{SMALL}/full": every_place}


def text_of(secret: str, version: str, files: tuple[str, str], name: str, pars: tuple[int, int], *rest: int) -> str:
    draws, heats, spares = rest
    text = (
        f"pointsman draws 1\nsecret {secret}\nprogram {version}\nlayout {files[0]}\npuzzle {files[1]}\nround {name}\n"
        f"count pull-drops\npars {pars[0]} {pars[1]}\ndraws {draws}\nheats {heats}\nspares {spares}\n"
    )
    return unicodedata.normalize("NFC", text)


def sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def chosen(listed: list[tuple[Row, int]], secret: str, commitment: str, many: int) -> list[tuple[Row, int]]:
    listed, found, i = list(listed), [], 0
    while len(found) < many:
        number = int.from_bytes(sha256(f"pointsman competition draws 1\n{secret} {commitment}\n{i}")[:8], "big")
        i += 1
        if number < 2**64 // len(listed) * len(listed):
            found.append(listed.pop(number % len(listed)))
    return found
