"""Test support: small pictures, and a layout whose vehicles have some."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from pathlib import Path

from commands import own_layout
from PIL import Image

RED = 'colour = "red"'
GREEN = 'colour = "green"'


def png(width: int = 12, height: int = 8, colour: tuple[int, int, int] = (200, 30, 30)) -> bytes:
    """A PNG of one colour, as its standard has it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(colour) * width) * height
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def saved(kind: str, width: int = 12, height: int = 8, **how: object) -> bytes:
    """A picture as another program saves it: ``JPEG`` or ``WEBP``; ``mode`` is that of its pixels."""
    made = BytesIO()
    Image.new(str(how.pop("mode", "RGB")), (width, height), "teal").save(made, kind, **how)
    return made.getvalue()


def pictured(folder: Path, *changes: tuple[str, str, str]) -> Path:
    """A copy of the small Inglenook in which wagon 1 and the locomotive have pictures; with some more changes."""
    home = own_layout(
        folder,
        "inglenook-small",
        ("layout.toml", RED, f'{RED}, photo = "photos/w1.png"'),
        ("layout.toml", GREEN, f'{GREEN}\nphoto = "photos/engine.jpg"'),
        *changes,
    )
    (home / "photos").mkdir()
    (home / "photos" / "w1.png").write_bytes(png())
    (home / "photos" / "engine.jpg").write_bytes(saved("JPEG", 30, 20))
    return home
