"""What every scheme has in common: its name and source, what it needs to know, and how it reads an attempt's marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from pointsman.compete.marks import MEASURE_OF, Fault, Marks, Measure, Outcome, called, weakest
from pointsman.compete.scoring.score import SECONDS, Key, Score, Unit
from pointsman.errors import UsageError
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count


@dataclass(frozen=True, slots=True)
class Terms:
    """What a round has announced for its scheme: what counts as a move, and its rules for time, faults and hints.

    An attempt that takes just the time limit is within it, and so it is with ``most_faults`` and ``most_hints``; None
    stands for no limit. ``free`` are the faults that do not count in this round, whatever the scheme says of them.
    """

    count: Count = Count.RUNS
    time_limit_ms: int | None = None
    free: frozenset[Fault] = frozenset()
    most_faults: int | None = None
    most_hints: int | None = None

    @property
    def measure(self) -> Measure:
        """What measures the count."""
        return MEASURE_OF[self.count]


def _nothing(_terms: Terms, _par: int) -> Fraction | None:
    """What costs cannot be less than."""
    return Fraction(0)


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to score, chosen by ``name``; ``source`` says whose it is and what in it is ours.

    ``attempt`` scores one by itself: None when it is to be run again. ``shared`` goes over the scores of a heat, where
    what one has depends on the others: from every entrant's marks and score, and how many wagons of the shared train
    stood in their places (None: there was none). ``uses`` are the measures that it counts; ``measures``
    has the clock too, if time is limited. ``best`` is a value that no attempt can be better than, by the round's terms
    and its lowest par; None where there is none. ``ordered``: who has not finished has no better value than who has.
    ``by_par``: a score with the marks of its attempt tells what the par of the draw is.
    """

    name: str
    title: str
    source: str
    attempt: Callable[[Marks, Terms], Score | None]
    uses: Callable[[Terms], frozenset[Measure]]
    shared: Callable[[Mapping[str, Marks], dict[str, Score | None], int | None], dict[str, Score | None]] | None = None
    needs_limit: bool = False
    best: Callable[[Terms, int], Fraction | None] = _nothing
    ordered: bool = True
    by_par: bool = False

    def check(self, terms: Terms) -> None:
        """UsageError when a round with these terms cannot be scored by it."""
        if self.needs_limit and terms.time_limit_ms is None:
            raise UsageError(f"{self.name} needs a time limit", cure="announce one for the round")

    def measures(self, terms: Terms) -> frozenset[Measure]:
        """What has to be measured of each attempt."""
        return self.uses(terms) | ({Measure.TIME} if terms.time_limit_ms is not None else set())

    def heat(
        self, marks: Mapping[str, Marks], terms: Terms, shared_placed: int | None = None
    ) -> dict[str, Score | None]:
        """The scores of a heat, by entrant; UsageError when something needed was not measured."""
        self.check(terms)
        scores = {entrant: self.attempt(its, terms) for entrant, its in marks.items()}
        return scores if self.shared is None else self.shared(marks, scores, shared_placed)


class Taken:
    """Reads figures of an attempt, and keeps where they come from. A fault that is ``free`` was none."""

    def __init__(self, marks: Marks, free: frozenset[Fault] = frozenset()) -> None:
        self._marks = replace(marks, faults={f: figure for f, figure in marks.faults.items() if f not in free})
        self._origins = [marks.outcome_origin]

    def figure(self, measure: Measure | Fault) -> int:
        """A figure, a time in milliseconds; UsageError when nobody has measured it."""
        figure = self._marks.figure(measure)
        if figure is None:
            name = called(measure) if isinstance(measure, Measure) else measure.value
            raise UsageError(f"the {name} of an attempt was not measured", cure="enter it, or choose another scheme")
        self._origins.append(figure.origin)
        return figure.value

    def amount(self, measure: Measure) -> Fraction:
        """A figure in the unit that people read: a time in seconds."""
        return _amount(measure, self.figure(measure))

    @property
    def faults(self) -> int:
        """How many faults there were, of all kinds."""
        return sum(self.figure(fault) for fault in Fault)

    @property
    def outcome(self) -> Outcome:
        """How the attempt ended."""
        return self._marks.outcome

    def par(self, count: Count) -> Fraction:
        """The fewest of a count that the draw can be solved with; UsageError when it is not known, or none."""
        par = self._marks.par.get(count, 0)
        if par < 1:
            raise UsageError(f"the par in {count.value} of an attempt is not known", cure="solve its draw first")
        return _amount(MEASURE_OF[count], par)

    def over_par(self, count: Count) -> Fraction:
        """How many more than the par; 0 for less, which only a wrong figure can be."""
        return max(Fraction(0), self.amount(MEASURE_OF[count]) - self.par(count))

    def in_hand(self, count: Count) -> Fraction | None:
        """What an attempt that was not finished has over par, with what was still missing; None when not known."""
        left, measure = self._marks.left.get(count), MEASURE_OF[count]
        if self.outcome is not Outcome.DID_NOT_FINISH or left is None or self._marks.figure(measure) is None:
            return None
        return max(Fraction(0), self.amount(measure) + _amount(measure, left) - self.par(count))

    @property
    def weakest(self) -> Origin:
        """The weakest origin of what has been read, and of how the attempt ended."""
        return weakest(self._origins)


def least_amount(measure: Measure, par: int) -> Fraction:
    """What nobody can solve a draw of this par with less than, in the unit that people read."""
    return _amount(measure, par)


def _amount(measure: Measure, value: int) -> Fraction:
    return Fraction(value, 1000 if measure is Measure.TIME else 1)


Rule = Callable[[Taken], tuple[Fraction | int, Key] | None]


def _within(_: Taken) -> str:
    return ""


def scored(
    marks: Marks,
    terms: Terms,
    unit: Unit,
    rule: Rule,
    *,
    flat: Rule | None = None,
    higher: bool = False,
    too_much: Callable[[Taken], str] = _within,
) -> Score | None:
    """The score of an attempt: ``rule`` gives value and tie-breaks of one that finished within the time limit.

    ``flat`` does the same for one that did not, where such a one has a value at all; a rule gives None where there is
    none. ``too_much`` says why one that reached the goal has not finished all the same. None: it is to be run again.
    """
    if marks.outcome is Outcome.EQUIPMENT:
        return None
    taken, outcome, why = Taken(marks, terms.free), marks.outcome, ""
    if outcome is Outcome.FINISHED:
        why = _against_terms(taken, terms) or too_much(taken)
        outcome = Outcome.DID_NOT_FINISH if why else outcome
    counting = rule if outcome is Outcome.FINISHED else flat
    found = counting(taken) if counting is not None else None
    value, then = found if found is not None else (None, ())
    exact = None if value is None else Fraction(value)
    return Score(outcome, exact, unit, then, higher, taken.weakest, why=why)


def _against_terms(taken: Taken, terms: Terms) -> str:
    """Why an attempt that reached the goal is not within the terms of its round; empty when it is."""
    limit_ms, most_faults, most_hints = terms.time_limit_ms, terms.most_faults, terms.most_hints
    if limit_ms is not None and taken.figure(Measure.TIME) > limit_ms:
        return f"over the time limit of {SECONDS.shown(Fraction(limit_ms, 1000))}"
    if most_faults is not None and (faults := taken.faults) > most_faults:
        return f"faults: {faults}, and at most {most_faults} are allowed"
    if most_hints is not None and (hints := taken.figure(Measure.HINTS)) > most_hints:
        return f"hints: {hints}, and at most {most_hints} are allowed"
    return ""
