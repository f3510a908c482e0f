"""What holds for every test: nothing may be left running, and with POINTSMAN_ALL=1 nothing may be left out."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from shared_cache import shared_cache

# How long an example takes says more of what else the machine does than of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

ALL = os.environ.get("POINTSMAN_ALL") == "1"

THREADS_END_WITHIN_S = 2.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what runs in real time come last, and not beside what keeps every core busy."""
    items.sort(key=lambda item: item.get_closest_marker("system") is not None)


@pytest.fixture
def solver_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tables and compiled code where all tests of a run find them, and nobody's own."""
    monkeypatch.setenv("POINTSMAN_CACHE_DIR", str(shared_cache(tmp_path_factory)))


@pytest.fixture(autouse=True)
def _nothing_left_running(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a task to be cancelled by its loop's end, or a thread or child process alive.

    A test marked ``breaks_its_loop`` makes its loop fail on purpose, so that its tasks cannot end.
    """
    before = set(threading.enumerate())
    children = set(_children())
    left: list[str] = []
    cancel: Callable[[asyncio.AbstractEventLoop], None] = asyncio.runners._cancel_all_tasks  # type: ignore[attr-defined]

    def note_and_cancel(loop: asyncio.AbstractEventLoop) -> None:
        if request.node.get_closest_marker("breaks_its_loop") is None:
            left.extend(f"task {task!r}" for task in asyncio.all_tasks(loop))
        cancel(loop)

    # Every way to run a loop (asyncio.run, Runner, pytest-asyncio) ends here, and cancels in silence what it finds.
    asyncio.runners._cancel_all_tasks = note_and_cancel  # type: ignore[attr-defined]
    try:
        yield
    finally:
        asyncio.runners._cancel_all_tasks = cancel  # type: ignore[attr-defined]
    until = time.monotonic() + THREADS_END_WITHIN_S
    for thread in set(threading.enumerate()) - before:
        # A thread that is just ending is no leak.
        thread.join(max(until - time.monotonic(), 0.0))
        if thread.is_alive():
            left.append(f"thread {thread.name}")
    left.extend(f"process {pid}: {words}" for pid, words in _children().items() if pid not in children)
    assert not left, "left running: " + "; ".join(left)


def _children() -> dict[int, str]:
    """This process's children with their command lines, where the system tells (Linux); not those already ended."""
    found = {}
    for listing in Path("/proc/self/task").glob("*/children"):
        for pid in map(int, _read_if_there(listing).split()):
            words = _read_if_there(Path(f"/proc/{pid}/cmdline")).replace("\0", " ").strip()
            # multiprocessing's own tracker lives as long as the process that it serves.
            if words and "resource_tracker" not in words:
                found[pid] = words
    return found


def _read_if_there(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):  # the thread or process ended since it was listed
        return ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With POINTSMAN_ALL=1 a test that is left out has failed."""
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """With POINTSMAN_ALL=1 a file that is left out has failed."""
    report = yield
    _fail_if_skipped(report)
    return report


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    if ALL and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"left out, and POINTSMAN_ALL=1 wants every test run. {reason}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, and the one command that brings it in."""
    left_out = terminalreporter.stats.get("skipped", [])
    if left_out:
        terminalreporter.write_sep("-", "left out")
        for report in left_out:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            terminalreporter.write_line(f"{report.nodeid}: {str(reason).removeprefix('Skipped: ')}")
        terminalreporter.write_line("to run these too, install what they need once:  make deps (as root), make witness")
