"""Test support: a desk with a real store, and a clock that a test sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from pointsman.compete.desk import Desk
from pointsman.compete.desk_draws import Draws
from pointsman.compete.entries import Created, Entry
from pointsman.compete.marks import Measure, Outcome
from pointsman.compete.plans import RoundPlan, plan_of
from pointsman.compete.store.store import Store

START = datetime(2026, 11, 27, 18, 30, tzinfo=UTC)
CODE = "three blind mice"
MARSHAL, HELPER, OTHER = "Mo", "Hal", "Kit"
CREATED = Created("Club evening", date(2026, 11, 27), "The shed")
RUNS = {Measure.RUNS: 14}


@dataclass
class Watch:
    """Tells the time that it is set to."""

    at: datetime = field(default=START)

    def __call__(self) -> datetime:
        """The time."""
        return self.at

    def on(self, seconds: float) -> None:
        """Let time pass."""
        self.at += timedelta(seconds=seconds)


def plan(**changes: Any) -> RoundPlan:
    """A round of one attempt on the smallest built-in puzzle, of which three draws have this par."""
    values = {
        "id": "r1",
        "title": "First round",
        "puzzle": "inglenook-small",
        "count": "pull-drops",
        "scheme": "reversals",
        "format": "best-of-1",
        "par_least": 4,
        "par_most": 4,
        "heats": 1,
        "spares": 2,
    }
    return plan_of({**values, **changes})


def desk_of(store: Store, watch: Callable[[], datetime], draws: Draws) -> Desk:
    """The desk of the competition in a store."""
    return Desk(store, "club", now=watch, version="0.1.0", draws=draws)


def desk_at(store: Store, watch: Callable[[], datetime], draws: Draws, entrants: Sequence[str] = ("Ada", "Bo")) -> Desk:
    """The desk of a new competition with these entrants."""
    store.create("club", CREATED, by=MARSHAL, at=watch())
    desk = desk_of(store, watch, draws)
    for name in entrants:
        desk.enter(name, MARSHAL)
    return desk


def on(desk: Desk, entrant: str = "ada", round_id: str = "r1") -> str:
    """An attempt of an entrant whose clock has just been started; its id."""
    attempt = desk.call(round_id, entrant, MARSHAL).attempt
    desk.agree(attempt, HELPER)
    desk.start(attempt, HELPER)
    return attempt


def finish(desk: Desk, attempt: str, reversals: int = 11) -> None:
    """End an attempt that has reached the goal."""
    desk.end(attempt, Outcome.FINISHED, HELPER, counts={Measure.REVERSALS: reversals})


def kinds(desk: Desk) -> list[type[Entry]]:
    """What stands in the book, in its order."""
    return [type(one.entry) for one in desk.book.written]
