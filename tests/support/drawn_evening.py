"""Test support: an evening whose draws are real ones, derived from its secret, on a copy of the small Inglenook."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from commands import own_layout
from evening import SECRET, Evening

from pointsman.compete.book import Book
from pointsman.compete.commitment import ParRange
from pointsman.compete.draws import DrawList, HeatDraw, draw_list, parts_of
from pointsman.compete.entries import (
    AdvanceRule,
    AttemptEnded,
    AttemptStarted,
    Committed,
    Created,
    EntrantAdded,
    HeatOpened,
    Revealed,
    RoundAnnounced,
)
from pointsman.compete.marks import Figure, Marks, Outcome
from pointsman.compete.sealing import seal
from pointsman.compete.store.store import Store
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count

CODE = "four words nobody knows"


@dataclass
class Drawn:
    """The evening, its layout's folder, every draw of the puzzle, and those of each round by heat."""

    evening: Evening
    layout: Path
    listed: DrawList
    of_round: dict[str, dict[int, tuple[HeatDraw, ...]]] = field(default_factory=dict)

    @property
    def draws(self) -> dict[int, tuple[HeatDraw, ...]]:
        """Those of the first round."""
        return self.of_round["r1"]

    def announce(self, round_id: str, form: str, advance: AdvanceRule | None = None) -> None:
        """A round of two heats, both open."""
        puzzle, pars = str(self.layout), ParRange(8, 12)
        parts = parts_of(puzzle, self.listed, version="0.1.0", round_id=round_id, pars=pars, heats=2, spares=1)
        sealed, pool = seal(SECRET, CODE), self.listed.pool(pars)
        announced = RoundAnnounced(
            round_id, "First round", puzzle, parts.files.layout, parts.files.puzzle, Count.PULL_DROPS, "reversals",
            form, 8, 12, 2, 1, advance=advance,
        )  # fmt: skip
        commitment = parts.commitment(SECRET)
        self.evening.write(
            announced,
            Committed(round_id, "0.1.0", commitment, sealed.secret.hex(), sealed.salt.hex(), parts.draws),
        )
        self.of_round[round_id] = {heat: pool.heat(parts, SECRET, heat) for heat in (1, 2)}
        for heat, draws in self.of_round[round_id].items():
            self.evening.write(HeatOpened(round_id, heat, draws[0].wagons, draws[0].par))

    def kept(self, path: Path) -> str:
        """The place of a store that has the book, entry by entry."""
        name = self.evening.book.competition
        with Store(str(path)) as store:
            for one in self.evening.book.written:
                if isinstance(one.entry, Created):
                    store.create(name, one.entry, by=one.by, at=one.at)
                else:
                    store.add(name, one.entry, by=one.by, at=one.at, why=one.why)
        return str(path)

    def start(
        self, name: str, entrant: str, number: int = 1, spare: int = 0, *, round_id: str = "r1", heat: int | None = None
    ) -> None:
        """Call somebody to an attempt, in the heat of that number if none is told."""
        place = number if heat is None else heat
        draw = self.of_round[round_id][place][spare]
        called = AttemptStarted(name, round_id, place, entrant, number, draw.wagons, draw.par, spare)
        self.evening.write(called, why="a wire came off" if spare else "")

    def end(self, name: str, runs: int, outcome: Outcome = Outcome.FINISHED) -> None:
        """End an attempt by hand."""
        marks = Marks(outcome, Origin.ENTERED)
        if outcome is Outcome.FINISHED:
            time_ms, counted = Figure(245_312, Origin.ENTERED), Figure(runs, Origin.ENTERED)
            marks = replace(marks, time_ms=time_ms, runs=counted, reversals=counted)
        self.evening.write(AttemptEnded(name, outcome, marks=marks), why="a wire came off")

    def reveal(self) -> None:
        """Tell the secret."""
        self.evening.write(Revealed("r1", SECRET.hex()))


def drawn_evening(folder: Path, cache: Path, competition: str = "club") -> Drawn:
    """Two entrants, a round of two heats, both open; Ada's first attempt was run again."""
    layout = own_layout(folder)
    listed = draw_list(str(layout), Count.PULL_DROPS, cache=cache)
    its = Drawn(Evening(Book.empty(competition)), layout, listed)
    its.evening.write(
        Created("Club evening", date(2026, 11, 27), "The shed"),
        EntrantAdded("ada", "Ada", "Eastern", train="Coal"),
        EntrantAdded("bo", "=HYPERLINK(1;2)", "Nord; -1"),
    )
    its.announce("r1", "best-of-2")
    its.start("a1", "ada")
    its.end("a1", 0, Outcome.EQUIPMENT)
    its.start("a1-again", "ada", spare=1)
    its.end("a1-again", 12)
    its.start("b1", "bo")
    its.end("b1", 14)
    return its
