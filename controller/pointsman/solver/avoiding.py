"""The best plan that does without certain runs: those that the real lengths of the metal forbid.

The table of distances knows nothing of millimetres, but no plan is shorter than it says: it guides a search that goes
forward, run by run, and leaves out what is forbidden.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection
from dataclasses import dataclass
from itertools import count as counting
from pathlib import Path

from pointsman.errors import BudgetSpentError, UnsolvableError
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.moves import Run, runs
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.solver.table import Report, Table, silent, table_for
from pointsman.track.model import Track

MOST_POSITIONS = 200_000
"""Looked at before the search gives up: some minutes."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A run that must not be made: from a position to another, leaving these vehicles."""

    before: Position
    after: Position
    left: tuple[str, ...]

    @classmethod
    def of(cls, run: Run) -> Forbidden:
        """The one that forbids a run, whatever follows it."""
        return cls(run.before, run.after, run.left)


def runs_avoiding(
    track: Track,
    start: Position,
    goal: Goal,
    forbidden: Collection[Forbidden],
    *,
    progress: Report = silent,
    cache: Path | None = None,
) -> tuple[Run, ...]:
    """The plan with the fewest runs that makes none of the forbidden ones.

    Raises UnsolvableError when every way needs one of them, BudgetSpentError when that could not be found out.
    """
    table = table_for(track, start, goal, Count.RUNS, progress=progress, cache=cache)
    locomotive = locomotive_of(track, start)
    banned = {(f.before, f.after, f.left) for f in forbidden}
    order = counting()
    came: dict[Position, Run | None] = {start: None}
    fewest = {start: 0}
    open_: list[tuple[int, int, int, Position]] = []
    _push(open_, table, goal, start, 0, next(order))
    done: set[Position] = set()
    while open_:
        _, _, made, position = heapq.heappop(open_)
        if position in done:
            continue
        done.add(position)
        if len(done) > MOST_POSITIONS:
            raise BudgetSpentError("not proved: too many positions for a plan around what is forbidden")
        if goal.reached(position, track.locomotives):
            return _way(came, position)
        for run in runs(track, position, locomotive):
            if (run.before, run.after, run.left) in banned or run.after in done:
                continue
            if made + 1 < fewest.get(run.after, MOST_POSITIONS):
                came[run.after], fewest[run.after] = run, made + 1
                _push(open_, table, goal, run.after, made + 1, next(order))
    raise UnsolvableError(
        f"every way to '{goal}' needs a run that the real lengths forbid ({len(banned)} of them are known)",
        where=str(start),
        cure="give the track more length where the refusals say so",
    )


def _push(
    open_: list[tuple[int, int, int, Position]], table: Table, goal: Goal, at: Position, made: int, turn: int
) -> None:
    left = table.distance_of(at, goal)
    if left is not None:
        heapq.heappush(open_, (made + left, turn, made, at))


def _way(came: dict[Position, Run | None], position: Position) -> tuple[Run, ...]:
    way = []
    while (run := came[position]) is not None:
        way.append(run)
        position = run.before
    return tuple(reversed(way))
