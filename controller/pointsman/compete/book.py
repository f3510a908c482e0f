"""A competition's book: entries in their order, each holding on to the one before it, and what they come to.

Nothing in it is ever changed or removed. What is taken back stays, and does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from pointsman.compete.entries import Entry, Undone, Written
from pointsman.compete.entry_json import first_hash, line_hash, read_line, write_line
from pointsman.compete.rules import apply
from pointsman.compete.state import NEVER_TAKEN_BACK, State
from pointsman.errors import CompetitionError, RefusedError, UsageError


@dataclass(frozen=True, slots=True)
class Head:
    """How many entries a book has, and the hash of the last one: whoever notes both sees any change up to there."""

    entries: int
    hash: str


@dataclass(frozen=True, slots=True)
class Book:
    """A book that is whole: its entries, the hash of the last one, and the ``state`` they come to."""

    competition: str
    written: tuple[Written, ...]
    head: Head
    state: State

    @classmethod
    def empty(cls, competition: str) -> Book:
        """One in which nothing stands."""
        return cls(competition, (), Head(0, first_hash(competition)), State())

    @classmethod
    def read(cls, competition: str, lines: Iterable[tuple[int, str]], head: Head) -> Book:
        """From its lines with their numbers, as they were kept. Raises CompetitionError with everything not whole."""
        return cls.empty(competition).read_on(lines, head)

    def read_on(self, lines: Iterable[tuple[int, str]], head: Head) -> Book:
        """The same book with what was written since. Raises CompetitionError with everything that is not whole."""
        kept = list(lines)
        found = list(faults(self.competition, kept, head, self.head))
        if found:
            raise CompetitionError(
                "; ".join(found),
                where=self.competition,
                cure="restore the book from a copy; what it says can no longer be relied upon",
            )
        return self.followed([read_line(line, _where(seq))[0] for seq, line in kept], head)

    def followed(self, new: Sequence[Written], head: Head) -> Book:
        """The same book with entries that are known to follow whole, up to this head."""
        written = (*self.written, *new)
        if any(isinstance(one.entry, Undone) for one in new):
            state = fold(written)
        else:
            state = self.state
            for one in new:
                state = apply(state, one)
        return Book(self.competition, written, head, state)

    def write(self, entry: Entry, *, by: str, at: datetime, why: str = "") -> tuple[Book, str]:
        """The book with one more entry, and that entry's line.

        Raises RefusedError for what the competition does not allow, UsageError for what is not there,
        CompetitionError for what is not written in a book at all.
        """
        written = Written(self.head.entries + 1, by, at, why, entry)
        line = write_line(written, self.head.hash)
        all_written = (*self.written, written)
        state = self._without(entry.seq, all_written) if isinstance(entry, Undone) else apply(self.state, written)
        return Book(self.competition, all_written, Head(written.seq, line_hash(line)), state), line

    def faults(self, noted: Head) -> Iterator[str]:
        """Everything by which this book is not the one that had this head, one sentence each."""
        lines, before = [], first_hash(self.competition)
        for written in self.written[: noted.entries]:
            line = write_line(written, before)
            lines.append((written.seq, line))
            before = line_hash(line)
        return faults(self.competition, lines, noted)

    def _without(self, seq: int, written: Sequence[Written]) -> State:
        """What it comes to when entry ``seq`` does not count, as the last one of these says."""
        undoing, where = written[-1], _where(written[-1].seq)
        if seq >= undoing.seq:
            raise UsageError(f"there is no entry {seq}", where=where, cure=f"there are {self.head.entries} entries")
        if not undoing.why:
            raise RefusedError(["this needs a reason"], where=where, cure="say why, in one line")
        if isinstance(written[seq - 1].entry, NEVER_TAKEN_BACK):
            raise RefusedError(
                [f"entry {seq} was seen by everybody, and is not taken back"],
                where=where,
                cure="announce a round with another id, or open another competition",
            )
        if seq in taken_back(self.written):
            raise RefusedError([f"entry {seq} is taken back already"], where=where, cure="nothing is to be done")
        state = State()
        for one in counting(written):
            try:
                state = apply(state, one)
            except (RefusedError, UsageError) as error:
                raise RefusedError(
                    [f"entry {seq} cannot be taken back: entry {one.seq} rests on it"],
                    where=where,
                    cure=f"take entry {one.seq} back first",
                ) from error
        return state


def taken_back(written: Sequence[Written]) -> frozenset[int]:
    """The numbers of the entries that do not count: an ``Undone`` that is itself taken back takes nothing back."""
    found: set[int] = set()
    for one in reversed(written):
        if isinstance(one.entry, Undone) and one.seq not in found:
            found.add(one.entry.seq)
    return frozenset(found)


def counting(written: Sequence[Written]) -> Iterator[Written]:
    """The entries that count, without those that take others back."""
    gone = taken_back(written)
    return (one for one in written if one.seq not in gone and not isinstance(one.entry, Undone))


def fold(written: Sequence[Written]) -> State:
    """What entries come to. Raises RefusedError and UsageError for a book that was never written so."""
    state = State()
    for one in counting(written):
        state = apply(state, one)
    return state


def faults(competition: str, lines: Iterable[tuple[int, str]], head: Head, since: Head | None = None) -> Iterator[str]:
    """Everything by which lines, kept with their numbers, are not a whole book: one sentence each.

    ``head`` is what was noted of the whole; ``since`` what is known to be whole before the first of these lines.
    """
    before = since if since is not None else Head(0, first_hash(competition))
    last, known = before.entries, before.hash
    sound = True
    for number, line in lines:
        yield from (f"entry {missing} is missing" for missing in range(last + 1, number))
        whole = number == last + 1
        try:
            its, told_before = read_line(line, _where(number))
        except CompetitionError as error:
            yield f"entry {number} was changed: {error.what}"
            sound = False
        else:
            if its.seq != number:
                yield f"entry {number} was entry {its.seq}: entries were exchanged"
            elif whole and sound and told_before != known:
                yield _broken(competition, last, number)
            sound = its.seq == number
        last, known = number, line_hash(line)
    if last < head.entries:
        yield from (f"entry {missing} is missing" for missing in range(last + 1, head.entries + 1))
    elif last > head.entries:
        yield f"{last} entries are there, and {head.entries} were noted"
    elif known != head.hash and sound:
        yield f"entry {last} was changed: another hash was noted"


def _broken(competition: str, last: int, number: int) -> str:
    if last:
        return f"entry {last} was changed: entry {number} holds on to another one"
    return f"entry {number} was changed: it does not hold on to the competition {competition}"


def _where(seq: int) -> str:
    return f"entry {seq}"
