"""Each entrant's attempts in a round, with their result so far and between what it must end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pointsman.compete.attempted import Attempted, Worth, scored, shared, worth
from pointsman.compete.certainty import Bounds, Limits, bounds, limits_of
from pointsman.compete.field import Field, groups, heat_of, withdrawn
from pointsman.compete.formats import CutOff, Format, Result, pair, reaches, result
from pointsman.compete.marks import Marks, Outcome
from pointsman.compete.scoring.scheme import Scheme, Terms
from pointsman.compete.scoring.score import Score
from pointsman.compete.state import Attempt, Phase, Round, State


@dataclass(frozen=True, slots=True)
class Line:
    """An entrant's attempts, by number; ``group`` says in which heats they are made."""

    attempts: tuple[Attempted, ...]
    result: Result
    bounds: Bounds
    group: int


class Played:
    """A round as far as it was played: what it has announced, read once, and what each attempt is worth by itself.

    ``before`` is the same round in an earlier state: what it knows is not worked out again.
    """

    def __init__(self, state: State, round_id: str, before: Played | None = None) -> None:
        self.round: Round = state.rounds[round_id]
        self.form: Format = self.round.form
        same = before is not None and before.round.announced is self.round.announced
        earlier = before if same else None
        self.scheme: Scheme = self.round.scheme if earlier is None else earlier.scheme
        self.terms: Terms = self.round.terms if earlier is None else earlier.terms
        self.attempts: Mapping[str, Attempt] = state.of_round(round_id)
        known: dict[str, Worth] = {} if earlier is None else earlier.worth
        self.worth: dict[str, Worth] = worth(self.attempts, self.scheme, self.terms, known)
        self.scores = scored(self.worth)
        rule = self.round.announced.cut_off
        self.cut_off = None if rule is None else CutOff(rule.after, rule.at_most)
        self.gone = withdrawn(state)
        self.on = frozenset(a.started.entrant for a in self.attempts.values() if a.phase is not Phase.ENDED)

    def holds_in(self, state: State, round_id: str) -> bool:
        """Whether nothing that it was made of is another in a later state."""
        if state.rounds[round_id] != self.round or withdrawn(state) != self.gone:
            return False
        return list(state.of_round(round_id).items()) == list(self.attempts.items())  # in the same order, too

    @property
    def over(self) -> bool:
        """Whether no attempt can be called any more: the round's secret is out."""
        return self.round.secret is not None

    @cached_property
    def absent(self) -> Score:
        """What an attempt is worth to somebody who does not start."""
        score = self.scheme.attempt(Marks(Outcome.DID_NOT_START), self.terms)
        assert score is not None, "one that did not start is not run again"
        return score

    @cached_property
    def limits(self) -> Limits:
        """What an attempt can be worth."""
        return limits_of(self.scheme, self.terms, self.round.announced.par_least)

    def stopped(self, entrant: str) -> bool:
        """Whether an entrant makes no more attempts: it has withdrawn, or the round is over."""
        return (self.over or entrant in self.gone) and entrant not in self.on

    def at(self, entrant: str, number: int) -> Attempted:
        """An entrant's attempt of a number, made or not."""
        made = self.scores.get(entrant, {}).get(number)
        return made if made is not None else Attempted(entrant, number)

    def side_in(self, members: tuple[str, ...], number: int) -> Score | None:
        """What a side has for an attempt; that of a pair is both added. None while it is not known."""
        scores = [score for its in members if (score := self.at(its, number).score) is not None]
        if len(scores) < len(members):
            return None
        return scores[0] if len(scores) == 1 else pair(scores[0], scores[1])

    def side_gone(self, members: tuple[str, ...]) -> bool:
        """Whether one of a side has withdrawn, and nothing of it is on any more."""
        return not self.gone.isdisjoint(members) and self.on.isdisjoint(members)


def lines(played: Played, field: Field) -> dict[str, Line]:
    """Everybody's attempts in a round that is no knockout."""
    group = groups(played.round, field.entrants, played.attempts)
    made: dict[str, list[Attempted]] = {entrant: [] for entrant in field.entrants}
    for number in range(1, played.form.attempts + 1):
        column = {entrant: played.at(entrant, number) for entrant in made}
        if played.scheme.shared is not None:
            column |= _shared(played, column, made, group)
        for entrant, one in column.items():
            made[entrant].append(one)
    return {entrant: _line(played, tuple(row), group[entrant]) for entrant, row in made.items()}


def _shared(
    played: Played,
    column: Mapping[str, Attempted],
    before: Mapping[str, list[Attempted]],
    group: Mapping[str, int],
) -> dict[str, Attempted]:
    """The attempts of one number, as the heats that they were made in share; each group has its own."""
    found: dict[str, Attempted] = {}
    for heat in set(group.values()):
        members = [one for entrant, one in column.items() if group[entrant] == heat]
        is_open = any(
            one.score is None and not _makes_no_more(played, one.entrant, before[one.entrant]) for one in members
        )
        made = [one for one in members if one.attempt is not None]
        number = heat_of(played.round, made[0].number, heat) if made else 0
        placed = played.round.shared_placed.get(number)
        for one in shared(made, played.attempts, played.scheme, placed, is_open=is_open):
            found[one.entrant] = one
    return found


def undecided(attempts: Sequence[Attempted], cut_off: CutOff) -> bool:
    """Whether the first attempts have been made, and it is still open if they reach the cut-off.

    It is while one of them waits for others of its heat, or cannot be scored, and no other has reached it.
    """
    first = attempts[: cut_off.after]
    if any(one.score is not None and not one.open and reaches(one.score, cut_off.at_most) for one in first):
        return False
    return any(one.open or one.missing for one in first)


def _makes_no_more(played: Played, entrant: str, before: Sequence[Attempted]) -> bool:
    if played.stopped(entrant):
        return True
    cut_off = played.cut_off
    if cut_off is None or len(before) < cut_off.after or undecided(before, cut_off):
        return False
    return result(played.form, [one.score for one in before], cut_off).cut_off


def _line(played: Played, attempts: tuple[Attempted, ...], group: int) -> Line:
    form, cut_off = played.form, played.cut_off
    scores = [one.score for one in attempts]
    unsettled = sum(one.open for one in attempts)
    # What was made and cannot be scored yet is still to come, whoever has withdrawn.
    over = played.stopped(attempts[0].entrant) and not any(one.missing for one in attempts)
    if over and not any(score is not None for score in scores):
        scores[0] = played.absent
    if cut_off is not None and undecided(attempts, cut_off):
        cut_off = None
    so_far = result(form, scores, cut_off, over=over)
    if unsettled:
        so_far = replace(so_far, open=so_far.open + unsettled)
        scores = [None if one.open else one.score for one in attempts]
    return Line(attempts, so_far, bounds(form, scores, so_far, played.limits), group)
