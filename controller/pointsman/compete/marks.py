"""What one attempt is made of: every convention of counting at once, each figure with where it comes from.

The clock is kept in whole milliseconds, everything else in whole numbers, so that scoring is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from pointsman.errors import UsageError
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count


class Outcome(StrEnum):
    """How an attempt ended. After an equipment fault it is run again, and has no score."""

    FINISHED = "finished"
    DID_NOT_FINISH = "did-not-finish"
    DID_NOT_START = "did-not-start"
    EQUIPMENT = "equipment"


class Fault(StrEnum):
    """What a marshal marks; a hand is one that touches a vehicle, and over-full is a siding with more than it holds."""

    DERAILMENT = "derailment"
    SIDE_SWIPE = "side-swipe"
    HAND = "hand"
    OVER_FULL = "over-full"


class Measure(StrEnum):
    """What is measured of an attempt besides its faults; ``coupling_runs`` are couplings and runs together."""

    TIME = "time_s"
    RUNS = "runs"
    REVERSALS = "reversals"
    COUPLINGS = "couplings"
    PULL_DROPS = "pull_drops"
    COUPLING_RUNS = "coupling_runs"
    HINTS = "hints"
    EMERGENCY_STOPS = "emergency_stops"
    HELPED = "helped"
    PLACED = "placed"


MEASURE_OF = {
    Count.RUNS: Measure.RUNS,
    Count.PULL_DROPS: Measure.PULL_DROPS,
    Count.REVERSALS: Measure.REVERSALS,
    Count.COUPLINGS: Measure.COUPLINGS,
    Count.SECONDS: Measure.TIME,
}
"""What measures each count of a puzzle: it is what a par can be had of."""

_CALLED = {
    Measure.TIME: "time on the clock",
    Measure.PULL_DROPS: "pull-drops",
    Measure.COUPLING_RUNS: "couplings and runs",
    Measure.EMERGENCY_STOPS: "emergency stops",
    Measure.HELPED: "times another was helped on",
    Measure.PLACED: "wagons in their places",
}


def called(measure: Measure) -> str:
    """A measure as people name it."""
    return _CALLED.get(measure, measure.value)


@dataclass(frozen=True, slots=True)
class Figure:
    """A whole number, not below 0, and where it comes from; a time is in milliseconds. Raises UsageError."""

    value: int
    origin: Origin = Origin.SEEN

    def __post_init__(self) -> None:
        if self.value < 0:
            raise UsageError(f"a figure of {self.value}", cure="figures of an attempt are whole numbers from 0")


NONE = Figure(0)
"""Nothing of a kind, and nobody's word taken for it."""


def weakest(origins: Iterable[Origin]) -> Origin:
    """The least good of these origins; *seen* when there are none."""
    ranked = list(Origin)
    return max(origins, key=ranked.index, default=Origin.SEEN)


@dataclass(frozen=True, slots=True)
class Marks:
    """What one attempt is made of. None stands for what nobody has measured.

    ``time_ms`` is what the clock shows, pauses taken out. ``par`` has the fewest of each count that the draw can be
    solved with, and ``left`` the fewest that were still missing where the attempt ended. ``helped`` is how often
    another was helped on, ``placed`` how many wagons stood in their places at the end. A kind of fault that is not in
    ``faults`` was not marked.
    """

    outcome: Outcome
    outcome_origin: Origin = Origin.SEEN
    time_ms: Figure | None = None
    runs: Figure | None = None
    reversals: Figure | None = None
    couplings: Figure | None = None
    pull_drops: Figure | None = None
    hints: Figure = NONE
    emergency_stops: Figure = NONE
    helped: Figure = NONE
    placed: Figure | None = None
    faults: Mapping[Fault, Figure] = field(default_factory=dict)
    par: Mapping[Count, int] = field(default_factory=dict)
    left: Mapping[Count, int] = field(default_factory=dict)

    def figure(self, measure: Measure | Fault) -> Figure | None:
        """What was measured, a time in milliseconds; None when nobody did."""
        if isinstance(measure, Fault):
            return self.faults.get(measure, NONE)
        match measure:
            case Measure.TIME:
                return self.time_ms
            case Measure.COUPLING_RUNS:
                if self.couplings is None or self.runs is None:
                    return None
                origin = weakest((self.couplings.origin, self.runs.origin))
                return Figure(self.couplings.value + self.runs.value, origin)
            case _:
                figure: Figure | None = getattr(self, measure.value)
                return figure


def with_fault(marks: Marks, fault: Fault, origin: Origin = Origin.ENTERED) -> Marks:
    """The marks with one more fault; a marshal's press is a person's word."""
    return replace(marks, faults={**marks.faults, fault: _one_more(marks.faults.get(fault, NONE), origin)})


def with_hint(marks: Marks, origin: Origin = Origin.SEEN) -> Marks:
    """The marks with one more hint; one that the program gave needs nobody's word."""
    return replace(marks, hints=_one_more(marks.hints, origin))


def with_emergency_stop(marks: Marks, origin: Origin = Origin.SEEN) -> Marks:
    """The marks with one more emergency stop."""
    return replace(marks, emergency_stops=_one_more(marks.emergency_stops, origin))


def _one_more(figure: Figure, origin: Origin) -> Figure:
    return Figure(figure.value + 1, weakest((figure.origin, origin)))
