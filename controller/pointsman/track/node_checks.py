"""The checks of a wiring file about Arduino nodes: what a board has pins for, and what its firmware can work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pointsman.track.checks import check_speed_table
from pointsman.track.tomlfile import Draft, Notes
from pointsman.track.wiring import PLACES, NodeBoard

_NODE_ONLY = ("board", "relay")
_DC_ONLY = ("dc", "speed_table")
_KINDS = {"turnouts": ("servo", "solenoid", "hand"), "magnets": ("coil", "permanent", "hand")}
_LONGEST_HOLD_S = 2.0
"""The highest that ``magnet_ms`` of a node can be set to."""
_BOARDS = {NodeBoard.UNO: "an Uno", NodeBoard.MEGA: "a Mega"}


def at_node(stations: Mapping[str, Any], station: str | None) -> bool:
    """Is a thing with this ``station`` wired to a node?"""
    name = station or next(iter(stations), "")
    return name in stations and stations[name].protocol == "node"


def check_nodes(draft: Draft[Any], shape: Any, notes: Notes) -> None:
    """Each node says what board it is; what is wired to it has a place there, and is something that it can work."""
    for name, station in shape.stations.items():
        key = f"stations.{name}"
        if draft.is_damaged("stations", name) or draft.is_damaged("stations", name, "protocol"):
            continue
        if station.protocol != "node":
            for one in _NODE_ONLY:
                if getattr(station, one) is not None:
                    notes.add(f"{key}.{one}", "is for nodes only", f"remove `{one}`")
        elif station.board is None and not draft.is_damaged("stations", name, "board"):
            notes.add(f"{key}.board", "is missing", 'add board = "uno" (for a Nano too) or board = "mega"')
    for section in ("turnouts", "beams", "magnets"):
        for name, thing in getattr(shape, section).items():
            key = f"{section}.{name}"
            if not at_node(shape.stations, thing.station) or draft.is_damaged(section, name, "station"):
                continue
            _check_place(key, section, thing, _board(shape, thing.station), notes)
            if section != "beams" and not draft.is_damaged(section, name, "kind"):
                _check_machine(key, section, thing, notes)
    _check_locomotives(draft, shape, notes)


def _board(shape: Any, station: str | None) -> NodeBoard | None:
    board = shape.stations[station or next(iter(shape.stations))].board
    return None if board is None else NodeBoard(board)


def _check_place(key: str, section: str, thing: Any, board: NodeBoard | None, notes: Notes) -> None:
    if thing.id is None or board is None:
        return
    places = getattr(PLACES[board], section)
    if not 1 <= thing.id <= places:
        what = f"{_BOARDS[board]} has pins for {section} 1 to {places}"
        notes.add(f"{key}.id", what, "give its number in the order of the pins (firmware/README.md)")


def _check_machine(key: str, section: str, thing: Any, notes: Notes) -> None:
    kinds = _KINDS[section]
    if thing.kind not in kinds:
        notes.add(f"{key}.kind", f"a node works no {thing.kind}", f"one of: {', '.join(kinds)}; or another station")
    if section == "magnets" and thing.inverted:
        notes.add(f"{key}.inverted", "a node's coil has no current while its pin is low", "remove `inverted`")
    if thing.kind == "coil" and thing.hold_s > _LONGEST_HOLD_S:
        notes.add(f"{key}.hold_s", f"no node leaves a coil on for longer than {_LONGEST_HOLD_S:g} s", "make it shorter")


def _check_locomotives(draft: Draft[Any], shape: Any, notes: Notes) -> None:
    only = next(iter(shape.stations), "")
    driven: dict[str, str] = {}
    for name, engine in shape.locomotives.items():
        key, station = f"locomotives.{name}", engine.station or only
        if station not in shape.stations or any(draft.is_damaged("locomotives", name, k) for k in ("station", "dc")):
            continue
        if not at_node(shape.stations, engine.station):
            for one in _DC_ONLY:
                if getattr(engine, one):
                    notes.add(
                        f"{key}.{one}", "is for nodes only", f"remove `{one}`, or name the station that is a node"
                    )
            continue
        if not engine.dc:
            notes.add(f"{key}.dc", "a node drives a locomotive on direct current only", "write `dc = true`")
        if engine.cab is not None:
            notes.add(f"{key}.cab", "without a decoder it has no address", "remove `cab`")
        if engine.dc:
            _check_speeds(draft, name, engine, notes)
        first = driven.setdefault(station, key)
        if first != key:
            notes.add(
                f"{key}.station", f"its node drives {first} already, and has one throttle", "take another station"
            )


def _check_speeds(draft: Draft[Any], name: str, engine: Any, notes: Notes) -> None:
    """Direct current makes other speeds than a decoder: the layout's own table says nothing of them."""
    key = f"locomotives.{name}.speed_table"
    if draft.is_damaged("locomotives", name, "speed_table"):
        return
    if engine.speed_table is None:
        notes.add(
            key,
            "is missing: the layout's own is of a decoder, and says nothing of direct current",
            "write pairs [step, mm/s], [[8, 20], [60, 100]] to begin with; pointsman calibrate measures them",
        )
        return
    check_speed_table(engine.speed_table, key, notes, lower="lower dc_lowest of the node (pointsman node setup)")
