"""The interlocking: every reason for a refusal, and the points that never move under a vehicle."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metal import builtin
from plays import draw, planner_of, set_up

from pointsman.operate.belief import Belief, Spot
from pointsman.operate.interlocking import Surroundings, reasons_against, reasons_against_setup, touched_turnouts
from pointsman.operate.plan import Rehearsed
from pointsman.operate.steps import DriveStep, TurnoutStep, UncoupleStep, Zone
from pointsman.puzzle.position import Position
from pointsman.track.model import Leg, Place, Track
from pointsman.track.path import Stretch, stretch_mm
from railsim.foul import measured, zones_of
from railsim.train import Portion

SMALL = builtin("inglenook-small")
STILL = Surroundings()


def rehearsed(number: int = 2) -> list[Rehearsed]:
    start, plan = draw("inglenook-small", number)
    return planner_of("inglenook-small").rehearse(set_up(SMALL, start), plan)


def first(kind: type) -> Rehearsed:
    return next(r for r in rehearsed() if isinstance(r.step, kind) and (kind is not DriveStep or r.run > 0))


def with_spot(belief: Belief, vehicle: str, place: Place, error_mm: float = 1.0) -> Belief:
    return replace(belief, spots={**belief.spots, vehicle: Spot(place, error_mm)})


@pytest.mark.parametrize("number", range(2, 6))
def test_nothing_is_said_against_the_steps_of_a_rehearsed_plan(number: int) -> None:
    for r in rehearsed(number):
        assert reasons_against(SMALL, r.before, r.step, STILL) == []


@pytest.mark.parametrize("kind", [TurnoutStep, UncoupleStep, DriveStep])
def test_nothing_goes_after_a_halt(kind: type) -> None:
    r = first(kind)
    around = Surroundings(halted="a person said stop")
    assert reasons_against(SMALL, r.before, r.step, around) == ["everything was stopped: a person said stop"]


# ------------------------------------------------------------ turnouts


def test_turnouts_move_one_after_the_other() -> None:
    r = first(TurnoutStep)
    reasons = reasons_against(SMALL, r.before, r.step, Surroundings(turning=("T2",)))
    assert reasons == ["T2 is still moving, and turnouts move one after the other"]


def test_no_turnout_while_something_unknown_breaks_a_beam_at_it() -> None:
    r = first(TurnoutStep)
    belief = r.before.with_beam("s1", True)
    at_t1 = TurnoutStep("T1", Leg.THROWN, 1.3, 6.3)
    assert "beam s1 at T1 is broken by something that should not be there" in reasons_against(
        SMALL, belief, at_t1, STILL
    )
    at_t2 = TurnoutStep("T2", Leg.THROWN, 1.3, 6.3)
    assert not any("s1" in reason for reason in reasons_against(SMALL, belief, at_t2, STILL))
    assert any("s2" in r for r in reasons_against(SMALL, r.before.with_beam("s2", True), at_t2, STILL))


# ------------------------------------------------------------ driving, and who may


def test_nothing_but_the_proving_move_before_the_locomotive_is_proved() -> None:
    r = first(DriveStep)
    reasons = reasons_against(SMALL, replace(r.before, proved=False), r.step, STILL)
    assert reasons == ["nobody has proved yet where L is and which way it faces"]


def test_no_faster_than_the_cap_of_unguarded_hardware() -> None:
    r = first(DriveStep)
    assert reasons_against(SMALL, r.before, r.step, Surroundings(cap_mm_s=60.0)) == ["faster than 60 mm/s"]


def test_no_uncoupling_while_points_move() -> None:
    r = first(UncoupleStep)
    assert reasons_against(SMALL, r.before, r.step, Surroundings(turning=("T1",))) == ["T1 is still moving"]


# ------------------------------------------------------------ turnouts, and what stands on them


def test_no_turnout_while_a_locomotive_moves() -> None:
    r = first(TurnoutStep)
    assert reasons_against(SMALL, r.before, r.step, Surroundings(moving=("L",))) == ["L is moving"]


def test_no_turnout_under_a_vehicle() -> None:
    belief = with_spot(set_up(SMALL, draw("inglenook-small", 2)[0]), "3", Place("T1", Leg.CLOSED, 90.0))
    step = TurnoutStep("T1", Leg.THROWN, 1.0, 6.0)
    assert reasons_against(SMALL, belief, step, STILL) == ["3 stands on T1, or may"]


def test_no_turnout_that_the_model_says_is_occupied() -> None:
    start = draw("inglenook-small", 2)[0]
    position = Position.of(SMALL, {"s1": ("1", "2", "3"), "s2": ("4", "5")}, {"T1": ("L", Leg.CLOSED)})
    belief = replace(set_up(SMALL, start), position=position)
    step = TurnoutStep("T1", Leg.THROWN, 1.0, 6.0)
    assert reasons_against(SMALL, belief, step, STILL) == ["the train stands across T1: L is on it"]


def test_a_vehicle_that_may_reach_over_the_joint_holds_the_turnout() -> None:
    belief = set_up(SMALL, draw("inglenook-small", 2)[0])
    step = TurnoutStep("T1", Leg.THROWN, 1.0, 6.0)
    half = SMALL.vehicle("1").buffers_mm / 2
    assert reasons_against(SMALL, with_spot(belief, "1", Place("s1", None, half + 2.1), 2.0), step, STILL) == []
    assert reasons_against(SMALL, with_spot(belief, "1", Place("s1", None, half + 1.9), 2.0), step, STILL) == [
        "1 stands on T1, or may"
    ]
    head = SMALL.segments["head"].length_mm
    assert reasons_against(SMALL, with_spot(belief, "1", Place("head", None, head - half - 1.9), 2.0), step, STILL) == [
        "1 stands on T1, or may"
    ]


def test_a_vehicle_on_the_next_turnout_may_stand_foul_of_this_one() -> None:
    # T1's fouling point lies 282 - 185 = 97 mm into T2.
    belief = set_up(SMALL, draw("inglenook-small", 2)[0])
    half = SMALL.vehicle("4").buffers_mm / 2
    for leg in Leg:
        near = with_spot(belief, "4", Place("T2", leg, 97.0 + half - 1.5))
        beyond = with_spot(belief, "4", Place("T2", leg, 97.0 + half + 1.5))
        assert touched_turnouts(SMALL, near, "4") == {"T1", "T2"}
        assert touched_turnouts(SMALL, beyond, "4") == {"T2"}
    # What overhangs from T2's toe stands on T1, and what overhangs from T1's leg on T2.
    assert touched_turnouts(SMALL, with_spot(belief, "4", Place("T1", Leg.THROWN, 180.0)), "4") == {"T1", "T2"}
    assert touched_turnouts(SMALL, with_spot(belief, "4", Place("T2", Leg.CLOSED, 282.0 + half + 2.0)), "4") == set()


def elements(track: Track) -> list[Stretch]:
    return [*(Stretch(s, None, True) for s in track.segments)] + [
        Stretch(t, leg, True) for t in track.turnouts for leg in Leg
    ]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_points_never_move_with_a_vehicle_on_or_foul_of_them(data: st.DataObject) -> None:
    layout = data.draw(st.sampled_from(["inglenook", "inglenook-small"]))
    track = builtin(layout)
    belief = set_up(track, draw(layout, 2)[0])
    zones = zones_of(track)
    on = data.draw(st.sampled_from(elements(track)))
    error = data.draw(st.floats(0.0, 10.0))
    at = data.draw(st.floats(-60.0, stretch_mm(track, on) + 60.0))
    really = at + data.draw(st.floats(-1.0, 1.0)) * error
    half = track.vehicle("2").buffers_mm / 2
    belief = with_spot(belief, "2", Place(on.element, on.leg, at), error)
    # The world measures each element by itself: ask it for the part on this one.
    low, high = max(really - half, 0.0), min(really + half, stretch_mm(track, on))
    foul = measured(zones, [Portion(on.element, on.leg, low, high, "2")] if low < high else [])
    for zone in foul:
        step = TurnoutStep(zone.turnout, Leg.THROWN, 1.0, 6.0)
        assert f"2 stands on {zone.turnout}, or may" in reasons_against(track, belief, step, STILL)
    for turnout in touched_turnouts(track, belief, "2", sure=True):
        assert turnout in touched_turnouts(track, belief, "2")


# ------------------------------------------------------------ magnets


def test_no_magnet_while_something_moves_or_another_is_on() -> None:
    r = first(UncoupleStep)
    other = next(name for name in SMALL.uncouplers if name != r.step.uncoupler)
    around = Surroundings(moving=("L",), energised=(other, r.step.uncoupler))
    assert reasons_against(SMALL, r.before, r.step, around) == ["L is moving", f"magnet {other} is still on"]


def test_no_magnet_where_the_coupling_does_not_stand() -> None:
    r = first(UncoupleStep)
    step, belief = r.step, r.before
    left = belief.spots[step.left].place
    moved = with_spot(belief, step.left, replace(left, at_mm=left.at_mm + 25.0))
    (reason,) = reasons_against(SMALL, moved, step, STILL)
    assert reason.startswith(f"the end of {step.left} is ")
    assert reason.endswith(f"mm from magnet {step.uncoupler}")


def test_no_magnet_with_a_vehicle_elsewhere() -> None:
    r = first(UncoupleStep)
    step, belief = r.step, r.before
    assert step.uncoupler == "s1"
    away = with_spot(belief, step.kept, Place("s2", None, 60.0))
    assert reasons_against(SMALL, away, step, STILL) == [f"{step.kept} does not stand on the line of magnet s1"]
    across = with_spot(belief, step.kept, Place("T1", Leg.CLOSED, 100.0))
    (reason,) = reasons_against(SMALL, across, step, STILL)
    assert reason.startswith(f"the end of {step.kept} is ")


# ------------------------------------------------------------ drives


def drive_step() -> tuple[Belief, DriveStep]:
    """The first run: L over T1 closed to couple up in s1."""
    r = first(DriveStep)
    assert isinstance(r.step, DriveStep)
    return r.before, r.step


def test_no_drive_without_power_or_beside_another_or_over_a_magnet() -> None:
    belief, step = drive_step()
    around = Surroundings(moving=("L", "M"), energised=("s1",), power_on=False)
    assert reasons_against(SMALL, belief, step, around) == [
        "the track power is off",
        "M is moving",
        "magnet s1 is on",
    ]


def test_no_drive_over_points_that_move_or_lie_wrong_or_are_unknown() -> None:
    belief, step = drive_step()
    assert reasons_against(SMALL, belief, step, Surroundings(turning=("T1",))) == ["T1 is still moving"]
    wrong = belief.with_turnout("T1", Leg.THROWN)
    assert reasons_against(SMALL, wrong, step, STILL) == ["T1 lies for its thrown leg, the train needs closed"]
    unknown = replace(belief, commanded={})
    assert reasons_against(SMALL, unknown, step, STILL) == ["nobody knows how T1 lies"]


def test_points_beside_the_way_do_not_matter() -> None:
    belief, step = drive_step()
    unknown = replace(belief, commanded={"T1": Leg.CLOSED})
    assert reasons_against(SMALL, unknown, step, Surroundings(turning=("T2",))) == []


def test_points_beyond_the_stop_do_not_matter() -> None:
    # The proving move ends at the head beam, before T1.
    r = next(r for r in rehearsed() if isinstance(r.step, DriveStep) and r.step.proves)
    stop = replace(r.step.stop, long_mm=0.0, target_mm=r.step.sweep.start_high_mm)
    assert reasons_against(SMALL, replace(r.before, commanded={}), replace(r.step, stop=stop), STILL) == []


def test_no_drive_past_a_vehicle_that_stands_foul() -> None:
    belief, step = drive_step()
    foul = with_spot(belief, "4", Place("T2", Leg.CLOSED, 60.0))
    assert reasons_against(SMALL, foul, step, STILL) == ["4 stands foul of T1"]


def test_no_drive_without_room_to_stop() -> None:
    belief, step = drive_step()
    short = replace(step, stop=replace(step.stop, limit_mm=step.stop.target_mm))
    assert reasons_against(SMALL, belief, short, STILL) == ["there is not room enough to stop"]


def test_no_drive_faster_than_the_limit() -> None:
    belief, step = drive_step()
    fast = replace(step, zones=(Zone(step.sweep.start_low_mm, 101.0), *step.zones))
    assert reasons_against(SMALL, belief, fast, STILL) == ["faster than 100 mm/s"]


# ------------------------------------------------------------ the set-up


def test_beams_that_agree_with_the_set_up() -> None:
    assert reasons_against_setup(SMALL, set_up(SMALL, draw("inglenook-small", 2)[0])) == []


def test_a_beam_that_is_broken_where_nothing_should_stand() -> None:
    belief = set_up(SMALL, draw("inglenook-small", 2)[0]).with_beam("s3", True)
    assert reasons_against_setup(SMALL, belief) == ["beam s3 is broken, though nothing should stand there"]


def test_a_beam_that_does_not_see_what_should_stand_in_it() -> None:
    belief = with_spot(set_up(SMALL, draw("inglenook-small", 2)[0]), "1", Place("s1", None, 20.0), 2.0)
    assert reasons_against_setup(SMALL, belief) == ["beam s1 does not see 1"]
    assert reasons_against_setup(SMALL, belief.with_beam("s1", True)) == []
    unsure = with_spot(belief, "1", Place("s1", None, 37.0), 2.0)
    assert reasons_against_setup(SMALL, unsure) == []
    assert reasons_against_setup(SMALL, unsure.with_beam("s1", True)) == []


def test_what_was_commanded_and_what_is_reported_are_kept_apart() -> None:
    belief = set_up(SMALL, draw("inglenook-small", 2)[0]).with_turnout("T1", Leg.THROWN).with_report("T1", Leg.CLOSED)
    assert belief.commanded["T1"] is Leg.THROWN
    assert belief.reported["T1"] is Leg.CLOSED


def test_no_drive_over_points_that_are_reported_to_lie_otherwise() -> None:
    r = first(DriveStep)
    over = {s.element: s.leg for s in r.step.sweep.path.stretches if s.leg is not None}
    turnout, leg = next((name, leg) for name, leg in over.items() if r.before.commanded[name] is leg)
    other = Leg.CLOSED if leg is Leg.THROWN else Leg.THROWN
    assert reasons_against(SMALL, r.before.with_report(turnout, leg), r.step, STILL) == []
    reasons = reasons_against(SMALL, r.before.with_report(turnout, other), r.step, STILL)
    assert reasons == [f"{turnout} was set for its {leg} leg, and is reported {other}"]
