"""Test support: the planner and the tracker driving the simulated world directly, without wires.

Commands reach the rail after a random 14.9 to 73 ms, edges are reported after a random 10 to 20 ms (the figures of the
recorded station), and the host itself takes up to 10 ms more each way, all from one seed. Neither commands nor reports
overtake each other. Time is virtual and only moves from event to event.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf
from pathlib import Path
from random import Random
from typing import Any

from pointsman.messages import SensorChanged
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.interlocking import Surroundings, reasons_against
from pointsman.operate.motion import Ratio
from pointsman.operate.parting import MOST_TRIES
from pointsman.operate.plan import Planner
from pointsman.operate.steps import DriveStep, Job, Step, TurnoutStep, UncoupleStep
from pointsman.operate.tracker import Drive, Phase, RatioKey, advise, after, begin, fold, may_have_met, ordered
from pointsman.puzzle.moves import Run
from pointsman.puzzle.position import Position
from pointsman.track.layout import load_layout
from pointsman.track.model import End, Locomotive, SpeedTable, Track
from pointsman.track.wiring import Wiring
from pointsman.track.wiring_file import load_wiring
from railsim.hidden import Hidden, Performance
from railsim.incidents import BeamChanged
from railsim.setup import Setup
from railsim.world import World

LAYOUTS = Path(__file__).parents[2] / "layouts"


@cache
def builtin(name: str) -> Track:
    return load_layout(LAYOUTS / name)


@cache
def wiring_of(name: str) -> Wiring:
    return load_wiring(LAYOUTS / name / "hardware" / "dccex.toml", builtin(name))


class DoubtError(Exception):
    """The tracker doubts; the text is its reason."""


class Careless(Hidden):
    """A layout at the edges of what is allowed for: the mark and the wagons badly met, the table 12 % off."""

    def uniform(self, label: str, low: float, high: float) -> float:
        allow = Allowances()
        wide = {
            "mark": (-allow.mark_error_mm, allow.mark_error_mm),
            "set-up": (0.0, allow.setup_error_mm),
            "acceleration": (1 - allow.rate_error, 1 + allow.rate_error),
            "braking": (1 - allow.rate_error, 1 + allow.rate_error),
        }
        low, high = wide.get(label.rpartition("/")[2], (low, high))
        return super().uniform(label, low, high)

    def performance(self, locomotive: Locomotive) -> Performance:
        factor = 1.0 + super().uniform(f"{locomotive.name}/careless", -0.018, 0.018)
        return _scaled(super().performance(locomotive), factor)


class OffTable(Hidden):
    """A locomotive that runs faster or slower than its table by a factor, beside its own 5 to 10 %."""

    def __init__(self, seed: int, factor: float) -> None:
        super().__init__(seed)
        self.factor = factor

    def performance(self, locomotive: Locomotive) -> Performance:
        return _scaled(super().performance(locomotive), self.factor)


def _scaled(real: Performance, factor: float) -> Performance:
    table = SpeedTable(tuple((step, speed * factor) for step, speed in real.nominal.speeds.points))
    return replace(real, nominal=replace(real.nominal, speeds=table))


@dataclass
class Metal:
    """One play. What a test may spoil:

    ``really`` stands in the world where ``start`` is believed; ``facing`` is how the locomotive really stands (it is
    believed to face TO); ``layout`` is the track as it really is, and ``hidden`` what else it hides; reports of
    ``deaf`` beams never come; a command of a step for which ``lost`` says so never reaches the rail; ``before`` is
    called before each step with this harness (which has ``report`` and ``later``), and may do anything to the world.
    ``watch`` is called with every new state of a drive. ``couple_up``: the goal asks for the locomotive's train.
    """

    track: Track
    wiring: Wiring
    start: Position
    seed: int
    facing: End = End.TO
    allow: Allowances = field(default_factory=Allowances)
    trace: Callable[[str], None] = lambda text: None
    really: Mapping[str, tuple[str, ...]] | None = None
    layout: Track | None = None
    hidden: Hidden | None = None
    deaf: frozenset[str] = frozenset()
    lost: Callable[[Step], bool] = lambda step: False
    before: Callable[[Metal, Step], None] = lambda metal, step: None
    watch: Callable[[Metal, Drive], None] = lambda metal, drive: None
    couple_up: bool = False

    def __post_init__(self) -> None:
        self.dice = Random(self.seed)
        stands = dict(self.start.segments) if self.really is None else self.really
        setup = Setup(stands, facing=dict.fromkeys(self.track.locomotives, self.facing))
        self.world = World(self.layout or self.track, setup, self.hidden or Hidden(self.seed), self.wiring)
        self.world.set_power(True)
        self.belief: Belief = at_setup(
            self.track, self.start, End.TO, self.allow.mark_error_mm, self.allow.setup_error_mm
        )
        for beam in self.track.beams:
            self.belief = self.belief.with_beam(beam, self.world.beam_broken(beam))
        self.ratios: dict[RatioKey, Ratio] = {}
        self.now_s = 0.0
        self.run = self.tries = 0
        self.followed, self.met = False, tuple[str, ...]()
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._reports: list[SensorChanged] = []
        self._count = 0
        self._rail_s = self._report_s = 0.0

    # ------------------------------------------------------------ a play

    def play(self, runs: Sequence[Run]) -> None:
        """Carry out a plan as the dispatcher would. A doubt stops everything, and is raised when all stands."""
        planner = Planner(self.track, self.wiring, self.allow, couple_up=self.couple_up)
        planner.rehearse(self.belief, runs)
        try:
            for step in planner.preparation(runs):
                self.carry_out(step)
            self.carry_out(planner.proving(self.belief, runs[0].locomotive))
            for job in planner.jobs(runs):
                self.run, at = job.number, job
                while True:
                    step, at = planner.next_step(self.belief, at)
                    if step is None:
                        break
                    self.carry_out(step)
                    if self.followed:
                        at = self._once_more(step, at)
                self.belief = replace(self.belief, position=job.run.after)
        except DoubtError:
            self._stop_everything()
            raise

    def _once_more(self, step: Step, job: Job) -> Job:
        self._doubt(step, f"{job.run.left[-1]} came along and {self.met[0]} may be met" if self.met else "")
        self._doubt(step, f"{job.run.left[-1]} came along" if job.tries >= MOST_TRIES else "")
        self.tries += 1
        return job.again

    def carry_out(self, step: Step) -> None:
        self.trace(f"{self.now_s:8.2f}  {step}")
        refused = reasons_against(self.track, self.belief, step, Surroundings())
        assert not refused, refused
        self.before(self, step)
        match step:
            case TurnoutStep():
                self._rail(step, lambda: self.world.throw(step.turnout, step.leg, 0.99))
                self._wait(step, step.wait_s)
                self.belief = self.belief.with_turnout(step.turnout, step.leg)
            case UncoupleStep():
                self._rail(step, lambda: self.world.set_magnet(step.uncoupler, True))
                self._wait(step, step.hold_s)
                self._rail(step, lambda: self.world.set_magnet(step.uncoupler, False))
                self._wait(step, 0.1)
                self.belief = self.belief.with_parted(step.kept, step.left)
            case DriveStep():
                self._drive(step)

    # ------------------------------------------------------------ for a test that spoils something

    def report(self, beam: str, active: bool) -> None:
        """A report that comes at this moment, whatever the beam really sees."""
        self._reports.append(SensorChanged(self.now_s, beam, active))

    def later(self, delay_s: float, act: Callable[[], Any]) -> None:
        """Do something when so much time has passed."""
        self._count += 1
        heapq.heappush(self._queue, (self.now_s + delay_s, self._count, act))

    # ------------------------------------------------------------ inside

    def _drive(self, step: DriveStep) -> None:
        engine = self.track.locomotives[step.locomotive]
        drive = begin(step, engine, self.belief.beams, self.ratios, self.now_s, self.allow)
        while True:
            self._doubt(step, drive.doubt)
            drive, advice = advise(drive, self.now_s)
            self._doubt(step, drive.doubt)
            self.watch(self, drive)
            if drive.phase is Phase.STANDING:
                break
            if advice.order is not None:
                order = advice.order
                drive = ordered(drive, order, self.now_s)
                self._rail(step, lambda order=order: self.world.set_throttle(step.locomotive, step.forward, order))
            else:
                self._pass_until(advice.again_s)
            for report in self._taken():
                drive = fold(drive, report)
                self.watch(self, drive)
                self._doubt(step, drive.doubt)
        self.ratios = dict(drive.ratios)
        self.followed, self.met = drive.followed, may_have_met(self.belief, drive)
        self.belief = after(self.belief, drive)

    def _doubt(self, step: Step, why: str) -> None:
        if why:
            raise DoubtError(f"{why} (in: {step})")

    def _stop_everything(self) -> None:
        for name in self.track.locomotives:
            self._send(lambda name=name: self.world.set_throttle(name, True, 0, emergency=True))
        until = self.now_s + 3.0
        while self.now_s < until:
            self._pass_until(until)
            self._taken()

    def _rail(self, step: Step, act: Callable[[], Any]) -> None:
        if not self.lost(step):
            self._send(act)

    def _send(self, act: Callable[[], Any]) -> None:
        self._rail_s = max(self._rail_s, self.now_s + self.dice.uniform(0.0, 0.010) + self.dice.uniform(0.0149, 0.073))
        self.later(self._rail_s - self.now_s, act)

    def _taken(self) -> list[SensorChanged]:
        """The reports that have come and say something new, noted in the belief."""
        taken = []
        for report in self._reports:
            if self.belief.beams[report.sensor] is not report.active:
                self.belief = self.belief.with_beam(report.sensor, report.active)
                taken.append(report)
        self._reports = []
        return taken

    def _wait(self, step: Step, seconds: float) -> None:
        until = self.now_s + seconds
        while self.now_s < until:
            self._pass_until(until)
            for report in self._taken():
                now = "broken" if report.active else "freed"
                self._doubt(step, f"beam {report.sensor} was {now} while everything stood")

    def _pass_until(self, t_s: float) -> None:
        """Let time pass to t_s, or to the first report, whichever comes first."""
        while self.now_s < t_s and not self._reports:
            due = self._queue[0][0] if self._queue else inf
            event = self.world.next_event_s()
            upto = min(t_s, due, event if event is not None else inf)
            for happened in self.world.advance(upto):
                if isinstance(happened, BeamChanged) and happened.beam not in self.deaf:
                    seen = happened
                    took_s = self.dice.uniform(0.010, 0.020) + self.dice.uniform(0.0, 0.010)
                    self._report_s = max(self._report_s, seen.t_s + took_s)
                    self.later(
                        max(0.0, self._report_s - self.now_s),
                        lambda seen=seen: self.report(seen.beam, seen.broken),
                    )
            self.now_s = upto
            while self._queue and self._queue[0][0] <= self.now_s:
                heapq.heappop(self._queue)[2]()
