"""How a desk looks things up in a book: by their names, who wrote the last of a kind, and what was ever written."""

from __future__ import annotations

from pointsman.compete.book import Book, taken_back
from pointsman.compete.entries import AttemptStarted, Entry, Written
from pointsman.compete.state import Attempt, Round, State, known, person

Writing = list[tuple[Entry, str]]
"""What a deed writes: entries, each with its reason; none when just that was done already."""

_LONGEST = 200  # characters of a reason


def round_of(state: State, name: str) -> Round:
    """A round by its id. Raises UsageError."""
    return known(state.rounds, name, "round")


def attempt_of(state: State, name: str) -> Attempt:
    """An attempt by its id. Raises UsageError."""
    return known(state.attempts, name, "attempt")


def last_of(book: Book, attempt: str, *kinds: type[Entry]) -> Written | None:
    """The last entry of these kinds that counts for an attempt."""
    gone = taken_back(book.written)
    for one in reversed(book.written):
        if isinstance(one.entry, kinds) and getattr(one.entry, "attempt", None) == attempt and one.seq not in gone:
            return one
    return None


def was_last(book: Book, attempt: str, by: str, kind: type[Entry], *others: type[Entry]) -> bool:
    """Whether the last entry of these kinds that counts for an attempt is one of the first kind, by this person."""
    last = last_of(book, attempt, kind, *others)
    return last is not None and isinstance(last.entry, kind) and person(last.by) == person(by)


def was_written(book: Book, entry: Entry, by: str) -> bool:
    """Whether this person has written just this entry, taken back since or not."""
    kind, who = type(entry), person(by)
    return any(type(one.entry) is kind and one.entry == entry and person(one.by) == who for one in book.written)


def ever_called(book: Book) -> tuple[AttemptStarted, ...]:
    """Every call to a place, those taken back as well: whoever was called has seen the draw."""
    return tuple(one.entry for one in book.written if isinstance(one.entry, AttemptStarted))


def with_note(why: str, note: str) -> str:
    """A person's reason with what the desk has to add, as far as there is room."""
    both = f"{why}; {note}" if why and note else why or note
    return both if len(both) <= _LONGEST else why[:_LONGEST].strip() or note[:_LONGEST].strip()
