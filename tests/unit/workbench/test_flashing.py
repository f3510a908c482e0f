"""What is put on a board, with what words avrdude is called, and what is said when something is missing."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from node_hex import hex_of, image

from pointsman.errors import StationError, UsageError
from pointsman.workbench import flashing
from pointsman.workbench.flashing import KINDS, arguments, built, find_avrdude, flash, kind_of
from pointsman.workbench.program import check_program

NOT_IN_SYNC = "avrdude warning: attempt 10 of 10: not in sync: resp=0x40\n"
GOOD = hex_of(image(26))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "firmware.hex"
    path.write_text(GOOD)
    return path


@pytest.fixture
def avrdude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in on the PATH, which writes down what it is called with, says ``said``, and ends with ``code``."""
    folder = tmp_path / "bin"
    folder.mkdir()
    stand_in = folder / "avrdude"
    stand_in.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/called\ncat {tmp_path}/said >&2\nexit $(cat {tmp_path}/code)\n'
    )
    stand_in.chmod(0o755)
    (tmp_path / "said").write_text("")
    (tmp_path / "code").write_text("0")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def flashed(board: str, program: Path) -> None:
    asyncio.run(flash(find_avrdude(), KINDS[board], "/dev/ttyX0", program))


@pytest.mark.parametrize(
    ("board", "chip", "programmer", "baud"),
    [
        ("uno", "atmega328p", "arduino", "115200"),
        ("nano", "atmega328p", "arduino", "115200"),
        ("nano-old", "atmega328p", "arduino", "57600"),
        ("mega", "atmega2560", "wiring", "115200"),
    ],
)
def test_avrdude_is_called_as_each_board_wants_it(
    board: str, chip: str, programmer: str, baud: str, avrdude: Path, program: Path
) -> None:
    flashed(board, program)
    called = (avrdude / "called").read_text().split("\n")[:-1]
    wanted = ["-p", chip, "-c", programmer, "-b", baud, "-D", "-P", "/dev/ttyX0", "-U", f"flash:w:{program}:i"]
    assert called == wanted == arguments(KINDS[board], "/dev/ttyX0", program)


@pytest.mark.parametrize(
    ("said", "board", "told"),
    [
        ("avrdude: stk500_recv(): programmer is not responding\n", "uno", "nano-old"),
        ("avrdude: stk500_getsync() attempt 10 of 10: not in sync: resp=0x00\n", "nano-old", "--board nano"),
        ("avrdude: stk500v2_ReceiveMessage(): timeout\n", "mega", "is it the right port?"),
        ("avrdude ser_open() error: cannot open port /dev/ttyX0: Permission denied\n", "uno", "which group"),
        ('avrdude: ser_open(): can\'t open device "/dev/ttyX0": No such file or directory\n', "uno", "what is there"),
        ('avrdude: ser_open(): can\'t open device "/dev/ttyX0": Device or resource busy\n', "uno", "holds it"),
        ("avrdude error: expected signature for ATmega328P is 1E 95 0F\n", "uno", "another board"),
        ("avrdude error: verification mismatch\n", "uno", "another cable"),
        (f"{NOT_IN_SYNC}avrdude error: unable to open programmer arduino on port /dev/ttyX0\n", "uno", "right port?"),
        ("avrdude error: timeout communicating with programmer\n", "mega", "right port?"),
        ("avrdude OS error: cannot open port /dev/ttyX0: No such file or directory\n", "uno", "what is there"),
        ("avrdude error: the moon is full\n", "uno", "unplug"),
        ("", "uno", "unplug"),
    ],
)
def test_what_avrdude_says_becomes_a_cure(said: str, board: str, told: str, avrdude: Path, program: Path) -> None:
    (avrdude / "said").write_text("avrdude: AVR device\n" + said + "avrdude done.  Thank you.\n")
    (avrdude / "code").write_text("1")
    with pytest.raises(StationError) as error:
        flashed(board, program)
    assert told in error.value.cure
    assert error.value.where == "/dev/ttyX0"
    if said:
        assert said.rsplit(":", maxsplit=1)[-1].strip()[:20] in error.value.what


def test_an_avrdude_that_never_ends_is_ended(avrdude: Path, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(avrdude / "fifo")
    (avrdude / "bin" / "avrdude").write_text(f"#!/bin/sh\nexec cat {avrdude}/fifo\n")
    monkeypatch.setattr(flashing, "FLASHED_WITHIN_S", 0.2)
    with pytest.raises(StationError, match="still at it"):
        flashed("uno", program)


def test_no_avrdude_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="not installed") as error:
        find_avrdude()
    assert "apt install avrdude" in error.value.cure


def checked(path: Path, board: str = "uno") -> int:
    return check_program(path, KINDS[board].room, KINDS[board].told)


def test_a_program_is_whole_or_refused(program: Path, tmp_path: Path) -> None:
    assert checked(program) == len(image(26))
    with pytest.raises(UsageError, match="no such program") as error:
        checked(tmp_path / "none.hex")
    assert "make firmware" in error.value.cure
    lines = GOOD.splitlines(keepends=True)
    for text, told in [
        (GOOD.replace(lines[0], lines[0].replace("0C94", "0C95", 1)), "line 1 is no"),
        (lines[0][:20] + "\n" + "".join(lines[1:]), "line 1 is no"),
        ("not a program\n", "line 1 is no"),
        ("".join(lines[:-1]), "not whole"),
        ("", "not whole"),
        (lines[-1], "not whole"),
        ("".join([*lines[:7], *lines[8:]]), "not whole: 112 bytes come before line 8, which is for 128"),
        ("".join(lines[1:]), "not whole: 0 bytes come before line 1, which is for 16"),
        ("".join([*lines[:8], *lines[7:]]), "not whole: 128 bytes come before line 9, which is for 112"),
        (GOOD + lines[0], f"line {len(lines) + 1} is no"),
        ("".join([*lines[:12], lines[-1]]), "no program of a node, or not a whole one"),
        (hex_of(bytes(4096)), "no program of a node"),
        ("é", "cannot be read"),
        (":" * 1_000_001, "too long for a program of any board"),
    ]:
        program.write_text(text)
        with pytest.raises(UsageError, match=told):
            checked(program)
    for path in (tmp_path, Path("/dev/zero")):
        with pytest.raises(UsageError, match="is no file"):
            checked(path)


@pytest.mark.parametrize(
    ("board", "other", "room"),
    [("uno", 57, 32_256), ("nano", 57, 32_256), ("nano-old", 57, 30_720), ("mega", 26, 253_952)],
)
def test_a_program_fits_its_board_or_is_refused(board: str, other: int, room: int, program: Path) -> None:
    interrupts = KINDS[board].room.interrupts
    program.write_text(hex_of(image(interrupts, room)))
    assert checked(program, board) == room
    program.write_text(hex_of(image(interrupts, room + 1)))
    with pytest.raises(UsageError, match=f"has room for {room}"):
        checked(program, board)
    program.write_text(hex_of(image(other)))
    with pytest.raises(UsageError, match="for another board"):
        checked(program, board)


def test_an_avrdude_that_crashes_is_told_with_its_signal(avrdude: Path, program: Path) -> None:
    (avrdude / "bin" / "avrdude").write_text("#!/bin/sh\nkill -SEGV $$\n")
    with pytest.raises(StationError, match="ended by a signal: Segmentation fault") as error:
        flashed("uno", program)
    assert "half a program" in error.value.cure


def test_what_avrdude_says_commands_no_terminal(avrdude: Path, program: Path) -> None:
    (avrdude / "said").write_bytes(b"avrdude error: \x1b[2J\x07\xff it failed \x9b2J\n")
    (avrdude / "code").write_text("1")
    with pytest.raises(StationError) as error:
        flashed("uno", program)
    assert "it failed" in error.value.what
    assert error.value.what.isprintable()


def test_what_avrdude_has_started_and_left_is_not_waited_for(avrdude: Path, program: Path) -> None:
    os.mkfifo(avrdude / "fifo")
    (avrdude / "bin" / "avrdude").write_text(f"#!/bin/sh\ncat {avrdude}/fifo &\nexit 0\n")
    end = os.open(avrdude / "fifo", os.O_RDWR)  # what was left ends with this
    try:
        flashed("uno", program)
    finally:
        os.close(end)


def test_boards_have_names_and_programs() -> None:
    with pytest.raises(UsageError, match="no board 'unno'") as error:
        kind_of("unno")
    assert "uno" in error.value.cure
    assert built(kind_of("nano")) == built(kind_of("uno"))
    assert built(kind_of("mega")).parts[-4:] == ("firmware", "build", "mega", "firmware.hex")
    assert (built(kind_of("mega")).parents[2] / "protocol.toml").exists()
