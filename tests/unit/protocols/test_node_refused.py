"""The node protocol: what is never written, and what of what comes is no command, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from node_lines import line

from pointsman.errors import ProtocolError
from pointsman.protocols import node_constants as k
from pointsman.protocols.node import (
    Asked,
    HostReader,
    NodeReader,
    Refused,
    Unknown,
    write_answer,
    write_command,
    write_event,
    write_refusal,
)
from pointsman.protocols.node_constants import Board, Latch, Refusal, Reset, Setting, Verb
from pointsman.protocols.node_messages import (
    UNTOLD,
    About,
    Beam,
    Beat,
    Command,
    Drive,
    Driven,
    End,
    Get,
    Hello,
    Latched,
    Magnet,
    Points,
    Set,
    Told,
    Turnout,
)

ABOUT = About(1, "0.1.0", Board.UNO, Reset.POWER, 2, 3, 1, True, True)


# ---------------------------------------------------------------- what is never written


@pytest.mark.parametrize(
    "command",
    [
        Turnout(0, thrown=True),
        Turnout(9, thrown=True),
        Magnet(1, 2001),
        Magnet(1, -1),
        Magnet(257, 100),
        Drive(forward=True, step=127),
        Drive(forward=True, step=-1),
        Drive(forward=2, step=1),  # type: ignore[arg-type]
        Drive(forward=True, step=20.5),  # type: ignore[arg-type]
        Get(Setting.CLOSED_US, 0),
        Get(Setting.HEARTBEAT_MS, 1),
        Get(Setting.BEAM_INVERTED, 17),
        Get("volume", 0),  # type: ignore[arg-type]
        Set(Setting.HEARTBEAT_MS, 0, 299),
        Set(Setting.HEARTBEAT_MS, 0, 3001),
        Set(Setting.CLOSED_US, 1, 65536 + 1500),
    ],
)
def test_a_command_out_of_range_is_refused_and_never_wrapped(command: Command) -> None:
    with pytest.raises(ProtocolError) as refused:
        write_command(1, command)
    assert refused.value.cure


@pytest.mark.parametrize("number", [0, -1, 10000])
def test_a_number_out_of_range_is_never_written(number: int) -> None:
    with pytest.raises(ProtocolError):
        write_command(number, Beat())
    with pytest.raises(ProtocolError):
        write_answer(number, Verb.BEAT, [Latch.NONE])
    with pytest.raises(ProtocolError):
        write_refusal(number or -1, Refusal.CRC)


@pytest.mark.parametrize(
    ("count", "event"),
    [
        (100, End()),
        (-1, End()),
        (0, Beam(17, broken=True)),
        (0, Beam(0, broken=True)),
        (0, Driven(forward=True, step=127)),
        (0, Points(1, "upside down")),  # type: ignore[arg-type]
        (0, replace(ABOUT, firmware="0 1")),
        (0, replace(ABOUT, firmware="1" * 13)),
        (0, replace(ABOUT, beams=300)),
    ],
)
def test_an_event_out_of_range_is_never_written(count: int, event: Told) -> None:
    with pytest.raises(ProtocolError):
        write_event(count, event)


def test_values_that_do_not_belong_to_an_answer_are_never_written() -> None:
    with pytest.raises(ProtocolError):
        write_answer(1, Verb.ARM, [1])
    with pytest.raises(ProtocolError):
        write_answer(1, Verb.BEAT)
    with pytest.raises(ProtocolError):
        write_answer(1, Verb.GET, [30001])


def test_the_longest_lines_are_short_enough() -> None:
    longest = About(255, "9" * 12, Board.MEGA, Reset.BROWNOUT, 16, 16, 16, True, True)
    assert len(write_event(99, longest)) <= k.LONGEST
    assert len(write_command(9999, Set(Setting.MAGNET_REST_MS, 0, 10000))) <= k.LONGEST
    assert len(write_event(99, Latched(max(Latch, key=len)))) <= k.LONGEST
    assert len(write_refusal(9999, max(Refusal, key=len))) <= k.LONGEST


# ---------------------------------------------------------------- what is not a command, and why


@pytest.mark.parametrize(
    ("body", "number", "refusal"),
    [
        ("1 reboot", 1, Refusal.VERB),
        ("1 BEAT", 1, Refusal.VERB),
        ("1  beat", 1, Refusal.VERB),
        ("1 beat ", 1, Refusal.FORM),
        ("1 beat now", 1, Refusal.FORM),
        ("1 hello 1 1", 1, Refusal.FORM),
        ("1 hello 1 ", 1, Refusal.FORM),
        ("1 turnout 1", 1, Refusal.FORM),
        ("1 turnout 1 thrown", 1, Refusal.FORM),
        ("1 turnout 1 -1", 1, Refusal.FORM),
        ("1 turnout 9 x", 1, Refusal.FORM),
        ("1 turnout 0 1", 1, Refusal.RANGE),
        ("1 turnout 1 2", 1, Refusal.RANGE),
        ("1 turnout 257 1", 1, Refusal.RANGE),
        ("1 turnout 65537 1", 1, Refusal.RANGE),
        ("1 drive 1 127", 1, Refusal.RANGE),
        ("1 drive 1 99999999999999999999", 1, Refusal.RANGE),
        ("1 get 63 0", 1, Refusal.RANGE),
        ("1 get 64 0", 1, Refusal.RANGE),
        ("0 beat", 0, Refusal.FORM),
        ("10000 beat", 0, Refusal.FORM),
        ("-1 beat", 0, Refusal.FORM),
        ("1", 0, Refusal.FORM),
        ("1 ", 1, Refusal.VERB),
        ("beat", 0, Refusal.FORM),
        ("@1 beam 1 1", 0, Refusal.FORM),
        ("1 beat*", 1, Refusal.VERB),
        ("", 0, Refusal.FORM),
    ],
)
def test_a_line_that_is_no_command_is_kept_with_its_reason(body: str, number: int, refusal: Refusal) -> None:
    assert NodeReader().feed(line(body)) == [Unknown(number, refusal, body)]


@pytest.mark.parametrize(
    "body",
    [
        "1 okay",
        "1 no",
        "1 no ",
        "0 ok",
        "10000 ok",
        "1 beat",
        "@1 party",
        "@1 beam 1",
        "@1 beam x 1",
        "@1 latch bored",
        "@1 hello",
        "@1 hello 1 2 3",
        "@100 end",
        "@ end",
        "",
    ],
)
def test_a_line_that_no_node_says_is_kept(body: str) -> None:
    (found,) = HostReader().feed(line(body))
    assert isinstance(found, Unknown)
    assert found.body == body


def test_a_reason_that_is_not_known_is_a_refusal_all_the_same() -> None:
    assert HostReader().feed(line("7 no mood")) == [Refused(7, "mood")]
    assert "mood" in Refused(7, "mood").meaning
    assert Refused(7, Refusal.RESTING).meaning == k.REFUSALS[Refusal.RESTING]


@pytest.mark.parametrize(
    ("words", "version"),
    [("2", 2), ("255", 255), ("2 and more", 2), ("256", 0), ("0", 0), ("x", 0), ("1x", 0), (" 1", 0), ("", 0)],
)
def test_a_hello_of_another_version_is_read_and_no_more_of_it(words: str, version: int) -> None:
    body = f"1 hello {words}"
    assert NodeReader().feed(line(body)) == [Asked(1, Hello(version), body)]
    assert NodeReader().feed(line("1 hello")) == [Asked(1, Hello(UNTOLD), "1 hello")]
    with pytest.raises(ProtocolError):
        write_command(1, Hello(UNTOLD))


def test_a_refusal_of_another_version_says_which_one() -> None:
    other = write_refusal(3, Refusal.VERSION, [2])
    assert other == line("3 no version 2")
    (refused,) = HostReader().feed(other)
    assert refused == Refused(3, Refusal.VERSION, ("2",))
    assert isinstance(refused, Refused)
    assert refused.version == 2
    assert "version 2 of the protocol" in refused.meaning
    assert "version 1" in refused.meaning
    (same,) = HostReader().feed(write_refusal(3, Refusal.VERSION, [k.VERSION]))
    assert isinstance(same, Refused)
    assert same.meaning == k.REFUSALS[Refusal.VERSION]
    assert Refused(3, Refusal.VERSION).version is None
    assert Refused(3, Refusal.VERSION, ("two",)).version is None
    for values in ([], [0], [256], [1, 1]):
        with pytest.raises(ProtocolError):
            write_refusal(3, Refusal.VERSION, values)
    with pytest.raises(ProtocolError):
        write_refusal(3, Refusal.RANGE, [1])
