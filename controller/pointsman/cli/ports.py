"""``ports``: where a station may be plugged in, and what is told of a port."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer
from rich.console import Console

from pointsman.cli.output import AsJson, compact_table, console, print_json, say, whole_line
from pointsman.transports.diagnosis import BUILT_IN, Trouble, built_in, troubles
from pointsman.transports.ports import PortInfo, list_ports


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ports)


def ports(as_json: AsJson = False) -> None:
    """List the serial ports, and whether they can be used.

    Says who holds a port, or which group to join for the permission.
    """
    found = list_ports()
    if as_json:
        print_json({"ports": [port_json(port) for port in found]})
        return
    show_ports(console(), found)


def show_ports(out: Console, found: Sequence[PortInfo]) -> None:
    """The ports as a table, with what is needed to use each."""
    if not found:
        out.print("No serial port found. Plug the station in; its cable must carry data, not only power.")
        return
    table = compact_table(out, "port", "what it is", "can it be used?")
    bars = {port.path: _bar(port) for port in found}
    for port in found:
        bar = bars[port.path]
        usable = BUILT_IN if built_in(port.path) else "yes"
        table.add_row(port.path, "" if port.description == "n/a" else port.description, bar.what if bar else usable)
    out.print(table)
    for path, bar in bars.items():
        if bar is not None:
            say(out, f"{path}: {bar.what}\n  -> {bar.cure}")
    for port in found:
        if port.stable_path:
            whole_line(out, f"{port.path} keeps this name over replugging: {port.stable_path}")
    likely = [port.stable_path or port.path for port in found if bars[port.path] is None and not built_in(port.path)]
    for path in likely[:1]:
        whole_line(out, f"To play there: pointsman play inglenook --on serial:{path}")


def _bar(port: PortInfo) -> Trouble | None:
    """What keeps a port from being used, if anything does."""
    return next((one for one in troubles(port) if one.barred), None)


def port_json(port: PortInfo) -> dict[str, Any]:
    """A port as JSON values."""
    return {
        "port": port.path,
        "stable_path": port.stable_path,
        "description": port.description,
        "hardware_id": port.hardware_id,
        "permitted": port.permitted,
        "group": port.group,
        "holders": [{"pid": holder.pid, "program": holder.program} for holder in port.holders],
    }
