"""The node driver at the bytes: how a link is opened, and what is not opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from node_driver_bench import ABOUT, WIRING, Script, scripted

from pointsman.drivers.node import NodeDriver
from pointsman.drivers.node.link import Link
from pointsman.errors import LinkLostError, StationError
from pointsman.messages import (
    Drive,
    LinkChanged,
    LinkState,
    LinkUp,
    PowerReported,
    SensorChanged,
    TurnoutReported,
)
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import STOP, write_event
from pointsman.protocols.node_constants import Board, Lie, Refusal, Setting
from pointsman.transports.memory import memory_pair


@scripted("closed")
async def test_opening_stops_everything_before_anything_is_asked_and_arms_nothing(node: Script) -> None:
    await node.open()
    assert node.bytes[0] == (0.0, STOP)
    asked = node.heard()
    assert asked[:6] == [m.Hello(), m.Drive(True, 0), m.Magnet(1, 0), m.Magnet(2, 0), m.Magnet(3, 0), m.Off()]
    assert {type(one) for one in asked[6:-1]} == {m.Get}
    assert asked[-1] == m.State()
    told = [event for event in node.events if not isinstance(event, LinkChanged)]
    t_s = told[-1].t_s
    assert told == [
        SensorChanged(t_s, "head", False),
        SensorChanged(t_s, "s1", True),
        SensorChanged(t_s, "s2", True),
        SensorChanged(t_s, "s3", False),
        PowerReported(t_s, False),
        LinkUp(t_s, "node 0.1.0 on an Arduino Uno or Nano; started last: the supply came on"),
    ]
    assert node.link_states() == [LinkState.OPENING, LinkState.UP]


@scripted("closed")
async def test_points_that_lie_are_told_when_the_link_is_up(node: Script) -> None:
    node.lies = {1: Lie.THROWN, 2: Lie.CLOSED}
    await node.open()
    assert [(e.turnout, e.thrown) for e in node.of(TurnoutReported)] == [("T1", True), ("T2", True)]


@scripted("closed")
async def test_a_board_that_its_port_has_reset_is_waited_for(node: Script) -> None:
    node.deaf, node.alive_every_s = True, None
    opening = asyncio.ensure_future(node.open())
    await asyncio.sleep(1.9)
    assert node.link_states() == [LinkState.OPENING, LinkState.BOOTING]
    node.deaf = False
    node.reset()
    await opening
    assert node.driver.link is Link.UP


def _uno(**changed: object) -> m.About:
    return replace(ABOUT, **changed)  # type: ignore[arg-type]


DOES_NOT_FIT: dict[str, tuple[Callable[[Script], object], str, str]] = {
    "another version": (
        lambda node: setattr(node, "about", m.OtherVersion(2)),
        "speaks version 2 of its protocol, and this program version 1",
        "pointsman node flash",
    ),
    "another version, which refuses ours": (
        lambda node: (setattr(node, "version", 2), node.refuses.update({m.Hello: Refusal.VERSION})),
        "speaks version 2 of its protocol, and this program version 1",
        "pointsman node flash",
    ),
    "another board": (
        lambda node: setattr(node, "about", _uno(board=Board.MEGA)),
        "an Arduino Mega 2560, and the wiring has an Arduino Uno or Nano",
        "`board`",
    ),
    "too few turnouts": (
        lambda node: setattr(node, "about", _uno(turnouts=1)),
        "turnout 2 is wired, and the node has pins for 1",
        "firmware",
    ),
    "too few beams": (lambda node: setattr(node, "about", _uno(beams=3)), "beam 4 is wired", "firmware"),
    "too few magnets": (lambda node: setattr(node, "about", _uno(magnets=0)), "magnet 3 is wired", "firmware"),
    "no throttle": (lambda node: setattr(node, "about", _uno(dc=False)), "the node has no throttle", "firmware"),
    "no relay": (lambda node: setattr(node, "about", _uno(relay=False)), "a relay in the track's feed", "firmware"),
    "nobody has set it up": (
        lambda node: node.settings.update({(Setting.MACHINE, 1): 0}),
        "turnout T1 (1) is set to machine 0 (nothing is fitted) at the node, and the wiring has a servo (1)",
        "pointsman node setup: machine",
    ),
    "a servo instead of a solenoid": (
        lambda node: node.settings.update({(Setting.MACHINE, 2): 1}),
        "turnout T2 (2) is set to machine 1 (a servo) at the node, and the wiring has a solenoid with two coils (2)",
        "correct the hardware file",
    ),
    "a magnet held for too long": (
        lambda node: node.settings.update({(Setting.MAGNET_MS, 0): 300}),
        "magnet s1 is held for 500 ms, and the node allows 300",
        "hold_s",
    ),
    "a refusal": (
        lambda node: node.refuses.update({m.Off: Refusal.FORM}),
        "the node refused 'off': it is not a command",
        "firmware",
    ),
}


@pytest.mark.parametrize(("relay", "watchdog", "opens"), [(False, 0, False), (False, 1, True), (True, 0, True)])
def test_a_node_drives_only_with_a_relay_or_a_watchdog_that_was_tried(relay: bool, watchdog: int, opens: bool) -> None:
    @scripted("closed")
    async def tried(node: Script) -> None:
        node.wire(relay=relay)
        node.settings[Setting.WATCHDOG, 0] = watchdog
        if opens:
            await node.open()
            return
        with pytest.raises(StationError, match="the node's watchdog is off, and no relay") as error:
            await node.open()
        assert "relay = true" in error.value.cure
        assert "pointsman node setup" in error.value.cure
        assert not [one for one in node.heard() if isinstance(one, m.Arm | m.Turnout)]

    tried()


@pytest.mark.parametrize("name", DOES_NOT_FIT)
def test_a_node_that_does_not_fit_the_wiring_is_refused(name: str) -> None:
    change, what, cure = DOES_NOT_FIT[name]

    @scripted("closed")
    async def refused(node: Script) -> None:
        change(node)
        with pytest.raises(StationError) as error:
            await node.open()
        assert what in error.value.what
        assert cure in error.value.cure
        assert error.value.where == "the node"
        assert node.bytes[0] == (0.0, STOP)
        node.driver.send(Drive("L", True, 5), 1)
        await asyncio.sleep(0.01)
        assert node.link_states()[-1] is LinkState.CLOSED
        assert node.rejected(1) == "the link is not up"

    refused()


@scripted("closed")
async def test_a_node_that_would_let_trains_run_unwatched_for_long_is_refused(node: Script) -> None:
    node.settings[Setting.HEARTBEAT_MS, 0] = 1001
    with pytest.raises(StationError, match="would let trains run on for 1001 ms") as error:
        await node.open()
    assert "heartbeat_ms to 1000 or less" in error.value.cure
    node.settings[Setting.HEARTBEAT_MS, 0] = 1000
    await node.driver.open()


@scripted("closed")
async def test_what_is_no_node_is_given_up_after_ten_seconds(node: Script) -> None:
    node.answers = lambda _: False
    node.alive_every_s = None
    with pytest.raises(StationError, match="no node answers within 10 s") as error:
        await node.open()
    assert "firmware of a node" in error.value.cure
    assert node.now_s == pytest.approx(10.0, abs=0.01)


@scripted("closed")
async def test_a_node_that_starts_anew_while_it_is_set_up_is_set_up_once_more(node: Script) -> None:
    resets = [1]

    def answers(command: m.Command) -> bool:
        if isinstance(command, m.Get) and resets:
            resets.pop()
            node.reset()
            return False
        return True

    node.answers = answers
    await node.open()
    assert node.heard(m.Hello) == [m.Hello()] * 2
    assert len(node.stops()) == 2
    assert node.driver.link is Link.UP


@scripted("closed")
async def test_a_node_that_starts_anew_as_soon_as_it_has_answered_is_greeted_once_more(node: Script) -> None:
    resets = [1]

    def passes(data: bytes) -> bytes:
        if b" ok 1 0.1.0 " in data and resets:
            resets.pop()
            return data + write_event(0, ABOUT)
        return data

    node.passes = passes
    await node.open()
    assert node.heard(m.Hello) == [m.Hello()] * 2
    assert len(node.stops()) == 2
    assert node.driver.link is Link.UP


@scripted("closed")
async def test_a_node_that_always_starts_anew_is_refused(node: Script) -> None:
    def answers(command: m.Command) -> bool:
        if isinstance(command, m.Get):
            node.reset()
        return not isinstance(command, m.Get)

    node.answers = answers
    with pytest.raises(StationError, match="started anew 3 times") as error:
        await node.open()
    assert "power supply" in error.value.cure


@scripted("closed")
async def test_a_node_that_does_not_answer_everything_is_given_up(node: Script) -> None:
    node.answers = lambda command: not isinstance(command, m.Get)
    with pytest.raises(LinkLostError, match="the node does not answer a command"):
        await node.open()


@scripted("closed")
async def test_of_a_first_report_that_is_not_whole_nothing_is_believed(node: Script) -> None:
    """The first report loses a beam's line: the gap in the count shows it, and the state is asked for once more."""
    lost = []

    def lose_one(data: bytes) -> bytes:
        if b" beam 2 " in data and node.heard(m.State) and not lost:
            lost.append(data)
            return b""
        return data

    node.passes = lose_one
    await node.open()
    assert lost
    assert node.heard(m.State) == [m.State()] * 2
    assert [e.active for e in node.of(SensorChanged) if e.sensor == "s1"] == [True]


@scripted("closed")
async def test_a_state_that_never_comes_whole_opens_no_link(node: Script) -> None:
    node.passes = lambda data: b"" if b" beam 2 " in data else data
    with pytest.raises(LinkLostError, match="the node does not tell its whole state"):
        await node.open()


def test_a_wiring_without_a_node_has_no_driver() -> None:
    host, _ = memory_pair()
    with pytest.raises(StationError, match="which station is meant: there is no node"):
        NodeDriver(host, replace(WIRING, stations={}), emit=lambda _: None)
