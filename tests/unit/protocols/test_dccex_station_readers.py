"""What a station's reader makes of what a host sends, new and up to 5.0.9, whole and byte by byte."""

from __future__ import annotations

import sys

import pytest
from feeds import FEEDS

from pointsman.errors import ProtocolError
from pointsman.protocols.dccex import OldStationReader, StationReader, encode, encode_reply
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r

# ---------------------------------------------------------------- the station's reader


@FEEDS
def test_a_bracket_inside_splits_the_first_part_is_rejected(feed) -> None:
    assert feed(StationReader(), b"<t 3 50<!>") == [c.UnknownCommand("t 3 50"), c.EmergencyStop()]
    assert feed(StationReader(), b"<<s>") == [c.Status()]
    assert not feed(StationReader(), b'<m "a<#>'), "an open quote hides the end"


@FEEDS
def test_a_fence_is_answered_whatever_else_is_in_it(feed) -> None:
    assert feed(StationReader(), b"<# 3>") == [c.Fence()]


@FEEDS
def test_an_overlong_command_is_discarded_whole(feed) -> None:
    text = b"T " + b"0" * 58 + b"1 1"  # 63 characters, 64 with the bracket
    assert feed(StationReader(), b"<" + text + b"><s>") == [c.Overflow(), c.Status()]
    assert feed(StationReader(), b"<" + text[:-3] + b" 1><s>") == [c.SetTurnout(0, True), c.Status()]
    assert feed(StationReader(limit=255), b"<" + text + b">") == [c.SetTurnout(1, True)]
    assert feed(StationReader(), b"<" + text[:-1] + b"111<s>") == [c.Overflow(), c.Status()]


@FEEDS
def test_an_unclosed_quote_ends_after_half_a_buffer(feed) -> None:
    assert feed(StationReader(), b'<m "' + b"a" * 40 + b">") == [c.UnknownCommand('m "' + "a" * 40)]


@FEEDS
def test_an_old_broken_command_does_not_eat_an_emergency_stop(feed) -> None:
    assert feed(StationReader(), b"<T 1" + b"<!><#>") == [c.UnknownCommand("T 1"), c.EmergencyStop(), c.Fence()]


@pytest.mark.parametrize(
    "command",
    [
        c.Throttle(0, 0, True),
        c.Throttle(10240, 0, True),
        c.Throttle(3, 127, True),
        c.Throttle(3, -2, True),
        c.ThrottleQuery(65539),
        c.SetTurnout(32768, True),
        c.SetTurnout(-1, True),
        c.DefineServoTurnout(1, 100, 4096, 205, 2),
        c.DefineServoTurnout(1, 100, 410, 205, 5),
        c.DefineDccTurnout(1, 512, 0),
        c.DefineSensor(1, 40000, True),
        c.SetOutput(70000, True),
        c.DefineOutput(1, 2, 8),
        c.Function(3, 29, True),
        c.Power(True, "main><0"),
        c.Power(True, "A" * 70),
        c.Power(False, "JOIN"),
        c.SetTrackMode("A", 'M"'),
    ],
)
def test_what_a_station_would_wrap_or_swallow_is_refused(command: c.Command) -> None:
    with pytest.raises(ProtocolError) as refusal:
        encode(command)
    assert refusal.value.cure


@pytest.mark.parametrize("text", ['a"b', "a<b", "a>b", "a\nb", "caf\u00e9"])
def test_a_caption_cannot_carry_brackets_or_quotes(text: str) -> None:
    with pytest.raises(ProtocolError):
        encode_reply(r.Display(0, 0, text))


# ---------------------------------------------------------------- the station's reader up to 5.0.9


@FEEDS
@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (b"<T 1 1>", [c.SetTurnout(1, True)]),
        (b"noise <t 3 20 1>\n<#>", [c.Throttle(3, 20, True), c.Fence()]),
        (b"<T 1<!>", [c.EmergencyStop()]),
        (b"<t 3 20 1>>", [c.Throttle(3, 20, True)] * 2),
        (b"<t 3 20 1> noise >", [c.Throttle(3, 20, True)] * 2),
        (b">", []),
        (b"<>>", [c.Blank()]),
        (b"<T 1 1", []),
        (b'<m "a<#>', [c.Fence()]),
        (b"<t 3 20 1" + b" " * 91 + b"7>", [c.Throttle(3, 20, True)]),
        (b"<t 3 20 " + b"0" * 91 + b" 1>", [c.Throttle(3, 20, False)]),
        (b"<! 1 2 3 4 5 6 7 8 9 10>", [c.EmergencyStop()]),
        (b"<t 3.5 1>", [c.UnknownCommand("t 3.5 1")]),
        (b"<t 3 20,1>", [c.UnknownCommand("t 3 20,1")]),
        (b"<#.>", [c.Fence()]),
        (b"<t 3-5 1>", [c.UnknownCommand("t 3-5 1")]),
    ],
)
def test_the_old_reader(wire: bytes, expected: list[c.Command], feed) -> None:
    assert feed(OldStationReader(), wire) == expected


def test_the_old_readers_memory_is_bounded() -> None:
    reader = OldStationReader()
    assert reader.feed(b"<T 1 1" + b" " * 1_000_000 + b">") == [c.SetTurnout(1, True)]
    assert sys.getsizeof(reader._text) < 4096
