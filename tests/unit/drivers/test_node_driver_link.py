"""The node driver at the bytes: heartbeats, latches, gaps, restarts, silence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest
from node_driver_bench import Script, scripted

from pointsman.errors import PointsmanError
from pointsman.messages import (
    Accepted,
    Drive,
    LinkLost,
    LinkState,
    LinkUp,
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
)
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import Asked
from pointsman.protocols.node_constants import LATCHES, REFUSALS, Latch, Lie, Refusal, Setting

# ---------------------------------------------------------------- power and heartbeats


@scripted()
async def test_the_power_is_armed_after_speed_zero_the_state_and_a_heartbeat(node: Script) -> None:
    node.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.5)
    off = [m.Drive(True, 0), m.Magnet(1, 0), m.Magnet(2, 0), m.Magnet(3, 0)]
    assert node.heard() == [*off, m.Hello(), m.State()]
    assert not node.of(PowerReported, Accepted)
    assert node.driver.beat() is True
    await asyncio.sleep(0.01)
    assert node.heard()[-1] == m.Arm()
    assert node.answered(1)
    assert [e.on for e in node.of(PowerReported)] == [True]


@scripted()
async def test_a_heartbeat_of_before_arms_nothing(node: Script) -> None:
    node.driver.beat()
    await asyncio.sleep(0.5)
    node.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.5)
    assert not node.heard(m.Arm)


@pytest.mark.parametrize("refusal", [Refusal.MOVING, Refusal.UNWATCHED])
def test_a_node_that_does_not_let_itself_be_armed_says_why(refusal: Refusal) -> None:
    @scripted()
    async def refused(node: Script) -> None:
        node.refuses[m.Arm] = refusal
        node.driver.send(SetPower(True), 1)
        node.driver.beat()
        await asyncio.sleep(0.1)
        assert node.rejected(1) == f"the node refused it: {REFUSALS[refusal]}"
        assert not node.of(PowerReported)

    refused()


@scripted()
async def test_a_stop_while_the_power_comes_on_leaves_it_off(node: Script) -> None:
    node.driver.send(SetPower(True), 1)
    node.driver.halt()
    node.driver.beat()
    await asyncio.sleep(0.5)
    assert node.rejected(1) == "everything was stopped"
    assert not node.heard(m.Arm)
    node.driver.send(SetPower(True), 2)
    assert node.driver.beat() is False, "a stopped program has no heart"


@scripted("on")
async def test_the_heart_beats_every_200_ms_however_often_the_supervision_looks(node: Script) -> None:
    began = node.now_s
    for _ in range(40):
        assert node.driver.beat() is True
        await asyncio.sleep(0.05)
    times = [t_s for t_s, one in node.driver_says if isinstance(one, Asked) and isinstance(one.command, m.Beat)]
    assert times[0] - began < 0.3
    assert [round(b - a, 3) for a, b in pairwise(times)] == [0.2] * (len(times) - 1)
    assert len(times) >= 9


@scripted("closed")
async def test_it_beats_faster_for_a_node_that_waits_for_less(node: Script) -> None:
    node.settings[Setting.HEARTBEAT_MS, 0] = 300
    await node.open()
    node.clear()
    for _ in range(20):
        node.driver.beat()
        await asyncio.sleep(0.05)
    assert len(node.heard(m.Beat)) == 10


@scripted("on")
async def test_a_heartbeat_is_written_once_and_never_late(node: Script) -> None:
    """Written again, or late, it would say that the supervision is well when it was: behind a hung one, a lie."""
    await asyncio.sleep(0.3)
    node.answers = lambda command: not isinstance(command, m.Beat)
    node.driver.beat()
    await asyncio.sleep(0.6)
    assert len(node.heard(m.Beat)) == 1
    node.answers = lambda _: False
    node.driver.send(SetUncoupler("s1", True), 1)
    node.driver.beat()
    await asyncio.sleep(0.35)
    node.answers = lambda _: True
    await asyncio.sleep(0.1)
    assert node.answered(1)
    assert len(node.heard(m.Beat)) == 1


@scripted("on")
async def test_nothing_is_repeated_behind_a_heartbeat(node: Script) -> None:
    """A node carries out whatever has another number than its last line: an old one written again would move twice."""
    answered = [0]

    def every_third(_: m.Command) -> bool:
        answered[0] += 1
        return answered[0] % 3 == 0

    node.answers = every_third
    for number in range(10, 30):
        node.driver.send(SetUncoupler("s1", number % 2 == 0), number)
        for _ in range(5):
            node.driver.beat()
            await asyncio.sleep(0.05)
    numbers = [one.number for _, one in node.driver_says if isinstance(one, Asked)]
    assert len(set(numbers)) < len(numbers), "some were repeated"
    assert node.heard(m.Beat)
    assert numbers == sorted(numbers)


@scripted()
async def test_without_a_link_nothing_beats(node: Script) -> None:
    node.reset()
    await asyncio.sleep(0.01)
    assert node.driver.beat() is False


# ---------------------------------------------------------------- what the node does by itself


OTHERS = [Latch.HEARTBEAT, Latch.HANG, Latch.STOP, Latch.HOST]


@pytest.mark.parametrize("how", [m.Latched, m.Alive])
@pytest.mark.parametrize("latch", OTHERS)
def test_a_node_that_stops_by_itself_is_told_with_its_reason(latch: Latch, how: Callable[[Latch], m.Told]) -> None:
    @scripted("on")
    async def stopped(node: Script) -> None:
        node.latch = latch
        node.tell(how(latch))
        await asyncio.sleep(0.01)
        (told, off) = node.events
        assert isinstance(told, StationStopped)
        assert told.why == LATCHES[latch]
        assert off == PowerReported(told.t_s, False)
        node.driver.send(Drive("L", True, 9), 1)
        await asyncio.sleep(0.01)
        assert "a person must release it" in node.rejected(1)
        assert not node.heard(m.Drive)

    stopped()


@scripted("on")
async def test_a_latch_that_only_the_answer_to_a_heartbeat_shows_is_told(node: Script) -> None:
    await asyncio.sleep(0.3)
    node.latch = Latch.HEARTBEAT
    node.driver.beat()
    await asyncio.sleep(0.01)
    assert [e.why for e in node.of(StationStopped)] == ["no heartbeat came"]


@pytest.mark.parametrize("how", ["lost", "garbled"])
def test_a_gap_asks_for_the_state_and_what_was_lost_is_told(how: str) -> None:
    @scripted("on")
    async def missed(node: Script) -> None:
        node.broken[1] = True
        if how == "lost":
            node.lose(m.Beam(1, True))
            node.tell(m.Driven(True, 0))
        else:
            node.counts.take()
            node.say(b"@7 be\xffm 1 1*0000\n")
        await asyncio.sleep(0.01)
        assert node.heard() == [m.State()]
        assert [(e.sensor, e.active) for e in node.of(SensorChanged)] == [("head", True)]
        assert [note.text for note in node.of(StationNote)]

    missed()


@scripted("on")
async def test_a_turnout_whose_arrival_was_lost_is_accepted_by_the_state(node: Script) -> None:
    node.driver.send(SetTurnout("T1", True), 3)
    await asyncio.sleep(0.01)
    node.lies[1] = Lie.THROWN
    node.lose(m.Points(1, Lie.MOVING), m.Points(1, Lie.THROWN))
    node.tell(m.Driven(True, 0))
    await asyncio.sleep(0.01)
    assert node.answered(3)
    assert [e.thrown for e in node.of(TurnoutReported)] == [True]


@scripted("on")
async def test_a_state_that_never_comes_whole_is_a_lost_link(node: Script) -> None:
    node.passes = lambda data: b"" if b" beam 2 " in data else data
    node.lose(m.Beam(2, True))
    node.tell(m.Driven(True, 0))
    await asyncio.sleep(3.2)
    assert [e.why for e in node.of(LinkLost)] == ["the node does not tell its whole state"]
    assert node.stops()


@scripted("on")
async def test_a_node_that_starts_anew_is_a_station_that_has_restarted(node: Script) -> None:
    node.driver.send(SetTurnout("T1", True), 3)
    await asyncio.sleep(0.01)
    node.reset()
    await asyncio.sleep(0.01)
    (restarted,) = node.of(StationRestarted)
    assert restarted.greeting == "node 0.1.0 on an Arduino Uno or Nano; started last: the supply came on"
    assert [e.on for e in node.of(PowerReported)] == [False]
    assert node.link_states() == [LinkState.LOST]
    assert node.rejected(3) == "the node started anew"
    node.driver.send(Stop("L", True), 4)
    await asyncio.sleep(0.01)
    assert node.rejected(4) == "the node has started anew: open the link again"
    node.clear()
    await node.driver.open()
    await asyncio.sleep(0.01)
    assert node.of(LinkUp)
    assert node.driver.halted, "it needs a person"


# ---------------------------------------------------------------- losing it


@scripted("on")
async def test_a_silent_node_is_doubted_then_lost_and_stops_are_written_on(node: Script) -> None:
    node.mute = True
    await asyncio.sleep(1.2)
    assert node.link_states() == [LinkState.DOUBTFUL]
    assert not node.of(LinkLost)
    await asyncio.sleep(0.5)
    assert [e.why for e in node.of(LinkLost)] == ["the node is silent"]
    assert node.link_states() == [LinkState.DOUBTFUL, LinkState.LOST]
    before = len(node.stops())
    await asyncio.sleep(1.0)
    assert len(node.stops()) >= before + 9
    node.driver.send(Stop("L", True), 3)
    await asyncio.sleep(0.01)
    assert node.rejected(3) == "the node does not answer: open the link again"
    assert m.Drive(True, 0) in node.heard(), "a stop is tried on"
    node.mute = False
    await asyncio.sleep(0.2)
    assert any("has stopped everything" in note.text for note in node.of(StationNote))


@scripted("on")
async def test_a_node_that_is_heard_again_in_time_is_doubted_no_more(node: Script) -> None:
    node.mute = True
    await asyncio.sleep(1.2)
    node.mute = False
    await asyncio.sleep(0.5)
    assert node.link_states() == [LinkState.DOUBTFUL, LinkState.UP]


@scripted("on")
async def test_a_cable_that_is_pulled_is_a_lost_link(node: Script) -> None:
    node.driver.send(SetTurnout("T1", True), 3)
    await asyncio.sleep(0.01)
    node.host.plug(False)
    await asyncio.sleep(0.01)
    assert [e.why for e in node.of(LinkLost)] == ["the port is gone"]
    assert node.rejected(3) == "the port is gone"
    with pytest.raises(PointsmanError, match="no such port"):
        await node.driver.open()
    node.host.plug(True)
    await node.driver.open()
    await asyncio.sleep(0.01)
    assert node.of(LinkUp)


@scripted("on")
async def test_closing_leaves_everything_off(node: Script) -> None:
    await node.driver.close()
    await asyncio.sleep(0.01)
    assert node.heard() == [m.Drive(True, 0), m.Magnet(1, 0), m.Magnet(2, 0), m.Magnet(3, 0), m.Off()]
    assert node.latch is Latch.HOST
    assert not node.of(StationStopped)
    assert node.link_states() == [LinkState.CLOSED]


@scripted("on")
async def test_closing_a_link_that_is_silent_says_the_last_words(node: Script) -> None:
    node.mute = True
    await asyncio.sleep(2.0)
    node.clear()
    await node.driver.close()
    await asyncio.sleep(0.01)
    assert node.stops()
    assert node.heard() == [m.Off()] * 2
