"""What nodes report, and what others command, turned into events."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from pointsman.drivers.chatter import Once
from pointsman.drivers.mqtt.names import Kind, Machine, Names
from pointsman.drivers.mqtt.orders import Orders
from pointsman.messages import (
    Event,
    ForeignControl,
    PowerReported,
    SensorChanged,
    StationNote,
    TurnoutReported,
    UncouplerReported,
)
from pointsman.protocols.jmri_mqtt import (
    Availability,
    Command,
    HostState,
    LightState,
    Message,
    Points,
    PowerCommand,
    PowerState,
    ReporterState,
    SensorState,
    TurnoutState,
)
from pointsman.transports.mqtt_base import Delivery

SETTLES_WITHIN_S = 1.0
"""Beyond a machine's own time: a report of another value is then nobody's echo any more."""


class Reports:
    """Folds messages into events. Not ``live`` while a link is set up: then states are learnt and not told.

    ``nodes``: whether each is online; None until it is heard. ``active``: the beams' states, as known. ``answers_off``:
    a node has said, now, that the power is off. ``overheard``: what others commanded while the link was set up.
    """

    def __init__(self, names: Names, orders: Orders, carried_out: Callable[[Kind, str, bool], None]) -> None:
        self._names = names
        self._orders = orders
        self._carried_out = carried_out
        self.begin()

    def begin(self) -> None:
        """A new link."""
        self.overheard: list[str] = []
        self.once = Once()
        self.start_afresh()

    def start_afresh(self) -> None:
        """Forget every state: the broker is asked again, and says again what it has kept."""
        self.live = False
        self.nodes: dict[str, bool | None] = dict.fromkeys(self._names.mqtt.nodes)
        self.restarted = ""
        self.gone = ""
        self._forget_states()

    def _forget_states(self) -> None:
        self.active: dict[str, bool] = {}
        self.power: bool | None = None
        self.answers_off = False
        self._lies: dict[str, bool] = {}
        self._told_t_s: dict[str, float] = {}
        self._values: dict[tuple[Kind, str], tuple[bool, float]] = {}

    @property
    def unheard_beams(self) -> list[str]:
        """Beams whose state nobody has told."""
        return [beam.name for beam in self._names.beams.values() if beam.name not in self.active]

    @property
    def missing_nodes(self) -> list[str]:
        """Nodes that are not known to be online."""
        return [node for node, online in self.nodes.items() if not online]

    def first_states(self, t_s: float) -> list[Event]:
        """The state of each beam, of turnouts that are known, and of the power, when the link is up."""
        events: list[Event] = [SensorChanged(t_s, name, active) for name, active in self.active.items()]
        events += [TurnoutReported(t_s, name, thrown) for name, thrown in self._lies.items()]
        return [*events, PowerReported(t_s, bool(self.power))]

    def expect(self, kind: Kind, name: str, value: bool, until_t_s: float) -> None:
        """A machine was told something; until then it may still report what was before."""
        self._values[kind, name] = (value, until_t_s + SETTLES_WITHIN_S)

    def answered(self, kind: Kind, name: str, since_t_s: float) -> bool:
        """Has a node said, since a moment, and finally, what a machine did?"""
        return kind is Kind.TURNOUT and name in self._lies and self._told_t_s.get(name, -inf) >= since_t_s

    # ------------------------------------------------------------ commands, heard

    def command(self, command: Command, delivery: Delivery, t_s: float) -> list[Event]:
        """A command that somebody has published, perhaps we. Retained, it is history, and means nothing."""
        packet = (delivery.topic, delivery.payload)
        what = self._names.described(command)
        if delivery.retained:
            text = (
                f"the broker keeps the command {delivery.topic} = {delivery.payload.decode(errors='replace')[:40]} for "
                "every node that starts; nothing was done because of it. To delete it, publish an empty retained "
                "message there"
            )
            return self.once(t_s, text)
        if self._orders.echo(packet, t_s) or not what:
            return []
        if self._orders.asked(packet):
            return self.once(t_s, f"{what} as it is already, by somebody else")
        self._orders.heard(packet)
        # Whoever it was, the node has obeyed it again, and something newer was asked meanwhile.
        who = (
            ", again: by somebody else, or delivered twice"
            if self._orders.came_again(packet, t_s)
            else " by somebody else"
        )
        events: list[Event] = [ForeignControl(t_s, f"{what}{who}")]
        if isinstance(command, PowerCommand):
            events += self._power(command.on, t_s)
        if self.live:
            return events
        self.overheard.append(what)
        return []

    # ------------------------------------------------------------ states, reported

    def digest(self, message: Message, delivery: Delivery, t_s: float) -> list[Event]:
        """The events that a report means. A retained one counts while the link is set up and its nodes are there."""
        match message:
            case Availability(node=node) if node in self.nodes:
                return self._availability(node, message.online, delivery.retained, t_s)
            case ReporterState(name=name, tag=tag, text=text):
                return [StationNote(t_s, f"reporter {name}: {tag or 'nothing there'} {text}".rstrip())]
            case HostState(text=text) if text:
                return self.once(t_s, f"JMRI: {text}")
        if delivery.retained and (self.live or False in self.nodes.values()):
            return []
        match message:
            case SensorState(name=topic, active=active) if topic in self._names.beams:
                return self._beam(self._names.beams[topic], active, t_s)
            case TurnoutState(name=topic, points=points) if topic in self._names.turnouts:
                return self._turnout(self._names.turnouts[topic], points, t_s, fresh=not delivery.retained)
            case LightState(name=topic, on=on) if topic in self._names.magnets:
                machine = self._names.magnets[topic]
                told: list[Event] = [UncouplerReported(t_s, machine.name, machine.ours(on))]
                way = "on" if machine.ours(on) else "off"
                what = f"magnet {machine.name} was switched {way}"
                fresh = not delivery.retained
                return self._told(told + self._judge(Kind.MAGNET, machine.name, machine.ours(on), what, t_s, fresh))
            case PowerState(on=on):
                self.answers_off = not on and not delivery.retained
                way = "on" if on else "off"
                events = self._power(on, t_s)
                what = f"the power was switched {way}"
                return self._told(events + self._judge(Kind.POWER, "", on, what, t_s, not delivery.retained))
        return []

    def powered(self, on: bool, t_s: float) -> list[Event]:
        """Nobody reports the power: it is as it was last commanded."""
        return self._told(self._power(on, t_s))

    def _availability(self, node: str, online: bool, retained: bool, t_s: float) -> list[Event]:
        before, self.nodes[node] = self.nodes[node], online
        if not online:
            # What its states were, before it went, says nothing of what they are when it comes back.
            self._forget_states()
            if self.live:
                self.gone = f"node {node} is offline"
            return []
        if not retained:
            # A node says so when it starts, or when it has found the broker again: either way it has stopped.
            self.restarted = f"node {node} said that it is online"
        return [] if before is not False or self.live else self.once(t_s, f"node {node} is back")

    def _beam(self, beam: Machine, active: bool | None, t_s: float) -> list[Event]:
        if active is None:
            self.active.pop(beam.name, None)
            if self.live:
                self.gone = f"the node of beam {beam.name} does not know its state"
            return []
        value = beam.ours(active)
        if self.active.get(beam.name) == value:
            return []  # delivered twice
        self.active[beam.name] = value
        return self._told([SensorChanged(t_s, beam.name, value)])

    def _turnout(self, turnout: Machine, points: Points, t_s: float, *, fresh: bool) -> list[Event]:
        if points not in (Points.CLOSED, Points.THROWN):
            self._lies.pop(turnout.name, None)
            settled = self._settled(Kind.TURNOUT, turnout.name, t_s)
            what = f"turnout {turnout.name} does not lie as it was set any more: {points}"
            return self._told([ForeignControl(t_s, what)] if settled and fresh else [])
        thrown = turnout.ours(points is Points.THROWN)
        self._lies[turnout.name] = thrown
        if fresh:
            self._told_t_s[turnout.name] = t_s
        what = f"turnout {turnout.name} was {'thrown' if thrown else 'closed'}"
        told: list[Event] = [TurnoutReported(t_s, turnout.name, thrown)]
        return self._told(told + self._judge(Kind.TURNOUT, turnout.name, thrown, what, t_s, fresh))

    def _power(self, on: bool, t_s: float) -> list[Event]:
        before, self.power = self.power, on
        return [] if on is before else [PowerReported(t_s, on)]

    def _judge(self, kind: Kind, name: str, value: bool, what: str, t_s: float, fresh: bool) -> list[Event]:
        """A fresh report carries an order out, or is somebody else's doing once the machine has come to rest."""
        if not fresh:
            return []
        asked, _ = self._values.get((kind, name), (value, 0.0))
        if value is asked:
            self._carried_out(kind, name, value)
            return []
        if not self._settled(kind, name, t_s):
            return []
        return [ForeignControl(t_s, f"{what} by somebody else")]

    def _settled(self, kind: Kind, name: str, t_s: float) -> bool:
        found = self._values.get((kind, name))
        return found is not None and t_s > found[1] and self._orders.expecting(kind, name) is None

    def _told(self, events: list[Event]) -> list[Event]:
        return events if self.live else []
