"""Whole programs with nodes: pointsman on a simulated Uno's serial port, and beside a DCC-EX station, in real time."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from programs import Program, running, tool
from short_play import STANDS, layout, truth_of

from pointsman.record import read

__all__ = ["layout"]  # a fixture, found by its name

pytestmark = pytest.mark.system


def simulated(tmp_path: Path, layout: Path, hardware: str) -> Program:
    uno = str(tmp_path / "uno")
    where = ("--pty", uno) if hardware == "uno-dc" else ("--tcp", "main=0", "--pty", f"node={uno}")
    common = ("--hardware", hardware, "--puzzle", "short", "--seed", "5", "--truth", str(tmp_path / "truth.json"))
    program = Program(tool("railsim"), str(layout), *where, *common, "--reset-on-open")
    program.expect("ready")
    return program


def playing(tmp_path: Path, layout: Path, hardware: str, sim: Program) -> Program:
    on = ["--on", f"serial:{tmp_path / 'uno'}"]
    if hardware != "uno-dc":
        found = re.search(r"network +127\.0\.0\.1:(\d+) \(main\)", sim.text)
        assert found is not None
        on = ["--on", f"main=tcp:127.0.0.1:{found[1]}", "--on", f"node=serial:{tmp_path / 'uno'}"]
    return Program(
        *(tool("pointsman"), "play", str(layout / "puzzles" / "short.toml"), "--hardware", hardware, *on),
        *("--facing", "to", "--journal", str(tmp_path / "journal")),
        env={"POINTSMAN_CACHE_DIR": str(tmp_path / "cache")},
    )


def test_a_short_play_beside_a_station_ends_with_the_goal_in_truth(tmp_path: Path, layout: Path) -> None:
    with (
        running(lambda: simulated(tmp_path, layout, "dccex+node")) as sim,
        running(lambda: playing(tmp_path, layout, "dccex+node", sim)) as play,
    ):
        play.expect("everybody clear")
        assert "No relay" not in play.text
        play.answer("y")
        assert play.ends(120) == 0, play.text
        assert "Done." in play.text
        truth = truth_of(tmp_path, sim)
    assert [vehicle["name"] for vehicle in truth["on"]["s3"]] == ["1"]
    assert truth["incidents"] == []
    assert read(tmp_path / "journal").lines[-1].kind == "end"


@pytest.mark.parametrize(
    "number",
    [pytest.param(signal.SIGKILL, id="killed", marks=pytest.mark.long), pytest.param(signal.SIGSTOP, id="frozen")],
)
def test_a_program_that_dies_or_freezes_leaves_a_train_that_stands(tmp_path: Path, layout: Path, number: int) -> None:
    with (
        running(lambda: simulated(tmp_path, layout, "uno-dc")) as sim,
        running(lambda: playing(tmp_path, layout, "uno-dc", sim)) as play,
    ):
        play.expect("everybody clear")
        play.answer("y")
        sim.expect("beam s1 broken")  # in the middle of the first run
        play.signal(number)
        sim.expect(STANDS, 5)
        assert "INCIDENT" not in sim.text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--hardware", "uno-dc"), "nobody could reach its station that is a node"),
        (("--hardware", "dccex+node", "--tcp", "0"), "--tcp 0: which station is meant?"),
        (("--hardware", "dccex+node", "--tcp", "main=0"), "--pty node=PATH"),
        (
            ("--hardware", "dccex+node", "--tcp", "main=0", "--tcp", "main=0"),
            "--tcp main=0: station main has 0 already",
        ),
        (("--hardware", "uno-dc", "--tcp", "other=0"), "--tcp other=0: there is no station 'other'"),
        (("--hardware", "uno-dc", "--tcp", "0", "--bare"), "--bare is for a station that speaks DCC-EX"),
        (("--hardware", "uno-dc", "--tcp", "0", "--profile", "5.4"), "--profile is for a station that speaks DCC-EX"),
        (("--hardware", "uno-dc", "--tcp", "port"), "that is no port"),
        (("--hardware", "uno-dc", "--tcp", "0", "--fault", "short-circuit"), "a node does not notice one"),
        (("--hardware", "uno-dc", "--tcp", "0", "--fault", "full-buffer"), "a fault of a DCC-EX board"),
    ],
)
def test_every_station_is_reached_by_its_name(options: tuple[str, ...], words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "railsim.cli", "inglenook-small", *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2
    assert words in done.stderr
    assert "-> " in done.stderr


def test_a_port_in_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "railsim.cli", "inglenook-small", "--hardware", "uno-dc"]
    port = tmp_path / "none" / "port"
    done = subprocess.run([*words, "--pty", str(port)], check=False, capture_output=True, text=True, timeout=30)
    assert done.returncode == 5
    assert f"{port}: cannot be made: its folder does not exist" in done.stderr
