"""A node behind an MQTT broker in time: turnouts, beams, magnets, power and locomotives of a simulated layout.

It does what a node must do: a retained command is history and moves nothing; what it did it reports on ``.../state``
where the wiring says so; and without its broker it stops everything, because nobody could any more.

No input or output of its own: messages go in with the time they come, messages come out with ``advance``.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from pointsman.errors import UsageError
from pointsman.protocols.jmri_mqtt import (
    Availability,
    Direction,
    LightCommand,
    LightState,
    Message,
    Points,
    PowerCommand,
    PowerState,
    SensorState,
    ThrottleDirection,
    ThrottleSpeed,
    Topics,
    TurnoutCommand,
    TurnoutState,
)
from pointsman.track.model import Leg
from pointsman.track.percent import step_of
from pointsman.track.wiring import Feedback, Protocol, TurnoutKind, Wiring
from railsim.breakdowns import Breakdowns
from railsim.faults import Left
from railsim.hidden import Hidden
from railsim.incidents import TurnoutSettled
from railsim.station import RAIL_DELAY_S
from railsim.world import World

SERVO_MOVES_S = 0.99
SENSOR_DELAY_S = (0.010, 0.020)
LEFT_PERCENT = 40


@dataclass(frozen=True, slots=True)
class Publication:
    """What a node publishes; a state is retained, so that whoever comes later knows it."""

    topic: str
    payload: bytes
    retain: bool = True


@dataclass(slots=True)
class _Cab:
    """What a locomotive was last told. ``latched``: an emergency stop, until a direction is given again."""

    forward: bool = True
    step: int = 0
    latched: bool = False


class MqttNode:
    """Everything of a wiring that hangs on one MQTT station. ``world`` may be shared with other stations.

    It starts without a broker: call ``connected`` when it has found one. Raises UsageError for a wiring that has no
    such station.
    """

    def __init__(
        self,
        world: World,
        wiring: Wiring,
        hidden: Hidden,
        breakdowns: Breakdowns,
        station: str | None = None,
        *,
        set_power: Callable[[bool], None] | None = None,
    ) -> None:
        """``set_power`` switches the power of its booster, the world's if not given."""
        stations = [name for name, made in wiring.stations.items() if made.protocol is Protocol.MQTT]
        station = stations[0] if station is None and len(stations) == 1 else station
        made = wiring.stations[station].mqtt if station in stations and station is not None else None
        if made is None:
            raise UsageError(
                f"which MQTT station is meant: {', '.join(stations) or 'there is none'}",
                where=f"hardware {wiring.name}",
                cure="name one of the hardware file",
            )
        self.nodes = made.nodes
        self.topics = Topics(made.prefix)
        self._world = world
        self._wiring = wiring
        self._hidden = hidden
        self._breakdowns = breakdowns
        self._feedback = made.feedback
        self._turnouts = {w.name: n for n, w in wiring.turnouts.items() if w.station == station and w.name}
        self._magnets = {w.name: n for n, w in wiring.uncouplers.items() if w.station == station and w.name}
        self._beams = {n: w for n, w in wiring.beams.items() if w.station == station}
        self._cabs = {w.name: n for n, w in wiring.locomotives.items() if w.station == station}
        self._told: dict[str, _Cab] = {cab: _Cab() for cab in self._cabs}
        self._lies: dict[str, Points] = dict.fromkeys(self._turnouts, Points.UNKNOWN)
        self._on = {topic: wiring.uncouplers[name].inverted for topic, name in self._magnets.items()}
        self._seen = {beam: world.beam_broken(beam) for beam in self._beams}
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._out: list[Publication] = []
        self._online = False
        self._rail_s = 0.0
        self._set_power = world.set_power if set_power is None else set_power
        self._powered = False

    # ------------------------------------------------------------ the broker's side

    def subscriptions(self) -> list[str]:
        """The command topics that this node obeys."""
        wanted: list[Message] = [PowerCommand(False)]
        wanted += [TurnoutCommand(topic, False) for topic in self._turnouts]
        wanted += [LightCommand(topic, False) for topic in self._magnets]
        for cab in self._cabs:
            wanted += [ThrottleDirection(cab, Direction.STOP), ThrottleSpeed(cab, 0)]
        return [self.topics.topic(message) for message in wanted]

    def will(self, node: str) -> Publication:
        """What the broker shall publish when a node goes without a goodbye."""
        return Publication(*self.topics.write(Availability(node, False)))

    def connected(self) -> None:
        """The broker is there: every state anew, and only then online."""
        self._online = True
        for beam in self._beams:
            self._say(self._sensor(beam))
        for topic, points in self._lies.items():
            self._report(Feedback.TURNOUTS, TurnoutState(topic, points))
        for topic, on in self._on.items():
            self._report(Feedback.MAGNETS, LightState(topic, on))
        self._report(Feedback.POWER, PowerState(self._powered))
        for node in self.nodes:
            self._say(Availability(node, True))

    def lost(self) -> None:
        """The broker is gone, and with it everybody who could say stop: so everything stops."""
        self._online = False
        self._out.clear()
        self._stop_all()

    def receive(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """A message from the broker, now."""
        message = self.topics.read(topic, payload)
        if retained or not self._online:
            return
        match message:
            case TurnoutCommand(name=name, thrown=thrown) if name in self._turnouts:
                self._throw(name, thrown)
            case LightCommand(name=name, on=on) if name in self._magnets:
                self._switch(name, on)
            case PowerCommand(on=on):
                self._power(on)
            case ThrottleDirection(cab=cab, direction=direction) if cab in self._cabs:
                self._turn(self._told[cab], direction)
                self._drive(cab)
            case ThrottleSpeed(cab=cab, percent=percent, stop=stop) if cab in self._cabs:
                told = self._told[cab]
                told.latched |= stop
                told.step = 0 if told.latched else step_of(percent)
                self._drive(cab)

    def left(self, what: Left) -> list[Publication]:
        """Commands that somebody may have left at the broker: each would move something here, if it were obeyed."""
        wanted: list[Message] = []
        match what:
            case Left.TURNOUTS:
                lie = self._world.truth().lie
                for topic, name in self._turnouts.items():
                    other = (lie[name] != Leg.THROWN) is not self._wiring.turnouts[name].inverted
                    wanted.append(TurnoutCommand(topic, other))
            case Left.MAGNETS:
                wanted += [LightCommand(topic, not on) for topic, on in self._on.items()]
            case Left.POWER:
                wanted += [PowerCommand(True)]
            case Left.SPEED:
                for cab in self._cabs:
                    wanted += [ThrottleDirection(cab, Direction.FORWARD), ThrottleSpeed(cab, LEFT_PERCENT)]
        return [Publication(*self.topics.write(message)) for message in wanted]

    # ------------------------------------------------------------ time

    def next_event_s(self) -> float | None:
        """When something is due here; None when nothing is."""
        return self._due[0][0] if self._due else None

    def see(self, beam: str, broken: bool, t_s: float) -> None:
        """A beam looks so from now on."""
        if beam in self._beams:
            delay_s = self._hidden.uniform(f"{beam}/{t_s}", *SENSOR_DELAY_S)
            self._later(t_s + delay_s, lambda: self._see(beam, broken))

    def settled(self, event: TurnoutSettled) -> None:
        """Points are over: their contacts say so."""
        topic = next((topic for topic, name in self._turnouts.items() if name == event.turnout), None)
        if topic is not None:
            self._lie(topic, event.leg)

    def advance(self, t_s: float) -> list[Publication]:
        """Do what is due by now; the world has been brought there first. Returns what was published since last."""
        while self._due and self._due[0][0] <= t_s:
            heapq.heappop(self._due)[2]()
        out, self._out = self._out, []
        return out

    def _later(self, t_s: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._due, (t_s, next(self._numbers), act))

    # ------------------------------------------------------------ doing

    def _throw(self, topic: str, thrown: bool) -> None:
        name = self._turnouts[topic]
        wired = self._wiring.turnouts[name]
        leg = Leg.THROWN if thrown is not wired.inverted else Leg.CLOSED
        moves_s = SERVO_MOVES_S if wired.kind is TurnoutKind.SERVO else wired.move_time_s * 0.8
        self._breakdowns.turnout(name, leg, moves_s)
        if self._world.truth().lie[name] == leg:
            self._lie(topic, leg)  # there already: it says so all the same
        else:
            self._lies[topic] = Points.INCONSISTENT
            self._report(Feedback.TURNOUTS, TurnoutState(topic, Points.INCONSISTENT))
            self._later(self._world.now_s + moves_s, lambda: self._look(topic))

    def _look(self, topic: str) -> None:
        """After the time that points need: what do their contacts say, if they have not said anything yet?"""
        lie = self._world.truth().lie[self._turnouts[topic]]
        if self._lies[topic] is Points.INCONSISTENT and lie in set(Leg):
            self._lie(topic, Leg(lie))

    def _lie(self, topic: str, leg: Leg) -> None:
        thrown = (leg is Leg.THROWN) is not self._wiring.turnouts[self._turnouts[topic]].inverted
        self._lies[topic] = Points.THROWN if thrown else Points.CLOSED
        self._report(Feedback.TURNOUTS, TurnoutState(topic, self._lies[topic]))

    def _switch(self, topic: str, on: bool) -> None:
        name = self._magnets[topic]
        self._on[topic] = on
        self._world.set_magnet(name, on is not self._wiring.uncouplers[name].inverted)
        self._report(Feedback.MAGNETS, LightState(topic, on))

    def _power(self, on: bool) -> None:
        if not on:
            for cab, told in self._told.items():
                told.step = 0
                self._drive(cab)
        self._powered = on
        self._set_power(on)
        self._report(Feedback.POWER, PowerState(on))

    def _turn(self, told: _Cab, direction: Direction) -> None:
        if direction is Direction.STOP:
            told.latched, told.step = True, 0
        else:
            told.latched, told.forward = False, direction is Direction.FORWARD

    def _drive(self, cab: str) -> None:
        told = self._told[cab]
        forward, step, emergency = told.forward, told.step, told.latched
        name = self._cabs[cab]
        now = self._world.now_s
        delay_s = self._hidden.uniform(f"{cab}/{now}/{step}", *RAIL_DELAY_S)
        # What comes later on the rails never overtakes what came before.
        self._rail_s = max(now + delay_s, self._rail_s)
        self._later(self._rail_s, lambda: self._breakdowns.throttle(name, forward, step, emergency))

    def _stop_all(self) -> None:
        for topic, name in self._magnets.items():
            self._on[topic] = self._wiring.uncouplers[name].inverted
            self._world.set_magnet(name, False)
        for cab, told in self._told.items():
            told.latched, told.step = True, 0
            self._drive(cab)
        self._powered = False
        self._set_power(False)

    def _see(self, beam: str, broken: bool) -> None:
        self._seen[beam] = broken
        self._say(self._sensor(beam))

    def _sensor(self, beam: str) -> SensorState:
        wired = self._beams[beam]
        return SensorState(wired.name, self._seen[beam] is not wired.inverted)

    # ------------------------------------------------------------ saying

    def _report(self, what: Feedback, message: Message) -> None:
        if what in self._feedback:
            self._say(message)

    def _say(self, message: Message) -> None:
        if self._online:
            self._out.append(Publication(*self.topics.write(message)))
