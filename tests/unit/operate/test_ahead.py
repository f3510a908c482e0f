"""How far a locomotive may go by hand, and why no further."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from metal import builtin
from plays import ALLOW, set_up

from pointsman.operate.ahead import Ahead, Barrier, Protection, ahead
from pointsman.operate.belief import Belief, Spot
from pointsman.operate.hand_counting import coupled_as_set_up
from pointsman.puzzle.position import Position, parse_position
from pointsman.track.model import End, Leg, Place, Track
from pointsman.track.path import stretch_mm

SMALL = "inglenook-small"
LAYOUTS = ("inglenook-small", "inglenook", "timesaver", "tchoutchou")


def standing(text: str, name: str = SMALL, **lies: Leg) -> tuple[Track, Belief]:
    """The belief when everything is set up so; turnouts that are not given are unknown."""
    track = builtin(name)
    belief = coupled_as_set_up(set_up(track, parse_position(text, track)))
    return track, replace(belief, commanded=lies)


def moved_to(belief: Belief, vehicle: str, place: Place) -> Belief:
    return replace(belief, spots={**belief.spots, vehicle: Spot(place, 1.0)})


class TestWhatStopsIt:
    def test_the_end_of_the_line(self) -> None:
        track, belief = standing("head: L | s1: 1 2 3", T1=Leg.CLOSED, T2=Leg.CLOSED)
        limit = ahead(track, belief, "L", End.FROM, ALLOW).limit()
        assert (limit.barrier, limit.kind, limit.name) == (Barrier.END, "segment", "head")
        assert limit.why == "the track ends in head"

    def test_what_is_pushed_comes_to_the_end_first(self) -> None:
        track, belief = standing("head: L | s1: 1 2 3", T1=Leg.CLOSED, T2=Leg.CLOSED)
        found = ahead(track, belief, "L", End.TO, ALLOW)
        limit = found.limit()
        assert (limit.barrier, limit.name) == (Barrier.END, "s1")
        last = found.sweep.bodies[-1]
        assert last.vehicle == "3"
        assert last.high_mm(limit.c_mm) + last.half_buffers_mm == pytest.approx(found.sweep.path.end_mm - 3.0)

    def test_points_that_nobody_has_set(self) -> None:
        track, belief = standing("head: L")
        limit = ahead(track, belief, "L", End.TO, ALLOW).limit()
        assert (limit.barrier, limit.kind, limit.name) == (Barrier.UNKNOWN, "turnout", "T1")

    def test_points_that_move(self) -> None:
        track, belief = standing("head: L", T1=Leg.THROWN, T2=Leg.CLOSED)
        limit = ahead(track, belief, "L", End.TO, ALLOW, turning={"T2"}).limit()
        assert (limit.barrier, limit.name) == (Barrier.MOVING, "T2")
        assert limit.place.element == "T2"

    def test_points_that_lie_against_it(self) -> None:
        track, belief = standing("s1: L | s2: 1", T1=Leg.THROWN, T2=Leg.CLOSED)
        found = ahead(track, belief, "L", End.FROM, ALLOW)
        limit = found.limit()
        assert (limit.barrier, limit.name) == (Barrier.AGAINST, "T1")
        assert limit.why == "T1 lies for its thrown leg, against a train from closed"
        assert found.limit(Protection.OFF) == limit, "a rule of the metal holds whatever the setting"

    def test_a_wagon_foul_of_the_points(self) -> None:
        track, belief = standing("head: L | s1: 1", T1=Leg.THROWN, T2=Leg.CLOSED)
        belief = moved_to(belief, "1", Place("s1", None, 15.0))
        limit = ahead(track, belief, "L", End.TO, ALLOW).limit(Protection.OFF)
        assert (limit.barrier, limit.name, limit.why) == (Barrier.FOUL, "T1", "1 stands foul of T1")

    def test_a_wagon_that_may_be_foul_is_for_the_protection(self) -> None:
        track, belief = standing("head: L | s1: 1", T1=Leg.THROWN, T2=Leg.CLOSED)
        belief = moved_to(belief, "1", Place("s1", None, 41.5))
        found = ahead(track, belief, "L", End.TO, ALLOW)
        assert found.limit().barrier is Barrier.MAY_FOUL
        warned = found.passed_over(Protection.WARN)
        assert warned is not None
        assert warned.why == "1 stands foul of T1, or may"
        assert found.limit(Protection.WARN).barrier is not Barrier.MAY_FOUL
        assert found.passed_over(Protection.OFF) is None

    def test_more_than_a_segment_holds(self) -> None:
        track, belief = standing("head: L 1 2 | s2: 3", T1=Leg.THROWN, T2=Leg.CLOSED)
        roomy = replace(track, segments={**track.segments, "s2": replace(track.segments["s2"], length_mm=300.0)})
        found = ahead(roomy, belief, "L", End.TO, ALLOW)
        limit = found.limit()
        assert (limit.barrier, limit.kind, limit.name) == (Barrier.FULL, "segment", "s2")
        assert limit.why == "s2 holds 2: 1 2 3 would be too many"
        rear = found.sweep.body("1")
        outside = found.sweep.path.span_mm("s2")
        assert outside is not None
        assert rear.low_mm(limit.c_mm) - rear.half_buffers_mm < outside[0]

    def test_away_from_a_turnout_that_lies_wrong_is_always_free(self) -> None:
        track, belief = standing("s1: L | s2: 1", T1=Leg.THROWN, T2=Leg.CLOSED)
        belief = moved_to(belief, "L", Place("s1", None, 55.0))
        assert ahead(track, belief, "L", End.TO, ALLOW).limit().barrier is Barrier.END


class TestWhatProtectionLetsPass:
    """Under ``warn`` and ``off`` what the game forbids, and what only may be foul; the metal's rules under each."""

    LET_PASS = (Barrier.FULL, Barrier.MAY_FOUL)

    def both(self, barrier: Barrier) -> Ahead:
        """A barrier, and the end of the line behind it."""
        track, belief = standing("head: L", T1=Leg.CLOSED, T2=Leg.CLOSED)
        found = ahead(track, belief, "L", End.TO, ALLOW)
        end = found.limit()
        near = replace(end, barrier=barrier, why="what comes first", c_mm=end.c_mm - 100)
        return replace(found, limits=(near, end))

    @pytest.mark.parametrize("barrier", Barrier)
    def test_each_barrier(self, barrier: Barrier) -> None:
        found = self.both(barrier)
        near, end = found.limits
        passes = barrier in self.LET_PASS
        assert found.limit(Protection.FULL) is near
        assert found.limit(Protection.WARN) is found.limit(Protection.OFF) is (end if passes else near)
        assert found.passed_over(Protection.WARN) is (near if passes else None)
        assert found.passed_over(Protection.FULL) is None
        assert found.passed_over(Protection.OFF) is None, "it is not even told"
        assert found.let_pass(Protection.OFF) is found.let_pass(Protection.WARN) is (near if passes else None)
        assert found.let_pass(Protection.FULL) is None


class TestWhatComesAlong:
    def test_what_is_coupled_comes(self) -> None:
        track, belief = standing("head: L 1", T1=Leg.CLOSED, T2=Leg.CLOSED)
        found = ahead(track, belief, "L", End.FROM, ALLOW)
        assert [body.vehicle for body in found.sweep.bodies] == ["1", "L"]
        assert found.dragging is None

    def test_what_may_be_coupled_may_come(self) -> None:
        track, belief = standing("head: L 1 2", T1=Leg.CLOSED, T2=Leg.CLOSED)
        belief = belief.with_parted("L", "1")
        found = ahead(track, belief, "L", End.FROM, ALLOW)
        assert [body.vehicle for body in found.sweep.bodies] == ["L"]
        assert found.dragging is not None
        assert [body.vehicle for body in found.dragging.bodies] == ["2", "1", "L"]

    def test_what_stands_apart_stays(self) -> None:
        track, belief = standing("head: L | s1: 1", T1=Leg.CLOSED, T2=Leg.CLOSED)
        found = ahead(track, belief, "L", End.FROM, ALLOW)
        assert [body.vehicle for body in found.sweep.bodies] == ["L"]
        assert found.dragging is None


def somewhere(track: Track, dice: Random) -> Belief:
    """Everything set up somewhere, turnouts somehow, the locomotive anywhere in its segment where it has room."""
    engine = next(iter(track.locomotives))
    rows: dict[str, list[str]] = {name: [] for name in track.segments}
    for vehicle in dice.sample([engine, *track.wagons], k=1 + len(track.wagons)):
        rooms = [name for name in rows if len(rows[name]) < track.segments[name].capacity]
        rows[dice.choice(rooms)].append(vehicle)
    rows = {name: row if engine not in row else [engine] for name, row in rows.items()}
    belief = coupled_as_set_up(set_up(track, Position.of(track, rows)))
    lies = {name: dice.choice([Leg.CLOSED, Leg.THROWN, None]) for name in track.turnouts}
    here = belief.spots[engine].place.element
    half = track.locomotives[engine].length_mm / 2
    at = Place(here, None, dice.uniform(half, track.segments[here].length_mm - half))
    spots = {**belief.spots, engine: Spot(at, dice.uniform(0.0, 20.0))}
    return replace(belief, spots=spots, commanded={name: leg for name, leg in lies.items() if leg is not None})


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_passes_the_end_nor_points_that_are_not_its_own(layout: str) -> None:
    track, dice = builtin(layout), Random(layout)
    reasons = set()
    for _ in range(60):
        belief = somewhere(track, dice)
        engine = next(iter(track.locomotives))
        for towards in End:
            found = ahead(track, belief, engine, towards, ALLOW)
            limit, swept = found.limit(Protection.OFF), found.sweep
            reasons.add(limit.barrier)
            for body in swept.bodies:
                front = body.high_mm(limit.c_mm) + body.half_buffers_mm
                began = body.rest_high_mm + body.half_buffers_mm
                assert front <= max(began, swept.path.end_mm)
                for stretch, start in zip(swept.path.stretches, swept.path.starts_mm, strict=True):
                    beyond = body.rest_low_mm >= start + stretch_mm(track, stretch)  # or moving off it
                    if stretch.leg is None or beyond or belief.commanded.get(stretch.element) is stretch.leg:
                        continue
                    assert front <= max(began, start), (str(belief.position), towards, stretch, body)
    assert {Barrier.END, Barrier.UNKNOWN} <= reasons
