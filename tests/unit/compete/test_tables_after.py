"""Tables that take over what has not changed tell the same as tables that are made anew."""

from __future__ import annotations

from fractions import Fraction

from club import EQUIPMENT, Club

from pointsman.compete.doubts import doubts
from pointsman.compete.entries import AdvanceRule, Entry, MarksCorrected, SetUpAgreed
from pointsman.compete.marks import Figure, Marks, Outcome
from pointsman.compete.ranking import By
from pointsman.compete.schedule import due
from pointsman.compete.standings import Tables, standings
from pointsman.compete.state import State


def took(seconds: float) -> Marks:
    """Finished in so many seconds."""
    return Marks(Outcome.FINISHED, time_ms=Figure(int(1000 * seconds)))


class Followed(Club):
    """A club whose tables are compared after every entry."""

    tables = Tables(State())

    def write(self, *entries: Entry, why: str = "because") -> None:
        """Write these, one by one, and compare."""
        for entry in entries:
            super().write(entry, why=why)
            self.tables = self.tables.after(self.state)
            anew = Tables(self.state)
            assert self.tables.everything() == standings(self.state)
            assert doubts(self.state, self.tables) == doubts(self.state)
            for name in self.state.rounds:
                assert due(self.tables, name) == due(anew, name)


def test_nothing_is_taken_over_that_has_changed() -> None:
    club = Followed("ann", "bo", "cy", "di")
    rule = AdvanceRule(By.RANK, Fraction(2))
    club.announce("r1", scheme="allen", format="best-of-2", heats=2, advance=rule)
    club.announce("r2", scheme="allen", format="knockout", heats=2)
    club.announce("r3", scheme="allen", format="best-of-1", heats=1, category="children")
    for seconds, entrant in enumerate(("ann", "bo", "cy"), 200):
        club.play(entrant, took(seconds), took(seconds + 10))
    club.play("di", EQUIPMENT)
    club.leave("di")
    # In the end the same two go on, and the order is another: whoever is the better one now is first in the knockout.
    first, second = (name for name, its in club.state.attempts.items() if its.started.entrant == "ann")
    club.write(MarksCorrected(second, took(201.5)), MarksCorrected(first, took(230)))
    assert [one.entrant for one in due(club.tables, "r2")] == ["bo", "ann"]
    called = club.call("bo", "r2")
    club.write(SetUpAgreed(called, "head: L"))
    club.end(called, took(150))
    club.play("ann", took(140), round_id="r2")
    club.reveal("r1")
