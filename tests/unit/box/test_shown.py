"""What is shown of a play, without a layout under way: a refusal's place, what is on points, what makes way."""

from __future__ import annotations

import pytest
from metal import builtin

from pointsman.box import picture, shown
from pointsman.errors import HaltedError, RefusedError
from pointsman.puzzle.position import parse_position
from pointsman.track.model import End

SMALL = builtin("inglenook-small")


@pytest.mark.parametrize(
    ("where", "what", "place"),
    [
        ("magnet s1", "the nearest coupling is 40 mm from magnet s1", ("magnet", "s1")),
        ("segment s1", "s1 holds 3: L 1 2 3 would be too many", ("segment", "s1")),
        ("turnout T1", "1 stands on T1, or may", ("turnout", "T1")),
        ("L", "you do not hold the throttle", ("locomotive", "L")),
        ("", "T2 is still moving", ("turnout", "T2")),
        ("head: L | s1: 1", "1 stands on T1: say on which track it stands", ("segment", "head")),
        ("turnout T9", "there is no such thing", ("", "")),
        ("the demo", "after each play somebody would have to set it up", ("", "")),
    ],
)
def test_a_refusal_is_shown_at_what_it_concerns(where: str, what: str, place: tuple[str, str]) -> None:
    told = shown.refusal(SMALL, RefusedError([what], where=where), 1.0)
    assert (told["kind"], told["name"]) == place


def test_what_is_on_points_stands_nowhere_until_a_person_says_where() -> None:
    position = parse_position("head: | s1: 1 3 | s2: 4 5 | s3: 2 | T1>closed: L", SMALL, ["L", *"12345"])
    standing = shown.standing(SMALL, position, End.TO)
    assert standing["L"]["element"] is None
    assert standing["3"]["element"] == "s1"
    assert picture.position_of(SMALL, standing) == ""


def test_a_play_that_makes_way_says_what_is_being_done() -> None:
    for why, making_way, note in ((shown.MAKES_WAY, True, "drawing and solving ..."), ("the power was cut", False, "")):
        told = shown.halted(SMALL, HaltedError(why), "head: L", {})
        assert (told["halted"]["making_way"], told["note"], told["refusal"]) == (making_way, note, None)
