"""The journal's format: every message comes back, and no damage is ever read as something else."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints
from zlib import crc32

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pointsman.errors import JournalError
from pointsman.messages import Accepted, Command, Event, LinkState, SensorChanged, SetTurnout
from pointsman.record import LONGEST_BYTES, Line, decode, encode, message_of, message_values, read

TYPES = [*get_args(Command), *get_args(Event)]
TEXT = st.text(max_size=30)
BY_TYPE: dict[type, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(-(2**40), 2**40),
    str: TEXT,
    float: st.integers(0, 10**12).map(lambda micro: micro / 1e6),
    LinkState: st.sampled_from(LinkState),
}
VALUES = st.dictionaries(TEXT.filter(lambda k: k not in ("t_s", "kind")), st.none() | st.booleans() | TEXT, max_size=4)


@st.composite
def messages(draw: st.DrawFn, cls: type) -> Command | Event:
    hints = get_type_hints(cls)
    message: Command | Event = cls(**{f.name: draw(BY_TYPE[hints[f.name]]) for f in fields(cls)})
    return message


@pytest.mark.parametrize("cls", TYPES, ids=lambda cls: cls.__name__)
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_every_message_comes_back(cls: type, data: st.DataObject) -> None:
    message = data.draw(messages(cls))
    t_s = getattr(message, "t_s", 12.5)
    kind = "event" if hasattr(message, "t_s") else "command"
    raw = encode(t_s, kind, message_values(message))
    assert raw.endswith(b"\n")
    assert raw.count(b"\n") == 1
    line = decode(raw[:-1])
    assert (line.t_s, line.kind) == (t_s, kind)
    assert message_of(line) == message


def test_a_command_line_has_the_number_it_was_sent_under() -> None:
    line = decode(encode(1.0, "command", {"number": 7, **message_values(SetTurnout("T1", True))})[:-1])
    assert message_of(line) == SetTurnout("T1", True)
    accepted = decode(encode(1.0, "event", message_values(Accepted(1.0, 7)))[:-1])
    assert message_of(accepted) == Accepted(1.0, 7)


def test_the_format_by_hand() -> None:
    body = '{"t_s":12.5,"kind":"note","text":"Weiche für Gleis 2"}'.encode()
    raw = b"%08x %08x " % (len(body), crc32(body)) + body
    assert encode(12.5, "note", {"text": "Weiche für Gleis 2"}) == raw + b"\n"
    assert decode(raw) == Line(12.5, "note", {"text": "Weiche für Gleis 2"})


@settings(max_examples=150, deadline=None)
@given(VALUES, st.data())
def test_no_changed_byte_gives_a_wrong_line(values: dict[str, Any], data: st.DataObject) -> None:
    raw = encode(3.25, "step", values)[:-1]
    at = data.draw(st.integers(0, len(raw) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != raw[at]))
    with pytest.raises(JournalError):
        decode(raw[:at] + bytes([byte]) + raw[at + 1 :])


@settings(max_examples=150, deadline=None)
@given(VALUES, st.data())
def test_no_cut_or_doubled_byte_gives_a_line(values: dict[str, Any], data: st.DataObject) -> None:
    raw = encode(3.25, "step", values)[:-1]
    at = data.draw(st.integers(0, len(raw) - 1))
    with pytest.raises(JournalError):
        decode(raw[:at])
    with pytest.raises(JournalError):
        decode(raw[:at] + raw[at + 1 :])
    with pytest.raises(JournalError):
        decode(raw[:at] + raw[at : at + 1] + raw[at:])


@settings(max_examples=60, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=4), st.data())
def test_reading_ends_at_the_first_damage_and_says_where(
    tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, Any]], data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("journal") / "play.journal"
    raws = [encode(float(n), "step", values) for n, values in enumerate(entries)]
    whole = b"".join(raws)
    path.write_bytes(whole)
    good = read(path)
    assert good.bad == ""
    assert [line.values for line in good.lines] == entries
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = data.draw(st.sampled_from(["cut", "flip", "lose"]))
    bit = 1 << data.draw(st.integers(0, 7))
    if damaged == "cut":
        path.write_bytes(whole[:at])
    elif damaged == "flip":
        path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
    else:
        path.write_bytes(whole[:at] + whole[at + 1 :])
    reading = read(path)
    number, so_far = 0, 0
    while so_far + len(raws[number]) <= at:
        so_far += len(raws[number])
        number += 1
    if reading.bad:
        assert len(reading.lines) == number
        assert reading.bad.startswith(f"line {number + 1} is damaged: ")
    else:
        # Cut exactly between two lines: nothing tells that there were more.
        assert damaged == "cut"
        assert at == so_far
        assert len(reading.lines) == number
    assert reading.lines == good.lines[: len(reading.lines)]


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"", "it is cut short"),
        (b"00000002 0000000", "it is cut short"),
        (b"0000000x 00000000 {}", "it does not begin with a length and a checksum"),
        (b"0000000A 00000000 {}", "it does not begin with a length and a checksum"),
        (b"0x000002 00000000 {}", "it does not begin with a length and a checksum"),
        (b"00000002_00000000 {}", "it does not begin with a length and a checksum"),
        (b"00000003 00000000 {}", "it is not as long as it says"),
        (b"00000002 00000000 {}", "its checksum is wrong"),
    ],
)
def test_what_is_wrong_with_a_line(raw: bytes, what: str) -> None:
    with pytest.raises(JournalError) as caught:
        decode(raw)
    assert caught.value.what == what


@pytest.mark.parametrize(
    "text",
    ["{}", "[]", "3", '"x"', "{", '{"t_s":1}', '{"t_s":"soon","kind":"x"}', '{"t_s":null,"kind":"x"}', "[" * 99999],
)
def test_whole_but_no_entry_of_a_journal(text: str) -> None:
    body = text.encode()
    with pytest.raises(JournalError, match="it is not an entry of a journal"):
        decode(b"%08x %08x %s" % (len(body), crc32(body), body))


def test_lines_that_name_no_message() -> None:
    with pytest.raises(JournalError, match="names no message of this program"):
        message_of(Line(1.0, "event", {"type": "Nonsense"}))
    with pytest.raises(JournalError, match="names no message of this program"):
        message_of(Line(1.0, "note", {"text": "x", "number": 3}))
    with pytest.raises(JournalError, match="is no whole SensorChanged"):
        message_of(Line(1.0, "event", {"type": "SensorChanged", "sensor": "head"}))
    with pytest.raises(JournalError, match="is no whole SensorChanged"):
        message_of(Line(1.0, "event", {**message_values(SensorChanged(1.0, "head", True)), "more": 1}))


def test_text_of_a_line() -> None:
    line = Line(1.0, "halt", {"why": "a person said stop", "run": 3})
    assert line.text("why") == "a person said stop"
    for name in ("run", "missing"):
        with pytest.raises(JournalError, match=f"a halt line without {name}"):
            line.text(name)


def test_a_journal_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(JournalError) as caught:
        read(tmp_path / "none")
    assert caught.value.where == str(tmp_path / "none")
    assert "No such file" in caught.value.what
    with pytest.raises(JournalError, match="cannot be read"):
        read(tmp_path)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "\0"])
def test_what_is_no_ordinary_file_is_not_read(path: str) -> None:
    with pytest.raises(JournalError, match="cannot be read") as caught:
        read(Path(path))
    assert caught.value.cure


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(JournalError, match="no ordinary file"):
        read(tmp_path / "pipe")


def test_a_file_too_long_for_a_journal_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.touch()
    os.truncate(path, LONGEST_BYTES + 1)  # a hole: it takes no room
    with pytest.raises(JournalError, match="longer than 1 GiB"):
        read(path)


@given(st.text(st.characters(codec=None, categories=["Cs", "Lu", "Po"]), max_size=20))
@example("caf\udce9")
@example("\\\udce9")
def test_text_that_is_no_unicode_is_written_and_comes_back(text: str) -> None:
    raw = encode(1.0, "begin", {"puzzle": text, text or "empty": 1})
    line = decode(raw[:-1])
    # two halves of a pair come back as the character that they make
    assert line.text("puzzle") == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def test_an_empty_journal_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert read(path).lines == ()
    assert read(path).bad == ""


def test_values_are_plain_json() -> None:
    body = encode(0.1234567, "x", {"a": [1, None, "ü"]})[18:-1]
    assert json.loads(body) == {"t_s": 0.123457, "kind": "x", "a": [1, None, "ü"]}


ODD_TEXT = st.text(st.characters(exclude_categories=()), max_size=5)
ODD = st.none() | st.booleans() | st.integers() | st.floats() | ODD_TEXT | st.just([]) | st.just({}) | st.just([1])


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TYPES), st.data())
def test_values_of_another_kind_make_no_message(cls: type, data: st.DataObject) -> None:
    """A whole line whose values are of another kind is said to be no message; nothing else ever comes of it."""
    values = message_values(data.draw(messages(cls)))
    name = data.draw(st.sampled_from(sorted(values)))
    values[name] = data.draw(ODD)
    line = Line(1.0, "command", values)
    try:
        message = message_of(line)
    except JournalError:
        return
    hints = get_type_hints(type(message))
    for field in fields(message):
        kind = (int, float) if hints[field.name] is float else hints[field.name]
        assert isinstance(getattr(message, field.name), kind)
        assert isinstance(getattr(message, field.name), bool) is (kind is bool)


def test_a_moment_that_no_clock_shows_is_no_entry() -> None:
    body = b'{"t_s":1' + b"0" * 400 + b',"kind":"run"}'
    with pytest.raises(JournalError, match="not an entry"):
        decode(b"%08x %08x %s" % (len(body), crc32(body), body))
