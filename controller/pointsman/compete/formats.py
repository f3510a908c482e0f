"""From the attempts of a round to one result: best of n, mean, average, added up; pairs; classes of entrants.

An attempt that was not finished, or not started, has a score like any other, but no value unless its scheme gives it
one. What is rounded is the result, once, half up, as it is shown; everything before is exact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from pointsman.compete.marks import Outcome, weakest
from pointsman.compete.scoring.score import Key, Score
from pointsman.errors import RefusedError, UsageError
from pointsman.operate.referee import Origin


class Combining(StrEnum):
    """What becomes of the scores of a round's attempts."""

    BEST = "best"
    MEAN = "mean"
    AVERAGE = "average without best and worst"
    ADDED = "added up"
    KNOCKOUT = "knockout"


@dataclass(frozen=True, slots=True)
class Format:
    """How many attempts a round has, and how they are combined; ``counting`` of them count, the best.

    Tie-breaks, after those of the scheme: best of n by the next best attempt, and so on; all others by the best one.
    In a knockout it is one attempt for each meeting. ``pairs``: two play as one, and their scores are added.
    """

    name: str
    combining: Combining
    attempts: int
    counting: int
    pairs: bool = False

    @property
    def knockout(self) -> bool:
        """Whether two meet at a time, and the better one goes on."""
        return self.combining is Combining.KNOCKOUT

    def check_heats(self, heats: int) -> None:
        """UsageError when a round of so many heats does not come out even: everybody makes each attempt in one."""
        if heats % self.attempts:
            least = self.attempts * (heats // self.attempts + 1)
            raise UsageError(
                f"{heats} heats cannot be shared out among {self.attempts} attempts",
                where="heats",
                cure=f"take {least}, or another multiple of {self.attempts}: each group has its own heat each time",
            )


_FORMATS = (
    (r"best-of-(\d{1,2})", Combining.BEST, 1),
    (r"mean-of-(\d{1,2})", Combining.MEAN, 2),
    (r"average-of-(\d{1,2})", Combining.AVERAGE, 3),
    (r"sum-of-(\d{1,2})", Combining.ADDED, 1),
)
KNOCKOUT = "knockout"
PAIRS = "pairs-"
"""What stands before any other format when two play as one."""
_BEST_OF_SUM = r"best-(\d{1,2})-of-(\d{1,2})"
FORMATS = ("best-of-3", "mean-of-3", "average-of-5", "sum-of-3", "best-2-of-3", KNOCKOUT, "pairs-best-of-3")
"""The usual ones; each may have other numbers. ``best-2-of-3`` adds up the two best of three."""


def format_named(name: str) -> Format:
    """The format of a name. Raises UsageError."""
    if name.startswith(PAIRS) and not name.startswith(2 * PAIRS):
        return replace(format_named(name.removeprefix(PAIRS)), name=name, pairs=True)
    if name == KNOCKOUT:
        return Format(name, Combining.KNOCKOUT, 1, 1)
    for pattern, combining, least in _FORMATS:
        found = re.fullmatch(pattern, name, re.ASCII)
        if found is not None and int(found[1]) >= least:
            attempts = int(found[1])
            return Format(name, combining, attempts, _counting(combining, attempts))
    found = re.fullmatch(_BEST_OF_SUM, name, re.ASCII)
    if found is not None and 1 <= int(found[1]) <= int(found[2]):
        return Format(name, Combining.ADDED, int(found[2]), int(found[1]))
    raise UsageError(f"there is no format {name!r}", where="format", cure=f"such are: {', '.join(FORMATS)}")


def _counting(combining: Combining, attempts: int) -> int:
    match combining:
        case Combining.BEST:
            return 1
        case Combining.AVERAGE:
            return attempts - 2
        case _:
            return attempts


@dataclass(frozen=True, slots=True)
class CutOff:
    """Who has not reached ``at_most`` (in the unit of the scheme) in the first ``after`` attempts makes no more.

    Where more is better it is the least. Who just reaches it goes on.
    """

    after: int
    at_most: Fraction


@dataclass(frozen=True, slots=True)
class Result:
    """What an entrant has in a round: ``score`` so far, None where none can be told yet; ``open`` attempts to come.

    It is certain once none is open. ``best`` is the best attempt; ``cut_off``: there will be no more.
    """

    score: Score | None
    open: int = 0
    best: Score | None = None
    cut_off: bool = False

    @property
    def certain(self) -> bool:
        """Whether nothing can change it any more but a correction."""
        return self.open == 0


def result(
    form: Format, attempts: Sequence[Score | None], cut_off: CutOff | None = None, *, over: bool = False
) -> Result:
    """The result of the attempts made so far, in their order; None for one that is still to be made, or made again.

    Of a mean, an average or a sum there is no score before all attempts are made; ``over``: no more will be made.
    Raises UsageError for too many.
    """
    if len(attempts) > form.attempts:
        raise UsageError(f"{len(attempts)} attempts in {form.name}", cure=f"it has {form.attempts}")
    made = _best_first([score for score in attempts if score is not None])
    if not made:
        return Result(None, 0 if over else form.attempts)
    best = _best_first([score.rounded for score in made])[0]
    cut = cut_off is not None and _is_cut_off(attempts, cut_off)
    still = 0 if cut or over else form.attempts - len(made)
    if form.combining is Combining.BEST:
        return Result(_with_next_best(_best_first([score.rounded for score in made]), form.attempts), still, best, cut)
    if not still:
        return Result(_combined(form, made), 0, best, cut)
    return Result(None, still, best)


def _best_first(scores: Sequence[Score]) -> list[Score]:
    """Scores in the order of their keys; what else they tell does not depend on the order they were made in."""
    origins = list(Origin)
    return sorted(scores, key=lambda score: (score.key, origins.index(score.origin), score.rank, score.why))


def _is_cut_off(attempts: Sequence[Score | None], cut_off: CutOff) -> bool:
    first = attempts[: cut_off.after]
    if len(first) < cut_off.after or None in first:
        return False
    return not any(score is not None and reaches(score, cut_off.at_most) for score in first)


def reaches(score: Score, at_most: Fraction) -> bool:
    """Whether a score is finished and, as it is shown, as good as this, or better."""
    value = score.rounded.value
    if score.outcome is not Outcome.FINISHED or value is None:
        return False
    return value >= at_most if score.higher else value <= at_most


def _with_next_best(made: Sequence[Score], attempts: int) -> Score:
    """The best one, whose ties are broken by the next best; what was not made is no better than not started."""
    best = made[0]
    later = [*(score.key for score in made[1:]), *[_NOT_MADE] * (attempts - len(made))]
    return replace(best, then=(*best.then, *(part for key in later for part in key)))


_NOT_MADE: Key = (3,)


def _combined(form: Format, made: Sequence[Score]) -> Score:
    """Mean, average or sum of the attempts, the best first; of those not made none has a value.

    What counts is chosen by the values alone, so that one that is worse never makes the whole better.
    """
    best = _best_first([score.rounded for score in made])[0]
    started = [score for score in made if score.outcome is not Outcome.DID_NOT_START]
    in_order = sorted(made, key=lambda score: score.key[1:3])
    counting = in_order[1:-1] if form.combining is Combining.AVERAGE else in_order[: form.counting]
    values = [score.value for score in counting if score.value is not None]
    origin = weakest(score.origin for score in made)
    if len(made) < form.attempts or len(values) < form.counting:
        outcome = Outcome.DID_NOT_FINISH if started else Outcome.DID_NOT_START
        return Score(outcome, None, best.unit, best.key, best.higher, origin)
    total = sum(values, Fraction(0))
    value = total if form.combining is Combining.ADDED else total / form.counting
    return Score(best.outcome, value, best.unit, best.key, best.higher, origin).rounded


def added(scores: Sequence[Score]) -> Score:
    """Rounds, or the two of a pair, added up: without a value as soon as one of them has none. UsageError for none."""
    if not scores:
        raise UsageError("nothing to add up", cure="play a round first")
    check_alike(scores)
    form = Format(f"sum-of-{len(scores)}", Combining.ADDED, len(scores), len(scores))
    return _combined(form, _best_first(scores))


def pair(first: Score, second: Score) -> Score:
    """What a pair has: both their scores, added. It has finished when both have."""
    both = added((first, second))
    if both.value is None or first.outcome is second.outcome is Outcome.FINISHED:
        return both
    worse = max((first, second), key=lambda score: score.key)
    return replace(both, outcome=worse.outcome)


def check_alike(scores: Sequence[Score]) -> None:
    """UsageError unless all are of one unit and direction: others cannot be compared."""
    kinds = {(score.unit, score.higher) for score in scores}
    if len(kinds) > 1:
        units = ", ".join(sorted(unit.many for unit, _ in kinds))
        raise UsageError(f"scores of different kinds: {units}", cure="compare and add what was scored by one scheme")


@dataclass(frozen=True, slots=True)
class Category:
    """A class of entrants that is ranked by itself, as children with fewer wagons; None: with any number."""

    name: str
    most_wagons: int | None = None

    def check(self, wagons: int) -> None:
        """RefusedError when a puzzle has more wagons than this class plays with."""
        if self.most_wagons is not None and wagons > self.most_wagons:
            raise RefusedError(
                [f"the puzzle has {wagons} wagons, and {self.name} plays with at most {self.most_wagons}"],
                cure="choose a smaller puzzle, or another class",
            )


CHILDREN_MOST = 5
_FEWER = {"children": CHILDREN_MOST, "enfants": CHILDREN_MOST}


def class_named(name: str) -> Category:
    """The class of a name: children, in English or French, play with at most five wagons, any other with any number."""
    return Category(name, _FEWER.get(name.casefold()))
