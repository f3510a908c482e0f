"""``doctor`` at a node, against the simulated one: it is asked only, what does not fit is told, moving ends safe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace

import pytest
from node_sim_bench import TRACK, WIRING

from pointsman.drivers.hearing import Seen
from pointsman.drivers.moved import Moved
from pointsman.drivers.node.hearing import NodeEar
from pointsman.drivers.node.moving import NodeMover
from pointsman.errors import LinkLostError, StationError
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import Asked, NodeReader, StopAsked
from pointsman.protocols.node_constants import Latch
from pointsman.track.wiring import NodeBoard, NodeWiring, TurnoutKind, Wiring
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.setup import Setup


class Bench:
    """An ear at the simulated Uno; ``asked`` is what it was told, ``passes`` changes that on its way."""

    def __init__(self, wiring: Wiring, there: Wiring) -> None:
        self.seen: list[Seen] = []
        self.moved: list[Moved] = []
        self.asked: list[m.Command] = []
        self.stops = 0
        self.passes: Callable[[bytes], bytes] = lambda data: data
        self.magnets: set[str] = set()
        self.simulation = Simulation(TRACK, there, Setup.parse("head: L | s1: 1 2 3 | s2: 4 5"), seed=1, boot_s=0.1)
        self.host, self.far = memory_pair("the node")
        self.comes: Callable[[bytes], bytes] = lambda data: data
        self._line = self.simulation.memory(self._up)
        self._reader = NodeReader()
        self.far.listen(self._down, lambda _: None)
        self.ear = NodeEar(self.host, wiring, self.seen.append)

    def _up(self, data: bytes) -> None:
        passed = self.comes(data)
        if self.far.is_open and passed:
            self.far.write(passed)

    def _down(self, data: bytes) -> None:
        for said in self._reader.feed(data):
            if isinstance(said, Asked):
                self.asked.append(said.command)
            self.stops += isinstance(said, StopAsked)
        self._line.write(self.passes(data))

    def told(self, what: str) -> str:
        return next(one.state for one in self.ear.told() if one.what == what)

    def wrong(self) -> dict[str, tuple[str, str]]:
        return {one.what: (one.wrong, one.cure) for one in self.ear.told() if one.wrong}

    def hear_of(self, one: Moved) -> None:
        self.moved.append(one)

    async def move(self, *, coils: bool = True) -> list[Moved]:
        return await NodeMover(self.ear, self.hear_of).move(coils=coils)


def at_node(
    act: Callable[[Bench], Coroutine[None, None, None]], wiring: Wiring = WIRING, there: Wiring = WIRING
) -> None:
    async def main() -> None:
        bench = Bench(wiring, there)
        await bench.far.open()
        try:
            await act(bench)
        finally:
            await bench.ear.close()
            await asyncio.sleep(0.01)
            await bench.far.close()
            await bench.simulation.close()

    run_virtual(main())


def test_everything_is_told_and_nothing_is_commanded() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        assert bench.ear.greeting == "node 0.1.0 on an Arduino Uno or Nano; started last: the supply came on"
        assert bench.told("node") == "keeps everything stopped: it has started"
        assert bench.told("settings") == "as they were stored"
        assert bench.told("watchdog").startswith("off: not tried")
        assert bench.told("track relay") == "open"
        assert bench.told("turnout T1") == "nobody has set them yet"
        assert [bench.told(f"beam {name}") for name in ("head", "s1")] == [
            "BROKEN" if bench.simulation.world.beam_broken(name) else "free" for name in ("head", "s1")
        ]
        assert bench.told("magnet s1") == "off"
        assert bench.told("locomotive L") == "stands"
        assert bench.wrong() == {}
        assert bench.ear.details["latency_ms"]["count"] == 22
        assert bench.ear.details["settings"]["machine.2"] == 1
        assert any("differ from the safe defaults in: closed_us 1 1250" in fact for fact in bench.ear.facts)
        assert {type(one) for one in bench.asked} == {m.Hello, m.Get, m.State}
        assert bench.stops == 0

    at_node(act)


def test_every_change_is_told_and_a_restart_asks_everything_anew() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        asyncio.get_running_loop().call_later(0.5, bench.simulation.show_beam, "s3", True)
        asyncio.get_running_loop().call_later(1.0, bench.simulation.reset_station)
        await bench.ear.keep(5.0)
        told = [one.text for one in bench.seen]
        assert told[0] == "beam s3: BROKEN"
        assert (bench.seen[0].beam, bench.seen[0].broken) == ("s3", True)
        assert "node: it has started anew: the reset button, or the port was opened" in told
        assert bench.asked.count(m.State()) == 2

    at_node(act)


def test_a_node_that_falls_silent_is_said_so_once() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        bench.far.listen(lambda _: None, lambda _: None)
        await bench.simulation.close()
        await bench.ear.keep(10.0)
        assert [one.text for one in bench.seen] == ["node: silent for 1.5 s"]

    at_node(act)


def test_a_link_that_goes_ends_the_watch() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(bench.far.close()))
        with pytest.raises(LinkLostError, match="the link was lost"):
            await bench.ear.keep(None)

    at_node(act)


def test_what_is_lost_on_the_way_is_asked_for() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        bench.comes = lambda data: b"" if b" beam " in data else data
        bench.simulation.show_beam("s3", True)
        asyncio.get_running_loop().call_later(0.1, setattr, bench, "comes", lambda data: data)
        await bench.ear.keep(2.0)
        assert [one.text for one in bench.seen] == ["beam s3: BROKEN"]
        assert bench.asked.count(m.State()) == 2

    at_node(act)


NO_RELAY = replace(WIRING, stations={"node": replace(WIRING.stations["node"], node=NodeWiring(NodeBoard.UNO, False))})
SOLENOID = replace(
    WIRING, turnouts={**WIRING.turnouts, "T2": replace(WIRING.turnouts["T2"], kind=TurnoutKind.SOLENOID, inverted=True)}
)
OTHERWISE = {
    "a solenoid": (
        SOLENOID,
        "turnout T2",
        "set to machine 1 (a servo) at the node, and the wiring has a solenoid with two coils (2)",
        "pointsman node setup: machine",
    ),
    "another board": (
        replace(WIRING, stations={"node": replace(WIRING.stations["node"], node=NodeWiring(NodeBoard.MEGA, True))}),
        "node",
        "it is an Arduino Uno or Nano, and the wiring has an Arduino Mega",
        "correct `board`",
    ),
    "too many beams": (
        replace(WIRING, beams={**WIRING.beams, "s3": replace(WIRING.beams["s3"], number=7)}),
        "beam s3",
        "beam 7 is wired, and the node has pins for 4",
        "pointsman node flash",
    ),
    "a coil held too long": (
        replace(WIRING, uncouplers={**WIRING.uncouplers, "s2": replace(WIRING.uncouplers["s2"], hold_s=0.9)}),
        "magnet s2",
        "held for 900 ms, and the node allows 500",
        "hold_s",
    ),
    "neither relay nor watchdog": (NO_RELAY, "locomotive L", "the node's watchdog is off", "relay = true"),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_the_wiring_needs_and_the_node_has_not_is_told_at_its_thing(name: str) -> None:
    wiring, thing, what, cure = OTHERWISE[name]

    async def act(bench: Bench) -> None:
        await bench.ear.open()
        (found,) = bench.wrong().items()
        assert found[0] == thing
        assert what in found[1][0]
        assert cure in found[1][1]

    at_node(act, wiring)


def test_a_node_without_a_relay_that_came_back_from_its_watchdog_is_right() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        assert bench.wrong() == {}
        assert bench.told("watchdog") == "on: the board came back from it when it was tried"

    at_node(act, NO_RELAY, NO_RELAY)


def test_every_machine_is_tried_and_all_is_off_afterwards() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        moved = await bench.move()
        assert [(one.machine, one.what) for one in moved] == [
            ("turnout T1", "thrown, then closed"),
            ("turnout T2", "thrown, then closed"),
            *((f"magnet {name}", "on for 0.5 s") for name in ("s1", "s2", "s3")),
        ]
        assert moved == bench.moved
        assert [one.step for one in bench.asked if isinstance(one, m.Drive)] == [0]
        before = bench.asked[: bench.asked.index(m.Arm())]
        assert not [one for one in before if isinstance(one, m.Magnet) and one.on_ms]
        assert m.Drive(True, 0) in before
        assert bench.asked[-1] == m.Off()
        assert bench.stops == 1
        await bench.ear.keep(0.5)
        assert bench.ear.reports.latch is Latch.HOST
        assert bench.simulation.world.magnets_on == frozenset()
        assert not bench.simulation.world.powered
        assert not bench.simulation.truth().moving
        assert bench.simulation.incidents == []

    at_node(act)


def test_a_solenoid_rests_between_its_pulses_and_gets_them_from_an_armed_node_only() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        assert [one.machine for one in await bench.move(coils=False)] == ["turnout T1"]
        moved = await bench.move()
        assert [one.machine for one in moved[:2]] == ["turnout T1", "turnout T2"]
        assert {one.what for one in moved[:2]} == {"thrown, then closed"}
        first = next(i for i, one in enumerate(bench.asked) if isinstance(one, m.Turnout) and one.turnout == 2)
        assert first > bench.asked.index(m.Arm())
        assert bench.simulation.truth().lie["T2"] == "closed"
        assert bench.simulation.incidents == []

    at_node(act, SOLENOID, SOLENOID)


def test_a_link_that_goes_while_the_node_is_armed_says_what_the_node_does_by_itself() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        moving = asyncio.ensure_future(bench.move())
        assert await bench.ear.until(lambda: bench.told("magnet s1") == "ON", 20.0)
        await bench.far.close()
        with pytest.raises(LinkLostError, match="without heartbeats it stops everything in 1 s") as error:
            await moving
        assert "relay" in error.value.cure
        await asyncio.sleep(1.5)
        assert not bench.simulation.world.powered
        assert bench.simulation.world.magnets_on == frozenset()

    at_node(act)


def test_servos_are_tried_without_arming() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        assert len(await bench.move(coils=False)) == 2
        assert not [one for one in bench.asked if isinstance(one, m.Beat | m.Arm | m.Magnet | m.Drive)]
        assert not bench.simulation.world.powered

    at_node(act)


def test_where_somebody_drives_nothing_is_moved() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        for message in (m.Beat(), m.Arm()):
            await bench.ear.talk.ask(message)
        await bench.ear.until(lambda: bench.ear.armed, 1.0)
        assert bench.told("node") == "ARMED: a program drives here"
        asked = len(bench.asked)
        with pytest.raises(StationError, match="somebody drives here"):
            await bench.move()
        assert len(bench.asked) == asked

    at_node(act)


def test_broken_off_while_a_magnet_is_on_everything_is_off_at_once() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        moving = asyncio.ensure_future(bench.move())
        assert await bench.ear.until(lambda: bench.told("magnet s2") == "ON", 20.0)
        assert bench.simulation.world.magnets_on == {"s2"}
        moving.cancel()
        await asyncio.wait([moving])
        assert moving.cancelled()
        assert bench.simulation.world.magnets_on == frozenset()
        assert not bench.simulation.world.powered

    at_node(act)


def test_a_node_that_hears_no_heartbeat_stops_and_nothing_more_is_tried() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        moving = asyncio.ensure_future(bench.move())
        assert await bench.ear.until(lambda: bench.told("magnet s1") == "ON", 20.0)
        bench.passes = lambda data: b"" if b" beat*" in data else data
        with pytest.raises(StationError):
            await moving
        assert [one.machine for one in bench.moved] == ["turnout T1", "turnout T2"]
        assert bench.simulation.world.magnets_on == frozenset()
        assert not bench.simulation.world.powered

    at_node(act)


def test_a_board_that_starts_anew_while_it_is_tried_ends_it() -> None:
    async def act(bench: Bench) -> None:
        await bench.ear.open()
        moving = asyncio.ensure_future(bench.move())
        assert await bench.ear.until(lambda: bench.told("turnout T1") == "they are on their way", 5.0)
        bench.simulation.reset_station()
        with pytest.raises(StationError, match=r"started anew|does not answer"):
            await moving
        assert not [one for one in bench.asked if isinstance(one, m.Arm)]

    at_node(act)
