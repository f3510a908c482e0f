"""The installed command in a process of its own: codes, closed pipes, Ctrl-C, and terminals that can show little."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from keyboard import keyboard
from programs import Program, RailSim, quick_layout, running, tool
from shared_cache import shared_cache

from pointsman.cli.main import main
from pointsman.record import read
from pointsman.solver.compiling import ONCE

pytestmark = pytest.mark.system

LEFT_OUT = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LANG", "LC_ALL", "NUMBA_CACHE_DIR"}
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in LEFT_OUT}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the compiled code in it already: a call that has to compile says so on standard error."""
    directory = shared_cache(tmp_path_factory)
    assert ran(directory, "table", "inglenook-small").returncode == 0
    return directory


def ran(cache: Path, *words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    environment = ENVIRONMENT | {"POINTSMAN_CACHE_DIR": str(cache)} | env
    return subprocess.run(
        [tool("pointsman"), *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_codes_and_streams(cache: Path) -> None:
    """One of each kind: a result, a usage error, and an answer that is an error with JSON."""
    good = ran(cache, "solve", "inglenook-small", "--seed", "1", "--json")
    assert (good.returncode, good.stderr) == (0, b"")
    assert json.loads(good.stdout)["optimum"] == 9
    bad = ran(cache, "solve", "inglenook-small", "--count", "cars")
    assert (bad.returncode, bad.stdout) == (2, b"")
    assert b"'cars'" in bad.stderr
    words = ("solve", "inglenook-small", "--start", "head: 2 1 L | s1: 3", "--goal", "s1: 1 2", "--json")
    impossible = ran(cache, *words)
    assert impossible.returncode == 4
    assert json.loads(impossible.stdout)["error"]["kind"] == "UnsolvableError"
    assert b"proved" in impossible.stderr


TELLING_WHAT_IT_LOADED = """
import sys
from pointsman.cli.main import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
DRIVING = re.compile(r"(pointsman\.(app|dispatch|drivers|protocols|transports)|railsim|serial|asyncio)(\..*)?")


@pytest.mark.parametrize(
    ("words", "drives"),
    [
        ("solve inglenook-small --seed 1", False),
        ("deal inglenook-small --seed 1 --level 2", False),
        ("table inglenook-small", False),
        ("check inglenook-small", False),
        ("ports", True),
    ],
)
def test_a_command_that_drives_nothing_does_not_wait_for_what_drives(cache: Path, words: str, drives: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TELLING_WHAT_IT_LOADED, *words.split()],
        env=ENVIRONMENT | {"POINTSMAN_CACHE_DIR": str(cache)},
        capture_output=True,
        timeout=60,
        check=True,
    )
    loaded = [name for name in done.stderr.decode().split() if DRIVING.fullmatch(name)]
    assert bool(loaded) is drives, loaded


IMPORTING_EVERYTHING = """
import importlib, pkgutil, sys
import pointsman
for module in pkgutil.walk_packages(pointsman.__path__, "pointsman."):
    if module.name != "pointsman.compete.store.migrations.env":  # a script that Alembic runs, and nobody imports
        importlib.import_module(module.name)
print(*sys.modules)
"""


def test_the_simulated_layout_is_loaded_only_when_something_runs_on_it(cache: Path) -> None:
    environment = ENVIRONMENT | {"POINTSMAN_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING_EVERYTHING], env=environment, capture_output=True, timeout=60, check=True
    )
    loaded = done.stdout.decode().split()
    assert {"pointsman.app", "pointsman.links", "pointsman.doctor", "pointsman.cli.main"} <= set(loaded)
    assert [name for name in loaded if name.partition(".")[0] == "railsim"] == []


@pytest.mark.parametrize("words", [("layouts",), ("layouts", "--json")])
def test_a_reader_that_has_seen_enough(cache: Path, words: tuple[str, ...]) -> None:
    """As ``pointsman ... | head -1``: nobody is told a traceback; here the reader is gone from the first byte on."""
    reading, writing = os.pipe()
    os.close(reading)
    program = subprocess.Popen(
        [tool("pointsman"), *words],
        env=ENVIRONMENT | {"POINTSMAN_CACHE_DIR": str(cache)},
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    _, err = program.communicate(timeout=60)
    assert err == b""
    assert program.returncode == 1


def test_head_1(cache: Path) -> None:
    line = f"'{tool('pointsman')}' solve inglenook-small --seed 1 | head -1"
    done = subprocess.run(
        ["sh", "-c", line],
        env=ENVIRONMENT | {"POINTSMAN_CACHE_DIR": str(cache)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.startswith(b"Form the train")
    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b""


def test_ctrl_c_while_solving(tmp_path: Path) -> None:
    """With an empty cache the search takes seconds; it is broken off as soon as it says that it has begun."""
    env = {"POINTSMAN_CACHE_DIR": str(tmp_path / "cache")}
    command = (tool("pointsman"), "solve", "inglenook", "--seed", "1", "--count", "couplings", "--json")
    with running(lambda: Program(*command, env=env)) as program:
        _wait_for(tmp_path / "cache" / "compiled")
        asked_s = time.monotonic()
        program.signal(signal.SIGINT)
        assert program.ends() == 130
        assert time.monotonic() - asked_s < 3.0  # the search itself takes many seconds
    assert "stopped by Ctrl-C" in program.text
    assert "Traceback" not in program.text
    assert '"exit_code": 130' in program.text


def _wait_for(path: Path) -> None:
    """The search has begun when it makes its cache."""
    until = time.monotonic() + 40
    while not path.exists():
        assert time.monotonic() < until
        os.sched_yield()


@pytest.mark.parametrize(
    "env",
    [
        {"LANG": "C", "PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TERM": "dumb", "NO_COLOR": "1"},
    ],
)
def test_a_terminal_that_knows_ascii_only(cache: Path, env: dict[str, str]) -> None:
    plain = ran(cache, "solve", "inglenook-small", "--seed", "ü", COLUMNS="40", **env)
    assert plain.returncode == 0
    assert plain.stderr == b""
    assert plain.stdout.isascii()
    assert b"\x1b" not in plain.stdout
    assert b"seed   \\" in plain.stdout
    assert all(len(line) <= 40 for line in plain.stdout.splitlines() if b"| s1:" not in line)
    found = ran(cache, "deal", "inglenook-small", "--seed", "ü", "--json", **env)
    assert json.loads(found.stdout)["seed"]
    wrong = ran(cache, "check", "ü", **env)
    assert wrong.returncode == 2
    assert wrong.stderr.isascii()
    assert b"Traceback" not in wrong.stderr


def test_colours_only_where_they_are_wanted(cache: Path) -> None:
    """On a terminal there are colours; NO_COLOR takes them away."""
    coloured = {"TERM": "xterm-256color", "COLORTERM": "", "NO_COLOR": "", "POINTSMAN_CACHE_DIR": str(cache)}
    for env, wanted in ((coloured, True), (coloured | {"NO_COLOR": "1"}, False)):
        with running(lambda env=env: Program(tool("pointsman"), "check", "inglenook", env=env)) as program:  # type: ignore[misc]
            assert program.ends() == 0
        assert bool(re.search(r"\x1b\[[\d;]*3\d", program.text)) is wanted


class Screen(io.StringIO):
    """A terminal on which something happens, once, when a text appears."""

    def __init__(self, text: str, happens: Callable[[], None]) -> None:
        super().__init__()
        self._text = text
        self._happens = happens

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._text and self._text in text:
            self._text = ""
            self._happens()
        return super().write(text)


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def hang_up() -> None:
    raise OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize(("happens", "code"), [(press_ctrl_c, 130), (hang_up, 6)])
def test_a_play_at_a_pace_is_stopped(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None], code: int
) -> None:
    """The simulated layout behind its pseudo-terminal: stopped, told, and the journal is whole."""
    journal = tmp_path / "journal"
    words = ("play", "inglenook-small", "--seed", "1", "--speed", "20", "--yes", "--journal", str(journal))
    screen = Screen("run 1 of 9", happens)
    monkeypatch.setenv("POINTSMAN_CACHE_DIR", str(cache))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "argv", ["pointsman", *words])
    monkeypatch.setattr(sys, "stdout", screen)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    told = screen.getvalue()
    assert f"Journal: {journal}" in told
    assert "The track power is off now." in " ".join(told.split())
    assert "set locomotive and wagons up as at the start" in " ".join(told.split())
    assert "\n  pointsman play inglenook-small --seed 1 --count runs\n" in told
    reading = read(journal)
    assert reading.bad == ""
    assert [line.kind for line in reading.lines][-1] == "end"
    assert any(line.kind == "halt" for line in reading.lines)


def test_a_long_search_shows_that_it_is_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal; it is then broken off by Ctrl-C in the middle."""
    terminal = Screen("positions", press_ctrl_c)
    monkeypatch.setenv("POINTSMAN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "argv", ["pointsman", "solve", "inglenook", "--seed", "1"])
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert "moves deep" in terminal.getvalue()
    assert "stopped by Ctrl-C" in terminal.getvalue()


def test_the_first_call_ever_says_that_it_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, on standard error: a new table does not need it again, and another kind of search is told on a terminal."""
    home = tmp_path / "cache"
    first = ran(home, "table", "inglenook-small", "--json")
    assert json.loads(first.stdout)["positions"] > 0
    assert first.stderr.decode() == f"{ONCE} ...\n"
    later = ran(home, "table", "inglenook-small/sidings", "--json")
    assert json.loads(later.stdout)["positions"] > 0
    assert later.stderr == b""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    env = {"POINTSMAN_CACHE_DIR": str(home), "TERM": "xterm"}
    words = ("solve", "inglenook-small", "--seed", "1", "--count", "seconds")
    with running(lambda: Program(tool("pointsman"), *words, env=env)) as program:
        program.expect(f"{ONCE} [.]{{3}}")


def test_a_draw_that_is_solved_already_on_a_station(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole way to hardware in this process: TCP, questions, guardian, power, points; and no move to make."""
    layout = quick_layout(tmp_path)
    puzzle = layout / "puzzles" / "done.toml"
    puzzle.write_text((layout / "puzzles" / "classic.toml").read_text().replace('goal = "s1: 1 2 3"', 'goal = "s3:"'))
    monkeypatch.setenv("POINTSMAN_CACHE_DIR", str(cache))
    with running(lambda: RailSim(tmp_path, layout=layout)) as sim, keyboard() as (terminal, types):
        monkeypatch.setattr(sys, "stdin", terminal)
        types("points\ny\n")
        words = ("play", str(puzzle), "--on", f"tcp:127.0.0.1:{sim.tcp_port}", "--journal", str(tmp_path / "j"))
        monkeypatch.setattr(sys, "argv", ["pointsman", *words, "--json"])
        with pytest.raises(SystemExit) as ended:
            main()
        monkeypatch.undo()
    out, err = capsys.readouterr()
    assert ended.value.code == 0, err
    found = json.loads(out)
    assert found["runs"] == 0
    assert found["confirmed"] is True
    assert found["truth"] is None
    assert "everybody clear" in err
