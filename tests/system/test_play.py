"""Whole programs against each other, in real time: pointsman plays, railsim is the layout, and things go wrong."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import Program, RailSim, quick_layout, running, tool
from wires import Wire, moved_s

from pointsman.record import read

pytestmark = pytest.mark.system


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    return quick_layout(tmp_path)


@pytest.fixture
def sim(tmp_path: Path, layout: Path) -> Iterator[RailSim]:
    with running(lambda: RailSim(tmp_path, "--seed", "5", layout=layout)) as program:
        yield program


@pytest.fixture
def wire(sim: RailSim) -> Iterator[Wire]:
    cable = Wire(sim.tcp_port)
    yield cable
    cable.close()


def playing(tmp_path: Path, on: str, *options: str) -> Program:
    """A play on a station; the person is asked, and says yes."""
    journal = tmp_path / "play.journal"
    return Program(
        tool("pointsman"),
        *(
            "play",
            str(tmp_path / "quick"),
            "--seed",
            "3",
            "--on",
            on,
            "--facing",
            "to",
            "--journal",
            str(journal),
            *options,
        ),
        env={"POINTSMAN_CACHE_DIR": str(tmp_path / "cache")},
    )


def under_way(play: Program) -> None:
    """Say yes, and wait until the locomotive drives its first run."""
    play.expect("everybody clear")
    play.answer("y")
    play.expect(r"run 1 of \d+: drive")


def ends_halted(play: Program) -> int:
    """The person is asked whether to put right and go on, and does not want to; the exit code."""
    play.expect(r"go on\? \[y/N\]")
    play.answer("n")
    return play.ends()


def stands(sim: RailSim) -> None:
    """Nothing moves, nothing was bumped."""
    truth = sim.finish()
    assert truth["moving"] == []
    assert truth["incidents"] == []


def test_kill_9_puts_the_emergency_stop_on_the_wire_within_100_ms(sim: RailSim, wire: Wire, tmp_path: Path) -> None:
    with running(lambda: playing(tmp_path, f"tcp:127.0.0.1:{wire.port}")) as play:
        under_way(play)
        moved_s(wire)
        killed_s = time.monotonic()
        play.signal(signal.SIGKILL)
        play.process.wait()
        until = killed_s + 3
        while wire.seen(rb"<0>", killed_s) is None and time.monotonic() < until:
            select.select([], [], [], 0.005)
    stop_s = wire.seen(rb"<!>", killed_s)
    off_s = wire.seen(rb"<Z \d 0>", killed_s)
    cut_s = wire.seen(rb"<0>", killed_s)
    assert stop_s is not None
    assert off_s is not None
    assert cut_s is not None
    assert stop_s - killed_s < 0.1
    assert stop_s <= off_s <= cut_s
    assert read(tmp_path / "play.journal").bad == ""
    stands(sim)


def test_a_frozen_program_is_stopped_by_its_guardian_and_does_not_go_on(
    sim: RailSim, wire: Wire, tmp_path: Path
) -> None:
    with running(lambda: playing(tmp_path, f"tcp:127.0.0.1:{wire.port}")) as play:
        under_way(play)
        moved_s(wire)
        frozen_s = time.monotonic()
        play.signal(signal.SIGSTOP)
        until = frozen_s + 3
        while wire.seen(rb"<0>", frozen_s) is None and time.monotonic() < until:
            select.select([], [], [], 0.005)
        stop_s, cut_s = wire.seen(rb"<!>", frozen_s), wire.seen(rb"<0>", frozen_s)
        assert stop_s is not None
        assert cut_s is not None
        assert stop_s - frozen_s < 0.8
        play.signal(signal.SIGCONT)
        assert ends_halted(play) == 6
    assert wire.seen(rb"<t 3 [1-9]", cut_s) is None
    stands(sim)


ENDINGS = [
    (signal.SIGINT, 130),
    (signal.SIGTERM, 143),
    (signal.SIGHUP, 129),
    (signal.SIGQUIT, 131),
    (signal.SIGTSTP, 148),
]


@pytest.mark.parametrize(("number", "code"), ENDINGS)
def test_a_signal_stops_the_train_first(sim: RailSim, wire: Wire, tmp_path: Path, number: int, code: int) -> None:
    with running(lambda: playing(tmp_path, f"tcp:127.0.0.1:{wire.port}")) as play:
        under_way(play)
        moved_s(wire)
        asked_s = time.monotonic()
        play.signal(number)
        assert play.ends() == code
    stop_s = wire.seen(rb"<!><#>", asked_s)
    assert stop_s is not None
    assert stop_s - asked_s < 0.1
    reading = read(tmp_path / "play.journal")
    assert reading.bad == ""
    assert [line.kind for line in reading.lines if line.kind in ("halt", "end")] == ["halt", "end"]
    stands(sim)


def test_a_screen_that_nobody_reads_any_more(sim: RailSim, tmp_path: Path) -> None:
    reading_end, writing_end = os.pipe()
    journal = tmp_path / "play.journal"
    arguments = ("play", str(tmp_path / "quick"), "--seed", "3", "--on", f"serial:{sim.port}", "--facing", "to")
    environment = {"POINTSMAN_CACHE_DIR": str(tmp_path / "cache")}
    with running(
        lambda: Program(tool("pointsman"), *arguments, "--journal", str(journal), env=environment, stdout=writing_end)
    ) as play:
        os.close(writing_end)
        text = b""
        while b"everybody clear of it? [y/N] " not in text:
            text += os.read(reading_end, 4096)
        play.answer("y")
        while b"run 1 of" not in text:
            text += os.read(reading_end, 4096)
        os.close(reading_end)
        assert play.ends() == 6
    assert any(line.kind == "halt" for line in read(journal).lines)
    stands(sim)


def test_the_port_vanishes(sim: RailSim, tmp_path: Path) -> None:
    with running(lambda: playing(tmp_path, f"serial:{sim.port}")) as play:
        under_way(play)
        sim.signal(signal.SIGKILL)
        assert ends_halted(play) in (5, 6)
        assert "link" in play.text
        assert "Traceback" not in play.text


def test_a_locomotive_the_wrong_way_round(tmp_path: Path, layout: Path) -> None:
    with (
        running(lambda: RailSim(tmp_path, "--facing", "L=from", layout=layout)) as sim,
        running(lambda: playing(tmp_path, f"serial:{sim.port}")) as play,
    ):
        play.expect("everybody clear")
        play.answer("y")
        assert ends_halted(play) == 6
        assert "turned round" in play.text
        stands(sim)


def test_no_is_an_answer(sim: RailSim, tmp_path: Path) -> None:
    with running(lambda: playing(tmp_path, f"serial:{sim.port}")) as play:
        play.expect("everybody clear")
        play.answer("n")
        assert play.ends() == 1
    assert not (tmp_path / "play.journal").exists()


def test_a_second_program_on_the_port_is_told_who_has_it(sim: RailSim, tmp_path: Path) -> None:
    with running(lambda: playing(tmp_path, f"serial:{sim.port}")) as first:
        under_way(first)
        with running(lambda: playing(tmp_path, f"serial:{sim.port}", "--journal", str(tmp_path / "2"))) as second:
            assert second.ends() == 5
            assert "everybody clear" not in second.text, "it is told before anything is set up"
            held = " ".join(second.text.split())
            assert f"process {first.process.pid}" in held
            assert f"pointsman-guard (process {_guardian_of(first.process.pid)})" in held
        first.signal(signal.SIGINT)
        assert first.ends() == 130


def test_a_guardian_that_is_killed_stops_the_play(sim: RailSim, tmp_path: Path) -> None:
    with running(lambda: playing(tmp_path, f"serial:{sim.port}")) as play:
        under_way(play)
        os.kill(_guardian_of(play.process.pid), signal.SIGKILL)
        assert ends_halted(play) == 6
        assert "guardian" in play.text
    stands(sim)


def _guardian_of(parent: int) -> int:
    children = [
        int(pid)
        for thread in Path(f"/proc/{parent}/task").iterdir()
        for pid in (thread / "children").read_text().split()
    ]
    return next(pid for pid in children if b"guardian_process" in Path(f"/proc/{pid}/cmdline").read_bytes())
