"""docs/fair-draws.md, followed step by step with nothing of the program: both must come to the same draws."""

from __future__ import annotations

import hashlib
import re
from itertools import product
from pathlib import Path

import pytest
from fair_draws import PUZZLES, SMALL, chosen, pars_of, sha256, text_of, train_only, within
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.compete.commitment import Files, ParRange, Parts
from pointsman.compete.draws import draw_list, parts_of
from pointsman.compete.sealing import seal
from pointsman.puzzle.puzzle import Count

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "fair-draws.md").read_text(encoding="utf-8")


def blocks() -> list[str]:
    """The indented blocks of the page."""
    found = re.findall(r"(?:^    .*\n)+", PAGE, flags=re.MULTILINE)
    return ["".join(line[4:] + "\n" for line in block.splitlines()) for block in found]


def test_the_example_is_what_the_rule_gives() -> None:
    text, commitment = blocks()[0], blocks()[1].strip()
    assert sha256(text).hex() == commitment
    listed = within(pars_of(*train_only()), 8, 12)
    assert f"draws {len(listed)}\n" in text
    rows = re.findall(r"^\| (\d) \| (\d) \| (\d) (\d) (\d) \| (\d+) \|$", PAGE, flags=re.MULTILINE)
    there = [(heat, spare, tuple(int(wagon) - 1 for wagon in wagons), int(par)) for heat, spare, *wagons, par in rows]
    by_rule = chosen(listed, bytes(range(16)).hex(), commitment, 4)
    places = product("12", "01")
    assert there == [(heat, spare, row, par) for (heat, spare), (row, par) in zip(places, by_rule, strict=True)]


@pytest.mark.usefixtures("solver_cache")
def test_the_example_is_what_the_program_gives() -> None:
    words = dict(line.split(" ", 1) for line in blocks()[0].splitlines())
    files = Files(words["layout"], words["puzzle"])
    parts = Parts("0.1.0", files, "club evening, round 1", Count.PULL_DROPS, ParRange(8, 12), 35, 2, 1)
    secret = bytes(range(16))
    assert parts.text(secret) == blocks()[0]
    assert f"{parts.commitment(secret)}\n" == blocks()[1]
    pool = draw_list(SMALL, Count.PULL_DROPS).pool(parts.pars)
    told = [
        f"| {draw.heat} | {draw.spare} | {' '.join(draw.wagons)} | {draw.par} |"
        for heat in (1, 2)
        for draw in pool.heat(parts, secret, heat)
    ]
    assert "\n".join(told) in PAGE


@pytest.mark.usefixtures("solver_cache")
@pytest.mark.parametrize("puzzle", PUZZLES)
def test_the_program_goes_by_the_page(puzzle: str) -> None:
    listed = draw_list(puzzle, Count.PULL_DROPS)
    rows, holds = PUZZLES[puzzle]()
    assert listed.rows.tolist() == [list(row) for row in sorted(rows)]
    known = pars_of(rows, holds)

    @settings(max_examples=20)
    @given(
        secret=st.binary(min_size=16, max_size=16),
        pars=st.tuples(st.integers(1, 8), st.integers(10, 14)),
        heats=st.integers(1, 5),
        spares=st.integers(0, 2),
        name=st.sampled_from(["final", "Zürich", "Zu\u0308rich", "manche 3 – enfants"]),
    )
    def same(secret: bytes, pars: tuple[int, int], heats: int, spares: int, name: str) -> None:
        parts = parts_of(
            puzzle, listed, version="1.2.3", round_id=name, pars=ParRange(*pars), heats=heats, spares=spares
        )
        by_rule = within(known, *pars)
        files = (parts.files.layout, parts.files.puzzle)
        text = text_of(secret.hex(), "1.2.3", files, name, pars, len(by_rule), heats, spares)
        commitment = sha256(text).hex()
        assert parts.commitment(secret) == commitment
        pool = listed.pool(parts.pars)
        told = [draw for heat in range(1, heats + 1) for draw in pool.heat(parts, secret, heat)]
        expected = chosen(by_rule, secret.hex(), commitment, heats * (1 + spares))
        assert [(tuple(int(w) - 1 for w in draw.wagons), draw.par) for draw in told] == expected
        assert [(draw.heat, draw.spare) for draw in told] == list(product(range(1, heats + 1), range(1 + spares)))

    same()


def test_the_seal_is_the_one_of_the_page() -> None:
    parameters = re.search(r"scrypt\(code, salt, N = (\d+), r = (\d), p = (\d), (\d+) bytes\)", PAGE)
    assert parameters is not None
    n, r, p, size = map(int, parameters.groups())
    secret = bytes(range(16))
    sealed = seal(secret, "  Zu\u0308ge um acht ")
    key = hashlib.scrypt("Z\u00fcge um acht".encode(), salt=sealed.salt, n=n, r=r, p=p, maxmem=2**26, dklen=size)
    assert bytes(a ^ b for a, b in zip(sealed.secret, key, strict=True)) == secret
