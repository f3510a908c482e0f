"""Attempts for tests of scoring: by hand, and drawn by hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from pointsman.compete.marks import Fault, Figure, Marks, Outcome
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count

PAR = {Count.RUNS: 12, Count.PULL_DROPS: 6, Count.REVERSALS: 10, Count.COUPLINGS: 8, Count.SECONDS: 90_000}
"""The par of every attempt here, in every count."""


def played(
    *,
    seconds: float = 100,
    runs: int = 12,
    reversals: int = 10,
    couplings: int = 8,
    pull_drops: int = 6,
    outcome: Outcome = Outcome.FINISHED,
    left: dict[Count, int] | None = None,
    helped: int = 0,
    placed: int | None = 5,
    hints: int = 0,
    faults: dict[Fault, int] | None = None,
    origin: Origin = Origin.SEEN,
) -> Marks:
    """An attempt with everything measured, at par unless said otherwise."""
    return Marks(
        outcome,
        time_ms=Figure(round(seconds * 1000), origin),
        runs=Figure(runs, origin),
        reversals=Figure(reversals, origin),
        couplings=Figure(couplings, origin),
        pull_drops=Figure(pull_drops, origin),
        hints=Figure(hints),
        helped=Figure(helped),
        placed=None if placed is None else Figure(placed, origin),
        faults={fault: Figure(number, Origin.ENTERED) for fault, number in (faults or {}).items()},
        par=PAR,
        left=left or {},
    )


ABSENT = Marks(Outcome.DID_NOT_START)
AGAIN = Marks(Outcome.EQUIPMENT)

_few = st.integers(0, 40)
_faults = st.dictionaries(st.sampled_from(Fault), st.integers(0, 3))


def attempts(*outcomes: Outcome) -> st.SearchStrategy[Marks]:
    """Attempts that ended in one of these ways, every figure measured."""
    return st.builds(
        played,
        seconds=st.integers(1, 2_000_000).map(lambda ms: ms / 1000),
        runs=_few,
        reversals=_few,
        couplings=_few,
        pull_drops=_few,
        outcome=st.sampled_from(outcomes or (Outcome.FINISHED, Outcome.DID_NOT_FINISH, Outcome.DID_NOT_START)),
        left=st.none() | st.fixed_dictionaries({count: st.integers(0, 20) for count in Count}),
        helped=st.integers(0, 3),
        placed=st.integers(0, 8),
        hints=st.integers(0, 3),
        faults=_faults,
        origin=st.sampled_from(Origin),
    )
