"""A sitting by hand, on the simulated layout in virtual time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hand_bench import HandBench


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture
def bench(tmp_path: Path, cache: Path) -> HandBench:
    return HandBench(tmp_path / "hand.journal", cache)
