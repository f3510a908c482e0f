"""What the drivers ask of a wiring alike: which station is theirs, and what hangs on it by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pointsman.errors import ProtocolError, StationError
from pointsman.track.wiring import Protocol, Wiring

ThingT = TypeVar("ThingT")


def station_of(wiring: Wiring, protocol: Protocol, station: str | None, *, none: str, cure: str) -> str:
    """The station that is meant; None is the only one of this protocol.

    Raises StationError with ``cure``; ``none`` says that there is none of this protocol.
    """
    stations = [name for name, made in wiring.stations.items() if made.protocol is protocol]
    if station is None and len(stations) == 1:
        return stations[0]
    if station is None or station not in stations:
        raise StationError(
            f"which station is meant: {', '.join(sorted(stations)) or none}", where=wiring.name, cure=cure
        )
    return station


def find(what: str, name: str, among: Mapping[str, ThingT]) -> ThingT:
    """The turnout or magnet of this name. Raises ProtocolError when the station has none."""
    if name not in among:
        raise ProtocolError(f"{what} {name!r} is not switched by this station", cure="see the hardware file")
    return among[name]
