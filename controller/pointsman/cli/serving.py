"""``serve``: the signal box of a layout in a browser."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from platformdirs import user_data_dir
from rich.console import Console

from pointsman.beforehand import check_there, wired
from pointsman.box.snapshot import Mode
from pointsman.box.task import Ground
from pointsman.cli.driving import DEFAULT_SPEED, Targets
from pointsman.cli.output import console, whole_line
from pointsman.cli.setting_up import warn_of_no_relay
from pointsman.dispatch.journal import check_folder
from pointsman.errors import StoppedError, UsageError, did_you_mean
from pointsman.links import On, parse_target
from pointsman.phones.server import DEFAULT_PORT as PHONES_PORT
from pointsman.phones.server import phones_host
from pointsman.track.builtin import find_layout
from pointsman.track.layout import load_layout
from pointsman.web.languages import LANGUAGES

if TYPE_CHECKING:
    from pointsman.web.running import Door, Ended, Served

DEFAULT_PORT = 8765


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(serve)


def serve(
    layout: Annotated[str, typer.Argument(metavar="LAYOUT", help="A built-in layout, or a layout's folder.")],
    on: Targets = None,
    speed: Annotated[
        float | None, typer.Option(help="Simulated layout only: times real time (1 if not given).")
    ] = None,
    hardware: Annotated[str | None, typer.Option(help="Wiring: a name in hardware/, or a path.")] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; 0 is any that is free.")
    ] = DEFAULT_PORT,
    host: Annotated[
        str | None,
        typer.Option(help="Address at which others may come in, 0.0.0.0 for all; this computer alone if not given."),
    ] = None,
    pin: Annotated[str | None, typer.Option(help="The marshal's PIN; drawn and printed if others may come in.")] = None,
    withrottle: Annotated[
        bool, typer.Option("--withrottle", help="Serve throttle apps on phones too; wants --host.")
    ] = False,
    withrottle_port: Annotated[int, typer.Option(min=0, max=65535, help="Port for phones.")] = PHONES_PORT,
    withrottle_language: Annotated[str, typer.Option(help="What phones are told is in en or fr.")] = "en",
    pin_file: Annotated[
        Path | None, typer.Option(help="A file whose first line is the PIN, which then stands in no list of programs.")
    ] = None,
    journals: Annotated[Path | None, typer.Option(help="Folder for the journals; the user's data folder.")] = None,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log one JSON object a line to standard error.")] = False,
) -> None:
    """Show a layout in the browser: draw, solve, drive, stop, and watch.

    Ends with Ctrl-C, and stops everything first.
    """
    # With all that it needs: other commands, and the help, do without.
    from pointsman.web.logs import log_to
    from pointsman.web.running import door, pin_in
    from pointsman.web.running import serve as serve_on

    target = parse_target(",".join(on or ["sim"]))
    real = target.on is not On.SIM
    if speed is not None and (real or not 0 < speed < float("inf")):
        cure = "leave it out: real trains keep real time" if real else "give a number above 0"
        raise UsageError(f"--speed {speed:g} is not possible here", cure=cure)
    if withrottle_language not in LANGUAGES:
        cure = did_you_mean(withrottle_language, LANGUAGES)
        raise UsageError(f"there is no '{withrottle_language}'", where="--withrottle-language", cure=cure)
    folder = find_layout(layout)
    track = load_layout(folder)
    wiring, target = wired(folder, track, hardware, target)
    check_there(target)
    if pin is not None and pin_file is not None:
        raise UsageError("--pin and --pin-file do not go together", cure="leave one of them out")
    given = pin if pin_file is None else pin_in(pin_file)
    phones = withrottle_port if phones_host(host, wished=withrottle) is not None else None
    wanted = replace(door(host, port, given), phones=phones, language=withrottle_language)
    out = console()
    if real:
        warn_of_no_relay(out, wiring)
    log_to(sys.stderr, as_json=log_json)
    ground = Ground(folder, track, wiring, hardware or "", target)
    home = journals or Path(user_data_dir("pointsman")) / "journals"
    check_folder(home)

    def ready(served: Served) -> None:
        out.print(track.title, style="bold")
        whole_line(out, f"on     {target}")
        _tell_ready(out, wanted, served, drawn=given is None)

    ended = asyncio.run(serve_on(ground, home, wanted, speed=speed or DEFAULT_SPEED, ready=ready))
    raise stopped(ended)


def _tell_ready(out: Console, wanted: Door, served: Served, *, drawn: bool) -> None:
    """Where the page is, and how one becomes marshal there."""
    from pointsman.web.drawn_code import text_of

    whole_line(out, f"page   {served.address}")
    if wanted.pin is not None and drawn:
        whole_line(out, f"PIN    {wanted.pin} (the marshal's)")
    if served.phones_port is not None:
        whole_line(out, f"phones port {served.phones_port} (WiThrottle); the marshal accepts each on the page")
    if out.is_terminal:
        whole_line(out, text_of(served.address))
    out.print("Ctrl-C stops everything, and ends it.")
    out.file.flush()


def stopped(ended: Ended) -> StoppedError:
    """Why it ended; and if a play was stopped by that, what a person has to know and to do."""
    halted = ended.last.halted if ended.last.mode is Mode.HALTED and ended.last.halted is not None else {}
    cure = halted.get("cure", "")
    return StoppedError(ended.why, ended.code, confirmed=halted.get("confirmed", ""), cure=cure)
