"""Where user, password and encryption come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.drivers.mqtt.settings import broker_settings
from pointsman.errors import LayoutError, UsageError
from pointsman.transports.mqtt import Broker


def written(tmp_path: Path, text: str, mode: int = 0o600) -> Path:
    path = tmp_path / "mqtt.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_without_settings_nobody_is_named_and_nothing_encrypted(tmp_path: Path) -> None:
    assert broker_settings("hut", 0, {}, tmp_path / "none.toml") == Broker("hut")
    assert Broker("hut").address == "hut:1883"
    assert Broker("fe80::1", tls=True).address == "[fe80::1]:8883"


def test_the_file_is_read_and_a_ca_file_means_tls(tmp_path: Path) -> None:
    path = written(tmp_path, 'user = "tower"\npassword = "secret"\nca_file = "/ca.pem"\n')
    wanted = Broker("hut", 8884, "tower", "secret", tls=True, ca_file="/ca.pem")
    assert broker_settings("hut", 8884, {}, path) == wanted
    assert broker_settings("hut", 8884, {"POINTSMAN_MQTT_SETTINGS": str(path)}) == wanted


def test_the_environment_comes_first(tmp_path: Path) -> None:
    path = written(tmp_path, 'user = "tower"\npassword = "secret"\ntls = true\n')
    found = broker_settings("hut", 0, {"POINTSMAN_MQTT_PASSWORD": "other", "POINTSMAN_MQTT_TLS": "0"}, path)
    assert found == Broker("hut", 0, "tower", "other")


def test_a_password_is_never_shown(tmp_path: Path) -> None:
    assert "secret" not in repr(Broker("hut", password="secret"))


def test_a_password_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, 'password = "secret"\n', 0o644)
    with pytest.raises(UsageError, match="other users") as refusal:
        broker_settings("hut", 0, {}, path)
    assert refusal.value.cure == f"run: chmod 600 {path}"


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(LayoutError, match="pasword"):
        broker_settings("hut", 0, {}, written(tmp_path, 'pasword = "x"\n'))
    with pytest.raises(LayoutError, match="no such file"):
        broker_settings("hut", 0, {"POINTSMAN_MQTT_SETTINGS": str(tmp_path / "none.toml")})
    with pytest.raises(UsageError, match="POINTSMAN_MQTT_TLS=yes"):
        broker_settings("hut", 0, {"POINTSMAN_MQTT_TLS": "yes"}, tmp_path / "none.toml")
