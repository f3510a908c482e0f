"""The compiled firmware moves simulated trains: its pins are wired to the simulated layout, and a host talks to it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from typing import TypeVar

import pytest
from avr_node import DC_TABLE
from loop_bench import BOOT_S, LoopBench, loop, needs_firmware
from node_bench import FORWARD, REVERSE, accepted, refused
from sim_tracks import fork_track, line_track

from pointsman.protocols.node import STOP, Accepted, Refused, write_command
from pointsman.protocols.node_constants import Board, Latch, Lie, Refusal, Reset, Setting, SettingsState
from pointsman.protocols.node_messages import (
    About,
    Arm,
    Beam,
    Command,
    Drive,
    End,
    Get,
    Hello,
    Latched,
    Magnet,
    Points,
    Set,
    SettingsAre,
    State,
    Store,
    Turnout,
    about_of,
)
from pointsman.track.model import Place
from railsim.incidents import BeamChanged, Coupled, Parted, TurnoutSettled, WorldEvent

W = TypeVar("W", bound=WorldEvent)
pytestmark = needs_firmware

Made = Callable[..., AbstractContextManager[LoopBench]]
FAST = 60
"""The step for 100 mm/s, nominally."""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return partial(loop, tmp_path_factory.mktemp("node"))


@pytest.fixture
def bench(node: Made) -> Iterator[LoopBench]:
    with node() as made:
        yield made


def there(bench: LoopBench, kind: type[W]) -> list[W]:
    """What has happened on the layout, of a kind."""
    return [event for event in bench.events_there if isinstance(event, kind)]


def along_mm(bench: LoopBench, vehicle: str = "L") -> float:
    """Where the middle of a vehicle is along head, T1 and a siding."""
    for where, vehicles in bench.world.truth().on.items():
        for one in vehicles:
            if one.name == vehicle:
                before_mm = 0.0 if where == "head" else 500.0 if ">" in where else 782.0
                return before_mm + (one.from_mm + one.to_mm) / 2
    raise AssertionError(f"{vehicle} is nowhere")


def speed(bench: LoopBench) -> float:
    return bench.world.speed_mm_s("L")


def drive_until(bench: LoopBench, forward: bool, step: int, so: Callable[[], bool], within_s: float = 20.0) -> None:
    """Drive until something is so, then brake to a stand."""
    assert accepted(bench.ask(Drive(forward, step)))
    bench.until(so, within_s)
    assert accepted(bench.ask(Drive(forward, 0)))
    bench.until(lambda: bench.world.standing, 3.0)


def fast_with(bench: LoopBench, least_mm_s: float = 100.0) -> int:
    """Armed, and driven forward at a speed of at least so much; returns the step."""
    bench.arm()
    step = FAST
    assert accepted(bench.ask(Drive(FORWARD, step), 1.2))
    while speed(bench) < least_mm_s:
        step += 1
        assert accepted(bench.ask(Drive(FORWARD, step), 0.05))
    return step


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
        assert refused(Refusal.RANGE, bench.ask(Set(Setting.HEARTBEAT_MS, 0, 1000), 0.0)) is False
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


# ---------------------------------------------------------------- a host that dies


def test_a_train_stands_when_its_host_is_silent_and_stays_so(bench: LoopBench) -> None:
    fast_with(bench)
    assert 100.0 <= speed(bench) < 106.0
    bench.until(lambda: bench.now_s - bench.last_beat_s < 0.002, 1.0)
    bench.beating_until_s = -1.0
    silent_s, at_mm = bench.last_beat_s, along_mm(bench)
    bench.until(lambda: not bench.world.powered, 1.1)
    assert 0.99 < bench.now_s - silent_s <= 1.01
    assert bench.side.duty == 0
    bench.until(lambda: bench.world.standing, 1.0)
    assert bench.now_s - silent_s < 1.5
    assert along_mm(bench) - at_mm < 150.0
    assert bench.latest(Latched) == Latched(Latch.HEARTBEAT)

    at_mm = along_mm(bench)
    bench.beat(60.0)
    bench.run(1.0)
    assert refused(Refusal.LATCHED, bench.ask(Drive(FORWARD, FAST), 1.0))
    assert refused(Refusal.LATCHED, bench.ask(Magnet(1, 100)))
    assert not bench.world.powered
    assert refused(Refusal.MOVING, bench.ask(Arm())), "what it was commanded before is not taken up again"
    assert accepted(bench.ask(Drive(FORWARD, 0)))
    assert accepted(bench.ask(Arm(), 2.0))
    assert bench.world.powered
    assert along_mm(bench) == at_mm
    assert accepted(bench.ask(Drive(FORWARD, 8), 1.0))
    assert along_mm(bench) > at_mm


def test_the_stop_byte_stops_in_the_midst_of_a_line(bench: LoopBench) -> None:
    fast_with(bench)
    line = write_command(bench.numbers.take(), Drive(FORWARD, 126))
    bench.node.receive("usb", line[:7] + STOP, bench.now_s)
    stopped_s = bench.now_s
    bench.until(lambda: not bench.world.powered, 0.01)
    assert bench.now_s - stopped_s < 0.005
    bench.until(lambda: bool(bench.events(End)), 0.3)
    assert bench.latest(Latched) == Latched(Latch.STOP)
    bench.until(lambda: bench.world.standing, 0.6)
    bench.run(2.0)
    assert bench.world.standing


@pytest.mark.parametrize("how", ["reset", "brown-out", "hang"])
def test_a_node_that_starts_anew_lets_nothing_run(node: Made, how: str) -> None:
    with node(track=fork_track(marks={"L": Place("head", None, 100.0)})) as bench:
        assert accepted(bench.ask(Set(Setting.WATCHDOG, 0, 1)))
        assert accepted(bench.ask(Turnout(1, False), 1.0))
        fast_with(bench)
        assert accepted(bench.ask(Turnout(1, True)))
        bench.run(0.2)
        assert bench.world.truth().lie == {"T1": "moving"}
        bench.forget()
        bench.beating_until_s = -1.0
        began_s, at_mm = bench.now_s, along_mm(bench)
        bench.heard.clear()
        bench.board.ask(how)
        bench.until(lambda: not bench.world.powered, 0.3)
        assert bench.now_s - began_s <= (0.27 if how == "hang" else 0.003)
        bench.until(lambda: bench.world.standing, 0.6)
        assert along_mm(bench) - at_mm < 60.0
        bench.until(lambda: bool(bench.events(Latched)), 1.0)
        (about,) = bench.events(About)
        assert about.reset is {"reset": Reset.BUTTON, "brown-out": Reset.BROWNOUT, "hang": Reset.WATCHDOG}[how]
        assert bench.latest(Latched) == Latched(Latch.BOOT)
        pulses, at_mm = bench.side.pulses, along_mm(bench)
        bench.beat(60.0)
        bench.run(3.0)
        for moves in (Arm(), Drive(FORWARD, FAST), Turnout(1, True)):
            assert refused(Refusal.VERSION, bench.ask(moves)), "it may be another host than before"
        bench.greet()
        assert refused(Refusal.LATCHED, bench.ask(Drive(FORWARD, FAST)))
        bench.heard.clear()
        assert accepted(bench.ask(State(), 0.2))
        assert bench.events(Points)[0] == Points(1, Lie.UNKNOWN)
        assert bench.side.pulses == pulses, "no servo moves before it is commanded"
        assert bench.world.truth().lie == {"T1": "moving"}, "it stands where the pulses ended"
        assert (along_mm(bench), bench.world.powered) == (at_mm, False)


def test_a_program_that_hangs_without_a_watchdog_lets_nothing_run(bench: LoopBench) -> None:
    fast_with(bench)
    assert accepted(bench.ask(Magnet(1, 500)))
    bench.forget()
    at_mm, hung_s = along_mm(bench), bench.now_s
    bench.board.ask("hang")
    bench.until(lambda: not bench.world.powered, 0.3)
    assert bench.now_s - hung_s < 0.27
    assert bench.world.magnets_on == frozenset()
    bench.run(2.0)
    assert bench.world.standing
    assert along_mm(bench) - at_mm < 60.0


# ---------------------------------------------------------------- a line that is not as it should be


def test_five_hundred_commands_one_after_the_other_are_all_carried_out(bench: LoopBench) -> None:
    since_s = bench.now_s
    values = [1000 + i for i in range(500)]
    numbers = [bench.tell(Set(Setting.CLOSED_US, 2, value)) for value in values]
    bench.until(lambda: numbers[-1] in bench.answers, 10.0)
    assert all(bench.answers[number] == Accepted(number) for number in numbers)
    assert bench.ask(Get(Setting.CLOSED_US, 2)) == Accepted(numbers[-1] + 1, (str(values[-1]),))
    assert bench.now_s - since_s < 500 * 0.012


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
    assert bench.now_s < 10.0
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
