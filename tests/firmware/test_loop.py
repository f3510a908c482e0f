"""The compiled firmware moves simulated trains: its pins are wired to the simulated layout, and a host talks to it."""

from __future__ import annotations

import random

import pytest
from avr_node import DC_TABLE, pins_of
from avrsim import Event
from loop_bench import BOOT_S, LoopBench, needs_firmware
from loop_drive import FAST, Made, along_mm, drive_until, fast_with, speed, there
from node_bench import FORWARD, REVERSE, accepted, refused
from sim_tracks import line_track

from pointsman.protocols.node import STOP, Accepted, Refused, write_command
from pointsman.protocols.node_constants import Board, Latch, Refusal, Reset, Setting, SettingsState
from pointsman.protocols.node_messages import (
    About,
    Beam,
    Command,
    Drive,
    Get,
    Hello,
    Latched,
    Magnet,
    Set,
    SettingsAre,
    Store,
    Turnout,
    about_of,
)
from railsim.hidden import EMERGENCY_BRAKING_MM_S2
from railsim.incidents import BeamChanged, Coupled

pytestmark = needs_firmware

(BRAKE_PIN,) = pins_of("uno")["DC_BRAKE_PIN"]


# ---------------------------------------------------------------- what it is, and how it is set


def test_it_says_what_it_is(node: Made) -> None:
    with node(new=True) as bench:
        about = About(1, "0.1.0", Board.UNO, Reset.POWER, 2, 4, 3, True, True)
        assert bench.events(About) == [about]
        assert bench.events(SettingsAre) == [SettingsAre(SettingsState.DEFAULTS)]
        answer = bench.ask(Hello())
        assert isinstance(answer, Accepted)
        assert about_of(answer.values) == about


def test_settings_are_kept_without_power(node: Made) -> None:
    with node(new=True) as bench:
        assert accepted(bench.ask(Set(Setting.MACHINE, 1, 1)))
        assert accepted(bench.ask(Set(Setting.CLOSED_US, 1, 1111)))
        assert accepted(bench.ask(Set(Setting.HEARTBEAT_MS, 0, 1000)))
        bench.board.ask("power off")
        bench.run(0.1)
        bench.board.ask("power on")
        bench.run(BOOT_S)
        bench.greet()
        assert bench.ask(Get(Setting.CLOSED_US, 1)) == Accepted(4, ("1500",)), "it was not stored"
        assert accepted(bench.ask(Set(Setting.CLOSED_US, 1, 1111)))
        assert accepted(bench.ask(Store()))
        bench.board.ask("power off")
        bench.run(0.1)
        bench.heard.clear()
        bench.board.ask("power on")
        bench.run(BOOT_S)
        bench.greet()
        assert bench.events(SettingsAre) == [SettingsAre(SettingsState.STORED)]
        assert bench.ask(Get(Setting.CLOSED_US, 1)) == Accepted(7, ("1111",))


def test_what_is_not_set_up_moves_nothing(node: Made) -> None:
    with node(new=True) as bench:
        bench.arm()
        assert refused(Refusal.ABSENT, bench.ask(Turnout(1, True), 1.0))
        assert bench.side.pulses == 0
        assert bench.world.truth().lie == {"T1": "closed"}


# ---------------------------------------------------------------- the throttle and the beams


def test_it_drives_until_a_beam_breaks_and_stands(bench: LoopBench) -> None:
    bench.arm()
    drive_until(bench, FORWARD, 20, lambda: Beam(1, True) in bench.events(Beam))
    (broken,) = [event for event in there(bench, BeamChanged) if event.broken]
    assert broken.beam == "head"
    late_s = bench.when(Beam(1, True)) - broken.t_s
    assert 0.005 <= late_s < 0.012, "debounced for 5 ms, looked at each, and told at once"
    assert 500.0 < along_mm(bench) + 54.0 < 512.0
    assert bench.world.incidents == []


def test_a_beam_that_is_free_again_is_told(bench: LoopBench) -> None:
    bench.arm()
    drive_until(bench, FORWARD, 20, lambda: Beam(1, True) in bench.events(Beam))
    drive_until(bench, REVERSE, 20, lambda: Beam(1, False) in bench.events(Beam))
    free = there(bench, BeamChanged)[-1]
    assert (free.beam, free.broken) == ("head", False)
    assert 0.015 <= bench.when(Beam(1, False)) - free.t_s < 0.022


@pytest.mark.parametrize("forward", [FORWARD, REVERSE])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_speed_table_of_a_layout_fits_a_locomotive_on_direct_current(node: Made, seed: int, forward: bool) -> None:
    with node(track=line_track(4000.0, mark_mm=2000.0), position="a: L", seed=seed) as bench:
        bench.arm()
        for step in (8, 20, 40, 60):
            assert accepted(bench.ask(Drive(forward, step), 1.0))
            assert speed(bench) == pytest.approx(DC_TABLE.speed_mm_s(step), rel=0.12), step
        assert accepted(bench.ask(Drive(forward, 1), 2.0))
        assert 0 < speed(bench) < 20


def test_the_other_direction_is_for_a_locomotive_that_stands(bench: LoopBench) -> None:
    bench.arm()
    assert accepted(bench.ask(Drive(REVERSE, 20), 0.5))
    assert refused(Refusal.MOVING, bench.ask(Drive(FORWARD, 20)))
    assert speed(bench) > 20
    at_mm = along_mm(bench)
    bench.run(0.5)
    assert along_mm(bench) < at_mm


def test_nothing_brakes_while_it_drives_and_a_shorted_motor_stands(bench: LoopBench) -> None:
    bench.arm()
    assert accepted(bench.ask(Drive(REVERSE, FAST), 0.5))
    assert not bench.side.brakes
    assert bench.board.pin(BRAKE_PIN) == "0"
    # No command of the node sets it: a wire between the brake's pin and 5 V does.
    bench.side.pin(Event("edge", bench.now_s * 1e6, (BRAKE_PIN, "1")), bench.now_s)
    fast_mm_s, at_mm = speed(bench), along_mm(bench)
    bench.run(0.3)
    assert bench.world.standing
    assert bench.side.duty > 0
    assert at_mm - along_mm(bench) == pytest.approx(fast_mm_s**2 / 2 / EMERGENCY_BRAKING_MM_S2, abs=0.5)


# ---------------------------------------------------------------- a line that is not as it should be


def test_five_hundred_commands_one_after_the_other_are_all_carried_out(bench: LoopBench) -> None:
    since_s = bench.now_s
    values = [1000 + i for i in range(500)]
    numbers = [bench.tell(Set(Setting.CLOSED_US, 2, value)) for value in values]
    bench.until(lambda: numbers[-1] in bench.answers, 10.0)
    assert all(bench.answers[number] == Accepted(number) for number in numbers)
    assert bench.ask(Get(Setting.CLOSED_US, 2)) == Accepted(numbers[-1] + 1, (str(values[-1]),))
    assert bench.now_s - since_s < 500 * 0.012


def test_a_command_before_the_answer_to_the_last_one_is_dropped_and_may_be_said_again(bench: LoopBench) -> None:
    bench.arm()
    bench.beating_until_s = -1.0
    dice = random.Random(1)
    # The answers to hello are longer than itself: they fill the line to the host.
    said: dict[int, Command] = {bench.numbers.take(): dice.choice([Hello(), Magnet(1, 100)]) for _ in range(60)}
    bench.node.receive("usb", b"".join(map(write_command, said.keys(), said.values())), bench.now_s)
    bench.run(0.3)
    magnets = [number for number, command in said.items() if isinstance(command, Magnet)]
    dropped = [number for number in magnets if number not in bench.answers]
    done = [number for number in magnets if number in bench.answers and accepted(bench.answers[number])]
    assert len(dropped) > 5
    assert len(bench.side.coils["s1"]) == len(done) <= 1
    bench.beat(60.0)
    bench.run(2.5)
    bench.beating_until_s = -1.0
    bench.run(0.1)
    bench.node.receive("usb", write_command(dropped[0], Magnet(1, 100)), bench.now_s)
    bench.run(0.3)
    assert accepted(bench.answers[dropped[0]])
    assert len(bench.side.coils["s1"]) == len(done) + 1


@pytest.mark.parametrize("seed", range(3))
def test_a_flood_loses_no_command_that_was_acknowledged(node: Made, seed: int) -> None:
    with node() as bench:
        bench.beat(60.0)
        bench.run(0.1)
        dice = random.Random(seed)
        values: dict[int, int] = {}
        for _ in range(500):
            number, value = bench.numbers.take(), dice.randrange(500, 2500)
            command: Command = Hello()  # its answer is longer than itself
            if dice.random() < 0.5:
                command, values[number] = Set(Setting.CLOSED_US, 2, value), value
            bench.node.receive("usb", write_command(number, command), bench.now_s)
        bench.run(2.0)
        taken = [number for number, answer in bench.answers.items() if number in values and accepted(answer)]
        assert 20 < len(taken) < len(values), "it is a flood"
        answer = bench.ask(Get(Setting.CLOSED_US, 2))
        assert isinstance(answer, Accepted)
        assert answer.values == (str(values[taken[-1]]),)


def test_in_the_midst_of_a_flood_the_stop_byte_is_heard(bench: LoopBench) -> None:
    fast_with(bench)
    for _ in range(250):
        number = bench.numbers.take()
        bench.node.receive("usb", write_command(number, Drive(FORWARD, FAST)), bench.now_s)
    bench.node.receive("usb", STOP, bench.now_s)
    for _ in range(250):
        number = bench.numbers.take()
        bench.node.receive("usb", write_command(number, Drive(FORWARD, FAST)), bench.now_s)
    bench.until(lambda: not bench.world.powered, 1.0)
    bench.run(2.0)
    assert bench.world.standing
    assert not bench.world.powered
    assert bench.latest(Latched) == Latched(Latch.STOP)


@pytest.mark.parametrize("seed", range(3))
def test_garbage_on_the_line_moves_nothing(node: Made, seed: int) -> None:
    dice = random.Random(seed)
    with node() as bench:
        assert accepted(bench.ask(Set(Setting.HEARTBEAT_MS, 0, 3000)))
        bench.arm(0.1)
        assert accepted(bench.ask(Drive(REVERSE, 8), 0.8))
        step_mm_s = speed(bench)
        bench.run(0.02)
        bench.heard.clear()
        for _ in range(10):
            some = bytes(byte for byte in dice.randbytes(200) if byte != STOP[0])
            bench.node.receive("usb", some + b"\n", bench.now_s)
            bench.run(0.1)
        assert speed(bench) == step_mm_s
        answers = [one for _, one in bench.heard if isinstance(one, Accepted | Refused)]
        assert len(answers) >= 10
        assert all(isinstance(one, Refused) and one.number == 0 for one in answers)
        drive_until(bench, REVERSE, 8, lambda: True)
        assert bench.world.incidents == []


def test_no_line_with_a_flipped_bit_is_obeyed(bench: LoopBench) -> None:
    bench.arm()
    line = write_command(bench.numbers.take(), Drive(FORWARD, FAST))
    for bit in range(8 * len(line)):
        changed = bytearray(line)
        changed[bit // 8] ^= 1 << bit % 8
        if STOP[0] in changed:
            continue
        bench.node.receive("usb", bytes(changed) + b"\n", bench.now_s)
        bench.run(0.01)
        assert bench.side.duty == 0, bytes(changed)
    assert bench.world.powered


# ---------------------------------------------------------------- lockstep


def test_the_same_play_is_the_same_to_the_last_bit(node: Made) -> None:
    def played() -> object:
        with node(position="head: L | s1: 1 2 3", seed=4) as bench:
            bench.arm()
            assert accepted(bench.ask(Turnout(1, False), 1.0))
            drive_until(bench, FORWARD, 33, lambda: bool(there(bench, Coupled)))
            return bench.heard, bench.events_there, bench.world.truth()

    assert played() == played()
