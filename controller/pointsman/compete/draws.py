"""Which draws a round has: chosen by its secret alone, one by one, from a list that anyone can write down.

The list has every draw of a puzzle once; those with a solution and a par in the published range are the ones that may
come up. docs/fair-draws.md specifies the list and the choosing, so that both can be done again without this program.
A seed of ``puzzle.deal`` plays no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pointsman.compete.commitment import Files, ParRange, Parts
from pointsman.errors import LayoutError, RefusedError, UsageError
from pointsman.puzzle.choice import choose
from pointsman.puzzle.deal import choose_one, numbers, places
from pointsman.puzzle.puzzle import Count, Puzzle
from pointsman.puzzle.puzzle_file import load_puzzle
from pointsman.solver.arrangements import Arrangements
from pointsman.solver.budget import Budget
from pointsman.solver.challenges import one_table
from pointsman.solver.table import UNLIMITED, Report, Table, counts_of, silent, table_for
from pointsman.track.builtin import layout_puzzles
from pointsman.track.model import Track

PURPOSE = "pointsman competition draws 1"
"""The row of numbers that draws are chosen by (``puzzle.deal.numbers``)."""

_NO_WAY = -1


@dataclass(frozen=True, slots=True)
class HeatDraw:
    """A draw of a heat: its own (``spare`` is 0), or its k-th spare; ``choose(text, cards=wagons)`` lays it out."""

    heat: int
    spare: int
    wagons: tuple[str, ...]
    par: int

    def __str__(self) -> str:
        return " ".join(f"[{wagon}]" for wagon in self.wagons)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The draws that may come up: ``rows[n]`` has the numbers of the n-th one's wagons, in the list's order."""

    wagons: tuple[str, ...]
    rows: NDArray[np.uint8]
    pars: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.rows)

    def heat(self, parts: Parts, secret: bytes, heat: int) -> tuple[HeatDraw, ...]:
        """The draws of one heat (1, 2, ...), its own first, then its spares; of other heats nothing is told.

        Raises UsageError when there is no such heat, and RefusedError when the pool is not the one published.
        """
        if not 1 <= heat <= parts.heats:
            raise UsageError(f"there is no heat {heat}", where=parts.round_id, cure=f"heats are 1 to {parts.heats}")
        if len(self) != parts.draws:
            raise RefusedError(
                [
                    f"{len(self):,} draws with a par in the range are found here, and {parts.draws:,} were published",
                ],
                where=parts.round_id,
                cure=f"use version {parts.version} of the program, and the files that were published",
            )
        each = 1 + parts.spares
        chosen = list(self._chosen(parts, secret, heat * each))[-each:]
        return tuple(
            HeatDraw(heat, spare, tuple(self.wagons[w] for w in self.rows[n].tolist()), int(self.pars[n]))
            for spare, n in enumerate(chosen)
        )

    def _chosen(self, parts: Parts, secret: bytes, many: int) -> Iterator[int]:
        row = numbers(f"{secret.hex()} {parts.commitment(secret)}", PURPOSE)
        left = list(range(len(self)))
        for _ in range(many):
            yield left.pop(choose_one(row, len(left)))


@dataclass(frozen=True, slots=True, eq=False)
class DrawList:
    """Every draw of a puzzle once, in order, with its par in a count; -1 where there is no way.

    ``rows[n]`` has, place by place (``deal.places``), which wagon the n-th draw puts there: 0 is the first of
    ``wagons``, which are in the order in which the start is read. Draws that differ only by wagons that are alike to
    the goal are one draw, with those in rising order.
    """

    name: str
    count: Count
    wagons: tuple[str, ...]
    rows: NDArray[np.uint8]
    pars: NDArray[np.int16]

    @classmethod
    def of(cls, puzzle: Puzzle, table: Table, count: Count) -> DrawList:
        """From the table of a puzzle, undrawn, all of whose draws share it."""
        rows = _rows(puzzle, table.arrangements)
        distances = table.draws(puzzle.start).astype(np.int16)
        pars = np.where(table.draws(puzzle.start) == table.far, _NO_WAY, distances).astype(np.int16)
        order = np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))
        return cls(puzzle.name, count, puzzle.wagons, rows[order], pars[order])

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def histogram(self) -> dict[int, int]:
        """How many draws have each par, those without a solution left out."""
        found, many = np.unique(self.pars[self.pars != _NO_WAY], return_counts=True)
        return dict(zip(found.tolist(), many.tolist(), strict=True))

    def pool(self, pars: ParRange) -> Pool:
        """The draws with a par in a range."""
        fitting = (self.pars >= pars.least) & (self.pars <= pars.most)
        return Pool(self.wagons, self.rows[fitting], self.pars[fitting])

    def check(self, pars: ParRange, heats: int, spares: int) -> None:
        """UsageError, with a range that would do, unless a par range has a draw for every heat and every spare."""
        needed, there = heats * (1 + spares), len(self.pool(pars))
        if there < needed:
            raise UsageError(
                f"a par of {pars.least} to {pars.most} leaves {there:,} of the draws, and the round takes {needed:,}",
                where=self.name,
                cure=self._wider(pars, needed),
            )

    def _wider(self, pars: ParRange, needed: int) -> str:
        possible = {par: many for par, many in self.histogram.items() if par > 0}
        if not possible:
            return "take another puzzle: none of its draws can be solved from here"
        lowest, highest, total = min(possible), max(possible), sum(possible.values())
        if total < needed:
            return f"take fewer heats or spares, or another puzzle: all pars, {lowest} to {highest}, leave {total:,}"
        least, most = min(pars.least, highest), max(pars.most, lowest)
        while (many := sum(many for par, many in possible.items() if least <= par <= most)) < needed:
            least, most = max(least - 1, lowest), min(most + 1, highest)
        return (
            f"let it be {least} to {most}, which leaves {many:,}, or take fewer heats or spares; all pars, {lowest} to "
            f"{highest}, leave {total:,}"
        )


def draw_list(
    text: str,
    count: Count,
    *,
    progress: Report = silent,
    cache: Path | None = None,
    budget: Budget = UNLIMITED,
) -> DrawList:
    """The list of a puzzle, given by its name or path. Makes its table if that was never done: it may take seconds.

    Raises UsageError for a count of seconds and for a puzzle whose draws share no table, naming others of its layout;
    LayoutError, NotationError, BudgetSpentError.
    """
    if count is Count.SECONDS:
        raise UsageError(
            "draws are not chosen by their seconds: those are known one draw at a time",
            where=text,
            cure="give the par range in runs, reversals, couplings or pull-drops; the round may be for the time still",
        )
    base = choose(text)
    puzzle = base.puzzle
    if not one_table(puzzle):
        usable = [name for name in layout_puzzles(base.folder) if _listable(base.folder, name, puzzle.track)]
        raise UsageError(
            f"the goal '{puzzle.goal}' asks for wagons by name and by kind: its draws cannot be listed",
            where=puzzle.name,
            cure=f"use {' or '.join(usable)} of this layout"
            if usable
            else "use a puzzle that asks either by name or by kind",
        )
    table = table_for(puzzle.track, puzzle.start, puzzle.goal, count, progress=progress, cache=cache, budget=budget)
    return DrawList.of(puzzle, table, count)


def parts_of(
    text: str, listed: DrawList, *, version: str, round_id: str, pars: ParRange, heats: int, spares: int
) -> Parts:
    """What a round's draws are settled by, its files as they are now; ``listed`` is the puzzle's ``draw_list``.

    Raises UsageError, too when the par range has too few draws.
    """
    listed.check(pars, heats, spares)
    return Parts(version, Files.of(text), round_id, listed.count, pars, len(listed.pool(pars)), heats, spares)


def _listable(folder: Path, name: str, track: Track) -> bool:
    try:
        return one_table(load_puzzle(folder / "puzzles" / f"{name}.toml", track))
    except LayoutError:  # whoever plays that one is told
        return False


def _rows(puzzle: Puzzle, arrangements: Arrangements) -> NDArray[np.uint8]:
    """Which wagon each arrangement of kinds puts into each place."""
    wagons, kinds = puzzle.wagons, puzzle.goal.kinds(puzzle.wagons)
    by_kind = np.argsort(arrangements.rows, axis=1, kind="stable").astype(np.uint8)
    if not any(vehicle in wagons for vehicle in puzzle.goal.vehicles):
        # The places are those of the start: each takes the next wagon of its kind.
        standing = np.argsort([kinds[wagon] for wagon in wagons], kind="stable").astype(np.uint8)
        rows = np.empty_like(by_kind)
        np.put_along_axis(rows, by_kind.astype(np.intp), np.broadcast_to(standing, by_kind.shape), axis=1)
        return rows
    first = np.concatenate([[0], np.cumsum(counts_of(kinds))])
    columns: list[int] = []
    for wagon in places(puzzle):
        column = int(first[kinds[wagon]])
        while column in columns:
            column += 1
        columns.append(column)
    return by_kind[:, columns]
