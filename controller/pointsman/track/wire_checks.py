"""The checks of a wiring file about addresses: numbers at DCC-EX stations, names in topics at MQTT stations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Protocol

from pointsman.track.tomlfile import Draft, Notes

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


class Station(Protocol):
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
    topic: str | None
    kind: str
    meaning: str
    defining: tuple[str, ...]
    damaged: AbstractSet[str]

    @property
    def named(self) -> str:
        """What an MQTT station knows it by."""
        number = str(self.address) if self.address_key == "cab" and self.address is not None else ""
        return self.topic or number or self.key.partition(".")[2]

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
        if station.protocol != "mqtt":
            for key in _MQTT_ONLY:
                if getattr(station, key) is not None:
                    notes.add(f"stations.{name}.{key}", "is for MQTT stations only", f"remove `{key}`")
            continue
        driven = [engine for engine, wired in locomotives.items() if (wired.station or only) == name]
        _check_mqtt(f"stations.{name}", station, driven, notes)


def _check_mqtt(key: str, station: Station, driven: Sized, notes: Notes) -> None:
    if station.prefix and (_NOT_IN_PREFIX.search(station.prefix) or len(station.prefix) > _LONGEST):
        notes.add(f"{key}.prefix", "cannot be the beginning of a topic", "leave out +, # and control characters")
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
    """A thing has what its station knows it by: a number, or a name."""
    if wire.station not in stations or draft.is_damaged("stations", wire.station, "protocol") or "kind" in wire.damaged:
        return
    number = f"{wire.key}.{wire.address_key}"
    if not wire.switched:
        for key, value in ((wire.address_key, wire.address), ("topic", wire.topic)):
            if value is not None:
                cure = f"remove `{key}`, or name another kind"
                notes.add(f"{wire.key}.{key}", f"kind {wire.kind} has nothing to switch", cure)
    elif stations[wire.station].protocol == "mqtt":
        if wire.topic is not None:
            _check_name(f"{wire.key}.topic", wire.topic, notes)
        if wire.address_key == "id" and wire.address is not None:
            notes.add(number, "an MQTT station goes by names", "write its name as `topic`, or leave both out")
        for key in wire.defining:
            notes.add(f"{wire.key}.{key}", "is for DCC-EX stations: a node knows its own pins", f"remove `{key}`")
    else:
        if wire.topic is not None:
            notes.add(
                f"{wire.key}.topic", "a DCC-EX station goes by numbers", f"remove `topic`, add {wire.address_key}"
            )
        if wire.address is None and wire.address_key not in wire.damaged:
            what = f"is missing: kind {wire.kind} is switched by the station" if wire.kind else "is missing"
            notes.add(number, what, f"add `{wire.address_key} = ...`: {wire.meaning}")


def check_unique(wires: Iterable[Wire], stations: Mapping[str, Station], notes: Notes) -> None:
    """No two things of a section have the same address at a station."""
    owner: dict[tuple[str, int | str], str] = {}
    for wire in wires:
        by_name = wire.station in stations and stations[wire.station].protocol == "mqtt"
        address = wire.named if by_name else wire.address
        key = "topic" if by_name else wire.address_key
        if address is None or not wire.switched or key in wire.damaged:
            continue
        first = owner.setdefault((wire.station, address), wire.key)
        if first != wire.key:
            notes.add(f"{wire.key}.{key}", f"{first} has {key} {address} too", f"give each its own {key}")


def _check_name(key: str, name: str, notes: Notes) -> None:
    if not name or len(name) > _LONGEST or _NOT_IN_TOPIC.search(name):
        notes.add(key, "cannot stand in a topic", "leave out +, #, / and control characters")
