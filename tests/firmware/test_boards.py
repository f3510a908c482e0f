"""The firmware, compiled for its boards."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from loop_bench import CORE

ROOT = Path(__file__).parents[2]
needs_avr = pytest.mark.skipif(
    shutil.which("avr-g++") is None or not CORE.exists(), reason="no avr-gcc or no Arduino core (make deps)"
)

HEAP = re.compile(r"^(?:malloc|calloc|realloc|free|sbrk|_Zn[wa]\w*|_Zd[la]\w*|_ZNK?6String\w*)(?:\.|$)")
"""What takes memory at run time, as a linker names it: C's functions, every operator new and delete, and String."""
HEAPED = """
#include <Arduino.h>
void setup() { pinMode(13, OUTPUT); }
void loop() {
  char* some = new char[analogRead(0)];
  some[0] = 1;
  String text(some);
  text += analogRead(1);
  digitalWrite(13, text.length() > 3);
  delete[] some;
  int* more = static_cast<int*>(calloc(2, 2));
  digitalWrite(12, more != nullptr);
  free(more);
}
"""

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


def heap_of(elf: Path) -> set[str]:
    """The symbols of a program that take memory at run time."""
    named = subprocess.run(["avr-nm", "--format=posix", str(elf)], capture_output=True, text=True, check=True)
    symbols = [line.split()[0] for line in named.stdout.splitlines()]
    assert "main" in symbols
    return {symbol for symbol in symbols if HEAP.match(symbol)}


@needs_avr
@pytest.mark.parametrize("board", ["uno", "mega"])
def test_it_takes_no_memory_at_run_time(board: str, build: Path) -> None:
    run = make(board, f"BUILD={build}")
    assert run.returncode == 0, run.stdout + run.stderr
    assert heap_of(build / board / "firmware.elf") == set()


@needs_avr
def test_a_program_that_takes_memory_at_run_time_is_known_by_its_symbols(build: Path) -> None:
    run = make("uno", f"BUILD={build}")
    assert run.returncode == 0, run.stdout + run.stderr
    compiled = f"""
        avr-g++ -mmcu=atmega328p -DF_CPU=16000000L -DARDUINO=10819 -DDECIMAL_DIG=__DECIMAL_DIG__ -Os -w -std=gnu++14
        -flto -fuse-linker-plugin -I{CORE.parent} -I{CORE.parents[2] / "variants" / "standard"}
        -o {build / "heaped.elf"} -x c++ - -x none {build / "uno" / "core.a"}
    """
    subprocess.run(compiled.split(), input=HEAPED, text=True, check=True)
    found = heap_of(build / "heaped.elf")
    assert {"malloc", "free", "realloc", "calloc"} <= found, "an operator new is C's malloc, by another name or none"
    assert any(symbol.startswith("_ZN6String") for symbol in found), found


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
