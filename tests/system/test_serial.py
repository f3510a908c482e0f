"""The serial link on real pseudo-terminals, in real time."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ear import Ear

from pointsman.errors import LinkLostError, PortError
from pointsman.transports.serial import SerialTransport
from railsim.clock import run_virtual

pytestmark = pytest.mark.system

TIOCGEXCL = 0x80045440
"""Linux: is this terminal claimed? (not in the termios module)"""


class Pty:
    """The far end of a serial port: the master side of a pseudo-terminal."""

    def __init__(self) -> None:
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        os.close(slave)
        self.group = Path(self.path).group()
        os.set_blocking(self.master, False)

    def write(self, data: bytes) -> None:
        os.write(self.master, data)

    def permit(self, mode: int) -> None:
        Path(self.path).chmod(mode)

    def vanish(self) -> None:
        os.close(self.master)
        self.master = -1


@pytest.fixture
def pty() -> Iterator[Pty]:
    made = Pty()
    yield made
    if made.master >= 0:
        made.vanish()


async def read_from(pty: Pty, length: int) -> bytes:
    """What the port's other end receives, ``length`` bytes of it."""
    loop = asyncio.get_running_loop()
    got = b""
    async with asyncio.timeout(3):
        while len(got) < length:
            readable = asyncio.Event()
            loop.add_reader(pty.master, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(pty.master)
            with contextlib.suppress(BlockingIOError):
                got += os.read(pty.master, 4096)
    return got


async def test_bytes_pass_both_ways_and_are_counted(pty: Pty) -> None:
    port = SerialTransport(pty.path)
    ear = Ear(port)
    await port.open()
    port.write(b"<s><#>")
    assert await read_from(pty, 6) == b"<s><#>"
    noise = bytes(range(256)) * 4
    pty.write(noise)
    await ear.until(lambda: len(ear.data) >= len(noise))
    assert ear.data == noise, "the line discipline must not touch a byte"
    assert (port.sent_bytes, port.received_bytes) == (6, 1024)
    await port.close()
    assert not ear.lost


async def test_a_vanished_port_is_a_loss_without_a_busy_loop_and_opens_again(pty: Pty, tmp_path: Path) -> None:
    # By a name of its own: the system may give the terminal's to somebody else as soon as it is gone.
    path = tmp_path / "tty"
    path.symlink_to(pty.path)
    port = SerialTransport(str(path))
    ear = Ear(port)
    await port.open()
    pty.vanish()
    path.unlink()
    await ear.until(lambda: bool(ear.lost))
    assert "vanished" in ear.lost[0]
    with pytest.raises(LinkLostError):
        port.write(b"<!>")
    before = time.process_time()
    await asyncio.sleep(0.3)  # real time in which a spinning reader would use up a core
    assert time.process_time() - before < 0.05
    assert not [thread for thread in threading.enumerate() if str(path) in thread.name]
    assert len(ear.lost) == 1
    with pytest.raises(PortError, match="no such port") as refusal:
        await port.open()
    assert "pointsman ports" in refusal.value.cure

    again = Pty()
    reopened = SerialTransport(again.path)
    ear = Ear(reopened)
    await reopened.open()
    again.write(b"<# 50>\n")
    await ear.until(lambda: ear.data == b"<# 50>\n")
    await reopened.close()
    again.vanish()


async def test_closing_and_opening_the_same_port_again_and_again(pty: Pty) -> None:
    port = SerialTransport(pty.path)
    ear = Ear(port)
    for turn in range(5):
        await port.open()
        pty.write(b"<# %d>\n" % turn)
        await ear.until(lambda turn=turn: ear.data.endswith(b"<# %d>\n" % turn))
        await port.close()
    assert not ear.lost
    assert not [thread for thread in threading.enumerate() if pty.path in thread.name]


HOLDER = """
import fcntl, os, pathlib, sys
pathlib.Path("/proc/self/comm").write_text(sys.argv[2])
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
fcntl.flock(port, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("name", "cure"),
    [("minicom", "close that program"), ("brltty", "apt remove brltty"), ("ModemManager", "wait half a minute")],
)
async def test_a_port_that_another_program_holds_names_the_program(pty: Pty, name: str, cure: str) -> None:
    pipe = asyncio.subprocess.PIPE
    holder = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLDER, pty.path, name, stdin=pipe, stdout=pipe)
    try:
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"held\n"
        with pytest.raises(PortError, match=rf"held by {name} \(process {holder.pid}\)") as refusal:
            await SerialTransport(pty.path).open()
        assert cure in refusal.value.cure
    finally:
        await holder.communicate(b"")
    port = SerialTransport(pty.path)
    await port.open()
    await port.close()


OPENING = """
import asyncio, sys
from pointsman.errors import PortError
from pointsman.transports.serial import SerialTransport
try:
    asyncio.run(SerialTransport(sys.argv[1]).open())
except PortError as error:
    print(error.what)
"""


async def test_a_program_that_holds_a_port_without_a_lock_is_named_and_this_one_is_not(pty: Pty) -> None:
    pipe, unlocked = asyncio.subprocess.PIPE, HOLDER.replace("fcntl.flock(port, fcntl.LOCK_EX)\n", "")
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", unlocked, pty.path, "minicom", stdin=pipe, stdout=pipe
    )
    try:
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"held\n"
        # in a program of its own: this one holds the far end too
        opening = await asyncio.create_subprocess_exec(sys.executable, "-c", OPENING, pty.path, stdout=pipe)
        said, _ = await opening.communicate()
        assert said.decode() == f"held by minicom (process {holder.pid})\n"
    finally:
        await holder.communicate(b"")


async def test_a_second_opening_is_refused_and_the_first_goes_on(pty: Pty) -> None:
    first = SerialTransport(pty.path)
    ear = Ear(first)
    await first.open()
    with pytest.raises(PortError, match="this program itself"):
        await SerialTransport(pty.path).open()
    pty.write(b"<# 50>\n")
    await ear.until(lambda: ear.data == b"<# 50>\n")
    # the kernel's own flag keeps out (but for root) programs that do not ask for locks
    fd = os.open(pty.path, os.O_RDWR | os.O_NOCTTY) if os.geteuid() == 0 else None
    if fd is not None:
        assert fcntl.ioctl(fd, TIOCGEXCL, b"\0\0\0\0") == b"\1\0\0\0"
    await first.close()
    if fd is not None:
        assert fcntl.ioctl(fd, TIOCGEXCL, b"\0\0\0\0") == b"\0\0\0\0"
        os.close(fd)


async def test_a_port_that_takes_no_bytes_is_a_loss_within_its_time(pty: Pty) -> None:
    port = SerialTransport(pty.path)
    ear = Ear(port)
    await port.open()
    started = time.monotonic()

    def flood() -> None:
        for _ in range(200):
            port.write(b"<# 50>\n" * 100)

    with pytest.raises(LinkLostError, match="takes no bytes"):
        flood()
    assert time.monotonic() - started < 1.5
    await ear.until(lambda: bool(ear.lost))


def test_silence_raises_dtr_once_and_a_terminal_without_that_line_is_borne(pty: Pty) -> None:
    notes: list[str] = []

    async def silent() -> None:
        port = SerialTransport(pty.path)
        port.listen(lambda _: None, lambda _: None, notes.append)
        await port.open()
        await asyncio.sleep(7)
        port.write(b"<s>")
        await port.close()

    run_virtual(silent(), speed=20)
    assert len(notes) == 1
    assert "nothing heard" in notes[0]
    assert "DTR" in notes[0]


class HeldUp(asyncio.SelectorEventLoop):
    """A loop that does not take what reader threads hand over until ``go``."""

    def __init__(self) -> None:
        super().__init__()
        self.held_up = threading.Event()
        self.go = threading.Event()

    def call_soon_threadsafe(self, callback: Any, *args: Any, **keywords: Any) -> asyncio.Handle:
        if threading.current_thread().name.startswith("reader of"):
            self.held_up.set()
            self.go.wait(10)
        return super().call_soon_threadsafe(callback, *args, **keywords)


def test_losing_a_port_whose_reader_hangs_does_not_stall_the_loop(pty: Pty) -> None:
    loop = HeldUp()

    async def main() -> None:
        port = SerialTransport(pty.path)
        ear = Ear(port)
        await port.open()
        pty.write(b"<# 50>\n")
        assert await asyncio.to_thread(loop.held_up.wait, 3)
        pty.vanish()
        started = time.monotonic()
        with pytest.raises(LinkLostError, match="vanished"):
            port.write(b"<!>")
        stall_ms = (time.monotonic() - started) * 1000
        print(f"the loop stood still for {stall_ms:.1f} ms")
        assert stall_ms < 20
        await ear.until(lambda: bool(ear.lost))
        loop.go.set()
        await port.close()
        assert not [thread for thread in threading.enumerate() if pty.path in thread.name]

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())


@pytest.mark.parametrize(
    ("path", "what"),
    [("/dev/no-such-port", "no such port"), ("/dev/null", "cannot be used as a serial port"), ("/", "cannot be used")],
)
async def test_what_is_no_serial_port_is_refused_with_a_cure(path: str, what: str) -> None:
    with pytest.raises(PortError, match=what) as refusal:
        await SerialTransport(path).open()
    assert refusal.value.cure
    assert refusal.value.where == path


LISTER = """
import json, sys
opened = []
sys.addaudithook(lambda event, found: opened.append(str(found[0])) if event == "open" else None)
from pointsman.transports.diagnosis import check_port, troubles
from pointsman.transports.ports import list_ports, look_at
listed = [port.path for port in list_ports()]
found = look_at(sys.argv[1])
troubles(found)
check_port(sys.argv[1])
print(json.dumps([found.permitted, listed, opened]))
"""


def test_listing_and_looking_at_ports_opens_none(pty: Pty) -> None:
    """An opening would reset a board, and bar whoever opens the port in earnest."""
    ran = subprocess.run([sys.executable, "-c", LISTER, pty.path], capture_output=True, text=True, check=True)
    permitted, listed, opened = json.loads(ran.stdout)
    assert permitted
    assert any("diagnosis" in path for path in opened), "what is opened is heard of"
    assert not {pty.path, *listed} & set(opened)


async def test_a_holder_that_is_just_leaving_is_waited_for(pty: Pty) -> None:
    fd = os.open(pty.path, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    asyncio.get_running_loop().call_later(0.15, os.close, fd)
    port = SerialTransport(pty.path)
    await port.open()
    await port.close()


STRANGER = """
import asyncio, os, sys
from pointsman.errors import PortError
from pointsman.transports.serial import SerialTransport
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
try:
    asyncio.run(SerialTransport(sys.argv[1]).open())
except PortError as error:
    print(error)
"""


async def as_a_stranger(path: str) -> str:
    """What a user without any rights is told on opening the port."""
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", STRANGER, path, stdout=asyncio.subprocess.PIPE)
    return (await child.communicate())[0].decode()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for another user")
async def test_no_permission_names_the_group_and_is_not_called_in_use(pty: Pty) -> None:
    pty.permit(0o660)
    said = await as_a_stranger(pty.path)
    assert "you have no permission" in said
    assert f"usermod -a -G {pty.group} $USER" in said
    pty.permit(0o620)
    said = await as_a_stranger(pty.path)
    assert "you have no permission" in said
    assert f"sudo chmod a+rw {pty.path}" in said, "its group may not use it either"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for another user")
async def test_a_port_claimed_by_another_users_program_is_said_so(pty: Pty) -> None:
    pty.permit(0o666)
    port = SerialTransport(pty.path)
    await port.open()
    said = await as_a_stranger(pty.path)
    assert "another program holds it" in said
    assert f"sudo fuser -v {pty.path}" in said
    await port.close()
