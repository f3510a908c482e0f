"""Test support: a person who drives by hand on the simulated layout, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random

from bench import Bench

from pointsman.dispatch.orders import Orders, Refusal
from pointsman.errors import PointsmanError
from pointsman.operate.ahead import Protection, towards_of
from pointsman.operate.belief import Belief
from pointsman.operate.plan import Planner
from pointsman.operate.steps import DriveStep, Job, Stage, TurnoutStep, UncoupleStep
from pointsman.puzzle.moves import Run
from pointsman.track.model import Leg

LOOK_S = 0.01
"""How often a person looks at the train."""


@dataclass
class HandBench(Bench):
    """A sitting by hand; ``person`` is the one who gives the orders."""

    person: Callable[[HandBench], Awaitable[None]] = field(default=None)  # type: ignore[assignment]
    protection: Protection = Protection.FULL
    refusals: list[Refusal] = field(default_factory=list)
    orders: Orders = field(init=False)

    async def carry_out(self) -> Belief:
        self.orders = Orders(self.refusals.append)
        ended = asyncio.ensure_future(self.dispatcher.by_hand(self.orders, "L", self.protection))
        acting = asyncio.ensure_future(self._acting())
        try:
            await asyncio.wait([ended, acting], return_when=asyncio.FIRST_COMPLETED)
            if acting.done() and acting.exception() is not None and not ended.done():
                self.dispatcher.halt("the person of this test failed")
                with suppress(PointsmanError):
                    await ended
                await acting
            return await ended
        finally:
            acting.cancel()
            with suppress(asyncio.CancelledError):
                await acting

    async def _acting(self) -> None:
        await self.standing()
        await self.person(self)
        await asyncio.wrap_future(self.orders.finish("me"))

    # ------------------------------------------------------------ what a person does

    async def standing(self) -> None:
        """Wait until everything stands and orders are taken."""
        while not self.statuses or self.statuses[-1].hand is None:
            await asyncio.sleep(LOOK_S)

    def throttle(self, *, forward: bool, speed_mm_s: float) -> None:
        self.orders.throttle("me", "L", forward=forward, speed_mm_s=speed_mm_s)

    async def turnout(self, name: str, leg: Leg) -> None:
        await asyncio.wrap_future(self.orders.turnout("me", name, leg))

    async def uncouple(self, name: str) -> None:
        await asyncio.wrap_future(self.orders.uncouple("me", name))

    async def until_stand(self) -> None:
        while self.dispatcher.drive is not None:
            await asyncio.sleep(LOOK_S)

    async def drive(
        self,
        *,
        forward: bool,
        speed_mm_s: float,
        enough: Callable[[], bool] = lambda: False,
        slower: Callable[[], bool] = lambda: False,
    ) -> None:
        """Hold the throttle until the train stands; close it when it is ``enough``, to a creep when ``slower``."""
        self.throttle(forward=forward, speed_mm_s=speed_mm_s)
        renewed = self.now_s()
        await asyncio.sleep(LOOK_S)
        while self.dispatcher.drive is not None:
            if enough():
                self.throttle(forward=forward, speed_mm_s=0)
                await self.until_stand()
                return
            if slower():
                speed_mm_s = 20
            if self.now_s() >= renewed + 0.5 or slower():
                self.throttle(forward=forward, speed_mm_s=speed_mm_s)
                renewed = self.now_s()
            await asyncio.sleep(LOOK_S)
        self.throttle(forward=forward, speed_mm_s=0)
        await asyncio.sleep(LOOK_S)

    # ------------------------------------------------------------ a plan, driven by hand

    async def drive_plan(self, runs: Sequence[Run], planner: Planner, dice: Random) -> None:
        """Drive a plan with nothing but the throttle, turnouts and uncouplers; the planner is what the person knows."""
        for job in planner.jobs(runs):
            await self._run(job, planner, dice)

    async def _run(self, job: Job, planner: Planner, dice: Random) -> None:
        at = job
        while True:
            belief = replace(self.dispatcher.belief, position=job.run.before)
            step, at = planner.next_step(belief, at)
            match step:
                case None:
                    return
                case TurnoutStep():
                    await self.turnout(step.turnout, step.leg)
                case UncoupleStep():
                    await self.uncouple(step.uncoupler)
                case DriveStep(text=text) if text.startswith("back to slacken"):
                    left = job.run.before.where(job.run.left[-1])[0]
                    spot = belief.spots[job.run.left[-1]].place
                    near = min(
                        (m for m in self.chosen.track.uncouplers.values() if m.place.element == left),
                        key=lambda m: abs(m.place.at_mm - spot.at_mm),
                    )
                    await self.uncouple(near.name)
                    at = job.at(Stage.DRIVE)
                case DriveStep():
                    await self._to_stop(step, dice)

    async def _to_stop(self, step: DriveStep, dice: Random) -> None:
        target = step.sweep.path.place(step.stop.target_mm)

        def left_mm() -> float:
            drive = self.dispatcher.drive
            assert drive is not None
            at = drive.step.sweep.path.coordinate(target)
            assert at is not None, (str(step), target)
            return at - drive.envelope.at(self.now_s()).stop_place_mm(self.now_s(), drive.allow)

        def told() -> bool:
            """Whether the beam has told that the stop waits for."""
            edge, drive = step.stop.edge, self.dispatcher.drive
            assert drive is not None
            if edge is None:
                return True
            wanted = edge.beam, edge.vehicle, edge.active
            return any((e.beam, e.vehicle, e.active) == wanted for e, _ in drive.seen)

        await self.drive(
            forward=step.forward,
            speed_mm_s=dice.choice([30, 40, 60, 80, 100]),
            enough=lambda: left_mm() <= 0 and told(),
            slower=lambda: left_mm() < 45,
        )


def towards(bench: HandBench, *, forward: bool) -> str:
    return str(towards_of(bench.dispatcher.belief, forward))
