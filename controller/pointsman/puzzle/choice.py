"""A puzzle settled: chosen by name, drawn from a seed, or given another start or goal than its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pointsman.errors import UsageError
from pointsman.puzzle.deal import deal, laid_out, places
from pointsman.puzzle.goal import Goal, parse_goal
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Puzzle
from pointsman.puzzle.puzzle_file import load_puzzle
from pointsman.track.builtin import split_puzzle
from pointsman.track.layout import load_layout
from pointsman.track.model import Track


@dataclass(frozen=True, slots=True)
class Chosen:
    """A puzzle with its start and goal settled.

    ``cards`` when it was drawn, and ``seed`` when that was done with one: a draw given by its wagons has none.
    """

    name: str
    folder: Path
    puzzle: Puzzle
    seed: str | None
    cards: tuple[str, ...]

    @property
    def wagons(self) -> tuple[str, ...]:
        """The draw by its wagons, as ``choose`` takes it."""
        # Where the goal names none it is the start that was drawn, and that may be another one since.
        return places(self.puzzle) if set(self.goal.vehicles) & set(self.puzzle.wagons) else self.cards

    @property
    def chance(self) -> str:
        """What a simulated layout takes its own chances from: the same for the same draw, however that was given."""
        return self.seed if self.seed is not None else " ".join(self.wagons)

    @property
    def track(self) -> Track:
        """The layout."""
        return self.puzzle.track

    @property
    def start(self) -> Position:
        """Where it starts."""
        return self.puzzle.start

    @property
    def goal(self) -> Goal:
        """What is wanted."""
        return self.puzzle.goal


def wagons_in(text: str) -> tuple[str, ...]:
    """The wagons of a draw as a person writes them: with spaces or commas between them."""
    return tuple(text.replace(",", " ").split())


def choose(
    text: str,
    *,
    seed: str | None = None,
    cards: Sequence[str] | None = None,
    start: str | None = None,
    goal: str | None = None,
) -> Chosen:
    """A puzzle by its name or path: drawn with a seed, or with another start or goal than its own.

    ``cards`` are the wagons of one certain draw, in the order of ``deal.places``. Raises UsageError, LayoutError or
    NotationError.
    """
    place = split_puzzle(text)
    track = load_layout(place.layout, photos=False)
    puzzle = load_puzzle(place.puzzle, track)
    drawn: tuple[str, ...] = ()
    if seed is not None and cards is not None:
        raise UsageError("a draw is given by a seed or by its wagons, not by both", where=text, cure="leave one out")
    if seed is not None:
        draw = deal(puzzle, seed)
        puzzle, seed, drawn = draw.puzzle, draw.seed, draw.cards
    if cards is not None:
        puzzle, drawn = laid_out(puzzle, cards)
    if start is not None:
        puzzle = replace(puzzle, start=parse_position(start, track))
    if goal is not None:
        puzzle = replace(puzzle, goal=parse_goal(goal, track, puzzle.start.vehicles))
    return Chosen(f"{track.name}/{puzzle.name}", place.layout, puzzle, seed, drawn)
