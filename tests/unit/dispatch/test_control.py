"""A stop leaves first, and is written down afterwards: a slow disk holds no train up. Everything else the other way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pointsman.dispatch.control import Control
from pointsman.dispatch.journal import Journal
from pointsman.messages import Command, Drive, SetTurnout, Stop
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import at_setup
from pointsman.puzzle.choice import choose
from pointsman.record import read
from pointsman.track.model import End
from railsim.clock import run_virtual


class Station:
    """Hears what leaves, and looks at that moment how many lines of the kind are in the journal."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self.written_before: list[int] = []

    def send(self, command: Command, number: int) -> None:
        self.written_before.append(self._lines("command"))

    def halt(self, *, power_off: bool = False) -> None:
        self.written_before.append(self._lines("halt"))

    def beat(self) -> bool:
        return False

    def _lines(self, kind: str) -> int:
        return len([line for line in read(self._journal).lines if line.kind == kind])


@pytest.mark.parametrize(
    ("command", "before"),
    [(None, 0), (Stop("L", True), 0), (Drive("L", True, 9), 1), (SetTurnout("T1", True), 1)],
)
def test_what_is_written_down_when_it_leaves(command: Command | None, before: int, tmp_path: Path) -> None:
    async def main() -> None:
        chosen = choose("inglenook-small")
        allow = Allowances()
        belief = at_setup(chosen.track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
        journal = Journal(tmp_path / "one.journal", pytest.fail)
        station = Station(journal.path)
        control = Control(chosen.track, station, journal, belief, show=lambda _: None, beat=lambda _: None)
        try:
            if command is None:
                control.halt("a hand")
            else:
                control.send(command)
            await asyncio.sleep(0)
        finally:
            control.close()
            journal.close()
        assert station.written_before == [before]
        (line,) = [line for line in read(journal.path).lines if line.kind in ("command", "halt")]
        assert (line.kind == "halt") is (command is None)

    run_virtual(main())
