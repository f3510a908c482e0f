"""Planner, tracker and interlocking against the simulated world: whole plays, and what becomes of spoilt ones.

The world says what really happened. A play that is not spoilt has no incident and ends where the plan says; a spoilt
one ends in doubt, for the right reason, and with no incident that the spoiling did not force.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from metal import Careless, DoubtError, Metal, OffTable, builtin, wiring_of
from plays import draw, plan_of

from pointsman.errors import RefusedError
from pointsman.operate.causes import likely_cause
from pointsman.operate.parting import MOST_TRIES
from pointsman.operate.steps import DriveStep, Step, TurnoutStep, UncoupleStep
from pointsman.operate.tracker import Drive
from pointsman.puzzle.moves import Run, runs
from pointsman.track.model import End, Leg, Place
from railsim.incidents import Kind

SMALL = "inglenook-small"


def metal(number: int, name: str = SMALL, **spoilt: Any) -> Metal:
    start, _ = draw(name, number)
    return Metal(builtin(name), wiring_of(name), start, seed=number, **spoilt)


def doubt_of(number: int, name: str = SMALL, **spoilt: Any) -> tuple[str, Metal]:
    """The reason for which a spoilt play was stopped."""
    _, plan = draw(name, number)
    spoiled = metal(number, name, **spoilt)
    with pytest.raises(DoubtError) as caught:
        spoiled.play(plan)
    assert spoiled.world.standing, "after a doubt everything must come to a stand"
    return str(caught.value), spoiled


def kinds(play: Metal) -> set[Kind]:
    return {incident.kind for incident in play.world.incidents}


# ------------------------------------------------------------ whole plays


def place_of(play: Metal, locomotive: str) -> Place:
    """Where the middle of a locomotive really is."""
    for where, vehicles in play.world.truth().on.items():
        for vehicle in vehicles:
            if vehicle.name == locomotive:
                element, _, leg = where.partition(">")
                return Place(element, Leg(leg) if leg else None, (vehicle.from_mm + vehicle.to_mm) / 2)
    raise AssertionError(f"{locomotive} is nowhere")


def in_its_envelope(play: Metal, drive: Drive) -> None:
    """The safety property itself: the real locomotive is never outside of what the tracker holds possible."""
    real = drive.step.sweep.path.coordinate(place_of(play, drive.step.locomotive))
    envelope = drive.envelope.at(play.now_s)
    assert real is not None
    assert envelope.slow.x_mm - 0.05 <= real <= envelope.fast.x_mm + 0.05
    assert envelope.slow.x_mm <= envelope.likely.x_mm <= envelope.fast.x_mm


def belief_is_true(play: Metal) -> None:
    """Every vehicle really stands where it is believed to, within the error that the belief admits."""
    real = {}
    for where, vehicles in play.world.truth().on.items():
        for vehicle in vehicles:
            real[vehicle.name] = where.partition(">")[0], (vehicle.from_mm + vehicle.to_mm) / 2
    for name, spot in play.belief.spots.items():
        element, middle = real[name]
        if element == spot.place.element:
            assert abs(middle - spot.place.at_mm) <= spot.error_mm + 0.05, name


@pytest.mark.parametrize("number", range(2, 9))
def test_small_plays_as_the_seed_has_the_layout(number: int) -> None:
    _, plan = draw(SMALL, number)
    play = metal(number, watch=in_its_envelope)
    play.play(plan)
    belief_is_true(play)
    assert play.world.incidents == []
    assert play.world.truth().line == str(plan[-1].after) == str(play.belief.position)


@pytest.mark.parametrize("number", range(12, 21))
def test_small_plays_on_a_layout_at_the_edges_of_what_is_allowed_for(number: int) -> None:
    _, plan = draw(SMALL, number)
    play = metal(number, watch=in_its_envelope, hidden=Careless(number))
    play.play(plan)
    belief_is_true(play)
    assert play.world.incidents == []
    assert play.world.truth().line == str(plan[-1].after)


@pytest.mark.parametrize("number", range(2, 5))
def test_plays_of_the_large_layout(number: int) -> None:
    _, plan = draw("inglenook", number)
    play = metal(number, "inglenook", watch=in_its_envelope, hidden=Careless(number))
    play.play(plan)
    belief_is_true(play)
    assert play.world.incidents == []
    assert play.world.truth().line == str(plan[-1].after)


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("puzzle", ["classic", "variant"])
def test_plays_that_end_with_the_train_coupled_up(puzzle: str, number: int) -> None:
    name = "tchoutchou"
    start, plan = draw(name, number, puzzle)
    play = Metal(
        builtin(name), wiring_of(name), start, number, watch=in_its_envelope, hidden=Careless(number), couple_up=True
    )
    play.play(plan)
    belief_is_true(play)
    assert play.world.incidents == []
    truth = play.world.truth()
    assert truth.line == str(plan[-1].after)
    train = plan[-1].after.in_segment("s1")
    assert (train[0], train[1], train[5]) == ("L", "tender", "caboose")
    assert truth.coupled_up(train)
    assert all(vehicle.from_mm > 0 and vehicle.to_mm < 602 for vehicle in truth.on["s1"])


# Of the Timesaver: from UL by UR to LL, and from there into W, or round by U and R and into W from the other end.
TO_LL = "L from 2 over T3>closed", "L from 4 over T3>thrown T7>closed T11>thrown"
INTO_W = "L from 3 over T11>closed T12>closed"
ROUND_INTO_W = "L from 5 over T11>thrown T7>thrown T14>thrown", "L from 2 over T14>closed"


def timesaver(*texts: str, couple_up: bool) -> Metal:
    track = builtin("timesaver")
    start, plan = plan_of(track, "UL: L | W: 4", *texts)
    play = Metal(track, wiring_of("timesaver"), start, 3, couple_up=couple_up)
    play.play(plan)
    assert play.world.incidents == []
    return play


def test_a_train_may_stand_apart_when_nobody_asks_for_it() -> None:
    play = timesaver(*TO_LL, *ROUND_INTO_W, couple_up=False)
    assert "W: 4 L" in play.world.truth().line
    assert not play.world.truth().coupled_up(["4", "L"])
    assert timesaver(*TO_LL, INTO_W, couple_up=True).world.truth().coupled_up(["L", "4"])


def test_a_train_is_not_coupled_up_where_that_pushes_it_onto_points() -> None:
    with pytest.raises(RefusedError, match=r"4 must be met; 4 must stand whole in W") as caught:
        timesaver(*TO_LL, *ROUND_INTO_W, couple_up=True)
    assert caught.value.run == 4


WALKS = [(SMALL, seed) for seed in range(2000, 2040)] + [("inglenook", seed) for seed in range(2000, 2020)]


@pytest.mark.parametrize(("name", "seed"), WALKS)
def test_any_legal_runs_are_refused_beforehand_or_carried_out(name: str, seed: int) -> None:
    track, dice = builtin(name), Random(seed)
    start, _ = draw(name, 2)
    plan: list[Run] = []
    for _ in range(7):
        plan.append(dice.choice(list(runs(track, plan[-1].after if plan else start, "L"))))
    play = Metal(track, wiring_of(name), start, seed, hidden=Careless(seed))
    try:
        play.play(plan)
    except RefusedError:
        assert play.now_s == 0.0, "a plan that cannot be carried out is refused before anything moves"
    else:
        belief_is_true(play)
    assert play.world.incidents == []


def test_the_same_seed_gives_the_same_play() -> None:
    _, plan = draw(SMALL, 5)
    traces: list[list[str]] = [[], []]
    for trace in traces:
        metal(5, trace=trace.append).play(plan)
    assert traces[0] == traces[1]


# ------------------------------------------------------------ spoilt plays


@pytest.mark.parametrize("number", range(1, 5))
def test_a_locomotive_turned_round_is_seen_by_the_proving_move(number: int) -> None:
    why, play = doubt_of(number, facing=End.FROM, hidden=Careless(number))
    assert why == (
        "beam head was not broken by L where it should have been; is L turned round, or on another track? "
        "(in: prove L: creep towards beam head)"
    )
    assert play.world.incidents == []


def test_on_direct_current_the_cure_is_at_the_rails() -> None:
    _, plan = draw(SMALL, 1)
    spoiled = metal(1, SMALL, facing=End.FROM, hidden=Careless(1))
    engines = {name: replace(wired, dc=True) for name, wired in spoiled.wiring.locomotives.items()}
    spoiled.wiring = replace(spoiled.wiring, locomotives=engines)
    states: list[Drive] = []
    spoiled.watch = lambda _, drive: states.append(drive)
    with pytest.raises(DoubtError, match="did L run the other way, or is it on another track"):
        spoiled.play(plan)
    assert likely_cause(states[-1]) == (
        "if L ran the other way, swap the two wires to the rails, or answer the other way; else L stood still, or beam "
        "head is dead"
    )


@pytest.mark.parametrize(("beam", "number"), [("head", 2), ("s1", 2), ("s1", 8), ("s2", 4), ("s2", 8), ("s3", 2)])
@pytest.mark.parametrize("layout", [SMALL, "inglenook"])
def test_a_beam_that_never_reports(beam: str, number: int, layout: str) -> None:
    why, play = doubt_of(number, layout, deaf=frozenset({beam}))
    if beam == "head":
        assert "beam head was not broken by L where it should have been" in why
        assert play.run == 0
    else:
        assert f"beam {beam} should have been broken by" in why
        assert "by now, and was not" in why
    # The track behind a dead beam may be too short to know it in time: then it is touched at a creep.
    assert kinds(play) <= {Kind.BUFFER}


def test_behind_a_dead_beam_nothing_is_faster_than_a_creep() -> None:
    touched = []
    for number in range(2, 8):
        _, play = doubt_of(number, deaf=frozenset({"s1"}))
        touched += [float(incident.text.split()[-2]) for incident in play.world.incidents]
    assert touched, "in the small layout there is not room enough to know it in time"
    assert all(speed <= builtin(SMALL).speeds.creep * 1.12 for speed in touched), touched


def hand_in(beam: str, run: int, after_s: float) -> Callable[[Metal, Step], None]:
    def before(play: Metal, step: Step) -> None:
        if isinstance(step, DriveStep) and play.run == run:
            play.later(after_s, lambda: play.report(beam, True))

    return before


@pytest.mark.parametrize(
    ("beam", "expected"),
    [
        ("s1", "became broken, and nothing that moves should do that here"),
        ("s2", "became broken, and nothing that moves should do that here"),
        ("s3", "can have reached it"),
    ],
)
def test_a_hand_in_a_beam_while_the_train_moves(beam: str, expected: str) -> None:
    why, play = doubt_of(2, before=hand_in(beam, 3, 0.5))
    assert f"beam {beam} became broken" in why
    assert expected in why
    assert play.run == 3
    assert play.world.incidents == []


def test_a_beam_that_becomes_free_too_early() -> None:
    def before(play: Metal, step: Step) -> None:
        if isinstance(step, DriveStep) and play.run == 3:
            play.later(0.9, lambda: play.report("head", False))

    why, play = doubt_of(2, before=before)
    assert "beam head became free" in why
    assert "can have reached it" in why
    assert play.world.incidents == []


def test_a_hand_in_a_beam_while_everything_stands() -> None:
    def before(play: Metal, step: Step) -> None:
        if isinstance(step, TurnoutStep) and play.run == 3:
            play.report("s1", True)

    why, play = doubt_of(2, before=before)
    assert why == "beam s1 was broken while everything stood (in: T1 to thrown)"
    assert play.world.incidents == []


def test_a_wagon_missing_from_the_set_up_is_seen_when_its_place_is_drawn_out() -> None:
    for number in (2, 8, 9):
        why, play = doubt_of(number, really={"head": ("L",), "s1": ("1", "2"), "s2": ("4", "5")})
        assert "beam s1 should have been broken by 3 by now, and was not (in: drive 3" in why
        assert play.world.incidents == []


def test_a_wagon_too_many_is_seen_when_it_comes_out_with_the_train() -> None:
    # s1 is believed to hold 1 and 2 only, and the plan draws 2 out, leaving none that could be counted as left.
    track = builtin(SMALL)
    start, plan = plan_of(track, "head: L | s1: 1 2 | s2: 4 5", "L to 1 over T1>closed", "L from 3 over T1>closed")
    play = Metal(track, wiring_of(SMALL), start, 3, really={"head": ("L",), "s1": ("1", "2", "3"), "s2": ("4", "5")})
    with pytest.raises(DoubtError, match="beam s1 became broken, and nothing that moves should do that here"):
        play.play(plan)
    assert play.world.incidents == []


def test_a_wagon_too_many_in_a_siding_believed_empty() -> None:
    for number in (3, 5):
        why, play = doubt_of(number, really={"head": ("L",), "s1": ("1", "2"), "s2": ("4", "5"), "s3": ("3",)})
        assert "by now, and was not" in why
        # Wagons at shunting speed meet the one nobody knew of: that is the spoiling itself, and what it pushes on.
        assert kinds(play) <= {Kind.ROUGH_COUPLING, Kind.COLLISION, Kind.BUFFER}
        assert play.world.truth().derailed == ()


@pytest.mark.parametrize("number", [2, 3, 9, 10])
def test_a_coupling_that_does_not_part_is_seen_on_the_way_out(number: int) -> None:
    parted: list[UncoupleStep] = []

    def lost(step: Step) -> bool:
        if isinstance(step, UncoupleStep):
            parted.append(step)
            return True
        return False

    why, play = doubt_of(number, lost=lost)
    assert f"{parted[-1].left} came along" in why
    assert len(parted) == 2 * (1 + MOST_TRIES)  # each is switched on and off
    assert play.world.incidents == []


TRIED_AGAIN = [(SMALL, number) for number in range(2, 20)] + [("inglenook", number) for number in range(2, 5)]


@pytest.mark.parametrize(("name", "number"), TRIED_AGAIN)
def test_couplings_that_do_not_part_at_once_are_tried_again(name: str, number: int) -> None:
    """Every uncoupling fails up to three times: the play ends where it would have, and what is believed is true."""
    dice = Random(number)
    left_to_fail: dict[int, int] = {}

    def lost(step: Step) -> bool:
        if not isinstance(step, UncoupleStep):
            return False
        left_to_fail[play.run] = left_to_fail.get(play.run, dice.randint(0, MOST_TRIES)) - 1
        return left_to_fail[play.run] >= 0

    _, plan = draw(name, number)
    play = metal(number, name, lost=lost, watch=in_its_envelope, hidden=Careless(number))
    play.play(plan)
    belief_is_true(play)
    assert play.world.incidents == []
    assert play.world.truth().line == str(plan[-1].after)
    assert play.tries > 0


def test_a_wagon_that_is_not_coupled_stays_behind_and_is_missed() -> None:
    # In the world this magnet reaches over the whole siding: before the train draws out everything there is parted.
    track = builtin(SMALL)
    magnet = track.uncouplers["s1"]
    wide = replace(track, uncouplers={**track.uncouplers, "s1": replace(magnet, reach_mm=300.0)})

    def before(play: Metal, step: Step) -> None:
        if isinstance(step, DriveStep) and play.run == 2:
            play.world.set_magnet("s1", True)
            play.world.set_magnet("s1", False)

    for number in (2, 3):
        why, play = doubt_of(number, layout=wide, before=before)
        assert "should have been" in why
        assert play.run == 2
        assert play.world.incidents == []


@pytest.mark.parametrize("after_s", [0.2, 0.8, 1.2])
def test_a_locomotive_that_stalls(after_s: float) -> None:
    def before(play: Metal, step: Step) -> None:
        if isinstance(step, DriveStep) and play.run == 4:
            play.later(after_s, lambda: play.world.set_power(False))

    why, play = doubt_of(2, before=before)
    assert "by now, and was not" in why or "did not get there in" in why
    assert play.run == 4
    assert play.world.incidents == []


def test_a_locomotive_that_stalls_with_no_edge_ahead_runs_out_of_time() -> None:
    def before(play: Metal, step: Step) -> None:
        if isinstance(step, DriveStep) and step.proves:
            play.world.set_power(False)

    why, play = doubt_of(2, before=before)
    assert "is L turned round" in why or "did not get there" in why
    assert play.world.incidents == []


@pytest.mark.parametrize("number", range(1, 7))
def test_a_locomotive_far_slower_than_its_table(number: int) -> None:
    why, play = doubt_of(number, hidden=OffTable(number, 0.7))
    assert "by now, and was not" in why or "not broken by L where it should have been" in why
    assert play.run <= 1
    assert play.world.incidents == []


@pytest.mark.parametrize("number", range(1, 7))
def test_a_locomotive_far_faster_than_its_table(number: int) -> None:
    why, play = doubt_of(number, hidden=OffTable(number, 1.3))
    assert "mm before" in why
    assert "can have reached it" in why
    assert play.run <= 2
    # It meets the first wagons faster than it should: that is all it can do before its first edge tells on it.
    assert kinds(play) <= {Kind.ROUGH_COUPLING, Kind.COLLISION}
    assert len(play.world.incidents) <= 1
    assert play.world.truth().derailed == ()


def test_points_that_do_not_move_lead_the_train_to_a_beam_where_nothing_is_due() -> None:
    for number in range(2, 8):
        why, play = doubt_of(number, lost=lambda step: isinstance(step, TurnoutStep) and step.turnout == "T1")
        assert "nothing that moves should do that here" in why or "by now, and was not" in why
        # Wagons pushed at shunting speed may meet others there: nothing on the line told of it before.
        assert kinds(play) <= {Kind.ROUGH_COUPLING}


def test_points_thrown_by_somebody_else_are_run_through_and_the_evidence_stops_the_train() -> None:
    def before(play: Metal, step: Step) -> None:
        # The train stands in s1 and is about to come out over T1; no report comes of what a hand does to points.
        if isinstance(step, DriveStep) and play.run == 2:
            play.world.throw("T1", Leg.THROWN, 0.0)

    for number in (2, 3):
        why, play = doubt_of(number, before=before)
        assert "by now, and was not" in why
        assert play.run == 2
        assert kinds(play) == {Kind.RUN_THROUGH}


def test_with_a_reach_that_is_really_too_small_the_coupling_stays_and_is_seen() -> None:
    track = builtin(SMALL)
    weak = {name: replace(magnet, reach_mm=0.1) for name, magnet in track.uncouplers.items()}
    why, play = doubt_of(2, layout=replace(track, uncouplers=weak))
    assert "came along" in why
    assert play.world.incidents == []
