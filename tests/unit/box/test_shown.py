"""What is shown of a refusal: the place on the layout that it concerns."""

from __future__ import annotations

import pytest
from metal import builtin

from pointsman.box.shown import refusal
from pointsman.errors import RefusedError

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
    shown = refusal(SMALL, RefusedError([what], where=where), 1.0)
    assert (shown["kind"], shown["name"]) == place
