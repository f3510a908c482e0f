"""docs/mqtt.md names every topic, every setting, and the times that hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointsman.dispatch.guardian_process import SILENCE_S
from pointsman.drivers.mqtt import settings
from pointsman.drivers.node import tunnel
from pointsman.protocols import jmri_mqtt as m
from pointsman.protocols import node_tunnel
from pointsman.track.tomlfile import keys_of
from pointsman.transports.mqtt import KEEP_ALIVE_S, PORT, TLS_PORT
from pointsman.workbench import bridging

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "mqtt.md").read_text(encoding="utf-8")

SAID: list[m.Message] = [
    *(m.TurnoutCommand("NAME", thrown) for thrown in (True, False)),
    *(m.TurnoutState("NAME", points) for points in m.Points),
    *(m.SensorState("NAME", active) for active in (True, False, None)),
    *(one("NAME", on) for one in (m.LightCommand, m.LightState) for on in (True, False)),
    *(one(on) for one in (m.PowerCommand, m.PowerState) for on in (True, False)),
    *(m.ThrottleDirection("ADDRESS", direction) for direction in m.Direction),
    *(m.Availability("NAME", online) for online in (True, False)),
]


@pytest.mark.parametrize("message", SAID, ids=repr)
def test_every_topic_has_a_line_with_its_payloads(message: m.Message) -> None:
    topic, payload = m.Topics().write(message)
    (line,) = re.findall(rf"^\| `{re.escape(topic)}` \|.*$", PAGE, flags=re.MULTILINE)
    assert f"`{payload.decode()}`" in line


@pytest.mark.parametrize(
    "message", [m.ThrottleSpeed("ADDRESS", 0), m.ReporterState("NAME", ""), m.Fence("CLIENT", "x", 1)]
)
def test_the_other_topics_have_a_line(message: m.Message) -> None:
    assert f"| `{m.Topics().topic(message)}` |" in PAGE


def test_every_setting_is_told() -> None:
    variables = [value for name, value in vars(settings).items() if name.endswith("_VARIABLE")]
    assert len(variables) == 5
    assert [name for name in variables if f"`{name}`" not in PAGE] == []
    assert [key for key in keys_of(settings.BrokerShape) if f"{key} = " not in PAGE] == []


def test_the_figures_told_are_those_that_hold() -> None:
    assert f"The broker's port is {PORT}, or {TLS_PORT} with encryption" in PAGE
    assert (SILENCE_S, KEEP_ALIVE_S) == (0.5, 2), "half a second, and 3 to 5 s, are told on the page"
    assert (node_tunnel.FRESH_S, tunnel.SILENT_AFTER_S, bridging.SILENT_AFTER_S) == (0.3, 1, 1.5), "so is this"


def test_the_topics_of_a_bridge_are_told() -> None:
    topics = node_tunnel.Topics("NAME")
    assert f"| `{topics.to}` |" in PAGE
    assert f"| `{topics.back}` |" in PAGE
