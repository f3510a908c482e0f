"""The command as a process: Ctrl-C while it is imported, streams and disks that take nothing, terminals that go."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from programs import Program, running

pytestmark = pytest.mark.system

COMMAND = (sys.executable, "-m", "pointsman")


@pytest.mark.parametrize("imported", ["typer.completion", "rich.protocol", "pointsman.puzzle.position"])
def test_ctrl_c_while_it_is_imported(imported: str) -> None:
    """Python itself tells what it has imported: the signal comes in the midst of it."""
    command = (sys.executable, "-X", "importtime", "-m", "pointsman", "layouts", "--json")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stderr is not None
        while not (line := program.stderr.readline()).rstrip().endswith(b" " + imported.encode()):
            assert line, "it ended before it imported that"
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
    told = [line for line in err.decode().splitlines() if not line.startswith("import time:")]
    assert told == ["stopped by Ctrl-C"]
    assert program.returncode == 130
    assert json.loads(out)["error"]["exit_code"] == 130


def shell(line: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """A line of a shell, in which ``$@`` is the command."""
    return subprocess.run(
        ["sh", "-c", line, "sh", *COMMAND],
        env={**os.environ, "POINTSMAN_CACHE_DIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("words", ["layouts", "layouts --json", "--help", "--version", "ports"])
@pytest.mark.parametrize(
    ("to", "said"),
    [
        (">&-", "standard output is closed: nothing can be told"),
        (">/dev/full", "standard output: what is to be told cannot be written: No space left on device"),
    ],
)
def test_output_that_takes_nothing(tmp_path: Path, words: str, to: str, said: str) -> None:
    ran = shell(f'"$@" {words} {to}', tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[0] == said
    assert ran.stderr.splitlines()[1].startswith("  -> ")
    assert len(ran.stderr.splitlines()) == 2


@pytest.mark.parametrize("to", [">&- 2>&-", ">/dev/full 2>/dev/full", "<&- >&- 2>&-"])
def test_nowhere_to_say_anything(tmp_path: Path, to: str) -> None:
    ran = shell(f'"$@" layouts {to}', tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "")


def test_closed_streams_that_are_not_needed(tmp_path: Path) -> None:
    ran = shell('"$@" layouts --json <&- 2>&-', tmp_path)
    assert ran.returncode == 0
    assert json.loads(ran.stdout)
    asked = shell('"$@" play inglenook-small --seed 1 <&-', tmp_path)
    assert asked.returncode == 2
    assert asked.stderr.startswith("nobody can be asked")


def test_a_disk_without_room_for_the_journal_is_told_with_the_way_round_it(tmp_path: Path) -> None:
    """The shell lets no file grow beyond 4 KiB."""
    ran = shell(f'ulimit -f 8; "$@" play inglenook-small --seed 1 --speed 0 --yes --journal {tmp_path}/j', tmp_path)
    assert ran.returncode == 8
    assert "cannot be written" in ran.stderr
    assert "--journal" in ran.stderr
    assert "start again when you like" not in ran.stderr


def test_a_terminal_that_is_closed_in_a_play_ends_it_with_the_code_of_that(tmp_path: Path) -> None:
    words = ("play", "inglenook-small", "--seed", "1", "--yes", "--journal", str(tmp_path / "j"))
    with running(lambda: Program(*COMMAND, *words, of_a_shell=True)) as program:
        program.expect("run 1 of")
        program.hang_up()
        assert program.process.wait(20) == 129
