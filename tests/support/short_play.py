"""Test support: the small Inglenook with a play of one wagon, for whole programs in real time."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mosquitto import Mosquitto, mosquitto
from programs import Program

from pointsman.track.builtin import find_layout

STANDS = r"beam s1 broken[\s\S]*?L stands"
"""Railsim's word for a stop after that moment; there are earlier ones."""


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    """The small Inglenook with a short puzzle: its one wagon into another siding."""
    home = tmp_path / "short"
    shutil.copytree(find_layout("inglenook-small"), home)
    (home / "puzzles" / "short.toml").write_text(
        'title = "One wagon to s3"\nstart = "head: L | s1: 1"\ngoal = "s3: 1"\n'
    )
    return home


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with mosquitto(tmp_path) as made:
        yield made


def truth_of(tmp_path: Path, program: Program) -> dict[str, Any]:
    program.signal(signal.SIGINT)
    program.ends()
    found: dict[str, Any] = json.loads((tmp_path / "truth.json").read_text())
    return found
