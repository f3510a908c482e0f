"""Which heats are played out, so that everybody may know their draws, and who must not play in such a heat any more.

What was shown is not unseen: whoever comes into a round later, or comes back, plays in no heat that was played out by
then.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pointsman.compete.book import Book, fold
from pointsman.compete.entries import (
    AttemptEnded,
    EntrantAdded,
    EntrantChanged,
    HeatOpened,
    MarksCorrected,
    Undone,
    Withdrawn,
    Written,
)
from pointsman.compete.field import feeder
from pointsman.compete.marks import Outcome
from pointsman.compete.schedule import Due, due
from pointsman.compete.standings import Tables
from pointsman.compete.state import Attempt, Phase


def played_out(tables: Tables, round_id: str, turns: Iterable[Due]) -> frozenset[int]:
    """The heats that nobody has to play any more: after the secret is out, all; and as soon as everybody has had it.

    None of which nobody knows yet who will play it.
    """
    its = tables.state.rounds[round_id]
    if its.secret is not None:
        return frozenset(range(1, its.announced.heats + 1))
    if not tables.field(round_id).certain:
        return frozenset()
    last: dict[str, Attempt] = {}
    had: set[int] = set()
    for attempt in tables.state.of_round(round_id).values():
        last[attempt.started.entrant] = attempt
        had.add(attempt.started.heat)
    groups = max(1, its.announced.heats // its.attempts)
    left: set[int] = set()
    for turn in turns:
        made = last.get(turn.entrant)
        if made is None and turn.place is not None:
            return frozenset()  # in which group that will be is not settled
        if turn.place is not None:
            left |= _from(turn.place.heat, turn.place.number, its.attempts, groups)
        elif made is not None and (made.phase is not Phase.ENDED or made.outcome is Outcome.EQUIPMENT):
            left |= _from(made.started.heat, made.started.number, its.attempts, groups)
    return frozenset(had - left)


def _from(heat: int, number: int, attempts: int, groups: int) -> set[int]:
    """The heats of somebody from an attempt on."""
    return {heat + groups * more for more in range(attempts - number + 1)}


class PlayedOut:
    """Looks back in one book, as it grows, and keeps what it found. May be used by several threads."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, datetime], frozenset[int]] = {}

    def before(self, book: Book, round_id: str, heat: int, entrant: str) -> bool:
        """Whether a heat was played out at some moment before something that may have brought an entrant into it."""
        played = False
        opened = False
        for one in book.written:
            if isinstance(one.entry, HeatOpened) and (one.entry.round, one.entry.heat) == (round_id, heat):
                opened = True
            if opened and played and _may_bring(book, round_id, entrant, one) and heat in self._at(book, round_id, one):
                return True
            played = played or isinstance(one.entry, AttemptEnded)
        return False

    def _at(self, book: Book, round_id: str, one: Written) -> frozenset[int]:
        """What was played out just before an entry."""
        key = round_id, one.seq, one.at
        if key not in self._found:
            tables = Tables(fold(book.written[: one.seq - 1]))
            self._found[key] = played_out(tables, round_id, due(tables, round_id))
        return self._found[key]


def _may_bring(book: Book, round_id: str, entrant: str, one: Written) -> bool:
    """Whether an entry may bring an entrant into a round, or back to a place in it."""
    match one.entry:
        case EntrantAdded() | EntrantChanged():
            return one.entry.entrant == entrant or book.state.rounds[round_id].form.pairs
        case Undone():
            return True
        case Withdrawn() | MarksCorrected():  # others go on from the round before, then
            return feeder(book.state, round_id) is not None
        case _:
            return False
