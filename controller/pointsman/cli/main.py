"""The command line: each command is a few lines over ``app`` and the towers, and ends with a documented exit code."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any, TextIO

import typer
import typer.core

from pointsman.cli.output import error_json, exit_code, print_json, tell
from pointsman.errors import HaltedError, PointsmanError, StoppedError, UsageError

CTRL_C = 130
GONE = frozenset({errno.EPIPE, errno.EIO})
"""Whoever read our output is gone, or the terminal is."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Every file of ours has an error of its own for that: here it is our output."""
COMMANDS = {
    "layouts": "checking",
    "check": "checking",
    "deal": "dealing",
    "challenges": "dealing",
    "solve": "puzzles",
    "table": "tables",
    "hint": "tables",
    "play": "playing",
    "resume": "resuming",
    "serve": "serving",
    "calibrate": "calibrating",
    "ports": "ports",
    "doctor": "doctoring",
    "node": "node",
    "replay": "replaying",
    "print": "printing",
    "compete": "compete",
}
"""Every command, and the module it is in."""
_Misuse: type[Exception] = typer.BadParameter.__mro__[2]
"""What the parser raises for every command line that it cannot take; typer does not export this class by name."""


class WholeHelp(typer.core.TyperGroup):
    """A group whose commands are listed with their whole first sentence, in a narrow terminal too."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                rows.append((name, (command.help or "").split("\n\n")[0]))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def command_line(called: str = "") -> typer.Typer:
    """All commands; of a command that is called only the module: importing is most of what a short call takes."""
    app = typer.Typer(
        name="pointsman",
        cls=WholeHelp,
        help="Plays shunting puzzles on real model railways: draws, solves, drives and checks every move.",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        epilog="Exit codes: 0 done, 1 a fault of the program (also: its question was answered with no, or nobody reads "
        "what it prints), 2 wrong arguments, 3 a bad file, 4 proved impossible, 5 port or link, 6 stopped because of a "
        "doubt or by a person, 7 refused by the interlocking, 8 bad journal, 9 a frame that must not be sent, 10 not "
        "proved: the search was stopped, 11 a competition's book that cannot be read or does not verify, 129 terminal "
        "closed, 130 Ctrl-C, 131 quit, 143 terminated, 148 Ctrl-Z. "
        "With --json, an error is an object {'error': ...} on standard output as well.",
    )
    app.callback()(_root)
    for module in load(called):
        module.register(app)
    return app


def load(called: str) -> list[Any]:
    """The modules of the command that is called, or of all when it is none."""
    names = [COMMANDS[called]] if called in COMMANDS else dict.fromkeys(COMMANDS.values())
    return [import_module(f"pointsman.cli.{name}") for name in names]


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # with all that it needs for mail

        print(f"pointsman {version('pointsman')}")
        raise typer.Exit


def _root(
    _: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; errors of the program's own tree become a message and their exit code."""
    for stream in (sys.stdout, sys.stderr):
        _show_what_it_can(stream)
    try:
        sys.exit(_run(sys.argv[1:] or ["--help"]))
    except OSError as error:
        if error.errno not in GONE | FULL:
            raise
        _give_up(sys.stdout)
        if error.errno in FULL:
            _tell_full(error)
        _give_up(sys.stderr)
        sys.exit(_ended_by(error))


def _ended_by(error: BaseException | None) -> int:
    """The exit code when nothing could be told: what had ended the command before, a closed terminal say, or 1."""
    while error is not None:
        if isinstance(error, StoppedError):
            return error.code
        error = error.__context__
    return 1


def _tell_full(error: OSError) -> None:
    """That what is printed has no room, if standard error has some."""
    full = PointsmanError(
        f"what is to be told cannot be written: {error.strerror}",
        where="standard output",
        cure="make room there, or print it elsewhere",
    )
    with suppress(OSError):
        tell(full)


def _give_up(stream: TextIO) -> None:
    """Nothing more can be said there: what is left goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _run(arguments: list[str]) -> int:
    try:
        # Not in click's standalone mode: it would print its own errors, and --json would be silent about them.
        code = command_line(arguments[0])(arguments, prog_name="pointsman", standalone_mode=False) or 0
        if code == CTRL_C:
            raise KeyboardInterrupt
    except PointsmanError as error:
        code = _report(error, exit_code(error))
    except (KeyboardInterrupt, typer.Abort):
        code = _report(HaltedError("stopped by Ctrl-C"), CTRL_C)
    except _Misuse as error:
        code = _report(_as_usage(error), UsageError.exit_code)
    sys.stdout.flush()
    return int(code)


def _as_usage(error: Any) -> UsageError:
    """An error of the parser in this program's words."""
    command = error.ctx.command_path
    what = error.format_message().replace("Value error, ", "").rstrip(".")
    return UsageError(what[:1].lower() + what[1:], where=command, cure=f"see {command} --help")


def _report(error: PointsmanError, code: int) -> int:
    """An error for a person, and as JSON when that was asked for; the exit code."""
    if "--json" in sys.argv[1:]:
        print_json({"error": {**error_json(error), "exit_code": code}})
    tell(error)
    return code


def _show_what_it_can(stream: TextIO) -> None:
    """What the terminal has no sign for is printed as an escape instead of ending the program."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
