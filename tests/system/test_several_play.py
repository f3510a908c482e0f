"""Whole programs on two stations: pointsman, railsim on a network port and at mosquitto, in real time."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from mosquitto import Mosquitto, needs_mosquitto
from programs import Program, running, tool
from short_play import STANDS, broker, layout, truth_of

from pointsman.record import read

__all__ = ["broker", "layout"]  # fixtures, found by their names

pytestmark = [pytest.mark.system, needs_mosquitto]


def simulated(tmp_path: Path, layout: Path, broker: Mosquitto) -> Program:
    where = ("--tcp", "0", "--mqtt", f"127.0.0.1:{broker.port}", "--hardware", "mixed", "--puzzle", "short")
    program = Program(tool("railsim"), str(layout), *where, "--seed", "5", "--truth", str(tmp_path / "truth.json"))
    program.expect("ready")
    return program


def playing(tmp_path: Path, layout: Path, broker: Mosquitto, sim: Program) -> Program:
    found = re.search(r"network +127\.0\.0\.1:(\d+)", sim.text)
    assert found is not None
    return Program(
        *(tool("pointsman"), "play", str(layout / "puzzles" / "short.toml"), "--hardware", "mixed"),
        *("--on", f"main=tcp:127.0.0.1:{found[1]}", "--on", f"yard=mqtt:127.0.0.1:{broker.port}"),
        *("--facing", "to", "--journal", str(tmp_path / "journal")),
        env={"POINTSMAN_CACHE_DIR": str(tmp_path / "cache"), "POINTSMAN_MQTT_SETTINGS": ""},
    )


def test_a_short_play_on_two_stations_ends_with_the_goal_in_truth(
    tmp_path: Path, layout: Path, broker: Mosquitto
) -> None:
    with (
        running(lambda: simulated(tmp_path, layout, broker)) as sim,
        running(lambda: playing(tmp_path, layout, broker, sim)) as play,
    ):
        play.expect("everybody clear")
        play.answer("y")
        assert play.ends(120) == 0, play.text
        assert "Done." in play.text
        truth = truth_of(tmp_path, sim)
    assert [vehicle["name"] for vehicle in truth["on"]["s3"]] == ["1"]
    assert truth["incidents"] == []
    reading = read(tmp_path / "journal")
    assert reading.bad == ""
    assert reading.lines[-1].kind == "end"


@pytest.mark.parametrize("what", ["the program is killed", "the program is frozen", "the broker is killed"])
def test_whatever_dies_the_train_stands(tmp_path: Path, layout: Path, broker: Mosquitto, what: str) -> None:
    with (
        running(lambda: simulated(tmp_path, layout, broker)) as sim,
        running(lambda: playing(tmp_path, layout, broker, sim)) as play,
    ):
        play.expect("everybody clear")
        play.answer("y")
        sim.expect("beam s1 broken")  # in the middle of the first run
        if what == "the broker is killed":
            broker.stop(kill=True)
            sim.expect(STANDS, 5)
            play.expect("Put right what stands where")
            play.answer("n")
            assert play.ends() in (5, 6)
            assert "yard: " in play.text
        else:
            play.signal(signal.SIGKILL if what == "the program is killed" else signal.SIGSTOP)
            sim.expect(STANDS, 5)
        assert "INCIDENT" not in sim.text
