"""DCC packets: bytes <-> frozen dataclasses, and the bits of a packet as they stand on the rails.

A packet is three to six bytes, the last of which is the exclusive or of the others. ``write`` makes one and refuses
(``ProtocolError``) what is out of range; ``read`` never raises: what is not known is ``Unknown``, what is no packet is
``Garbled``. Packets of service mode are not read: there the first byte has another meaning.

Sources: NMRA S-9.1 (bits), S-9.2 (packets), S-9.2.1 (instructions); RailCommunity RCN-210 to RCN-213 agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import xor

from pointsman.errors import ProtocolError

LONGEST_PACKET, SHORTEST_PACKET = 6, 3
HIGHEST_SHORT, HIGHEST_LONG = 127, 10239
PREAMBLE_BITS = 16
"""What a station sends before a packet; at least 14."""
FEWEST_PREAMBLE_BITS = 14
HEARD_PREAMBLE_BITS = 10
"""How many of them a decoder must have heard: not fewer than 10, and it must not want more than 12."""
ONE_HALF_US, ZERO_HALF_US = 58, 100

_GROUPS = {0: 5, 5: 4, 9: 4, 13: 8, 21: 8}
"""The first function of each group, and how many it has."""
_GROUP_BYTES = {13: 0xDE, 21: 0xDF}


@dataclass(frozen=True, slots=True)
class Address:
    """Of a vehicle: short (1 to 127) or long (1 to 10239); 0, short, is everyone."""

    number: int
    is_long: bool = False

    @classmethod
    def of(cls, cab: int) -> Address:
        """The address of a cab as stations choose it: short up to 127."""
        return cls(cab, cab > HIGHEST_SHORT)


EVERYONE = Address(0)


@dataclass(frozen=True, slots=True)
class Idle:
    """For nobody; it keeps the signal going."""


@dataclass(frozen=True, slots=True)
class ResetAll:
    """Every decoder starts anew, and every vehicle stops at once."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Direction and step of a vehicle: 0 stop, 1 to ``steps`` (28 or 126). ``emergency`` (then step 0): at once."""

    address: Address
    forward: bool
    step: int
    emergency: bool = False
    steps: int = 126


@dataclass(frozen=True, slots=True)
class Functions:
    """A group of functions, by its ``first`` (0, 5, 9, 13, 21), and those of them that are ``on``."""

    address: Address
    first: int
    on: frozenset[int] = frozenset()

    @property
    def all(self) -> range:
        """The functions of the group."""
        return range(self.first, self.first + _GROUPS[self.first])


@dataclass(frozen=True, slots=True)
class BinaryState:
    """One of 32767 states; numbers up to 127 have a short form, in which they are written."""

    address: Address
    number: int
    on: bool


@dataclass(frozen=True, slots=True)
class MainByte:
    """Write a configuration variable (1 to 1024) of a vehicle on the main track."""

    address: Address
    cv: int
    value: int


@dataclass(frozen=True, slots=True)
class MainBit:
    """Write one bit (0 to 7) of a configuration variable of a vehicle on the main track."""

    address: Address
    cv: int
    bit: int
    on: bool


@dataclass(frozen=True, slots=True)
class Accessory:
    """An output pair (``port`` 0 to 3) of an accessory decoder (0 to 511): which of the two, and whether on."""

    decoder: int
    port: int
    output: int
    on: bool = True

    @classmethod
    def of(cls, linear: int, output: int, on: bool = True) -> Accessory:
        """By the number that people count with, 1 to 2044."""
        return cls((linear - 1) // 4 + 1, (linear - 1) % 4, output, on)


@dataclass(frozen=True, slots=True)
class Aspect:
    """What a signal's decoder shall show."""

    decoder: int
    port: int
    aspect: int

    @classmethod
    def of(cls, linear: int, aspect: int) -> Aspect:
        """By the number that people count with, 1 to 2044."""
        return cls((linear - 1) // 4 + 1, (linear - 1) % 4, aspect)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A packet that says nothing known."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Garbled:
    """Bytes that are no packet: too few, too many, or a wrong last one."""

    data: bytes


Known = Idle | ResetAll | Speed | Functions | BinaryState | MainByte | MainBit | Accessory | Aspect
Packet = Known | Unknown | Garbled

# ---------------------------------------------------------------- writing


def write(packet: Known) -> bytes:
    """The bytes of a packet with its check byte. Raises ProtocolError for a value out of range."""
    data = bytes(_bytes(packet))
    return data + bytes([reduce(xor, data)])


def _bytes(packet: Known) -> list[int]:
    match packet:
        case Idle():
            return [0xFF, 0x00]
        case ResetAll():
            return [0x00, 0x00]
        case Accessory(decoder, port, output, on):
            low = 0x80 | int(on) << 3 | _within("port", port, 0, 3) << 1 | _within("output", output, 0, 1)
            return _accessory(decoder, low)
        case Aspect(decoder, port, aspect):
            return [*_accessory(decoder, 0x01 | _within("port", port, 0, 3) << 1), _within("aspect", aspect, 0, 255)]
        case Speed():
            return [*_address(packet.address), *_speed(packet)]
        case Functions():
            return [*_address(packet.address), *_functions(packet)]
        case BinaryState(address, number, on):
            low = int(on) << 7 | _within("binary state", number, 0, 0x7FFF) & 0x7F
            return [*_address(address), *([0xDD, low] if number <= 0x7F else [0xC0, low, number >> 7])]
        case MainByte(address, cv, value):
            return [*_address(address), *_variable(0xEC, cv), _within("value", value, 0, 255)]
    bit = _within("bit", packet.bit, 0, 7)
    return [*_address(packet.address), *_variable(0xE8, packet.cv), 0xF0 | int(packet.on) << 3 | bit]


def _address(address: Address) -> list[int]:
    if not address.is_long:
        return [_within("short address", address.number, 0, HIGHEST_SHORT)]
    number = _within("long address", address.number, 1, HIGHEST_LONG)
    return [0xC0 | number >> 8, number & 0xFF]


def _accessory(decoder: int, low: int) -> list[int]:
    """The high three bits of a decoder's number are sent inverted."""
    number = _within("accessory decoder", decoder, 0, 511)
    return [0x80 | number & 0x3F, low | (~number >> 6 & 0x07) << 4]


def _variable(instruction: int, cv: int) -> list[int]:
    number = _within("configuration variable", cv, 1, 1024) - 1
    return [instruction | number >> 8, number & 0xFF]


def _speed(packet: Speed) -> list[int]:
    if packet.steps not in (28, 126):
        raise ProtocolError(f"{packet.steps} speed steps are not written", cure="28 or 126")
    step = _within("speed step", packet.step, 0, 0 if packet.emergency else packet.steps)
    if packet.steps == 126:
        return [0x3F, int(packet.forward) << 7 | (step + 1 if step else int(packet.emergency))]
    # of the five bits the lowest one stands highest
    value = step + 3 if step else 2 * int(packet.emergency)
    return [0x40 | int(packet.forward) << 5 | (value & 1) << 4 | value >> 1]


def _functions(packet: Functions) -> list[int]:
    if packet.first not in _GROUPS or not packet.on.issubset(packet.all):
        raise ProtocolError(
            f"functions {sorted(packet.on)} are no group that begins with {packet.first}",
            cure="groups begin with 0, 5, 9, 13 and 21",
        )
    bits = sum(1 << function - packet.first for function in packet.on)
    if packet.first == 0:
        return [0x80 | bits >> 1 | (bits & 1) << 4]
    if packet.first in _GROUP_BYTES:
        return [_GROUP_BYTES[packet.first], bits]
    return [(0xB0 if packet.first == 5 else 0xA0) | bits]


def _within(what: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise ProtocolError(f"{what} {value} is outside {low} .. {high}", cure="no decoder has it")
    return value


# ---------------------------------------------------------------- reading


def read(data: bytes) -> Packet:
    """What bytes with their check byte say. Never raises."""
    if not SHORTEST_PACKET <= len(data) <= LONGEST_PACKET or reduce(xor, data):
        return Garbled(data)
    first, body = data[0], data[1:-1]
    packet: Known | None = None
    if data == b"\xff\x00\xff":
        packet = Idle()
    elif data == b"\x00\x00\x00":
        packet = ResetAll()
    elif first <= HIGHEST_SHORT:
        packet = _instruction(Address(first), body)
    elif first <= 0xBF:
        packet = _accessory_instruction(first, body)
    elif first <= 0xE7 and data[:2] != b"\xc0\x00":
        packet = _instruction(Address((first & 0x3F) << 8 | body[0], True), body[1:])
    return Unknown(data) if packet is None else packet


def _accessory_instruction(first: int, body: bytes) -> Known | None:
    low = body[0]
    decoder, port = first & 0x3F | (~low >> 4 & 0x07) << 6, low >> 1 & 0x03
    if len(body) == 1 and low & 0x80:
        return Accessory(decoder, port, low & 1, bool(low & 0x08))
    if len(body) == 2 and low & 0x89 == 0x01:
        return Aspect(decoder, port, body[1])
    return None


def _instruction(address: Address, body: bytes) -> Known | None:
    match list(body):
        case [0x3F, value]:
            code = value & 0x7F
            return Speed(address, value > 0x7F, max(code - 1, 0), code == 1)
        case [value] if value & 0xC0 == 0x40:
            code = (value & 0x0F) << 1 | value >> 4 & 1
            return Speed(address, bool(value & 0x20), max(code - 3, 0), code in (2, 3), 28)
        case [value] if value & 0xE0 == 0x80:
            return _group(address, 0, (value & 0x0F) << 1 | value >> 4 & 1)
        case [value] if value & 0xE0 == 0xA0:
            return _group(address, 5 if value & 0x10 else 9, value & 0x0F)
        case [0xDE | 0xDF as group, bits]:
            return _group(address, 13 if group == 0xDE else 21, bits)
        case [0xDD, low]:
            return BinaryState(address, low & 0x7F, low > 0x7F)
        case [0xC0, low, high]:
            return BinaryState(address, high << 7 | low & 0x7F, low > 0x7F)
        case [value, number, byte] if value & 0xFC == 0xEC:
            return MainByte(address, ((value & 3) << 8 | number) + 1, byte)
        case [value, number, bit] if value & 0xFC == 0xE8 and bit & 0xF0 == 0xF0:
            return MainBit(address, ((value & 3) << 8 | number) + 1, bit & 7, bool(bit & 8))
    return None


def _group(address: Address, first: int, bits: int) -> Functions:
    return Functions(address, first, frozenset(first + i for i in range(_GROUPS[first]) if bits >> i & 1))


# ---------------------------------------------------------------- bits


def bits_of(data: bytes, preamble: int = PREAMBLE_BITS) -> Iterator[bool]:
    """The bits of a packet, from its preamble to its end. Raises ProtocolError for what is no packet."""
    if isinstance(read(data), Garbled) or preamble < FEWEST_PREAMBLE_BITS:
        raise ProtocolError(
            f"{data.hex(' ')} after {preamble} bits is no packet",
            cure=f"3 to 6 bytes with their check byte, after {FEWEST_PREAMBLE_BITS} bits or more",
        )
    bits = [True] * preamble
    for byte in data:
        bits += [False, *(bool(byte >> place & 1) for place in range(7, -1, -1))]
    return iter([*bits, True])


def halves_us(bits: Iterable[bool], one_us: float = ONE_HALF_US, zero_us: float = ZERO_HALF_US) -> Iterator[float]:
    """How long each half of each bit lasts; the rails change their polarity after each."""
    for bit in bits:
        yield from (one_us, one_us) if bit else (zero_us, zero_us)


class BitReader:
    """Feed bits, get the bytes of packets. Keeps no more than one packet."""

    def __init__(self) -> None:
        self._ones = 0
        self._data: bytearray | None = None
        self._byte = 1

    @property
    def in_packet(self) -> bool:
        """Whether the start of a packet has been seen, and its end not yet."""
        return self._data is not None

    def lost(self) -> None:
        """Something came that is no bit: what has come so far of a packet is void."""
        self._ones, self._data = 0, None

    def feed(self, bit: bool) -> bytes | None:
        """The bytes of the packet that a bit completes, whatever their check byte is. Never raises."""
        if self._data is None:
            if not bit and self._ones >= HEARD_PREAMBLE_BITS:
                self._data, self._byte = bytearray(), 1
            self._ones = self._ones + 1 if bit else 0
            return None
        if self._byte < 0x100:  # a one in front, then eight bits
            self._byte = self._byte << 1 | bit
            return None
        self._data.append(self._byte & 0xFF)
        self._byte = 1
        if not bit and len(self._data) < LONGEST_PACKET:
            return None
        data, self._data = bytes(self._data), None
        self._ones = int(bit)  # the last bit may be the next preamble's first
        return data if bit else None
