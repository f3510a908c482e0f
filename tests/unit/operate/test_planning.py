"""From runs to steps: what the stop of a run needs, how a coupling is parted, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from metal import builtin, wiring_of
from plays import ALLOW, draw, plan_of, planner_of, set_up
from tracks import track_of

from pointsman.errors import RefusedError
from pointsman.operate.belief import Belief, Spot
from pointsman.operate.facing import gentle_zones
from pointsman.operate.hands import is_by_hand
from pointsman.operate.needs import boundary, need_of
from pointsman.operate.office import Office
from pointsman.operate.parting import over_magnet, to_part, uncouple_step
from pointsman.operate.plan import Planner, Rehearsed, foreseen, jobs
from pointsman.operate.steps import DriveStep, Job, Stage, TurnoutStep, UncoupleStep
from pointsman.puzzle.journey import towards_after
from pointsman.puzzle.moves import runs as moves
from pointsman.puzzle.position import parse_position
from pointsman.track.model import Leg, Place, Track
from pointsman.track.wiring import TurnoutKind, UncouplerKind, Wiring

SMALL = builtin("inglenook-small")
WIRED = wiring_of("inglenook-small")
FULL = "head: L | s1: 1 2 3 | s2: 4 5"
TAKE = "L to 1 over T1>closed"


def rehearsed(
    *texts: str, start: str = FULL, track: Track = SMALL, wiring: Wiring = WIRED, allow: object = ALLOW
) -> list[Rehearsed]:
    position, plan = plan_of(track, start, *texts)
    return Planner(track, wiring, allow).rehearse(set_up(track, position), plan)  # type: ignore[arg-type]


def drives(steps: list[Rehearsed], run: int) -> list[DriveStep]:
    return [r.step for r in steps if r.run == run and isinstance(r.step, DriveStep)]


def main_drive(steps: list[Rehearsed], run: int) -> DriveStep:
    return drives(steps, run)[-1]


def refusal(*texts: str, **others: object) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        rehearsed(*texts, **others)  # type: ignore[arg-type]
    return caught.value


# ------------------------------------------------------------ the shape of a plan


def test_runs_become_numbered_jobs_that_look_ahead() -> None:
    _, plan = plan_of(SMALL, FULL, TAKE, "L from 3 over T1>closed, leaving 3")
    first, second = jobs(plan)
    assert (first.number, first.run, first.following, first.stage) == (1, plan[0], plan[1], Stage.TURNOUTS)
    assert (second.number, second.following) == (2, None)


def test_every_turnout_is_set_once_before_anything_moves() -> None:
    steps = rehearsed("L to 1 over T1>thrown")
    first, second, proving = (r.step for r in steps[:3])
    assert [str(first), str(second)] == ["T1 to thrown", "T2 to closed"]
    assert isinstance(first, TurnoutStep)
    assert first.wait_s == WIRED.turnouts["T1"].move_time_s
    assert isinstance(proving, DriveStep)
    assert proving.proves
    assert [r.run for r in steps[:3]] == [0, 0, 0]


def test_without_runs_only_the_turnouts_are_set() -> None:
    steps = planner_of("inglenook-small").rehearse(set_up(SMALL, draw("inglenook-small", 2)[0]), [])
    assert [str(r.step) for r in steps] == ["T1 to closed", "T2 to closed"]


def test_the_proving_move_creeps_to_the_nearest_beam_and_30_mm_beyond_it_at_most() -> None:
    (proving,) = drives(rehearsed(TAKE), 0)
    # L stands at 172.5 to 202.5; it breaks beam head with its middle at 320 - 54.
    assert proving.stop.edge is not None
    assert (proving.stop.edge.beam, proving.stop.edge.c_mm) == ("head", 266.0)
    assert proving.stop.limit_mm == 296.0
    assert {zone.speed_mm_s for zone in proving.zones} == {20.0}
    assert proving.sweep.edges == (proving.stop.edge,)
    assert proving.forward


def test_a_locomotive_with_no_beam_either_way_cannot_be_proved() -> None:
    refused = refusal(TAKE, track=replace(SMALL, beams={}))
    assert refused.reasons == ("L on head has no beam ahead of it either way",)


def test_rehearsing_leaves_the_position_of_the_last_run() -> None:
    steps = rehearsed(TAKE, "L from 3 over T1>closed, leaving 3")
    belief = steps[-1].before
    for r in steps:
        assert r.before.proved is (r.run > 0)
    assert str(belief.position) == "head: | s1: 1 2 3 | s2: 4 5 | s3: | T1>closed: L"
    assert foreseen(belief, TurnoutStep("T2", Leg.THROWN, 1.0, 6.0)).commanded["T2"] is Leg.THROWN


# ------------------------------------------------------------ what a stop needs


def test_standing_vehicles_must_be_met_surely_and_kept_off_the_buffer() -> None:
    stop = main_drive(rehearsed(TAKE, "L from 3 over T1>closed, leaving 3"), 1).stop
    # 2 stands at 602 + 127.5 + 3.5 at the furthest, L 180.5 behind it; the row may come 3 mm near to the buffer.
    assert stop.low_mm == pytest.approx(602 + 131.0 - 180.5)
    assert stop.target_mm == pytest.approx(stop.low_mm + ALLOW.contact_mm)
    row_mm = 57.5 + 3 * 82.0
    assert stop.high_mm == pytest.approx(602 + 283 - 3 - row_mm)
    assert stop.limit_mm == pytest.approx(602 + 283 - 2 - row_mm)
    assert stop.why == "2 must be met"
    assert stop.speed_mm_s == 40.0


def test_where_there_is_little_room_the_contact_is_made_at_a_creep() -> None:
    shorter = replace(SMALL, segments={**SMALL.segments, "s1": replace(SMALL.segments["s1"], length_mm=267.0)})
    runs = TAKE, "L from 3 over T1>closed, leaving 3"
    stop = main_drive(rehearsed(*runs, track=shorter), 1).stop
    assert stop.speed_mm_s == 20.0
    assert stop.high_mm - stop.low_mm == pytest.approx(10.0)
    far_too_short = replace(SMALL, segments={**SMALL.segments, "s1": replace(SMALL.segments["s1"], length_mm=258.0)})
    refused = refusal(*runs, track=far_too_short)
    assert refused.reasons[0].startswith("the stop must lie within 1.0 mm, and it can miss by ")
    assert refused.reasons[0].endswith("(2 must be met)")
    assert refused.where == "run 1 (L to 1 over T1>closed)"


def test_points_that_the_next_run_moves_must_be_cleared() -> None:
    stop = main_drive(rehearsed(TAKE, "L from 3 over T1>closed, leaving 3", "L to 2 over T1>thrown T2>closed"), 2).stop
    # The line begins to count where L stands, on T1's leg: its toe is at 282. The tail 2 is 100.5 + 84 behind L.
    assert stop.low_mm == pytest.approx(282 + 3 + 100.5 + 84 + 42)
    assert stop.why == "2 must clear T1"


REVERSED_ON_T1 = (
    "L to 2 over T1>thrown T2>closed",
    "L from 3 over T2>closed T1>thrown",
    "L to 3 over T1>thrown T2>thrown",
)


def test_what_is_drawn_over_points_that_the_next_run_moves_must_be_seen_where_there_is_room() -> None:
    steps = rehearsed(*REVERSED_ON_T1, start="head: L | s1: 1 2 3 | s2: 4 5")
    drive = main_drive(steps, 2)
    last = drive.sweep.tail.vehicle
    assert drive.stop.why == f"{last} must clear T2; {last} must be seen at beam head"
    seen = next(e for e in drive.sweep.edges if (e.beam, e.vehicle, e.active) == ("head", last, True))
    assert drive.stop.low_mm == seen.c_mm


def test_where_the_room_is_too_short_for_the_last_the_one_before_it_must_be_seen() -> None:
    short = replace(SMALL, segments={**SMALL.segments, "head": replace(SMALL.segments["head"], length_mm=212.0)})
    beams = {**short.beams, "head": replace(short.beams["head"], place=Place("head", None, 212.0))}
    mark = Place("head", None, 138.0)
    engine = replace(short.locomotives["L"], mark=mark)
    short = replace(short, beams=beams, locomotives={"L": engine})
    drive = main_drive(rehearsed(*REVERSED_ON_T1, track=short), 2)
    _, before, _ = (body.vehicle for body in drive.sweep.bodies)
    assert drive.stop.why.endswith(f"{before} must be seen at beam head")


def test_the_beam_of_a_leg_that_points_may_wrongly_lie_for_is_approached_gently() -> None:
    drive = main_drive(rehearsed("L to 2 over T1>thrown T2>closed", "L from 3 over T2>closed T1>thrown"), 1)
    # s1 begins 282 beyond the toe, at 320; L reaches 54 before its middle, and a report takes 30 ms.
    (gentle,) = (zone for zone in drive.zones if zone.to_mm < inf)
    toe_mm = drive.sweep.path.span_mm("T1")
    assert toe_mm is not None
    assert (gentle.from_mm, gentle.speed_mm_s) == (toe_mm[0] + 282 - 54, 40.0)
    assert gentle.to_mm == pytest.approx(gentle.from_mm + 40 * 0.030 + ALLOW.match_mm)


def test_a_train_whose_head_stands_on_the_points_may_already_be_on_the_other_leg() -> None:
    track, belief = SMALL, replace(set_up(SMALL, parse_position(FULL, SMALL)), proved=True)
    belief = replace(belief, spots={**belief.spots, "L": Spot(Place("head", None, 310.0), 1.0)})
    belief = replace(belief, commanded={"T1": Leg.THROWN, "T2": Leg.CLOSED})
    office = Office(track, WIRED, ALLOW, 100.0)
    run = next(r for r in moves(track, belief.position, "L") if dict(r.legs) == belief.commanded)
    swept = office.sweep_of(belief, "L", run.towards, dict(run.legs), run)
    (gentle,) = gentle_zones(track, ALLOW, belief, swept, inf, track.locomotives["L"])
    assert gentle.from_mm == swept.path.span_mm("T1")[0] + 282 - 54  # type: ignore[index]


def test_where_nothing_stands_near_beyond_the_beam_there_is_no_need_to_be_gentle() -> None:
    drive = main_drive(rehearsed("L to 2 over T1>thrown T2>closed", start="head: L | s2: 4 5"), 1)
    assert all(zone.to_mm == inf for zone in drive.zones)


def test_points_that_a_run_goes_on_over_are_set_before_it() -> None:
    runs = "L to 1 over T1>thrown", "L to 1 over T1>thrown T2>thrown"
    steps = rehearsed(*runs)
    first = [r.step for r in steps if r.run == 1]
    assert [str(step) for step in first[:-1]] == ["T2 to thrown"]
    assert main_drive(steps, 1).stop.why == ""
    assert [r.step for r in steps if r.run == 2 and isinstance(r.step, TurnoutStep)] == []


def test_points_beyond_that_lie_against_the_train_must_not_be_reached() -> None:
    # L stands in s2, T1's leg to it lies wrong, and the next run needs nothing of T1: L may not come onto it.
    track, belief = SMALL, replace(set_up(SMALL, parse_position("s2: L | s1: 1 2 3 | s3: 4 5", SMALL)), proved=True)
    belief = replace(
        belief,
        spots={**belief.spots, "L": Spot(Place("s2", None, 70.0), 2.0)},
        commanded={"T1": Leg.CLOSED, "T2": Leg.CLOSED},
    )
    one = next(r for r in moves(track, belief.position, "L") if r.units == 1)
    back = next(r for r in moves(track, one.after, "L") if r.towards is not towards_after(track, one))
    swept = Office(track, WIRED, ALLOW, 100.0).sweep_of(belief, "L", one.towards, dict(one.legs), one)
    need = need_of(track, ALLOW, belief, swept, one, back)
    span = swept.path.span_mm("T1")
    assert span is not None
    assert need.high_mm == pytest.approx(span[0] - 3.0 - 58.5)
    assert need.why == ("L must stop short of T1",)


def test_the_last_run_stops_where_the_model_says() -> None:
    stop = main_drive(rehearsed(TAKE, "L from 3 over T1>closed, leaving 3"), 2).stop
    assert stop.why == "2 must stand clear in head"
    # T1 is left at 282 of a line that begins to count at its leg; 2 is 100.5 + 84 behind L, over its buffers 41.
    assert stop.low_mm == pytest.approx(282 + 0.5 + 100.5 + 84 + 41)
    # A front that stays on a turnout needs to stand nowhere, a rear on one has nothing to leave.
    lone = rehearsed("L to 1 over T1>thrown")
    assert main_drive(lone, 1).stop.why == "L must have left head"
    onward = rehearsed("L to 2 over T1>thrown T2>thrown", "L to 1 over T2>thrown")
    assert main_drive(onward, 2).stop.why == "L must stand clear in s3"


def test_a_run_that_goes_on_the_same_way_stops_as_soon_as_it_likes() -> None:
    steps = rehearsed("L to 2 over T1>thrown T2>thrown", "L to 1 over T2>thrown")
    assert main_drive(steps, 1).stop.why == ""


# ------------------------------------------------------------ parting


def test_way_1_pushed_in_and_parted_at_once() -> None:
    steps = rehearsed(
        TAKE,
        "L from 3 over T1>closed, leaving 3",
        "L to 4 over T1>thrown T2>thrown",
        "L from 2 over T2>thrown T1>thrown, leaving 2 1",
    )
    stop = main_drive(steps, 3).stop
    assert "the coupling between L and 1 must stop over magnet s3" in stop.why
    # Between the joint and 10 mm beyond the magnet at 1 mm: 11 mm.
    assert stop.high_mm - stop.low_mm == pytest.approx(11.0)
    parting, drive = (r.step for r in steps if r.run == 4)
    assert parting == UncoupleStep("s3", "L", "1", WIRED.uncouplers["s3"].hold_s, WIRED.uncouplers["s3"].hold_s + 5.0)
    assert isinstance(drive, DriveStep)
    assert [b.vehicle for b in drive.sweep.bodies] == ["L"]


def test_way_2_drawn_over_the_magnet_slackened_and_parted() -> None:
    steps = [r.step for r in rehearsed(TAKE, "L from 3 over T1>closed, leaving 3") if r.run == 2]
    assert [str(step) for step in steps] == [
        "draw until 3 | 2 is over magnet s1",
        "back to slacken 3 | 2",
        "uncouple 3 from 2 at s1",
        "drive 2 1 L to head",
    ]
    draw_it, slack, parting, _ = steps
    assert isinstance(draw_it, DriveStep)
    assert isinstance(slack, DriveStep)
    assert isinstance(parting, UncoupleStep)
    # 10 mm to either side of the magnet, less the slack of 2 mm and the 4 mm that a slack-back goes further.
    assert draw_it.stop.high_mm - draw_it.stop.low_mm == pytest.approx(14.0)
    assert draw_it.forward is False
    assert slack.forward is True
    middle = (slack.sweep.start_low_mm + slack.sweep.start_high_mm) / 2
    assert slack.stop.target_mm - middle <= ALLOW.slack_back_mm
    # It has to move by the slack of 2 mm at least, from wherever it stands.
    assert slack.stop.low_mm >= slack.sweep.start_high_mm + 2.0 - 1e-9


def test_a_slack_back_goes_at_least_as_far_as_the_slack() -> None:
    # With the magnet 30 mm inside, the joint and the near end of its reach bind no more.
    deep = {**SMALL.uncouplers, "s1": replace(SMALL.uncouplers["s1"], place=Place("s1", None, 30.0), reach_mm=45.0)}
    _, slack, _ = drives(
        rehearsed(*PART, track=replace(SMALL, uncouplers=deep), allow=replace(ALLOW, slack_back_mm=40.0)), 2
    )
    two = slack.sweep.body("2")
    moves_mm = slack.stop.low_mm + two.offset_mm - two.rest_high_mm
    assert 2.0 <= moves_mm <= 2.2


def test_what_is_left_was_parted_already() -> None:
    belief, job, office = before_parting()
    kept, left = boundary(SMALL, job.run)
    assert to_part(office, belief, job)
    assert not to_part(office, belief.with_parted(kept, left), job)
    assert not to_part(office, belief, Job(1, plan_of(SMALL, FULL, TAKE)[1][0], None))


def test_what_is_left_stands_apart_already() -> None:
    belief, job, office = before_parting()
    near = belief.spots["2"].place
    apart = replace(belief, spots={**belief.spots, "3": Spot(replace(near, at_mm=near.at_mm + 120.0), 1.0)})
    assert not to_part(office, apart, job)


def test_what_is_left_stands_nobody_knows_where() -> None:
    belief, job, office = before_parting()
    lost = replace(belief, spots={**belief.spots, "3": Spot(Place("s3", None, 60.0), 1.0)})
    assert to_part(office, lost, job)


def before_parting() -> tuple[Belief, Job, Office]:
    """Just before 3 is parted from 2, over magnet s1."""
    runs = TAKE, "L from 3 over T1>closed, leaving 3"
    before = next(r for r in rehearsed(*runs) if isinstance(r.step, UncoupleStep)).before
    job = jobs(plan_of(SMALL, FULL, *runs)[1])[1]
    return before, job, Office(SMALL, WIRED, ALLOW, 100.0)


def test_the_magnet_is_energised_only_under_a_coupling_that_is_pushed_together() -> None:
    belief, job, office = before_parting()
    magnet = over_magnet(office, belief, job)
    assert magnet is not None
    assert magnet.name == "s1"
    loose = replace(belief, pushed=frozenset())
    assert over_magnet(office, loose, job) is None
    with pytest.raises(RefusedError, match="the coupling between 2 and 3 does not stand slack over a magnet"):
        uncouple_step(office, loose, job)
    unsure = {name: replace(spot, error_mm=spot.error_mm + 12.0) for name, spot in belief.spots.items()}
    assert over_magnet(office, replace(belief, spots=unsure), job) is None


def test_a_permanent_magnet_only_takes_its_time() -> None:
    kinds = {n: replace(w, kind=UncouplerKind.PERMANENT, number=None) for n, w in WIRED.uncouplers.items()}
    steps = rehearsed(TAKE, "L from 3 over T1>closed, leaving 3", wiring=replace(WIRED, uncouplers=kinds))
    (parting,) = (r.step for r in steps if isinstance(r.step, UncoupleStep))
    assert not parting.energise


# ------------------------------------------------------------ refused before anything moves


PART = (TAKE, "L from 3 over T1>closed, leaving 3")


def test_no_magnet_to_draw_over() -> None:
    magnets = {name: m for name, m in SMALL.uncouplers.items() if name != "s1"}
    refused = refusal(*PART, track=replace(SMALL, uncouplers=magnets))
    assert refused.reasons == ("no magnet in s1 that the coupling behind 2 could be drawn over",)
    assert refused.where == "run 2 (L from 3 over T1>closed, leaving 3)"


def test_a_magnet_that_lies_behind_the_coupling_is_no_help() -> None:
    deep = replace(SMALL.uncouplers["s1"], place=Place("s1", None, 250.0))
    refused = refusal(*PART, track=replace(SMALL, uncouplers={**SMALL.uncouplers, "s1": deep}))
    assert refused.reasons == ("no magnet in s1 that the coupling behind 2 could be drawn over",)


def test_a_slack_back_longer_than_the_allowance() -> None:
    refused = refusal(*PART, allow=replace(ALLOW, slack_back_mm=5.0))
    assert refused.reasons[0].startswith("a slack-back of ")
    assert refused.reasons[0].endswith(" mm, more than 5")


def test_a_magnet_too_deep_to_push_the_coupling_over_it() -> None:
    # With the two wagons against the buffer the coupling is 25 mm inside: a magnet at 60 mm is out of reach.
    deep = {**SMALL.uncouplers, "s3": replace(SMALL.uncouplers["s3"], place=Place("s3", None, 60.0))}
    refused = refusal(
        *PART,
        "L to 4 over T1>thrown T2>thrown",
        "L from 2 over T2>thrown T1>thrown, leaving 2 1",
        track=replace(SMALL, uncouplers=deep),
    )
    assert refused.where.startswith("run 4 ")
    assert refused.reasons == ("no magnet in s3 that the coupling behind L could be drawn over",)


def test_what_a_hand_has_to_do_is_a_step_of_its_own_without_a_deadline() -> None:
    by_hand = {**WIRED.turnouts, "T2": replace(WIRED.turnouts["T2"], kind=TurnoutKind.HAND)}
    magnets = {**WIRED.uncouplers, "s1": replace(WIRED.uncouplers["s1"], kind=UncouplerKind.HAND)}
    position, plan = plan_of(SMALL, FULL, *PART)
    planner = Planner(SMALL, replace(WIRED, turnouts=by_hand, uncouplers=magnets), ALLOW)
    steps = [done.step for done in planner.rehearse(set_up(SMALL, position), plan) if is_by_hand(done.step)]
    assert [str(step) for step in steps[:2]] == ["T2 to closed by hand", "uncouple 3 from 2 by hand at s1"]
    assert all(not isinstance(step, DriveStep) and step.deadline_s == inf for step in steps)
    plain = [done.step for done in Planner(SMALL, WIRED, ALLOW).rehearse(set_up(SMALL, position), plan)]
    assert not any(is_by_hand(step) for step in plain)


def test_a_wagon_that_was_parted_and_not_met_again_cannot_be_drawn() -> None:
    refused = refusal(TAKE, "L from 1 over T1>closed, leaving 3", "L from 2 over T1>closed")
    assert refused.reasons == ("3 was parted from 2, and they have not been apart and met again since",)
    assert refused.where == "run 3 (L from 2 over T1>closed)"


def test_a_wagon_that_a_person_has_left_apart_cannot_be_drawn_and_left_elsewhere() -> None:
    """Driven by hand, what the model has in one train may stand apart in its segment."""
    track = replace(SMALL, segments={**SMALL.segments, "s1": replace(SMALL.segments["s1"], length_mm=500.0)})
    position, plan = plan_of(track, "s1: L 1 2 | s2: 4 5", "L from 2 over T1>closed, leaving 2")
    at = {"L": 70.0, "1": 260.0, "2": 343.0}
    belief = set_up(track, position).with_turnout("T1", Leg.CLOSED)
    belief = replace(belief, spots={**belief.spots, **{v: Spot(Place("s1", None, mm), 2.0) for v, mm in at.items()}})
    with pytest.raises(RefusedError) as caught:
        Planner(track, WIRED, ALLOW).next_step(belief, jobs(plan)[0])
    assert caught.value.reasons == ("1 should be drawn along, and stands apart",)
    assert caught.value.cure == "push L and 1 together first"


def test_a_run_that_leaves_what_the_next_one_takes_again() -> None:
    # What is left is no part of the run's own way: nothing of it is asked there.
    steps = rehearsed(
        "L to 2 over T1>thrown T2>thrown",
        "L from 2 over T2>thrown T1>thrown",
        TAKE,
        "L from 2 over T1>closed, leaving 3",
        "L to 2 over T1>closed",
        "L from 1 over T1>closed, leaving 3 2",
    )
    assert steps[-1].run == 6


def test_a_parted_wagon_ahead_is_met_at_coupling_speed() -> None:
    runs: tuple[str, ...] = (
        TAKE,
        "L from 1 over T1>closed, leaving 3",
        "L from 1 over T1>closed, leaving 3",
        "L to 1 over T1>closed",
    )
    step = main_drive(rehearsed(*runs), 4)
    three = step.sweep.body("3")
    assert three.in_train
    meets = three.rest_low_mm - three.offset_mm
    ruling = [zone.speed_mm_s for zone in step.zones if zone.from_mm <= meets]
    assert min(ruling) <= SMALL.speeds.coupling


def test_at_the_end_of_a_train_what_is_coupled_is_not_met_again() -> None:
    track = replace(SMALL, segments={**SMALL.segments, "s1": replace(SMALL.segments["s1"], length_mm=400.0)})
    runs = "L to 2 over T1>closed", "L from 4 over T1>closed", "L to 4 over T1>closed"
    position, plan = plan_of(track, "head: L | s1: 1 2", *runs)
    planner = Planner(track, WIRED, ALLOW, couple_up=True)
    last = main_drive(planner.rehearse(set_up(track, position), plan), 3)
    assert (str(last), last.stop.why) == ("drive L 1 2 to s1", "L must stand clear in s1")
    met = main_drive(planner.rehearse(set_up(track, position), plan[:1]), 1)
    assert (str(met), met.stop.speed_mm_s) == ("drive L to couple up in s1", 40.0)


def test_the_cap_for_hardware_without_a_relay() -> None:
    position, plan = plan_of(SMALL, FULL, TAKE)
    for cap, fastest in ((60.0, 60.0), (None, SMALL.speeds.shunting), (500.0, SMALL.speeds.shunting)):
        steps = Planner(SMALL, WIRED, ALLOW, cap).rehearse(set_up(SMALL, position), plan)
        assert max(zone.speed_mm_s for zone in main_drive(steps, 1).zones) == fastest


RING = track_of(
    "ring",
    {"A": 3, "B": 3, "C": 2},
    {"T1": ("A.to", "B.from", "C.from"), "T2": ("A.from", "B.to", "C.to")},
    3,
)


def test_a_run_that_passes_a_turnout_twice_is_refused() -> None:
    start = parse_position("A: L 1 | B: 2 | C: 3", RING)
    belief = set_up(RING, start)
    planner = Planner(RING, WIRED, ALLOW)
    runs = [run for run in moves(RING, start, "L") if len({turnout for turnout, _ in run.legs}) < len(run.legs)]
    assert runs
    for job in jobs(runs):
        with pytest.raises(RefusedError, match=r"it passes .*T[12] more than once") as caught:
            planner.next_step(belief, job)
        assert caught.value.run == job.number


def test_a_run_that_comes_round_to_where_it_began_is_refused() -> None:
    start = parse_position("A: L 1 | B: 2 | C: 3", RING)
    round_it = next(
        run
        for run in moves(RING, start, "L")
        if str(run.after) == "A: 3 | B: 2 | C: 1 | T1>thrown: L" and len(run.legs) == 2
    )
    belief = set_up(RING, start).with_turnout("T1", Leg.THROWN).with_turnout("T2", Leg.THROWN)
    with pytest.raises(RefusedError, match="3 is not on the line along which L can be measured: it closes to a ring"):
        Planner(RING, WIRED, ALLOW).next_step(belief, jobs([round_it])[0])
