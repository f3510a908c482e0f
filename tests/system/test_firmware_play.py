"""The program itself plays through the node's compiled firmware, by the board's serial port, in real time.

When it fails at 100 mm/s, killed, paused or stuck in a loop, the train stands at once, and stays so until a person
says yes to whoever comes next.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from avr_node import DC_TABLE
from firmware_play import Sitting, sitting_at
from loop_bench import STANDS_WITHIN_MM, STANDS_WITHIN_S, needs_firmware
from programs import Program, change, running
from short_play import layout
from way import along_mm

from pointsman.record import read
from railsim.world import World

__all__ = ["layout"]  # a fixture, found by its name

pytestmark = [pytest.mark.system, *needs_firmware]

HANGING = Path(__file__).parents[1] / "support" / "hanging.py"
FAST_MM_S = 100.0
FAILS_FOR_S = 2.0
TRIPS_AFTER_S = 0.7
"""The node trips a second after the last heartbeat, which it got at most 0.3 s before; a guardian does so sooner."""
HALTED = r"STOPPED: .*(stood still for|no heartbeat came|was stopped or hung)"
FAST_TABLE = ((8, 20.0), (58, FAST_MM_S))
"""The locomotive is at least so fast at a step as the layout says."""


def test_a_short_play_ends_with_the_goal_in_truth(tmp_path: Path, layout: Path) -> None:
    with (
        sitting_at(layout, tmp_path, "head: L | s1: 1", DC_TABLE.points) as sitting,
        running(lambda: sitting.playing(tmp_path)) as play,
    ):
        play.expect("everybody clear")
        play.answer("y")
        assert play.ends(120) == 0, play.text
        assert "Done." in play.text
        truth = sitting.loop.look(lambda world: world.truth())
    assert [vehicle.name for vehicle in truth.on["s3"]] == ["1"]
    assert not truth.moving
    assert sitting.world.incidents == []


def test_the_doctor_tries_every_machine_and_drives_nothing(tmp_path: Path, layout: Path) -> None:
    with sitting_at(layout, tmp_path, "head: L | s1: 1", DC_TABLE.points) as sitting:
        words = ("doctor", str(layout), "--hardware", "uno-dc", "--on", f"serial:{sitting.port}", "--move")
        before = sitting.loop.look(lambda world: world.truth().on)
        with running(lambda: sitting.called(tmp_path, *words)) as program:
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


# ---------------------------------------------------------------- the program fails

BEGINS_MM = {"head": 0.0, "T1>thrown": 320.0, "T2>thrown": 602.0, "s3": 884.0}
"""Where each part of the way to the wagon in s3 begins: over two turnouts, with room for 100 mm/s."""


def at_mm(world: World) -> float:
    """Where the middle of L is on that way."""
    return along_mm(world.truth(), BEGINS_MM)


@dataclass
class Failing:
    """A train that runs fast while its program fails, and its guardian too, if need be: when that was, and where."""

    sitting: Sitting
    since_s: float = 0.0
    since_mm: float = 0.0
    guardian: int = -1
    """A descriptor of the guardian that fails, if one does."""

    def is_fast(self, play: Program) -> None:
        """Wait until the train is."""
        play.expect("everybody clear")
        assert "No relay" not in play.text, "with a relay nothing is slower than the layout says"
        play.answer("y")
        play.expect("drive L to couple up in s3")
        self.sitting.loop.until(lambda world: world.speed_mm_s("L") >= FAST_MM_S)

    def fails(self, play: Program, how: signal.Signals, *, computer: bool) -> None:
        """From now on; when it is the computer's fault, the guardian stands still first."""
        if computer:
            self.guardian = os.pidfd_open(guardian_of(play))
            self.guardian_gets(signal.SIGSTOP)
        play.signal(how)
        self.since_s, self.since_mm = self.sitting.loop.look(lambda world: (world.now_s, at_mm(world)))

    def guardian_gets(self, number: signal.Signals) -> None:
        """Send a signal to the guardian that fails."""
        if self.guardian >= 0:
            signal.pidfd_send_signal(self.guardian, number)

    def stands(self, *, by_the_node: bool) -> None:
        """Soon, and not far from there; the node by itself cuts the power a heartbeat's time after the last one."""
        cut_s = self.sitting.loop.until(lambda world: not world.powered)
        assert (cut_s - self.since_s > TRIPS_AFTER_S) is by_the_node
        stood_s = self.sitting.loop.until(lambda world: world.standing)
        assert stood_s - self.since_s < STANDS_WITHIN_S
        assert 10.0 < self.sitting.loop.look(at_mm) - self.since_mm < STANDS_WITHIN_MM

    def stays(self, for_s: float) -> None:
        """Nothing has current or moves for so long, and nothing was bumped."""
        now_s, now_mm = self.sitting.loop.look(lambda world: (world.now_s, at_mm(world)))
        self.sitting.loop.until(lambda world: world.powered or world.now_s > now_s + for_s)
        assert not self.sitting.loop.look(lambda world: world.powered)
        assert self.sitting.loop.look(at_mm) == now_mm
        assert self.sitting.world.incidents == []


def guardian_of(play: Program) -> int:
    """The process number of a program's guardian."""
    children = [
        int(child)
        for task in Path(f"/proc/{play.process.pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    (found,) = [child for child in children if b"guardian_process" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return found


@pytest.fixture(scope="module")
def eeproms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("eeproms")


@pytest.fixture
def failing(eeproms: Path, layout: Path) -> Iterator[Failing]:
    change(layout / "puzzles" / "short.toml", 's1: 1"', 's3: 1"')
    change(layout / "puzzles" / "short.toml", 'goal = "s3: 1"', 'goal = "s1: 1"')
    change(layout / "layout.toml", r"mark = \{[^}]*\}", 'mark = { on = "head", at_mm = 300 }')
    change(layout / "layout.toml", r"shunting = \d+", f"shunting = {FAST_MM_S:.0f}")
    with sitting_at(layout, eeproms, "head: L | s3: 1", FAST_TABLE) as sitting:
        made = Failing(sitting)
        yield made
        if made.guardian >= 0:
            with suppress(ProcessLookupError):
                made.guardian_gets(signal.SIGKILL)
            os.close(made.guardian)


whose_fault = pytest.mark.parametrize(
    "computer",
    [pytest.param(True, id="computer"), pytest.param(False, id="program", marks=pytest.mark.long)],
)
"""Whose fault it is. When it is the computer's, the guardian fails too: then nobody but the node stops the train."""


@whose_fault
def test_killed(tmp_path: Path, failing: Failing, computer: bool) -> None:
    with running(lambda: failing.sitting.playing(tmp_path)) as play:
        failing.is_fast(play)
        failing.fails(play, signal.SIGKILL, computer=computer)
        failing.stands(by_the_node=computer)
        failing.guardian_gets(signal.SIGKILL)
    assert read(tmp_path / "journal").lines[-1].kind != "end"
    with running(lambda: failing.sitting.playing(tmp_path, journal="next")) as play:
        play.expect("everybody clear")
        failing.stays(1.0)
        stood_mm = failing.sitting.loop.look(at_mm)
        play.answer("y")
        if computer:
            failing.sitting.loop.until(lambda world: world.powered)
            assert failing.sitting.loop.look(at_mm) == stood_mm
        else:  # it stands in the beam still: a yes that cannot be right moves nothing either
            play.expect("beam head is broken, though nothing should stand there")
            failing.stays(1.0)


@whose_fault
def test_paused(tmp_path: Path, failing: Failing, computer: bool) -> None:
    with running(lambda: failing.sitting.playing(tmp_path)) as play:
        failing.is_fast(play)
        failing.fails(play, signal.SIGSTOP, computer=computer)
        failing.stands(by_the_node=computer)
        failing.sitting.loop.until(lambda world: world.now_s > failing.since_s + FAILS_FOR_S)
        play.signal(signal.SIGCONT)
        failing.guardian_gets(signal.SIGCONT)
        play.expect(HALTED)
        failing.stays(1.0)


@whose_fault
def test_stuck_in_a_loop(tmp_path: Path, failing: Failing, computer: bool) -> None:
    launcher = (sys.executable, str(HANGING), str(FAILS_FOR_S))
    with running(lambda: failing.sitting.playing(tmp_path, launcher=launcher)) as play:
        failing.is_fast(play)
        failing.fails(play, signal.SIGUSR1, computer=computer)
        play.expect("hangs")
        failing.stands(by_the_node=computer)
        assert play.process.poll() is None, "its process lives"
        play.expect("goes on")
        failing.guardian_gets(signal.SIGCONT)
        play.expect(HALTED)
        assert play.text.index("goes on") < play.text.index("STOPPED")
        failing.stays(1.0)
