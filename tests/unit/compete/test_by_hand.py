"""Marks by hand: what is pressed, what the clock shows and what is typed, and nothing that two of them contradict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evening import attempt

from pointsman.compete.by_hand import by_hand
from pointsman.compete.entries import FaultMarked, HintMarked
from pointsman.compete.marks import NONE, Fault, Figure, Marks, Measure, Outcome
from pointsman.compete.state import Attempt, Phase
from pointsman.errors import RefusedError, UsageError
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count

PAR = {Count.RUNS: 7}
CALLED = Attempt(attempt(), frozenset())
RUNNING = replace(CALLED, phase=Phase.RUNNING)
PRESSED = replace(
    RUNNING,
    pressed=(
        FaultMarked("a1", Fault.HAND, 10),
        HintMarked("a1", 15),
        FaultMarked("a1", Fault.DERAILMENT, 20),
        FaultMarked("a1", Fault.HAND, 30),
    ),
)


def marks(its: Attempt, outcome: Outcome = Outcome.FINISHED, **counts: int) -> Marks:
    typed = {Measure(name): many for name, many in counts.items()}
    return by_hand(its, outcome, clock_ms=60_000, counts=typed, par=PAR)


def test_presses_clock_and_typed_counts_are_a_persons_word() -> None:
    found = marks(PRESSED, runs=14, placed=5, helped=1)
    assert found == Marks(
        Outcome.FINISHED,
        Origin.ENTERED,
        time_ms=Figure(60_000, Origin.ENTERED),
        runs=Figure(14, Origin.ENTERED),
        placed=Figure(5, Origin.ENTERED),
        helped=Figure(1, Origin.ENTERED),
        hints=Figure(1, Origin.ENTERED),
        faults={Fault.HAND: Figure(2, Origin.ENTERED), Fault.DERAILMENT: Figure(1, Origin.ENTERED)},
        par=PAR,
    )
    assert found.reversals is None, "what nobody has counted is not 0"
    assert found.emergency_stops == NONE


def test_a_time_is_typed_where_no_clock_ran() -> None:
    assert marks(CALLED).time_ms is None
    assert marks(CALLED, time_s=61_000).time_ms == Figure(61_000, Origin.ENTERED)
    assert marks(RUNNING, time_s=60_000).time_ms == Figure(60_000, Origin.ENTERED)
    with pytest.raises(RefusedError, match="shows 60000 ms, and 61000 ms were typed"):
        marks(RUNNING, time_s=61_000)


def test_hints_are_pressed_or_typed() -> None:
    assert marks(RUNNING, hints=2).hints == Figure(2, Origin.ENTERED)
    assert marks(PRESSED, hints=1).hints == Figure(1, Origin.ENTERED)
    with pytest.raises(RefusedError, match="hints pressed: 1, hints typed: 2"):
        marks(PRESSED, hints=2)


def test_who_did_not_start_has_no_counts() -> None:
    assert marks(CALLED, Outcome.DID_NOT_START) == Marks(Outcome.DID_NOT_START, Origin.ENTERED, par=PAR)
    for its, counts in ((CALLED, {"runs": 1}), (RUNNING, {}), (replace(PRESSED, phase=Phase.CALLED), {})):
        with pytest.raises(RefusedError):
            marks(its, Outcome.DID_NOT_START, **counts)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"coupling_runs": 3}, "couplings and runs are not typed together"),
        ({"runs": -1}, "runs: -1 cannot be"),
        ({"runs": 100_001}, "give 0 to 100000"),
        ({"time_s": 24 * 3600 * 1000 + 1}, "time on the clock"),
    ],
)
def test_a_count_that_cannot_be_is_refused(counts: dict[str, int], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        marks(CALLED, **counts)
