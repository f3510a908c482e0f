"""Whole programs: pointsman plays through mosquitto and a bridge on railsim's Uno, in real time; and what dies."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from mosquitto import Mosquitto, cable, needs_mosquitto
from programs import Program, change, running, tool
from short_play import STANDS, broker, layout, truth_of

from pointsman.record import read

__all__ = ["broker", "layout"]  # fixtures, found by their names

pytestmark = [pytest.mark.system, needs_mosquitto]
PLAIN = {"POINTSMAN_MQTT_SETTINGS": ""}


@pytest.fixture
def near(layout: Path) -> Path:
    """The layout with the locomotive near its first beam: that is reached soon."""
    change(layout / "layout.toml", r"mark = \{[^}]*\}", 'mark = { on = "head", at_mm = 300 }')
    return layout


def simulated(tmp_path: Path, layout: Path) -> Program:
    program = Program(
        *(tool("railsim"), str(layout), "--hardware", "uno-dc", "--pty", str(tmp_path / "uno"), "--puzzle", "short"),
        *("--seed", "5", "--truth", str(tmp_path / "truth.json"), "--reset-on-open"),
    )
    program.expect("ready")
    return program


def bridging(tmp_path: Path, port: int) -> Program:
    program = Program(
        *(tool("pointsman"), "node", "bridge", "--on", f"serial:{tmp_path / 'uno'}"),
        *("--to", f"mqtt:127.0.0.1:{port}", "--name", "node"),
        env=PLAIN,
    )
    program.expect("hosts find this node as node")
    return program


def playing(tmp_path: Path, layout: Path, broker: Mosquitto) -> Program:
    return Program(
        *(tool("pointsman"), "play", str(layout / "puzzles" / "short.toml"), "--hardware", "uno-dc"),
        *("--on", f"mqtt:127.0.0.1:{broker.port}", "--facing", "to", "--journal", str(tmp_path / "journal")),
        env={"POINTSMAN_CACHE_DIR": str(tmp_path / "cache"), **PLAIN},
    )


@pytest.mark.long
def test_a_short_play_through_a_broker_ends_with_the_goal_in_truth(
    tmp_path: Path, layout: Path, broker: Mosquitto
) -> None:
    with (
        running(lambda: simulated(tmp_path, layout)) as sim,
        running(lambda: bridging(tmp_path, broker.port)) as bridge,
        running(lambda: playing(tmp_path, layout, broker)) as play,
    ):
        play.expect("everybody clear")
        play.answer("y")
        assert play.ends(120) == 0, play.text + bridge.text
        bridge.expect("has the line no more: it has given it back")
        bridge.signal(signal.SIGTERM)
        assert bridge.ends() == 143
        truth = truth_of(tmp_path, sim)
    assert [vehicle["name"] for vehicle in truth["on"]["s3"]] == ["1"]
    assert truth["incidents"] == []
    assert read(tmp_path / "journal").lines[-1].kind == "end"


@pytest.mark.parametrize(
    "what",
    [
        "the broker is killed",
        "the bridge is ended",
        *(
            pytest.param(what, marks=pytest.mark.long)
            for what in ("the program is killed", "the bridge is killed", "the bridge's network goes")
        ),
    ],
)
def test_whatever_dies_the_train_stands_and_stays_so(tmp_path: Path, near: Path, broker: Mosquitto, what: str) -> None:
    with (
        running(lambda: simulated(tmp_path, near)) as sim,
        cable(broker.port) as wire,
        running(lambda: bridging(tmp_path, wire.port if "network" in what else broker.port)) as bridge,
        running(lambda: playing(tmp_path, near, broker)) as play,
    ):
        play.expect("everybody clear")
        play.answer("y")
        sim.expect("beam s1 broken")  # in the middle of the first run
        match what:
            case "the program is killed":
                play.signal(signal.SIGKILL)
            case "the bridge is killed":
                bridge.signal(signal.SIGKILL)
            case "the bridge is ended":
                bridge.signal(signal.SIGINT)
                play.expect("the bridge has been ended")
                assert bridge.ends() == 130
            case "the bridge's network goes":
                wire.dead = True
            case "the broker is killed":
                broker.stop(kill=True)
        sim.expect(STANDS, 5)
        stood = sim.text
        if what == "the program is killed":
            bridge.expect("has the line no more: it has died, or hangs")
        else:
            play.expect("Put right what stands where")
        if what == "the broker is killed":
            broker.start()
            bridge.expect("is there;[\\s\\S]*is there;")
        if what != "the program is killed":
            play.answer("n")
            assert play.ends() in (5, 6)
        assert "Traceback" not in play.text + sim.text + bridge.text
        assert "INCIDENT" not in sim.text
        assert truth_of(tmp_path, sim)["moving"] == []
        assert sim.text.count("L stands") == stood.count("L stands")
