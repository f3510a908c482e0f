"""The compiled firmware on each of its boards: what is fitted, the pins at its ends, the watchdog, a silent host."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from loop_bench import BOOT_S, STANDS_WITHIN_MM, STANDS_WITHIN_S, LoopBench, needs_firmware
from loop_drive import FAST, Made
from node_bench import FORWARD, REVERSE, accepted, refused
from sim_tracks import line_track
from way import along_mm

from pointsman.protocols.node import Accepted
from pointsman.protocols.node_constants import Board, Latch, Refusal, Reset, Setting
from pointsman.protocols.node_messages import (
    About,
    Beam,
    Drive,
    Hello,
    Latched,
    Magnet,
    Set,
    Trip,
    Turnout,
    about_of,
)
from railsim.node_firmware import SOLENOID

pytestmark = needs_firmware

COIL_MS = 100


@dataclass(frozen=True)
class Pins:
    """A board by firmware/README.md: how many of each, and the pins of the first and the last one."""

    board: Board
    counts: tuple[int, int, int]
    points: dict[int, tuple[str, str]]
    beams: dict[int, str]
    magnets: dict[int, str]


BOARDS = {
    "uno": Pins(Board.UNO, (2, 4, 3), {1: ("10", "7"), 2: ("11", "8")}, {1: "A2", 4: "A5"}, {1: "4", 3: "6"}),
    "mega": Pins(Board.MEGA, (5, 12, 9), {1: ("22", "23"), 5: ("30", "31")}, {1: "A2", 12: "A13"}, {1: "32", 9: "40"}),
}
RELAY, DIRECTION, SPEED, BRAKE = "2", "12", "3", "9"


@pytest.fixture(params=BOARDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def at_mm(bench: LoopBench) -> float:
    """Where the middle of L is on its one track."""
    return along_mm(bench.world.truth(), {"a": 0.0})


def test_it_says_what_is_fitted_and_refuses_what_is_not(node: Made, kind: str) -> None:
    pins = BOARDS[kind]
    turnouts, beams, magnets = pins.counts
    with node(kind=kind) as bench:
        about = About(1, "0.1.0", pins.board, Reset.POWER, turnouts, beams, magnets, dc=True, relay=True)
        assert bench.events(About) == [about]
        answer = bench.ask(Hello())
        assert isinstance(answer, Accepted)
        assert about_of(answer.values) == about
        bench.arm()
        for one_more in (Turnout(turnouts + 1, True), Magnet(magnets + 1, COIL_MS)):
            assert refused(Refusal.ABSENT, bench.ask(one_more))
        assert refused(Refusal.ABSENT, bench.ask(Set(Setting.BEAM_INVERTED, beams + 1, 1)))


def test_a_servo_and_a_solenoid_at_the_first_and_the_last_turnout(node: Made, kind: str) -> None:
    pins = BOARDS[kind]
    with node(kind=kind) as bench:
        bench.arm()
        for turnout, (first, second) in pins.points.items():
            assert accepted(bench.ask(Turnout(turnout, True), 0.2))
            pulse = bench.board.pulse(first)
            assert pulse is not None
            assert pulse[0] > 1600.0
            assert bench.board.pin(second) == "0"
            bench.run(1.5)
    with node(kind=kind) as bench:
        for turnout in pins.points:
            assert accepted(bench.ask(Set(Setting.MACHINE, turnout, SOLENOID)))
        bench.run(3.0)
        bench.arm()
        for turnout, both in pins.points.items():
            for thrown in (False, True):
                assert accepted(bench.ask(Turnout(turnout, thrown), 0.01))
                levels = tuple(bench.board.pin(pin) for pin in both)
                assert levels == (("0", "1") if thrown else ("1", "0"))
                bench.run(2.5)
                assert [bench.board.pin(pin) for pin in both] == ["0", "0"]


def test_the_first_and_the_last_beam_and_magnet(node: Made, kind: str) -> None:
    pins = BOARDS[kind]
    with node(kind=kind) as bench:
        for beam, pin in pins.beams.items():
            bench.node.set_pin(pin, False, bench.now_s)
            bench.run(0.1)
            for high in (True, False):
                bench.heard.clear()
                bench.node.set_pin(pin, high, bench.now_s)
                bench.run(0.1)
                assert bench.events(Beam) == [Beam(beam, high)]
        bench.arm()
        for magnet, pin in pins.magnets.items():
            assert bench.board.pin(pin) == "0"
            assert accepted(bench.ask(Magnet(magnet, COIL_MS), 0.01))
            assert bench.board.pin(pin) == "1"
            bench.run(COIL_MS / 1000)
            assert bench.board.pin(pin) == "0"


def test_the_relay_and_the_throttle_and_a_silent_host(node: Made, kind: str) -> None:
    with node(kind=kind, track=line_track(4000.0, mark_mm=500.0), position="a: L", seed=5) as bench:
        assert bench.board.pin(RELAY) == "0"
        bench.arm()
        assert bench.board.pin(RELAY) == "1"
        assert accepted(bench.ask(Drive(REVERSE, 8), 0.2))
        backward = bench.board.pin(DIRECTION)
        assert accepted(bench.ask(Drive(REVERSE, 0)))
        bench.until(lambda: bench.world.standing, 1.0)
        assert accepted(bench.ask(Drive(FORWARD, FAST), 1.5))
        assert {backward, bench.board.pin(DIRECTION)} == {"0", "1"}
        assert bench.board.duty(SPEED) == pytest.approx(0.55, abs=0.03)
        assert bench.world.speed_mm_s("L") >= 100.0
        assert bench.board.pin(BRAKE) == "0"
        bench.until(lambda: bench.now_s - bench.last_beat_s < 0.002, 1.0)
        bench.beating_until_s = -1.0
        silent_s, silent_mm = bench.last_beat_s, at_mm(bench)
        bench.until(lambda: not bench.world.powered, 1.1)
        assert 0.99 < bench.now_s - silent_s <= 1.01
        assert bench.board.pin(RELAY) == "0"
        bench.until(lambda: bench.world.standing, 1.0)
        assert bench.now_s - silent_s < STANDS_WITHIN_S
        assert at_mm(bench) - silent_mm < STANDS_WITHIN_MM
        stood_mm = at_mm(bench)
        bench.beat(60.0)
        bench.run(1.0)
        assert bench.latest(Latched) == Latched(Latch.HEARTBEAT)
        assert refused(Refusal.LATCHED, bench.ask(Drive(FORWARD, FAST), 1.0))
        assert (at_mm(bench), bench.board.pin(RELAY), bench.board.duty(SPEED)) == (stood_mm, "0", 0.0)


def test_a_watchdog_tried_on_purpose_comes_back_and_the_train_can_be_driven(node: Made, kind: str) -> None:
    with node(kind=kind, track=line_track(4000.0, mark_mm=500.0), position="a: L", seed=5) as bench:
        bench.heard.clear()
        assert accepted(bench.ask(Trip()))
        bench.forget()
        bench.until(lambda: bool(bench.events(Latched)), BOOT_S + 1.0)
        assert [about.reset for about in bench.events(About)] == [Reset.WATCHDOG]
        assert bench.latest(Latched) == Latched(Latch.BOOT)
        assert bench.board.pin(RELAY) == "0"
        bench.greet()
        assert accepted(bench.ask(Set(Setting.WATCHDOG, 0, 1)))
        bench.arm()
        began_mm = at_mm(bench)
        assert accepted(bench.ask(Drive(FORWARD, FAST), 3.0))
        assert at_mm(bench) > began_mm + 150.0
        assert len(bench.events(About)) == 1, "it is not reset again: its watchdog is fed"
