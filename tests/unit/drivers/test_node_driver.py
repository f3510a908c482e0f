"""The node driver at the bytes: opening, commands, refusals, stops, gaps, restarts, latches, silence, heartbeats."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from node_driver_bench import ABOUT, WIRING, Script, scripted

from pointsman.drivers.node import NodeDriver
from pointsman.drivers.node.link import Link
from pointsman.errors import LinkLostError, PointsmanError, ProtocolError, StationError
from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    EmergencyStop,
    LinkChanged,
    LinkLost,
    LinkState,
    LinkUp,
    LocomotiveReported,
    PowerReported,
    Rejected,
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
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import STOP, Asked, NodeReader, StopAsked, write_event, write_refusal
from pointsman.protocols.node_constants import LATCHES, REFUSALS, Board, Latch, Lie, Refusal, Setting
from pointsman.transports.memory import memory_pair


def states(node: Script) -> list[LinkState]:
    return [event.state for event in node.of(LinkChanged)]


# ---------------------------------------------------------------- opening


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
    assert states(node) == [LinkState.OPENING, LinkState.UP]


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
    assert states(node) == [LinkState.OPENING, LinkState.BOOTING]
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
        "turnout T1 (1) is set to machine 0 (none) at the node, and the wiring has a servo (1)",
        "set the node up",
    ),
    "a servo instead of a solenoid": (
        lambda node: node.settings.update({(Setting.MACHINE, 2): 1}),
        "turnout T2 (2) is set to machine 1 (a servo) at the node, and the wiring has a solenoid (2)",
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
        assert states(node)[-1] is LinkState.CLOSED
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
    assert states(node) == [LinkState.DOUBTFUL]
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
    assert states(node) == [LinkState.LOST]
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
    assert states(node) == [LinkState.DOUBTFUL]
    assert not node.of(LinkLost)
    await asyncio.sleep(0.5)
    assert [e.why for e in node.of(LinkLost)] == ["the node is silent"]
    assert states(node) == [LinkState.DOUBTFUL, LinkState.LOST]
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
    assert states(node) == [LinkState.DOUBTFUL, LinkState.UP]


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
    assert states(node) == [LinkState.CLOSED]


@scripted("on")
async def test_closing_a_link_that_is_silent_says_the_last_words(node: Script) -> None:
    node.mute = True
    await asyncio.sleep(2.0)
    node.clear()
    await node.driver.close()
    await asyncio.sleep(0.01)
    assert node.stops()
    assert node.heard() == [m.Off()] * 2


def test_a_wiring_without_a_node_has_no_driver() -> None:
    host, _ = memory_pair()
    with pytest.raises(StationError, match="which station is meant: there is no node"):
        NodeDriver(host, replace(WIRING, stations={}), emit=lambda _: None)
