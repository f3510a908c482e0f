"""``doctor`` as a program of its own: real ports, held and forbidden ones, a hand in a beam, and every sudden end."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from programs import Program, RailSim, quick_layout, running, tool

pytestmark = pytest.mark.system


def doctor(*words: str | Path) -> Program:
    return Program(tool("pointsman"), "doctor", *map(str, words))


def ended(*words: str | Path) -> Any:
    """The command run to its end, nobody at the terminal."""
    return subprocess.run(
        [tool("pointsman"), "doctor", *map(str, words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class Throttle:
    """Another host of the same station, over the network."""

    def __init__(self, sim: RailSim) -> None:
        self._socket = socket.create_connection(("127.0.0.1", sim.tcp_port), timeout=20)
        # What is asked while the station starts is not heard.
        said = b""
        while b"<# " not in said:
            self._socket.sendall(b"<#>")
            said = self._heard(0.3)
        while self._heard(0.3):
            pass
        self._socket.settimeout(20)

    def _heard(self, within_s: float) -> bytes:
        self._socket.settimeout(within_s)
        try:
            return self._socket.recv(4096)
        except TimeoutError:
            return b""

    def ask(self, text: str) -> str:
        """Everything that is said until the fence behind ``text`` is back."""
        said = b""
        self._socket.sendall(text.encode() + b"<#>")
        while b"<# " not in said:
            data = self._socket.recv(4096)
            assert data, "the station has closed the connection"
            said += data
        return said.decode()

    def close(self) -> None:
        self._socket.close()


@contextmanager
def layout(folder: Path, *options: str, of: str | Path = "inglenook-small") -> Iterator[tuple[RailSim, Throttle]]:
    """The simulated layout, and another host of it."""
    with running(lambda: RailSim(folder, *options, layout=of)) as sim:
        other = Throttle(sim)
        try:
            yield sim, other
        finally:
            other.close()


def test_a_station_on_a_serial_port_is_asked_and_nothing_there_has_changed(tmp_path: Path) -> None:
    with layout(tmp_path, "--reset-on-open") as (sim, _):
        before = sim.truth
        ran = ended("inglenook-small", "--on", f"serial:{sim.port}", "--json")
        assert ran.returncode == 0, ran.stderr
        found = json.loads(ran.stdout)
        assert found["station"]["just_started"] is True
        assert found["latency_ms"]["count"] == 20
        assert 0.5 < found["latency_ms"]["median"] < 1000
        assert found["power"] is False
        assert [one["known"] for one in found["turnouts"] + found["beams"] + found["magnets"]] == [True] * 9
        assert "resets the station" in ran.stderr
        assert "nothing is moved, switched or powered" in ran.stderr
        after = sim.finish()
        assert {**after, "t_s": 0} == {**before, "t_s": 0}
        # the layout tells every movement, every beam and every incident
        assert " s  " not in sim.text


def test_a_running_train_runs_on_while_its_station_is_asked(tmp_path: Path) -> None:
    with layout(tmp_path) as (sim, other):
        # on the spot, so that it runs for as long as the test takes: step 20 of a cab that no locomotive has
        other.ask("<1 MAIN><t 9 20 1>")
        ran = ended("inglenook-small", "--on", f"tcp:127.0.0.1:{sim.tcp_port}", "--json")
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout)["power"] is True
        assert json.loads(ran.stdout)["station"]["just_started"] is False
        assert "<l 9 0 149 0>" in other.ask("<t 9>")


HOLDER = """
import fcntl, os, sys
port = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
if sys.argv[2] == "locked":
    fcntl.flock(port, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(port: Path, how: str) -> Iterator[int]:
    """Another program that has the port open, with or without a lock on it; its process number."""
    pipe = subprocess.PIPE
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(port), how], stdin=pipe, stdout=pipe)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield holder.pid
    finally:
        holder.communicate()


@pytest.mark.parametrize("how", ["not locked", "locked"])
def test_a_port_that_another_program_has_open_is_not_opened(how: str, tmp_path: Path) -> None:
    with layout(tmp_path) as (sim, _):
        with held(sim.port, how) as pid:
            ran = ended("inglenook-small", "--on", f"serial:{sim.port}", "--json")
            assert ran.returncode == 5
            error = json.loads(ran.stdout)["error"]
            assert error["kind"] == "PortError"
            assert f"(process {pid})" in error["what"]
            assert "close that program" in error["cure"]
            assert "Opening the port" not in ran.stderr
        # the simulated station has the other end, which bars nobody
        assert ended("inglenook-small", "--on", f"serial:{sim.port}", "--json").returncode == 0


STRANGER = """
import os, sys
from pointsman.cli.main import main
import pointsman.cli.doctoring
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
sys.argv = ["pointsman", "doctor", "--on", "serial:" + sys.argv[1], "--json"]
main()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for another user")
@pytest.mark.parametrize(("mode", "cure"), [(0o660, "usermod -a -G"), (0o600, "chmod a+rw")])
def test_another_user_is_told_which_permission_is_missing(mode: int, cure: str) -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    os.close(slave)
    try:
        Path(path).chmod(mode)
        with tempfile.TemporaryDirectory() as home:
            ran = subprocess.run(
                [sys.executable, "-c", STRANGER, path],
                capture_output=True,
                text=True,
                check=False,
                cwd=home,
                timeout=60,
            )
        assert ran.returncode == 5, ran.stderr
        error = json.loads(ran.stdout)["error"]
        assert error["what"] == "you have no permission to open it"
        assert cure in error["cure"]
        assert path in error["where"]
    finally:
        os.close(master)


def test_a_hand_in_a_beam_is_seen_at_once_and_ctrl_c_ends_watching(tmp_path: Path) -> None:
    with layout(tmp_path, of=quick_layout(tmp_path)) as (sim, other):
        watching = ("--on", f"tcp:127.0.0.1:{sim.tcp_port}", "--watch", "0")
        with running(lambda: doctor("inglenook-small", *watching)) as program:
            program.expect("put a hand into each beam")
            other.ask("<1 MAIN><t 3 30 1>")
            sim.expect("beam head broken")
            program.expect("beam head: broken")
            other.ask("<!>")
            program.signal(signal.SIGINT)
            assert program.ends() == 0, program.text
            assert "Not seen to change: s1, s2, s3." in program.text
        # It only watched: the power that somebody else has switched on is still on.
        assert "<p1 MAIN>" in other.ask("<s>")


def test_told_to_end_it_ends_with_that_code(tmp_path: Path) -> None:
    with (
        layout(tmp_path) as (sim, _),
        running(lambda: doctor("--on", f"tcp:127.0.0.1:{sim.tcp_port}", "--watch", "0")) as program,
    ):
        program.expect("Watching until Ctrl-C")
        program.signal(signal.SIGTERM)
        assert program.ends() == 143
        assert "told to end" in program.text


def test_unplugged_in_the_middle_it_says_so(tmp_path: Path) -> None:
    with layout(tmp_path, "--reset-on-open") as (sim, _):
        words = ("inglenook-small", "--on", f"serial:{sim.port}", "--watch", "0")
        with running(lambda: doctor(*words)) as program:
            program.expect("Watching until Ctrl-C")
            sim.process.kill()
            sim.ends()
            assert program.ends() == 5, program.text
            assert "vanished" in program.text
            assert "look at the cable" in program.text
            assert "Traceback" not in program.text


def test_a_new_station_is_told_the_layout_after_a_yes(tmp_path: Path) -> None:
    with layout(tmp_path, "--bare", "--hardware", "mega", of="inglenook") as (sim, other):
        assert "<X>" in other.ask("<T>")
        words = ("inglenook", "--hardware", "mega", "--on", f"tcp:127.0.0.1:{sim.tcp_port}")
        ran = ended(*words)
        assert ran.returncode == 5
        assert "does not know turnout 1 (T1), turnout 2 (T2), sensor 1 (head)" in ran.stderr
        assert "--define --move" in ran.stderr
        refused = ended(*words, "--define", "--move")
        assert refused.returncode == 2
        assert "no terminal" in refused.stderr
        with running(lambda: doctor(*words, "--define", "--move")) as program:
            program.expect(r"Write it\? \[y/N\]")
            assert "<X>" in other.ask("<T>"), "nothing is written before the yes"
            program.answer("n")
            assert program.ends() == 1
        assert "<X>" in other.ask("<T>")
        with running(lambda: doctor(*words, "--define", "--move")) as program:
            program.expect(r"Write it\? \[y/N\]")
            program.answer("y")
            assert program.ends() == 0, program.text
        assert "<H 1 SERVO 100 340 275 2 0>" in other.ask("<T 1 X>")
        assert "<Q 4 25 1>" in other.ask("<S>")
        assert "<Y 3 32 2 0>" in other.ask("<Z>")
        assert ended(*words).returncode == 0


def test_only_what_a_station_lacks_or_has_otherwise_is_written(tmp_path: Path) -> None:
    with layout(tmp_path, "--hardware", "mega", of="inglenook") as (sim, other):
        for text in ("<T 2>", "<S 1>", "<S 4 40 1>", "<S 9 41 1>", "<Z 3 32 0>"):
            assert "<X>" not in other.ask(text)
        words = ("inglenook", "--hardware", "mega", "--on", f"tcp:127.0.0.1:{sim.tcp_port}")
        with running(lambda: doctor(*words, "--define", "--move")) as program:
            program.expect(r"Write it\? \[y/N\]")
            offered = program.text.partition("lacks, or has otherwise")[2]
            assert "NOT KNOWN to the station" in program.text.partition("lacks, or has otherwise")[0]
            for line in ("<T 2 SERVO 101 340 275 2>", "<S 1 22 1>", "<S 4 25 1>", "<Z 3 32 2>"):
                assert line in offered
            for line in ("<T 1 ", "<S 2", "<S 3", "<Z 1", "<Z 2"):
                assert line not in offered
            program.answer("y")
            program.expect(r"Write them over too\? Their servos move. \[y/N\]")
            assert "<Y 3 32 0 0>" in other.ask("<Z>"), "nothing is written before both answers"
            program.answer("n")
            assert program.ends() == 0, program.text
            assert "Written: 4 definitions." in program.text
            assert "2 turnouts, 5 sensors, 3 outputs" in program.text
        assert "<Q 4 25 1>" in other.ask("<S>")
        assert "<Y 3 32 2 0>" in other.ask("<Z>")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_whatever_ends_it_in_the_middle_of_a_pulse_the_magnet_is_off(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    home = quick_layout(tmp_path)
    wiring = home / "hardware" / "dccex.toml"
    # no decoders, which would need the track's power, and a long pulse to be caught in
    text = wiring.read_text().replace('"accessory-decoder"', '"stall-motor"')
    wiring.write_text(text.replace('"hardware" }', '"hardware", hold_s = 1.0 }'))
    with layout(tmp_path, of=home) as (sim, other):
        with running(lambda: doctor(home, "--on", f"tcp:127.0.0.1:{sim.tcp_port}", "--move")) as program:
            program.expect(r"clear of the machines\? \[y/N\]")
            program.answer("y")
            while "<Y 1 1>" not in other.ask(""):
                assert program.process.poll() is None, program.text
            program.signal(number)
            assert program.ends() == code, program.text
        while " 1>" in (said := other.ask("<Z>")):
            # the guardian of a killed program takes its moment; until then the layout is asked again
            assert "<Y 2" in said
        assert "<Y 1 164 2 0>" in said


def test_ctrl_c_at_the_question_moves_nothing(tmp_path: Path) -> None:
    with layout(tmp_path) as (sim, _):
        words = ("inglenook-small", "--on", f"tcp:127.0.0.1:{sim.tcp_port}", "--move")
        with running(lambda: doctor(*words)) as program:
            program.expect(r"clear of the machines\? \[y/N\]")
            assert program.interrupted() == 130, program.text
        sim.finish()
        assert " s  " not in sim.text


def test_a_port_is_free_again_afterwards(tmp_path: Path) -> None:
    with layout(tmp_path, "--reset-on-open") as (sim, _):
        assert ended("--on", f"serial:{sim.port}").returncode == 0
        port = os.open(sim.port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        fcntl.flock(port, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(port)


def test_when_nobody_reads_any_more_it_ends(tmp_path: Path) -> None:
    with layout(tmp_path) as (sim, other):
        words = (tool("pointsman"), "doctor", "--on", f"tcp:127.0.0.1:{sim.tcp_port}", "--watch", "0")
        reader, writer = os.pipe()
        with running(lambda: Program(*words, stdout=writer)) as program:
            os.close(writer)
            with os.fdopen(reader, "rb") as said:
                while b"Watching" not in said.readline():
                    pass
            other.ask("<T 1 1><T 1 0>")
            assert program.ends() == 1, program.text
            assert "Traceback" not in program.text


def test_without_its_guardian_nothing_is_moved_any_more(tmp_path: Path) -> None:
    home = quick_layout(tmp_path)
    wiring = home / "hardware" / "dccex.toml"
    wiring.write_text(wiring.read_text().replace('"hardware" }', '"hardware", hold_s = 1.0 }'))
    with layout(tmp_path, of=home) as (sim, other):
        with running(lambda: doctor(home, "--on", f"tcp:127.0.0.1:{sim.tcp_port}", "--move")) as program:
            program.expect(r"clear of the machines\? \[y/N\]")
            program.answer("y")
            while "<Y 1 1>" not in other.ask(""):
                assert program.process.poll() is None, program.text
            (guardian,) = [int(pid) for pid in _all_children(Path(f"/proc/{program.process.pid}/task"))]
            os.kill(guardian, signal.SIGKILL)
            assert program.ends() == 5, program.text
            assert "guardian" in program.text
        assert " 1>" not in other.ask("<Z>")
        assert "<p0>" in other.ask("<s>")


@pytest.mark.parametrize("stands", ["station", "program"])
def test_what_stands_still_in_the_middle_of_a_pulse_is_named(stands: str, tmp_path: Path) -> None:
    """Not the guardian, which only does what it is for."""
    home = quick_layout(tmp_path)
    wiring = home / "hardware" / "dccex.toml"
    wiring.write_text(wiring.read_text().replace('"hardware" }', '"hardware", hold_s = 1.0 }'))
    with (
        layout(tmp_path, of=home) as (sim, other),
        running(lambda: doctor(home, "--on", f"tcp:127.0.0.1:{sim.tcp_port}", "--move")) as program,
    ):
        program.expect(r"clear of the machines\? \[y/N\]")
        program.answer("y")
        while "<Y 1 1>" not in other.ask(""):
            assert program.process.poll() is None, program.text
        if stands == "program":
            program.signal(signal.SIGSTOP)
            while " 1>" in other.ask("<Z>"):
                assert program.process.poll() is None, program.text
            program.signal(signal.SIGCONT)
            assert program.ends() == 5, program.text
            assert "this program stood still for" in program.text
        else:
            sim.signal(signal.SIGSTOP)
            try:
                assert program.ends() == 5, program.text
            finally:
                sim.signal(signal.SIGCONT)
            told = " ".join(program.text.split())
            assert "does not answer any more" in told
            assert "while magnet s1 was on -> switch the station off by hand" in told
        assert "guardian" not in program.text


def _all_children(tasks: Path) -> set[str]:
    """Children of every thread of a process."""
    return {pid for task in tasks.iterdir() for pid in (task / "children").read_text().split()}
