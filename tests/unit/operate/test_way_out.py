"""Whether any order helps a locomotive that has no room to start."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from metal import builtin, wiring_of
from plays import ALLOW, set_up

from pointsman.operate.ahead import Barrier, Protection, ahead
from pointsman.operate.belief import Belief, Spot
from pointsman.operate.interlocking import touched_turnouts
from pointsman.operate.office import Office
from pointsman.operate.way_out import has_way_out
from pointsman.puzzle.position import parse_position
from pointsman.track.model import End, Leg, Place

LAYOUT = "tchoutchou"
OFFICE = Office(builtin(LAYOUT), wiring_of(LAYOUT), ALLOW, inf)
LIES = {"T1": Leg.CLOSED, "T2": Leg.CLOSED}


def between(engine_mm: float, error_mm: float, **lies: Leg) -> Belief:
    """The locomotive somewhere on T2, with a full siding before it and T1 behind it."""
    track = OFFICE.track
    belief = set_up(track, parse_position("head: L | s2: ladies coal salt", track))
    spots = {**belief.spots, "L": Spot(Place("T2", Leg.CLOSED, engine_mm), error_mm)}
    return replace(belief, spots=spots, commanded={**LIES, **lies}, proved=True)


def room(belief: Belief, towards: End) -> float:
    return ahead(OFFICE.track, belief, "L", towards, ALLOW).room_mm(Protection.OFF)


def test_none_between_points_that_lie_against_it_and_a_full_siding() -> None:
    belief = between(161.6, 95.4)
    assert room(belief, End.TO) < 5
    assert room(belief, End.FROM) < 5
    assert {"T1", "T2"} <= touched_turnouts(OFFICE.track, belief, "L")
    assert not has_way_out(OFFICE, belief, "L", settable=[])


@pytest.mark.parametrize(
    ("belief", "settable"),
    [
        (between(161.6, 95.4), ["T1"]),
        (between(161.6, 20.0), []),
        (between(161.6, 95.4, T1=Leg.THROWN), []),
        (between(223.0, 95.4), []),
    ],
    ids=["the points may be set", "there is room before it", "they lie for it", "a coupling is over a magnet"],
)
def test_one(belief: Belief, settable: list[str]) -> None:
    assert has_way_out(OFFICE, belief, "L", settable)


def test_points_that_lie_against_a_train_stop_it_where_they_can_still_be_set() -> None:
    belief = between(230.0, 5.0)
    found = ahead(OFFICE.track, belief, "L", End.FROM, ALLOW)
    limit = found.limit()
    assert (limit.barrier, limit.name) == (Barrier.AGAINST, "T1")
    there = replace(belief, spots={**belief.spots, "L": Spot(found.sweep.path.place(limit.c_mm), 2.0)})
    assert "T1" not in touched_turnouts(OFFICE.track, there, "L")
