"""The part of a layout's wiring that hangs on one MQTT station, looked up from both sides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from pointsman.drivers.wired import find, station_of
from pointsman.errors import ProtocolError
from pointsman.messages import Drive
from pointsman.protocols.jmri_mqtt import (
    Availability,
    Direction,
    Fence,
    LightCommand,
    LightState,
    Message,
    Points,
    PowerCommand,
    PowerState,
    ReporterState,
    SensorState,
    ThrottleDirection,
    ThrottleSpeed,
    Topics,
    TurnoutCommand,
    TurnoutState,
    publish_packet,
)
from pointsman.track.model import HIGHEST_STEP
from pointsman.track.percent import percent_of
from pointsman.track.wiring import Feedback, LastWill, Protocol, Wiring

_ANY = "any"


class Kind(Enum):
    """What a value belongs to."""

    TURNOUT = auto()
    MAGNET = auto()
    POWER = auto()


@dataclass(frozen=True, slots=True)
class Machine:
    """A turnout, beam or magnet: its name in topics, and whether the node's 1 means our false.

    ``takes_s``: until it has surely done what it was told. ``reports``: its node says what it did.
    """

    name: str
    topic: str
    inverted: bool
    takes_s: float = 0.0
    reports: bool = False

    def ours(self, node_value: bool) -> bool:
        """What the node's value means to us (and, the same way, back)."""
        return node_value != self.inverted


class Names:
    """Names and topics of one station. What is moved by hand, and permanent magnets, are not the station's."""

    def __init__(self, wiring: Wiring, station: str | None = None) -> None:
        """``station`` may be left out if the wiring has only one MQTT station. Raises StationError."""
        cure = "name one of the MQTT stations of the hardware file"
        station = station_of(wiring, Protocol.MQTT, station, none="there is none", cure=cure)
        made = wiring.stations[station].mqtt
        assert made is not None, "an MQTT station is wired as one"
        self.station = station
        self.mqtt = made
        self.topics = Topics(made.prefix)
        self.power_reports = Feedback.POWER in made.feedback
        self._turnouts = {
            name: Machine(name, one.name, one.inverted, one.move_time_s, Feedback.TURNOUTS in made.feedback)
            for name, one in wiring.turnouts.items()
            if one.station == station and one.name
        }
        self._beams = {
            name: Machine(name, one.name, one.inverted) for name, one in wiring.beams.items() if one.station == station
        }
        self._magnets = {
            name: Machine(name, one.name, one.inverted, 0.0, Feedback.MAGNETS in made.feedback)
            for name, one in wiring.uncouplers.items()
            if one.station == station and one.name
        }
        self._cabs = {name: one.name for name, one in wiring.locomotives.items() if one.station == station}
        self.turnouts = {one.topic: one for one in self._turnouts.values()}
        self.beams = {one.topic: one for one in self._beams.values()}
        self.magnets = {one.topic: one for one in self._magnets.values()}
        self.locomotives = {cab: name for name, cab in self._cabs.items()}

    def turnout(self, name: str) -> Machine:
        """The turnout of this name. Raises ProtocolError, as all of these do, when this station has none."""
        return find("turnout", name, self._turnouts)

    def magnet(self, name: str) -> Machine:
        """The magnet of this name."""
        return find("magnet", name, self._magnets)

    def cab(self, name: str) -> str:
        """What stands for the locomotive of this name in topics."""
        if name not in self._cabs:
            raise ProtocolError(f"locomotive {name!r} is not on station {self.station!r}", cure="see the hardware file")
        return self._cabs[name]

    def subscriptions(self, client_id: str) -> list[str]:
        """Every topic that is listened to, commands too: who else commands must be noticed, and our own come back."""
        wanted: list[Message] = [PowerCommand(False), PowerState(False), Fence(client_id, "0", 0)]
        for topic in self.turnouts:
            wanted += [TurnoutCommand(topic, False), TurnoutState(topic, Points.UNKNOWN)]
        for topic in self.magnets:
            wanted += [LightCommand(topic, False), LightState(topic, False)]
        for cab in self.locomotives:
            wanted += [ThrottleSpeed(cab, 0), ThrottleDirection(cab, Direction.STOP)]
        wanted += [SensorState(topic, None) for topic in self.beams]
        wanted += [Availability(node, True) for node in self.mqtt.nodes]
        reporters = self.topics.topic(ReporterState(_ANY, ""))
        return [*map(self.topics.topic, wanted), reporters.removesuffix(_ANY) + "+"]

    def last_will(self) -> Message:
        """What the broker publishes when this program dies."""
        if self.mqtt.last_will is LastWill.STOP:
            return ThrottleDirection(next(iter(self.locomotives)), Direction.STOP)
        return PowerCommand(False)

    def drive(self, command: Drive) -> list[Message]:
        """A locomotive's direction and speed. Raises ProtocolError for a step that there is not."""
        if not 1 <= command.step <= HIGHEST_STEP:
            raise ProtocolError(f"speed step {command.step} is outside 1 .. {HIGHEST_STEP}", cure="correct the plan")
        cab = self.cab(command.locomotive)
        direction = Direction.FORWARD if command.forward else Direction.REVERSE
        return [ThrottleDirection(cab, direction), ThrottleSpeed(cab, percent_of(command.step))]

    def guardian(self) -> tuple[bytes, ...]:
        """The writes of a guardian: the stop and magnets off, and at last the power off."""

        def packets(messages: list[Message]) -> bytes:
            return b"".join(publish_packet(*self.topics.write(message)) for message in messages)

        stop = packets([*self.stops(), *self.all_off()])
        return (stop, stop + packets([PowerCommand(False)]))

    def stops(self) -> list[Message]:
        """The emergency stop of every locomotive."""
        return [
            message
            for cab in self.locomotives
            for message in (ThrottleDirection(cab, Direction.STOP), ThrottleSpeed(cab, 0))
        ]

    def standing(self) -> list[Message]:
        """Speed 0 for every locomotive."""
        return [ThrottleSpeed(cab, 0) for cab in self.locomotives]

    def all_off(self) -> list[Message]:
        """Every magnet off."""
        return [LightCommand(topic, magnet.ours(False)) for topic, magnet in self.magnets.items()]

    def described(self, message: Message) -> str:
        """A command, for people, by the layout's own names; empty for what is no command to this station."""
        match message:
            case TurnoutCommand(name=topic, thrown=thrown) if topic in self.turnouts:
                machine = self.turnouts[topic]
                return f"turnout {machine.name} was {'thrown' if machine.ours(thrown) else 'closed'}"
            case LightCommand(name=topic, on=on) if topic in self.magnets:
                machine = self.magnets[topic]
                return f"magnet {machine.name} was switched {'on' if machine.ours(on) else 'off'}"
            case ThrottleSpeed(cab=cab, percent=percent, stop=stop) if cab in self.locomotives:
                how = "stopped" if stop else f"set to {percent} %"
                return f"locomotive {self.locomotives[cab]} was {how}"
            case ThrottleDirection(cab=cab, direction=direction) if cab in self.locomotives:
                return f"the direction of locomotive {self.locomotives[cab]} was set to {direction}"
            case PowerCommand(on=on):
                return f"the power was switched {'on' if on else 'off'}"
        return ""
