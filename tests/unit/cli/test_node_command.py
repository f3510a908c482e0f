"""``node`` at its boundary: what it refuses, and with which cure."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Pointsman, refused
from node_hex import hex_of, image

UNO = hex_of(image(26))


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("flash", "--on", "serial:/dev/ttyNONE", "--board", "uno"), 5, "no such port"),
        (("flash", "--on", "tcp:127.0.0.1:1", "--board", "uno"), 2, "at its own port"),
        (("flash", "--on", "serial:/dev/null", "--board", "one"), 2, "no board 'one'"),
        (("flash", "--on", "serial:/dev/null", "--board", "uno", "--hex", "none.hex"), 2, "make firmware"),
        (("monitor", "--on", "mqtt:hut"), 2, "serial line"),
        (("monitor", "--on", "nowhere"), 2, "--on serial:/dev/ttyACM0, or tcp:HOST:PORT"),
        (("monitor", "--on", "serial:/dev/ttyNONE"), 5, "no such port"),
        (("monitor", "--on", "tcp:127.0.0.1:1"), 5, "connection refused"),
        (("setup", "--on", "serial:/dev/ttyNONE"), 2, "no terminal"),
        (("bridge", "--on", "mqtt:hut", "--to", "mqtt:hut", "--name", "node"), 2, "serial line"),
        (("bridge", "--on", "tcp:127.0.0.1:1", "--to", "tcp:hut", "--name", "node"), 2, "--to mqtt:"),
        (("bridge", "--on", "serial:/dev/ttyNONE", "--to", "mqtt:hut", "--name", "node"), 5, "no such port"),
        (("bridge", "--on", "tcp:127.0.0.1:1", "--to", "mqtt:hut", "--name", "a/b"), 2, "stand in a topic"),
    ],
)
def test_what_cannot_be_is_refused_with_a_cure(
    words: tuple[str, ...], code: int, told: str, pointsman: Pointsman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    avrdude, firmware = tmp_path / "avrdude", tmp_path / "firmware.hex"
    avrdude.write_text("#!/bin/sh\nexit 9\n")
    avrdude.chmod(0o755)
    firmware.write_text(UNO)
    monkeypatch.setenv("PATH", str(tmp_path))
    more = ("--hex", str(firmware)) if words[0] == "flash" and "--hex" not in words else ()
    refused(pointsman("node", *words, *more), code, told)


def test_its_help_names_its_commands(pointsman: Pointsman) -> None:
    ran = pointsman("node", "--help")
    assert ran.code == 0
    assert all(name in ran.out for name in ("flash", "setup", "monitor", "bridge"))
