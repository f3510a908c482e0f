"""Showing that a long search is alive, and how far it has come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pointsman.cli.output import console, say
from pointsman.solver.compiling import listening
from pointsman.solver.table import Progress, Report, silent


@contextmanager
def searching(*, quiet: bool) -> Iterator[Report]:
    """A reporter for the solver; a line on standard error that goes away when the search is done.

    Where there is none, it is still told there that something is compiled: this explains a wait that comes but once.
    """
    out = console(stderr=True)
    if quiet or not out.is_terminal or out.is_dumb_terminal:
        told: set[str] = set()

        def tell(what: str) -> None:
            if what not in told:
                told.add(what)
                say(out, f"{what} ...")

        with listening(tell):
            yield silent
        return
    with out.status("solving ...") as status:

        def report(progress: Progress) -> None:
            status.update(f"{progress.stage}: {progress.positions:,} positions, {progress.depth} moves deep")

        with listening(lambda what: status.update(f"{what} ...")):
            yield report
