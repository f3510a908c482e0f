"""Many sittings by hand of somebody who means no good, in virtual time: nothing may happen, and nothing be doubted.

    python tests/campaign/hand_campaign.py            # 80 sittings of ten minutes, on all four layouts
    python tests/campaign/hand_campaign.py --from 30 --sittings 1

Each orders anything at any time, from its seed: throttles, turnouts and uncouplers, under each of the protections. It
must end without an incident and without a halt, for no part of these layouts fails; and whenever everything stands,
everything must stand, and be coupled, as it is believed to. Each refusal says what to do instead.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from random import Random

sys.path.append(str(Path(__file__).parents[1] / "support"))
from hand_bench import HandBench

from pointsman.errors import PointsmanError
from pointsman.operate.ahead import Protection
from pointsman.puzzle.choice import choose
from pointsman.track.wiring import UncouplerKind, Wiring

PUZZLES = ("inglenook-small/classic", "inglenook/classic", "timesaver/classic", "tchoutchou/classic")
PROTECTIONS = (Protection.FULL, Protection.FULL, Protection.WARN, Protection.OFF)
SITTINGS = 80
MINUTES = 10.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one sitting ended; ``wrong`` is empty when nothing happened and nothing was doubted."""

    number: int
    puzzle: str
    protection: Protection
    runs: int
    couplings: int
    refusals: int
    wrong: str


def sit(number: int, minutes: float = MINUTES) -> Outcome:
    """One sitting; puzzles, protections and kinds of magnets take turns."""
    puzzle = PUZZLES[number % len(PUZZLES)]
    protection = PROTECTIONS[number // len(PUZZLES) % len(PROTECTIONS)]
    chosen = choose(puzzle, seed=f"hand-{number}")
    dice = Random(f"hand-{number}")

    async def drive(bench: HandBench) -> None:
        await bench.anything(dice, until_s=bench.now_s() + 60 * minutes)

    with tempfile.TemporaryDirectory() as folder:
        bench = HandBench(Path(folder) / "journal", Path(folder), puzzle, str(chosen.goal), seed=number)
        bench.start, bench.protection, bench.person = str(chosen.start), protection, drive
        bench.wired = permanent if number // 16 % 2 else bench.wired
        try:
            bench.play()
            wrong = ""
        except (PointsmanError, AssertionError) as error:
            wrong = str(error)
        figures = bench.figures
    happened = "; ".join(str(incident) for incident in bench.simulation.incidents)
    without_cure = {one.error.what for one in bench.refusals if not (one.error.reasons and one.error.cure)}
    wrong = "; ".join(filter(None, (wrong, happened, *without_cure)))
    return Outcome(number, puzzle, protection, figures.runs, figures.couplings, len(bench.refusals), wrong)


def permanent(wiring: Wiring) -> Wiring:
    """With magnets that part what stands slack over them, whether anybody wants it or not."""
    magnets = {name: replace(one, kind=UncouplerKind.PERMANENT) for name, one in wiring.uncouplers.items()}
    return replace(wiring, uncouplers=magnets)


def outcomes(numbers: Sequence[int], minutes: float, jobs: int) -> Iterator[Outcome]:
    """Sit so often in so many processes."""
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(sit, numbers, repeat(minutes))


def main() -> int:
    """Sit, report, and end with 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sittings", type=int, default=SITTINGS)
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="NUMBER")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    began, bad = time.monotonic(), 0
    runs = couplings = refusals = 0
    numbers = range(arguments.first, arguments.first + arguments.sittings)
    for outcome in outcomes(numbers, arguments.minutes, arguments.jobs):
        runs, couplings, refusals = runs + outcome.runs, couplings + outcome.couplings, refusals + outcome.refusals
        if outcome.wrong:
            bad += 1
            print(f"sitting {outcome.number} ({outcome.puzzle}, {outcome.protection}): {outcome.wrong}", flush=True)
        elif outcome.number % 20 == 19:
            print(f"{outcome.number + 1} sittings, {runs} runs, {refusals} refusals", flush=True)
    took = time.monotonic() - began
    print(
        f"{len(numbers)} sittings of {arguments.minutes:g} minutes: {len(numbers) - bad} without incident or doubt, "
        f"{bad} not; {runs} runs, {couplings} couplings, {refusals} refusals in {took:.0f} s"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
