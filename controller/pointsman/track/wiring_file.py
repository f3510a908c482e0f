"""hardware/*.toml -> ``Wiring``, or a ``LayoutError`` that names every mistake at once: file, key, what, cure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from pointsman.errors import did_you_mean
from pointsman.track.model import Track
from pointsman.track.node_checks import at_node, check_nodes
from pointsman.track.schema import SpeedPairs, table_of
from pointsman.track.tomlfile import Draft, Notes, Shape, read_draft
from pointsman.track.wire_checks import (
    ADDRESSED_BY,
    DEFINING,
    MAGNETS_NOT_SWITCHED,
    TURNOUTS_NOT_SWITCHED,
    Wire,
    check_address,
    check_stations,
    check_unique,
)
from pointsman.track.wiring import (
    NO_NUMBER,
    BeamWiring,
    Feedback,
    LastWill,
    LocomotiveWiring,
    MqttWiring,
    NodeBoard,
    NodeWiring,
    Protocol,
    ServoPositions,
    StationWiring,
    TurnoutKind,
    TurnoutWiring,
    UncouplerKind,
    UncouplerWiring,
    Wiring,
)

Id = Annotated[int, Field(ge=0, le=32767)]
"""DCC-EX keeps an id in 16 bits with a sign."""

Pin = Annotated[
    int | None,
    Field(ge=2, le=32767, description="the station's pin that it is wired to, 2 to 32767 (0 and 1 are its USB line)"),
]
ServoPosition = Annotated[int, Field(ge=102, le=512)]
"""In 1/4096 of 20 ms: from 0.5 to 2.5 ms. No servo has a position outside."""
Name = Annotated[
    str | None,
    Field(min_length=1, max_length=100, description="its name in a station that goes by names: JMRI, MQTT"),
]

Station = Annotated[str | None, Field(description="the station it is wired to; not needed when there is only one")]
PulseLimit = Annotated[
    Literal["hardware"] | None,
    Field(description='"hardware" when a capacitor unit, a timer or a node ends the pulse whatever the station does'),
]

MOVE_TIME_S = {
    # A DCC-EX servo turnout of profile 2 ends its pulses 1290 ms after the command (recorded, version 5.6.0).
    TurnoutKind.SERVO: 1.3,
    # Slow-motion machines are sold as taking about 3 s.
    TurnoutKind.STALL_MOTOR: 4.0,
    # What hangs on the decoder is not known: as long as the slowest.
    TurnoutKind.ACCESSORY_DECODER: 4.0,
    TurnoutKind.SOLENOID: 0.5,
    TurnoutKind.HAND: 0.0,
}
"""Until the points are surely over, when the file does not say."""


class StationShape(Shape):
    """``[stations.NAME]``."""

    protocol: Literal["dccex", "jmri", "mqtt", "node"] = Field(
        description='what the station speaks: "dccex", "jmri", "mqtt" or "node"'
    )
    prefix: str | None = Field(
        default=None, description='MQTT, and a node behind a broker: what stands before every topic, like "club/"'
    )
    nodes: list[str] | None = Field(default=None, description="MQTT: the nodes, whose availability must be online")
    feedback: list[Literal["turnouts", "magnets", "power"]] | None = Field(
        default=None, description="MQTT: what the nodes report on .../state"
    )
    last_will: Literal["power", "stop"] | None = Field(
        default=None, description='MQTT: what the broker publishes when this program dies, "power" off or "stop"'
    )
    board: Literal["uno", "mega"] | None = Field(
        default=None, description='node: what board it is, "uno" (a Nano too) or "mega"'
    )
    relay: bool | None = Field(
        default=None, description="node: true when its relay lies in the feed of the whole track"
    )


class ServoShape(Shape):
    """``[turnouts.NAME.servo]``."""

    thrown: ServoPosition = Field(description="where it stands for the thrown leg, 102 to 512; 307 is its middle")
    closed: ServoPosition = Field(description="where it stands for the closed leg, 102 to 512; 307 is its middle")


class TurnoutWiringShape(Shape):
    """``[turnouts.NAME]``."""

    station: Station = None
    id: Id | None = Field(default=None, description="the turnout's id in the station, 0 to 32767; none for kind hand")
    name: Name = None
    kind: Literal["servo", "stall-motor", "accessory-decoder", "solenoid", "hand"] = Field(
        description="what moves the points"
    )
    move_time_s: float | None = Field(
        default=None,
        ge=0,
        le=30,
        description="seconds until the points are surely over; each kind has its own",
    )
    inverted: bool = Field(default=False, description="true when the station's closed is the layout's thrown")
    pulse_limited_by: PulseLimit = None
    pin: Pin = None
    servo: ServoShape | None = Field(default=None, description="{ thrown = ..., closed = ... }, for kind servo")
    dcc_address: int | None = Field(
        default=None, ge=1, le=2044, description="the decoder's linear address, 1 to 2044, for kind accessory-decoder"
    )


class BeamWiringShape(Shape):
    """``[beams]``."""

    station: Station = None
    id: Id | None = Field(default=None, description="the sensor's id in the station, 0 to 32767")
    name: Name = None
    inverted: bool = Field(default=False, description="true when the station's inactive means that a body is seen")
    pin: Pin = None


class MagnetWiringShape(Shape):
    """``[magnets]``."""

    station: Station = None
    id: Id | None = Field(
        default=None, description="the output's id in the station, 0 to 32767; none for kinds permanent and hand"
    )
    name: Name = None
    kind: Literal["permanent", "servo", "coil", "hand"] = Field(description="what parts the couplings")
    hold_s: float = Field(default=0.5, ge=0.05, le=10, description="seconds that it is switched on")
    inverted: bool = Field(default=False, description="true when the output is on while the magnet is off")
    pulse_limited_by: PulseLimit = None
    pin: Pin = None


class LocomotiveWiringShape(Shape):
    """``[locomotives]``."""

    station: Station = None
    cab: int | None = Field(default=None, ge=1, le=10239, description="the decoder's DCC address, 1 to 10239")
    long: bool | None = Field(default=None, description="JMRI: whether that is a long address")
    name: Name = None
    dc: bool = Field(default=False, description="node: true for one without a decoder, on the node's direct current")
    speed_table: SpeedPairs | None = Field(
        default=None, description="node: pairs of the throttle's step and mm/s on direct current"
    )


class WiringShape(Shape):
    """The whole file."""

    stations: dict[str, StationShape] = Field(description="the command stations")
    turnouts: dict[str, TurnoutWiringShape] = Field(default={}, description="the layout's turnouts")
    beams: dict[str, BeamWiringShape] = Field(default={}, description="the layout's beams")
    magnets: dict[str, MagnetWiringShape] = Field(default={}, description="the layout's magnets")
    locomotives: dict[str, LocomotiveWiringShape] = Field(default={}, description="the layout's locomotives")


def load_wiring(path: Path | str, track: Track) -> Wiring:
    """The wiring of a layout from a file.

    Raises ``LayoutError`` with all mistakes, for whatever the path leads to.
    """
    path = Path(path)
    notes = Notes(str(path))
    shape = _read(path, names_of(track), notes)
    notes.raise_if_any()
    assert shape is not None, "a wiring that could not be read has mistakes"
    return _build(path.stem, shape)


def names_of(track: Track) -> dict[str, Collection[str]]:
    """The names of a layout that have to be wired, by the section of a wiring file."""
    return {
        "turnouts": track.turnouts.keys(),
        "beams": track.beams.keys(),
        "magnets": track.uncouplers.keys(),
        "locomotives": track.locomotives.keys(),
    }


def check_wiring(path: Path, names: Mapping[str, Collection[str]], notes: Notes) -> None:
    """Note every mistake of a wiring file; a section that is not in ``names`` is one whose names are not known."""
    _read(path, names, notes)


def _read(path: Path, names: Mapping[str, Collection[str]], notes: Notes) -> WiringShape | None:
    draft = read_draft(path, WiringShape, notes, stand_ins={"stations": {}}, in_tables=_IN_TABLES)
    if draft.shape is not None:
        _check(draft, draft.shape, names, notes)
    return draft.shape


_IN_TABLES: dict[str, dict[str, object]] = {
    "turnouts": {"kind": "hand"},
    "magnets": {"kind": "hand"},
}
"""For required keys that could not be read; checks leave them alone."""


# ---------------------------------------------------------------- building


def _build(name: str, shape: WiringShape) -> Wiring:
    """A wiring of a checked shape."""
    only = next(iter(shape.stations))

    def named(station: str | None, *names: object) -> str:
        """The first name there is, at a station that goes by names."""
        goes_by_name = Protocol(shape.stations[station or only].protocol).by_name
        return str(next(filter(None, names))) if goes_by_name else ""

    return Wiring(
        name=name,
        stations={key: _station(key, one) for key, one in shape.stations.items()},
        turnouts={
            key: TurnoutWiring(
                station=one.station or only,
                number=NO_NUMBER if one.id is None else one.id,
                kind=TurnoutKind(one.kind),
                move_time_s=MOVE_TIME_S[TurnoutKind(one.kind)] if one.move_time_s is None else one.move_time_s,
                inverted=one.inverted,
                pulse_limited_by=one.pulse_limited_by or "",
                pin=one.pin,
                servo=None if one.servo is None else ServoPositions(one.servo.thrown, one.servo.closed),
                dcc_address=one.dcc_address,
                name=named(one.station, one.name, key) if one.kind not in TURNOUTS_NOT_SWITCHED else "",
            )
            for key, one in shape.turnouts.items()
        },
        beams={
            key: BeamWiring(
                station=one.station or only,
                number=NO_NUMBER if one.id is None else one.id,
                inverted=one.inverted,
                pin=one.pin,
                name=named(one.station, one.name, key),
            )
            for key, one in shape.beams.items()
        },
        uncouplers={
            key: UncouplerWiring(
                station=one.station or only,
                number=one.id,
                kind=UncouplerKind(one.kind),
                hold_s=one.hold_s,
                inverted=one.inverted,
                pulse_limited_by=one.pulse_limited_by or "",
                pin=one.pin,
                name=named(one.station, one.name, key) if one.kind not in MAGNETS_NOT_SWITCHED else "",
            )
            for key, one in shape.magnets.items()
        },
        locomotives={
            key: LocomotiveWiring(
                one.station or only,
                one.cab or 0,
                one.long,
                # Behind JMRI a locomotive goes by its address.
                named(one.station, one.name, one.cab, key)
                if shape.stations[one.station or only].protocol == "mqtt"
                else "",
                one.dc,
                None if one.speed_table is None else table_of(one.speed_table),
            )
            for key, one in shape.locomotives.items()
        },
    )


def _station(key: str, one: StationShape) -> StationWiring:
    if one.protocol == "node":
        assert one.board is not None, "a node without a board is refused"
        node = NodeWiring(NodeBoard(one.board), bool(one.relay), one.prefix or "")
        return StationWiring(key, Protocol.NODE, node=node)
    if one.protocol != "mqtt":
        return StationWiring(key, Protocol(one.protocol))
    mqtt = MqttWiring(
        prefix=one.prefix or "",
        nodes=tuple(one.nodes or ()),
        feedback=frozenset(map(Feedback, one.feedback or ())),
        last_will=LastWill(one.last_will or LastWill.POWER),
    )
    return StationWiring(key, Protocol.MQTT, mqtt)


# ---------------------------------------------------------------- checking


def _check(draft: Draft[WiringShape], shape: WiringShape, names: Mapping[str, Collection[str]], notes: Notes) -> None:
    if not shape.stations and not draft.has_damaged("stations"):
        notes.add("stations", "there is no station", 'add one, like [stations.main] with protocol = "dccex"')
    for section in ("turnouts", "beams", "magnets", "locomotives"):
        wired = getattr(shape, section)
        if section in names and not draft.is_damaged(section):
            _check_names(draft, section, wired, names[section], _how_to_wire(section, shape), notes)
        for name, one in wired.items():
            if not draft.is_damaged(section, name, "station"):
                _check_station(draft, f"{section}.{name}", one.station, shape, notes)
    for section, burning in (("turnouts", "solenoid"), ("magnets", "coil")):
        for name, machine in getattr(shape, section).items():
            if at_node(shape.stations, machine.station):
                continue  # its firmware ends every pulse
            if not draft.is_damaged(section, name, "kind") and not draft.is_damaged(section, name, "pulse_limited_by"):
                _check_pulse(f"{section}.{name}", machine.kind, machine.pulse_limited_by, burning, notes)
    check_stations(draft, shape.stations, shape.locomotives, notes)
    only = next(iter(shape.stations), "")
    for section, key in ADDRESSED_BY.items():
        wires = [
            Wire(
                key=f"{section}.{name}",
                station=one.station or only,
                address_key=key,
                address=getattr(one, key),
                name=one.name,
                kind=getattr(one, "kind", ""),
                long=getattr(one, "long", None),
                meaning=type(one).model_fields[key].description or "",
                defining=tuple(part for part in DEFINING if getattr(one, part, None) is not None),
                damaged={part for part in (key, "name", "kind") if draft.is_damaged(section, name, part)},
            )
            for name, one in getattr(shape, section).items()
            if not draft.is_damaged(section, name, "station")
        ]
        for wire in wires:
            check_address(draft, wire, shape.stations, notes)
        check_unique(wires, shape.stations, notes)
    check_nodes(draft, shape, notes)
    _check_pins(draft, shape, only, notes)


def _check_names(
    draft: Draft[WiringShape], section: str, wired: Mapping[str, Shape], known: Iterable[str], how: str, notes: Notes
) -> None:
    """Everything wired is in the layout, and everything in the layout is wired; ``how`` says how that is done."""
    names = list(known)
    for name in wired:
        if name not in names:
            notes.add(f"{section}.{name}", f"the layout has no such name under [{section}]", did_you_mean(name, names))
    for name in names:
        if name not in wired and not draft.is_damaged(section, name):
            notes.add(f"{section}.{name}", "the layout has it, but it is not wired", how)


def _how_to_wire(section: str, shape: WiringShape) -> str:
    nodes = sum(at_node(shape.stations, name) for name in shape.stations)
    if section != "locomotives" or not nodes:
        return _HOW_TO_WIRE[section]
    if nodes == len(shape.stations):
        return "add it with `dc = true`: a node drives one locomotive on direct current"
    return f"{_HOW_TO_WIRE[section]}; or with `dc = true` and a station that is a node"


_HOW_TO_WIRE = {
    "turnouts": 'add it with its id and kind; points moved by hand are kind = "hand"',
    "beams": "add it with the sensor's id",
    "magnets": 'add it with its id and kind; a magnet that is always on is kind = "permanent"',
    "locomotives": "add it with its cab, the decoder's DCC address",
}


def _check_station(draft: Draft[WiringShape], key: str, station: str | None, shape: WiringShape, notes: Notes) -> None:
    if not shape.stations:  # said once, not at every wire
        return
    if station is None:
        if len(shape.stations) > 1:
            notes.add(f"{key}.station", "is missing, and there are several stations", did_you_mean("", shape.stations))
    elif station not in shape.stations and not draft.is_damaged("stations", station):
        notes.add(f"{key}.station", f"there is no station {station}", did_you_mean(station, shape.stations))


def _check_pulse(key: str, kind: str, limited_by: str | None, burning: str, notes: Notes) -> None:
    """A coil on a bare pin burns out when the computer dies while it is on."""
    if kind == burning and limited_by is None:
        notes.add(
            f"{key}.pulse_limited_by",
            f"a {kind} on a bare output of a station burns out when the program dies while it is on",
            'drive it through a capacitor unit, a timer or a node, and then state pulse_limited_by = "hardware"',
        )


LED_PIN = 13
_ONLY_FOR = {"servo": "servo", "dcc_address": "accessory-decoder"}


def _check_pins(draft: Draft[WiringShape], shape: WiringShape, only: str, notes: Notes) -> None:
    """A pin has one thing on it, each kind of machine has the keys that it needs, and nothing hangs on the lamp's."""
    owner: dict[tuple[str, int], str] = {}
    for section in ("turnouts", "beams", "magnets"):
        for name, one in getattr(shape, section).items():
            key = f"{section}.{name}"
            kind = "" if section == "beams" or draft.is_damaged(section, name, "kind") else one.kind
            if kind:
                _check_keys(key, kind, one, notes)
            if one.pin is None or draft.is_damaged(section, name, "station"):
                continue
            first = owner.setdefault((one.station or only, one.pin), key)
            if first != key:
                notes.add(f"{key}.pin", f"{first} has pin {one.pin} too", "give each a pin of its own")
            if one.pin == LED_PIN and section != "beams":
                notes.add(f"{key}.pin", "pin 13 blinks while the board starts: what hangs on it moves", "take another")


def _check_keys(key: str, kind: str, one: TurnoutWiringShape | MagnetWiringShape, notes: Notes) -> None:
    for wanted, of_kind in _ONLY_FOR.items():
        if kind != of_kind and getattr(one, wanted, None) is not None:
            notes.add(f"{key}.{wanted}", f"is for kind {of_kind} only, and this is {kind}", f"remove `{wanted}`")
    if one.pin is not None and kind in ("hand", "permanent", "accessory-decoder"):
        notes.add(f"{key}.pin", f"kind {kind} is on no pin of the station", "remove `pin`")
