"""What an attempt or a round is worth: one type for every scheme, with a key to sort by and a text for a person.

Arithmetic is exact. The result of a round is rounded once, half up, to what is shown: thousandths of a second, else
hundredths. So what is shown is what counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from pointsman.compete.marks import Measure, Outcome, called
from pointsman.operate.referee import Origin

Key = tuple[Fraction | int, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """What a value is so many of; ``quantum`` is the least part that is shown, and that a result is rounded to."""

    one: str
    many: str
    quantum: Fraction = Fraction(1, 100)

    def rounded(self, value: Fraction) -> Fraction:
        """A value to the nearest quantum; one in the middle goes up."""
        if isinstance(self.parts(value), int):
            return value
        return math.floor(value / self.quantum + Fraction(1, 2)) * self.quantum

    def parts(self, value: Fraction) -> Fraction | int:
        """How many quanta a value is; a whole number of them as one, which is quick to compare."""
        whole, rest = divmod(value.numerator * self.quantum.denominator, value.denominator * self.quantum.numerator)
        return value / self.quantum if rest else whole

    def shown(self, value: Fraction) -> str:
        """A value as people read it: ``4:05.312``, ``1 run``, ``116.67 %``, ``7.5 points``."""
        value = self.rounded(value)
        if self == SECONDS:
            return _clock(value)
        sign, amount = "-" if value < 0 else "", abs(value)
        whole, part = divmod(amount, 1)
        decimals = f"{int(part * 100):02d}".rstrip("0")
        number = f"{sign}{whole}.{decimals}" if decimals else f"{sign}{whole}"
        return f"{number} {self.one if amount == 1 else self.many}"


SECONDS = Unit("second", "seconds", Fraction(1, 1000))
PERCENT = Unit("%", "%")
POINTS = Unit("point", "points")


def unit_of(measure: Measure) -> Unit:
    """The unit that a measure is told in."""
    if measure is Measure.TIME:
        return SECONDS
    if measure is Measure.COUPLING_RUNS:
        return Unit("coupling or run", "couplings and runs")
    return Unit(called(measure).removesuffix("s"), called(measure))


def _clock(seconds: Fraction) -> str:
    """Minutes, seconds and thousandths, without hours: ``75:00``, ``4:05.312``."""
    sign, amount_ms = "-" if seconds < 0 else "", int(abs(seconds) * 1000)
    minutes, rest_ms = divmod(amount_ms, 60_000)
    whole, part_ms = divmod(rest_ms, 1000)
    decimals = f".{part_ms:03d}".rstrip("0").rstrip(".")
    return f"{sign}{minutes}:{whole:02d}{decimals}"


_CLASSES = {Outcome.FINISHED: 0, Outcome.DID_NOT_FINISH: 1, Outcome.DID_NOT_START: 2}
_WORDS = {Outcome.DID_NOT_FINISH: "did not finish", Outcome.DID_NOT_START: "did not start"}


@dataclass(frozen=True, slots=True)
class Score:
    """What an attempt or a round is worth.

    ``value`` is in ``unit``, None when an attempt that was not finished has none, and where it is not told; lower is
    better unless ``higher``. ``then`` are the tie-breaks, lower better. ``origin`` is the weakest of all that it rests
    on. ``rank`` is a name that goes with it, ``why`` tells why an attempt that reached the goal does not count as
    finished.

    Every finished one comes before all that were not, and these before those not started. Two that have the same key
    are tied, whatever else differs; only scores of one unit and direction are compared.
    """

    outcome: Outcome
    value: Fraction | None
    unit: Unit
    then: Key = ()
    higher: bool = False
    origin: Origin = Origin.SEEN
    rank: str = ""
    why: str = ""

    @property
    def key(self) -> Key:
        """What scores are sorted by, the best first."""
        parts = 0 if self.value is None else self.unit.parts(self.value)
        return _CLASSES[self.outcome], int(self.value is None), -parts if self.higher else parts, *self.then

    def __lt__(self, other: Score) -> bool:
        return self.key < other.key

    def ties_with(self, other: Score) -> bool:
        """Whether neither is better, after all tie-breaks."""
        return self.key == other.key

    @property
    def text(self) -> str:
        """The score as people read it, in English: ``12 runs``, ``did not finish``, ``did not start, 120 points``."""
        told = [] if self.outcome is Outcome.FINISHED else [_WORDS[self.outcome]]
        told += [] if self.value is None else [self.unit.shown(self.value)]
        return ", ".join(told) or "finished"

    @property
    def rounded(self) -> Score:
        """The same with the value as it is shown."""
        if self.value is None or isinstance(self.unit.parts(self.value), int):
            return self
        return replace(self, value=self.unit.rounded(self.value))
