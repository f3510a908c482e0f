"""JMRI's JSON: one table read and written, what is lenient, and that nothing raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.protocols.jmri_json import (
    HIGHEST_ID,
    LONGEST_TEXT,
    Bean,
    BeanType,
    Failure,
    Goodbye,
    Hello,
    Message,
    Method,
    Ping,
    Pong,
    Power,
    Throttle,
    Unknown,
    read,
    write,
)

CASES: list[tuple[Message, str]] = [
    (
        Hello("5.9.6", "5.4.0", "Club", 13500),
        '{"type":"hello","data":{"JMRI":"5.9.6","json":"5.4.0","heartbeat":13500,"railroad":"Club"}}',
    ),
    (Ping(), '{"type":"ping"}'),
    (Pong(), '{"type":"pong"}'),
    (Goodbye(), '{"type":"goodbye"}'),
    (Bean(BeanType.SENSOR, "LS7", id=4), '{"type":"sensor","data":{"name":"LS7"},"id":4}'),
    (Bean(BeanType.SENSOR, "LS7", 2), '{"type":"sensor","data":{"name":"LS7","state":2}}'),
    (
        Bean(BeanType.TURNOUT, "LT1", 4, Method.POST, 7),
        '{"type":"turnout","method":"post","data":{"name":"LT1","state":4},"id":7}',
    ),
    (
        Bean(BeanType.LIGHT, "LL1", 4, Method.POST, 8),
        '{"type":"light","method":"post","data":{"name":"LL1","state":4},"id":8}',
    ),
    (Power(id=1), '{"type":"power","data":{},"id":1}'),
    (Power(2, method=Method.POST, id=1), '{"type":"power","method":"post","data":{"state":2},"id":1}'),
    (Power(2, default=True, id=1), '{"type":"power","data":{"state":2,"default":true},"id":1}'),
    (Power(4, "LocoNet", default=False), '{"type":"power","data":{"name":"LocoNet","state":4,"default":false}}'),
    (
        Throttle("L", address=3, is_long_address=True, id=2),
        '{"type":"throttle","data":{"name":"L","throttle":"L","address":3,"isLongAddress":true},"id":2}',
    ),
    (
        Throttle("L", forward=True, speed=0.5, status=True),
        '{"type":"throttle","data":{"name":"L","throttle":"L","forward":true,"speed":0.5,"status":null}}',
    ),
    (Throttle("L", emergency_stop=True), '{"type":"throttle","data":{"name":"L","throttle":"L","eStop":null}}'),
    (Throttle("L", function=(2, True)), '{"type":"throttle","data":{"name":"L","throttle":"L","F2":true}}'),
    (Throttle("L", release=True), '{"type":"throttle","data":{"name":"L","throttle":"L","release":null}}'),
    (
        Throttle("L", address=3, forward=False, speed=-1.0, speed_steps=126, clients=1),
        '{"type":"throttle","data":{"name":"L","throttle":"L","address":3,"forward":false,"speed":-1.0,'
        '"speedSteps":126,"clients":1}}',
    ),
    (
        Failure(404, "Object type turnout named LT9 not found.", 9),
        '{"type":"error","data":{"code":404,"message":"Object type turnout named LT9 not found."},"id":9}',
    ),
]


@pytest.mark.parametrize(("message", "text"), CASES, ids=lambda case: case if isinstance(case, str) else "")
def test_every_message_is_written_and_read(message: Message, text: str) -> None:
    assert write(message) == text
    assert read(text) == (message,)
    assert read(text.encode()) == (message,)


def test_an_answer_of_a_server_with_all_its_fields_is_read() -> None:
    text = """{"type": "turnout", "id": 7, "extra": [], "data": {"name": "LT1", "userName": "Yard throat",
        "comment": null, "properties": [], "inverted": false, "state": 8, "feedbackMode": 4,
        "feedbackModes": [1, 4], "sensor": [null, null]}}"""
    assert read(text) == (Bean(BeanType.TURNOUT, "LT1", 8, id=7),)
    status = """{"type":"throttle","data":{"address":3,"speed":0.25396824,"forward":true,"F0":false,"F1":true,
        "speedSteps":126,"clients":2,"rosterEntry":"Percy","name":"L","throttle":"L"}}"""
    assert read(status) == (Throttle("L", 3, None, True, 0.25396824, speed_steps=126, clients=2),)


def test_lists_are_taken_apart() -> None:
    one, two = Bean(BeanType.LIGHT, "LL1", 2), Unknown('{"type": "reporter"}')
    bare = f"[{write(one)}, {two.text}, 3]"
    assert read(bare) == (one, two, Unknown("3"))
    assert read(f'{{"type":"list","id":3,"data":{bare}}}') == (one, two, Unknown("3"))
    assert read("[]") == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "3",
        '"ping"',
        '{"type":3}',
        '{"type":["ping"]}',
        '{"type":"reporter","data":{"name":"LR1","report":"E"}}',
        '{"type":"turnout"}',
        '{"type":"turnout","data":{"name":3,"state":2}}',
        '{"type":"throttle","data":{"speed":0.5}}',
        '{"type":"hello"',
        "[" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_what_is_not_known_is_kept(text: str) -> None:
    assert read(text) == (Unknown(text),)


@pytest.mark.parametrize(
    "state", ["true", '"2"', "null", "2.5", "1e400", "NaN", "-Infinity", "[2]", "9" * 30, "1" * 5000]
)
def test_a_state_that_is_none_counts_as_not_there(state: str) -> None:
    found = read(f'{{"type":"sensor","data":{{"name":"LS1","state":{state}}}}}')
    assert isinstance(found[0], Unknown) or found == (Bean(BeanType.SENSOR, "LS1"),)


@pytest.mark.parametrize("id_", ["0", "-1", str(HIGHEST_ID + 1), '"7"', "true", "1e400"])
def test_an_id_that_nobody_gave_counts_as_none(id_: str) -> None:
    assert read(f'{{"type":"error","data":{{}},"id":{id_}}}') == (Failure(0, ""),)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert read('{"type":"sensor","data":{"name":"LS1","state":4.0},"id":3.0}') == (
        Bean(BeanType.SENSOR, "LS1", 4, id=3),
    )


def test_a_text_without_end_is_not_looked_into() -> None:
    (found,) = read("[" + "1," * LONGEST_TEXT + "1]")
    assert isinstance(found, Unknown)
    assert len(found.text) < 300


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["name", "throttle", "state", "speed", "forward", "eStop", "address", "clients", "default", "code", "message"]
)
LIKELY = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["hello", "ping", "pong", "goodbye", "turnout", "sensor", "light", "power", "throttle", "error", "list"]
        )
        | JSON
    },
    optional={
        "data": st.dictionaries(KEYS | st.text(max_size=4), JSON, max_size=6) | JSON | st.lists(JSON, max_size=3),
        "id": JSON,
        "method": st.sampled_from(["get", "post", "put", "delete", "list"]) | JSON,
    },
)


@given(st.text() | st.binary())
def test_no_text_raises(text: str | bytes) -> None:
    read(text)


@given(LIKELY | st.lists(LIKELY, max_size=3) | JSON)
def test_no_content_raises_and_what_is_read_is_what_is_written(content: Any) -> None:
    for message in read(json.dumps(content)):
        assert read(write(message)) == (message,) or isinstance(message, Unknown)


@given(LIKELY, st.data())
def test_a_text_that_is_cut_or_changed_raises_nothing(content: Any, data: st.DataObject) -> None:
    text = json.dumps(content)
    at = data.draw(st.integers(0, len(text)))
    read(text[:at])
    read(text[:at] + data.draw(st.text(max_size=2)) + text[at + 1 :])
