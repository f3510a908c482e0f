"""The command ``railsim``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from pointsman.errors import PointsmanError, UsageError, did_you_mean
from pointsman.track.builtin import DEFAULT_PUZZLE, find_layout, find_wiring, layout_puzzles
from pointsman.track.layout import load_layout
from pointsman.track.model import End
from pointsman.track.tomlfile import Notes, read_toml
from pointsman.track.wiring import Protocol
from pointsman.track.wiring_file import load_wiring
from railsim.faults import kinds_table, parse_fault
from railsim.mqtt_serve import BrokerAddress
from railsim.profiles import DEFAULT_PROFILE, PROFILES
from railsim.serve import HIGHEST_SPEED, Serving, by_station, serve
from railsim.setup import Setup, to_the_points

app = typer.Typer(
    name="railsim", add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, no_args_is_help=True
)


def _list_faults(wanted: bool) -> None:
    if wanted:
        print(kinds_table())
        print("\n@SECONDS count from the start of railsim, on the layout's clock; left out, it is so from the start.")
        raise typer.Exit


@app.command(
    epilog="Exit codes: 2 wrong arguments, 3 a bad file, 5 port in use or missing, 130 Ctrl-C, 143 terminated.",
)
def railsim(
    layout: Annotated[str, typer.Argument(metavar="LAYOUT", help="A built-in layout, or the folder of one.")],
    *,
    pty: Annotated[
        list[str] | None,
        typer.Option(
            "--pty",
            metavar="[STATION=]PATH",
            help="Make PATH a serial port that a host can open; once for each station when there are several.",
        ),
    ] = None,
    tcp: Annotated[
        list[str] | None,
        typer.Option("--tcp", metavar="[STATION=]PORT", help="Listen on 127.0.0.1; 0 is any port."),
    ] = None,
    jmri: Annotated[
        int | None,
        typer.Option(
            "--jmri", metavar="PORT", min=0, max=65535, help="Be JMRI's web server on 127.0.0.1; 0 is any port."
        ),
    ] = None,
    mqtt: Annotated[
        str | None, typer.Option("--mqtt", metavar="HOST:PORT", help="Be the nodes of an MQTT station at this broker.")
    ] = None,
    truth: Annotated[
        Path | None, typer.Option("--truth", metavar="FILE", help="Keep what is really where in FILE, as JSON.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Decides everything that nobody can know.")] = 0,
    speed: Annotated[float, typer.Option("--speed", help=f"Times real time, at most {HIGHEST_SPEED:g}.")] = 1.0,
    position: Annotated[
        str | None,
        typer.Option(
            "--position", help="Where the vehicles stand: 'head: L | s1: 4 6'. As in the puzzle if not given."
        ),
    ] = None,
    puzzle: Annotated[
        str, typer.Option("--puzzle", metavar="NAME", help="The layout's puzzle whose start is set up.")
    ] = DEFAULT_PUZZLE,
    facing: Annotated[
        list[str] | None,
        typer.Option(
            "--facing",
            metavar="L=END",
            help="The end of its track to which L's front points, L=to or L=from; to the points if not given. On "
            "direct current L runs there when the node drives it forward: that is how the rails are wired.",
        ),
    ] = None,
    hardware: Annotated[
        str | None, typer.Option("--hardware", metavar="NAME", help="The layout's wiring, or the path of one.")
    ] = None,
    reset_on_open: Annotated[
        bool, typer.Option("--reset-on-open", help="Opening the serial port resets the station, as on an Uno.")
    ] = False,
    profile: Annotated[
        str, typer.Option("--profile", metavar="VERSION", help=f"The station's firmware: {', '.join(PROFILES)}.")
    ] = DEFAULT_PROFILE,
    bare: Annotated[
        bool,
        typer.Option("--bare", help="A DCC-EX station that knows no turnout, sensor or output yet, as a new board."),
    ] = False,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            "--fault",
            metavar="KIND[:TARGET][@SECONDS][=AMOUNT]",
            help="Let something go wrong at a moment, in seconds of the layout's clock since railsim started; may be "
            "given again. 'railsim --faults' lists the kinds.",
        ),
    ] = None,
    faults: Annotated[  # noqa: ARG001 - it is done by its callback
        bool, typer.Option("--faults", help="List what can go wrong, and end.", is_eager=True, callback=_list_faults)
    ] = False,
) -> None:
    """Simulate a model railway that any host drives: a DCC-EX station, an Arduino node, JMRI, or nodes at a broker."""
    planned = tuple(parse_fault(text) for text in fault or [])
    folder = find_layout(layout)
    track = load_layout(folder)
    wiring = load_wiring(find_wiring(folder, hardware), track)
    setup = Setup.parse(_start(folder, puzzle) if position is None else position)
    setup = replace(setup, facing={**to_the_points(track, setup), **_facings(facing or [])})
    console = Console(soft_wrap=True, highlight=False)

    def say(text: str) -> None:
        console.print(Text(text, style="red" if "INCIDENT" in text or "FAULT" in text else ""))

    say(f"layout       {track.title}")
    dccex = any(one.protocol is Protocol.DCCEX for one in wiring.stations.values())
    if not dccex and (bare or profile != DEFAULT_PROFILE):
        option = "--bare" if bare else "--profile"
        raise UsageError(
            f"{option} is for a station that speaks DCC-EX, and this wiring has none",
            where=f"hardware {wiring.name}",
            cure="leave it out, or name another wiring with --hardware",
        )
    broker = None if mqtt is None else BrokerAddress.parse(mqtt)
    ptys, ports = by_station("--pty", pty or [], wiring), by_station("--tcp", tcp or [], wiring)
    serving = Serving(
        track, wiring, setup, seed, speed, ptys, ports, truth, reset_on_open, profile, jmri, planned, broker, bare
    )
    raise typer.Exit(serve(serving, say))


def main() -> None:
    """Run the command; errors of the tree become a message and their exit code."""
    try:
        app()
    except PointsmanError as error:
        Console(stderr=True, soft_wrap=True, highlight=False).print(Text(str(error), style="red"))
        sys.exit(error.exit_code)


def _start(folder: Path, puzzle: str) -> str:
    names = layout_puzzles(folder)
    if puzzle not in names:
        raise UsageError(f"there is no puzzle {puzzle!r}", where=str(folder), cure=did_you_mean(puzzle, names))
    path = folder / "puzzles" / f"{puzzle}.toml"
    notes = Notes(str(path))
    content = read_toml(path, notes)
    notes.raise_if_any()
    start = (content or {}).get("start")
    if not isinstance(start, str):
        raise UsageError(
            "this puzzle has no fixed start", where=str(path), cure="say where the vehicles stand with --position"
        )
    return start


def _facings(texts: list[str]) -> dict[str, End]:
    found = {}
    for text in texts:
        name, equals, end = text.partition("=")
        if not equals or end not in set(End):
            raise UsageError(f"--facing {text!r} is not understood", cure="write L=from or L=to")
        found[name] = End(end)
    return found


if __name__ == "__main__":
    main()
