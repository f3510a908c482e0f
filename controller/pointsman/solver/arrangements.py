"""All arrangements of wagons of which some are alike, in lexicographic order; an arrangement's number is its rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

BITS = 4
"""A kind's bits in a packed arrangement: up to 16 kinds and 15 wagons in 64 bits."""
MOST_WAGONS = 15
"""More do not fit into a packed arrangement: their ranks would be wrong."""


@dataclass(frozen=True, slots=True)
class Arrangements:
    """``rows[r]`` is the arrangement of rank r, a kind per slot; ``keys`` are the rows packed, rising."""

    rows: NDArray[np.uint8]
    keys: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Sequence[int]) -> Arrangements:
        """All arrangements of ``counts[k]`` wagons of each kind k."""
        rows = _rows(tuple(counts))
        return cls(rows, _packed(rows))

    def __len__(self) -> int:
        return len(self.rows)

    def rank(self, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The ranks of arrangements given as rows."""
        return np.searchsorted(self.keys, _packed(rows)).astype(np.int64)

    def carried(self, permutation: NDArray[np.int8]) -> NDArray[np.int32]:
        """For every rank, the rank after slot i has taken what stood in slot ``permutation[i]``."""
        return self.rank(self.rows[:, permutation.astype(np.intp)]).astype(np.int32)


def number_of_arrangements(counts: Sequence[int]) -> int:
    """How many arrangements there are, without making them."""
    return factorial(sum(counts)) // prod(factorial(count) for count in counts)


def _packed(rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    keys = np.zeros(rows.shape[0], dtype=np.int64)
    for slot in range(rows.shape[1]):
        keys = keys << BITS | rows[:, slot]
    return keys


def _rows(counts: tuple[int, ...]) -> NDArray[np.uint8]:
    """Built slot by slot from the back, one block for each way in which the remaining wagons can be made up."""
    memo: dict[tuple[int, ...], NDArray[np.uint8]] = {}

    def build(left: tuple[int, ...]) -> NDArray[np.uint8]:
        if left not in memo:
            blocks = []
            for kind, count in enumerate(left):
                if count:
                    rest = build((*left[:kind], count - 1, *left[kind + 1 :]))
                    first = np.full((rest.shape[0], 1), kind, dtype=np.uint8)
                    blocks.append(np.hstack([first, rest]))
            memo[left] = np.vstack(blocks) if blocks else np.zeros((1, 0), dtype=np.uint8)
        return memo[left]

    return build(counts)
