"""Overall: of each class of entrants the rounds added up that it could be in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pointsman.compete.certainty import Bounds, of_sum, reach
from pointsman.compete.formats import Result, added, pair, result
from pointsman.compete.lines import Played
from pointsman.compete.ranking import ranked
from pointsman.compete.scoring.score import Score
from pointsman.compete.standing import RoundStanding, Row
from pointsman.compete.state import State


@dataclass(frozen=True, slots=True)
class Part:
    """A round as a part of a sum: how it stands, between what each side of it must end, and what it was."""

    standing: RoundStanding
    between: Mapping[str, Bounds]
    played: Played
    field_certain: bool

    @property
    def begun(self) -> bool:
        """Whether anything in it has a score yet: before that it is left out of the sums."""
        return any(one.score is not None for row in self.standing.rows for one in row.attempts)


Sum = tuple[Result, Bounds]
Kept = Callable[[str, str, Callable[[], object], Callable[[], Sum]], Sum]
"""As ``standings.Tables.kept``."""


def overall(state: State, parts: Sequence[Part], kept: Kept) -> dict[str, tuple[Row, ...]]:
    """By class, everybody's sum over the rounds of that class and those for everybody; knockouts are not added.

    Who was not in a round has what its scheme gives somebody who does not start. A class whose rounds are not all of
    one unit has no sum, and no rows. ``kept`` knows the sums that were made before.
    """
    found: dict[str, tuple[Row, ...]] = {}
    for category in dict.fromkeys(its.about.category for its in state.entrants.values()):
        names = [name for name, its in state.entrants.items() if its.about.category == category]
        mine = [its for its in parts if its.played.round.announced.category in ("", category)]
        kinds = {(its.played.absent.unit, its.played.absent.higher) for its in mine}
        found[category] = _added(names, mine, kept) if len(kinds) == 1 else ()
    return found


def _added(names: Sequence[str], parts: Sequence[Part], kept: Kept) -> tuple[Row, ...]:
    columns = [(its.begun, _column(its, names)) for its in parts]
    ordered = all(its.played.scheme.ordered for its in parts)
    results: dict[str, Result] = {}
    between: dict[str, Bounds] = {}
    for name in names:
        cells = [(begun, *column[name]) for begun, column in columns]
        made_of, make = partial(_same, (cells, ordered)), partial(_sum, cells, ordered=ordered)
        results[name], between[name] = kept("sum", name, made_of, make)
    reaches = reach(between)
    return tuple(
        Row(
            its.entrant,
            (its.entrant,),
            its.rank,
            its.shared,
            reaches[its.entrant].settles(its.rank),
            its.result,
        )
        for its in ranked(results)
    )


def _same(its: object) -> object:
    return its


def _sum(cells: Sequence[tuple[bool, Result, Bounds]], *, ordered: bool) -> Sum:
    scores = [its.score for begun, its, _ in cells if begun]
    known = [score for score in scores if score is not None]
    total = added(known) if known and len(known) == len(scores) else None
    return Result(total, sum(its.open for _, its, _ in cells)), of_sum([its for *_, its in cells], ordered=ordered)


def _column(part: Part, names: Sequence[str]) -> dict[str, Sum]:
    """What each of these has in a round, in it or not."""
    rows = {member: row for row in part.standing.rows for member in row.members}
    missing = _missing(part)
    return {name: (rows[name].result, part.between[rows[name].entrant]) if name in rows else missing for name in names}


def _missing(part: Part) -> Sum:
    """What somebody has who is not in a round; while that is not certain, anything may come."""
    form, played = part.played.form, part.played
    absent = _all_of(played, played.absent)
    if part.field_certain:
        return Result(absent), Bounds(absent, absent)
    one = played.limits.best
    return Result(None, form.attempts), Bounds(None if one is None else _all_of(played, one))


def _all_of(played: Played, one: Score) -> Score:
    """What somebody has who makes every attempt of a round like this one."""
    alone = result(played.form, [one] * played.form.attempts).score
    assert alone is not None, "attempts that were all made have a result"
    return pair(alone, alone) if played.form.pairs else alone
