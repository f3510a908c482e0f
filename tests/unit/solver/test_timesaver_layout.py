"""The built-in Timesaver is the graph whose numbers the shunting model states."""

from __future__ import annotations

from pathlib import Path

import pytest
from solver_cases import case

from pointsman.puzzle.puzzle import Count
from pointsman.solver.table import table_for
from pointsman.track.builtin import find_layout
from pointsman.track.layout import load_layout

TIMESAVER = load_layout(find_layout("timesaver"))


@pytest.mark.parametrize(("cars", "positions"), [("UL: 1 | UR: 2", 1_314), ("UL: 1 | UR: 2 | LL: 3", 12_300)])
def test_it_has_as_many_positions_as_the_model(cars: str, positions: int, tables: Path) -> None:
    of = case(TIMESAVER, f"R: L | {cars}", cars)
    assert table_for(*of, Count.RUNS, cache=tables).distance.size == positions


@pytest.mark.parametrize(("start", "runs"), [("UL: 1", 5), ("UR: 1", 3)])
def test_which_way_t3_faces_shows(start: str, runs: int, tables: Path) -> None:
    of = case(TIMESAVER, f"R: L | {start}", "LL: 1")
    assert table_for(*of, Count.RUNS, cache=tables).distance_of(of[1], of[2]) == runs
