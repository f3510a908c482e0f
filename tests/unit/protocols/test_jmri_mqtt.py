"""Topics and payloads: one table for reading and writing, lenient reading, and a reader that nothing upsets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.errors import ProtocolError
from pointsman.protocols.jmri_mqtt import (
    Availability,
    Direction,
    Fence,
    FunctionCommand,
    HostState,
    LightCommand,
    LightState,
    Message,
    Points,
    PowerCommand,
    PowerState,
    ReporterState,
    SensorState,
    ThrottleDirection,
    ThrottleSpeed,
    Topics,
    TurnoutCommand,
    TurnoutState,
    Unknown,
    publish_packet,
)

BOTH_WAYS: list[tuple[Message, str, bytes]] = [
    (TurnoutCommand("T1", True), "track/turnout/T1", b"THROWN"),
    (TurnoutCommand("yard 3", False), "track/turnout/yard 3", b"CLOSED"),
    (TurnoutState("T1", Points.CLOSED), "track/turnout/T1/state", b"CLOSED"),
    (TurnoutState("T1", Points.INCONSISTENT), "track/turnout/T1/state", b"INCONSISTENT"),
    (SensorState("head", True), "track/sensor/head", b"ACTIVE"),
    (SensorState("head", False), "track/sensor/head", b"INACTIVE"),
    (SensorState("head", None), "track/sensor/head", b"UNKNOWN"),
    (LightCommand("m1", True), "track/light/m1", b"ON"),
    (LightState("m1", False), "track/light/m1/state", b"OFF"),
    (ReporterState("gate", "04175C0B7E"), "track/reporter/gate", b"04175C0B7E"),
    (ReporterState("gate", "04175C0B7E", "seen twice"), "track/reporter/gate", b"04175C0B7E seen twice"),
    (ReporterState("gate", ""), "track/reporter/gate", b""),
    (PowerCommand(True), "track/power", b"ON"),
    (PowerState(False), "track/power/state", b"OFF"),
    (ThrottleSpeed("3", 48), "cab/3/throttle", b"48"),
    (ThrottleDirection("3", Direction.REVERSE), "cab/3/direction", b"REVERSE"),
    (ThrottleDirection("Percy", Direction.STOP), "cab/Percy/direction", b"STOP"),
    (FunctionCommand("3", 0, True), "cab/3/function/0", b"ON"),
    (Availability("west", True), "track/node/west", b"online"),
    (Availability("west", False), "track/node/west", b"offline"),
    (Fence("pm01", "ab12", 7), "pointsman/pm01/fence", b"ab12 7"),
]


@pytest.mark.parametrize("prefix", ["", "/trains/", "club/", "a/b/"])
@pytest.mark.parametrize(("message", "topic", "payload"), BOTH_WAYS)
def test_each_message_is_written_and_read_alike(prefix: str, message: Message, topic: str, payload: bytes) -> None:
    topics = Topics(prefix)
    assert topics.write(message) == (prefix + topic, payload)
    assert topics.read(prefix + topic, payload) == message


LENIENT: list[tuple[str, bytes, Message]] = [
    ("track/turnout/T1", b" thrown\r\n", TurnoutCommand("T1", True)),
    ("track/sensor/b", b"Active", SensorState("b", True)),
    ("track/light/m", b"INTENSITY 0.25", LightCommand("m", True, 0.25)),
    ("track/light/m", b"INTENSITY 0", LightCommand("m", False, 0.0)),
    ("cab/3/throttle", b"250", ThrottleSpeed("3", 100)),
    ("cab/3/throttle", b"-5", ThrottleSpeed("3", 0)),
    ("cab/3/throttle", b"", ThrottleSpeed("3", 0, stop=True)),
    ("cab/3/throttle", b"fast", ThrottleSpeed("3", 0, stop=True)),
    ("cab/3/throttle", b"12.5", ThrottleSpeed("3", 0, stop=True)),
    ("cab/3/throttle", "٣".encode(), ThrottleSpeed("3", 0, stop=True)),
    ("cab/3/direction", b"", ThrottleDirection("3", Direction.STOP)),
    ("cab/3/direction", b"stop", ThrottleDirection("3", Direction.STOP)),
    ("track/node/west", b"Online", Availability("west", True)),
    ("track/$state", b"lost", HostState("lost")),
]


@pytest.mark.parametrize(("topic", "payload", "message"), LENIENT)
def test_what_means_the_same_is_read_the_same(topic: str, payload: bytes, message: Message) -> None:
    assert Topics().read(topic, payload) == message


UNKNOWN = [
    ("track/turnout/T1", b""),
    ("track/turnout/T1", b"UNKNOWN"),
    ("track/turnout/", b"CLOSED"),
    ("track/turnout/a/b", b"CLOSED"),
    ("track/turnout/T1/state", b"MOVING"),
    ("track/sensor/b", b"\xff\xfe"),
    ("track/light/m", b"INTENSITY 2"),
    ("track/light/m", b"INTENSITY nan"),
    ("track/light/m", b"INTENSITY"),
    ("track/power", b"IDLE"),
    ("cab/3/direction", b"SIDEWAYS"),
    ("cab/3/function/x", b"ON"),
    ("cab/3/consist", b"4 5"),
    ("track/node/west", b"maybe"),
    ("pointsman/pm01/fence", b"7"),
    ("track/signalmast/A", b"Clear; Lit; Unheld"),
    ("something/else", b"\x00\x01"),
    ("", b""),
]


@pytest.mark.parametrize(("topic", "payload"), UNKNOWN)
def test_the_rest_is_kept_as_it_came(topic: str, payload: bytes) -> None:
    assert Topics().read(topic, payload) == Unknown(topic, payload)


def test_what_is_not_behind_the_prefix_is_not_ours() -> None:
    assert Topics("club/").read("track/power", b"ON") == Unknown("track/power", b"ON")


REFUSED: list[Message] = [
    TurnoutCommand("", True),
    TurnoutCommand("a/b", True),
    TurnoutCommand("a+", True),
    TurnoutCommand("#", True),
    TurnoutCommand("a\0b", True),
    TurnoutCommand("x" * 201, True),
    SensorState("\ud800", True),
    ThrottleSpeed("3", 101),
    ThrottleSpeed("3", -1),
    FunctionCommand("3", 69, True),
    ReporterState("gate", "two words"),
    ReporterState("gate", "tag", "line\nline"),
    Fence("pm01", "a b", 1),
    HostState("lost"),
    Unknown("track/power", b"ON"),
]


@pytest.mark.parametrize("message", REFUSED, ids=repr)
def test_what_must_not_be_published_is_refused(message: Message) -> None:
    with pytest.raises(ProtocolError) as refusal:
        Topics().write(message)
    assert refusal.value.cure


@pytest.mark.parametrize("prefix", ["a+b", "#", "x\n", "y" * 201])
def test_a_prefix_that_no_topic_can_have_is_refused(prefix: str) -> None:
    with pytest.raises(ProtocolError):
        Topics(prefix)


WORDS = "track turnout sensor light reporter power state cab throttle direction function node $state pointsman fence"
PARTS = st.sampled_from(["", *WORDS.split(), "3", "T1", "99999999999999999999", "club"])
TOPICS = st.lists(PARTS, max_size=6).map("/".join) | st.text()
PAYLOADS = st.binary(max_size=200) | st.sampled_from([b"THROWN", b"ON", b"INTENSITY 1e400", b"9" * 5000, b"online"])


@given(st.sampled_from(["", "club/", "/trains/"]), TOPICS, PAYLOADS)
def test_no_input_upsets_the_reader(prefix: str, topic: str, payload: bytes) -> None:
    topics = Topics(prefix)
    message = topics.read(topic, payload)
    if isinstance(message, Unknown):
        assert message == Unknown(topic, payload)
        return
    # Whatever was understood, and may be said, says the same again.
    try:
        again = topics.write(message)
    except ProtocolError:
        return
    assert topics.read(*again) == message or isinstance(message, LightCommand | ReporterState | ThrottleSpeed)


def test_a_packet_is_laid_out_as_the_standard_says() -> None:
    assert publish_packet("a/b", b"OFF") == b"\x30\x08\x00\x03a/bOFF"
    long = publish_packet("t", b"x" * 200)
    assert long[:3] == b"\x30\xcb\x01"
    assert len(long) == 3 + 203
