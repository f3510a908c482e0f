"""Test support: attempts of a competition that are really played, on the simulated layout in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from hand_bench import HandBench

from pointsman.app import Setting, Simulated, sit
from pointsman.dispatch.control import Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.orders import Orders
from pointsman.errors import HaltedError
from pointsman.hand_driving import HandDriving, HandRequest, HandResult
from pointsman.links import On, Target
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.plan import Planner
from pointsman.playing import AttemptOf, Play, PlayRequest, PlayResult, PutRight
from pointsman.puzzle.choice import Chosen
from pointsman.puzzle.moves import Run
from pointsman.resuming import Interrupted, put_right, score_put_right
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring import Wiring
from pointsman.track.wiring_file import load_wiring

NAMED = {"competition": "evening", "attempt": "one-anna-1"}
Person = Callable[[HandBench], Awaitable[None]]


def wiring_of(chosen: Chosen) -> Wiring:
    return load_wiring(find_wiring(chosen.folder), chosen.track)


@dataclass
class Watched:
    """What a screen was shown of a sitting, for finding by other ways than the journal's what was when."""

    statuses: list[Status] = field(default_factory=list)

    def started_s(self) -> float:
        """When the locomotive was first told to move, its proof apart."""
        drives = ((status.t_s, status.drive) for status in self.statuses)
        return next(t_s for t_s, drive in drives if drive is not None and drive.ordered_step and not drive.step.proves)

    def done_s(self, chosen: Chosen) -> float:
        """When the goal was believed to be reached, everything standing where it can be written."""
        for status in self.statuses:
            between = status.hand is not None and status.hand.between
            reached = chosen.goal.reached(status.belief.position, chosen.track.locomotives)
            if status.drive is None and not between and reached:
                return status.t_s
        raise AssertionError("the goal was never reached")

    def ms(self, chosen: Chosen) -> int:
        """Milliseconds from the first movement to the goal."""
        return round(1000 * (self.done_s(chosen) - self.started_s()))


@dataclass(frozen=True)
class WithPresses(Play):
    """A play by the program during which a referee presses something: ``at`` has how long after its beginning.

    ``chance`` is what the layout takes its chances from, if not from the draw.
    """

    at: tuple[tuple[float, Callable[[Dispatcher], None]], ...] = ()
    chance: str | None = None

    @property
    def setting(self) -> Setting:
        setting = super().setting
        return setting if self.chance is None else replace(setting, seed=self.chance)

    async def work(self, dispatcher: Dispatcher) -> Belief:
        loop = asyncio.get_running_loop()
        for after_s, press in self.at:
            loop.call_later(after_s, press, dispatcher)
        return await super().work(dispatcher)


def played(
    chosen: Chosen,
    runs: tuple[Run, ...],
    journal: Path,
    *at: tuple[float, Callable[[Dispatcher], None]],
    watched: Watched | None = None,
    named: Mapping[str, str] = NAMED,
    chance: str | None = None,
) -> PlayResult:
    """An attempt that the program has played."""
    request = PlayRequest(
        chosen=chosen,
        wiring=wiring_of(chosen),
        target=Target(On.SIM),
        facing=End.TO,
        journal=journal,
        runs=runs,
        attempt=AttemptOf(**named),
    )
    return sit(WithPresses(request, at, chance), (watched or Watched()).statuses.append, lambda _: None)


@dataclass(frozen=True)
class ByHand:
    """A sitting by hand in which the person of a bench acts."""

    driving: HandDriving
    bench: HandBench

    @property
    def setting(self) -> Setting:
        return self.driving.request.setting

    def header(self) -> dict[str, object]:
        return self.driving.header()

    async def work(self, dispatcher: Dispatcher) -> Belief:
        self.bench.dispatcher, self.bench.chosen = dispatcher, self.driving.request.chosen
        return await self.bench.carry_out()

    def result(
        self, dispatcher: Dispatcher, final: Belief, duration_s: float, simulation: Simulated | None
    ) -> HandResult:
        return self.driving.result(dispatcher, final, duration_s, simulation)

    def ending(self, result: HandResult) -> dict[str, object]:
        return self.driving.ending(result)


def driven(
    chosen: Chosen,
    journal: Path,
    person: Person,
    *,
    before: Interrupted | None = None,
    named: Mapping[str, str] = NAMED,
) -> tuple[HandResult | None, HandBench]:
    """An attempt that a person has driven, perhaps going on ``before``; no result when everything was stopped."""
    going_on = None
    if before is not None:
        told = before.told
        going_on = PutRight(before.journal, told.position, told.score, score_put_right(before), "Anna", told.counted)
    request = HandRequest(
        chosen=chosen if before is None else put_right(before, before.position),
        wiring=wiring_of(chosen),
        target=Target(On.SIM),
        facing=End.TO,
        journal=journal,
        orders=Orders(),
        put_right=going_on,
        attempt=AttemptOf(**named) if before is None else before.attempt,
    )
    bench = HandBench(journal, journal.parent, person=person, earlier=None if going_on is None else going_on.goes_on)
    try:
        return sit(ByHand(HandDriving(request), bench), bench._show, lambda _: None), bench
    except HaltedError:
        return None, bench


def along(runs: tuple[Run, ...], chosen: Chosen, then: Person | None = None, *, first: int | None = None) -> Person:
    """A person who drives a plan with the throttle, or the first runs of it, and then does something else."""
    planner = Planner(chosen.track, wiring_of(chosen), Allowances())

    async def person(bench: HandBench) -> None:
        await bench.drive_plan(runs[:first], planner, Random(7))
        if then is not None:
            await then(bench)

    return person
