"""What the routes of a competition give."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True)


class HeadView(_Given):
    """How many entries the book has, and the hash of the last one.

    The hash is null for all but the marshal while a heat is open that others still have to play, and after a deed.
    """

    entries: int
    hash: str | None


class CompetitionLine(_Given):
    """A competition that is served."""

    name: str
    title: str
    date: str
    place: str


class CompetitionsView(_Given):
    """The competitions that are served."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "competitions": [
                    {"name": "club-2026", "title": "Club evening", "date": "2026-11-30", "place": "Liège"},
                ]
            }
        }
    )

    competitions: list[CompetitionLine]


class Named(_Given):
    """A scheme, with its title."""

    name: str
    title: str


class PuzzleLine(_Given):
    """A puzzle of which draws can be had; ``wagons`` is how many it has, ``counts`` are what pars can be had in."""

    name: str
    title: str
    wagons: int
    counts: list[str]


class EntrantView(_Given):
    """Somebody who takes part."""

    id: str
    name: str
    club: str
    category: str
    train: str
    pair: str
    withdrawn: bool


class CutOffView(_Given):
    """Who has not reached ``at_most`` in the first ``after`` attempts makes no more."""

    after: int
    at_most: str


class AdvanceView(_Given):
    """Who advances."""

    by: str
    value: str
    edge: str


class AttemptLine(_Given):
    """One of the attempts that a row rests on; ``attempt`` is null where there is none yet.

    ``missing`` says why one that has ended cannot be scored.
    """

    number: int
    attempt: str | None
    text: str
    outcome: str | None
    missing: str


class RowView(_Given):
    """What an entrant, or a pair by its name, has in a round; ``members`` are the entrants.

    ``title`` is a rank's name, ``origin`` the weakest that the score rests on.
    """

    entrant: str
    members: list[str]
    rank: int | None
    shared: bool
    rank_certain: bool
    text: str
    title: str
    origin: str | None
    certain: bool
    open: int
    cut_off: bool
    outcome: str | None
    advances: Literal["yes", "no", "open", "reserve"]
    attempts: list[AttemptLine]


class MeetingView(_Given):
    """Two who meet in a knockout; without a second the first is free. ``again``: they have to meet once more."""

    stage: int
    heat: int
    first: str
    second: str | None
    winner: str | None
    over: bool
    again: bool


class StandingView(_Given):
    """A round's standing; ``certain`` once nothing can change it but a correction. Meetings are those of a knockout."""

    certain: bool
    rows: list[RowView]
    meetings: list[MeetingView]


class NextView(_Given):
    """Somebody who may be called, and to what."""

    entrant: str
    number: int
    heat: int


class WaitingView(_Given):
    """Somebody who cannot be called yet, and why."""

    entrant: str
    why: str


class RoundView(_Given):
    """A round as it was announced, how far it is, and its standing."""

    id: str
    title: str
    puzzle: str
    puzzle_title: str
    count: str
    scheme: str
    scheme_title: str
    format: str
    attempts: int
    par_least: int
    par_most: int
    heats: int
    heats_open: int
    spares: int
    time_limit_ms: int | None
    cut_off: CutOffView | None
    free_faults: list[str]
    most_faults: int | None
    most_hints: int | None
    advance: AdvanceView | None
    category: str
    speed_limit_mm_s: int | None
    slow_enough: bool
    commitment: str | None
    draws: int | None
    secret: str | None
    parts_text: str | None
    standing: StandingView
    next: list[NextView]
    waiting: list[WaitingView]


class OverallRow(_Given):
    """What an entrant has in all rounds together."""

    entrant: str
    rank: int | None
    shared: bool
    text: str
    certain: bool


class OverallView(_Given):
    """A class in all rounds together; the one without a name is of those in no class."""

    category: str
    rows: list[OverallRow]


class FaultLine(_Given):
    """A fault, and what the clock showed."""

    fault: str
    at_ms: int


class AttemptView(_Given):
    """An attempt; what others still have to play is told to the marshal alone, and else null.

    ``shows_ms`` is what its clock shows at the view's ``now``; ``start`` the position to set up.
    """

    id: str
    round: str
    heat: int
    entrant: str
    number: int
    spare: int
    phase: Literal["called", "running", "paused", "ended"]
    shows_ms: int
    set_up: bool
    outcome: str | None
    score: str | None
    origin: str | None
    marks: dict[str, Any] | None
    checked_by: str
    corrected: bool
    faults: list[FaultLine]
    hints: int
    cards: list[str] | None
    par: int | None
    start: str | None
    on_layout: bool
    replay: bool


class DoubtView(_Given):
    """Something about an attempt that looks wrong."""

    attempt: str
    kind: str
    text: str


class LayoutLine(_Given):
    """The layout that is served with the competition."""

    name: str


class TokenLine(_Given):
    """A helper's device."""

    name: str
    scope: Literal["look", "mark", "marshal"]
    expires: str
    revoked: bool


class LogLine(_Given):
    """An entry of the book, in words; ``undone``: it does not count any more."""

    seq: int
    at: str
    by: str
    why: str
    kind: str
    text: str
    undone: bool
    can_undo: bool


class CompetitionView(_Given):
    """A competition, as far as whoever asks may see it; ``tokens`` and ``log`` are for the marshal alone."""

    name: str
    title: str
    date: str
    place: str
    scope: Literal["look", "mark", "marshal"]
    who: str
    now: str
    head: HeadView
    schemes: list[Named]
    formats: list[str]
    puzzles: list[PuzzleLine]
    entrants: list[EntrantView]
    rounds: list[RoundView]
    overall: list[OverallView]
    attempts: list[AttemptView]
    unchecked: list[str]
    doubts: list[DoubtView]
    layout: LayoutLine | None
    tokens: list[TokenLine] = Field(default=[], description="Not there below the scope of a marshal.")
    log: list[LogLine] = Field(default=[], description="Not there below the scope of a marshal; the newest first.")


class DoneView(_Given):
    """What was done: the book's head after it, and what goes with the deed."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"head": {"entries": 12, "hash": "9f2c..."}, "answer": {"attempt": "r1-anna-1"}},
        }
    )

    head: HeadView
    answer: dict[str, Any]


class AdmittedView(_Given):
    """What a device may do from now on, and until when."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"who": "tablet 1", "scope": "mark", "expires": "2026-11-30T23:00:00.000Z"},
        }
    )

    who: str
    scope: Literal["look", "mark", "marshal"]
    expires: str | None


class StepView(_Given):
    """A step of a replay: when, by the attempt's clock, and what stood where after it."""

    t_s: float
    position: str
    text: str
    kind: str


class PlanStep(_Given):
    """A run of the optimum, and what stands where after it."""

    text: str
    position: str


class ReplayView(_Given):
    """An attempt beside the optimum, which has ``par`` of ``count``."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "steps": [{"t_s": 0.0, "position": "head: L | s1: 1 2 3 | s2: 4 5 | s3:", "text": "", "kind": "start"}],
                "plan": [{"text": "L to s1", "position": "head: | s1: L 1 2 3 | s2: 4 5 | s3:"}],
                "count": "runs",
                "par": 9,
            }
        }
    )

    steps: list[StepView]
    plan: list[PlanStep]
    count: str
    par: int


class SetUpView(_Given):
    """What is to be set up for a heat."""

    puzzle: str
    cards: list[str]
    par: int
    position: str
