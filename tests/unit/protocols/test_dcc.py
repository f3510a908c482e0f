"""DCC packets: vectors that a real encoder made, both ways; bits as they stand on the rails; any bytes and bits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.errors import ProtocolError
from pointsman.protocols.dcc import (
    EVERYONE,
    HEARD_PREAMBLE_BITS,
    LONGEST_PACKET,
    Accessory,
    Address,
    Aspect,
    BinaryState,
    BitReader,
    Functions,
    Garbled,
    Idle,
    Known,
    MainBit,
    MainByte,
    ResetAll,
    Speed,
    Unknown,
    bits_of,
    halves_us,
    read,
    write,
)

CAB3, CAB1234 = Address(3), Address.of(1234)

VECTORS: list[tuple[int, Known, str]] = [
    (1, Idle(), "FF 00 FF"),
    (2, ResetAll(), "00 00 00"),
    (3, Speed(CAB3, True, 0), "03 3F 80 BC"),
    (4, Speed(CAB3, True, 0, emergency=True), "03 3F 81 BD"),
    (5, Speed(CAB3, True, 1), "03 3F 82 BE"),
    (6, Speed(CAB3, True, 50), "03 3F B3 8F"),
    (7, Speed(CAB3, False, 50), "03 3F 33 0F"),
    (8, Speed(CAB3, True, 126), "03 3F FF C3"),
    (9, Speed(Address.of(127), False, 126), "7F 3F 7F 3F"),
    (10, Speed(Address.of(128), True, 63), "C0 80 3F C0 BF"),
    (11, Speed(CAB1234, True, 50), "C4 D2 3F B3 9A"),
    (12, Speed(Address.of(9999), True, 126), "E7 0F 3F FF 28"),
    (13, Speed(Address.of(10239), False, 1), "E7 FF 3F 02 25"),
    (14, Speed(EVERYONE, False, 0, emergency=True), "00 3F 01 3E"),
    (15, Speed(CAB3, True, 0, steps=28), "03 60 63"),
    (15, Speed(CAB3, True, 0, emergency=True, steps=28), "03 61 62"),
    (16, Speed(CAB3, True, 1, steps=28), "03 62 61"),
    (16, Speed(CAB3, True, 14, steps=28), "03 78 7B"),
    (16, Speed(CAB3, True, 28, steps=28), "03 7F 7C"),
    (17, Speed(CAB3, False, 28, steps=28), "03 5F 5C"),
    (18, Functions(CAB3, 0, frozenset({0})), "03 90 93"),
    (19, Functions(CAB3, 0, frozenset({0, 1})), "03 91 92"),
    (20, Functions(CAB3, 5, frozenset({5})), "03 B1 B2"),
    (20, Functions(CAB3, 9, frozenset({12})), "03 A8 AB"),
    (21, Functions(CAB3, 13, frozenset({13, 15, 17, 19})), "03 DE 55 88"),
    (22, Functions(CAB1234, 21, frozenset({22, 24, 26, 28})), "C4 D2 DF AA 63"),
    (23, Functions(CAB1234, 0, frozenset({0})), "C4 D2 90 86"),
    (24, Accessory(1, 0, 1, on=True), "81 F9 78"),
    (24, Accessory(1, 0, 1, on=False), "81 F1 70"),
    (25, Accessory(1, 0, 0, on=True), "81 F8 79"),
    (25, Accessory(1, 0, 0, on=False), "81 F0 71"),
    (26, Accessory.of(5, 1), "82 F9 7B"),
    (27, Accessory.of(2044, 1), "BF 8F 30"),
    (28, Accessory(33, 2, 1), "A1 FD 5C"),
    (29, Accessory(128, 0, 0, on=False), "80 D0 50"),
    (30, Accessory.of(256, 1), "80 EF 6F"),
    (31, Accessory.of(257, 1), "81 E9 68"),
    (32, Aspect.of(1, 0), "81 71 00 F0"),
    (32, Aspect.of(1, 5), "81 71 05 F5"),
    (33, Aspect.of(123, 12), "9F 75 0C E6"),
    (34, MainByte(Address.of(2065), 21, 75), "C8 11 EC 14 4B 6A"),
    (35, MainByte(Address.of(65), 21, 75), "41 EC 14 4B F2"),
    (36, MainBit(CAB3, 29, 5, on=True), "03 E8 1C FD 0A"),
]

BITS = [
    ("FF 00 FF", "11111111111111110111111110000000000111111111", 33, 11, 6028, 6380),
    ("03 3F B3 8F", "11111111111111110000000110001111110101100110100011111", 35, 18, 7660, 8236),
    ("00 3F 01 3E", "11111111111111110000000000001111110000000010001111101", 29, 24, 8164, 8932),
    ("81 F9 78", "11111111111111110100000010111110010011110001", 29, 15, 6364, 6844),
]


@pytest.mark.parametrize(("number", "packet", "text"), VECTORS, ids=str)
def test_every_vector_is_written_and_read(number: int, packet: Known, text: str) -> None:
    assert write(packet) == bytes.fromhex(text), number
    assert read(bytes.fromhex(text)) == packet, number


def test_no_vector_is_left_out() -> None:
    assert sorted({number for number, *_ in VECTORS}) == list(range(1, 37))


def test_the_address_of_a_cab_is_short_up_to_127() -> None:
    assert [Address.of(cab) for cab in (127, 128)] == [Address(127, False), Address(128, True)]
    assert write(Speed(Address(3, True), True, 0))[:2] == b"\xc0\x03", "a low address may be long all the same"
    assert Accessory.of(1, 1) == Accessory(1, 0, 1)


@pytest.mark.parametrize(
    ("text", "packet"),
    [
        ("03 70 73", Speed(CAB3, True, 0, steps=28)),
        ("03 71 72", Speed(CAB3, True, 0, emergency=True, steps=28)),
        ("00 40 40", Speed(EVERYONE, False, 0, steps=28)),
        ("00 41 41", Speed(EVERYONE, False, 0, emergency=True, steps=28)),
        ("03 DD 85 5B", BinaryState(CAB3, 5, on=True)),
        ("03 C0 80 01 42", BinaryState(CAB3, 128, on=True)),
        ("03 C0 05 00 C6", BinaryState(CAB3, 5, on=False)),
    ],
)
def test_what_stations_may_say_otherwise_is_read_too(text: str, packet: Known) -> None:
    assert read(bytes.fromhex(text)) == packet


@pytest.mark.parametrize(
    "text",
    [
        "FF 01 FE",
        "FE 00 FE",
        "C0 00 3F 80 7F",
        "E8 00 3F 80 57",
        "03 20 23",
        "03 D8 01 DA",
        "03 E4 1C FD 06",
        "03 E8 1C ED 1A",
        "03 3F 80 00 00 BC",
        "81 79 F8",
        "81 F9 00 78",
        "81 71 00 00 F0",
        "81 73 00 00 F2",
        "81 79 00 F8",
        "C0 80 40",
    ],
)
def test_what_is_not_known_is_kept(text: str) -> None:
    assert read(bytes.fromhex(text)) == Unknown(bytes.fromhex(text))


@pytest.mark.parametrize("text", ["", "00", "03 03", "03 3F 80 BD", "00 00 00 00 00 00 00"])
def test_what_is_no_packet_is_kept_as_garbled(text: str) -> None:
    assert read(bytes.fromhex(text)) == Garbled(bytes.fromhex(text))


@pytest.mark.parametrize(
    "packet",
    [
        Speed(Address(128), True, 1),
        Speed(Address(-1), True, 1),
        Speed(Address(0, True), True, 1),
        Speed(Address(10240, True), True, 1),
        Speed(CAB3, True, 127),
        Speed(CAB3, True, -1),
        Speed(CAB3, True, 29, steps=28),
        Speed(CAB3, True, 1, steps=14),
        Speed(CAB3, True, 1, emergency=True),
        Functions(CAB3, 1, frozenset({1})),
        Functions(CAB3, 0, frozenset({5})),
        Functions(CAB3, 29, frozenset({29})),
        BinaryState(CAB3, 0x8000, on=True),
        MainByte(CAB3, 0, 1),
        MainByte(CAB3, 1025, 1),
        MainByte(CAB3, 1, 256),
        MainBit(CAB3, 1, 8, on=True),
        Accessory(512, 0, 1),
        Accessory(1, 4, 1),
        Accessory(1, 0, 2),
        Accessory.of(2045, 1),
        Aspect(512, 0, 1),
        Aspect(1, 4, 1),
        Aspect(1, 0, 256),
    ],
    ids=str,
)
def test_what_is_out_of_range_is_never_written(packet: Known) -> None:
    with pytest.raises(ProtocolError) as refused:
        write(packet)
    assert refused.value.cure


@pytest.mark.parametrize("steps", [28, 126])
def test_every_step_comes_back(steps: int) -> None:
    for step in range(steps + 1):
        for forward in (True, False):
            packet = Speed(CAB3, forward, step, steps=steps)
            assert read(write(packet)) == packet


ADDRESSES = st.builds(Address, st.integers(0, 127)) | st.builds(Address, st.integers(1, 10239), st.just(True))
GROUPS = st.sampled_from([0, 5, 9, 13, 21])
PACKETS = st.one_of(
    st.builds(Speed, ADDRESSES, st.booleans(), st.integers(0, 126)),
    st.builds(Speed, ADDRESSES, st.booleans(), st.just(0), st.just(True), st.sampled_from([28, 126])),
    st.builds(Speed, ADDRESSES, st.booleans(), st.integers(0, 28), steps=st.just(28)),
    GROUPS.flatmap(
        lambda first: st.builds(
            Functions, ADDRESSES, st.just(first), st.frozensets(st.sampled_from(list(Functions(CAB3, first).all)))
        )
    ),
    st.builds(BinaryState, ADDRESSES, st.integers(0, 0x7FFF), st.booleans()),
    st.builds(MainByte, ADDRESSES, st.integers(1, 1024), st.integers(0, 255)),
    st.builds(MainBit, ADDRESSES, st.integers(1, 1024), st.integers(0, 7), st.booleans()),
    st.builds(Accessory, st.integers(0, 511), st.integers(0, 3), st.integers(0, 1), st.booleans()),
    st.builds(Aspect, st.integers(0, 511), st.integers(0, 3), st.integers(0, 255)),
)


@given(PACKETS)
def test_what_is_written_is_read(packet: Known) -> None:
    data = write(packet)
    assert 3 <= len(data) <= LONGEST_PACKET
    assert read(data) == packet


@given(st.binary(max_size=8))
def test_no_bytes_raise(data: bytes) -> None:
    packet = read(data)
    checked = 0
    for byte in data:
        checked ^= byte
    assert isinstance(packet, Garbled) is (checked != 0 or not 3 <= len(data) <= 6)


# ---------------------------------------------------------------- bits


def as_bits(text: str) -> list[bool]:
    return [char == "1" for char in text]


@pytest.mark.parametrize(("text", "bits", "ones", "zeros", "short_us", "long_us"), BITS, ids=[row[0] for row in BITS])
def test_the_bits_of_a_packet(text: str, bits: str, ones: int, zeros: int, short_us: int, long_us: int) -> None:
    made = list(bits_of(bytes.fromhex(text)))
    assert made == as_bits(bits)
    assert (made.count(True), made.count(False)) == (ones, zeros)
    assert sum(halves_us(made)) == short_us
    assert sum(halves_us(made, zero_us=116)) == long_us
    reader = BitReader()
    assert [data for bit in as_bits(bits) if (data := reader.feed(bit)) is not None] == [bytes.fromhex(text)]


def read_bits(text: str) -> list[bytes]:
    reader = BitReader()
    return [data for bit in as_bits(text) if (data := reader.feed(bit)) is not None]


def test_a_preamble_that_is_too_short_begins_nothing() -> None:
    body = BITS[0][1][16:]
    for ones in range(20):
        assert read_bits("0" + "1" * ones + body) == ([b"\xff\x00\xff"] if ones >= HEARD_PREAMBLE_BITS else []), ones


def test_the_last_bit_is_the_next_preambles_first() -> None:
    body = BITS[0][1][16:]
    assert read_bits("1" * 10 + body + "1" * 9 + body) == [b"\xff\x00\xff"] * 2
    assert read_bits("1" * 10 + body + "1" * 8 + body) == [b"\xff\x00\xff"]


def test_a_packet_without_end_is_dropped_and_the_next_one_is_read() -> None:
    body = BITS[0][1][16:]
    assert read_bits("1" * 16 + "000000001" * 20 + "1" * 16 + body)[-1] == b"\xff\x00\xff"
    assert read_bits("1" * 16 + ("0" + "10101010") * 6 + "0" + "1" * 16 + body) == [b"\xff\x00\xff"]


@pytest.mark.parametrize(("text", "preamble"), [("03 3F 80 BD", 16), ("03 03", 16), ("FF 00 FF", 13)])
def test_what_is_no_packet_has_no_bits(text: str, preamble: int) -> None:
    with pytest.raises(ProtocolError):
        bits_of(bytes.fromhex(text), preamble)


@given(st.lists(st.booleans(), max_size=200), PACKETS)
def test_after_any_bits_a_packet_after_a_zero_and_two_preambles_is_read(noise: list[bool], packet: Known) -> None:
    reader = BitReader()
    for bit in noise:
        data = reader.feed(bit)
        assert data is None or len(data) <= LONGEST_PACKET
    # ones end every packet that noise has begun; a whole second packet then comes through
    stream = [*[True] * 60, *bits_of(write(packet))]
    found = [data for bit in stream if (data := reader.feed(bit)) is not None]
    assert found[-1] == write(packet)
