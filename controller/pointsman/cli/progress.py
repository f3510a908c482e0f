"""Showing that a long search is alive, and how far it has come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pointsman.cli.output import console
from pointsman.solver.table import Progress, Report


@contextmanager
def searching(*, quiet: bool) -> Iterator[Report]:
    """A reporter for the solver; a line on standard error that goes away when the search is done."""
    out = console(stderr=True)
    if quiet or not out.is_terminal:
        yield lambda _: None
        return
    with out.status("solving ...") as status:

        def report(progress: Progress) -> None:
            status.update(f"{progress.stage}: {progress.positions:,} positions, {progress.depth} moves deep")

        yield report
