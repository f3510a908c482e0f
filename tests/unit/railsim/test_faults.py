"""How a fault is written, what its seed chooses, and those of the host's side."""

from __future__ import annotations

import asyncio

import pytest
from fault_bench import wiring
from hypothesis import given
from hypothesis import strategies as st
from sim_tracks import CLOSED, THROWN, fork_track

from pointsman.errors import LinkLostError, PortError, UsageError
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.faults import ABOUT, BEHIND_BROKER, Fault, On, Planned, check_fault, kinds_table, parse_fault
from railsim.incidents import FaultStruck
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
