"""Following a drive by its evidence: ``fold(state, event)``, and what to order next: ``advise``.

Pure: time comes in with the events. The tracker never sees the locomotive's true speed; it holds a slowest, a
likeliest and a fastest train, and every expected edge pulls them together. An edge that none of the three can have
caused, or an expected one that even the slowest must have caused and that has not come, sets ``doubt``: then the
caller stops everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf

from pointsman.messages import SensorChanged
from pointsman.operate import coming_along
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.coming_along import edges_behind, rear_with, what_moves
from pointsman.operate.motion import Envelope, Ratio
from pointsman.operate.steps import DriveStep, Zone
from pointsman.operate.sweep import Edge
from pointsman.track.model import Locomotive

TIMED_OVER_MM = 40.0
"""A speed that is timed over less than this is no better known than before."""
NOT_FASTER_WITHIN_MM = 80.0
"""A train that has to slow down so soon is not made faster before."""
LOOK_AGAIN_S = 0.005
"""The drive is looked at so often at most,"""
LOOK_AGAIN_CHANGING_S = 0.02
"""and while the train gathers speed or brakes, where bounds are not moments, at most so often."""

RatioKey = tuple[str, bool, int]
"""Locomotive, decoder direction, speed step."""


class Phase(StrEnum):
    """A drive rolls, then brakes to its stop, then stands."""

    ROLLING = "rolling"
    BRAKING = "braking"
    STANDING = "standing"


@dataclass(frozen=True, slots=True)
class Ordered:
    """A speed step that was ordered, when, and from when on the train surely goes at it."""

    t_s: float
    speed_step: int
    steady_s: float


@dataclass(frozen=True, slots=True)
class Drive:
    """The state of one drive.

    ``rear`` is the last vehicle of which a beam has seen that it comes along, though it was parted, or may have been;
    the drive is then stopped where it is. ``begun`` are the beams at its start.
    ``mistimed`` is the edge that is the doubt: an expected one that came too early or too late, or has not come;
    ``unforeseen`` the beam that is, because nothing that moves should have changed it.
    """

    step: DriveStep
    engine: Locomotive
    allow: Allowances
    began_s: float
    envelope: Envelope
    ratios: Mapping[RatioKey, Ratio]
    expected: tuple[Edge, ...]
    seen: tuple[tuple[Edge, float], ...] = ()
    ordered_step: int = 0
    steady_s: float = inf
    still_s: float = inf
    phase: Phase = Phase.ROLLING
    doubt: str = ""
    rear: str = ""
    begun: Mapping[str, bool] = field(default_factory=dict)
    mistimed: Edge | None = None
    unforeseen: str = ""
    orders: tuple[Ordered, ...] = ()

    def ratio(self, speed_step: int) -> Ratio:
        """What is known of the true speed at a speed step."""
        key = (self.step.locomotive, self.step.forward, speed_step)
        known = self.ratios.get(key)
        return Ratio(*self.engine.speed_bounds(speed_step, self.step.forward)) if known is None else known

    @property
    def followed(self) -> bool:
        """Whether something comes along that was parted, or may have been."""
        return self.rear != ""

    @property
    def edge_seen(self) -> bool:
        """Whether the edge that the stop waits for has come."""
        return self.step.stop.edge is None or any(edge == self.step.stop.edge for edge, _ in self.seen)


@dataclass(frozen=True, slots=True)
class Advice:
    """What to order now (a speed step, 0 to stop, None for nothing) and when to ask again at the latest."""

    order: int | None
    again_s: float


def begin(
    step: DriveStep,
    engine: Locomotive,
    beams: Mapping[str, bool],
    ratios: Mapping[RatioKey, Ratio],
    t_s: float,
    allow: Allowances,
) -> Drive:
    """A drive about to start, with the beams as they are seen now."""
    swept = step.sweep
    rates = (engine.acceleration_mm_s2, engine.braking_mm_s2)
    envelope = Envelope.standing(t_s, swept.start_low_mm, swept.start_high_mm, rates, allow)
    drive = Drive(step, engine, allow, t_s, envelope, ratios, (), begun=dict(beams))
    expected: list[Edge] = []
    for beam in sorted({edge.beam for edge in swept.edges}):
        broken = beams.get(beam, False)
        ahead = [e for e in swept.edges if e.beam == beam and e.c_mm >= swept.start_low_mm - allow.match_mm]
        if any(not e.due for e in swept.edges if e.beam == beam):
            # What has come of these nobody knows, and so the beam cannot contradict anything.
            expected += [replace(e, due=e.due and e.c_mm > swept.start_high_mm) for e in ahead]
            continue
        fitting = _already_come(ahead, broken, swept.start_low_mm, swept.start_high_mm, allow)
        if fitting is None:
            edge = next(e for e in ahead if e.active == broken)
            state = "broken" if broken else "free"
            drive = replace(
                drive, doubt=f"beam {beam} is {state}, though {edge.vehicle} should only make it so further on"
            )
            fitting = 0, 0
        least, most = fitting
        expected += [*(replace(e, due=False) for e in ahead[least:most]), *ahead[most:]]
    return replace(drive, expected=tuple(sorted(expected, key=lambda e: e.c_mm)))


def _already_come(
    ahead: list[Edge], broken: bool, low_mm: float, high_mm: float, allow: Allowances
) -> tuple[int, int] | None:
    """How many edges at a beam have come before the start, at least and at most; None when its state fits no number.

    An edge within the doubt about where the train stands has either come or not, and the beam tells. Where two numbers
    fit, as on both sides of a gap, what lies between has come or has not; where none fits well, the best is taken.
    """
    middle = (low_mm + high_mm) / 2

    def misfit(come: int, low: float, high: float) -> float:
        # What is not sure may have come wherever the locomotive is: it was caused while something else moved it.
        early = sum(max(0.0, e.c_mm - high) for e in ahead[:come] if e.sure)
        return early + sum(max(0.0, low - e.c_mm) for e in ahead[come:])

    fitting = [
        come
        for come in range(len(ahead) + 1)
        if (come == len(ahead) or ahead[come].active is not broken)
        and all(e.c_mm <= high_mm + allow.match_mm for e in ahead[:come] if e.sure)
    ]
    if not fitting:
        return None
    best = min(fitting, key=lambda n: (misfit(n, low_mm, high_mm), misfit(n, middle, middle)))
    alike = [n for n in fitting if misfit(n, low_mm, high_mm) <= allow.edge_mm]
    return min([best, *alike]), max([best, *alike])


def fold(drive: Drive, event: SensorChanged) -> Drive:
    """The drive after a beam changed."""
    allow = drive.allow
    envelope = drive.envelope.at(event.t_s)
    drive = replace(drive, envelope=envelope)
    fitting = _coming(drive, event)
    edge = fitting[0] if fitting else None
    now = "broken" if event.active else "free"
    if edge is None or edge.active != event.active:
        coming = _coming_along(drive, event)
        if coming is not None:
            return _followed(drive, coming, event.t_s)
        doubt = f"beam {event.sensor} became {now}, and nothing that moves should do that here"
        return replace(drive, doubt=doubt + _turned_round(drive), unforeseen=event.sensor)
    least, most = envelope.since_edge_mm(allow)
    low, high = edge.c_mm + least, edge.c_mm + most
    if low > envelope.fast.x_mm + allow.match_mm:
        return replace(
            drive,
            doubt=f"beam {event.sensor} became {now} {low - envelope.fast.x_mm:.0f} mm before "
            f"{edge.vehicle} can have reached it",
            mistimed=edge,
        )
    if edge.sure and high + allow.match_mm < envelope.slow.x_mm:
        late_mm = envelope.slow.x_mm - high
        doubt = f"beam {event.sensor} became {now} {late_mm:.0f} mm later than it must have"
        return replace(drive, doubt=doubt, mistimed=edge)
    # Where it may be one of several, it is the nearest or the furthest of them, and tells as little.
    high = fitting[-1].c_mm + most
    if all(e.sure for e in fitting):
        tight_low, tight_high = max(low, envelope.slow.x_mm), min(high, envelope.fast.x_mm)
        envelope = envelope.pulled(tight_low, tight_high) if tight_low <= tight_high else envelope.pulled(low, high)
    else:
        envelope = envelope.capped(high)
    come = edge if len(fitting) == 1 else replace(edge, sure=False)
    drive = replace(
        drive,
        envelope=envelope,
        expected=_still_expected(drive, fitting),
        seen=(*drive.seen, (come, event.t_s)),
    )
    return _learned(drive)


def _coming(drive: Drive, event: SensorChanged) -> list[Edge]:
    """The edges that an event may be: all that fit of those that may come next at its beam; else the one that is due.

    Next is the first that is due, or one before it, which may have come before the start.
    """
    least, most = drive.envelope.since_edge_mm(drive.allow)
    slow, fast = drive.envelope.slow.x_mm - drive.allow.match_mm, drive.envelope.fast.x_mm + drive.allow.match_mm
    fitting = []
    for edge in (e for e in drive.expected if e.beam == event.sensor):
        near = edge.c_mm + least <= fast and slow <= edge.c_mm + most
        if edge.active == event.active and near:
            fitting.append(edge)
        if edge.due:
            return fitting or [edge]
    return fitting


def _still_expected(drive: Drive, fitting: Sequence[Edge]) -> tuple[Edge, ...]:
    """What is expected once one of some edges has come: those before it have come too, and what follows it is due."""
    first, last = fitting[0], fitting[-1]
    rest = []
    for edge in drive.expected:
        if edge.beam != first.beam:
            rest.append(edge)
        elif edge is not first and edge.c_mm >= first.c_mm:
            rest.append(replace(edge, due=edge is not last and edge.c_mm >= last.c_mm))
    return tuple(rest)


def _coming_along(drive: Drive, event: SensorChanged) -> Edge | None:
    """The edge, when nothing should cause it, that a vehicle causes whose coupling has not parted; else None."""
    least, most = drive.envelope.since_edge_mm(drive.allow)
    slow, fast = drive.envelope.slow.x_mm - drive.allow.match_mm, drive.envelope.fast.x_mm + drive.allow.match_mm
    for edge in edges_behind(drive.step, drive.rear):
        near = edge.c_mm + least <= fast and slow <= edge.c_mm + most
        if near and (edge.beam, edge.active) == (event.sensor, event.active):
            return edge
    return None


def _followed(drive: Drive, edge: Edge, t_s: float) -> Drive:
    """The drive with all that comes along: its next edges are expected, and it is about to be stopped."""
    rear = rear_with(drive.step, edge.vehicle)
    moving = {body.vehicle for body in what_moves(drive.step, rear).bodies}
    further = (e for e in edges_behind(drive.step, drive.rear) if e.vehicle in moving)
    rest = tuple(e for e in further if e is not edge and e.c_mm >= edge.c_mm)
    return replace(
        drive,
        rear=rear,
        expected=tuple(sorted((*drive.expected, *rest), key=lambda e: e.c_mm)),
        seen=(*drive.seen, (edge, t_s)),
    )


def ordered(drive: Drive, speed_step: int, t_s: float) -> Drive:
    """The drive after a speed step was sent (0 stops it)."""
    speed = drive.engine.speeds.speed_mm_s(speed_step)
    envelope = drive.envelope.ordered(t_s, speed, drive.ratio(speed_step), drive.allow)
    return replace(
        drive,
        envelope=envelope,
        orders=(*drive.orders, Ordered(t_s, speed_step, envelope.steady_s())),
        still_s=envelope.rest_s() + drive.allow.settle_s if speed_step == 0 else inf,
        ordered_step=speed_step,
        steady_s=envelope.steady_s(),
        phase=drive.phase if speed_step else Phase.BRAKING,
    )


def advise(drive: Drive, t_s: float) -> tuple[Drive, Advice]:
    """What should be ordered at this moment. Sets ``doubt`` when evidence is missing or time is up."""
    envelope = drive.envelope.at(t_s)
    drive = replace(drive, envelope=envelope)
    overdue = next((e for e in drive.expected if e.due and envelope.slow.x_mm > e.c_mm + drive.allow.match_mm), None)
    if overdue is not None:
        what = "broken by" if overdue.active else "freed by"
        why = f"beam {overdue.beam} should have been {what} {overdue.vehicle} by now, and was not"
        return _doubted(drive, why, overdue)
    if t_s > drive.began_s + drive.step.deadline_s:
        why = f"{drive.step.locomotive} did not get there in {drive.step.deadline_s:.1f} s"
        return _doubted(drive, why, next(iter(drive.expected), None))
    if drive.phase is Phase.BRAKING:
        if t_s >= drive.still_s:
            return replace(drive, phase=Phase.STANDING), Advice(None, inf)
        return drive, Advice(None, drive.still_s)
    if drive.followed:
        return drive, Advice(0, t_s)
    if not drive.step.stop.surely and _past_limit(drive):
        return _doubted(drive, _limit_reason(drive))
    return _rolling(drive, t_s)


def after(belief: Belief, drive: Drive) -> Belief:
    """The belief after a drive has come to a stand; what came along is coupled to it."""
    resting = drive.envelope.resting()
    by_hand = drive.step.stop.surely and not drive.followed
    between = stands_between(drive) if by_hand else (resting.slow.x_mm, resting.fast.x_mm)
    return coming_along.after(belief, drive.step, drive.rear, between, drive.allow.match_mm, drive.begun)


def stands_between(drive: Drive) -> tuple[float, float]:
    """Between which places the locomotive stands, if it does; a sure edge that has not come lies ahead of it."""
    resting = drive.envelope.resting()
    due = next((e.c_mm + drive.allow.match_mm for e in drive.expected if e.sure and e.due), inf)
    return resting.slow.x_mm, max(resting.slow.x_mm, min(resting.fast.x_mm, due))


def may_have_met(belief: Belief, drive: Drive) -> tuple[str, ...]:
    """The vehicles ahead that a drive which stands may have come up to, and may have coupled to."""
    swept = drive.step.sweep
    met = swept.touched(drive.envelope.resting().fast.x_mm) - belief.coupled
    order = [body.vehicle for body in swept.bodies]
    return tuple(max(pair, key=order.index) for pair in sorted(met, key=lambda pair: min(map(order.index, pair))))


def _doubted(drive: Drive, why: str, mistimed: Edge | None = None) -> tuple[Drive, Advice]:
    return replace(drive, doubt=why, mistimed=mistimed), Advice(0, inf)


def _past_limit(drive: Drive) -> bool:
    stop, allow = drive.step.stop, drive.allow
    if drive.step.proves:
        return stop.edge is not None and drive.envelope.likely.x_mm >= stop.edge.c_mm + allow.proving_mm
    fast = drive.envelope.fast
    late = fast.v_mm_s * (allow.rail_max_s + allow.host_max_s)
    # An edge that has not come yet says that no train is beyond it, as long as the beam is sound; whether it is, the
    # slowest train decides. Until then nothing goes faster than a creep past a place where an edge is due.
    return min(fast.x_mm, _unseen_mm(drive)) + late + fast.v_mm_s**2 / (2 * fast.loss_mm_s2) >= stop.limit_mm


def _unseen_mm(drive: Drive) -> float:
    """How far the fastest train can have come without the next sure edge having been reported."""
    edge = next((e for e in drive.expected if e.sure and e.due), None)
    if edge is None:
        return inf
    return edge.c_mm + drive.envelope.fast.v_mm_s * (drive.allow.sensor_max_s + drive.allow.host_max_s)


def _limit_reason(drive: Drive) -> str:
    stop = drive.step.stop
    if stop.edge is not None and not drive.edge_seen:
        what = "broken by" if stop.edge.active else "freed by"
        reason = f"beam {stop.edge.beam} was not {what} {stop.edge.vehicle} where it should have been"
        return reason + _turned_round(drive)
    return f"{drive.step.locomotive} may be about to run too far"


def _turned_round(drive: Drive) -> str:
    """What a person should look at when the proving move does not see what it should."""
    if not drive.step.proves:
        return ""
    if drive.step.rails_decide:
        return f"; did {drive.step.locomotive} run the other way, or is it on another track?"
    return f"; is {drive.step.locomotive} turned round, or on another track?"


def _rolling(drive: Drive, t_s: float) -> tuple[Drive, Advice]:
    stop = drive.step.stop
    if drive.edge_seen and drive.ordered_step:
        if drive.step.stop.surely:
            place = drive.envelope.latest_stop_mm(t_s, drive.allow, _unseen_mm(drive))
        else:
            place = drive.envelope.stop_place_mm(t_s, drive.allow)
        if place >= stop.target_mm:
            return drive, Advice(0, t_s)
    wanted, change_mm = _wanted_step(drive)
    order = wanted if wanted != drive.ordered_step else None
    return drive, Advice(order, t_s if order is not None else _wake(drive, t_s, change_mm))


def _wanted_step(drive: Drive) -> tuple[int, float]:
    """The speed step for where the fastest train is, and the place at which it next has to slow down."""
    fast, speeds = drive.envelope.fast, drive.engine.speeds
    current = speeds.speed_mm_s(drive.ordered_step)
    limit, next_mm = inf, inf
    for zone in _zones_ahead(drive):
        way = 0.0
        if fast.v_mm_s > zone.speed_mm_s or current > zone.speed_mm_s:
            v = max(fast.v_mm_s, current * drive.ratio(drive.ordered_step).high)
            late = v * (drive.allow.rail_max_s + drive.allow.host_max_s)
            way = late + max(0.0, v * v - zone.speed_mm_s**2) / (2 * fast.loss_mm_s2)
        if fast.x_mm + way >= zone.from_mm - 1e-6:
            limit = min(limit, zone.speed_mm_s)
        else:
            next_mm = min(next_mm, zone.from_mm - way)
    wanted = speeds.step_for(limit)
    if 0 < drive.ordered_step < wanted and _lower_zone_mm(drive, limit) - fast.x_mm < NOT_FASTER_WITHIN_MM:
        wanted = drive.ordered_step
    return wanted, next_mm


def _zones_ahead(drive: Drive) -> list[Zone]:
    """The zones that even the slowest train has not left."""
    return [zone for zone in drive.step.zones if drive.envelope.slow.x_mm < zone.to_mm]


def _lower_zone_mm(drive: Drive, limit_mm_s: float) -> float:
    places = [
        z.from_mm for z in _zones_ahead(drive) if z.speed_mm_s < limit_mm_s and z.from_mm > drive.envelope.fast.x_mm
    ]
    return min([*places, drive.step.stop.target_mm])


def _wake(drive: Drive, t_s: float, change_mm: float) -> float:
    """The next moment at which something may have to be done without an event."""
    envelope, allow = drive.envelope, drive.allow
    moments = [drive.began_s + drive.step.deadline_s + 0.001]
    due_mm = min((e.c_mm for e in drive.expected if e.due), default=inf)
    if due_mm < inf:
        moments.append(envelope.slow.when(due_mm + allow.match_mm + 0.01) + 0.001)
    if change_mm < inf:
        moments.append(envelope.fast.when(change_mm))
    moments += [envelope.slow.when(zone.to_mm) + 0.001 for zone in _zones_ahead(drive) if zone.to_mm < inf]
    fast = envelope.fast
    if _unseen_mm(drive) == inf:
        reach = fast.order_mm_s * (allow.rail_max_s + allow.host_max_s) + fast.order_mm_s**2 / (2 * fast.loss_mm_s2)
        moments.append(fast.when(drive.step.stop.limit_mm - reach))
    if drive.step.proves and drive.step.stop.edge is not None:
        moments.append(envelope.likely.when(drive.step.stop.edge.c_mm + allow.proving_mm) + 0.001)
    if drive.edge_seen:
        surely = drive.step.stop.surely
        pace, late = fast if surely else envelope.likely, allow.rail_max_s + allow.host_max_s
        delay = late if surely else (allow.rail_min_s + late) / 2
        speed = max(pace.v_mm_s, pace.order_mm_s, *(v for _, v in pace.pending), 0.0)
        reach = speed * delay + speed**2 / (2 * pace.loss_mm_s2)
        moments.append(pace.when(drive.step.stop.target_mm - reach) - 1e-4)
    # While the train gathers speed the places above are bounds, not moments: look again soon.
    changing = fast.pending or fast.v_mm_s != fast.order_mm_s
    soonest = LOOK_AGAIN_CHANGING_S if changing else LOOK_AGAIN_S
    return max(min(moments), t_s + soonest)


def _learned(drive: Drive) -> Drive:
    """The true speed measured between the last two edges, when nothing was ordered since the first."""
    if len(drive.seen) < 2 or not drive.ordered_step:
        return drive
    (one, t_one), (two, t_two) = drive.seen[-2:]
    passed_s = t_one - drive.allow.sensor_max_s - drive.allow.host_max_s
    way = two.c_mm - one.c_mm
    if passed_s < drive.steady_s or way < TIMED_OVER_MM or not (one.sure and two.sure):
        return drive
    speed = drive.engine.speeds.speed_mm_s(drive.ordered_step)
    edge_mm, jitter_s = drive.allow.edge_mm, drive.allow.jitter_s
    took = t_two - t_one
    less, more = 1 - drive.allow.wavering, 1 + drive.allow.wavering
    measured = drive.ratio(drive.ordered_step).narrowed(
        less * (way - edge_mm) / (took + jitter_s) / speed, more * (way + edge_mm) / (took - jitter_s) / speed
    )
    key = (drive.step.locomotive, drive.step.forward, drive.ordered_step)
    return replace(drive, ratios={**drive.ratios, key: measured})
