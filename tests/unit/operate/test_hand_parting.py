"""Uncoupling by hand: what a person is told where it cannot be done from where the coupling stands."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from metal import builtin, wiring_of
from plays import ALLOW, set_up

from pointsman.errors import RefusedError
from pointsman.operate.belief import Belief, Spot
from pointsman.operate.hand_parting import STOP_NEARER, over, slacken
from pointsman.operate.office import Office
from pointsman.puzzle.position import parse_position
from pointsman.track.model import Leg, Place
from pointsman.web.french import sentence

LAYOUT = "inglenook-small"
OFFICE = Office(builtin(LAYOUT), wiring_of(LAYOUT), ALLOW, inf)
MAGNET = OFFICE.track.uncouplers["s1"]


def coupling_at(at_mm: float, error_mm: float) -> Belief:
    """The locomotive drew 1 until their taut coupling came to a place of s1; 2 and 3 stand further in."""
    track = OFFICE.track
    engine, wagon = track.vehicle("L"), track.vehicle("1")
    belief = set_up(track, parse_position("head: L | s1: 1 2 3", track))
    way_mm = track.turnouts["T1"].through_mm(Leg.CLOSED)
    spots = {
        **belief.spots,
        "L": Spot(Place("T1", Leg.CLOSED, way_mm + at_mm - engine.length_mm / 2), error_mm),
        "1": Spot(Place("s1", None, at_mm + wagon.length_mm / 2), error_mm),
        "2": Spot(Place("s1", None, 220.0), 1.0),
        "3": Spot(Place("s1", None, 300.0), 1.0),
    }
    lies = dict.fromkeys(("T1", "T2"), Leg.CLOSED)
    return replace(belief, spots=spots, commanded=lies, proved=True, coupled=frozenset({frozenset("L1")}))


def test_it_is_slackened_where_the_magnet_reaches() -> None:
    belief = coupling_at(0.0, 0.5)
    step = slacken(OFFICE, belief, over(OFFICE.track, belief, MAGNET, "L"), "L")
    assert step is not None
    assert step.stop.target_mm <= step.stop.limit_mm


def test_one_at_the_far_edge_of_its_reach_is_refused_with_what_a_driver_can_do() -> None:
    belief = coupling_at(MAGNET.place.at_mm + MAGNET.reach_mm - 1, 4.0)
    with pytest.raises(RefusedError) as caught:
        slacken(OFFICE, belief, over(OFFICE.track, belief, MAGNET, "L"), "L")
    assert (caught.value.where, caught.value.cure) == ("magnet s1", STOP_NEARER)
    for said in (caught.value.what, caught.value.cure):
        assert sentence(said) != said
