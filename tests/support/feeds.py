"""Test support: ways in which bytes come to a reader."""

from __future__ import annotations

import pytest

from pointsman.protocols.dccex import HostReader, StationReader


def whole(reader: HostReader | StationReader, data: bytes) -> list[object]:
    return list(reader.feed(data))


def byte_by_byte(reader: HostReader | StationReader, data: bytes) -> list[object]:
    return [frame for i in range(len(data)) for frame in reader.feed(data[i : i + 1])]


FEEDS = pytest.mark.parametrize("feed", [whole, byte_by_byte])
