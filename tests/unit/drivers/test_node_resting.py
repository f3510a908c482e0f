"""Points whose coil must rest first: asked again for a while, and then told; never after a stop."""

from __future__ import annotations

import asyncio

from node_driver_bench import Script, scripted

from pointsman.drivers.node.orders import REST_S
from pointsman.messages import Drive, SetTurnout
from pointsman.protocols import node_messages as m
from pointsman.protocols.node_constants import Lie, Refusal


@scripted("on")
async def test_points_that_must_rest_move_when_they_have(node: Script) -> None:
    node.refuses[m.Turnout] = Refusal.RESTING
    node.driver.send(SetTurnout("T2", True), 20)
    await asyncio.sleep(REST_S / 2)
    assert not node.events
    node.driver.send(Drive("L", True, 40), 21)
    await asyncio.sleep(0.01)
    assert node.answered(21), "nothing else waits for them"
    node.refuses.clear()
    await asyncio.sleep(0.2)
    node.tell(m.Points(2, Lie.MOVING), m.Points(2, Lie.CLOSED))
    await asyncio.sleep(0.01)
    assert node.answered(20)
    tries = node.heard(m.Turnout)
    assert 4 <= len(tries) <= 8
    assert len(set(map(str, tries))) == 1
    await asyncio.sleep(REST_S)
    assert node.heard(m.Turnout) == tries, "once is enough"


@scripted("on")
async def test_points_that_rest_for_ever_are_told(node: Script) -> None:
    node.refuses[m.Turnout] = Refusal.RESTING
    node.driver.send(SetTurnout("T2", True), 20)
    await asyncio.sleep(REST_S + 0.2)
    assert node.rejected(20) == "the node refused it: the coil must rest first"
    tries = node.heard(m.Turnout)
    await asyncio.sleep(REST_S)
    assert node.heard(m.Turnout) == tries


@scripted("on")
async def test_points_that_rest_do_not_move_after_a_stop(node: Script) -> None:
    node.refuses[m.Turnout] = Refusal.RESTING
    node.driver.send(SetTurnout("T2", True), 20)
    await asyncio.sleep(0.05)
    node.driver.halt()
    node.refuses.clear()
    tries = node.heard(m.Turnout)
    await asyncio.sleep(REST_S)
    assert node.heard(m.Turnout) == tries
    assert node.rejected(20) == "everything was stopped"
