from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import solver_cases
from solver_cases import Case, case
from tracks import inglenook, small, track_of

from pointsman.errors import BudgetSpentError, UsageError
from pointsman.puzzle.puzzle import Count
from pointsman.solver import kernel
from pointsman.solver.arrangements import Arrangements, number_of_arrangements
from pointsman.solver.cache import VARIABLE, cache_directory, read_sealed, writable, write_sealed
from pointsman.solver.compiling import EVERY_TIME, ONCE
from pointsman.solver.search import solve
from pointsman.solver.table import Progress, Table, table_for

SMALL = case(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: 3 1 2")


def same(one: Table, other: Table) -> bool:
    return list(one.graph.shapes) == list(other.graph.shapes) and bool(np.array_equal(one.distance, other.distance))


class Searches:
    """Counts how often a table is searched and not read."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self.number = 0

    def _told(self, progress: Progress) -> None:
        self.number += progress.stage == "searching" and progress.depth == 0

    def table(self, of: Case, count: Count = Count.RUNS) -> Table:
        return table_for(*of, count, cache=self.cache, progress=self._told)


def test_a_table_is_searched_once_and_read_again(tmp_path: Path) -> None:
    searches = Searches(tmp_path)
    first = searches.table(SMALL)
    again = searches.table(SMALL)
    assert searches.number == 1
    assert same(first, again)
    assert again.graph.routes == first.graph.routes
    assert sorted(path.suffix for path in tmp_path.rglob("*.*")) == [".graph", ".table"]  # no scraps


def test_draws_and_other_positions_share_a_table_other_games_do_not(tmp_path: Path) -> None:
    searches = Searches(tmp_path)
    searches.table(SMALL)
    searches.table(case(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: 5 2 4"))
    searches.table(case(small(), "s1: L 4 2 | s3: 5 | s2: 1 3", "s1: 1 2 3"))
    assert searches.number == 1
    searches.table(SMALL, Count.PULL_DROPS)
    searches.table(case(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: 3 1"))
    searches.table(case(inglenook(3, 2, 2, 3, 5), "head: L | s1: 1 2 3 | s2: 4 5", "s1: 3 1 2"))
    assert searches.number == 4


def test_positions_cut_off_from_one_another_have_a_table_each(tmp_path: Path) -> None:
    """A wagon behind a locomotive that has no room to run round it stays there for good."""
    stub = track_of("stub", {"a": 3, "b": 1}, {}, 1)
    before, behind = case(stub, "a: L 1", "a: 1"), case(stub, "a: 1 L", "a: 1")
    searches = Searches(tmp_path)
    for of in (before, behind, before, behind):
        assert searches.table(of).distance_of(of[1], of[2]) == 0
    assert searches.number == 2
    assert searches.table(before).distance_of(behind[1], behind[2]) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: body[:-1],
        lambda body: body[: len(body) // 2],
        lambda body: b"",
        lambda body: body[:200] + bytes([body[200] ^ 1]) + body[201:],
        lambda body: b"another program's file\n" * 50,
    ],
    ids=["cut by a byte", "half", "empty", "one bit", "foreign"],
)
def test_a_damaged_file_is_searched_anew_and_replaced(tmp_path: Path, spoil: object) -> None:
    searches = Searches(tmp_path)
    good = searches.table(SMALL)
    (path,) = tmp_path.rglob("*.table")
    assert callable(spoil)
    path.write_bytes(spoil(path.read_bytes()))
    assert same(searches.table(SMALL), good)
    assert searches.number == 2
    searches.table(SMALL)
    assert searches.number == 2


def test_a_whole_file_of_another_game_or_format_is_not_believed(tmp_path: Path) -> None:
    searches = Searches(tmp_path)
    good = searches.table(SMALL)
    (path,) = tmp_path.rglob("*.table")
    write_sealed(path, b"pointsman distances 0\nold\n")
    assert same(searches.table(SMALL), good)
    assert searches.number == 2


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    searches = Searches(tmp_path / "file")
    assert same(searches.table(SMALL), searches.table(SMALL))
    assert searches.number == 2


def test_more_steps_than_a_byte_holds_are_no_answer(tmp_path: Path) -> None:
    """A locomotive alone on a zigzag: every turnout takes a run of its own, and there are 260."""
    legs = 260
    segments = {f"z{i}": 1 for i in range(legs + 1)} | {f"e{i}": 1 for i in range(legs)}
    turnouts = {f"T{i}": (f"e{i}.from", f"z{i}.to", f"z{i + 1}.from") for i in range(legs)}
    zigzag = track_of("zigzag", segments, turnouts, 0)
    with pytest.raises(BudgetSpentError, match="not proved: 254 steps and more"):
        table_for(*case(zigzag, "z0: L", f"z{legs}: L"), Count.RUNS, cache=tmp_path)


def test_sealed_files(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    assert read_sealed(path) is None
    assert write_sealed(path, b"body")
    assert read_sealed(path) == b"body"
    path.write_bytes(path.read_bytes() + b"x")
    assert read_sealed(path) is None


def test_a_write_that_fails_leaves_no_scrap(tmp_path: Path) -> None:
    (tmp_path / "taken" / "by a directory").mkdir(parents=True)
    assert not write_sealed(tmp_path / "taken", b"body")
    with pytest.raises(TypeError):
        write_sealed(tmp_path / "other", "text")  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "named"))
    assert cache_directory() == tmp_path / "named"
    assert writable("x") == tmp_path / "named" / "x"
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file"))
    assert writable("x") is None
    monkeypatch.delenv(VARIABLE)
    assert "pointsman" in str(cache_directory())


SOLVE_ONE = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
from tracks import small
from solver_cases import case
from pointsman.puzzle.puzzle import Count
from pointsman.solver.compiling import listening
from pointsman.solver.table import table_for
with listening(print):
    print(table_for(*case(small(), "head: L | s1: 1 2 3", "s1: 3 1 2"), Count.RUNS).solved)
"""


@pytest.mark.parametrize("usable", [True, False], ids=["usable", "unusable"])
def test_compiled_code_is_kept_in_the_users_cache_or_nowhere(tmp_path: Path, usable: bool) -> None:
    cache = tmp_path / "cache"
    if not usable:
        cache.write_text("in the way")
    source = Path(kernel.__file__).parent
    before = sorted(source.rglob("*.nb[ci]"))
    environment = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT")} | {
        VARIABLE: str(cache)
    }
    support = Path(solver_cases.__file__).parent
    command = [sys.executable, "-c", SOLVE_ONE, str(support)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    *told, solved = done.stdout.splitlines()
    assert int(solved) > 0
    assert set(told) == {ONCE if usable else EVERY_TIME}
    assert sorted(source.rglob("*.nb[ci]")) == before
    if usable:
        kept = list((cache / "compiled").rglob("*.nb[ci]"))
        assert kept
        for damaged in kept:
            damaged.write_bytes(b"\x93 not what was written")
        shutil.rmtree(cache / "tables")
        again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (again.returncode, again.stderr, again.stdout) == (0, "", done.stdout)
        shutil.rmtree(cache / "tables")
        compiled = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (compiled.returncode, compiled.stderr, compiled.stdout) == (0, "", f"{solved}\n")


@pytest.mark.parametrize("cheapest", [0, 1, 3])
def test_the_compiled_sweep_does_what_its_source_says(cheapest: int) -> None:
    """Random small graphs, both ways, bucket by bucket."""
    dice = np.random.default_rng(7)
    for _ in range(10):
        nodes, size, arcs = (int(n) for n in dice.integers(1, 12, 3))
        target = np.sort(dice.integers(0, nodes, arcs))
        begins = np.searchsorted(target, np.arange(nodes + 1)).astype(np.int64)
        source = dice.integers(0, nodes, arcs).astype(np.int32)
        cost = dice.integers(cheapest, cheapest + 3, arcs).astype(np.int32)
        carrying = dice.integers(0, 3, arcs).astype(np.int32)
        carried = np.array([dice.permutation(size) for _ in range(3)], dtype=np.int32)
        one = np.full(nodes * size, 255, dtype=np.uint8)
        one[int(dice.integers(0, len(one)))] = 0
        other = one.copy()
        told = np.zeros((2, 3), dtype=np.int64)
        for low in range(20):
            rest = begins, source, cost, carrying, carried
            for room in (0, 2, 1000):
                waiting = np.zeros(room, dtype=np.int64)
                told[:, kernel.OVERFULL] = 0
                kernel.spread(one, low, low + 1, 255, 0, nodes, *rest, waiting, told[0])
                kernel._spread(other, low, low + 1, 255, 0, nodes, *rest, waiting, told[1])
                assert np.array_equal(one, other)
                assert np.array_equal(*told)
            assert told[0, kernel.OVERFULL] == 0


def test_arrangements() -> None:
    some = Arrangements.of([2, 1])
    assert some.rows.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert some.carried(np.array([2, 0, 1], dtype=np.int8)).tolist() == [2, 0, 1]
    assert number_of_arrangements([2, 1]) == len(some) == 3
    many = Arrangements.of([3, 1, 2, 1])
    assert len(many) == number_of_arrangements([3, 1, 2, 1]) == 420
    assert many.rank(many.rows).tolist() == list(range(420))
    assert many.rows.tolist() == sorted(many.rows.tolist())
    assert len(Arrangements.of([])) == number_of_arrangements([]) == 1


def test_more_wagons_than_can_be_told_apart_are_refused(tables: Path) -> None:
    most = inglenook(17, 2, 2, 2, 15)
    start = "head: L | s1: " + " ".join(str(n) for n in range(1, 16))
    assert table_for(*case(most, start, "s1: 2 .."), Count.RUNS, cache=tables).solved > 0
    more = inglenook(17, 2, 2, 2, 16)
    for count in (Count.RUNS, Count.SECONDS):
        with pytest.raises(UsageError, match="16 wagons stand on the track, and at most 15"):
            solve(*case(more, f"{start} 16", "s1: 2 .."), count, cache=tables)


FULL_DISK = """
import resource, signal, sys
sys.path.insert(0, sys.argv[1])
from solver_cases import Count, case
from tracks import small
from pointsman.solver.table import table_for
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # what cannot be written is then an error, as on a full disk
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
print(table_for(*case(small(), "head: L | s1: 1 2 3", "s1: 3 1 2"), Count.RUNS).solved)
"""


def test_compiled_code_for_which_there_is_no_room_is_used_and_not_kept(tmp_path: Path) -> None:
    left_out = ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT")
    environment = {k: v for k, v in os.environ.items() if k not in left_out} | {VARIABLE: str(tmp_path)}
    command = [sys.executable, "-c", FULL_DISK, str(Path(solver_cases.__file__).parent)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 0
    assert not list(tmp_path.rglob("*.nbc"))
