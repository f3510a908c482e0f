from __future__ import annotations

from dataclasses import replace
from itertools import permutations

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
        ("s1: ? ? 3", "s1: 1 2 3", True),
        ("s1: ? ? 3", "s1: 1 L 2 3", True),
        ("s1: ? ? 3", "s1: 1 3", False),
        ("s1: ? 3 ..", "s1: 1 3", True),
        ("s1: ? 3 ..", "s1: 1 3 4 5", True),
        ("s1: ? 3 ..", "s1: 3 1 4 5", False),
        ("s1: .. 3 ..", "s1: 1 2 3", True),
        ("s1: .. 3 ..", "s1: 3", True),
        ("s1: .. 3 ..", "s1: 1 2 | s2: 3", False),
        ("s1: .. 3 .. 1 ..", "s1: 4 3 2 1", True),
        ("s1: .. 3 .. 1 ..", "s1: 1 3", False),
        ("s1: .. 1 2", "s1: 3 1 2", True),
        ("s1: .. 1 2", "s1: 1 2 3", False),
        ("s1: {3 4 ..}", "s1: 4 1 3", True),
        ("s1: {3 4 ..}", "s1: 4 1", False),
        ("s2+s3: {3 4 ..}", "s2: 4 1 | s3: 2 3", True),
        ("s1: {1 2} 3", "s1: 2 1 3", True),
        ("s1: {1 2} 3", "s1: 2 3 1", False),
        ("s1: {1 ?} 3", "s1: 2 1 3", True),
        ("s1: ..", "s1: 2 1 3", True),
        ("L+: 1 2", "head: L 1 2", True),
        ("L+: 1 2", "s1: 2 1 L", True),
        ("L+: 1 2", "head: L 2 1", False),
        ("L+: 1 2", "head: 1 L 2", False),
        ("L+: 1 2", "head: L 1 | T1>closed: 2", False),
        ("L+: 1 2", "s1: 1 2", False),
        ("L+: 1 ..", "head: L 1 2 3", True),
        ("L+:", "head: L", True),
    ],
)
def test_when_a_goal_is_reached(goal: str, position: str, expected: bool) -> None:
    assert reached(goal, position) is expected


def test_the_locomotives_whose_trains_are_asked_for() -> None:
    assert parse_goal("s1: 3 | L+: 1 2", TRACK).trains == ("L",)
    assert parse_goal("s1: L 1 2", TRACK).trains == ()


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("s1:1 2  3", "s1: 1 2 3"),
        ("s2: {8 6 7} | s1: 5 4", "s1: 5 4 | s2: {6 7 8}"),
        ("s3 + s2: {7 6}", "s2+s3: {6 7}"),
        ("head: | s1: 2", "head: | s1: 2"),
        ("s3+s2: {}", "s2+s3: {}"),
        ("s1:..3 ..", "s1: .. 3 .."),
        ("s1: { .. 4 3}", "s1: {3 4 ..}"),
        ("L+:1 2 | s3: 4", "s3: 4 | L+: 1 2"),
        ("s1: {? @open 2} 1 !tank/open", "s1: {2 @open ?} 1 !tank/open"),
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
        ("s1+: {1}", "no locomotive 's1'"),
        ("s1+s2+: {1}", "not of the form"),
        ("L+: L 1", "L is in its own train"),
        ("L+: 1 | L+: 2", "L+ is given twice"),
        ("L+: 1 2 3 4 5", "5 vehicles in any segment beside its locomotive, which holds 4"),
        ("s1: {1 2", "not of the form"),
        ("s1: {1 {2}}", "not of the form"),
        ("s1: 1 }", "not of the form"),
        ("s1: {1 ..} 2", "not of the form"),
        ("s1: 1 ; 2", "not of the form"),
        ("s1: {1 !open/tank}", "not of the form"),
        ("s1: !open/tank 1", "comes last"),
        ("s1: 1 !open", "names no two kinds"),
        ("s1: 1 !open/sheep", "no vehicle of kind 'sheep'"),
        ("s1: @sheep", "no vehicle of kind 'sheep'"),
        ("s1: @tank @tank", "2 vehicles of @tank, and there are 1"),
        ("s2: ? ? .. 1 2", "4 vehicles in s2, which holds 3"),
        ("s2+s3: ..", "several segments have no one order"),
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


KINDS = {
    "1": "tender",
    "2": "coach",
    "3": "cattle",
    "4": "goods",
    "5": "caboose",
    "6": "coach",
    "7": "cattle",
    "8": "goods",
}
FREIGHT = replace(TRACK, wagons={name: replace(wagon, kind=KINDS[name]) for name, wagon in TRACK.wagons.items()})
TRAIN = "s1: @tender {@coach @cattle @goods} @caboose"


@pytest.mark.parametrize(("rule", "ways"), [("", 6), (" !cattle/coach", 2)])
def test_a_train_by_kinds_and_who_may_not_stand_together(rule: str, ways: int) -> None:
    """The card game: three wagons in any order, 6 ways; cattle not next to passengers, 2 ways."""
    goal = parse_goal(TRAIN + rule, FREIGHT)
    good = [
        order
        for order in permutations("234")
        if goal.reached(parse_position(f"s1: 1 {' '.join(order)} 5", FREIGHT), LOCOMOTIVES)
    ]
    assert len(good) == ways
    assert goal.reached(parse_position("s1: 1 6 8 7 5", FREIGHT), LOCOMOTIVES)
    assert not goal.reached(parse_position("s1: 1 6 8 2 5", FREIGHT), LOCOMOTIVES)
    assert not goal.reached(parse_position("s1: 6 1 8 7 5", FREIGHT), LOCOMOTIVES)


def test_the_brake_van_last() -> None:
    goal = parse_goal("s1: .. @caboose", FREIGHT)
    assert goal.reached(parse_position("s1: 1 4 5 L", FREIGHT), LOCOMOTIVES)
    assert not goal.reached(parse_position("s1: 1 5 4", FREIGHT), LOCOMOTIVES)


def test_wagons_alike_by_kind_whatever_order_they_are_read_in() -> None:
    goal = parse_goal("s1: 2 @coach .. !cattle/goods", FREIGHT)
    forwards, backwards = goal.kinds(tuple(KINDS)), goal.kinds(tuple(reversed(KINDS)))
    assert forwards == backwards
    assert forwards["3"] == forwards["7"] != forwards["4"] == forwards["8"] != forwards["6"] != forwards["2"]
    assert forwards["1"] == forwards["5"] == max(forwards.values())


def test_a_block_of_names_and_a_kind_do_not_mix() -> None:
    """6 and 7 stand for one another in the block, but only 6 is a coach."""
    goal = parse_goal("s1: {6 7} @coach", FREIGHT)
    assert goal.reached(parse_position("s1: 7 6 2", FREIGHT), LOCOMOTIVES)
    assert not goal.reached(parse_position("s1: 6 2 7", FREIGHT), LOCOMOTIVES)
    assert goal.kinds(tuple(KINDS))["6"] != goal.kinds(tuple(KINDS))["7"]
