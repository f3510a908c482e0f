"""Which serial ports are there, and may we use them? Nothing is opened, so no port in use is disturbed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from serial.tools import list_ports as pyserial_ports

from pointsman import posix


@dataclass(frozen=True, slots=True)
class PortInfo:
    """A serial port. ``stable_path`` keeps its name over replugging; ``group`` is the one to join for permission."""

    path: str
    stable_path: str
    description: str
    hardware_id: str
    permitted: bool
    group: str
    holders: tuple[posix.Holder, ...]


def list_ports() -> list[PortInfo]:
    """All serial ports with who holds them and whether this user may open them; those at USB first, then by path."""
    listed = sorted(sorted(pyserial_ports.comports()), key=lambda port: not port.hwid.startswith("USB"))
    return [look_at(port.device, port.description, port.hwid) for port in listed]


def look_at(path: str, description: str = "n/a", hardware_id: str = "n/a") -> PortInfo:
    """One port, with who holds it and whether this user may open it."""
    return PortInfo(
        path=path,
        stable_path=_stable_paths().get(os.path.realpath(path), ""),
        description=description,
        hardware_id=hardware_id,
        permitted=os.name != "posix" or os.access(path, os.R_OK | os.W_OK),
        group=posix.group_of(path),
        holders=tuple(posix.holders(path)),
    )


def _stable_paths() -> dict[str, str]:
    folder = Path("/dev/serial/by-id")
    return {os.path.realpath(link): str(link) for link in folder.iterdir()} if folder.is_dir() else {}
