"""The drawing office: the pieces that every drive is made of, on one layout with one set of hardware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.facing import gentle_zones
from pointsman.operate.steps import DriveStep, Zone
from pointsman.operate.stopping import Need, Stop, plan_stop
from pointsman.operate.sweep import Sweep, sweep
from pointsman.puzzle.moves import Run, train_of
from pointsman.track.model import End, Leg, Locomotive, Track
from pointsman.track.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Office:
    """What steps are drawn with. ``cap_mm_s`` is the highest speed ever ordered."""

    track: Track
    wiring: Wiring
    allow: Allowances
    cap_mm_s: float

    def sweep_of(
        self, belief: Belief, locomotive: str, towards: End, legs: Mapping[str, Leg], run: Run | None = None
    ) -> Sweep:
        """The sweep of the train as the model sees it, less what the run leaves behind (when a run is given)."""
        train = train_of(self.track, belief.position, locomotive, towards)
        left = len(run.left) if run is not None else 0
        here = train.places[train.vehicles.index(locomotive)]
        lies = {**belief.lies(self.track), **legs}
        return sweep(self.track, belief, here, train.vehicles[left:], locomotive, lies)

    def stop_of(self, swept: Sweep, need: Need, speed_mm_s: float | None = None) -> Stop:
        """The stop of a sweep, made at the step below a speed (creep if none is given)."""
        engine = self.track.locomotives[swept.locomotive]
        speed = self.nominal_mm_s(engine, speed_mm_s or self.track.speeds.creep)
        return plan_stop(swept, need, engine, speed, engine.speed_error, self.allow)

    def nominal_mm_s(self, engine: Locomotive, speed_mm_s: float) -> float:
        """The table's speed of the step that serves a speed."""
        return engine.speeds.speed_mm_s(engine.speeds.step_for(speed_mm_s))

    def drive(
        self,
        belief: Belief,
        swept: Sweep,
        stop: Stop,
        contacts: Sequence[Zone],
        text: str,
        *,
        proves: bool = False,
    ) -> DriveStep:
        """The drive along a sweep to a stop; ``contacts`` are zones of coupling speed."""
        engine = self.track.locomotives[swept.locomotive]
        cruise = min(self.track.speeds.shunting, self.cap_mm_s)
        begin = swept.start_low_mm
        if proves:
            zones = [Zone(begin, stop.speed_mm_s)]
        else:
            before = stop.edge.c_mm if stop.edge is not None else stop.target_mm
            slow = Zone(max(begin, before - self.allow.contact_mm), stop.speed_mm_s)
            # The fastest train is there only when an edge is due that has not come: what may be a dead beam is
            # passed at a creep.
            blind = Zone(max(begin, stop.limit_mm), self.nominal_mm_s(engine, self.track.speeds.creep))
            until = stop.target_mm + stop.long_mm
            gentle = gentle_zones(self.track, self.allow, belief, swept, until, engine)
            every = [Zone(begin, cruise), *contacts, *gentle, slow, blind]
            zones = sorted(every, key=lambda z: (z.from_mm, -z.speed_mm_s))
        slowest = self.nominal_mm_s(engine, self.track.speeds.creep) * (1 - engine.speed_error)
        deadline = (stop.limit_mm - begin if proves else stop.target_mm + stop.long_mm - begin) / slowest + 3.0
        return DriveStep(
            locomotive=swept.locomotive,
            forward=decoder_forward(belief, swept),
            sweep=swept,
            zones=tuple(zones),
            stop=stop,
            deadline_s=deadline,
            text=text,
            proves=proves,
            rails_decide=self.wiring.on_dc(swept.locomotive),
        )


def decoder_forward(belief: Belief, swept: Sweep) -> bool:
    """Whether travelling along the sweep's line is the decoder's forward."""
    place = belief.spots[swept.locomotive].place
    stretch = next(s for s in swept.path.stretches if s.element == place.element)
    return stretch.forward is (belief.facing is End.TO)
