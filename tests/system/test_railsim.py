"""The simulated layout as a program, on real terminals and sockets, and its clock with real input."""

from __future__ import annotations

import asyncio
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pointsman.protocols.dccex import HostReader
from pointsman.protocols.dccex import replies as r
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.serial import SerialTransport
from railsim.clock import VirtualLoop, run_virtual
from railsim.embed import Simulation
from railsim.setup import Setup

pytestmark = pytest.mark.system

GREETING = b"<iDCC-EX V-5.6.0 / MEGA / STANDARD_MOTOR_SHIELD G-master-202605011818Z>"
START = "head: L | s1: 1 2 3 4 5 | s2: 6 7 8"


class Railsim:
    """The program, running."""

    def __init__(self, *args: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "railsim.cli", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "200"},
        )
        self.said: list[str] = []

    def until(self, pattern: str) -> re.Match[str]:
        """Read what it prints up to a line that matches."""
        assert self.process.stdout is not None
        watchdog = threading.Timer(30.0, self.process.kill)
        watchdog.start()
        try:
            for line in self.process.stdout:
                self.said.append(line)
                found = re.search(pattern, line)
                if found:
                    return found
        finally:
            watchdog.cancel()
            watchdog.join()
        errors = self.process.stderr.read() if self.process.stderr is not None else ""
        raise AssertionError(f"{pattern!r} was never said; {self.said} {errors}")

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and return the exit code; nothing may stand on standard error."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=10)
        assert errors == ""
        return self.process.returncode


@pytest.fixture
def start() -> Iterator[Callable[..., Railsim]]:
    running: list[Railsim] = []

    def begin(*args: str) -> Railsim:
        running.append(Railsim(*args))
        return running[-1]

    yield begin
    for railsim in running:
        if railsim.process.poll() is None:
            railsim.process.kill()
        railsim.process.communicate()


class Wire:
    """A host's end: a file descriptor to write to and to read lines from, with a real deadline."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.heard = b""

    def say(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def greet(self) -> None:
        """Ask until the station answers: while it starts it reads nothing."""
        for _ in range(20):
            self.say("<s><#>")
            while b"<# 50>" not in self.heard and select.select([self.descriptor], [], [], 0.5)[0]:
                self.heard += os.read(self.descriptor, 4096)
            if b"<# 50>" in self.heard:
                assert GREETING in self.until(b"<# 50>")
                return
        raise AssertionError(f"the station never answered: {self.heard!r}")

    def until(self, wanted: bytes, within_s: float = 15.0) -> bytes:
        """Read until it was heard; returns and forgets all up to it."""
        deadline = time.monotonic() + within_s
        while wanted not in self.heard:
            left = deadline - time.monotonic()
            assert left > 0, f"{wanted!r} never came: {self.heard!r}"
            if select.select([self.descriptor], [], [], left)[0]:
                self.heard += os.read(self.descriptor, 4096)
        before, found, self.heard = self.heard.partition(wanted)
        return before + found


@pytest.fixture
def opened() -> Iterator[Callable[[str | Path], Wire]]:
    descriptors: list[int] = []

    def open_it(path: str | Path) -> Wire:
        descriptors.append(os.open(path, os.O_RDWR | os.O_NOCTTY))
        return Wire(descriptors[-1])

    yield open_it
    for descriptor in descriptors:
        os.close(descriptor)


def test_a_host_on_the_serial_port_drives_and_the_truth_is_written(
    start: Callable[..., Railsim], opened: Callable[[Path], Wire], tmp_path: Path
) -> None:
    port, truth = tmp_path / "tty", tmp_path / "truth.json"
    railsim = start("inglenook", "--pty", str(port), "--truth", str(truth), "--speed", "5", "--seed", "4")
    railsim.until("ready")
    assert json.loads(truth.read_text())["line"] == START + " | s3:"
    wire = opened(port)
    wire.greet()
    wire.say("<T 1 0>")
    wire.say("<1 MAIN>")
    wire.until(b"<p1 MAIN>")
    wire.say("<#>")
    wire.until(b"<# 50>")
    if json.loads(truth.read_text())["lie"]["T1"] != "closed":
        railsim.until("T1 lies closed")
    wire.say("<t 3 20 1>")
    wire.until(b"<l 3 0 149 0>")
    wire.until(b"<Q 1>")
    wire.until(b"<q 1>")
    wire.until(b"<Q 2>")
    wire.say("<t 3 0 1>")
    railsim.until("have coupled")
    railsim.until("L stands")
    assert railsim.end() == 143
    found = json.loads(truth.read_text())
    assert ["1", "L"] in found["coupled"]
    assert found["line"].startswith("head: | s1: 1 2 3 4 5 |")
    assert found["moving"] == []
    assert [i["kind"] for i in found["incidents"]] in ([], ["rough coupling"])
    assert not port.is_symlink()
    assert [path.name for path in tmp_path.iterdir()] == ["truth.json"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["inglenook"], "L faces to the points"),
        (["timesaver"], "L faces to the points"),
        (["timesaver", "--facing", "L=to"], "L faces to the buffer stop"),
        (["inglenook", "--hardware", "uno-dc"], "L runs forward to the points"),
    ],
)
def test_it_says_where_the_front_points(start: Callable[..., Railsim], words: list[str], says: str) -> None:
    railsim = start(*words, "--tcp", "0")
    railsim.until(f"standing .*; {says}$")
    assert railsim.end() == 143


def test_without_a_stop_it_runs_on_and_the_incident_is_in_the_file(
    start: Callable[..., Railsim], opened: Callable[[Path], Wire], tmp_path: Path
) -> None:
    port, truth = tmp_path / "tty", tmp_path / "truth.json"
    railsim = start(
        "inglenook", "--pty", str(port), "--truth", str(truth), "--speed", "5", "--facing", "L=from", "--position",
        "head: L",
    )  # fmt: skip
    railsim.until("ready")
    wire = opened(port)
    wire.greet()
    wire.say("<1 MAIN><t 3 5 1>")
    railsim.until("INCIDENT buffer: L ran into the buffers of head")
    railsim.until("L stands")
    assert railsim.end(signal.SIGINT) == 130
    assert [i["kind"] for i in json.loads(truth.read_text())["incidents"]] == ["buffer"]


def test_opening_the_port_resets_the_station_if_asked(
    start: Callable[..., Railsim], opened: Callable[[Path], Wire], tmp_path: Path
) -> None:
    port = tmp_path / "tty"
    railsim = start("inglenook", "--pty", str(port), "--reset-on-open", "--speed", "5")
    railsim.until("ready")
    for _ in range(2):
        wire = Wire(os.open(port, os.O_RDWR | os.O_NOCTTY))
        try:
            wire.until(GREETING)
            wire.until(b"<p0>")
            wire.say("<1 MAIN><t 3 5 1><#>")
            wire.until(b"<# 50>")
        finally:
            os.close(wire.descriptor)
        # The host is gone once the terminal hangs up; only then is the next opening a new one.
        time.sleep(0.1)
    assert railsim.end() == 143


def test_faults_strike_and_are_said(
    start: Callable[..., Railsim], opened: Callable[[str | Path], Wire], tmp_path: Path
) -> None:
    port = tmp_path / "port"
    args = ["inglenook", "--pty", str(port), "--position", START, "--speed", "5"]
    railsim = start(*args, "--fault", "beam-stuck:s2@20", "--fault", "port-vanishes@40=5")
    railsim.until("ready")
    wire = opened(port)
    wire.greet()
    assert wire.until(b"<Q 3>")
    railsim.until("FAULT beam-stuck: beam s2")
    railsim.until("FAULT port-vanishes: the port is gone")
    assert not port.is_symlink()
    with pytest.raises(OSError, match="Input/output error"):
        wire.say("<#>")
    railsim.until("FAULT port-vanishes: the port is there again")
    opened(port).greet()
    assert railsim.end() == 143


def test_the_faults_that_there_are() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "railsim.cli", "--faults"], capture_output=True, text=True, timeout=60, check=True
    )
    assert "turnout-stuck" in done.stdout
    assert done.stderr == ""


def test_network_clients_hear_broadcasts_and_closing_stops_nothing(start: Callable[..., Railsim]) -> None:
    railsim = start("inglenook", "--tcp", "0", "--speed", "5", "--position", "head: L")
    number = int(railsim.until(r"127\.0\.0\.1:(\d+)").group(1))
    railsim.until("ready")
    with socket.create_connection(("127.0.0.1", number)) as one, socket.create_connection(("127.0.0.1", number)) as two:
        first, second = Wire(one.fileno()), Wire(two.fileno())
        for wire in (first, second):
            wire.greet()
        first.say("<1 MAIN><t 3 5 0>")
        assert b"<*" not in second.until(b"<l 3 0 6 0>")
    railsim.until("INCIDENT buffer")
    assert railsim.end() == 143


def test_a_link_left_behind_by_a_killed_program_is_no_hindrance(start: Callable[..., Railsim], tmp_path: Path) -> None:
    port = tmp_path / "tty"
    railsim = start("inglenook", "--pty", str(port))
    railsim.until("ready")
    railsim.process.kill()
    railsim.process.wait()
    assert port.is_symlink()
    # The system has given the terminal's name to somebody else since.
    master, slave = os.openpty()
    port.unlink()
    port.symlink_to(os.ttyname(slave))
    again = start("inglenook", "--pty", str(port))
    again.until("ready")
    assert port.readlink() != Path(os.ttyname(slave))
    for end in (master, slave):
        os.close(end)
    assert again.end() == 143
    assert not port.is_symlink()


def test_the_link_of_a_layout_that_runs_is_not_taken(start: Callable[..., Railsim], tmp_path: Path) -> None:
    port = tmp_path / "tty"
    railsim = start("inglenook", "--pty", str(port))
    railsim.until("ready")
    second = start("inglenook", "--pty", str(port))
    assert second.process.wait(30) == 5
    assert railsim.end() == 143


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["inglenook"], 2, "give --pty PATH"),
        (["nowhere", "--tcp", "0"], 2, "there is no layout 'nowhere'"),
        (["inglenook", "--tcp", "0", "--speed", "6"], 2, "at most 5"),
        (["inglenook", "--tcp", "0", "--position", "head: L | s7: 1"], 2, "no segment 's7'"),
        (["inglenook", "--tcp", "0", "--facing", "L=up"], 2, "write L=from or L=to"),
        (["inglenook", "--tcp", "0", "--puzzle", "none"], 2, "known here: classic"),
        (["inglenook", "--tcp", "0", "--fault", "wagon-flies"], 2, "there is no fault 'wagon-flies'"),
        (["inglenook", "--tcp", "0", "--fault", "beam-dead:hed"], 2, "did you mean head?"),
        (["inglenook", "--pty", "/dev/null"], 5, "does not exist yet"),
        (["inglenook", "--tcp", "0", "--truth", "/nowhere/at/all"], 2, "cannot be written"),
    ],
)
def test_wrong_arguments_get_a_sentence_and_a_cure(args: list[str], code: int, says: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "railsim.cli", *args], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == code
    assert says in done.stderr
    assert "  -> " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_taken_network_port_is_said(start: Callable[..., Railsim]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        railsim = start("inglenook", "--tcp", str(taken.getsockname()[1]))
        _, errors = railsim.process.communicate(timeout=20)
        assert railsim.process.returncode == 5
        assert "cannot listen" in errors


# ---------------------------------------------------------------- within a program, on a held clock


def test_on_a_real_terminal_a_held_clock_gives_no_false_timeout() -> None:
    """300 fences, each with a deadline of 30 ms, at fifty times real time: the reader thread is never that quick."""
    folder = find_layout("inglenook")
    track = load_layout(folder)
    wiring = load_wiring(find_wiring(folder), track)

    async def main(loop: VirtualLoop) -> float:
        simulation = Simulation(track, wiring, Setup.parse(START), seed=1)
        link = simulation.open_pty()
        transport = SerialTransport(link.path)
        reader = HostReader()
        replies: asyncio.Queue[r.Reply] = asyncio.Queue()

        def on_data(data: bytes) -> None:
            for reply in reader.feed(data):
                replies.put_nowait(reply)

        transport.listen(on_data, lambda reason: None)
        loop.hold_while(
            lambda: link.sent_bytes != transport.received_bytes or link.received_bytes != transport.sent_bytes
        )
        try:
            await transport.open()
            while not isinstance(await asyncio.wait_for(replies.get(), 10), r.Comment):
                pass
            await asyncio.sleep(2.0)
            while not replies.empty():
                replies.get_nowait()
            begin = loop.time()
            for _ in range(300):
                transport.write(b"<#>")
                assert await asyncio.wait_for(replies.get(), 0.03) == r.FenceReached(50)
            assert link.lost_bytes == 0
            return loop.time() - begin
        finally:
            await transport.close()
            await simulation.close()

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(50.0)) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        took_s = runner.run(main(loop))
    assert took_s < 300 * 0.03


def test_over_loopback_on_a_jumping_clock() -> None:
    folder = find_layout("inglenook")
    track = load_layout(folder)
    wiring = load_wiring(find_wiring(folder), track)

    async def main() -> float:
        loop = asyncio.get_running_loop()
        simulation = Simulation(track, wiring, Setup.parse("head: L"), seed=1)
        server = await simulation.serve_tcp()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            await asyncio.wait_for(reader.readuntil(b"<p0>\n"), 10)
            begin = loop.time()
            for _ in range(100):
                writer.write(b"<#>")
                assert await asyncio.wait_for(reader.readline(), 0.03) == b"<# 50>\n"
            return loop.time() - begin
        finally:
            writer.close()
            await writer.wait_closed()
            await simulation.close()

    assert run_virtual(main()) < 1.0


def test_loopback_tcp_is_read_before_the_clock_jumps() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            await asyncio.sleep(0.02)
            writer.write(line)
        writer.close()

    async def main() -> float:
        loop = asyncio.get_running_loop()
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        begin = loop.time()
        for number in range(50):
            writer.write(b"%d\n" % number)
            assert await asyncio.wait_for(reader.readline(), 1.0) == b"%d\n" % number
        took = loop.time() - begin
        writer.close()
        await writer.wait_closed()
        server.close()
        await server.wait_closed()
        return took

    assert run_virtual(main()) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("speed", [None, 50.0])
def test_the_clock_is_held_until_the_other_side_has_read(speed: float | None) -> None:
    """A slow thread reads 20 lines; the loop's deadline of 10 ms virtual must never pass before each is read."""
    near, far = socket.socketpair()
    written = read = 0

    def slow_reader() -> None:
        nonlocal read
        while got := far.recv(100):
            time.sleep(0.01)
            read += len(got)

    async def main(loop: VirtualLoop) -> None:
        nonlocal written
        release = loop.hold_while(lambda: written != read)
        for _ in range(20):
            near.sendall(b"x")
            written += 1
            await asyncio.sleep(0.01)
            assert written == read
        release()

    thread = threading.Thread(target=slow_reader)
    thread.start()
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(speed)) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        runner.run(main(loop))
        at_end = loop.time()
    near.close()
    thread.join()
    far.close()
    assert at_end == pytest.approx(0.2, abs=0.15 if speed else 1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--jmri", "0"), "no station behind JMRI"),
        (("--mqtt", "localhost"), "no station behind a broker"),
        (("--hardware", "jmri"), "nobody could reach its station behind JMRI"),
        (("--hardware", "jmri", "--tcp", "0"), "no station that speaks DCC-EX"),
        (("--hardware", "jmri", "--jmri", "0", "--tcp", "0"), "no station that speaks DCC-EX"),
        (("--hardware", "mqtt"), "nobody could reach its station behind a broker"),
        (("--hardware", "mixed", "--tcp", "0"), "nobody could reach its station behind a broker"),
        (("--hardware", "mixed", "--mqtt", "localhost"), "nobody could reach its station that speaks DCC-EX"),
        ((), "nobody could reach"),
        (("--hardware", "mqtt", "--mqtt", "localhost", "--fault", "broker-restart:gone"), "a program of its own"),
        (("--hardware", "mqtt", "--mqtt", "localhost", "--fault", "lost-bytes"), "only nodes at a broker"),
        (("--tcp", "0", "--fault", "messages-late"), "no station here has one"),
    ],
)
def test_a_layout_is_reached_only_in_the_language_of_its_station_and_struck_only_where_it_can_be(
    options: tuple[str, ...], words: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "railsim.cli", "inglenook-small", *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 2
    assert words in done.stderr
    assert "-> " in done.stderr
