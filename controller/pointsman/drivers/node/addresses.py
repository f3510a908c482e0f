"""The part of a layout's wiring that is on one node, looked up from both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pointsman.drivers.halt import refusal
from pointsman.drivers.wired import find, station_of
from pointsman.errors import ProtocolError
from pointsman.messages import Command, SetFunction
from pointsman.track.wiring import NodeWiring, Protocol, TurnoutKind, UncouplerKind, Wiring


@dataclass(frozen=True, slots=True)
class Points:
    """A turnout: its number at the node, what moves it and within which time."""

    name: str
    number: int
    inverted: bool
    kind: TurnoutKind
    move_time_s: float

    def ours(self, value: bool) -> bool:
        """What the node's value means to us (and, the same way, back)."""
        return value != self.inverted


@dataclass(frozen=True, slots=True)
class Beam:
    """A beam: its number at the node, and whether the node's broken is our free."""

    name: str
    number: int
    inverted: bool


@dataclass(frozen=True, slots=True)
class Coil:
    """A magnet: its number at the node, and for how long it is switched on."""

    name: str
    number: int
    on_ms: int


class Addresses:
    """What one node of a wiring has, by number. Hand-set turnouts and permanent magnets are nobody's.

    ``locomotive`` is the name of the one that it drives, or empty. ``needs_watchdog``: nothing else is sure to stop it
    when the node's program hangs.
    """

    def __init__(self, wiring: Wiring, station: str | None = None) -> None:
        """``station`` may be left out if the wiring has only one node. Raises StationError."""
        cure = 'name a hardware file with a station of protocol = "node"'
        station = station_of(wiring, Protocol.NODE, station, none="there is no node", cure=cure)
        made = wiring.stations[station].node
        assert made is not None, "a node's wiring says what board it is"
        self.station = station
        self.made: NodeWiring = made
        points = [
            Points(name, one.number, one.inverted, one.kind, one.move_time_s)
            for name, one in wiring.turnouts.items()
            if one.station == station and one.kind is not TurnoutKind.HAND
        ]
        beams = [Beam(n, one.number, one.inverted) for n, one in wiring.beams.items() if one.station == station]
        coils = [
            Coil(name, one.number, round(one.hold_s * 1000))
            for name, one in wiring.uncouplers.items()
            if one.station == station and one.kind is UncouplerKind.COIL and one.number is not None
        ]
        self.turnouts: Mapping[int, Points] = {one.number: one for one in points}
        self.beams: Mapping[int, Beam] = {one.number: one for one in beams}
        self.magnets: Mapping[int, Coil] = {one.number: one for one in coils}
        self.locomotive = next((n for n, one in wiring.locomotives.items() if one.station == station), "")
        self.needs_watchdog = station in wiring.needs_watchdog
        self._turnouts = {one.name: one for one in points}
        self._magnets = {one.name: one for one in coils}

    def turnout(self, name: str) -> Points:
        """The turnout of this name. Raises ProtocolError, as all of these do, when this node has none."""
        return find("turnout", name, self._turnouts)

    def magnet(self, name: str) -> Coil:
        """The magnet of this name."""
        return find("magnet", name, self._magnets)

    def check_locomotive(self, name: str) -> None:
        """Is it the locomotive of this name that runs on this node?"""
        if not name or name != self.locomotive:
            raise ProtocolError(f"locomotive {name!r} is not on station {self.station!r}", cure="see the hardware file")


def why_not(command: Command, *, halted: bool, unconfirmed: bool) -> str:
    """Why a node does not begin a command now, or ever; empty when it does."""
    if isinstance(command, SetFunction):
        return f"{command.locomotive} runs on direct current: without a decoder it has no functions"
    return refusal(command, halted=halted, unconfirmed=unconfirmed)
