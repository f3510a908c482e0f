"""Showing that a long search is alive, and how far it has come; Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from pointsman.cli.output import console, say
from pointsman.posix import interrupt_main_thread
from pointsman.solver.compiling import listening
from pointsman.solver.table import Progress, Report

AT_THE_LATEST_S = 0.3
"""After Ctrl-C a search that says nothing meanwhile (it may be compiling) is broken off wherever it is."""


@contextmanager
def searching(*, quiet: bool) -> Iterator[Report]:
    """A reporter for the solver; a line on standard error that goes away when the search is done.

    Where there is none, it is still told there that something is compiled: this explains a wait that comes but once.
    """
    out = console(stderr=True)
    with _interruptible() as check:
        if quiet or not out.is_terminal or out.is_dumb_terminal:
            told: set[str] = set()

            def tell(what: str) -> None:
                if what not in told:
                    told.add(what)
                    say(out, f"{what} ...")

            with listening(tell):
                yield lambda _: check()
            return
        with out.status("solving ...") as status:

            def report(progress: Progress) -> None:
                check()
                status.update(f"{progress.stage}: {progress.positions:,} positions, {progress.depth} moves deep")

            with listening(lambda what: status.update(f"{what} ...")):
                yield report


@contextmanager
def _interruptible() -> Iterator[Callable[[], None]]:
    """Ctrl-C raises KeyboardInterrupt at the next call of what is given, and anywhere only if none comes.

    Raised anywhere it can come in a place where Python drops it, and the search would go on.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is signal.SIG_IGN:
        yield lambda: None
        return
    ear, bell = os.pipe()
    pressed = [False]
    over = threading.Event()

    def press(_number: int, _frame: FrameType | None) -> None:
        # Nothing that takes a lock: it may come while the same lock is held.
        if pressed[0]:
            raise KeyboardInterrupt
        pressed[0] = True
        os.write(bell, b"!")

    def check() -> None:
        if pressed[0]:
            raise KeyboardInterrupt

    def last_resort() -> None:
        if os.read(ear, 1) and not over.wait(AT_THE_LATEST_S):
            interrupt_main_thread()

    thread = threading.Thread(target=last_resort, daemon=True)
    thread.start()
    signal.signal(signal.SIGINT, press)
    try:
        yield check
        check()
    finally:
        signal.signal(signal.SIGINT, before)
        over.set()
        os.close(bell)
        thread.join()
        os.close(ear)
