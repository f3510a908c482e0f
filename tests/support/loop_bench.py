"""Test support: a host that waits for each answer, at the node's compiled firmware, wired to a simulated fork."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from avr_node import FIRMWARE, AvrSide, DcHidden
from avrsim import Board, make, needs_avrsim
from node_bench import HostBench, T
from sim_tracks import CLOSED, fork_track

from pointsman.protocols.node import Accepted, Refused, write_command
from pointsman.protocols.node_constants import LAST_NUMBER, Setting
from pointsman.protocols.node_messages import About, Beat, Command, Hello, Set, Store
from pointsman.track.model import Track
from railsim.breakdowns import Breakdowns, Hands
from railsim.faults import parse_fault
from railsim.incidents import BeamChanged, WorldEvent
from railsim.node_firmware import SERVO
from railsim.setup import Setup
from railsim.world import World

CORE = Path("/usr/share/arduino/hardware/arduino/avr/cores/arduino/Arduino.h")
_without_core = pytest.mark.skipif(not CORE.exists(), reason="no Arduino core (make deps)")
needs_firmware = [needs_avrsim, _without_core]
"""Marks of a test that runs the firmware."""
STANDS_WITHIN_S, STANDS_WITHIN_MM = 1.5, 150.0
"""So soon, and so near, a train at 100 mm/s stands after its host has failed, whatever else fails with that."""
BUILT_WITHIN_S = 300.0
BOOT_S = 0.25
ANSWERED_WITHIN_S = 0.5
"""``store`` takes its time; no answer takes longer."""
CLOSED_END_US, THROWN_END_US = 1240, 1760
"""Where somebody has set the ends of the servos: a little beyond where the blades touch."""


@cache
def firmware(board: str) -> Path:
    """The firmware for a board, built if need be."""
    make(FIRMWARE, board, within_s=BUILT_WITHIN_S)
    return FIRMWARE / "build" / board / "firmware.elf"


class LoopBench(HostBench):
    """Turnout 1 is T1, beams 1 to 3 are head, s1 and s2, magnets 1 and 2 are s1 and s2; ``L`` runs on DC.

    One command is written at a time, and the next one after its answer; an answer that does not come is given up.
    """

    def __init__(
        self,
        board: Board,
        position: str = "head: L",
        *,
        kind: str = "uno",
        seed: int = 1,
        track: Track | None = None,
        solenoids: Collection[str] = (),
    ) -> None:
        self.board = board
        track = fork_track() if track is None else track
        setup = Setup(Setup.parse(position).segments, {}, dict.fromkeys(track.turnouts, CLOSED))
        hidden = DcHidden(seed)
        world = World(track, setup, hidden)
        self.breakdowns = Breakdowns(world, hidden, self._show_beam, lambda _: None, Hands())
        self.side = AvrSide(
            world,
            board,
            turnouts=list(track.turnouts),
            beams=list(track.beams),
            magnets=list(track.uncouplers),
            locomotive="L",
            solenoids=solenoids,
            kind=kind,
            machines=self.breakdowns,
        )
        self.node = self.side.node
        self.last_beat_s = -1.0
        self.answers: dict[int, Accepted | Refused] = {}
        self._waiting: deque[tuple[int, Command]] = deque()
        self._unanswered: tuple[int, float] | None = None
        for beam in track.beams:
            self.breakdowns.stands(beam, world.beam_broken(beam))
        super().__init__(world, self.node, self._happened_there)

    def _happened_there(self, event: WorldEvent) -> None:
        if isinstance(event, BeamChanged):
            self.breakdowns.beam(event.beam, event.broken, event.t_s)

    def _show_beam(self, beam: str, broken: bool, t_s: float) -> None:
        self.side.see(beam, broken, t_s)

    def strike(self, fault: str) -> None:
        """A fault of points, beams or locomotives strikes now."""
        self.breakdowns.plan([replace(parse_fault(fault), at_s=self.now_s)], None)
        self.run(0.0)

    def tell(self, command: Command) -> int:
        """Write a command as soon as the one before is answered; returns its number."""
        number = self.numbers.take()
        self._waiting.append((number, command))
        self._write_next()
        return number

    def ask(self, command: Command, for_s: float = 0.0) -> Accepted | Refused:
        """Write a command and wait for the answer, which must come; then go on for a while."""
        number = self.tell(command)
        self.until(lambda: number in self.answers, ANSWERED_WITHIN_S)
        self.run(for_s)
        return self.answers[number]

    def until(self, so: Callable[[], bool], within_s: float) -> None:
        """Let time pass, millisecond by millisecond, until something is so; fails when it is not in time."""
        end_s = self.now_s + within_s
        while not so():
            assert self.now_s < end_s, f"not within {within_s} s"
            self.run(0.001)

    def greet(self) -> None:
        """A hello that fits: it must be answered yes. What was heard before is kept."""
        self.answers.pop(LAST_NUMBER, None)
        self._waiting.append((LAST_NUMBER, Hello()))
        self._write_next()
        self.until(lambda: LAST_NUMBER in self.answers, ANSWERED_WITHIN_S)
        assert isinstance(self.answers[LAST_NUMBER], Accepted), self.answers[LAST_NUMBER]

    def forget(self) -> None:
        """Nothing has been said that still wants an answer."""
        self._waiting.clear()
        self._unanswered = None

    def latest(self, kind: type[T]) -> T:
        """The last event of a kind that was heard."""
        return self.events(kind)[-1]

    def _to(self, t_s: float) -> None:
        before = len(self.heard)
        super()._to(t_s)
        self.breakdowns.advance(self.now_s)
        for _, one in self.heard[before:]:
            if isinstance(one, Accepted | Refused):
                self.answers[one.number] = one
        if self._unanswered is not None:
            number, since_s = self._unanswered
            if number in self.answers or self.now_s - since_s > ANSWERED_WITHIN_S:
                self._unanswered = None
                self._write_next()

    def _write_next(self) -> None:
        if self._unanswered is None and self._waiting:
            number, command = self._waiting.popleft()
            self._unanswered = (number, self.now_s)
            self.last_beat_s = self.now_s if isinstance(command, Beat) else self.last_beat_s
            self._line.receive("usb", write_command(number, command), self.now_s)


def set_up(bench: LoopBench, machine: int = SERVO) -> None:
    """What somebody does once with a new node: a machine at each turnout, with a servo's ends, and all that is kept."""
    for turnout in range(1, bench.latest(About).turnouts + 1):
        for setting, value in (
            (Setting.MACHINE, machine),
            (Setting.CLOSED_US, CLOSED_END_US),
            (Setting.THROWN_US, THROWN_END_US),
        ):
            assert isinstance(bench.ask(Set(setting, turnout, value)), Accepted)
    assert isinstance(bench.ask(Store()), Accepted)


def eeprom_of(folder: Path, kind: str = "uno", machine: int = SERVO) -> Path:
    """A new copy of the EEPROM of a node that somebody has set up; the first one stays in the folder."""
    first = folder / f"{kind}-{machine}.set-up"
    if not first.exists():
        with loop(folder, kind=kind, new=True) as bench:
            set_up(bench, machine)
        shutil.copy(folder / f"{kind}.eeprom", first)
    return Path(shutil.copy(first, folder / f"{kind}.eeprom"))


@contextmanager
def loop(
    folder: Path,
    position: str = "head: L",
    *,
    kind: str = "uno",
    seed: int = 1,
    track: Track | None = None,
    solenoids: Collection[str] = (),
    new: bool = False,
) -> Iterator[LoopBench]:
    """A node that has started and been greeted, and whose coils have rested; somebody has set it up, unless ``new``.

    ``folder`` keeps its EEPROM.
    """
    if new:
        eeprom = folder / f"{kind}.eeprom"
        eeprom.unlink(missing_ok=True)
    else:
        eeprom = eeprom_of(folder, kind)
    with Board(kind, firmware(kind), "--no-reset-on-open", eeprom=eeprom) as board:
        bench = LoopBench(board, position, kind=kind, seed=seed, track=track, solenoids=solenoids)
        bench.run(BOOT_S if new else BOOT_S + 2.0)
        bench.greet()
        yield bench
