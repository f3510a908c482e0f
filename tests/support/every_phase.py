"""Test support: a store with a competition in which something is in every phase, and who may do what in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from halls import CLUB, CODE, FINAL, begun

from pointsman.compete.desk import Desk
from pointsman.compete.entries import Scope
from pointsman.compete.marks import Measure, Outcome
from pointsman.compete.plans import plan_of
from pointsman.compete.store.store import Store
from pointsman.web.competing.moment import Steady

ENTRANTS = ("Anna", "Bert", "Cleo", "Dirk", "Emma", "Finn", "Gina")
ROUNDS = ("over", "on", "to-come")
BY_PAR: dict[str, Any] = {**FINAL, "scheme": "par-ratio"}
_FINISHED, _COUNTS = Outcome.FINISHED, {Measure.RUNS: 14}


@dataclass(frozen=True, slots=True)
class EveryPhase:
    """Where it is kept, the token of a helper who marks, and the ids of attempts."""

    store: str
    token: str
    attempts: tuple[str, ...]


def every_phase(folder: Path) -> EveryPhase:
    """Make it: a round that is over, one with attempts in every phase, and one of which no heat is open."""
    where = begun(folder)
    with Store(where) as store:
        desk = Desk(store, CLUB, now=Steady(), version="0.1.0")
        entrants = [desk.enter(name, "Ada") for name in ENTRANTS]
        for round_id in ROUNDS:
            desk.announce(plan_of({**BY_PAR, "id": round_id, "title": round_id}), CODE, "Ada")
        for round_id in ROUNDS[:2]:
            desk.open_heat(round_id, CODE, "Ada")
        for entrant in entrants:
            _play(desk, "over", entrant, 5)
        desk.reveal("over", CODE, "Ada")
        # Nobody has called the last one.
        for phase, entrant in enumerate(entrants[:-1]):
            _play(desk, "on", entrant, phase)
        token = desk.give_token("tablet", Scope.MARK, timedelta(hours=12), "Ada")
        return EveryPhase(where, token, tuple(desk.state.attempts))


def _play(desk: Desk, round_id: str, entrant: str, phase: int) -> None:
    """Bring an attempt so far: called, set up, running, paused, ended, checked."""
    name = desk.call(round_id, entrant, "tablet").attempt
    steps = (
        lambda: desk.agree(name, "tablet"),
        lambda: desk.start(name, "tablet"),
        lambda: desk.pause(name, "a coupling is open", "tablet") if phase == 3 else None,
        lambda: desk.end(name, _FINISHED, "tablet", at_ms=0, counts=_COUNTS),
        lambda: desk.check(name, "Ada"),
    )
    for step in steps[:phase]:
        step()
