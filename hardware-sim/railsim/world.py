"""The world in millimetres: vehicles, points, magnets and beams, from event to event in closed form.

There is no time step. Whenever something changes (a command, a beam's edge, a contact, a stop, points that are over)
it is worked out for each running locomotive what its train meets next, and when; ``advance`` goes from one such time
to the next. The world knows nothing of stations, bytes or the controller's belief.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from pointsman.errors import PointsmanError, UsageError
from pointsman.track.model import Leg, Track
from pointsman.track.wiring import UncouplerKind, Wiring
from railsim.ahead import (
    AtBeam,
    AtBuffer,
    AtFoul,
    AtPoints,
    AtVehicle,
    LookAgain,
    Meeting,
    candidates,
)
from railsim.coils import Coils
from railsim.coupling import PartedPairs, partings
from railsim.foul import zones_of
from railsim.hidden import Hidden
from railsim.incidents import BeamChanged, Coupled, Incident, Kind, Parted, Stopped, TurnoutSettled, WorldEvent
from railsim.plan import Plan
from railsim.setup import Setup, place_all
from railsim.train import Motor, Portion, Rake, coordinates
from railsim.truth import Truth, truth_of

COIL_AT_MOST_S = 2.0
"""The coil of an uncoupler that is on for longer burns out."""
SOLENOID_AT_MOST_S = 0.5
"""A solenoid's, which is made for a short pulse."""
HARD_ON_BUFFERS = 2.0
"""A hit on the buffers is a collision above this many times creep speed."""
CHANGES_AT_ONE_TIME = 10_000


class World:
    """A layout with its trains.

    ``wiring``, when given, says what each magnet is: a coil that may burn out, or a permanent one; without it all are
    switched and none burns. Raises UsageError when the set-up does not fit the track. Times are seconds from 0.
    """

    def __init__(self, track: Track, setup: Setup, hidden: Hidden | None = None, wiring: Wiring | None = None) -> None:
        self.track = track
        self.now_s = 0.0
        self.incidents: list[Incident] = []
        self.powered = False
        self.hidden = hidden if hidden is not None else Hidden()
        self._events: list[WorldEvent] = []
        self._zones = zones_of(track)
        self._rakes = place_all(track, setup, self.hidden)
        self._lie: dict[str, Leg | None] = {name: setup.lie.get(name, self.hidden.lie(name)) for name in track.turnouts}
        placed = {name for rake in self._rakes for name in rake.names}
        self._motors = {
            name: Motor(locomotive, self.hidden.performance(locomotive))
            for name, locomotive in track.locomotives.items()
            if name in placed
        }
        kinds = {name: wired.kind for name, wired in wiring.uncouplers.items()} if wiring is not None else {}
        self._permanent = {name for name in track.uncouplers if kinds.get(name) is UncouplerKind.PERMANENT}
        self._coils = {name for name in track.uncouplers if kinds.get(name) is UncouplerKind.COIL}
        self._magnets_on: set[str] = set()
        self._hot = Coils()
        self._turnout_ends: dict[str, tuple[float, Leg]] = {}
        self._held_ends: dict[str, float] = {}
        self._stiff: dict[str, float] = {}
        self._memory = PartedPairs()
        self._plans: list[Plan] | None = None
        self._covered: dict[str, set[str]] = {name: set() for name in track.beams}
        for rake in self._rakes:
            rake.cover(self._lie, 0.0)
            self._cover_beams(rake)

    # ------------------------------------------------------------ what may be asked

    def beam_broken(self, beam: str) -> bool:
        """Whether a body is in the beam now."""
        return bool(self._covered[beam])

    def speed_mm_s(self, locomotive: str) -> float:
        """How fast a locomotive is now."""
        for plan in self._planned():
            if plan.motor.locomotive.name == locomotive:
                return plan.speed_mm_s(self.now_s)
        return 0.0

    @property
    def standing(self) -> bool:
        """Whether nothing moves on the track."""
        return not any(self.speed_mm_s(name) > 0 for name in self._motors)

    @property
    def magnets_on(self) -> frozenset[str]:
        """The magnets that are switched on; permanent ones are not among them."""
        return frozenset(self._magnets_on)

    @property
    def locomotives(self) -> tuple[str, ...]:
        """The locomotives on the track."""
        return tuple(self._motors)

    @property
    def wagons(self) -> tuple[str, ...]:
        """The wagons on the track."""
        return tuple(name for rake in self._rakes for name in rake.names if name not in self._motors)

    def coupled_wagons(self) -> tuple[str, ...]:
        """The wagons that are coupled to something."""
        return tuple(name for name in self.wagons if self._link_of(name) is not None)

    def truth(self) -> Truth:
        """What is really where, now."""
        plans = {id(plan.rake): plan for plan in self._planned()}
        rakes = []
        for rake in self._rakes:
            plan = plans.get(id(rake))
            middles = [p.at_mm for p in rake.vehicles] if plan is None else plan.middles(self.now_s)
            rakes.append((rake, middles))
        moving = [name for name in self._motors if self.speed_mm_s(name) > 0]
        return truth_of(self.track, self.now_s, rakes, self._lie, moving)

    def next_event_s(self) -> float | None:
        """When something happens next if no command comes; None when nothing does."""
        times = [plan.at_s for plan in self._planned()]
        times += [at for at, _ in self._turnout_ends.values()]
        times.append(self._hot.next_s())
        times += self._held_ends.values()
        soonest = min(times, default=math.inf)
        return None if math.isinf(soonest) else soonest

    # ------------------------------------------------------------ what may be done

    def advance(self, t_s: float) -> list[WorldEvent]:
        """Let time pass up to ``t_s``; returns what happened since the last call, in order, commands' doings too.

        Raises PointsmanError when time does not get on: a fault of the world.
        """
        changes, changes_at = 0, -1.0
        while (due := self.next_event_s()) is not None and due <= t_s:
            changes = changes + 1 if due == changes_at else 0
            changes_at = due
            if changes > CHANGES_AT_ONE_TIME:
                raise PointsmanError(
                    "the simulated world does not get on",
                    where=f"at {due} s",
                    cure="please report this with the seed",
                )
            self.now_s = max(self.now_s, due)
            self._happen(due)
        self.now_s = max(self.now_s, t_s)
        events, self._events = self._events, []
        return events

    def set_throttle(self, locomotive: str, forward: bool, step: int, emergency: bool = False) -> None:
        """What the decoder hears: direction and step (0..126); an emergency stop brakes much harder."""
        motor = self._motors.get(locomotive)
        if motor is None:
            return  # a locomotive that is not on the track
        if (motor.forward, motor.step, motor.emergency) == (forward, step, emergency):
            return
        self._settle()
        if motor.forward is not forward or step == 0 or emergency:
            motor.stalled = False
        motor.forward, motor.step, motor.emergency = forward, step, emergency
        if motor.speed_mm_s == 0:
            motor.heading_forward = forward

    def set_power(self, on: bool) -> None:
        """Switch the track power. Locomotives take up what they were last commanded: a station repeats it."""
        if on is not self.powered:
            self._settle()
            self.powered = on

    def throw(self, turnout: str, leg: Leg, duration_s: float) -> None:
        """Begin to move points; they are over after the duration (infinite: when they ``arrive``).

        A vehicle on them derails. Raises UsageError.
        """
        self._known_turnout(turnout)
        if self._lie[turnout] is leg or self._turnout_ends.get(turnout, (0.0, leg.other))[1] is leg:
            return
        self._settle()
        self._lie[turnout] = None
        self._turnout_ends[turnout] = (self.now_s + duration_s, leg)
        for rake in self._rakes:
            struck = rake.on_points(turnout)
            if struck and not rake.derailed:
                names = ", ".join(struck)
                self._derail(rake, Kind.DERAILMENT, turnout, struck, f"{turnout} moved under {names}")

    def arrive(self, turnout: str) -> None:
        """Points that are on their way are over now. Raises UsageError."""
        self._known_turnout(turnout)
        if turnout in self._turnout_ends:
            self._settle()
            self._turnout_ends[turnout] = (self.now_s, self._turnout_ends[turnout][1])

    def set_magnet(self, name: str, on: bool) -> None:
        """Switch an uncoupling magnet (or let a hand part what stands there). Raises UsageError for an unknown name."""
        if name not in self.track.uncouplers:
            raise UsageError(f"there is no magnet {name!r}", where="simulated layout")
        if on is (name in self._magnets_on):
            return
        self._settle()
        if on:
            self._magnets_on.add(name)
            self._part()
        else:
            self._magnets_on.discard(name)
        if name in self._coils:
            self._hot.switch(name, on, self.now_s, COIL_AT_MOST_S)

    def set_solenoid(self, turnout: str, leg: Leg, on: bool) -> None:
        """Current flows in the coil of a leg, or no longer; what it moves is told by ``throw``. Raises UsageError."""
        self._known_turnout(turnout)
        self._hot.switch(f"{turnout}>{leg}", on, self.now_s, SOLENOID_AT_MOST_S)

    # ------------------------------------------------------------ what may break

    def stall(self, locomotive: str, for_s: float) -> None:
        """A locomotive loses its current where it is: it stands at once, and goes on as commanded later."""
        motor = self._motors[locomotive]
        self._settle()
        moved = motor.speed_mm_s > 0
        motor.speed_mm_s, motor.held = 0.0, True
        self._held_ends[locomotive] = max(self.now_s + for_s, self._held_ends.get(locomotive, 0.0))
        if moved:
            self._events.append(Stopped(self.now_s, locomotive))

    def stiffen(self, wagon: str, times: float) -> None:
        """The next so many times a wagon's couplings do not drop out over a magnet."""
        self._stiff[wagon] = self._stiff.get(wagon, 0.0) + times

    def part(self, wagon: str) -> tuple[str, str] | None:
        """A wagon's coupling opens by itself, the one towards a locomotive if it has one; None if it has none."""
        link = self._link_of(wagon)
        if link is None:
            return None
        self._settle()
        rake, index = self._rake_of(wagon), link
        pair = (rake.names[index], rake.names[index + 1])
        rake.coupled[index] = False
        self._memory.parted(pair)
        self._events.append(Parted(self.now_s, pair, ""))
        return pair

    def lift(self, wagon: str) -> bool:
        """A hand takes a wagon off the track; False when it is not there."""
        if wagon not in self.wagons:
            return False
        self._settle()
        rake = self._rake_of(wagon)
        index = rake.names.index(wagon)
        self._rakes.remove(rake)
        above = rake.split(index) if index + 1 < len(rake.vehicles) else None
        alone = rake.split(index - 1) if index else rake
        self._rakes += [left for left in (rake, above) if left is not None and left is not alone]
        for beam, covered in self._covered.items():
            if wagon in covered:
                covered.discard(wagon)
                if not covered:
                    self._events.append(BeamChanged(self.now_s, beam, False))
        return True

    def _link_of(self, wagon: str) -> int | None:
        """The index of a wagon's coupling in its rake, the one towards a locomotive first."""
        rake = next((rake for rake in self._rakes if rake.index(wagon) is not None), None)
        if rake is None:
            return None
        index = rake.names.index(wagon)
        upwards = any(name in self._motors for name in rake.names[index + 1 :])
        links = (index, index - 1) if upwards else (index - 1, index)
        return next((link for link in links if 0 <= link < len(rake.coupled) and rake.coupled[link]), None)

    # ------------------------------------------------------------ plans

    def _planned(self) -> list[Plan]:
        if self._plans is None:
            self._plans = self._make_plans()
        return self._plans

    def _settle(self) -> None:
        """Put every vehicle where it is now; the plans are made anew when next asked for."""
        if self._plans is None:
            return
        for plan in self._plans:
            self._stand(plan, plan.middles(self.now_s))
        self._plans = None

    def _stand(self, plan: Plan, middles: list[float]) -> None:
        plan.rake.place(middles)
        plan.motor.speed_mm_s = plan.speed_mm_s(self.now_s)

    def _running(self, rake: Rake) -> list[Motor]:
        if rake.derailed:
            return []
        return [m for name, m in self._motors.items() if rake.index(name) is not None and m.runs(self.powered)]

    def _make_plans(self) -> list[Plan]:
        running = []
        for rake in list(self._rakes):
            motors = self._running(rake)
            if len(motors) > 1:
                names = tuple(motor.locomotive.name for motor in motors)
                self._incident(Kind.COLLISION, "", names, f"{' and '.join(names)} both run in one train: they stall")
                for motor in motors:
                    motor.halt()
            if len(motors) == 1:
                running.append((motors[0], rake))
                self._turn(motors[0], rake)
            self._rakes += rake.separate(motors[0].locomotive.name if len(motors) == 1 else None)
        everything = [portion for rake in self._rakes for portion in rake.portions]
        fastest = {id(rake): motor.motion(self.powered).highest_mm_s for motor, rake in running}
        return [self._plan(motor, rake, everything, fastest) for motor, rake in running]

    def _turn(self, motor: Motor, rake: Rake) -> None:
        """Look at the rake so that the locomotive travels upwards."""
        if motor.speed_mm_s == 0:
            motor.heading_forward = motor.forward
        index = rake.index(motor.locomotive.name)
        if index is not None and rake.vehicles[index].points_up is not motor.heading_forward:
            rake.flip()

    def _plan(self, motor: Motor, rake: Rake, everything: list[Portion], fastest: Mapping[int, float]) -> Plan:
        driver = rake.names.index(motor.locomotive.name)
        found = candidates(self.track, self._zones, rake, driver, self._lie, everything, self._covered)
        for candidate in found:
            if isinstance(candidate.meeting, AtVehicle):
                pair = (rake.names[-1], candidate.meeting.portion.vehicle)
                self._memory.seen_apart(pair, candidate.meeting.gap_mm)

        def fastest_of(vehicle: str) -> float | None:
            return fastest.get(id(self._rake_of(vehicle)))

        return Plan.make(motor, rake, motor.motion(self.powered), self.now_s, found, fastest_of)

    def _rake_of(self, vehicle: str) -> Rake:
        return next(rake for rake in self._rakes if rake.index(vehicle) is not None)

    # ------------------------------------------------------------ what happens

    def _happen(self, due: float) -> None:
        for name, (at, leg) in list(self._turnout_ends.items()):
            if at <= due:
                self._settle()
                self._lie[name] = leg
                del self._turnout_ends[name]
                self._events.append(TurnoutSettled(self.now_s, name, leg))
                return
        if (burnt := self._hot.burnt(due)) is not None:
            name, at_most_s = burnt
            self._incident(Kind.COIL, name, (), f"the coil of {name} was on for more than {at_most_s:g} s and is burnt")
            return
        for name, at in list(self._held_ends.items()):
            if at <= due:
                self._settle()
                del self._held_ends[name]
                self._motors[name].held = False
                return
        plan = min(self._planned(), key=lambda plan: plan.at_s)
        for other in self._planned():
            self._stand(other, other.middles(self.now_s))
        self._plans = None
        if plan.next is None:
            self._stop(plan)
            return
        if not isinstance(plan.next.meeting, LookAgain):
            # Exactly there, not where the time rounds to.
            plan.rake.place(plan.rake.moved(plan.driver, max(plan.next.driver_mm, plan.from_mm)))
        self._meet(plan, plan.next.meeting)

    def _stop(self, plan: Plan) -> None:
        motor = plan.motor
        motor.speed_mm_s = 0.0
        self._events.append(Stopped(self.now_s, motor.locomotive.name))
        self._part()

    def _meet(self, plan: Plan, meeting: Meeting) -> None:
        motor, rake = plan.motor, plan.rake
        lead = rake.vehicles[-1].vehicle.name
        if isinstance(meeting, AtBeam):
            self._at_beam(meeting)
        elif isinstance(meeting, AtBuffer):
            self._at_buffer(motor, lead, meeting.segment)
        elif isinstance(meeting, AtPoints):
            what = "ran through the points against their lie" if meeting.run_through else "came to moving points"
            kind = Kind.RUN_THROUGH if meeting.run_through else Kind.DERAILMENT
            self._derail(rake, kind, meeting.turnout, (lead,), f"{lead} {what} of {meeting.turnout}")
        elif isinstance(meeting, AtFoul):
            text = f"{lead} struck {meeting.vehicle}, which stands foul of the other leg of {meeting.turnout}"
            self._derail(rake, Kind.SIDE_SWIPE, meeting.turnout, (lead, meeting.vehicle), text)
        elif isinstance(meeting, AtVehicle):
            self._at_vehicle(motor, rake, meeting.portion)

    def _at_beam(self, meeting: AtBeam) -> None:
        covered = self._covered[meeting.beam]
        before = bool(covered)
        if meeting.covers:
            covered.add(meeting.vehicle)
        else:
            covered.discard(meeting.vehicle)
        if bool(covered) is not before:
            self._events.append(BeamChanged(self.now_s, meeting.beam, bool(covered)))

    def _at_buffer(self, motor: Motor, lead: str, segment: str) -> None:
        speed = motor.speed_mm_s
        if speed > 0:
            hard = speed > HARD_ON_BUFFERS * self.track.speeds.creep
            text = f"{lead} ran into the buffers of {segment} at {speed:.0f} mm/s"
            self._incident(Kind.COLLISION if hard else Kind.BUFFER, segment, (lead,), text)
        self._stall(motor)

    def _at_vehicle(self, motor: Motor, rake: Rake, portion: Portion) -> None:
        lead, met, other = rake.names[-1], portion.vehicle, self._rake_of(portion.vehicle)
        if other is rake or other.derailed:
            if motor.speed_mm_s > 0:
                what = f"{met} of its own train" if other is rake else f"{met}, which is derailed,"
                self._incident(Kind.COLLISION, portion.element, (lead, met), f"{lead} ran into {what}")
            self._stall(motor)
            return
        couples = self._memory.couple((lead, met))
        rake.append(other, portion, couples)
        self._rakes.remove(other)
        closing = self._closing_mm_s(motor, rake)
        text = f"{lead} met {met} at {closing:.0f} mm/s"
        if closing > self.track.speeds.limit:
            self._incident(Kind.COLLISION, portion.element, (lead, met), text)
        elif closing > self.track.speeds.rough:
            self._incident(Kind.ROUGH_COUPLING, portion.element, (lead, met), text)
        if couples:
            self._events.append(Coupled(self.now_s, (lead, met)))

    def _closing_mm_s(self, motor: Motor, rake: Rake) -> float:
        """How fast a locomotive, going up in the rake, came upon those of the rake that it has just met."""
        closing = motor.speed_mm_s
        for placed in rake.vehicles:
            other = self._motors.get(placed.vehicle.name)
            if other is not None and other is not motor:
                closing += other.speed_mm_s * (-1 if placed.points_up is other.heading_forward else 1)
        return closing

    def _part(self) -> None:
        active = self._permanent | self._magnets_on
        for rake in self._rakes:
            if any(motor.speed_mm_s > 0 for motor in self._running(rake)):
                continue
            for link, magnet in partings(self.track, rake, active):
                names = rake.names
                pair = (names[link], names[link + 1])
                stiff = next((name for name in pair if self._stiff.get(name, 0.0) >= 1), None)
                if stiff is not None:
                    self._stiff[stiff] -= 1
                    continue
                rake.coupled[link] = False
                self._memory.parted(pair)
                self._events.append(Parted(self.now_s, pair, magnet))

    def _derail(self, rake: Rake, kind: Kind, where: str, vehicles: tuple[str, ...], text: str) -> None:
        rake.derailed = True
        self._incident(kind, where, vehicles, text)
        for name, motor in self._motors.items():
            if rake.index(name) is not None:
                self._stall(motor)

    def _stall(self, motor: Motor) -> None:
        moved = motor.speed_mm_s > 0
        motor.halt()
        if moved:
            self._events.append(Stopped(self.now_s, motor.locomotive.name))

    def _incident(self, kind: Kind, where: str, vehicles: tuple[str, ...], text: str) -> None:
        incident = Incident(self.now_s, kind, where, vehicles, text)
        self.incidents.append(incident)
        self._events.append(incident)

    # ------------------------------------------------------------ small things

    def _cover_beams(self, rake: Rake) -> None:
        for beam in self.track.beams.values():
            for at in coordinates(rake.path, beam.place):
                for placed in rake.vehicles:
                    if abs(placed.at_mm - at) < placed.vehicle.body_mm / 2:
                        self._covered[beam.name].add(placed.vehicle.name)

    def _known_turnout(self, name: str) -> None:
        if name not in self.track.turnouts:
            raise UsageError(f"there is no turnout {name!r}", where="simulated layout")
