"""The spaces are as large as docs/adr/0002 says."""

from __future__ import annotations

from pathlib import Path

from pointsman.puzzle.choice import choose
from pointsman.puzzle.puzzle import Count
from pointsman.solver.arrangements import number_of_arrangements
from pointsman.solver.graph import explore
from pointsman.solver.table import Shelf, counts_of


def test_the_shapes_and_moves_of_a_timesaver() -> None:
    chosen = choose("timesaver")
    graph = explore(chosen.track, chosen.start, "L", Count.RUNS)
    assert (len(graph.shapes), len(graph.source)) == (9_328, 70_659)


def test_the_couplings_of_the_classic_train_of_five(tmp_path: Path) -> None:
    chosen = choose("inglenook", seed="1")
    shelf = Shelf.of(chosen.track, chosen.start, chosen.goal, Count.COUPLINGS, cache=tmp_path)
    positions = len(shelf.nodes.shape) * number_of_arrangements(counts_of(shelf.kinds))
    assert positions == 57_348_480
