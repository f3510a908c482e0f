"""The node driver on railsim's node and the simulated layout: what it does to trains, and what stops them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random

import pytest
from node_sim_bench import SimNode, on_node

from pointsman.errors import StationError
from pointsman.messages import (
    Drive,
    LinkLost,
    LocomotiveReported,
    PowerReported,
    SensorChanged,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    StationRestarted,
    StationStopped,
    Stop,
    TurnoutReported,
    UncouplerReported,
)
from pointsman.protocols.node import STOP, Numbers, write_command
from pointsman.protocols.node_constants import LATCHES, VERSION, Latch
from pointsman.protocols.node_messages import Arm, Beat, Hello

STEP_100_MM_S = 60
"""The locomotive of the Inglenook runs 100 mm/s at it, more or less."""
STEP_S = 0.01


@on_node
async def test_commands_move_the_layout_and_are_reported(node: SimNode) -> None:
    assert await node.does(SetTurnout("T1", True), 2.0)
    assert node.simulation.truth().lie["T1"] == "thrown"
    assert [(e.turnout, e.thrown) for e in node.of(TurnoutReported)] == [("T1", True)]
    node.driver.send(SetUncoupler("s1", True), 50)
    await asyncio.sleep(0.2)
    assert node.world.magnets_on == {"s1"}
    assert await node.does(SetUncoupler("s1", False))
    assert node.world.magnets_on == frozenset()
    assert [e.on for e in node.of(UncouplerReported)] == [True, False]
    assert await node.does(Drive("L", True, 20))
    assert node.world.speed_mm_s("L") > 20
    assert await node.does(Stop("L", True), 1.0)
    assert node.world.speed_mm_s("L") == 0
    assert await node.does(Drive("L", False, 20))
    assert [(e.forward, e.step) for e in node.of(LocomotiveReported)][-1] == (False, 20)


@on_node
async def test_a_coil_that_must_rest_says_so(node: SimNode) -> None:
    await asyncio.sleep(2.0)  # after a start, too
    assert await node.does(SetUncoupler("s1", True))
    assert await node.does(SetUncoupler("s1", False))
    node.driver.send(SetUncoupler("s1", True), 90)
    await asyncio.sleep(0.1)
    assert node.events[-1].why == "the node refused it: the coil must rest first"  # type: ignore[union-attr]


@on_node
async def test_a_direction_is_not_changed_while_it_runs(node: SimNode) -> None:
    assert await node.does(Drive("L", True, 20))
    assert not await node.does(Drive("L", False, 20), 0.05)
    assert node.events[-1].why == "the node refused it: something moves, or may"  # type: ignore[union-attr]


@on_node
async def test_beams_are_told_as_they_change(node: SimNode) -> None:
    node.simulation.show_beam("s3", True)
    await asyncio.sleep(0.05)
    node.simulation.show_beam("s3", False)
    await asyncio.sleep(0.05)
    assert [(e.sensor, e.active) for e in node.of(SensorChanged)] == [("s3", True), ("s3", False)]


async def _stops(node: SimNode, spoil: Callable[[], object]) -> float:
    """Run at 100 mm/s, let something go wrong; how long after that it stands. No further than 150 mm."""
    assert await node.does(Drive("L", True, STEP_100_MM_S), 1.5)
    assert 80 < node.world.speed_mm_s("L") < 120
    spoil()
    steps, further_mm = 0, 0.0
    while (speed_mm_s := node.world.speed_mm_s("L")) > 0:
        steps += 1
        further_mm += speed_mm_s * STEP_S
        assert further_mm < 150
        await asyncio.sleep(STEP_S)
    assert node.simulation.incidents == []
    return steps * STEP_S


@on_node
async def test_when_the_supervision_is_dead_and_the_program_lives_the_node_trips(node: SimNode) -> None:
    took_s = await _stops(node, lambda: setattr(node, "beating", False))
    assert 0.7 < took_s < 1.5
    (stopped,) = node.of(StationStopped)
    assert stopped.why == "no heartbeat came"
    assert [e.on for e in node.of(PowerReported)] == [False]
    node.beating = True
    await asyncio.sleep(3)
    assert node.world.speed_mm_s("L") == 0, "a heart that beats again starts nothing"
    assert not await node.does(Drive("L", False, 20))
    assert node.world.speed_mm_s("L") == 0


@on_node
async def test_a_cable_that_is_pulled_stops_the_train(node: SimNode) -> None:
    took_s = await _stops(node, lambda: node.host.plug(False))
    assert took_s < 1.5
    assert node.of(LinkLost)
    node.host.plug(True)


@on_node
async def test_the_stop_byte_stops_at_once(node: SimNode) -> None:
    assert await _stops(node, node.driver.halt) < 0.6
    assert not node.of(StationStopped)


@on_node
async def test_a_host_of_another_version_stops_the_train_until_the_power_is_switched_on_again(node: SimNode) -> None:
    hello = write_command(5000, Hello(VERSION + 1))
    assert await _stops(node, lambda: node.link.write(hello)) < 0.6
    (stopped,) = node.of(StationStopped)
    assert stopped.why == LATCHES[Latch.VERSION]
    assert not await node.does(Drive("L", True, 20))
    node.driver.release()
    assert await node.does(SetPower(True))
    assert node.world.speed_mm_s("L") == 0
    assert await node.does(Drive("L", True, 20), 1.0)
    assert node.world.speed_mm_s("L") > 20


@on_node
async def test_the_node_is_armed_only_with_the_speed_at_zero(node: SimNode) -> None:
    """A stop keeps what was commanded: a bare ``arm`` is refused, and the driver writes the zero before its own."""
    assert await node.does(Drive("L", True, 20))
    node.driver.halt()
    await asyncio.sleep(0.2)
    heard: list[bytes] = []
    node.to_host = lambda data: (heard.append(data), data)[1]  # type: ignore[func-returns-value]
    numbers = Numbers()
    for command in (Beat(), Arm()):
        node.link.write(write_command(5000 + numbers.take(), command))
        await asyncio.sleep(0.05)
    assert any(b" no moving*" in data for data in heard)
    with pytest.raises(AssertionError):
        await node.on()  # the program itself has stopped, too
    node.driver.release()
    assert await node.does(SetPower(True))
    assert node.world.speed_mm_s("L") == 0
    assert await node.does(Drive("L", True, 20))


@on_node
async def test_a_board_that_starts_anew_while_points_move(node: SimNode) -> None:
    node.driver.send(SetTurnout("T1", True), 70)
    await asyncio.sleep(0.1)
    node.simulation.reset_station()
    await asyncio.sleep(0.5)
    (restarted,) = node.of(StationRestarted)
    assert "the reset button, or the port was opened" in restarted.greeting
    assert [e.on for e in node.of(PowerReported)] == [False]
    with pytest.raises(StationError, match="link is not up"):
        node.driver.release()


@on_node
async def test_garbage_on_the_line_moves_nothing_and_loses_no_command(node: SimNode) -> None:
    """A quarter of the host's lines comes garbled, and one in twenty of the node's: repeated, or asked again."""
    dice = Random(1)
    garbled = {0.25: 0, 0.05: 0}

    def spoil(share: float, data: bytes) -> bytes:
        if data == STOP or dice.random() > share:
            return data
        garbled[share] += 1
        return data[:-3] + b"#" + data[-2:]

    node.to_node = lambda data: spoil(0.25, data)
    node.to_host = lambda data: spoil(0.05, data)
    for number in range(6):
        assert await node.does(SetTurnout("T1", number % 2 == 0), 1.6), node.events[-3:]
    assert await node.does(Drive("L", True, 20), 0.5), node.events[-8:]
    assert await node.does(Stop("L", True), 0.5)
    assert min(garbled.values()) > 5
    assert node.of(StationNote)
    assert not node.of(LinkLost, StationStopped)
