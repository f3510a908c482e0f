"""The program itself plays through the node's compiled firmware, by the board's serial port, in real time."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from avr_node import DC_TABLE, DcHidden, Healthy
from avrsim import Board
from loop_bench import eeprom_of, firmware, needs_firmware
from loop_play import wired_board
from paced_loop import PacedLoop
from programs import Program, change, running, tool
from short_play import layout

from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring
from railsim.setup import Setup
from railsim.world import World

__all__ = ["layout"]  # a fixture, found by its name

pytestmark = [pytest.mark.system, *needs_firmware]


@dataclass
class Sitting:
    port: str
    puzzle: Path
    loop: PacedLoop
    world: World

    def playing(self, folder: Path) -> Program:
        """The program plays the short puzzle."""
        return Program(
            *(tool("pointsman"), "play", str(self.puzzle), "--hardware", "uno-dc", "--facing", "to"),
            *("--on", f"serial:{self.port}", "--journal", str(folder / "journal")),
            env={"POINTSMAN_CACHE_DIR": str(folder / "cache")},
        )


@pytest.fixture
def sitting(tmp_path: Path, layout: Path) -> Iterator[Sitting]:
    table = ", ".join(f"[{step}, {speed:g}]" for step, speed in DC_TABLE.points)
    change(layout / "layout.toml", r"speed_table = .*", f"speed_table = [{table}]")
    track = load_layout(layout)
    wiring = load_wiring(layout / "hardware" / "uno-dc.toml", track)
    world = World(track, Setup.parse("head: L | s1: 1"), DcHidden(5), wiring)
    with Board("uno", firmware("uno"), eeprom=eeprom_of(tmp_path)) as board:
        side = wired_board(board, wiring)(world, Healthy(world), world.set_power)
        with PacedLoop(world, side) as loop:
            yield Sitting(board.pty, layout / "puzzles" / "short.toml", loop, world)


def test_a_short_play_ends_with_the_goal_in_truth(tmp_path: Path, sitting: Sitting) -> None:
    with running(lambda: sitting.playing(tmp_path)) as play:
        play.expect("everybody clear")
        play.answer("y")
        assert play.ends(120) == 0, play.text
        assert "Done." in play.text
    truth = sitting.loop.look(lambda world: world.truth())
    assert [vehicle.name for vehicle in truth.on["s3"]] == ["1"]
    assert not truth.moving
    assert sitting.world.incidents == []


def test_the_doctor_tries_every_machine_and_drives_nothing(sitting: Sitting) -> None:
    layout = sitting.puzzle.parents[1]
    words = ("doctor", str(layout), "--hardware", "uno-dc", "--on", f"serial:{sitting.port}", "--move")
    before = sitting.loop.look(lambda world: world.truth().on)
    with running(lambda: Program(tool("pointsman"), *words)) as program:
        program.expect("everybody clear")
        program.answer("y")
        assert program.ends(60) == 0, program.text
    for name in ("T1", "T2"):
        assert f"turnout {name}: thrown, then closed\n" in program.text.replace("\r", "")
    for name in ("s1", "s2", "s3"):
        assert f"magnet {name}: on for 0.5 s\n" in program.text.replace("\r", "")
    assert sitting.loop.look(lambda world: (world.powered, set(world.magnets_on))) == (False, set())
    assert sitting.loop.look(lambda world: world.truth().on) == before
    assert sitting.world.incidents == []


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGSTOP, marks=pytest.mark.long)])
def test_when_the_program_fails_the_train_stands_and_stays(
    tmp_path: Path, sitting: Sitting, how: signal.Signals
) -> None:
    with running(lambda: sitting.playing(tmp_path)) as play:
        play.expect("everybody clear")
        play.answer("y")
        sitting.loop.until(lambda world: world.speed_mm_s("L") > 60.0)
        play.signal(how)
        since_s = sitting.loop.look(lambda world: world.now_s)
        stood_s = sitting.loop.until(lambda world: world.standing)
        assert stood_s - since_s < 1.5
        where = sitting.loop.look(lambda world: world.truth().on)
        if how is signal.SIGSTOP:
            sitting.loop.until(lambda world: world.now_s > since_s + 2.0)
            play.signal(signal.SIGCONT)
            play.expect("stood still for|no heartbeat")
        sitting.loop.until(lambda world: world.now_s > since_s + 5.0)
        assert sitting.loop.look(lambda world: world.truth().on) == where
        assert not sitting.loop.look(lambda world: world.powered)
        assert sitting.world.incidents == []
