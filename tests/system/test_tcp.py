"""The TCP link on the loopback interface, in real time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
from ear import Ear

from pointsman.errors import LinkLostError, PortError
from pointsman.transports.tcp import DCCEX_PORT, TcpTransport

pytestmark = pytest.mark.system


class Station:
    """A listener that takes one connection after the other."""

    def __init__(self) -> None:
        self.accepted: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
        self.writers: list[asyncio.StreamWriter] = []
        self.server: asyncio.Server | None = None
        self.port = 0

    async def start(self) -> None:
        self.server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        self.accepted.put_nowait((reader, writer))


@pytest.fixture
async def station() -> AsyncIterator[Station]:
    made = Station()
    await made.start()
    yield made
    assert made.server is not None
    made.server.close()
    for writer in made.writers:
        writer.transport.abort()
    await made.server.wait_closed()


async def test_bytes_pass_both_ways_without_delay_and_are_counted(station: Station) -> None:
    link = TcpTransport("127.0.0.1", station.port)
    ear = Ear(link)
    await link.open()
    reader, writer = await station.accepted.get()
    (fd,) = link.guardian_fds()
    with socket.socket(fileno=fd) as shared:
        assert shared.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        shared.detach()
    link.write(b"<s><#>")
    assert await reader.readexactly(6) == b"<s><#>"
    writer.write(b"<# 50>\n")
    await ear.until(lambda: ear.data == b"<# 50>\n")
    assert (link.sent_bytes, link.received_bytes) == (6, 7)
    await link.close()
    assert await reader.read() == b""
    assert link.guardian_fds() == ()
    assert not ear.lost
    writer.close()


async def test_a_connection_that_the_station_closes_is_a_loss_and_opens_again(station: Station) -> None:
    link = TcpTransport("127.0.0.1", station.port)
    ear = Ear(link)
    for turn in range(1, 4):
        await link.open()
        _, writer = await station.accepted.get()
        writer.close()
        await ear.until(lambda turn=turn: len(ear.lost) == turn)
        with pytest.raises(LinkLostError, match="not open"):
            link.write(b"<!>")
    assert set(ear.lost) == {"closed by the far end"}


async def test_a_station_that_reads_nothing_is_a_loss_within_its_time(station: Station) -> None:
    link = TcpTransport("127.0.0.1", station.port)
    ear = Ear(link)
    await link.open()
    await station.accepted.get()
    loop = asyncio.get_running_loop()
    started = loop.time()
    link.write(b"<# 50>\n" * 3_000_000)
    await ear.until(lambda: bool(ear.lost))
    assert "takes no bytes" in ear.lost[0]
    assert loop.time() - started < 1.5


async def test_nobody_listening_is_refused_with_a_cure() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    with pytest.raises(PortError, match="connection refused") as refusal:
        await TcpTransport("127.0.0.1", free).open()
    assert str(free) in refusal.value.cure
    assert TcpTransport("127.0.0.1").name.endswith(f":{DCCEX_PORT}")


async def test_an_unknown_name_is_refused_with_a_cure() -> None:
    with pytest.raises(PortError) as refusal:
        await TcpTransport("no-such-station.invalid").open()
    assert refusal.value.cure


@pytest.mark.parametrize("host", ["a..b", "x" * 300, "no\0name", "\udcff"])
async def test_what_cannot_be_a_name_is_refused_with_a_cure(host: str) -> None:
    with pytest.raises(PortError, match="cannot be the name") as refusal:
        await TcpTransport(host).open()
    assert refusal.value.cure


@pytest.mark.parametrize(
    ("host", "name", "said"),
    [
        ("127.0.0.1", "127.0.0.1", "connection refused"),
        ("::1", "[::1]", "connection refused|cannot assign requested address|address family not supported"),
        ("localhost", "localhost", "connection refused|no address of it takes a connection"),
    ],
)
async def test_nobody_listens_there(host: str, name: str, said: str) -> None:
    """Said in plain words, and an IPv6 address is told from its port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        link = TcpTransport(host, port)
        link.listen(lambda _: None, lambda _: None, lambda _: None)
        with pytest.raises(PortError, match=said) as refused:
            await link.open()
    assert refused.value.where == f"{name}:{port}"
    assert "(" not in refused.value.what
