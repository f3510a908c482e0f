from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracks import inglenook, small

from pointsman.errors import UsageError
from pointsman.puzzle.choice import choose
from pointsman.puzzle.deal import deal, laid_out, places
from pointsman.puzzle.goal import parse_goal
from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count, Puzzle
from pointsman.track.model import Track


def puzzle(track: Track, start: str, goal: str) -> Puzzle:
    return Puzzle("p", "p", track, parse_position(start, track), parse_goal(goal, track), Count.RUNS)


CLASSIC = puzzle(inglenook(), "head: L | s1: 1 2 3 4 5 | s2: 6 7 8", "s1: 1 2 3 4 5")
SIDINGS = puzzle(inglenook(), "head: L | s1: 1 2 3 4 5 | s2: 6 7 8", "s1: 1 2 3 4 5 | s2+s3: {6 7 8}")
SMALL = puzzle(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: 1 2 3")


PINNED = ["[6] [4] [1] [8] [7]", "[6] [7] [4] [5] [8]", "[8] [7] [5] [6] [3]"]


def test_one_seed_gives_one_draw_for_ever() -> None:
    """Pinned: results are shared by seed, so these must never change."""
    assert [str(deal(CLASSIC, seed)) for seed in (1, 2, "club night")] == PINNED
    assert deal(CLASSIC, 1).puzzle.start == CLASSIC.start
    assert str(deal(CLASSIC, 1).puzzle.goal) == "s1: " + " ".join(deal(CLASSIC, 1).cards)


def by_the_rule(seed: str) -> list[str]:
    """The rule of the docstring, written out once more (rejection never comes up in the first 10**15 draws)."""
    lying = ["1", "2", "3", "4", "5", "6", "7", "8"]
    cards = []
    for i in range(5):
        digest = hashlib.sha256(b"pointsman deal 1\n" + seed.encode() + b"\n" + str(i).encode()).digest()
        number = int.from_bytes(digest[:8], "big")
        assert number < 2**64 - 2**64 % len(lying)
        cards.append(lying.pop(number % len(lying)))
    return cards


@settings(deadline=None)
@given(st.integers() | st.text(st.characters(codec="ascii")))
def test_the_rule_as_written(seed: int | str) -> None:
    assert list(deal(CLASSIC, seed).cards) == by_the_rule(str(seed))


def test_numbers_and_their_digits_are_one_seed_and_so_are_two_spellings_of_one_text() -> None:
    assert deal(CLASSIC, 17) == deal(CLASSIC, "17")
    assert deal(CLASSIC, "Z\u00fcrich") == deal(CLASSIC, "Zu\u0308rich")
    assert deal(CLASSIC, "\udcff").cards  # an argument that was no text still is a seed


def test_every_draw_comes_up_and_about_equally_often() -> None:
    draws = Counter(deal(SMALL, seed).cards for seed in range(6000))
    assert len(draws) == 60
    chi_squared = sum((found - 100) ** 2 / 100 for found in draws.values())
    assert chi_squared < 98.3  # 59 degrees of freedom: one seedless run in a thousand would exceed this


@settings(deadline=None)
@given(st.integers(0))
def test_the_wagons_not_drawn_fill_the_sets(seed: int) -> None:
    draw = deal(SIDINGS, seed)
    assert len(draw.cards) == 5
    assert sorted(draw.puzzle.goal.vehicles) == list("12345678")
    assert draw.puzzle.goal.terms[1].vehicles == tuple(sorted(draw.puzzle.goal.terms[1].vehicles))


def test_a_goal_that_names_the_locomotive_keeps_it() -> None:
    with_locomotive = puzzle(small(), "head: L | s1: 1 2 3 | s2: 4 5", "head: L | s1: 1 2 3")
    draw = deal(with_locomotive, 5)
    assert draw.puzzle.goal.terms[0].vehicles == ("L",)
    assert len(draw.cards) == 3


def test_a_goal_that_names_no_wagon_has_its_start_drawn() -> None:
    by_kind = puzzle(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: @open @open ..")
    draw = deal(by_kind, 1)
    assert draw.puzzle.goal == by_kind.goal
    assert draw.cards == draw.puzzle.wagons != by_kind.wagons
    assert sorted(draw.cards) == list("12345")
    assert str(draw.puzzle.start).startswith(f"head: L | s1: {' '.join(draw.cards[:3])} |")


BY_KIND = puzzle(small(), "head: L | s1: 1 2 3 | s2: 4 5", "s1: @open @open ..")


@settings(deadline=None)
@given(st.integers(0), st.sampled_from([CLASSIC, SIDINGS, SMALL, BY_KIND]))
def test_a_draw_given_by_its_wagons_is_the_one_of_its_seed(seed: int, base: Puzzle) -> None:
    draw = deal(base, seed)
    wagons = places(draw.puzzle)
    assert len(wagons) == len(places(base))
    assert laid_out(base, wagons) == (draw.puzzle, draw.cards)


def test_a_puzzle_is_chosen_with_the_wagons_of_a_draw() -> None:
    seeded = choose("inglenook", seed="1")
    chosen = choose("inglenook", cards=("6", "4", "1", "8", "7"))
    assert (chosen.goal, chosen.cards) == (seeded.goal, seeded.cards)
    assert (chosen.seed, seeded.seed) == (None, "1")
    in_a_set = choose("inglenook/siding-2", cards=("6", "4", "1", "8", "7", "5", "3", "2"))
    assert in_a_set.cards == ("6", "4", "1", "8", "7")
    assert str(in_a_set.goal) == "s1: 6 4 1 8 7 | s2: {2 3 5}"
    with pytest.raises(UsageError, match="not by both"):
        choose("inglenook", seed="1", cards=("6", "4", "1", "8", "7"))


@pytest.mark.parametrize(
    ("wagons", "what", "cure"),
    [
        (["1", "2", "9"], "there is no wagon '9'", "known here: 1, 2, 3, 4, 5"),
        (["1", "2", "L"], "there is no wagon 'L'", "known here"),
        (["1", "2", "1"], "wagon 1 is drawn twice", "name each wagon once"),
        (["1", "2"], "2 wagons are named, and a draw has 3", "name 3 of 1 2 3 4 5"),
        ([], "0 wagons are named, and a draw has 3", "name 3 of 1 2 3 4 5"),
        (["1", "2", "3", "4"], "4 wagons are named", "name 3 of"),
    ],
)
def test_wagons_that_are_no_draw_are_refused(wagons: list[str], what: str, cure: str) -> None:
    with pytest.raises(UsageError) as refused:
        laid_out(SMALL, wagons)
    assert what in refused.value.what
    assert cure in refused.value.cure
