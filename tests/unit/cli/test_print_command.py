"""``print`` at its boundary."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import refused
from pictures import pictured, png
from printed import Printed, code_of

Pointsman = Callable[..., Any]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_cards_are_written_and_never_over_another_file(pointsman: Pointsman, tmp_path: Path) -> None:
    ran = pointsman("print", "cards", "inglenook-small", "--to", "cards.pdf")
    assert (ran.code, ran.out) == (0, "cards.pdf\n")
    whole = (tmp_path / "cards.pdf").read_bytes()
    assert "mineral wagon" in Printed.of(whole).text
    again = pointsman("print", "cards", "inglenook-small", "--to", "cards.pdf", "--language", "fr")
    assert again.code == 2
    assert "--force" in again.err
    assert (tmp_path / "cards.pdf").read_bytes() == whole
    assert pointsman("print", "cards", "inglenook-small", "--to", "cards.pdf", "--language", "fr", "--force").code == 0
    assert "wagon minéralier" in Printed.of((tmp_path / "cards.pdf").read_bytes()).text


def test_a_draw_is_solved_and_printed(pointsman: Pointsman, tmp_path: Path) -> None:
    told = pointsman("deal", "inglenook-small", "--seed", "7", "--count", "runs", "--json").json
    assert pointsman("print", "draw", "inglenook-small", "--seed", "7", "--to", "draw.pdf").code == 0
    found = Printed.of((tmp_path / "draw.pdf").read_bytes())
    assert f"Par: {told['par']} runs (proved)" in found.text
    assert f"as notation: {told['goal']}" in found.text
    assert found.code() == code_of("pointsman play inglenook-small/classic --seed 7")


def test_a_pdf_goes_through_a_pipe() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pointsman", "print", "cards", "inglenook-small", "--to", "-", "--paper", "letter"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert Printed.of(done.stdout).sizes_mm == {(215.9, 279.4)}
    assert done.stderr == b""


def test_a_damaged_picture_is_told_and_its_wagon_is_printed_all_the_same(pointsman: Pointsman, tmp_path: Path) -> None:
    home = pictured(tmp_path)
    (home / "photos" / "w1.png").write_bytes(png()[:45])
    ran = pointsman("print", "cards", "./own", "--to", "cards.pdf")
    assert (ran.code, ran.err) == (0, "photos/w1.png is damaged: the silhouette of 1 is printed.\n")
    assert len(Printed.of(Path("cards.pdf").read_bytes()).pictures_mm()) == 1
    (home / "photos" / "w1.png").unlink()
    for words in (("print", "cards", "./own", "--to", "other.pdf"), ("check", "./own"), ("serve", "./own")):
        refused(pointsman(*words), 3, 'wagons.1.photo: "photos/w1.png" is not there')


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["cards", "inglenook-small", "--to", "no/such/folder.pdf"], 2, "give a folder that is there"),
        (["cards", "inglenook-small", "--to", "."], 2, "--force"),
        (["cards", "inglenook-small", "--to", ".", "--force"], 2, "cannot be written"),
        (["cards", "inglenok", "--to", "x.pdf"], 2, "inglenook"),
        (["cards", "inglenook-small", "--to", "x.pdf", "--paper", "a5"], 2, "a4"),
        (["cards", "inglenook-small", "--to", "x.pdf", "--language", "de"], 2, "en, fr"),
        (["draw", "inglenook-small", "--to", "x.pdf", "--address", ""], 2, "1 to 400"),
        (["draw", "inglenook-small/none", "--to", "x.pdf"], 2, "classic"),
    ],
)
def test_what_cannot_be_printed_says_what_to_do(
    pointsman: Pointsman, tmp_path: Path, words: list[str], code: int, said: str
) -> None:
    ran = pointsman("print", *words)
    assert ran.code == code
    assert said in ran.err.replace("\n", " ")
    assert not (tmp_path / "x.pdf").exists()


def test_a_title_that_the_font_lacks_is_told(pointsman: Pointsman, tmp_path: Path) -> None:
    pointsman_layout = Path(__file__).parents[3] / "layouts" / "inglenook-small" / "layout.toml"
    club = tmp_path / "club"
    club.mkdir()
    text = pointsman_layout.read_text(encoding="utf-8").replace("Small Inglenook, 3-2-2", "東 Inglenook")
    (club / "layout.toml").write_text(text, encoding="utf-8")
    ran = pointsman("print", "cards", "./club", "--to", "club.pdf")
    assert ran.code == 0
    assert "is printed as '? Inglenook'" in ran.err.replace("\n", " ")
