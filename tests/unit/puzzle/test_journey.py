"""Runs told as a journey, against the moves they come from."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracks import small, timesaver

from pointsman.errors import UsageError
from pointsman.puzzle.journey import describe, towards_after, train_after
from pointsman.puzzle.moves import Run, runs, train_of
from pointsman.puzzle.position import Position, parse_position
from pointsman.track.model import End, Leg, Track

STARTS = {"small": "head: L | s1: 1 2 3 | s2: 4 5", "timesaver": "R: L | UL: 1 | UR: 2 | LL: 3"}
TRACKS = {"small": small(), "timesaver": timesaver()}


def run_of(track: Track, position: str, text: str) -> Run:
    return next(run for run in runs(track, parse_position(position, track), "L") if str(run) == text)


def test_a_run_in_a_sentence() -> None:
    track = small()
    start = "head: L | s1: 1 2 3 | s2: 4 5"
    assert describe(track, run_of(track, start, "L to 1 over T1>closed")) == "L to s1"
    taken = "head: | s1: 1 2 3 | s2: 4 5 | T1>closed: L"
    assert (
        describe(track, run_of(track, taken, "L from 3 over T1>closed, leaving 3"))
        == "L with 2 1 to head, leaving 3 in s1"
    )


def test_the_direction_is_told_by_the_element_where_the_locomotive_ends() -> None:
    track = timesaver()
    # From R over T14 into U or W the line turns: R's from end leads to the to ends of U and W.
    start = parse_position("R: L | UL: 1", track)
    for run in runs(track, start, "L"):
        after = towards_after(track, run)
        element, leg = run.after.where("L")
        if element in ("U", "W"):
            assert (run.towards, after) == (End.FROM, End.FROM)
        if element == "T14":
            # Over a leg towards the toe is "from" of the turnout, and out at a leg "to".
            assert after is End.TO
            assert leg is not None


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_the_way_back_is_open_after_every_run(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(TRACKS)))
    track = TRACKS[name]
    position = parse_position(STARTS[name], track)
    for _ in range(data.draw(st.integers(1, 6))):
        run = data.draw(st.sampled_from(list(runs(track, position, "L"))))
        before, position = position, run.after
    after = towards_after(track, run)
    train = train_after(track, run)
    assert train == train_of(track, run.after, "L", after)
    # The vehicles that were kept are in it, in the same order; what else is there was met.
    kept = train_of(track, before, "L", run.towards).vehicles[len(run.left) :]
    assert [v for v in train.vehicles if v in kept] == list(kept)
    # Turning round, the same number of units leads back: nobody else has moved the points.
    back = [
        r
        for r in runs(track, position, "L")
        if r.towards is after.other and r.units == run.units and r.after.where("L") == before.where("L")
    ]
    assert back


def test_a_run_that_leads_elsewhere_is_refused() -> None:
    track = small()
    run = run_of(track, "head: L | s1: 1 2 3 | s2: 4 5", "L to 1 over T1>closed")
    elsewhere = Position.of(track, {"s1": ("1", "2", "3"), "s2": ("4", "5")}, {"T2": ("L", Leg.THROWN)})
    with pytest.raises(UsageError, match="the run does not lead from head to T2"):
        towards_after(track, replace(run, after=elsewhere))
