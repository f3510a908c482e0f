"""What the solver's tests share: a case is a track, a start and a goal."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.puzzle.goal import Goal, parse_goal
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.table import Table
from pointsman.track.model import Track

Case = tuple[Track, Position, Goal]
TableOf = Callable[[Case, Count], Table]


def case(track: Track, start: str, goal: str) -> Case:
    position = parse_position(start, track)
    return track, position, parse_goal(goal, track, position.vehicles)
