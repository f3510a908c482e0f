from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracks import inglenook, legs, small, timesaver, track_of

from pointsman.errors import UsageError
from pointsman.puzzle.moves import Run, follow, runs, train_of, why_impossible, why_not
from pointsman.puzzle.position import Position, parse_position
from pointsman.track.model import End, Leg, Track
from pointsman.track.path import Stretch


def at(text: str, track: Track) -> Position:
    return parse_position(text, track)


def reach(track: Track, start: Position) -> dict[Position, int]:
    """Plain breadth-first search over runs."""
    distance = {start: 0}
    waiting = deque([start])
    while waiting:
        position = waiting.popleft()
        for run in runs(track, position, "L"):
            if run.after not in distance:
                distance[run.after] = distance[position] + 1
                waiting.append(run.after)
    return distance


def ends(track: Track, text: str, towards: End, left: int = 0) -> list[str]:
    return [str(r.after) for r in runs(track, at(text, track), "L") if r.towards is towards and len(r.left) == left]


# ---------------------------------------------------------------- published counts


@pytest.mark.parametrize(
    ("bottom", "start", "positions", "farthest"),
    [
        (2, "R: L | UL: 1 | UR: 2", 1314, 18),
        (2, "R: L | UL: 1 | UR: 2 | LL: 3", 12300, 26),
        (1, "R: L | UL: 1", 143, 14),
        (1, "R: L | UL: 1 | UR: 2", 1258, 18),
        (1, "R: L | UL: 1 | UR: 2 | LL: 3", 11334, 26),
    ],
)
def test_timesaver_counts_of_the_shunting_model(bottom: int, start: str, positions: int, farthest: int) -> None:
    track = timesaver(bottom)
    distance = reach(track, at(start, track))
    assert (len(distance), max(distance.values())) == (positions, farthest)


@pytest.mark.parametrize(("siding", "fewest"), [("UL", 5), ("UR", 3)])
def test_which_way_t3_faces_shows_in_play(siding: str, fewest: int) -> None:
    track = timesaver(1)
    distance = reach(track, at(f"R: L | {siding}: 1", track))
    assert min(d for position, d in distance.items() if position.where("1") == ("LL", None)) == fewest


# ---------------------------------------------------------------- what a run does


def test_a_locomotive_stops_after_every_unit_on_every_leg() -> None:
    assert ends(small(), "head: L | s2: 1", End.TO) == [
        "head: | s1: | s2: 1 | s3: | T1>closed: L",
        "head: | s1: L | s2: 1 | s3:",
        "head: | s1: | s2: 1 | s3: | T1>thrown: L",
        "head: | s1: | s2: 1 | s3: | T2>closed: L",
        "head: | s1: | s2: L 1 | s3:",
        "head: | s1: | s2: 1 | s3: | T2>thrown: L",
        "head: | s1: | s2: 1 | s3: L",
    ]


def test_a_full_dead_end_stops_the_train() -> None:
    assert ends(small(), "head: L | s2: 1 2", End.TO)[-3:] == [
        "head: | s1: | s2: 1 2 | s3: | T2>closed: L",
        "head: | s1: | s2: 1 2 | s3: | T2>thrown: L",
        "head: | s1: | s2: 1 2 | s3: L",
    ]


def test_a_buffer_behind_stops_it_at_once_and_no_run_changes_nothing() -> None:
    assert ends(small(), "head: L 1 | s1: 2", End.FROM) == []


def test_it_draws_what_it_meets_over_the_turnout() -> None:
    assert ends(small(), "s1: 1 2 | T1>closed: L", End.FROM) == [
        "head: L | s1: 2 | s2: | s3: | T1>closed: 1",
        "head: L 1 | s1: | s2: | s3: | T1>closed: 2",
        "head: L 1 2 | s1: | s2: | s3:",
    ]
    assert ends(small(), "s1: 1 2 | T1>closed: L", End.FROM, left=1)[-1] == "head: L 1 | s1: 2 | s2: | s3:"
    assert ends(small(), "s1: 1 2 | T1>closed: L", End.FROM, left=2) == ["head: L | s1: 1 2 | s2: | s3:"]


def test_wagons_left_are_named_from_the_outside_in() -> None:
    track = small()
    left = {run.left for run in runs(track, at("s1: 1 2 3 | T1>closed: L", track), "L")}
    assert left == {(), ("3",), ("3", "2"), ("3", "2", "1")}


def test_legs_name_every_turnout_of_the_train_and_of_its_way() -> None:
    track = small()
    by_end = {
        str(run.after): legs(run.legs) for run in runs(track, at("s2: 1 | T2>closed: 2 | T1>thrown: L", track), "L")
    }
    assert by_end["head: L 2 1 | s1: | s2: | s3:"] == "T2>closed T1>thrown"
    out = {str(run.after): legs(run.legs) for run in runs(track, at("head: L", track), "L")}
    assert out["head: | s1: | s2: | s3: L"] == "T1>thrown T2>thrown"


def test_a_through_segment_is_filled_before_its_standing_wagons_are_pushed_out() -> None:
    line = track_of(
        "line",
        {"west": 3, "middle": 2, "east": 1, "spur": 1, "stub": 1},
        {"A": ("west.to", "middle.from", "spur.from"), "B": ("east.from", "middle.to", "stub.from")},
        3,
    )
    found = ends(line, "west: L 1 | middle: 2", End.TO)
    through = [text for text in found if "spur: 1" not in text and "spur: L" not in text]
    assert through[:4] == [
        "west: L | middle: 2 | east: | spur: | stub: | A>closed: 1",
        "west: | middle: 1 2 | east: | spur: | stub: | A>closed: L",
        "west: | middle: L 1 | east: | spur: | stub: | B>closed: 2",
        "west: | middle: L | east: 2 | spur: | stub: | B>closed: 1",
    ]


def test_a_train_never_meets_itself_on_a_loop() -> None:
    loop = track_of("loop", {"stem": 2, "loop": 2}, {"T": ("stem.to", "loop.from", "loop.to")}, 3)
    assert ends(loop, "loop: 1 2 | T>closed: L | stem: 3", End.TO) == []
    round_trip = ends(loop, "stem: L", End.TO)
    assert "stem: | loop: L" in round_trip
    assert "stem: L | loop:" in round_trip or "stem: | loop: | T>thrown: L" in round_trip


def test_a_run_ends_where_it_comes_round_to_where_it_was() -> None:
    oval = track_of(
        "oval",
        {"A": 3, "B": 3, "C": 2},
        {"T1": ("A.to", "B.from", "C.from"), "T2": ("A.from", "B.to", "C.to")},
        2,
    )
    found = list(runs(oval, at("A: L | C: 1 2", oval), "L"))
    by_b = [run for run in found if {leg for _, leg in run.legs} == {Leg.CLOSED} and run.towards is End.TO]
    # On T1, in B, on T2: with the fourth unit it would be in A again, where it was.
    assert [run.units for run in by_b] == [1, 2, 3]


def test_a_chain_on_a_loop_counts_every_vehicle_once() -> None:
    loop = track_of("loop", {"stem": 2, "loop": 2}, {"T": ("stem.to", "loop.from", "loop.to")}, 3)
    train = train_of(loop, at("loop: 1 2 | T>closed: L | stem: 3", loop), "L", End.FROM)
    assert sorted(train.vehicles) == ["1", "2", "3", "L"]


def test_a_chain_that_closes_on_itself_is_refused() -> None:
    ring = track_of("ring", {"ring": 2, "spur": 1}, {"T": ("ring.from", "ring.to", "spur.from")}, 3)
    with pytest.raises(UsageError, match="bites its own tail"):
        train_of(ring, at("ring: 1 2 | T>closed: L", ring), "L", End.TO)
    alone = train_of(ring, at("T>closed: L | spur: 3", ring), "L", End.TO)
    assert alone.vehicles == ("L",)


def test_a_train_from_its_rear_to_its_front() -> None:
    track = inglenook()
    train = train_of(track, at("head: 7 L 4 | T1>thrown: 3 | T2>closed: 2 | s2: 1 5", track), "L", End.FROM)
    assert train.vehicles == ("5", "1", "2", "3", "4", "L", "7")
    assert train.places[1:5] == (
        Stretch("s2", None, False),
        Stretch("T2", Leg.CLOSED, False),
        Stretch("T1", Leg.THROWN, False),
        Stretch("head", None, False),
    )
    back = train_of(track, at("head: 7 L 4 | T1>thrown: 3", track), "L", End.TO)
    assert back.vehicles == ("7", "L", "4", "3")


def test_an_unfull_segment_between_two_occupied_turnouts_parts_the_chain() -> None:
    track = timesaver(2)
    full = train_of(track, at("W: 1 2 | T14>closed: L | T12>closed: 3 | LL: 4", track), "L", End.TO)
    assert full.vehicles == ("L", "2", "1", "3")
    gap = train_of(track, at("W: 1 | T14>closed: L | T12>closed: 3", track), "L", End.TO)
    assert gap.vehicles == ("L", "1")


# ---------------------------------------------------------------- refusals


def test_follow_makes_a_legal_run_and_refuses_another() -> None:
    track = small()
    start = at("head: L | s1: 1 2", track)
    run = next(runs(track, start, "L"))
    assert follow(track, start, run) == run.after
    with pytest.raises(UsageError, match="not a legal run: it starts from"):
        follow(track, run.after, run)


def test_every_illegal_run_has_its_reason() -> None:
    track = small()
    start = at("s1: 1 2 | T1>closed: L", track)

    def why(towards: End, left: tuple[str, ...], units: int, over: tuple[tuple[str, Leg], ...] = ()) -> str:
        return why_not(track, start, Run("L", towards, left, units, over, start, start))

    assert why(End.FROM, ("1",), 1) == "the rear of the train is 2 1 L, it cannot leave 1"
    assert why(End.FROM, ("2", "1", "L"), 1).startswith("at most 2 vehicles can be left")
    assert why(End.FROM, (), 0) == "it goes nowhere"
    assert why(End.FROM, (), 9, (("T1", Leg.CLOSED),)) == "that way the track ends after 3 of 9 units"
    assert "not what that run gives: L from 1 over T1>closed" in why(End.FROM, (), 1, (("T1", Leg.CLOSED),))
    assert why(End.TO, (), 3, (("T1", Leg.CLOSED),)) == "that way the track ends after 1 of 3 units"
    for run in runs(track, start, "L"):
        assert why_not(track, start, run) == ""


def test_runs_are_written_for_a_person() -> None:
    track = small()
    texts = [str(run) for run in runs(track, at("s1: 1 2 | T1>closed: L", track), "L")]
    assert "L from 2 over T1>closed, leaving 2" in texts
    assert "L to 1 over T1>closed" in texts
    line = track_of("line", {"a": 2}, {}, 0)
    assert str(Run("L", End.TO, (), 1, (), at("a: L", line), at("a: L", line))) == "L to 1"


def test_what_is_beyond_this_module_is_refused() -> None:
    track = track_of("two", {"a": 2, "b": 2, "c": 2}, {"T": ("a.to", "b.from", "c.from")}, 0, ("L", "M"))
    with pytest.raises(UsageError, match="M on the track beside L"):
        list(runs(track, at("a: L | b: M", track), "L"))
    crossing = track_of("loyd", {"a": 2, "b": 2, "c": 2}, {"T": ("a.to", "b.from", "c.from")}, 0, holds=0)
    with pytest.raises(UsageError, match="turnout T holds 0"):
        list(runs(crossing, at("a: L", crossing), "L"))
    with pytest.raises(UsageError, match="locomotive L is not on the track"):
        list(runs(small(), at("s1: 1", small()), "L"))


def test_positions_that_cannot_come_up() -> None:
    track = inglenook()
    assert why_impossible(track, at("head: L | T1>closed: 1", track), "L") == ""
    assert "1 stands on T2" in why_impossible(track, at("head: L | T2>closed: 1", track), "L")
    assert "1 stands on T2" in why_impossible(track, at("T1>closed: L | T2>closed: 1", track), "L")
    assert why_impossible(track, at("head: 1", track), "L") == "locomotive L is not on the track"


# ---------------------------------------------------------------- properties


@st.composite
def walks(draw: st.DrawFn) -> tuple[Track, list[Run]]:
    track, start = draw(
        st.sampled_from(
            [
                (inglenook(), "head: L | s1: 1 2 3 4 5 | s2: 6 7 8"),
                (small(), "head: L | s1: 1 2 3 | s2: 4 5"),
                (timesaver(2), "R: L | UL: 1 2 | UR: 3 | LL: 4 5"),
                (timesaver(1), "R: L | UL: 1 2 3 | UR: 4 5"),
            ]
        )
    )
    position = at(start, track)
    made = []
    for choice in draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=25)):
        options = list(runs(track, position, "L"))
        made.append(options[choice % len(options)])
        position = made[-1].after
    return track, made


def in_line(train_vehicles: tuple[str, ...], after: Position, track: Track, towards: End) -> bool:
    """Whether the vehicles that moved stand in the same order, in one chain or its reverse."""
    chain = train_of(track, after, "L", towards).vehicles
    for order in (chain, chain[::-1]):
        kept = [vehicle for vehicle in order if vehicle in train_vehicles]
        if kept == list(train_vehicles):
            return True
    return False


@settings(max_examples=60, deadline=None)
@given(walks())
def test_a_run_never_loses_doubles_or_reorders_a_vehicle(walk: tuple[Track, list[Run]]) -> None:
    track, made = walk
    for run in made:
        assert sorted(run.after.vehicles) == sorted(run.before.vehicles)
        assert why_not(track, run.before, run) == ""
        assert why_impossible(track, run.after, "L") == ""
        assert parse_position(str(run.after), track) == run.after  # so every capacity holds
        moved = train_of(track, run.before, "L", run.towards).vehicles[len(run.left) :]
        assert in_line(moved, run.after, track, End.TO)
        assert run.after != run.before


@settings(max_examples=25, deadline=None)
@given(walks())
def test_every_run_can_be_undone_by_runs(walk: tuple[Track, list[Run]]) -> None:
    track, made = walk
    run = made[-1]
    seen = {run.after}
    layer = [run.after]
    for _ in range(4):
        layer = [r.after for position in layer for r in runs(track, position, "L") if r.after not in seen]
        seen.update(layer)
        if run.before in seen:
            return
    pytest.fail(f"{run} cannot be undone: {run.before} -> {run.after}")
