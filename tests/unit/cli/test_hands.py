"""Layouts that are worked by hand, at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import QUICK, Person, Pointsman, own_layout, refused

from pointsman.record import read

WIRING = "hardware/dccex.toml"
POINTS = (WIRING, r'id = (\d)\nkind = "servo"\nmove_time_s = 1.3', 'kind = "hand"')
MAGNETS = (WIRING, r', id = \d, kind = "coil", pulse_limited_by = "hardware"', ', kind = "hand"')


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    return own_layout(tmp_path, "inglenook-small", POINTS, MAGNETS)


def test_a_simulated_hand_does_it_when_nobody_is_asked(pointsman: Pointsman, layout: Path, tmp_path: Path) -> None:
    ran = pointsman("play", layout, "--seed", "1", *QUICK, "--journal", tmp_path / "j", "--json")
    assert ran.json["confirmed"] is True
    assert ran.json["truth_agrees"] is True
    assert ran.json["incidents"] == []
    assert ran.json["origin"] == "entered by a person"
    assert ran.json["by_hand"] > 2
    again = pointsman("replay", tmp_path / "j", "--json").json
    assert again["by_hand"] == ran.json["by_hand"]
    assert again["origin"] == "entered by a person"
    told = pointsman("replay", tmp_path / "j").out
    assert "asked: Set T1 by hand to" in told


def test_a_person_is_asked_and_the_simulated_hand_follows(
    pointsman: Pointsman, person: Person, layout: Path, tmp_path: Path
) -> None:
    person("y\n" + "what?\n\n" + "y\n" * 60)
    ran = pointsman("play", layout, "--seed", "1", "--speed", "0", "--journal", tmp_path / "j")
    assert ran.code == 0, ran.err
    assert "Set T1 by hand to closed: towards s1. Done? [y/n]" in ran.out
    assert "Set T1 by hand to thrown: towards s2 or s3. Done? [y/n]" in ran.out
    assert ran.out.count("Please answer y when it is done, or n to stop.") == 2
    assert "by hand, in s1 by T1. Move no wagon. Done? [y/n]" in ran.out
    assert "Done. 9 runs" in ran.out


@pytest.mark.parametrize("typed", ["n\n", "NO\n", "\x04"])
def test_no_ends_it(pointsman: Pointsman, person: Person, layout: Path, tmp_path: Path, typed: str) -> None:
    person("y\n" + typed)
    ran = pointsman("play", layout, "--seed", "1", "--speed", "0", "--journal", tmp_path / "j")
    assert ran.code == 1
    assert "the answer was no: Set T" in ran.err
    assert "Traceback" not in ran.err
    assert read(tmp_path / "j").lines[-1].kind == "end"


def test_with_json_nobody_is_asked(pointsman: Pointsman, person: Person, layout: Path, tmp_path: Path) -> None:
    person("y\n")
    ran = pointsman("play", layout, "--seed", "1", "--speed", "0", "--journal", tmp_path / "j", "--json")
    assert ran.code == 2
    assert ran.json["error"]["what"] == "T1 is worked by hand, and with --json nobody is asked to do it"
    assert not (tmp_path / "j").exists()


def test_without_a_terminal_nothing_begins(pointsman: Pointsman, layout: Path, tmp_path: Path) -> None:
    refused(pointsman("play", layout, "--on", "tcp:127.0.0.1:1"), 2, "standard input is no terminal")
