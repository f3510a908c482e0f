"""Pictures of vehicles: files of a layout's folder that its layout.toml names.

What a file is its first bytes say, and its name has to say the same. Only as much of it is understood as tells how
large it is (PNG third edition, 11.2.1; JPEG, ITU-T T.81, B.2.2; WebP, RFC 9649).
"""

from __future__ import annotations

import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pointsman.track.model import Vehicle
from pointsman.track.tomlfile import Notes

MOST_BYTES = 1_000_000
"""A layout has a dozen or two, and a page loads all of them."""
MOST_PX = 4096
KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
"""The ends that a picture's name may have, each with what the file is then."""

_SMALLER = "save it smaller: 800 pixels across are plenty"
_CALLED = {"image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WebP"}
_NO_FRAME = frozenset({0xC4, 0xC8, 0xCC})
"""JPEG's markers among those of frames (C0 to CF) that begin none."""
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""JPEG's markers that nothing belongs to."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture's file: what it is, as HTTP says it, and its bytes."""

    kind: str
    data: bytes


@dataclass(frozen=True, slots=True)
class NoPhoto:
    """Why a picture is not to be had, and what to do."""

    what: str
    cure: str


def read_photo(folder: Path, name: str) -> Photo | NoPhoto:
    """The picture of that name in a layout's folder. Nothing outside of the folder is read, by whatever way."""
    path = _found(folder, name)
    if isinstance(path, NoPhoto):
        return path
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            return NoPhoto("is no file", "name a picture's file")
        if about.st_size > MOST_BYTES:
            return NoPhoto(f"is larger than {MOST_BYTES // 1000} kB", _SMALLER)
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES)
    except OSError as error:
        return NoPhoto(f"cannot be read: {error.strerror or error}", "it must be a file that you may read")
    return _as_named(KINDS[PurePosixPath(name).suffix.lower()], data)


def check_photos(vehicles: Iterable[tuple[str, Vehicle]], folder: Path, notes: Notes) -> None:
    """Every picture that is named is there, and is one. Each vehicle comes with the section that it is in."""
    for section, vehicle in vehicles:
        found = None if vehicle.photo is None else read_photo(folder, vehicle.photo)
        if isinstance(found, NoPhoto):
            notes.add(f"{section}.{vehicle.name}.photo", f'"{vehicle.photo}" {found.what}', found.cure)


def _found(folder: Path, name: str) -> Path | NoPhoto:
    inside = 'write a path inside of the layout\'s folder, like "photos/w1.jpg"'
    way = PurePosixPath(name)
    if way.is_absolute() or ".." in way.parts or "\\" in name or not name.isprintable():
        return NoPhoto("is no path inside of the layout's folder", inside)
    if way.suffix.lower() not in KINDS:
        return NoPhoto("is not named as a picture", f"a picture's name ends with {', '.join(KINDS)}")
    try:
        home = folder.resolve(strict=True)
        path = (home / way).resolve(strict=True)
    except FileNotFoundError:
        return NoPhoto("is not there", "check the path: it begins in the layout's folder")
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead round in a ring
        return NoPhoto(f"cannot be read: {getattr(error, 'strerror', None) or error}", inside)
    if not path.is_relative_to(home):
        return NoPhoto("leads out of the layout's folder", "put the picture itself there, and no link to it")
    return path


def _as_named(kind: str, data: bytes) -> Photo | NoPhoto:
    found = _kind_of(data)
    if found is None:
        return NoPhoto("is no picture", "save it as PNG, JPEG or WebP")
    if found != kind:
        ends = " or ".join(end for end, one in KINDS.items() if one == found)
        return NoPhoto(f"is a {_CALLED[found]} picture, and is not named as one", f"let its name end with {ends}")
    size = _size_px(kind, data)
    if size is None:
        return NoPhoto("is damaged: it does not say how large it is", "save it again as PNG, JPEG or WebP")
    if max(size) > MOST_PX:
        return NoPhoto(f"is {size[0]} x {size[1]} pixels, and {MOST_PX} are allowed", _SMALLER)
    return Photo(kind, data)


def _kind_of(data: bytes) -> str | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def _size_px(kind: str, data: bytes) -> tuple[int, int] | None:
    """Width and height; None when the file does not say them, or says that there are none."""
    size = {"image/png": _png_px, "image/jpeg": _jpeg_px, "image/webp": _webp_px}[kind](data)
    return size if size is not None and min(size) > 0 else None


def _png_px(data: bytes) -> tuple[int, int] | None:
    if data[12:16] != b"IHDR" or len(data) < 24:
        return None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def _jpeg_px(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        if marker == 0xFF:
            at += 1
        elif marker in _ALONE:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _webp_px(data: bytes) -> tuple[int, int] | None:
    if len(data) < 30:
        return None
    if data[12:16] == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    if data[12:16] == b"VP8L" and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if data[12:16] == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    return None
