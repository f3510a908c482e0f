"""The firmware, compiled for its boards."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = Path("/usr/share/arduino/hardware/arduino/avr/cores/arduino/Arduino.h")
needs_avr = pytest.mark.skipif(
    shutil.which("avr-g++") is None or not CORE.exists(), reason="no avr-gcc or no Arduino core (make deps)"
)

needs_builder = pytest.mark.skipif(shutil.which("arduino-builder") is None, reason="no arduino-builder (make deps)")


def make(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-C", "firmware", *words], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to build in; the Arduino core is compiled once for all that is built there."""
    return tmp_path_factory.mktemp("build")


@needs_avr
@pytest.mark.parametrize("board", ["uno", "mega"])
def test_a_board_has_room_for_it(board: str, build: Path) -> None:
    (build / board / "firmware.hex").unlink(missing_ok=True)
    run = make(board, f"BUILD={build}")
    assert run.returncode == 0, run.stdout + run.stderr
    told = re.search(rf"^{board}: flash (\d+) of \d+ bytes \(([\d.]+) %\), RAM (\d+) of \d+ bytes", run.stdout, re.M)
    assert told is not None, run.stdout
    assert int(told[1]) > 8000
    assert float(told[2]) <= 80
    assert int(told[3]) > 500
    assert (build / board / "firmware.hex").read_text(encoding="ascii").endswith(":00000001FF\n")


@needs_avr
def test_a_program_that_takes_too_much_is_no_program(build: Path) -> None:
    (build / "uno" / "firmware.hex").unlink(missing_ok=True)
    run = make("uno", f"BUILD={build}", "MOST_PERCENT=40")
    assert run.returncode != 0
    assert "at most 40 % are allowed" in run.stdout
    assert not (build / "uno" / "firmware.hex").exists()


@needs_avr
def test_it_keeps_to_the_language_of_the_arduino_ide(build: Path) -> None:
    (build / "uno" / "firmware.elf").unlink(missing_ok=True)
    run = make("uno", f"BUILD={build}", "STD=gnu++11")
    assert run.returncode == 0, run.stdout + run.stderr


@needs_avr
@needs_builder
def test_the_arduino_ide_opens_it_as_it_is(tmp_path: Path) -> None:
    run = make("ide", f"BUILD={tmp_path}")
    assert run.returncode == 0, run.stdout + run.stderr
    for board in ("uno", "mega"):
        assert (tmp_path / "ide" / board / "pointsman_node.ino.hex").exists()
