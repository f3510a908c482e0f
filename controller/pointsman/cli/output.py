"""What all commands print alike: text as it is, JSON that any terminal can carry, and errors."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from pointsman.cli.diagram import can_draw
from pointsman.errors import LayoutError, PointsmanError, StoppedError

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[str | None, typer.Option("--seed", help="Number or text that decides the draw; drawn if not given.")]
Cards = Annotated[
    str | None,
    typer.Option(
        "--cards", metavar="WAGONS", help='One certain draw by its wagons, in the order of its cards: "3 5 1".'
    ),
]
PuzzleName = Annotated[
    str, typer.Argument(metavar="PUZZLE", help="layout[/puzzle]: inglenook is inglenook/classic; ./club is a folder.")
]


def console(*, stderr: bool = False) -> Console:
    """A console that prints text as it is: a seed or a title may hold [brackets] and :colons:."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def whole_line(out: Console, text: str, style: str = "") -> None:
    """A line with a path or a position in it: never broken by us, so that it can be copied."""
    out.print(text, style=style, soft_wrap=True)


def say(out: Console, text: str, style: str = "") -> None:
    """Sentences: on a terminal broken between words, a path in them never; elsewhere not broken at all."""
    if out.is_terminal:
        text = "\n".join(_wrapped(line, out.width) for line in text.splitlines())
    whole_line(out, text, style)


def _wrapped(line: str, width: int) -> str:
    indent = " " * (len(line) - len(line.lstrip(" ")) + 3 * line.lstrip().startswith("-> "))
    return textwrap.fill(
        line,
        max(width, len(indent) + 20),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


def compact_table(out: Console, *headers: str) -> Table:
    """A table that leaves its width to the words."""
    table = Table(*headers)
    fit_to(out, table)
    return table


def fit_to(out: Console, table: Table) -> None:
    """No frame around a table, and nothing in it cut off: in a narrow terminal it grows downwards."""
    table.box = box.SIMPLE_HEAD if can_draw(out) else box.ASCII2
    table.show_edge = table.pad_edge = False
    for column in table.columns:
        column.overflow = "fold"


def amount(number: int, things: str) -> str:
    """``1 run``, ``2 runs``."""
    return f"{number} {things.removesuffix('s') if number == 1 else things}"


def print_json(values: Mapping[str, Any]) -> None:
    """One JSON object on standard output, in ASCII: no terminal, pipe or locale can spoil it."""
    print(json.dumps(values, indent=2))


def error_json(error: PointsmanError) -> dict[str, Any]:
    """An error as JSON values; that of a file has all its mistakes one by one."""
    values: dict[str, Any] = {
        "kind": type(error).__name__,
        "what": error.what,
        "where": error.where,
        "cure": error.cure,
        "exit_code": exit_code(error),
    }
    if isinstance(error, LayoutError):
        values["mistakes"] = [asdict(mistake) for mistake in error.mistakes]
    return values


def exit_code(error: PointsmanError) -> int:
    """The exit code that an error ends a command with."""
    return error.code if isinstance(error, StoppedError) else error.exit_code


def tell(error: PointsmanError) -> None:
    """An error for a person, on standard error, after what has been printed."""
    sys.stdout.flush()
    say(console(stderr=True), str(error), "red")


def fail_with(values: Mapping[str, Any], error: PointsmanError) -> typer.Exit:
    """A result that came to be in spite of an error, as one JSON object with ``error`` in it; to be raised."""
    print_json({**values, "error": error_json(error)})
    tell(error)
    return typer.Exit(exit_code(error))
