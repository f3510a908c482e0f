"""Names <-> addresses: which station, and which number or name there, each turnout, beam, magnet and locomotive has.

One layout can run on other hardware: a ``Wiring`` is read from its own file (``layouts/<name>/hardware/*.toml``).
It is for drivers and the simulated layout; of it the rail tower uses only what a machine is (its kind and time), and
whether a locomotive runs on direct current.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pointsman.track.model import SpeedTable

NO_NUMBER = -1
"""The ``number`` of what has none: a turnout moved by hand, and everything at a station that goes by names."""


class TurnoutKind(StrEnum):
    """What moves the points."""

    SERVO = "servo"
    STALL_MOTOR = "stall-motor"
    ACCESSORY_DECODER = "accessory-decoder"
    SOLENOID = "solenoid"
    HAND = "hand"


class UncouplerKind(StrEnum):
    """What parts a coupling."""

    PERMANENT = "permanent"
    SERVO = "servo"
    COIL = "coil"
    HAND = "hand"


class Protocol(StrEnum):
    """What a station speaks."""

    DCCEX = "dccex"
    JMRI = "jmri"
    MQTT = "mqtt"
    NODE = "node"

    @property
    def by_name(self) -> bool:
        """Whether turnouts, beams and magnets have a name there (text) instead of a number."""
        return self in (Protocol.JMRI, Protocol.MQTT)


class Feedback(StrEnum):
    """What the nodes of an MQTT station report on ``.../state``."""

    TURNOUTS = "turnouts"
    MAGNETS = "magnets"
    POWER = "power"


class LastWill(StrEnum):
    """What a broker publishes when this program dies."""

    POWER = "power"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class MqttWiring:
    """How the nodes behind a broker are spoken to; which broker it is, is not a matter of the layout.

    ``prefix`` stands before every topic. ``nodes`` are those whose availability must be online. ``last_will``:
    track power off, or the emergency stop of the one locomotive.
    """

    prefix: str
    nodes: tuple[str, ...]
    feedback: frozenset[Feedback]
    last_will: LastWill


class NodeBoard(StrEnum):
    """What board a node is."""

    UNO = "uno"
    MEGA = "mega"


@dataclass(frozen=True, slots=True)
class Places:
    """How many of each a board has pins for; they are counted from 1, in the order of ``firmware/README.md``."""

    turnouts: int
    beams: int
    magnets: int


PLACES = {NodeBoard.UNO: Places(2, 4, 3), NodeBoard.MEGA: Places(5, 12, 9)}


@dataclass(frozen=True, slots=True)
class NodeWiring:
    """An Arduino node. ``relay``: its relay lies in the feed of the whole track, whatever else feeds it.

    ``prefix`` stands before every topic where its line is carried by an MQTT broker.
    """

    board: NodeBoard
    relay: bool
    prefix: str = ""

    @property
    def places(self) -> Places:
        """What it has pins for."""
        return PLACES[self.board]


@dataclass(frozen=True, slots=True)
class StationWiring:
    """A command station; with ``mqtt`` the nodes behind a broker, with ``node`` an Arduino node."""

    name: str
    protocol: Protocol
    mqtt: MqttWiring | None = None
    node: NodeWiring | None = None


@dataclass(frozen=True, slots=True)
class ServoPositions:
    """Where a servo stands for each leg *of the layout*, in 1/4096 of its pulses' 20 ms: 205 is 1 ms, 410 is 2 ms."""

    thrown: int
    closed: int


@dataclass(frozen=True, slots=True)
class TurnoutWiring:
    """A turnout's machine. ``number`` is the station's id; ``move_time_s`` is until the points are surely over.

    Kind ``hand`` has ``NO_NUMBER``. So has what the station knows by a ``name``; else that is empty, here and below.
    ``pin``, ``servo`` and ``dcc_address`` (1..2044) are what a station has to be told to define it; None where the file
    does not say.
    """

    station: str
    number: int
    kind: TurnoutKind
    move_time_s: float
    inverted: bool
    pulse_limited_by: str
    pin: int | None = None
    servo: ServoPositions | None = None
    dcc_address: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class BeamWiring:
    """A beam's sensor, and its pin if the file says it. ``inverted``: the station's inactive means a body is seen."""

    station: str
    number: int
    inverted: bool
    pin: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class UncouplerWiring:
    """A magnet's output, and its pin if the file says it. ``hold_s`` is how long it is energised.

    A permanent magnet and a hand have neither number nor name; where things go by names there is a name and no number.
    """

    station: str
    number: int | None
    kind: UncouplerKind
    hold_s: float
    inverted: bool
    pulse_limited_by: str
    pin: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class LocomotiveWiring:
    """A locomotive's DCC address; ``long`` says whether it is a long one where it may be either.

    At an MQTT station ``name`` stands for it, and ``cab`` is 0 where the file has none. ``dc``: it has no decoder and
    runs on the direct current of a node; ``cab`` is 0 then, too. ``speeds`` are what it does there, by the step of the
    node's throttle; for a decoder None, since the layout has them.
    """

    station: str
    cab: int
    long: bool | None = None
    name: str = ""
    dc: bool = False
    speeds: SpeedTable | None = None


@dataclass(frozen=True, slots=True)
class Wiring:
    """The whole wiring of a layout on one set of hardware; keys are the layout's names."""

    name: str
    stations: Mapping[str, StationWiring]
    turnouts: Mapping[str, TurnoutWiring]
    beams: Mapping[str, BeamWiring]
    uncouplers: Mapping[str, UncouplerWiring]
    locomotives: Mapping[str, LocomotiveWiring]

    @property
    def relays(self) -> tuple[str, ...]:
        """The nodes whose relay lies in the feed of the whole track."""
        return tuple(name for name, made in self.stations.items() if made.node is not None and made.node.relay)

    def on_dc(self, locomotive: str) -> bool:
        """Whether a locomotive runs on direct current: then the rails' wires, and not its front, say which way."""
        return locomotive in self.locomotives and self.locomotives[locomotive].dc

    @property
    def stops_itself(self) -> bool:
        """Whether nothing runs on when a host falls silent: a node's relay feeds the track, or its throttle every
        locomotive.
        """
        return bool(self.relays) or (bool(self.locomotives) and all(one.dc for one in self.locomotives.values()))

    @property
    def needs_watchdog(self) -> tuple[str, ...]:
        """The nodes that drive a locomotive while no node's relay lies in the track's feed.

        Of these nothing but the watchdog is sure to end a program that hangs.
        """
        driving = {one.station for one in self.locomotives.values() if one.dc}
        return () if self.relays else tuple(name for name in self.stations if name in driving)

    @property
    def feeding(self) -> tuple[str, ...]:
        """The stations whose power the track needs.

        They drive locomotives, or turnouts through the rails, or have their relay in the track's feed.
        """
        names = {wired.station for wired in self.locomotives.values()}
        names |= {t.station for t in self.turnouts.values() if t.kind is TurnoutKind.ACCESSORY_DECODER}
        names.update(self.relays)
        return tuple(name for name in self.stations if name in names)

    @property
    def switched(self) -> tuple[str, ...]:
        """The stations that are told to switch the power: those that feed the track, and every node.

        A node that nobody has armed pulls no magnet either.
        """
        feeding = self.feeding
        return tuple(name for name, made in self.stations.items() if name in feeding or made.node is not None)

    def power(self, said: Mapping[str, bool]) -> bool | None:
        """The track's power, from what each station last said of its own.

        On when all that feed the track say on; off when all say off, or when one does whose relay lies in the feed.
        Else None, and the track must be taken for live: nothing says which rails a station feeds, and a locomotive may
        stand on any.
        """
        states = [said.get(name) for name in self.feeding]
        if states and all(state is True for state in states):
            return True
        open_relay = any(said.get(name) is False for name in self.relays)
        return False if open_relay or all(state is False for state in states) else None
