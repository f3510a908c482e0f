"""What is seen of a competition: everything that its book comes to, and of that what each scope may see.

What of a heat others still have to play is told to the marshal alone: cards, par, set-up and replay, and whatever gives
them away (``compete.secrecy``). A helper who marks is told the cards of an attempt that is under way, because the
wagons have to be put there, but no par.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pointsman.compete import secrecy
from pointsman.compete.book import Book, Head
from pointsman.compete.doubts import Doubt, DoubtKind, doubts, played_again
from pointsman.compete.entries import FaultMarked, HintMarked, Scope
from pointsman.compete.marks_json import marks_values
from pointsman.compete.schedule import Due, due
from pointsman.compete.scoring.score import Score
from pointsman.compete.standing import RoundStanding, Row, Standings
from pointsman.compete.standings import Tables
from pointsman.compete.state import Attempt, Phase, Round
from pointsman.compete.withheld import heats_over
from pointsman.web.competing.catalogue import position_of, title_of
from pointsman.web.competing.log import log_lines
from pointsman.web.competing.moment import in_text


@dataclass(frozen=True, slots=True)
class Seen:
    """What a book comes to. ``over`` are the heats of each round that nobody has to play any more.

    ``below`` are the standings that all are told but the marshal. ``hides``: something that is open is a secret still.
    """

    book: Book
    standings: Standings
    doubts: tuple[Doubt, ...]
    turns: Mapping[str, tuple[Due, ...]]
    over: Mapping[str, frozenset[int]]
    below: Standings
    hides: bool
    tables: Tables

    @classmethod
    def of(cls, book: Book, before: Seen | None = None) -> Seen:
        """Work it out; of 200 entrants and five rounds it takes a good part of a second.

        What has not changed since ``before``, an earlier one, is taken from there.
        """
        state = book.state
        tables = Tables(state) if before is None else before.tables.after(state)
        turns = {name: due(tables, name) for name in state.rounds}
        over = {name: heats_over(tables, name) for name in state.rounds}
        hides = any(len(its.heats) > len(over[name]) for name, its in state.rounds.items())
        full = tables.everything()
        return cls(
            book,
            full,
            (*played_again(book), *doubts(state, tables)),
            turns,
            over,
            secrecy.told(full, state, over),
            hides,
            tables,
        )

    def standings_for(self, scope: Scope) -> Standings:
        """The standings as somebody may be told them."""
        return self.standings if scope is Scope.MARSHAL else self.below

    def doubts_for(self, scope: Scope) -> Iterator[Doubt]:
        """The doubts without those that tell a par that is a secret."""
        for doubt in self.doubts:
            if doubt.kind is not DoubtKind.UNDER_PAR or self.may_know(self.book.state.attempts[doubt.attempt], scope):
                yield doubt

    def head_for(self, scope: Scope) -> Head | None:
        """The head with its hash, for whom it gives nothing away.

        The hash before a heat was opened is known, and a draw is one of a few thousand: whoever has the one after it
        could try them all.
        """
        return None if self.hides and scope is not Scope.MARSHAL else self.book.head

    def may_know(self, attempt: Attempt, scope: Scope) -> bool:
        """Whether somebody may know the draw of an attempt, and how it was played."""
        its = attempt.started
        return scope is Scope.MARSHAL or (attempt.phase is Phase.ENDED and its.heat in self.over[its.round])


def values(seen: Seen, scope: Scope) -> dict[str, Any]:
    """What a scope may see, as JSON values, in English, without the attempts and what changes with the moment."""
    book, state = seen.book, seen.book.state
    created, head, told = state.created, seen.head_for(scope), seen.standings_for(scope)
    assert created is not None, "a book begins with that"
    found: dict[str, Any] = {
        "name": book.competition,
        "title": created.name,
        "date": created.date.isoformat(),
        "place": created.place,
        "head": {"entries": book.head.entries, "hash": None if head is None else head.hash},
        "entrants": [_entrant(name, its) for name, its in state.entrants.items()],
        "rounds": [_round(seen, name, its, told.rounds[name]) for name, its in state.rounds.items()],
        "overall": [
            {"category": category, "rows": [_overall(row) for row in rows]} for category, rows in told.overall.items()
        ],
        "unchecked": list(state.unchecked),
        "doubts": [{"attempt": its.attempt, "kind": str(its.kind), "text": its.what} for its in seen.doubts_for(scope)],
    }
    if scope is Scope.MARSHAL:
        found["tokens"] = [
            {
                "name": name,
                "scope": str(its.given.scope),
                "expires": in_text(its.given.expires),
                "revoked": its.revoked,
            }
            for name, its in state.tokens.items()
        ]
        found["log"] = log_lines(book.written)
    return found


def _entrant(name: str, its: Any) -> dict[str, Any]:
    about = its.about
    return {
        "id": name,
        "name": about.name,
        "club": about.club,
        "category": about.category,
        "train": about.train,
        "pair": about.pair,
        "withdrawn": its.withdrawn,
    }


def _round(seen: Seen, name: str, its: Round, standing: RoundStanding) -> dict[str, Any]:
    told, turns = its.announced, seen.turns[name]
    cut, advance = told.cut_off, told.advance
    revealed = its.secret is not None and its.committed is not None
    return {
        "id": name,
        "title": told.title,
        "puzzle": told.puzzle,
        "puzzle_title": title_of(told.puzzle),
        "count": str(told.count),
        "scheme": told.scheme,
        "scheme_title": its.scheme.title,
        "format": told.format,
        "attempts": its.attempts,
        "par_least": told.par_least,
        "par_most": told.par_most,
        "heats": told.heats,
        "heats_open": len(its.heats),
        "spares": told.spares,
        "time_limit_ms": told.time_limit_ms,
        "cut_off": None if cut is None else {"after": cut.after, "at_most": str(cut.at_most)},
        "free_faults": [str(fault) for fault in told.free_faults],
        "most_faults": told.most_faults,
        "most_hints": told.most_hints,
        "advance": None
        if advance is None
        else {"by": str(advance.by), "value": str(advance.value), "edge": str(advance.edge)},
        "category": told.category,
        "speed_limit_mm_s": told.speed_limit_mm_s,
        "slow_enough": its.slow_enough,
        "commitment": None if its.committed is None else its.committed.commitment,
        "draws": None if its.committed is None else its.committed.draws,
        "secret": its.secret,
        "parts_text": its.parts(its.committed).text(bytes.fromhex(its.secret))
        if revealed and its.committed is not None and its.secret is not None
        else None,
        "standing": _standing(standing),
        "next": [
            {"entrant": turn.entrant, "number": turn.place.number, "heat": turn.place.heat}
            for turn in turns
            if turn.place is not None and not turn.why_not
        ],
        "waiting": [{"entrant": turn.entrant, "why": turn.why_not} for turn in turns if turn.why_not],
    }


def _standing(its: RoundStanding) -> dict[str, Any]:
    return {
        "certain": its.certain,
        "rows": [_row(row) for row in its.rows],
        "meetings": [
            {
                "stage": met.stage,
                "heat": met.heat,
                "first": met.first,
                "second": met.second,
                "winner": met.winner,
                "over": met.over,
                "again": met.again,
            }
            for met in its.meetings
        ],
    }


def _row(row: Row) -> dict[str, Any]:
    score = row.result.score or row.result.best
    return {
        "entrant": row.entrant,
        "members": list(row.members),
        "rank": row.rank,
        "shared": row.shared,
        "rank_certain": row.rank_certain,
        "text": "" if row.result.score is None else row.result.score.text,
        "title": "" if row.result.score is None else row.result.score.rank,
        "origin": None if score is None else str(score.origin),
        "certain": row.result.certain,
        "open": row.result.open,
        "cut_off": row.result.cut_off,
        "outcome": None if row.result.score is None else str(row.result.score.outcome),
        "advances": "no" if row.advances is None else str(row.advances),
        "attempts": [
            {
                "number": made.number,
                "attempt": made.attempt,
                "text": "" if made.score is None else made.score.text,
                "outcome": None if made.score is None else str(made.score.outcome),
                "missing": made.missing,
            }
            for made in row.attempts
        ],
    }


def _overall(row: Any) -> dict[str, Any]:
    score = row.result.score
    return {
        "entrant": row.entrant,
        "rank": row.rank,
        "shared": row.shared,
        "text": "" if score is None else score.text,
        "certain": row.result.certain,
    }


def attempts(seen: Seen, scope: Scope, on_layout: str | None) -> dict[str, dict[str, Any]]:
    """The attempts that a scope may see, by their ids, without what their clocks show.

    ``on_layout`` is the one that is under way on the layout that is served here.
    """
    scores: dict[str, Score] = {
        made.attempt: made.score
        for standing in seen.standings_for(scope).rounds.values()
        for row in standing.rows
        for made in row.attempts
        if made.attempt is not None and made.score is not None
    }
    state = seen.book.state
    return {name: _attempt(name, its, seen, scope, scores.get(name), on_layout) for name, its in state.attempts.items()}


def _attempt(
    name: str, its: Attempt, seen: Seen, scope: Scope, score: Score | None, on_layout: str | None
) -> dict[str, Any]:
    started = its.started
    known = seen.may_know(its, scope)
    to_set_up = known or (scope is Scope.MARK and its.phase is not Phase.ENDED)
    puzzle = seen.book.state.rounds[started.round].announced.puzzle
    marks = None if its.marks is None else marks_values(its.marks)
    if marks is not None and not known:
        marks.pop("par", None)
        marks.pop("left", None)
    return {
        "id": name,
        "round": started.round,
        "heat": started.heat,
        "entrant": started.entrant,
        "number": started.number,
        "spare": started.spare,
        "phase": str(its.phase),
        "set_up": its.set_up is not None,
        "outcome": None if its.outcome is None else str(its.outcome),
        "score": None if score is None else score.text,
        "origin": None if score is None else str(score.origin),
        "marks": marks,
        "checked_by": its.checked_by,
        "corrected": its.corrected,
        "faults": [
            {"fault": str(press.fault), "at_ms": press.at_ms} for press in its.pressed if isinstance(press, FaultMarked)
        ],
        "hints": sum(isinstance(press, HintMarked) for press in its.pressed),
        "cards": list(started.cards) if to_set_up else None,
        "par": started.par if known else None,
        "start": position_of(puzzle, started.cards) if to_set_up else None,
        "on_layout": name == on_layout,
        "replay": known and its.ended is not None and its.ended.journal is not None,
    }
