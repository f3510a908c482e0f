"""Finding layouts, wirings and puzzles by name and by path."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.errors import UsageError
from pointsman.track.builtin import (
    PuzzlePlace,
    builtin_layouts,
    find_layout,
    find_wiring,
    layout_puzzles,
    split_puzzle,
)


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A layout's folder with two puzzles and two wirings."""
    folder = tmp_path / "club"
    for name in ("puzzles/classic", "puzzles/open-day", "hardware/dccex", "hardware/nano"):
        path = folder / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    (folder / "layout.toml").write_text("", encoding="utf-8")
    return folder


def test_the_built_in_layouts() -> None:
    assert builtin_layouts() == ["inglenook", "inglenook-small", "tchoutchou", "timesaver"]
    for name in builtin_layouts():
        folder = find_layout(name)
        assert folder.name == name
        assert (folder / "layout.toml").is_file()
        assert find_wiring(folder) == folder / "hardware" / "dccex.toml"
        assert find_wiring(folder).is_file()


@pytest.mark.parametrize("text", ["README.md", "layouts/README.md"])
def test_every_built_in_layout_is_told_of(text: str) -> None:
    told = (Path(__file__).resolve().parents[3] / text).read_text(encoding="utf-8")
    assert [name for name in builtin_layouts() if f"`{name}`" not in told] == []


def test_a_layout_by_its_path(club: Path) -> None:
    assert find_layout(club) == club
    assert find_layout(str(club / "layout.toml")) == club


def test_a_bare_name_is_the_built_in_layout_and_a_path_is_a_path(
    club: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.rename(tmp_path / "inglenook")
    monkeypatch.chdir(tmp_path)
    assert find_layout("inglenook").is_absolute()
    assert find_layout("./inglenook") == Path("inglenook")
    assert split_puzzle("./inglenook/open-day").puzzle == Path("inglenook/puzzles/open-day.toml")


def test_a_folder_here_may_be_named_without_a_slash(club: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(club.parent)
    assert find_layout("club") == Path("club")
    assert split_puzzle("club") == PuzzlePlace(Path("club"), Path("club/puzzles/classic.toml"))


@pytest.mark.parametrize("text", ["inglenok", "x" * 5000, "nul\0byte"])
def test_an_unknown_layout_lists_those_there_are(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_layout(text)
    assert "inglenook-small" in caught.value.cure


def test_a_folder_or_a_file_that_is_no_layout_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no layout\.toml"):
        find_layout(tmp_path)
    other = tmp_path / "other.toml"
    other.write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"is no layout\.toml"):
        find_layout(other)


def test_puzzles_by_layout_and_name(club: Path) -> None:
    assert layout_puzzles(club) == ["classic", "open-day"]
    classic, open_day = (PuzzlePlace(club, club / "puzzles" / f"{n}.toml") for n in ("classic", "open-day"))
    assert split_puzzle(str(club)) == classic
    assert split_puzzle(f"{club}/") == classic
    assert split_puzzle(str(club / "layout.toml")) == classic
    assert split_puzzle(f"{club}/classic") == classic
    assert split_puzzle(f"{club}/open-day") == open_day


def test_a_puzzle_by_the_path_of_its_file(club: Path) -> None:
    path = club / "puzzles" / "open-day.toml"
    place = split_puzzle(str(path))
    assert (place.layout.resolve(), place.puzzle) == (club.resolve(), path)


def test_a_puzzle_that_is_not_there_lists_those_there_are(club: Path) -> None:
    with pytest.raises(UsageError, match="no puzzle 'openday'") as caught:
        split_puzzle(f"{club}/openday")
    assert "open-day" in caught.value.cure
    with pytest.raises(UsageError, match="there is no layout 'nowhere'"):
        split_puzzle("nowhere/classic")
    with pytest.raises(UsageError, match="no such puzzle file"):
        split_puzzle(str(club / "puzzles" / "none.toml"))


def test_a_puzzle_file_outside_a_layout_is_told_where_to_go(tmp_path: Path) -> None:
    path = tmp_path / "lost.toml"
    path.write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="lies in no layout"):
        split_puzzle(str(path))


def test_wirings_by_name_and_by_path(club: Path, tmp_path: Path) -> None:
    assert find_wiring(club) == club / "hardware" / "dccex.toml"
    assert find_wiring(club, "nano") == club / "hardware" / "nano.toml"
    assert find_wiring(club, str(club / "hardware" / "nano.toml")) == club / "hardware" / "nano.toml"
    with pytest.raises(UsageError, match="no wiring 'nona'") as caught:
        find_wiring(club, "nona")
    assert "nano" in caught.value.cure
    with pytest.raises(UsageError, match="no such wiring file"):
        find_wiring(club, str(tmp_path / "none.toml"))


def test_a_layout_without_puzzles_says_where_to_write_one(club: Path) -> None:
    for name in layout_puzzles(club):
        (club / "puzzles" / f"{name}.toml").unlink()
    with pytest.raises(UsageError) as caught:
        split_puzzle(str(club))
    assert "classic.toml" in caught.value.cure


def test_a_slash_behind_a_built_in_name_is_what_a_shell_adds() -> None:
    assert find_layout("inglenook/") == find_layout("inglenook")
    assert split_puzzle("inglenook/") == split_puzzle("inglenook")
    assert split_puzzle("inglenook/full/") == split_puzzle("inglenook/full")


@pytest.mark.parametrize("text", ["Inglenook", "inglenok", "INGLENOOK/"])
def test_a_name_that_is_nearly_right_is_recognised(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_layout(text)
    assert caught.value.cure.startswith("did you mean inglenook? built-in layouts: inglenook, inglenook-small")


def test_a_name_that_is_like_none_is_not_guessed() -> None:
    with pytest.raises(UsageError) as caught:
        find_layout("turntable")
    assert caught.value.cure.startswith("built-in layouts: ")
