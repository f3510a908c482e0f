"""The tracker on its own: what is evidence, what is doubt, and stops that end where they were planned.

The real train here is one ``Pace`` with everything inside what is allowed for: where it stands, how fast it really is,
how it gathers speed and brakes, how long commands and reports take.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import inf
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metal import builtin
from plays import ALLOW, draw, planner_of, set_up

from pointsman.messages import SensorChanged
from pointsman.operate.motion import Pace, Ratio
from pointsman.operate.plan import Rehearsed
from pointsman.operate.steps import DriveStep
from pointsman.operate.sweep import Edge
from pointsman.operate.tracker import Drive, Phase, advise, after, begin, fold, ordered

LAYOUT = "inglenook-small"
TRACK = builtin(LAYOUT)
ENGINE = TRACK.locomotives["L"]


@cache
def drives() -> list[tuple[Rehearsed, DriveStep]]:
    found = []
    for number in (2, 4, 5, 9):
        start, plan = draw(LAYOUT, number)
        for r in planner_of(LAYOUT).rehearse(set_up(TRACK, start), plan):
            if isinstance(r.step, DriveStep):
                found += [(r, r.step)]
    return found


class Real:
    """The real train on a sweep, and how long everything takes on its way, from a seed."""

    def __init__(self, step: DriveStep, seed: int) -> None:
        self.dice = Random(seed)
        self.step = step
        swept = step.sweep
        self.start = self._somewhere(swept.start_low_mm + 0.01, swept.start_high_mm)
        # Nothing stands where something else does: what is touched already stands a little further on.
        self.rests = {
            b.vehicle: max(self._somewhere(b.rest_low_mm, b.rest_high_mm), self.start + b.offset_mm)
            for b in swept.bodies
        }
        self.rests[swept.locomotive] = self.start
        rate = ALLOW.rate_error
        self.ratios: dict[int, float] = {}
        self.pace = Pace(
            0.0,
            self.start,
            0.0,
            0.0,
            (),
            ENGINE.acceleration_mm_s2 * self._somewhere(1 - rate, 1 + rate),
            ENGINE.braking_mm_s2 * self._somewhere(1 - rate, 1 + rate),
        )
        self.rail_s = self.report_s = 0.0

    def _somewhere(self, low: float, high: float) -> float:
        return self.dice.choice([low, high, self.dice.uniform(low, high), self.dice.uniform(low, high)])

    def hears(self, speed_step: int, t_s: float) -> None:
        error = ENGINE.speed_error
        ratio = self.ratios.setdefault(speed_step, self._somewhere(1 - error, 1 + error))
        took_s = self._somewhere(ALLOW.rail_min_s, ALLOW.rail_max_s + ALLOW.host_max_s)
        self.rail_s = max(self.rail_s, t_s + took_s)
        order = (self.rail_s, ENGINE.speeds.speed_mm_s(speed_step) * ratio)
        pending = tuple(o for o in self.pace.pending if o[0] < self.rail_s)
        self.pace = replace(self.pace, pending=(*pending, order))

    def beams(self, c_mm: float) -> dict[str, bool]:
        found = {}
        for beam in TRACK.beams.values():
            at = self.step.sweep.path.coordinate(beam.place)
            found[beam.name] = at is not None and any(
                -b.half_body_mm < max(self.rests[b.vehicle], c_mm + b.offset_mm) - at <= b.half_body_mm - 1e-9
                for b in self.step.sweep.bodies
            )
        return found

    def edges(self) -> list[tuple[float, str, bool]]:
        """Every edge that comes, in order of place: where the locomotive is then, the beam, and what it becomes."""
        places = set()
        for beam in TRACK.beams.values():
            at = self.step.sweep.path.coordinate(beam.place)
            for b in self.step.sweep.bodies if at is not None else ():
                for half in (-b.half_body_mm, b.half_body_mm):
                    if at + half > self.rests[b.vehicle]:
                        places.add((at + half - b.offset_mm, beam.name))
        found = []
        for c, name in sorted(places):
            before, now = self.beams(c - 1e-6)[name], self.beams(c + 1e-6)[name]
            if c > self.start and before is not now:
                found.append((c, name, now))
        return found


def carried_out(real: Real) -> Drive:
    """The drive of a real train from its start to its stand, as the dispatcher would make it."""
    step = real.step
    drive = begin(step, ENGINE, real.beams(real.start), {}, 0.0, ALLOW)
    edges, reports, now = real.edges(), [], 0.0
    for _ in range(5000):
        assert not drive.doubt, drive.doubt
        drive, advice = advise(drive, now)
        assert not drive.doubt, drive.doubt
        real_mm = real.pace.at(now).x_mm
        assert drive.envelope.slow.x_mm - 1e-6 <= real_mm <= drive.envelope.fast.x_mm + 1e-6
        if drive.phase is Phase.STANDING:
            assert real.pace.at(now).v_mm_s == pytest.approx(0.0, abs=1e-6)
            return drive
        if advice.order is not None:
            real.hears(advice.order, now)
            drive = ordered(drive, advice.order, now)
            continue
        until = advice.again_s
        # What happens on the track before then?
        passes_s = real.pace.when(edges[0][0]) if edges else inf
        if passes_s <= until and (not reports or passes_s < reports[0][0]):
            _, beam, active = edges.pop(0)
            took_s = real.dice.uniform(ALLOW.sensor_min_s, ALLOW.sensor_max_s) + real.dice.uniform(0, ALLOW.host_max_s)
            real.report_s = max(real.report_s, passes_s + took_s)
            reports.append((real.report_s, beam, active))
            now = max(now, passes_s)
        elif reports and reports[0][0] <= until:
            now, beam, active = reports.pop(0)
            drive = fold(drive, SensorChanged(now, beam, active))
        else:
            now = until
    raise AssertionError("it never comes to a stand")


@settings(max_examples=120, deadline=None)
@given(st.data(), st.integers(0, 2**32))
def test_every_stop_ends_inside_its_window_whatever_the_real_train_is(data: st.DataObject, seed: int) -> None:
    r, step = data.draw(st.sampled_from(drives()))
    real = Real(step, seed)
    drive = carried_out(real)
    stands = real.pace.at(1e6).x_mm
    if not step.proves:
        assert step.stop.low_mm - 0.1 <= stands <= step.stop.high_mm + 0.1
    assert stands <= step.stop.limit_mm
    belief = after(r.before, drive)
    spot = belief.spots["L"]
    at = step.sweep.path.coordinate(spot.place)
    assert at is not None
    assert abs(at - stands) <= spot.error_mm + 1e-6
    assert belief.proved is (step.proves or r.before.proved)


# ------------------------------------------------------------ single pieces of evidence


def main_drive() -> tuple[Rehearsed, DriveStep]:
    """L over T1 closed to couple up in s1."""
    return next(d for d in drives() if not d[1].proves)


def rolling(step: DriveStep, r: Rehearsed) -> Drive:
    drive = begin(step, ENGINE, r.before.beams, {}, 0.0, ALLOW)
    drive, advice = advise(drive, 0.0)
    assert advice.order is not None
    return ordered(drive, advice.order, 0.0)


def test_it_starts_at_the_speed_of_its_first_zone() -> None:
    r, step = main_drive()
    drive = rolling(step, r)
    assert ENGINE.speeds.speed_mm_s(drive.ordered_step) <= step.zones[0].speed_mm_s
    assert drive.ordered_step == ENGINE.speeds.step_for(step.zones[0].speed_mm_s)
    assert drive.phase is Phase.ROLLING


def test_a_beam_that_nothing_can_change_here() -> None:
    r, step = main_drive()
    drive = fold(rolling(step, r), SensorChanged(0.5, "s3", True))
    assert drive.doubt == "beam s3 became broken, and nothing that moves should do that here"


def test_the_right_beam_the_wrong_way_round() -> None:
    r, step = main_drive()
    first = step.sweep.edges[0]
    drive = rolling(step, r)
    expected = drive.expected[0]
    drive = fold(drive, SensorChanged(0.5, expected.beam, not expected.active))
    now = "free" if expected.active else "broken"
    assert drive.doubt == f"beam {expected.beam} became {now}, and nothing that moves should do that here"
    assert first in step.sweep.edges


def test_an_edge_that_comes_before_even_the_fastest_train_is_there() -> None:
    r, step = main_drive()
    drive = rolling(step, r)
    edge = drive.expected[0]
    t = drive.envelope.fast.when(edge.c_mm - ALLOW.match_mm) - 0.1
    assert "mm before" in fold(drive, SensorChanged(t, edge.beam, edge.active)).doubt
    t = drive.envelope.fast.when(edge.c_mm) + 0.02
    seen = fold(drive, SensorChanged(t, edge.beam, edge.active))
    assert seen.doubt == ""
    assert seen.seen == ((edge, t),)
    assert edge not in seen.expected
    assert seen.envelope.fast.x_mm - seen.envelope.slow.x_mm < 4.0


def test_an_edge_that_does_not_come() -> None:
    r, step = main_drive()
    drive = rolling(step, r)
    edge = drive.expected[0]
    late = drive.envelope.slow.when(edge.c_mm + ALLOW.match_mm)
    fine, advice = advise(drive, late - 0.05)
    assert fine.doubt == ""
    assert advice.again_s >= late - 0.05
    doubted, advice = advise(drive, late + 0.01)
    what = "broken by" if edge.active else "freed by"
    assert doubted.doubt == f"beam {edge.beam} should have been {what} {edge.vehicle} by now, and was not"
    assert advice.order == 0


def test_it_looks_again_before_an_edge_is_overdue_and_before_its_deadline() -> None:
    r, step = main_drive()
    drive = rolling(step, r)
    now = 0.0
    for _ in range(2000):
        drive, advice = advise(drive, now)
        if drive.doubt:
            break
        if advice.order is not None:
            drive = ordered(drive, advice.order, now)
        else:
            assert advice.again_s > now
            now = advice.again_s
    edge = drive.expected[0]
    assert drive.doubt.endswith("by now, and was not")
    assert drive.envelope.slow.x_mm <= edge.c_mm + ALLOW.match_mm + 1.0


def test_time_runs_out_when_nothing_is_expected() -> None:
    r, step = main_drive()
    drive = replace(rolling(step, r), expected=())
    doubted, _ = advise(replace(drive, step=replace(step, deadline_s=0.2)), 0.3)
    assert doubted.doubt == "L did not get there in 0.2 s"


def test_running_too_far_without_an_edge_to_wait_for() -> None:
    r, step = main_drive()
    stop = replace(step.stop, edge=None, limit_mm=step.sweep.start_high_mm + 5.0)
    drive = replace(rolling(replace(step, stop=stop), r), expected=())
    doubted, advice = advise(drive, 1.0)
    assert doubted.doubt == "L may be about to run too far"
    assert advice.order == 0


def test_running_too_far_without_the_edge_that_the_stop_waits_for() -> None:
    r, step = main_drive()
    edge = step.sweep.edges[-1]
    stop = replace(step.stop, edge=edge, limit_mm=step.sweep.start_high_mm + 5.0)
    drive = replace(rolling(replace(step, stop=stop), r), expected=())
    what = "broken by" if edge.active else "freed by"
    assert advise(drive, 1.0)[0].doubt == (f"beam {edge.beam} was not {what} {edge.vehicle} where it should have been")


def test_a_beam_that_is_not_as_it_must_be_at_the_start() -> None:
    r, step = main_drive()
    drive = begin(step, ENGINE, {**r.before.beams, "s1": True}, {}, 0.0, ALLOW)
    assert drive.doubt == "beam s1 is broken, though L should only make it so further on"
    proving = next(d for d in drives() if d[1].proves)
    drive = begin(proving[1], ENGINE, {"head": True}, {}, 0.0, ALLOW)
    assert drive.doubt == "beam head is broken, though L should only make it so further on"


def test_an_edge_that_may_have_come_already_is_left_to_the_beam() -> None:
    r, step = next(d for d in drives() if d[1].sweep.edges and d[0].run > 1)
    swept = step.sweep
    edge = swept.edges[0]
    at = replace(swept, start_low_mm=edge.c_mm - 3.0, start_high_mm=edge.c_mm + 3.0)
    here = replace(step, sweep=at)
    beams = {**r.before.beams, edge.beam: edge.active}
    assert edge not in begin(here, ENGINE, beams, {}, 0.0, ALLOW).expected
    beams = {**r.before.beams, edge.beam: not edge.active}
    assert edge in begin(here, ENGINE, beams, {}, 0.0, ALLOW).expected


def test_beside_a_gap_the_beam_cannot_tell_and_the_likeliest_place_decides() -> None:
    # 5 4 L drawn to head: the gap between L and 4 passes beam head; broken before it and after it.
    r, step = next(
        d for d in drives() if [b.vehicle for b in d[1].sweep.bodies][-1] == "L" and d[1].sweep.tail != d[1].sweep.head
    )
    freed = next(e for e in step.sweep.edges if (e.beam, e.active, e.vehicle) == ("head", False, "L"))
    after_it = next(e for e in step.sweep.edges if e.beam == "head" and e.active and e.c_mm > freed.c_mm)
    assert after_it.c_mm - freed.c_mm == pytest.approx(9.0)
    beams = {**r.before.beams, "head": True}

    def expected_at(low: float, high: float) -> list[float]:
        here = replace(step, sweep=replace(step.sweep, start_low_mm=low, start_high_mm=high))
        drive = begin(here, ENGINE, beams, {}, 0.0, ALLOW)
        assert drive.doubt == ""
        return [e.c_mm for e in drive.expected if e.beam == "head"]

    # Surely behind the gap, surely beyond it, and mostly on either side.
    assert expected_at(freed.c_mm - 6.0, freed.c_mm - 2.0)[0] == freed.c_mm
    assert freed.c_mm not in expected_at(after_it.c_mm + 1.0, after_it.c_mm + 5.0)
    assert freed.c_mm not in expected_at(freed.c_mm + 3.0, after_it.c_mm + 6.0)
    assert expected_at(freed.c_mm - 8.0, after_it.c_mm + 1.0)[0] == freed.c_mm
    # In the gap itself the beam is free.
    beams["head"] = False
    assert expected_at(freed.c_mm - 3.0, after_it.c_mm + 3.0)[0] == after_it.c_mm


def test_an_edge_of_a_vehicle_that_may_stand_tells_only_that_the_train_is_no_further() -> None:
    r, step = main_drive()
    drive = rolling(step, r)
    edge = drive.expected[0]
    unsure = replace(edge, sure=False)
    drive = replace(drive, expected=(unsure, *drive.expected[1:]))
    t = drive.envelope.likely.when(edge.c_mm)
    before = drive.envelope.at(t)
    seen = fold(drive, SensorChanged(t, edge.beam, edge.active))
    assert seen.doubt == ""
    assert seen.envelope.slow == before.slow
    assert seen.envelope.fast.x_mm <= edge.c_mm + 3.0 < before.fast.x_mm


# ------------------------------------------------------------ learning


def test_a_steady_speed_between_two_edges_is_learned_and_used() -> None:
    r, step = main_drive()
    drive = rolling(step, r)
    speed = ENGINE.speeds.speed_mm_s(drive.ordered_step) * 1.05
    edges = [e for e in drive.expected if e.sure][:2]
    one, two = replace(edges[0], c_mm=edges[0].c_mm + 200.0), replace(edges[1], c_mm=edges[0].c_mm + 320.0)
    drive = replace(drive, expected=(one, two))
    t_one = drive.envelope.likely.when(one.c_mm)
    drive = fold(drive, SensorChanged(t_one, one.beam, one.active))
    assert drive.ratios == {}
    drive = fold(drive, SensorChanged(t_one + 120.0 / speed, two.beam, two.active))
    assert drive.doubt == ""
    (learned,) = drive.ratios.values()
    assert learned.low <= 1.05 <= learned.high
    assert learned.high - learned.low < 0.08
    assert drive.ratio(drive.ordered_step) == learned
    assert drive.ratio(2) == Ratio(0.88, 1.12)


def test_nothing_is_learned_while_the_speed_may_still_change() -> None:
    r, step = main_drive()
    drive = rolling(step, r)
    edges = [e for e in drive.expected if e.sure][:2]
    one, two = replace(edges[0], c_mm=drive.envelope.likely.at(0.4).x_mm), edges[1]
    two = replace(two, c_mm=one.c_mm + 60.0)
    drive = replace(drive, expected=(one, two))
    drive = fold(drive, SensorChanged(0.4, one.beam, one.active))
    drive = fold(drive, SensorChanged(drive.envelope.likely.when(two.c_mm), two.beam, two.active))
    assert drive.doubt == ""
    assert len(drive.seen) == 2
    assert drive.ratios == {}


class TestAnEdgeThatMayBeOneOfSeveral:
    """A wagon ahead that stands anywhere within a length may have passed the beam before, or be about to."""

    EDGES = (
        Edge("s1", True, "1", 64.0, sure=False, due=False),
        Edge("s1", False, "1", 139.0, sure=False, due=False),
        Edge("s1", True, "L", 146.0, sure=True),
        Edge("s1", False, "L", 221.0, sure=True),
    )

    def folded(self, low_mm: float, high_mm: float, *actives: bool) -> Drive:
        step = next(step for _, step in drives() if not step.proves)
        drive = begin(step, ENGINE, {}, {}, 0.0, ALLOW)
        envelope = replace(
            drive.envelope,
            slow=replace(drive.envelope.slow, x_mm=low_mm),
            likely=replace(drive.envelope.likely, x_mm=(low_mm + high_mm) / 2),
            fast=replace(drive.envelope.fast, x_mm=high_mm),
        )
        drive = replace(drive, envelope=envelope, expected=self.EDGES)
        for active in actives:
            drive = fold(drive, SensorChanged(0.0, "s1", active))
        return drive

    def test_where_both_fit_it_tells_no_more_than_both(self) -> None:
        drive = self.folded(40.0, 180.0, True)
        assert drive.doubt == ""
        assert drive.envelope.slow.x_mm == 40.0
        assert 146.0 <= drive.envelope.fast.x_mm < 180.0
        assert [(e.vehicle, e.active, e.due) for e in drive.expected] == [
            ("1", False, False),
            ("L", True, False),
            ("L", False, True),
        ]
        assert not any(edge.sure for edge, _ in drive.seen), "no speed is learned from it"

    def test_and_the_next_is_taken_for_what_fits(self) -> None:
        drive = self.folded(60.0, 180.0, True, False)
        assert drive.doubt == ""
        assert [(e.vehicle, e.active, e.due) for e in drive.expected] == [("L", True, True), ("L", False, True)]

    def test_where_one_fits_it_is_that_one(self) -> None:
        drive = self.folded(40.0, 90.0, True)
        assert drive.envelope.fast.x_mm < 90.0
        assert all(edge.due for edge in drive.expected)
        beyond = self.folded(140.0, 180.0, True)
        assert beyond.envelope.fast.x_mm - beyond.envelope.slow.x_mm < 10.0
        assert [(e.vehicle, e.active) for e in beyond.expected] == [("L", False)]

    def test_where_none_fits_everything_is_stopped(self) -> None:
        assert "before L can have reached it" in self.folded(85.0, 120.0, True).doubt
        assert "nothing that moves should do that" in self.folded(40.0, 60.0, False).doubt
