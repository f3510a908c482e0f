"""The course of a calibration: passes to and fro between two beams, step by step upwards.

``Course.next_step`` is asked for one drive at a time, with the belief of that moment and the drive that has just
ended. How fast a step really is, is known beforehand only as far as the steps below it say, and no step is tried that
might be faster than allowed. The first pass of a step in each direction may therefore have to slow down before the
second beam: it *sounds* the speed, over the locomotive's own length at the first beam, for the passes that follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.calibration import ATTEMPTS, DRIFT, PASSES, Measured, measured, reason_against
from pointsman.operate.motion import Ratio
from pointsman.operate.office import Office, decoder_forward
from pointsman.operate.plan import Planner
from pointsman.operate.section import Section, run_up_mm, slow_after_mm
from pointsman.operate.steps import DriveStep, TurnoutStep, Zone
from pointsman.operate.stopping import Need, plan_stop
from pointsman.operate.sweep import Sweep
from pointsman.operate.tracker import Drive, RatioKey
from pointsman.puzzle.position import Position
from pointsman.track.driven import as_driven
from pointsman.track.model import End, Locomotive, Track
from pointsman.track.wiring import Wiring

STEPS = 5
"""Speed steps that are measured, spread evenly from the lowest to the fastest allowed."""
UNTESTED = 0.5
"""A table that nobody has tested may be this far off; so may what it says that a higher step adds."""
MUCH_SLOWER = 0.7
"""A higher step that is slower than this part of a lower one is no longer waited for."""
LEAST_RISE = 0.08
"""A step that should be faster by less than this part than the one below is left out."""
ALLOW = Allowances(wavering=0.03)
"""Passes are to show how steadily a locomotive runs: one that wavers a little is no reason to stop everything."""
KEEP_FROM_END_MM = 2.0
"""Nearer to the end of the line than this is an accident."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """One attempt at a step that came to nothing, and why."""

    step: int
    why: str


@dataclass(slots=True)
class _Attempt:
    """The step that is being measured; ``low_mm_s``..``high_mm_s`` is what its true speed can be.

    ``sounded`` is the same by the decoder's direction, once the first pass has told; ``passes`` are those timed.
    """

    step: int
    low_mm_s: float
    high_mm_s: float
    number: int = 1
    passes: dict[bool, list[float]] = field(default_factory=lambda: {True: [], False: []})
    sounded: dict[bool, tuple[float, float]] = field(default_factory=dict)

    def bounds_mm_s(self, forward: bool) -> tuple[float, float]:
        """What the true speed can be in a direction."""
        return self.sounded.get(forward, (self.low_mm_s, self.high_mm_s))

    @property
    def done(self) -> bool:
        """Whether there are passes enough in both directions."""
        return min(len(speeds) for speeds in self.passes.values()) >= PASSES


class Course:
    """Measures a locomotive on a section. It outlives a stop: measured is measured, and what was under way is not.

    ``track`` is the layout with what is known of the locomotive so far; ``cap_mm_s`` the fastest that anything may go.
    """

    def __init__(self, track: Track, wiring: Wiring, locomotive: str, section: Section, cap_mm_s: float) -> None:
        track = as_driven(track, wiring)
        engine = untested(track.locomotives[locomotive])
        self.track = replace(track, locomotives={**track.locomotives, locomotive: engine})
        self.locomotive = locomotive
        self.section = section
        self.measured: list[Measured] = []
        self.rejected: list[Rejection] = []
        self.left_out: list[str] = []
        self._engine = engine
        self.allow = self._allow = replace(ALLOW, proving_mm=_proving_mm(section, engine))
        self._cap_mm_s = min(cap_mm_s, track.speeds.limit)
        self._office = Office(self.track, wiring, self._allow, self._cap_mm_s)
        self._planner = Planner(self.track, wiring, self._allow, self._cap_mm_s)
        self._tried = 0
        self._attempt: _Attempt | None = None
        self._passing = False
        self._aim()

    # ------------------------------------------------------------ for the dispatcher

    def opening(self) -> list[TurnoutStep]:
        """Every turnout, commanded once: those of the line as it needs them, the others closed."""
        return self._planner.settings(self.section.legs)

    def proving(self, belief: Belief) -> DriveStep:
        """The first movement, at a creep to the nearest beam. Raises RefusedError when there is none to be had."""
        return self._planner.proving(belief, self.locomotive)

    def next_step(self, belief: Belief, driven: Drive | None) -> DriveStep | None:
        """The next drive; None when everything has been measured, or rejected. ``driven`` has just ended.

        Raises RefusedError when there is no room for it on the line.
        """
        if driven is not None and self._passing:
            self._take(driven)
        self._passing = False
        if self._attempt is None:
            return None
        low, high = self._stands(belief)
        run_up = run_up_mm(self._attempt.high_mm_s, self._engine, self._allow) + self._engine.body_mm / 2
        for up in (True, False):
            if high <= self.section.near_mm - run_up if up else low >= self.section.far_mm + run_up:
                self._passing = True
                return self._pass(belief, self._attempt, up)
        middle = (self.section.near_mm + self.section.far_mm) / 2
        return self._step_back(belief, self._attempt, up=(low + high) / 2 > middle)

    def stalled(self, drive: Drive | None) -> str:
        """Take in that everything was stopped because an edge of a pass did not come in its time; what to say of it.

        Empty when that is not why: then the calibration is over.
        """
        attempt = self._attempt
        if not self._passing or attempt is None or drive is None or drive.mistimed is None:
            return ""
        self._passing = False
        edge = drive.mistimed
        if edge in drive.expected and drive.envelope.slow.x_mm > edge.c_mm:
            what = "break" if edge.active else "leave"
            why = f"it did not {what} beam {edge.beam} in the expected time: it stood still, or the beam is dead"
        else:
            why = f"it did not keep the speed that was foreseen: {drive.doubt}"
        self._reject(attempt, why)
        return why

    def placed(self, belief: Belief) -> Belief:
        """The belief with the model's position where the locomotive has come to stand."""
        place = belief.spots[self.locomotive].place
        if place.leg is None:
            return replace(belief, position=Position.of(self.track, {place.element: (self.locomotive,)}))
        return replace(belief, position=Position.of(self.track, {}, {place.element: (self.locomotive, place.leg)}))

    @property
    def over(self) -> bool:
        """Whether nothing is left to be measured."""
        return self._attempt is None

    @property
    def number(self) -> int:
        """Which of the speed steps is being measured, from 1; 0 when none is."""
        return 0 if self._attempt is None else self._tried

    @property
    def known(self) -> dict[RatioKey, Ratio]:
        """What is known beforehand of the true speeds, over those of the table."""
        found: dict[RatioKey, Ratio] = {}
        for sound in self.measured:
            unsure = DRIFT + sound.spread / 2
            for forward, mm_s in ((True, sound.forward_mm_s), (False, sound.reverse_mm_s)):
                ratio = mm_s / self._engine.speeds.speed_mm_s(sound.step)
                found[self.locomotive, forward, sound.step] = Ratio(ratio * (1 - unsure), ratio * (1 + unsure))
        if self._attempt is not None and self._attempt.step not in {sound.step for sound in self.measured}:
            nominal = self._engine.speeds.speed_mm_s(self._attempt.step)
            for forward in (True, False):
                low_mm_s, high_mm_s = self._attempt.bounds_mm_s(forward)
                found[self.locomotive, forward, self._attempt.step] = Ratio(low_mm_s / nominal, high_mm_s / nominal)
        return found

    # ------------------------------------------------------------ which step

    def _aim(self) -> None:
        """Choose the next step upwards."""
        table = self._engine.speeds
        first = self._lowest
        if self._tried == 0:
            nominal = table.speed_mm_s(first)
            self._attempt = _Attempt(first, nominal * (1 - UNTESTED), nominal * (1 + UNTESTED))
            self._tried = 1
            return
        last = self._attempt.step if self._attempt is not None else first
        self._attempt = None
        if not self.measured:
            return  # every stop is made at the lowest step: without it nothing can be measured
        ceiling = min(self._cap_mm_s, self.section.top_mm_s)
        begin = self.measured[0].mean_mm_s
        while self._tried < STEPS and self._attempt is None:
            wanted = begin + (ceiling - begin) * self._tried / (STEPS - 1)
            self._tried += 1
            foreseen = [
                found for step in table.sendable if step > last and (found := self._foreseen(step, wanted)) is not None
            ]
            fitting = [
                found
                for found in foreseen
                if found.high_mm_s <= ceiling and table.speed_mm_s(found.step) <= self._cap_mm_s
            ]
            self._attempt = fitting[-1] if fitting else None
            if not fitting:
                why = (
                    f"step {foreseen[0].step} could be faster than {ceiling:.0f} mm/s"
                    if foreseen
                    else f"no step up to {wanted:.0f} mm/s is clearly faster than step {self.measured[-1].step}"
                )
                self.left_out.append(f"speed {self._tried} of {STEPS}: {why}")

    def _foreseen(self, step: int, wanted_mm_s: float) -> _Attempt | None:
        """A step with what its true speed can be, after the last one that was measured.

        None when it should be faster than wanted, or hardly faster than that one.
        """
        sound, table = self.measured[-1], self._engine.speeds
        below = table.speed_mm_s(sound.step)
        more = (table.speed_mm_s(step) - below) * sound.mean_mm_s / below
        if not LEAST_RISE * sound.mean_mm_s <= more <= wanted_mm_s - sound.mean_mm_s:
            return None
        slower, faster = sorted((sound.forward_mm_s, sound.reverse_mm_s))
        return _Attempt(step, slower * MUCH_SLOWER, faster * (1 + DRIFT) + more * (1 + UNTESTED))

    def _take(self, driven: Drive) -> None:
        """Take in a pass that has ended."""
        attempt = self._attempt
        assert attempt is not None
        up = self._upwards(driven.step.sweep)
        first, second = (self.section.near, self.section.far) if up else (self.section.far, self.section.near)
        forward = driven.step.forward
        mm_s = timed_mm_s(driven, first, second, self.section.distance_mm)
        sounding = forward not in attempt.sounded
        if sounding:
            before, ratio = self.known[self.locomotive, forward, attempt.step], driven.ratio(attempt.step)
            if ratio == before:
                self._reject(attempt, f"its speed could not be taken at beam {first}: it is not what was foreseen")
                return
            nominal = self._engine.speeds.speed_mm_s(attempt.step)
            attempt.sounded[forward] = (ratio.low * nominal, ratio.high * nominal)
        if mm_s is not None:
            attempt.passes[forward].append(mm_s)
        elif not sounding:
            self._reject(attempt, "it had not come to a steady speed between the beams")
            return
        if not attempt.done:
            return
        found = measured(attempt.step, attempt.passes[True], attempt.passes[False])
        why = reason_against(found, self.measured[-1] if self.measured else None)
        if why:
            self._reject(attempt, why)
        else:
            self.measured.append(found)
            self._aim()

    def _reject(self, attempt: _Attempt, why: str) -> None:
        self.rejected.append(Rejection(attempt.step, why))
        if attempt.number < ATTEMPTS:
            self._attempt = _Attempt(attempt.step, attempt.low_mm_s, attempt.high_mm_s, attempt.number + 1)
        else:
            self._aim()

    # ------------------------------------------------------------ drives

    def _pass(self, belief: Belief, attempt: _Attempt, up: bool) -> DriveStep:
        """One pass at the attempt's speed, slowed to a creep once the second beam has surely been seen."""
        swept, beams_mm, direction = self._swept(belief, up)
        half = self._engine.body_mm / 2
        low_mm_s, high_mm_s = attempt.bounds_mm_s(direction)
        ahead_mm = self.section.distance_mm * (high_mm_s / low_mm_s - 1) if direction in attempt.sounded else 0.0
        slow_mm = beams_mm[1] - half + slow_after_mm(high_mm_s, ahead_mm, self._engine, self._allow)
        run_up = run_up_mm(attempt.high_mm_s, self._engine, self._allow)
        least_mm = max(beams_mm[1] + half + run_up, slow_mm)
        done = len(attempt.passes[direction])
        number = f"pass {done + 1}" if direction in attempt.sounded else "a first pass"
        text = (
            f"measure {self.locomotive} at step {attempt.step}, {'forward' if direction else 'reverse'}, "
            f"{number}{' (again)' if attempt.number > 1 else ''}"
        )
        zones = [Zone(swept.start_low_mm, self._engine.speeds.speed_mm_s(attempt.step))]
        if attempt.step != self._lowest:
            zones.append(Zone(slow_mm, self._creep_mm_s))
        return self._drive(belief, swept, least_mm, zones, text)

    def _step_back(self, belief: Belief, attempt: _Attempt, up: bool) -> DriveStep:
        """At a creep to one end of the line, so far that there is room to gather the attempt's speed."""
        swept, beams_mm, _ = self._swept(belief, up)
        run_up = run_up_mm(attempt.high_mm_s, self._engine, self._allow) + self._engine.body_mm / 2
        text = f"take {self.locomotive} beyond beam {self.section.far if up else self.section.near}"
        zones = [Zone(swept.start_low_mm, self._creep_mm_s)]
        return self._drive(belief, swept, beams_mm[1] + run_up, zones, text)

    def _drive(self, belief: Belief, swept: Sweep, least_mm: float, zones: list[Zone], text: str) -> DriveStep:
        """A drive to a stop at a creep, beyond ``least_mm`` and on the line. Raises RefusedError without room."""
        away_mm = self._away_mm(swept)
        high, limit = away_mm, away_mm + self._allow.buffer_mm - KEEP_FROM_END_MM
        need = Need(least_mm, high, limit, why=(f"{self.locomotive} must stand beyond the beam, clear of the end",))
        creep, error = self._creep
        stop = plan_stop(swept, need, self._engine, creep, error, self._allow)
        slowest_s = (stop.target_mm + stop.long_mm - swept.start_low_mm) / (creep * (1 - error))
        return DriveStep(
            locomotive=self.locomotive,
            forward=decoder_forward(belief, swept),
            sweep=swept,
            zones=tuple(zones),
            stop=replace(stop, speed_mm_s=self._creep_mm_s),
            deadline_s=slowest_s + 3.0,
            text=text,
        )

    @property
    def _lowest(self) -> int:
        return self._engine.speeds.sendable[0]

    @property
    def _creep_mm_s(self) -> float:
        """What the table says of the lowest step, at which every stop is made."""
        return self._engine.speeds.speed_mm_s(self._lowest)

    @property
    def _creep(self) -> tuple[float, float]:
        """The true speed of the lowest step, and how far it may be off."""
        if not self.measured:
            return self._creep_mm_s, self._engine.speed_error
        lowest = self.measured[0]
        return lowest.mean_mm_s, lowest.half_difference + lowest.spread / 2 + DRIFT

    # ------------------------------------------------------------ the line

    def _swept(self, belief: Belief, up: bool) -> tuple[Sweep, tuple[float, float], bool]:
        """The sweep up or down the line, the first and the second beam on it, and the decoder's direction."""
        element = belief.position.where(self.locomotive)[0]
        along = next(s for s in self.section.path.stretches if s.element == element)
        towards = End.TO if along.forward is up else End.FROM
        swept = self._office.sweep_of(belief, self.locomotive, towards, self.section.legs)
        first, second = (self.section.near, self.section.far) if up else (self.section.far, self.section.near)
        places = [swept.path.coordinate(self.track.beams[beam].place) for beam in (first, second)]
        assert places[0] is not None, "the beams stand on the line"
        assert places[1] is not None, "the beams stand on the line"
        return swept, (places[0], places[1]), decoder_forward(belief, swept)

    def _upwards(self, swept: Sweep) -> bool:
        near = swept.path.coordinate(self.track.beams[self.section.near].place)
        far = swept.path.coordinate(self.track.beams[self.section.far].place)
        assert near is not None, "the beams stand on the line"
        assert far is not None, "the beams stand on the line"
        return near < far

    def _away_mm(self, swept: Sweep) -> float:
        """How far the locomotive's middle may come on a sweep."""
        section = self.section
        far = swept.path.coordinate(self.track.beams[section.far].place)
        assert far is not None, "the beams stand on the line"
        if self._upwards(swept):
            return far + section.high_mm - section.far_mm
        return far + section.far_mm - section.low_mm

    def _stands(self, belief: Belief) -> tuple[float, float]:
        """Between which coordinates of the line the locomotive's middle stands."""
        spot = belief.spots[self.locomotive]
        at = self.section.path.coordinate(spot.place)
        assert at is not None, "the locomotive stays on the line"
        return at - spot.error_mm, at + spot.error_mm


def untested(engine: Locomotive) -> Locomotive:
    """A locomotive whose table nobody trusts yet."""
    return replace(engine, speed_error=max(UNTESTED, engine.speed_error), by_direction=None)


def _proving_mm(section: Section, engine: Locomotive) -> float:
    """How far beyond its edge the proving move may go on, by the table: a slow locomotive needs longer for the way.

    But a locomotive that is fast, and goes the wrong way, must not come to the end of the line meanwhile.
    """
    middle = section.path.coordinate(replace(engine.mark, at_mm=engine.mark.at_mm - engine.length_mm / 2))
    assert middle is not None, "the mark is on the line"
    away_mm = min(abs(middle - section.near_mm), abs(middle - section.far_mm))
    way_mm = away_mm - engine.body_mm / 2 + ALLOW.mark_error_mm
    room_mm = min(middle - section.low_mm, section.high_mm - middle)
    return max(ALLOW.proving_mm, min(way_mm * UNTESTED, (room_mm - ALLOW.mark_error_mm) / (1 + UNTESTED) - way_mm))


def timed_mm_s(driven: Drive, first: str, second: str, distance_mm: float) -> float | None:
    """The speed between the edges at which the head came to two beams; None unless it was steady in between."""
    times: Mapping[str, float] = {edge.beam: t_s for edge, t_s in driven.seen if edge.active}
    if first not in times or second not in times:
        return None
    began, ended = times[first], times[second]
    allow = driven.allow
    before = [order for order in driven.orders if order.t_s < ended]
    if len(before) != 1 or began - allow.sensor_max_s - allow.host_max_s < before[0].steady_s:
        return None
    return distance_mm / (ended - began)
