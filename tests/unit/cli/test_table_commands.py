"""``table``, ``challenges``, ``hint`` and the wishes of ``deal`` at their boundary."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from commands import START, own_layout, refused
from hypothesis import given
from hypothesis import strategies as st

from pointsman.cli.chart import bar_chart, ticks

Pointsman = Callable[..., Any]
SVG = "{http://www.w3.org/2000/svg}"


# ---------------------------------------------------------------- table


def test_the_table_of_the_small_inglenook_by_its_published_numbers(pointsman: Pointsman, tmp_path: Path) -> None:
    """Train only, the others in the short sidings: at most 12 pull-drops, 2 of 60 draws, mean 8.0."""
    words = ("table", "inglenook-small/sidings", "--count", "pull-drops")
    found = pointsman(*words, "--json", "--svg", tmp_path / "t.svg").json
    assert found["count"] == "pull-drops"
    assert found["positions"] == found["solvable"]
    starts = found["starts"]
    assert (starts["n"], starts["solvable"], starts["mean"], starts["max"]) == (60, 60, 8.0, 12)
    assert sum(starts["histogram"].values()) == 60
    assert starts["histogram"]["12"] == len(starts["hardest"]) == 2
    for goal in starts["hardest"]:
        assert pointsman("solve", words[1], "--goal", goal, *words[2:], "--json").json["optimum"] == 12
    bars = ElementTree.parse(tmp_path / "t.svg").findall(f"{SVG}rect[@class='bar']")
    told = {place: int(many) for place, many in (bar.findtext(f"{SVG}title", "").split(": ") for bar in bars)}
    assert told == starts["histogram"]
    ran = pointsman(*words)
    assert ran.code == 0
    assert "60 draws: 8.0000 pull-drops in the mean." in ran.out
    assert re.search(r"^ +12 +2 +#+ *$", ran.out, re.MULTILINE)
    assert "The hardest, 2 draws:" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_the_table_where_most_draws_have_no_solution(pointsman: Pointsman, tmp_path: Path) -> None:
    """5-3-2 with eight wagons: only 840 of 6,720 draws (computed by exhaustive search)."""
    tight = own_layout(tmp_path, "inglenook", ("layout.toml", r"(\[segments.s3\]\s+capacity = )3", r"\g<1>2"))
    words = ("table", tight / "puzzles" / "sidings.toml", "--count", "pull-drops")
    starts = pointsman(*words, "--json").json["starts"]
    assert (starts["n"], starts["solvable"]) == (6720, 840)
    ran = pointsman(*words)
    assert "6,720 draws, 840 of them with a solution" in ran.out
    assert "  ...\n" in ran.out


def test_a_table_of_a_puzzle_that_no_draw_solves(pointsman: Pointsman, tmp_path: Path) -> None:
    own = own_layout(tmp_path, "inglenook-small", ("puzzles/classic.toml", r'start = "[^"]*"', 'start = "head: 1 2 L"'))
    text = (own / "puzzles" / "classic.toml").read_text()
    (own / "puzzles" / "classic.toml").write_text(re.sub(r'goal = "[^"]*"', 'goal = "s1: {1} | s2: {2}"', text))
    found = pointsman("table", own, "--json").json
    assert (found["max"], found["starts"]["mean"], found["starts"]["max"]) == (None, None, None)
    assert "None of 2 draws has a solution." in pointsman("table", own).out
    assert pointsman("deal", own, "--level", "1").code == 4


def test_what_table_cannot_take(pointsman: Pointsman, tmp_path: Path) -> None:
    refused(pointsman("table", "timesaver/best-time"), 2, "no table of seconds", "--count")
    refused(pointsman("table", "nowhere"), 2, "nowhere")
    nowhere = tmp_path / "none" / "t.svg"
    refused(pointsman("table", "inglenook-small", "--svg", nowhere), 2, str(nowhere), "cannot be written")


@given(st.integers(0, 10**7))
def test_ticks_are_few_and_round(most: int) -> None:
    found = ticks(most)
    assert 1 <= len(found) <= 6
    assert found[0] == 0
    assert found[-1] <= most
    assert len({b - a for a, b in pairwise(found)}) <= 1
    assert all(str(tick).rstrip("0")[:1] in "123456789" for tick in found)


@given(
    st.dictionaries(st.integers(0, 200), st.integers(1, 10**6)), st.text(st.characters(exclude_categories=["Cs", "Cc"]))
)
def test_any_histogram_is_a_picture_within_its_sheet(bars: dict[int, int], title: str) -> None:
    drawn = ElementTree.fromstring(bar_chart(title, sorted(bars.items()), "runs", "draws"))
    assert drawn.findtext(f"{SVG}title") == title or not title
    rects = drawn.findall(f"{SVG}rect[@class='bar']")
    assert len(rects) == len(bars)
    for rect in rects:
        left, top, wide, tall = (float(rect.get(key, "nan")) for key in ("x", "y", "width", "height"))
        assert left >= 0
        assert left + wide <= 720
        assert top >= 40
        assert top + tall <= 320


# ---------------------------------------------------------------- deal


def test_a_draw_of_a_wished_level_or_par(pointsman: Pointsman) -> None:
    for wish in (("--level", "1"), ("--level", "4"), ("--min", "13", "--max", "15")):
        drawn = pointsman("deal", "inglenook-small", "--seed", "7", *wish, "--json").json
        assert drawn["level"] == int(wish[1]) or drawn["par"] in (13, 15)
        # The seed told draws the same again, also for solve.
        solved = pointsman("solve", "inglenook-small", "--seed", drawn["seed"], "--json").json
        assert (solved["goal"], solved["optimum"]) == (drawn["goal"], drawn["par"])
        again = pointsman("deal", "inglenook-small", "--seed", drawn["seed"], *wish, "--json").json
        assert again == {**drawn, "draws": 1}
        plain = pointsman("deal", "inglenook-small", "--seed", drawn["seed"], "--json").json
        assert plain.items() <= drawn.items()


def test_deal_in_pull_drops(pointsman: Pointsman) -> None:
    words = ("deal", "inglenook-small", "--seed", "1", "--count", "pull-drops")
    drawn = pointsman(*words, "--json").json
    assert (drawn["count"], drawn["par"]) == ("pull-drops", 5)
    assert "par    5 pull-drops, level " in pointsman(*words).out


def test_with_a_wish_no_draw_is_without_a_solution(pointsman: Pointsman, tmp_path: Path) -> None:
    tight = own_layout(tmp_path, "inglenook", ("layout.toml", r"(\[segments.s3\]\s+capacity = )3", r"\g<1>2"))
    assert pointsman("solve", tight, "--seed", "1").code == 4
    drawn = pointsman("deal", tight, "--seed", "1", "--min", "0", "--json").json
    assert drawn["seed"] == f"1 #{drawn['draws']}"
    assert pointsman("solve", tight, "--seed", drawn["seed"], "--json").json["optimum"] == drawn["par"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--level", "5"), "--level"),
        (("--min", "9", "--max", "8"), "--min 9 is more than --max 8"),
        (("--min", "50"), "pars from 0 to 21"),
        (("--level", "1", "--count", "couplings"), "couplings"),
    ],
)
def test_what_deal_cannot_take(pointsman: Pointsman, words: tuple[str, ...], said: str) -> None:
    refused(pointsman("deal", "inglenook-small", "--seed", "1", *words), 2, said)


# ---------------------------------------------------------------- challenges


def test_challenges(pointsman: Pointsman) -> None:
    words = ("challenges", "inglenook-small", "--seed", "1979")
    found = pointsman(*words, "--json").json
    assert pointsman(*words, "--json").json == found
    forty = found["challenges"]
    assert len({(one["start"], one["goal"]) for one in forty}) == 40
    assert [one["level"] for one in forty] == [level for level in (1, 2, 3, 4) for _ in range(10)]
    for one in forty[::9]:
        words_there = (
            "solve",
            "inglenook-small",
            "--start",
            one["start"],
            "--goal",
            one["goal"],
            "--count",
            one["count"],
        )
        assert pointsman(*words_there, "--json").json["optimum"] == one["par"]
        assert one["ranks"] == {"Chef de gare": one["par"], "Aiguilleur": one["ranks"]["Aiguilleur"], "Atteleur": None}
        assert one["ranks"]["Aiguilleur"] >= one["par"] + 2
    ran = pointsman(*words)
    assert ran.code == 0
    assert len(re.findall(r"^ *\d+ +[1-4] +\d+ +\d+ +head: L", ran.out, re.MULTILINE)) == 40
    assert max(map(len, ran.out.splitlines())) <= 80


def test_challenges_draw_a_seed_and_take_another_count(pointsman: Pointsman) -> None:
    found = pointsman("challenges", "inglenook-small", "--count", "pull-drops", "--json").json
    assert {one["count"] for one in found["challenges"]} == {"pull-drops"}
    again = pointsman("challenges", "inglenook-small", "--count", "pull-drops", "--seed", found["seed"], "--json")
    assert again.json == found
    refused(pointsman("challenges", "inglenook-small", "--count", "seconds"), 2, "not graded by seconds")


# ---------------------------------------------------------------- hint


def test_hints_lead_to_the_goal(pointsman: Pointsman) -> None:
    position, left = START, 9
    while True:
        found = pointsman("hint", "inglenook-small", "--seed", "1", "--position", position, "--json").json
        assert (found["position"], found["distance"]) == (position, left)
        if found["move"] is None:
            break
        position, left = found["after"], left - 1
    assert left == 0
    assert position.startswith("head: | s1: 2 1 3 |")


def test_a_hint_for_a_person(pointsman: Pointsman) -> None:
    ran = pointsman("hint", "inglenook-small", "--position", START, "--seed", "1")
    assert ran.code == 0
    assert "goal   s1: 2 1 3" in ran.out
    assert "9 runs to go. Next:" in ran.out
    done = pointsman("hint", "inglenook-small", "--position", "head: L | s1: 2 1 3 | s2: 4 5", "--goal", "s1: 2 1 3")
    assert "The goal is reached." in done.out
    own = pointsman("hint", "inglenook-small", "--position", START, "--json").json
    assert (own["seed"], own["distance"]) == (None, 0)


def test_a_goal_by_kinds_is_dealt_graded_hinted_and_solved_alike(pointsman: Pointsman) -> None:
    """No card names a place in the train: a draw puts the wagons in other places at the start."""
    puzzle = "tchoutchou/variant"
    starts = pointsman("table", puzzle, "--json").json["starts"]
    assert (starts["n"], starts["solvable"], starts["max"]) == (5040, 5040, 27)
    for start in starts["hardest"][:2]:
        assert pointsman("hint", puzzle, "--position", start, "--json").json["distance"] == 27
    drawn = pointsman("deal", puzzle, "--seed", "1", "--level", "4", "--json").json
    assert len(drawn["cards"]) == 8
    solved = pointsman("solve", puzzle, "--seed", drawn["seed"], "--json").json
    assert (solved["start"], solved["goal"]) == (drawn["start"], drawn["goal"])
    assert solved["optimum"] == drawn["par"]
    assert pointsman("hint", puzzle, "--position", drawn["start"], "--json").json["distance"] == drawn["par"]
    challenges = pointsman("challenges", puzzle, "--seed", "1", "--json").json["challenges"]
    assert (len(challenges), {task["goal"] for task in challenges}) == (40, {drawn["goal"]})
    for task in challenges[::13]:
        hint = pointsman("hint", puzzle, "--position", task["start"], "--json").json
        assert hint["distance"] == task["par"]
    refused(pointsman("hint", puzzle, "--position", drawn["start"], "--count", "pull-drops"), 4, "there is no way")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "--position"),
        (("--position", "head: L"), 2, "missing: 1 2 3 4 5"),
        (("--position", START, "--seed", "1", "--goal", "s1: 1"), 2, "--seed"),
        (("--position", "s2: L | s1: 1 2 3 | s3: 4 | T1>closed: 5"), 2, "T1"),
        (("--position", START, "--count", "reversals"), 2, "reversals"),
        (("--position", "s2: L | s1: 1 2 3 | head: 4 5", "--count", "pull-drops"), 2, "headshunt"),
        (("--position", "head: 2 1 L | s1: 3 4 5", "--goal", "s1: 1 2 3"), 4, "proved: there is no way"),
    ],
)
def test_what_hint_cannot_take(pointsman: Pointsman, words: tuple[str, ...], code: int, said: str) -> None:
    refused(pointsman("hint", "inglenook-small", *words), code, said)
