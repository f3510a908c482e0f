"""Test support: draws of the built-in layouts, solved, and ready to be carried out."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from metal import LAYOUTS, builtin, wiring_of

from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.plan import Planner
from pointsman.puzzle.deal import deal
from pointsman.puzzle.moves import Run, runs
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.puzzle.puzzle_file import load_puzzle
from pointsman.solver.search import solve
from pointsman.track.model import End, Track

ALLOW = Allowances()


@cache
def _tables() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="pointsman-tables-")


@cache
def draw(layout: str, number: int, name: str = "sidings") -> tuple[Position, tuple[Run, ...]]:
    """The start of a draw (by default the train in s1, the others in the short sidings), and its best plan."""
    track = builtin(layout)
    puzzle = deal(load_puzzle(LAYOUTS / layout / "puzzles" / f"{name}.toml", track), number).puzzle
    return puzzle.start, solve(track, puzzle.start, puzzle.goal, Count.RUNS, cache=Path(_tables().name)).runs


def run_named(track: Track, position: Position, text: str) -> Run:
    """The legal run that is written like this: ``L to 2 over T1>closed``."""
    found = [run for run in runs(track, position, "L") if str(run) == text]
    assert found, f"no run {text!r}; there are: {'; '.join(str(r) for r in runs(track, position, 'L'))}"
    return found[0]


def plan_of(track: Track, start: str, *texts: str) -> tuple[Position, tuple[Run, ...]]:
    """A start and hand-written runs."""
    position = parse_position(start, track)
    plan: list[Run] = []
    for text in texts:
        plan.append(run_named(track, plan[-1].after if plan else position, text))
    return position, tuple(plan)


def planner_of(layout: str) -> Planner:
    return Planner(builtin(layout), wiring_of(layout), ALLOW)


def set_up(track: Track, position: Position) -> Belief:
    belief = at_setup(track, position, End.TO, ALLOW.mark_error_mm, ALLOW.setup_error_mm)
    for beam in track.beams:
        belief = belief.with_beam(beam, False)
    return belief
