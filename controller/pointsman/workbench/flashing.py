"""Puts the firmware on a board, through avrdude, and says plainly what is missing."""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from pointsman.errors import StationError, UsageError, did_you_mean

AVRDUDE = "avrdude"
FLASHED_WITHIN_S = 180.0
"""A Mega takes about 20 s; an avrdude that finds nobody gives up by itself after 30 s."""
_RECORD = re.compile(r":((?:[0-9A-Fa-f]{2}){5,})")
_END = ":00000001FF"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of board: what avrdude calls its chip and its bootloader, and whose program it takes."""

    chip: str
    programmer: str
    baud: int
    firmware: str
    told: str


KINDS = {
    "uno": Kind("atmega328p", "arduino", 115200, "uno", "an Arduino Uno"),
    "nano": Kind("atmega328p", "arduino", 115200, "uno", "an Arduino Nano"),
    "nano-old": Kind("atmega328p", "arduino", 57600, "uno", "an Arduino Nano with the old bootloader"),
    "mega": Kind("atmega2560", "wiring", 115200, "mega", "an Arduino Mega 2560"),
}


def kind_of(name: str) -> Kind:
    """The board of that name. Raises UsageError with the names there are."""
    if name not in KINDS:
        raise UsageError(f"there is no board {name!r}", cure=did_you_mean(name, KINDS))
    return KINDS[name]


def built(kind: Kind) -> Path:
    """Where ``make firmware`` leaves the program of a board, seen from the repository that this program runs from."""
    return Path(__file__).parents[3] / "firmware" / "build" / kind.firmware / "firmware.hex"


def check_program(path: Path) -> int:
    """The bytes in a file of Intel's format, each line of which must be whole. Raises UsageError."""
    try:
        lines = path.read_text(encoding="ascii").split()
    except FileNotFoundError:
        raise UsageError(
            "there is no such program to put on the board",
            where=str(path),
            cure="build it with `make firmware` in the repository of pointsman, or name one with --hex",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the program cannot be read: {error}", where=str(path), cure=_AGAIN) from None
    size = 0
    for number, line in enumerate(lines, start=1):
        found = _RECORD.fullmatch(line)
        data = bytes.fromhex(found[1]) if found else b""
        if not data or sum(data) % 256 or len(data) != data[0] + 5:
            raise UsageError(f"line {number} is no line of a program", where=str(path), cure=_AGAIN)
        size += data[0] if data[3] == 0 else 0
    if not size or lines[-1].upper() != _END:
        raise UsageError("the program is not whole", where=str(path), cure=_AGAIN)
    return size


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
    process = await asyncio.create_subprocess_exec(
        avrdude,
        *arguments(kind, port, program),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(FLASHED_WITHIN_S):
            said, _ = await process.communicate()
    except TimeoutError:
        raise StationError(
            f"avrdude was still at it after {FLASHED_WITHIN_S:.0f} s", where=port, cure=_REPLUG
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        told, cure = _gist(said.decode(errors="replace"), kind)
        raise StationError(f"avrdude could not do it: {told}", where=port, cure=cure)


_AGAIN = "build it anew with `make firmware`"
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
    lines = [re.sub(r"^avrdude(\.exe)?:?\s*|\(\)", "", line.strip()) for line in said.splitlines() if line.strip()]
    other = " an older Nano wants --board nano-old, a newer one --board nano;" if kind.firmware == "uno" else ""
    for sign, cure in _CAUSES:
        for line in reversed(lines):
            if re.search(sign, line, re.IGNORECASE):
                return line, cure.format(board=kind.told, other=other)
    return (lines or ["it said nothing"])[-1], _REPLUG
