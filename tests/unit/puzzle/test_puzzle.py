from __future__ import annotations

from pathlib import Path

import pytest
from tracks import inglenook, small

from pointsman.errors import LayoutError, UsageError
from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.puzzle.puzzle_file import PuzzleFile, check_puzzle, load_puzzle
from pointsman.track.builtin import find_layout, layout_puzzles
from pointsman.track.layout import load_layout
from pointsman.track.tomlfile import Notes

GOOD = 'title = "T"\nstart = "head: L | s1: 1 2 3"\ngoal = "s1: 3 2 1"\n'


@pytest.mark.parametrize(
    ("layout", "train", "rest"), [("inglenook", "1 2 3 4 5", "6 7 8"), ("inglenook-small", "1 2 3", "4 5")]
)
def test_the_built_in_inglenook_puzzles(layout: str, train: str, rest: str) -> None:
    folder = find_layout(layout)
    track = load_layout(folder)
    goals = {}
    for name in layout_puzzles(folder):
        puzzle = load_puzzle(folder / "puzzles" / f"{name}.toml", track)
        assert puzzle.name == name
        assert puzzle.count is Count.RUNS
        assert puzzle.locomotive == "L"
        assert puzzle.wagons == tuple(track.wagons)
        assert str(puzzle.start) == f"head: L | s1: {train} | s2: {rest} | s3:"
        goals[name] = str(puzzle.goal)
    assert goals == {
        "classic": f"s1: {train}",
        "sidings": f"s1: {train} | s2+s3: {{{rest}}}",
        "siding-2": f"s1: {train} | s2: {{{rest}}}",
        "full": f"s1: {train} | s2: {rest}",
    }


def loaded(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    """The mistakes found: key and what."""
    path = tmp_path / "club.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LayoutError) as caught:
        load_puzzle(path, inglenook())
    assert all(mistake.file == str(path) and mistake.cure for mistake in caught.value.mistakes)
    return [(mistake.key, mistake.what) for mistake in caught.value.mistakes]


def test_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(GOOD + 'count = "pull-drops"\n', encoding="utf-8")
    puzzle = load_puzzle(path, inglenook())
    assert (puzzle.name, puzzle.title, puzzle.count) == ("club", "T", Count.PULL_DROPS)


def test_all_mistakes_at_once(tmp_path: Path) -> None:
    found = loaded(tmp_path, 'title = "T"\nstart = "head: L 9"\ngoal = "s7: 1"\ncount = "metres"\n')
    assert [key for key, _ in found] == ["start", "goal", "count"]
    assert "no vehicle '9'" in found[0][1]
    assert found[1][1].startswith("part 1 ('s7: 1')")


def test_missing_unknown_and_mistyped_keys(tmp_path: Path) -> None:
    found = loaded(tmp_path, 'title = 3\nstart = "head: L"\nspeed = "fast"\n')
    assert [key for key, _ in found] == ["title", "goal", "speed"]
    assert found[1][1] == "is missing"
    assert found[2][1] == "is not a key of the top of the file"


@pytest.mark.parametrize(
    ("start", "what"),
    [
        ("s1: 1 2 3", "0 locomotives in"),
        ("head: L | T2>closed: 1", "1 stands on T2 and is not coupled to L"),
    ],
)
def test_a_start_that_cannot_be(tmp_path: Path, start: str, what: str) -> None:
    ((key, found),) = loaded(tmp_path, f'title = "T"\nstart = "{start}"\ngoal = "s1: 1"\n')
    assert key == "start"
    assert what in found


def test_a_goal_asks_only_for_wagons_of_the_start(tmp_path: Path) -> None:
    assert loaded(tmp_path, GOOD.replace("3 2 1", "3 2 4")) == [
        ("goal", "part 1 ('s1: 3 2 4'): there is no vehicle '4'")
    ]


def test_files_that_are_not_there_or_no_toml(tmp_path: Path) -> None:
    assert "is not TOML" in loaded(tmp_path, "title =")[0][1]
    with pytest.raises(LayoutError, match="no such file"):
        load_puzzle(tmp_path / "none.toml", inglenook())


def test_one_wrong_key_does_not_hide_what_is_wrong_with_the_others(tmp_path: Path) -> None:
    found = loaded(tmp_path, 'title = 3\nstart = "head: L 9"\ngoal = 5\ncount = "metres"\n')
    assert [key for key, _ in found] == ["title", "goal", "start", "count"]
    assert found[0][1] == "must be text in quotes, but is 3"


def test_a_name_in_the_wrong_case_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text(GOOD.replace("head: L", "Head: l"), encoding="utf-8")
    with pytest.raises(LayoutError) as caught:
        load_puzzle(path, inglenook())
    assert caught.value.mistakes[0].cure == "did you mean L?"


def test_a_puzzle_of_a_broken_layout_is_checked_by_the_names_there_are(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text('title = "T"\nstart = "head: L | T2>closed: 1"\ngoal = "s9: 1"\n', encoding="utf-8")
    notes = Notes("club.toml")
    check_puzzle(path, inglenook(), notes)
    assert [mistake.key for mistake in notes.mistakes] == ["goal"]
    nameless = Notes("club.toml")
    check_puzzle(path, None, nameless)
    assert nameless.mistakes == []


def test_every_key_is_described() -> None:
    assert all(field.description for field in PuzzleFile.model_fields.values())


def test_the_one_locomotive() -> None:
    assert locomotive_of(small(), parse_position("head: L 1", small())) == "L"
    with pytest.raises(UsageError, match="0 locomotives"):
        locomotive_of(small(), parse_position("head: 1", small()))
