"""Whether everybody who was called to a place was entitled to it: in the round, when that was certain, in that heat."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.compete.book import Book, counting
from pointsman.compete.differences import Difference, Verified
from pointsman.compete.entries import (
    AttemptEnded,
    AttemptStarted,
    EntrantAdded,
    EntrantChanged,
    MarksCorrected,
    RoundAnnounced,
    Withdrawn,
    Written,
)
from pointsman.compete.field import Field, groups_in, heat_of
from pointsman.compete.rules import apply
from pointsman.compete.standings import Tables
from pointsman.compete.state import State


def check_entitled(book: Book) -> Verified:
    """Every attempt that counts, judged on what the book said when the entrant was called."""
    found: list[Difference] = []
    state, fields = State(), _Fields()
    groups: dict[tuple[str, str], int] = {}
    for written in counting(book.written):
        entry = written.entry
        if isinstance(entry, AttemptStarted):
            found += _judged(fields.of(state, entry.round), entry)
            found += _heat(state, entry, groups)
        state = apply(state, written)
        fields.note(state, written)
    return Verified(tuple(found))


class _Fields:
    """Who is in each round, found out again only after an entry that can change it."""

    def __init__(self) -> None:
        self._people = 0
        self._played: dict[str, int] = {}
        self._known: dict[str, tuple[int, Field]] = {}

    def note(self, state: State, written: Written) -> None:
        """Take an entry in, after which ``state`` is how it stands."""
        match written.entry:
            case EntrantAdded() | EntrantChanged() | Withdrawn() | RoundAnnounced():
                self._people = written.seq
            case AttemptStarted() | AttemptEnded() | MarksCorrected():
                self._played[state.attempts[written.entry.attempt].started.round] = written.seq

    def of(self, state: State, round_id: str) -> Field:
        """Who is in a round as it stands: only what was played in those announced before it can tell."""
        names = list(state.rounds)
        before = names[: names.index(round_id)]
        last = max([self._people, *(self._played.get(name, 0) for name in before)])
        if round_id not in self._known or self._known[round_id][0] != last:
            self._known[round_id] = (last, Tables(state).field(round_id))
        return self._known[round_id][1]


def _judged(field: Field, entry: AttemptStarted) -> Iterator[Difference]:
    where = f"attempt {entry.attempt}"
    if not field.certain:
        yield Difference(where, f"{entry.entrant} was called before it was certain who is in round {entry.round}")
    elif entry.entrant not in field.entrants:
        yield Difference(where, f"{entry.entrant} was called, and is not among those in round {entry.round}")


def _heat(state: State, entry: AttemptStarted, groups: dict[tuple[str, str], int]) -> Iterator[Difference]:
    """The heats of one entrant are those of one group; in a knockout they are those of whom one meets."""
    its = state.rounds[entry.round]
    if its.form.knockout:
        return
    group = groups.setdefault((entry.round, entry.entrant), (entry.heat - 1) % groups_in(its))
    due = heat_of(its, entry.number, group)
    if entry.heat != due:
        yield Difference(
            f"attempt {entry.attempt}",
            f"attempt {entry.number} was made in heat {entry.heat}, and belongs in heat {due}",
        )
