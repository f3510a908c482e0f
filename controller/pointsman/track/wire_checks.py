"""The checks of a wiring file about addresses: numbers at DCC-EX stations and nodes, names behind JMRI and MQTT."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any
from typing import Protocol as Shaped

from pointsman.track.tomlfile import Draft, Notes
from pointsman.track.wiring import Protocol

ADDRESSED_BY = {"turnouts": "id", "beams": "id", "magnets": "id", "locomotives": "cab"}
"""The key of the number by which a DCC-EX station knows a thing, by section."""
DEFINING = ("pin", "servo", "dcc_address")
TURNOUTS_NOT_SWITCHED = frozenset({"hand"})
MAGNETS_NOT_SWITCHED = frozenset({"hand", "permanent"})
_NOT_SWITCHED = TURNOUTS_NOT_SWITCHED | MAGNETS_NOT_SWITCHED
_MQTT_ONLY = ("prefix", "nodes", "feedback", "last_will")
_LONGEST = 200
_NOT_IN_PREFIX = re.compile(r"[+#\x00-\x1f\x7f-\x9f]")
_NOT_IN_TOPIC = re.compile(r"[+#/\x00-\x1f\x7f-\x9f]")


class Station(Shaped):
    """What these checks need of a station's table; the keys behind the protocol are for MQTT only."""

    @property
    def protocol(self) -> str:
        """What it speaks."""

    @property
    def prefix(self) -> str | None:
        """What stands before every topic."""

    @property
    def nodes(self) -> Sequence[str] | None:
        """The nodes whose availability must be online."""

    @property
    def last_will(self) -> str | None:
        """What the broker publishes when the program dies."""


@dataclass(frozen=True, slots=True)
class Wire:
    """One thing that is wired: where its table is (``beams.s1``), and what it says.

    ``address_key`` is the key of its number, ``meaning`` what that key is; ``defining`` are the keys given with which
    a DCC-EX station is told of it; ``damaged`` are keys that could not be read.
    """

    key: str
    station: str
    address_key: str
    address: int | None
    name: str | None
    kind: str
    long: bool | None
    meaning: str
    defining: tuple[str, ...]
    damaged: AbstractSet[str]

    @property
    def own_name(self) -> str:
        """Its name in the layout."""
        return self.key.partition(".")[2]

    def given(self, key: str) -> int | str | None:
        """What the file says for the key of its number, or for ``name``."""
        return self.name if key == "name" else self.address

    @property
    def switched(self) -> bool:
        """Has the station anything to do with it?"""
        return "kind" in self.damaged or self.kind not in _NOT_SWITCHED


def check_stations(
    draft: Draft[Any], stations: Mapping[str, Station], locomotives: Mapping[str, Any], notes: Notes
) -> None:
    """The keys of each station fit what it speaks."""
    only = next(iter(stations), None)
    for name, station in stations.items():
        if draft.is_damaged("stations", name):
            continue
        if station.protocol in ("mqtt", "node"):
            _check_prefix(f"stations.{name}.prefix", station.prefix, notes)
        if station.protocol != "mqtt":
            for key in _MQTT_ONLY:
                if getattr(station, key) is not None and (key, station.protocol) != ("prefix", "node"):
                    notes.add(f"stations.{name}.{key}", "is for MQTT stations only", f"remove `{key}`")
            continue
        driven = [engine for engine, wired in locomotives.items() if (wired.station or only) == name]
        _check_mqtt(f"stations.{name}", station, driven, notes)


def _check_prefix(key: str, prefix: str | None, notes: Notes) -> None:
    if prefix and (_NOT_IN_PREFIX.search(prefix) or len(prefix) > _LONGEST):
        notes.add(key, "cannot be the beginning of a topic", "leave out +, # and control characters")


def _check_mqtt(key: str, station: Station, driven: Sized, notes: Notes) -> None:
    if not station.nodes:
        notes.add(
            f"{key}.nodes",
            "no node is named",
            'name those whose track/node/NAME must be "online", like nodes = ["yard"]: else nobody would notice that '
            "one has gone",
        )
    for node in station.nodes or ():
        _check_name(f"{key}.nodes", node, notes)
    if station.last_will == "stop" and len(driven) != 1:
        notes.add(
            f"{key}.last_will",
            f"a broker keeps one last will, and {len(driven)} locomotives are driven through this station",
            'write last_will = "power"',
        )


def check_address(draft: Draft[Any], wire: Wire, stations: Mapping[str, Station], notes: Notes) -> None:
    """A thing has what its station knows it by, a number or a name, not both; what is not switched has none."""
    if not wire.switched:
        for key, value in ((wire.address_key, wire.address), ("name", wire.name)):
            if value is not None:
                cure = f"remove `{key}`, or name another kind"
                notes.add(f"{wire.key}.{key}", f"kind {wire.kind} has nothing to switch", cure)
        return
    if wire.station not in stations or draft.is_damaged("stations", wire.station, "protocol") or "kind" in wire.damaged:
        return
    protocol = Protocol(stations[wire.station].protocol)
    right, wrong = _goes_by(wire, protocol)
    # The address of a locomotive is worth knowing where it goes by a name, too.
    if wire.given(wrong) is not None and wrong != "cab":
        notes.add(f"{wire.key}.{wrong}", f"its station goes by `{right}`", f"remove `{wrong}`")
    if protocol is Protocol.MQTT:
        if wire.name is not None:
            _check_name(f"{wire.key}.name", wire.name, notes)
    elif wire.given(right) is None and right not in wire.damaged and (protocol, right) != (Protocol.NODE, "cab"):
        what = f"is missing: kind {wire.kind} is switched by the station" if wire.kind else "is missing"
        meaning = wire.meaning if right == wire.address_key else "its system name in JMRI"
        notes.add(f"{wire.key}.{right}", what, f"add `{right} = ...`: {meaning}")
    if protocol is not Protocol.DCCEX:
        for key in wire.defining:
            notes.add(f"{wire.key}.{key}", "is for a DCC-EX station only", f"remove `{key}`")
    if wire.long is not None and protocol is not Protocol.JMRI:
        notes.add(f"{wire.key}.long", "is for JMRI only", "remove `long`")


def check_unique(wires: Iterable[Wire], stations: Mapping[str, Station], notes: Notes) -> None:
    """No two things of a section have the same address at a station."""
    owner: dict[tuple[str, int | str], str] = {}
    for wire in wires:
        if not wire.switched or wire.station not in stations:
            continue
        protocol = Protocol(stations[wire.station].protocol)
        key, number = _goes_by(wire, protocol)
        address = wire.given(key)
        if address is None and protocol is Protocol.MQTT:
            spare = wire.address if number == "cab" else None
            address = wire.own_name if spare is None else str(spare)
        if address is None or key in wire.damaged:
            continue
        first = owner.setdefault((wire.station, address), wire.key)
        if first != wire.key:
            notes.add(f"{wire.key}.{key}", f"{first} has {key} {address} too", f"give each its own {key}")


def _goes_by(wire: Wire, protocol: Protocol) -> tuple[str, str]:
    """The key by which the station knows it, and the other one. JMRI's locomotives have addresses."""
    by_name = protocol is Protocol.MQTT or (protocol.by_name and wire.address_key == "id")
    return ("name", wire.address_key) if by_name else (wire.address_key, "name")


def _check_name(key: str, name: str, notes: Notes) -> None:
    if not name or len(name) > _LONGEST or _NOT_IN_TOPIC.search(name):
        notes.add(key, "cannot stand in a topic", "leave out +, #, / and control characters")
