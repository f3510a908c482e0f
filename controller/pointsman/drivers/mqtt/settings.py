"""Who we are at a broker: from the environment or from a file, never from a layout, and never from the command line,
where every user of the computer could read a password.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_config_dir
from pydantic import Field

from pointsman.errors import LayoutError, UsageError
from pointsman.posix import open_to_others
from pointsman.track.tomlfile import Notes, Shape, is_file, read_draft
from pointsman.transports.mqtt import Broker

FILE_VARIABLE = "POINTSMAN_MQTT_SETTINGS"
USER_VARIABLE = "POINTSMAN_MQTT_USER"
PASSWORD_VARIABLE = "POINTSMAN_MQTT_PASSWORD"
TLS_VARIABLE = "POINTSMAN_MQTT_TLS"
CA_VARIABLE = "POINTSMAN_MQTT_CA"


class BrokerShape(Shape):
    """The settings file."""

    user: str = Field(default="", description="our name at the broker")
    password: str = Field(default="", description="our password there")
    tls: bool = Field(default=False, description="true to encrypt the connection")
    ca_file: str = Field(default="", description="the CA certificates that the broker's is checked against; means tls")


def default_file() -> Path:
    """Where the settings are looked for when the environment names no file."""
    return Path(user_config_dir("pointsman")) / "mqtt.toml"


def broker_settings(host: str, port: int, environ: Mapping[str, str], file: Path | None = None) -> Broker:
    """The broker at an address (port 0: the usual one), with user, password and encryption.

    What the environment says comes before what the file says. ``file`` is where it is looked for when the environment
    names none; then it need not exist. Raises UsageError and LayoutError.
    """
    named = environ.get(FILE_VARIABLE, "")
    path = Path(named) if named else file or default_file()
    found = _read(path) if named or is_file(path) else BrokerShape()
    tls = environ.get(TLS_VARIABLE, "")
    if tls not in ("", "0", "1"):
        raise UsageError(f"{TLS_VARIABLE}={tls} is not understood", cure="write 1 for an encrypted connection, or 0")
    ca_file = environ.get(CA_VARIABLE, found.ca_file)
    return Broker(
        host=host,
        port=port,
        user=environ.get(USER_VARIABLE, found.user),
        password=environ.get(PASSWORD_VARIABLE, found.password),
        tls=tls == "1" if tls else found.tls or bool(ca_file),
        ca_file=ca_file,
    )


def _read(path: Path) -> BrokerShape:
    notes = Notes(str(path))
    draft = read_draft(path, BrokerShape, notes)
    notes.raise_if_any()
    if draft.shape is None:
        raise LayoutError(notes.mistakes)
    if draft.shape.password and open_to_others(path):
        raise UsageError(
            "other users of this computer can read the password", where=str(path), cure=f"run: chmod 600 {path}"
        )
    return draft.shape
