"""A stop leaves first, and is written down afterwards: a slow disk holds no train up. Everything else the other way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest

from pointsman.dispatch.control import CONFIRM_WITHIN_S, STALLED_S, TICK_S, Control
from pointsman.dispatch.journal import Journal
from pointsman.messages import Command, Drive, SetTurnout, StationStopped, Stop
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


# ---------------------------------------------------------------- the heart


class Hearing:
    """A station that confirms nothing, and counts the heartbeats that it gets."""

    def __init__(self, *, waits: bool) -> None:
        self.beats: list[float] = []
        self.halts = 0
        self._waits = waits

    def send(self, command: Command, number: int) -> None:
        pass

    def halt(self, *, power_off: bool = False) -> None:
        self.halts += 1

    def beat(self) -> bool:
        self.beats.append(asyncio.get_running_loop().time())
        return self._waits


def watched(tmp_path: Path, station: Hearing, test: Callable[[Control], Coroutine[None, None, None]]) -> None:
    """Run a test of a control that has begun to watch."""

    async def main() -> None:
        chosen = choose("inglenook-small")
        allow = Allowances()
        belief = at_setup(chosen.track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
        journal = Journal(tmp_path / "one.journal", pytest.fail)
        control = Control(chosen.track, station, journal, belief, show=lambda _: None, beat=lambda _: None)
        try:
            control.watch()
            await test(control)
        finally:
            control.close()
            journal.close()

    run_virtual(main())


def test_a_station_that_waits_for_it_gets_its_heartbeat_while_everything_stands(tmp_path: Path) -> None:
    station = Hearing(waits=True)

    async def stands(control: Control) -> None:
        await asyncio.sleep(1.01)
        assert [round(t_s, 2) for t_s in station.beats] == [round(i * TICK_S, 2) for i in range(21)]
        control.close()
        await asyncio.sleep(1)
        assert len(station.beats) == 21

    watched(tmp_path, station, stands)


def test_where_no_station_waits_for_it_the_supervision_rests(tmp_path: Path) -> None:
    station = Hearing(waits=False)

    async def stands(_: Control) -> None:
        await asyncio.sleep(1)
        assert len(station.beats) == 1

    watched(tmp_path, station, stands)


def test_once_everything_is_stopped_nothing_beats(tmp_path: Path) -> None:
    """A station that has not heard the stop then stops by itself."""
    station = Hearing(waits=True)

    async def stops(control: Control) -> None:
        control.halt("a hand")
        before = len(station.beats)
        await asyncio.sleep(1)
        assert len(station.beats) == before

    watched(tmp_path, station, stops)


@pytest.mark.parametrize("deadline", ["confirmation", "look"])
def test_a_deadline_that_nobody_looks_at_is_found_by_the_supervision_and_nothing_beats_any_more(
    deadline: str, tmp_path: Path
) -> None:
    """Whoever carries a step out hangs somewhere, and the event loop lives."""
    station = Hearing(waits=True)

    async def hangs(control: Control) -> None:
        if deadline == "look":
            control.state.look_s = 1.0
            due_s, why = 1.0, "a part of this program hangs: nobody looked what the train does"
        else:
            control.send(SetTurnout("T1", True))
            due_s, why = CONFIRM_WITHIN_S, "the station did not confirm command 1 (SetTurnout)"
        await asyncio.sleep(due_s + STALLED_S - 0.01)
        assert not control.state.halted
        await asyncio.sleep(2 * TICK_S)
        assert (control.state.halted, station.halts) == (why, 1)
        assert station.beats[-1] < due_s + STALLED_S + TICK_S

    watched(tmp_path, station, hangs)


def test_a_station_that_stopped_by_itself_stops_everything_with_its_reason(tmp_path: Path) -> None:
    station = Hearing(waits=True)

    async def trips(control: Control) -> None:
        control.state.watching = True
        control.receive(StationStopped(0.0, "node: no heartbeat came"))
        assert control.state.halted == "the station stopped everything by itself: node: no heartbeat came"

    watched(tmp_path, station, trips)
