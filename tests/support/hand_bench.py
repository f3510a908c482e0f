"""Test support: a person who drives by hand on the simulated layout, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import inf
from random import Random

from bench import Bench

from pointsman.dispatch.orders import Orders, Refusal
from pointsman.errors import PointsmanError, RefusedError
from pointsman.operate.ahead import Protection
from pointsman.operate.belief import Belief
from pointsman.operate.hand_referee import Earlier, Figures
from pointsman.operate.plan import Planner
from pointsman.operate.steps import DriveStep, Job, Stage, TurnoutStep, UncoupleStep
from pointsman.puzzle.moves import Run
from pointsman.track.model import Leg, Place
from pointsman.track.path import Stretch, line_through

LOOK_S = 0.01
"""How often a person looks at the train."""
OFF_MM = 1.5
"""What is believed is so much off at most beyond its own doubt: a beam's own place is known to a millimetre."""
CREEP_MM_S = 20
CREEP_BEFORE_MM = 45
"""So long before where it shall stop a person lets it creep."""


@dataclass
class HandBench(Bench):
    """A sitting by hand; ``person`` is the one who gives the orders."""

    person: Callable[[HandBench], Awaitable[None]] = field(default=None)  # type: ignore[assignment]
    protection: Protection = Protection.FULL
    earlier: Earlier | None = None
    refusals: list[Refusal] = field(default_factory=list)
    orders: Orders = field(init=False)

    async def carry_out(self) -> Belief:
        self.orders = Orders(self.refusals.append)
        ended = asyncio.ensure_future(self.dispatcher.by_hand(self.orders, "L", self.protection, earlier=self.earlier))
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
            assert self.now_s() < 60, "nobody takes orders"
            await asyncio.sleep(LOOK_S)

    def throttle(self, *, forward: bool, speed_mm_s: float) -> None:
        self.orders.throttle("me", "L", forward=forward, speed_mm_s=speed_mm_s)

    async def turnout(self, name: str, leg: Leg) -> None:
        await asyncio.wrap_future(self.orders.turnout("me", name, leg))

    async def uncouple(self, name: str) -> None:
        await asyncio.wrap_future(self.orders.uncouple("me", name))

    async def until_stand(self) -> None:
        until_s = self.now_s() + 60
        while self.dispatcher.drive is not None:
            assert self.now_s() < until_s, "it does not stop"
            await asyncio.sleep(LOOK_S)

    async def drive(self, *, forward: bool, speed_mm_s: float, left_mm: Callable[[], float] = lambda: inf) -> None:
        """Hold the throttle until the train stands; close it where nothing is left of the way, creep there before."""
        speed = speed_mm_s
        self.throttle(forward=forward, speed_mm_s=speed)
        renewed_s = self.now_s()
        await asyncio.sleep(LOOK_S)
        while self.dispatcher.drive is not None:
            left = left_mm()
            if left <= 0:
                break
            slower = min(speed, CREEP_MM_S) if left < CREEP_BEFORE_MM else speed
            if slower != speed or self.now_s() >= renewed_s + 0.5:
                speed, renewed_s = slower, self.now_s()
                self.throttle(forward=forward, speed_mm_s=speed)
            ahead_mm = left - CREEP_BEFORE_MM if left > CREEP_BEFORE_MM else left
            await asyncio.sleep(min(0.5, max(LOOK_S, ahead_mm / (1.5 * speed))))
        self.throttle(forward=forward, speed_mm_s=0)
        await asyncio.sleep(LOOK_S)
        await self.until_stand()

    async def begun(self) -> None:
        """Wait until the train has begun to move."""
        until_s = self.now_s() + 5
        while self.dispatcher.drive is None or not self.dispatcher.drive.ordered_step:
            assert self.now_s() < until_s, "nothing has begun to move"
            await asyncio.sleep(LOOK_S)

    async def play_runs(self) -> None:
        await asyncio.wrap_future(self.orders.play("me", ()))

    @property
    def figures(self) -> Figures:
        """What has been counted."""
        hand = self.dispatcher.hand
        assert hand is not None
        return hand.figures

    # ------------------------------------------------------------ somebody who means no good

    async def anything(self, dice: Random, until_s: float) -> None:
        """Order anything at any time, to the limit everywhere; a refusal is what it deserves."""
        track = self.chosen.track
        while self.now_s() < until_s:
            forward, what = dice.random() < 0.5, dice.random()
            if what < 0.5:
                await self._drive_anyhow(dice, forward=forward)
            elif what < 0.65:
                await self._to_a_beam(dice.randint(1, 4), forward=forward)
                for magnet in track.uncouplers:
                    with suppress(RefusedError):
                        await self.uncouple(magnet)
            elif what < 0.9:
                with suppress(RefusedError):
                    await self.turnout(dice.choice([*track.turnouts]), dice.choice([*Leg]))
            else:
                with suppress(RefusedError):
                    await self.uncouple(dice.choice([*track.uncouplers]))
            if self.dispatcher.drive is None:
                self.check_belief()
        self.throttle(forward=True, speed_mm_s=0)
        await self.until_stand()
        self.check_belief()

    def check_belief(self) -> None:
        """Fail where what is believed is not so."""
        amiss = self.amiss()
        assert not amiss, f"at {self.now_s():.1f} s: {', '.join(amiss)}"

    def amiss(self) -> list[str]:
        """What is believed while everything stands, and is not so."""
        belief, truth, track = self.dispatcher.belief, self.truth, self.chosen.track
        found = []
        for where, vehicles in truth.on.items():
            element, _, leg = where.partition(">")
            line = line_through(track, Stretch(element, Leg(leg) if leg else None, True), belief.lies(track))
            for vehicle in vehicles:
                spot = belief.spots[vehicle.name]
                at_mm = line.coordinate(Place(element, Leg(leg) if leg else None, 0.0))
                believed_mm = line.coordinate(spot.place)
                if at_mm is None or believed_mm is None:
                    found.append(f"{vehicle.name} is on {where}, and believed on {spot.place.element}")
                    continue
                off_mm = believed_mm - at_mm - (vehicle.from_mm + vehicle.to_mm) / 2
                if abs(off_mm) > spot.error_mm + OFF_MM:
                    found.append(f"{vehicle.name} is believed {off_mm:+.1f} mm off, give or take {spot.error_mm:.1f}")
        coupled = {frozenset(pair) for pair in truth.coupled}
        found += [f"{' '.join(sorted(pair))} are not coupled" for pair in belief.coupled - coupled]
        return found

    async def _drive_anyhow(self, dice: Random, *, forward: bool) -> None:
        track, until_s = self.chosen.track, self.now_s() + dice.choice([0.05, 0.5, 1, 3, 8, 20, 60])
        speed = dice.choice([5, 20, 40, 80, 100, 500])
        self.throttle(forward=forward, speed_mm_s=speed)
        await asyncio.sleep(LOOK_S)
        while self.dispatcher.drive is not None and self.now_s() < until_s:
            await asyncio.sleep(dice.choice([0.1, 0.5, 0.5, 1.6]))
            forward = forward is not (dice.random() < 0.02)
            speed = dice.choice([speed, speed, speed, 10, 60, 100])
            self.throttle(forward=forward, speed_mm_s=speed)
            if dice.random() < 0.05:
                self.orders.turnout("me", dice.choice([*track.turnouts]), dice.choice([*Leg]))
                self.orders.uncouple("me", dice.choice([*track.uncouplers]))
        if dice.random() < 0.7:
            self.throttle(forward=forward, speed_mm_s=0)
            await self.until_stand()

    async def _to_a_beam(self, number: int, *, forward: bool) -> None:
        """Stop when beams have told so often: where couplings stand over magnets."""
        seen = dict(self.dispatcher.belief.beams)
        self.throttle(forward=forward, speed_mm_s=30)
        await asyncio.sleep(LOOK_S)
        while self.dispatcher.drive is not None and number:
            now = dict(self.dispatcher.belief.beams)
            number, seen = number - (now != seen), now
            self.throttle(forward=forward, speed_mm_s=30)
            await asyncio.sleep(LOOK_S)
        self.throttle(forward=forward, speed_mm_s=0)
        await self.until_stand()

    # ------------------------------------------------------------ a plan, driven by hand

    async def drive_plan(
        self,
        runs: Sequence[Run],
        planner: Planner,
        dice: Random,
        before: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        """Drive a plan with nothing but the throttle, turnouts and uncouplers; the planner is what the person knows.

        ``before`` is done before each run, with its number from 1.
        """
        for job in planner.jobs(runs):
            if before is not None:
                await before(job.number)
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
        """Stop where a plan stops: by the beam that it waits for, and by eye."""
        target = step.sweep.path.place(step.stop.target_mm)
        edge = step.stop.edge
        wanted = None if edge is None else (edge.beam, edge.vehicle, edge.active)

        def left_mm() -> float:
            drive = self.dispatcher.drive
            assert drive is not None
            at = drive.step.sweep.path.coordinate(target)
            assert at is not None, (str(step), target)
            left = at - drive.envelope.stop_place_mm(self.now_s(), drive.allow)
            told = wanted is None or any((e.beam, e.vehicle, e.active) == wanted for e, _ in drive.seen)
            return left if told else max(left, 0.5)

        await self.drive(forward=step.forward, speed_mm_s=dice.choice([30, 40, 60, 80, 100]), left_mm=left_mm)
