"""Ctrl-C during a search: at the next report; wherever it is when none comes; at once when it is pressed again."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

import pytest

from pointsman.cli.progress import searching
from pointsman.solver.table import Progress, Report


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def at_the_next_report(report: Report) -> None:
    press_ctrl_c()
    report(Progress("searching", 1, 1))
    pytest.fail("it went on")


def although_none_comes(_: Report) -> None:
    press_ctrl_c()
    threading.Event().wait(60)
    pytest.fail("it went on")


def when_pressed_again(_: Report) -> None:
    press_ctrl_c()
    press_ctrl_c()
    pytest.fail("it went on")


def at_the_end_although_it_was_done(_: Report) -> None:
    press_ctrl_c()


@pytest.mark.parametrize("quiet", [True, False])
@pytest.mark.parametrize(
    "search", [at_the_next_report, although_none_comes, when_pressed_again, at_the_end_although_it_was_done]
)
def test_ctrl_c_ends_a_search(search: Callable[[Report], None], quiet: bool) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), searching(quiet=quiet) as report:
        search(report)
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_nothing_is_changed() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def elsewhere() -> None:
        with searching(quiet=True) as report:
            report(Progress("searching", 1, 1))
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [before]
