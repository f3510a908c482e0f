"""A program drives a train through the node's compiled firmware, and dies: the train stands, and stays so."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from avr_node import AvrSide, DcHidden
from avrsim import Board
from loop_bench import STANDS_WITHIN_MM, STANDS_WITHIN_S, firmware, needs_firmware
from paced_loop import PacedLoop
from programs import Program, running
from sim_tracks import line_track
from way import along_mm

from railsim.setup import Setup
from railsim.world import World

pytestmark = [pytest.mark.system, *needs_firmware]

HOST = Path(__file__).parents[1] / "support" / "node_host.py"
STEP = 66


def at_mm(world: World) -> float:
    return along_mm(world.truth(), {"a": 0.0})


def host(port: str, *words: str) -> Program:
    return Program(sys.executable, str(HOST), port, *words)


@dataclass
class Layout:
    port: str
    loop: PacedLoop

    def drives(self, program: Program) -> None:
        """Wait until the train is fast."""
        program.expect("drives")
        self.loop.until(lambda world: world.speed_mm_s("L") >= 100.0)

    def stands(self, since_s: float, since_mm: float) -> None:
        """The train stands soon, and not far from where it was."""
        stood_s = self.loop.until(lambda world: world.standing)
        assert stood_s - since_s < STANDS_WITHIN_S
        assert self.at_mm - since_mm < STANDS_WITHIN_MM
        assert not self.loop.look(lambda world: world.powered)

    def stays(self, for_s: float) -> None:
        """Nothing moves for so long."""
        now_s, now_mm = self.now_s, self.at_mm
        self.loop.until(lambda world: world.now_s > now_s + for_s)
        assert self.at_mm == now_mm
        assert not self.loop.look(lambda world: world.powered)

    @property
    def now_s(self) -> float:
        return self.loop.look(lambda world: world.now_s)

    @property
    def at_mm(self) -> float:
        return self.loop.look(at_mm)


@pytest.fixture
def layout() -> Iterator[Layout]:
    world = World(line_track(8000.0, mark_mm=500.0), Setup.parse("a: L"), DcHidden(1))
    with Board("uno", firmware("uno")) as board:
        side = AvrSide(world, board, locomotive="L")
        with PacedLoop(world, side) as loop:
            yield Layout(board.pty, loop)


def test_a_program_that_is_killed(layout: Layout) -> None:
    with running(lambda: host(layout.port, str(STEP))) as program:
        layout.drives(program)
        program.signal(signal.SIGKILL)
        since_s, since_mm = layout.now_s, layout.at_mm
        layout.stands(since_s, since_mm)
    with running(lambda: host(layout.port, "--watch")) as program:
        program.expect(r"begun Accepted\(number=1, values=\('boot',\)\)")
        layout.stays(2.0)


def test_a_program_that_is_paused_and_goes_on(layout: Layout) -> None:
    with running(lambda: host(layout.port, str(STEP))) as program:
        layout.drives(program)
        program.signal(signal.SIGSTOP)
        since_s, since_mm = layout.now_s, layout.at_mm
        layout.stands(since_s, since_mm)
        layout.loop.until(lambda world: world.now_s > since_s + 2.0)
        program.signal(signal.SIGCONT)
        program.expect(r"values=\('heartbeat',\)")
        layout.stays(2.0)


def test_a_program_whose_supervision_is_stuck_while_it_goes_on_commanding(layout: Layout) -> None:
    with running(lambda: host(layout.port, str(STEP), "--stuck")) as program:
        layout.drives(program)
        since_s, since_mm = layout.now_s, layout.at_mm
        layout.stands(since_s, since_mm)
        program.expect(r"Refused\(number=\d+, reason=<Refusal.LATCHED")
        layout.stays(2.0)
