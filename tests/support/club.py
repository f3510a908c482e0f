"""Test support: a competition that is played by the rules of the book, entry by entry, without its lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from evening import ROUND, SECRET, START, cards, commitment

from pointsman.compete.entries import (
    AttemptEnded,
    AttemptStarted,
    Created,
    EntrantAdded,
    Entry,
    HeatOpened,
    Revealed,
    RoundAnnounced,
    Withdrawn,
    Written,
)
from pointsman.compete.marks import Marks, Outcome
from pointsman.compete.rules import apply
from pointsman.compete.schedule import next_place
from pointsman.compete.state import State

PAR = 7


class Club:
    """A competition; every entry is applied by the rules, so that nothing is here that a book would refuse."""

    def __init__(self, *entrants: str | EntrantAdded) -> None:
        self.state = State()
        self.seq = 0
        self.write(Created("Club", date(2026, 11, 27)))
        for its in entrants:
            self.write(EntrantAdded(its, its.title()) if isinstance(its, str) else its)

    def write(self, *entries: Entry, why: str = "because") -> None:
        """Write these."""
        for entry in entries:
            self.seq += 1
            written = Written(self.seq, "Marshal", START + timedelta(seconds=self.seq), why, entry)
            self.state = apply(self.state, written)

    def announce(self, round_id: str = "r1", **changes: Any) -> RoundAnnounced:
        """Announce a round like this, settle its draws and open all its heats."""
        its = replace(ROUND, round=round_id, **changes)
        self.write(its, commitment(its))
        for heat in range(1, its.heats + 1):
            self.write(HeatOpened(round_id, heat, cards(heat), PAR))
        return its

    def call(self, entrant: str, round_id: str = "r1", *, number: int | None = None, heat: int | None = None) -> str:
        """Call somebody, to the next place unless told where; its attempt."""
        if number is None or heat is None:
            place = next_place(self.state, round_id, entrant)
            assert place is not None, f"{entrant} has a place in {round_id}"
            number, heat = place.number, place.heat
        name = f"{round_id}-{entrant}-{number}"
        again = 0
        while name in self.state.attempts:
            name, again = f"{name}-again", again + 1
        spare = sum(its.draw[:2] == (round_id, heat) and its.draw[2] > 0 for its in self.state.attempts.values()) + 1
        spare = spare if again else 0
        self.write(AttemptStarted(name, round_id, heat, entrant, number, cards(heat, spare), PAR, spare))
        return name

    def end(self, attempt: str, marks: Marks) -> None:
        """End an attempt with these marks."""
        self.write(AttemptEnded(attempt, marks.outcome, marks=marks))

    def play(self, entrant: str, *each: Marks, round_id: str = "r1") -> None:
        """Somebody's next attempts."""
        for marks in each:
            self.end(self.call(entrant, round_id), marks)

    def play_all(self, marks: Sequence[tuple[str, Marks]], round_id: str = "r1") -> None:
        """Attempts in this order."""
        for entrant, its in marks:
            self.play(entrant, its, round_id=round_id)

    def leave(self, entrant: str) -> None:
        """Somebody withdraws."""
        self.write(Withdrawn(entrant))

    def reveal(self, round_id: str = "r1") -> None:
        """The round is over."""
        self.write(Revealed(round_id, SECRET.hex()))


EQUIPMENT = Marks(Outcome.EQUIPMENT)
