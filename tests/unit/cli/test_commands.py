"""Every command at its boundary: arguments in; output, files and a documented exit code out."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import CHECKOUT, Pointsman, own_layout, refused, without_title

from pointsman import errors
from pointsman.cli.main import COMMANDS, command_line
from pointsman.errors import PointsmanError
from pointsman.posix import ENDINGS
from pointsman.track.builtin import builtin_layouts, find_layout

# ---------------------------------------------------------------- what is promised


def test_every_command_of_the_readme_exists() -> None:
    promised = re.findall(r"^\| `pointsman (\w+)", (CHECKOUT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    group: Any = typer.main.get_command(command_line())
    assert promised
    assert set(promised) == set(group.commands) == set(COMMANDS)


def test_every_way_to_ask_for_help(pointsman: Pointsman) -> None:
    everything = pointsman()
    assert everything == pointsman("--help")
    assert everything.code == 0
    assert "..." not in everything.out.split("Commands:")[1].split("Exit codes")[0]
    group: Any = typer.main.get_command(command_line())
    for name in group.commands:
        ran = pointsman(name, "--help")
        assert ran.code == 0
        assert ran.out.startswith(f"Usage: pointsman {name}")
        assert len(ran.out) < 2500


def test_the_unit_of_systemd_starts_what_there_is() -> None:
    unit = (CHECKOUT / "docs" / "pointsman.service").read_text(encoding="utf-8")
    program, name, *words = re.findall(r"^ExecStart=(.+)$", unit, re.MULTILINE)[0].split()
    assert program.endswith("/.venv/bin/pointsman")
    group: Any = typer.main.get_command(command_line())
    with group.commands[name].make_context(name, words) as context:
        assert (context.params["host"], context.params["on"]) == ("0.0.0.0", ["sim"])
        assert (context.params["pin"], str(context.params["pin_file"])) == (None, "/etc/pointsman/pin")
        assert context.params["layout"] in builtin_layouts()


def test_a_pin_is_given_once(pointsman: Pointsman, tmp_path: Path) -> None:
    file = tmp_path / "pin"
    file.write_text("4711")
    ran = pointsman("serve", "inglenook-small", "--pin", "4711", "--pin-file", str(file))
    refused(ran, 2, "--pin and --pin-file do not go together")


def test_phones_speak_the_languages_that_there_are(pointsman: Pointsman) -> None:
    refused(pointsman("serve", "inglenook-small", "--withrottle-language", "de"), 2, "there is no 'de'", "en, fr")


def test_a_folder_for_journals_is_looked_at_before_anybody_is_let_in(pointsman: Pointsman, tmp_path: Path) -> None:
    folder = tmp_path / "file" / "plays"
    folder.parent.write_text("no folder")
    ran = pointsman("serve", "inglenook-small", "--journals", folder)
    refused(ran, 8, str(folder), "no journal can be written there", "--journals")


def exit_codes() -> list[int]:
    """Every exit code that there is: success, the tree of errors, keys and signals."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, PointsmanError)]
    return sorted({0, *(kind.exit_code for kind in kinds), *(code for _, _, code in ENDINGS)})


def test_every_exit_code_is_in_the_help(pointsman: Pointsman) -> None:
    listed = pointsman("--help").out.split("Exit codes:")[1].split("With --json")[0]
    assert sorted(int(number) for number in re.findall(r"\b\d+\b", listed)) == exit_codes()


def test_the_table_of_exit_codes_in_the_readme_is_whole_and_the_only_one() -> None:
    table = (CHECKOUT / "README.md").read_text(encoding="utf-8").split("### Exit codes\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([\d, ]+) \| (.+) \|$", table, re.MULTILINE)
    assert sorted(int(number) for numbers, _ in rows for number in numbers.split(",")) == exit_codes()
    numbers, meanings = rows[-1]
    signals = dict(zip(numbers.split(", "), meanings.split("; "), strict=True))
    for _, why, code in ENDINGS:
        key = re.search(r"Ctrl-.", why)
        assert (key[0] if key else why.removeprefix("the program was ")) == signals[str(code)].replace("\\\\", "\\")
    for doc in (CHECKOUT / "docs").rglob("*.md"):
        assert "| exit code |" not in doc.read_text(encoding="utf-8")


def test_every_option_of_play_is_accepted(pointsman: Pointsman, tmp_path: Path) -> None:
    values = {
        "--cards": "",
        "--seed": "1",
        "--on": "sim",
        "--speed": "0",
        "--facing": "from",
        "--hardware": "dccex",
        "--count": "runs",
        "--journal": str(tmp_path / "j"),
        "--picture": str(tmp_path / "p.svg"),
    }
    helped = pointsman("play", "--help").out.split("Options:")[1]
    named = re.findall(r"^  (--[\w-]+)( <| [A-Z])?", helped, re.MULTILINE)
    words: list[str] = []
    for option, takes in named:
        if option != "--help":
            given = values.pop(option) if takes else ""
            words += [option, given] if given else [] if takes else [option]
    assert values == {}
    ran = pointsman("play", "inglenook-small", *words)
    assert ran.code == 0
    seed = words.index("--seed")
    words[seed : seed + 2] = ["--cards", "3 5 1"]
    words[words.index("--journal") + 1] += "2"
    assert pointsman("play", "inglenook-small", *words).code == 0
    assert ran.json["confirmed"]
    assert (tmp_path / "p.svg").read_text().startswith("<svg")


def test_version(pointsman: Pointsman) -> None:
    ran = pointsman("--version")
    assert ran.code == 0
    assert re.fullmatch(r"pointsman \d+\.\d+\.\d+\n", ran.out)


# ---------------------------------------------------------------- layouts, check


def test_layouts(pointsman: Pointsman) -> None:
    ran = pointsman("layouts", "--json")
    assert [layout["name"] for layout in ran.json["layouts"]] == builtin_layouts()
    small = next(layout for layout in ran.json["layouts"] if layout["name"] == "inglenook-small")
    assert small["puzzles"] == ["classic", "full", "siding-2", "sidings"]
    told = pointsman("layouts").out
    for layout in ran.json["layouts"]:
        assert layout["title"] in told


@pytest.mark.parametrize("name", builtin_layouts())
def test_check_of_every_builtin_layout(pointsman: Pointsman, name: str) -> None:
    ran = pointsman("check", name)
    assert ran.code == 0
    assert ran.out.endswith(f"{name} is right.\n")
    assert max(map(len, ran.out.splitlines())) <= 80
    found = pointsman("check", find_layout(name) / "layout.toml", "--json").json
    assert found["layout"] == name
    assert all(stop["good"] for stop in found["stops"])
    assert found["worst_stopping_error_mm"] == max(stop["error_mm"] for stop in found["stops"])
    for segment in found["segments"]:
        assert segment["spare_mm"] >= 0


def test_check_says_where_a_stop_is_tight(pointsman: Pointsman, tmp_path: Path) -> None:
    slack = own_layout(
        tmp_path,
        "inglenook-small",
        ("layout.toml", r"reach_mm = 10", "reach_mm = 1"),
    )
    ran = pointsman("check", slack)
    assert ran.code == 0
    assert "Tight: coupling over magnet s1 in s1" in " ".join(ran.out.split())
    assert not all(stop["good"] for stop in pointsman("check", slack, "--json").json["stops"])


def test_check_in_a_narrow_plain_terminal(pointsman: Pointsman, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "dumb")
    ran = pointsman("check", "inglenook")
    assert ran.out.isascii()
    assert max(map(len, ran.out.splitlines())) <= 40
    assert "s1, coupling over magnet s1:" in ran.out


def test_check_names_all_mistakes_of_all_files_at_once(pointsman: Pointsman, tmp_path: Path) -> None:
    broken = own_layout(
        tmp_path,
        "inglenook-small",
        ("puzzles/classic.toml", r'goal = "[^"]*"', 'goal = "s9: 1"'),
        ("puzzles/full.toml", r"title", "titel"),
        ("hardware/dccex.toml", r'kind = "servo"', 'kind = "magic"'),
        ("layout.toml", r'kind = "open", colour = "red"', 'kind = "opne", colour = "rde"'),
        ("layout.toml", r"capacity = 2", "capacity = 3"),
    )
    (broken / "puzzles" / "torn.toml").write_text("title = ")
    ran = pointsman("check", broken)
    words = ("classic.toml: goal: part 1 ", "'s9'", "full.toml", "titel", "dccex.toml", "magic", "torn.toml")
    refused(ran, 3, *words, "wagons.1.kind", "wagons.1.colour", "segments.s2.capacity", "segments.s3.capacity")
    error = pointsman("check", broken, "--json").json["error"]
    assert len(error["mistakes"]) == ran.err.count("\n  -> ") == 10
    first = error["mistakes"][0]
    assert set(first) == {"file", "key", "what", "cure"}
    assert first["file"] == str(broken / "layout.toml")


def test_check_of_a_layout_that_is_no_toml_still_looks_at_the_rest(pointsman: Pointsman, tmp_path: Path) -> None:
    broken = own_layout(
        tmp_path,
        "inglenook-small",
        ("layout.toml", r"length_mm = (\d+)", r"length_mm = \g<1>,5"),
        ("puzzles/full.toml", r"title", "titel"),
        ("hardware/dccex.toml", r'kind = "servo"', 'kind = "magic"'),
    )
    ran = pointsman("check", broken)
    refused(ran, 3, "layout.toml: is not TOML", "numbers have a point", "titel", "turnouts.T1.kind", "turnouts.T2.kind")
    assert "no such name" not in ran.err


def test_check_says_what_is_missing_for_a_play(pointsman: Pointsman, tmp_path: Path) -> None:
    bare = own_layout(tmp_path, "inglenook-small")
    shutil.rmtree(bare / "hardware")
    for puzzle in (bare / "puzzles").iterdir():
        puzzle.unlink()
    ran = pointsman("check", bare)
    assert ran.code == 0
    assert f"Missing: no wiring: play needs {bare / 'hardware' / 'dccex.toml'}\n" in ran.out
    assert f"Missing: no puzzle: play needs {bare / 'puzzles' / 'classic.toml'}\n" in ran.out
    assert "is right." not in ran.out
    assert len(pointsman("check", bare, "--json").json["missing"]) == 2


def test_check_says_which_node_must_have_its_watchdog_on(pointsman: Pointsman, tmp_path: Path) -> None:
    assert "watchdog" not in pointsman("check", "inglenook-small").out
    home = own_layout(tmp_path, "inglenook-small", ("hardware/uno-dc.toml", r"relay = true", "relay = false"))
    told = " ".join(pointsman("check", home).out.split())
    assert "uno-dc: station node drives a locomotive, and no relay lies in the track's feed." in told
    assert pointsman("check", home, "--json").json["needs_watchdog"] == [{"hardware": "uno-dc", "station": "node"}]


def test_check_says_what_solve_refuses_for_now(pointsman: Pointsman, tmp_path: Path) -> None:
    strict = own_layout(tmp_path, "inglenook-small", ("layout.toml", r"holds = 1", "holds = 0"))
    ran = pointsman("check", strict)
    assert ran.code == 0
    assert "Missing: holds = 1: solve and play refuse turnouts that hold none, for now\n" in ran.out
    assert "is right." not in ran.out
    assert pointsman("deal", strict, "--seed", "1").code == 0
    refused(without_title(pointsman("solve", strict, "--seed", "1")), 2, "holds")


def test_draws_by_name_and_by_kind_at_once_are_searched_one_by_one(pointsman: Pointsman, tmp_path: Path) -> None:
    """A draw may take the only van away for a place of its own: then it cannot be solved."""
    mixed = own_layout(
        tmp_path,
        "inglenook-small",
        ("puzzles/classic.toml", r'goal = "[^"]*"', 'goal = "s1: 1 @mineral"'),
    )
    found = pointsman("check", mixed, "--json").json["draws"]
    assert found["classic"] is None
    assert "classic: which draws can be solved would take long to say here" in " ".join(
        pointsman("check", mixed).out.split()
    )
    codes = {seed: pointsman("solve", mixed, f"--seed={seed}", "--json").code for seed in range(12)}
    assert set(codes.values()) == {0, 4}
    for _ in range(4):
        assert pointsman("solve", mixed, "--json").code == 0
    assert {pointsman("deal", mixed, "--json").json["solvable"] for _ in range(4)} == {True}
    assert {pointsman("deal", mixed, f"--seed={seed}", "--json").json["solvable"] for seed in codes} == {True, False}


def test_check_says_how_many_draws_can_be_solved(pointsman: Pointsman, tmp_path: Path) -> None:
    assert "classic: all 60 draws can be solved\n" in pointsman("check", "inglenook-small").out
    tight = own_layout(tmp_path, "inglenook-small", ("layout.toml", r"(\[segments.head\].*?capacity = )3", r"\g<1>2"))
    found = pointsman("check", tight, "--json").json["draws"]
    assert found["full"] == {"possible": 0, "total": 120} or found["full"]["possible"] < 120
    possible, total = found["classic"]["possible"], found["classic"]["total"]
    assert possible < total == 60
    told = " ".join(pointsman("check", tight).out.split())
    assert f"classic: {possible or 'none'} of 60 draws can be solved; more room (a longer headshunt" in told


def test_check_of_what_is_no_layout(pointsman: Pointsman, tmp_path: Path) -> None:
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "layout.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "file").write_text("")
    refused(pointsman("check", "nowhere"), 2, "nowhere", "inglenook")
    refused(pointsman("check", tmp_path), 2, "layout.toml")
    refused(pointsman("check", tmp_path / "file"), 2, str(tmp_path / "file"))
    refused(pointsman("check", "x" * 5000), 2)
    refused(pointsman("check", ""), 2)
    refused(pointsman("check", tmp_path / "torn"), 3, "layout.toml")


# ---------------------------------------------------------------- solve


def test_what_no_command_is(pointsman: Pointsman) -> None:
    refused(pointsman("dance"), 2, "dance")
    refused(pointsman("--dance"), 2, "--dance")
    assert pointsman("dance", "--json").json["error"]["exit_code"] == 2
