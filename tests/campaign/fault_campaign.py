"""The fault campaign: plays with one to three faults each, in virtual time; docs/faults.md is what came of them.

    python tests/campaign/fault_campaign.py                # 2,000 plays
    python tests/campaign/fault_campaign.py --play 153     # one of them again, and what was wrong with it

Each must end with the goal confirmed and true, or in a halt for a right reason (``fault_rules``), without an incident
that its faults did not force, and with a journal that can be read to its end. Ctrl-C keeps what was done.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from fault_plays import Outcome, play_number
from fault_rules import RULES, digest

from railsim.faults import ABOUT

PLAYS = 2000
TABLE = Path(__file__).parents[2] / "docs" / "faults.md"
TELL_EVERY = 50


def outcomes(numbers: Sequence[int], jobs: int) -> Iterator[Outcome]:
    """Play so many plays in so many processes, in order; ends early, and cleanly, at Ctrl-C."""
    # A session of their own: Ctrl-C is for this process alone, a play under way is played to its end.
    pool = ProcessPoolExecutor(jobs, initializer=os.setsid)
    try:
        yield from pool.map(play_number, numbers)
    except KeyboardInterrupt:
        print("interrupted: what was done is kept", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)


def told(outcome: Outcome) -> str:
    """A play with what was wrong, and the command that repeats it."""
    ending = outcome.ending
    lines = [
        f"play {outcome.number} ({outcome.puzzle}): {', '.join(outcome.faults)}",
        f"  struck: {', '.join(outcome.struck) or 'nothing'}",
        f"  {ending.how} {ending.said}".rstrip(),
        *(f"  WRONG: {wrong}" for wrong in outcome.wrong),
    ]
    if outcome.wrong:
        lines.append(f'  again: make faults ARGS="--play {outcome.number}"')
    return "\n".join(lines)


def table(done: Sequence[Outcome], wanted: int) -> str:
    """The text of docs/faults.md."""
    good = sum(not outcome.wrong for outcome in done)
    goals = sum(outcome.ending.how == "goal" for outcome in done)
    least = "" if len(done) == wanted else f" (interrupted; {wanted} were wanted)"
    rows = [_row(kind, done) for kind in RULES]
    kinds = [f"| {kind} | {about.text} |" for kind, about in ABOUT.items()]
    return "\n".join(
        [
            "# Faults",
            "",
            "Made by `make faults`. Drawn puzzles are played on the simulated layout, in virtual time, with one to",
            "three faults each that strike at random moments. A play is good when it ends with the goal confirmed and",
            "true, or in a halt for a reason that fits a fault; when everything stands then, or the power is off; when",
            "nothing was bumped or derailed but what a fault itself forced; and when its journal can be read to its",
            "end. Which reasons fit, and what a fault may force, is data in `tests/campaign/fault_rules.py`",
            f"(as of this table: {digest()}).",
            "About one play in five is on hardware with nodes behind an MQTT broker.",
            "",
            "The rules were settled while looking at plays from 0 on: that these are good says that nothing old comes",
            "back, not how often a new play would be. Plays that nobody has looked at tell that:",
            '`make faults ARGS="--first 5000"`.',
            "",
            f"{len(done)} plays{least}: {good} good, {len(done) - good} not; {goals} reached the goal, "
            f"{len(done) - goals} halted.",
            "",
            "*Plays* counts those in which the fault struck, *alone* those of them in which nothing else did; the rest",
            "of a row is about these.",
            "",
            "| fault | plays | alone | goal | halted because | forced |",
            "|---|---:|---:|---:|---|---|",
            *rows,
            "",
            "## What each fault does",
            "",
            "`railsim LAYOUT --fault KIND[:TARGET][@SECONDS][=AMOUNT]` lets it strike; `railsim --faults` lists them.",
            "",
            "| fault | what happens |",
            "|---|---|",
            *kinds,
            "",
        ]
    )


def _row(kind: str, done: Sequence[Outcome]) -> str:
    struck = [outcome for outcome in done if kind in outcome.struck]
    alone = [outcome for outcome in struck if set(outcome.struck) == {kind}]
    goals = sum(outcome.ending.how == "goal" for outcome in alone)
    halts = Counter(outcome.ending.reason for outcome in alone if outcome.ending.how == "halt")
    forced = Counter(incident for outcome in alone for incident in set(outcome.incidents))
    return f"| {kind} | {len(struck)} | {len(alone)} | {goals} | {_counted(halts)} | {_counted(forced)} |"


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items(), key=lambda item: (-item[1], item[0])))


def run(numbers: Sequence[int], jobs: int) -> list[Outcome]:
    """Play, and say how it goes on."""
    began, done, bad = time.monotonic(), [], 0
    for outcome in outcomes(numbers, jobs):
        done.append(outcome)
        if outcome.wrong:
            bad += 1
            print(told(outcome), flush=True)
        if len(done) % TELL_EVERY == 0:
            took_s = time.monotonic() - began
            left_s = took_s / len(done) * (len(numbers) - len(done))
            print(f"{len(done)} of {len(numbers)} plays, {bad} not good; about {left_s / 60:.0f} min left", flush=True)
    return done


def main() -> int:
    """Play, write the table, and end with 1 if any play was not good."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--plays", type=int, default=PLAYS)
    parser.add_argument("--first", type=int, default=0, help="the number of the first play")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--play", type=int, help="play this one alone, and write no table")
    parser.add_argument("--table", type=Path, help=f"where the table is written; {TABLE.name} in docs for --first 0")
    arguments = parser.parse_args()
    if arguments.play is not None:
        outcome = play_number(arguments.play)
        print(told(outcome))
        return 1 if outcome.wrong else 0
    began = time.monotonic()
    done = run(range(arguments.first, arguments.first + arguments.plays), arguments.jobs)
    if not done:
        return 130
    where = arguments.table or (TABLE if arguments.first == 0 else None)
    if where is not None:
        where.write_text(table(done, arguments.plays), encoding="utf-8")
        print(f"the table is in {where}")
    bad = [outcome for outcome in done if outcome.wrong]
    simulated_h = sum(outcome.simulated_s for outcome in done) / 3600
    took_s = time.monotonic() - began
    print(f"{len(done)} plays, {len(bad)} not good; {simulated_h:.1f} simulated hours in {took_s:.0f} s")
    if len(done) < arguments.plays:
        return 130
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
