"""A picture made ready for paper."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

from PIL import Image, ImageOps

_FORMATS = ("PNG", "JPEG", "WEBP")
_PX_PER_MM = 12
"""What a printer shows: 300 dots to the inch."""
_BROKEN = (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, Image.DecompressionBombError)
"""What reading a damaged picture ends with."""


def on_paper(data: bytes, room_mm: tuple[float, float]) -> bytes | None:
    """A picture as JPEG: upright, on white, and no finer than is seen in that room; None when it is damaged."""
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as found:
            upright = ImageOps.exif_transpose(found).convert("RGBA")
    except _BROKEN:
        return None
    upright.thumbnail((round(room_mm[0] * _PX_PER_MM), round(room_mm[1] * _PX_PER_MM)))
    flat = Image.new("RGB", upright.size, "white")
    flat.paste(upright, mask=upright.getchannel("A"))
    made = BytesIO()
    flat.save(made, "JPEG", quality=88)
    return made.getvalue()
