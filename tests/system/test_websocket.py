"""The websocket link on the loopback interface, in real time, against a real websocket server."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator

import pytest
from ear import Ear
from websockets.asyncio.server import Server, ServerConnection, serve

from pointsman.errors import LinkLostError, PortError
from pointsman.transports.websocket import LARGEST_MESSAGE_BYTES, WebSocketTransport
from railsim.clock import run_virtual

pytestmark = pytest.mark.system


class FarEnd:
    """A server that keeps its connections until the test is over."""

    def __init__(self) -> None:
        self.accepted: asyncio.Queue[ServerConnection] = asyncio.Queue()
        self.server: Server | None = None
        self.port = 0
        self.over = asyncio.Event()

    async def start(self) -> None:
        self.server = await serve(self._take, "127.0.0.1", 0, ping_interval=None, close_timeout=0.2)
        self.port = self.server.sockets[0].getsockname()[1]

    async def _take(self, connection: ServerConnection) -> None:
        self.accepted.put_nowait(connection)
        await self.over.wait()


@pytest.fixture
async def far() -> AsyncIterator[FarEnd]:
    made = FarEnd()
    await made.start()
    yield made
    made.over.set()
    assert made.server is not None
    made.server.close()
    await made.server.wait_closed()


async def test_texts_pass_both_ways_whole_without_delay_and_are_counted(far: FarEnd) -> None:
    link = WebSocketTransport("127.0.0.1", far.port)
    ear = Ear(link)
    await link.open()
    there = await far.accepted.get()
    assert there.request is not None
    assert there.request.path == "/json/"
    (fd,) = link.guardian_fds()
    with socket.socket(fileno=fd) as shared:
        assert shared.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        shared.detach()
    link.write(b'{"type":"ping"}')
    link.write('{"type":"Zürich"}'.encode())
    assert [await there.recv(), await there.recv()] == ['{"type":"ping"}', '{"type":"Zürich"}']
    await there.send('{"type":"pong"}')
    await ear.until(lambda: ear.data == b'{"type":"pong"}')
    assert (link.sent_bytes, link.received_bytes) == (33, 15)
    await link.close()
    await there.wait_closed()
    assert there.close_code == 1000
    assert link.guardian_fds() == ()
    assert not ear.lost


async def test_what_was_written_before_a_close_still_goes_out(far: FarEnd) -> None:
    link = WebSocketTransport("127.0.0.1", far.port)
    await link.open()
    there = await far.accepted.get()
    for number in range(100):
        link.write(b"%d" % number)
    await link.close()
    assert [await there.recv() for _ in range(100)] == [str(number) for number in range(100)]


async def test_a_connection_that_the_far_end_closes_is_a_loss_with_its_reason_and_opens_again(far: FarEnd) -> None:
    link = WebSocketTransport("127.0.0.1", far.port)
    ear = Ear(link)
    for turn in range(1, 4):
        await link.open()
        there = await far.accepted.get()
        await there.close(1001, "JMRI ends")
        await ear.until(lambda turn=turn: len(ear.lost) == turn)
        with pytest.raises(LinkLostError, match="not open"):
            link.write(b"x")
    assert set(ear.lost) == {"closed by JMRI (code 1001: JMRI ends)"}
    await link.close()


async def test_a_connection_that_is_cut_is_a_loss(far: FarEnd) -> None:
    link = WebSocketTransport("127.0.0.1", far.port)
    ear = Ear(link)
    await link.open()
    there = await far.accepted.get()
    there.transport.abort()
    await ear.until(lambda: bool(ear.lost))
    assert ear.lost[0] in ("closed by the far end", "the connection broke: [Errno 104] Connection reset by peer")
    await link.close()


async def test_a_message_without_end_is_a_loss_and_is_never_kept(far: FarEnd) -> None:
    link = WebSocketTransport("127.0.0.1", far.port)
    ear = Ear(link)
    await link.open()
    there = await far.accepted.get()
    await there.send("x" * (LARGEST_MESSAGE_BYTES + 1))
    await ear.until(lambda: bool(ear.lost))
    assert ear.lost == ["what came in is no websocket's, or too large (code 1009)"]
    assert ear.data == b""
    await link.close()


async def test_a_far_end_that_reads_nothing_is_a_loss_within_its_time(far: FarEnd) -> None:
    link = WebSocketTransport("127.0.0.1", far.port)
    ear = Ear(link)
    await link.open()
    there = await far.accepted.get()
    there.transport.pause_reading()
    loop = asyncio.get_running_loop()
    started = loop.time()
    for _ in range(200):
        link.write(b"x" * 100_000)
    await ear.until(lambda: bool(ear.lost))
    assert 0.15 < loop.time() - started < 1.0
    assert ear.lost[0].startswith("JMRI takes no bytes")
    await link.close()


async def test_closing_on_a_far_end_that_reads_nothing_does_not_hang(far: FarEnd) -> None:
    link = WebSocketTransport("127.0.0.1", far.port)
    await link.open()
    there = await far.accepted.get()
    there.transport.pause_reading()
    link.write(b"x" * 20_000_000)
    loop = asyncio.get_running_loop()
    started = loop.time()
    await link.close()
    assert loop.time() - started < 2.0


@pytest.mark.parametrize("end", ["dropped", "lost"])
async def test_the_end_is_the_end_while_a_guardian_holds_the_descriptor_too(far: FarEnd, end: str) -> None:
    link = WebSocketTransport("127.0.0.1", far.port)
    ear = Ear(link)
    await link.open()
    there = await far.accepted.get()
    (fd,) = link.guardian_fds()
    held = os.dup(fd)
    try:
        if end == "dropped":
            link.drop()
        else:
            there.transport.pause_reading()
            link.write(b"x" * 20_000_000)
            await ear.until(lambda: bool(ear.lost))
            there.transport.resume_reading()
        async with asyncio.timeout(3):
            await there.wait_closed()
    finally:
        os.close(held)
    await link.close()


async def test_what_a_guardian_writes_on_the_descriptor_is_a_message_like_any_other(far: FarEnd) -> None:
    link = WebSocketTransport("127.0.0.1", far.port)
    await link.open()
    there = await far.accepted.get()
    (fd,) = link.guardian_fds()
    link.write(b"before")
    assert await there.recv() == "before"
    with socket.socket(fileno=fd) as shared:
        shared.send(link.framed(b"the stop") + link.framed(b"x" * 70_000))
        shared.detach()
    assert await there.recv() == "the stop"
    assert await there.recv() == "x" * 70_000
    link.write(b"after")
    assert await there.recv() == "after"
    await link.close()


async def test_a_port_where_nobody_listens_says_what_to_start() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(PortError, match="cannot connect") as caught:
        await WebSocketTransport("127.0.0.1", port).open()
    assert "Start Web Server" in caught.value.cure
    assert caught.value.where == f"127.0.0.1:{port}"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\x00\xff garbage\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        # to a place that nobody named it does not go
        b"HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/json/\r\nContent-Length: 0\r\n\r\n",
    ],
)
async def test_what_is_no_json_server_says_so(answer: bytes) -> None:
    ended = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()
        await writer.wait_closed()
        ended.set()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    link = WebSocketTransport("127.0.0.1", server.sockets[0].getsockname()[1])
    with pytest.raises(PortError, match="no JSON server of JMRI"):
        await link.open()
    async with asyncio.timeout(5):
        await ended.wait()
    await link.close()
    server.close()
    await server.wait_closed()


def test_a_far_end_that_never_answers_is_given_up_in_time() -> None:
    async def main() -> float:
        writers: list[asyncio.StreamWriter] = []
        server = await asyncio.start_server(lambda _, writer: writers.append(writer), "127.0.0.1", 0)
        loop = asyncio.get_running_loop()
        with pytest.raises(PortError, match="nobody answers within 5 s"):
            await WebSocketTransport("127.0.0.1", server.sockets[0].getsockname()[1]).open()
        ended_s = loop.time()
        for writer in writers:
            writer.close()
            await writer.wait_closed()
        server.close()
        await server.wait_closed()
        return ended_s

    assert run_virtual(main()) == pytest.approx(5.0)


@pytest.mark.parametrize("host", ["no-such-computer.invalid", "a" * 70 + ".x", "bad host", "x..y"])
async def test_a_name_that_is_no_computers_says_so(host: str) -> None:
    with pytest.raises(PortError) as caught:
        await WebSocketTransport(host, 12080).open()
    assert caught.value.cure == "give the computer's IP address"
