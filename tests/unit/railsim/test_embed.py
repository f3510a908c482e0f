"""World and station together on the virtual clock, through the memory link."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sim_tracks import CLOSED, fork_track

from pointsman.errors import UsageError
from pointsman.protocols.dccex import HostReader
from pointsman.protocols.dccex import replies as r
from pointsman.track.model import End
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
from railsim.clock import run_virtual
from railsim.embed import MemoryLink, Simulation
from railsim.incidents import Kind
from railsim.setup import Setup


def wiring(*, inverted: bool = False, kind: TurnoutKind = TurnoutKind.SERVO) -> Wiring:
    return Wiring(
        "test",
        {"main": StationWiring("main", Protocol.DCCEX)},
        {"T1": TurnoutWiring("main", 1, kind, 1.3, inverted, "")},
        {name: BeamWiring("main", i, inverted) for i, name in enumerate(("head", "s1", "s2"), start=1)},
        {
            name: UncouplerWiring("main", i, UncouplerKind.COIL, 1.0, inverted, "hardware")
            for i, name in enumerate(("s1", "s2"), start=1)
        },
        {"L": LocomotiveWiring("main", 3)},
    )


class Host:
    """A host on the memory link that waits for replies."""

    def __init__(self, simulation: Simulation) -> None:
        self._reader = HostReader()
        self.heard: list[tuple[float, r.Reply]] = []
        self._news = asyncio.Event()
        self.link: MemoryLink = simulation.memory(self._on_bytes)

    def _on_bytes(self, data: bytes) -> None:
        t_s = asyncio.get_running_loop().time()
        self.heard += [(t_s, reply) for reply in self._reader.feed(data)]
        self._news.set()

    def say(self, text: str) -> None:
        self.link.write(text.encode())

    async def until(self, wanted: r.Reply, within_s: float = 60.0) -> float:
        """Forget all up to the reply and return when it came."""
        async with asyncio.timeout(within_s):
            while True:
                for i, (t_s, reply) in enumerate(self.heard):
                    if reply == wanted:
                        del self.heard[: i + 1]
                        return t_s
                self._news.clear()
                await self._news.wait()


Scene = Callable[[Simulation, Host], Awaitable[None]]


def stage(scene: Scene, position: str = "head: L | s1: 1 2", wired: Wiring | None = None, **more: End) -> Simulation:
    async def main() -> Simulation:
        setup = Setup.parse(position, more)
        simulation = Simulation(
            fork_track(), wired or wiring(), Setup(setup.segments, setup.facing, {"T1": CLOSED}), seed=3
        )
        host = Host(simulation)
        try:
            async with asyncio.timeout(600):
                await host.until(r.PowerState(False))
                await scene(simulation, host)
                simulation.truth()
        finally:
            await simulation.close()
        return simulation

    return run_virtual(main())


async def creep_out_and_couple(simulation: Simulation, host: Host) -> None:
    host.say("<1 MAIN><t 3 10 1>")
    await host.until(r.LocomotiveState(3, 10, True))
    await host.until(r.SensorState(1, True))
    await host.until(r.SensorState(1, False))
    reported = await host.until(r.SensorState(2, True))
    edge = simulation.world.now_s
    assert reported <= edge + 0.001
    host.say("<t 3 0 1>")
    await asyncio.sleep(3.0)


def test_a_host_drives_over_the_beams_and_couples() -> None:
    simulation = stage(creep_out_and_couple)
    truth = simulation.truth()
    assert truth.coupled == (("1", "2"), ("1", "L"))
    assert truth.line == "head: | s1: 1 2 | s2: | T1>closed: L"
    assert simulation.incidents == []


def test_everything_may_be_wired_upside_down() -> None:
    async def scene(simulation: Simulation, host: Host) -> None:
        host.say("<s>")
        await host.until(r.TurnoutState(1, True))
        for number in (1, 2, 3):
            await host.until(r.SensorState(number, True))
        host.say("<Z>")
        await host.until(r.OutputDefinition(1, 164, 6, True))
        host.say("<1 MAIN><t 3 10 1>")
        await host.until(r.SensorState(1, False))
        await host.until(r.SensorState(1, True))
        host.say("<t 3 0 1>")
        await asyncio.sleep(5.0)

    simulation = stage(scene, wired=wiring(inverted=True))
    assert simulation.incidents == [], "the magnets were off all the time"


def test_turned_round_it_runs_the_other_way() -> None:
    async def scene(simulation: Simulation, host: Host) -> None:
        before = simulation.truth().on["head"][0].from_mm
        host.say("<1 MAIN><t 3 10 1>")
        await asyncio.sleep(2.0)
        host.say("<t 3 0 1>")
        await asyncio.sleep(1.0)
        assert simulation.truth().on["head"][0].from_mm < before

    stage(scene, L=End.FROM)


def test_a_forgotten_magnet_burns_and_points_take_a_second() -> None:
    async def scene(simulation: Simulation, host: Host) -> None:
        host.say("<Z 1 1>")
        await host.until(r.OutputState(1, True))
        host.say("<T 1 1>")
        said = await host.until(r.TurnoutState(1, True))
        assert simulation.truth().lie["T1"] == "moving"
        await asyncio.sleep(0.97)
        assert simulation.truth().lie["T1"] == "moving", f"reported at {said}, and not over yet"
        await asyncio.sleep(0.05)
        assert simulation.truth().lie["T1"] == "thrown"
        await asyncio.sleep(2.0)

    assert [i.kind for i in stage(scene).incidents] == [Kind.COIL]


def test_the_host_dies_and_the_train_goes_on() -> None:
    async def scene(simulation: Simulation, host: Host) -> None:
        host.say("<1 MAIN><t 3 30 1>")
        await asyncio.sleep(60.0)

    kinds = [i.kind for i in stage(scene).incidents]
    assert kinds[-1] in {Kind.BUFFER, Kind.COLLISION}


def test_counters_and_an_answer_from_within_the_callback() -> None:
    """The host answers each fence at once with the next: nothing is lost or out of order."""

    async def main() -> None:
        simulation = Simulation(fork_track(), wiring(), Setup.parse("head: L"), boot_s=0.0)
        heard: list[bytes] = []
        done = asyncio.Event()

        def on_bytes(data: bytes) -> None:
            heard.append(data)
            if data == b"<# 50>\n":
                if heard.count(data) == 20:
                    done.set()
                else:
                    link.write(b"<JT><#>")

        link = simulation.memory(on_bytes)
        link.write(b"<JT><#>")
        await asyncio.wait_for(done.wait(), 10)
        await simulation.close()
        assert heard == [b"<jT 1>\n", b"<# 50>\n"] * 20
        assert link.received_bytes == 20 * 7
        assert link.sent_bytes == sum(map(len, heard))
        link.write(b"<#>")  # a simulation that is closed says nothing
        await asyncio.sleep(1)
        assert len(heard) == 40

    run_virtual(main())


def test_a_wiring_without_a_station_is_refused() -> None:
    async def main() -> None:
        with pytest.raises(UsageError, match="no station"):
            Simulation(fork_track(), Wiring("none", {}, {}, {}, {}, {}), Setup.parse("head: L"))

    run_virtual(main())


@pytest.mark.parametrize(
    ("kind", "shown"),
    [(TurnoutKind.STALL_MOTOR, r.TurnoutDefinition(1, "VPIN", (100,), False)),
     (TurnoutKind.ACCESSORY_DECODER, r.TurnoutDefinition(1, "DCC", (1, 0), False))],
)  # fmt: skip
def test_every_kind_of_points_is_over_within_its_time(kind: TurnoutKind, shown: r.Reply) -> None:
    async def scene(simulation: Simulation, host: Host) -> None:
        host.say("<T 1 X>")
        await host.until(shown)
        host.say("<T 1 1><T 9 1><t 9 20 1><Z 9 1>")  # and what nothing is wired to does nothing
        await host.until(r.TurnoutState(1, True))
        await asyncio.sleep(1.3)
        assert simulation.truth().lie["T1"] == "thrown"

    assert stage(scene, wired=wiring(kind=kind)).incidents == []


def test_points_moved_by_hand_are_not_the_stations() -> None:
    async def scene(simulation: Simulation, host: Host) -> None:
        host.say("<T 1 1>")
        await host.until(r.Refused())
        assert simulation.truth().lie["T1"] == "closed"

    stage(scene, wired=wiring(kind=TurnoutKind.HAND))


@pytest.mark.parametrize("inverted", [False, True])
def test_a_hand_goes_into_a_beam_and_leaves_it(inverted: bool) -> None:
    async def scene(simulation: Simulation, host: Host) -> None:
        if inverted:  # a free beam is then a change from what the station starts with
            await host.until(r.SensorState(3, True), within_s=0.1)
        for broken in (True, False):
            simulation.show_beam("s2", broken)
            await host.until(r.SensorState(3, broken is not inverted), within_s=0.1)
        with pytest.raises(UsageError, match="no beam 's9'"):
            simulation.show_beam("s9", True)

    stage(scene, wired=wiring(inverted=inverted))
