"""A locomotive's own file: what is written can be read again, old values stay, and a damaged one is refused."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metal import builtin

from pointsman.errors import LayoutError
from pointsman.track.calibration_file import (
    Measurement,
    calibration_file,
    load_calibration,
    store_calibration,
    why_not_writable,
    with_calibrations,
)

OLD = Measurement(
    "2024-05-01T10:00:00.000Z",
    "serial:/dev/ttyUSB0",
    ("head", "s1"),
    282.0,
    0.08,
    0.06,
    ((2, 18.0, 17.0, 0.01), (9, 40.0, 39.0, 0.0)),
)
NEW = replace(OLD, date="2024-06-01T10:00:00.000Z", speeds=((2, 19.0, 21.0, 0.02), (10, 42.0, 38.0, 0.0125)))


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=100))
def test_what_is_stored_is_read_again_whatever_the_names(date: str, on: str) -> None:
    odd = replace(OLD, date=date, on=on)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "locomotives" / "L.toml"
        store_calibration(path, "club", "L", [odd])
        (again,) = load_calibration(path, "club", "L")
    assert again == odd


def test_the_newest_is_in_use_and_older_ones_are_kept(tmp_path: Path) -> None:
    path = calibration_file(tmp_path, "L")
    store_calibration(path, "inglenook", "L", [NEW, OLD])
    assert load_calibration(path, "inglenook", "L") == [OLD, NEW]
    track, used = with_calibrations(builtin("inglenook"), tmp_path)
    assert [(one.locomotive, one.path, one.measurement) for one in used] == [("L", path, NEW)]
    engine = track.locomotives["L"]
    assert engine.speeds.points == ((2, 20.0), (10, 40.0))
    assert engine.speed_error == 0.08
    assert engine.by_direction is not None
    assert engine.by_direction.reverse.points == ((2, 21.0), (10, 38.0))
    # What is not about speed stays the layout's.
    was = builtin("inglenook").locomotives["L"]
    assert replace(engine, speeds=was.speeds, speed_error=was.speed_error, by_direction=None) == was
    assert [entry.name for entry in tmp_path.iterdir()] == ["L.toml"]


def test_without_a_file_the_layout_is_as_it_was(tmp_path: Path) -> None:
    assert with_calibrations(builtin("inglenook"), tmp_path / "none") == (builtin("inglenook"), [])


def test_what_was_measured_on_a_simulated_layout_is_no_measurement_of_the_real_one(tmp_path: Path) -> None:
    store_calibration(calibration_file(tmp_path, "L", simulated="sim-1"), "inglenook", "L", [NEW])
    assert with_calibrations(builtin("inglenook"), tmp_path)[1] == []
    assert with_calibrations(builtin("inglenook"), tmp_path, simulated="sim-2")[1] == []
    assert len(with_calibrations(builtin("inglenook"), tmp_path, simulated="sim-1")[1]) == 1


@pytest.mark.parametrize(
    ("pattern", "to", "words"),
    [
        (r"\Z", "]", "is not TOML"),
        (r'locomotive = "L"', 'locomotive = "M"', 'it is of "M"'),
        (r'layout = "inglenook"', 'layout = "club"', 'it is of "club"'),
        (r"\[2, 18.0", "[2.5, 18.0", "whole number"),
        (r"\[9, 40.0", "[1, 40.0", "the steps do not rise"),
        (r"\[9, 40.0", "[9, 18.0", "the forward speeds do not rise"),
        (r"\[9, 40.0, 39.0", "[9, 40.0, 7.0", "the reverse speeds do not rise"),
        (r"\[2, 18.0", "[2, 34.0", "at most 25"),
        (r"\[2, 18.0", "[2, 0.0", "more than 0"),
        (r"speed_error = 0.08", "speed_error = 0", "at least 0.01"),
        (r"speed_error = 0.08\n", "", "is missing"),
        (r"distance_mm = 282.0", 'distance_mm = "far"', "must be a number"),
        (r"distance_mm", "colour", "is not a key"),
        (r"\[2, 18.0, ", "[2, ", "entries"),
        (r"(?s)\[measurements.*", "", "is missing"),
        (r"(?s)\[measurements.*", "measurements = 3", "must be a table"),
        (r"(?s)\[measurements.*", "[measurements]", "at least 1"),
    ],
)
def test_a_damaged_file_is_refused_with_its_cure(tmp_path: Path, pattern: str, to: str, words: str) -> None:
    path = calibration_file(tmp_path, "L")
    store_calibration(path, "inglenook", "L", [OLD])
    text, count = re.subn(pattern, to, path.read_text(), count=1)
    assert count
    path.write_text(text)
    with pytest.raises(LayoutError) as refused:
        with_calibrations(builtin("inglenook"), tmp_path)
    assert words in str(refused.value)
    for mistake in refused.value.mistakes:
        assert mistake.file == str(path)
        assert "move the file away" in mistake.cure


@given(st.binary(max_size=300))
def test_no_bytes_are_more_than_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "L.toml"
        path.write_bytes(data)
        with pytest.raises(LayoutError):
            load_calibration(path, "inglenook", "L")


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file" / "L.toml"
    (tmp_path / "file").write_text("no folder")
    assert "no folder" in why_not_writable(path)
    with pytest.raises(LayoutError, match="cannot be written"):
        store_calibration(path, "inglenook", "L", [OLD])
    assert why_not_writable(tmp_path / "new" / "folder" / "L.toml") == ""
    directory = tmp_path / "L.toml"
    directory.mkdir()
    with pytest.raises(LayoutError, match="cannot be written"):
        store_calibration(directory, "inglenook", "L", [OLD])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["L.toml", "file"]
