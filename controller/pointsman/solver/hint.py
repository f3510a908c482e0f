"""The next step from any position, and how many are still to come: a table is loaded once, then asked again and again.

``Hints.distance`` is what a screen asks after every move (some ten microseconds); ``Hints.hint`` is the first step of
the plan that ``search.best_plan`` gives from there (some milliseconds).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pointsman.puzzle.goal import Goal
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.arrangements import BITS
from pointsman.solver.grade import check_gradable
from pointsman.solver.search import best_plan
from pointsman.solver.steps import Step
from pointsman.solver.table import Report, Table, silent, table_for
from pointsman.track.model import Track


@dataclass(frozen=True, slots=True)
class Hint:
    """``distance`` steps are still to come, and ``step`` is the best next one; None at the goal."""

    distance: int
    step: Step | None


@dataclass(frozen=True, slots=True)
class Hints:
    """What to do next on the way to one goal, counted in runs or pull-drops."""

    track: Track
    goal: Goal
    count: Count
    table: Table
    kinds: Mapping[str, int]

    @classmethod
    def load(
        cls,
        track: Track,
        start: Position,
        goal: Goal,
        count: Count,
        *,
        progress: Report = silent,
        cache: Path | None = None,
    ) -> Hints:
        """Hints for all positions that can be reached from one. Raises as ``table.table_for``, and UsageError."""
        check_gradable(count)
        table = table_for(track, start, goal, count, progress=progress, cache=cache)
        locomotive = table.locomotive
        kinds = goal.kinds([vehicle for vehicle in start.vehicles if vehicle != locomotive])
        return cls(track, goal, count, table, kinds)

    def distance(self, position: Position) -> int | None:
        """How many steps are still to come.

        None when there is no way, or when the position does not come up in this game (for pull-drops, between trips).
        The vehicles must be those of the start.
        """
        table = self.table
        # Runs and pull-drops need no memory: there a shape is its own node.
        node = table.graph.shapes.find(position)
        if node is None:
            return None
        key = 0
        for vehicle in position.vehicles:
            if vehicle != table.locomotive:
                key = key << BITS | self.kinds[vehicle]
        found = int(table.distance[node, np.searchsorted(table.arrangements.keys, key)])
        return None if found == table.far else found

    def hint(self, position: Position) -> Hint:
        """The distance and the best next step. Raises UnsolvableError when there is no way."""
        solution = best_plan(self.track, self.table, position, self.goal, self.count)
        return Hint(solution.optimum, solution.plan[0] if solution.plan else None)
