"""Every command at its boundary: arguments in; output, files and a documented exit code out."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import CHECKOUT, QUICK, START, Pointsman, own_layout, refused

from pointsman import errors
from pointsman.cli.main import COMMANDS, command_line
from pointsman.draws import fresh_seed
from pointsman.errors import BudgetSpentError, PointsmanError
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
    refused(_without_title(pointsman("solve", strict, "--seed", "1")), 2, "holds")


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


def test_a_fresh_seed_can_be_read_out() -> None:
    seeds = {fresh_seed() for _ in range(50)}
    assert len(seeds) > 40
    assert all(seed.isdecimal() and len(seed) <= 6 for seed in seeds)


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
    assert "9 runs, proved the least" in ran.out
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


def test_solve_in_seconds(pointsman: Pointsman) -> None:
    """Kept in milliseconds inside, told as about so many seconds."""
    words = ("solve", "inglenook-small", "--seed", "1", "--count", "seconds")
    found = pointsman(*words, "--json").json
    assert found["count"] == "seconds"
    assert 20 < found["optimum"] < 200
    assert f"about {found['optimum']:.0f} seconds, proved the least" in pointsman(*words).out


def test_solve_with_counts_that_break_ties(pointsman: Pointsman) -> None:
    words = ("solve", "inglenook-small", "--seed", "1", "--count", "runs,couplings,seconds")
    alone = pointsman(*words[:-1], "runs", "--json").json
    parting = pointsman(*words[:-1], "couplings", "--json").json
    found = pointsman(*words, "--json").json
    assert (found["count"], found["optimum"]) == ("runs", alone["optimum"])
    assert found["values"]["couplings"] >= parting["optimum"]
    assert list(found["values"]) == ["runs", "couplings", "seconds"]
    told = pointsman(*words).out
    assert f"{alone['optimum']} runs ({found['values']['couplings']} couplings, about" in told


def test_solve_within_a_budget_claims_no_more_than_it_proved(pointsman: Pointsman) -> None:
    ran = pointsman("solve", "inglenook", "--seed", "1", "--count", "seconds", "--budget", "0.000001", "--json")
    if ran.code == 0:
        found = ran.json
        assert found["proved"] == (found["bound"] == found["optimum"])
        assert found["bound"] <= found["optimum"]
    else:
        assert ran.code == BudgetSpentError.exit_code
        assert "not proved" in ran.json["error"]["what"]


def test_solve_claims_nothing_where_nothing_is_proved(pointsman: Pointsman) -> None:
    words = ("solve", "inglenook-small", "--start", START, "--goal", "s3: 1", "--count", "runs,couplings")
    best = pointsman(*words, "--json").json
    ran = pointsman(*words, "--memory", "0.001", "--budget", "0.000001")
    found = re.search(r"\n(\d+) runs \(\d+ couplings?\), not proved to be the least\.", ran.out)
    assert found is not None, ran.out
    assert int(found[1]) >= best["optimum"]


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
    assert "0 runs, proved the least" in ran.out
    assert "move" not in ran.out


def test_solve_without_a_draw_or_a_goal_draws(pointsman: Pointsman) -> None:
    found = pointsman("solve", "inglenook-small", "--json").json
    again = pointsman("solve", "inglenook-small", "--seed", found["seed"], "--json").json
    assert again == found


def tight_layout(folder: Path) -> Path:
    """5-3-2 with eight wagons: one place too few, and most draws cannot be made."""
    return own_layout(folder, "inglenook", ("layout.toml", r"(\[segments.s3\]\s+capacity = )3", r"\g<1>2"))


def test_an_impossible_draw_is_proved_impossible(pointsman: Pointsman, tmp_path: Path) -> None:
    tight = tight_layout(tmp_path)
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
    for ran in (told, pointsman("play", tight, "--seed", "1", *QUICK)):
        assert ran.code == 4
        assert "own/classic, seed 1, cards 6 4 1 8 7: proved: there is no way" in ran.err
        assert "::" not in ran.err
    dealt = pointsman("deal", tight, "--seed", "1")
    assert dealt.code == 0
    assert "This draw cannot be solved, which is proved." in dealt.out
    assert pointsman("deal", tight, "--seed", "1", "--json").json["solvable"] is False


def test_an_impossible_draw_that_nobody_wished_for_is_drawn_again(pointsman: Pointsman, tmp_path: Path) -> None:
    """One draw in eight is possible here: that eight first ones in a row are has a chance of one in ten million."""
    tight = tight_layout(tmp_path)
    found = pointsman("solve", tight, "--json")
    assert found.code == 0
    assert found.json["proved"] is True
    assert pointsman("solve", tight, "--seed", found.json["seed"], "--json").json == found.json
    dealt = pointsman("deal", tight, "--json").json
    assert dealt["solvable"] is True
    assert pointsman("solve", tight, "--seed", dealt["seed"], "--json").code == 0
    journal = tmp_path / "j"
    played = pointsman("play", tight, *QUICK, "--journal", journal, "--json")
    assert played.code in {0, 7}, played.err  # the plan may need stops that this track has no room for
    told = [pointsman(name, tight).out for name in ("deal", "solve") for _ in range(4)]
    assert any("cannot be solved, which is proved: drawn again." in text for text in told)


def test_a_puzzle_that_no_draw_can_solve_says_so(pointsman: Pointsman, tmp_path: Path) -> None:
    full = own_layout(
        tmp_path,
        "inglenook-small",
        ("puzzles/classic.toml", r'start = "[^"]*"', 'start = "head: 1 L | s1: 2 3 4 | s2: 5"'),
        ("puzzles/classic.toml", r'goal = "[^"]*"', 'goal = "s1: 1 2 3 | s2: 4 5 | head:"'),
        ("layout.toml", r"(\[segments.head\].*?capacity = )3", r"\g<1>2"),
    )
    for command in ("deal", "solve"):
        ran = pointsman(command, full)
        assert ran.code == 4
        assert "proved impossible: none of its 120 draws can be solved" in ran.err


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
        (("inglenook-small", "--start", "head: L"), "no 1 2 3, which the goal"),
        (("inglenook-small", "--start", "s2: L | s1: 1 2 3 | T1>closed: 4"), "T1"),
        (("inglenook-small", "--goal", "s1: 9"), "'9'"),
        (("inglenook-small", "--goal", "s1 1"), "write a goal like"),
        (("inglenook-small", "--goal", ""), "write a goal like"),
        (("inglenook-small", "--start", "s2: L | s1: 1 2 3 | head: 4 5", "--count", "pull-drops"), "headshunt"),
        (("inglenook-small", "--count", "cars"), "'cars'"),
        (("inglenook-small", "--count", "runs,runs"), "named twice"),
        (("inglenook-small", "--budget", "0"), "--budget 0"),
        (("inglenook-small", "--memory", "nan"), "--memory nan"),
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
