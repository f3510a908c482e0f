"""Solving in a process of its own, of lower priority: searching and compiling never slow what owns a link.

The child is this module run as a program. It is told the task on its standard input and answers on its standard
output, both as pickles between two copies of one program.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence

from pointsman.errors import PointsmanError
from pointsman.posix import lower_priority
from pointsman.puzzle.goal import Goal
from pointsman.puzzle.moves import Run
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.avoiding import Forbidden, runs_avoiding
from pointsman.solver.compiling import about_to_compile, listening
from pointsman.solver.search import Solution, solve
from pointsman.solver.table import Progress, Report, silent
from pointsman.track.model import Track


def solve_apart(
    track: Track,
    start: Position,
    goal: Goal,
    count: Count,
    *,
    then: Sequence[Count] = (),
    progress: Report = silent,
    budget_s: float | None = None,
    memory_mb: float | None = None,
) -> Solution:
    """As ``search.solve``, in a child process that ends with this call, however it ends."""
    options: dict[str, object] = {"then": tuple(then), "budget_s": budget_s, "memory_mb": memory_mb}
    found = apart(solve, (track, start, goal, count), options, progress)
    assert isinstance(found, Solution)
    return found


def runs_avoiding_apart(
    track: Track, start: Position, goal: Goal, forbidden: Sequence[Forbidden], *, progress: Report = silent
) -> tuple[Run, ...]:
    """As ``avoiding.runs_avoiding``, in a child process that ends with this call, however it ends."""
    found = apart(runs_avoiding, (track, start, goal, tuple(forbidden)), {}, progress)
    assert isinstance(found, tuple)
    return found


def apart(
    work: Callable[..., object], arguments: tuple[object, ...], options: dict[str, object], progress: Report
) -> object:
    """What ``work(*arguments, progress=..., **options)`` returns, in a child process that ends with this call.

    ``work`` is a function of a module; what it is given and returns is pickled. Raises its PointsmanErrors.
    """
    # A session of its own: Ctrl-C reaches only the parent, which decides what it means.
    child = subprocess.Popen(
        [sys.executable, "-m", "pointsman.solver.apart"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with child:
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            pickle.dump((work, arguments, options), child.stdin)
            child.stdin.close()
            while True:
                message = pickle.load(child.stdout)
                if isinstance(message, Progress):
                    progress(message)
                elif isinstance(message, str):
                    about_to_compile(message)
                elif isinstance(message, PointsmanError):
                    raise message
                else:
                    return message
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise PointsmanError(
                f"the solver ended without an answer (exit code {child.wait()})",
                cure="there may be too little memory; try a smaller puzzle",
            ) from None
        finally:
            child.kill()


def _work() -> None:
    lower_priority()
    work, arguments, options = pickle.load(sys.stdin.buffer)

    def send(message: object) -> None:
        pickle.dump(message, sys.stdout.buffer)
        sys.stdout.buffer.flush()

    try:
        with listening(send):
            send(work(*arguments, progress=send, **options))
    except PointsmanError as error:
        send(error)


if __name__ == "__main__":
    _work()
