"""From runs to steps.

The planner is asked for one step at a time, with the belief of that moment (``next_step``); ``rehearse`` asks it for a
whole plan beforehand, with the belief that a faultless execution would leave, so that a run which the real lengths
forbid is refused before anything moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from pointsman.errors import RefusedError
from pointsman.operate.allowances import Allowances, reach_mm
from pointsman.operate.belief import Belief
from pointsman.operate.interlocking import touched_turnouts
from pointsman.operate.needs import boundary, furthest_mm, need_of, seen_needs
from pointsman.operate.office import Office
from pointsman.operate.parting import draw_step, set_back_step, slack_step, to_part, uncouple_step
from pointsman.operate.settle import moved
from pointsman.operate.steps import DriveStep, Job, Stage, Step, TurnoutStep, UncoupleStep, Zone
from pointsman.operate.stopping import Need, Stop
from pointsman.operate.sweep import Sweep
from pointsman.puzzle.journey import towards_after, train_after
from pointsman.puzzle.moves import Run, train_of
from pointsman.puzzle.moves import runs as moves
from pointsman.puzzle.position import Position
from pointsman.track.model import End, Leg, Side, Track
from pointsman.track.path import following
from pointsman.track.wiring import TurnoutKind, Wiring


def jobs(runs: Sequence[Run]) -> list[Job]:
    """The runs of a plan, numbered from 1, each with the one that follows it."""
    following: list[Run | None] = [*runs[1:], None]
    return [Job(number, run, upcoming) for number, (run, upcoming) in enumerate(zip(runs, following, strict=False), 1)]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """One step of a rehearsal: the run it belongs to (0 for the preparation), and the belief before it."""

    run: int
    step: Step
    before: Belief


class Planner:
    """Turns runs into steps on one layout with one set of hardware.

    ``cap_mm_s`` is a lower speed limit for hardware without a relay in the track feed. ``couple_up``: the goal asks for
    the locomotive's train, so the last run meets everything that stands in its segment.
    """

    def __init__(
        self,
        track: Track,
        wiring: Wiring,
        allow: Allowances,
        cap_mm_s: float | None = None,
        *,
        couple_up: bool = False,
    ) -> None:
        self._office = Office(track, wiring, allow, min(cap_mm_s or track.speeds.limit, track.speeds.limit))
        self._couple_up = couple_up

    @property
    def office(self) -> Office:
        """What its steps are drawn with."""
        return self._office

    def next_step(self, belief: Belief, job: Job) -> tuple[Step | None, Job]:
        """The next step of a run, and the job as it stands once that step is done; None when the run is done.

        Raises RefusedError when the real lengths forbid it.
        """
        try:
            _check_passed_once(job.run)
            while job.stage is not Stage.DONE:
                step = self._step(belief, job)
                if step is not None:
                    return step, job if isinstance(step, TurnoutStep) else job.next
                skips = job.stage is Stage.PART and not to_part(self._office, belief, job)
                job = job.at(Stage.DRIVE) if skips else job.next
        except RefusedError as refusal:
            where = f"run {job.number} ({job.run})"
            raise RefusedError(refusal.reasons, where=where, cure=refusal.cure, run=job.number) from refusal
        return None, job

    def preparation(self, runs: Sequence[Run]) -> list[TurnoutStep]:
        """Every turnout, commanded once, one after the other: as the first run needs it, the others closed.

        Those at the locomotive's own segment lie for it: the proving move may come out a little.
        """
        if not runs:
            return self.settings({})
        own = self.lying_for(runs[0].before, runs[0].locomotive)
        return self.settings({**own, **dict(runs[0].legs)})

    def lying_for(self, position: Position, locomotive: str) -> dict[str, Leg]:
        """How the turnouts at a locomotive's own segment lie for it."""
        here = self._office.track.segments.get(position.where(locomotive)[0])
        met = [joint for end in End if here is not None and (joint := here.meets(end)) is not None]
        return {joint.turnout: Leg(joint.side) for joint in met if joint.side is not Side.TOE}

    def settings(self, legs: Mapping[str, Leg]) -> list[TurnoutStep]:
        """Every turnout, commanded once, one after the other: as given, the others closed."""
        return [self.setting(t, legs.get(t, Leg.CLOSED)) for t in self._office.track.turnouts]

    def proving(self, belief: Belief, locomotive: str) -> DriveStep:
        """The first movement: creep to the nearest beam, to prove which way the locomotive faces and where it is.

        Raises RefusedError when it has no beam ahead of it either way.
        """
        office = self._office
        choices = []
        for towards in End:
            swept = office.sweep_of(belief, locomotive, towards, {})
            edges = [e for e in swept.edges if e.vehicle == swept.head.vehicle and e.active]
            edges = [e for e in edges if e.c_mm >= swept.start_low_mm]
            if edges:
                choices.append((edges[0].c_mm - swept.start_low_mm, swept, edges[0]))
        if not choices:
            raise RefusedError(
                [f"{locomotive} on {belief.spots[locomotive].place.element} has no beam ahead of it either way"],
                cure="stand the locomotive where it can reach a beam, then start again",
            )
        _, swept, edge = min(choices, key=lambda choice: choice[0])
        engine = office.track.locomotives[locomotive]
        creep = office.nominal_mm_s(engine, office.track.speeds.creep)
        limit = min(edge.c_mm + office.allow.proving_mm, furthest_mm(swept, 0.0))
        reach = reach_mm(creep, engine.braking_mm_s2, office.allow)
        stop = Stop(
            target_mm=edge.c_mm + reach,
            low_mm=edge.c_mm,
            high_mm=limit,
            limit_mm=limit,
            short_mm=reach,
            long_mm=2 * reach,
            speed_mm_s=creep,
            edge=edge,
            why=f"the nearest beam is {edge.beam}",
        )
        # Nothing is known for sure before the locomotive is proved: no other edge is expected.
        swept = replace(swept, edges=(edge,))
        text = f"prove {locomotive}: creep towards beam {edge.beam}"
        return office.drive(belief, swept, stop, [], text, proves=True)

    def jobs(self, runs: Sequence[Run]) -> list[Job]:
        """The runs of a plan as jobs; the last one leaves what it need not take along.

        A wagon that the model has the train drag within its segment would be drawn out of it by a real locomotive.
        """
        if not runs:
            return []
        last = runs[-1]
        same = [r for r in moves(self._office.track, last.before, last.locomotive) if _alike(r, last)]
        found = jobs([*runs[:-1], max(same, key=lambda run: len(run.left), default=last)])
        return [*found[:-1], replace(found[-1], couples_up=self._couple_up)]

    def rehearse(self, belief: Belief, runs: Sequence[Run], *, under_way: bool = False) -> list[Rehearsed]:
        """Every step of a plan, from set-up to the end; RefusedError for the first run that cannot be carried out.

        ``under_way``: everything is proved and set by now, and the first run begins from the belief.
        """
        done = [] if under_way else self._prepared(belief, runs)
        if done:
            belief = foreseen(done[-1].before, done[-1].step)
        for job in self.jobs(runs):
            belief = self._rehearse(belief, job, done)
        return done

    def rehearse_first(self, belief: Belief, runs: Sequence[Run]) -> None:
        """The first run of a plan under way alone; RefusedError when it cannot be carried out from the belief."""
        for job in self.jobs(runs)[:1]:
            self._rehearse(belief, job, [])

    def _rehearse(self, belief: Belief, job: Job, done: list[Rehearsed]) -> Belief:
        """One run; its steps go to the others, and what it would leave is told."""
        at = job
        while True:
            step, at = self.next_step(belief, at)
            if step is None:
                return replace(belief, position=job.run.after)
            done.append(Rehearsed(job.number, step, belief))
            belief = foreseen(belief, step)

    def _prepared(self, belief: Belief, runs: Sequence[Run]) -> list[Rehearsed]:
        """What comes before the first run: every turnout is set once, and the locomotive is proved."""
        done: list[Rehearsed] = []
        for step in self.preparation(runs):
            done.append(Rehearsed(0, step, belief))
            belief = foreseen(belief, step)
        return [*done, Rehearsed(0, self.proving(belief, runs[0].locomotive), belief)] if runs else done

    def _step(self, belief: Belief, job: Job) -> Step | None:
        match job.stage:
            case Stage.TURNOUTS:
                return self._turnout_step(belief, job)
            case Stage.PART:
                return draw_step(self._office, belief, job)
            case Stage.SLACK:
                return slack_step(self._office, belief, job)
            case Stage.SET_BACK:
                return set_back_step(self._office, belief, job)
            case Stage.UNCOUPLE:
                return uncouple_step(self._office, belief, job)
            case _:
                return self._main_step(belief, job)

    def setting(self, turnout: str, leg: Leg) -> TurnoutStep:
        """The step that sets a turnout."""
        wired = self._office.wiring.turnouts[turnout]
        if wired.kind is TurnoutKind.HAND:
            return TurnoutStep(turnout, leg, wired.move_time_s, inf, by_hand=True)
        wait = wired.move_time_s
        return TurnoutStep(turnout, leg, wait, 2 * wait + 5.0)

    def _turnout_step(self, belief: Belief, job: Job) -> Step | None:
        for turnout, leg in job.run.legs:
            if belief.commanded.get(turnout) is not leg:
                return self.setting(turnout, leg)
        for turnout, leg in self._beyond(belief, job):
            if belief.commanded.get(turnout) is not leg and self._free(belief, turnout):
                return self.setting(turnout, leg)
        return None

    def _beyond(self, belief: Belief, job: Job) -> list[tuple[str, Leg]]:
        """Points beyond a run's own that had better lie for it: a real train is longer than the model's stop says.

        A run that goes on the same way needs them next; and vehicles met at the far end of a segment may be pushed
        a little over its end.
        """
        office, run, upcoming = self._office, job.run, job.following
        if upcoming is None:
            return []
        own = dict(run.legs)
        if upcoming.towards is towards_after(office.track, run):
            return [(turnout, leg) for turnout, leg in upcoming.legs if turnout not in own]
        front = train_after(office.track, run).places[-1]
        if front.leg is not None:
            return []
        beyond = following(office.track, front, belief.lies(office.track))
        if beyond is None or beyond.leg is None or beyond.element in own:
            return []
        return [(beyond.element, beyond.leg)]

    def _free(self, belief: Belief, turnout: str) -> bool:
        """Whether a turnout that need not move could."""
        track = self._office.track
        return belief.position.on_turnout(turnout) is None and not any(
            turnout in touched_turnouts(track, belief, vehicle) for vehicle in belief.spots
        )

    def _meeting(self, swept: Sweep, need: Need) -> Stop:
        """A stop beyond a contact: at coupling speed, or at a creep where the room is too short for that."""
        speeds = self._office.track.speeds
        try:
            return self._office.stop_of(swept, need, speeds.coupling)
        except RefusedError:
            return self._office.stop_of(swept, need, speeds.creep)

    def _standing_clear(self, belief: Belief, swept: Sweep, job: Job, need: Need) -> Stop:
        """A stop without a contact, where the room allows so far that what was drawn over points has been seen."""
        office, creep = self._office, self._office.track.speeds.creep
        for farther in seen_needs(office.track, belief, swept, job.run, job.following, need):
            with suppress(RefusedError):
                return office.stop_of(swept, farther, creep)
        return office.stop_of(swept, need, creep)

    def _main_step(self, belief: Belief, job: Job) -> Step:
        office, run = self._office, job.run
        swept = office.sweep_of(belief, run.locomotive, run.towards, dict(run.legs), run)
        _check_coupled(office.track, belief, swept, run)
        need = need_of(office.track, office.allow, belief, swept, run, job.following, couples_up=job.couples_up)
        speeds = office.track.speeds
        stop = self._meeting(swept, need) if need.contact else self._standing_clear(belief, swept, job, need)
        train = " ".join(b.vehicle for b in swept.bodies if b.in_train)
        front = train_after(office.track, run).places[-1]
        text = f"drive {train} {'to couple up in' if need.contact else 'to'} {front.element}"
        step = office.drive(belief, swept, stop, contacts(swept, stop, speeds.coupling, belief.coupled), text)
        return replace(step, dragging=self._dragging(belief, job, swept))

    def _dragging(self, belief: Belief, job: Job, swept: Sweep) -> Sweep | None:
        """The sweep with what the run leaves, as long as it stands where it was parted."""
        run = job.run
        if not run.left or frozenset(boundary(self._office.track, run)) not in belief.parted:
            return None
        whole = self._office.sweep_of(belief, run.locomotive, run.towards, dict(run.legs))
        return whole if {body.vehicle for body in whole.bodies} > {body.vehicle for body in swept.bodies} else None


def _check_passed_once(run: Run) -> None:
    """Points are set before a run, so it cannot need them both ways, and no line leads over them twice."""
    turnouts = [turnout for turnout, _ in run.legs]
    twice = sorted({turnout for turnout in turnouts if turnouts.count(turnout) > 1})
    if twice:
        raise RefusedError([f"it passes {' '.join(twice)} more than once"], cure="stop before it, and go on from there")


def _check_coupled(track: Track, belief: Belief, swept: Sweep, run: Run) -> None:
    """What the train draws behind its locomotive must not have been parted from it, or stand apart."""
    kept = train_of(track, run.before, run.locomotive, run.towards).vehicles[len(run.left) :]
    there = {body.vehicle for body in swept.bodies}
    apart = [v for v in kept if v not in there and run.before.where(v) != run.after.where(v)]
    if apart:
        raise RefusedError([f"{' '.join(apart)} should be drawn along, and stands apart"], cure="couple it up first")
    drawn = swept.bodies[: [b.vehicle for b in swept.bodies].index(swept.locomotive) + 1]
    for far, near in pairwise(drawn):
        if frozenset((near.vehicle, far.vehicle)) in belief.parted:
            raise RefusedError(
                [f"{far.vehicle} was parted from {near.vehicle}, and they have not been apart and met again since"],
                cure="drive clear of it first, then couple up",
            )


def _alike(one: Run, other: Run) -> bool:
    """Whether two runs lead the same way to the same position."""
    return (one.towards, one.legs, one.after) == (other.towards, other.legs, other.after)


def foreseen(belief: Belief, step: Step) -> Belief:
    """The belief that a faultless execution of a step would leave."""
    match step:
        case TurnoutStep():
            return belief.with_turnout(step.turnout, step.leg)
        case UncoupleStep():
            return belief.with_parted(step.kept, step.left)
        case DriveStep():
            stop = step.stop
            low = stop.target_mm - stop.short_mm
            low = max(low, stop.edge.c_mm) if stop.edge is not None else low
            high = stop.target_mm + stop.long_mm
            for edge in step.sweep.edges:
                if edge.c_mm <= low + 0.01:
                    belief = belief.with_beam(edge.beam, edge.active)
            return moved(belief, step, low, high)


def contacts(swept: Sweep, stop: Stop, coupling_mm_s: float, coupled: frozenset[frozenset[str]]) -> list[Zone]:
    """Coupling speed from the first place at which a vehicle that is not coupled up can be met."""
    meets, loose = [], False
    for near, far in pairwise(swept.bodies):
        # Behind the locomotive nothing is met.
        loose = loose or (far.offset_mm > 0 and frozenset((near.vehicle, far.vehicle)) not in coupled)
        if loose:
            meets.append(far.rest_low_mm - far.offset_mm)
    close = [c - 5.0 for c in meets if c < stop.target_mm + stop.long_mm]
    return [Zone(max(min(close), swept.start_low_mm), coupling_mm_s)] if close else []
