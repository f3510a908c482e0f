"""What a competition has come to: what its book says when all that counts in it is read from front to back."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from pointsman.compete.commitment import Files, ParRange, Parts
from pointsman.compete.entries import (
    AttemptEnded,
    AttemptStarted,
    Committed,
    Created,
    EntrantAdded,
    EntrantChanged,
    Entry,
    FaultMarked,
    HeatOpened,
    HintMarked,
    Revealed,
    RoundAnnounced,
    SetUpAgreed,
    SpeedChecked,
    TokenGiven,
)
from pointsman.compete.formats import Format, format_named
from pointsman.compete.marks import Marks, Outcome
from pointsman.compete.scoring.book import scheme_named
from pointsman.compete.scoring.own import read_own
from pointsman.compete.scoring.scheme import Scheme, Terms
from pointsman.errors import UsageError, did_you_mean

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part."""

    about: EntrantAdded | EntrantChanged
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """A round, and how far its draws are: ``heats`` are those opened, in the order of their numbers from 1.

    ``speeds`` are the runs over a measured distance. ``settled`` is the competition as it was when the first attempt
    of a knockout was called: by it is settled who is in it, and who meets whom. ``shared_placed`` are, by heat, the
    wagons in their places of a train that all share.
    """

    announced: RoundAnnounced
    committed: Committed | None = None
    heats: tuple[HeatOpened, ...] = ()
    secret: str | None = None
    speeds: tuple[SpeedChecked, ...] = ()
    settled: State | None = field(default=None, compare=False, repr=False)
    shared_placed: Mapping[int, int] = field(default_factory=dict)

    @property
    def attempts(self) -> int:
        """The highest number that an attempt can have: in a knockout that of its last heat, for who meets in it."""
        return self.announced.heats if self.form.knockout else self.form.attempts

    @property
    def slow_enough(self) -> bool:
        """Whether every locomotive that was timed last ran within the limit, and one was; so too without a limit."""
        limit_mm_s, last = self.announced.speed_limit_mm_s, {its.locomotive: its for its in self.speeds}
        if limit_mm_s is None:
            return True
        return bool(last) and all(its.distance_mm * 1000 <= limit_mm_s * its.time_ms for its in last.values())

    @property
    def form(self) -> Format:
        """How its attempts are combined, and how many there are."""
        return format_named(self.announced.format)

    @property
    def scheme(self) -> Scheme:
        """What scores its attempts. Raises UsageError or LayoutError for one that was never announced."""
        its = self.announced
        return scheme_named(its.scheme) if its.own_scheme is None else read_own(its.own_scheme, file=its.scheme)

    @property
    def terms(self) -> Terms:
        """What the scheme is told of the round."""
        its = self.announced
        free = frozenset(its.free_faults)
        return Terms(its.count, its.time_limit_ms, free, its.most_faults, its.most_hints)

    def parts(self, committed: Committed) -> Parts:
        """What its draws are settled by. Raises UsageError when they cannot be right."""
        its = self.announced
        return Parts(
            committed.version,
            Files(its.layout_sha256, its.puzzle_sha256),
            its.round,
            its.count,
            ParRange(its.par_least, its.par_most),
            committed.draws,
            its.heats,
            its.spares,
        )


class Phase(StrEnum):
    """Where an attempt is: called to its place, on, or over."""

    CALLED = "called"
    RUNNING = "running"
    PAUSED = "paused"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt: ``marks`` are those that count, None when a journal alone tells of it.

    ``hands`` are those who have written of it, whose second pair of eyes is another's. ``clock_ms`` is the last that
    was told of its clock. While that runs, it runs ``since`` a moment, at which it showed ``since_ms``.
    """

    started: AttemptStarted
    hands: frozenset[str]
    phase: Phase = Phase.CALLED
    since: datetime | None = None
    since_ms: int = 0
    set_up: SetUpAgreed | None = None
    pressed: tuple[FaultMarked | HintMarked, ...] = ()
    clock_ms: int = 0
    ended: AttemptEnded | None = None
    marks: Marks | None = None
    corrected: bool = False
    checked_by: str = ""

    def shows_ms(self, now: datetime) -> int:
        """What its clock shows at a moment."""
        if self.phase is not Phase.RUNNING or self.since is None:
            return self.clock_ms
        return max(self.clock_ms, self.since_ms + (now - self.since) // timedelta(milliseconds=1))

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, as it counts now; None while it has not."""
        if self.ended is None:
            return None
        return self.marks.outcome if self.marks is not None else self.ended.outcome

    @property
    def place(self) -> tuple[str, str, int]:
        """What only one attempt that counts can have: round, entrant and number."""
        return self.started.round, self.started.entrant, self.started.number

    @property
    def draw(self) -> tuple[str, int, int]:
        """The draw it is made on: round, heat and which spare, 0 for the heat's own."""
        return self.started.round, self.started.heat, self.started.spare


@dataclass(frozen=True, slots=True)
class Token:
    """A helper's token, and whether it was revoked."""

    given: TokenGiven
    revoked: bool = False

    def holds(self, now: datetime) -> bool:
        """Whether it is worth anything still."""
        return not self.revoked and now < self.given.expires


@dataclass(frozen=True, slots=True)
class State:
    """A competition, with everything by its id; tokens are by their names. The order is that of the book."""

    created: Created | None = None
    entrants: Mapping[str, Entrant] = field(default_factory=dict)
    rounds: Mapping[str, Round] = field(default_factory=dict)
    attempts: Mapping[str, Attempt] = field(default_factory=dict)
    tokens: Mapping[str, Token] = field(default_factory=dict)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The attempts that have ended and that no second pair of eyes has looked at."""
        return tuple(name for name, its in self.attempts.items() if its.ended is not None and not its.checked_by)

    def of_round(self, round_id: str) -> dict[str, Attempt]:
        """The attempts of a round."""
        return {name: its for name, its in self.attempts.items() if its.started.round == round_id}


def known(names: Mapping[str, T], name: str, what: str) -> T:
    """What has a name; ``what`` says what it would be. Raises UsageError, with the name that was perhaps meant."""
    if name not in names:
        raise UsageError(f"there is no {what} {name!r}", cure=did_you_mean(name, names))
    return names[name]


def person(name: str) -> str:
    """A name as it is compared: two are one person's, however they are typed."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


NEVER_TAKEN_BACK: tuple[type[Entry], ...] = (Created, Committed, HeatOpened, Revealed)
"""What has been seen stays seen: otherwise draws could be looked at and drawn again."""
