"""The world: drives, edges, couplings, magnets, and each kind of incident."""

import math

import pytest
from sim_tracks import (
    CLOSED,
    THROWN,
    fork_track,
    from_,
    joined_turnouts_track,
    line_track,
    loop_track,
    make_track,
    to_,
)

from pointsman.errors import NotationError, UsageError
from pointsman.track.model import End, Leg, Place, Side, Track, TurnoutSide
from pointsman.track.wiring import UncouplerKind, UncouplerWiring, Wiring
from railsim.hidden import Hidden
from railsim.incidents import BeamChanged, Coupled, Incident, Kind, Parted, Stopped, TurnoutSettled, WorldEvent
from railsim.setup import Setup
from railsim.world import World


def powered(track: Track, position: str, seed: int = 1, lie: dict[str, Leg] | None = None, **more: object) -> World:
    setup = Setup.parse(position)
    world = World(track, Setup(setup.segments, {}, lie or dict.fromkeys(track.turnouts, CLOSED)), Hidden(seed))
    world.set_power(True)
    return world


def drive(world: World, forward: bool, step: int, for_s: float, loco: str = "L") -> list[WorldEvent]:
    """Run for a time, then brake to a stand."""
    world.set_throttle(loco, forward, step)
    events = world.advance(world.now_s + for_s)
    world.set_throttle(loco, forward, 0)
    return events + world.advance(world.now_s + 3.0)


def until(world: World, kind: type[WorldEvent], forward: bool, step: int, loco: str = "L") -> list[WorldEvent]:
    """Run until something happens, then brake to a stand."""
    world.set_throttle(loco, forward, step)
    events: list[WorldEvent] = []
    while not any(isinstance(event, kind) for event in events):
        due = world.next_event_s()
        assert due is not None, f"{kind.__name__} never came: {events}"
        events += world.advance(due)
    world.set_throttle(loco, forward, 0)
    return events + world.advance(world.now_s + 3.0)


def kinds(world: World) -> list[Kind]:
    return [incident.kind for incident in world.incidents]


def spot(world: World, vehicle: str) -> tuple[str, float]:
    """Where a vehicle's middle is."""
    for where, vehicles in world.truth().on.items():
        for found in vehicles:
            if found.name == vehicle:
                return where, (found.from_mm + found.to_mm) / 2
    raise AssertionError(f"{vehicle} is lost")


# ---------------------------------------------------------------- moving


def test_accelerates_runs_and_brakes_as_it_really_does() -> None:
    world = powered(line_track(), "a: L")
    real = world.hidden.performance(world.track.locomotives["L"])
    speed = real.speed_mm_s(30, True)
    assert 0.05 <= abs(speed / 80.0 - 1) <= 0.10
    begin = spot(world, "L")[1]
    drive(world, True, 30, 5.0)
    up_s = speed / real.acceleration_mm_s2
    expected = speed * up_s / 2 + speed * (5.0 - up_s) + speed**2 / (2 * real.braking_mm_s2)
    assert spot(world, "L")[1] - begin == pytest.approx(expected, abs=1e-9)
    assert world.standing


def test_edges_of_a_beam_come_at_the_exact_times() -> None:
    world = powered(line_track(beams=(700.0,)), "a: L")
    real = world.hidden.performance(world.track.locomotives["L"])
    speed, rate = real.speed_mm_s(30, True), real.acceleration_mm_s2
    nose = spot(world, "L")[1] + 108.0 / 2
    events = world.advance(2.0)
    world.set_throttle("L", True, 30)
    events += world.advance(20.0)
    ramp = speed**2 / (2 * rate)
    expected = [2.0 + speed / rate + (700.0 + body - nose - ramp) / speed for body in (0.0, 108.0)]
    assert [(e.beam, e.broken) for e in events if isinstance(e, BeamChanged)] == [("b0", True), ("b0", False)]
    assert [e.t_s for e in events if isinstance(e, BeamChanged)] == pytest.approx(expected, abs=1e-9)


def test_a_change_of_direction_goes_through_a_stand() -> None:
    world = powered(line_track(), "a: L")
    world.set_throttle("L", True, 30)
    world.advance(3.0)
    world.set_throttle("L", False, 30)
    events = world.advance(4.0)
    assert [type(event) for event in events] == [Stopped]
    farthest = spot(world, "L")[1]
    world.advance(5.0)
    assert spot(world, "L")[1] < farthest
    assert world.speed_mm_s("L") > 0


def test_emergency_stop_and_power_off_stop_at_their_own_rates() -> None:
    for act, rate in (("emergency", 800.0), ("power", 250.0)):
        world = powered(line_track(), "a: L")
        world.set_throttle("L", True, 30)
        world.advance(3.0)
        speed, begin = world.speed_mm_s("L"), spot(world, "L")[1]
        if act == "power":
            world.set_power(False)
        else:
            world.set_throttle("L", True, 30, emergency=True)
        events = world.advance(6.0)
        assert [e.t_s for e in events if isinstance(e, Stopped)] == pytest.approx([3.0 + speed / rate])
        assert spot(world, "L")[1] - begin == pytest.approx(speed**2 / (2 * rate))


def test_power_back_takes_up_the_last_command() -> None:
    world = powered(line_track(), "a: L")
    world.set_throttle("L", True, 10)
    world.advance(2.0)
    world.set_power(False)
    world.advance(4.0)
    assert world.standing
    world.set_power(True)
    world.advance(5.0)
    assert not world.standing


def test_below_its_lowest_step_it_does_not_move() -> None:
    world = powered(line_track(), "a: L", seed=3)
    lowest = world.hidden.performance(world.track.locomotives["L"]).lowest_step
    if lowest > 1:
        assert drive(world, True, lowest - 1, 5.0) == []
    assert drive(world, True, lowest, 5.0) != []


def test_facing_turns_the_direction_round() -> None:
    track = line_track()
    world = World(track, Setup.parse("a: L", {"L": End.FROM}), Hidden(1))
    world.set_power(True)
    begin = spot(world, "L")[1]
    assert world.truth().on["a"][0].facing is End.FROM
    drive(world, True, 10, 2.0)
    assert spot(world, "L")[1] < begin


# ---------------------------------------------------------------- couplings


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


def along_s1(world: World, vehicle: str) -> float:
    """Where a vehicle's middle is, measured from the beginning of s1 (also on the turnout before it)."""
    where, at = spot(world, vehicle)
    return at if where == "s1" else at - 282.0


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


# ---------------------------------------------------------------- points


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


# ---------------------------------------------------------------- several locomotives


def test_two_moving_trains_meet_at_the_exact_place() -> None:
    world = powered(loop_track(), "w: L | e: M", lie={"TA": CLOSED, "TB": CLOSED})
    world.set_throttle("L", True, 10)
    world.set_throttle("M", False, 10)
    events: list[WorldEvent] = []
    while not world.incidents:
        due = world.next_event_s()
        assert due is not None
        events += world.advance(due)
    met = next(event for event in events if isinstance(event, Coupled))
    real = {name: world.hidden.performance(world.track.locomotives[name]) for name in "LM"}
    apart = 0.0
    for name, forward in (("L", True), ("M", False)):
        speed, rate = real[name].speed_mm_s(10, forward), real[name].acceleration_mm_s2
        apart += speed**2 / (2 * rate) + speed * (met.t_s - speed / rate)
    at = {
        name: World(world.track, Setup.parse("w: L | e: M"), Hidden(1)).truth().on[seg][0]
        for name, seg in (("L", "w"), ("M", "e"))
    }
    assert apart == pytest.approx(600 - at["L"].to_mm + 2 * 282 + 300 + at["M"].from_mm, abs=1e-4)
    assert Kind.ROUGH_COUPLING in kinds(world)
    assert world.incidents[-1].kind is Kind.COLLISION, "they run against each other and stall"
    world.advance(world.now_s + 1.0)
    assert world.standing


def ring(length_mm: float, mark_mm: float, slack_mm: float) -> Track:
    """A circle: a turnout whose toe and closed leg are joined by one segment."""
    return make_track(
        {"ring": length_mm, "spur": 300.0},
        {"T": (to_("ring"), from_("ring"), from_("spur"))},
        marks={"L": Place("ring", None, mark_mm)},
        slack_mm=slack_mm,
    )


def test_a_train_goes_round_and_round_behind_its_own_tail() -> None:
    world = powered(ring(700.0, 640.0, 2.0), "ring: 1 2 3 4 5 6 L")
    drive(world, True, 10, 120.0)
    assert kinds(world) == []
    assert len(world.truth().coupled) == 6


def test_a_train_may_meet_its_own_tail() -> None:
    """Closed up it leaves 339 mm free, drawn out it is 351 mm longer."""
    for seed in range(200):
        try:
            world = powered(ring(500.0, 490.0, 100.0), "ring: 1 2 3 4 L", seed)
        except UsageError:
            continue  # some coupling was drawn: it does not fit
        drive(world, True, 10, 30.0)
        assert kinds(world) == [Kind.COLLISION]
        assert world.incidents[0].vehicles == ("L", "1")
        assert world.standing
        return
    pytest.fail("no seed had every coupling closed")


# ---------------------------------------------------------------- coils, set-up, truth


def wiring(kind: UncouplerKind) -> Wiring:
    uncoupler = UncouplerWiring("main", 1, kind, 0.5, False, "hardware")
    return Wiring("test", {}, {}, {}, {"s1": uncoupler, "s2": uncoupler}, {})


def test_a_coil_left_on_burns() -> None:
    world = World(fork_track(), Setup.parse("head: L"), Hidden(1), wiring(UncouplerKind.COIL))
    world.set_magnet("s1", True)
    world.advance(1.9)
    world.set_magnet("s1", False)
    world.set_magnet("s2", True)
    world.advance(10.0)
    assert [(i.kind, i.where, i.t_s) for i in world.incidents] == [(Kind.COIL, "s2", pytest.approx(3.9))]


def test_a_permanent_magnet_parts_without_being_switched() -> None:
    setup = Setup({"head": ("L",), "s1": ("1", "2")}, {}, {"T1": CLOSED})
    world = World(fork_track(), setup, Hidden(1), wiring(UncouplerKind.PERMANENT))
    world.set_power(True)
    until(world, Coupled, True, 2)
    drive(world, True, 2, 0.5)
    world.advance(60.0)
    assert world.truth().coupled == (("1", "2"),), "stopped with closed buffers over the magnet"


@pytest.mark.parametrize("seed", range(8))
def test_set_up_is_pushed_up_to_the_beams_and_leaves_them_free(seed: int) -> None:
    world = World(fork_track(), Setup.parse("head: L | s1: 1 2 3 | s2: 4"), Hidden(seed))
    assert not any(world.beam_broken(beam) for beam in world.track.beams)
    truth = world.truth()
    for segment in ("s1", "s2"):
        assert 1.0 <= truth.on[segment][0].from_mm <= 4.0
    assert truth.on["head"][0].to_mm == pytest.approx(399.0, abs=1.0)
    assert truth.line == "head: L | s1: 1 2 3 | s2: 4"
    assert truth.as_json()["on"]["s2"][0]["name"] == "4"


def test_the_same_seed_gives_the_same_world() -> None:
    def play(seed: int) -> tuple[object, object]:
        world = powered(fork_track(), "head: L | s1: 1 2", seed)
        events = until(world, Coupled, True, 10)
        return events, world.truth()

    assert play(7) == play(7)
    assert play(7) != play(8)


@pytest.mark.parametrize(
    ("position", "says"),
    [
        ("head: L | s9: 1", "no segment 's9'"),
        ("head: L | s1: 77", "no vehicle '77'"),
        ("head: L | s1: 1 1", "two places"),
        ("head: L | s1: 1 2 3 4 5 6 7 8", "do not fit"),
        ("head: L | s1", "not of the form"),
        ("head: L | T1>closed: 1", "on turnout T1"),
        ("s1: 1 | s1: 2", "given twice"),
    ],
)
def test_a_wrong_set_up_says_what_is_wrong(position: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        World(fork_track(), Setup.parse(position))
    assert caught.value.cure
    assert issubclass(NotationError, UsageError)


def test_unknown_names_are_refused() -> None:
    world = powered(fork_track(), "head: L")
    with pytest.raises(UsageError, match="no turnout"):
        world.throw("T9", CLOSED, 1.0)
    with pytest.raises(UsageError, match="no turnout"):
        world.arrive("T9")
    with pytest.raises(UsageError, match="no magnet"):
        world.set_magnet("m9", True)
