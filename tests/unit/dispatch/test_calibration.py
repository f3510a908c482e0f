"""Calibrations on the simulated layout, through the real dispatcher, driver and station, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import cycle
from pathlib import Path

import pytest
from course_bench import CourseBench
from metal import OffTable

from pointsman.errors import HaltedError, PointsmanError
from pointsman.operate.calibration import why_no_fit
from pointsman.record import read
from pointsman.track.model import End, Locomotive
from railsim.hidden import Hidden, Performance

Change = Callable[[float, int, bool], float]
"""A speed of the locomotive, its step, and whether it goes forward -> what it really is."""


@dataclass(frozen=True)
class _Changed(Performance):
    change: Change = lambda speed, step, forward: speed

    def speed_mm_s(self, step: int, forward: bool) -> float:
        return self.change(super().speed_mm_s(step, forward), step, forward)


class Odd(Hidden):
    """A locomotive that does not run as others do."""

    def __init__(self, change: Change) -> None:
        super().__init__(1)
        self._change = change

    def performance(self, locomotive: Locomotive) -> Performance:
        real = super().performance(locomotive)
        return _Changed(**{f.name: getattr(real, f.name) for f in fields(real)}, change=self._change)


def odd(change: Change) -> Callable[[], Hidden]:
    return lambda: Odd(change)


def speeds_sent(bench: CourseBench) -> list[float]:
    """True speeds that were ordered, from the journals."""
    lines = [line for path in bench.folder.glob("*.journal") for line in read(path).lines]
    return [
        bench.true_mm_s(int(str(line.values["step"])), line.values["forward"] is True)
        for line in lines
        if line.kind == "command" and line.values.get("type") == "Drive"
    ]


def safe(bench: CourseBench) -> None:
    """Nothing was bumped, nothing moves, every journal is whole."""
    assert bench.incidents == []
    assert bench.speed_in_the_end == 0.0
    assert all(read(path).bad == "" for path in bench.folder.glob("*.journal"))


@pytest.mark.parametrize(
    ("layout", "seed"), [("inglenook", 0), ("inglenook-small", 1), ("timesaver", 7), ("tchoutchou", 2)]
)
def test_measured_speeds_are_the_true_ones(tmp_path: Path, layout: str, seed: int) -> None:
    bench = CourseBench(tmp_path, layout, seed)
    course = bench.measure()
    safe(bench)
    assert (bench.legs, course.rejected) == (1, [])
    assert len(course.measured) in {4, 5}
    assert course.measured[-1].mean_mm_s > 75
    for found in course.measured:
        assert found.forward_mm_s == pytest.approx(bench.true_mm_s(found.step, True), rel=0.01)
        assert found.reverse_mm_s == pytest.approx(bench.true_mm_s(found.step, False), rel=0.01)
    assert max(speeds_sent(bench)) <= bench.real.speeds.limit
    assert why_no_fit(course.measured) == ("", "")
    names = [doing for doing in bench.doing if doing.startswith("measure")]
    for forward in ("forward", "reverse"):
        for found in course.measured:
            assert f"measure L at step {found.step}, {forward}, pass 3" in names


def test_nothing_goes_faster_than_the_cap(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path, cap_mm_s=60.0, hidden=lambda: OffTable(3, 1.3))
    course = bench.measure()
    safe(bench)
    assert course.measured[-1].mean_mm_s > 45
    assert max(speeds_sent(bench)) <= 60.0


@pytest.mark.parametrize("factor", [0.85, 1.2, 1.35])
def test_a_table_that_is_far_off(tmp_path: Path, factor: float) -> None:
    bench = CourseBench(tmp_path, hidden=lambda: OffTable(1, factor))
    course = bench.measure()
    safe(bench)
    assert course.rejected == []
    assert len(course.measured) >= 4
    for found in course.measured:
        assert found.forward_mm_s == pytest.approx(bench.true_mm_s(found.step, True), rel=0.01)
        assert found.reverse_mm_s == pytest.approx(bench.true_mm_s(found.step, False), rel=0.01)
    assert max(speeds_sent(bench)) <= bench.real.speeds.limit


def test_directions_that_differ_much_are_both_measured(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path, hidden=odd(lambda speed, step, forward: speed * (1.25 if forward else 0.8)))
    course = bench.measure()
    safe(bench)
    for found in course.measured:
        assert found.forward_mm_s == pytest.approx(bench.true_mm_s(found.step, True), rel=0.01)
        assert found.reverse_mm_s == pytest.approx(bench.true_mm_s(found.step, False), rel=0.01)
        assert found.half_difference > 0.1


def test_between_two_beams_that_a_person_names(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path, "inglenook", between=("s3", "head"))
    course = bench.measure()
    safe(bench)
    assert {course.section.near, course.section.far} == {"head", "s3"}
    assert "T2 to thrown" in bench.doing
    assert len(course.measured) >= 4


def test_a_step_that_stalls_is_tried_twice_and_left_out(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path, hidden=odd(lambda speed, step, forward: 0.0 if 15 <= step <= 25 else speed))
    course = bench.measure()
    safe(bench)
    assert bench.legs == 3
    assert [(r.step, "in the expected time" in r.why) for r in course.rejected] == [(20, True), (20, True)]
    assert [found.step for found in course.measured] == [2, 10, 28, 39]


def test_a_lowest_step_that_does_not_move_it_ends_everything(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path, hidden=odd(lambda speed, step, forward: 0.0 if step < 5 else speed))
    with pytest.raises(HaltedError, match="beam head was not broken by L where it should have been"):
        bench.measure()
    safe(bench)


class Wavering:
    """Every pass at some steps runs at another speed, each at the next of some factors."""

    def __init__(self, steps: range, factors: Sequence[float]) -> None:
        self._steps = steps
        self._factors = cycle(factors)
        self._factor = 1.0

    def __call__(self, speed: float, step: int, forward: bool) -> float:
        if step not in self._steps:
            self._factor = 0.0
            return speed
        self._factor = self._factor or next(self._factors)
        return speed * self._factor


def test_jitter_within_what_is_allowed_is_taken_and_told(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path, hidden=odd(Wavering(range(3, 127), [1.0, 1.01, 1.02, 0.99, 0.98])))
    course = bench.measure()
    safe(bench)
    assert course.rejected == []
    assert [found.spread > 0.015 for found in course.measured] == [False, True, True, True, True][
        : len(course.measured)
    ]
    assert max(found.spread for found in course.measured) < 0.05


def test_jitter_beyond_it_is_rejected(tmp_path: Path) -> None:
    # Forward and reverse alternate: each direction takes every second factor.
    factors = [1.0, 1.0, 1.04, 1.0, 0.96, 1.0]
    bench = CourseBench(tmp_path, hidden=odd(Wavering(range(9, 13), factors)))
    course = bench.measure()
    safe(bench)
    assert bench.legs == 1
    assert [(r.step, r.why) for r in course.rejected] == [
        (10, "its passes differ by 8%, and 6% is allowed"),
        (10, "its passes differ by 8%, and 6% is allowed"),
    ]
    assert [found.step for found in course.measured if 9 <= found.step <= 12] == []
    assert len(course.measured) >= 3


def test_a_step_that_is_no_faster_than_the_one_below_is_rejected(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path, hidden=odd(lambda speed, step, forward: speed * (0.6 if 15 <= step <= 25 else 1.0)))
    course = bench.measure()
    safe(bench)
    assert bench.legs == 1
    assert [(r.step, "no faster" in r.why) for r in course.rejected] == [(20, True), (20, True)]
    assert 20 not in [found.step for found in course.measured]
    assert len(course.measured) == 4


class DeadBeam:
    """Reports of one beam stop coming once a measurement has begun, in every leg."""

    def __init__(self, bench: CourseBench, number: int, begins: str) -> None:
        self._bench = bench
        self._begins = begins
        self._edges = (b"<Q %d>" % number, b"<q %d>" % number)

    def __call__(self, data: bytes) -> bytes:
        if self._bench.doing and self._bench.doing[-1].startswith(self._begins):
            for edge in self._edges:
                data = data.replace(edge, b"")
        return data


@pytest.mark.parametrize("number", [1, 2])
def test_a_dead_beam_stops_everything_each_time_and_nothing_is_measured(tmp_path: Path, number: int) -> None:
    bench = CourseBench(tmp_path)
    bench.from_station = DeadBeam(bench, number, "measure")
    course = bench.measure()
    safe(bench)
    assert bench.legs == 2
    assert course.measured == []
    assert [r.step for r in course.rejected] == [2, 2]
    assert all("the beam is dead" in r.why for r in course.rejected)


def test_a_dead_beam_at_speed_stops_before_the_buffers(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path)
    bench.from_station = DeadBeam(bench, 2, "measure L at step 30")
    course = bench.measure()
    safe(bench)
    assert [found.step for found in course.measured][:3] == [2, 10, 20]
    assert [(r.step, "the beam is dead" in r.why) for r in course.rejected] == [(30, True), (30, True)]


def test_a_locomotive_that_is_turned_round_is_asked_about(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path, facing=End.FROM)
    with pytest.raises(HaltedError, match="is L turned round, or on another track"):
        bench.measure()
    safe(bench)


def test_an_edge_from_another_beam_stops_everything(tmp_path: Path) -> None:
    bench = CourseBench(tmp_path)
    seen: list[bytes] = []

    def stray(data: bytes) -> bytes:
        if not seen and bench.doing and bench.doing[-1] == "measure L at step 10, reverse, pass 2":
            seen.append(data)
            return data + b"<Q 4>\n"
        return data

    bench.from_station = stray
    with pytest.raises(PointsmanError, match="beam s3 became broken, and nothing that moves should do that here"):
        bench.measure()
    safe(bench)
    assert bench.legs == 1
    assert [found.step for found in bench.course.measured] == [2]
