"""Test support: the program itself at the node's compiled firmware, by the board's serial port, in real time.

The layout is the small Inglenook with a puzzle of one wagon; its locomotive runs on direct current.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from avr_node import DcHidden, Healthy
from avrsim import Board
from loop_bench import eeprom_of, firmware
from loop_play import wired_board
from paced_loop import PacedLoop
from programs import Program, change, tool

from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring
from railsim.setup import Setup
from railsim.world import World

SEED = 5
"""Of what nobody knows of the layout: this locomotive is a little faster than its table says."""


@dataclass
class Sitting:
    """A board with the layout ``home``, and whoever comes to its port."""

    home: Path
    port: str
    loop: PacedLoop
    world: World

    def called(self, folder: Path, *words: str, launcher: Sequence[str] = ()) -> Program:
        """The program with the words of a command line; what it keeps is in ``folder``."""
        begin = launcher or (tool("pointsman"),)
        return Program(*begin, *words, env={"POINTSMAN_CACHE_DIR": str(folder / "cache")})

    def playing(self, folder: Path, *, journal: str = "journal", launcher: Sequence[str] = ()) -> Program:
        """The program plays the short puzzle. ``launcher`` is what it is called by, if not by its name."""
        words = ("play", str(self.home / "puzzles" / "short.toml"), "--hardware", "uno-dc", "--facing", "to")
        line = ("--on", f"serial:{self.port}", "--journal", str(folder / journal))
        return self.called(folder, *words, *line, launcher=launcher)


@contextmanager
def sitting_at(
    home: Path, folder: Path, position: str, points: Sequence[tuple[int, float]], seed: int = SEED
) -> Iterator[Sitting]:
    """The board that is wired to a layout. ``points`` are its locomotive's (step, mm/s), written into the wiring."""
    table = ", ".join(f"[{step}, {speed:g}]" for step, speed in points)
    change(home / "hardware" / "uno-dc.toml", r"speed_table = \[.*\]\]", f"speed_table = [{table}]")
    track = load_layout(home)
    wiring = load_wiring(home / "hardware" / "uno-dc.toml", track)
    world = World(track, Setup.parse(position), DcHidden(seed), wiring)
    with Board("uno", firmware("uno"), eeprom=eeprom_of(folder)) as board:
        side = wired_board(board, wiring)(world, Healthy(world), world.set_power)
        with PacedLoop(world, side) as loop:
            yield Sitting(home, board.pty, loop, world)
