"""``doctor``: what stands between a person and a layout that answers. It asks, and moves only what it may."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from math import isfinite
from typing import Annotated, Any

import typer
from rich.console import Console

from pointsman.cli.doctor_report import findings_json, moved_json, show_findings, show_moved, show_ports, with_result
from pointsman.cli.doctor_watch import Watch
from pointsman.cli.listening import Wired, Wished, listen_to, station_at, tell_left_out
from pointsman.cli.output import AsJson, amount, console, fail_with, print_json, say, whole_line
from pointsman.cli.ports import port_json
from pointsman.cli.setting_up import agrees, confirm
from pointsman.doctor import Doctor, Patient
from pointsman.drivers.dccex.findings import Findings
from pointsman.drivers.dccex.lines import Definition
from pointsman.drivers.dccex.moving import needs_power
from pointsman.errors import PortError, StationError, UsageError
from pointsman.links import On, Target, parse_target
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring import Protocol
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.diagnosis import (
    Trouble,
    boards_without_port,
    built_in,
    check_port,
    check_there,
    grabbers,
    meddlers,
    troubles,
)
from pointsman.transports.ports import list_ports, look_at


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(
    layout: Annotated[
        str | None, typer.Argument(metavar="[LAYOUT]", help="A built-in name, a folder, or a layout.toml.")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on", help="serial:PORT, tcp:HOST[:PORT], jmri:HOST, mqtt:HOST or sim; the ports are listed if not given."
        ),
    ] = None,
    hardware: Annotated[str | None, typer.Option(help="Wiring: a name in hardware/, or a path.")] = None,
    station: Annotated[
        str | None, typer.Option(help="Which of the wiring's stations it is, if it has several.")
    ] = None,
    watch: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Tell every change for so long; 0 is until Ctrl-C.")
    ] = None,
    move: Annotated[
        bool, typer.Option("--move", help="Try each turnout and magnet, after asking. Never a locomotive.")
    ] = False,
    define: Annotated[
        bool, typer.Option("--define", help="With --move: write the layout's definitions to the station, after asking.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Simulated layout only: do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the station, and say what keeps it from being played on.

    Nothing moves and no power comes on without --move.
    """
    _check_options(layout, on, watch, move, define, yes)
    # With --json standard output is for the result alone; what a person reads goes to standard error.
    out = console(stderr=as_json)
    if on is None:
        if layout is not None:
            _wired(layout, hardware)  # whatever is wrong with it is said now
        _ports(out, layout, as_json)
        return
    target, station = _one_station(parse_target(on), station)
    _check_asking(target, move, yes)
    if layout is None and target.on in (On.JMRI, On.MQTT):
        raise UsageError("what is listened to there is known from a layout's wiring only", cure="name the layout")
    wired = None if layout is None else _wired(layout, hardware)
    if wired is not None:
        station = station_at(wired.wiring, target, station)
        if wired.wiring.stations[station].protocol is not Protocol.DCCEX:
            port = _look_at_port(out, target.address) if target.on is On.SERIAL else None
            wished = Wished(move, define, yes)
            listen_to(out, target, wired, station, watch, wished=wished, as_json=as_json, port=port)
            return
    patient = None if wired is None else wired.patient(station)
    result: dict[str, Any] = {"on": str(target)}
    if target.on is On.SERIAL:
        result["port"] = _look_at_port(out, target.address)
    _tell_what_opening_does(out, target, move)
    with Doctor(target, patient, lambda text: say(out, text, "yellow")) as examined:
        found = examined.examine()
        show_findings(out, found, None if patient is None else patient.track)
        if define and _define(out, examined, found, yes, result):
            found = examined.examine()
            show_findings(out, found, None if patient is None else patient.track)
        result.update(findings_json(found))
        with with_result(result, as_json):
            if move and not define:
                result["moved"] = _move(out, examined, found, patient, yes)
            if watch is not None:
                _watch(out, examined, found, watch, result)
    if wired is not None and patient is not None:
        tell_left_out(out, wired, patient.addresses.station)
    known = "" if wired is None else "The station knows everything that the wiring names"
    there = " there." if wired is not None and len(wired.wiring.stations) > 1 else "."
    _conclude(out, found, known and known + there, move, result, as_json)


def _check_options(
    layout: str | None, on: str | None, watch: float | None, move: bool, define: bool, yes: bool
) -> None:
    if on is None and (watch is not None or move or define or yes):
        raise UsageError("no station is named", cure="say where it is: --on serial:/dev/ttyACM0")
    if watch is not None and not (isfinite(watch) and watch >= 0):
        raise UsageError(f"--watch {watch:g} is not possible", cure="give seconds, or 0 for until Ctrl-C")
    if define and not move:
        raise UsageError(
            "--define moves: a servo jumps to its closed position when it is defined",
            cure="look at the layout, then add --move",
        )
    if move and layout is None:
        raise UsageError("what is to be moved is known from a layout's wiring only", cure="name the layout")


def _check_asking(target: Target, move: bool, yes: bool) -> None:
    if target.on is not On.SIM and yes:
        raise UsageError("--yes is for the simulated layout only", cure="look at the layout, then answer the question")
    if move and not (yes or sys.stdin.isatty()):
        raise UsageError(
            "nobody can be asked whether something may move: standard input is no terminal",
            cure="run it in a terminal" if target.on is not On.SIM else "run it in a terminal, or add --yes",
        )


def _one_station(target: Target, station: str | None) -> tuple[Target, str | None]:
    """The target, and the station's name, which may be told as for play: ``--on NAME=TARGET``. Raises UsageError."""
    if not target.each:
        return target, station
    (name, one), *more = target.each
    if more or station not in (None, name):
        ways = ", then ".join(f"--on {name}={one}" for name, one in target.each)
        raise UsageError("doctor looks at one station at a time", cure=f"give {ways}")
    return one, name


def _wired(layout: str, hardware: str | None) -> Wired:
    folder = find_layout(layout)
    track = load_layout(folder)
    path = find_wiring(folder, hardware)
    return Wired(layout, track, load_wiring(path, track), path)


# ---------------------------------------------------------------- ports


def _ports(out: Console, layout: str | None, as_json: bool) -> None:
    """The ports and what keeps each from being used. Raises PortError when none can be."""
    found = list_ports()
    general = [*boards_without_port(grabbers()), *meddlers()]
    usable = [port for port in found if not any(trouble.barred for trouble in troubles(port))]
    likely = [port for port in usable if not built_in(port.path)]
    result = {
        "ports": [{**port_json(port), "troubles": _troubles_json(troubles(port))} for port in found],
        "troubles": _troubles_json(general),
    }
    show_ports(out, found, general)
    if not likely:
        what = "only built-in ports, hardly a command station" if usable else "no serial port can be used"
        error = PortError(
            what if found else "no serial port found",
            cure="see above for what is missing"
            if found and not usable
            else "plug the station in; its cable must carry data",
        )
        if as_json:
            raise fail_with(result, error)
        raise error
    if as_json:
        print_json(result)
        return
    path = likely[0].stable_path or likely[0].path
    whole_line(out, f"Next: pointsman doctor {layout or 'inglenook'} --on serial:{path}")


def _look_at_port(out: Console, path: str) -> dict[str, Any]:
    """What is known of a port before it is opened. Raises PortError when it cannot or must not be opened."""
    check_there(path)
    port = look_at(path)
    found = troubles(port)
    bar = next((trouble for trouble in found if trouble.barred), None)
    for trouble in [*found, *meddlers()]:
        if trouble is bar:
            continue  # it is told as the error
        say(out, f"{path}: {trouble.what}\n  -> {trouble.cure}", "yellow")
    check_port(path)
    return {**port_json(port), "troubles": _troubles_json(troubles(port))}


def _troubles_json(found: list[Trouble]) -> list[dict[str, Any]]:
    return [{"what": one.what, "cure": one.cure, "barred": one.barred} for one in found]


# ---------------------------------------------------------------- the station


def _tell_what_opening_does(out: Console, target: Target, move: bool) -> None:
    if target.on is On.SERIAL:
        say(
            out,
            "Opening the port. On many boards (Uno, Mega) that resets the station: its track power goes off, and "
            "whatever runs stands still. It may take a minute until it answers.",
        )
    elif target.on is On.TCP:
        say(out, "It may take a minute until it answers: a board that has just been switched on is slow.")
    if not move:
        say(out, "It is only asked: nothing is moved, switched or powered (--move does that, after asking).")


def _define(out: Console, examined: Doctor, found: Findings, yes: bool, result: dict[str, Any]) -> bool:
    """Show what the station lacks, ask, and write it; whether anything was written."""
    wanted = examined.definitions(found)
    result["defined"] = []
    for text in wanted.left_out:
        say(out, f"Not written: {text}.", "yellow")
    examined.check_nobody_drives(found)
    lines = list(wanted.lines)
    if lines:
        _show_lines(out, "The station lacks, or has otherwise:", lines)
        if not yes:
            moves = ", and the servos move" if any(one.moves for one in lines) else ""
            confirm(out, f"What has these numbers there is written over{moves}. Write it?")
    if wanted.untold:
        _show_lines(out, "The station has these, and does not tell how they are defined:", wanted.untold)
        if not yes and agrees(out, "Write them over too? Their servos move."):
            lines += wanted.untold
    if not lines:
        out.print("Nothing is written: the station lacks no definition.")
        return False
    saved = examined.define(found, lines)
    result["defined"] = [one.line for one in lines]
    result["kept"] = saved is not None
    if saved is None:
        say(out, "The station cannot keep it: after a reset it is gone. Put it into its myAutomation.h.", "yellow")
    else:
        out.print(f"Written: {amount(len(lines), 'definitions')}. The station keeps now, with what it had:")
        out.print(
            f"  {amount(saved.turnouts, 'turnouts')}, {amount(saved.sensors, 'sensors')}, "
            f"{amount(saved.outputs, 'outputs')}"
        )
    return True


def _show_lines(out: Console, title: str, lines: Iterable[Definition]) -> None:
    out.print(title, style="bold")
    for one in lines:
        out.print(f"  {one.line:<34} {one.what}{': jumps to closed' if one.moves else ''}")


def _move(out: Console, examined: Doctor, found: Findings, patient: Patient | None, yes: bool) -> list[dict[str, str]]:
    assert patient is not None, "checked with the options"
    examined.check_nobody_drives(found)
    known = [one for one in (*found.turnouts, *found.magnets) if one.name and one.known]
    deaf = needs_power(patient.addresses, patient.wiring)
    out.print()
    say(
        out,
        f"Each turnout is thrown to and fro, each magnet is on for a moment, one after the other "
        f"({amount(len(known), 'machines')}). No locomotive is driven.",
    )
    if deaf and not found.power:
        say(
            out,
            f"{', '.join(deaf)}: decoders that need the track's power. Everything is told to stand, then the power "
            "comes on, and goes off again at the end.",
            "yellow",
        )
    if not yes:
        confirm(out, "Does nothing stand on a turnout, and is everybody clear of the machines?")

    moved = examined.move(found, partial(show_moved, out))
    say(out, "Did each of them move? The station tells only what it was told to do.")
    return moved_json(moved)


def _watch(out: Console, examined: Doctor, found: Findings, seconds: float, result: dict[str, Any]) -> None:
    """Tell every change; at the end, which beams were seen to change. ``result`` has them also when it fails."""
    watch = Watch(out)
    watch.expect(one.name for one in found.beams if one.name)
    try:
        examined.watch(seconds or None, lambda: watch.begin(seconds), watch.tell)
    finally:
        result.update(watch.json())
    watch.conclude()


def _conclude(out: Console, found: Findings, known: str, move: bool, result: dict[str, Any], as_json: bool) -> None:
    """Say what has to be put right before a play, or what is ``known``. Raises StationError when there is anything."""
    problems = _problems(found)
    result["problems"] = [what for what, _ in problems]
    error = StationError(
        "; ".join(what for what, _ in problems),
        where=str(result["on"]),
        cure="; ".join(dict.fromkeys(cure for _, cure in problems)),
    )
    if problems and as_json:
        raise fail_with(result, error)
    if problems:
        raise error
    if as_json:
        print_json(result)
        return
    if known:
        out.print(known, style="green")
    if not move:
        out.print("Nothing was moved, switched or powered.")


_Problem = tuple[str, str]


def _problems(found: Findings) -> list[_Problem]:
    checks: list[Callable[[Findings], list[_Problem]]] = [_unknown, _energised, _no_main, _overloads]
    return [problem for check in checks for problem in check(found)]


def _unknown(found: Findings) -> list[_Problem]:
    names = [f"{what} {one.number} ({one.name})" for what, one in found.unknown]
    if not names:
        return []
    return [
        (f"the station does not know {', '.join(names)}", "doctor ... --define --move defines what the wiring names")
    ]


def _energised(found: Findings) -> list[_Problem]:
    return [
        (f"magnet {one.name} (output {one.number}) is on: a coil burns so", "switch the station off, and look why")
        for one in found.energised
    ]


def _no_main(found: Findings) -> list[_Problem]:
    modes = [track.mode for track in found.tracks if track.mode]
    if not modes or any(mode.startswith("MAIN") for mode in modes):
        return []
    return [("no track of the station is a main track", "set one at the station: <= A MAIN>")]


def _overloads(found: Findings) -> list[_Problem]:
    return [
        (
            f"track {track.letter} reports an overload",
            "look for a short circuit: metal across the rails, a derailed wheel",
        )
        for track in found.tracks
        if track.current_ma is not None and track.current_ma < 0
    ]
