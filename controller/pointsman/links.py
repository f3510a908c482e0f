"""Where the stations of a layout are, the links to them, and the driver for each: a part of the composition root.

Every link is made here, and the simulated layout too: it is imported only when something runs on it (docs/adr/0005).
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from pointsman.drivers.dccex import DccExDriver
from pointsman.drivers.jmri import JmriDriver
from pointsman.drivers.node import NodeDriver
from pointsman.drivers.node.tunnel import Tunnel
from pointsman.drivers.several import Emit, StationDriver, Stations
from pointsman.errors import UsageError
from pointsman.protocols.node_tunnel import Topics
from pointsman.track.model import End, Track
from pointsman.track.wiring import Protocol as Speaks
from pointsman.track.wiring import StationWiring, Wiring
from pointsman.transports.base import Transport
from pointsman.transports.memory import memory_pair
from pointsman.transports.mqtt_base import Delivery, MqttLink
from pointsman.transports.serial import SerialTransport
from pointsman.transports.tcp import TcpTransport
from pointsman.transports.websocket import JMRI_PORT, WebSocketTransport

if TYPE_CHECKING:
    from pointsman.transports.mqtt_memory import MemoryBroker, MemoryClient
    from railsim.embed import Simulation
    from railsim.mqtt_embed import NodeSide

DCCEX_TCP_PORT = 2560
_HOST_AND_PORT = re.compile(r"(\[(?P<v6>[^\[\]]+)\]|(?P<host>[^:\[\]]+))(:(?P<port>[0-9]{1,5}))?")
_NAMED = re.compile(r"[^=:,]+=")
_NEXT = re.compile(r",\s*(?=[^=:,]+=)")


class On(StrEnum):
    """What a play runs on."""

    SIM = "sim"
    SERIAL = "serial"
    TCP = "tcp"
    JMRI = "jmri"
    MQTT = "mqtt"
    SEVERAL = "several"


_PORTS = {On.TCP: DCCEX_TCP_PORT, On.JMRI: JMRI_PORT, On.MQTT: 0}
"""Those that are on the network, with the port when none is given; a broker's depends on whether it is encrypted."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the layout is: simulated, at a serial port, at a station on the network, behind JMRI, or at an MQTT broker.

    Port 0 of a broker is its usual one, with or without encryption. ``each`` has a target for each station's name when
    there are several.
    """

    on: On
    address: str = ""
    port: int = 0
    each: tuple[tuple[str, Target], ...] = ()

    @property
    def serial_ports(self) -> list[str]:
        """Every serial port that is needed."""
        return [one.address for one in (self, *(target for _, target in self.each)) if one.on is On.SERIAL]

    def __str__(self) -> str:
        if self.each:
            return ",".join(f"{name}={target}" for name, target in self.each)
        host = f"[{self.address}]" if ":" in self.address else self.address
        if self.on in _PORTS:
            return f"{self.on}:{host}" + (f":{self.port}" if self.port else "")
        return f"serial:{self.address}" if self.on is On.SERIAL else "sim"


def parse_target(text: str) -> Target:
    """``sim``, ``serial:PORT``, or ``HOST[:PORT]`` after ``tcp:``, ``jmri:`` or ``mqtt:``. Raises UsageError.

    For several stations it is one of these for each, like ``main=serial:/dev/ttyACM0,yard=mqtt:hut``.
    """
    if _NAMED.match(text):
        return _several([part.partition("=") for part in _NEXT.split(text)])
    kind, _, rest = text.partition(":")
    if text == On.SIM:
        return Target(On.SIM)
    if kind == On.SERIAL and rest:
        return Target(On.SERIAL, rest)
    if kind in _PORTS and rest:
        # An address of IPv6 has colons of its own and stands in brackets.
        found = _HOST_AND_PORT.fullmatch(rest)
        if found and (found["port"] is None or 0 < int(found["port"]) < 65536):
            return Target(On(kind), found["v6"] or found["host"], int(found["port"] or _PORTS[On(kind)]))
    raise UsageError(
        f"--on {text!r} is not understood",
        cure="write sim, serial:/dev/ttyACM0, tcp:192.168.4.1:2560, jmri:192.168.1.20:12080, or mqtt:192.168.4.1",
    )


def _several(parts: list[tuple[str, str, str]]) -> Target:
    each = {name: parse_target(text) for name, _, text in parts}
    if len(each) < len(parts):
        raise UsageError("--on names a station twice", cure="give one for each station")
    for name, target in each.items():
        if target.each or target.on is On.SIM:
            raise UsageError(
                f"--on {name}={target} is not possible", cure="sim plays all stations: give --on sim alone"
            )
    return Target(On.SEVERAL, each=tuple(each.items()))


def fitting(target: Target, wiring: Wiring) -> Target:
    """The target for the stations of a wiring. Raises UsageError where it has none, another one, or too many."""
    where = f"hardware {wiring.name}"
    stations = ", ".join(wiring.stations)
    if target.on is On.SIM:
        return target
    if not target.each:
        if len(wiring.stations) > 1:
            ways = " ".join(f"--on {name}={_EXAMPLE[made.protocol]}" for name, made in wiring.stations.items())
            raise UsageError(f"which station is at {target}: {stations}?", where=where, cure=f"give {ways}")
        ((name, made),) = wiring.stations.items()
        if made.protocol not in _SPEAKS[target.on]:
            raise UsageError(
                f"station {name} does not speak as {target} does",
                where=where,
                cure=f"give --on {_EXAMPLE[made.protocol]}",
            )
        return target
    given = dict(target.each)
    for name in given:
        if name not in wiring.stations:
            raise UsageError(f"--on {name}=...: there is no such station", where=where, cure=f"it has {stations}")
    for name, made in wiring.stations.items():
        if name not in given:
            cure = f"give --on {name}={_EXAMPLE[made.protocol]} too"
            raise UsageError(f"it is not said where station {name} is", where=where, cure=cure)
        if made.protocol not in _SPEAKS[given[name].on]:
            raise UsageError(
                f"station {name} does not speak as {given[name]} does",
                where=where,
                cure=f"give --on {name}={_EXAMPLE[made.protocol]}",
            )
    return target if len(given) > 1 else next(iter(given.values()))


def spoken_at(target: Target) -> tuple[Speaks, ...]:
    """What may be spoken there; everything on the simulated layout, where the wiring says what is."""
    return _SPEAKS.get(target.on, tuple(Speaks))


_SPEAKS = {
    On.SERIAL: (Speaks.DCCEX, Speaks.NODE),
    On.TCP: (Speaks.DCCEX, Speaks.NODE),
    On.JMRI: (Speaks.JMRI,),
    On.MQTT: (Speaks.MQTT, Speaks.NODE),
}
"""What may be spoken there: the wiring says what is; the first is meant when it says something else."""
_EXAMPLE = {
    Speaks.DCCEX: "serial:/dev/ttyACM0",
    Speaks.JMRI: "jmri:192.168.1.20",
    Speaks.MQTT: "mqtt:192.168.4.1",
    Speaks.NODE: "serial:/dev/ttyUSB0",
}


# ---------------------------------------------------------------- links and drivers


@dataclass(frozen=True, slots=True)
class StationLink:
    """The link to a station, by the wiring's name, and what the target there speaks."""

    station: str
    speaks: Speaks
    link: Transport | MqttLink

    def driver(self, wiring: Wiring, emit: Emit) -> StationDriver:
        """Its driver. Raises StationError when the wiring has it otherwise."""
        if isinstance(self.link, MqttLink):
            from pointsman.drivers.mqtt import MqttDriver

            return MqttDriver(self.link, wiring, emit=emit, station=self.station)
        return _DRIVERS[self.speaks](self.link, wiring, emit=emit, station=self.station)


_DRIVERS: dict[Speaks, type[DccExDriver | JmriDriver | NodeDriver]] = {
    Speaks.DCCEX: DccExDriver,
    Speaks.JMRI: JmriDriver,
    Speaks.NODE: NodeDriver,
}


def drive(
    links: Sequence[StationLink], wiring: Wiring, emit: Emit
) -> tuple[StationDriver | Stations, dict[str, StationDriver]]:
    """What drives a whole layout, and the driver of each of its stations."""
    if len(links) == 1:
        (one,) = links
        driver = one.driver(wiring, emit)
        return driver, {one.station: driver}
    stations = Stations(wiring, {one.station: partial(one.driver, wiring) for one in links}, emit=emit)
    return stations, dict(stations.drivers)


@asynccontextmanager
async def open_links(
    target: Target, wiring: Wiring, simulated: Callable[[], Simulation], speed: float | None
) -> AsyncIterator[tuple[list[StationLink], Simulation | None]]:
    """The links to all stations of a wiring; with the simulated layout behind them when that is the target.

    ``speed`` is the pace of its clock (None: it jumps). Raises UsageError when the target does not fit the wiring.
    """
    target = fitting(target, wiring)
    if target.on is not On.SIM:
        each = target.each or ((next(iter(wiring.stations)), target),)
        made = wiring.stations
        yield [StationLink(name, _spoken(one, made[name]), link_to(one, made[name])) for name, one in each], None
        return
    simulation = simulated()
    try:
        # A clock that jumps is no match for a terminal.
        by_pty = speed is not None and sys.platform != "win32" and len(wiring.stations) == 1
        links = [
            StationLink(name, made.protocol, await simulated_link(simulation, name, made.protocol, by_pty=by_pty))
            for name, made in wiring.stations.items()
        ]
        yield links, simulation
    finally:
        await simulation.close()


def _spoken(target: Target, station: StationWiring) -> Speaks:
    """What is spoken at a target: what the wiring has, where that can be."""
    possible = _SPEAKS[target.on]
    return station.protocol if station.protocol in possible else possible[0]


def link_to(target: Target, station: StationWiring | None = None) -> Transport | MqttLink:
    """The link to one real station, or broker; it is not open yet. Raises UsageError for settings of a broker.

    To a ``station`` that is a node behind a broker it carries bytes, through the bridge of the station's name.
    """
    match target:
        case Target(on=On.SERIAL, address=address):
            return SerialTransport(address)
        case Target(on=On.TCP, address=address, port=port):
            return TcpTransport(address, port)
        case Target(on=On.JMRI, address=address, port=port):
            return WebSocketTransport(address, port)
    from pointsman.drivers.mqtt.settings import broker_settings
    from pointsman.transports.mqtt import BrokerLink

    broker = BrokerLink(broker_settings(target.address, target.port, os.environ))
    if station is None or station.node is None:
        return broker
    return Tunnel(broker, Topics(station.name, station.node.prefix))


def simulated(
    track: Track,
    wiring: Wiring,
    standing: Mapping[str, tuple[str, ...]],
    facing: Mapping[str, End],
    seed: int = 0,
) -> Simulation:
    """The simulated layout on the running loop's clock; to be closed.

    ``standing`` is what stands on each segment (from -> to), ``facing`` the end to which a locomotive goes forward.
    Raises UsageError.
    """
    from railsim.embed import Simulation
    from railsim.setup import Setup

    return Simulation(track, wiring, Setup(standing, facing), seed=seed)


async def simulated_link(simulation: Simulation, station: str, speaks: Speaks, *, by_pty: bool) -> Transport | MqttLink:
    """A link to a simulated station: a real pseudo-terminal for DCC-EX and nodes if wished, else through memory.

    Either way the clock stands still while bytes are on their way.
    """
    if speaks is Speaks.MQTT:
        return _broker(simulation, station)
    if speaks is Speaks.JMRI:
        return _Called(simulation, station)
    if not by_pty:
        host, far = memory_pair("the simulated layout")
        await far.open()
        link = simulation.memory(far.write, station=station, on_port=host.plug)
        far.listen(link.write, lambda _: None)
        return host
    from railsim.clock import VirtualLoop

    pty = simulation.open_pty()
    transport = SerialTransport(pty.path)
    loop = asyncio.get_running_loop()
    if isinstance(loop, VirtualLoop):
        loop.hold_while(
            lambda: (
                transport.is_open
                and pty.has_host
                and (transport.sent_bytes, transport.received_bytes) != (pty.received_bytes, pty.sent_bytes)
            )
        )
    return transport


class _Called(Transport):
    """A link in memory to a simulated station that greets whoever calls, as JMRI does: it begins when it is opened."""

    def __init__(self, simulation: Simulation, station: str) -> None:
        super().__init__("the simulated layout")
        self._simulation = simulation
        self._station = station
        self._port = ""

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()

        def hear(data: bytes) -> None:
            loop.call_soon(self._deliver, data)

        def cut() -> None:
            loop.call_soon(self._lose, "closed by JMRI")

        self._port = self._simulation.attach("jmri", hear, cut, serial=False, station=self._station)

    def _write(self, data: bytes) -> None:
        asyncio.get_running_loop().call_soon(self._simulation.receive, self._port, data)

    def _shut(self) -> None:
        asyncio.get_running_loop().call_soon(self._simulation.detach, self._port)


def _broker(simulation: Simulation, station: str) -> MqttLink:
    """A broker in memory, with a station's nodes at it, and faults that can do something to both."""
    from pointsman.transports.mqtt_memory import MemoryBroker, MemoryLink
    from railsim.faults import Left, Memory
    from railsim.post import BrokerHands

    broker, nodes = MemoryBroker(), simulation.nodes(station)
    at_broker = _NodesInMemory(broker, nodes)
    at_broker.join()
    in_the_beginning = dict(broker.retained)

    def start(memory: Memory) -> None:
        if memory is not Memory.KEPT:
            broker.retained = dict(in_the_beginning) if memory is Memory.OLD else {}
        broker.start()

    def retain(left: Left) -> None:
        for said in nodes.node.left(left):
            broker.publish(said.topic, said.payload, retain=True)

    some = frozenset(left for left in Left if nodes.node.left(left))
    nodes.opened(
        BrokerHands(partial(broker.stop, forget=False), start, at_broker.cut, at_broker.join, retain, left=some)
    )
    return MemoryLink(broker, carry=nodes.to_host)


class _NodesInMemory:
    """The nodes of a station at a broker in memory, each with a connection and a last will of its own.

    The first connection carries what all of them say and hear.
    """

    def __init__(self, broker: MemoryBroker, nodes: NodeSide) -> None:
        self._broker = broker
        self._nodes = nodes
        self._clients: list[MemoryClient] = []

    def join(self) -> None:
        """Find the broker, if it is there and they are not."""
        if self._clients or not self._broker.running:
            return
        nodes = self._nodes
        for will in map(nodes.node.will, nodes.node.nodes):
            client = self._broker.client(self._heard, self._lost)
            client.will = Delivery(will.topic, will.payload, retained=True)
            self._clients.append(client)
        carrier = self._clients[0]
        carrier.subscribe(nodes.node.subscriptions())
        nodes.attach(lambda said: carrier.publish(said.topic, said.payload, retain=said.retain))

    def cut(self) -> None:
        """The network ends all connections."""
        for client in list(self._clients):
            client.lose("the connection broke")

    def _heard(self, said: Delivery) -> None:
        self._nodes.receive(said.topic, said.payload, retained=said.retained)

    def _lost(self, _: str) -> None:
        if self._clients:
            self._clients.clear()
            self._nodes.detach()
