"""What of a round nobody may be told while others still have to play it.

Until a heat is over (``withheld``) its draws are a secret, and so is their par: whoever knows it knows how good
a plan there is to be found. Where a scheme counts by the par, a score beside the moves that everybody has seen gives it
away, and so does that nobody can be better; the order does not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from pointsman.compete.attempted import Attempted
from pointsman.compete.scoring.score import Score
from pointsman.compete.standing import Advances, RoundStanding, Row, Standings
from pointsman.compete.state import State


def told(standings: Standings, state: State, over: Mapping[str, Collection[int]]) -> Standings:
    """The standings as everybody may be told them; ``over`` are the heats of each round that are.

    Of an attempt whose score would give a par away there is left how it ended; so too of what rests on it. While there
    is one in a round no rank of it is told to be certain, nor who goes on.
    """
    hidden = frozenset(
        name
        for name, its in state.attempts.items()
        if state.rounds[its.started.round].scheme.by_par and its.started.heat not in over[its.started.round]
    )
    if not hidden:
        return standings
    rounds = {name: _round(its, hidden) for name, its in standings.rounds.items()}
    # Of somebody the rounds are added up: one that is hidden could be worked out of the sum.
    who = {
        member
        for its in standings.rounds.values()
        for row in its.rows
        if _rests_on(row, hidden)
        for member in row.members
    }
    overall = {
        name: tuple(_row(row, hidden, hides=row.entrant in who) for row in rows) if _any(rows, who) else rows
        for name, rows in standings.overall.items()
    }
    return Standings(rounds, overall)


def _any(rows: Iterable[Row], who: Collection[str]) -> bool:
    return any(row.entrant in who for row in rows)


def _rests_on(row: Row, hidden: Collection[str]) -> bool:
    return any(made.attempt in hidden for made in row.attempts)


def _round(its: RoundStanding, hidden: Collection[str]) -> RoundStanding:
    if not any(_rests_on(row, hidden) for row in its.rows):
        return its
    rows = tuple(_row(row, hidden, hides=_rests_on(row, hidden)) for row in its.rows)
    return replace(its, rows=rows, certain=False, advancing=None)


def _row(row: Row, hidden: Collection[str], *, hides: bool) -> Row:
    return replace(
        row,
        rank_certain=False,
        advances=None if row.advances is None else Advances.OPEN,
        attempts=tuple(_attempted(made) if made.attempt in hidden else made for made in row.attempts),
        result=replace(row.result, score=_without(row.result.score), best=_without(row.result.best))
        if hides
        else row.result,
    )


def _attempted(made: Attempted) -> Attempted:
    return replace(made, score=_without(made.score))


def _without(score: Score | None) -> Score | None:
    return None if score is None else replace(score, value=None, then=(), rank="")
