"""The world: drives, edges, several locomotives, coils, set-up and truth."""

import pytest
from sim_tracks import CLOSED, fork_track, from_, line_track, loop_track, make_track, to_
from world_bench import drive, kinds, powered, spot, until

from pointsman.errors import NotationError, UsageError
from pointsman.track.model import End, Place, Track
from pointsman.track.wiring import UncouplerKind, UncouplerWiring, Wiring
from railsim.hidden import Hidden
from railsim.incidents import BeamChanged, Coupled, Kind, Stopped, WorldEvent
from railsim.setup import Setup
from railsim.world import World

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
