"""``node`` as a program of its own, at a simulated node on a pty, in real time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from node_hex import hex_of, image
from programs import Program, tool

pytestmark = pytest.mark.system

NODE = Path(__file__).parents[1] / "support" / "node_on_line.py"
HEX = hex_of(image(57))


@contextmanager
def node(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A node on a pty of its own: the path of its port, and its program."""
    there = subprocess.Popen(
        [sys.executable, str(NODE), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert there.stdout is not None
    try:
        yield there.stdout.readline().strip(), there
    finally:
        there.communicate()
        assert there.returncode == 0


@contextmanager
def called(*words: str, env: dict[str, str] | None = None) -> Iterator[Program]:
    program = Program(tool("pointsman"), "node", *words, env=env)
    try:
        yield program
    finally:
        program.close()


def do(there: subprocess.Popen[str], what: str) -> None:
    assert there.stdin is not None
    there.stdin.write(what + "\n")
    there.stdin.flush()


def test_the_monitor_tells_what_happens_until_its_time_is_over() -> None:
    with node() as (port, there), called("monitor", "--on", f"serial:{port}") as program:
        program.expect("Arduino Uno or Nano, firmware")
        program.expect("that is its whole state")
        do(there, "pin 3 1")
        program.expect("beam 3: something is in it")
        do(there, "reset")
        program.expect("it has started anew: the reset button")
        assert program.interrupted() == 130
    with node() as (port, _), called("monitor", "--on", f"serial:{port}", "--seconds", "0.5") as program:
        assert program.ends() == 0


def test_a_servo_is_set_up_and_the_watchdog_tried() -> None:
    with node() as (port, _), called("setup", "--on", f"serial:{port}") as program:
        program.expect("quit +end")
        for typed, told in [
            ("machine 1 servo", "machine of turnout 1: servo"),
            ("closed 1 1400", "turnout 1: closed"),
            ("thrown 1 1650", "turnout 1: thrown"),
            ("closed 1 +20", r"(?s)closed_us of turnout 1: 1420.*turnout 1: closed"),
            ("watchdog", "that would store all settings"),
            ("store", "stored"),
            ("watchdog", r"\[y/N\]"),
            ("y", "the watchdog is on from now on"),
            ("show", "closed_us of each turnout: 1420 1500"),
        ]:
            program.text = ""
            program.answer(typed)
            program.expect(told)
        program.answer("quit")
        assert program.ends() == 0


def test_an_end_that_is_typed_or_a_ctrl_c_says_what_was_not_stored() -> None:
    with node() as (port, _), called("setup", "--on", f"serial:{port}") as program:
        program.expect("quit +end")
        program.answer("set beam_on_ms 9")
        program.type("\x04")
        program.expect(r"Not stored: beam_on_ms\. End all the same\? \[y/N\]")
        program.answer("perhaps")
        program.asked(r"Please answer y or n\.\s+Not stored.*\[y/N\]\s+> $")
        program.answer("n")
        program.type("\x04")
        program.asked("End all the same")
        program.type("\x04")
        program.expect("not stored, and gone when the node starts anew: beam_on_ms")
        assert program.ends() == 0
    with node() as (port, _), called("setup", "--on", f"serial:{port}") as program:
        program.expect("quit +end")
        program.answer("machine 1 servo")
        program.answer("show")
        program.expect("machine of each turnout: servo")
        assert program.interrupted() == 130
        program.expect("not stored, and gone when the node starts anew: machine of turnout 1")


def test_a_board_that_does_not_come_back_is_said_so() -> None:
    with node("--old-bootloader") as (port, _), called("setup", "--on", f"serial:{port}") as program:
        program.expect("quit +end")
        program.answer("watchdog")
        program.expect(r"\[y/N\]")
        program.answer("y")
        program.expect("did not come back", within_s=30.0)
        program.expect("The watchdog stays off")
        assert program.ends() == 5


def test_the_doctor_looks_at_a_node_at_its_port() -> None:
    with node() as (port, there):
        words = ("doctor", "inglenook-small", "--hardware", "dccex+node", "--on", f"node=serial:{port}", "--watch", "0")
        program = Program(tool("pointsman"), *words)
        try:
            program.expect("Opening the port. On most boards that resets the node")
            program.expect(r"settings\W+memory\W+SAFE DEFAULTS")
            program.expect("Watching until Ctrl-C")
            do(there, "pin 3 1")
            program.expect("beam s2: BROKEN")
            program.signal(signal.SIGINT)
            assert program.ends() == 5
            told = " ".join(program.text.split())
            assert "turnout T1 (1) is set to machine 0 (nothing is fitted) at the node" in told
            assert "Not looked at: station main (locomotive L)" in told
        finally:
            program.close()


def test_the_doctor_knows_a_node_at_once_where_no_layout_is_named() -> None:
    with node() as (port, _):
        program = Program(tool("pointsman"), "doctor", "--on", f"serial:{port}")
        try:
            program.expect(r"a node answers there \((Arduino Uno or Nano|an Arduino)\), and no DCC-EX station", 15.0)
            assert program.ends() == 5
            assert "inglenook --hardware uno-dc" in " ".join(program.text.split())
        finally:
            program.close()


def test_a_board_is_flashed_and_greeted(tmp_path: Path) -> None:
    (tmp_path / "avrdude").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/called\n')
    (tmp_path / "avrdude").chmod(0o755)
    firmware = tmp_path / "firmware.hex"
    firmware.write_text(HEX)
    path = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    with node() as (port, _):
        words = ("flash", "--on", f"serial:{port}", "--board", "mega", "--hex", str(firmware))
        with called(*words, env=path) as program:
            program.expect(r"(?s)What the board does now is replaced.*\[y/N\]")
            program.answer("n")
            assert program.ends() == 1
            assert not (tmp_path / "called").exists()
        with called(*words, env=path) as program:
            program.expect(r"\[y/N\]")
            program.answer("y")
            program.expect(r"It is on the board\. Arduino Uno or Nano, firmware")
            assert program.ends() == 0
        chip = ["-p", "atmega2560", "-c", "wiring", "-b", "115200"]
        called_with = (tmp_path / "called").read_text().split()
        assert called_with == [*chip, "-D", "-P", port, "-U", f"flash:w:{firmware}:i"]


def test_a_flashing_that_is_broken_off_says_that_the_board_may_hold_half_a_program(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "avrdude").write_text(f"#!/bin/sh\nexec cat {tmp_path}/fifo\n")
    (tmp_path / "avrdude").chmod(0o755)
    firmware = tmp_path / "firmware.hex"
    firmware.write_text(HEX)
    path = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    with node() as (port, _):
        words = ("flash", "--on", f"serial:{port}", "--board", "mega", "--hex", str(firmware), "--yes")
        with called(*words, env=path) as program:
            end = os.open(tmp_path / "fifo", os.O_WRONLY)  # waits until it is read: then avrdude runs
            assert program.interrupted() == 130
            program.expect("the board may hold half a program: flash it again")
            os.close(end)
