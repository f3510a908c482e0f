"""From pin edges to what a locomotive's decoder does: what a decoder takes, what it does not, and any edges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.protocols.dcc import (
    EVERYONE,
    Accessory,
    Address,
    Functions,
    Garbled,
    Idle,
    Known,
    Packet,
    ResetAll,
    Speed,
    bits_of,
    halves_us,
    write,
)
from railsim.dcc_signal import Decoder, Signal

CAB3 = Address(3)
FAST = Speed(CAB3, True, 50)


class Rails:
    """Draws a station's waveform on a signal."""

    def __init__(self, signal: Signal | None = None, *, high: bool = False) -> None:
        self.signal = signal or Signal()
        self.now_us = 1000.0
        self.high = high
        self.signal.edge(self.now_us, self.high)

    def halves(self, halves: Iterable[float]) -> list[Packet]:
        found: list[Packet] = []
        for half_us in halves:
            self.now_us += half_us
            self.high = not self.high
            packet = self.signal.edge(self.now_us, self.high)
            found += [] if packet is None else [packet]
        return found

    def send(self, *packets: Known, one_us: float = 58, zero_us: float = 100, preamble: int = 16) -> list[Packet]:
        bits = itertools.chain.from_iterable(bits_of(write(packet), preamble) for packet in packets)
        return self.halves(halves_us(bits, one_us, zero_us))


@pytest.mark.parametrize("high", [False, True])
@pytest.mark.parametrize("halves_before", range(4))
def test_polarity_and_the_half_with_which_it_begins_do_not_matter(high: bool, halves_before: int) -> None:
    rails = Rails(high=high)
    rails.halves([58.0] * halves_before)
    assert rails.send(FAST, Idle(), FAST) == [FAST, Idle(), FAST]


@pytest.mark.parametrize(
    ("one_us", "zero_us", "heard"),
    [
        (58, 100, True),
        (58, 116, True),
        (55, 95, True),
        (61, 5990, True),
        (52, 90, True),
        (64, 6000, True),
        (51.9, 100, False),
        (64.1, 100, False),
        (58, 89.9, False),
        (58, 6000.1, False),
        (58, 10000.1, False),
    ],
)
def test_what_a_decoder_takes(one_us: float, zero_us: float, heard: bool) -> None:
    assert Rails().send(FAST, one_us=one_us, zero_us=zero_us) == ([FAST] if heard else [])


def test_a_zero_may_be_stretched_on_one_side_as_far_as_both_together_may_last() -> None:
    for other_us, heard in [(2000.0, True), (2001.0, False)]:
        halves = list(halves_us(bits_of(write(FAST))))
        at = halves.index(100)
        halves[at : at + 2] = [10_000.0, other_us]
        assert Rails().halves(halves) == ([FAST] if heard else [])


@pytest.mark.parametrize(("preamble", "cut", "heard"), [(14, 0, True), (14, 2, True), (14, 4, True), (14, 6, False)])
def test_how_much_of_a_preamble_must_be_heard(preamble: int, cut: int, heard: bool) -> None:
    halves = list(halves_us(bits_of(write(FAST), preamble)))[2 * cut :]
    rails = Rails()
    rails.halves([100.0, 100.0])
    assert rails.halves(halves) == ([FAST] if heard else [])
    assert rails.send(FAST) == [FAST]


def test_a_lost_half_spoils_its_packet_and_no_other() -> None:
    halves = list(halves_us(bits_of(write(FAST))))
    for at in range(40, len(halves)):
        rails = Rails()
        found = rails.halves(halves[:at] + halves[at + 1 :]) + rails.send(FAST, FAST)
        assert found[-1] == FAST, at
        assert all(packet == FAST or isinstance(packet, Garbled) for packet in found), at


def test_a_spike_in_a_packet_spoils_it() -> None:
    halves = list(halves_us(bits_of(write(FAST))))
    halves[60:61] = [20.0, 5.0, halves[60] - 25.0]
    rails = Rails()
    assert rails.halves(halves) == []
    assert rails.send(FAST) == [FAST]


def test_without_the_booster_nothing_is_heard() -> None:
    rails = Rails(Signal(enabled=False))
    assert rails.send(FAST) == []
    rails.signal.enable(True)
    assert rails.send(FAST, FAST) == [FAST, FAST]
    halves = list(halves_us(bits_of(write(FAST))))
    assert rails.halves(halves[:70]) == []
    rails.signal.enable(False)
    rails.signal.enable(True)
    assert rails.halves(halves[70:]) == []
    assert rails.send(FAST) == [FAST]


def test_the_same_level_again_is_no_edge() -> None:
    signal = Signal()
    now_us, high, found = 0.0, False, []
    for half_us in halves_us(bits_of(write(FAST))):
        signal.edge(now_us, high)
        signal.edge(now_us + half_us / 2, high)
        now_us, high = now_us + half_us, not high
        found.append(signal.edge(now_us, high))
    assert [packet for packet in found if packet is not None] == [FAST]


# ---------------------------------------------------------------- the decoder


def test_a_locomotive_obeys_what_is_for_it() -> None:
    decoder = Decoder(CAB3)
    assert decoder.hear(FAST)
    assert (decoder.forward, decoder.step, decoder.emergency) == (True, 50, False)
    others: list[Packet] = [Speed(Address(4), False, 1), Speed(Address(3, True), False, 1), Idle(), Accessory(3, 0, 1)]
    for packet in [*others, Garbled(b"\x03\x3f\x80\x00")]:
        assert not decoder.hear(packet)
    assert (decoder.forward, decoder.step) == (True, 50)
    assert decoder.hear(Speed(CAB3, False, 0, emergency=True))
    assert (decoder.forward, decoder.step, decoder.emergency) == (False, 0, True)
    assert decoder.hear(Speed(CAB3, False, 1))
    assert (decoder.step, decoder.emergency) == (1, False)


def test_28_steps_are_spread_over_126() -> None:
    decoder = Decoder(CAB3)
    steps = []
    for step in range(29):
        decoder.hear(Speed(CAB3, True, step, steps=28))
        steps.append(decoder.step)
    assert (steps[0], steps[14], steps[28]) == (0, 63, 126)
    assert all(before < after for before, after in itertools.pairwise(steps))


def test_a_stop_for_everyone_stops_and_turns_nobody_round() -> None:
    decoder = Decoder(CAB3)
    decoder.hear(FAST)
    assert decoder.hear(Speed(EVERYONE, False, 0, emergency=True))
    assert (decoder.forward, decoder.step, decoder.emergency) == (True, 0, True)
    decoder.hear(FAST)
    assert decoder.hear(Speed(EVERYONE, False, 0))
    assert (decoder.forward, decoder.step, decoder.emergency) == (True, 0, False)
    assert decoder.hear(Speed(EVERYONE, False, 9))
    assert (decoder.forward, decoder.step) == (False, 9)


def test_a_reset_stops_and_forgets_the_functions() -> None:
    decoder = Decoder(CAB3)
    decoder.hear(FAST)
    decoder.hear(Functions(CAB3, 0, frozenset({0, 2})))
    assert decoder.hear(ResetAll())
    assert (decoder.step, decoder.emergency, decoder.functions) == (0, True, set())


def test_functions_of_one_group_leave_the_others_alone() -> None:
    decoder = Decoder(CAB3)
    assert not decoder.hear(Functions(CAB3, 0, frozenset({0, 4})))
    decoder.hear(Functions(CAB3, 5, frozenset({5})))
    decoder.hear(Functions(CAB3, 0, frozenset({1})))
    decoder.hear(Functions(Address(4), 0, frozenset({3})))
    assert decoder.functions == {1, 5}
    decoder.hear(Functions(EVERYONE, 5))
    assert decoder.functions == {1}


def test_a_waveform_drives_a_locomotive() -> None:
    rails, decoder = Rails(), Decoder(Address.of(1234))
    heard = rails.send(
        Idle(), Speed(Address.of(1234), False, 30), Idle(), Functions(Address.of(1234), 0, frozenset({0}))
    )
    for packet in heard:
        decoder.hear(packet)
    assert (decoder.forward, decoder.step, decoder.functions) == (False, 30, {0})


# ---------------------------------------------------------------- any edges at all

HALVES = st.one_of(
    st.sampled_from([58.0, 100.0, 52.0, 64.0, 90.0, 10_000.0, 0.0, -58.0, math.nan, math.inf]),
    st.floats(0, 20_000),
)


@given(st.lists(st.tuples(HALVES, st.booleans(), st.sampled_from([True] * 20 + [False])), max_size=300))
def test_no_edges_raise_and_none_are_kept(edges: list[tuple[float, bool, bool]]) -> None:
    signal = Signal()
    now_us = 0.0
    for half_us, high, enabled in edges:
        now_us += half_us
        if not enabled:
            signal.enable(False)
            signal.enable(True)
        signal.edge(now_us, high)
        assert len(signal._bits._data or b"") <= 6
    rails = Rails(signal)
    assert rails.send(Idle(), Idle(), FAST)[-1] == FAST


@given(st.lists(st.sampled_from([58.0, 100.0]), max_size=400))
def test_after_any_halves_the_second_packet_is_heard(halves: list[float]) -> None:
    rails = Rails()
    rails.halves(halves)
    assert rails.send(Idle(), Idle(), FAST)[-1] == FAST
