"""WiThrottle: one table for each way, what is lenient, and that nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.errors import ProtocolError
from pointsman.protocols import withrottle_messages as m
from pointsman.protocols.withrottle import LONGEST, LONGEST_TEXT, STOPPED, Reader, key_of, write

FROM_PHONE: list[tuple[bytes, m.FromPhone]] = [
    (b"NMy Phone", m.DeviceName("My Phone")),
    ("NTéléphone d'Ève".encode(), m.DeviceName("Téléphone d'Ève")),
    (b"N", m.DeviceName("")),
    (b"HU7a1b2c", m.DeviceId("7a1b2c")),
    (b"*", m.Heartbeat()),
    (b"*+", m.Monitoring(True)),
    (b"*-", m.Monitoring(False)),
    (b"Q", m.Quit()),
    (b"M0+S3<;>S3", m.Acquire("0", "S3")),
    (b"MT+L1234<;>L1234", m.Acquire("T", "L1234")),
    (b"M0+S3<;>ESwitcher", m.Acquire("0", "S3", "Switcher")),
    (b"M0+S3", m.Acquire("0", "S3")),
    (b"M1SS3<;>S3", m.Steal("1", "S3")),
    (b"M0-S3<;>r", m.Release("0", "S3")),
    (b"M0-*<;>d", m.Release("0", "*")),
    (b"M0-*", m.Release("0", "*")),
    (b"M0A*<;>Q", m.Release("0", "*")),
    (b"M0AS3<;>V0", m.SetSpeed("0", "S3", 0)),
    (b"M0A*<;>V126", m.SetSpeed("0", "*", 126)),
    (b"M0AS3<;>V127", m.SetSpeed("0", "S3", 126)),
    (b"M0AS3<;>V-1", m.EmergencyStop("0", "S3")),
    (b"M0AS3<;>X", m.EmergencyStop("0", "S3")),
    (b"M0AS3<;>I", m.SetSpeed("0", "S3", 0)),
    (b"M0A*<;>R1", m.SetDirection("0", "*", True)),
    (b"M0A*<;>R0", m.SetDirection("0", "*", False)),
    (b"M0AS3<;>F112", m.Button("0", "S3", 12, True)),
    (b"M0AS3<;>F00", m.Button("0", "S3", 0, False)),
    (b"M0AS3<;>f12", m.SetFunction("0", "S3", 2, True)),
    (b"M0AS3<;>f028", m.SetFunction("0", "S3", 28, False)),
    (b"M0A*<;>qV", m.Query("0", "*", m.About.SPEED)),
    (b"M0A*<;>qR", m.Query("0", "*", m.About.DIRECTION)),
    (b"M0A*<;>qs", m.Query("0", "*", m.About.STEPS)),
    (b"M0A*<;>qm", m.Query("0", "*", m.About.MOMENTARY)),
    (b"M0AS3<;>s2", m.SetSteps("0", "S3", 2)),
    (b"PPA1", m.AskPower(True)),
    (b"PPA0", m.AskPower(False)),
    (b"PTATLT1", m.AskTurnout(m.TurnoutAction.THROW, "LT1")),
    (b"PTACLT1", m.AskTurnout(m.TurnoutAction.CLOSE, "LT1")),
    (b"PTA212", m.AskTurnout(m.TurnoutAction.TOGGLE, "12")),
]

TO_PHONE: list[tuple[m.ToPhone, str]] = [
    (m.Version(), "VN2.0"),
    (m.Roster(()), "RL0"),
    (m.Roster((("Switcher", "S3"), ("Mikado", "L1234"))), r"RL2]\[Switcher}|{3}|{S]\[Mikado}|{1234}|{L"),
    (m.Power(True), "PPA1"),
    (m.Power(False), "PPA0"),
    (m.Power(None), "PPA2"),
    (m.TurnoutWords(), r"PTT]\[Turnouts}|{Turnout]\[Closed}|{2]\[Thrown}|{4"),
    (m.Turnouts(()), "PTL"),
    (
        m.Turnouts((("LT1", "Lead", m.Points.CLOSED), ("LT2", "Ladder", m.Points.THROWN))),
        r"PTL]\[LT1}|{Lead}|{2]\[LT2}|{Ladder}|{4",
    ),
    (m.TurnoutState("LT12", m.Points.THROWN), "PTA4LT12"),
    (m.TurnoutState("LT12", m.Points.UNKNOWN), "PTA1LT12"),
    (m.TurnoutState("LT12", m.Points.INCONSISTENT), "PTA8LT12"),
    (m.WebPort(8765), "PW8765"),
    (m.Interval(10), "*10"),
    (m.Alert("Stop!\nSomebody is\tthere"), "HMStop! Somebody is there"),
    (m.Information("Élan"), "HmÉlan"),
    (m.Added("0", "S3"), "M0+S3<;>"),
    (m.Removed("T", "L1234"), "MT-L1234<;>"),
    (m.Removed("0", "S999"), "M0-S999<;>"),
    (m.InUse("0", "S3"), "M0SS3<;>S3"),
    (m.Labels("0", "S3", ("Lights", "", "Horn")), r"M0LS3<;>]\[Lights]\[]\[Horn"),
    (m.FunctionState("0", "S3", 0, False), "M0AS3<;>F00"),
    (m.FunctionState("0", "S3", 12, True), "M0AS3<;>F112"),
    (m.Momentary("0", "S3", 2, True), "M0AS3<;>m12"),
    (m.Speed("0", "S3", 30), "M0AS3<;>V30"),
    (m.Speed("0", "S3", STOPPED), "M0AS3<;>V-1"),
    (m.Direction("0", "S3", False), "M0AS3<;>R0"),
    (m.Steps("0", "S3"), "M0AS3<;>s1"),
]


@pytest.mark.parametrize(("line", "message"), FROM_PHONE, ids=lambda case: case if isinstance(case, bytes) else "")
def test_every_line_of_a_phone_is_read_whole_and_byte_by_byte(line: bytes, message: m.FromPhone) -> None:
    for ending in (b"\n", b"\r", b"\r\n", b"\n\n\r \n"):
        assert Reader().feed(line + ending) == [message]
        reader = Reader()
        assert [one for byte in line + ending for one in reader.feed(bytes([byte]))] == [message]


def test_lines_of_one_packet_come_in_their_order() -> None:
    together = b"\n".join(line for line, _ in FROM_PHONE) + b"\n"
    assert Reader().feed(together) == [message for _, message in FROM_PHONE]


def test_a_line_without_its_end_is_none() -> None:
    reader = Reader()
    assert reader.feed(b"M0AS3<;>V1") == []
    assert reader.feed(b"2") == []
    assert reader.feed(b"0\n") == [m.SetSpeed("0", "S3", 120)]


@pytest.mark.parametrize(("message", "line"), TO_PHONE, ids=lambda case: case if isinstance(case, str) else "")
def test_every_message_to_a_phone_is_written(message: m.ToPhone, line: str) -> None:
    assert write(message) == line.encode() + b"\n"


def test_every_kind_of_message_is_in_the_tables() -> None:
    assert {type(message) for _, message in FROM_PHONE} | {m.Unknown} == set(m.FromPhone.__args__)
    assert {type(message) for message, _ in TO_PHONE} == set(m.ToPhone.__args__)


@pytest.mark.parametrize(
    "line",
    [
        b"GET / HTTP/1.1",
        b"q",
        b"H",
        b"M",
        b"M0",
        b"M0A",
        b"M0AS3<;>",
        b"M0AS3<;>V",
        b"M0AS3<;>V1.5",
        b"M0AS3<;>V99999",
        b"M0AS3<;>Vx",
        b"M0AS3<;>R2",
        b"M0AS3<;>F3",
        b"M0AS3<;>F1999",
        b"M0AS3<;>q",
        b"M0AS3<;>m12",
        b"M0+*<;>S3",
        b"M0S*<;>S3",
        b"M0+3<;>3",
        b"M0+S123456<;>S3",
        "M0+S٣<;>S3".encode(),
        b"M0*S3<;>V3",
        b"M\x01+S3<;>S3",
        b"PTA",
        b"PTAT",
        b"PTAXLT1",
        b"PPA2",
        b"PRA2Route",
        b"\x16\x03\x01\x00\xa5",
        b"\xff\xfe\x00",
    ],
)
def test_what_is_not_known_is_kept(line: bytes) -> None:
    assert Reader().feed(line + b"\n") == [m.Unknown(line)]


def test_a_line_that_is_too_long_means_nothing_and_ends_with_its_end() -> None:
    reader = Reader()
    longest = b"N" + b"x" * (LONGEST - 1)
    assert reader.feed(longest + b"\n") == [m.DeviceName("x" * (LONGEST - 1))]
    assert reader.feed(longest + b"y" * 100_000) == []
    assert reader.feed(b"\n*\n") == [m.Unknown(longest), m.Heartbeat()]


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_nothing_raises_and_how_it_comes_in_pieces_does_not_matter(pieces: list[bytes]) -> None:
    reader = Reader()
    assert [one for piece in pieces for one in reader.feed(piece)] == Reader().feed(b"".join(pieces))


@given(st.text(max_size=400))
def test_a_sentence_is_always_one_short_line(text: str) -> None:
    line = write(m.Alert(text)).decode()
    assert line.startswith("HM")
    assert line.endswith("\n")
    assert len(line.splitlines()) == 1
    assert len(line) <= 2 + LONGEST_TEXT + 1


@pytest.mark.parametrize(
    "message",
    [
        m.Roster((("A}|{B", "S3"),)),
        m.Roster((("A\nB", "S3"),)),
        m.Roster((("", "S3"),)),
        m.Roster((("A" * 61, "S3"),)),
        m.Roster((("A", "S128"),)),
        m.Roster((("A", "S0"),)),
        m.Roster((("A", "L10240"),)),
        m.Turnouts((("T1", r"A]\[B", m.Points.CLOSED),)),
        m.TurnoutState("T<;>1", m.Points.CLOSED),
        m.Labels("0", "S3", ("A\rB",)),
        m.WebPort(0),
        m.Interval(31),
        m.Speed("0", "S3", 127),
        m.Speed("0", "S3", -2),
        m.FunctionState("0", "S3", 29, True),
        m.Momentary("0", "S3", -1, True),
        m.Added("01", "S3"),
        m.Added(" ", "S3"),
        m.Added("\n", "S3"),
        m.Added("0", "*"),
    ],
    ids=repr,
)
def test_what_a_phone_would_misread_is_not_written(message: m.ToPhone) -> None:
    with pytest.raises(ProtocolError):
        write(message)


def test_keys_of_locomotives() -> None:
    assert (key_of(3, long=False), key_of(3, long=True), key_of(1234, long=True)) == ("S3", "L3", "L1234")
