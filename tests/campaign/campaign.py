"""Many drawn puzzles, played to the end in virtual time: each must end with truth = goal and without an incident.

    python tests/campaign/campaign.py            # 200 Inglenooks, 50 Timesavers, 60 Tchoutchous

Every draw has its own hidden errors (speed per step, rates, delays, where things stand at set-up), from its seed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pointsman.errors import PointsmanError
from pointsman.links import On, Target
from pointsman.playing import PlayRequest, play
from pointsman.puzzle.choice import choose
from pointsman.puzzle.puzzle import Count
from pointsman.solver.search import solve
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring_file import load_wiring

PUZZLES = (
    "inglenook/classic",
    "inglenook/sidings",
    "inglenook/siding-2",
    "inglenook/full",
    "inglenook-small/classic",
    "inglenook-small/full",
)
TIMESAVERS = ("timesaver/classic",)
TCHOUTCHOUS = ("tchoutchou/classic", "tchoutchou/variant")
INGLENOOKS = 200
"""Draws from 0 on are Inglenooks; from this number on, Timesavers."""
BEFORE_TCHOUTCHOUS = 250
"""Draws from this number on are Tchoutchous."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one draw ended; ``wrong`` is empty when truth was the goal and nothing happened on the way."""

    number: int
    puzzle: str
    seed: str
    runs: int
    simulated_s: float
    wrong: str


def play_draw(number: int) -> Outcome:
    """Deal, solve and play draw ``number``; puzzles, counts and facings take turns."""
    inglenook = number < INGLENOOKS
    puzzles = PUZZLES if inglenook else TIMESAVERS if number < BEFORE_TCHOUTCHOUS else TCHOUTCHOUS
    puzzle = puzzles[number % len(puzzles)]
    count = Count.PULL_DROPS if inglenook and number % 4 == 3 else Count.RUNS
    seed = f"campaign-{number}"
    chosen = choose(puzzle, seed=seed)
    runs = solve(chosen.track, chosen.start, chosen.goal, count).runs
    wiring = load_wiring(find_wiring(chosen.folder), chosen.track)
    facing = End.FROM if number % 3 == 2 else End.TO
    with tempfile.TemporaryDirectory() as folder:
        request = PlayRequest(
            chosen=chosen,
            runs=runs,
            wiring=wiring,
            target=Target(On.SIM),
            facing=facing,
            journal=Path(folder) / "journal",
            count=str(count),
        )
        try:
            result = play(request, lambda _: None, lambda _: None)
        except PointsmanError as error:
            return Outcome(number, puzzle, seed, len(runs), 0.0, str(error))
    truth = result.truth
    wrong = "" if truth is not None and truth.good and result.reached else f"truth {truth}, believed {result.position}"
    return Outcome(number, puzzle, seed, len(runs), result.duration_s, wrong)


def outcomes(draws: int, jobs: int) -> Iterator[Outcome]:
    """Play so many draws in so many processes."""
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(play_draw, range(draws))


def main() -> int:
    """Play, report, and end with 1 if any draw went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--draws", type=int, default=BEFORE_TCHOUTCHOUS + 60)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    began = time.monotonic()
    bad, runs, simulated_s = [], 0, 0.0
    for outcome in outcomes(arguments.draws, arguments.jobs):
        runs += outcome.runs
        simulated_s += outcome.simulated_s
        if outcome.wrong:
            bad.append(outcome)
            print(f"draw {outcome.number} ({outcome.puzzle}, seed {outcome.seed}): {outcome.wrong}", flush=True)
        elif outcome.number % 20 == 19:
            print(f"{outcome.number + 1} draws, {runs} runs, {simulated_s / 60:.0f} simulated minutes", flush=True)
    took = time.monotonic() - began
    print(
        f"{arguments.draws} draws: {arguments.draws - len(bad)} ended with truth = goal and no incident, "
        f"{len(bad)} did not; {runs} runs, {simulated_s / 3600:.1f} simulated hours in {took:.0f} s"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
