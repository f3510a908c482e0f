"""What simavr 1.6 does wrong and avrsim puts right: each of these fails without its repair."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
import serial
from avrsim import Board, needs_avrsim, opened, sketch

pytestmark = [needs_avrsim, pytest.mark.parametrize("kind", ["uno", "mega"])]

BEGUN_US = 5_000
BYTE_US = 85.0
"""17 x 8 cycles a bit at 16 MHz, ten bits."""
OC1A = {"uno": 9, "mega": 11}
OC2B = {"uno": 3, "mega": 9}
BUSY = {"uno": 12, "mega": 10}
PIN_OF_INT0 = {"uno": 2, "mega": 21}


def board(kind: str, name: str, *options: str) -> Board:
    return Board(kind, sketch(name, kind), *options)


def pulse(uno: Board, pin: int) -> tuple[float, float]:
    found = uno.pulse(pin)
    assert found is not None, f"no pulse on pin {pin}"
    return found[:2]


def test_a_compare_value_written_while_timer_1_runs_in_mode_14_holds(kind: str) -> None:
    with board(kind, "servo") as uno:
        uno.grant(50_000)
        assert pulse(uno, OC1A[kind]) == pytest.approx((1000, 20_000), abs=1)
        uno.say(b"z")
        uno.grant(50_000)
        assert pulse(uno, OC1A[kind]) == pytest.approx((1944, 20_000), abs=1)


def test_a_top_written_while_timer_1_runs_in_mode_14_holds_at_once(kind: str) -> None:
    with board(kind, "servo") as uno:
        uno.grant(47_000)  # in the middle of a period
        uno.say(b"+")
        uno.grant(18_000)  # 20 ms would have ended this period at 60 ms
        assert uno.pin(OC1A[kind]) == "0"
        uno.grant(70_000)
        assert pulse(uno, OC1A[kind]) == pytest.approx((1000, 30_000), abs=1)
        uno.say(b"-")
        uno.grant(70_000)
        assert pulse(uno, OC1A[kind]) == pytest.approx((1000, 20_000), abs=1)


def test_timer_1_has_the_mode_that_counts_up_and_down(kind: str) -> None:
    with board(kind, "motor") as uno:
        uno.grant(5000)
        assert uno.duty(OC1A[kind]) == pytest.approx(0.25)
        assert pulse(uno, OC1A[kind]) == pytest.approx((12.5, 50), abs=0.25)
        uno.watch(OC1A[kind], "edges")
        uno.say(bytes([200]))
        begins = [one.at_us for one in uno.grant(5000) if one.kind == "edge" and one.values[1] == "1"]
        # A new compare value does not break the row of periods.
        assert [later - earlier for earlier, later in pairwise(begins)] == [pytest.approx(50, abs=0.25)] * 99
        assert uno.duty(OC1A[kind]) == pytest.approx(0.5)
        assert pulse(uno, OC1A[kind]) == pytest.approx((25, 50), abs=0.25)


def test_an_8_bit_timer_counts_up_and_down(kind: str) -> None:
    with board(kind, "motor") as uno:
        uno.grant(BEGUN_US)
        uno.say(b"1")
        uno.grant(10_000)
        assert uno.duty(OC2B[kind]) == pytest.approx(63 / 255, abs=1e-6)
        assert pulse(uno, OC2B[kind]) == pytest.approx((2 * 63 * 4, 2 * 255 * 4), abs=0.5)
        for letter, level in [(b"\xff", "1"), (b"\0", "0")]:  # without a gap, and without a pulse
            uno.say(letter)
            uno.grant(5000)
            uno.watch(OC2B[kind], "edges")
            uno.events.clear()
            assert [one for one in uno.grant(5000) if one.kind == "edge"] == []
            assert uno.pin(OC2B[kind]) == level


def test_the_part_of_an_8_bit_timer_is_told_when_it_changes(kind: str) -> None:
    with board(kind, "motor") as uno:
        uno.grant(BEGUN_US)
        uno.watch(OC2B[kind], "duty")
        told = []
        for letter in (b"\x7f", b"\xff", b"0"):  # the last one takes the timer off its pin
            uno.say(letter)
            told += [one.values for one in uno.grant(2000) if one.kind == "duty"]
        assert told == [(str(OC2B[kind]), part) for part in ("0.500000", "1.000000", "0.000000")]


def test_other_pins_of_a_port_leave_a_compare_output_alone(kind: str) -> None:
    with board(kind, "motor") as uno:
        uno.grant(BEGUN_US)
        uno.watch(OC1A[kind], "edges")
        uno.watch(BUSY[kind], "edges")
        events = uno.grant(10_000)
        edges = [one.at_us for one in events if one.kind == "edge" and one.values[0] == str(OC1A[kind])]
        busy = [one for one in events if one.kind == "edge" and one.values[0] == str(BUSY[kind])]
        assert len(busy) > 1000
        assert len(edges) == 400
        widths = [later - earlier for earlier, later in pairwise(edges)]
        assert all(min(abs(width - 12.5), abs(width - 37.5)) < 0.25 for width in widths)


def test_a_low_pin_of_an_interrupt_does_not_slow_the_board(kind: str) -> None:
    def cpu_ns(uno: Board) -> int:
        stat = Path(f"/proc/{uno.process.pid}/schedstat")
        before = int(stat.read_text().split()[0])
        uno.grant(300_000)
        return int(stat.read_text().split()[0]) - before

    with board(kind, "light") as uno:
        free = cpu_ns(uno)
        uno.ask("reset")  # simavr begins again to look in every cycle
        uno.grant(201_000)
        uno.drive(PIN_OF_INT0[kind], "1")
        uno.drive(PIN_OF_INT0[kind], "0")
        # Looked at in every cycle it costs seven times as much; a busy machine adds to both.
        assert cpu_ns(uno) < 3 * free


def test_a_byte_lasts_ten_bits_both_ways(kind: str) -> None:
    with board(kind, "commands") as uno:
        uno.ask("uart on")
        uno.grant(BEGUN_US)
        uno.events.clear()
        uno.say(b"0123456789" * 100)
        uno.grant(1000 * BYTE_US + 1000)
        assert uno.heard() == b"0123456789" * 100
        ends = [one.at_us for one in uno.events if one.kind == "uart"][-1]
        last_count = len(bytes.fromhex(uno.events[-1].values[0]))
        # The last one came after a thousand bytes, and took one more to go back.
        assert ends + (last_count - 1) * BYTE_US == pytest.approx(BEGUN_US + 1001 * BYTE_US, abs=30)


def test_the_clock_goes_on_over_a_reset(kind: str) -> None:
    with board(kind, "commands") as uno:
        uno.watch(13, "edges")
        uno.grant(BEGUN_US)
        uno.say(b"w")
        uno.grant(400_000)
        uno.ask("reset")
        uno.grant(300_000)
        times = [one.at_us for one in uno.events]
        assert times == sorted(times)
        resets = [one.at_us for one in uno.events if one.kind == "reset"]
        assert resets == [pytest.approx(BEGUN_US + 256_085, abs=100), BEGUN_US + 400_000]
        assert uno.stand()["now"] == 705_000


def test_a_pull_up_is_seen_again_after_a_reset(kind: str) -> None:
    with board(kind, "commands", "--boot-us", "0") as uno:
        uno.ask("uart on")
        for _ in range(2):
            uno.grant(BEGUN_US)
            uno.say(b"ui")
            uno.grant(1000)
            assert uno.heard().endswith(b"11")
            uno.ask("reset")


def test_an_input_that_is_driven_is_stronger_than_its_pull_up(kind: str) -> None:
    with board(kind, "commands") as uno:
        uno.ask("uart on")
        uno.drive(PIN_OF_INT0[kind], "0")
        uno.grant(BEGUN_US)
        uno.say(b"ui")
        uno.grant(1000)
        assert uno.heard().endswith(b"01")
        uno.drive(PIN_OF_INT0[kind], "z")
        uno.say(b"i")
        uno.grant(1000)
        assert uno.heard().endswith(b"11")


def test_an_input_that_is_driven_stays_so_over_a_reset(kind: str) -> None:
    with board(kind, "commands", "--boot-us", "0") as uno:
        uno.ask("uart on")
        uno.drive(PIN_OF_INT0[kind], "1")
        for _ in range(2):
            uno.grant(BEGUN_US)
            uno.say(b"i")
            uno.grant(1000)
            assert uno.heard().endswith(b"10")
            uno.ask("reset")


def test_a_byte_of_the_eeprom_takes_its_time(kind: str) -> None:
    with board(kind, "commands") as uno:
        uno.ask("uart on")
        uno.grant(BEGUN_US)
        uno.events.clear()
        uno.say(b"e")
        uno.grant(3400)
        assert uno.heard() == b""
        uno.grant(500)
        assert uno.heard() == b"0\n"


def test_the_host_that_has_gone_leaves_no_bytes_for_the_next(kind: str) -> None:
    with board(kind, "commands", "--no-reset-on-open") as uno:
        with opened(uno):
            uno.grant(BEGUN_US)
        uno.say(b"UNREAD")
        uno.grant(2000)
        with serial.Serial(uno.pty, 115200, timeout=5) as port:
            uno.grant(1000)
            uno.say(b"READ")
            uno.grant(1000)
            assert port.read(4) == b"READ"
            assert uno.stand()["unread"] == len(b"UNREAD")


def test_a_host_that_has_gone_without_reading_leaves_no_bytes_for_the_next(kind: str) -> None:
    with board(kind, "commands", "--no-reset-on-open") as uno:
        with opened(uno):
            uno.grant(BEGUN_US)
            for _ in range(12):  # more than a pty holds: the rest waits in avrsim
                uno.say(b"O" * 2000)
                uno.grant(200_000)
            assert uno.sent() > 24_000
        assert uno.grant(1000)[-1].kind == "closed"
        with serial.Serial(uno.pty, 115200, timeout=5) as port:
            uno.grant(1000)
            uno.say(b"READ")
            uno.grant(1000)
            assert port.read(4) == b"READ"


def test_a_client_that_does_not_read_does_not_hold_the_board(kind: str) -> None:
    with board(kind, "motor", "--real-time") as uno:
        uno.watch(BUSY[kind], "edges")
        until = time.monotonic() + 60
        # 130,000 edges in a second: far more than a socket holds. The pty answers all the same.
        with serial.Serial(uno.pty, 115200, timeout=20) as port:
            assert port.read(6) == b"begun\n"
            for count in range(200):
                port.write(bytes([100 + count % 2]))
                assert port.read(1) == bytes([100 + count % 2])
                assert time.monotonic() < until
        uno.ask("stand")
        assert len([one for one in uno.events if one.kind == "edge"]) > 20_000
