"""Puzzles that a round can be of, and what their draws look like when they are set up. Everything here blocks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pointsman.box.task import Ground
from pointsman.errors import PointsmanError
from pointsman.links import On, Target
from pointsman.puzzle.choice import choose
from pointsman.puzzle.puzzle import Count
from pointsman.puzzle.puzzle_file import load_puzzle
from pointsman.solver.challenges import one_table
from pointsman.track.builtin import builtin_layouts, find_layout, find_wiring, layout_puzzles, split_puzzle
from pointsman.track.layout import load_layout
from pointsman.track.model import Track
from pointsman.track.wiring_file import load_wiring
from pointsman.web.layout_view import layout_view
from pointsman.web.schemas import LayoutView


def puzzles(also: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The puzzles whose draws can be listed: of the built-in layouts, and of others by their paths."""
    found = []
    for layout in (*builtin_layouts(), *also):
        folder = find_layout(layout)
        track = load_layout(folder, photos=False)
        for name in layout_puzzles(folder):
            puzzle = load_puzzle(folder / "puzzles" / f"{name}.toml", track)
            if one_table(puzzle):
                counts = [str(count) for count in Count if count is not Count.SECONDS]
                its = {"name": f"{layout}/{name}", "title": puzzle.title}
                found.append({**its, "wagons": len(puzzle.wagons), "counts": counts})
    return found


@lru_cache(maxsize=256)
def title_of(puzzle: str) -> str:
    """A puzzle's title; its name where it is not on this computer."""
    try:
        return choose(puzzle).puzzle.title
    except PointsmanError:
        return puzzle


@lru_cache(maxsize=1024)
def position_of(puzzle: str, cards: tuple[str, ...]) -> str | None:
    """What stands where when a draw is set up; None where the puzzle is not on this computer."""
    try:
        return str(choose(puzzle, cards=cards).start)
    except PointsmanError:
        return None


@lru_cache(maxsize=16)
def track_of(puzzle: str) -> Track | None:
    """The track of a puzzle; None where it is not on this computer."""
    try:
        return choose(puzzle).track
    except PointsmanError:
        return None


@lru_cache(maxsize=16)
def drawn_layout(puzzle: str) -> LayoutView:
    """The layout of a puzzle, as it is drawn. Raises UsageError, LayoutError."""
    folder = split_puzzle(puzzle).layout
    track = load_layout(folder)
    return layout_view(Ground(folder, track, load_wiring(find_wiring(folder), track), "", Target(On.SIM)))
