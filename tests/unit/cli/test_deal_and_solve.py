"""deal and solve at their boundary: arguments in; output and a documented exit code out."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from commands import QUICK, START, Pointsman, own_layout, refused, without_title

from pointsman.draws import fresh_seed
from pointsman.errors import BudgetSpentError

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
    refused(without_title(pointsman("solve", *words)), 2, said)
    error = pointsman("solve", *words, "--json").json["error"]
    assert error["exit_code"] == 2
    assert said in " ".join((error["what"], error["where"], error["cure"]))
