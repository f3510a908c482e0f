"""The compiled firmware moves points and switches coils of the simulated layout; some of it is broken."""

from __future__ import annotations

import itertools

import pytest
from loop_bench import LoopBench, needs_firmware
from loop_drive import Made, along_mm, drive_until, speed, there
from node_bench import FORWARD, REVERSE, accepted

from pointsman.protocols.node import STOP, Accepted, Refused
from pointsman.protocols.node_constants import Lie, Refusal, Setting
from pointsman.protocols.node_messages import Beam, Drive, Magnet, Points, Set, Turnout
from pointsman.track.model import Leg
from railsim.incidents import BeamChanged, Coupled, Parted, TurnoutSettled
from railsim.node_firmware import SOLENOID

pytestmark = needs_firmware

# ---------------------------------------------------------------- points and magnets


def test_the_servo_moves_the_points(bench: LoopBench) -> None:
    bench.arm()
    assert accepted(bench.ask(Turnout(1, False), 1.0))  # where it is, it knows only from now on
    assert there(bench, TurnoutSettled) == []
    for thrown, lie in ((True, Lie.THROWN), (False, Lie.CLOSED)):
        bench.heard.clear()
        since_s = bench.now_s
        assert accepted(bench.ask(Turnout(1, thrown), 0.2))
        assert bench.world.truth().lie == {"T1": "moving"}
        assert bench.latest(Points) == Points(1, Lie.MOVING)
        bench.run(1.0)
        assert bench.world.truth().lie == {"T1": str(lie)}
        assert bench.latest(Points) == Points(1, lie)
        settled = there(bench, TurnoutSettled)[-1]
        assert settled.t_s - since_s == pytest.approx(0.48, abs=0.04), "520 µs at 100 ms for 100 µs"
        assert settled.t_s < bench.when(Points(1, lie)), "told when they are over, and no sooner"
    pulses = bench.side.pulses
    bench.run(1.0)
    assert bench.side.pulses == pulses, "it has no pulse once it has held for a while"


def test_a_train_goes_where_the_points_lead_it(bench: LoopBench) -> None:
    bench.arm()
    assert accepted(bench.ask(Turnout(1, True), 1.0))
    drive_until(bench, FORWARD, 40, lambda: Beam(3, True) in bench.events(Beam))
    assert [event.beam for event in there(bench, BeamChanged) if event.broken] == ["head", "s2"]
    assert bench.world.incidents == []


def test_ends_that_are_set_too_close_move_no_blade(node: Made) -> None:
    with node() as bench:
        for setting in (Setting.CLOSED_US, Setting.THROWN_US):
            assert accepted(bench.ask(Set(setting, 1, 1500)))
        assert accepted(bench.ask(Turnout(1, True), 1.0))
        assert bench.latest(Points) == Points(1, Lie.THROWN), "so it believes"
        assert bench.world.truth().lie == {"T1": "moving"}


def test_a_magnet_parts_a_coupling(node: Made) -> None:
    with node(position="head: L | s1: 1 2 3", seed=4) as bench:
        bench.arm()
        assert accepted(bench.ask(Turnout(1, False), 1.0))
        drive_until(bench, FORWARD, 20, lambda: bool(there(bench, Coupled)))
        drive_until(bench, REVERSE, 10, lambda: along_mm(bench, "1") + along_mm(bench, "2") < 2 * 782.0 - 4.0)
        assert accepted(bench.ask(Magnet(1, 500), 0.6))
        assert there(bench, Parted) == [], "drawn couplings do not part"
        bench.run(2.0)
        at_mm = along_mm(bench)
        drive_until(bench, FORWARD, 8, lambda: along_mm(bench) > at_mm + 2.0)
        assert there(bench, Parted) == []
        assert accepted(bench.ask(Magnet(1, 500), 0.6))
        assert [event.vehicles for event in there(bench, Parted)] == [("1", "2")]
        assert bench.world.magnets_on == frozenset()
        drive_until(bench, REVERSE, 20, lambda: along_mm(bench) < 380.0)
        assert bench.world.truth().line == "head: L 1 | s1: 2 3 | s2:"
        assert bench.world.incidents == []


def test_a_solenoid_throws_the_points_by_a_pulse_to_each_side(solenoid: LoopBench) -> None:
    bench = solenoid
    bench.arm()
    for thrown, lie in ((True, Lie.THROWN), (False, Lie.CLOSED)):
        assert accepted(bench.ask(Turnout(1, thrown), 0.2))
        assert bench.latest(Points) == Points(1, lie)
        assert bench.world.truth().lie == {"T1": str(lie)}
        ((on_s, off_s),) = bench.side.coils[f"T1>{lie}"]
        assert off_s - on_s == pytest.approx(0.06, abs=0.002)
        bench.run(0.5)
    assert bench.side.pulses == 0
    assert bench.world.incidents == []


def test_a_pulse_too_short_for_its_solenoid_moves_nothing(solenoid: LoopBench) -> None:
    bench = solenoid
    assert accepted(bench.ask(Set(Setting.SOLENOID_MS, 0, 10)))
    bench.arm()
    assert accepted(bench.ask(Turnout(1, True), 0.5))
    assert bench.latest(Points) == Points(1, Lie.THROWN), "so it believes"
    assert bench.world.truth().lie == {"T1": "closed"}


def test_a_solenoid_that_is_commanded_for_ever_rests(solenoid: LoopBench) -> None:
    bench = solenoid
    assert accepted(bench.ask(Set(Setting.SOLENOID_REST_MS, 0, 1000)))
    assert accepted(bench.ask(Set(Setting.SOLENOID_MS, 0, 250)))
    bench.run(1.0)
    bench.arm()
    answers = [bench.ask(Turnout(1, command % 2 == 0), 0.03) for command in range(300)]
    pulses = sorted(pulse for leg in Leg for pulse in bench.side.coils[f"T1>{leg}"])
    assert 7 <= len(pulses) == sum(map(accepted, answers)) <= 11
    assert all(off_s - on_s == pytest.approx(0.25, abs=0.002) for on_s, off_s in pulses)
    assert all(then[0] - before[1] >= 1.0 for before, then in itertools.pairwise(pulses))
    assert bench.world.incidents == []


@pytest.mark.parametrize("how", ["stop", "silent", "hang", "reset"])
def test_a_solenoid_never_keeps_its_current(solenoid: LoopBench, how: str) -> None:
    """The longest pulse that can be set begins just before something fails."""
    bench = solenoid
    assert accepted(bench.ask(Set(Setting.SOLENOID_REST_MS, 0, 1000)))
    assert accepted(bench.ask(Set(Setting.SOLENOID_MS, 0, 250)))
    bench.run(1.0)
    bench.arm()
    if how == "silent":
        bench.beating_until_s = -1.0
        bench.until(lambda: bench.now_s - bench.last_beat_s > 0.98, 1.0)
    assert accepted(bench.ask(Turnout(1, True)))
    bench.forget()
    began_s = bench.now_s
    if how == "stop":
        bench.node.receive("usb", STOP, began_s)
    elif how != "silent":
        bench.board.ask(how)
    bench.run(1.0)
    ((_, off_s),) = bench.side.coils["T1>thrown"]
    assert off_s - began_s < (0.27 if how == "hang" else 0.03)
    assert bench.world.incidents == []


# ---------------------------------------------------------------- what breaks on the layout


@pytest.mark.parametrize(
    ("fault", "lies"),
    [
        ("turnout-stuck:T1", ["closed", "closed"]),
        ("turnout-slow:T1=1", ["moving", "thrown"]),
        ("turnout-reversed:T1", ["closed", "closed"]),
    ],
)
@pytest.mark.parametrize("machine", ["servo", "solenoid"])
def test_points_that_fail_lie_otherwise_than_the_node_believes(
    node: Made, fault: str, lies: list[str], machine: str
) -> None:
    with node(solenoids=["T1"] if machine == "solenoid" else []) as bench:
        if machine == "solenoid":
            assert accepted(bench.ask(Set(Setting.MACHINE, 1, SOLENOID)))
        bench.arm()
        assert accepted(bench.ask(Turnout(1, False), 1.0))
        bench.strike(fault)
        assert accepted(bench.ask(Turnout(1, True), 0.9))
        assert bench.latest(Points) == Points(1, Lie.THROWN)
        assert bench.world.truth().lie == {"T1": lies[0]}
        bench.run(1.0)
        assert bench.world.truth().lie == {"T1": lies[1]}
        if "reversed" in fault:
            assert accepted(bench.ask(Turnout(1, False), 0.9))
            assert bench.world.truth().lie == {"T1": "thrown"}


def test_a_locomotive_that_loses_its_current_stands_and_goes_on(bench: LoopBench) -> None:
    bench.arm()
    assert accepted(bench.ask(Drive(REVERSE, 8), 0.5))
    running_mm_s = speed(bench)
    bench.strike("locomotive-stalls:L=1")
    assert speed(bench) == 0
    bench.run(0.9)
    assert (speed(bench), bench.side.duty > 0) == (0, True)
    bench.run(0.6)
    assert speed(bench) == running_mm_s


def test_a_dead_beam_is_told_no_more(bench: LoopBench) -> None:
    bench.arm()
    bench.strike("beam-dead:head")
    drive_until(bench, FORWARD, 20, lambda: bool(there(bench, BeamChanged)))
    assert bench.world.beam_broken("head")
    assert bench.events(Beam) == []


# ---------------------------------------------------------------- coils


@pytest.mark.parametrize("magnet", [1, 2])
def test_a_coil_that_is_commanded_for_ever_rests(bench: LoopBench, magnet: int) -> None:
    bench.arm()
    answers = []
    for _ in range(400):
        answers.append(bench.tell(Magnet(magnet, 500)))
        bench.run(0.05)
    pulses = bench.side.coils[f"s{magnet}"]
    assert len(pulses) == 8
    assert all(0.498 <= off_s - on_s <= 0.502 for on_s, off_s in pulses)
    assert all(then[0] - before[1] >= 2.0 for before, then in itertools.pairwise(pulses))
    said = [bench.answers[number] for number in answers if number in bench.answers]
    assert len(said) == len(answers)
    assert sum(isinstance(answer, Accepted) for answer in said) == len(pulses)
    assert {answer.reason for answer in said if isinstance(answer, Refused)} == {Refusal.RESTING}
