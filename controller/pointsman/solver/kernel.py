"""The compiled inner loop: one level of a breadth-first search, backwards from the goal.

Compiled code is kept in the user's cache, never beside the installed source, which may be read-only. Importing this
module imports numba (about half a second); a table that is read from its file needs neither.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pointsman.solver.cache import writable

FAR = 255
"""The distance of a position from which the goal has not been reached."""

_compiled = writable("compiled")
if _compiled is not None:
    os.environ.setdefault("NUMBA_CACHE_DIR", str(_compiled))

from numba import njit  # noqa: E402  (numba reads NUMBA_CACHE_DIR when it is imported)


def _spread(
    distance: NDArray[np.uint8],
    depth: int,
    first: int,
    last: int,
    begins: NDArray[np.int64],
    source: NDArray[np.int32],
    carrying: NDArray[np.int32],
    carried: NDArray[np.int32],
) -> int:
    """Give every position one step before one at ``depth`` its distance; how many were new.

    ``distance`` is flat, shape by shape, one entry per arrangement. Shapes ``first`` to ``last`` (not included) are
    looked at. The arcs that end in shape t are ``begins[t]`` to ``begins[t + 1]``: from shape ``source``, and
    ``carried[carrying]`` takes the arrangement after the step to the one before it.
    """
    arrangements = carried.shape[1]
    found = 0
    for shape in range(first, last):
        base = shape * arrangements
        for arrangement in range(arrangements):
            if distance[base + arrangement] == depth:
                for arc in range(begins[shape], begins[shape + 1]):
                    before = np.int64(source[arc]) * arrangements + carried[carrying[arc], arrangement]
                    if distance[before] == FAR:
                        distance[before] = depth + 1
                        found += 1
    return found


spread: Any = njit(cache=_compiled is not None, nogil=True)(_spread)
