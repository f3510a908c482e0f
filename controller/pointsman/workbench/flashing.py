"""Puts the firmware on a board, through avrdude, and says plainly what is missing."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pointsman.errors import StationError, UsageError, did_you_mean
from pointsman.workbench.program import Room

AVRDUDE = "avrdude"
FLASHED_WITHIN_S = 180.0
"""A Mega takes about 20 s; an avrdude that finds nobody gives up by itself after 30 s."""
LAST_WORDS_BYTES = 65_536
LONGEST_WORDS = 300
HALF = "the board may hold half a program: flash it again before it is used"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of board: what avrdude calls its chip and its bootloader, whose program it takes, and how long a one."""

    chip: str
    programmer: str
    baud: int
    firmware: str
    told: str
    room: Room


KINDS = {
    "uno": Kind("atmega328p", "arduino", 115200, "uno", "an Arduino Uno", Room(26, 32_256)),
    "nano": Kind("atmega328p", "arduino", 115200, "uno", "an Arduino Nano", Room(26, 32_256)),
    "nano-old": Kind(
        "atmega328p", "arduino", 57600, "uno", "an Arduino Nano with the old bootloader", Room(26, 30_720)
    ),
    "mega": Kind("atmega2560", "wiring", 115200, "mega", "an Arduino Mega 2560", Room(57, 253_952)),
}


def kind_of(name: str) -> Kind:
    """The board of that name. Raises UsageError with the names there are."""
    if name not in KINDS:
        raise UsageError(f"there is no board {name!r}", cure=did_you_mean(name, KINDS))
    return KINDS[name]


def built(kind: Kind) -> Path:
    """Where ``make firmware`` leaves the program of a board, seen from the repository that this program runs from."""
    return Path(__file__).parents[3] / "firmware" / "build" / kind.firmware / "firmware.hex"


def find_avrdude() -> str:
    """The path of avrdude. Raises UsageError when it is not installed."""
    found = shutil.which(AVRDUDE)
    if found is None:
        raise UsageError(
            "avrdude is not installed, which puts programs on Arduinos",
            cure="sudo apt install avrdude, or upload firmware/pointsman_node with the Arduino IDE",
        )
    return found


def arguments(kind: Kind, port: str, program: Path) -> list[str]:
    """What avrdude is called with."""
    chip = ["-p", kind.chip, "-c", kind.programmer, "-b", str(kind.baud)]
    return [*chip, "-D", "-P", port, "-U", f"flash:w:{program}:i"]


async def flash(avrdude: str, kind: Kind, port: str, program: Path) -> None:
    """Put a program on the board at a port; it starts then. Raises StationError with avrdude's own words."""
    # Its words go to a file: a pipe would be waited for as long as any program that avrdude has started holds it open.
    with tempfile.TemporaryFile() as words:
        code = await _called([avrdude, *arguments(kind, port, program)], port, words)
        words.seek(max(0, words.seek(0, os.SEEK_END) - LAST_WORDS_BYTES))
        said = words.read().decode(errors="replace")
    if code < 0:
        raise StationError(f"avrdude was ended by a signal: {signal.strsignal(-code) or -code}", where=port, cure=HALF)
    if code != 0:
        told, cure = _gist(said, kind)
        raise StationError(f"avrdude could not do it: {told}", where=port, cure=cure)


async def _called(words: list[str], port: str, out: BinaryIO) -> int:
    """Call a program and wait for its end. However this ends, the program has ended."""
    process = await asyncio.create_subprocess_exec(
        *words, stdin=asyncio.subprocess.DEVNULL, stdout=out, stderr=asyncio.subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(FLASHED_WITHIN_S):
            return await process.wait()
    except TimeoutError:
        raise StationError(
            f"avrdude was still at it after {FLASHED_WITHIN_S:.0f} s", where=port, cure=f"{HALF}; {_REPLUG}"
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


_REPLUG = "unplug the board, plug it in again, and try again"
_CAUSES = (
    (r"permission denied", "`pointsman ports` says which group to join"),
    (r"busy|being used", "`pointsman ports` says which program holds it"),
    (r"no such file|can't open device|cannot open port", "`pointsman ports` lists what is there"),
    (r"signature", "it is another board than you named: look at its chip, and name it with --board"),
    (r"verif", f"the program did not arrive whole: {_REPLUG}, with another cable"),
    (
        r"sync|not responding|timeout|programmer",
        "nobody answered as {board} does:{other} is it the right port? `pointsman ports` lists them",
    ),
    (r"error|fail|cannot|can't|unable", _REPLUG),
)
"""Signs of what went wrong in avrdude's words, the plainest first, and what to do."""


def _gist(said: str, kind: Kind) -> tuple[str, str]:
    """The line in which avrdude says most plainly what went wrong, and what to do."""
    printed = ("".join(one if one.isprintable() else " " for one in line).strip() for line in said.splitlines())
    lines = [re.sub(r"^avrdude(\.exe)?:?\s*|\(\)", "", line)[:LONGEST_WORDS] for line in printed if line]
    other = " an older Nano wants --board nano-old, a newer one --board nano;" if kind.firmware == "uno" else ""
    for sign, cure in _CAUSES:
        for line in reversed(lines):
            if re.search(sign, line, re.IGNORECASE):
                return line, cure.format(board=kind.told, other=other)
    return (lines or ["it said nothing"])[-1], _REPLUG
