"""The simulated layout on a running event loop, with links to it: memory, a real pty, loopback TCP.

Time is the loop's: on a ``VirtualLoop`` the whole layout is as fast, or as slow, as that. Every link counts the
bytes that it has read and written since it was made; compared with the other side's counts they say whether
anything is unread, which is what ``VirtualLoop.hold_while`` wants to know.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from pointsman.errors import PortError, UsageError
from pointsman.track.model import Leg, Track
from pointsman.track.wiring import Protocol, Wiring
from railsim.board_side import BoardLine, MakeBoard
from railsim.breakdowns import Hands
from railsim.clock import VirtualLoop
from railsim.faults import Fault, Planned, Way
from railsim.hidden import Hidden
from railsim.incidents import FaultStruck, Incident, WorldEvent
from railsim.jmri_server import JmriServer
from railsim.jmri_station import JmriStation
from railsim.mqtt_embed import NodeSide
from railsim.mqtt_node import Publication
from railsim.post import Act, BrokerHands
from railsim.profiles import Profile
from railsim.ptylink import PtyLink
from railsim.rig import Rig
from railsim.setup import Setup
from railsim.station import BOOT_S, Station
from railsim.truth import Truth
from railsim.world import World

FoundT = TypeVar("FoundT")
_SPEAKS = {
    "jmri": frozenset({Protocol.JMRI}),
    "tcp": frozenset({Protocol.DCCEX, Protocol.NODE}),
    "pty": frozenset({Protocol.DCCEX, Protocol.NODE}),
}
"""What a host on each kind of link speaks, where that is not open."""


class MemoryLink:
    """A link without a system in between: ``write`` is the host's, ``on_bytes`` is called with the station's bytes.

    ``received_bytes`` counts what the station's side got, ``sent_bytes`` what it sent.
    """

    def __init__(self, write: Callable[[bytes], None], on_bytes: Callable[[bytes], None]) -> None:
        self._write = write
        self._on_bytes = on_bytes
        self.received_bytes = 0
        self.sent_bytes = 0

    def write(self, data: bytes) -> None:
        """Bytes from the host."""
        self.received_bytes += len(data)
        self._write(data)

    def deliver(self, data: bytes) -> None:
        """Bytes from the station."""
        self.sent_bytes += len(data)
        self._on_bytes(data)


class TcpServer:
    """A station's network side on 127.0.0.1: any number of clients; closing one stops nothing.

    ``station`` may be left out if there is only one that speaks in bytes.
    """

    def __init__(self, simulation: Simulation, station: str | None = None) -> None:
        self._simulation = simulation
        self.station = station
        self._server: asyncio.Server | None = None
        self.received_bytes = 0
        self.sent_bytes = 0

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._server is not None
        found = self._server.sockets[0].getsockname()[1]
        assert isinstance(found, int)
        return found

    async def start(self, port: int) -> None:
        """Listen; port 0 lets the system choose. Raises PortError."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(lambda: _Client(self, self._simulation), "127.0.0.1", port)
        except OSError as error:
            raise PortError(
                f"cannot listen: {error.strerror or error}",
                where=f"127.0.0.1:{port}",
                cure="choose another port, or 0 for any",
            ) from error

    async def close(self) -> None:
        """Stop listening; clients are cut off by the simulation's own close."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None


class _Client(asyncio.Protocol):
    def __init__(self, server: TcpServer, simulation: Simulation) -> None:
        self._server = server
        self._simulation = simulation
        self._transport: asyncio.Transport | None = None
        self._port = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._simulation.port_gone:
            transport.abort()
            return
        self._port = self._simulation.attach("tcp", self._send, self._cut, serial=False, station=self._server.station)

    def data_received(self, data: bytes) -> None:
        self._server.received_bytes += len(data)
        self._simulation.receive(self._port, data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        self._simulation.detach(self._port)

    def _send(self, data: bytes) -> None:
        assert self._transport is not None
        self._server.sent_bytes += len(data)
        self._transport.write(data)

    def _cut(self) -> None:
        assert self._transport is not None
        self._transport.abort()


class Simulation:
    """A world and its stations, run by the event loop in which it is made. End it with ``close``.

    ``boot_s`` is how long the station takes before it answers; it begins when the simulation is made.
    ``profile`` is the station's firmware, 5.6 if not given; ``on_event``, ``hidden``, ``faults``, ``boards`` and
    ``bare`` as for a ``Rig``. Raises UsageError (see there), also for a host that shall stand still on a loop whose
    clock cannot jump.
    """

    def __init__(
        self,
        track: Track,
        wiring: Wiring,
        setup: Setup,
        *,
        seed: int = 0,
        boot_s: float = BOOT_S,
        profile: Profile | None = None,
        on_event: Callable[[WorldEvent], None] | None = None,
        hidden: Hidden | None = None,
        faults: Sequence[Planned] = (),
        boards: Mapping[str, MakeBoard] | None = None,
        bare: bool = False,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._origin_s = self._loop.time()
        self._on_event = on_event
        self.port_gone = False
        self._plugs: list[Callable[[bool], None]] = []
        hands = Hands(self._port_there, self._pause)
        self._rig = Rig(
            track,
            wiring,
            setup,
            seed=seed,
            boot_s=boot_s,
            profile=profile,
            on_event=on_event,
            hidden=hidden,
            hands=hands,
            boards=boards,
            bare=bare,
        )
        self._timer: asyncio.TimerHandle | None = None
        self._numbers = itertools.count(1)
        self._sinks: dict[str, Callable[[bytes], None]] = {}
        self._nodes = {name: NodeSide(self, name, node) for name, node in self._rig.nodes.items()}
        self._cuts: dict[str, Callable[[], None]] = {}
        self._closers: list[Callable[[], None]] = []
        self._servers: list[TcpServer | JmriServer] = []
        self._outgoing: deque[tuple[str, bytes]] = deque()
        self._published: deque[tuple[str, Publication]] = deque()
        self._after: deque[Act] = deque()
        self._closed = False
        self.plan(faults)

    # ------------------------------------------------------------ what is really there

    @property
    def world(self) -> World:
        """The world, as it was when last advanced; ``truth`` brings it up to now."""
        return self._rig.world

    @property
    def station(self) -> Station | JmriStation | BoardLine:
        """The first station with a line of bytes, as it was when last advanced."""
        return self._rig.station

    @property
    def closed(self) -> bool:
        """Does time stand?"""
        return self._closed

    def jog(self, act: Callable[[], None]) -> None:
        """Let something be done to the world or the station now, and what follows from it."""
        self._run()
        act()
        self._run()

    @property
    def incidents(self) -> list[Incident]:
        """Everything that went wrong, up to now."""
        self._run()
        return self._rig.world.incidents

    def truth(self) -> Truth:
        """What is really where, now."""
        self._run()
        return self._rig.world.truth()

    # ------------------------------------------------------------ a hand on the layout

    def throw_by_hand(self, turnout: str, leg: Leg) -> None:
        """A hand sets points. Raises UsageError for a turnout that is not there."""
        self._run()
        self._rig.world.throw(turnout, leg, 0.0)
        self._run()

    def uncouple_by_hand(self, place: str) -> None:
        """A hand parts the coupling that stands, with slack, over a place for uncoupling. Raises UsageError."""
        self._run()
        self._rig.world.set_magnet(place, True)
        self._rig.world.set_magnet(place, False)
        self._run()

    def show_beam(self, name: str, broken: bool) -> None:
        """A hand in a beam, or out of it: its station sees it so from now on, until a vehicle changes it.

        Raises UsageError for a beam that is not there.
        """
        if name not in self._rig.world.track.beams:
            raise UsageError(f"there is no beam {name!r}", where="simulated layout")
        self._run()
        self._rig.show_beam(name, broken, self._now_s())
        self._run()

    # ------------------------------------------------------------ what may befall the station

    def set_short(self, shorted: bool) -> None:
        """Lay something that conducts across the rails, or take it away. Raises UsageError where nobody notices."""
        station = self._rig.station
        if not isinstance(station, Station | JmriStation):
            raise UsageError("a node does not notice a short circuit", cure="use a wiring with a command station")
        self._run()
        station.set_short(shorted, self._now_s())
        self._run()

    def reset_station(self) -> None:
        """The station starts again: its button, or a supply that sagged."""
        self._run()
        self._rig.station.reset(self._now_s())
        self._run()

    @property
    def struck(self) -> Sequence[FaultStruck]:
        """What each fault has done so far, in order."""
        return self._rig.struck

    def plan(self, faults: Sequence[Planned]) -> None:
        """Let faults strike, each at its moment since the simulation was made. Raises UsageError."""
        if any(fault.kind is Fault.PAUSED for fault in faults) and not isinstance(self._loop, VirtualLoop):
            raise UsageError("the host cannot be paused", where="simulated layout", cure="run it on a VirtualLoop")
        self._rig.plan(faults)
        self._run()

    def run_on(self, until_s: float) -> None:
        """After ``close``: the layout goes on by itself up to a time since it was made; nobody hears it any more."""
        if self._closed:
            self._rig.advance(until_s)

    # ------------------------------------------------------------ links

    def memory(
        self,
        on_bytes: Callable[[bytes], None],
        *,
        serial: bool = True,
        station: str | None = None,
        on_port: Callable[[bool], None] = lambda _: None,
    ) -> MemoryLink:
        """A link in memory; ``serial``: with a serial line's pace and receive ring, comments and displays.

        ``station`` may be left out if only one is no node. ``on_port`` is called when a fault makes the port vanish
        (False) and come back (True). Raises UsageError.
        """
        link = MemoryLink(lambda data: self.receive(port, data), on_bytes)
        port = self.attach("memory", link.deliver, lambda: None, serial=serial, station=station)

        def plug(there: bool) -> None:
            nonlocal port
            self.detach(port)
            if there:
                port = self.attach("memory", link.deliver, lambda: None, serial=serial, station=station)
            on_port(there)

        self._plugs.append(plug)
        return link

    def nodes(self, station: str | None = None) -> NodeSide:
        """The nodes of a station; it may be left out if there is only one of MQTT. Raises UsageError."""
        return _one(self._nodes, station, "at an MQTT broker")

    def open_pty(self, *, reset_on_open: bool = False, station: str | None = None) -> PtyLink:
        """A real pseudo-terminal: its ``path`` is the host's port. ``reset_on_open``: as an Uno or Mega does.

        ``station`` may be left out if only one speaks in bytes. Raises PortError. Not for a loop on pure virtual time:
        a terminal is not as quick as a jumping clock.
        """
        link = PtyLink(self, self._loop, reset_on_open=reset_on_open, station=station)
        self._closers.append(link.close)
        self._plugs.append(link.plug)
        return link

    async def serve_tcp(self, port: int = 0, *, station: str | None = None) -> TcpServer:
        """Listen on 127.0.0.1 as a DCC-EX station or a node (see ``open_pty``). Raises PortError."""
        server = TcpServer(self, station)
        await server.start(port)
        self._servers.append(server)
        return server

    async def serve_jmri(self, port: int = 0) -> JmriServer:
        """Listen on 127.0.0.1 as JMRI's web server, for websockets at /json/. Raises PortError."""
        server = JmriServer(self)
        await server.start(port)
        self._servers.append(server)
        return server

    async def close(self) -> None:
        """Cut every link and let time stand."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for close in self._closers:
            close()
        for cut in list(self._cuts.values()):
            cut()
        for server in self._servers:
            await server.close()

    # ------------------------------------------------------------ for the links

    def attach(
        self,
        kind: str,
        send: Callable[[bytes], None],
        cut: Callable[[], None],
        *,
        serial: bool,
        reset: bool = False,
        station: str | None = None,
    ) -> str:
        """A host has come: returns the station's port for it. Raises UsageError: which station is meant?"""
        speaks = _SPEAKS.get(kind, frozenset(Protocol))
        side = _one({n: s for n, s in self._rig.sides.items() if s.protocol in speaks}, station, f"for {kind}")
        self._run()
        port = f"{kind} {next(self._numbers)}"
        self._rig.ports[port] = side
        side.connect(port, serial=serial)
        self._sinks[port] = send
        self._cuts[port] = cut
        if reset:
            side.station.reset(self._now_s())
        self._run()
        return port

    def receive(self, port: str, data: bytes) -> None:
        """Bytes from a host, now."""
        if port in self._sinks and not self._closed:
            self._run()
            self._rig.receive(port, data, self._now_s())
            self._run()

    def detach(self, port: str) -> None:
        """A host has gone."""
        if self._sinks.pop(port, None) is not None:
            del self._cuts[port]
            self._rig.ports.pop(port).station.disconnect(port)

    def post(self, way: Way, station: str, arrives: Act) -> None:
        """A message between a broker and the nodes of a station, or from it to a host, begins its way now."""
        self.jog(lambda: self._rig.post(way, station, arrives))

    def lost(self, station: str) -> None:
        """The nodes of a station have lost their broker."""
        self.jog(lambda: self._rig.lost(station))

    # ------------------------------------------------------------ for faults

    def opened(self, broker: BrokerHands) -> None:
        """The nodes have a broker that faults can do something to."""

        def then(act: Callable[..., None]) -> Callable[..., None]:
            # Not from within the layout's own step, but before the host does anything else.
            return lambda *given: self._after.append(partial(act, *given))

        hands = replace(
            broker,
            stop=then(broker.stop),
            start=then(broker.start),
            cut=then(broker.cut),
            join=then(broker.join),
            retain=then(broker.retain),
        )
        self.jog(lambda: self._rig.opened(hands))

    def _port_there(self, there: bool) -> None:
        self.port_gone = not there
        if self._closed:
            return
        # Not from within the layout's own step.
        self._loop.call_soon(self._plug, there)

    def _plug(self, there: bool) -> None:
        for plug in self._plugs:
            plug(there)
        if not there:
            for cut in list(self._cuts.values()):
                cut()
        if self._on_event is not None:
            text = "the port is there again" if there else "the port is gone"
            self._on_event(FaultStruck(self._now_s(), Fault.VANISHES, "", text))

    def _pause(self, for_s: float) -> None:
        assert isinstance(self._loop, VirtualLoop)
        if not self._closed:
            self._loop.pause(for_s)

    # ------------------------------------------------------------ time

    def _now_s(self) -> float:
        return max(self._loop.time() - self._origin_s, self._rig.world.now_s)

    def _due(self, due_s: float) -> None:
        self._timer = None
        # A loop may call a hair before the time: that hair must not count as too early.
        self._run(due_s)

    def _run(self, at_least_s: float = 0.0) -> None:
        if self._closed:
            return
        # A host in memory may answer from within its callback: that comes back here, and must keep the order.
        self._outgoing.extend(self._rig.advance(max(self._now_s(), at_least_s)))
        self._published.extend(self._rig.published())
        self._after.extend(self._rig.heard())
        while self._published:
            name, said = self._published.popleft()
            self._nodes[name].deliver(said)
        while self._after:
            self._after.popleft()()
        while self._outgoing:
            port, data = self._outgoing.popleft()
            sink = self._sinks.get(port)
            if sink is not None and data:
                sink(data)
            elif sink is not None:
                self._cuts[port]()  # an empty text: the station has hung up
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self._rig.next_event_s()
        if due is not None:
            self._timer = self._loop.call_at(self._origin_s + due, self._due, due)


def _one(among: Mapping[str, FoundT], name: str | None, what: str) -> FoundT:
    """The one that is named, or the only one."""
    if name is None and len(among) == 1:
        name = next(iter(among))
    if name is None or name not in among:
        raise UsageError(
            f"which station {what} is meant: {', '.join(among) or 'there is none'}",
            cure="use a wiring with one of them",
        )
    return among[name]
