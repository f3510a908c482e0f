"""The part of a layout's wiring that hangs on one station, looked up from both sides."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.drivers.wired import find, station_of
from pointsman.errors import ProtocolError
from pointsman.track.wiring import Protocol, TurnoutKind, UncouplerKind, Wiring


@dataclass(frozen=True, slots=True)
class Switched:
    """A turnout, beam or magnet: its number at the station, and whether the station's 1 means our false."""

    name: str
    number: int
    inverted: bool

    def ours(self, station_value: bool) -> bool:
        """What the station's value means to us (and, the same way, back)."""
        return station_value != self.inverted


class Addresses:
    """Names and numbers of one station. Hand-set turnouts and magnets without a number are not the station's."""

    def __init__(self, wiring: Wiring, station: str | None = None) -> None:
        """``station`` may be left out if the wiring has only one DCC-EX station. Raises StationError."""
        station = station_of(
            wiring,
            Protocol.DCCEX,
            station,
            none="there is none",
            cure="name one of the DCC-EX stations of the hardware file",
        )
        self.station = station
        self.wiring = wiring
        self._turnouts = {
            name: Switched(name, made.number, made.inverted)
            for name, made in wiring.turnouts.items()
            if made.station == station and made.kind is not TurnoutKind.HAND
        }
        self._beams = {
            name: Switched(name, made.number, made.inverted)
            for name, made in wiring.beams.items()
            if made.station == station
        }
        self._magnets = {
            name: Switched(name, made.number, made.inverted)
            for name, made in wiring.uncouplers.items()
            if made.station == station
            and made.number is not None
            and made.kind not in (UncouplerKind.HAND, UncouplerKind.PERMANENT)
        }
        self._cabs = {name: made.cab for name, made in wiring.locomotives.items() if made.station == station}
        self.turnouts = {made.number: made for made in self._turnouts.values()}
        self.beams = {made.number: made for made in self._beams.values()}
        self.magnets = {made.number: made for made in self._magnets.values()}
        self.locomotives = {cab: name for name, cab in self._cabs.items()}

    def turnout(self, name: str) -> Switched:
        """The turnout of this name. Raises ProtocolError, as all of these do, when this station has none."""
        return find("turnout", name, self._turnouts)

    def magnet(self, name: str) -> Switched:
        """The magnet of this name."""
        return find("magnet", name, self._magnets)

    def cab(self, name: str) -> int:
        """The address of the locomotive of this name."""
        if name not in self._cabs:
            raise ProtocolError(f"locomotive {name!r} is not on station {self.station!r}", cure="see the hardware file")
        return self._cabs[name]
