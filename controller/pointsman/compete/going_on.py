"""Who goes on for certain, who does not, and of whom it is open, before everything is played."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from pointsman.compete.certainty import Bounds, reach
from pointsman.compete.formats import reaches
from pointsman.compete.ranking import Advance, Advancing, By, Edge, percent_of
from pointsman.compete.scoring.score import Key
from pointsman.compete.standing import Advances


def going_on(
    rule: Advance, between: Mapping[str, Bounds], gone: Collection[str], through: Advancing
) -> dict[str, Advances]:
    """Whether each one goes on; ``gone`` have withdrawn, ``through`` is how it is now.

    A reserve is whoever goes on only if others withdraw.
    """
    if through.certain:
        return {name: _now(name, through) for name in between}
    found = dict.fromkeys(between, Advances.NO)
    can = {name: its for name, its in between.items() if name not in gone and its.low[:1] <= _FINISHED}
    if rule.by is By.RESULT:
        return found | {name: _by_result(its, rule.value) for name, its in can.items()}
    least, most = _many(rule, between.values())
    for name, its in reach(can).items():
        ahead = its.maybe_before if rule.edge is Edge.ALL else its.maybe_level
        if can[name].high[:1] == _FINISHED and ahead < least:
            found[name] = Advances.YES
        else:
            found[name] = Advances.OPEN if its.surely_before < most else Advances.RESERVE
    return found


_FINISHED: Key = (0,)
_NOT_STARTED: Key = (2,)


def _now(name: str, through: Advancing) -> Advances:
    if name in through.entrants:
        return Advances.YES
    return Advances.RESERVE if name in through.reserves else Advances.NO


def _many(rule: Advance, between: Collection[Bounds]) -> tuple[int, int]:
    """The least and the most that can go on, ties left out of account."""
    if rule.by is By.RANK:
        return int(rule.value), int(rule.value)
    surely = sum(its.high[:1] < _NOT_STARTED for its in between)
    maybe = sum(its.low[:1] < _NOT_STARTED for its in between)
    return percent_of(rule.value, surely), percent_of(rule.value, maybe)


def _by_result(its: Bounds, at_most: Fraction) -> Advances:
    if its.worst is not None and reaches(its.worst, at_most):
        return Advances.YES
    return Advances.OPEN if its.best is None or reaches(its.best, at_most) else Advances.NO
