"""Attempts shown again, beside the optimum: what happened by the journal, and a plan with the fewest moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pointsman.compete.chain import AttemptName, journal_in
from pointsman.compete.entries import Journal
from pointsman.compete.evidence import steps
from pointsman.compete.state import Attempt, Round
from pointsman.errors import RefusedError, UsageError
from pointsman.puzzle.choice import choose
from pointsman.solver.apart import solve_apart


def replay(competition: str, its: Attempt, of: Round, journals: Path | None) -> dict[str, Any]:
    """Steps and plan as JSON values. Blocks. Raises RefusedError when the journal is not here; CompetitionError."""
    told, started = of.announced, its.started
    journal = _journal(its, journals)
    chosen = choose(told.puzzle, cards=started.cards)
    name = AttemptName(competition, started.attempt)
    plan = solve_apart(chosen.track, chosen.start, chosen.goal, told.count).plan
    return {
        "steps": [
            {"t_s": step.t_s, "position": step.position, "text": step.text, "kind": step.kind}
            for step in steps(journal, chosen=chosen, attempt=name)
        ],
        "plan": [{"text": "; ".join(map(str, step.runs)), "position": str(step.after)} for step in plan],
        "count": str(told.count),
        "par": started.par,
    }


def _journal(its: Attempt, journals: Path | None) -> Path:
    """The journal that an attempt ended with, as it was then."""
    ended = its.ended.journal if its.ended is not None else None
    if ended is None:
        raise RefusedError(["no journal tells of this attempt"], cure="look at its marks")
    try:
        if journals is not None:
            return journal_in(journals, ended)
    except UsageError as error:
        raise _missing(ended) from error
    raise _missing(ended)


def _missing(journal: Journal) -> RefusedError:
    return RefusedError([f"the journal {journal.name} is not here"], cure="put it into the folder of the journals")
