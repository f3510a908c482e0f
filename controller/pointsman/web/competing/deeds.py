"""What may be done in a competition, by whom, and what the desk is asked for then.

Each deed is what the desk has under nearly the same name; nothing is judged here but the scope of whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pointsman.compete.desk import Desk
from pointsman.compete.entries import LONGEST_MS, Scope
from pointsman.compete.export.entrants_csv import read_entrants
from pointsman.compete.marks import Fault, Measure, Outcome
from pointsman.compete.marks_json import marks_of
from pointsman.compete.plans import plan_of
from pointsman.compete.tokens import LONGEST
from pointsman.web.drawn_code import svg_of

Id = Annotated[str, Field(min_length=1, max_length=60)]
Line = Annotated[str, Field(max_length=200)]
Why = Annotated[str, Field(max_length=200)]
Code = Annotated[str, Field(min_length=1, max_length=200)]
AtMs = Annotated[int | None, Field(ge=0, le=LONGEST_MS)]
Picture = Annotated[str | None, Field(pattern=r"^[0-9a-f]{64}$")]
Counted = Literal[
    "time_s",
    "runs",
    "reversals",
    "couplings",
    "pull_drops",
    "coupling_runs",
    "hints",
    "emergency_stops",
    "helped",
    "placed",
]


class Asked(BaseModel):
    """No unknown keys, and no number given as text. Keyboards of phones put spaces behind words."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, str_strip_whitespace=True)


class Enter(Asked):
    """Somebody takes part; without an ``id`` one is made of the name."""

    do: Literal["enter"]
    name: Line
    id: Annotated[str, Field(max_length=60)] = ""
    club: Line = ""
    category: Line = ""
    train: Line = ""
    pair: Line = ""


class Change(Asked):
    """What is now written of an entrant; what is left out stays."""

    do: Literal["change"]
    id: Id
    why: Why
    name: Line | None = None
    club: Line | None = None
    category: Line | None = None
    train: Line | None = None
    pair: Line | None = None


class Withdraw(Asked):
    """An entrant starts no more."""

    do: Literal["withdraw"]
    id: Id
    why: Why = ""


class Import(Asked):
    """Entrants from the text of a CSV file: all, or none."""

    do: Literal["import"]
    csv: Annotated[str, Field(max_length=200_000)]


class Announce(Asked):
    """Announce a round, and settle its draws."""

    do: Literal["announce"]
    plan: dict[str, Any]
    code: Code


class OpenHeat(Asked):
    """Open a round's next heat, or the one that is named."""

    do: Literal["open-heat"]
    round: Id
    code: Code
    heat: Annotated[int | None, Field(ge=1, le=1000)] = None


class Reveal(Asked):
    """Publish a round's secret; nobody plays in it any more."""

    do: Literal["reveal"]
    round: Id
    code: Code
    why: Why = ""


class Speed(Asked):
    """A locomotive was timed over a measured distance."""

    do: Literal["speed"]
    round: Id
    locomotive: Annotated[str, Field(min_length=1, max_length=200)]
    distance_mm: Annotated[int, Field(ge=1, le=100_000)]
    time_ms: Annotated[int, Field(ge=1, le=LONGEST_MS)]


class Call(Asked):
    """Call an entrant to the next place."""

    do: Literal["call"]
    round: Id
    entrant: Id


class Rerun(Asked):
    """Run an attempt again on a spare draw."""

    do: Literal["rerun"]
    attempt: Id
    code: Code
    why: Why


class SetUp(Asked):
    """The wagons stand as drawn."""

    do: Literal["set-up"]
    attempt: Id
    picture_sha256: Picture = None


class Plain(Asked):
    """What needs no more than an attempt."""

    do: Literal["start", "resume", "check", "play"]
    attempt: Id


class Pause(Asked):
    """The clock stands, because of the equipment."""

    do: Literal["pause"]
    attempt: Id
    why: Why
    at_ms: AtMs = None


class Marked(Asked):
    """A fault was seen."""

    do: Literal["fault"]
    attempt: Id
    fault: Literal["derailment", "side-swipe", "hand", "over-full"]
    at_ms: AtMs = None


class Hint(Asked):
    """A hint was given."""

    do: Literal["hint"]
    attempt: Id
    at_ms: AtMs = None


class End(Asked):
    """An attempt has ended; ``counts`` are those that a person has counted."""

    do: Literal["end"]
    attempt: Id
    outcome: Literal["finished", "did-not-finish", "did-not-start", "equipment"]
    at_ms: AtMs = None
    counts: dict[Counted, Annotated[int, Field(ge=0, le=1_000_000_000)]] = {}
    why: Why = ""


class Correct(Asked):
    """Other marks count from now on."""

    do: Literal["correct"]
    attempt: Id
    marks: dict[str, Any]
    why: Why


class Undo(Asked):
    """An entry does not count any more."""

    do: Literal["undo"]
    seq: Annotated[int, Field(ge=1, le=1_000_000_000)]
    why: Why


class GiveToken(Asked):
    """A code for a helper's device."""

    do: Literal["give-token"]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    scope: Literal["look", "mark", "marshal"]
    hours: Annotated[float, Field(gt=0, le=LONGEST / timedelta(hours=1), allow_inf_nan=False)]


class RevokeToken(Asked):
    """A helper's device is admitted no more."""

    do: Literal["revoke-token"]
    name: Annotated[str, Field(min_length=1, max_length=200)]


class SharedTrain(Asked):
    """How many wagons of the train that a heat shares stand in their places."""

    do: Literal["shared-train"]
    round: Id
    heat: Annotated[int, Field(ge=1, le=1_000)]
    placed: Annotated[int, Field(ge=0, le=1_000)]


_Entrants = Enter | Change | Withdraw | Import
_Rounds = Announce | OpenHeat | Reveal | Speed | SharedTrain
_Attempts = Call | Rerun | SetUp | Plain | Pause | Marked | Hint | End | Correct
Deed = Annotated[_Entrants | _Rounds | _Attempts | Undo | GiveToken | RevokeToken, Field(discriminator="do")]

MARKING = frozenset({"call", "set-up", "start", "pause", "resume", "fault", "hint", "end", "check"})
"""What a helper who marks may do; all else a marshal alone."""
SLOW = frozenset({"announce", "open-heat", "reveal", "rerun", "import"})
"""What takes long, or much memory: one after the other, so that presses never wait for it."""


STAGED = frozenset({"set-up", "start", "pause", "resume", "fault", "hint", "end", "play"})
"""What concerns the layout too, if the attempt is on there."""


def least(deed: Deed) -> Scope:
    """The scope that a deed needs at least."""
    return Scope.MARK if deed.do in MARKING else Scope.MARSHAL


def done(desk: Desk, deed: Deed, by: str, address: str, journal: Path | None = None) -> dict[str, Any]:
    """Do it; what is answered. Blocks. Raises PointsmanError.

    ``address`` is that of the page; ``journal`` is the evidence of an attempt that ends, where there is one.
    """
    match deed:
        case GiveToken():
            token = desk.give_token(deed.name, Scope(deed.scope), timedelta(hours=deed.hours), by)
            # Behind the '#' it stays in the browser: no server and no log ever sees it.
            address = f"{address}competition#token={token}"
            return {"token": token, "address": address, "svg": svg_of(address)}
        case RevokeToken():
            desk.revoke(deed.name, by)
        case Undo():
            desk.undo(deed.seq, deed.why, by)
        case Enter() | Change() | Withdraw() | Import():
            return _of_entrants(desk, deed, by)
        case Announce() | OpenHeat() | Reveal() | Speed() | SharedTrain():
            return _of_rounds(desk, deed, by)
        case _:
            return _of_attempts(desk, deed, by, journal)
    return {}


def _of_entrants(desk: Desk, deed: _Entrants, by: str) -> dict[str, Any]:
    match deed:
        case Enter():
            its = deed.model_dump(include={"club", "category", "train", "pair"})
            return {"id": desk.enter(deed.name, by, entrant=deed.id, **its)}
        case Change():
            its = deed.model_dump(include={"name", "club", "category", "train", "pair"})
            desk.change(deed.id, deed.why, by, **its)
        case Withdraw():
            desk.withdraw(deed.id, deed.why, by)
        case Import():
            entrants = read_entrants(deed.csv.encode(), "csv", desk.state.entrants)
            desk.enter_all(entrants, by)
            return {"ids": [one.entrant for one in entrants]}
    return {}


def _of_rounds(desk: Desk, deed: _Rounds, by: str) -> dict[str, Any]:
    match deed:
        case Announce():
            made = desk.announce(plan_of(deed.plan), deed.code, by)
            return {"round": made.round, "commitment": made.commitment, "draws": made.draws}
        case OpenHeat():
            heat = desk.open_heat(deed.round, deed.code, by, heat=deed.heat)
            return {"heat": heat.heat}
        case Reveal():
            return {"secret": desk.reveal(deed.round, deed.code, by, why=deed.why).secret}
        case Speed():
            desk.speed(deed.round, deed.locomotive, deed.distance_mm, deed.time_ms, by)
        case SharedTrain():
            desk.shared_train(deed.round, deed.heat, deed.placed, by)
    return {}


_PLAIN: dict[str, Callable[[Desk, str, str], object]] = {
    "start": Desk.start,
    "resume": Desk.resume,
    "check": Desk.check,
}


def _of_attempts(desk: Desk, deed: _Attempts, by: str, journal: Path | None) -> dict[str, Any]:
    match deed:
        case Call():
            return {"attempt": desk.call(deed.round, deed.entrant, by).attempt}
        case Rerun():
            return {"attempt": desk.rerun(deed.attempt, deed.code, deed.why, by).attempt}
        case SetUp():
            desk.agree(deed.attempt, by, deed.picture_sha256)
        case Plain():
            _PLAIN[deed.do](desk, deed.attempt, by)
        case Pause():
            desk.pause(deed.attempt, deed.why, by, deed.at_ms)
        case Marked():
            desk.fault(deed.attempt, Fault(deed.fault), by, deed.at_ms)
        case Hint():
            desk.hint(deed.attempt, by, deed.at_ms)
        case End():
            counts: Mapping[Measure, int] = {Measure(name): many for name, many in deed.counts.items()}
            # Who has counted says so instead of the journal.
            seen = None if counts else journal
            desk.end(
                deed.attempt, Outcome(deed.outcome), by, at_ms=deed.at_ms, counts=counts, journal=seen, why=deed.why
            )
        case Correct():
            desk.correct(deed.attempt, marks_of(deed.marks, "marks"), deed.why, by)
    return {"attempt": deed.attempt}
