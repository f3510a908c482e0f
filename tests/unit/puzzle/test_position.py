from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracks import inglenook, timesaver

from pointsman.errors import NotationError
from pointsman.puzzle.position import Position, parse_position
from pointsman.track.model import Leg, Track

TRACK = inglenook()


def test_prints_in_the_tracks_order_whatever_order_was_written() -> None:
    position = parse_position("T1>thrown: 4 | s2: 1 5 3|head:L   |s1:6 2 7 8", TRACK)
    assert str(position) == "head: L | s1: 6 2 7 8 | s2: 1 5 3 | s3: | T1>thrown: 4"


def test_where_things_are() -> None:
    position = parse_position("head: L 2 | T2>closed: 4", TRACK)
    assert position.in_segment("head") == ("L", "2")
    assert position.in_segment("s3") == ()
    assert position.on_turnout("T2") == ("4", Leg.CLOSED)
    assert position.on_turnout("T1") is None
    assert position.where("2") == ("head", None)
    assert position.where("4") == ("T2", Leg.CLOSED)
    assert position.vehicles == ("L", "2", "4")
    with pytest.raises(KeyError):
        position.in_segment("T2")
    with pytest.raises(KeyError):
        position.where("7")


def test_renaming() -> None:
    position = parse_position("head: L 2 | T2>closed: 4", TRACK).renamed({"2": "4", "4": "2"})
    assert str(position) == "head: L 4 | s1: | s2: | s3: | T2>closed: 2"


@st.composite
def positions(draw: st.DrawFn, track: Track) -> Position:
    """Any placing of some vehicles that the capacities allow (reachable or not)."""
    vehicles = draw(st.permutations(["L", *track.wagons]))
    at = 0
    segments = {}
    turnouts = {}
    for name in track.turnouts:
        if at < len(vehicles) and draw(st.booleans()):
            turnouts[name] = vehicles[at], draw(st.sampled_from(Leg))
            at += 1
    for name, segment in track.segments.items():
        count = draw(st.integers(0, min(segment.capacity, len(vehicles) - at)))
        segments[name] = vehicles[at : at + count]
        at += count
    return Position.of(track, segments, turnouts)


@settings(deadline=None)
@given(st.data(), st.sampled_from([inglenook(), timesaver()]))
def test_notation_round_trip_in_any_order(data: st.DataObject, track: Track) -> None:
    position = data.draw(positions(track))
    parts = data.draw(st.permutations(str(position).split("|")))
    again = parse_position("|".join(parts), track, position.vehicles)
    assert again == position
    assert hash(again) == hash(position)
    assert str(again) == str(position)


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("head L", "not of the form", "part 1 ('head L')"),
        ("", "not of the form", "part 1"),
        ("head: L |", "not of the form", "part 2"),
        (": L", "not of the form", "part 1"),
        ("head: L: 1", "not of the form", "part 1"),
        ("head: L | s4: 1", "no segment 's4'", "part 2 ('s4: 1')"),
        ("head: L | T1: 1", "no segment 'T1'", "part 2"),
        ("head: L | head: 1", "head is given twice", "part 2"),
        ("head: L 9", "no vehicle '9'", "part 1"),
        ("head: L 1 | s1: 1", "vehicle 1 is in head already", "part 2"),
        ("head: L L", "vehicle L is in head already", "part 1"),
        ("s2: 1 2 3 4", "4 vehicles in s2, which holds 3", "part 1"),
        ("T9>closed: 1", "no turnout 'T9'", "part 1"),
        ("T1>left: 1", "'left' is no leg", "part 1"),
        ("T1>closed: 1 | T1>thrown: 2", "T1 is given twice", "part 2"),
        ("T1>closed: 1 2", "2 vehicles on T1, which holds 1", "part 1"),
        ("T1>closed:", "0 vehicles on T1", "part 1"),
    ],
)
def test_bad_notation_says_what_and_where(text: str, what: str, where: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_position(text, TRACK)
    assert what in caught.value.what
    assert where in caught.value.where
    assert caught.value.cure


def test_the_puzzles_vehicles_must_all_be_there_and_no_others() -> None:
    with pytest.raises(NotationError, match="missing: 2 3"):
        parse_position("head: L 1", TRACK, ["L", "1", "2", "3"])
    with pytest.raises(NotationError, match="not of this puzzle: 4"):
        parse_position("head: L 1 4", TRACK, ["L", "1"])


def test_a_turnout_written_without_its_leg_is_explained() -> None:
    with pytest.raises(NotationError) as caught:
        parse_position("T1: 1", TRACK)
    assert "T1>closed or T1>thrown" in caught.value.cure


def test_a_track_without_turnouts_is_explained() -> None:
    with pytest.raises(NotationError) as caught:
        parse_position("T1>closed: 1", inglenook_without_turnouts())
    assert "none" in caught.value.cure


def inglenook_without_turnouts() -> Track:
    from tracks import track_of

    return track_of("line", {"line": 3}, {}, 2)
