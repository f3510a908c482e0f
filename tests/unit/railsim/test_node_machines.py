"""The simulated node's machines: locomotive, beams, turnouts, magnets, and how they are set."""

from __future__ import annotations

from dataclasses import replace

import pytest
from node_bench import ABOUT, BOOT_S, FORWARD, REVERSE, NodeBench, accepted, refused, said

from pointsman.protocols.node import (
    STOP,
    Accepted,
    Happened,
    write_command,
)
from pointsman.protocols.node_constants import Latch, Lie, Refusal, Reset, Setting, SettingsState, Verb
from pointsman.protocols.node_messages import (
    Beam,
    Beat,
    Coil,
    Command,
    Defaults,
    Drive,
    Get,
    Magnet,
    Off,
    Points,
    Set,
    SettingsAre,
    Store,
    Trip,
    Turnout,
    answer_of,
)
from railsim.node_board import Fitted, Memory, safe_settings

# ---------------------------------------------------------------- the locomotive


def test_speed_is_ramped_and_a_change_of_direction_waits_for_the_stand() -> None:
    bench = NodeBench()
    bench.arm()
    assert accepted(bench.ask(Drive(REVERSE, 40), 0.05))
    motor = bench.world._motors["L"]
    assert 5 <= motor.step <= 12, "20 steps in 100 ms"
    assert refused(Refusal.MOVING, bench.ask(Drive(FORWARD, 40)))
    bench.run(0.2)
    assert motor.step == 40
    assert accepted(bench.ask(Drive(FORWARD, 0), 0.05)), "a stop is taken whatever its direction"
    assert motor.step > 0
    assert not motor.forward
    assert refused(Refusal.MOVING, bench.ask(Drive(FORWARD, 40), 0.01))
    bench.run(0.3)
    assert motor.step == 0
    assert accepted(bench.ask(Drive(FORWARD, 40), 0.3))
    assert motor.forward


def test_the_driven_locomotive_breaks_beams_and_they_are_told_after_they_have_lasted() -> None:
    bench = NodeBench()
    bench.arm()
    bench.heard.clear()
    bench.ask(Drive(FORWARD, 30))
    bench.run(2.0)
    assert bench.events(Beam)[0] == Beam(1, broken=True)
    assert bench.world.speed_mm_s("L") > 0


def test_a_beam_is_believed_after_5_ms_and_free_after_15() -> None:
    bench = NodeBench()
    for broken, lasting_s in [(True, 0.005), (False, 0.015)]:
        edge_s = bench.now_s
        bench.node.set_pin(2, broken, edge_s)
        bench.write(b"", lasting_s - 0.001)
        bench.node.set_pin(2, not broken, bench.now_s)
        bench.write(b"", 0.1)
        assert bench.events(Beam) == [], "too short"
        edge_s = bench.now_s
        bench.node.set_pin(2, broken, edge_s)
        bench.run(0.001)
        bench.node.set_pin(2, broken, bench.now_s)
        bench.write(b"", 0.1)
        assert bench.events(Beam) == [Beam(2, broken)]
        assert bench.when(Beam(2, broken)) - edge_s == pytest.approx(lasting_s, abs=0.003)


# ---------------------------------------------------------------- turnouts and magnets


def test_a_turnout_is_unknown_then_moves_at_the_speed_that_is_set() -> None:
    bench = NodeBench()
    assert accepted(bench.ask(Turnout(1, thrown=True), 1.0)), "also when it is latched: no train is powered"
    assert bench.events(Points) == [Points(1, Lie.MOVING), Points(1, Lie.THROWN)]
    assert bench.when(Points(1, Lie.THROWN)) - bench.when(Points(1, Lie.MOVING)) == pytest.approx(0.5, abs=0.01)
    assert str(bench.world.truth().lie["T1"]) == "thrown"
    bench.ask(Turnout(1, thrown=False), 1.0)
    moved_s = bench.when(Points(1, Lie.CLOSED)) - bench.when(Points(1, Lie.MOVING))
    assert moved_s == pytest.approx(0.5, abs=0.01), "500 us at 100 ms each 100 us"
    assert str(bench.world.truth().lie["T1"]) == "closed"
    bench.ask(Turnout(1, thrown=True), 0.2)
    bench.ask(Turnout(1, thrown=False), 0.25)
    assert bench.events(Points) == [Points(1, Lie.MOVING), Points(1, Lie.CLOSED)], "half-way: back in the same time"
    bench.ask(Turnout(1, thrown=False), 0.1)
    assert bench.events(Points) == [Points(1, Lie.MOVING), Points(1, Lie.CLOSED)], "there already"


def test_a_first_move_takes_its_time_also_when_it_is_commanded_again() -> None:
    bench = NodeBench()
    bench.ask(Turnout(1, thrown=True), 0.4)
    begin_s = bench.now_s
    bench.ask(Turnout(1, thrown=True), 1.0)
    assert bench.when(Points(1, Lie.THROWN)) - begin_s == pytest.approx(0.5, abs=0.01), "nobody knows where it began"


def test_a_solenoid_rests_and_a_stop_leaves_it_unknown() -> None:
    bench = NodeBench()
    assert accepted(bench.ask(Set(Setting.MACHINE, 1, 2)))
    assert refused(Refusal.LATCHED, bench.ask(Turnout(1, thrown=True)))
    bench.arm()
    assert refused(Refusal.MOVING, bench.ask(Set(Setting.MACHINE, 1, 1)))
    assert accepted(bench.ask(Turnout(1, thrown=True), 0.1))
    assert bench.when(Points(1, Lie.THROWN)) - bench.when(Points(1, Lie.MOVING)) == pytest.approx(0.06, abs=0.005)
    assert refused(Refusal.RESTING, bench.ask(Turnout(1, thrown=False), 0.5))
    assert accepted(bench.ask(Turnout(1, thrown=False), 0.02))
    bench.write(STOP, 0.02)
    assert Points(1, Lie.UNKNOWN) in bench.events(Points)


def test_a_magnet_is_on_no_longer_than_told_and_then_rests() -> None:
    bench = NodeBench("head: L | s1: 1 2")
    bench.arm()
    assert refused(Refusal.RANGE, bench.ask(Magnet(1, 501))), "longer than is set"
    assert accepted(bench.ask(Magnet(1, 100), 0.2))
    on_s, off_s = bench.when(Coil(1, on=True)), bench.when(Coil(1, on=False))
    assert off_s - on_s == pytest.approx(0.1, abs=0.003)
    while refused(Refusal.RESTING, bench.ask(Magnet(1, 20), 0.05)):
        pass
    assert bench.now_s - off_s == pytest.approx(2.0, abs=0.11)
    assert bench.world.incidents == []


def test_a_coil_command_repeated_for_ever_burns_nothing() -> None:
    bench = NodeBench()
    bench.arm()
    on_s, since_s = 0.0, 0.0
    begin_s = bench.now_s
    for _ in range(200):
        bench.ask(Magnet(1, 500), 0.1)
        for at_s, one in bench.heard:
            if isinstance(one, Happened) and isinstance(one.event, Coil):
                on_s += 0 if one.event.on else at_s - since_s
                since_s = at_s
    assert 0 < on_s / (bench.now_s - begin_s) < 0.21
    assert bench.world.incidents == []


def test_a_magnet_is_switched_off_at_any_time() -> None:
    bench = NodeBench()
    assert accepted(bench.ask(Magnet(1, 0)))
    bench.arm()
    bench.ask(Magnet(1, 500), 0.05)
    assert accepted(bench.ask(Magnet(1, 0)))
    assert bench.events(Coil) == [Coil(1, on=False)]
    assert refused(Refusal.RESTING, bench.ask(Magnet(1, 500)))


# ---------------------------------------------------------------- setting up


def test_settings_are_changed_only_while_nothing_can_move_and_outlast_a_reset_only_when_stored() -> None:
    bench = NodeBench()
    assert bench.ask(Get(Setting.HEARTBEAT_MS)) == Accepted(bench.numbers._last, ("1000",))
    assert accepted(bench.ask(Set(Setting.HEARTBEAT_MS, 0, 300)))
    assert accepted(bench.ask(Store(), 1.0))
    assert bench.events(SettingsAre) == [SettingsAre(SettingsState.STORED)]
    assert accepted(bench.ask(Set(Setting.MAGNET_MS, 0, 20)))
    bench.arm()
    commands: list[Command] = [Set(Setting.MAGNET_MS, 0, 30), Store(), Defaults(), Trip()]
    for command in commands:
        assert refused(Refusal.MOVING, bench.ask(command))
    bench.beating_until_s = 0.0
    bench.run(0.4)
    assert bench.ask(Beat()) == Accepted(bench.numbers._last, (str(Latch.HEARTBEAT),))
    bench.node.reset(bench.now_s)
    bench.run(BOOT_S + 0.1)
    assert replace(ABOUT, reset=Reset.BUTTON) in said(bench)
    values = [bench.ask(Get(setting)) for setting in (Setting.HEARTBEAT_MS, Setting.MAGNET_MS)]
    assert [one.values for one in values if isinstance(one, Accepted)] == [("300",), ("500",)]
    bench.greet()
    bench.ask(Turnout(1, thrown=True), 0.1)
    assert refused(Refusal.MOVING, bench.ask(Set(Setting.CLOSED_US, 1, 1000))), "a servo moves"


def test_a_coil_rests_four_times_as_long_as_it_may_be_on() -> None:
    bench = NodeBench()
    for setting, value in [
        (Setting.MAGNET_MS, 501),
        (Setting.MAGNET_REST_MS, 1999),
        (Setting.SOLENOID_MS, 126),
        (Setting.SOLENOID_REST_MS, 239),
    ]:
        assert refused(Refusal.DUTY, bench.ask(Set(setting, 0, value))), setting
    assert accepted(bench.ask(Set(Setting.MAGNET_REST_MS, 0, 8000)))
    assert accepted(bench.ask(Set(Setting.MAGNET_MS, 0, 2000)))
    assert accepted(bench.ask(Set(Setting.SOLENOID_MS, 0, 125)))
    assert refused(Refusal.DUTY, bench.ask(Set(Setting.SOLENOID_REST_MS, 0, 499)))
    spoilt = Memory({**safe_settings(Fitted(beams=3, turnouts=1, magnets=2)), (Setting.MAGNET_MS, 0): 501})
    bench = NodeBench(memory=spoilt, booted=False)
    bench.run(BOOT_S + 0.1)
    assert SettingsAre(SettingsState.DEFAULTS) in said(bench)


def test_a_memory_that_cannot_be_written_is_told() -> None:
    bench = NodeBench()
    bench.side.memory.works = False
    bench.ask(Set(Setting.HEARTBEAT_MS, 0, 300))
    assert refused(Refusal.MEMORY, bench.ask(Store(), 0.5))


def test_defaults_are_safe_and_forget_how_points_lie() -> None:
    bench = NodeBench()
    bench.ask(Turnout(1, thrown=True), 1.0)
    assert accepted(bench.ask(Defaults()))
    assert said(bench) == [SettingsAre(SettingsState.DEFAULTS), Points(1, Lie.UNKNOWN)]
    assert refused(Refusal.ABSENT, bench.ask(Turnout(1, thrown=True)))
    assert answer_of(Verb.GET, bench.ask(Get(Setting.MACHINE, 1)).values) == (0,)  # type: ignore[union-attr]


def test_an_inverted_beam_is_told_the_other_way() -> None:
    bench = NodeBench()
    assert accepted(bench.ask(Set(Setting.BEAM_INVERTED, 2, 1), 0.1))
    assert bench.events(Beam) == [Beam(2, broken=True)]


def test_a_store_that_comes_again_is_answered_once_it_is_done_and_one_that_was_not_waited_for_is_not() -> None:
    bench = NodeBench()
    bench.ask(Set(Setting.HEARTBEAT_MS, 0, 300))
    line = write_command(700, Store())
    assert bench.write(line + line, 0.5).count(Accepted(700)) == 1
    bench.ask(Set(Setting.HEARTBEAT_MS, 0, 400))
    heard = bench.write(write_command(701, Store()) + write_command(702, Get(Setting.HEARTBEAT_MS)), 0.5)
    assert [one for one in heard if not isinstance(one, Happened)] == [Accepted(702, ("400",))]
    assert bench.events(SettingsAre) == [SettingsAre(SettingsState.STORED)]


def test_a_setting_of_what_is_not_fitted_is_refused() -> None:
    bench = NodeBench()
    assert refused(Refusal.ABSENT, bench.ask(Set(Setting.MACHINE, 2, 1)))
    assert refused(Refusal.ABSENT, bench.ask(Get(Setting.BEAM_INVERTED, 4)))


def test_a_turnout_without_a_coil_is_left_alone_by_a_stop() -> None:
    bench = NodeBench()
    bench.arm()
    bench.ask(Turnout(1, thrown=True), 0.1)
    bench.write(STOP, 1.0)
    assert bench.events(Points)[-1] == Points(1, Lie.THROWN), "a servo goes on to its end: half-way derails more"


def test_a_node_that_feeds_nothing_has_no_power_to_switch() -> None:
    bench = NodeBench(locomotive="", relay=False)
    bench.world.set_power(True)
    bench.arm()
    bench.write(STOP, 0.2)
    assert bench.world.powered


@pytest.mark.parametrize("data", [STOP, write_command(9000, Off())])
def test_a_stop_cuts_a_magnet_before_its_time_and_it_rests(data: bytes) -> None:
    bench = NodeBench()
    bench.arm()
    bench.ask(Magnet(1, 500), 0.05)
    begin_s = bench.now_s
    bench.write(data, 0.1)
    assert bench.when(Coil(1, on=False)) - begin_s < 0.02
    bench.arm()
    assert refused(Refusal.RESTING, bench.ask(Magnet(1, 20)))
