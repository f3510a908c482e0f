"""The node driver at the bytes: commands and refusals, one at a time, and stopping."""

from __future__ import annotations

import asyncio

import pytest
from node_driver_bench import Script, scripted

from pointsman.errors import ProtocolError, StationError
from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    EmergencyStop,
    LinkLost,
    LinkState,
    LocomotiveReported,
    PowerReported,
    Rejected,
    SensorChanged,
    SetFunction,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationStopped,
    Stop,
    TurnoutReported,
    UncouplerReported,
)
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import Asked, NodeReader, StopAsked, write_refusal
from pointsman.protocols.node_constants import REFUSALS, Latch, Lie, Refusal

# ---------------------------------------------------------------- commands


@pytest.mark.parametrize(
    ("command", "written", "reported"),
    [
        (Drive("L", True, 30), m.Drive(True, 30), [m.Driven(True, 30)]),
        (Drive("L", False, 126), m.Drive(False, 126), [m.Driven(False, 126)]),
        (Stop("L", False), m.Drive(False, 0), [m.Driven(False, 0)]),
        (SetUncoupler("s2", True), m.Magnet(2, 500), [m.Coil(2, True)]),
        (SetUncoupler("s2", False), m.Magnet(2, 0), [m.Coil(2, False)]),
        (SetPower(False), m.Off(), [m.Latched(Latch.HOST)]),
    ],
    ids=str,
)
def test_a_command_is_one_line_and_its_answer_accepts_it(
    command: Command, written: m.Command, reported: list[m.Told]
) -> None:
    @scripted("on")
    async def commanded(node: Script) -> None:
        node.driver.send(command, 7)
        assert node.heard() == []  # not in the middle of the caller's pass
        await asyncio.sleep(0.01)
        node.tell(*reported)
        await asyncio.sleep(0.01)
        assert node.heard() == [written]
        assert [e.number for e in node.of(Accepted)] == [7]
        assert not node.of(Rejected, StationStopped)

    commanded()


@scripted("on")
async def test_what_the_node_reports_of_its_things_is_told_by_their_names(node: Script) -> None:
    node.driver.send(Drive("L", False, 12), 5)
    node.driver.send(SetUncoupler("s1", True), 6)
    await asyncio.sleep(0.01)
    node.clear()
    node.tell(m.Driven(False, 12), m.Coil(1, True), m.Coil(1, True), m.Beam(1, True), m.Beam(3, True), m.Beam(4, False))
    await asyncio.sleep(0.01)
    t_s = node.events[0].t_s
    assert node.events == [
        LocomotiveReported(t_s, "L", False, 12),
        UncouplerReported(t_s, "s1", True),
        SensorChanged(t_s, "head", True),
        SensorChanged(t_s, "s2", False),
    ]


@pytest.mark.parametrize(
    ("turnout", "number", "thrown", "lie"), [("T1", 1, True, Lie.THROWN), ("T2", 2, True, Lie.CLOSED)]
)
def test_a_turnout_is_accepted_when_the_node_says_how_its_points_lie(
    turnout: str, number: int, thrown: bool, lie: Lie
) -> None:
    @scripted("on")
    async def turned(node: Script) -> None:
        node.driver.send(SetTurnout(turnout, thrown), 3)
        node.tell(m.Points(number, lie))  # how they lay before is no answer
        await asyncio.sleep(0.01)
        assert node.heard() == [m.Turnout(number, lie is Lie.THROWN)]
        node.tell(m.Points(number, Lie.MOVING))
        await asyncio.sleep(0.5)
        assert not node.answered(3)
        node.tell(m.Points(number, lie))
        await asyncio.sleep(0.01)
        assert node.answered(3)
        assert [(e.turnout, e.thrown) for e in node.of(TurnoutReported)][-1] == (turnout, thrown)

    turned()


@scripted("on")
async def test_points_that_come_to_lie_elsewhere_are_told_so(node: Script) -> None:
    node.driver.send(SetTurnout("T1", True), 3)
    await asyncio.sleep(0.01)
    node.tell(m.Points(1, Lie.MOVING), m.Points(1, Lie.CLOSED))
    await asyncio.sleep(0.01)
    assert node.answered(3)
    assert [e.thrown for e in node.of(TurnoutReported)] == [False]


@scripted("on")
async def test_points_that_never_arrive_are_a_refusal(node: Script) -> None:
    node.driver.send(SetTurnout("T1", True), 3)
    await asyncio.sleep(0.01)
    node.tell(m.Points(1, Lie.MOVING))
    await asyncio.sleep(2.2)
    assert not node.of(Rejected)
    await asyncio.sleep(0.2)
    assert node.rejected(3) == "the node does not say within 2.3 s that the points of T1 are over"


@scripted("on")
async def test_points_whose_pulse_was_cut_are_a_refusal(node: Script) -> None:
    node.driver.send(SetTurnout("T2", True), 3)
    await asyncio.sleep(0.01)
    node.tell(m.Points(2, Lie.MOVING), m.Points(2, Lie.UNKNOWN))
    await asyncio.sleep(0.01)
    assert "the pulse was cut" in node.rejected(3)


@scripted("on")
async def test_a_direct_current_has_no_functions(node: Script) -> None:
    node.driver.send(SetFunction("L", 2, True), 3)
    await asyncio.sleep(0.01)
    assert node.rejected(3) == "L runs on direct current: without a decoder it has no functions"


@pytest.mark.parametrize("refusal", [one for one in Refusal if one is not Refusal.NUMBER], ids=str)
def test_each_refusal_is_told_for_a_person(refusal: Refusal) -> None:
    @scripted("on")
    async def refused(node: Script) -> None:
        node.refuses[m.Magnet] = refusal
        node.driver.send(SetUncoupler("s1", True), 9)
        await asyncio.sleep(0.01)
        assert node.rejected(9) == f"the node refused it: {REFUSALS[refusal]}"
        assert not node.of(Accepted)

    refused()


@pytest.mark.parametrize(
    "command",
    [Drive("M", True, 3), Stop("M", True), SetTurnout("T9", True), SetUncoupler("s9", True), Drive("L", True, 127)],
    ids=str,
)
def test_what_this_node_has_not_is_a_fault_of_the_caller(command: Command) -> None:
    @scripted("on")
    async def wrong(node: Script) -> None:
        with pytest.raises(ProtocolError):
            node.driver.send(command, 1)
        assert node.heard() == []

    wrong()


# ---------------------------------------------------------------- one at a time


@scripted("on")
async def test_one_command_is_under_way_and_stops_go_before_all_that_waits(node: Script) -> None:
    node.answers = lambda _: False
    node.driver.send(SetTurnout("T1", True), 1)
    node.driver.send(SetUncoupler("s1", True), 2)
    node.driver.send(Drive("L", True, 40), 3)
    node.driver.send(Stop("L", True), 4)
    await asyncio.sleep(0.05)
    assert node.heard() == [m.Turnout(1, True)]
    assert node.rejected(3) == "a stop overtook it"
    node.answers = lambda _: True
    await asyncio.sleep(0.1)
    assert node.heard() == [m.Turnout(1, True)] * 2 + [m.Drive(True, 0), m.Magnet(1, 500)]


@scripted("on")
async def test_what_is_not_answered_is_written_again_under_its_number(node: Script) -> None:
    """Every 100 ms; a second without an answer is a lost link, long before that a doubtful one."""
    node.answers = lambda _: False
    began = node.now_s
    node.driver.send(Drive("L", True, 40), 1)
    await asyncio.sleep(0.95)
    said = [(t_s - began, one.number) for t_s, one in node.driver_says if isinstance(one, Asked)]
    assert [round(t_s, 3) for t_s, _ in said] == [round(0.1 * i, 3) for i in range(10)]
    assert len({number for _, number in said}) == 1
    assert node.link_states() == [LinkState.DOUBTFUL]
    assert not node.of(LinkLost)
    await asyncio.sleep(0.1)
    assert [e.why for e in node.of(LinkLost)] == ["the node does not answer a command"]
    assert node.rejected(1) == "the node does not answer a command"


@scripted("on")
async def test_an_answer_that_comes_twice_answers_once(node: Script) -> None:
    node.passes = lambda data: data if data.startswith(b"@") else data + data
    node.driver.send(Drive("L", True, 40), 1)
    node.driver.send(Stop("L", True), 2)
    await asyncio.sleep(0.01)
    assert [e.number for e in node.of(Accepted)] == [1, 2]
    assert node.heard() == [m.Drive(True, 40), m.Drive(True, 0)]


@scripted("on")
async def test_a_line_that_the_node_could_not_read_is_written_again_at_once(node: Script) -> None:
    node.answers = lambda _: False
    node.driver.send(Drive("L", True, 40), 1)
    await asyncio.sleep(0.01)
    node.answers = lambda _: True
    node.say(write_refusal(0, Refusal.CRC))
    await asyncio.sleep(0.01)
    assert node.heard() == [m.Drive(True, 40)] * 2
    assert node.answered(1)


@scripted("on")
async def test_a_number_that_the_node_has_for_another_command_is_changed(node: Script) -> None:
    node.refuses[m.Drive] = Refusal.NUMBER
    node.driver.send(Drive("L", True, 40), 1)
    await asyncio.sleep(0.0)
    await asyncio.sleep(0.0)
    node.refuses.clear()
    await asyncio.sleep(0.01)
    numbers = [one.number for _, one in node.driver_says if isinstance(one, Asked)]
    assert len(set(numbers)) == len(numbers) >= 2
    assert node.answered(1)


# ---------------------------------------------------------------- stopping


@scripted("on")
async def test_the_stop_byte_leaves_at_once_with_the_window_full(node: Script) -> None:
    """In the caller's own pass, whatever is under way; what is under way or waits is given back, stops are not."""
    node.answers = lambda _: False
    node.driver.send(SetTurnout("T1", True), 1)
    node.driver.send(SetUncoupler("s1", True), 2)
    await asyncio.sleep(0.05)
    node.deaf = True
    sent = node.host.sent_bytes
    began = node.now_s
    node.driver.halt()
    assert node.host.sent_bytes == sent + 1
    await asyncio.sleep(0.35)
    assert [round(t_s - began, 3) for t_s in node.stops()] == [0.0, 0.1, 0.2, 0.3]
    assert node.rejected(1) == node.rejected(2) == "everything was stopped"
    node.deaf = False
    await asyncio.sleep(0.5)
    assert len(node.stops()) == 5, "not written any more once the node has told that everything is stopped"
    assert not node.of(StationStopped)
    assert [e.on for e in node.of(PowerReported)] == [False]


@scripted("on")
async def test_a_stop_is_confirmed_by_the_end_of_the_state_and_by_nothing_before(node: Script) -> None:
    node.deaf = True
    node.driver.send(EmergencyStop(), 5)
    node.tell(m.Latched(Latch.STOP), m.Driven(True, 0))
    await asyncio.sleep(0.05)
    assert not node.answered(5)
    node.tell(m.End())
    await asyncio.sleep(0.01)
    assert node.answered(5)


@scripted("on")
async def test_the_end_of_a_state_from_before_the_stop_confirms_nothing(node: Script) -> None:
    node.deaf = True
    node.driver.send(EmergencyStop(), 5)
    node.tell(m.Latched(Latch.NONE), m.End())
    await asyncio.sleep(0.05)
    assert not node.answered(5)
    node.tell(m.Latched(Latch.STOP), m.Driven(True, 9), m.End())
    await asyncio.sleep(0.01)
    assert not node.answered(5), "a locomotive that is driven is not stopped"


@scripted("on")
async def test_nothing_begins_after_a_stop_until_it_is_released(node: Script) -> None:
    node.driver.halt()
    with pytest.raises(StationError, match="not confirmed"):
        node.driver.release()
    await asyncio.sleep(0.05)
    node.driver.send(Drive("L", True, 9), 1)
    node.driver.send(SetUncoupler("s1", True), 2)
    node.driver.send(Stop("L", True), 3)
    await asyncio.sleep(0.01)
    assert "a person must release it" in node.rejected(1)
    assert "a person must release it" in node.rejected(2)
    assert node.answered(3)
    node.driver.release()
    assert node.heard() == [m.Drive(True, 0)]


@scripted("on")
async def test_a_stop_that_is_never_confirmed_is_a_lost_link_and_is_written_on(node: Script) -> None:
    node.deaf = True
    node.driver.halt()
    await asyncio.sleep(3.2)
    assert [e.why for e in node.of(LinkLost)] == ["the node has not confirmed a stop within 3 s"]
    before = len(node.stops())
    await asyncio.sleep(1.0)
    assert len(node.stops()) >= before + 9


@scripted("on")
async def test_a_guardian_writes_the_stop_byte_and_then_the_power_off(node: Script) -> None:
    """Twice, since the node takes a line with the number of its last command for a repeat."""
    reader = NodeReader()
    said = [reader.feed(frame) for frame in node.driver.guardian_frames()]
    assert [[type(one) for one in frame] for frame in said] == [[StopAsked, Asked]] * 2
    lines = [one for frame in said for one in frame if isinstance(one, Asked)]
    assert [one.command for one in lines] == [m.Off()] * 2
    assert len({one.number for one in lines}) == 2
