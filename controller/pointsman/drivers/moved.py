"""A machine that was tried."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moved:
    """One machine that was tried. ``what`` is what it was told to do, and what the station says where that differs."""

    machine: str
    what: str
