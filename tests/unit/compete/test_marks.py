"""Marks of an attempt: every figure with its origin, and the same whatever the order things happened in."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import pytest
from attempts import attempts, played
from hypothesis import given
from hypothesis import strategies as st

from pointsman.compete.marks import (
    MEASURE_OF,
    Fault,
    Figure,
    Marks,
    Measure,
    Outcome,
    weakest,
    with_emergency_stop,
    with_fault,
    with_hint,
)
from pointsman.errors import UsageError
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count

Event = Callable[[Marks], Marks]

events = st.one_of(
    st.builds(
        lambda fault, origin: lambda m: with_fault(m, fault, origin), st.sampled_from(Fault), st.sampled_from(Origin)
    ),
    st.builds(lambda origin: lambda m: with_hint(m, origin), st.sampled_from(Origin)),
    st.builds(lambda origin: lambda m: with_emergency_stop(m, origin), st.sampled_from(Origin)),
)


@given(attempts(), st.lists(events, max_size=8).flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))))
def test_the_order_of_events_changes_nothing(marks: Marks, both: tuple[list[Event], list[Event]]) -> None:
    one, other = (reduce(lambda now, event: event(now), some, marks) for some in both)
    assert one == other


def test_couplings_and_runs_are_as_good_as_the_worse_of_them() -> None:
    marks = Marks(Outcome.FINISHED, runs=Figure(12), couplings=Figure(8, Origin.INFERRED))
    assert marks.figure(Measure.COUPLING_RUNS) == Figure(20, Origin.INFERRED)
    assert Marks(Outcome.FINISHED, runs=Figure(12)).figure(Measure.COUPLING_RUNS) is None


def test_a_fault_that_was_not_marked_is_none() -> None:
    marks = with_fault(played(), Fault.HAND)
    assert marks.figure(Fault.HAND) == Figure(1, Origin.ENTERED)
    assert marks.figure(Fault.DERAILMENT) == Figure(0, Origin.SEEN)


def test_every_measure_can_be_read_and_every_count_has_one() -> None:
    assert all(played().figure(measure) is not None for measure in Measure)
    assert set(MEASURE_OF) == set(Count)


def test_no_figure_is_below_nothing() -> None:
    with pytest.raises(UsageError, match="a figure of -1"):
        Figure(-1)


def test_the_weakest_origin() -> None:
    assert weakest([]) is Origin.SEEN
    assert weakest([Origin.SEEN, Origin.ENTERED, Origin.INFERRED]) is Origin.ENTERED
