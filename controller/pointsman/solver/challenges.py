"""Draws of a wished level or par, and sets of graded challenges: the same for the same seed on every machine.

**Draws.** The first draw of a seed is ``puzzle.deal``'s for that seed, the k-th (k = 2, 3, ...) is its draw for the
seed followed by `` #k``. The first of them that has a solution, and the level and par that are wished for, is taken;
its seed, given without any wish, draws it again. The scale of a puzzle's draws is made of its draws for the seeds
``level 1`` to ``level 64``, those without a solution left out.

**Challenges.** A challenge is a start and a goal. Starts have the locomotive alone in the segment in which the puzzle
puts it and no turnout occupied; the wagons stand anywhere else, named in reading order as in the puzzle's start; the
goal is one of the puzzle's draws. (When the goal names no wagon, it is the wagons' places that are drawn.) Candidates
come from the row of numbers ``pointsman challenges 1`` of the seed (see ``puzzle.deal``): one choice among the pars
that exist, from 2 up, then one among all tasks of that par, in order of the start's notation and then of the
arrangement (lexicographic, by kinds of the goal). A candidate that came before is passed over, and so is one whose
level is full. The scale is made of the first 64 candidates of the empty seed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pointsman.errors import UnsolvableError, UsageError
from pointsman.puzzle.deal import Draw, choose_one, deal, numbers
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.pattern import choices_of
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Puzzle
from pointsman.solver.grade import LEVELS, Grade, Grader, Scale
from pointsman.solver.shapes import shape_of, slot_name
from pointsman.solver.table import Table

EACH = 10
"""Challenges in a level."""

LEAST_PAR = 2
_PURPOSE = "pointsman challenges 1"
_SAMPLE = 64
_MOST_DRAWS = 100_000
_MOST_GRADED = 1_000
_MOST_CANDIDATES = 20_000


@dataclass(frozen=True, slots=True)
class Wish:
    """What a draw shall be: of a level, and with a par from ``least`` to ``most``; None is no wish."""

    level: int | None = None
    least: int | None = None
    most: int | None = None

    def par_fits(self, par: int) -> bool:
        """Whether a par is wished for."""
        return (self.least is None or par >= self.least) and (self.most is None or par <= self.most)

    def __str__(self) -> str:
        wishes = [] if self.level is None else [f"level {self.level}"]
        wishes += [] if self.least is None else [f"par {self.least} or more"]
        wishes += [] if self.most is None else [f"par {self.most} or less"]
        return " and ".join(wishes)


@dataclass(frozen=True, slots=True)
class GradedDraw:
    """A draw with its grade; ``draw.seed`` draws it again, ``number`` is 1 when it is the given seed's own."""

    draw: Draw
    number: int
    grade: Grade
    level: int


@dataclass(frozen=True, slots=True)
class Challenge:
    """A start to be brought to a goal, with its grade and level."""

    start: Position
    goal: Goal
    grade: Grade
    level: int


def task_of(puzzle: Puzzle, shape: Position, row: Sequence[int]) -> tuple[Position, Goal]:
    """The start and goal that a shape and an arrangement (a kind for every slot) stand for.

    The wagons stand in reading order as in the puzzle's start and the goal is one of its draws; when the goal names
    no wagon, it stays as it is, and the wagons of every kind stand in reading order.
    """
    wagons = shape_of(puzzle.start, puzzle.locomotive)[1]
    kinds = puzzle.goal.kinds(wagons)
    standing = wagons
    goal = puzzle.goal
    of_kind: dict[int, list[str]] = {}
    if any(vehicle in kinds for vehicle in goal.vehicles):
        for kind, wagon in zip(row, wagons, strict=True):
            of_kind.setdefault(int(kind), []).append(wagon)
        goal = goal.renamed({wagon: of_kind[kinds[wagon]].pop(0) for wagon in goal.vehicles if wagon in kinds})
    else:
        for wagon in wagons:
            of_kind.setdefault(kinds[wagon], []).append(wagon)
        standing = tuple(of_kind[int(kind)].pop(0) for kind in row)
    return shape.renamed({slot_name(slot): wagon for slot, wagon in enumerate(standing)}), goal


def one_table(puzzle: Puzzle) -> bool:
    """Whether all draws of a puzzle are alike but for names, and share one table.

    They do not when the goal asks for some wagons by name and for others by kind: then which wagons are alike is
    another matter in every draw.
    """
    goal, wagons = puzzle.goal, frozenset(puzzle.wagons)
    choices = [choice for term in goal.terms for choice in choices_of(term.elements)]
    by_kind = any(choice.name is None and (choice.of or frozenset()) & wagons for choice in choices)
    return not (wagons & set(goal.vehicles) and (by_kind or any(term.apart for term in goal.terms)))


def check_draws(puzzle: Puzzle) -> None:
    """UsageError unless all draws of a puzzle share one table."""
    if not one_table(puzzle):
        raise UsageError(
            f"the goal '{puzzle.goal}' asks for wagons by name and by kind: its draws cannot be compared",
            where=puzzle.name,
            cure="use a puzzle that asks either by name or by kind",
        )


def scale_of_draws(puzzle: Puzzle, table: Table, grader: Grader) -> Scale:
    """The levels of a puzzle's draws.

    Raises UnsolvableError when no draw of the sample has a solution, and UsageError as ``check_draws``.
    """
    check_draws(puzzle)
    found = []
    for number in range(1, _SAMPLE + 1):
        grade = _grade_of(deal(puzzle, f"level {number}"), table, grader)
        found += [] if grade is None else [grade.difficulty]
    if not found:
        raise UnsolvableError(
            f"none of {_SAMPLE} draws has a solution", where=puzzle.name, cure="give the puzzle another start or goal"
        )
    return Scale.of(found)


def draw_for(puzzle: Puzzle, seed: str, wish: Wish, table: Table, grader: Grader, scale: Scale) -> GradedDraw:
    """The first draw of a seed that has a solution and is as wished.

    Raises UsageError when there is none among the first draws, or provably none at all.
    """
    pars = table.draws(puzzle.start).tolist()
    solvable = [par for par in pars if par != table.far]
    fitting = [rank for rank, par in enumerate(pars) if par != table.far and wish.par_fits(par)]
    node = table.graph.shapes.number(puzzle.start)
    few = len(fitting) <= _MOST_GRADED
    if not fitting or (few and not any(_as_wished(grader.grade((node, rank)), wish, scale) for rank in fitting)):
        known = (
            f"those with a solution have pars from {min(solvable)} to {max(solvable)}" if solvable else "none has one"
        )
        raise UsageError(f"there is no draw with {str(wish) or 'a solution'}: {known}", cure="wish for something else")
    graded: set[tuple[int, int]] = set()
    for number in range(1, _MOST_DRAWS + 1):
        draw = deal(puzzle, numbered(seed, number))
        place = table.place(draw.puzzle.start, draw.puzzle.goal)
        if place is None or table.distance[place] == table.far or not wish.par_fits(int(table.distance[place])):
            continue
        grade = grader.grade(place)
        if grade is not None and _as_wished(grade, wish, scale):
            return GradedDraw(draw, number, grade, scale.level(grade.difficulty))
        graded.add(place)
        if not few and len(graded) == _MOST_GRADED:
            break
    raise UsageError(f"none of the first {number:,} draws has {wish}", cure="wish for less, or use another seed")


def numbered(seed: str, number: int) -> str:
    """The seed of a seed's k-th draw."""
    return seed if number == 1 else f"{seed} #{number}"


def challenges(puzzle: Puzzle, seed: int | str, table: Table) -> tuple[Challenge, ...]:
    """Forty challenges, none like another, ten of each level, level by level in order of difficulty.

    ``table`` is one of runs or pull-drops for the puzzle. Raises UsageError when the layout has not so many, and as
    ``check_draws``.
    """
    check_draws(puzzle)
    candidates = _Candidates(puzzle, table)
    grader = Grader(table)
    sample = [grader.grade(place) for place in islice(candidates.of(""), _SAMPLE)]
    scale = Scale.of(grade.difficulty for grade in sample if grade is not None)
    full: dict[int, list[tuple[Grade, tuple[int, int]]]] = {level: [] for level in LEVELS}
    for place in candidates.of(unicodedata.normalize("NFC", str(seed))):
        grade = grader.grade(place)
        assert grade is not None, "candidates have a par"
        level = full[scale.level(grade.difficulty)]
        if len(level) < EACH:
            level.append((grade, place))
        if all(len(level) == EACH for level in full.values()):
            break
    else:
        there = ", ".join(f"{len(tasks)} of level {level}" for level, tasks in full.items())
        raise UsageError(
            f"there are too few different tasks for {EACH} of every level: {there}",
            where=puzzle.name,
            cure="use a layout or a puzzle with more room or more wagons",
        )
    found = [Challenge(*candidates.task(place), grade, level) for level in LEVELS for grade, place in full[level]]
    return tuple(sorted(found, key=lambda one: (one.level, one.grade.difficulty, str(one.start), str(one.goal))))


class _Candidates:
    """All tasks of a table that can be set up, par by par."""

    def __init__(self, puzzle: Puzzle, table: Table) -> None:
        self._puzzle = puzzle
        self._table = table
        home = puzzle.start.where(puzzle.locomotive)[0]
        alone = (puzzle.locomotive,)
        shapes = table.graph.shapes
        settable = [n for n, shape in enumerate(shapes) if not shape.turnouts and shape.in_segment(home) == alone]
        # The order of the shapes is that of the exploring, which may have begun anywhere.
        self._nodes = sorted(settable, key=lambda node: str(shapes[node]))
        self._distances: NDArray[np.int64] = table.distance[self._nodes].astype(np.int64)
        self._distances[self._distances == table.far] = -1
        self._pars = [int(par) for par in np.unique(self._distances) if par >= LEAST_PAR]
        if not self._pars:
            raise UsageError(
                f"no task with {puzzle.locomotive} alone in {home} needs {LEAST_PAR} steps or more",
                where=puzzle.name,
                cure="use a layout or a puzzle with more room or more wagons",
            )

    def of(self, seed: str) -> Iterator[tuple[int, int]]:
        """Different tasks, as nodes and ranks of the table, in the order of a seed; it ends when they get rare."""
        row = numbers(seed, _PURPOSE)
        tasks: dict[int, NDArray[np.int64]] = {}
        seen: set[tuple[int, int]] = set()
        for _ in range(_MOST_CANDIDATES):
            par = self._pars[choose_one(row, len(self._pars))]
            if par not in tasks:
                tasks[par] = np.argwhere(self._distances == par)
            index, rank = tasks[par][choose_one(row, len(tasks[par]))].tolist()
            place = self._nodes[index], rank
            if place not in seen:
                seen.add(place)
                yield place

    def task(self, place: tuple[int, int]) -> tuple[Position, Goal]:
        """The start and goal of a task."""
        table = self._table
        return task_of(self._puzzle, table.graph.shapes[place[0]], table.arrangements.rows[place[1]].tolist())


def _grade_of(draw: Draw, table: Table, grader: Grader) -> Grade | None:
    place = table.place(draw.puzzle.start, draw.puzzle.goal)
    return None if place is None else grader.grade(place)


def _as_wished(grade: Grade | None, wish: Wish, scale: Scale) -> bool:
    return grade is not None and wish.level in (None, scale.level(grade.difficulty))
