"""One measurement in a process of its own, so that its memory is its own: told what on the command line, prints JSON.

Seconds are the processor's, not the clock's, so that what else runs on the machine does not count; the time the
command line takes as a whole is measured by whoever starts it.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from tracks import inglenook

from pointsman.errors import BudgetSpentError
from pointsman.puzzle.choice import choose
from pointsman.puzzle.goal import Goal, parse_goal
from pointsman.puzzle.moves import runs
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.solver.budget import Budget
from pointsman.solver.challenges import challenges
from pointsman.solver.games import graph_for
from pointsman.solver.hint import Hints
from pointsman.solver.search import solve
from pointsman.solver.table import table_for
from pointsman.track.model import Track


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What comes out, and the processor's seconds it took."""
    before = time.process_time()
    result = work()
    return result, time.process_time() - before


def table(puzzle: str, count: str) -> dict[str, Any]:
    """A puzzle's table from nothing: exploring where wagons can stand, then the search, then writing it."""
    chosen = choose(puzzle)
    return _table(chosen.track, chosen.start, chosen.goal, Count(count), Budget())


def growth(sidings: str, wagons: str, seconds: str) -> dict[str, Any]:
    """The table of an Inglenook with so many wagons, the train in the long siding, within ``seconds`` of the clock."""
    rooms = [int(room) for room in sidings.split("-")]
    number = int(wagons)
    track = inglenook(*rooms, head=rooms[1], wagons=number)
    names = [str(name) for name in range(1, number + 1)]
    parts = []
    left = names
    for segment, room in zip(("s1", "s2", "s3"), rooms, strict=True):
        parts.append(f"{segment}: {' '.join(left[:room])}")
        left = left[room:]
    start = parse_position(" | ".join([f"head: L {' '.join(left)}", *parts]), track)
    goal = parse_goal(f"s1: {' '.join(names[: rooms[0]])}", track, start.vehicles)
    try:
        return _table(track, start, goal, Count.RUNS, Budget.of(2_000_000_000, float(seconds), None))
    except BudgetSpentError as spent:
        return {"spent": spent.what}


def _table(track: Track, start: Position, goal: Goal, count: Count, budget: Budget) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        _, explored = timed(lambda: graph_for(track, start, count, cache=cache, on_shape=lambda _: budget.check_time()))
        found, searched = timed(lambda: table_for(track, start, goal, count, cache=cache, budget=budget))
        _, read = timed(lambda: table_for(track, start, goal, count, cache=cache, budget=budget))
    known = found.distance[found.distance != found.far]
    return {
        "positions": int(found.distance.size),
        "solvable": int(known.size),
        "max": int(known.max()),
        "at_max": int((known == known.max()).sum()),
        "explored_s": explored,
        "searched_s": searched,
        "read_s": read,
    }


def draws(puzzle: str, number: str) -> dict[str, Any]:
    """Draws solved one by one, with the track explored and no table."""
    took, looked_at = [], []
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        for seed in range(int(number) + 1):
            chosen = choose(puzzle, seed=str(seed))
            work = partial(solve, chosen.track, chosen.start, chosen.goal, Count.RUNS, cache=cache)
            solution, seconds = timed(work)
            took.append(seconds)
            looked_at.append(solution.positions)
        made = len(list(cache.glob("tables/*.table")))
    return {
        "first_s": took[0],
        "median_s": statistics.median(took[1:]),
        "worst_s": max(took[1:]),
        "positions": int(statistics.median(looked_at[1:])),
        "tables": made,
    }


def hints(puzzle: str) -> dict[str, Any]:
    """A table loaded once, then asked after every move; and forty challenges from it."""
    chosen = choose(puzzle, seed="1")
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        table_for(chosen.track, chosen.start, chosen.goal, Count.RUNS, cache=cache)
        found, loaded = timed(lambda: Hints.load(chosen.track, chosen.start, chosen.goal, Count.RUNS, cache=cache))
    after = [run.after for run in runs(chosen.track, chosen.start, chosen.puzzle.locomotive)]
    asked = 2000
    _, distances = timed(lambda: [found.distance(after[n % len(after)]) for n in range(asked)])
    _, steps = timed(lambda: [found.hint(after[n % len(after)]) for n in range(100)])
    _, forty = timed(lambda: challenges(chosen.puzzle, 1, found.table))
    return {"load_s": loaded, "distance_s": distances / asked, "hint_s": steps / 100, "challenges_s": forty}


def main() -> None:
    """Do what the first argument names, and add the most memory it took."""
    growth("3-2-2", "5", "60")  # so that the compiled loop is loaded before anything is timed
    before_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tasks: dict[str, Callable[..., dict[str, Any]]] = {
        "table": table,
        "growth": growth,
        "draws": draws,
        "hints": hints,
    }
    result = tasks[sys.argv[1]](*sys.argv[2:])
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**result, "memory_mb": memory_mb, "program_mb": before_mb}))


if __name__ == "__main__":
    main()
