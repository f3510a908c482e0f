"""What a desk knows of its rounds' puzzles: the draws that may come up, how one is laid out, and its pars.

All of it follows from the puzzle's files and the book, so it is worked out once and kept; what is slow is done by the
solver's process.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pointsman.compete.commitment import Files
from pointsman.compete.draws import DrawList, HeatDraw, draw_list
from pointsman.compete.marks import Figure, Marks, Outcome
from pointsman.compete.pars import MOVES, Pars, pars
from pointsman.compete.sealing import secret_of
from pointsman.compete.state import Round
from pointsman.errors import UsageError
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.apart import apart
from pointsman.solver.table import silent
from pointsman.track.model import Track

_LISTS = 8  # of them are kept; an evening has no more puzzles


@dataclass(frozen=True, slots=True)
class _Key:
    puzzle: str
    files: Files
    count: Count


class Draws:
    """The draws of a desk's rounds; tables of puzzles are kept in ``cache``. May be used by several threads."""

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache
        self._lists: dict[_Key, DrawList] = {}
        self._pars: dict[tuple[object, ...], Mapping[Count, int]] = {}
        self._turn = threading.Lock()

    def listed(self, puzzle: str, files: Files, count: Count) -> DrawList:
        """Every draw of a puzzle. Raises RefusedError when its files are other ones; UsageError, BudgetSpentError."""
        key = _Key(puzzle, files, count)
        files.check(puzzle)
        with self._turn:
            if key not in self._lists:
                found = apart(draw_list, (puzzle, count), {"cache": self._cache}, silent)
                assert isinstance(found, DrawList)
                files.check(puzzle)  # it was of these files still when it was read
                if len(self._lists) >= _LISTS:
                    self._lists.pop(next(iter(self._lists)))
                self._lists[key] = found
            return self._lists[key]

    def of_heat(self, its: Round, heat: int, code: str) -> tuple[HeatDraw, ...]:
        """The draws of a heat, its own first, by the marshal's code. Raises as ``secret_of`` and ``listed``."""
        secret = secret_of(its, code)  # first: whoever has mistyped the code does not wait for the list
        assert its.committed is not None, "what has a secret is settled"
        parts = its.parts(its.committed)
        return self.listed(its.announced.puzzle, parts.files, parts.count).pool(parts.pars).heat(parts, secret, heat)

    def laid_out(self, its: Round, cards: Sequence[str]) -> Chosen:
        """A draw of a round as it is set up. Raises RefusedError when the files are other ones; UsageError."""
        Files(its.announced.layout_sha256, its.announced.puzzle_sha256).check(its.announced.puzzle)
        return choose(its.announced.puzzle, cards=cards)

    def pars(self, its: Round, cards: Sequence[str]) -> Mapping[Count, int]:
        """What a draw of a round is solved with, in every count that can be had. Raises as ``laid_out``."""
        chosen = self.laid_out(its, cards)
        return self.solver_of(its)(chosen.track, chosen.start, chosen.goal)

    def solver_of(self, its: Round) -> Pars:
        """What solves positions of a round, each of them once."""
        counts = (*MOVES, Count.SECONDS) if _asks_for_seconds(its) else MOVES
        files = its.announced.layout_sha256, its.announced.puzzle_sha256

        def solved(track: Track, start: Position, goal: Goal) -> Mapping[Count, int]:
            key = (*files, str(start), str(goal), counts)
            known = self._pars.get(key)
            if known is not None:  # who needs no solving does not wait for somebody who does
                return known
            with self._turn:
                if key not in self._pars:
                    self._pars[key] = pars(track, start, goal, counts=counts, cache=self._cache)
                return self._pars[key]

        return solved


def _asks_for_seconds(its: Round) -> bool:
    """Whether its scheme compares times with the least time: found out by scoring an attempt that has all but that."""
    one = Figure(1)
    marks = Marks(
        Outcome.FINISHED,
        time_ms=one,
        runs=one,
        reversals=one,
        couplings=one,
        pull_drops=one,
        placed=one,
        par=dict.fromkeys(MOVES, 1),
    )
    try:
        its.scheme.attempt(marks, its.terms)
    except UsageError:
        return True
    return False
