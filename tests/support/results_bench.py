"""Test support: a competition that was played, for what is printed of it: entrants, rounds, attempts, marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evening import ROUND, SECRET, Evening, cards, commitment

from pointsman.compete.entries import (
    AttemptEnded,
    AttemptStarted,
    Checked,
    Created,
    EntrantAdded,
    HeatOpened,
    Revealed,
    RoundAnnounced,
)
from pointsman.compete.marks import Figure, Marks, Outcome
from pointsman.compete.standing import Standings
from pointsman.compete.standings import standings
from pointsman.compete.state import State
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count

PAR = dict.fromkeys(Count, 7)


def marks(runs: int, outcome: Outcome = Outcome.FINISHED, origin: Origin = Origin.SEEN, ms: int = 185_300) -> Marks:
    """An attempt of so many runs and one reversal less."""
    return Marks(
        outcome,
        time_ms=Figure(ms, origin),
        runs=Figure(runs, origin),
        reversals=Figure(runs - 1, origin),
        par=PAR,
    )


@dataclass
class Played:
    """A competition that is being played, each round's heats opened as soon as it is announced."""

    its: Evening

    @classmethod
    def begun(cls, created: Created, *entrants: EntrantAdded) -> Played:
        its = Evening()
        its.write(created, *entrants)
        return cls(its)

    @property
    def state(self) -> State:
        return self.its.book.state

    @property
    def standings(self) -> Standings:
        return standings(self.state)

    def announce(self, announced: RoundAnnounced = ROUND, draw: tuple[str, ...] = ()) -> None:
        """Announce a round, settle its draws, and open its heats: of one with this draw, or of ``evening.cards``."""
        opened = [HeatOpened(announced.round, heat, draw or cards(heat), 7) for heat in range(1, announced.heats + 1)]
        self.its.write(announced, commitment(announced), *opened)

    def play(
        self, entrant: str, made: Sequence[Marks], round_id: str = "r1", checked_by: str = "", first: int = 1
    ) -> None:
        """One's attempts from this number, each in the heat of that number."""
        for number, its in enumerate(made, first):
            name = f"{round_id}-{entrant}-{number}"
            drawn = self.state.rounds[round_id].heats[number - 1].cards
            self.its.write(AttemptStarted(name, round_id, number, entrant, number, drawn, 7))
            self.its.write(AttemptEnded(name, its.outcome, marks=its), why="a wire came off")
            if checked_by:
                self.its.write(Checked(name), by=checked_by)

    def play_all(self, made: Mapping[str, Sequence[Marks]], round_id: str = "r1") -> None:
        """Those of several."""
        for entrant, attempts in made.items():
            self.play(entrant, attempts, round_id)

    def reveal(self, round_id: str = "r1") -> None:
        """Publish a round's secret."""
        self.its.write(Revealed(round_id, SECRET.hex()))


def announced(round_id: str = "r1", title: str = "First round", **values: Any) -> RoundAnnounced:
    """A round as ``evening.ROUND``, with other values."""
    return replace(ROUND, round=round_id, title=title, **values)
