"""One table of cases for reading and writing, whole and byte by byte; then noise; then properties."""

from __future__ import annotations

import random
import re

import pytest
from feeds import FEEDS
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.errors import ProtocolError
from pointsman.protocols.dccex import HostReader, OldStationReader, StationReader, encode, encode_reply
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.protocols.dccex.reply_reader import LONGEST_COMMENT, LONGEST_FRAME, parse_reply

# written and read back
COMMANDS: list[tuple[c.Command, bytes]] = [
    (c.Status(), b"<s>"),
    (c.Fence(), b"<#>"),
    (c.Power(True, "MAIN"), b"<1 MAIN>"),
    (c.Power(True, "JOIN"), b"<1 JOIN>"),
    (c.Power(True, "A"), b"<1 A>"),
    (c.Power(False), b"<0>"),
    (c.Power(False, "MAIN"), b"<0 MAIN>"),
    (c.Throttle(3, 50, True), b"<t 3 50 1>"),
    (c.Throttle(10239, -1, False), b"<t 10239 -1 0>"),
    (c.Throttle(1, 126, True), b"<t 1 126 1>"),
    (c.ThrottleQuery(3), b"<t 3>"),
    (c.EmergencyStop(), b"<!>"),
    (c.Function(3, 0, True), b"<F 3 0 1>"),
    (c.Forget(3), b"<- 3>"),
    (c.SetTurnout(1, True), b"<T 1 1>"),
    (c.SetTurnout(32767, False), b"<T 32767 0>"),
    (c.ListTurnouts(), b"<T>"),
    (c.ShowTurnout(1), b"<T 1 X>"),
    (c.TurnoutIds(), b"<JT>"),
    (c.TurnoutQuery(5), b"<JT 5>"),
    (c.DefineServoTurnout(1, 100, 410, 205, 2), b"<T 1 SERVO 100 410 205 2>"),
    (c.DefinePinTurnout(2, 30), b"<T 2 VPIN 30>"),
    (c.DefineDccTurnout(3, 511, 3), b"<T 3 DCC 511 3>"),
    (c.SensorStates(), b"<Q>"),
    (c.ListSensors(), b"<S>"),
    (c.DefineSensor(2, 49, True), b"<S 2 49 1>"),
    (c.SetOutput(1, True), b"<Z 1 1>"),
    (c.ListOutputs(), b"<Z>"),
    (c.DefineOutput(1, 30, 6), b"<Z 1 30 6>"),
    (c.MainCurrent(), b"<c>"),
    (c.Currents(), b"<JI>"),
    (c.CurrentLimits(), b"<JG>"),
    (c.TrackModes(), b"<=>"),
    (c.SetTrackMode("A", "MAIN"), b"<= A MAIN>"),
    (c.SetTrackMode("D", "DC", 3), b"<= D DC 3>"),
    (c.Save(), b"<E>"),
]

# read by a station, never written by a host
READ_ONLY: list[tuple[c.Command, bytes]] = [
    (c.Power(True), b"<1>"),
    (c.DeleteTurnout(1), b"<T 1>"),
    (c.DeleteSensor(2), b"<S 2>"),
    (c.DeleteOutput(1), b"<Z 1>"),
    (c.EmergencyLock("P"), b"<!P>"),
    (c.EmergencyLock("R"), b"<! R>"),
    (c.LegacyThrottle(1, 3, 20, True), b"<t 1 3 20 1>"),
    (c.Throttle(0, -1, True), b"<t 0 -1 1>"),
    (c.Forget(0), b"<->"),
    (c.Reset(), b"<D RESET>"),
    (c.Blank(), b"< >"),
    (c.Throttle(0, 0, True), b"<t 0 0 1>"),
    (c.UnknownCommand("t 0 1 1"), b"<t 0 1 1>"),
    (c.UnknownCommand("t 3 127 1"), b"<t 3 127 1>"),
    (c.Throttle(10240, 1, True), b"<t 10240 1 1>"),
    (c.UnknownCommand("t 32768 1 1"), b"<t 32768 1 1>"),
    (c.UnknownCommand("t 3 1 2"), b"<t 3 1 2>"),
    (c.UnknownCommand("t 3.5 1 1"), b"<t 3.5 1 1>"),
    (c.UnknownCommand("0 JOIN"), b"<0 JOIN>"),
    (c.UnknownCommand("T 1 2"), b"<T 1 2>"),
    (c.UnknownCommand("Z 1 2 3 4 5 6 7 8 9 10"), b"<Z 1 2 3 4 5 6 7 8 9 10>"),
    (c.UnknownCommand("y"), b"<y>"),
    (c.UnknownCommand("Q 1"), b"<Q 1>"),
    (c.UnknownCommand("JQ"), b"<JQ>"),
    (c.UnknownCommand("D ACK"), b"<D ACK>"),
    (c.UnknownCommand("F 3 0 2"), b"<F 3 0 2>"),
    (c.UnknownCommand("- 10240"), b"<- 10240>"),
    (c.UnknownCommand("S 1 2 3 4"), b"<S 1 2 3 4>"),
    (c.UnknownCommand("= Z MAIN"), b"<= Z MAIN>"),
    (c.UnknownCommand("T 1 DCC 512 0"), b"<T 1 DCC 512 0>"),
]

# other spellings of the same command
SPELLINGS: list[tuple[c.Command, bytes]] = [
    (c.Throttle(3, 50, True), b"<t 65539 50 1>"),  # wraps at 16 bit
    (c.Throttle(3, 0, True), b"<t  3 -  1 >"),
    (c.Power(True, "MAIN"), b"<1MAIN>"),
    (c.Power(True, "MAIN"), b"<1 main>"),
    (c.SetTurnout(1, True), b"<T 1 t>"),
    (c.SetTurnout(1, False), b"<T 1 C>"),
    (c.TurnoutQuery(5), b"<J T 5>"),
    (c.EmergencyStop(), b"<! now>"),
    (c.DefineDccTurnout(3, 2, 0), b"<T 3 DCC 5>"),
    (c.DefineDccTurnout(3, 2, 1), b"<T 3 2 1>"),
    (c.DefineServoTurnout(1, 100, 410, 205, 1), b"<T 1 100 410 205>"),
    (c.Reset(), b"<C RESET>"),
]

REPLIES: list[tuple[r.Reply, bytes]] = [
    (
        r.Greeting("iDCC-EX V-5.6.0 / MEGA / STANDARD_MOTOR_SHIELD G-master-202605011818Z"),
        b"<iDCC-EX V-5.6.0 / MEGA / STANDARD_MOTOR_SHIELD G-master-202605011818Z>",
    ),
    (r.PowerState(False, "A"), b"<p0 A>"),
    (r.PowerState(True), b"<p1>"),
    (r.PowerState(True, "MAIN"), b"<p1 MAIN>"),
    (r.PowerState(True, "JOIN"), b"<p1 JOIN>"),
    # decode examples that were produced by running the firmware's own encoder
    (r.LocomotiveState(3, 0, True), b"<l 3 0 128 0>"),
    (r.LocomotiveState(3, 0, False), b"<l 3 0 0 0>"),
    (r.LocomotiveState(3, -1, True, functions=1), b"<l 3 0 129 1>"),
    (r.LocomotiveState(3, -1, False), b"<l 3 0 1 0>"),
    (r.LocomotiveState(3, 50, True, functions=5), b"<l 3 0 179 5>"),
    (r.LocomotiveState(1234, 50, False), b"<l 1234 0 51 0>"),
    (r.LocomotiveState(3, 126, True), b"<l 3 0 255 0>"),
    (r.LocomotiveState(99, 0, True, register=-1), b"<l 99 -1 128 0>"),
    (r.LocomotiveState(3, 1, False, functions=0x80000000), b"<l 3 0 2 -2147483648>"),
    (r.TurnoutState(1, True), b"<H 1 1>"),
    (r.TurnoutDefinition(1, "SERVO", (100, 410, 205, 2), False), b"<H 1 SERVO 100 410 205 2 0>"),
    (r.TurnoutDefinition(2, "VPIN", (30,), True), b"<H 2 VPIN 30 1>"),
    (r.TurnoutDefinition(2, "LCN", (), True), b"<H 2 LCN 1>"),
    (r.TurnoutDefinition(3, "", (5, 0), True), b"<H 3 5 0 1>"),
    (r.TurnoutIdList((1, 2, 3)), b"<jT 1 2 3>"),
    (r.TurnoutIdList(()), b"<jT>"),
    (r.TurnoutCaption(1, True, "to the"), b'<jT 1 T "to the">'),
    (r.TurnoutCaption(1, False), b'<jT 1 C "">'),
    (r.TurnoutCaption(1, None), b"<jT 1 X>"),
    (r.SensorState(2, True), b"<Q 2>"),
    (r.SensorState(2, False), b"<q 2>"),
    (r.SensorDefinition(2, 49, True), b"<Q 2 49 1>"),
    (r.OutputState(1, True), b"<Y 1 1>"),
    (r.OutputDefinition(1, 30, 6, False), b"<Y 1 30 6 0>"),
    (r.FenceReached(50), b"<# 50>"),
    (r.Done(), b"<O>"),
    (r.Refused(), b"<X>"),
    (r.MainCurrentState(0, 1497, 1497), b"<c CurrentMAIN 0 C Milli 0 1497 1 1497>"),
    (r.CurrentList((123, -1)), b"<jI 123 -1>"),
    (r.CurrentLimitList((1499, 1499)), b"<jG 1499 1499>"),
    (r.TrackMode("A", "MAIN"), b"<= A MAIN>"),
    (r.TrackMode("A", "MAIN", flag="I"), b"<= A MAIN I>"),
    (r.TrackMode("D", "DCX", 3), b"<= D DCX 3>"),
    (r.Saved(1, 1, 0), b"<e 1 1 0>"),
    (r.LegacyThrottleState(1, 20, True), b"<T 1 20 1>"),
    (r.Forgotten(3), b"<- 3>"),
    (r.LockState(True), b"<!PAUSED>"),
    (r.LockState(False), b"<!RESUMED>"),
    (r.Display(0, 3, "Ready"), b'<@ 0 3 "Ready">'),
    (r.OperatorMessage("mind the gap"), b'<m "mind the gap">'),
    (r.Comment("TRACK A ALERT 1789mA"), b"<* TRACK A ALERT 1789mA *>"),
    (
        r.Comment('SETUP("<T 1 VPIN 30>")\nline <l 3 0 179 0> two'),
        b'<* SETUP("<T 1 VPIN 30>")\nline <l 3 0 179 0> two *>',
    ),
    (r.UnknownReply("K 3 1234"), b"<K 3 1234>"),
    (r.UnknownReply('jR 3 "name" "F0 a > b"'), b'<jR 3 "name" "F0 a > b">'),
]

# one frame a line
UNKNOWN_REPLIES = r"""
l 3 0 256 0
l 3 0 1
l x 0 1 0
l -3 0 1 0
p2
p1 Z
H 1
H 1 2
Q
Q x
q 1 2 3
Y 1
Y 1 2
#
# x
O 1
X 1
c 1
c CurrentMAIN x C Milli 0 1 1 1
jT x
jT 1 T plain
jI x
= Z MAIN
= A DC 3 4
e 1
T 1 2
- x
!WHAT
@ 0 x
@ 0 0 plain
m plain
I 1 2 0
H 1 SERVO x 1
H 1 2 3 4 5 1
Q 1 2 3
l 3 0 99999999999999999999 0
jT
""".splitlines()


@pytest.mark.parametrize(("command", "wire"), COMMANDS)
def test_a_command_is_written(command: c.Command, wire: bytes) -> None:
    assert encode(command) == wire


@pytest.mark.parametrize(("command", "wire"), READ_ONLY)
def test_some_commands_are_never_written(command: c.Command, wire: bytes) -> None:
    with pytest.raises(ProtocolError):
        encode(command)


@FEEDS
@pytest.mark.parametrize(("command", "wire"), COMMANDS + READ_ONLY + SPELLINGS)
def test_a_command_is_read(command: c.Command, wire: bytes, feed) -> None:
    assert feed(StationReader(), wire) == [command]
    assert feed(StationReader(), b"\xff>x \n" + wire + b"\r\n>junk") == [command]


@FEEDS
@pytest.mark.parametrize(("reply", "wire"), REPLIES)
def test_a_reply_is_read_and_written(reply: r.Reply, wire: bytes, feed) -> None:
    assert encode_reply(reply) == wire + b"\n"
    assert feed(HostReader(), wire) == [reply]
    assert feed(HostReader(), b"\xff>PPA1\r\n" + wire + b"\n\x00\xfejunk" + wire) == [reply, reply]


@pytest.mark.parametrize("text", UNKNOWN_REPLIES)
def test_what_is_not_understood_is_kept(text: str) -> None:
    expected = r.TurnoutIdList(()) if text == "jT" else r.UnknownReply(text)
    assert parse_reply(text) == expected


def test_an_older_power_line_has_two_blanks() -> None:
    assert HostReader().feed(b"<p1  JOIN>\n") == [r.PowerState(True, "JOIN")]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("iDCC-EX V-5.6.0 / MEGA / X G-1", "5.6.0"),
        ("iDCC++ BASE STATION FOR ARDUINO MEGA / V-1.2.1+", "1.2.1"),
        ("iDCC-EX next", ""),
    ],
)
def test_any_greeting_is_a_greeting(text: str, version: str) -> None:
    (greeting,) = HostReader().feed(f"<{text}>\n".encode())
    assert isinstance(greeting, r.Greeting)
    assert greeting.version == version


TRANSCRIPT = [
    (
        b"<iDCC-EX V-5.6.0 / MEGA / STANDARD_MOTOR_SHIELD G-master-202605011818Z>\n<p0 A>\n<p0 B>\n<p0>\n",
        [r.Greeting, r.PowerState, r.PowerState, r.PowerState],
    ),
    (b"<# 50>\n", [r.FenceReached]),
    (b"<p1 A>\n<p1 B>\n<p1>\n<p1 MAIN>\n<p1 PROG>\n", [r.PowerState] * 5),
    (b"<* New DCC queue slot 3 *>\n<l 3 0 149 0>\n", [r.Comment, r.LocomotiveState]),
    (b"<* Turnout 0x3AB *>\n<O>\n", [r.Comment, r.Done]),
    (b"<H 1 0>\n", [r.TurnoutState]),
    (b"<Q 2>\n<q 2>\n", [r.SensorState, r.SensorState]),
    (b"<= A MAIN>\n<= B PROG>\n", [r.TrackMode, r.TrackMode]),
    (b"<jT 1>\n", [r.TurnoutIdList]),
    (b"<c CurrentMAIN 0 C Milli 0 1497 1 1497>\n", [r.MainCurrentState]),
    (b"<e 1 1 0>\n", [r.Saved]),
]


@FEEDS
def test_the_recorded_replies_of_a_real_station(feed) -> None:
    for wire, kinds in TRANSCRIPT:
        assert [type(reply) for reply in feed(HostReader(), wire)] == kinds
    (speed_20,) = HostReader().feed(b"<l 3 0 149 0>")
    assert speed_20 == r.LocomotiveState(3, 20, True)


# ---------------------------------------------------------------- lost and doubled bytes


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (b"<l 3 0 179 0\n<# 50>\n", [r.UnknownReply("l 3 0 179 0"), r.FenceReached(50)]),
        (b"<l 3 0 17<# 50>\n", [r.UnknownReply("l 3 0 17"), r.FenceReached(50)]),
        (b"<<# 50>\n", [r.FenceReached(50)]),
        (b"<# 50>>\n<Q 2>\n", [r.FenceReached(50), r.SensorState(2, True)]),
        (b'<@ 0 3 "Ready>\n<# 50>\n', [r.UnknownReply('@ 0 3 "Ready>'), r.FenceReached(50)]),
        (b"<\n<# 50>\n", [r.FenceReached(50)]),
        # a comment without its end swallows nothing for longer than until the next fence
        (b"<* text *\n<Q 2>\n<# 50>\n", [r.Comment("text"), r.SensorState(2, True), r.FenceReached(50)]),
        (
            b"<* text >\n<q 2>\n<# 50>\n<X>\n",
            [r.Comment("text"), r.SensorState(2, False), r.FenceReached(50), r.Refused()],
        ),
        (
            b"<* one\n<* two\n<Q 2\n<# 50>\n",
            [r.Comment("one"), r.Comment("two"), r.UnknownReply("Q 2"), r.FenceReached(50)],
        ),
    ],
)
@FEEDS
def test_lost_and_doubled_bytes_cost_one_frame(wire: bytes, expected: list[r.Reply], feed) -> None:
    assert feed(HostReader(), wire) == expected


def test_one_lost_byte_anywhere_never_costs_more_than_its_own_line_and_the_next() -> None:
    lines = [encode_reply(r.SensorState(i, i % 2 == 0)) for i in range(10, 16)]
    stream = b"".join(lines)
    for lost in range(len(stream)):
        reader = HostReader()
        seen = reader.feed(stream[:lost] + stream[lost + 1 :])
        intact = [r.SensorState(i, i % 2 == 0) for i in range(10, 16)]
        assert sum(frame in seen for frame in intact) >= 5
        assert reader.feed(b"<# 50>\n") == [r.FenceReached(50)]


def test_the_host_readers_memory_is_bounded() -> None:
    reader = HostReader()
    assert reader.feed(b"<" + b"a" * (LONGEST_FRAME + 5)) == [r.UnknownReply("a" * LONGEST_FRAME)]
    (comment,) = reader.feed(b"<*" + b"b" * (LONGEST_COMMENT + 5))
    assert comment == r.Comment("b" * LONGEST_COMMENT)
    assert reader.feed(b"<# 50>\n") == [r.FenceReached(50)]


# ---------------------------------------------------------------- properties


WIRE_TEXT = st.lists(
    st.one_of(
        st.sampled_from(
            [wire for _, wire in REPLIES] + [wire for _, wire in COMMANDS] + [b"<*", b"*>", b'"', b"\n", b"<", b">"]
        ),
        st.binary(max_size=8),
    ),
    max_size=20,
).map(b"".join)


@settings(max_examples=300, deadline=None)
@given(WIRE_TEXT, st.randoms(use_true_random=False))
def test_any_input_is_survived_and_cut_anywhere_gives_the_same(data: bytes, dice: random.Random) -> None:
    for make in (HostReader, StationReader, OldStationReader):
        expected = make().feed(data)
        pieces = make()
        seen: list[object] = []
        at = 0
        while at < len(data):
            step = dice.randint(1, 7)
            seen += pieces.feed(data[at : at + step])
            at += step
        assert seen == expected


@settings(max_examples=200, deadline=None)
@given(WIRE_TEXT)
def test_after_any_input_the_station_hears_an_emergency_stop(data: bytes) -> None:
    old = OldStationReader()
    old.feed(data)
    assert old.feed(b"<!><#>") == [c.EmergencyStop(), c.Fence()]
    reader = StationReader()
    reader.feed(data)
    # repeated as a host repeats it; an open quote costs at most half a buffer
    heard = [command for _ in range(12) for command in reader.feed(b"<!><#>")]
    assert c.EmergencyStop() in heard
    assert reader.feed(b"<!><#>") == [c.EmergencyStop(), c.Fence()]


@settings(max_examples=200, deadline=None)
@given(WIRE_TEXT)
def test_after_any_input_the_host_hears_again(data: bytes) -> None:
    reader = HostReader()
    reader.feed(data)
    # the first line may be eaten by an unfinished frame, or be kept back with an unfinished comment
    answers = [reply for _ in range(2) for reply in reader.feed(b"\n<# 50>\n")]
    assert r.FenceReached(50) in answers
    assert reader.feed(b"<Q 2>\n<# 50>\n") == [r.SensorState(2, True), r.FenceReached(50)]


@given(st.integers(1, 10239), st.integers(-1, 126), st.booleans())
def test_every_throttle_command_comes_back(cab: int, speed: int, forward: bool) -> None:
    wire = encode(c.Throttle(cab, speed, forward))
    assert re.fullmatch(rb"<t [0-9]+ -?[0-9]+ [01]>", wire)
    assert StationReader().feed(wire) == [c.Throttle(cab, speed, forward)]


@given(st.integers(0, 10239), st.integers(-1, 126), st.booleans(), st.integers(0, 2**32 - 1))
def test_every_locomotive_line_comes_back(cab: int, speed: int, forward: bool, functions: int) -> None:
    state = r.LocomotiveState(cab, speed, forward, functions)
    assert HostReader().feed(encode_reply(state)) == [state]
