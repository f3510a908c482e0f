"""Points in the world, and each incident that comes of them."""

import math

import pytest
from sim_tracks import CLOSED, THROWN, fork_track, from_, joined_turnouts_track, make_track, to_
from world_bench import along_s1, drive, kinds, powered, spot, until

from pointsman.track.model import Place, Side, TurnoutSide
from railsim.incidents import BeamChanged, Coupled, Kind, TurnoutSettled


def test_points_take_their_time_and_lead_the_other_way() -> None:
    world = powered(fork_track(), "head: L")
    world.throw("T1", THROWN, 0.99)
    assert world.truth().lie == {"T1": "moving"}
    assert world.advance(5.0) == [TurnoutSettled(0.99, "T1", THROWN)]
    world.throw("T1", THROWN, 0.99)
    assert world.next_event_s() is None, "it lies so already"
    drive(world, True, 30, 9.0)
    assert spot(world, "L")[0] == "s2"


def test_points_may_be_on_their_way_until_they_arrive() -> None:
    world = powered(fork_track(), "head: L")
    world.arrive("T1")
    assert world.next_event_s() is None, "they are not on their way"
    world.throw("T1", THROWN, math.inf)
    assert world.advance(60.0) == []
    assert world.truth().lie == {"T1": "moving"}
    world.throw("T1", CLOSED, math.inf)
    world.advance(61.0)
    world.arrive("T1")
    assert world.advance(62.0) == [TurnoutSettled(61.0, "T1", CLOSED)]


def test_entering_moving_points_derails() -> None:
    world = powered(fork_track(), "head: L")
    world.set_throttle("L", True, 10)
    world.advance(1.0)
    world.throw("T1", THROWN, 60.0)
    world.advance(30.0)
    assert kinds(world) == [Kind.DERAILMENT]
    where, middle = spot(world, "L")
    assert (where, middle + 54.0) == ("head", pytest.approx(500.0))
    assert world.truth().derailed == ("L",)
    assert world.standing
    drive(world, False, 30, 2.0)
    assert spot(world, "L") == (where, middle), "a derailed train stays"


def test_points_moving_under_a_vehicle_derail_it() -> None:
    world = powered(fork_track(), "head: L | s1: 1")
    until(world, Coupled, True, 10)
    assert spot(world, "L")[0] == "T1>closed"
    world.throw("T1", THROWN, 1.0)
    world.advance(world.now_s + 2.0)
    assert kinds(world) == [Kind.DERAILMENT]
    assert world.truth().derailed == ("1", "L")


def test_points_may_move_while_a_vehicle_stands_between_leg_and_fouling_point() -> None:
    world = powered(fork_track(), "head: L")
    until(world, BeamChanged, True, 2)  # head's beam broken
    until(world, BeamChanged, True, 2)  # and free: the whole of L is on the turnout
    while spot(world, "L")[0] == "T1>closed" and spot(world, "L")[1] < 185 + 54 + 1:
        drive(world, True, 2, 0.3)
    assert spot(world, "L")[0] == "T1>closed"
    world.throw("T1", THROWN, 1.0)
    world.advance(world.now_s + 2.0)
    assert kinds(world) == []
    drive(world, False, 2, 3.0)
    assert kinds(world) == [Kind.RUN_THROUGH]


def test_trailing_through_points_against_their_lie() -> None:
    world = powered(fork_track(marks={"L": Place("s1", None, 300.0)}), "s1: L", lie={"T1": THROWN})
    drive(world, False, 30, 12.0)
    assert kinds(world) == [Kind.RUN_THROUGH]
    assert spot(world, "L")[0] == "T1>closed"
    assert spot(world, "L")[1] - 54.0 == pytest.approx(185.0)


def test_a_vehicle_standing_foul_is_struck() -> None:
    track = fork_track(marks={"L": Place("head", None, 400.0), "M": Place("s2", None, 300.0)})
    world = powered(track, "head: L | s2: M", lie={"T1": THROWN})
    drive(world, False, 2, 9.0, "M")
    where, middle = spot(world, "M")
    assert where == "s2"
    assert middle < 57.0, "M stands foul of s1"
    world.throw("T1", CLOSED, 0.5)
    world.advance(world.now_s + 1.0)
    drive(world, True, 10, 20.0)
    assert kinds(world) == [Kind.SIDE_SWIPE]
    assert world.incidents[0].vehicles == ("L", "M")
    assert spot(world, "L")[1] + 57.5 == pytest.approx(282.0 + middle - 57.5)


def test_a_vehicle_just_clear_is_not_struck() -> None:
    world = powered(fork_track(), "head: L | s2: 1")
    drive(world, True, 30, 9.0)
    assert spot(world, "L")[0] == "s1"
    assert kinds(world) == []


def test_a_fouling_point_may_lie_on_the_next_turnout() -> None:
    """M stands on T2, less than 97 mm from its toe: it is foul of T1's closed leg."""
    marks = {"L": Place("head", None, 400.0), "M": Place("s2", None, 200.0)}
    world = powered(joined_turnouts_track(marks), "head: L | s2: M", lie={"T1": CLOSED, "T2": CLOSED})
    while spot(world, "M") > ("T2>closed", 130.0) or spot(world, "M")[0] == "s2":
        drive(world, False, 2, 1.0, "M")
    assert spot(world, "M")[0] == "T2>closed"
    low = spot(world, "M")[1] - 57.5
    assert 10 < low < 90
    drive(world, True, 10, 20.0)
    assert kinds(world) == [Kind.SIDE_SWIPE]
    assert world.incidents[0].where == "T1"
    assert spot(world, "L")[1] + 57.5 == pytest.approx(185.0 + low)


def test_a_fouling_point_may_lie_on_a_leg_of_the_next_turnout() -> None:
    """A crossover: T1's thrown leg meets T2's. M stands on T2, foul of the straight track through T1."""
    track = make_track(
        {"head": 500.0, "s1": 500.0, "e": 500.0, "s2": 400.0},
        {
            "T1": (to_("head"), from_("s1"), TurnoutSide("T2", Side.THROWN)),
            "T2": (from_("e"), from_("s2"), TurnoutSide("T1", Side.THROWN)),
        },
        marks={"L": Place("head", None, 400.0), "M": Place("e", None, 200.0)},
    )
    world = powered(track, "head: L | e: M", lie={"T1": CLOSED, "T2": THROWN})
    while spot(world, "M")[0] == "e" or spot(world, "M")[1] + 57.5 < 150.0:
        drive(world, False, 2, 0.5, "M")
    where, middle = spot(world, "M")
    assert where == "T2>thrown"
    assert middle + 57.5 < 183.0
    drive(world, True, 10, 20.0)
    assert kinds(world) == [Kind.SIDE_SWIPE]
    assert spot(world, "L")[1] + 57.5 == pytest.approx(185.0 + 185.0 - middle - 57.5)


def test_parted_and_drawn_away_in_the_same_moment() -> None:
    """In the middle of a train: the part that the locomotive is in goes, the other stays."""
    world = powered(fork_track(), "head: 7 L | s1: 1 2 3", seed=4)
    until(world, Coupled, True, 10)
    drive(world, False, 2, 3.0)
    while along_s1(world, "1") + along_s1(world, "2") > -4:
        drive(world, False, 2, 0.1)
    drive(world, True, 2, 0.2)
    world.set_magnet("s1", True)
    world.set_throttle("L", False, 5)
    world.advance(world.now_s + 3.0)
    assert world.truth().coupled == (("1", "L"), ("2", "3"), ("7", "L"))
    assert along_s1(world, "2") - along_s1(world, "1") > 100.0
