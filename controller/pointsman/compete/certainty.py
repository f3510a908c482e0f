"""What is certain before everything is played: between which two scores a result must end, and so who can pass whom.

What cannot be bounded is open. Nothing here guesses: a rank is certain only when no outcome of what is still to be
played could change it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pointsman.compete.formats import Combining, Format, Result, added, pair, result
from pointsman.compete.marks import Marks, Outcome
from pointsman.compete.scoring.scheme import Scheme, Terms
from pointsman.compete.scoring.score import Key, Score

_BETTER_THAN_ALL: Key = ()
_WORSE_THAN_ALL: Key = (4,)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The best and the worst score that somebody can end with; None where there is no telling.

    ``best`` may have fewer tie-breaks than a score can have, and then is before all that begin like it.
    """

    best: Score | None = None
    worst: Score | None = None

    @property
    def low(self) -> Key:
        """No key that can come is before this one."""
        return _BETTER_THAN_ALL if self.best is None else self.best.key

    @property
    def high(self) -> Key:
        """No key that can come is after this one."""
        return _WORSE_THAN_ALL if self.worst is None else self.worst.key

    @property
    def fixed(self) -> bool:
        """Whether there is one score only that can come."""
        return self.best is not None and self.best == self.worst


@dataclass(frozen=True, slots=True)
class Limits:
    """What an attempt of a round can be worth: none is better than ``best``, None where there is no telling.

    ``worst`` has the worst value that one can have, and did not start.
    """

    best: Score | None
    worst: Score


def limits_of(scheme: Scheme, terms: Terms, par_least: int) -> Limits:
    """What an attempt can be worth by a scheme."""
    absent, given_up = (_by_itself(scheme, terms, how) for how in (Outcome.DID_NOT_START, Outcome.DID_NOT_FINISH))
    value = scheme.best(terms, par_least)
    best = None if value is None else Score(Outcome.FINISHED, value, absent.unit, (), absent.higher)
    # No value is worse than any: a sum has none then.
    return Limits(best, absent if given_up.value is not None else replace(absent, value=None))


def _by_itself(scheme: Scheme, terms: Terms, outcome: Outcome) -> Score:
    score = scheme.attempt(Marks(outcome), terms)
    assert score is not None, "one that is not run again has a score"
    return score


def bounds(form: Format, attempts: Sequence[Score | None], so_far: Result, limits: Limits) -> Bounds:
    """Between what the result of these attempts must end, None standing for one that is still to be made.

    ``so_far`` is what it is now. An attempt whose score may still change is to be given as None.
    """
    if so_far.certain:
        return Bounds(so_far.score, so_far.score)
    made = [score for score in attempts if score is not None]
    still = form.attempts - len(made)
    best = None
    if limits.best is not None:
        best = limits.best if form.combining is Combining.BEST else result(form, [*made, *[limits.best] * still]).score
    if not made:
        return Bounds(best)
    # What was not made is no better than the worst, and of the best one nothing more is needed.
    worst = made if form.combining is Combining.BEST else [*made, *[limits.worst] * still]
    return Bounds(best, result(form, worst).score)


def of_pair(first: Bounds, second: Bounds, *, ordered: bool) -> Bounds:
    """What a pair must end between, from what each of the two must.

    Where giving up can have the better value (not ``ordered``), a better result can make the sum worse.
    """
    best = pair(first.best, second.best) if first.best is not None and second.best is not None else None
    if first.worst is None or second.worst is None or not (ordered or (first.fixed and second.fixed)):
        return Bounds(best)
    return Bounds(best, pair(first.worst, second.worst))


def of_sum(parts: Sequence[Bounds], *, ordered: bool) -> Bounds:
    """What a sum over rounds must end between."""
    bests = [its.best for its in parts if its.best is not None]
    worsts = [its.worst for its in parts if its.worst is not None]
    best = added(bests) if len(bests) == len(parts) else None
    if len(worsts) < len(parts) or not (ordered or all(its.fixed for its in parts)):
        return Bounds(best)
    return Bounds(best, added(worsts))


@dataclass(frozen=True, slots=True)
class Reach:
    """How many others are for certain before somebody, how many may be before, and how many before or level."""

    surely_before: int
    maybe_before: int
    maybe_level: int

    def settles(self, rank: int | None) -> bool:
        """Whether this rank is the one in the end: those before without a result yet are not counted in it."""
        return self.surely_before == self.maybe_before and rank == self.surely_before + 1


def reach(of: Mapping[str, Bounds]) -> dict[str, Reach]:
    """Between what each one's rank must end."""
    lows, highs = sorted(its.low for its in of.values()), sorted(its.high for its in of.values())
    found: dict[str, Reach] = {}
    for name, its in of.items():
        surely = bisect_left(highs, its.low)
        # Oneself is among them unless there is one key only that can come.
        maybe = bisect_left(lows, its.high) - int(its.low < its.high)
        level = bisect_right(lows, its.high) - 1
        found[name] = Reach(surely, maybe, level)
    return found
