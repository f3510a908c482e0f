from __future__ import annotations

import hashlib
import re
import shutil
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from tracks import inglenook, small

from pointsman.compete.commitment import Files, ParRange, Parts
from pointsman.compete.draws import DrawList, Pool, draw_list, parts_of
from pointsman.errors import RefusedError, UsageError
from pointsman.puzzle.choice import choose
from pointsman.puzzle.deal import laid_out
from pointsman.puzzle.goal import parse_goal
from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count, Puzzle
from pointsman.solver.table import Table, table_for
from pointsman.track.builtin import find_layout
from pointsman.track.model import Track

pytestmark = pytest.mark.usefixtures("solver_cache")

SMALL = "inglenook-small"
START = "head: L | s1: 1 2 3 | s2: 4 5"
FILES = Files("0" * 64, "f" * 64)


def secrets_in_a_row(many: int) -> list[bytes]:
    """The same in every run, so that no run is unlucky."""
    return [hashlib.sha256(f"secret {number}".encode()).digest()[:16] for number in range(many)]


def parts(pool: Pool, heats: int, spares: int) -> Parts:
    return Parts("0.1.0", FILES, "round 1", Count.PULL_DROPS, ParRange(1, 20), len(pool), heats, spares)


def test_par_ranges_have_as_many_draws_as_was_published() -> None:
    """The train only, the others in the short sidings: 6,720 draws (Simonis and Quesada; n1ksn's rule)."""
    listed = draw_list("inglenook/sidings", Count.PULL_DROPS)
    published = {4: 9, 5: 13, 6: 33, 7: 101, 8: 191, 9: 357, 10: 675, 11: 1036, 12: 1332, 13: 1303, 14: 976, 15: 565}
    published |= {16: 127, 17: 1}
    assert len(listed) == 6720
    assert listed.histogram == {0: 1, **published}
    for least, most in ((1, 17), (10, 15), (17, 17), (18, 30), (1, 3)):
        fitting = sum(many for par, many in published.items() if least <= par <= most)
        assert len(listed.pool(ParRange(least, most))) == fitting


def test_every_draw_is_equally_likely_as_a_heats_own_and_as_a_spare() -> None:
    pool = draw_list(SMALL, Count.PULL_DROPS).pool(ParRange(1, 12))
    assert len(pool) == 59
    these = parts(pool, heats=2, spares=1)
    found: list[Counter[tuple[str, ...]]] = [Counter(), Counter()]
    for secret in secrets_in_a_row(5900):
        for place, draw in enumerate(pool.heat(these, secret, 2)):
            found[place][draw.wagons] += 1
    for drawn in found:
        assert len(drawn) == 59
        # 58 degrees of freedom: one row of secrets in a thousand would exceed this.
        assert sum((many - 100) ** 2 / 100 for many in drawn.values()) < 97.1


def test_no_draw_comes_twice_in_a_round_even_when_it_takes_all_there_are() -> None:
    pool = draw_list(SMALL, Count.PULL_DROPS).pool(ParRange(7, 12))
    assert len(pool) == 48
    these = parts(pool, heats=12, spares=3)
    for secret in secrets_in_a_row(20):
        drawn = [draw for heat in range(1, 13) for draw in pool.heat(these, secret, heat)]
        assert len({draw.wagons for draw in drawn}) == 48
        assert all(draw.par in ParRange(7, 12) for draw in drawn)


def test_another_round_has_other_draws_with_the_same_secret() -> None:
    pool = draw_list(SMALL, Count.PULL_DROPS).pool(ParRange(1, 12))
    one = parts(pool, heats=8, spares=1)
    secret = bytes(16)
    rows = [
        [pool.heat(these, secret, heat)[0].wagons for heat in range(1, 9)] for these in (one, replace(one, version="2"))
    ]
    assert rows[0] != rows[1]


def test_a_heat_that_is_not_and_a_pool_that_is_another_are_refused() -> None:
    listed = draw_list(SMALL, Count.PULL_DROPS)
    pool = listed.pool(ParRange(1, 12))
    these = parts(pool, heats=3, spares=1)
    for heat in (0, 4):
        with pytest.raises(UsageError, match="heats are 1 to 3"):
            pool.heat(these, bytes(16), heat)
    with pytest.raises(RefusedError, match="58 draws with a par in the range are found here, and 59 were published"):
        listed.pool(ParRange(1, 11)).heat(these, bytes(16), 1)


@pytest.mark.parametrize(
    ("pars", "heats", "spares"), [((12, 12), 4, 1), ((1, 2), 1, 0), ((30, 40), 2, 2), ((3, 4), 20, 1)]
)
def test_a_range_with_too_few_draws_is_refused_with_one_that_has_enough(
    pars: tuple[int, int], heats: int, spares: int
) -> None:
    listed = draw_list(SMALL, Count.PULL_DROPS)
    with pytest.raises(UsageError, match=f"of the draws, and the round takes {heats * (1 + spares)}") as refused:
        parts_of(SMALL, listed, version="1", round_id="r", pars=ParRange(*pars), heats=heats, spares=spares)
    better = re.match(r"let it be (\d+) to (\d+), which leaves (\d+), or", refused.value.cure)
    assert better is not None
    wider = ParRange(int(better[1]), int(better[2]))
    assert len(listed.pool(wider)) == int(better[3]) >= heats * (1 + spares)
    listed.check(wider, heats, spares)


def test_what_no_range_has_is_said() -> None:
    listed = draw_list(SMALL, Count.PULL_DROPS)
    with pytest.raises(UsageError, match="take fewer heats or spares, or another puzzle: all pars, 3 to 12, leave 59"):
        listed.check(ParRange(5, 10), 20, 2)


def test_where_no_draw_can_be_solved_it_is_said() -> None:
    no_room = puzzle(inglenook(3, 2, 2, 0, 5), START, "s1: 1 2 3")
    listed = DrawList.of(no_room, table(no_room), Count.RUNS)
    assert listed.histogram == {0: 1}
    with pytest.raises(UsageError, match="none of its draws can be solved"):
        listed.check(ParRange(1, 5), 1, 0)


def test_seconds_and_goals_of_two_sorts_are_refused_with_what_will_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give the par range in runs"):
        draw_list("timesaver/best-time", Count.SECONDS)
    club = tmp_path / "club"
    shutil.copytree(find_layout(SMALL), club)
    classic = (club / "puzzles" / "classic.toml").read_text()
    (club / "puzzles" / "mixed.toml").write_text(re.sub(r"goal = .*", 'goal = "s1: 1 @open .."', classic))
    (club / "puzzles" / "broken.toml").write_text("title = 1")
    with pytest.raises(UsageError, match="by name and by kind: its draws cannot be listed") as refused:
        draw_list(f"{club}/mixed", Count.RUNS)
    assert refused.value.cure == "use classic or full or siding-2 or sidings of this layout"
    for name in ("classic", "full", "siding-2", "sidings"):
        (club / "puzzles" / f"{name}.toml").unlink()
    with pytest.raises(UsageError, match="use a puzzle that asks either by name or by kind"):
        draw_list(f"{club}/mixed", Count.RUNS)


# ---------------------------------------------------------------- the list, against the solver, draw by draw


def puzzle(track: Track, start: str, goal: str) -> Puzzle:
    position = parse_position(start, track)
    return Puzzle("p", "p", track, position, parse_goal(goal, track, position.vehicles), Count.RUNS)


def table(of: Puzzle) -> Table:
    return table_for(of.track, of.start, of.goal, Count.RUNS)


def with_kinds(kinds: str) -> Track:
    track = small()
    wagons = {name: replace(wagon, kind=kind) for (name, wagon), kind in zip(track.wagons.items(), kinds, strict=True)}
    return replace(track, wagons=wagons)


@pytest.mark.parametrize(
    ("of", "places", "draws"),
    [
        (puzzle(small(), START, "s1: 1 2 3"), 3, 60),
        (puzzle(small(), START, "s1: {1 2 3} | s2: {4 5}"), 5, 10),
        (puzzle(small(), START, "s1: 3 {1 5} | s2+s3: {4 2}"), 5, 30),
        (puzzle(small(), START, "s1: .. 4 | s3: {2 ..}"), 2, 20),
        (puzzle(inglenook(3, 2, 1, 2, 5), START, "s1: 1 2 3 | s2: 4 5"), 5, 120),  # few of them can be solved
        (puzzle(with_kinds("aabbc"), START, "s1: @a @b @c"), 5, 30),
        (puzzle(with_kinds("abcab"), START, "L+: {@a @b}"), 5, 30),
        (puzzle(with_kinds("aabbc"), START, "s1: @a ? ? !b/c"), 5, 30),
        (puzzle(small(), START, "head: {4 L} | s1: 2 5"), 3, 60),
    ],
    ids=lambda value: str(value.goal) if isinstance(value, Puzzle) else None,
)
def test_every_draw_is_there_once_with_its_par(of: Puzzle, places: int, draws: int) -> None:
    solver = table(of)
    listed = DrawList.of(of, solver, Count.RUNS)
    assert listed.rows.tolist() == sorted(listed.rows.tolist())
    pars = {}
    for row, par in zip(listed.rows.tolist(), listed.pars.tolist(), strict=True):
        drawn, _ = laid_out(of, [of.wagons[number] for number in row])
        assert solver.distance_of(drawn.start, drawn.goal) == (None if par == -1 else par)
        pars[alike(drawn)] = par
    assert len(pars) == len(listed) == draws
    for wagons in permutations(of.wagons, places):
        drawn, _ = laid_out(of, wagons)
        assert (solver.distance_of(drawn.start, drawn.goal) or 0) == max(pars[alike(drawn)], 0)


def alike(drawn: Puzzle) -> tuple[str, tuple[int, ...]]:
    """What two draws have in common that are one to the goal."""
    kinds = drawn.goal.kinds(drawn.wagons)
    by_name = any(vehicle in drawn.wagons for vehicle in drawn.goal.vehicles)
    return str(drawn.goal) if by_name else "", () if by_name else tuple(kinds[wagon] for wagon in drawn.wagons)


def test_a_heats_draw_is_laid_out_as_it_was_chosen() -> None:
    listed = draw_list(f"{SMALL}/siding-2", Count.RUNS)
    pars = ParRange(7, 17)
    these = parts_of(f"{SMALL}/siding-2", listed, version="1", round_id="r", pars=pars, heats=2, spares=1)
    for draw in listed.pool(pars).heat(these, bytes(16), 1):
        chosen = choose(f"{SMALL}/siding-2", cards=draw.wagons)
        assert chosen.seed is None
        assert chosen.cards == draw.wagons[:3]
        assert str(draw) == " ".join(f"[{wagon}]" for wagon in draw.wagons)
        assert str(chosen.goal) == f"s1: {' '.join(draw.wagons[:3])} | s2: {{{' '.join(sorted(draw.wagons[3:]))}}}"
        solver = table_for(chosen.track, chosen.start, chosen.goal, Count.RUNS)
        assert solver.distance_of(chosen.start, chosen.goal) == draw.par
