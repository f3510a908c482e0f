"""Ranks, and who advances.

Who has the same key shares a rank, and the next ones are missing: 1, 2, 2, 4. Those tied across the edge of what
advances all go on, or all stay, as the round has announced. Only who has finished goes on, and in place of somebody who
withdraws the next one does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import groupby

from pointsman.compete.formats import Result, check_alike, reaches
from pointsman.compete.marks import Outcome
from pointsman.errors import UsageError


@dataclass(frozen=True, slots=True)
class Placed:
    """An entrant's place; ``rank`` from 1, None where there is no score yet. ``shared``: another has the same."""

    entrant: str
    rank: int | None
    result: Result
    shared: bool = False


def ranked(results: Mapping[str, Result]) -> tuple[Placed, ...]:
    """Everybody, the best first; those that share a rank, and those without one, by name. Raises UsageError."""
    check_alike([its.score for its in results.values() if its.score is not None])
    keys = {entrant: its.score.key for entrant, its in results.items() if its.score is not None}
    placed: list[Placed] = []
    for _, tied in groupby(sorted(keys, key=lambda name: (keys[name], name)), key=keys.__getitem__):
        names, rank = list(tied), len(placed) + 1
        placed.extend(Placed(entrant, rank, results[entrant], len(names) > 1) for entrant in names)
    without = sorted(entrant for entrant in results if entrant not in keys)
    return (*placed, *(Placed(entrant, None, results[entrant]) for entrant in without))


class By(StrEnum):
    """What decides on who advances: so many, so many of a hundred, or who is as good as this."""

    RANK = "rank"
    PERCENT = "percent"
    RESULT = "result"


class Edge(StrEnum):
    """What becomes of those tied across the edge."""

    ALL = "all go on"
    NONE = "all stay"


@dataclass(frozen=True, slots=True)
class Advance:
    """Who advances: the first ``value``, the first ``value`` percent, or who has reached ``value``. UsageError.

    A percentage is of those who have started, withdrawn or not, rounded down, but not to nobody.
    """

    by: By
    value: Fraction
    edge: Edge = Edge.ALL

    def __post_init__(self) -> None:
        if self.by is By.RANK and (self.value.denominator != 1 or self.value < 1):
            raise UsageError(f"the first {self.value} cannot advance", cure="give a whole number from 1")
        if self.by is By.PERCENT and not 0 < self.value <= 100:
            raise UsageError(f"{self.value} percent cannot advance", cure="give more than 0, at most 100")


@dataclass(frozen=True, slots=True)
class Advancing:
    """Who goes on, in the order of their ranks; who comes next, should one withdraw; who is tied at the edge.

    ``certain``: no attempt is open.
    """

    entrants: tuple[str, ...]
    reserves: tuple[str, ...]
    tied: tuple[str, ...] = ()
    certain: bool = True


def advancing(places: Sequence[Placed], rule: Advance, withdrawn: Collection[str] = ()) -> Advancing:
    """Who goes on by this rule, out of places as ``ranked`` gives them.

    By result everybody who has reached it goes on, so that nobody takes the place of one who withdraws.
    """
    can = [place for place in places if place.entrant not in withdrawn and _has_finished(place)]
    certain = all(place.result.certain for place in places)
    if rule.by is By.RESULT:
        through = [place for place in can if place.result.score is not None and reaches(place.result.score, rule.value)]
        return Advancing(_names(through), (), certain=certain)
    many = int(rule.value) if rule.by is By.RANK else percent_of(rule.value, sum(map(_has_started, places)))
    through, rest = can[:many], can[many:]
    edge = through[-1].rank if through and rest and through[-1].rank == rest[0].rank else None
    tied = [place for place in can if edge is not None and place.rank == edge]
    if tied and rule.edge is Edge.ALL:
        through = can[: can.index(tied[-1]) + 1]
    elif tied:
        through = can[: can.index(tied[0])]
    return Advancing(_names(through), _names(can[len(through) :]), _names(tied), certain)


def percent_of(percent: Fraction, started: int) -> int:
    """How many of those who have started advance: rounded down, but not to nobody."""
    return max(1, int(percent * started / 100))


def _has_finished(place: Placed) -> bool:
    return place.result.score is not None and place.result.score.outcome is Outcome.FINISHED


def _has_started(place: Placed) -> bool:
    return place.result.score is not None and place.result.score.outcome is not Outcome.DID_NOT_START


def _names(places: Sequence[Placed]) -> tuple[str, ...]:
    return tuple(place.entrant for place in places)
