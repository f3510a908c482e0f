"""The command line run in this process: real arguments in, output and exit code out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from keyboard import keyboard
from shared_cache import shared_cache

from pointsman.cli.main import main


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON document and nothing else."""
        return json.loads(self.out)


Pointsman = Callable[..., Ran]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all commands: each table is searched once."""
    return shared_cache(tmp_path_factory)


@pytest.fixture
def pointsman(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cache: Path, tmp_path: Path
) -> Pointsman:
    monkeypatch.setenv("POINTSMAN_CACHE_DIR", str(cache))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("TERM", raising=False)

    def run(*words: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["pointsman", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        out, err = capsys.readouterr()
        return Ran(ended.value.code, out, err)

    return run


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """A terminal as standard input; of what is given a line is typed at each question."""
    with keyboard() as (terminal, types):
        monkeypatch.setattr(sys, "stdin", terminal)
        yield types
        monkeypatch.undo()
