"""A station's waveform drives the simulated layout: locomotives and turnouts obey it, and nothing else moves them."""

from __future__ import annotations

import math
from functools import reduce
from operator import xor

import pytest
from dcc_rails import CAB, DCC_ADDRESS, DccBench, StationOnRails, bits, fork_wiring, stop_all
from hypothesis import given
from hypothesis import strategies as st
from sim_tracks import CLOSED, fork_track

from pointsman.protocols.dcc import EVERYONE, Accessory, Address, Functions, Idle, Known, ResetAll, Speed, write
from railsim.dcc_side import TIME_OUT_S
from railsim.definitions import Definitions
from railsim.hidden import EMERGENCY_BRAKING_MM_S2, FRICTION_MM_S2, Hidden
from railsim.incidents import BeamChanged, TurnoutSettled
from railsim.setup import Setup
from railsim.station import Station
from railsim.world import World

L = Address(CAB)
FORWARD_40 = Speed(L, True, 40)


def driven(step: int, forward: bool = True) -> float:
    """How fast L is at a step, told directly."""
    world = World(fork_track(), Setup(Setup.parse("head: L").segments, {}, {"T1": CLOSED}), Hidden(1))
    world.set_power(True)
    world.set_throttle("L", forward, step)
    world.advance(1.5)
    return world.speed_mm_s("L")


# ---------------------------------------------------------------- driving


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_locomotive_is_driven_to_a_beam_and_stands_there(seed: int | None) -> None:
    bench = DccBench(seed=seed)
    fast, stop = Speed(L, True, 30), Speed(L, True, 0)
    while not any(isinstance(event, BeamChanged) and event.broken for event in bench.there):
        assert bench.now_s < 10.0
        bench.send(fast, Idle())
    (broken,) = bench.there
    assert broken.beam == "head"
    before_mm = bench.at_mm
    bench.repeat([stop, Idle()], 1.0)
    assert bench.world.standing
    assert 0 < bench.at_mm - before_mm < 40.0
    assert bench.world.incidents == []


@pytest.mark.parametrize(
    ("packet", "of_14_steps", "step"),
    [
        (Speed(L, True, 40), [], 40),
        (Speed(L, False, 40), [], 40),
        (Speed(L, True, 126), [], 126),
        (Speed(L, True, 14, steps=28), [], 63),
        (Speed(L, False, 28, steps=28), [], 126),
        # 14 steps: 0110 and 1111, whatever the bit of the headlight is
        (Speed(L, True, 9, steps=28), ["L"], 45),
        (Speed(L, True, 10, steps=28), ["L"], 45),
        (Speed(L, False, 28, steps=28), ["L"], 126),
        (Speed(L, True, 40), ["L"], 40),
        (Speed(EVERYONE, True, 40), [], 40),
    ],
)
def test_it_runs_as_fast_as_the_packet_says(packet: Speed, of_14_steps: list[str], step: int) -> None:
    bench = DccBench(of_14_steps=of_14_steps)
    before_mm = bench.at_mm
    bench.send(packet)
    bench.wait(1.5)
    assert bench.speed_mm_s == driven(step, packet.forward)
    assert (bench.at_mm > before_mm) is packet.forward


@pytest.mark.parametrize("cab", [CAB, 127, 128, 1234, 10239])
def test_it_obeys_its_own_address_only(cab: int) -> None:
    bench = DccBench(wiring=fork_wiring(cab=cab))
    others = [Address(number, is_long) for number, is_long in [(4, False), (3, True), (1233, True), (126, False)]]
    bench.repeat([Speed(other, True, 60) for other in others], 0.3)
    assert bench.world.standing
    bench.repeat([Speed(Address.of(cab), True, 60)], 0.3)
    assert bench.speed_mm_s > 0


@pytest.mark.parametrize(
    ("stop", "braking_mm_s2"),
    [
        (Speed(L, True, 0), 150.0),
        (Speed(L, True, 0, emergency=True), EMERGENCY_BRAKING_MM_S2),
        (stop_all(), EMERGENCY_BRAKING_MM_S2),
        (stop_all(emergency=False), 150.0),
        (ResetAll(), EMERGENCY_BRAKING_MM_S2),
    ],
)
def test_a_stop_is_heard_once_and_brakes_as_it_says(stop: Known, braking_mm_s2: float) -> None:
    bench = DccBench()
    bench.send(FORWARD_40)
    bench.wait(1.5)
    fast_mm_s, before_mm = bench.speed_mm_s, bench.at_mm
    bench.send(stop)
    bench.wait(1.5)
    assert bench.world.standing
    # The packet itself lasts 8 ms, a locomotive is up to 10 % off its data sheet.
    braking_mm = bench.at_mm - before_mm - 0.008 * fast_mm_s
    assert braking_mm == pytest.approx(fast_mm_s**2 / 2 / braking_mm_s2, rel=0.15)


def test_functions_are_switched_and_move_nothing() -> None:
    bench = DccBench()
    bench.send(Functions(L, 0, frozenset({0, 2})), Functions(L, 13, frozenset({15})), Functions(Address(4), 5))
    assert bench.side.functions("L") == {0, 2, 15}
    assert bench.world.standing
    bench.send(Functions(L, 0))
    assert bench.side.functions("L") == {15}


# ---------------------------------------------------------------- turnouts


@pytest.mark.parametrize("inverted", [False, True])
def test_an_accessory_packet_moves_the_points_with_its_address(inverted: bool) -> None:
    bench = DccBench(wiring=fork_wiring(inverted=inverted))
    thrown = int(not inverted)
    for other in (Accessory.of(DCC_ADDRESS + 1, thrown), Accessory.of(DCC_ADDRESS, thrown, on=False)):
        bench.repeat([other], 0.1)
        assert bench.world.truth().lie == {"T1": "closed"}
    bench.send(Accessory.of(DCC_ADDRESS, thrown), Accessory.of(DCC_ADDRESS, thrown))
    assert bench.world.truth().lie == {"T1": "moving"}
    bench.wait(1.0)
    assert bench.world.truth().lie == {"T1": "thrown"}
    bench.send(Accessory.of(DCC_ADDRESS, 1 - thrown))
    bench.wait(1.0)
    assert bench.world.truth().lie == {"T1": "closed"}
    assert len([event for event in bench.there if isinstance(event, TurnoutSettled)]) == 2


# ---------------------------------------------------------------- what is lost, and what is wrong


def test_without_the_signal_it_runs_on_until_its_decoder_gives_up() -> None:
    bench = DccBench(time_out_s=1.0)
    bench.repeat([Speed(L, True, 8)], 1.0)
    last_s = bench.now_s
    assert bench.side.next_event_s() == pytest.approx(last_s + 1.0, abs=0.01)
    bench.wait(0.98)
    assert bench.speed_mm_s == driven(8)
    bench.wait(0.5)
    assert bench.world.standing
    assert bench.side.next_event_s() is None
    bench.repeat([Speed(L, True, 8)], 0.5)
    assert bench.speed_mm_s > 0, "a command is a command"


def test_it_gives_up_when_nothing_is_for_it_and_not_before_its_time() -> None:
    bench = DccBench(time_out_s=0.5)
    bench.repeat([Speed(L, True, 8)], 0.5)
    for _ in range(3):
        bench.repeat([Idle(), Speed(Address(4), True, 1)], 0.4)
        assert bench.speed_mm_s > 0
        bench.send(Functions(L, 0))
    bench.repeat([Idle(), Speed(Address(4), True, 1)], 1.0)
    assert bench.world.standing


@pytest.mark.parametrize(("time_out_s", "waits_s"), [(None, TIME_OUT_S), (math.inf, math.inf)])
def test_by_default_it_waits_as_long_as_the_standard_lets_it(time_out_s: float | None, waits_s: float) -> None:
    bench = DccBench() if time_out_s is None else DccBench(time_out_s=time_out_s)
    bench.send(Speed(L, True, 1))
    due_s = bench.side.next_event_s()
    assert due_s == (None if math.isinf(waits_s) else pytest.approx(bench.now_s + waits_s))


def test_without_power_it_stops_at_once_and_needs_to_be_told_again() -> None:
    bench = DccBench()
    bench.send(FORWARD_40)
    bench.wait(1.5)
    fast_mm_s, before_mm = bench.speed_mm_s, bench.at_mm
    bench.power(False)
    bench.repeat([FORWARD_40], 0.5)
    bench.wait(0.5)
    assert bench.world.standing, "the signal goes on, and nobody hears it"
    assert bench.at_mm - before_mm == pytest.approx(fast_mm_s**2 / 2 / FRICTION_MM_S2, rel=0.01)
    bench.power(True)
    bench.repeat([Idle()], 0.3)
    assert bench.world.standing, "it has forgotten what it was told"
    bench.repeat([FORWARD_40], 0.5)
    assert bench.speed_mm_s > 0


def test_before_there_is_power_nothing_is_heard() -> None:
    bench = DccBench(dead=True)
    bench.repeat([FORWARD_40], 0.2)
    bench.power(True)
    bench.repeat([Idle()], 0.5)
    assert bench.world.standing


MOVING = st.builds(Speed, st.just(L), st.booleans(), st.integers(10, 126)) | st.builds(
    Speed, st.just(L), st.booleans(), st.integers(3, 28), steps=st.just(28)
)


@given(MOVING, st.integers(0, 5), st.integers(1, 255), st.integers(0, 1000))
def test_a_packet_with_a_wrong_byte_moves_nothing(packet: Speed, at: int, flips: int, seed: int) -> None:
    data = bytearray(write(packet))
    data[at % len(data)] ^= flips
    assert reduce(xor, data), "whatever byte it is, the check byte shows it"
    bench = DccBench(seed=seed)
    bench.raw(bytes(data), bytes(data))
    bench.send(Idle(), Idle())
    bench.wait(0.1)
    assert bench.world.standing
    bench.send(packet)
    bench.wait(0.1)
    assert not bench.world.standing, "the same without the error moves it"


@pytest.mark.parametrize("packet", [FORWARD_40, Speed(L, False, 28, steps=28), Speed(L, True, 126)])
def test_a_packet_that_misses_a_bit_moves_nothing(packet: Speed) -> None:
    whole = bits(write(packet))
    for at in range(16, len(whole) - 1):
        missing = whole[:at] + whole[at + 1 :]
        if missing == whole[:-1]:
            continue  # at the end of a row of ones, which goes on: nothing is missing that could be seen
        bench = DccBench()
        bench.halves(bench.jitter.halves([*missing, *bits(write(Idle())), *bits(write(Idle()))]))
        bench.wait(0.1)
        assert bench.world.standing, at


@given(MOVING, st.floats(0.0, 0.999), st.sampled_from(["lost", "short", "long", "spike"]))
def test_a_packet_with_a_wrong_half_moves_nothing(packet: Speed, where: float, how: str) -> None:
    bench = DccBench()
    halves = list(bench.jitter.halves(bits(write(packet))))
    last_zero = max(at for at, half_us in enumerate(halves) if half_us == 100.0)
    at = 32 + int(where * (last_zero - 31))  # behind the preamble; of ones at the end nobody sees which one is missing
    changed = {"lost": [], "short": [40.0], "long": [75.0], "spike": [20.0, 5.0, 75.0]}[how]
    halves[at : at + 1] = changed
    bench.halves(halves)
    bench.send(Idle(), Idle())
    bench.wait(0.1)
    assert bench.world.standing


# ---------------------------------------------------------------- faults, and a station's own commands


def test_faults_of_points_and_locomotives_strike_here_too() -> None:
    bench = DccBench(faults=["turnout-stuck:T1", "dirty-track:L=1"])
    bench.wait(0.1)
    bench.send(Accessory.of(DCC_ADDRESS, 1), FORWARD_40)
    bench.wait(0.8)
    assert bench.world.standing
    assert bench.world.truth().lie == {"T1": "closed"}
    bench.wait(0.5)
    assert not bench.world.standing


def test_a_runaway_misses_a_stop_however_often_the_station_repeats_it() -> None:
    bench = DccBench(faults=["runaway:L"])
    stop = Speed(L, True, 0)
    for packets, runs in (([FORWARD_40], True), ([stop] * 3, True), ([Speed(L, True, 30), stop], False)):
        bench.send(*packets)
        bench.wait(1.0)
        assert (bench.speed_mm_s > 0) is runs


def test_the_same_commands_over_the_rails_make_the_same_moves() -> None:
    """A DCC-EX station is told the same twice: once it moves the layout itself, once its waveform does."""
    script = [
        (0.1, "<1 MAIN>"),
        (0.2, f"<t {CAB} 40 1>"),
        (1.7, f"<t {CAB} 0 1>"),
        (2.5, f"<t {CAB} 60 0>"),
        (3.2, "<!>"),
    ]
    bench, direct = DccBench(dead=True), DccBench(dead=True)

    class Directly(StationOnRails):
        def throttle(self, cab: int, forward: bool, step: int, emergency: bool) -> None:
            assert cab == CAB
            direct.world.set_throttle("L", forward, step, emergency)

    hands = StationOnRails(bench, {})
    for one, rails in ((bench, hands), (direct, Directly(direct, {}))):
        station = Station(rails, Definitions(), Hidden(1), boot_s=0.0)
        station.connect("usb", serial=True)
        waiting = list(script)
        while one.now_s < 4.0:
            while waiting and waiting[0][0] <= one.now_s:
                station.receive("usb", waiting.pop(0)[1].encode(), one.now_s)
            station.advance(one.now_s)
            if one is bench:
                hands.send()
            else:
                one.wait(0.002)
    assert bench.world.standing
    assert direct.world.standing
    assert abs(direct.at_mm - DccBench().at_mm) > 10.0
    # Each command is on its way for up to two packets, of 8 ms.
    assert bench.at_mm == pytest.approx(direct.at_mm, abs=4 * 0.016 * 120.0)
    assert bench.world.incidents == direct.world.incidents == []
