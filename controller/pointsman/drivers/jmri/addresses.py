"""The part of a layout's wiring that is behind JMRI, looked up from both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pointsman.drivers.wired import find, station_of
from pointsman.errors import ProtocolError
from pointsman.protocols.jmri_json import BeanType, SensorState, SwitchState, TurnoutState
from pointsman.track.wiring import LocomotiveWiring, Protocol, TurnoutKind, UncouplerKind, Wiring

_TRUE = {
    BeanType.TURNOUT: TurnoutState.THROWN,
    BeanType.SENSOR: SensorState.ACTIVE,
    BeanType.LIGHT: SwitchState.ON,
}
_FALSE = {
    BeanType.TURNOUT: TurnoutState.CLOSED,
    BeanType.SENSOR: SensorState.INACTIVE,
    BeanType.LIGHT: SwitchState.OFF,
}


@dataclass(frozen=True, slots=True)
class Thing:
    """A turnout, beam or magnet, its type and system name in JMRI, and whether JMRI's sense is the other way round.

    ``settles_s``: how long it may take until JMRI knows that it is where it was sent.
    """

    name: str
    type: BeanType
    system_name: str
    inverted: bool
    settles_s: float = 0.0

    def ours(self, state: int) -> bool | None:
        """What JMRI's state means to us (thrown, broken, on); None for unknown and inconsistent."""
        if state not in (_TRUE[self.type], _FALSE[self.type]):
            return None
        return (state == _TRUE[self.type]) != self.inverted

    def state(self, value: bool) -> int:
        """The state that means this to JMRI."""
        return int(_TRUE[self.type] if value != self.inverted else _FALSE[self.type])

    def __str__(self) -> str:
        what = {BeanType.TURNOUT: "turnout", BeanType.SENSOR: "beam", BeanType.LIGHT: "magnet"}[self.type]
        return f"{what} {self.name}"


class Addresses:
    """What one station of a wiring has. Hand-set turnouts and permanent magnets are nobody's.

    ``things`` by type and system name; ``locomotives`` by our name, which is its throttle's name, too.
    """

    def __init__(self, wiring: Wiring, station: str | None = None) -> None:
        """``station`` may be left out if the wiring has only one behind JMRI. Raises StationError."""
        cure = 'name a hardware file with a station of protocol = "jmri"'
        station = station_of(wiring, Protocol.JMRI, station, none="none is behind JMRI", cure=cure)
        self.station = station
        self._turnouts = {
            name: Thing(name, BeanType.TURNOUT, made.name, made.inverted, made.move_time_s)
            for name, made in wiring.turnouts.items()
            if made.station == station and made.kind is not TurnoutKind.HAND
        }
        self._beams = {
            name: Thing(name, BeanType.SENSOR, made.name, made.inverted)
            for name, made in wiring.beams.items()
            if made.station == station
        }
        self._magnets = {
            name: Thing(name, BeanType.LIGHT, made.name, made.inverted)
            for name, made in wiring.uncouplers.items()
            if made.station == station and made.kind not in (UncouplerKind.HAND, UncouplerKind.PERMANENT)
        }
        self.locomotives: Mapping[str, LocomotiveWiring] = {
            name: made for name, made in wiring.locomotives.items() if made.station == station
        }
        every = [*self._turnouts.values(), *self._beams.values(), *self._magnets.values()]
        self.things = {(thing.type, thing.system_name): thing for thing in every}

    @property
    def turnouts(self) -> list[Thing]:
        """Every turnout."""
        return [*self._turnouts.values()]

    @property
    def beams(self) -> list[Thing]:
        """Every beam."""
        return [*self._beams.values()]

    @property
    def magnets(self) -> list[Thing]:
        """Every magnet that is switched."""
        return [*self._magnets.values()]

    def turnout(self, name: str) -> Thing:
        """The turnout of this name. Raises ProtocolError, as all of these do, when this station has none."""
        return find("turnout", name, self._turnouts)

    def magnet(self, name: str) -> Thing:
        """The magnet of this name."""
        return find("magnet", name, self._magnets)

    def locomotive(self, name: str) -> str:
        """The throttle of the locomotive of this name."""
        if name not in self.locomotives:
            raise ProtocolError(f"locomotive {name!r} is not on station {self.station!r}", cure="see the hardware file")
        return name
