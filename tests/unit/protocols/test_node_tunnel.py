"""The messages that carry a node's line through a broker, and how old they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.errors import ProtocolError
from pointsman.protocols.node_tunnel import (
    EVERY_S,
    FRESH_S,
    LONGEST_WHY,
    Ages,
    Busy,
    Carried,
    Close,
    Closed,
    Message,
    Offline,
    Open,
    Topics,
    read,
    write,
)

CASES: list[tuple[bytes, Message]] = [
    (b"h1 open", Open("h1")),
    (b"h1 close", Close("h1")),
    (b"h1 stop", Close("h1", died=True)),
    (b"h1.b2 1 0\n", Carried("h1.b2", 1, 0)),
    (b"h1.b2 17 4\n12 beat*0123\n", Carried("h1.b2", 17, 4, b"12 beat*0123\n")),
    (b"h1.b2 18 4\n\x18", Carried("h1.b2", 18, 4, b"\x18")),
    (b"h1 busy", Busy("h1")),
    (b"h1 closed", Closed("h1")),
    (b"h1 closed the port is gone", Closed("h1", "the port is gone")),
    (b"b2 offline", Offline("b2")),
]


@pytest.mark.parametrize(("payload", "message"), CASES)
def test_messages_are_written_and_read(payload: bytes, message: Message) -> None:
    assert write(message) == payload
    assert read(payload) == message


@pytest.mark.parametrize(
    "payload",
    [
        *(b"", b"\n", b"\x18", b"h1", b"h1 open now", b"h1 open\n", b"H1 open", b"h1  open", b" h1 open"),
        *(b"h1.b2 1 0", b"h1 1 0\n", b"h1.b2.c3 1 0\n", b"h1.b2 -1 0\n", b"h1.b2 1\n", b"h1.b2 1 0 \n"),
        *(b"\xff open", b"h1 closed \xff\n", b"x" * 41 + b" open", b"x" * 5000, "h1.b2 \u0661 0\n".encode()),
    ],
)
def test_what_is_no_message_is_none(payload: bytes) -> None:
    assert read(payload) is None


@given(st.binary(max_size=200))
def test_no_payload_raises(payload: bytes) -> None:
    message = read(payload)
    assert message is None or read(write(message)) == message


@given(st.binary(max_size=200))
def test_bytes_come_as_they_are(data: bytes) -> None:
    message = Carried("h.b", 2, 1, data)
    assert read(write(message)) == message


def test_a_reason_is_one_line_and_not_too_long() -> None:
    found = read(write(Closed("h", "a\nb " + "c" * 1000)))
    assert isinstance(found, Closed)
    assert found.why.startswith("a b ccc")
    assert len(found.why) == LONGEST_WHY


def test_what_cannot_be_written_is_refused() -> None:
    for message in (Open("two words"), Open(""), Carried("no-session", 1, 1), Carried("h.b", -1, 0)):
        with pytest.raises(ProtocolError):
            write(message)
    for name, prefix in (("a/b", ""), ("", ""), ("yard", "club/#")):
        with pytest.raises(ProtocolError):
            Topics(name, prefix)


def test_the_topics_have_the_prefix_and_the_name() -> None:
    topics = Topics("yard", "club/")
    assert (topics.to, topics.back) == ("club/pointsman/node/yard/to", "club/pointsman/node/yard/from")


def test_a_message_is_as_old_as_what_it_echoes() -> None:
    ours = Ages(10.0)
    assert ours.next(10.0) == (1, 0)
    assert ours.fresh(Carried("h.b", 1, 1), 10.0 + FRESH_S * 0.9)
    assert ours.next(10.4) == (2, 1)
    assert not ours.fresh(Carried("h.b", 2, 1), 10.4), "it was on its way too long"
    assert ours.fresh(Carried("h.b", 3, 2), 10.4)
    assert ours.next(10.5) == (3, 3)


def test_before_anything_was_heard_it_counts_from_the_beginning() -> None:
    assert Ages(5.0).fresh(Carried("h.b", 1, 0), 5.0 + FRESH_S * 0.9)
    assert not Ages(5.0).fresh(Carried("h.b", 1, 0), 5.0 + FRESH_S * 1.1)


def test_what_has_come_before_or_echoes_what_was_never_sent_is_not_fresh() -> None:
    ours = Ages(0.0)
    number, _ = ours.next(0.0)
    assert ours.fresh(Carried("h.b", 5, number), 0.01)
    for again in (5, 4, 0):
        assert not ours.fresh(Carried("h.b", again, number), 0.01)
    assert not ours.fresh(Carried("h.b", 6, number + 1), 0.01)


@given(st.lists(st.floats(0.0, 2.0), min_size=1, max_size=30))
def test_nothing_that_took_longer_is_ever_fresh(delays_s: list[float]) -> None:
    """Whatever the delays, of a message that was written that long before it came."""
    ours, theirs, now_s = Ages(0.0), Ages(0.0), 0.0
    for delay_s in delays_s:
        now_s += EVERY_S
        theirs.fresh(Carried("h.b", *ours.next(now_s)), now_s)
        said = Carried("h.b", *theirs.next(now_s))
        now_s += delay_s
        fresh = ours.fresh(said, now_s)
        assert fresh == (delay_s <= FRESH_S) or abs(delay_s - FRESH_S) < 1e-9
