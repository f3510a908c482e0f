"""The world and its stations, wired together: one thing that takes bytes and gives bytes, in one time.

No input or output: ``embed`` runs it on an event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pointsman.errors import UsageError
from pointsman.track.driven import as_driven
from pointsman.track.model import Track
from pointsman.track.wiring import Protocol, Wiring
from railsim.board_side import BoardLine, BoardSide, MakeBoard
from railsim.breakdowns import Breakdowns, Hands
from railsim.faults import Direction, Planned, Way
from railsim.hidden import Hidden
from railsim.incidents import BeamChanged, FaultStruck, TurnoutSettled, WorldEvent
from railsim.jmri_station import JmriStation
from railsim.mqtt_node import MqttNode, Publication
from railsim.node_wiring import wired_node
from railsim.post import Act, BrokerHands
from railsim.profiles import Profile
from railsim.setup import Setup
from railsim.side import Side
from railsim.station import BOOT_S, Station
from railsim.world import World


class Rig:
    """A world with the stations of a wiring, by its names: those with a line of bytes (``sides``), MQTT (``nodes``).

    The track has power until all the stations that feed it have theirs off. ``on_event`` is called for everything that
    happens in the world, faults too; ``profile`` is the firmware of DCC-EX stations, which know nothing of the
    layout yet when ``bare``. ``hidden``, when given, is used
    instead of what the seed says. ``hands`` are for what a fault does outside of it; faults of a link or of a board
    strike the first station with a line. ``boards`` make the nodes of these names, which else are simulated. Raises
    UsageError when there is no station, or the set-up or a fault does not fit it.
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
        bare: bool = False,
        hands: Hands | None = None,
        boards: Mapping[str, MakeBoard] | None = None,
    ) -> None:
        if not wiring.stations:
            raise UsageError(
                "this wiring has no station: nobody could reach the layout",
                where=f"hardware {wiring.name}",
                cure="use a wiring with a station",
            )
        hidden = Hidden(seed) if hidden is None else hidden
        self.world = World(as_driven(track, wiring), setup, hidden, wiring)
        self._on_event = on_event
        self._wiring = wiring
        self._powered = dict.fromkeys(wiring.stations, False)
        self._published: list[tuple[str, Publication]] = []
        self._heard: list[Act] = []
        self._breakdowns = Breakdowns(self.world, hidden, self.show_beam, self._struck, hands or Hands())
        self.sides: dict[str, Side | BoardSide] = {}
        self.nodes: dict[str, MqttNode] = {}
        self.ports: dict[str, Side | BoardSide] = {}
        for name, made in wiring.stations.items():
            power = partial(self._power, name)
            if made.protocol is Protocol.MQTT:
                self.nodes[name] = MqttNode(self.world, wiring, hidden, self._breakdowns, name, set_power=power)
            elif boards is not None and name in boards:
                self.sides[name] = boards[name](self.world, self._breakdowns, power)
            elif made.protocol is Protocol.NODE:
                self.sides[name] = wired_node(name, self.world, wiring, self._breakdowns, power, boot_s=boot_s)
            else:
                self.sides[name] = Side(
                    name, self.world, wiring, hidden, self._breakdowns, power, boot_s=boot_s, profile=profile, bare=bare
                )
        self._eyes: tuple[Side | BoardSide | MqttNode, ...] = (*self.sides.values(), *self.nodes.values())
        self.plan(faults)
        for beam in wiring.beams:
            self._breakdowns.stands(beam, self.world.beam_broken(beam))

    def plan(self, faults: Sequence[Planned]) -> None:
        """Let faults strike, each at its moment. Raises UsageError for one that this layout cannot have."""
        station = next((side.station for side in self.sides.values()), None)
        self._breakdowns.plan(faults, station, nodes=bool(self.nodes))

    @property
    def struck(self) -> Sequence[FaultStruck]:
        """What each fault has done so far, in order."""
        return self._breakdowns.happened

    @property
    def station(self) -> Station | JmriStation | BoardLine:
        """The first station with a line of bytes. Raises UsageError when there is none."""
        for side in self.sides.values():
            return side.station
        raise UsageError("this layout has nodes at an MQTT broker only", cure="use a wiring with another station")

    def next_event_s(self) -> float | None:
        """When something happens next if no bytes come; None when nothing does."""
        stations = [side.station.next_event_s() for side in self.sides.values()]
        nodes = [node.next_event_s() for node in self.nodes.values()]
        dues = (self.world.next_event_s(), *stations, *nodes, self._breakdowns.next_event_s())
        return min((t_s for t_s in dues if t_s is not None), default=None)

    def receive(self, port: str, data: bytes, t_s: float) -> None:
        """Bytes that a host has written at a time, on to the line to the station."""
        wire = self._breakdowns.wires[Direction.TO_STATION]
        wire.push(t_s, port, data)
        self._feed(t_s)

    def _feed(self, t_s: float) -> None:
        for port, data in self._breakdowns.wires[Direction.TO_STATION].due(t_s):
            if port in self.ports or len(self.sides) == 1:  # else its host has gone, and nobody knows whose it was
                station = self.ports[port].station if port in self.ports else self.station
                station.receive(port, data, t_s)

    def advance(self, t_s: float) -> list[tuple[str, bytes]]:
        """Let time pass up to ``t_s``; returns what each port has sent by then, in order."""
        sent: list[tuple[str, bytes]] = []
        while (due := self.next_event_s()) is not None and due <= t_s:
            self._step(max(due, self.world.now_s), sent)
        self._step(max(t_s, self.world.now_s), sent)
        return sent

    def published(self) -> list[tuple[str, Publication]]:
        """What the nodes have published since this was last asked, in order, and by which station's they are."""
        published, self._published = self._published, []
        return published

    def heard(self) -> list[Act]:
        """The messages that have come to hosts since this was last asked, in order: each wants to be called."""
        heard, self._heard = self._heard, []
        return heard

    def post(self, way: Way, station: str, arrives: Act) -> None:
        """A message of a station begins its way now; ``arrives`` is called at its end."""
        self._breakdowns.post.mails[way].push(self.world.now_s, station, arrives)

    def opened(self, broker: BrokerHands) -> None:
        """The nodes have a broker that faults can do something to."""
        self._breakdowns.post.opened(broker, self.world.now_s)

    def lost(self, station: str) -> None:
        """The nodes of a station have lost their broker, and what was on the way to it and from it."""
        for way in (Way.TO_NODES, Way.FROM_NODES):
            self._breakdowns.post.mails[way].drop(station)
        self.nodes[station].lost()

    def _step(self, t_s: float, sent: list[tuple[str, bytes]]) -> None:
        for event in self.world.advance(t_s):
            if isinstance(event, BeamChanged):
                self._breakdowns.beam(event.beam, event.broken, event.t_s)
            if isinstance(event, TurnoutSettled):
                for one in self._eyes:
                    one.settled(event)
            if self._on_event is not None:
                self._on_event(event)
        self._breakdowns.advance(t_s)
        self._feed(t_s)
        mails = self._breakdowns.post.mails
        for arrives in mails[Way.TO_NODES].due(t_s):
            arrives()
        wire = self._breakdowns.wires[Direction.FROM_STATION]
        for side in self.sides.values():
            for port, data in side.station.advance(t_s):
                wire.push(t_s, port, data)
        sent += wire.due(t_s)
        for name, node in self.nodes.items():
            for said in node.advance(t_s):
                mails[Way.FROM_NODES].push(t_s, name, partial(self._say, name, said))
        for arrives in mails[Way.FROM_NODES].due(t_s):
            arrives()
        self._heard += mails[Way.TO_HOST].due(t_s)

    def _say(self, station: str, said: Publication) -> None:
        self._published.append((station, said))

    def _struck(self, event: FaultStruck) -> None:
        if self._on_event is not None:
            self._on_event(event)

    def show_beam(self, beam: str, broken: bool, t_s: float) -> None:
        """What the stations see of a beam, whatever there is."""
        for one in self._eyes:
            one.see(beam, broken, t_s)

    def _power(self, station: str, on: bool) -> None:
        """A station has switched its power; it is the track's only if it feeds it."""
        self._powered[station] = on
        self.world.set_power(self._wiring.power(self._powered) is not False)
