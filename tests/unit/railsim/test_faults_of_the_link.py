"""Faults of bytes and of the station: each changes what it says, at its moment, and nothing else."""

from __future__ import annotations

import pytest
from fault_bench import Bench

# ---------------------------------------------------------------- a layout in time, without any clock


def test_without_a_fault_nothing_is_changed() -> None:
    plain = Bench()
    plain.say("<t 3 10 1><#>")
    assert b"<l 3 0 139 0>" in plain.until(3.1)
    assert plain.rig.struck == []


# ---------------------------------------------------------------- bytes


def answers(fault: str, text: str = "<#>", wait_s: float = 0.2) -> bytes:
    bench = Bench(fault)
    bench.until(10.0)
    bench.say(text)
    return bench.until(10.0 + wait_s)


def test_a_lost_byte() -> None:
    assert answers("lost-bytes:to-station@5") == b""
    assert len(answers("lost-bytes:from-station@5")) == len(answers("delay:from-station@500")) - 1
    assert answers("lost-bytes:to-station@5", "<#><#><#><#>").count(b"<# 50>") == 3


def test_a_doubled_byte() -> None:
    plain = answers("delay@500")
    twice = answers("doubled-bytes:from-station@5")
    assert len(twice) == len(plain) + 1
    assert any(twice[:i] + twice[i + 1 :] == plain for i in range(len(twice)))


def test_a_corrupted_byte() -> None:
    plain = answers("delay@500")
    spoilt = answers("corrupted-bytes:from-station@5")
    differing = [a ^ b for a, b in zip(plain, spoilt, strict=True) if a != b]
    assert len(differing) == 1
    assert differing[0].bit_count() == 1


def test_an_amount_of_bytes_spoils_one_in_each_write() -> None:
    bench = Bench("lost-bytes:from-station@5=2")
    bench.until(10.0)
    lengths = []
    for _ in range(3):
        bench.say("<#>")
        lengths.append(len(bench.until(bench.world.now_s + 0.1)))
    assert lengths == [lengths[2] - 1, lengths[2] - 1, lengths[2]]


def test_split_bytes_come_one_by_one_and_whole() -> None:
    bench = Bench("split-bytes:from-station@5=3")
    bench.until(6.0)
    bench.said.clear()
    bench.say("<#>")
    said = bench.until(7.0)
    assert said == answers("delay@500")
    assert [len(data) for _, data in bench.said] == [1] * len(said)
    gaps = [later - sooner for (sooner, _), (later, _) in zip(bench.said, bench.said[1:], strict=False)]
    assert all(0.001 <= gap <= 0.030 for gap in gaps)


def test_delayed_bytes_come_later_in_order() -> None:
    bench = Bench("delay:from-station@5=0.3")
    bench.until(10.0)
    bench.say("<#>")
    assert bench.until(10.29) == b""
    assert bench.until(10.32).startswith(b"<# 50>")


def test_held_bytes_come_all_at_once() -> None:
    bench = Bench("bytes-held:from-station@5=2")
    bench.until(5.5)
    bench.say("<#>")
    bench.until(6.5)
    bench.say("<#>")
    assert bench.until(6.999) == b""
    assert bench.until(7.0).count(b"<# 50>") == 2


@pytest.mark.parametrize("direction", ["to-station", "from-station"])
def test_a_silent_direction(direction: str) -> None:
    bench = Bench(f"silent:{direction}@5=2")
    bench.until(5.5)
    bench.say("<t 3 20 1><#>")
    assert bench.until(6.9) == b""
    assert bench.world.standing is (direction == "to-station")
    bench.until(7.1)
    bench.say("<#>")
    assert bench.until(7.3).startswith(b"<# 50>")


# ---------------------------------------------------------------- the station


def test_a_reset_forgets_and_greets() -> None:
    bench = Bench("station-reset@5")
    bench.say("<t 3 20 1>")
    bench.until(4.9)
    assert not bench.world.standing
    bench.until(5.0)
    assert not bench.world.powered
    bench.until(8.0)
    assert bench.world.standing
    assert [round(t_s, 1) for t_s in bench.heard_at(b"<iDCC-EX")] == [1.5, 6.5]
    bench.say("<t 3>")
    assert b"<l 3 -1 128 0>" in bench.until(8.2)


def test_a_full_buffer_loses_what_is_more_than_the_ring() -> None:
    bench = Bench("full-buffer@5=1")
    bench.until(5.1)
    bench.say("<#>" * 40)
    assert bench.until(5.99) == b""
    assert bench.until(7.0).count(b"<# 50>") == 21
    assert bench.rig.station.lost_bytes("usb") == 120 - 64


def test_a_short_circuit_takes_the_power_and_is_told_on_usb_only() -> None:
    bench = Bench("short-circuit@5=2")
    bench.rig.station.connect("tcp", serial=False)
    heard: list[tuple[str, bytes]] = []
    bench.say("<t 3 10 1>")
    bench.until(4.9)
    assert not bench.world.standing
    heard += bench.rig.advance(5.12)
    assert not bench.world.powered
    heard += bench.rig.advance(6.0)
    text = {port: b"".join(data for to, data in heard if to == port) for port in ("usb", "tcp")}
    assert [b"TRACK A ALERT" in text["usb"], b"TRACK A POWER OVERLOAD" in text["usb"]] == [True, True]
    assert text["tcp"] == b""
    bench.until(9.0)
    assert bench.world.powered
    assert not bench.world.standing  # the station has gone on sending
