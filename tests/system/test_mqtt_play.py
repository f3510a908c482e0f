"""Whole programs: pointsman plays through mosquitto on railsim's node, in real time."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from mosquitto import Mosquitto, needs_mosquitto
from programs import Program, running, tool
from short_play import STANDS, broker, layout, truth_of

from pointsman.record import read

__all__ = ["broker", "layout"]  # fixtures, found by their names

pytestmark = [pytest.mark.system, needs_mosquitto]


def simulated(tmp_path: Path, layout: Path, broker: Mosquitto, *more: str) -> Program:
    truth = ("--truth", str(tmp_path / "truth.json"))
    where = ("--mqtt", f"127.0.0.1:{broker.port}", "--hardware", "mqtt", "--puzzle", "short", "--seed", "5")
    program = Program(tool("railsim"), str(layout), *where, *truth, *more)
    program.expect("ready")
    return program


def playing(tmp_path: Path, layout: Path, broker: Mosquitto) -> Program:
    return Program(
        *(tool("pointsman"), "play", str(layout / "puzzles" / "short.toml"), "--hardware", "mqtt"),
        *("--on", f"mqtt:127.0.0.1:{broker.port}", "--facing", "to", "--journal", str(tmp_path / "journal")),
        env={"POINTSMAN_CACHE_DIR": str(tmp_path / "cache"), "POINTSMAN_MQTT_SETTINGS": ""},
    )


def test_a_short_play_ends_with_the_goal_in_truth(tmp_path: Path, layout: Path, broker: Mosquitto) -> None:
    with (
        running(lambda: simulated(tmp_path, layout, broker)) as sim,
        running(lambda: playing(tmp_path, layout, broker)) as play,
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


def test_faults_strike_nodes_at_a_real_broker(tmp_path: Path, layout: Path, broker: Mosquitto) -> None:
    faults = ("--fault", "messages-retained:speed", "--fault", "broker-restart@4=0.5", "--fault", "turnout-stuck@5")
    with running(lambda: simulated(tmp_path, layout, broker, *faults)) as sim:
        sim.expect("FAULT messages-retained: commands are left retained, and the nodes come anew to them: speed")
        sim.expect("FAULT broker-restart")
        sim.expect("broker found")
        sim.expect("FAULT turnout-stuck")
        assert truth_of(tmp_path, sim)["moving"] == []
    assert "Traceback" not in sim.text


@pytest.mark.parametrize("what", ["the program is killed", "the node is killed", "the broker is killed"])
def test_whatever_dies_the_train_stands(tmp_path: Path, layout: Path, broker: Mosquitto, what: str) -> None:
    with (
        running(lambda: simulated(tmp_path, layout, broker)) as sim,
        running(lambda: playing(tmp_path, layout, broker)) as play,
    ):
        play.expect("everybody clear")
        play.answer("y")
        sim.expect("beam s1 broken")  # in the middle of the first run
        if what == "the program is killed":
            play.signal(signal.SIGKILL)
            play.process.wait()
            sim.expect(STANDS, 5)
        elif what == "the broker is killed":
            broker.stop(kill=True)
            sim.expect(STANDS, 5)
            play.expect("Put right what stands where")
            play.answer("n")
            assert play.ends() in (5, 6)
        else:
            sim.signal(signal.SIGKILL)
            play.expect("Put right what stands where")
            play.answer("n")
            assert play.ends() in (5, 6)
            assert "node yard is offline" in play.text.replace("\n", " ")
        assert "Traceback" not in play.text + sim.text
        assert "INCIDENT" not in sim.text
        if what != "the node is killed":
            assert truth_of(tmp_path, sim)["moving"] == []
