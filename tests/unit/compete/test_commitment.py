from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.compete.commitment import SECRET_BYTES, Files, ParRange, Parts, fresh_secret
from pointsman.errors import RefusedError, UsageError
from pointsman.puzzle.puzzle import Count
from pointsman.track.builtin import find_layout

SECRET = bytes(range(16))
FILES = Files("0" * 64, "f" * 64)
PARTS = Parts("0.1.0", FILES, "final", Count.RUNS, ParRange(9, 15), 500, 3, 2)

hashes = st.binary(min_size=32, max_size=32).map(bytes.hex)
names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=20)
parts = st.builds(
    Parts,
    version=st.sampled_from(["0.1.0", "0.1.1", "1.0.0"]),
    files=st.builds(Files, hashes, hashes),
    round_id=names,
    count=st.sampled_from([Count.RUNS, Count.PULL_DROPS, Count.REVERSALS]),
    pars=st.tuples(st.integers(1, 30), st.integers(0, 30)).map(lambda ends: ParRange(ends[0], ends[0] + ends[1])),
    draws=st.integers(200, 10_000),
    heats=st.integers(1, 20),
    spares=st.integers(0, 9),
)


@settings(max_examples=40)
@given(parts, st.binary(min_size=16, max_size=16), st.integers(0, 127))
def test_one_other_bit_of_the_secret_gives_another_commitment(these: Parts, secret: bytes, bit: int) -> None:
    other = (int.from_bytes(secret, "big") ^ 1 << bit).to_bytes(SECRET_BYTES, "big")
    assert these.commitment(other) != these.commitment(secret)
    these.check(secret, these.commitment(secret))
    with pytest.raises(RefusedError, match="not what was committed to"):
        these.check(other, these.commitment(secret))


@pytest.mark.parametrize(
    "changed",
    [
        replace(PARTS, version="0.1.1"),
        replace(PARTS, files=replace(FILES, layout="0" * 63 + "1")),
        replace(PARTS, files=replace(FILES, puzzle="e" + "f" * 63)),
        replace(PARTS, files=Files(FILES.puzzle, FILES.layout)),
        replace(PARTS, round_id="Final"),
        replace(PARTS, count=Count.REVERSALS),
        replace(PARTS, pars=ParRange(8, 15)),
        replace(PARTS, pars=ParRange(9, 16)),
        replace(PARTS, draws=501),
        replace(PARTS, heats=4),
        replace(PARTS, spares=1),
    ],
    ids=str,
)
def test_a_changed_part_gives_another_commitment(changed: Parts) -> None:
    with pytest.raises(RefusedError, match="compare the secret, the version, both files"):
        changed.check(SECRET, PARTS.commitment(SECRET))


@settings(max_examples=40)
@given(parts, parts)
def test_different_parts_never_give_one_text(one: Parts, other: Parts) -> None:
    assert (one.text(SECRET) == other.text(SECRET)) == (one == other)


def test_two_spellings_of_one_name_are_one_round() -> None:
    composed, apart = (replace(PARTS, round_id=name) for name in ("Z\u00fcrich", "Zu\u0308rich"))
    assert composed.commitment(SECRET) == apart.commitment(SECRET)


@pytest.mark.parametrize("secret", [b"", b"1979", bytes(15), bytes(17)])
def test_nothing_shorter_than_a_secret_opens_a_round(secret: bytes) -> None:
    with pytest.raises(UsageError, match=r"a secret of \d+ bytes"):
        PARTS.commitment(secret)


def test_a_secret_is_drawn_anew_each_time() -> None:
    drawn = {fresh_secret() for _ in range(100)}
    assert len(drawn) == 100
    assert {len(secret) for secret in drawn} == {SECRET_BYTES}


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"round_id": "final\nheats 9"}, "is not one line of 1 to 200"),
        ({"round_id": " final"}, "is not one line of 1 to 200"),
        ({"round_id": ""}, "is not one line of 1 to 200"),
        ({"round_id": "\udcff"}, "is not one line of 1 to 200"),
        ({"version": "0.1.0\n"}, "is not one line of 1 to 200"),
        ({"heats": 0}, "a round has 1 to 1,000 heats, and not 0"),
        ({"spares": -1}, "a heat has 0 to 100 spare draws, and not -1"),
        ({"draws": 8}, "8 draws are possible, and the round takes 9"),
    ],
)
def test_what_cannot_be_right_is_refused(wrong: dict[str, object], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        replace(PARTS, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("least", "most"), [(0, 5), (-3, 5), (6, 5)])
def test_a_par_range_has_two_ends(least: int, most: int) -> None:
    with pytest.raises(UsageError, match="par"):
        ParRange(least, most)


@pytest.mark.parametrize("digits", ["", "0" * 63, "F" * 64, "g" * 64, "0" * 64 + "\n"])
def test_a_hash_has_64_digits(digits: str) -> None:
    with pytest.raises(UsageError, match="is no SHA-256 of a file"):
        Files("0" * 64, digits)


@pytest.mark.parametrize("file", ["layout.toml", "puzzles/classic.toml"])
def test_a_changed_file_is_noticed_and_named(file: str, tmp_path: Path) -> None:
    club = tmp_path / "club"
    shutil.copytree(find_layout("inglenook-small"), club)
    files = Files.of(str(club))
    assert files.layout == hashlib.sha256((club / "layout.toml").read_bytes()).hexdigest()
    assert files.puzzle == hashlib.sha256((club / "puzzles" / "classic.toml").read_bytes()).hexdigest()
    files.check(str(club))
    with (club / file).open("a") as stream:
        stream.write("\n")
    with pytest.raises(RefusedError, match=f"{file} is not what it was") as refused:
        files.check(str(club))
    assert len(refused.value.reasons) == 1


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    club = tmp_path / "club"
    shutil.copytree(find_layout("inglenook-small"), club)
    (club / "puzzles" / "odd.toml").mkdir()
    with pytest.raises(UsageError, match="cannot be read") as refused:
        Files.of(f"{club}/odd")
    assert refused.value.where == str(club / "puzzles" / "odd.toml")
