"""Every command at its boundary: arguments in; output, files and a documented exit code out."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console

from pointsman import errors
from pointsman.cli.main import app
from pointsman.cli.playing import show_ports
from pointsman.dispatch.journal import Journal
from pointsman.errors import BudgetSpentError
from pointsman.messages import Drive
from pointsman.posix import Holder
from pointsman.record import encode, message_values, read
from pointsman.track.builtin import builtin_layouts, find_layout
from pointsman.transports.ports import PortInfo

CHECKOUT = Path(__file__).resolve().parents[3]
START = "head: L | s1: 1 2 3 | s2: 4 5 | s3:"
QUICK = ("--on", "sim", "--speed", "0", "--yes")

Pointsman = Callable[..., Any]
Person = Callable[[str], None]


def own_layout(folder: Path, like: str = "inglenook-small", *changes: tuple[str, str, str]) -> Path:
    """A copy of a built-in layout; each change is a file, a pattern and what to put there."""
    home = folder / "own"
    shutil.copytree(find_layout(like), home)
    for name, pattern, to in changes:
        text, count = re.subn(pattern, to, (home / name).read_text(), flags=re.DOTALL)
        assert count, f"no {pattern} in {name}"
        (home / name).write_text(text)
    return home


def refused(ran: Any, code: int, *words: str) -> None:
    """A documented code, a message for a person with a cure, no result and no traceback."""
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert "-> " in ran.err
    for word in words:
        assert word in ran.err


# ---------------------------------------------------------------- what is promised


def test_every_command_of_the_readme_exists() -> None:
    promised = re.findall(r"^\| `pointsman (\w+)", (CHECKOUT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    group: Any = typer.main.get_command(app)
    assert promised
    assert set(promised) == set(group.commands)


def test_every_way_to_ask_for_help(pointsman: Pointsman) -> None:
    everything = pointsman()
    assert everything == pointsman("--help")
    assert everything.code == 0
    assert "..." not in everything.out.split("Commands:")[1].split("Exit codes")[0]
    group: Any = typer.main.get_command(app)
    for name in group.commands:
        ran = pointsman(name, "--help")
        assert ran.code == 0
        assert ran.out.startswith(f"Usage: pointsman {name}")
        assert len(ran.out) < 2500


def test_every_exit_code_is_in_the_help(pointsman: Pointsman) -> None:
    codes = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)}
    helped = " ".join(pointsman("--help").out.split())
    for code in (0, *codes, 129, 130, 143):
        assert f" {code} " in helped


def test_every_option_of_play_is_accepted(pointsman: Pointsman, tmp_path: Path) -> None:
    values = {
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
    named = re.findall(r"^  (--[\w-]+)( <)?", helped, re.MULTILINE)
    words: list[str] = []
    for option, takes in named:
        if option != "--help":
            words += [option, *([values.pop(option)] if takes else [])]
    assert values == {}
    ran = pointsman("play", "inglenook-small", *words)
    assert ran.code == 0
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
        ("hardware/dccex.toml", r'^kind = "servo"|kind = "servo"', 'kind = "magic"'),
    )
    (broken / "puzzles" / "torn.toml").write_text("title = ")
    ran = pointsman("check", broken)
    refused(ran, 3, "classic.toml: goal", "'s9'", "full.toml", "titel", "dccex.toml", "magic", "torn.toml")


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


# ---------------------------------------------------------------- deal


def test_deal_prints_the_cards_and_draws_the_same_again(pointsman: Pointsman) -> None:
    drawn = pointsman("deal", "inglenook", "--seed", "1", "--json").json
    assert sorted(drawn["cards"]) == sorted(set(drawn["cards"]) & set("12345678"))
    assert len(drawn["cards"]) == 5
    assert drawn["goal"] == "s1: " + " ".join(drawn["cards"])
    ran = pointsman("deal", "inglenook/classic", "--seed", "1")
    assert re.findall(r"│  (\d)  │", ran.out) == drawn["cards"]
    assert drawn["start"] in ran.out
    assert drawn["goal"] in ran.out


def test_a_seed_that_nobody_gave_is_told(pointsman: Pointsman) -> None:
    drawn = pointsman("deal", "inglenook-small", "--json").json
    again = pointsman("deal", "inglenook-small", "--seed", drawn["seed"], "--json").json
    assert again == drawn
    assert re.search(r"^seed   \d+$", pointsman("deal", "inglenook-small").out, re.MULTILINE)


@pytest.mark.parametrize("seed", ["", "[/]", "[red]x", ":smile:", "ü", "日本", os.fsdecode(b"\xff"), "-1", "x" * 300])
def test_any_text_is_a_seed_and_is_printed_as_it_is(pointsman: Pointsman, seed: str) -> None:
    ran = pointsman("deal", "inglenook-small", f"--seed={seed}")
    assert ran.code == 0
    shown = seed.encode(errors="backslashreplace").decode()
    assert f"\nseed   {shown}\n" in ran.out
    assert pointsman("deal", "inglenook-small", f"--seed={seed}", "--json").json["seed"] == seed


# ---------------------------------------------------------------- solve


def test_solve_tells_the_whole_plan(pointsman: Pointsman) -> None:
    found = pointsman("solve", "inglenook-small", "--seed", "1", "--json").json
    assert found["puzzle"] == "inglenook-small/classic"
    assert found["start"] == START
    assert found["count"] == "runs"
    assert found["proved"] is True
    assert found["optimum"] == len(found["plan"]) == 9
    assert found["plan"][-1]["position"].startswith("head: | s1: 2 1 3 |")
    ran = pointsman("solve", "inglenook-small", "--seed", "1")
    assert ran.code == 0
    assert "9 runs, proved the fewest" in ran.out
    assert "\nseed   1\n" in ran.out
    assert re.search(r"^2 +L with 2 1 to head, leaving 3 in s1 +L 1 2 +3 +4 5 *$", ran.out, re.MULTILINE)
    assert max(map(len, ran.out.splitlines())) <= 80


def test_solve_in_pull_drops(pointsman: Pointsman) -> None:
    words = ("solve", "inglenook-small", "--seed", "1", "--count", "pull-drops")
    found = pointsman(*words, "--json").json
    assert (found["optimum"], found["count"]) == (5, "pull-drops")
    ran = pointsman(*words)
    assert "5 pull-drops, proved" in ran.out
    assert "pull 1 2 from s1" in ran.out


def test_solve_in_a_terminal_too_narrow_for_columns(pointsman: Pointsman, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    ran = pointsman("solve", "inglenook-small", "--seed", "1")
    assert "head: L 1 2 | s1: 3 | s2: 4 5 | s3:" in ran.out
    assert "…" not in ran.out


def test_solve_from_a_start_to_a_goal_of_ones_own(pointsman: Pointsman) -> None:
    start, goal = "head: L 3 | s1: 1 2 | s2: 4 5", "s1: 3 1 2"
    found = pointsman("solve", "inglenook-small", "--start", start, "--goal", goal, "--json").json
    assert found["start"] == f"{start} | s3:"
    assert found["goal"] == goal
    assert found["seed"] is None
    assert found["optimum"] == 1
    ran = pointsman("solve", "inglenook-small", "--start", start, "--goal", goal)
    assert "1 run, proved" in ran.out
    assert "seed" not in ran.out


def test_solve_of_what_is_solved(pointsman: Pointsman) -> None:
    ran = pointsman("solve", "inglenook-small", "--goal", "s1: 1 2 3")
    assert ran.code == 0
    assert "0 runs, proved the fewest" in ran.out
    assert "move" not in ran.out


def test_solve_without_a_draw_or_a_goal_draws(pointsman: Pointsman) -> None:
    found = pointsman("solve", "inglenook-small", "--json").json
    again = pointsman("solve", "inglenook-small", "--seed", found["seed"], "--json").json
    assert again == found


def test_an_impossible_draw_is_proved_impossible(pointsman: Pointsman, tmp_path: Path) -> None:
    """5-3-2 with eight wagons: one place too few, and most draws cannot be made."""
    tight = own_layout(tmp_path, "inglenook", ("layout.toml", r"(\[segments.s3\]\s+capacity = )3", r"\g<1>2"))
    assert pointsman("check", tight).code == 0
    ran = pointsman("solve", tight, "--seed", "1", "--json")
    assert ran.code == 4
    error = ran.json["error"]
    assert error["kind"] == "UnsolvableError"
    assert error["exit_code"] == 4
    assert error["what"].startswith("proved: there is no way from here to 's1: 6 4 1 8 7'")
    told = pointsman("solve", tight, "--seed", "1")
    assert told.code == 4
    assert "\nseed   1\n" in told.out
    assert "proved: there is no way" in told.err
    play = pointsman("play", tight, "--seed", "1", *QUICK)
    assert play.code == 4
    assert "proved" in play.err


def test_a_search_that_was_stopped_is_no_proof(pointsman: Pointsman, tmp_path: Path) -> None:
    """Eleven wagons, each with a place of its own: more positions than are looked at, and it says so."""
    more = "".join(f'{number} = {{ kind = "van", colour = "red" }}\n' for number in (9, 10, 11))
    crowded = own_layout(tmp_path, "inglenook", ("layout.toml", r"\[locomotives.L\]", more + r"[locomotives.L]"))
    start = "head: L | s1: 1 2 3 4 5 | s2: 6 7 8 | s3: 9 10 11"
    goal = "s1: 5 4 3 2 1 | s2: 6 7 8 | s3: 9 10 11"
    ran = pointsman("solve", crowded, "--start", start, "--goal", goal, "--json")
    assert ran.code == BudgetSpentError.exit_code
    assert ran.json["error"]["kind"] == "BudgetSpentError"
    assert ran.json["error"]["what"].startswith("not proved")


def test_an_impossible_start_on_a_builtin_layout(pointsman: Pointsman) -> None:
    """What stands between the locomotive and its own buffer can never be turned about by it."""
    ran = pointsman("solve", "inglenook-small", "--start", "head: 2 1 L | s1: 3", "--goal", "s1: 1 2")
    assert ran.code == 4
    assert "proved: there is no way" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere",), "nowhere"),
        (("inglenook-small/nope",), "known here: classic"),
        (("./nope.toml",), "nope.toml"),
        (("inglenook-small", "--seed", "1", "--goal", "s1: 1"), "--seed"),
        (("inglenook-small", "--seed", "1", "--start", START), "--seed"),
        (("inglenook-small", "--start", "nonsense"), "segment: vehicles"),
        (("inglenook-small", "--start", "head: L | s9: 1"), "'s9'"),
        (("inglenook-small", "--start", "head: L | s1: 1 1"), "1"),
        (("inglenook-small", "--start", "s1: 1 2 3"), "0 locomotives"),
        (("inglenook-small", "--start", "head: L | s3: 1 2 3"), "s3"),
        (("inglenook-small", "--start", "head: L"), "names 1 2 3"),
        (("inglenook-small", "--start", "s2: L | s1: 1 2 3 | T1>closed: 4"), "T1"),
        (("inglenook-small", "--goal", "s1: 9"), "'9'"),
        (("inglenook-small", "--goal", "s1 1"), "write a goal like"),
        (("inglenook-small", "--goal", ""), "write a goal like"),
        (("inglenook-small", "--start", "s2: L | s1: 1 2 3 | head: 4 5", "--count", "pull-drops"), "headshunt"),
        (("inglenook-small", "--count", "cars"), "'cars'"),
        ((), "PUZZLE"),
        (("inglenook-small", "--sped", "1"), "--sped"),
        (("inglenook-small", "full"), "full"),
    ],
)
def test_what_solve_cannot_take(pointsman: Pointsman, words: tuple[str, ...], said: str) -> None:
    refused(_without_title(pointsman("solve", *words)), 2, said)
    error = pointsman("solve", *words, "--json").json["error"]
    assert error["exit_code"] == 2
    assert said in " ".join((error["what"], error["where"], error["cure"]))


def _without_title(ran: Any) -> Any:
    """What is asked may have been shown before it is found to make no sense."""
    return type(ran)(ran.code, "" if ran.out.startswith("Form the train") else ran.out, ran.err)


def test_what_no_command_is(pointsman: Pointsman) -> None:
    refused(pointsman("dance"), 2, "dance")
    refused(pointsman("--dance"), 2, "--dance")
    assert pointsman("dance", "--json").json["error"]["exit_code"] == 2


# ---------------------------------------------------------------- play


def test_a_play_and_its_journal_replayed(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = tmp_path / "deep" / "down" / "play.journal"
    played = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--journal", journal, "--json").json
    assert played["runs"] == 9
    assert played["confirmed"] is True
    assert played["truth_agrees"] is True
    assert played["incidents"] == []
    assert played["position"].startswith("head: | s1: 2 1 3 |")
    again = pointsman("replay", journal, "--json").json
    assert again["counted_runs"] == played["runs"]
    assert again["raw_starts"] == played["raw_starts"]
    assert again["position"] == played["position"]
    assert again["seed"] == played["seed"]
    assert again["bad"] == ""
    assert again["lines"] == len(read(journal).lines)
    assert again["ending"] == "it went to the end, every step confirmed"
    told = pointsman("replay", journal)
    assert told.code == 0
    assert "run 9 done: head: | s1: 2 1 3 |" in told.out
    assert "9 runs (seen)" in told.out
    assert "     0.0 s" in told.out


def test_what_a_person_sees_of_a_play(pointsman: Pointsman, tmp_path: Path) -> None:
    ran = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--picture", tmp_path / "p.svg")
    assert ran.code == 0
    assert ran.err == ""
    assert "The fewest is 9 runs." in ran.out
    assert "run 9 of 9: drive L 2 to s1" in ran.out
    assert "Done. 9 runs" in ran.out
    path = re.search(r"^Journal: (.*)$", ran.out, re.MULTILINE)
    assert path is not None
    assert Path(path.group(1)).is_relative_to(tmp_path / "data" / "pointsman" / "journals")
    assert read(Path(path.group(1))).bad == ""
    picture = (tmp_path / "p.svg").read_text()
    assert "inglenook-small/classic" in picture
    assert "url(http" not in picture


def test_a_seed_of_odd_bytes_goes_through_the_journal(pointsman: Pointsman, tmp_path: Path) -> None:
    seed = os.fsdecode(b"\xff[/]\xfc")
    ran = pointsman("play", "inglenook-small", "--seed", seed, *QUICK, "--journal", tmp_path / "j", "--json")
    assert ran.json["seed"] == seed
    assert pointsman("replay", tmp_path / "j", "--json").json["seed"] == seed
    assert pointsman("replay", tmp_path / "j").code == 0


def test_what_is_counted_does_not_change_what_is_driven(pointsman: Pointsman, tmp_path: Path) -> None:
    ran = pointsman(
        "play", "inglenook-small", "--seed", "1", *QUICK, "--count", "pull-drops", "--journal", tmp_path / "j"
    )
    assert "The fewest is 5 pull-drops." in ran.out
    assert ran.code == 0
    assert read(tmp_path / "j").lines[0].text("count") == "pull-drops"


def test_a_person_says_yes_to_the_simulated_layout(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    person("what?\nYES\n")
    words = ("play", "inglenook-small", "--seed", "1", "--speed", "0", "--journal", tmp_path / "j", "--json")
    ran = pointsman(*words)
    assert ran.json["confirmed"]
    assert ran.err.count("Is the layout set up like this?") == 2


@pytest.mark.parametrize("typed", ["\n", "n\n", "\x04"])
def test_a_person_says_no(pointsman: Pointsman, person: Person, tmp_path: Path, typed: str) -> None:
    person(typed)
    words = ("play", "inglenook-small", "--seed", "1", "--speed", "0", "--journal", tmp_path / "j", "--json")
    ran = pointsman(*words)
    assert ran.code == 1
    assert "nothing was sent" in ran.json["error"]["what"]
    assert ran.json["error"]["exit_code"] == 1
    assert not (tmp_path / "j").exists()


def test_a_port_that_is_not_there(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    """Asked which way the locomotive faces, and whether all is clear; then the port turns out to be missing."""
    person("sideways\nfrom\ny\n")
    nothing = tmp_path / "ttyNONE"
    ran = pointsman("play", "inglenook-small", "--seed", "1", "--on", f"serial:{nothing}", "--journal", tmp_path / "j")
    assert ran.code == 5
    question = "does the front of L face, 'to' (the fouling point at T1) or 'from' (the buffer stop)?"
    assert " ".join(ran.out.split()).count(question) == 2
    assert "60 mm/s" in ran.out
    assert str(nothing) in ran.err
    assert f"Journal: {tmp_path / 'j'}" in ran.out
    lines = read(tmp_path / "j").lines
    assert [line.kind for line in lines] == ["begin", "end"]
    assert lines[0].text("facing") == "from"
    assert "ttyNONE" in lines[1].text("error")
    assert "ttyNONE" in pointsman("replay", tmp_path / "j").out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--on", "serial:/dev/ttyX", "--yes"), 2, "--yes"),
        (("--on", "serial:/dev/ttyX", "--speed", "1"), 2, "--speed"),
        (("--on", "tcp:host", "--speed", "0"), 2, "--speed"),
        (("--on", "tcp:host:2560"), 2, "standard input is no terminal"),
        (("--on", "serial:/dev/ttyX"), 2, "standard input is no terminal"),
        ((), 2, "add --yes"),
        (("--on", "serial:"), 2, "serial:"),
        (("--on", "moon"), 2, "moon"),
        (("--on", "sim:1"), 2, "sim:1"),
        (("--on", "tcp:host:0"), 2, "tcp:host:0"),
        (("--on", "tcp:host:²"), 2, "tcp:host"),
        (("--on", "tcp:host:" + "9" * 5000), 2, "tcp:host"),
        (("--yes", "--speed", "-1"), 2, "--speed -1"),
        (("--yes", "--speed", "nan"), 2, "--speed nan"),
        (("--yes", "--speed", "inf"), 2, "--speed inf"),
        (("--yes", "--speed", "fast"), 2, "'--speed'"),
        (("--yes", "--facing", "up"), 2, "up"),
        (("--yes", "--hardware", "nope"), 2, "dccex"),
        (("--yes", "--hardware", "./nope.toml"), 2, "nope.toml"),
        (("--yes", "--hardware", str(CHECKOUT / "pyproject.toml")), 3, "pyproject.toml"),
        (("--yes", "--picture", "/nowhere/p.svg"), 2, "/nowhere/p.svg"),
        (("--yes", "--picture", "/"), 2, "picture"),
        (("--yes", "--journal", "/"), 8, "/"),
        (("--yes", "--journal", str(CHECKOUT / "README.md")), 8, "README.md"),
    ],
)
def test_what_play_cannot_take(pointsman: Pointsman, words: tuple[str, ...], code: int, said: str) -> None:
    """Said before anything is searched, shown or asked."""
    refused(pointsman("play", "inglenook-small", *words), code, said)
    error = pointsman("play", "inglenook-small", *words, "--json").json["error"]
    assert error["exit_code"] == code


def test_a_journal_that_cannot_be_written(pointsman: Pointsman, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = tmp_path / "file" / "j"
    ran = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--journal", journal)
    assert ran.code == 8
    assert str(journal) in ran.err
    assert "--journal" in ran.err
    assert "Journal:" not in ran.out


def test_a_picture_that_cannot_be_written_does_not_hide_the_result(pointsman: Pointsman, tmp_path: Path) -> None:
    picture = tmp_path / ("x" * 300)
    ran = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--picture", picture)
    assert ran.code == 2
    assert "Done. 9 runs" in ran.out
    assert "picture" in ran.err
    ran = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--picture", picture, "--json")
    assert ran.code == 2
    assert ran.json["runs"] == 9
    assert ran.json["error"]["exit_code"] == 2


def test_a_plan_that_the_metal_does_not_allow(pointsman: Pointsman, tmp_path: Path) -> None:
    """Magnets that hold no coupling: the plan is refused before anything moves, and the journal says so."""
    blunt = own_layout(tmp_path, "inglenook-small", ("layout.toml", r"reach_mm = 10", "reach_mm = 1"))
    ran = pointsman("play", blunt, "--seed", "1", *QUICK, "--journal", tmp_path / "j", "--json")
    assert ran.code == 7
    assert ran.json["error"]["kind"] == "RefusedError"
    kinds = [line.kind for line in read(tmp_path / "j").lines]
    assert "command" not in kinds
    assert kinds[-1] == "end"
    told = pointsman("replay", tmp_path / "j")
    assert told.code == 0
    assert "0 starts" in told.out


# ---------------------------------------------------------------- replay


HEADER = {"puzzle": "inglenook-small/classic", "seed": "1", "on": "sim", "start": START, "goal": "s1: 2 1 3"}


def journal_of(path: Path, *entries: tuple[str, dict[str, Any]]) -> Path:
    path.write_bytes(b"".join(encode(float(at), kind, values) for at, (kind, values) in enumerate(entries)))
    return path


def test_a_damaged_journal_is_told_as_far_as_it_is_good(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = tmp_path / "j"
    assert pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--journal", journal).code == 0
    raw = journal.read_bytes().splitlines(keepends=True)
    number = next(i for i, line in enumerate(raw) if b'"kind":"run"' in line)
    spoilt = tmp_path / "spoilt"
    spoilt.write_bytes(b"".join([*raw[: number + 1], raw[number + 1].replace(b'"', b"'", 1), *raw[number + 2 :]]))
    ran = pointsman("replay", spoilt)
    assert ran.code == 8
    assert "1 run (seen)" in ran.out
    assert "ending: the journal stops in the middle" in ran.out
    assert f"{spoilt}: line {number + 2}: the line's checksum is wrong" in ran.err
    found = pointsman("replay", spoilt, "--json")
    assert found.code == 8
    assert found.json["counted_runs"] == 1
    assert found.json["lines"] == number + 1
    assert found.json["error"]["kind"] == "JournalError"
    cut = tmp_path / "cut"
    cut.write_bytes(b"".join(raw)[:-5])
    assert "cut short" in pointsman("replay", cut).err


def test_a_halt_is_a_stop_that_is_counted(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = journal_of(
        tmp_path / "j",
        ("begin", HEADER),
        ("step", {"run": 1, "what": "drive L to s1"}),
        ("command", {"number": 1, **message_values(Drive("L", True, 30))}),
        ("halt", {"why": "beam s1 was broken", "position": START}),
        ("end", {"error": "beam s1 was broken"}),
    )
    found = pointsman("replay", journal, "--json").json
    assert (found["raw_starts"], found["emergency_stops"], found["counted_runs"]) == (1, 1, 0)
    assert found["position"] == START
    ran = pointsman("replay", journal)
    assert ran.code == 0
    assert "     2.0 s  STOPPED: beam s1 was broken" in ran.out
    assert "ending: beam s1 was broken" in ran.out


@pytest.mark.parametrize(
    "entry",
    [
        ("command", {"type": "Dance"}),
        ("command", {"type": "Drive", "locomotive": "L"}),
        ("run", {"number": 1}),
    ],
)
def test_a_line_of_another_version_ends_the_telling(
    pointsman: Pointsman, tmp_path: Path, entry: tuple[str, dict[str, Any]]
) -> None:
    journal = journal_of(tmp_path / "j", ("begin", HEADER), ("note", {"text": "unknown kinds pass"}), entry)
    ran = pointsman("replay", journal)
    assert ran.code == 8
    assert HEADER["goal"] in ran.out
    assert f"{journal}: line 3: " in ran.err
    assert pointsman("replay", journal, "--json").json["bad"].startswith("line 3: ")


def test_what_is_no_journal(pointsman: Pointsman, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("hello\n")
    headless = journal_of(tmp_path / "headless", ("step", {"what": "x"}))
    for path, said in (
        (tmp_path / "none", "No such file"),
        (tmp_path, "directory"),
        (tmp_path / "empty", "empty"),
        (tmp_path / "text", "line 1"),
        (headless, "does not begin"),
    ):
        refused(pointsman("replay", path), 8, said, str(path))
        assert pointsman("replay", path, "--json").json["error"]["where"] == str(path)


def test_a_journal_that_is_still_being_written(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", pytest.fail)
    journal.write(0.0, "begin", HEADER)
    ran = pointsman("replay", tmp_path / "j")
    journal.close()
    assert ran.code == 0
    assert "the journal stops in the middle" in ran.out


# ---------------------------------------------------------------- ports


def test_ports_lists_what_the_system_has(pointsman: Pointsman) -> None:
    found = pointsman("ports", "--json").json["ports"]
    ran = pointsman("ports")
    assert ran.code == 0
    for port in found:
        assert set(port) == {
            "port",
            "stable_path",
            "description",
            "hardware_id",
            "permitted",
            "group",
            "holders",
        }
        assert port["port"] in ran.out
    assert found or "No serial port" in ran.out


def test_ports_say_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    by_id = "/dev/serial/by-id/usb-Arduino__www.arduino.cc__0042_85734323330351B0C0A1-if00"
    show_ports(
        Console(width=80, markup=False),
        [
            PortInfo("/dev/ttyACM0", "", "Mega [2560]", "USB", True, "dialout", (Holder(4711, "arduino"),)),
            PortInfo("/dev/ttyACM1", by_id, "n/a", "USB", True, "dialout", ()),
            PortInfo("/dev/ttyACM2", "", "Uno", "USB", False, "uucp", ()),
        ],
    )
    out = capsys.readouterr().out
    assert "Mega [2560]" in out
    assert "held by arduino (process 4711)" in out
    assert "usermod -a -G uucp" in " ".join(out.split())
    assert f"--on serial:{by_id}\n" in out
    show_ports(Console(width=80), [PortInfo("/dev/ttyACM2", "", "Uno", "USB", False, "uucp", ())])
    assert "To play there" not in capsys.readouterr().out
    show_ports(Console(width=80), [])
    assert "No serial port found" in capsys.readouterr().out


def test_json_is_ascii_whatever_is_in_it(pointsman: Pointsman) -> None:
    ran = pointsman("deal", "inglenook-small", "--seed", "ü日", "--json")
    assert ran.out.isascii()
    assert json.loads(ran.out)["seed"] == "ü日"
