"""Puzzles played through the node's compiled firmware, in lockstep: each must end with truth = goal and no incident.

    python tests/campaign/firmware_campaign.py            # ten Inglenooks and a Timesaver

avrsim runs the firmware, and its pins are wired to the simulated layout. The controller's own driver and dispatcher
talk to its UART through avrsim's socket, in lockstep and in virtual time. With that no pty goes: through one, in real
time, tests/system/test_firmware_play.py plays.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from loop_bench import eeprom_of
from loop_play import LoopPlay

from pointsman.errors import PointsmanError
from pointsman.track.model import End

INGLENOOKS = ("inglenook-small/classic", "inglenook/classic", "inglenook/sidings", "inglenook-small/full")
TIMESAVER = "timesaver/classic"


def play_draw(number: int, inglenooks: int) -> tuple[str, float, str]:
    """Play draw ``number``: its puzzle, how long it took on the layout (s), and what went wrong, if anything."""
    puzzle = INGLENOOKS[number % len(INGLENOOKS)] if number < inglenooks else TIMESAVER
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        facing = End.FROM if number % 3 == 2 else End.TO
        play = LoopPlay(folder, folder / "journal", puzzle, seed=f"firmware-{number}", facing=facing)
        try:
            play.play()
        except PointsmanError as error:
            return puzzle, play.duration_s, str(error)
        assert play.witness is not None
        return puzzle, play.duration_s, "" if play.witness.good else str(play.witness)


def main() -> int:
    """Play, report, and end with 1 if any draw went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--inglenooks", type=int, default=10)
    parser.add_argument("--timesavers", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for kind in ("uno", "mega"):  # built before the plays, which run side by side
            eeprom_of(Path(name), kind)
    count, bad, simulated_s, began_s = arguments.inglenooks + arguments.timesavers, 0, 0.0, time.monotonic()
    with ProcessPoolExecutor(arguments.jobs) as pool:
        plays = pool.map(play_draw, range(count), [arguments.inglenooks] * count)
        for number, (puzzle, took_s, wrong) in enumerate(plays):
            bad += bool(wrong)
            simulated_s += took_s
            print(f"draw {number} ({puzzle}), {took_s:.0f} s on the layout: {wrong or 'truth = goal'}", flush=True)
    took = time.monotonic() - began_s
    print(
        f"{count} plays through the firmware: {count - bad} ended with truth = goal and no incident, {bad} did not; "
        f"{simulated_s / 60:.0f} simulated minutes in {took:.0f} s"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
