"""The standings of a competition, of every round and overall: what is certain in them, and what is still open.

They are a function of the competition's ``State`` alone, and the same on every computer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pointsman.compete.attempted import Attempted
from pointsman.compete.certainty import Bounds, of_pair, reach
from pointsman.compete.field import Field, fed, feeder, of_class, sides_of, withdrawn
from pointsman.compete.formats import Result, pair
from pointsman.compete.going_on import going_on
from pointsman.compete.knockout_table import knockout_standing
from pointsman.compete.lines import Line, Played, lines
from pointsman.compete.overall import Part, overall
from pointsman.compete.ranking import Advance, Advancing, Placed, advancing, ranked
from pointsman.compete.standing import Advances, RoundStanding, Row, Standings
from pointsman.compete.state import State

__all__ = ["Advances", "Attempted", "RoundStanding", "Row", "Standings", "Tables", "standings"]
T = TypeVar("T")


def standings(state: State) -> Standings:
    """Everything of a competition as it stands."""
    return Tables(state).everything()


class Tables:
    """A competition's rounds, each worked out once, when it is asked for: who is in it, and how they stand."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._made: dict[tuple[str, str], tuple[object, Any]] = {}
        self._before: Mapping[tuple[str, str], tuple[object, Any]] = {}

    def after(self, state: State) -> Tables:
        """The tables of a later state; what has not changed since is taken from these."""
        tables = Tables(state)
        tables._before = {**self._before, **self._made}
        return tables

    def kept(self, what: str, name: str, made_of: Callable[[], object], make: Callable[[], T]) -> T:
        """A thing of a round, or of an entrant: made once, and not again later if it would be made of the same."""
        known = self._made.get((what, name))
        if known is None:
            its, before = made_of(), self._before.get((what, name))
            known = before if before is not None and before[0] == its else (its, make())
            self._made[what, name] = known
        found: T = known[1]
        return found

    def everything(self) -> Standings:
        """All rounds, and overall."""
        rounds = {name: self.standing(name) for name in self.state.rounds}
        parts = [
            Part(its, self.between(name), self.played(name), self.field(name).certain)
            for name, its in rounds.items()
            if not self.played(name).form.knockout
        ]
        return Standings(rounds, overall(self.state, parts, self.kept))

    def played(self, round_id: str) -> Played:
        """What was played of a round."""
        known = self._made.get(("played", round_id)) or self._before.get(("played", round_id))
        before: Played | None = None if known is None else known[1]

        def make() -> Played:
            holds = before is not None and before.holds_in(self.state, round_id)
            return before if before is not None and holds else Played(self.state, round_id, before)

        return self.kept("played", round_id, object, make)

    def field(self, round_id: str) -> Field:
        """Who is in a round: whoever has an attempt in it, and besides those of its class who have not withdrawn.

        Where the round before says who advances, only those; nobody is in it before they are certain.
        """
        return self.kept("field", round_id, object, lambda: self._field(round_id))

    def lines(self, round_id: str) -> Mapping[str, Line]:
        """Each entrant's attempts in a round that is no knockout."""
        played, field = self.played(round_id), self.field(round_id)
        return self.kept("lines", round_id, lambda: (played, field.in_order), lambda: lines(played, field))

    def between(self, round_id: str) -> Mapping[str, Bounds]:
        """Between what each side of a round that is no knockout must end."""
        return self.kept("between", round_id, lambda: self._made_of(round_id), lambda: self._between(round_id))

    def standing(self, round_id: str) -> RoundStanding:
        """A round as it stands."""
        return self.kept("standing", round_id, lambda: self._made_of(round_id), lambda: self._standing(round_id))

    def _made_of(self, round_id: str) -> object:
        """What the standing of a round is made of."""
        gone = None if self.state.rounds[round_id].announced.advance is None else self._gone_from(round_id)
        return self.played(round_id), self.field(round_id).in_order, gone

    def _between(self, round_id: str) -> dict[str, Bounds]:
        each, ordered = self.lines(round_id), self.played(round_id).scheme.ordered
        return {
            side: _bounds([each[name] for name in members], ordered=ordered)
            for side, members in self.field(round_id).sides.items()
        }

    def _standing(self, round_id: str) -> RoundStanding:
        if self.played(round_id).form.knockout:
            return knockout_standing(round_id, self.played(round_id), self.field(round_id))
        return self._in_order(round_id)

    def advancing_from(self, round_id: str) -> tuple[str, ...]:
        """The entrants that go on from a round, while it is certain who they are; nobody before."""
        through = self.standing(round_id).advancing
        if through is None or not through.certain:
            return ()
        return tuple(entrant for side in through.entrants for entrant in self.field(round_id).sides[side])

    def _field(self, round_id: str) -> Field:
        state, its = self.state, self.state.rounds[round_id]
        if its.settled is not None:
            return Tables(its.settled).field(round_id)
        playing = {a.started.entrant for a in state.of_round(round_id).values()}
        fed_by = feeder(state, round_id)
        if fed_by is None:
            gone = withdrawn(state, playing)
            return Field(sides_of(state, its, [e for e in of_class(state, its.announced.category) if e not in gone]))
        through = self.standing(fed_by).advancing
        names = list(self.advancing_from(fed_by))
        names += [entrant for entrant in state.entrants if entrant in playing and entrant not in names]
        certain = through is not None and through.certain
        return Field(sides_of(state, its, names), certain)

    def _in_order(self, round_id: str) -> RoundStanding:
        played, field, each = self.played(round_id), self.field(round_id), self.lines(round_id)
        results = {side: _result([each[name] for name in members]) for side, members in field.sides.items()}
        between = self.between(round_id)
        reaches = reach(between)
        placed = ranked(results)
        certain = field.certain and bool(placed or played.over) and all(its.certain for its in results.values())
        through, on = self._going_on(round_id, placed, between, certain)
        rows = tuple(
            Row(
                its.entrant,
                field.sides[its.entrant],
                its.rank,
                its.shared,
                field.certain and reaches[its.entrant].settles(its.rank),
                its.result,
                tuple(one for name in field.sides[its.entrant] for one in each[name].attempts),
                on.get(its.entrant),
            )
            for its in placed
        )
        return RoundStanding(round_id, rows, certain, through)

    def _going_on(
        self, round_id: str, placed: tuple[Placed, ...], between: Mapping[str, Bounds], certain: bool
    ) -> tuple[Advancing | None, Mapping[str, Advances]]:
        """Who goes on; one who has withdrawn does not, unless it was in the next round already when it did."""
        announced = self.state.rounds[round_id].announced.advance
        if announced is None:
            return None, {}
        rule = Advance(announced.by, announced.value, announced.edge)
        gone, sides = self._gone_from(round_id), self.field(round_id).sides
        out = {its.entrant for its in placed if not gone.isdisjoint(sides[its.entrant])}
        through = replace(advancing(placed, rule, out), certain=certain)
        return through, going_on(rule, between, out, through)

    def _gone_from(self, round_id: str) -> frozenset[str]:
        following = fed(self.state, round_id)
        if following is None:
            return withdrawn(self.state)
        settled = self.state.rounds[following].settled
        if settled is not None:
            return withdrawn(settled)
        return withdrawn(self.state, {a.started.entrant for a in self.state.of_round(following).values()})


def _result(of: list[Line]) -> Result:
    if len(of) == 1:
        return of[0].result
    results = [line.result for line in of]
    scores = [its.score for its in results if its.score is not None]
    both = pair(scores[0], scores[1]) if len(scores) == 2 else None
    bests = [its.best for its in results if its.best is not None]
    return Result(both, sum(its.open for its in results), min(bests, default=None), all(its.cut_off for its in results))


def _bounds(of: list[Line], *, ordered: bool) -> Bounds:
    return of[0].bounds if len(of) == 1 else of_pair(of[0].bounds, of[1].bounds, ordered=ordered)
