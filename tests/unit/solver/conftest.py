from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent / "puzzle")]  # the hand-made tracks are shared with the puzzle's tests

from solver_cases import Case, TableOf  # noqa: E402

from pointsman.puzzle.puzzle import Count  # noqa: E402
from pointsman.solver.table import Table, table_for  # noqa: E402


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache directory for the whole session: each table is searched once."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def table_of(tables: Path) -> TableOf:
    def made(of: Case, count: Count) -> Table:
        return table_for(*of, count, cache=tables)

    return made
