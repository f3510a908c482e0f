"""A node whose line a broker carries: what reaches it, what does not, and that it stands whatever dies between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from node_sim_bench import WIRING
from shared_cache import shared_cache
from tunnel_bench import TOPICS, TunnelNode, at_once, on_tunnel

from pointsman.drivers.node import NodeDriver
from pointsman.drivers.node.tunnel import Tunnel
from pointsman.errors import PortError
from pointsman.messages import Drive, LinkLost, SensorChanged, SetPower, SetTurnout, StationStopped, Stop
from pointsman.protocols import node_messages as m
from pointsman.protocols import node_tunnel as t
from pointsman.protocols.jmri_mqtt import publish_packet
from pointsman.protocols.node import STOP, write_command
from pointsman.transports.memory import memory_pair
from pointsman.transports.mqtt_memory import MemoryLink
from pointsman.workbench.bridging import Bridge
from railsim.clock import run_virtual

WATCHDOG_S = 1.0
SILENT_S = 1.0
BRAKES_S = 0.5
"""So long the simulated locomotive runs on without current."""


def second(node: TunnelNode) -> NodeDriver:
    """Another host at the same broker."""
    return NodeDriver(Tunnel(MemoryLink(node.broker), TOPICS), WIRING, emit=lambda _: None)


@on_tunnel
async def test_commands_and_reports_pass(node: TunnelNode) -> None:
    assert await node.does(SetTurnout("T1", True), 2.0)
    assert node.simulation.truth().lie["T1"] == "thrown"
    await node.running()
    node.simulation.show_beam("s3", True)
    await asyncio.sleep(0.05)
    assert ("s3", True) in [(e.sensor, e.active) for e in node.of(SensorChanged)]
    assert await node.does(Stop("L", True), 1.0)
    assert node.speed_mm_s == 0
    assert not node.of(LinkLost)
    assert not node.broker.retained
    assert not any(delivery.retained for delivery in node.heard)


@on_tunnel
async def test_a_stop_is_a_message_of_its_own(node: TunnelNode) -> None:
    await node.running()
    node.heard.clear()
    node.driver.halt()
    assert await node.stands_after_s(BRAKES_S) > 0
    stops = [t.read(one.payload) for one in node.heard if STOP in one.payload]
    assert stops
    assert {one.data for one in stops if isinstance(one, t.Carried)} == {STOP}


@on_tunnel
async def test_without_the_supervision_the_node_trips(node: TunnelNode) -> None:
    """The bridge and the link live on; neither of them beats for it."""
    await node.running()
    node.beating = False
    assert await node.stands_after_s(WATCHDOG_S + BRAKES_S) > WATCHDOG_S - 0.3
    assert node.tunnel.is_open
    assert [e.why for e in node.of(StationStopped)] == ["no heartbeat came"]


def test_a_play_over_it_ends_with_the_goal_in_truth(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    async def main() -> None:
        node = await TunnelNode().up()
        node.beating = False  # the dispatcher's supervision does it
        node.to_bridge = node.from_bridge = lambda arrives: node.loop.call_later(0.005, arrives)
        try:
            final = await node.play(tmp_path / "journal", shared_cache(tmp_path_factory), "s1: 3 1 2")
            assert "s1: 3 1 2" in str(final.position)
            assert [vehicle.name for vehicle in node.simulation.truth().on["s1"]] == ["3", "1", "2"]
            assert node.simulation.incidents == []
        finally:
            await node.down()

    run_virtual(main())


# ---------------------------------------------------------------- what dies


@on_tunnel
async def test_without_the_broker_everything_stands_and_stays_so(node: TunnelNode) -> None:
    await node.running()
    node.broker.stop()
    assert await node.stands_after_s(BRAKES_S) < BRAKES_S
    assert [e.why for e in node.of(LinkLost)] == ["the broker: closed by the broker"]
    assert not node.host.is_open, "the bridge has closed the node's port"
    node.broker.start()
    await node.stays()
    await node.again()
    assert node.speed_mm_s == 0
    await node.running()


@on_tunnel
async def test_a_bridge_that_ends_stops_the_node(node: TunnelNode) -> None:
    await node.running()
    await node.unbridged()
    await node.stands_after_s(BRAKES_S)
    assert [e.why for e in node.of(LinkLost)] == ["the bridge has given up the line: the bridge has been ended"]
    await node.bridged()
    await node.stays()
    await node.again()
    await node.running()


@on_tunnel
async def test_a_bridge_that_loses_the_broker_alone_stops_the_node(node: TunnelNode) -> None:
    await node.running()
    node.bridge_link.cut()
    await node.stands_after_s(BRAKES_S)
    assert [e.why for e in node.of(LinkLost)] == ["the bridge has lost the broker"]
    await node.stays()


@on_tunnel
async def test_a_bridge_that_hangs_is_noticed_and_its_node_trips(node: TunnelNode) -> None:
    await node.running()
    held: list[Callable[[], None]] = []
    node.to_bridge = node.from_bridge = held.append
    node.to_node = lambda _: b""  # it says nothing to its node either
    await node.stands_after_s(WATCHDOG_S + BRAKES_S)
    await asyncio.sleep(SILENT_S)
    assert [e.why for e in node.of(LinkLost)] == ["nothing fresh has come from the bridge for 1 s"]
    node.to_bridge, node.from_bridge, node.to_node = at_once, at_once, lambda data: data
    for arrives in held:
        arrives()  # all of it, late
    await node.stays()


@on_tunnel
async def test_a_bridge_that_stood_still_gives_up_what_may_be_old(node: TunnelNode) -> None:
    node.loop.pause(0.7)  # type: ignore[attr-defined]
    await asyncio.sleep(1.0)
    assert "the bridge stood still for" in node.said[-1]
    assert node.of(LinkLost)
    await node.stays()


@on_tunnel
async def test_a_host_that_dies_is_told_by_its_last_will(node: TunnelNode) -> None:
    await node.running()
    node.beating = False
    node.host_link.cut()
    await node.stands_after_s(BRAKES_S)
    assert "it has died, or hangs" in node.said[-1]
    assert not node.host.is_open
    node.beating = True
    await node.again()


@on_tunnel
async def test_a_host_that_falls_silent_loses_the_line(node: TunnelNode) -> None:
    """Without a last will: its network swallows everything."""
    await node.running()
    node.to_bridge = lambda _: None
    await node.stands_after_s(WATCHDOG_S + BRAKES_S)
    await asyncio.sleep(1.0)
    assert "nothing fresh has come from it for 1.5 s" in node.said[-1]
    assert not node.host.is_open


@on_tunnel
async def test_a_guardian_stops_the_node_at_once(node: TunnelNode) -> None:
    frames = node.driver.guardian_frames()
    assert frames
    for frame in frames:
        payload = frame.partition(TOPICS.to.encode())[2]
        assert frame == publish_packet(TOPICS.to, payload)
    await node.running()
    node.broker.publish(TOPICS.to, payload)
    await node.stands_after_s(BRAKES_S)
    assert "it has died, or hangs" in node.said[-1]


@on_tunnel
async def test_where_only_this_process_can_write_the_guardian_ends_the_connection(node: TunnelNode) -> None:
    class Encrypted(MemoryLink):
        encrypted = True  # type: ignore[assignment]

    driver = NodeDriver(Tunnel(Encrypted(node.broker), TOPICS), WIRING, emit=lambda _: None)
    assert driver.guardian_frames() == ()


# ---------------------------------------------------------------- what is old, doubled, or somebody else's


@on_tunnel
async def test_what_comes_late_moves_nothing(node: TunnelNode) -> None:
    node.to_bridge = lambda arrives: node.loop.call_later(0.5, arrives)
    node.driver.send(Drive("L", True, 60), 90)
    for _ in range(30):
        await asyncio.sleep(0.1)
        assert node.speed_mm_s == 0
    assert any("0.3 s late is not carried on" in said for said in node.said)
    assert node.of(LinkLost)


@on_tunnel
async def test_a_short_hitch_of_the_network_is_got_over(node: TunnelNode) -> None:
    await node.running()
    node.broker.stall(True)
    await asyncio.sleep(0.4)
    node.broker.stall(False)
    await asyncio.sleep(5)
    assert node.speed_mm_s > 80
    assert not node.of(LinkLost)


def test_on_a_slow_network_a_heartbeat_that_is_answered_late_counts_too() -> None:
    async def main() -> None:
        node = TunnelNode()
        node.to_bridge = node.from_bridge = lambda arrives: node.loop.call_later(0.06, arrives)
        await node.up()
        try:
            assert await node.does(SetPower(True), 2.0)
            assert await node.does(Drive("L", True, 60), 5.0)
            assert node.speed_mm_s > 80
            assert not node.of(LinkLost, StationStopped)
        finally:
            await node.down()

    run_virtual(main())


@on_tunnel
async def test_what_is_said_after_a_long_hitch_moves_nothing(node: TunnelNode) -> None:
    await node.running()
    node.broker.stall(True)
    await node.stands_after_s(WATCHDOG_S + BRAKES_S)
    await asyncio.sleep(2)
    node.broker.stall(False)
    await node.stays()
    assert node.of(LinkLost)


def drive_line() -> bytes:
    return write_command(777, m.Drive(True, 60))


def driving(node: TunnelNode) -> bytes:
    """The one message of the host's since then that has let the locomotive drive."""
    (found,) = [one.payload for one in node.heard if one.topic == TOPICS.to and b" drive 1 60*" in one.payload]
    return found


@on_tunnel
async def test_a_line_that_is_no_hosts_moves_nothing(node: TunnelNode) -> None:
    def latest() -> t.Carried:
        found = next(t.read(one.payload) for one in reversed(node.heard) if one.topic == TOPICS.back)
        assert isinstance(found, t.Carried)
        return found

    def carried(session: str) -> bytes:
        return t.write(t.Carried(session, 10**6, latest().number, drive_line()))

    for payload in (drive_line(), b"\n" + drive_line(), b"hello\n" + drive_line(), carried("a.b")):
        node.broker.publish(TOPICS.to, payload, retain=True)
        await asyncio.sleep(0.3)
        assert node.speed_mm_s == 0, payload
    assert any("no host has written" in said for said in node.said)
    assert node.world.powered
    assert not node.of(LinkLost)
    # whoever read along could write what a host would: then, at the latest, it is noticed
    node.broker.publish(TOPICS.to, carried(latest().host + ".b"))
    await node.stands_after_s(BRAKES_S)
    assert "there are two of this name" in node.of(LinkLost)[0].why


@on_tunnel
async def test_a_message_that_comes_twice_is_carried_once(node: TunnelNode) -> None:
    node.heard.clear()
    assert await node.does(Drive("L", True, 60), 0.05)
    assert await node.does(Stop("L", True), 0.05)
    node.broker.publish(TOPICS.to, driving(node))
    await asyncio.sleep(0.5)
    assert node.speed_mm_s == 0


@on_tunnel
async def test_what_the_broker_has_kept_moves_nothing(node: TunnelNode) -> None:
    node.heard.clear()
    await node.running()
    drive = driving(node)
    for kept in (drive, drive_line(), STOP, t.write(t.Open("somebody"))):
        await node.unbridged()
        node.broker.publish(TOPICS.to, kept, retain=True)
        await node.stands_after_s(WATCHDOG_S + BRAKES_S)
        await node.bridged()
        assert "the broker has kept a message" in node.said[-1]
        await node.again()
        await asyncio.sleep(1)
        assert node.speed_mm_s == 0
        assert node.world.powered, "what is kept stops nothing either"


@on_tunnel
async def test_anybody_may_stop_it(node: TunnelNode) -> None:
    await node.running()
    node.broker.publish(TOPICS.to, STOP)
    await node.stands_after_s(BRAKES_S)
    assert [e.why for e in node.of(StationStopped)] == ["it was told to stop"]


# ---------------------------------------------------------------- one host, one bridge


@on_tunnel
async def test_a_second_host_is_refused_and_the_first_goes_on(node: TunnelNode) -> None:
    await node.running()
    other = second(node)
    with pytest.raises(PortError, match="another program has the line"):
        await other.open()
    await other.close()
    await asyncio.sleep(3)
    assert node.speed_mm_s > 80
    await node.driver.close()
    await node.stands_after_s(BRAKES_S)
    await other.open()
    await other.close()


@on_tunnel
async def test_two_bridges_of_one_name_are_noticed(node: TunnelNode) -> None:
    await node.driver.close()
    near, far = memory_pair("another node")
    await far.open()
    other = asyncio.ensure_future(Bridge(near, MemoryLink(node.broker), TOPICS, lambda _: None).run())
    await asyncio.sleep(0.1)
    try:
        with pytest.raises(PortError, match=f"two bridges are called {TOPICS.name}"):
            await node.driver.open()
    finally:
        other.cancel()
        await asyncio.wait([other])
        await far.close()


@on_tunnel
async def test_a_port_that_is_gone_is_told_to_the_host(node: TunnelNode) -> None:
    await node.running()
    node.host.plug(False)
    await node.stands_after_s(WATCHDOG_S + BRAKES_S)
    assert [e.why for e in node.of(LinkLost)] == ["the bridge has given up the line: the node's port: the port is gone"]
    with pytest.raises(PortError, match=r"there is no such port \(plug it in again\)"):
        await node.driver.open()
    node.host.plug(True)
    await node.again()
    await node.running()


@on_tunnel
async def test_without_a_bridge_it_says_what_is_missing(node: TunnelNode) -> None:
    await node.driver.close()
    await node.unbridged()
    with pytest.raises(PortError, match=r"no bridge of this name answers[\s\S]*--name node"):
        await node.driver.open()


@on_tunnel
async def test_a_bridge_waits_for_its_broker(node: TunnelNode) -> None:
    await node.driver.close()
    await node.unbridged()
    node.broker.stop()
    node.said.clear()
    await node.bridged()
    await asyncio.sleep(20)
    assert len(node.said) == 1, "said once"
    assert "nobody answers" in node.said[0]
    node.broker.start()
    await asyncio.sleep(2)
    await node.again()
