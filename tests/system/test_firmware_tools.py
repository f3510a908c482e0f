"""``node`` as a program of its own at the compiled firmware, on the pty of each board, by the wall clock."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from avr_node import pins_of
from avrsim import Board
from loop_bench import firmware, needs_firmware
from programs import Program, running, tool

pytestmark = [pytest.mark.system, *needs_firmware]

HOST = Path(__file__).parents[1] / "support" / "node_host.py"
NAMES = {"uno": "Arduino Uno or Nano", "mega": "Arduino Mega 2560"}


@pytest.fixture(params=NAMES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def board(kind: str, tmp_path: Path) -> Iterator[Board]:
    """A new board that runs by the wall clock; its beams see light."""
    with Board(kind, firmware(kind), "--real-time", eeprom=tmp_path / "eeprom") as made:
        for pin in pins_of(kind)["BEAM_PINS"]:
            made.drive(pin, "0")
        yield made


def node(board: Board, word: str) -> Program:
    return Program(tool("pointsman"), "node", word, "--on", f"serial:{board.pty}")


def test_the_monitor_tells_what_happens_on_the_board(board: Board, kind: str) -> None:
    beams = pins_of(kind)["BEAM_PINS"]
    with running(lambda: node(board, "monitor")) as program:
        program.expect(f"{NAMES[kind]}, firmware")
        program.expect("that is its whole state")
        board.drive(beams[-1], "1")
        program.expect(f"beam {len(beams)}: something is in it")
        board.drive(beams[-1], "0")
        program.expect(f"beam {len(beams)}: free")
        board.ask("reset")
        program.expect("it has started anew: the reset button")
        assert program.interrupted() == 130


def test_the_watchdog_is_tried_and_the_board_can_be_driven_again(board: Board, kind: str) -> None:
    with running(lambda: node(board, "setup")) as program:
        program.expect("quit +end")
        program.answer("watchdog")
        program.expect(r"\[y/N\]")
        program.answer("y")
        program.expect("it has started anew, by the trial")
        program.expect("it came back: the watchdog is on from now on")
        program.answer("quit")
        assert program.ends() == 0
    board.stand()  # what it told meanwhile is read
    assert [event.values for event in board.events if event.kind == "reset"][-1] == ("watchdog",)
    pins = pins_of(kind)
    with running(lambda: Program(sys.executable, str(HOST), board.pty, "60")) as program:
        program.expect("drives")
        program.expect(r"(?s)drives.*Accepted.*Accepted")
        assert board.pin(pins["RELAY_PIN"][0]) == "1"
        assert board.duty(pins["DC_SPEED_PIN"][0]) > 0.2
