"""Where a locomotive is measured: the longest way between two beams with room at both ends."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest
from metal import builtin

from pointsman.errors import RefusedError, UsageError
from pointsman.operate.course import ALLOW, untested
from pointsman.operate.section import choose_section, sections, stand_after_mm
from pointsman.track.model import Leg


@pytest.mark.parametrize(
    ("layout", "ceiling", "beams", "distance"),
    [
        ("inglenook", inf, ("head", "s2"), 467.0),
        ("inglenook-small", 60.0, ("head", "s2"), 467.0),
        # At full speed there is no room behind the longest way.
        ("inglenook-small", 100.0, ("head", "s1"), 282.0),
        ("timesaver", 100.0, ("UR", "UL"), 374.0),
    ],
)
def test_the_longest_with_room_is_chosen(layout: str, ceiling: float, beams: tuple[str, str], distance: float) -> None:
    track = builtin(layout)
    (engine,) = track.locomotives.values()
    found = choose_section(track, untested(engine), min(ceiling, track.speeds.limit), ALLOW)
    assert {found.near, found.far} == set(beams)
    assert found.distance_mm == distance


def test_its_legs_are_those_of_the_line() -> None:
    track = builtin("inglenook")
    found = choose_section(track, track.locomotives["L"], 100.0, ALLOW, ("s3", "head"))
    assert found.legs == {"T1": Leg.THROWN, "T2": Leg.THROWN}
    assert found.elements == ("head", "T1", "T2", "s3")


@pytest.mark.parametrize("layout", ["inglenook", "inglenook-small", "timesaver", "tchoutchou"])
def test_there_is_room_for_what_is_promised(layout: str) -> None:
    track = builtin(layout)
    (engine,) = track.locomotives.values()
    for found in sections(track, engine, 100.0, ALLOW):
        needed = stand_after_mm(found.top_mm_s, found.distance_mm, engine, ALLOW) + engine.body_mm / 2
        if found.top_mm_s:
            assert found.low_mm <= found.near_mm - needed
            assert found.far_mm + needed <= found.high_mm


def test_beams_and_ways_that_there_are_not() -> None:
    track = builtin("inglenook")
    engine = track.locomotives["L"]
    with pytest.raises(UsageError, match="there is no beam 'S1'"):
        choose_section(track, engine, 100.0, ALLOW, ("head", "S1"))
    with pytest.raises(RefusedError, match="leads past both s1 and s2"):
        choose_section(track, engine, 100.0, ALLOW, ("s1", "s2"))
    short = {name: replace(one, length_mm=150.0) for name, one in track.segments.items()}
    cramped = replace(track, segments={**short, "head": track.segments["head"]})
    with pytest.raises(RefusedError, match="with room for L to gather speed and to stop beyond both"):
        choose_section(cramped, engine, 100.0, ALLOW)
    with pytest.raises(RefusedError, match="between head and s2 there is not room"):
        choose_section(cramped, engine, 100.0, ALLOW, ("head", "s2"))
