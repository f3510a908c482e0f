"""Test support: the planner and the tracker driving the simulated world directly, without wires.

Commands reach the rail after a random 14.9 to 73 ms, edges are reported after a random 10 to 20 ms (the figures of the
recorded station), all from one seed; time is virtual and only moves from event to event.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from random import Random
from typing import Any

from pointsman.messages import SensorChanged
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.interlocking import Surroundings, reasons_against
from pointsman.operate.motion import Ratio
from pointsman.operate.plan import Planner, jobs
from pointsman.operate.steps import DriveStep, Step, TurnoutStep
from pointsman.operate.tracker import Phase, RatioKey, advise, after, begin, fold, ordered
from pointsman.puzzle.moves import Run
from pointsman.puzzle.position import Position
from pointsman.track.model import End, Track
from pointsman.track.wiring import Wiring
from railsim.hidden import Hidden
from railsim.incidents import BeamChanged
from railsim.setup import Setup
from railsim.world import World


class Doubt(Exception):
    """The tracker doubts; the text is its reason."""


@dataclass
class Metal:
    track: Track
    wiring: Wiring
    start: Position
    seed: int
    facing: End = End.TO
    allow: Allowances = field(default_factory=Allowances)
    trace: Callable[[str], None] = lambda text: None

    def __post_init__(self) -> None:
        self.dice = Random(self.seed)
        setup = Setup(dict(self.start.segments), facing={name: self.facing for name in self.track.locomotives})
        self.world = World(self.track, setup, Hidden(self.seed), self.wiring)
        self.world.set_power(True)
        self.belief: Belief = at_setup(
            self.track, self.start, End.TO, self.allow.mark_error_mm, self.allow.setup_error_mm
        )
        for beam in self.track.beams:
            self.belief = self.belief.with_beam(beam, self.world.beam_broken(beam))
        self.ratios: dict[RatioKey, Ratio] = {}
        self.now_s = 0.0
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._reports: list[SensorChanged] = []
        self._count = 0

    def play(self, runs: Sequence[Run]) -> None:
        planner = Planner(self.track, self.wiring, self.allow)
        planner.rehearse(self.belief, runs)
        for step in planner.preparation(runs):
            self.carry_out(step)
        self.carry_out(planner.proving(self.belief, runs[0].locomotive))
        for job in jobs(runs):
            at = job
            while True:
                step, at = planner.next_step(self.belief, at)
                if step is None:
                    break
                self.carry_out(step)
            self.belief = replace(self.belief, position=job.run.after)

    def carry_out(self, step: Step) -> None:
        self.trace(f"{self.now_s:8.2f}  {step}")
        refused = reasons_against(self.track, self.belief, step, Surroundings())
        assert not refused, refused
        if isinstance(step, TurnoutStep):
            self._later(self._rail(), lambda: self.world.throw(step.turnout, step.leg, 0.99))
            self._wait(step.wait_s)
            self.belief = self.belief.with_turnout(step.turnout, step.leg)
        elif isinstance(step, DriveStep):
            self._drive(step)
        else:
            self._later(self._rail(), lambda: self.world.set_magnet(step.uncoupler, True))
            self._wait(step.hold_s)
            self._later(self._rail(), lambda: self.world.set_magnet(step.uncoupler, False))
            self._wait(0.1)
            self.belief = self.belief.with_parted(step.kept, step.left)

    def _drive(self, step: DriveStep) -> None:
        engine = self.track.locomotives[step.locomotive]
        drive = begin(step, engine, self.belief.beams, self.ratios, self.now_s, self.allow)
        while True:
            if drive.doubt:
                raise Doubt(f"{drive.doubt} (in: {step})")
            drive, advice = advise(drive, self.now_s)
            if drive.doubt:
                raise Doubt(f"{drive.doubt} (in: {step})")
            if drive.phase is Phase.STANDING:
                break
            if advice.order is not None:
                order = advice.order
                drive = ordered(drive, order, self.now_s)
                self._later(
                    self._rail(), lambda order=order: self.world.set_throttle(step.locomotive, step.forward, order)
                )
            else:
                self._pass_until(advice.again_s)
            for report in self._taken():
                drive = fold(drive, report)
                self.belief = self.belief.with_beam(report.sensor, report.active)
                if drive.doubt:
                    raise Doubt(f"{drive.doubt} (in: {step})")
        self.ratios = dict(drive.ratios)
        self.belief = after(self.belief, drive)

    def _rail(self) -> float:
        return self.dice.uniform(0.0149, 0.073)

    def _later(self, delay_s: float, act: Callable[[], Any]) -> None:
        self._count += 1
        heapq.heappush(self._queue, (self.now_s + delay_s, self._count, act))

    def _taken(self) -> list[SensorChanged]:
        taken, self._reports = self._reports, []
        return taken

    def _wait(self, seconds: float) -> None:
        until = self.now_s + seconds
        while self.now_s < until:
            self._pass_until(until)
            assert not self._taken()

    def _pass_until(self, t_s: float) -> None:
        """Let time pass to t_s, or to the first report, whichever comes first."""
        while self.now_s < t_s and not self._reports:
            due = self._queue[0][0] if self._queue else inf
            event = self.world.next_event_s()
            upto = min(t_s, due, event if event is not None else inf)
            for happened in self.world.advance(upto):
                if isinstance(happened, BeamChanged):
                    seen = happened
                    self._later(
                        max(0.0, seen.t_s - self.now_s) + self.dice.uniform(0.010, 0.020),
                        lambda seen=seen: self._reports.append(SensorChanged(self.now_s, seen.beam, seen.broken)),
                    )
            self.now_s = upto
            while self._queue and self._queue[0][0] <= self.now_s:
                heapq.heappop(self._queue)[2]()
