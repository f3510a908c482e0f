"""Keys pressed before a question, and while the live picture is shown, at a real pseudo-terminal."""

from __future__ import annotations

import os
import re
import select
import signal
import termios
from pathlib import Path

import pytest
from programs import Program, quick_layout, running, tool

from pointsman.record import read

pytestmark = pytest.mark.system
LOCAL_MODES = 3


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"POINTSMAN_CACHE_DIR": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}


@pytest.fixture
def by_hand(tmp_path: Path) -> Path:
    """A layout whose turnouts are set by hand."""
    home = quick_layout(tmp_path)
    wiring = home / "hardware" / "dccex.toml"
    wiring.write_text(
        re.sub(r'id = \d\nkind = "accessory-decoder"\nmove_time_s = 0.3', 'kind = "hand"', wiring.read_text())
    )
    return home


def test_a_yes_typed_ahead_sets_no_points_by_hand(by_hand: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    journal = tmp_path / "j"
    words = ("play", str(by_hand), "--seed", "3", "--speed", "50", "--journal", str(journal))
    with running(lambda: Program(tool("pointsman"), *words, env=environment)) as play:
        play.asked(r"set up like this\? \[y/N\] ")
        play.type("y\ny\ny\ny")
        first = play.expect(r"(Set T1 by hand to \w+: towards .*)\. Done\? \[y/n\] ")
        play.answer("perhaps")
        again = play.asked(r"Please answer y when it is done, or n to stop\. (.*)\. Done\? \[y/n\] ")
        assert again.group(1) == first.group(1), "it is the same question still"
        play.answer("y\ny")
        play.asked(r"Set T2 by hand .*\. Done\? \[y/n\] ")
        play.answer("n")
        assert play.ends() == 1
        assert "the answer was no: Set T2" in play.text
    asked = [line.text("what") for line in read(journal).lines if line.kind == "asked"]
    assert len(asked) == 2, asked


def test_a_yes_typed_ahead_is_no_word_about_the_layout(
    tmp_path: Path, by_hand: Path, environment: dict[str, str]
) -> None:
    words = ("play", str(by_hand), "--seed", "3", "--on", "tcp:127.0.0.1:9", "--journal", str(tmp_path / "j"))
    with running(lambda: Program(tool("pointsman"), *words, env=environment)) as play:
        play.asked(r"Does the front of L point to .*\] ")
        play.type("points\ny\ny\n")
        play.asked(r"everybody clear of it\? \[y/N\] ")
        play.answer("n")
        assert play.ends() == 1
        assert "nothing was sent to the layout" in play.text
    assert not (tmp_path / "j").exists()


@pytest.mark.parametrize(("end", "code"), [("\x03", 130), (signal.SIGTERM, 143)])
def test_keys_do_not_tear_the_live_picture(
    tmp_path: Path, environment: dict[str, str], end: str | signal.Signals, code: int
) -> None:
    words = ("play", "inglenook-small", "--seed", "3", "--yes", "--journal", str(tmp_path / "j"))
    environment = {**environment, "TERM": "xterm"}
    with running(lambda: Program(tool("pointsman"), *words, env=environment, of_a_shell=True)) as play:
        # As a shell does, keep the terminal open, to find there what is left when the program has gone.
        terminal = os.open(play.terminal_path, os.O_RDWR | os.O_NOCTTY)
        try:
            before = termios.tcgetattr(terminal)
            play.expect("run 1 of")
            quiet = termios.tcgetattr(terminal)
            play.type("rm everything\n\n\nQ")
            if isinstance(end, str):
                play.type(end)
            else:
                play.signal(end)
            play.expect(r"Journal: .*\n(?s:.*)begin again:\s+pointsman play .*\n")
            play.expect("stopped by|told to end")
            assert play.process.wait(20) == code
            assert not quiet[LOCAL_MODES] & (termios.ECHO | termios.ICANON)
            assert termios.tcgetattr(terminal) == before
            assert "everything" not in play.text
            assert select.select([terminal], [], [], 0)[0] == []
        finally:
            os.close(terminal)
