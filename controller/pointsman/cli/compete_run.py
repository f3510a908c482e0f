"""``compete run``: a competition in a browser, with a layout or without one."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from platformdirs import user_data_dir
from rich.console import Console

from pointsman.beforehand import check_there, wired
from pointsman.box.task import Ground
from pointsman.cli.driving import DEFAULT_SPEED, Targets
from pointsman.cli.output import console, whole_line
from pointsman.cli.serving import DEFAULT_PORT, stopped
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
    from pointsman.web.competing.hall import Hall
    from pointsman.web.running import Door


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(run)


def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The competition's name in the store.")],
    layout: Annotated[
        str | None, typer.Argument(metavar="LAYOUT", help="The layout that is played on; without one by hand.")
    ] = None,
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
    pin_file: Annotated[
        Path | None, typer.Option(help="A file whose first line is the PIN, which then stands in no list of programs.")
    ] = None,
    withrottle: Annotated[
        bool, typer.Option("--withrottle", help="Serve throttle apps on phones too; wants LAYOUT and --host.")
    ] = False,
    withrottle_port: Annotated[int, typer.Option(min=0, max=65535, help="Port for phones.")] = PHONES_PORT,
    withrottle_language: Annotated[str, typer.Option(help="What phones are told is in en or fr.")] = "en",
    store: Annotated[
        str | None, typer.Option(help="Where competitions are kept: a file, or a URL; the user's data folder.")
    ] = None,
    journals: Annotated[Path | None, typer.Option(help="Folder for the journals; the user's data folder.")] = None,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log one JSON object a line to standard error.")] = False,
) -> None:
    """Hold a competition in the browser.

    Call, mark, and show who leads. Without LAYOUT nothing on a layout is driven or watched: there are clocks and
    buttons. Tablets come in with --host alone. Ends with Ctrl-C.
    """
    # With all that it needs: other commands, and the help, do without.
    from pointsman.compete.store.store import Store
    from pointsman.web.competing.hall import Hall
    from pointsman.web.logs import log_to
    from pointsman.web.running import door, pin_in

    if pin is not None and pin_file is not None:
        raise UsageError("--pin and --pin-file do not go together", cure="leave one of them out")
    if withrottle_language not in LANGUAGES:
        cure = did_you_mean(withrottle_language, LANGUAGES)
        raise UsageError(f"there is no '{withrottle_language}'", where="--withrottle-language", cure=cure)
    if layout is None:
        _check_without_layout(on, speed, hardware, withrottle=withrottle)
    given = pin if pin_file is None else pin_in(pin_file)
    phones = withrottle_port if layout is not None and phones_host(host, wished=withrottle) is not None else None
    wanted = replace(door(host, port, given), phones=phones, language=withrottle_language)
    home = journals or Path(user_data_dir("pointsman")) / "journals"
    log_to(sys.stderr, as_json=log_json)
    with Store(store) as opened:
        also = () if layout is None else (layout,)
        hall = Hall(opened, name, version=version("pointsman"), also=also, journals=home)
        if layout is None:
            _alone(hall, wanted, drawn=given is None)
        else:
            _with_layout(hall, layout, on, speed, hardware, wanted, home, drawn=given is None)


def _check_without_layout(on: list[str] | None, speed: float | None, hardware: str | None, *, withrottle: bool) -> None:
    """UsageError for what is about a layout, where there is none."""
    given = {"--on": on, "--speed": speed, "--hardware": hardware, "--withrottle": withrottle or None}
    for option, value in given.items():
        if value is not None:
            raise UsageError(f"{option} is for a layout", cure="name the layout after the competition, or leave it out")


def _alone(hall: Hall, wanted: Door, *, drawn: bool) -> None:
    from pointsman.web.running import serve_hall

    out = console()
    why, code = asyncio.run(
        serve_hall(hall, wanted, ready=lambda front: _tell_ready(out, hall, wanted, front.address, drawn=drawn))
    )
    raise StoppedError(why, code)


def _with_layout(
    hall: Hall,
    layout: str,
    on: list[str] | None,
    speed: float | None,
    hardware: str | None,
    wanted: Door,
    home: Path,
    *,
    drawn: bool,
) -> None:
    from pointsman.web.running import Served, serve

    target = parse_target(",".join(on or ["sim"]))
    real = target.on is not On.SIM
    if speed is not None and (real or not 0 < speed < float("inf")):
        cure = "leave it out: real trains keep real time" if real else "give a number above 0"
        raise UsageError(f"--speed {speed:g} is not possible here", cure=cure)
    folder = find_layout(layout)
    track = load_layout(folder)
    wiring, target = wired(folder, track, hardware, target)
    check_there(target)
    out = console()
    if real:
        warn_of_no_relay(out, wiring)
    ground = Ground(folder, track, wiring, hardware or "", target)
    check_folder(home)

    def ready(served: Served) -> None:
        out.print(track.title, style="bold")
        whole_line(out, f"on     {target}")
        _tell_ready(out, hall, wanted, served.address, drawn=drawn)
        if served.phones_port is not None:
            whole_line(out, f"phones port {served.phones_port} (WiThrottle); the marshal accepts each on the page")

    ended = asyncio.run(serve(ground, home, wanted, speed=speed or DEFAULT_SPEED, ready=ready, hall=hall))
    raise stopped(ended)


def _tell_ready(out: Console, hall: Hall, wanted: Door, address: str, *, drawn: bool) -> None:
    """Where the competition is, and how one becomes marshal there."""
    from pointsman.web.drawn_code import text_of

    created = hall.book.state.created
    whole_line(out, hall.name if created is None else created.name)
    whole_line(out, f"page   {address}competition")
    if wanted.pin is not None and drawn:
        whole_line(out, f"PIN    {wanted.pin} (the marshal's)")
    if out.is_terminal:
        whole_line(out, text_of(f"{address}competition"))
    out.print("Ctrl-C ends it; what was confirmed is kept.")
    out.file.flush()
