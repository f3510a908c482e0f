"""Solving in a process of its own, of lower priority: searching and compiling never slow what owns a link."""

from __future__ import annotations

import multiprocessing
import signal
from multiprocessing.connection import Connection

from pointsman.errors import PointsmanError
from pointsman.posix import lower_priority
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.search import Solution, solve
from pointsman.solver.table import Progress, Report, silent
from pointsman.track.model import Track


def solve_apart(track: Track, start: Position, goal: Goal, count: Count, *, progress: Report = silent) -> Solution:
    """As ``search.solve``, in a child process that ends with this call, however it ends."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(theirs, track, start, goal, count), name="solver", daemon=True)
    child.start()
    theirs.close()
    try:
        while True:
            try:
                message = ours.recv()
            except EOFError:
                child.join()
                raise PointsmanError(
                    f"the solver ended without an answer (exit code {child.exitcode})",
                    cure="there may be too little memory; try a smaller puzzle",
                ) from None
            if isinstance(message, Progress):
                progress(message)
            elif isinstance(message, Solution):
                return message
            elif isinstance(message, BaseException):
                raise message
    finally:
        child.terminate()
        child.join()
        child.close()
        ours.close()


def _work(pipe: Connection, track: Track, start: Position, goal: Goal, count: Count) -> None:
    # Ctrl-C goes to the whole group: the parent decides what it means, and ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lower_priority()
    try:
        pipe.send(solve(track, start, goal, count, progress=pipe.send))
    except PointsmanError as error:
        pipe.send(error)
