from __future__ import annotations

import pytest
from tracks import inglenook, timesaver

from pointsman.errors import NotationError
from pointsman.puzzle.goal import parse_goal
from pointsman.puzzle.position import parse_position

TRACK = inglenook()
LOCOMOTIVES = ("L",)


def reached(goal: str, position: str) -> bool:
    return parse_goal(goal, TRACK).reached(parse_position(position, TRACK), LOCOMOTIVES)


@pytest.mark.parametrize(
    ("goal", "position", "expected"),
    [
        ("s1: 1 2 3", "s1: 1 2 3 | head: L 4", True),
        ("s1: 1 2 3", "s1: L 1 2 3", True),  # a locomotive is overlooked
        ("s1: 1 2 3", "s1: 3 2 1", False),
        ("s1: 1 2 3", "s1: 1 2 3 4", False),
        ("s1: 1 2 3", "s1: 1 2 | T1>closed: 3 | head: L", False),
        ("s1: L 1 2", "s1: L 1 2", True),
        ("s1: L 1 2", "s1: 1 2 | head: L", False),
        ("s1: 1 | s2: {2 3}", "s1: 1 | s2: 3 2", True),
        ("s1: 1 | s2: {2 3}", "s1: 1 | s2: 2 3", True),
        ("s1: 1 | s2: {2 3}", "s1: 1 | s2: 2 | s3: 3", False),
        ("s1: 1 | s2+s3: {2 3}", "s1: 1 | s2: 2 | s3: 3", True),
        ("s1: 1 | s2+s3: {2 3}", "s1: 1 | s3: L 3 2", True),
        ("s1: 1 | s2+s3: {2 3}", "s1: 1 | s2: 2 4 | s3: 3", False),
        ("s1: 1 | head:", "s1: 1 | head: L", True),
        ("s1: 1 | head:", "s1: 1 | head: L 2", False),
        ("s1: 1 | s2+s3: {}", "s1: 1 | s2: 2", False),
    ],
)
def test_when_a_goal_is_reached(goal: str, position: str, expected: bool) -> None:
    assert reached(goal, position) is expected


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("s1:1 2  3", "s1: 1 2 3"),
        ("s2: {8 6 7} | s1: 5 4", "s1: 5 4 | s2: {6 7 8}"),
        ("s3 + s2: {7 6}", "s2+s3: {6 7}"),
        ("head: | s1: 2", "head: | s1: 2"),
        ("s3+s2: {}", "s2+s3: {}"),
    ],
)
def test_notation_is_printed_in_one_way_and_read_again(written: str, printed: str) -> None:
    goal = parse_goal(written, TRACK)
    assert str(goal) == printed
    assert parse_goal(printed, TRACK) == goal


def test_sets_are_sorted_as_people_count() -> None:
    track = timesaver(2, wagons=11)
    assert str(parse_goal("UR: {11 9 10}", track)) == "UR: {9 10 11}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("s1 1 2", "not of the form"),
        ("", "not of the form"),
        ("s1+: {1}", "not of the form"),
        ("s1: {1} 2", "not of the form"),
        ("s1: 1: 2", "not of the form"),
        ("s2+s3: 1 2", "several segments have no one order"),
        ("s9: 1", "no segment 's9'"),
        ("T1: 1", "no segment 'T1'"),
        ("s1: 1 | s1: 2", "s1 is given twice"),
        ("s1+s1: {1}", "s1 is given twice"),
        ("s1: 9", "no vehicle '9'"),
        ("s1: 1 1", "vehicle 1 is given twice"),
        ("s1: 1 | s2: {1}", "vehicle 1 is given twice"),
        ("s2: 1 2 3 4", "4 vehicles in s2, which holds 3"),
        ("s2+s3: {1 2 3 4 5 6 7}", "7 vehicles in s2+s3, which holds 6"),
    ],
)
def test_bad_goals_say_what_and_where(text: str, what: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_goal(text, TRACK)
    assert what in caught.value.what
    assert caught.value.where.startswith("goal, part")
    assert caught.value.cure


def test_only_the_puzzles_own_vehicles_can_be_asked_for() -> None:
    with pytest.raises(NotationError, match="no vehicle '4'"):
        parse_goal("s1: 4", TRACK, ["L", "1", "2"])


def test_wagons_that_are_alike_for_a_goal() -> None:
    wagons = ("1", "2", "3", "4", "5", "6")
    assert parse_goal("s1: 3 1 | s2+s3: {5 2}", TRACK).kinds(wagons) == {
        "3": 0, "1": 1, "5": 2, "2": 2, "4": 3, "6": 3,
    }  # fmt: skip
    assert parse_goal("s1: {L} | s2: 1", TRACK).kinds(("1", "2")) == {"1": 0, "2": 1}


def test_a_draw_gives_the_same_kinds_place_by_place() -> None:
    goal = parse_goal("s1: 1 2 | s2: {3 4}", TRACK)
    drawn = goal.renamed({"1": "4", "2": "1", "3": "2", "4": "3"})
    assert str(drawn) == "s1: 4 1 | s2: {2 3}"
    assert drawn.kinds(("4", "1", "2", "3")) == {"4": 0, "1": 1, "2": 2, "3": 2}
