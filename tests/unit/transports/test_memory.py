"""The link in memory, on virtual time: it keeps the contract that every link keeps."""

from __future__ import annotations

import asyncio

import pytest

from pointsman.errors import LinkLostError, PortError
from pointsman.transports.memory import MemoryTransport, memory_pair
from railsim.clock import run_virtual


class Ear:
    """Collects what a transport calls back."""

    def __init__(self, transport: MemoryTransport) -> None:
        self.data = b""
        self.lost: list[str] = []
        transport.listen(self._on_data, self.lost.append)

    def _on_data(self, data: bytes) -> None:
        self.data += data


def test_what_one_end_writes_the_other_reads_and_the_counters_agree() -> None:
    async def main() -> None:
        host, station = memory_pair()
        host_ear, station_ear = Ear(host), Ear(station)
        await host.open()
        await station.open()
        host.write(b"<s>")
        station.write(b"<# 50>\n")
        assert station_ear.data == b"", "never delivered inside the writer's call"
        assert host.sent_bytes == 3
        assert station.received_bytes == 0
        await asyncio.sleep(0.001)
        assert (station_ear.data, host_ear.data) == (b"<s>", b"<# 50>\n")
        assert (station.received_bytes, host.received_bytes) == (3, 7)
        assert host.guardian_fds() == ()

    run_virtual(main())


def test_a_closed_far_end_is_a_loss_said_once_and_it_can_be_opened_again() -> None:
    async def main() -> None:
        host, station = memory_pair("cable")
        ear, station_ear = Ear(host), Ear(station)
        await host.open()
        await station.open()
        await station.close()
        await station.close()
        await asyncio.sleep(0.001)
        assert ear.lost == ["closed by the far end"]
        assert not station_ear.lost
        with pytest.raises(LinkLostError, match="not open"):
            host.write(b"<!>")
        assert host.sent_bytes == 0
        await station.open()
        await host.open()
        await host.open()
        host.write(b"<s>")
        await asyncio.sleep(0.001)
        assert station_ear.data == b"<s>"
        await host.close()
        await asyncio.sleep(0.001)
        assert ear.lost == ["closed by the far end"], "an end that we close ourselves is no loss"
        assert station_ear.lost == ["closed by the far end"]

    run_virtual(main())


def test_bytes_to_an_end_that_is_not_open_are_gone() -> None:
    async def main() -> None:
        host, station = memory_pair()
        ear = Ear(station)
        await host.open()
        host.write(b"<s>")
        await asyncio.sleep(0.001)
        await station.open()
        await asyncio.sleep(0.001)
        assert ear.data == b""
        assert station.received_bytes == 0

    run_virtual(main())


def test_half_a_pair_cannot_be_opened() -> None:
    with pytest.raises(PortError):
        run_virtual(MemoryTransport("alone").open())
