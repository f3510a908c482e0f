"""Test support: what looks like a node's program in Intel's hex format, for a chip with so many interrupts."""

from __future__ import annotations

from pointsman.protocols.node_constants import Latch, Refusal, Verb


def image(interrupts: int, size: int = 4096) -> bytes:
    """A table of interrupts, the words of a node, and nothing."""
    words = b"".join(name.encode() + b"\0" for names in (Verb, Refusal, Latch) for name in names)
    return (bytes([0x0C, 0x94, 0x34, 0x00]) * interrupts + words).ljust(size, b"\0")


def record(kind: int, at: int, payload: bytes) -> str:
    """A line."""
    line = bytes([len(payload), at >> 8, at & 255, kind]) + payload
    return f":{line.hex().upper()}{-sum(line) & 255:02X}\n"


def hex_of(data: bytes) -> str:
    """The lines of a program; behind 64 KiB each is told its upper address first."""
    lines = []
    for at in range(0, len(data), 16):
        if at and at % 65_536 == 0:
            lines.append(record(4, 0, (at >> 16).to_bytes(2)))
        lines.append(record(0, at & 0xFFFF, data[at : at + 16]))
    return "".join(lines) + record(1, 0, b"")
