"""Test support: lines of the node protocol."""

from __future__ import annotations


def line(body: str | bytes) -> bytes:
    """A line as anybody may make it, with a checksum worked out here, bit by bit."""
    data = body.encode("ascii") if isinstance(body, str) else body
    register = 0xFFFF
    for byte in data:
        register ^= byte << 8
        for _ in range(8):
            register = (register << 1 ^ (0x1021 if register & 0x8000 else 0)) & 0xFFFF
    return data + f"*{register:04X}\n".encode()
