"""What is shown of a play, without a layout under way: a refusal's place, what is on points, what makes way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from boxes import AT_THE_START, ground
from metal import builtin
from plays import set_up

from pointsman.box import picture, shown
from pointsman.dispatch.control import Status
from pointsman.errors import HaltedError, RefusedError
from pointsman.links import On, Target
from pointsman.operate.power import STOPS_ITSELF, running_on
from pointsman.operate.referee import Score
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
        told = shown.halted(ground(), HaltedError(why), "head: L", {})
        assert (told["halted"]["making_way"], told["note"], told["refusal"]) == (making_way, note, None)


@pytest.mark.parametrize("stops_itself", [False, True])
def test_what_a_hand_must_do_is_said_at_once_and_not_where_no_hand_can(stops_itself: bool) -> None:
    """The link is closed seconds after everything was stopped."""
    cure = running_on(stops_itself=stops_itself)
    belief = set_up(SMALL, parse_position(AT_THE_START, SMALL))
    status = Status(1.0, belief, "by hand", 0, 0, Score(), halted="the link is lost", cure=cure)
    metal = replace(ground(), target=Target(On.TCP))
    assert shown.being_halted(metal, status)["halted"]["cure"] == cure
    assert shown.being_halted(ground(), status)["halted"]["cure"] == ""


def test_a_simulated_layout_keeps_what_else_is_to_be_done() -> None:
    error = HaltedError("the link is lost", cure=f"{STOPS_ITSELF}: it is not confirmed; then look at the layout")
    assert shown.halted(ground(), error, AT_THE_START, {})["halted"]["cure"] == "look at the layout"
    error.cure = running_on(stops_itself=False)
    assert shown.halted(ground(), error, AT_THE_START, {})["halted"]["cure"].startswith("nothing moves any more")
