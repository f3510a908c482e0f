"""What is certain before everything is played: between which two scores a result must end, and so who can pass whom.

What cannot be bounded is open. Nothing here guesses: a rank is certain only when no outcome of what is still to be
played could change it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pointsman.compete.formats import Combining, Format, Result, added, pair, result
from pointsman.compete.marks import Outcome
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
    """What an attempt of a round can be worth: ``best`` is a value that none is better than, None where there is none.

    ``absent`` is what somebody has who does not start. ``ordered``: who has not finished has no better value than who
    has.
    """

    absent: Score
    best: Fraction | None
    ordered: bool

    def score(self, times: int = 1) -> Score | None:
        """A score that is no worse than so many of the best."""
        if self.best is None:
            return None
        return Score(Outcome.FINISHED, self.best * times, self.absent.unit, (), self.absent.higher)


def bounds(form: Format, attempts: Sequence[Score | None], so_far: Result, limits: Limits) -> Bounds:
    """Between what the result of these attempts must end, None standing for one that is still to be made.

    ``so_far`` is what it is now. An attempt whose score may still change is to be given as None.
    """
    if so_far.certain:
        return Bounds(so_far.score, so_far.score)
    made = [score for score in attempts if score is not None]
    still = form.attempts - len(made)
    # Where giving up can be worth more than finishing late, a later attempt may also worsen what counts.
    steady = limits.ordered or form.counting == form.attempts
    return Bounds(_best(form, made, still, limits, steady=steady), _worst(form, made, still, limits, steady=steady))


def _best(form: Format, made: list[Score], still: int, limits: Limits, *, steady: bool) -> Score | None:
    one = limits.score()
    if one is None:
        return None
    if form.combining is Combining.BEST:
        return one
    if not steady:
        return limits.score(form.counting if form.combining is Combining.ADDED else 1)
    return result(form, [*made, *[one] * still]).score


def _worst(form: Format, made: list[Score], still: int, limits: Limits, *, steady: bool) -> Score | None:
    if not made:
        return None
    if form.combining is Combining.BEST:
        return result(form, made).score
    return result(form, [*made, *[limits.absent] * still]).score if steady else None


def of_pair(first: Bounds, second: Bounds, *, ordered: bool) -> Bounds:
    """What a pair must end between, from what each of the two must."""
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

    @property
    def certain(self) -> bool:
        """Whether the rank cannot change."""
        return self.surely_before == self.maybe_before


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
