"""Every kind of fault changes what it says, at its moment, and nothing else; and how a fault is written."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim_tracks import CLOSED, THROWN, fork_track, line_track

from pointsman.errors import LinkLostError, PortError, UsageError
from pointsman.track.model import Track
from pointsman.track.wiring import (
    BeamWiring,
    LocomotiveWiring,
    Protocol,
    StationWiring,
    TurnoutKind,
    TurnoutWiring,
    UncouplerKind,
    UncouplerWiring,
    Wiring,
)
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.faults import ABOUT, BEHIND_BROKER, Fault, On, Planned, check_fault, kinds_table, parse_fault
from railsim.incidents import BeamChanged, FaultStruck, Kind, Parted, Stopped, WorldEvent
from railsim.rig import Rig
from railsim.setup import Setup

# ---------------------------------------------------------------- how a fault is written


@pytest.mark.parametrize(
    ("text", "planned"),
    [
        ("station-reset", Planned(Fault.RESET)),
        ("beam-late:head@12=0.5", Planned(Fault.BEAM_LATE, "head", 12.0, 0.5)),
        ("silent@30", Planned(Fault.SILENT, "", 30.0)),
        ("lost-bytes:to-station=3", Planned(Fault.LOST, "to-station", 0.0, 3.0)),
    ],
)
def test_written_and_read(text: str, planned: Planned) -> None:
    assert parse_fault(text) == planned
    assert parse_fault(str(planned)) == planned


@given(
    st.builds(
        Planned,
        st.sampled_from([kind for kind in Fault if ABOUT[kind].amount]),
        st.sampled_from(["", "head", "to-station", "T 1"]),
        st.integers(0, 9999).map(float),
        st.none() | st.integers(0, 99).map(float),
    )
)
def test_every_fault_is_read_as_it_is_written(planned: Planned) -> None:
    assert parse_fault(str(planned)) == planned


@pytest.mark.parametrize(
    ("text", "what", "cure"),
    [
        ("", "not understood", "KIND"),
        ("silent@", "not understood", "KIND"),
        ("silent@x", "not understood", "KIND"),
        ("silent@1.2.3", "no number", "KIND"),
        ("silence", "there is no fault 'silence'", "station-reset"),
        ("station-reset=3", "has no amount", "leave"),
    ],
)
def test_what_cannot_be_read_says_what_there_is(text: str, what: str, cure: str) -> None:
    with pytest.raises(UsageError, match=what) as raised:
        parse_fault(text)
    assert cure in raised.value.cure


@pytest.mark.parametrize(
    ("text", "what", "cure"),
    [
        ("beam-dead:hed", "there is no beam 'hed'", "head"),
        ("wagon-parts:L", "there is no wagon 'L'", "1"),
        ("runaway:1", "there is no locomotive '1'", "L"),
        ("turnout-slow:T9", "there is no turnout 'T9'", "T1"),
        ("silent:up", "there is no direction 'up'", "to-station"),
        ("host-paused:L", "host-paused has no target", "leave"),
        ("broker-restart:lost", "there is no memory of a broker 'lost'", "kept"),
        ("messages-late:to-node", "there is no way 'to-node'", "to-nodes"),
        ("messages-retained:horn", "there is no sort of command 'horn'", "speed"),
    ],
)
def test_a_target_that_is_not_there_says_what_is(text: str, what: str, cure: str) -> None:
    with pytest.raises(UsageError, match=what) as raised:
        check_fault(parse_fault(text), fork_track())
    assert cure in raised.value.cure


def test_every_kind_has_its_line() -> None:
    assert [line.split()[0] for line in kinds_table().splitlines()] == list(ABOUT)
    assert set(ABOUT) == set(Fault)


# ---------------------------------------------------------------- a layout in time, without any clock


def wiring(track: Track) -> Wiring:
    return Wiring(
        "test",
        {"main": StationWiring("main", Protocol.DCCEX)},
        {name: TurnoutWiring("main", i, TurnoutKind.SERVO, 1.3, False, "") for i, name in enumerate(track.turnouts, 1)},
        {name: BeamWiring("main", i, False) for i, name in enumerate(track.beams, 1)},
        {
            name: UncouplerWiring("main", i, UncouplerKind.COIL, 1.0, False, "hardware")
            for i, name in enumerate(track.uncouplers, 1)
        },
        {"L": LocomotiveWiring("main", 3)},
    )


class Bench:
    """A rig with a host at a serial port. Booted, powered, everything read; ``said`` is (time, text)."""

    def __init__(self, *faults: str, track: Track | None = None, position: str = "head: L | s1: 1 2") -> None:
        track = track or fork_track()
        self.events: list[WorldEvent] = []
        setup = Setup(Setup.parse(position).segments, {}, dict.fromkeys(track.turnouts, CLOSED))
        self.rig = Rig(
            track,
            wiring(track),
            setup,
            seed=3,
            on_event=self.events.append,
            faults=[parse_fault(fault) for fault in faults],
        )
        self.world = self.rig.world
        self.said: list[tuple[float, bytes]] = []
        self.rig.station.connect("usb", serial=True)
        self.until(2.0)
        self.say("<1 MAIN>")
        self.until(3.0)

    def say(self, text: str) -> None:
        self.rig.receive("usb", text.encode(), self.world.now_s)

    def until(self, t_s: float) -> bytes:
        """Let time pass; returns what the station has said meanwhile."""
        said = b""
        while (due := self.rig.next_event_s()) is not None and due <= t_s:
            for _, data in self.rig.advance(due):
                self.said.append((due, data))
                said += data
        self.rig.advance(t_s)
        return said

    def heard_at(self, text: bytes) -> list[float]:
        return [t_s for t_s, data in self.said if text in data]

    def happened(self, kind: type[WorldEvent]) -> list[float]:
        return [event.t_s for event in self.events if isinstance(event, kind)]

    def on(self, segment: str) -> list[str]:
        return [vehicle.name for vehicle in self.world.truth().on[segment]]


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


# ---------------------------------------------------------------- seeds


@pytest.mark.parametrize("kind", [kind for kind in Fault if ABOUT[kind].on not in {On.LINK, *BEHIND_BROKER}])
def test_without_a_target_the_seed_chooses(kind: Fault) -> None:
    def struck(seed: int) -> FaultStruck:
        rig = Rig(
            fork_track(),
            wiring(fork_track()),
            Setup({"head": ("L",), "s1": ("1", "2"), "s2": ("3", "4", "5")}, {}, {"T1": THROWN}),
            seed=seed,
            faults=[Planned(kind, at_s=1.0)],
        )
        rig.advance(2.0)
        (found,) = rig.struck
        return found

    assert struck(5) == struck(5)
    assert struck(5).target
    if kind not in (Fault.STALLS, Fault.RUNAWAY, Fault.DIRTY) and ABOUT[kind].on is not On.TURNOUT:
        assert len({struck(seed).target for seed in range(12)}) > 1


# ---------------------------------------------------------------- the host's side, on a loop


def test_a_port_that_vanishes_is_lost_and_comes_back() -> None:
    async def main() -> None:
        simulation = Simulation(
            fork_track(),
            wiring(fork_track()),
            Setup({"head": ("L",)}),
            faults=[Planned(Fault.VANISHES, at_s=3.0, amount=2.0)],
        )
        host, station = memory_pair()
        await station.open()
        link = simulation.memory(station.write, on_port=host.plug)
        station.listen(link.write, lambda _: None)
        heard: list[bytes] = []
        lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        host.listen(heard.append, lost.set_result)
        await host.open()
        await asyncio.sleep(2.9)
        assert not lost.done()
        assert "gone" in await lost
        assert asyncio.get_running_loop().time() == pytest.approx(3.0)
        with pytest.raises(LinkLostError):
            host.write(b"<#>")
        with pytest.raises(PortError, match="no such port"):
            await host.open()
        await asyncio.sleep(2.1)
        heard.clear()
        await host.open()
        host.write(b"<#>")
        await asyncio.sleep(0.1)
        assert b"<# 50>" in b"".join(heard)
        await host.close()
        await simulation.close()

    run_virtual(main())


def test_a_paused_host_finds_the_layout_further_on() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        heard: list[tuple[float, bytes]] = []
        simulation = Simulation(
            fork_track(),
            wiring(fork_track()),
            Setup({"head": ("L",)}, {}, {"T1": CLOSED}),
            faults=[Planned(Fault.PAUSED, at_s=3.5, amount=3.0)],
        )
        link = simulation.memory(lambda data: heard.append((loop.time(), data)))
        await asyncio.sleep(2.0)
        link.write(b"<1 MAIN><t 3 30 1>")
        await asyncio.sleep(1.4)
        before = simulation.world.now_s
        began = loop.time()
        await asyncio.sleep(0.2)
        assert loop.time() - began >= 3.0
        assert simulation.truth().t_s - before >= 3.0
        late = [t_s for t_s, data in heard if data.startswith(b"<Q")]
        assert late == [pytest.approx(6.5, abs=0.02)]  # the edge was while the host stood
        await simulation.close()

    run_virtual(main())


def test_only_a_clock_that_can_jump_lets_a_host_stand() -> None:
    async def main() -> None:
        with pytest.raises(UsageError, match="cannot be paused"):
            Simulation(fork_track(), wiring(fork_track()), Setup({"head": ("L",)}), faults=[Planned(Fault.PAUSED)])

    asyncio.run(main())
