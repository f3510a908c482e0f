"""Couplings and magnets in the world, and each incident that comes of them."""

import pytest
from sim_tracks import fork_track, line_track
from world_bench import along_s1, drive, kinds, powered, spot, until

from railsim.hidden import Hidden
from railsim.incidents import Coupled, Incident, Kind, Parted
from railsim.setup import Setup
from railsim.world import World


def test_meets_couples_and_draws_with_slack() -> None:
    world = powered(line_track(mark_mm=1000.0), "a: 1 2 L", seed=5)
    pairs = [{"1", "2"}, {"2", "L"}]
    assert [set(pair) for pair in world.truth().coupled] == pairs
    until(world, Incident, False, 10)  # pushes all of it against the buffers: every coupling is closed
    assert kinds(world) == [Kind.BUFFER]
    assert [spot(world, v)[1] for v in "12L"] == pytest.approx([41.0, 123.0, 123.0 + 98.5])
    drive(world, True, 10, 3.0)
    one, two, loco = (spot(world, v)[1] for v in "12L")
    assert two - one == pytest.approx(84.0)
    assert loco - two == pytest.approx(100.5)


def test_standing_wagons_are_coupled_on_touch() -> None:
    track = fork_track()
    world = powered(track, "head: L | s1: 1 2")
    events = until(world, Coupled, True, 10)
    coupled = [event for event in events if isinstance(event, Coupled)]
    assert [event.vehicles for event in coupled] == [("L", "1")]
    assert kinds(world) == []
    assert world.truth().coupled == (("1", "2"), ("1", "L"))
    assert world.truth().coupled_up(["L", "1", "2"])
    assert world.truth().coupled_up(["L"])
    assert not world.truth().coupled_up(["L", "2", "1"])
    assert "s1: 1 2" in world.truth().line


def test_rough_coupling_is_recorded_and_still_couples() -> None:
    world = powered(fork_track(), "head: L | s1: 1")
    until(world, Coupled, True, 30)
    assert kinds(world) == [Kind.ROUGH_COUPLING]
    assert world.incidents[0].vehicles == ("L", "1")
    assert world.truth().coupled == (("1", "L"),)


def test_too_fast_is_a_collision() -> None:
    world = powered(fork_track(), "head: L | s1: 1", seed=2)
    until(world, Coupled, True, 60)
    assert kinds(world)[0] is Kind.COLLISION


def test_a_pull_and_a_drop_over_a_magnet() -> None:
    world = powered(fork_track(), "head: L | s1: 1 2 3", seed=4)
    until(world, Coupled, True, 10)
    # draw out until the coupling 1-2 is past the magnet (1 stands on the turnout), then push back a little: slack
    drive(world, False, 2, 3.0)
    while along_s1(world, "1") + along_s1(world, "2") > -4:
        drive(world, False, 2, 0.1)
    assert spot(world, "1")[0] == "T1>closed"
    world.set_magnet("s1", True)
    assert world.truth().coupled == (("1", "2"), ("1", "L"), ("2", "3")), "drawn couplings do not part"
    drive(world, True, 2, 0.2)
    assert ("1", "2") not in world.truth().coupled
    two = spot(world, "2")
    events = drive(world, False, 10, 8.0)
    world.set_magnet("s1", False)
    assert not any(isinstance(event, Coupled) for event in events)
    assert spot(world, "2") == two, "what was dropped stays where it was left"
    assert world.truth().line == "head: L 1 | s1: 2 3 | s2:"
    assert kinds(world) == []


def test_a_magnet_parts_only_standing_slack_couplings_within_reach() -> None:
    track = line_track(mark_mm=1000.0, magnets=(123.0 + 49.25, 500.0))
    world = powered(track, "a: 1 2 L")
    until(world, Incident, False, 10)  # closed up at the buffers; the coupling 2-L at 164 mm
    world.set_magnet("m1", True)
    assert len(world.truth().coupled) == 2
    world.set_magnet("m0", True)
    events = world.advance(world.now_s + 0.1)
    assert [event.vehicles for event in events if isinstance(event, Parted)] == [("L", "2")]
    assert world.truth().coupled == (("1", "2"),)


def test_parted_vehicles_can_be_pushed_apart_from_the_train_and_met_again() -> None:
    track = line_track(mark_mm=400.0, magnets=(407.0,))
    world = World(track, Setup({"a": ("L", "1")}, {}), Hidden(2))
    world.set_power(True)
    until(world, Incident, False, 10)
    drive(world, True, 10, 2.0)
    drive(world, False, 2, 0.2)  # L is at the low end: going back draws
    while (spot(world, "L")[1] + spot(world, "1")[1] + 16.5) / 2 < 400:
        drive(world, True, 2, 0.3)
    world.set_magnet("m0", True)
    assert world.truth().coupled == ()
    world.set_magnet("m0", False)
    gap = spot(world, "1")[1] - spot(world, "L")[1] - 98.5
    assert gap == pytest.approx(0.0, abs=1e-9)
    events = drive(world, True, 10, 3.0)  # pushed, and not coupled
    assert not any(isinstance(event, Coupled) for event in events)
    one = spot(world, "1")
    drive(world, False, 10, 2.0)
    assert spot(world, "1") == one
    events = until(world, Coupled, True, 10)
    assert world.truth().coupled == (("1", "L"),)


def test_nothing_is_pushed_through_buffers() -> None:
    world = powered(fork_track(), "head: L | s1: 1 2")
    until(world, Incident, True, 2)
    assert kinds(world) == [Kind.BUFFER]
    assert spot(world, "2")[1] == pytest.approx(459.0)
    before = spot(world, "L")
    world.set_throttle("L", True, 2)
    world.advance(world.now_s + 5)
    assert spot(world, "L") == before
    assert kinds(world) == [Kind.BUFFER], "standing against the buffers is no new hit"


def test_a_hard_hit_on_buffers_is_a_collision() -> None:
    world = powered(line_track(), "a: L")
    until(world, Incident, False, 30)
    assert kinds(world) == [Kind.COLLISION]
