"""Test support: the small Inglenook with three sidings for one wagon each, and what a person does for a run there."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from programs import change

from pointsman.track.builtin import find_layout

TO_S1 = {"T1": "closed"}
TO_S2 = {"T1": "thrown", "T2": "closed"}
TO_S3 = {"T1": "thrown", "T2": "thrown"}


def two_wagons(folder: Path, start: str, goal: str) -> Path:
    """The layout, with magnets that reach far, and a puzzle ``two`` of two wagons."""
    home = folder / "two"
    shutil.copytree(find_layout("inglenook-small"), home)
    description = home / "layout.toml"
    for name in ("s1", "s2", "s3"):
        track, magnet = rf"(?<=\[segments\.{name}\]\n)", rf'(?<=\[magnets\.{name}\]\non = "{name}"\n)'
        change(description, track + r"capacity = \d\nlength_mm = \d+", "capacity = 1\nlength_mm = 160")
        change(description, magnet + r"at_mm = \d\nreach_mm = \d+", "at_mm = 30\nreach_mm = 60")
    shutil.rmtree(home / "puzzles")
    (home / "puzzles").mkdir()
    (home / "puzzles" / "two.toml").write_text(
        f'title = "Each wagon into another siding"\nstart = "{start}"\ngoal = "{goal}"\n'
    )
    return home


def at_the_end_of(track: str, told: Any) -> bool:
    """Whether the foremost vehicle stands near the end of a track: the headshunt begins there, a siding ends."""
    there = [one["at_mm"] for one in told["vehicles"].values() if one["element"] == track]
    return bool(there) and (min(there) < 130 if track == "head" else max(there) > 90)
