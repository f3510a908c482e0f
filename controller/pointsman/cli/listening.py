"""``doctor`` behind JMRI, at an MQTT broker and at a node: it is listened to, and only a node may be told something."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from pointsman.cli.doctor_report import with_result
from pointsman.cli.doctor_watch import Watch
from pointsman.cli.node_moving import move_node
from pointsman.cli.output import compact_table, fail_with, print_json, say, whole_line
from pointsman.doctor import Listening, Patient
from pointsman.drivers.dccex.addresses import Addresses
from pointsman.drivers.hearing import Told
from pointsman.errors import StationError, UsageError
from pointsman.links import On, Target, spoken_at
from pointsman.track.model import Track
from pointsman.track.wiring import Protocol, Wiring


@dataclass(frozen=True, slots=True)
class Wished:
    """What was asked for beside looking: see the options of ``doctor``."""

    move: bool
    define: bool
    yes: bool


@dataclass(frozen=True, slots=True)
class Wired:
    """A layout, by the word that names it, and its wiring."""

    word: str
    track: Track
    wiring: Wiring
    path: Path

    def patient(self, station: str | None) -> Patient:
        """A DCC-EX station of it. Raises StationError when that is not clear."""
        return Patient(self.track, self.wiring, self.path, Addresses(self.wiring, station))


def station_at(wiring: Wiring, target: Target, station: str | None) -> str:
    """Which of a wiring's stations is at a target.

    Raises UsageError when it has none that speaks so; StationError when it is not clear which is meant.
    """
    where = f"hardware {wiring.name}"
    spoken = spoken_at(target)
    fitting = [name for name, made in wiring.stations.items() if made.protocol in spoken]
    if not fitting:
        cure = "is another wiring meant? Say which with --hardware"
        raise UsageError(f"it has no station that speaks as {target} does", where=where, cure=cure)
    if station is None:
        # Where nothing is said, it is the one that drives.
        fitting = [name for name in fitting if wiring.stations[name].protocol is Protocol.DCCEX] or fitting
        station = fitting[0] if len(fitting) == 1 else None
    if station in fitting:
        return station
    raise StationError(f"which station is meant: {', '.join(fitting)}", where=where, cure="name it with --station")


def tell_left_out(out: Console, wired: Wired, station: str) -> None:
    """What hangs on other stations, which were not looked at."""
    for name in wired.wiring.stations:
        things = _things(wired.wiring, name)
        if name != station and things:
            say(out, f"Not looked at: station {name} ({', '.join(things)}). Look there with --on {name}=...", "yellow")


def _things(wiring: Wiring, station: str) -> list[str]:
    groups = (
        ("turnout", wiring.turnouts),
        ("beam", wiring.beams),
        ("magnet", wiring.uncouplers),
        ("locomotive", wiring.locomotives),
    )
    return [f"{what} {name}" for what, found in groups for name, made in found.items() if made.station == station]


def listen_to(
    out: Console,
    target: Target,
    wired: Wired,
    station: str,
    watch: float | None,
    *,
    wished: Wished,
    as_json: bool,
    port: dict[str, Any] | None = None,
) -> None:
    """Listen to a station, and say how everything is. Raises StationError for what has to be put right.

    ``port`` is what is known of a node's port.
    """
    node = wired.wiring.stations[station].protocol is Protocol.NODE
    _check_moves(target, wished, node=node)
    result: dict[str, Any] = {"on": str(target), "station": station}
    if port is not None:
        result["port"] = port
    seen = Watch(out)
    if node and target.on is On.SERIAL:
        say(
            out,
            "Opening the port. On most boards that resets the node: everything it works stops, its relay opens, and "
            "its turnouts are unknown until they are set again.",
        )
    elif not wished.move:
        say(
            out,
            "It is only listened to: nothing is moved, switched, stopped or powered, and nobody's train is disturbed.",
        )
    with Listening(target, wired.track, wired.wiring, station, seen.tell) as heard:
        told = heard.listen()
        _show(out, heard, told)
        result |= {"greeting": heard.ear.greeting, "notes": heard.ear.notes, "things": [_json(one) for one in told]}
        result |= heard.ear.details
        with with_result(result, as_json):
            if wished.move:
                result["moved"] = move_node(out, heard, wired.wiring, station, yes=wished.yes)
            if watch is not None:
                seen.expect(one.what.removeprefix("beam ") for one in told if one.what.startswith("beam "))
                try:
                    heard.watch(watch or None, partial(seen.begin, watch))
                finally:
                    result |= seen.json()
                seen.conclude()
                told = heard.ear.told()
    tell_left_out(out, wired, station)
    wrong = [one for one in told if one.wrong]
    result["problems"] = [one.wrong for one in wrong]
    if wrong:
        cure = "; ".join(dict.fromkeys(one.cure for one in wrong))
        error = StationError("; ".join(one.wrong for one in wrong), where=str(target), cure=cure)
        if as_json:
            raise fail_with(result, error)
        raise error
    if as_json:
        print_json(result)
        return
    out.print("Nothing that can be heard stands in the way of a play.", style="green")
    if not wished.move:
        say(out, "Nothing was moved, switched or powered. Whether the machines obey is not tried here.")


def _check_moves(target: Target, wished: Wished, *, node: bool) -> None:
    if node and wished.define:
        raise UsageError(
            "--define is for DCC-EX stations: a node is set up, not defined",
            where=str(target),
            cure="pointsman node setup sets and stores what a node is to know",
        )
    if not node and (wished.move or wished.define):
        raise UsageError(
            "--move and --define are for other stations: at this one doctor only listens",
            where=str(target),
            cure="leave them out; play tries each machine when it is needed, and stops when it does not answer",
        )


def _show(out: Console, heard: Listening, told: list[Told]) -> None:
    out.print()
    whole_line(out, f"station  {heard.ear.greeting}")
    for note in heard.ear.notes:
        say(out, note, "yellow")
    for fact in heard.ear.facts:
        say(out, f"         {fact}")
    table = compact_table(out, "what", "at the station", "state")
    for one in told:
        table.add_row(one.what, one.where, one.state or "not told", style="red" if one.wrong else None)
    out.print(table)
    out.print()


def _json(one: Told) -> dict[str, Any]:
    return {"what": one.what, "where": one.where, "state": one.state or None, "wrong": one.wrong or None}
