"""Whatever happens to its host or its board, the compiled firmware brings the simulated train to a stand."""

from __future__ import annotations

import pytest
from loop_bench import STANDS_WITHIN_MM, STANDS_WITHIN_S, LoopBench, needs_firmware
from loop_drive import FAST, Made, along_mm, fast_with, speed
from node_bench import FORWARD, accepted, refused
from sim_tracks import fork_track

from pointsman.protocols.node import STOP, write_command
from pointsman.protocols.node_constants import TRIP_MS, WATCHDOG_MS, Latch, Lie, Refusal, Reset, Setting
from pointsman.protocols.node_messages import (
    About,
    Arm,
    Drive,
    End,
    Latched,
    Magnet,
    Points,
    Set,
    State,
    Store,
    Trip,
    Turnout,
)
from pointsman.track.model import Place

pytestmark = needs_firmware


# ---------------------------------------------------------------- a host that dies


def test_a_train_stands_when_its_host_is_silent_and_stays_so(bench: LoopBench) -> None:
    fast_with(bench)
    assert 100.0 <= speed(bench) < 106.0
    bench.until(lambda: bench.now_s - bench.last_beat_s < 0.002, 1.0)
    bench.beating_until_s = -1.0
    silent_s, at_mm = bench.last_beat_s, along_mm(bench)
    bench.until(lambda: not bench.world.powered, 1.1)
    assert 0.99 < bench.now_s - silent_s <= 1.01
    assert bench.side.duty == 0
    bench.until(lambda: bench.world.standing, 1.0)
    assert bench.now_s - silent_s < STANDS_WITHIN_S
    assert along_mm(bench) - at_mm < STANDS_WITHIN_MM
    assert bench.latest(Latched) == Latched(Latch.HEARTBEAT)

    at_mm = along_mm(bench)
    bench.run(silent_s + 2.0 - bench.now_s)
    bench.beat(60.0)
    bench.run(1.0)
    assert refused(Refusal.LATCHED, bench.ask(Drive(FORWARD, FAST), 1.0))
    assert refused(Refusal.LATCHED, bench.ask(Magnet(1, 100)))
    assert not bench.world.powered
    assert refused(Refusal.MOVING, bench.ask(Arm())), "what it was commanded before is not taken up again"
    assert accepted(bench.ask(Drive(FORWARD, 0)))
    assert accepted(bench.ask(Arm(), 2.0))
    assert bench.world.powered
    assert along_mm(bench) == at_mm
    assert accepted(bench.ask(Drive(FORWARD, 8), 1.0))
    assert along_mm(bench) > at_mm


def test_the_stop_byte_stops_in_the_midst_of_a_line(bench: LoopBench) -> None:
    fast_with(bench)
    line = write_command(bench.numbers.take(), Drive(FORWARD, 126))
    bench.node.receive("usb", line[:7] + STOP, bench.now_s)
    stopped_s = bench.now_s
    bench.until(lambda: not bench.world.powered, 0.01)
    assert bench.now_s - stopped_s < 0.005
    bench.until(lambda: bool(bench.events(End)), 0.3)
    assert bench.latest(Latched) == Latched(Latch.STOP)
    bench.until(lambda: bench.world.standing, 0.6)
    bench.run(2.0)
    assert bench.world.standing


@pytest.mark.parametrize("how", ["reset", "brown-out", "hang"])
def test_a_node_that_starts_anew_lets_nothing_run(node: Made, how: str) -> None:
    with node(track=fork_track(marks={"L": Place("head", None, 100.0)})) as bench:
        assert accepted(bench.ask(Set(Setting.WATCHDOG, 0, 1)))
        assert accepted(bench.ask(Turnout(1, False), 1.0))
        fast_with(bench)
        assert accepted(bench.ask(Turnout(1, True)))
        bench.run(0.2)
        assert bench.world.truth().lie == {"T1": "moving"}
        bench.forget()
        bench.beating_until_s = -1.0
        began_s, at_mm = bench.now_s, along_mm(bench)
        bench.heard.clear()
        bench.board.ask(how)
        bench.until(lambda: not bench.world.powered, 0.3)
        assert bench.now_s - began_s <= (0.27 if how == "hang" else 0.003)
        bench.until(lambda: bench.world.standing, 0.6)
        assert along_mm(bench) - at_mm < 60.0
        bench.until(lambda: bool(bench.events(Latched)), 1.0)
        (about,) = bench.events(About)
        assert about.reset is {"reset": Reset.BUTTON, "brown-out": Reset.BROWNOUT, "hang": Reset.WATCHDOG}[how]
        assert bench.latest(Latched) == Latched(Latch.BOOT)
        pulses, at_mm = bench.side.pulses, along_mm(bench)
        bench.beat(60.0)
        bench.run(3.0)
        for moves in (Arm(), Drive(FORWARD, FAST), Turnout(1, True)):
            assert refused(Refusal.VERSION, bench.ask(moves)), "it may be another host than before"
        bench.greet()
        assert refused(Refusal.LATCHED, bench.ask(Drive(FORWARD, FAST)))
        bench.heard.clear()
        assert accepted(bench.ask(State(), 0.2))
        assert bench.events(Points)[0] == Points(1, Lie.UNKNOWN)
        assert bench.side.pulses == pulses, "no servo moves before it is commanded"
        assert bench.world.truth().lie == {"T1": "moving"}, "it stands where the pulses ended"
        assert (along_mm(bench), bench.world.powered) == (at_mm, False)


def test_a_program_that_hangs_without_a_watchdog_lets_nothing_run(bench: LoopBench) -> None:
    fast_with(bench)
    assert accepted(bench.ask(Magnet(1, 500)))
    bench.forget()
    at_mm, hung_s = along_mm(bench), bench.now_s
    bench.board.ask("hang")
    bench.until(lambda: not bench.world.powered, 0.3)
    assert bench.now_s - hung_s < 0.27
    assert bench.world.magnets_on == frozenset()
    bench.run(2.0)
    assert bench.world.standing
    assert along_mm(bench) - at_mm < 60.0


def test_the_watchdog_bites_on_purpose_in_its_time_and_nothing_is_begun_before(bench: LoopBench) -> None:
    assert accepted(bench.ask(Trip()))
    tripped_s, pulses = bench.now_s, bench.side.pulses
    for begins in (Turnout(1, True), Set(Setting.CLOSED_US, 1, 1300), Store(), Trip()):
        assert refused(Refusal.MOVING, bench.ask(begins))
    bench.run(0.2)
    assert bench.side.pulses == pulses
    bench.heard.clear()
    bench.until(lambda: bool(bench.events(About)), 1.0)
    (about,) = bench.events(About)
    assert about.reset is Reset.WATCHDOG
    (bitten_s,) = bench.side.bitten_s
    # The watchdog has an oscillator of its own: so long it takes at its nominal rate.
    assert bitten_s - tripped_s == pytest.approx((TRIP_MS + WATCHDOG_MS) / 1000, abs=0.02)
    assert bench.world.truth().lie == {"T1": "closed"}
