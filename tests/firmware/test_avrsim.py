"""avrsim: a sketch on an Uno or Mega, its serial port on a pty, its pins on a socket, in lockstep and in real time."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
import serial
from avrsim import BUILD, Board, Event, RefusedError, build, needs_avrsim, opened, read, sketch

pytestmark = [needs_avrsim, pytest.mark.parametrize("kind", ["uno", "mega"])]

BANNER_US = 5_000
BOOT_US = 200_000
PIN_OF_INT0 = {"uno": 2, "mega": 21}


def kinds(events: list[Event], *wanted: str) -> list[tuple[str, ...]]:
    return [(one.kind, *one.values) for one in events if one.kind in wanted]


def board(kind: str, *options: str, name: str = "commands", eeprom: Path | None = None) -> Board:
    return Board(kind, sketch(name, kind), *options, eeprom=eeprom)


def played(kind: str) -> tuple[list[Event], bytes]:
    """A run with bytes through the pty, a button pressed, and a light."""
    with board(kind) as uno:
        uno.ask("uart on")
        uno.watch(13, "edges", "pulses")
        with opened(uno) as host:
            uno.grant(BOOT_US + BANNER_US)
            heard, written = read(host, uno.sent()), 0
            for count, letters in enumerate([b"hl" * 20, b"ABCDEFGH", b"h", b"l", b"w"], start=1):
                written += os.write(host, letters)
                uno.grant(1_234.5 * count, host_bytes=written)
            uno.ask("reset")
            uno.grant(BOOT_US + 300_000)
            heard += read(host, uno.sent() - len(heard))
        return uno.events, heard


def test_the_same_bytes_give_the_same_edges_in_each_run(kind: str) -> None:
    events, heard = played(kind)
    assert len([one for one in events if one.kind == "edge"]) > 40
    assert b"ABCDEFGH" in heard
    assert played(kind) == (events, heard)


def test_bytes_of_the_host_that_did_not_come_are_asked_for(kind: str) -> None:
    with board(kind) as uno, pytest.raises(RefusedError, match="not written so many bytes"):
        uno.grant(100, host_bytes=1)


def test_opening_the_pty_resets_the_board_and_its_banner_is_seen(kind: str) -> None:
    with board(kind) as uno:
        uno.ask("uart on")
        uno.grant(BANNER_US)
        assert uno.heard() == b"begun 1\n"
        with serial.Serial(uno.pty, 115200, timeout=5) as port:
            assert kinds(uno.grant(BOOT_US + BANNER_US), "opened", "reset") == [("opened",), ("reset", "external")]
            assert port.read(8) == b"begun 2\n"
            assert kinds(uno.grant(1000), "reset") == []
        assert kinds(uno.grant(1000), "closed", "reset") == [("closed",)]
        with serial.Serial(uno.pty, 115200):
            assert kinds(uno.grant(1000), "opened", "reset") == [("opened",), ("reset", "external")]


def test_a_board_that_is_not_reset_by_opening_goes_on(kind: str) -> None:
    with board(kind, "--no-reset-on-open") as uno:
        uno.grant(BANNER_US)
        with serial.Serial(uno.pty, 115200, timeout=5) as port:
            port.write(b"X")
            uno.grant(1000, host_bytes=1)
            assert kinds(uno.events, "opened", "reset") == [("opened",)]
            assert port.read(uno.sent()) == b"X"


def test_a_pty_has_no_modem_lines(kind: str) -> None:
    with board(kind) as uno, serial.Serial(uno.pty, 115200) as port:
        with pytest.raises(OSError, match="25"):
            port.dtr = False
        with pytest.raises(OSError, match="25"):
            _ = port.cts


def test_what_comes_while_the_boot_loader_waits_is_lost(kind: str) -> None:
    with board(kind) as uno:
        uno.ask("uart on")
        uno.grant(BANNER_US)
        uno.ask("reset")
        uno.say(b"ABC")
        uno.grant(BOOT_US)
        uno.grant(BANNER_US)
        uno.say(b"D")
        uno.grant(1000)
        assert uno.heard() == b"begun 1\nbegun 2\nD"
        assert uno.stand()["unheard"] == 3


def test_an_endless_loop_ends_by_the_watchdog(kind: str) -> None:
    with board(kind) as uno:
        uno.ask("uart on")
        uno.grant(BANNER_US)
        uno.say(b"w")
        (reset,) = [one for one in uno.grant(300_000) if one.kind == "reset"]
        assert reset.values == ("watchdog",)
        assert reset.at_us == pytest.approx(BANNER_US + 256_000, abs=500)
        assert uno.heard() == b"begun 1\nbegun 8\n"
        uno.say(b"X")
        assert kinds(uno.grant(600_000), "reset", "uart") == [("uart", b"X".hex())]


def test_a_program_that_hangs_does_so_until_it_is_reset(kind: str) -> None:
    with board(kind) as uno:
        uno.ask("uart on")
        uno.grant(BANNER_US)
        uno.say(b"A")
        uno.grant(1000)
        uno.ask("hang")
        uno.say(b"B")
        uno.grant(100_000)
        with pytest.raises(RefusedError, match="nothing runs"):
            uno.ask("hang")
        uno.ask("reset")
        uno.grant(BOOT_US + BANNER_US)
        uno.say(b"C")
        uno.grant(1000)
        assert uno.heard() == b"begun 1\nAbegun 2\nC"


@pytest.mark.parametrize(("command", "cause", "flags"), [("reset", "external", 2), ("brown-out", "brown-out", 4)])
def test_the_sketch_learns_why_it_was_reset(kind: str, command: str, cause: str, flags: int) -> None:
    with board(kind) as uno:
        uno.grant(BANNER_US)
        uno.ask("uart on")
        uno.ask(command)
        assert kinds(uno.grant(BOOT_US + BANNER_US), "reset") == []  # it was told when it happened
        assert kinds(uno.events, "reset") == [("reset", cause)]
        assert uno.heard() == f"begun {flags}\n".encode()


def test_without_power_every_pin_floats(kind: str) -> None:
    with board(kind) as uno:
        uno.ask("uart on")
        uno.watch(13, "edges")
        uno.grant(BANNER_US)
        uno.say(b"h")
        uno.grant(1000)
        assert uno.pin(13) == "1"
        uno.ask("power off")
        assert kinds(uno.grant(1000), "edge") == []
        assert uno.pin(13) == "z"
        uno.ask("power on")
        uno.grant(BANNER_US)
        assert kinds(uno.events, "edge") == [("edge", "13", level) for level in "01z0"]
        assert uno.heard() == b"begun 1\n" * 2


def test_a_sketch_that_sleeps_for_ever_is_told_of(kind: str) -> None:
    with board(kind) as uno:
        uno.grant(BANNER_US)
        uno.say(b"z")
        assert kinds(uno.grant(1000), "stands") == [("stands", "asleep", "with", "interrupts", "off")]
        uno.ask("reset")
        uno.ask("uart on")
        uno.grant(BOOT_US + BANNER_US)
        assert uno.heard() == b"begun 2\n"


def test_the_eeprom_is_kept_however_the_program_ends(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "eeprom"
    for count, ended_by in enumerate([signal.SIGTERM, signal.SIGKILL, signal.SIGTERM]):
        with board(kind, eeprom=file) as uno:
            uno.grant(BANNER_US)
            uno.say(b"e")
            uno.grant(20_000)
            assert uno.eeprom(6, 3) == bytes([255, count, 255])
            uno.process.send_signal(ended_by)
            uno.process.wait(10)
    assert file.stat().st_size == {"uno": 1024, "mega": 4096}[kind]
    assert file.read_bytes()[7] == 2


def test_an_eeprom_of_another_board_is_refused(kind: str, tmp_path: Path) -> None:
    (tmp_path / "eeprom").write_bytes(bytes(100))
    with pytest.raises(AssertionError, match=r"has 100 bytes.*give it another file"):
        board(kind, eeprom=tmp_path / "eeprom")


def test_a_sketch_that_is_none_is_refused(kind: str, tmp_path: Path) -> None:
    (tmp_path / "sketch.elf").write_text("no sketch")
    with pytest.raises(AssertionError, match="no sketch there that can be read"):
        Board(kind, tmp_path / "sketch.elf")


def test_inputs_and_voltages_are_read(kind: str) -> None:
    with board(kind) as uno:
        uno.ask("uart on")
        uno.grant(BANNER_US)
        for a0, int0 in [("0", "1"), ("1", "0")]:
            uno.drive("A0" if kind == "uno" else 37, a0)
            uno.drive(PIN_OF_INT0[kind], int0)
            uno.say(b"i")
            uno.grant(1000)
            assert uno.heard()[-2:] == (int0 + a0).encode()
        for millivolts, wanted in [(0, 0), (2500, 511), (5000, 1023)]:
            uno.ask(f"analog A1 {millivolts}")
            uno.say(b" a")
            uno.grant(2000)
            assert int(uno.heard().split()[-1].decode()) == pytest.approx(wanted, abs=1)


def test_a_servo_pulse_is_measured(kind: str) -> None:
    pin = {"uno": 9, "mega": 11}[kind]
    with board(kind, name="servo") as uno:
        uno.watch(pin, "pulses")
        uno.grant(50_000)
        for step in (0, 12, 25):
            uno.say(bytes([ord("a") + step]))
            told = kinds(uno.grant(60_000), "pulse")
            pulse = uno.pulse(pin)
            assert pulse is not None
            assert pulse[0] == pytest.approx(544 + 56 * step, abs=1)
            assert pulse[1] == pytest.approx(20_000, abs=1)
            assert told[-1] == ("pulse", str(pin), f"{pulse[0]:.4f}")


def test_a_burst_of_lines_overflows_a_plain_sketch(kind: str) -> None:
    with board(kind, name="lines") as uno:
        uno.ask("uart on")
        uno.grant(1000)
        for _ in range(17):
            uno.say(b"turnout 7\n" * 10)
        uno.grant(400_000)
        uno.say(b".")
        uno.grant(10_000)
        lines, full = map(int, uno.heard().split())
        assert 100 < lines < 170
        assert full > 100
        # The chip itself lost nothing: its interrupt was always in time.
        assert uno.stand()["overrun"] == 0


def test_lines_one_at_a_time_all_arrive(kind: str) -> None:
    with board(kind, name="lines") as uno:
        uno.ask("uart on")
        uno.grant(1000)
        for _ in range(170):
            uno.say(b"turnout 7\n")
            uno.grant(2200)
        uno.say(b".")
        uno.grant(2000)
        assert uno.heard() == b"170 0\n"


def test_a_byte_that_is_not_fetched_is_overrun(kind: str) -> None:
    with board(kind) as uno:
        uno.grant(BANNER_US)
        uno.ask("uart on")
        uno.say(b"d" + b"0123456789")
        uno.grant(20_000)
        # The chip keeps two bytes and the one that is coming in.
        assert uno.heard() == b"012"
        assert uno.stand()["overrun"] == 7


WRONG = """fly, pin 99, pin A16, pin x, set 3 2, send 1, send xy, run, run -1, run x, analog 3 100, analog A0 5001
eeprom 4096 1, power, uart, , """


@pytest.mark.parametrize("command", [*WRONG.replace("\n", ", ").split(", "), "x" * 5000])
def test_what_is_asked_wrongly_is_refused(kind: str, command: str) -> None:
    with board(kind) as uno:
        with pytest.raises(RefusedError):
            uno.ask(command)
        assert uno.grant(100) == []


def test_simavr_has_eight_analog_pins(kind: str) -> None:
    with board(kind) as uno, pytest.raises(RefusedError, match="eight" if kind == "mega" else "wanted"):
        uno.ask("analog A8 100")


def test_by_the_wall_clock_it_answers_at_the_pty(kind: str) -> None:
    with board(kind, "--real-time") as uno, serial.Serial(uno.pty, 115200, timeout=10) as port:
        assert port.read(8).startswith(b"begun ")
        port.write(b"HELLO")
        assert port.read(5) == b"HELLO"
        with pytest.raises(RefusedError, match="wall clock"):
            uno.grant(100)


def test_a_program_that_was_stopped_does_not_hurry_after(kind: str) -> None:
    with board(kind, "--real-time") as uno:
        uno.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, uno.process.pid, os.WSTOPPED)
        threading.Event().wait(1.5)
        until = time.monotonic() + 20
        uno.process.send_signal(signal.SIGCONT)
        assert uno.stand()["now"] < 1_000_000
        while not any(one.kind == "late" for one in uno.events):
            uno.stand()
            assert time.monotonic() < until
        late = next(one for one in uno.events if one.kind == "late")
        assert late.at_us < 1_000_000
        assert float(late.values[0]) > 1_000_000


def test_the_command_line_says_what_it_wants(kind: str) -> None:
    build()
    asked = subprocess.run([BUILD / "avrsim", "--board", kind], capture_output=True, text=True, timeout=10, check=False)
    assert asked.returncode == 2
    assert asked.stderr.startswith("usage: avrsim")
