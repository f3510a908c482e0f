"""What a node tells and this program has not asked for: somebody else controls the layout."""

from __future__ import annotations

import asyncio

import pytest
from node_driver_bench import Script, scripted

from pointsman.messages import (
    Drive,
    ForeignControl,
    PowerReported,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationStopped,
    Stop,
    TurnoutReported,
)
from pointsman.protocols import node_messages as m
from pointsman.protocols.node_constants import Latch, Lie


async def lying(node: Script) -> None:
    """Both turnouts closed by this program, and the locomotive driven at step 40."""
    for number, (name, of) in enumerate((("T1", Lie.CLOSED), ("T2", Lie.THROWN)), start=1):
        node.driver.send(SetTurnout(name, False), 10 + number)
        await asyncio.sleep(0.01)
        node.tell(m.Points(number, Lie.MOVING), m.Points(number, of))
        node.lies[number] = of
    node.driver.send(Drive("L", True, 40), 13)
    await asyncio.sleep(0.01)
    node.tell(m.Driven(True, 40))
    await asyncio.sleep(1.0)
    assert all(node.answered(number) for number in (11, 12, 13))
    assert not node.of(ForeignControl)
    node.clear()


FOREIGN = {
    "points that move": ([m.Points(1, Lie.MOVING)], "turnout T1 is being moved"),
    "points that have moved": ([m.Points(2, Lie.CLOSED)], "turnout T2 was moved"),
    "points of another machine": ([m.Points(1, Lie.UNKNOWN)], "turnout T1 was set up anew"),
    "another speed": ([m.Driven(True, 100)], "locomotive L was set to step 100 forward"),
    "the other way": ([m.Driven(False, 40)], "locomotive L was set to step 40 backward"),
    "a stand": ([m.Driven(True, 0), m.Alive(Latch.NONE)], "locomotive L was stopped"),
    "a magnet": ([m.Coil(2, True)], "magnet s2 was switched on"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_nobody_here_has_asked_for_is_foreign_control(name: str) -> None:
    told, what = FOREIGN[name]

    @scripted("on")
    async def foreign(node: Script) -> None:
        await lying(node)
        node.tell(*told)
        await asyncio.sleep(0.01)
        assert [event.what for event in node.of(ForeignControl)] == [f"{what} by somebody else"]

    foreign()


@scripted()
async def test_a_node_that_somebody_else_arms_is_foreign_control(node: Script) -> None:
    node.tell(m.Latched(Latch.NONE))
    await asyncio.sleep(0.01)
    assert [event.what for event in node.of(ForeignControl)] == ["the node was armed by somebody else"]
    assert [event.on for event in node.of(PowerReported)] == [True]


@scripted("on")
async def test_moved_points_are_told_before_the_report_of_who_has_moved_them(node: Script) -> None:
    await lying(node)
    node.lose(m.Points(1, Lie.MOVING), m.Points(1, Lie.THROWN))  # only the whole state shows it
    node.lies[1] = Lie.THROWN
    node.tell(m.Beam(1, True))
    await asyncio.sleep(0.1)
    assert [event.thrown for event in node.of(TurnoutReported)] == [True]
    assert len(node.of(ForeignControl)) == 1


@scripted("on")
async def test_reports_that_come_behind_the_next_command_are_of_this_program(node: Script) -> None:
    await lying(node)
    node.driver.send(SetTurnout("T1", True), 3)
    node.driver.send(Drive("L", True, 60), 4)
    await asyncio.sleep(0.01)
    node.tell(m.Points(1, Lie.CLOSED), m.Driven(True, 40), m.Driven(True, 60))
    node.driver.send(Stop("L", True), 5)
    node.driver.send(SetUncoupler("s1", True), 6)
    await asyncio.sleep(0.01)
    node.tell(m.Driven(True, 60), m.Driven(False, 0), m.Points(1, Lie.MOVING), m.Points(1, Lie.THROWN))
    node.tell(m.Coil(1, True), m.Coil(1, False), m.Alive(Latch.NONE))
    await asyncio.sleep(0.1)
    assert node.answered(3)
    assert not node.of(ForeignControl)


@scripted("on")
async def test_a_value_of_long_ago_is_not_asked_for_any_more(node: Script) -> None:
    await lying(node)
    node.driver.send(Stop("L", True), 3)
    node.driver.send(SetUncoupler("s1", True), 4)
    await asyncio.sleep(0.01)
    node.tell(m.Driven(True, 0), m.Coil(1, True), m.Coil(1, False))
    await asyncio.sleep(0.6)
    assert not node.of(ForeignControl)
    node.tell(m.Driven(True, 40), m.Coil(1, True))
    await asyncio.sleep(0.01)
    assert len(node.of(ForeignControl)) == 2


@scripted("on")
async def test_a_node_that_stops_everything_by_itself_is_not_foreign_control(node: Script) -> None:
    await lying(node)
    node.tell(m.Driven(True, 0), m.Latched(Latch.HEARTBEAT), m.Alive(Latch.HEARTBEAT))
    await asyncio.sleep(0.01)
    assert [event.why for event in node.of(StationStopped)] == ["no heartbeat came"]
    assert not node.of(ForeignControl)


@scripted("on")
async def test_a_stop_and_the_power_switched_on_again_are_of_this_program(node: Script) -> None:
    await lying(node)
    node.driver.halt()
    await asyncio.sleep(0.5)
    node.driver.release()
    node.driver.send(SetPower(True), 3)
    node.driver.beat()
    await asyncio.sleep(0.1)
    node.tell(m.Latched(Latch.NONE))
    await asyncio.sleep(0.1)
    assert node.answered(3)
    assert not node.of(ForeignControl)
