"""``node``: an Arduino made a node of the layout: its program, its settings, and what it says."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pointsman.cli.output import console, say
from pointsman.cli.setting_up import confirm
from pointsman.drivers.node.talk import Talk
from pointsman.errors import ProtocolError, UsageError
from pointsman.links import On, Target, link_to, parse_target
from pointsman.posix import endings, typed_line
from pointsman.protocols.node_tunnel import Topics
from pointsman.transports.base import Transport
from pointsman.transports.diagnosis import check_port
from pointsman.transports.mqtt_base import MqttLink
from pointsman.workbench.bridging import Bridge
from pointsman.workbench.flashing import HALF, KINDS, built, find_avrdude, flash, kind_of
from pointsman.workbench.monitoring import monitor
from pointsman.workbench.program import check_program
from pointsman.workbench.setting_up import HELP, SettingUp
from pointsman.workbench.telling import about_words

Where = Annotated[str, typer.Option("--on", help="serial:PORT, or tcp:HOST:PORT of a bridge to its serial line.")]


def register(app: typer.Typer) -> None:
    """Add the command and its own commands."""
    group = typer.Typer(
        name="node",
        help="Flash, set up or watch an Arduino that works turnouts, beams and magnets.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("flash")(flash_board)
    group.command("setup")(set_up_node)
    group.command("monitor")(watch_node)
    group.command("bridge")(bridge_node)
    app.add_typer(group)


def flash_board(
    on: Annotated[str, typer.Option("--on", help="serial:PORT")],
    board: Annotated[str, typer.Option(help=f"Which board it is: {', '.join(KINDS)}.")],
    program: Annotated[
        Path | None, typer.Option("--hex", help="The program; the one that `make firmware` built.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before the board's program is replaced.")] = False,
) -> None:
    """Put the firmware on a board with avrdude, and see whether it answers."""
    out = console()
    kind = kind_of(board)
    target = _target(on)
    if target.on is not On.SERIAL:
        raise UsageError("a board is flashed at its own port", where=on, cure="name it: --on serial:/dev/ttyACM0")
    path = built(kind) if program is None else program
    size = check_program(path, kind.room, kind.told)
    avrdude = find_avrdude()
    check_port(target.address)
    say(out, f"{path}: {size} bytes for {kind.told} at {target.address}")
    if not yes:
        _wants_terminal()
        confirm(out, "What the board does now is replaced. Is it the right one, and is everybody clear of the layout?")
    try:
        asyncio.run(flash(avrdude, kind, target.address, path))
    except KeyboardInterrupt:
        say(out, f"broken off: {HALF}")
        raise
    say(out, f"It is on the board. {asyncio.run(_greeted(_link(on)))}")


async def _greeted(transport: Transport) -> str:
    talk = Talk(transport, lambda _: None)
    try:
        return about_words(await talk.open())
    finally:
        await talk.close()


def watch_node(
    on: Where,
    seconds: Annotated[float, typer.Option(min=0, help="For so long; 0 is until Ctrl-C.")] = 0.0,
) -> None:
    """Tell what a node is, its state, and everything that happens, in words. Nothing is commanded."""
    out = console()
    asyncio.run(monitor(_link(on), lambda line: say(out, line), seconds))


def bridge_node(
    on: Annotated[str, typer.Option("--on", help="Where the node is: serial:PORT.")],
    to: Annotated[str, typer.Option("--to", help="The broker: mqtt:HOST[:PORT].")],
    name: Annotated[str, typer.Option("--name", help="The node's station in the hardware file.")],
    prefix: Annotated[str, typer.Option("--prefix", help="What stands before every topic, as in that file.")] = "",
) -> None:
    """Carry a node's line to an MQTT broker, until Ctrl-C; hosts then find it with --on mqtt:HOST.

    It adds nothing to the line but stops, and has the port open only while a host has the line.
    """
    out = console()
    target = _target(on)
    broker = parse_target(to)
    if broker.on is not On.MQTT:
        raise UsageError("the line is carried to a broker", where=to, cure="name it: --to mqtt:192.168.1.20")
    try:
        topics = Topics(name, prefix)
    except ProtocolError as error:
        raise UsageError(error.what, where="--name, --prefix", cure=error.cure) from error
    for port in target.serial_ports:
        check_port(port)
    link, line = link_to(broker), link_to(target)
    assert isinstance(link, MqttLink), "a broker"
    assert isinstance(line, Transport), "no broker"
    bridge = Bridge(line, link, topics, lambda text: say(out, text))
    raise typer.Exit(asyncio.run(_until_ended(bridge)))


async def _until_ended(bridge: Bridge) -> int:
    """Serve until a signal ends it; its exit code. The node is left stopped, and its port closed."""
    running = asyncio.create_task(bridge.run())
    codes: list[int] = []

    def end(_: str, code: int) -> None:
        codes.append(code)
        running.cancel()

    with endings(asyncio.get_running_loop(), end):
        await asyncio.wait([running])
    if not codes:
        running.result()
    return codes[0]


def set_up_node(on: Where) -> None:
    """Set servo ends and thresholds while one sees what they do, try the watchdog, and store all that.

    Only servos move, and only where they are sent; the track stays without power.
    """
    _wants_terminal()
    asyncio.run(_set_up(console(), _link(on)))


async def _set_up(out: Console, transport: Transport) -> None:
    typed_by = _Keyboard(out)

    async def agrees(question: str) -> bool:
        while True:
            typed_by.show(f"{question} [y/N]")
            answer = (await typed_by.line()).strip().lower()
            if answer in {"y", "yes"}:
                return True
            if answer in {"", "n", "no"}:
                return False
            typed_by.show("Please answer y or n.")

    session = SettingUp(transport, typed_by.show, agrees)
    try:
        await session.open()
        say(out, HELP)
        lost = asyncio.create_task(session.lost())
        typed = asyncio.create_task(_obey(session, typed_by))
        done, waiting = await asyncio.wait({lost, typed}, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for task in done:
            task.result()
    finally:
        await session.close()


class _Keyboard:
    """What a person types at a prompt. ``ends``: how often they typed the end (Ctrl-D), one time after the other."""

    def __init__(self, out: Console) -> None:
        self.ends = 0
        self._out = out
        self._prompted = False

    def show(self, line: str) -> None:
        """A line to be read; while one is waited for, in place of the prompt, which then comes again."""
        if self._prompted:
            self._out.print("\r", end="")
        say(self._out, line)
        if self._prompted:
            self._prompt()

    def _prompt(self) -> None:
        self._out.print("> ", end="")
        self._prompted = True

    async def line(self) -> str:
        self._prompt()
        typed = ""
        try:
            typed = await typed_line(sys.stdin)
        finally:
            self._prompted = False
            if not typed.endswith("\n"):
                self._out.print()  # what comes next does not stand behind the prompt
        self.ends = 0 if typed else self.ends + 1
        return typed


async def _obey(session: SettingUp, keyboard: _Keyboard) -> None:
    """Do what is typed. The end asks as quit does; a second one is its answer, as of a terminal that is gone."""
    while True:
        if not await session.obey(await keyboard.line() or "quit") or keyboard.ends > 1:
            return


def _target(on: str) -> Target:
    cure = "--on serial:/dev/ttyACM0, or tcp:HOST:PORT"
    try:
        target = parse_target(on)
    except UsageError as error:
        raise UsageError(error.what, cure=cure) from error
    if target.on not in {On.SERIAL, On.TCP}:
        raise UsageError("a node hangs on a serial line", where=on, cure=cure)
    return target


def _link(on: str) -> Transport:
    link = link_to(_target(on))
    assert isinstance(link, Transport), "no broker"
    return link


def _wants_terminal() -> None:
    if not sys.stdin.isatty():
        raise UsageError("nobody can be asked: standard input is no terminal", cure="run it in a terminal")
