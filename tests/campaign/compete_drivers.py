"""Good and bad drivers of a competition, each of whom plays an attempt on the simulated layout in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from attempt_plays import Person, driven, played, wiring_of
from hand_bench import HandBench

from pointsman.compete.marks import Fault
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.errors import HaltedError, RefusedError
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import at_setup
from pointsman.operate.plan import Planner
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.moves import Run, runs
from pointsman.puzzle.puzzle import Count
from pointsman.solver.search import solve
from pointsman.track.model import End

THINKS_S = 70.0
"""So long the slow one thinks, every third time."""
FAULTS = ((12.0, Fault.DERAILMENT), (14.0, Fault.HAND), (16.0, Fault.HAND))
"""What a referee presses of the careless one, and how long after the beginning; the second hand was none."""


class Driver(StrEnum):
    """What somebody is like; the last three make no journal that a scheme could score, or none at all."""

    PERFECT = "plays the best plan"
    SLOW = "drives slowly by hand"
    WANDERER = "makes moves that are not needed"
    CARELESS = "makes faults"
    ASKS = "asks for hints"
    GIVES_UP = "gives up half-way"
    STAYS = "does not start"
    ABSENT = "does not come"
    UNLUCKY = "has a fault of the equipment"


@dataclass(frozen=True, slots=True)
class Wish:
    """An attempt to be played."""

    driver: Driver
    puzzle: str
    cards: tuple[str, ...]
    competition: str
    attempt: str
    journal: Path
    seed: int
    cache: Path | None


@dataclass(frozen=True, slots=True)
class Driven:
    """What came of it: how long it took, whether the goal is reached in truth, and what is wrong, empty for nothing.

    ``asked`` is False where everything was stopped in the middle, so that there is no end to ask about.
    """

    attempt: str
    driver: Driver
    took_s: float
    asked: bool
    reached: bool
    wrong: str


def drive(wish: Wish) -> Driven:
    """Play an attempt, and ask the layout what is true in the end."""
    chosen, named = choose(wish.puzzle, cards=wish.cards), {"competition": wish.competition, "attempt": wish.attempt}
    plan = _best(chosen, wish.cache)
    by_program = partial(played, named=named, chance=wish.attempt)
    planner = Planner(chosen.track, wiring_of(chosen), Allowances())
    result: Any = None
    match wish.driver:
        case Driver.PERFECT:
            result = by_program(chosen, plan, wish.journal)
        case Driver.WANDERER:
            result = by_program(chosen, _roundabout(chosen, planner, Random(wish.seed), wish.cache), wish.journal)
        case Driver.CARELESS:
            presses = [(at_s, partial(_press, fault)) for at_s, fault in FAULTS]
            result = by_program(chosen, plan, wish.journal, *presses, (17.0, _take_back))
        case Driver.GIVES_UP:
            result = by_program(chosen, plan[: max(1, len(plan) // 2)], wish.journal)
        case Driver.STAYS:
            result = by_program(chosen, (), wish.journal)
        case Driver.UNLUCKY:
            halt = (20.0, lambda dispatcher: dispatcher.halt("a wire came off"))
            try:
                by_program(chosen, plan, wish.journal, halt)
            except HaltedError:
                return Driven(wish.attempt, wish.driver, 20.0, asked=False, reached=False, wrong="")
            return Driven(wish.attempt, wish.driver, 20.0, asked=False, reached=False, wrong="nothing stopped it")
        case Driver.SLOW | Driver.ASKS:
            how = _slowly if wish.driver is Driver.SLOW else _asking
            person = how(plan, planner, Random(wish.seed))
            result, bench = driven(chosen, wish.journal, person, named=named)
            assert result is not None, f"everything was stopped: {bench.refusals}"
    truth = result.truth
    fine = truth.agrees and not truth.incidents and truth.reached == result.reached
    wrong = "" if fine else f"truth {truth}, believed {result.position}"
    return Driven(wish.attempt, wish.driver, result.duration_s, asked=True, reached=truth.reached, wrong=wrong)


def _best(chosen: Chosen, cache: Path | None) -> tuple[Run, ...]:
    return solve(chosen.track, chosen.start, chosen.goal, Count.PULL_DROPS, cache=cache).runs


def _press(fault: Fault, dispatcher: Dispatcher) -> None:
    dispatcher.pressed("fault", fault=str(fault), by="Hal")


def _take_back(dispatcher: Dispatcher) -> None:
    dispatcher.pressed("fault", fault=str(Fault.HAND), by="Hal", taken_back=True)


def _roundabout(chosen: Chosen, planner: Planner, dice: Random, cache: Path | None) -> tuple[Run, ...]:
    """There and back again for nothing, then something that changes something, and from there the best plan."""
    trips = _trips(chosen)
    for_nothing = [trip for trip in trips if trip[-1].after == chosen.start]
    change = [trip for trip in trips if trip[-1].after != chosen.start]
    ways = [(*there, *then) for there in for_nothing for then in change]
    for way in dice.sample(ways, len(ways)):
        plan = (*way, *solve(chosen.track, way[-1].after, chosen.goal, Count.PULL_DROPS, cache=cache).runs)
        if _drivable(chosen, planner, plan):
            return plan
    raise AssertionError(f"there is no way round from {chosen.start} to {chosen.goal}")


def _drivable(chosen: Chosen, planner: Planner, plan: Sequence[Run]) -> bool:
    """Whether the real lengths allow it."""
    allow = Allowances()
    belief = at_setup(chosen.track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
    try:
        planner.rehearse(belief, plan)
    except RefusedError:
        return False
    return True


def _trips(chosen: Chosen) -> Sequence[tuple[Run, Run]]:
    """Every way out of the headshunt and home again, with the whole train."""
    return [
        (out, back)
        for out in runs(chosen.track, chosen.start, "L")
        for back in runs(chosen.track, out.after, "L")
        if "L" in back.after.in_segment("head") and not back.after.turnouts
    ]


class _Crawling(Random):
    """Takes the first of everything, which is the lowest speed."""

    def choice(self, seq: Any) -> Any:
        return seq[0]


def _slowly(plan: Sequence[Run], planner: Planner, dice: Random) -> Person:
    """Creeps, and thinks before every third run."""

    async def think(number: int) -> None:
        if number % 3 == 2:
            await asyncio.sleep(THINKS_S + dice.randint(0, 20))

    async def person(bench: HandBench) -> None:
        await bench.drive_plan(plan, planner, _Crawling(), think)

    return person


def _asking(plan: Sequence[Run], planner: Planner, dice: Random) -> Person:
    """Asks once or more what to do next, and once more when it is too late to count."""
    hints = dice.randint(1, 3)

    async def person(bench: HandBench) -> None:
        async def ask(number: int) -> None:
            if number <= hints:
                bench.dispatcher.hinted(str(plan[number - 1]), len(plan) + 1 - number)

        await bench.drive_plan(plan, planner, dice, ask)
        bench.dispatcher.hinted("nothing more", 0)

    return person
