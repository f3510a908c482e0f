"""What stands in a competition's book: one type for every kind of entry, and who wrote it, when, and why.

An entry is never changed. What was wrong is corrected by another entry, or taken back by ``Undone``. Times of a clock
are whole milliseconds and no figure is a fraction, so that the same entry is always the same text
(``entry_json``); what is longer than a line of a person is refused there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, ClassVar

from pydantic import AfterValidator, ConfigDict, Field, PlainSerializer, PlainValidator, StringConstraints

from pointsman.compete.marks import Fault, Marks, Outcome
from pointsman.compete.marks_json import marks_of, marks_values
from pointsman.compete.ranking import By, Edge
from pointsman.puzzle.puzzle import Count

LONGEST_MS = 24 * 3600 * 1000
"""No clock of an attempt runs for longer than a day."""
MOST_BYTES = 200_000
"""Of one entry as text: a scheme of a club's own is the longest thing in one."""


def _one_line(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise ValueError("must be one line, with no space at its ends")
    return text


def _utc(moment: datetime) -> datetime:
    offset = moment.utcoffset()
    if offset is None or offset:
        raise ValueError("must be in UTC")
    return moment


def _exact(value: object) -> Fraction:
    try:
        if isinstance(value, str) and len(value) <= 40 and str(Fraction(value)) == value:
            return Fraction(value)
    except (ValueError, ZeroDivisionError):
        pass  # told below
    raise ValueError('must be an exact number as text, such as "12" or "25/2"')


Id = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,59}$")]
"""What something is named by in the book: a to z, 0 to 9, - and _."""
Words = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_one_line)]
"""One line that is not empty."""
MaybeWords = Annotated[str, StringConstraints(max_length=200), AfterValidator(_one_line)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 in hexadecimal digits."""
Secret = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Moment = Annotated[datetime, AfterValidator(_utc)]
Day = date
Clock = Annotated[int, Field(ge=0, le=LONGEST_MS)]
Few = Annotated[int, Field(ge=0, le=1_000)]
Number = Annotated[int, Field(ge=1, le=1_000)]
Exact = Annotated[Fraction, PlainValidator(_exact), PlainSerializer(str, return_type=str)]
Cards = Annotated[tuple[Words, ...], Field(min_length=1, max_length=100)]
"""The wagons of a draw, in the order of the places."""


def _marks(value: object) -> Marks:
    return marks_of(value, "marks")


EnteredMarks = Annotated[Marks, PlainValidator(_marks), PlainSerializer(marks_values, return_type=Mapping)]


class Strict:
    """No unknown keys, and no number given as text, wherever an entry is read."""

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True, slots=True)
class Created(Strict):
    """A competition begins; always the first entry."""

    name: Words
    date: Day
    place: MaybeWords = ""


@dataclass(frozen=True, slots=True)
class EntrantAdded(Strict):
    """Somebody who takes part; ``category`` is empty for one who is in no class.

    ``pair`` is the name of the pair that two play as, where a round is for pairs.
    """

    entrant: Id
    name: Words
    club: MaybeWords = ""
    category: MaybeWords = ""
    train: MaybeWords = ""
    pair: MaybeWords = ""


@dataclass(frozen=True, slots=True)
class EntrantChanged(Strict):
    """What is now written of an entrant, all of it."""

    entrant: Id
    name: Words
    club: MaybeWords = ""
    category: MaybeWords = ""
    train: MaybeWords = ""
    pair: MaybeWords = ""


@dataclass(frozen=True, slots=True)
class Withdrawn(Strict):
    """An entrant starts no more."""

    entrant: Id


@dataclass(frozen=True, slots=True)
class CutOffRule(Strict):
    """As ``formats.CutOff``."""

    after: Number
    at_most: Exact


@dataclass(frozen=True, slots=True)
class AdvanceRule(Strict):
    """As ``ranking.Advance``."""

    by: By
    value: Exact
    edge: Edge = Edge.ALL


@dataclass(frozen=True, slots=True)
class RoundAnnounced(Strict):
    """All that a round fixes before it starts.

    ``layout_sha256`` and ``puzzle_sha256`` are those of the files; ``own_scheme`` is the text of a club's own scheme,
    in TOML, which then counts and not ``scheme``; ``format`` is a name of ``formats.format_named``, and says how many
    attempts there are. Without an ``advance`` nobody goes on: it is a final. Whoever is not of the round's
    ``category`` is not in it; empty is for everybody. ``speed_limit_mm_s`` is what no locomotive may exceed: a run over
    a measured distance shows it before the first attempt.
    """

    round: Id
    title: Words
    puzzle: Words
    layout_sha256: Hash
    puzzle_sha256: Hash
    count: Count
    scheme: Words
    format: Words
    par_least: Number
    par_most: Number
    heats: Number
    spares: Few
    own_scheme: Annotated[str, StringConstraints(max_length=100_000)] | None = None
    time_limit_ms: Annotated[int, Field(ge=1, le=LONGEST_MS)] | None = None
    cut_off: CutOffRule | None = None
    free_faults: tuple[Fault, ...] = ()
    most_faults: Few | None = None
    most_hints: Few | None = None
    advance: AdvanceRule | None = None
    category: MaybeWords = ""
    speed_limit_mm_s: Annotated[int, Field(ge=1, le=1_000)] | None = None


@dataclass(frozen=True, slots=True)
class Committed(Strict):
    """A round's draws are settled: the commitment, and its secret under the marshal's code (``sealing``)."""

    round: Id
    version: Words
    commitment: Hash
    sealed: Secret
    salt: Secret
    draws: Annotated[int, Field(ge=1, le=1_000_000_000)]


@dataclass(frozen=True, slots=True)
class HeatOpened(Strict):
    """A heat's draw may be seen from now on: ``cards`` are its wagons, ``par`` is what it is solved with."""

    round: Id
    heat: Number
    cards: Cards
    par: Number


@dataclass(frozen=True, slots=True)
class Revealed(Strict):
    """A round's secret, so that anyone can derive its draws; it is over then."""

    round: Id
    secret: Secret


@dataclass(frozen=True, slots=True)
class AttemptStarted(Strict):
    """An entrant is called to a place: attempt ``number`` of a round, in a heat, on a draw of that heat.

    ``spare`` is 0 for the heat's own draw, else which spare; the entry then says why.
    """

    attempt: Id
    round: Id
    heat: Number
    entrant: Id
    number: Number
    cards: Cards
    par: Number
    spare: Few = 0


@dataclass(frozen=True, slots=True)
class SetUpAgreed(Strict):
    """The wagons stand as drawn, by a picture's SHA-256 where there is one, and by the ``position`` that was read."""

    attempt: Id
    position: Words
    picture_sha256: Hash | None = None


@dataclass(frozen=True, slots=True)
class SpeedChecked(Strict):
    """A locomotive was timed over a measured distance, before a round that has a speed limit."""

    round: Id
    locomotive: Words
    distance_mm: Annotated[int, Field(ge=1, le=100_000)]
    time_ms: Annotated[int, Field(ge=1, le=LONGEST_MS)]


@dataclass(frozen=True, slots=True)
class SharedTrainCounted(Strict):
    """So many wagons of the train that all of a heat share stand in their places, in a round whose scheme counts it."""

    round: Id
    heat: Number
    placed: Few


@dataclass(frozen=True, slots=True)
class ClockStarted(Strict):
    """An attempt's clock runs, from the moment that is told of the entry: the first movement was seen."""

    attempt: Id


@dataclass(frozen=True, slots=True)
class Paused(Strict):
    """The clock stands, because of the equipment; the entry says why. ``at_ms`` is what the clock shows."""

    attempt: Id
    at_ms: Clock


@dataclass(frozen=True, slots=True)
class Resumed(Strict):
    """The clock runs again; ``at_ms`` is what it shows."""

    attempt: Id
    at_ms: Clock


@dataclass(frozen=True, slots=True)
class FaultMarked(Strict):
    """A marshal's press: a fault was seen, when the clock showed ``at_ms``."""

    attempt: Id
    fault: Fault
    at_ms: Clock


@dataclass(frozen=True, slots=True)
class HintMarked(Strict):
    """A hint was given, when the clock showed ``at_ms``."""

    attempt: Id
    at_ms: Clock


@dataclass(frozen=True, slots=True)
class Journal(Strict):
    """The journal that is an attempt's evidence: the name of its file, and the SHA-256 of what is in it."""

    name: Words
    sha256: Hash


@dataclass(frozen=True, slots=True)
class AttemptEnded(Strict):
    """How an attempt ended; its evidence is a ``journal``, or ``marks`` that were entered by hand, or both."""

    attempt: Id
    outcome: Outcome
    journal: Journal | None = None
    marks: EnteredMarks | None = None


@dataclass(frozen=True, slots=True)
class MarksCorrected(Strict):
    """The marks that count from now on for an attempt; the entry says why."""

    attempt: Id
    marks: EnteredMarks


@dataclass(frozen=True, slots=True)
class Checked(Strict):
    """A second pair of eyes has found an attempt's marks right."""

    attempt: Id


@dataclass(frozen=True, slots=True)
class Undone(Strict):
    """Entry ``seq`` does not count any more; when this one is taken back in turn, it counts again."""

    seq: Annotated[int, Field(ge=1)]


class Scope(StrEnum):
    """What a helper's device may do."""

    LOOK = "look"
    MARK = "mark"
    MARSHAL = "marshal"


@dataclass(frozen=True, slots=True)
class TokenGiven(Strict):
    """A helper's device may do what its ``scope`` says until ``expires``; of its token the SHA-256 is kept."""

    name: Words
    scope: Scope
    sha256: Hash
    expires: Moment


@dataclass(frozen=True, slots=True)
class TokenRevoked(Strict):
    """The token of this name is worth nothing any more."""

    name: Words


Entry = (
    Created
    | EntrantAdded
    | EntrantChanged
    | Withdrawn
    | RoundAnnounced
    | Committed
    | HeatOpened
    | Revealed
    | AttemptStarted
    | SetUpAgreed
    | SpeedChecked
    | SharedTrainCounted
    | ClockStarted
    | Paused
    | Resumed
    | FaultMarked
    | HintMarked
    | AttemptEnded
    | MarksCorrected
    | Checked
    | Undone
    | TokenGiven
    | TokenRevoked
)


@dataclass(frozen=True, slots=True)
class Heading(Strict):
    """What is told of every entry: number ``seq`` from 1, by whom, when (UTC), and why; empty where it is plain."""

    seq: Annotated[int, Field(ge=1)]
    by: Words
    at: Moment
    why: MaybeWords


@dataclass(frozen=True, slots=True)
class Written(Heading):
    """An entry in its place."""

    entry: Entry
