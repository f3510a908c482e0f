"""The guardian on real pseudo-terminals and sockets, with real kills and real suspensions."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import subprocess
import sys
import time
import tty
from collections.abc import Iterator, Sequence

import pytest

from pointsman.dispatch.guardian import Guarded, Guardian
from pointsman.errors import LinkError

pytestmark = pytest.mark.system

WRITES = (b"<!><#>", b"<Z 1 0><Z 2 0>", b"<!><0><#>")

CONTROLLER = f"""
import asyncio, sys
from pointsman.dispatch.guardian import Guarded, Guardian
from pointsman.transports.serial import SerialTransport
from pointsman.transports.tcp import TcpTransport

async def main(kind, where, end):
    link = SerialTransport(where) if kind == "serial" else TcpTransport("127.0.0.1", int(where))
    await link.open()
    guardian = await Guardian.start([Guarded(link.guardian_fds(), {WRITES!r})], on_death=lambda why: None)
    link.write(b"<t 3 40 1>")
    print(guardian.pid, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    if end == "goodbye":
        await guardian.goodbye()
        await link.close()

asyncio.run(main(*sys.argv[1:]))
"""

DRIVER = f"""
import asyncio, sys
from pointsman.dispatch.guardian import Guarded, Guardian
from pointsman.errors import LinkLostError
from pointsman.transports.serial import SerialTransport

async def main(where, resting):
    link = SerialTransport(where)
    await link.open()
    died = asyncio.Event()

    def send(data):
        try:
            link.write(data)
        except LinkLostError:
            pass  # frozen in the middle of a write: to the port that took too long, and it is closed

    def stop(why):
        send(b"<!>")
        print(why, flush=True)
        died.set()

    guardian = await Guardian.start([Guarded(link.guardian_fds(), {WRITES!r})], on_death=stop)
    assert guardian.alive_now()
    send(b"<t 3 40 1>")
    if resting == "resting":
        send(b"<t 3 0 1>")
        assert guardian.rest()
    print(guardian.pid, flush=True)
    if resting == "resting":
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    else:
        # As badly behaved as can be: at every tick it wants to set the locomotive going again.
        while not died.is_set():
            if guardian.alive_now():
                send(b"<t 3 40 1>")
            await asyncio.sleep(0.02)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        if guardian.alive_now():
            send(b"<t 3 40 1>")
    await guardian.goodbye()
    await link.close()

asyncio.run(main(*sys.argv[1:]))
"""


class FarEnd:
    """The station's side of a link: what arrives, and when."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.data = b""
        self.arrivals: list[tuple[float, bytes]] = []

    def read_until(self, wanted: bytes, at_most_s: float = 3.0) -> None:
        """Read until ``wanted`` has arrived, or the link has ended, or the time is over."""
        ends = time.monotonic() + at_most_s
        os.set_blocking(self.fd, True)
        while wanted not in self.data and (left := ends - time.monotonic()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                return
            try:
                data = os.read(self.fd, 4096)
            except OSError:  # the last holder of a pseudo-terminal is gone
                return
            if not data:
                return
            self.arrivals.append((time.monotonic(), data))
            self.data += data

    def arrived_t_s(self, wanted: bytes) -> float:
        return next(t_s for t_s, data in self.arrivals if wanted in data)


@pytest.fixture
def pty() -> Iterator[tuple[FarEnd, str]]:
    master, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    os.close(slave)
    yield FarEnd(master), path
    os.close(master)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)
        yield server


class Controller:
    """A controller in a process of its own, with its guardian."""

    def __init__(self, *arguments: str, program: str = CONTROLLER, pass_fds: Sequence[int] = ()) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=pass_fds,
        )
        assert self.process.stdout is not None
        self.guardian_pid = int(self.process.stdout.readline())
        self._guardian = os.pidfd_open(self.guardian_pid)

    def ends(self) -> bytes:
        """Let it end by itself; what it said."""
        return self.process.communicate(b"\n", timeout=5)[0]

    def guardian_ends(self, at_most_s: float = 3.0) -> bool:
        """Does the guardian end by itself? (It is nobody's child any more.)"""
        ended = bool(select.select([self._guardian], [], [], at_most_s)[0])
        if ended:
            os.close(self._guardian)
        return ended

    def dies(self) -> float:
        """Kill it; the moment just before."""
        moment = time.monotonic()
        self.process.kill()
        self.process.communicate(timeout=5)
        return moment

    def freezes(self) -> float:
        """Stop it as Ctrl-Z would; the moment just before."""
        moment = time.monotonic()
        self.process.send_signal(signal.SIGSTOP)
        return moment

    def thaws(self) -> None:
        self.process.send_signal(signal.SIGCONT)


def check_stop(far: FarEnd, killed_t_s: float) -> None:
    assert far.data == b"<t 3 40 1><!><#><Z 1 0><Z 2 0><!><0><#>"
    stop_ms = (far.arrived_t_s(b"<!>") - killed_t_s) * 1000
    cut_ms = (far.arrived_t_s(b"<0>") - killed_t_s) * 1000
    print(f"stop on the wire {stop_ms:.1f} ms after the kill, power cut after {cut_ms:.1f} ms")
    assert stop_ms < 100
    assert stop_ms + 90 < cut_ms < 500


def test_a_killed_controller_is_stopped_over_serial(pty: tuple[FarEnd, str]) -> None:
    far, path = pty
    controller = Controller("serial", path, "killed")
    far.read_until(b"<t 3 40 1>")
    killed_t_s = controller.dies()
    far.read_until(b"<0><#>")
    check_stop(far, killed_t_s)
    # nothing holds the port any more
    far.read_until(b"never")
    assert controller.guardian_ends()


def test_a_killed_controller_is_stopped_over_tcp(listener: socket.socket) -> None:
    controller = Controller("tcp", str(listener.getsockname()[1]), "killed")
    with listener.accept()[0] as wire:
        far = FarEnd(wire.fileno())
        far.read_until(b"<t 3 40 1>")
        killed_t_s = controller.dies()
        far.read_until(b"never")
        check_stop(far, killed_t_s)
    assert controller.guardian_ends()


def test_a_goodbye_leaves_the_wire_silent(pty: tuple[FarEnd, str]) -> None:
    far, path = pty
    controller = Controller("serial", path, "goodbye")
    controller.ends()
    far.read_until(b"never")
    assert far.data == b"<t 3 40 1>"
    assert controller.guardian_ends()


def test_an_end_without_a_goodbye_is_a_death(pty: tuple[FarEnd, str]) -> None:
    far, path = pty
    controller = Controller("serial", path, "forgotten")
    controller.ends()
    far.read_until(b"<0><#>")
    assert far.data.endswith(b"<!><#><Z 1 0><Z 2 0><!><0><#>")
    assert controller.guardian_ends()


def test_ctrl_c_and_its_like_do_not_end_it(pty: tuple[FarEnd, str]) -> None:
    far, path = pty
    controller = Controller("serial", path, "killed")
    for polite in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP):
        os.kill(controller.guardian_pid, polite)
    assert os.getsid(controller.guardian_pid) == controller.guardian_pid
    assert not controller.guardian_ends(0.1)
    controller.dies()
    far.read_until(b"<0><#>")
    assert far.data.endswith(b"<!><0><#>")
    assert controller.guardian_ends()


def test_a_link_that_takes_nothing_does_not_keep_the_others_from_their_stop(listener: socket.socket) -> None:
    async def main(blocked: int, open_one: int) -> None:
        guardian = await Guardian.start(
            [Guarded((blocked,), WRITES), Guarded((open_one,), WRITES)], on_death=lambda _: None
        )
        os.close(guardian._pipe)  # as our death would
        guardian._pipe = os.open("/dev/null", os.O_WRONLY)
        await asyncio.to_thread(guardian._process.wait, 5)
        await guardian.goodbye()

    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(slave, False)
    try:
        while os.write(slave, b"x" * 4096):
            pass
    except BlockingIOError:
        pass
    near, end = socket.socketpair()
    with near, end:
        asyncio.run(main(slave, near.fileno()))
        far = FarEnd(end.fileno())
        far.read_until(b"<0><#>")
        assert far.data == b"".join(WRITES)
    os.close(slave)
    os.close(master)


async def test_a_guardian_that_dies_is_told_at_once() -> None:
    near, far = socket.socketpair()
    with near, far:
        told = asyncio.get_running_loop().create_future()
        guardian = await Guardian.start([Guarded((near.fileno(),), WRITES)], on_death=told.set_result)
        assert guardian.alive
        os.kill(guardian.pid, signal.SIGKILL)
        why = await asyncio.wait_for(told, 3)
        assert why.startswith("the guardian process ended")
        assert not guardian.alive
        await guardian.goodbye()
        far.setblocking(False)
        with pytest.raises(BlockingIOError):
            far.recv(1)


def test_a_frozen_controller_is_stopped_and_sets_nothing_going_when_it_wakes(pty: tuple[FarEnd, str]) -> None:
    far, path = pty
    controller = Controller(path, "driving", program=DRIVER)
    far.read_until(b"<t 3 40 1>" * 10)
    frozen_t_s = controller.freezes()
    far.read_until(b"<0><#>")
    stop_s = far.arrived_t_s(b"<!>") - frozen_t_s
    cut_s = far.arrived_t_s(b"<0>") - frozen_t_s
    print(f"stop on the wire {stop_s * 1000:.0f} ms after the freeze, power cut after {cut_s * 1000:.0f} ms")
    assert 0.4 < stop_s < 0.7
    assert stop_s + 0.09 < cut_s < 1.1
    before, stop, after = far.data.partition(b"<!>")
    assert before == b"<t 3 40 1>" * (len(before) // 10)
    assert stop + after == b"".join(WRITES)
    assert controller.guardian_ends()
    controller.thaws()
    said = controller.ends()
    far.read_until(b"never")
    stopped = before + b"".join(WRITES)
    assert far.data in (stopped, stopped + b"<!>"), "nothing moves again"
    assert said.startswith(b"this program was stopped or hung for more than 0.5 s")


def test_a_frozen_controller_whose_layout_stands_is_left_in_peace(pty: tuple[FarEnd, str]) -> None:
    far, path = pty
    controller = Controller(path, "resting", program=DRIVER)
    controller.freezes()
    far.read_until(b"<!>", 1.5)
    assert far.data == b"<t 3 40 1><t 3 0 1>"
    assert not controller.guardian_ends(0)
    controller.thaws()
    controller.ends()
    far.read_until(b"never")
    assert far.data == b"<t 3 40 1><t 3 0 1>"
    assert controller.guardian_ends()


def test_a_driving_controller_that_is_killed_is_stopped_at_once(pty: tuple[FarEnd, str]) -> None:
    far, path = pty
    controller = Controller(path, "driving", program=DRIVER)
    far.read_until(b"<t 3 40 1>" * 5)
    killed_t_s = controller.dies()
    far.read_until(b"<0><#>")
    assert far.arrived_t_s(b"<!>") - killed_t_s < 0.1
    assert far.data.endswith(b"".join(WRITES))
    assert controller.guardian_ends()


async def test_a_program_that_hangs_while_something_moves_is_told_so() -> None:
    near, far = socket.socketpair()
    with near, far:
        told = asyncio.get_running_loop().create_future()
        guardian = await Guardian.start([Guarded((near.fileno(),), WRITES)], on_death=told.set_result)
        for _ in range(16):
            assert guardian.alive_now()
            await asyncio.sleep(0.05)  # real time: longer than the silence that it bears
        assert not told.done()
        why = await asyncio.wait_for(told, 0.7)
        assert "stopped or hung for more than 0.5 s" in why
        assert not guardian.alive_now()
        assert not guardian.rest()
        await guardian.goodbye()
        assert not guardian.alive
        assert far.recv(100) == b"".join(WRITES)


async def test_a_guardian_that_is_frozen_itself_never_hangs_the_program() -> None:
    near, far = socket.socketpair()
    with near, far:
        told: list[str] = []
        died = asyncio.Event()

        def note(why: str) -> None:
            told.append(why)
            died.set()

        guardian = await Guardian.start([Guarded((near.fileno(),), WRITES)], on_death=note)
        os.kill(guardian.pid, signal.SIGSTOP)
        beats = 0
        while guardian.alive_now():
            beats += 1
        assert beats > 4000
        assert not guardian.alive_now()
        assert not told, "never from within"
        await asyncio.wait_for(died.wait(), 3)
        os.kill(guardian.pid, signal.SIGCONT)
        await guardian.goodbye()
        assert len(told) == 1
        assert "does not listen" in told[0]
        assert far.recv(100) == b"".join(WRITES), "its pipe is closed without a goodbye"


async def test_starting_is_quick_and_a_goodbye_may_be_said_twice() -> None:
    near, far = socket.socketpair()
    with near, far:
        started = time.monotonic()
        guardian = await Guardian.start([Guarded((near.fileno(),), WRITES)], on_death=lambda _: None)
        took_ms = (time.monotonic() - started) * 1000
        print(f"guardian ready after {took_ms:.0f} ms")
        assert took_ms < 1000
        await guardian.goodbye()
        await guardian.goodbye()
        assert not guardian.alive
        near.shutdown(socket.SHUT_WR)
        assert far.recv(100) == b""


async def test_without_a_link_there_is_no_guardian() -> None:
    with pytest.raises(LinkError):
        await Guardian.start([], on_death=lambda _: None)
    with pytest.raises(LinkError):
        await Guardian.start([Guarded((), WRITES)], on_death=lambda _: None)


@pytest.mark.parametrize("how", ["it dies", "it freezes"])
def test_several_links_get_their_own_stops_and_one_without_is_shut_down(how: str) -> None:
    program = f"""
import asyncio, sys
from pointsman.dispatch.guardian import Guarded, Guardian

async def main(*fds):
    written, other, shut = map(int, fds)
    links = [Guarded((written,), {WRITES!r}), Guarded((other,), (b"STOP;", b"OFF;")), Guarded((shut,))]
    guardian = await Guardian.start(links, on_death=print)
    assert guardian.alive_now()
    print(guardian.pid, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)

asyncio.run(main(*sys.argv[1:]))
"""
    pairs = [socket.socketpair() for _ in range(3)]
    near, far = [pair[0] for pair in pairs], [FarEnd(pair[1].fileno()) for pair in pairs]
    numbers = [end.fileno() for end in near]
    controller = Controller(*map(str, numbers), program=program, pass_fds=numbers)
    for end in near:
        end.close()
    since_t_s = controller.dies() if how == "it dies" else controller.freezes()
    # Only this link's end says that it was shut down: a frozen program still holds it.
    assert select.select([far[2].fd], [], [], 3)[0]
    assert os.read(far[2].fd, 10) == b""
    shut_s = time.monotonic() - since_t_s
    far[1].read_until(b"STOP;")
    far[0].read_until(WRITES[-1])
    far[1].read_until(b"OFF;")
    assert (far[0].data, far[1].data) == (b"".join(WRITES), b"STOP;OFF;")
    for end, stop, off in ((far[0], b"<!>", b"<0>"), (far[1], b"STOP;", b"OFF;")):
        assert end.arrived_t_s(stop) - since_t_s < 0.7
        assert end.arrived_t_s(off) - end.arrived_t_s(stop) > 0.05, "decoders hear the stop before the power goes"
    assert shut_s < 0.7
    assert controller.guardian_ends()
    if how == "it freezes":
        controller.thaws()
        controller.ends()
    for pair in pairs:
        pair[1].close()


def test_a_link_that_takes_nothing_does_not_even_delay_the_others() -> None:
    async def main(blocked: int, open_one: int) -> None:
        links = [Guarded((blocked,), WRITES), Guarded((open_one,), WRITES)]
        guardian = await Guardian.start(links, on_death=lambda _: None)
        os.close(guardian._pipe)
        guardian._pipe = os.open("/dev/null", os.O_WRONLY)
        began_t_s = time.monotonic()
        await asyncio.to_thread(far.read_until, WRITES[0])
        assert far.arrived_t_s(WRITES[0]) - began_t_s < 0.2
        await asyncio.to_thread(guardian._process.wait, 5)
        await guardian.goodbye()

    deaf, unread = socket.socketpair()
    near, end = socket.socketpair()
    far = FarEnd(end.fileno())
    with deaf, unread, near, end:
        deaf.setblocking(False)
        while select.select([], [deaf], [], 0)[1]:
            deaf.send(b"x" * 65536)
        asyncio.run(main(deaf.fileno(), near.fileno()))
