"""The fewest of each count that a draw can be solved with: its pars. Solved in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pointsman.errors import BudgetSpentError, UnsolvableError
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.solver.apart import apart
from pointsman.solver.search import solve
from pointsman.solver.steps import has_count
from pointsman.solver.table import Report, silent
from pointsman.track.model import Track

MOVES = (Count.RUNS, Count.PULL_DROPS, Count.REVERSALS, Count.COUPLINGS)
"""Every count but time, whose least is what a locomotive of a certain speed could do."""
Pars = Callable[[Track, Position, Goal], Mapping[Count, int]]
"""What finds the pars of a start; what was found before may be answered again."""


def pars(
    track: Track,
    start: Position,
    goal: Goal,
    *,
    counts: Sequence[Count] = MOVES,
    progress: Report = silent,
    cache: Path | None = None,
) -> Mapping[Count, int]:
    """The fewest of each of these counts that lead from a start to a goal, proved; seconds in milliseconds.

    A count is left out that is not defined here, or that cannot be proved with the memory there is, and all are where
    the goal cannot be reached. ``cache`` is a directory for what takes long to find, the user's own if None. Blocks.
    Raises UsageError when the start makes no sense here.
    """
    found = apart(fewest, (track, start, goal, tuple(counts)), {"cache": cache}, progress)
    assert isinstance(found, dict)
    return found


def fewest(
    track: Track,
    start: Position,
    goal: Goal,
    counts: Sequence[Count] = MOVES,
    *,
    progress: Report = silent,
    cache: Path | None = None,
) -> dict[Count, int]:
    """As ``pars``, in this process."""
    found: dict[Count, int] = {}
    if goal.reached(start, track.locomotives):
        return dict.fromkeys(counts, 0)
    for count in counts:
        if not has_count(track, count, start, locomotive_of(track, start)):
            continue
        try:
            found[count] = solve(track, start, goal, count, progress=progress, cache=cache).optimum
        except BudgetSpentError:
            continue  # it is not known, and that is what is answered
        except UnsolvableError:
            return {}
    return found
