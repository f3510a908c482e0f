"""What keeps a port from being used: real processes and files, and a tree of files as Linux has it for USB."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.console import Console

from pointsman import posix
from pointsman.cli.aftermath import tell_rivals
from pointsman.errors import PortError
from pointsman.transports.diagnosis import (
    boards_without_port,
    check_port,
    grabbers,
    meddlers,
    permission_cure,
    rivals,
    troubles,
)
from pointsman.transports.ports import look_at
from pointsman.transports.serial import SerialTransport


@contextmanager
def program(folder: Path, name: str, holding: Path) -> Iterator[int]:
    """A program of this name that has a file open; its process number."""
    cat = shutil.which("cat")
    assert cat is not None
    copy = folder / name
    shutil.copy(cat, copy)
    pipe = subprocess.PIPE
    with holding.open("rb") as held:
        process = subprocess.Popen([copy], stdin=pipe, stdout=pipe, pass_fds=[held.fileno()])
    assert process.stdin is not None
    assert process.stdout is not None
    # When it answers it is the program of that name.
    process.stdin.write(b"?")
    process.stdin.flush()
    assert process.stdout.read(1) == b"?"
    try:
        yield process.pid
    finally:
        process.communicate()


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("minicom", "close that program"),
        ("brltty", "sudo apt remove brltty"),
        ("ModemManager", "disable --now ModemManager"),
    ],
)
def test_who_holds_a_port_is_named_with_the_cure_that_helps(name: str, cure: str, tmp_path: Path) -> None:
    master, slave = os.openpty()
    port = os.ttyname(slave)
    os.close(slave)
    assert not [one for one in troubles(look_at(port)) if one.barred]
    with program(tmp_path, name, Path(port)) as pid:
        (trouble,) = [one for one in troubles(look_at(port)) if one.barred]
        assert trouble.what == f"held by {name} (process {pid})"
        assert cure in trouble.cure
        with pytest.raises(PortError, match=rf"held by {name} \(process {pid}\)") as refusal:
            check_port(port)
        assert cure in refusal.value.cure, "whoever wants to play there is told the same"
    os.close(master)


@pytest.mark.parametrize("name", ["/dev/null", "/dev/ptmx", "/dev/tty", "folder", "pipe", "file"])
def test_what_is_no_serial_port_is_said_to_be_none_and_is_not_opened(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")  # to open it would wait for ever
    (tmp_path / "file").touch()
    with pytest.raises(PortError, match="this is no serial port") as refused:
        check_port(str(tmp_path / name))
    assert "pointsman ports" in refused.value.cure


def test_a_pseudo_terminal_is_held_by_who_has_opened_it_and_not_by_its_other_end(tmp_path: Path) -> None:
    master, slave = os.openpty()
    path = os.ttyname(slave)
    try:
        check_port(path)
        assert rivals(path) == []
        with program(tmp_path, "minicom", Path(path)) as pid:
            with pytest.raises(PortError, match=rf"held by minicom \(process {pid}\)"):
                check_port(path)
            assert rivals(path) == [posix.Holder(pid, "minicom")]
            said = io.StringIO()
            tell_rivals(Console(file=said, width=500), [path])
            assert f"{path} is open in minicom (process {pid}) too" in said.getvalue()
            with pytest.raises(PortError, match="held by minicom"):
                asyncio.run(SerialTransport(path).open())
        check_port(path)
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize("name", ["brltty", "ModemManager"])
def test_programs_that_meddle_with_ports_are_named_while_they_run(name: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.touch()
    with program(tmp_path, name, other) as pid:
        (found,) = [one for one in meddlers() if f"process {pid}" in one.what]
        assert found.what.startswith(name)
        assert name in found.cure
        assert not found.barred
        assert (name == "brltty") == (pid in {one.pid for one in grabbers()})
    assert not [one for one in meddlers() if f"process {pid}" in one.what]


def device(devices: Path, name: str, maker: str, product: str, *below: str) -> None:
    home = devices / name
    home.mkdir(parents=True)
    (home / "idVendor").write_text(f"{maker}\n")
    (home / "idProduct").write_text(f"{product}\n")
    for path in below:
        (home / path).mkdir(parents=True)


def test_a_board_that_is_plugged_in_and_has_no_port(tmp_path: Path) -> None:
    devices = tmp_path / "devices"
    assert boards_without_port([], devices) == []
    device(devices, "1-1", "1a86", "7523", "1-1:1.0")
    device(devices, "1-2", "1a86", "7523", "1-2:1.0/ttyUSB0")
    device(devices, "1-3", "2341", "0042", "1-3:1.0/tty/ttyACM0")
    device(devices, "1-4", "046d", "c077", "1-4:1.0")
    device(devices, "1-5", "1a86", "e010", "1-5:1.0")
    (devices / "usb1").mkdir()
    (found,) = boards_without_port([], devices)
    assert "CH340 chip (USB 1a86:7523) is plugged in and has no port" in found.what
    assert "dmesg" in found.cure
    (found,) = boards_without_port([posix.Holder(4711, "brltty")], devices)
    assert "brltty (process 4711) has taken it" in found.cure
    assert "sudo apt remove brltty" in found.cure


def test_the_cure_of_a_missing_permission_depends_on_what_is_missing(tmp_path: Path) -> None:
    port = tmp_path / "port"
    port.touch()
    port.chmod(0o600)
    assert f"sudo chmod a+rw {port}" in permission_cure(look_at(str(port)))
    assert "plug the cable in" in permission_cure(look_at(str(tmp_path / "gone")))


STRANGER = """
import os, sys
from pointsman import posix
from pointsman.errors import PortError
from pointsman.transports.diagnosis import check_port, permission_cure, troubles
from pointsman.transports.ports import look_at
os.setgroups([])
os.setresgid(65534, 65534, 65534)
if sys.argv[2] == "nobody":
    os.setresuid(65534, 65534, 65534)
port = look_at(sys.argv[1])
for trouble in troubles(port):
    print(trouble.what, "->", trouble.cure)
print(permission_cure(port))
try:
    check_port(sys.argv[1])
except PortError as error:
    print("play:", error.cure)
"""


def as_somebody(path: Path, who: str) -> str:
    """What a user without groups is told; who is nobody, or root without root's groups."""
    ran = subprocess.run([sys.executable, "-c", STRANGER, path, who], capture_output=True, text=True, check=True)
    return ran.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for another user")
def test_another_user_is_told_which_group_to_join_and_a_member_to_log_in_again() -> None:
    master, slave = os.openpty()
    port = Path(os.ttyname(slave))
    os.close(slave)
    os.chown(port, 0, 0)
    port.chmod(0o660)
    group = posix.group_of(str(port))
    said = as_somebody(port, "nobody")
    assert "you have no permission to open it" in said
    assert f"sudo usermod -a -G {group} $USER, then log out and in again" in said
    assert f"play: join its group: sudo usermod -a -G {group} $USER" in said
    assert "hidden from you" in said
    assert "log out and in again" in as_somebody(port, "root")
    assert "usermod" not in as_somebody(port, "root")
    port.chmod(0o600)
    assert f"play: its group {group} may not use it either: sudo chmod a+rw {port}" in as_somebody(port, "nobody")
    os.close(master)


@pytest.mark.skipif(os.geteuid() != 0, reason="root sees every process")
def test_root_is_not_told_that_anything_is_hidden(tmp_path: Path) -> None:
    port = tmp_path / "port"
    port.touch()
    assert troubles(look_at(str(port))) == []
