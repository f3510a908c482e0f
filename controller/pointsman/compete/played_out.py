"""Who must not play in a heat any more, because it was played out, and its draw could be seen by everybody.

What was shown is not unseen: whoever comes into a round later, or comes back, plays in no heat that was played out by
then.
"""

from __future__ import annotations

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
from pointsman.compete.standings import Tables
from pointsman.compete.withheld import heats_over


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
            self._found[key] = heats_over(Tables(fold(book.written[: one.seq - 1])), round_id)
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
