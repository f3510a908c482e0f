"""The clock of an attempt, line by line; and which wagons stand in their places."""

from __future__ import annotations

import pytest
from metal import builtin

from pointsman.compete.clocking import Clock
from pointsman.compete.placing import placed
from pointsman.puzzle.goal import parse_goal
from pointsman.puzzle.position import parse_position
from pointsman.record import Line

DRIVE = ("command", {"type": "Drive", "step": 30})
PROVES = ("step", {"proves": True})
STANDS = ("stand", {})
HELD = ("pressed", {"what": "clock", "stands": True})
GOES_ON = ("pressed", {"what": "clock", "stands": False})
FAULT = ("pressed", {"what": "fault", "stands": True})
HALT = ("halt", {})
EVENT = ("event", {"type": "LinkUp"})


def after(*lines: tuple[float, tuple[str, dict[str, object]]], clock: Clock | None = None) -> Clock:
    clock = clock or Clock()
    for t_s, (kind, values) in lines:
        clock = clock.at(Line(t_s, kind, values))
    return clock


@pytest.mark.parametrize(
    ("lines", "ms"),
    [
        ([(5.0, EVENT), (9.0, EVENT)], 0),
        ([(5.0, ("command", {"type": "SetTurnout", "step": 1})), (9.0, EVENT)], 0),
        ([(5.0, ("command", {"type": "Drive", "step": 0})), (9.0, EVENT)], 0),
        ([(5.0, DRIVE), (6.2345, EVENT)], 1234),
        ([(5.0, DRIVE), (6.0, EVENT), (5.5, EVENT)], 1000),
        ([(1.0, PROVES), (2.0, DRIVE), (3.0, STANDS), (5.0, DRIVE), (6.0, DRIVE), (8.0, EVENT)], 3000),
        ([(5.0, DRIVE), (7.0, HELD), (8.0, HELD), (9.0, GOES_ON), (9.5, GOES_ON), (10.0, EVENT)], 3000),
        ([(5.0, DRIVE), (7.0, HELD), (8.0, EVENT)], 2000),
        ([(4.0, HELD), (5.0, DRIVE), (7.0, GOES_ON), (8.0, EVENT)], 1000),
        ([(4.0, HELD), (4.5, GOES_ON), (5.0, DRIVE), (8.0, EVENT)], 3000),
        ([(5.0, DRIVE), (6.0, FAULT), (8.0, EVENT)], 3000),
        ([(5.0, DRIVE), (6.0, HALT), (7.0, GOES_ON), (8.0, DRIVE), (9.0, EVENT)], 1000),
        ([(5.0, DRIVE), (5.5, HELD), (6.0, HALT), (7.0, GOES_ON), (9.0, EVENT)], 500),
    ],
)
def test_what_the_clock_shows(lines: list[tuple[float, tuple[str, dict[str, object]]]], ms: int) -> None:
    assert after(*lines).shows_ms == ms


def test_it_stands_from_the_end_of_a_journal_to_the_first_movement_in_the_next() -> None:
    first = after((5.0, DRIVE), (7.0, HELD)).cut_off()
    assert not first.cut, "it stood, so nothing is missing"
    cut = after((5.0, DRIVE), (7.0, EVENT)).cut_off()
    assert cut.cut
    then = after((100.0, PROVES), (101.0, DRIVE), (102.0, STANDS), (110.0, DRIVE), (111.0, HALT), clock=cut.going_on())
    assert (then.shows_ms, then.cut_off().cut) == (3000, True)
    held_before = after((110.0, DRIVE), (111.0, EVENT), clock=first.going_on())
    assert held_before.shows_ms == 3000, "a clock that was held runs again with the next journal"


@pytest.mark.parametrize(
    ("goal", "position", "number"),
    [
        ("s1: 3 1 2", "head: L | s1: 3 1 2 | s2: 4 5 | s3:", 3),
        ("s1: 3 1 2", "head: L | s1: 3 2 1 | s2: 4 5 | s3:", 1),
        ("s1: 3 1 2", "head: L 3 | s1: 1 2 | s2: 4 5 | s3:", 0),
        ("s1: 3 1 2 | s2: {4 5}", "head: L | s1: 3 1 | s2: 5 4 | s3: 2", 4),
        ("s1: 3 {1 2}", "head: L | s1: 3 2 1 | s2: 4 5 | s3:", 3),
        ("s1: ? 3 | s3:", "head: L | s1: 1 3 | s2: 4 5 | s3: 2", 1),
        ("s2+s3: {4 5 1}", "head: L | s1: 1 2 3 | s2: 5 | s3: 4", 2),
        ("s1: .. 3 ..", "head: L | s1: 1 2 3 | s2: 4 5 | s3:", None),
        ("s2: {4 ..}", "head: L | s1: 1 2 3 | s2: 4 5 | s3:", None),
        ("L+: 1 2", "head: L 1 2 | s1: 3 | s2: 4 5 | s3:", 2),
        ("L+: 1 2", "head: L | s1: 1 2 3 | s2: 4 5 | s3:", 0),
    ],
)
def test_how_many_wagons_stand_in_their_places(goal: str, position: str, number: int | None) -> None:
    track = builtin("inglenook-small")
    assert placed(parse_goal(goal, track), parse_position(position, track), track.locomotives) == number
