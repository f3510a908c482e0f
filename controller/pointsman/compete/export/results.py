"""What a competition's rounds come to, as JSON values: the ``results`` of an exported competition."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pointsman.compete.formats import Result
from pointsman.compete.ranking import Advancing
from pointsman.compete.scoring.score import Score
from pointsman.compete.standings import RoundStanding, Row, Standings


def results_of(standings: Standings) -> dict[str, Any]:
    """Rounds in their order, the best first in each, and each class overall."""
    return {
        "rounds": [_round(standing) for standing in standings.rounds.values()],
        "overall": [
            {
                "category": category,
                "rows": [{**_place(row), **_result(row.result)} for row in rows],
            }
            for category, rows in standings.overall.items()
        ],
    }


def _round(standing: RoundStanding) -> dict[str, Any]:
    return {
        "round": standing.round_id,
        "certain": standing.certain,
        "rows": [
            {
                **_place(row),
                **_result(row.result),
                "advances": None if row.advances is None else str(row.advances),
                "attempts": [
                    {
                        "entrant": its.entrant,
                        "number": its.number,
                        "attempt": its.attempt,
                        "open": its.open,
                        "missing": its.missing,
                        **_score(its.score),
                    }
                    for its in row.attempts
                ],
            }
            for row in standing.rows
        ],
        "advancing": None if standing.advancing is None else _advancing(standing.advancing),
        "meetings": [asdict(meeting) for meeting in standing.meetings],
    }


def _place(row: Row) -> dict[str, Any]:
    return {
        "entrant": row.entrant,
        "members": list(row.members),
        "rank": row.rank,
        "shared": row.shared,
        "rank_certain": row.rank_certain,
    }


def _result(result: Result) -> dict[str, Any]:
    return {"certain": result.certain, "open": result.open, "cut_off": result.cut_off, **_score(result.score)}


def _score(score: Score | None) -> dict[str, Any]:
    """A score; its value is exact, as ``12`` or ``25/2``."""
    if score is None:
        return {"score": None}
    return {
        "score": {
            "outcome": str(score.outcome),
            "value": None if score.value is None else str(score.value),
            "unit": score.unit.many,
            "text": score.text,
            "origin": str(score.origin),
            "rank": score.rank,
            "why": score.why,
        }
    }


def _advancing(its: Advancing) -> dict[str, Any]:
    return {
        "entrants": list(its.entrants),
        "reserves": list(its.reserves),
        "tied": list(its.tied),
        "certain": its.certain,
    }
