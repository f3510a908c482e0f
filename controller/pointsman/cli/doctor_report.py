"""What ``doctor`` has found, as tables for a person and as JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console

from pointsman.cli.output import compact_table, fail_with, say, whole_line
from pointsman.drivers.dccex.findings import CabFound, Findings, Machine, TrackFound
from pointsman.drivers.moved import Moved
from pointsman.errors import LinkError
from pointsman.track.model import Track
from pointsman.transports.diagnosis import Trouble, troubles
from pointsman.transports.ports import PortInfo


def show_ports(out: Console, found: Sequence[PortInfo], general: Sequence[Trouble]) -> None:
    """Each port with everything that keeps it from being used, and what is wrong besides."""
    for port in found:
        what = "" if port.description == "n/a" else f"  {port.description}"
        whole_line(out, f"{port.path}{what}", "bold")
        if port.stable_path:
            whole_line(out, f"  keeps this name over replugging: {port.stable_path}")
        wrong = troubles(port)
        for trouble in wrong:
            say(out, f"  {trouble.what}\n  -> {trouble.cure}", "red" if trouble.barred else "yellow")
        if not any(trouble.barred for trouble in wrong):
            out.print("  you may use it", style="green")
    for trouble in general:
        say(out, f"{trouble.what}\n  -> {trouble.cure}", "red" if trouble.barred else "yellow")


def show_findings(out: Console, found: Findings, track: Track | None) -> None:
    """Everything that the station told."""
    out.print()
    board = " ".join(filter(None, (found.board, found.shield))) or found.greeting
    whole_line(out, f"station  DCC-EX {found.version or '(no version told)'}, {board}")
    out.print(f"         {'it has just started' if found.booted else 'it was running before, and runs on'}")
    latency = found.latency
    say(out, f"answers  {latency.words('fences')}")
    if latency.warning:
        say(out, f"         {latency.warning}", "yellow")
    out.print(f"slots    for {found.slots} locomotives")
    out.print(f"power    {_power(found)}")
    if found.current_ma is not None and not any(one.current_ma is not None for one in found.tracks):
        out.print(f"         {found.current_ma} mA, trips at {found.trip_ma} mA")
    for one in found.tracks:
        out.print(f"         {_track(one)}")
    out.print()
    table = compact_table(out, "what", "at the station", "state")
    if track is None:
        say(out, "No layout is named: everything that the station has, by its number.")
    for what, number, state, style in _rows(found, named=track is not None):
        table.add_row(what, number, state, style=style or None)
    if table.row_count:
        out.print(table)
    else:
        out.print("The station has no turnout, sensor or output.")
    out.print()


_Row = tuple[str, str, str, str]


def _rows(found: Findings, *, named: bool) -> list[_Row]:
    groups = (
        ("turnout", "turnout", found.turnouts, ("closed", "thrown"), ", as last commanded"),
        ("beam", "sensor", found.beams, ("free", "BROKEN"), ""),
        ("magnet", "output", found.magnets, ("off", "ON"), ""),
    )
    rows: list[_Row] = []
    for ours, theirs, machines, states, more in groups:
        for one in machines:
            if not one.name:
                continue
            rows.append((f"{ours} {one.name}", _number(theirs, one), *_state(one, states, more)))
    rows += [(f"locomotive {cab.name}", f"cab {cab.cab}", *_cab(cab)) for cab in found.locomotives]
    plain = {"sensor": ("inactive", "active"), "output": ("off", "on")}
    for _, theirs, machines, states, more in groups:
        for one in machines:
            if not one.name:
                label = "(not in the wiring)" if named else ""
                rows.append((label, _number(theirs, one), _state(one, plain.get(theirs, states), more)[0], ""))
    return rows


def _number(what: str, one: Machine) -> str:
    return f"{what} {one.number}" + (f", pin {one.pin}" if one.pin is not None else "")


def _state(one: Machine, states: tuple[str, str], more: str) -> tuple[str, str]:
    if not one.known:
        return "NOT KNOWN to the station", "red"
    if one.state is None:
        return "known", ""
    return f"{states[one.state]}{more}", "yellow" if one.state and not more else ""


def _cab(cab: CabFound) -> tuple[str, str]:
    if cab.speed is None:
        return "not driven since the station started", ""
    if cab.speed <= 0:
        return "stands", ""
    return f"RUNS at step {cab.speed} {'forward' if cab.forward else 'in reverse'}: somebody drives it", "red"


def _power(found: Findings) -> str:
    if found.power is None:
        return "not told"
    return "ON: the main track is live" if found.power else "off"


def _track(one: TrackFound) -> str:
    power = "" if one.on is None else " on" if one.on else " off"
    current = "" if one.current_ma is None else ", OVERLOAD" if one.current_ma < 0 else f", {one.current_ma} mA"
    limit = "" if one.limit_ma is None else f", trips at {one.limit_ma} mA"
    return f"track {one.letter} {one.mode}{power}{current}{limit}"


def show_moved(out: Console, one: Moved) -> None:
    """A machine, as it is tried."""
    whole_line(out, f"  {one.machine}: {one.what}")


def moved_json(moved: Sequence[Moved]) -> list[dict[str, str]]:
    """Machines that were tried, as JSON values."""
    return [{"machine": one.machine, "what": one.what} for one in moved]


@contextmanager
def with_result(result: Mapping[str, Any], as_json: bool) -> Iterator[None]:
    """What was found is printed as JSON also when something fails after it."""
    try:
        yield
    except LinkError as error:
        if as_json:
            raise fail_with(result, error) from error
        raise


def findings_json(found: Findings) -> dict[str, Any]:
    """Everything that the station told, as JSON values."""
    return {
        "station": {
            "greeting": found.greeting,
            "version": found.version,
            "board": found.board,
            "shield": found.shield,
            "just_started": found.booted,
            "slots": found.slots,
        },
        "latency_ms": found.latency.json(),
        "power": found.power,
        "current_ma": found.current_ma,
        "trip_ma": found.trip_ma,
        "tracks": [
            {"track": t.letter, "mode": t.mode, "on": t.on, "current_ma": t.current_ma, "limit_ma": t.limit_ma}
            for t in found.tracks
        ],
        "turnouts": [_machine_json(one, "thrown") for one in found.turnouts],
        "beams": [_machine_json(one, "broken") for one in found.beams],
        "magnets": [_machine_json(one, "on") for one in found.magnets],
        "locomotives": [
            {"name": c.name, "cab": c.cab, "speed": c.speed, "forward": c.forward} for c in found.locomotives
        ],
    }


def _machine_json(one: Machine, state: str) -> dict[str, Any]:
    return {"name": one.name or None, "number": one.number, "known": one.known, state: one.state, "pin": one.pin}
