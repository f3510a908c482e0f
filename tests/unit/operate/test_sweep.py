"""Sweeps: where everything stands when the locomotive is somewhere, and the edges that come of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metal import builtin
from plays import ALLOW, set_up

from pointsman.errors import RefusedError
from pointsman.operate.belief import Belief, Spot, at_setup
from pointsman.operate.sweep import Sweep, sweep
from pointsman.puzzle.position import parse_position
from pointsman.track.model import End, Leg, Place
from pointsman.track.path import Stretch

SMALL = builtin("inglenook-small")
CLOSED = {"T1": Leg.CLOSED, "T2": Leg.CLOSED}
HEAD = Stretch("head", None, True)


def belief_of(text: str = "head: L | s1: 1 2 3 | s2: 4 5", **spots: tuple[str, float, float]) -> Belief:
    """A set-up with some vehicles put elsewhere: name=(segment, middle, error)."""
    belief = set_up(SMALL, parse_position(text, SMALL))
    moved = {name.strip("_"): Spot(Place(on, None, at), error) for name, (on, at, error) in spots.items()}
    return replace(belief, spots={**belief.spots, **moved})


def ahead(belief: Belief, train: tuple[str, ...] = ("L",)) -> Sweep:
    return sweep(SMALL, belief, HEAD, train, "L", CLOSED)


# ------------------------------------------------------------ the set-up


def test_wagons_at_set_up_stand_at_the_first_beam_each_a_little_less_sure() -> None:
    spots = belief_of().spots
    # 84 mm wagons, 82 over buffers: the first at 42 + 0..5; each next 82..84 further in.
    assert spots["1"] == Spot(Place("s1", None, 44.5), 2.5)
    assert spots["2"] == Spot(Place("s1", None, pytest.approx(127.5)), 3.5)
    assert spots["3"] == Spot(Place("s1", None, pytest.approx(210.5)), 4.5)
    assert spots["L"] == Spot(Place("head", None, 246.0 - 58.5), ALLOW.mark_error_mm)


def test_wagons_in_a_segment_whose_only_points_are_at_its_to_end() -> None:
    position = parse_position("head: 1 2 | s1: 3 | s2: 4 5", SMALL)
    spots = at_setup(SMALL, position, End.TO, 15.0, 5.0).spots
    assert spots["2"].place.at_mm == pytest.approx(320.0 - 44.5)
    assert spots["1"].place.at_mm == pytest.approx(320.0 - 127.5)
    assert "L" not in spots


def test_wagons_beside_the_locomotive_stand_coupled_to_it() -> None:
    roomy = replace(SMALL, segments={**SMALL.segments, "head": replace(SMALL.segments["head"], length_mm=500.0)})
    position = parse_position("head: 1 L 2 | s1: 3 | s2: 4 5", SMALL)
    spots = at_setup(roomy, position, End.TO, 15.0, 5.0).spots
    # L's middle at 246 - 58.5; couplings between closed (98.5) and taut (100.5), each adding 1 mm of doubt.
    assert spots["L"] == Spot(Place("head", None, 187.5), 15.0)
    assert spots["2"] == Spot(Place("head", None, pytest.approx(187.5 + 99.5)), pytest.approx(16.0))
    assert spots["1"] == Spot(Place("head", None, pytest.approx(187.5 - 99.5)), pytest.approx(16.0))
    position = parse_position("head: L 1 2 | s1: 3 | s2: 4 5", SMALL)
    spots = at_setup(roomy, position, End.TO, 15.0, 5.0).spots
    assert spots["2"] == Spot(Place("head", None, pytest.approx(187.5 + 99.5 + 83.0)), pytest.approx(17.0))


def test_a_locomotive_away_from_its_mark_is_pushed_up_to_the_beam_with_its_row() -> None:
    position = parse_position("s1: L 1 2 | s2: 4 5", SMALL)
    spots = at_setup(SMALL, position, End.TO, 15.0, 5.0).spots
    assert spots["L"] == Spot(Place("s1", None, 2.5 + 58.5), 2.5)
    # After it 1, whose coupling to it may be taut (100.5) or closed (98.5).
    assert spots["1"].place.at_mm == pytest.approx(2.5 + 58.5 + 99.5)
    assert spots["1"].error_mm == pytest.approx(3.5)


def test_a_row_that_does_not_fit_in_around_the_mark_is_pushed_up_too() -> None:
    position = parse_position("head: L 1 2 | s1: 3 | s2: 4 5", SMALL)
    spots = at_setup(SMALL, position, End.TO, 15.0, 5.0).spots
    assert spots["2"] == Spot(Place("head", None, 320.0 - 2.5 - 42.0), 2.5)
    # 2 and 1 between it and the beam, each coupling taut or closed: 222.5 to 226.5 mm, and the gap at the beam.
    assert spots["L"].place.at_mm == pytest.approx(93.0)
    assert spots["L"].error_mm == pytest.approx(4.5)


# ------------------------------------------------------------ max(rest, c + offset)


def test_offsets_are_closed_ahead_and_taut_behind() -> None:
    belief = belief_of("head: 1 L | s1: 2 3 | s2: 4 5", _1=("head", 80.0, 1.0), L=("head", 181.0, 1.0))
    swept = ahead(belief, ("1", "L"))
    assert [b.vehicle for b in swept.bodies] == ["1", "L", "2", "3"]
    assert [b.offset_mm for b in swept.bodies] == [-100.5, 0.0, 98.5, 180.5]
    assert [b.in_train for b in swept.bodies] == [True, True, False, False]
    assert (swept.tail.vehicle, swept.head.vehicle) == ("1", "L")
    assert (swept.start_low_mm, swept.start_high_mm) == (180.0, 182.0)


@given(st.floats(-200.0, 900.0), st.floats(0.0, 30.0))
def test_a_vehicle_stands_where_it_is_until_it_is_reached(c_mm: float, more_mm: float) -> None:
    swept = ahead(belief_of())
    for body in swept.bodies:
        assert body.low_mm(c_mm) == max(body.rest_low_mm, c_mm + body.offset_mm)
        assert body.high_mm(c_mm) == max(body.rest_high_mm, c_mm + body.offset_mm)
        assert body.low_mm(c_mm) <= body.high_mm(c_mm + more_mm)
    spots = swept.spots(c_mm, c_mm + more_mm)
    for body in swept.bodies:
        at = swept.path.coordinate(spots[body.vehicle].place)
        if at is not None and spots[body.vehicle].place.at_mm >= 0:
            error = spots[body.vehicle].error_mm
            assert at - error == pytest.approx(body.low_mm(c_mm))
            assert at + error == pytest.approx(body.high_mm(c_mm + more_mm))


# ------------------------------------------------------------ edges


def test_edges_of_a_lone_locomotive_hand_computed() -> None:
    # Beams at 320 (head) and 320 + 282 = 602 (s1); the body reaches 54 mm to either side.
    swept = ahead(belief_of("head: L | s2: 4 5", L=("head", 187.5, 15.0)))
    assert [(e.beam, e.active, e.c_mm) for e in swept.edges] == [
        ("head", True, 266.0),
        ("head", False, 374.0),
        ("s1", True, 548.0),
        ("s1", False, 656.0),
    ]
    assert all(e.sure and e.vehicle == "L" for e in swept.edges)


def test_a_wagon_behind_that_surely_does_not_touch_stays_where_it_is() -> None:
    belief = belief_of("head: 1 L | s1: 2 3 | s2: 4 5", _1=("head", 60.0, 1.0), L=("head", 187.0, 1.0))
    assert [b.vehicle for b in ahead(belief, ("1", "L")).bodies] == ["L", "2", "3"]


def test_wagons_pushed_follow_with_their_own_edges() -> None:
    belief = belief_of("head: L 1 | s1: 2 3 | s2: 4 5", L=("head", 100.0, 1.0), _1=("head", 200.0, 1.0))
    edges = {(e.vehicle, e.beam, e.active): e for e in ahead(belief, ("L", "1")).edges}
    assert edges["1", "head", True].c_mm == pytest.approx(320.0 - 37.5 - 98.5)
    assert edges["1", "s1", False].c_mm == pytest.approx(602.0 + 37.5 - 98.5)
    assert edges["L", "head", True].c_mm == pytest.approx(320.0 - 54.0)
    # 2 stands beyond beam s1 and is only pushed further: it makes no edge.
    assert not any(vehicle == "2" for vehicle, _, _ in edges)


def test_an_edge_where_the_vehicle_may_stand_is_not_sure() -> None:
    # Body 1 (37.5 mm to either side) frees beam head with its middle at 357.5; breaks it at 282.5.
    def edge_of_1(at: float, error: float) -> list[tuple[bool, bool]]:
        belief = belief_of("head: L 1 | s2: 4 5", L=("head", 100.0, 1.0), _1=("head", at, error))
        return [(e.active, e.sure) for e in ahead(belief, ("L", "1")).edges if (e.vehicle, e.beam) == ("1", "head")]

    assert edge_of_1(278.0, 3.0) == [(True, True), (False, True)]
    assert edge_of_1(281.0, 3.0) == [(True, False), (False, True)]
    assert edge_of_1(285.0, 3.0) == [(True, False), (False, True)]
    assert edge_of_1(288.4, 3.0) == [(True, False), (False, True)]
    # More than 3 mm beyond, it has surely broken it.
    assert edge_of_1(288.6, 3.0) == [(False, True)]


def test_the_locomotives_own_edges_stay_even_behind_it() -> None:
    swept = ahead(belief_of("head: L | s2: 4 5", L=("head", 290.0, 2.0)))
    assert swept.edges[0].c_mm == 266.0 < swept.start_low_mm
    assert swept.edges[0].sure


# ------------------------------------------------------------ what is pushed, and what has touched


def test_pushed_and_touched() -> None:
    swept = ahead(belief_of(L=("head", 266.0, 5.0)))
    one = swept.body("1")
    meets_low, meets_high = one.rest_low_mm - 98.5, one.rest_high_mm - 98.5
    pair = frozenset(("L", "1"))
    assert swept.touched(meets_low - 0.1) == frozenset()
    assert pair in swept.touched(meets_low)
    assert swept.pushed(meets_high - 0.1, frozenset()) == frozenset()
    assert swept.pushed(meets_high, frozenset()) == {pair}


def test_coupled_neighbours_are_pushed_once_their_slack_is_taken_up() -> None:
    belief = belief_of("head: L 1 | s2: 4 5", L=("head", 100.0, 2.0), _1=("head", 199.5, 6.0))
    swept = ahead(belief, ("L", "1"))
    pair = frozenset(("L", "1"))
    # The slack of L and 1 is 58.5 + 42 - 57.5 - 41 = 2 mm, counted from where L stands at the furthest.
    assert swept.pushed(103.9, frozenset({pair})) == frozenset()
    assert swept.pushed(104.0, frozenset({pair})) == {pair}
    # Others once the nearer has come as far as the farther can stand: 205.5 - 98.5.
    assert swept.pushed(107.0, frozenset()) == {pair}
    assert swept.pushed(106.9, frozenset()) == frozenset()
    # Vehicles behind the locomotive are drawn, never pushed.
    behind = belief_of("head: 1 L | s2: 4 5", L=("head", 200.0, 2.0), _1=("head", 100.0, 2.0))
    assert ahead(behind, ("1", "L")).pushed(300.0, frozenset({pair})) == frozenset()


# ------------------------------------------------------------ a belief that does not fit


def test_a_vehicle_that_is_not_on_the_line() -> None:
    with pytest.raises(RefusedError) as refusal:
        ahead(belief_of(), ("L", "4"))
    assert refusal.value.reasons == ("as the points lie, 4 does not stand in one line with the rest of the train",)
    assert "say what stands where" in str(refusal.value)


def test_a_vehicle_on_another_track_is_not_met() -> None:
    with pytest.raises(RefusedError, match="4 is not in the way of L, as the turnouts lie"):
        ahead(belief_of()).body("4")


def test_vehicles_in_another_order() -> None:
    belief = belief_of("head: L 1 | s2: 4 5", L=("head", 200.0, 1.0), _1=("head", 100.0, 1.0))
    with pytest.raises(RefusedError) as refusal:
        ahead(belief, ("L", "1"))
    assert refusal.value.reasons == ("the train should be L 1, and L stands there",)
