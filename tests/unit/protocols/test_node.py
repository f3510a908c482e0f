"""The node protocol: literal bytes both ways, whole and byte by byte, what is refused, and that nothing raises."""

from __future__ import annotations

import binascii
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_lines import line

from pointsman.protocols import node_constants as k
from pointsman.protocols.node import (
    STOP,
    Accepted,
    Asked,
    Counts,
    FromHost,
    FromNode,
    Gaps,
    Garbled,
    Happened,
    HostReader,
    NodeReader,
    Numbers,
    Refused,
    StopAsked,
    Unknown,
    crc,
    write_answer,
    write_command,
    write_event,
    write_refusal,
)
from pointsman.protocols.node_constants import Board, Latch, Lie, Refusal, Reset, Setting, SettingsState, Verb
from pointsman.protocols.node_messages import (
    COMMANDS,
    EVENTS,
    About,
    Alive,
    Arm,
    Beam,
    Beat,
    Coil,
    Command,
    Defaults,
    Drive,
    Driven,
    End,
    Get,
    Hello,
    Latched,
    Magnet,
    Off,
    OtherVersion,
    Points,
    Set,
    SettingsAre,
    State,
    Store,
    Told,
    Trip,
    Turnout,
    about_of,
    answer_of,
    machine_number,
    setting_names,
    wants_hello,
)

ABOUT = About(1, "0.1.0", Board.UNO, Reset.POWER, 2, 3, 1, True, True)

COMMAND_LINES: list[tuple[int, Command, bytes]] = [
    (1, Hello(), b"1 hello 1*534C\n"),
    (2, State(), b"2 state*D2BD\n"),
    (9999, Beat(), b"9999 beat*EECB\n"),
    (4, Arm(), b"4 arm*DCC1\n"),
    (5, Off(), b"5 off*134D\n"),
    (6, Turnout(8, thrown=True), b"6 turnout 8 1*AB1A\n"),
    (7, Magnet(1, 500), b"7 magnet 1 500*DA47\n"),
    (12, Drive(forward=True, step=60), b"12 drive 1 60*88EE\n"),
    (13, Drive(forward=False, step=126), b"13 drive 0 126*A4D5\n"),
    (3, Get(Setting.CLOSED_US, 2), b"3 get 12 2*706A\n"),
    (8, Get(Setting.HEARTBEAT_MS), b"8 get 0 0*5E7E\n"),
    (9, Set(Setting.THROWN_US, 1, 1750), b"9 set 13 1 1750*02A6\n"),
    (10, Store(), b"10 store*C206\n"),
    (11, Defaults(), b"11 defaults*256C\n"),
    (14, Trip(), b"14 trip*C072\n"),
]
EVENT_LINES: list[tuple[int, Told, bytes]] = [
    (0, ABOUT, b"@0 hello 1 0.1.0 uno power 2 3 1 1 1*E065\n"),
    (1, OtherVersion(2), b"@1 hello 2*E87E\n"),
    (99, Points(3, Lie.MOVING), b"@99 turnout 3 moving*211A\n"),
    (7, Beam(2, broken=True), b"@7 beam 2 1*D0E5\n"),
    (8, Coil(1, on=False), b"@8 magnet 1 0*FC11\n"),
    (9, Driven(forward=True, step=0), b"@9 drive 1 0*211A\n"),
    (10, Latched(Latch.HEARTBEAT), b"@10 latch heartbeat*07C8\n"),
    (11, SettingsAre(SettingsState.DEFAULTS), b"@11 settings defaults*9E3A\n"),
    (12, Alive(Latch.NONE), b"@12 alive none*DDC1\n"),
    (13, End(), b"@13 end*E7E0\n"),
]
ANSWER_LINES: list[tuple[bytes, FromNode, bytes]] = [
    (write_answer(4, Verb.ARM), Accepted(4), b"4 ok*22C7\n"),
    (write_answer(5, Verb.BEAT, [Latch.BOOT]), Accepted(5, ("boot",)), b"5 ok boot*6BCE\n"),
    (write_answer(6, Verb.GET, [30000]), Accepted(6, ("30000",)), b"6 ok 30000*3910\n"),
    (write_refusal(7, Refusal.RESTING), Refused(7, Refusal.RESTING), b"7 no resting*A417\n"),
    (write_refusal(0, Refusal.CRC), Refused(0, Refusal.CRC), b"0 no crc*7D01\n"),
]


def test_the_checksum_is_the_one_that_it_shall_be() -> None:
    assert crc(b"123456789") == 0x29B1, "the check value of CRC-16/CCITT-FALSE"
    assert crc(b"") == 0xFFFF
    assert line("1 hello") == b"1 hello*%04X\n" % binascii.crc_hqx(b"1 hello", 0xFFFF)


@pytest.mark.parametrize(("number", "command", "data"), COMMAND_LINES, ids=str)
def test_every_command_is_written_and_read(number: int, command: Command, data: bytes) -> None:
    assert write_command(number, command) == data == line(data[:-6])
    expected: list[FromHost] = [Asked(number, command, data[:-6].decode())]
    assert NodeReader().feed(data) == expected
    reader = NodeReader()
    assert [found for byte in data for found in reader.feed(bytes([byte]))] == expected


@pytest.mark.parametrize(("count", "event", "data"), EVENT_LINES, ids=str)
def test_every_event_is_written_and_read(count: int, event: Told, data: bytes) -> None:
    assert write_event(count, event) == data == line(data[:-6])
    assert HostReader().feed(data) == [Happened(count, event)]
    reader = HostReader()
    assert [found for byte in data for found in reader.feed(bytes([byte]))] == [Happened(count, event)]


@pytest.mark.parametrize(("written", "message", "data"), ANSWER_LINES, ids=str)
def test_every_answer_is_written_and_read(written: bytes, message: FromNode, data: bytes) -> None:
    assert written == data == line(data[:-6])
    assert HostReader().feed(data) == [message]


def test_the_examples_leave_nothing_out() -> None:
    assert {type(command) for _, command, _ in COMMAND_LINES} == set(COMMANDS.values())
    assert {type(event) for _, event, _ in EVENT_LINES} == {*EVENTS.values(), OtherVersion}
    assert set(COMMANDS) == set(k.VERB_VALUES) == set(Verb)
    assert set(EVENTS) == set(k.EVENT_VALUES)
    for verb, made in COMMANDS.items():
        assert isinstance(made, type)
        assert len(fields(made)) == len(k.VERB_VALUES[verb]), verb


def test_the_values_of_an_answer() -> None:
    words = ("1", "0.1.0", "uno", "power", "2", "3", "1", "1", "1")
    assert write_answer(1, Verb.HELLO, [1, "0.1.0", "uno", "power", 2, 3, 1, True, True]) == line(
        "1 ok " + " ".join(words)
    )
    assert about_of(words) == ABOUT
    assert about_of(("2", "and", "more")) == OtherVersion(2), "of another version no more is read"
    assert about_of(()) is None
    assert about_of(("x",)) is None
    assert about_of(("0",)) is None
    assert about_of(words[:-1]) is None
    assert about_of((words[0], "0/1", *words[2:])) is None
    assert about_of((*words[:3], "sunspots", *words[4:])) is None
    assert answer_of(Verb.BEAT, ("none",)) == (Latch.NONE,)
    assert answer_of(Verb.GET, ("1500",)) == (1500,)
    assert answer_of(Verb.ARM, ()) == ()
    assert answer_of(Verb.ARM, ("1",)) is None
    assert answer_of(Verb.BEAT, ("1",)) is None


def test_what_moves_something_wants_a_hello_and_what_stops_it_does_not() -> None:
    free = [command for _, command, _ in COMMAND_LINES if not wants_hello(command)]
    assert {type(command) for command in free} == {Hello, State, Beat, Off, Get}
    assert not wants_hello(Magnet(1, 0))
    assert not wants_hello(Drive(forward=True, step=0))


def test_a_setting_may_stand_for_names() -> None:
    assert setting_names(Setting.MACHINE) == ("none", "servo", "solenoid")
    assert setting_names(Setting.CLOSED_US) == ()
    assert [machine_number(one) for one in k.Machine] == [0, 1, 2]
    for setting, kind in k.NAMED_SETTINGS.items():
        assert k.SETTINGS[setting][1:3] == (0, len(kind) - 1)


def test_every_coil_may_rest_as_long_as_it_must() -> None:
    for pulse, rest in k.DUTY.items():
        for at in (2, 3):  # the highest, the default
            assert k.SETTINGS[rest][at] >= k.LEAST_RESTS * k.SETTINGS[pulse][at]  # type: ignore[operator]


def test_every_changed_byte_of_a_line_is_noticed() -> None:
    good = write_command(12, Drive(forward=True, step=60))
    for at in range(len(good) - 1):
        for bit in range(8):
            data = bytearray(good)
            data[at] ^= 1 << bit
            found = NodeReader().feed(bytes(data))
            assert not any(isinstance(one, Asked) for one in found), (at, bit)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"1 beat\n", Garbled(Refusal.CRC, b"1 beat")),
        (b"1 beat*\n", Garbled(Refusal.CRC, b"1 beat*")),
        (b"1 beat*0000\n", Garbled(Refusal.CRC, b"1 beat*0000")),
        (b"5 off*134d\n", Garbled(Refusal.CRC, b"5 off*134d")),
        (b"5 off*134D \n", Garbled(Refusal.CRC, b"5 off*134D ")),
        (b"1 be\x07at\n", Garbled(Refusal.FORM, b"1 be\x07at")),
        (line(b"1 be\x00at"), Garbled(Refusal.FORM, line(b"1 be\x00at")[:-1])),
        (line(b"1 be\xffat"), Garbled(Refusal.FORM, line(b"1 be\xffat")[:-1])),
        (b"x" * 60 + b"\x07\n", Garbled(Refusal.LONG, b"x" * 59)),
        (b"\x07" + b"x" * 60 + b"\n", Garbled(Refusal.FORM, b"\x07" + b"x" * 58)),
        (b"x" * 60 + b"\n", Garbled(Refusal.LONG, b"x" * 59)),
        (b"x" * 5000 + b"\n", Garbled(Refusal.LONG, b"x" * 59)),
        (b"x" * 59 + b"\n", Garbled(Refusal.CRC, b"x" * 59)),
    ],
)
def test_a_line_that_did_not_come_whole_is_kept_and_the_next_one_is_read(data: bytes, found: Garbled) -> None:
    after = Asked(2, State(), "2 state")
    assert NodeReader().feed(data + write_command(2, State())) == [found, after]
    assert HostReader().feed(data + line("2 ok")) == [found, Accepted(2)]


def test_a_line_of_the_longest_length_is_read() -> None:
    body = "1 " + "x" * 52
    assert len(line(body)) == k.LONGEST
    assert NodeReader().feed(line(body)) == [Unknown(1, Refusal.VERB, body)]


def test_carriage_returns_and_lines_without_anything_count_as_none() -> None:
    assert NodeReader().feed(b"\r\n\n\r\n5 of\rf*134D\r\n") == [Asked(5, Off(), "5 off")]


def test_the_stop_byte_is_seen_anywhere() -> None:
    assert STOP == b"\x18"
    assert NodeReader().feed(STOP * 3) == [StopAsked()] * 3
    data = write_command(12, Drive(forward=True, step=60))
    for at in range(1, len(data) - 1):
        found = NodeReader().feed(data[:at] + STOP + data[at:])
        assert found[0] == StopAsked()
        assert [type(one) for one in found[1:]] == [Garbled], at
    assert NodeReader().feed(data[:5] + STOP + b"\n" + data) == [StopAsked(), *NodeReader().feed(data)]
    assert NodeReader().feed(b"x" * 200 + STOP + data) == [StopAsked(), *NodeReader().feed(data)]


def test_a_stop_byte_from_a_node_is_but_a_bad_byte() -> None:
    assert HostReader().feed(b"2 o\x18k\n") == [Garbled(Refusal.FORM, b"2 o\x18k")]


# ---------------------------------------------------------------- counting


def test_numbers_go_round_without_zero() -> None:
    numbers = Numbers()
    taken = [numbers.take() for _ in range(k.LAST_NUMBER + 2)]
    assert taken[:2] == [1, 2]
    assert taken[-3:] == [9999, 1, 2]


def test_counts_go_round_and_gaps_are_seen() -> None:
    counts, gaps = Counts(), Gaps()
    taken = [counts.take() for _ in range(250)]
    assert taken[:2] == [0, 1]
    assert taken[99:102] == [99, 0, 1]
    assert [gaps.heard(count) for count in taken[42:]] == [0] * 208, "the first one heard begins the count"
    assert gaps.heard(52) == 2
    assert gaps.heard(53) == 0
    assert gaps.heard(53) == 99, "one that comes twice is a gap too"
    assert gaps.heard(99) == 45
    assert gaps.heard(0) == 0
    gaps.restart()
    assert gaps.heard(40) == 0


# ---------------------------------------------------------------- any bytes at all


def of_limits(what: str) -> st.SearchStrategy[int]:
    return st.integers(*k.LIMITS[what])


@st.composite
def settings(draw: st.DrawFn) -> Command:
    setting = draw(st.sampled_from(Setting))
    _, low, high, _, of_what = k.SETTINGS[setting]
    of = 0 if of_what == "node" else draw(st.integers(1, k.LIMITS["of"][1]))
    either: list[Command] = [Get(setting, of), Set(setting, of, draw(st.integers(low, high)))]
    return draw(st.sampled_from(either))


COMMANDS_DRAWN: st.SearchStrategy[Command] = st.one_of(
    st.sampled_from([Hello(), State(), Beat(), Arm(), Off(), Store(), Defaults(), Trip()]),
    st.builds(Turnout, of_limits("turnout"), st.booleans()),
    st.builds(Magnet, of_limits("magnet"), of_limits("on_ms")),
    st.builds(Drive, st.booleans(), of_limits("step")),
    settings(),
)
PIECES = st.one_of(
    st.builds(write_command, st.integers(1, k.LAST_NUMBER), COMMANDS_DRAWN),
    st.sampled_from([data for *_, data in COMMAND_LINES + EVENT_LINES + ANSWER_LINES]),
    st.binary(max_size=80),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=52).map(line),
    st.sampled_from([STOP, b"\n", b"\r", b"*", b"@", b" "]),
)


@given(st.integers(1, k.LAST_NUMBER), COMMANDS_DRAWN)
def test_what_is_written_is_read(number: int, command: Command) -> None:
    data = write_command(number, command)
    assert len(data) <= k.LONGEST
    assert NodeReader().feed(data) == [Asked(number, command, data[:-6].decode())]


@given(st.lists(PIECES, max_size=12), st.data())
def test_no_bytes_raise_and_chunks_change_nothing(pieces: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(pieces)
    at = data.draw(st.integers(0, len(stream)))
    node, host = NodeReader(), HostReader()
    assert node.feed(stream[:at]) + node.feed(stream[at:]) == NodeReader().feed(stream)
    assert host.feed(stream[:at]) + host.feed(stream[at:]) == HostReader().feed(stream)


@given(st.lists(PIECES, max_size=12))
def test_after_anything_a_line_feed_lets_the_next_line_through(pieces: list[bytes]) -> None:
    stream = b"".join(pieces) + b"\n"
    assert NodeReader().feed(stream + write_command(1, Beat()))[-1] == Asked(1, Beat(), "1 beat")
    assert HostReader().feed(stream + line("1 ok"))[-1] == Accepted(1)


@given(st.lists(PIECES, max_size=12))
def test_every_command_that_is_read_can_be_written_again_or_is_of_a_settings_range(pieces: list[bytes]) -> None:
    for found in NodeReader().feed(b"".join(pieces)):
        if isinstance(found, Asked) and not isinstance(found.command, Get | Set):
            assert NodeReader().feed(write_command(found.number, found.command))[0] == replace(
                found, body=write_command(found.number, found.command)[:-6].decode()
            )


def test_a_line_without_end_is_not_kept() -> None:
    for reader in (NodeReader(), HostReader()):
        for _ in range(100):
            assert reader.feed(b"x" * 10_000) == []
        (found,) = reader.feed(b"\n")
        assert found == Garbled(Refusal.LONG, b"x" * (k.LONGEST - 1))
