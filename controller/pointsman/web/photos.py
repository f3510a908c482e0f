"""The pictures of a layout's vehicles, as they are shown: only what layout.toml names can be asked for."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pointsman.track.model import Track, Vehicle
from pointsman.track.photos import NoPhoto, read_photo

KEPT_S = 600
"""A browser need not ask again for so long; then it asks whether the picture is still the same."""
_logger = logging.getLogger("pointsman.web.photos")
_Stamp = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: what it is, as HTTP says it, its bytes, and a text that only the same bytes have."""

    kind: str
    data: bytes
    tag: str


def address_of(vehicle: Vehicle) -> str | None:
    """Where the page finds the picture of a vehicle, if it has one."""
    return None if vehicle.photo is None else f"/api/photos/{vehicle.name}"


class Album:
    """The pictures, read when they are wanted, and kept until their files are others.

    One that is gone, or is no picture any more, is none, and the log says so once.
    """

    def __init__(self, folder: Path, track: Track) -> None:
        self._folder = folder
        everyone = (*track.wagons.values(), *track.locomotives.values())
        self._names = {one.name: one.photo for one in everyone if one.photo is not None}
        self._kept: dict[str, tuple[_Stamp | None, Picture | None]] = {}
        self._turn = asyncio.Lock()

    async def picture(self, vehicle: str) -> Picture | None:
        """The picture of a vehicle; None when it has none."""
        if vehicle not in self._names:
            return None
        async with self._turn:
            return await asyncio.to_thread(self._read, vehicle)

    async def all(self) -> Mapping[str, Picture]:
        """All that are there, by vehicle."""
        found = {vehicle: await self.picture(vehicle) for vehicle in self._names}
        return {vehicle: one for vehicle, one in found.items() if one is not None}

    def _read(self, vehicle: str) -> Picture | None:
        name = self._names[vehicle]
        stamp = self._stamp(name)
        kept = self._kept.get(vehicle)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        found = read_photo(self._folder, name)
        if isinstance(found, NoPhoto):
            _logger.warning("no picture of %s: %s %s -> %s", vehicle, name, found.what, found.cure)
            picture = None
        else:
            picture = Picture(found.kind, found.data, hashlib.sha256(found.data).hexdigest()[:32])
        self._kept[vehicle] = (stamp, picture)
        return picture

    def _stamp(self, name: str) -> _Stamp | None:
        """What changes with the file; None when there is none."""
        try:
            about = (self._folder / name).stat()
        except (OSError, ValueError):
            return None
        return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns
