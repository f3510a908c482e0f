"""``replay`` and ``ports`` at their boundary: good journals and damaged ones; ports and what is missing."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import QUICK, START, Pointsman, refused
from rich.console import Console

from pointsman.cli.ports import show_ports
from pointsman.dispatch.journal import Journal
from pointsman.errors import PortError
from pointsman.messages import Drive
from pointsman.posix import Holder
from pointsman.record import encode, message_values
from pointsman.transports.diagnosis import check_port
from pointsman.transports.ports import PortInfo

NOBODY = 65534
"""The user that owns nothing, on Linux."""

# ---------------------------------------------------------------- replay


HEADER = {"puzzle": "inglenook-small/classic", "seed": "1", "on": "sim", "start": START, "goal": "s1: 2 1 3"}


def journal_of(path: Path, *entries: tuple[str, dict[str, Any]]) -> Path:
    path.write_bytes(b"".join(encode(float(at), kind, values) for at, (kind, values) in enumerate(entries)))
    return path


def test_a_damaged_journal_is_told_as_far_as_it_is_good(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = tmp_path / "j"
    assert pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--journal", journal).code == 0
    raw = journal.read_bytes().splitlines(keepends=True)
    number = next(i for i, line in enumerate(raw) if b'"kind":"run"' in line)
    spoilt = tmp_path / "spoilt"
    spoilt.write_bytes(b"".join([*raw[: number + 1], raw[number + 1].replace(b'"', b"'", 1), *raw[number + 2 :]]))
    ran = pointsman("replay", spoilt)
    assert ran.code == 8
    assert "1 run (seen)" in ran.out
    assert "ending: the journal stops in the middle" in ran.out
    assert "last confirmed position  head: | s1: 1 2 3 |" in ran.out
    assert f"{spoilt}: line {number + 2} is damaged: its checksum is wrong" in ran.err
    found = pointsman("replay", spoilt, "--json")
    assert found.code == 8
    assert found.json["counted_runs"] == 1
    assert found.json["lines"] == number + 1
    assert found.json["error"]["kind"] == "JournalError"
    cut = tmp_path / "cut"
    cut.write_bytes(b"".join(raw)[:-5])
    assert "cut short" in pointsman("replay", cut).err


def test_a_halt_is_a_stop_that_is_counted(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = journal_of(
        tmp_path / "j",
        ("begin", HEADER),
        ("step", {"run": 1, "what": "drive L to s1"}),
        ("command", {"number": 1, **message_values(Drive("L", True, 30))}),
        ("halt", {"why": "beam s1 was broken", "position": START}),
        ("end", {"error": "beam s1 was broken"}),
    )
    found = pointsman("replay", journal, "--json").json
    assert (found["raw_starts"], found["emergency_stops"], found["counted_runs"]) == (1, 1, 0)
    assert found["position"] == START
    ran = pointsman("replay", journal)
    assert ran.code == 0
    assert "     2.0 s  STOPPED: beam s1 was broken" in ran.out
    assert "ending: beam s1 was broken" in ran.out


def test_a_referees_presses_are_told(pointsman: Pointsman, tmp_path: Path) -> None:
    attempt = {"competition": "evening", "attempt": "one-anna-1"}
    journal = journal_of(
        tmp_path / "j",
        ("begin", {**HEADER, "attempt": attempt}),
        ("pressed", {"what": "fault", "fault": "side-swipe", "by": "Tom"}),
        ("pressed", {"what": "fault", "fault": "side-swipe", "by": "Tom", "taken_back": True}),
        ("pressed", {"what": "clock", "stands": True, "by": "Tom", "why": "a machine sticks"}),
        ("pressed", {"what": "clock", "stands": False, "by": "Tom"}),
        ("pressed", {"what": "clock", "by": "Tom"}),
    )
    ran = pointsman("replay", journal)
    assert "attempt one-anna-1 of evening" in ran.out
    assert "     0.0 s  Tom has marked a side-swipe" in ran.out
    assert "     1.0 s  Tom has taken back a side-swipe" in ran.out
    assert "     2.0 s  Tom has stopped the clock: a machine sticks" in ran.out
    assert "     3.0 s  Tom has let the clock go on" in ran.out
    assert ran.code == 8
    assert f"{journal}: line 6: a press of the clock that says not how it is" in ran.err
    assert pointsman("replay", journal, "--json").json["attempt"] == attempt


@pytest.mark.parametrize(
    "entry",
    [
        ("command", {"type": "Dance"}),
        ("command", {"type": "Drive", "locomotive": "L"}),
        ("run", {"number": 1}),
    ],
)
def test_a_line_of_another_version_ends_the_telling(
    pointsman: Pointsman, tmp_path: Path, entry: tuple[str, dict[str, Any]]
) -> None:
    journal = journal_of(tmp_path / "j", ("begin", HEADER), ("note", {"text": "unknown kinds pass"}), entry)
    ran = pointsman("replay", journal)
    assert ran.code == 8
    assert HEADER["goal"] in ran.out
    assert f"{journal}: line 3: " in ran.err
    assert pointsman("replay", journal, "--json").json["bad"].startswith("line 3: ")


def test_what_is_no_journal(pointsman: Pointsman, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_text("hello\n")
    headless = journal_of(tmp_path / "headless", ("step", {"what": "x"}))
    for path, said in (
        (tmp_path / "none", "No such file"),
        (tmp_path, "directory"),
        (tmp_path / "empty", "empty"),
        (tmp_path / "text", "line 1"),
        (headless, "does not begin"),
    ):
        refused(pointsman("replay", path), 8, said, str(path))
        assert pointsman("replay", path, "--json").json["error"]["where"] == str(path)


def test_a_journal_that_is_still_being_written(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", pytest.fail)
    journal.write(0.0, "begin", HEADER)
    ran = pointsman("replay", tmp_path / "j")
    journal.close()
    assert ran.code == 0
    assert "the journal stops in the middle" in ran.out


# ---------------------------------------------------------------- ports


def test_ports_lists_what_the_system_has(pointsman: Pointsman) -> None:
    found = pointsman("ports", "--json").json["ports"]
    ran = pointsman("ports")
    assert ran.code == 0
    for port in found:
        assert set(port) == {
            "port",
            "stable_path",
            "description",
            "hardware_id",
            "permitted",
            "group",
            "holders",
        }
        assert port["port"] in ran.out
    assert found or "No serial port" in ran.out


def test_ports_say_what_is_missing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    closed = tmp_path / "ttyACM2"
    closed.touch()
    closed.chmod(0o660)
    shut = PortInfo(str(closed), "", "Uno", "USB", False, "uucp", ())
    by_id = "/dev/serial/by-id/usb-Arduino__www.arduino.cc__0042_85734323330351B0C0A1-if00"
    show_ports(
        Console(width=80, markup=False),
        [
            PortInfo("/dev/ttyACM0", "", "Mega [2560]", "USB", True, "dialout", (Holder(4711, "arduino"),)),
            PortInfo("/dev/ttyACM1", by_id, "n/a", "USB", True, "dialout", ()),
            shut,
        ],
    )
    out = capsys.readouterr().out
    assert "Mega [2560]" in out
    assert "held by arduino (process 4711)" in out
    assert "usermod -a -G uucp" in " ".join(out.split())
    assert f"--on serial:{by_id}\n" in out
    show_ports(Console(width=80), [shut])
    assert "To play there" not in capsys.readouterr().out
    show_ports(Console(width=200), [replace(shut, group="")])
    out = " ".join(capsys.readouterr().out.split())
    assert f"sudo chmod a+rw {closed}" in out
    assert "usermod" not in out
    show_ports(Console(width=80), [])
    assert "No serial port found" in capsys.readouterr().out


def test_json_is_ascii_whatever_is_in_it(pointsman: Pointsman) -> None:
    ran = pointsman("deal", "inglenook-small", "--seed", "ü日", "--json")
    assert ran.out.isascii()
    assert json.loads(ran.out)["seed"] == "ü日"


def test_a_port_is_looked_at_without_being_opened(tmp_path: Path) -> None:
    with pytest.raises(PortError, match="no such port"):
        check_port(str(tmp_path / "ttyNONE"))
    master, slave = pty.openpty()
    port = os.ttyname(slave)
    check_port(port)
    # Of a process that has the other end too, as this one, it is not said to hold it.
    holding = "import sys; sys.stdout.write('?'); sys.stdout.flush(); sys.stdin.read()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", holding], stdin=pipe, stdout=pipe, pass_fds=[slave]) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.read(1) == b"?"
        with pytest.raises(PortError, match=r"held by .+ \(process \d+\)"):
            check_port(port)
        holder.stdin.close()
    os.close(master)
    os.close(slave)


@pytest.fixture
def nobody() -> Iterator[None]:
    """The test is run by a user who is not root: root may open everything."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_a_port_without_permission(nobody: None) -> None:
    master, slave = pty.openpty()
    port = os.ttyname(slave)
    Path(port).chmod(0)
    with pytest.raises(PortError, match="no permission"):
        check_port(port)
    os.close(master)
    os.close(slave)
