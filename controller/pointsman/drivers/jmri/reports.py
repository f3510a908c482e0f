"""What JMRI says of its things, turned into events; values that nobody here asked for are foreign control."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.drivers.chatter import Once
from pointsman.drivers.jmri.addresses import Addresses, Thing
from pointsman.drivers.jmri.asked import EMERGENCY, Asked, Key, Kind, Value, step_of
from pointsman.messages import (
    Event,
    ForeignControl,
    LocomotiveReported,
    PowerReported,
    SensorChanged,
    StationNote,
    TurnoutReported,
    UncouplerReported,
)
from pointsman.protocols.jmri_json import (
    UNKNOWN,
    Bean,
    BeanType,
    Failure,
    Message,
    Power,
    SwitchState,
    Throttle,
    Unknown,
)

_LONGEST_QUOTE = 200
POWER: Key = (Kind.POWER, "")


@dataclass(slots=True)
class Engine:
    """What JMRI says of a locomotive's throttle. ``reports`` counts those that said everything."""

    step: int | None = None
    forward: bool | None = None
    speed_steps: int | None = None
    clients: int = 0
    reports: int = 0

    @property
    def stands(self) -> bool:
        """Does JMRI send it a speed of 0 or an emergency stop?"""
        return self.step is not None and self.step <= 0


class Reports:
    """Folds messages into events. Not ``live`` while a link is set up: then values are learnt and not told.

    ``blind`` says why, when JMRI no longer knows what it must know: that is as bad as a lost link.
    """

    def __init__(self, addresses: Addresses, asked: Asked) -> None:
        self.live = False
        self._addresses = addresses
        self._asked = asked
        self.start_afresh()

    def start_afresh(self) -> None:
        """Forget what was learnt: a new connection."""
        self.live = False
        self.blind = ""
        self.power: bool | None = None
        self.engines = {name: Engine() for name in self._addresses.locomotives}
        self.values: dict[Key, Value | None] = {}
        self.active: dict[str, bool] = {}
        self._to_check: set[Key] = set()
        self._once = Once()

    def first_states(self, t_s: float) -> list[Event]:
        """The state of each beam and of the power, when the link is up."""
        events: list[Event] = [SensorChanged(t_s, beam, active) for beam, active in self.active.items()]
        if self.power is not None:
            events.append(PowerReported(t_s, self.power))
        return events

    def turning(self, turnout: Thing) -> None:
        """A turnout was sent somewhere by a command: it must be there when its time is over."""
        self._to_check.add((Kind.TURNOUT, turnout.name))

    def digest(self, message: Message, t_s: float) -> list[Event]:
        """The events that a message means."""
        events: list[Event] = []
        match message:
            case Bean():
                events = self._bean(message, t_s)
            case Power():
                events = self._power(message, t_s)
            case Throttle():
                events = self._throttle(message, t_s)
            case Failure(_, text, 0):
                events = [StationNote(t_s, f"JMRI says: {text}")]
            case Unknown(text):
                quoted = text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."
                events = [StationNote(t_s, f"not understood: {quoted}")]
        return events if self.live else []

    def overdue(self, t_s: float) -> list[Event]:
        """What should have come to agree with what was asked by now, and has not."""
        events: list[Event] = []
        for key in [key for key in self._to_check if not self._asked.settling(key, t_s)]:
            self._to_check.discard(key)
            value = self.values.get(key)
            if value is not None and self._asked.agrees(key, value):
                continue
            kind, name = key
            if kind is Kind.TURNOUT:
                wanted = "thrown" if self._asked.value(key) else "closed"
                said = "neither closed nor thrown" if value is None else "thrown" if value else "closed"
                what = f"turnout {name} was sent to {wanted}, and JMRI says {said}: it failed, or somebody moved it"
                events.append(ForeignControl(t_s, what))
            elif value is not None:
                events.append(self._foreign(key, value, t_s))
        return events

    # ------------------------------------------------------------ turnouts, beams, magnets

    def _bean(self, bean: Bean, t_s: float) -> list[Event]:
        thing = self._addresses.things.get((bean.type, bean.name))
        if thing is None:
            return self._once(t_s, f"{bean.type} {bean.name} of JMRI is not on this layout")
        if bean.state is None:
            return []
        value = thing.ours(bean.state)
        if bean.type is BeanType.SENSOR:
            return self._beam(thing, value, t_s)
        key = (Kind.TURNOUT if bean.type is BeanType.TURNOUT else Kind.MAGNET, thing.name)
        before = self.values.get(key)
        self.values[key] = value
        if value is None:
            if before is None or self._asked.settling(key, t_s):
                return []
            return [ForeignControl(t_s, f"JMRI no longer says how {thing} lies: moved by hand, or by somebody else")]
        told: Event = TurnoutReported(t_s, thing.name, value)
        if bean.type is BeanType.LIGHT:
            told = UncouplerReported(t_s, thing.name, value)
        return [told, *self._judge(key, before, value, t_s)]

    def _beam(self, thing: Thing, value: bool | None, t_s: float) -> list[Event]:
        if value is None:
            if thing.name in self.active:
                self.blind = f"JMRI no longer knows {thing} ({thing.system_name})"
            return []
        if self.active.get(thing.name) is value:
            return []
        self.active[thing.name] = value
        return [SensorChanged(t_s, thing.name, value)]

    # ------------------------------------------------------------ locomotives

    def _throttle(self, said: Throttle, t_s: float) -> list[Event]:
        engine = self.engines.get(said.name)
        if engine is None:
            return []
        events: list[Event] = []
        if said.release:
            events.append(ForeignControl(t_s, f"locomotive {said.name} was taken away from this program"))
        if said.clients is not None:
            if said.clients > 1 >= engine.clients:
                events.append(ForeignControl(t_s, f"another throttle took hold of locomotive {said.name}"))
            engine.clients = said.clients
        if said.speed_steps is not None:
            engine.speed_steps = said.speed_steps
        if said.speed is None and said.forward is None:
            return events
        if said.speed is not None and said.forward is not None:
            engine.reports += 1
        for kind, value in (
            (Kind.DIRECTION, said.forward),
            (Kind.SPEED, None if said.speed is None else step_of(said.speed)),
        ):
            if value is not None:
                key = (kind, said.name)
                before, self.values[key] = self.values.get(key), value
                events += self._judge(key, before, value, t_s)
        engine.forward = engine.forward if said.forward is None else said.forward
        engine.step = engine.step if said.speed is None else step_of(said.speed)
        if engine.step is not None and engine.forward is not None:
            step, emergency = max(engine.step, 0), engine.step == EMERGENCY
            events.append(LocomotiveReported(t_s, said.name, engine.forward, step, emergency=emergency))
        return events

    # ------------------------------------------------------------ power

    def _power(self, said: Power, t_s: float) -> list[Event]:
        if said.default is False or said.state is None:
            return []
        before = self.power
        if said.state == UNKNOWN:
            if before is not None and not self._asked.settling(POWER, t_s):
                self.blind = "JMRI no longer knows whether the track power is on"
            # Just asked for, or never known: the layout has not answered yet.
            self.power = self.values[POWER] = None
            return []
        # Idle: the track has power, and the command station lets nothing run.
        now = said.state in (SwitchState.ON, SwitchState.IDLE)
        self.power = self.values[POWER] = now
        events: list[Event] = [] if now == before else [PowerReported(t_s, now)]
        if said.state == SwitchState.IDLE and before is not None:
            return [*events, ForeignControl(t_s, "everything was stopped at the command station (its power is idle)")]
        return events if now == before else events + self._judge(POWER, before, now, t_s)

    # ------------------------------------------------------------ judging

    def _judge(self, key: Key, before: Value | None, value: Value, t_s: float) -> list[Event]:
        """Foreign, unless we asked for it; before we ever asked, a change is foreign."""
        if self._asked.value(key) is None:
            return [] if before in (None, value) or not self.live else [self._foreign(key, value, t_s)]
        if self._asked.agrees(key, value):
            return []
        if key[0] in (Kind.TURNOUT, Kind.POWER) and self._asked.settling(key, t_s):
            self._to_check.add(key)
            return []
        if self._asked.may_be_late(key, value, t_s):
            self._to_check.add(key)
            return []
        return [self._foreign(key, value, t_s)]

    def _foreign(self, key: Key, value: Value, t_s: float) -> ForeignControl:
        kind, name = key
        match kind:
            case Kind.TURNOUT:
                what = f"turnout {name} was {'thrown' if value else 'closed'}"
            case Kind.MAGNET:
                what = f"magnet {name} was switched {'on' if value else 'off'}"
            case Kind.SPEED:
                set_to = "stopped" if value == EMERGENCY else f"set to step {value}"
                what = f"locomotive {name} was {set_to}"
            case Kind.DIRECTION:
                what = f"locomotive {name} was set to {'forward' if value else 'reverse'}"
            case Kind.POWER:
                what = f"the power was switched {'on' if value else 'off'}"
        return ForeignControl(t_s, f"{what} by somebody else")
