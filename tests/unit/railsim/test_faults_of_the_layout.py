"""Faults of points, beams and vehicles: each changes what it says, at its moment, and nothing else."""

from __future__ import annotations

import pytest
from fault_bench import Bench
from sim_tracks import line_track

from railsim.incidents import BeamChanged, Kind, Parted, Stopped

# ---------------------------------------------------------------- points and beams


def test_stuck_points_stay_and_the_echo_lies() -> None:
    bench = Bench("turnout-stuck:T1@5")
    bench.until(6.0)
    bench.say("<T 1 1>")
    assert b"<H 1 1>" in bench.until(9.0)
    assert bench.world.truth().lie == {"T1": "closed"}


def test_slow_points_take_longer() -> None:
    bench = Bench("turnout-slow:T1@5=3")
    bench.until(6.0)
    bench.say("<T 1 1>")
    bench.until(9.9)
    assert bench.world.truth().lie == {"T1": "moving"}
    bench.until(10.0)
    assert bench.world.truth().lie == {"T1": "thrown"}


def test_reversed_points_go_the_other_way() -> None:
    bench = Bench("turnout-reversed:T1@5")
    bench.until(6.0)
    assert bench.world.truth().lie == {"T1": "closed"}
    bench.say("<T 1 0>")
    bench.until(8.0)
    assert bench.world.truth().lie == {"T1": "thrown"}
    bench.say("<T 1 1>")
    bench.until(10.0)
    assert bench.world.truth().lie == {"T1": "closed"}


def over_the_beam(fault: str) -> Bench:
    """The locomotive goes over the beam ``head``, and on to the wagons in s1."""
    bench = Bench(fault)
    bench.until(5.5)
    bench.say("<t 3 30 1>")
    bench.until(12.0)
    return bench


def real_edges(bench: Bench) -> list[tuple[float, bool]]:
    return [(e.t_s, e.broken) for e in bench.events if isinstance(e, BeamChanged) and e.beam == "head"]


def test_a_dead_beam_sees_nothing() -> None:
    bench = over_the_beam("beam-dead:head@5")
    assert [broken for _, broken in real_edges(bench)] == [True, False]
    assert bench.heard_at(b"<Q 1>") == bench.heard_at(b"<q 1>") == []
    assert bench.heard_at(b"<Q 2>")


def test_a_stuck_beam_sees_something_always() -> None:
    bench = over_the_beam("beam-stuck:head@5")
    assert bench.heard_at(b"<Q 1>") == [pytest.approx(5.02, abs=0.011)]
    assert bench.heard_at(b"<q 1>") == []


def test_a_late_beam_tells_later() -> None:
    bench = over_the_beam("beam-late:head@5=0.5")
    (on_s, _), (off_s, _) = real_edges(bench)
    assert bench.heard_at(b"<Q 1>") == [pytest.approx(on_s + 0.516, abs=0.006)]
    assert bench.heard_at(b"<q 1>") == [pytest.approx(off_s + 0.516, abs=0.006)]


def test_a_chattering_beam_flickers_and_then_sees_again() -> None:
    bench = Bench("beam-chatters:head@5=1")
    bench.until(7.0)
    edges = sorted(bench.heard_at(b"<Q 1>") + bench.heard_at(b"<q 1>"))
    assert len(edges) >= 6
    assert 5.0 < edges[0] < edges[-1] < 6.03
    bench.say("<Q>")
    assert b"<q 1>" in bench.until(7.1)
    bench.said.clear()
    bench.say("<t 3 30 1>")
    bench.until(12.0)
    assert [len(bench.heard_at(b"<Q 1>")), len(bench.heard_at(b"<q 1>"))] == [1, 1]


# ---------------------------------------------------------------- vehicles


def parting(*faults: str) -> Bench:
    """A locomotive with two wagons, pushed together over a magnet which is then switched on."""
    track = line_track(beams=(), magnets=(300.0 - 117.0,), mark_mm=300.0)
    bench = Bench(*faults, track=track, position="a: 2 1 L")
    magnet = bench.world.track.uncouplers["m0"].place.at_mm
    lead = next(v for v in bench.world.truth().on["a"] if v.name == "L")
    assert abs((lead.from_mm + lead.to_mm) / 2 - 58.5 - magnet) < 10
    bench.say("<t 3 3 0>")
    bench.until(3.4)
    bench.say("<t 3 0 0>")
    bench.until(6.0)
    return bench


def magnet_works(bench: Bench) -> bool:
    before = len(bench.happened(Parted))
    bench.say("<Z 1 1>")
    bench.until(bench.world.now_s + 0.5)
    bench.say("<Z 1 0>")
    bench.until(bench.world.now_s + 0.5)
    return len(bench.happened(Parted)) > before


def test_a_magnet_parts_when_nothing_holds() -> None:
    assert magnet_works(parting())


def test_a_wagon_that_does_not_uncouple() -> None:
    assert not magnet_works(parting("wagon-holds:1@5"))
    assert magnet_works(parting("wagon-holds:2@5"))


def test_a_wagon_that_does_not_uncouple_at_first() -> None:
    bench = parting("wagon-holds:1@5=2")
    assert [magnet_works(bench) for _ in range(3)] == [False, False, True]


def test_a_wagon_that_parts_is_left_behind() -> None:
    bench = Bench("wagon-parts:1@5", track=line_track(mark_mm=900.0), position="a: 2 1 L")
    bench.say("<t 3 20 1>")
    bench.until(4.9)
    gap = gap_mm(bench, "1", "L")
    assert gap == pytest.approx(2.0, abs=2.1)
    bench.until(6.0)
    assert gap_mm(bench, "1", "L") > 40
    assert bench.world.truth().coupled == (("1", "2"),)
    assert [round(t_s, 6) for t_s in bench.happened(Parted)] == [5.0]
    assert bench.world.incidents == []


def gap_mm(bench: Bench, low: str, high: str) -> float:
    found = {v.name: v for v in bench.world.truth().on["a"]}
    return found[high].from_mm - found[low].to_mm


def test_a_wagon_that_is_pushed_when_it_parts_stays_where_the_push_ends() -> None:
    bench = Bench("wagon-parts:1@5", track=line_track(mark_mm=300.0), position="a: L 1 2")
    bench.say("<t 3 20 1>")
    bench.until(6.0)
    assert gap_mm(bench, "L", "1") == pytest.approx(0.0, abs=1e-6)
    bench.say("<t 3 20 0>")
    bench.until(9.0)
    assert gap_mm(bench, "L", "1") > 20


def test_nothing_that_is_coupled_can_part() -> None:
    bench = Bench("wagon-parts:1@5", position="head: L | s1: 1")
    bench.until(6.0)
    assert [struck.text for struck in bench.rig.struck] == ["nothing there that it could strike"]
    assert bench.happened(Parted) == []


@pytest.mark.parametrize(
    ("wagon", "rest", "coupled"),
    [("1", ["2", "3"], (("2", "3"),)), ("2", ["1", "3"], ()), ("3", ["1", "2"], (("1", "2"),))],
)
def test_a_lifted_wagon_is_gone(wagon: str, rest: list[str], coupled: tuple[tuple[str, str], ...]) -> None:
    bench = Bench(f"wagon-lifted:{wagon}@5", position="head: L | s1: 1 2 3")
    bench.until(4.9)
    assert bench.on("s1") == ["1", "2", "3"]
    bench.until(5.0)
    assert bench.on("s1") == rest
    assert bench.world.truth().coupled == coupled


def test_a_wagon_lifted_out_of_a_beam_frees_it_and_a_train_goes_where_it_was() -> None:
    track = line_track(beams=(600.0,), mark_mm=300.0)
    bench = Bench("wagon-lifted:1@20", track=track, position="a: L 1")
    bench.say("<t 3 20 1>")
    while not bench.world.beam_broken("b0"):
        bench.until(bench.world.now_s + 0.1)
    bench.say("<t 3 0 1>")
    bench.until(19.9)
    assert bench.world.beam_broken("b0")
    bench.until(20.0)
    assert not bench.world.beam_broken("b0")
    assert bench.world.wagons == ()
    bench.say("<t 3 20 1>")
    bench.until(24.0)
    assert bench.world.incidents == []


def test_a_stalled_locomotive_stands_and_goes_on() -> None:
    bench = Bench("locomotive-stalls:L@5=2", track=line_track(), position="a: L")
    bench.say("<t 3 20 1>")
    bench.until(4.99)
    assert bench.world.speed_mm_s("L") > 40
    bench.until(5.0)
    assert bench.world.standing
    assert bench.happened(Stopped) == [pytest.approx(5.0)]
    bench.until(6.99)
    assert bench.world.standing
    bench.until(8.5)
    assert bench.world.speed_mm_s("L") > 40


def test_a_locomotive_that_is_stopped_while_it_stalls_stays() -> None:
    bench = Bench("locomotive-stalls@5=2", track=line_track(), position="a: L")
    bench.say("<t 3 20 1>")
    bench.until(6.0)
    bench.say("<t 3 0 1>")
    bench.until(9.0)
    assert bench.world.standing


@pytest.mark.parametrize("stop", ["<t 3 0 1>", "<!>"])
def test_a_runaway_does_not_hear_one_stop(stop: str) -> None:
    bench = Bench("runaway:L@4", track=line_track(), position="a: L")
    bench.say("<t 3 20 1>")
    bench.until(5.0)
    bench.say(stop)
    bench.until(7.0)
    assert bench.world.speed_mm_s("L") > 40
    bench.say("<!>")
    bench.until(8.0)
    assert bench.world.standing


def test_on_dirty_track_the_last_command_is_heard_at_the_end() -> None:
    bench = Bench("dirty-track:L@4=3", track=line_track(), position="a: L")
    bench.say("<t 3 20 1>")
    bench.until(5.0)
    before = bench.world.speed_mm_s("L")
    bench.say("<t 3 40 1>")
    bench.until(5.5)
    bench.say("<t 3 0 1>")
    bench.until(6.99)
    assert bench.world.speed_mm_s("L") == before > 40
    bench.until(9.0)
    assert bench.world.standing


def test_a_runaway_bumps_where_a_stop_would_have_saved_it() -> None:
    for faults, bumps in (([], []), (["runaway:L@4"], [Kind.COLLISION])):
        bench = Bench(*faults, track=line_track(), position="a: L")
        bench.say("<t 3 30 1>")
        bench.until(8.0)
        bench.say("<t 3 0 1>")
        bench.until(60.0)
        assert [incident.kind for incident in bench.world.incidents] == bumps
