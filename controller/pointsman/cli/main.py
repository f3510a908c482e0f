"""The command line: each command is a few lines over ``app`` and the towers, and ends with a documented exit code."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pointsman.cli import checking, playing, puzzles, replaying
from pointsman.errors import PointsmanError

app = typer.Typer(
    name="pointsman",
    help="Plays shunting puzzles on real model railways: draws, solves, drives and checks every move.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done, 1 a fault of the program, 2 wrong arguments, 3 a bad file, 4 proved impossible, "
    "5 port or link, 6 stopped because of a doubt or by a person, 7 refused by the interlocking, 8 bad journal, "
    "9 a frame that must not be sent, 130 Ctrl-C, 143 terminated.",
)

for command in (checking, puzzles, playing, replaying):
    command.register(app)


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.", is_eager=True)] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        print(f"pointsman {installed('pointsman')}")
        raise typer.Exit


def main() -> None:
    """Run the command line; errors of the program's own tree become a message and their exit code."""
    try:
        app(standalone_mode=True)
    except PointsmanError as error:
        report(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        Console(stderr=True).print("stopped by Ctrl-C")
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output is gone; nothing more can be said there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def report(error: PointsmanError) -> None:
    """An error for a person, or as JSON when that was asked for."""
    if "--json" in sys.argv[1:]:
        print(json.dumps({"error": _as_json(error)}, ensure_ascii=False))
    console = Console(stderr=True, soft_wrap=True)
    console.print(Text(str(error), style="red"))


def _as_json(error: PointsmanError) -> dict[str, Any]:
    return {
        "kind": type(error).__name__,
        "what": error.what,
        "where": error.where,
        "cure": error.cure,
        "exit_code": error.exit_code,
    }


if __name__ == "__main__":
    main()
