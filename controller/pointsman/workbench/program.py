"""A program for a board, in Intel's hex format: whole, a node's, and for that board, or refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from pointsman.errors import UsageError
from pointsman.protocols.node_constants import Latch, Refusal, Verb

LONGEST_FILE_BYTES = 1_000_000
"""A Mega that is full takes 714 000, of 16 bytes a line."""
_RECORD = re.compile(r":((?:[0-9A-Fa-f]{2}){5,})")


class _Type(IntEnum):
    """The types of records (Intel, Hexadecimal Object File Format Specification, 1988)."""

    DATA = 0
    END = 1
    SEGMENT = 2
    START_SEGMENT = 3
    LINEAR = 4
    START_LINEAR = 5


_JUMP = b"\x0c\x94"
"""``jmp`` into the first 128 KiB, low byte first; such a one stands in each place of the table of interrupts."""
_AGAIN = "build it anew with `make firmware`"
_NAMES = [name.encode() + b"\0" for names in (Verb, Refusal, Latch) for name in names]
"""What every node has in its flash: the words that it reads and says."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a program of a board is known by: ``interrupts`` is how many its chip has, with the reset; ``flash_bytes``
    is the place beside the bootloader.
    """

    interrupts: int
    flash_bytes: int


def check_program(path: Path, room: Room, board: str) -> int:
    """The bytes of a node's program for a board. Raises UsageError for what is not whole, or is something else."""
    image = _image(path, _read(path))
    interrupts = 0
    while image.startswith(_JUMP, 4 * interrupts):
        interrupts += 1
    if any(name not in image for name in _NAMES):
        raise UsageError("it is no program of a node, or not a whole one", where=str(path), cure=_AGAIN)
    if interrupts != room.interrupts:
        raise UsageError(f"it is a program for another board than {board}", where=str(path), cure=_AGAIN)
    if len(image) > room.flash_bytes:
        what = f"it has {len(image)} bytes, and {board} has room for {room.flash_bytes} beside its bootloader"
        raise UsageError(what, where=str(path), cure="name the board with --board, or build the program for it")
    return len(image)


def _read(path: Path) -> list[str]:
    try:
        if path.exists() and not path.is_file():
            raise UsageError("the program is no file", where=str(path), cure=_AGAIN)
        with path.open("rb") as file:
            data = file.read(LONGEST_FILE_BYTES + 1)
        if len(data) > LONGEST_FILE_BYTES:
            raise UsageError("it is too long for a program of any board", where=str(path), cure=_AGAIN)
        return data.decode("ascii").split()
    except FileNotFoundError:
        raise UsageError(
            "there is no such program to put on the board",
            where=str(path),
            cure="build it with `make firmware` in the repository of pointsman, or name one with --hex",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the program cannot be read: {error}", where=str(path), cure=_AGAIN) from None


def _image(path: Path, lines: list[str]) -> bytes:
    """What is to stand in the flash, from its beginning on."""
    image, base, ended = bytearray(), 0, False
    for number, line in enumerate(lines, start=1):
        found = _RECORD.fullmatch(line)
        record = bytes.fromhex(found[1]) if found else b""
        if not record or sum(record) % 256 or len(record) != record[0] + 5 or record[3] not in set(_Type) or ended:
            raise UsageError(f"line {number} is no line of a program", where=str(path), cure=_AGAIN)
        value, payload = int.from_bytes(record[4:-1]), record[4:-1]
        match record[3]:
            case _Type.DATA:
                at = base + int.from_bytes(record[1:3])
                if at != len(image):
                    raise UsageError(
                        f"the program is not whole: {len(image)} bytes come before line {number}, which is for {at}",
                        where=str(path),
                        cure=_AGAIN,
                    )
                image += payload
            case _Type.END:
                ended = True
            case _Type.SEGMENT:
                base = value << 4
            case _Type.LINEAR:
                base = value << 16
    if not image or not ended:
        raise UsageError("the program is not whole", where=str(path), cure=_AGAIN)
    return bytes(image)
