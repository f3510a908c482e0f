"""The link to a real broker: passwords, encryption, access lists, cuts, and nothing that is sent later."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mosquitto import cable, free_port, mosquitto, needs_mosquitto

from pointsman.dispatch.guardian import Guarded, Guardian
from pointsman.errors import LinkLostError, PortError
from pointsman.transports.mqtt import KEEP_ALIVE_S, Broker, BrokerLink
from pointsman.transports.mqtt_base import Delivery, Will

pytestmark = [pytest.mark.system, needs_mosquitto]


class Ear:
    """Collects what a link calls back, and waits for it."""

    def __init__(self, broker: Broker) -> None:
        self.link = BrokerLink(broker)
        self.heard: list[Delivery] = []
        self.lost: list[str] = []
        self._changed = asyncio.Event()
        self.link.listen(self._on_message, self._on_lost)

    def _on_message(self, delivery: Delivery) -> None:
        self.heard.append(delivery)
        self._changed.set()

    def _on_lost(self, reason: str) -> None:
        self.lost.append(reason)
        self._changed.set()

    async def up(self, *topics: str, will: Will | None = None) -> Ear:
        await self.link.open(will)
        await self.link.subscribe(topics)
        return self

    async def until(self, true: Callable[[], bool], within_s: float = 10.0) -> None:
        async with asyncio.timeout(within_s):
            while not true():
                self._changed.clear()
                await self._changed.wait()

    def payloads(self, topic: str) -> list[bytes]:
        return [delivery.payload for delivery in self.heard if delivery.topic == topic]


async def test_messages_come_back_in_their_order(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        writer = await Ear(Broker("127.0.0.1", broker.port)).up("a")
        assert writer.link.client_id.isalnum()
        assert len(writer.link.client_id) <= 23
        for number in range(300):
            writer.link.publish("a", b"%d" % number)
        await writer.until(lambda: len(writer.heard) == 300)
        assert writer.payloads("a") == [b"%d" % number for number in range(300)]
        assert not any(delivery.retained for delivery in writer.heard)
        await writer.link.close()
        assert writer.lost == []


async def test_nothing_of_ours_is_kept_by_the_broker(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        writer = await Ear(Broker("127.0.0.1", broker.port)).up("a", will=Will("a", b"will"))
        writer.link.publish("a", b"1")
        await writer.until(lambda: writer.payloads("a") == [b"1"])
        reader = await Ear(Broker("127.0.0.1", broker.port)).up("a")
        await writer.link.abort()
        await reader.until(lambda: bool(reader.heard))
        assert reader.heard == [Delivery("a", b"will")]
        late = await Ear(Broker("127.0.0.1", broker.port)).up("a", "b")
        late.link.publish("b", b"")
        await late.until(lambda: bool(late.heard))
        assert late.payloads("a") == []
        await reader.link.close()
        await late.link.close()


async def test_two_programs_never_push_each_other_out(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        ears = [await Ear(Broker("127.0.0.1", broker.port)).up("a") for _ in range(3)]
        ears[0].link.publish("a", b"1")
        for ear in ears:
            await ear.until(lambda ear=ear: bool(ear.heard))
            assert ear.lost == []
        for ear in ears:
            await ear.link.close()


@pytest.fixture
def passwords(tmp_path: Path) -> Path:
    path = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-c", "-b", str(path), "tower", "secret"], check=True)
    return path


async def test_a_wrong_password_is_named_and_the_right_one_let_in(tmp_path: Path, passwords: Path) -> None:
    with mosquitto(tmp_path, f"password_file {passwords}") as broker:
        right = await Ear(Broker("127.0.0.1", broker.port, "tower", "secret")).up("a")
        await right.link.close()
        for user, password in (("tower", "guess"), ("", ""), ("nobody", "secret")):
            with pytest.raises(PortError, match="does not accept this user and password") as refusal:
                await Ear(Broker("127.0.0.1", broker.port, user, password)).link.open(None)
            assert "secret" not in str(refusal.value)
            assert "guess" not in str(refusal.value)
            assert refusal.value.cure


def certificates(folder: Path) -> None:
    """A certificate authority, and a broker's certificate for 127.0.0.1 from it."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    openssl("req", "-x509", *new, "-subj", "/CN=club", "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", *new[:-2], "-subj", "/CN=broker", "-keyout", "broker.key", "-out", "broker.csr")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names")
    openssl("x509", "-req", "-in", "broker.csr", *signed, "-out", "broker.pem")


async def test_an_encrypted_link_and_one_that_is_not_trusted(tmp_path: Path) -> None:
    certificates(tmp_path)
    files = [f"{key} {tmp_path / name}" for key, name in (("certfile", "broker.pem"), ("keyfile", "broker.key"))]
    with mosquitto(tmp_path, *files) as broker:
        ca_file = str(tmp_path / "ca.pem")
        ear = await Ear(Broker("127.0.0.1", broker.port, tls=True, ca_file=ca_file)).up("a", will=Will("w", b"x"))
        for number in range(50):
            ear.link.publish("a", b"%d" % number)
        await ear.until(lambda: len(ear.heard) == 50)
        assert ear.link.encrypted
        await ear.link.close()
        with pytest.raises(PortError, match="cannot be trusted") as refusal:
            await Ear(Broker("127.0.0.1", broker.port, tls=True)).link.open(None)
        assert "CA certificate" in refusal.value.cure
        with pytest.raises(PortError):
            await Ear(Broker("127.0.0.1", broker.port)).link.open(None)
        with pytest.raises(PortError, match="file of certificates"):
            await Ear(Broker("127.0.0.1", broker.port, tls=True, ca_file=str(tmp_path / "none"))).link.open(None)


async def test_no_broker_at_all_is_refused_with_a_cure(tmp_path: Path) -> None:
    for broker in (Broker("127.0.0.1", free_port()), Broker("a..b"), Broker("no-such-broker.invalid")):
        with pytest.raises(PortError) as refusal:
            await BrokerLink(broker).open(None)
        assert refusal.value.cure


async def test_what_listens_and_is_no_broker_is_refused_in_time() -> None:
    ended = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"<iDCC-EX V-5.6.0>\n")
        await reader.read()
        writer.close()
        ended.set()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(PortError) as refusal:
        async with asyncio.timeout(10):
            await BrokerLink(Broker("127.0.0.1", port)).open(None)
    assert refusal.value.cure
    await ended.wait()
    server.close()


async def test_what_is_published_on_a_cut_or_dead_cable_is_never_sent(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker, cable(broker.port) as wire:
        witness = await Ear(Broker("127.0.0.1", broker.port)).up("motion")
        ear = await Ear(Broker("127.0.0.1", wire.port)).up("motion")
        ear.link.publish("motion", b"before")
        await ear.until(lambda: bool(ear.heard))
        wire.cut()
        await ear.until(lambda: bool(ear.lost))
        with pytest.raises(LinkLostError):
            ear.link.publish("motion", b"while cut")
        await ear.up("motion")
        wire.dead = True
        ear.link.publish("motion", b"into a dead cable")
        await ear.link.abort()
        wire.dead = False
        await ear.up("motion")
        ear.link.publish("motion", b"after")
        await witness.until(lambda: b"after" in witness.payloads("motion"))
        assert witness.payloads("motion") == [b"before", b"after"]
        assert len(ear.lost) == 1
        await ear.link.close()
        await witness.link.close()


@asynccontextmanager
async def stuck_broker() -> AsyncIterator[tuple[BrokerLink, list[str], socket.socket]]:
    """A link to a broker that lets it in and then reads nothing more; why it was lost, and the broker's end of it."""
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        lost: list[str] = []
        link = BrokerLink(Broker("127.0.0.1", listener.getsockname()[1]))
        link.listen(lambda _: None, lost.append)
        opening = asyncio.ensure_future(link.open(None))
        far, _ = await loop.sock_accept(listener)
        with far:
            assert await loop.sock_recv(far, 4096)
            await loop.sock_sendall(far, b"\x20\x02\x00\x00")
            await opening
            try:
                yield link, lost, far
            finally:
                await link.abort()


async def test_a_broker_that_reads_nothing_is_a_loss_within_its_time() -> None:
    async with stuck_broker() as (link, lost, _):

        async def flood() -> None:
            for _ in range(500):
                link.publish("motion", bytes(100_000))
                await asyncio.sleep(0.005)

        began = time.monotonic()
        with pytest.raises(LinkLostError):
            await flood()
        assert time.monotonic() - began < 5.0
        assert ["could not be sent" in why for why in lost] == [True]


@pytest.mark.parametrize("guarded", [False, True])
async def test_what_was_given_up_does_not_arrive_later(guarded: bool) -> None:
    """Ending the link throws away what the system has not sent: the broker sees a connection that broke."""
    if guarded and sys.platform != "linux":
        pytest.skip("what a system does with a connection that others hold is its own")
    loop = asyncio.get_running_loop()
    async with stuck_broker() as (link, _, far):
        (fd,) = link.guardian_fds()
        with socket.socket(fileno=os.dup(fd)) as held, socket.socket(fileno=os.dup(fd)) as wire:
            if not guarded:
                held.close()
            assert wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            if sys.platform == "linux":
                assert wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 2000
            wire.close()
            link.publish("motion", bytes(100_000))
            await link.abort()

            async def read_to_the_end() -> None:
                while await loop.sock_recv(far, 1 << 20):
                    pass

            with pytest.raises(ConnectionResetError):
                await read_to_the_end()


async def test_a_message_and_the_end_in_the_same_moment_send_nothing(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        witness = await Ear(Broker("127.0.0.1", broker.port)).up("motion", "end")
        for _ in range(20):
            ear = await Ear(Broker("127.0.0.1", broker.port)).up("motion")
            ear.link.publish("motion", b"late")
            await ear.link.abort()
            assert ear.lost == []
        witness.link.publish("end", b"")
        await witness.until(lambda: bool(witness.payloads("end")))
        assert witness.payloads("motion") == []
        await witness.link.close()


async def test_the_end_is_the_end_while_a_guardian_holds_the_descriptor_too(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        here = Broker("127.0.0.1", broker.port)
        witness = await Ear(here).up("will")
        ear = await Ear(here).up("motion", will=Will("will", b"OFF"))
        (fd,) = ear.link.guardian_fds()
        held = os.dup(fd)
        try:
            await ear.link.abort()
            # well before the broker's own patience with a silent link ends
            await witness.until(lambda: bool(witness.payloads("will")), within_s=KEEP_ALIVE_S / 2)
        finally:
            os.close(held)
        await witness.link.close()


async def test_a_broker_that_restarts_loses_the_link_once_and_knows_nothing_of_it_then(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        ear = await Ear(Broker("127.0.0.1", broker.port)).up("a")
        broker.stop(kill=True)
        await ear.until(lambda: bool(ear.lost))
        broker.start()
        await ear.up("b")
        ear.link.publish("a", b"1")
        ear.link.publish("b", b"2")
        await ear.until(lambda: bool(ear.heard))
        assert ear.heard == [Delivery("b", b"2")]
        assert len(ear.lost) == 1
        await ear.link.close()


async def test_a_guardian_ends_an_encrypted_link_and_the_broker_publishes_the_will(tmp_path: Path) -> None:
    certificates(tmp_path)
    files = [f"{key} {tmp_path / name}" for key, name in (("certfile", "broker.pem"), ("keyfile", "broker.key"))]
    with mosquitto(tmp_path, *files) as broker:
        secret = Broker("127.0.0.1", broker.port, tls=True, ca_file=str(tmp_path / "ca.pem"))
        watched = await Ear(secret).up("a", will=Will("will", b"OFF"))
        other = await Ear(secret).up("will")
        guardian = await Guardian.start([Guarded(watched.link.guardian_fds())], on_death=lambda _: None)
        assert guardian.alive_now()
        silent_t_s = time.monotonic()
        await other.until(lambda: bool(other.heard))
        took_s = time.monotonic() - silent_t_s
        assert [(said.topic, said.payload) for said in other.heard] == [("will", b"OFF")]
        assert 0.4 < took_s < 1.5
        await guardian.goodbye()
        await watched.link.close()
        await other.link.close()


@pytest.mark.parametrize("passes", [1, 2, 3, 5])
async def test_opening_that_is_broken_off_leaves_nothing_behind(tmp_path: Path, passes: int) -> None:
    with mosquitto(tmp_path) as broker:
        link = BrokerLink(Broker("127.0.0.1", broker.port))
        opening = asyncio.ensure_future(link.open(Will("track/power", b"OFF")))
        for _ in range(passes):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.wait([opening])
        assert opening.cancelled()
        assert not link.is_open
        await asyncio.get_running_loop().shutdown_default_executor()  # no thread is at work any more
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
