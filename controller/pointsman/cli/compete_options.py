"""What the commands of ``compete`` have in common: the store, who does it, and the marshal's code."""

from __future__ import annotations

import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from pointsman.cli.output import console, say
from pointsman.compete.store.store import Store
from pointsman.errors import UsageError
from pointsman.posix import unseen_line, user_name

Competition = Annotated[str, typer.Argument(metavar="NAME", help="The competition's name in the store.")]
StoreName = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PLACE",
        help="A file, or postgresql://user@host/database; a file in the user's data folder if not given.",
    ),
]
By = Annotated[str | None, typer.Option("--by", help="Who does it, for the book; your user name if not given.")]
CodeFile = Annotated[
    Path | None, typer.Option("--code-file", metavar="FILE", help="A file whose first line is the marshal's code.")
]
LONGEST_CODE_LINE = 1_000


def opened(where: str | None) -> closing[Store]:
    """The store, to be used in a ``with``."""
    return closing(Store(where))


def whoever(by: str | None) -> str:
    """Who does it. Raises UsageError when nobody knows."""
    name = by if by is not None else user_name()
    if not name:
        raise UsageError("nobody knows who does this", where="--by", cure="give your name")
    return name


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def version() -> str:
    """That of the program."""
    from importlib.metadata import version as version_of  # with all that it needs for mail

    return version_of("pointsman")


def marshals_code(file: Path | None, *, new: bool) -> str:
    """The marshal's code: from a file, else asked for without showing it, twice if it is a new one. UsageError."""
    if file is not None:
        return _in_file(file)
    if not sys.stdin.isatty():
        raise UsageError(
            "the marshal's code cannot be asked for: this is no terminal",
            where="standard input",
            cure="give a file whose first line it is with --code-file",
        )
    out = console(stderr=True)
    if new:
        say(out, "The marshal's code opens the heats. Take three or four words that nobody would guess.")
    code = _asked("Marshal's code: ")
    if new and _asked("The same once more: ") != code:
        raise UsageError("these two are not the same", where="the marshal's code", cure="begin again")
    return code


def _asked(question: str) -> str:
    line = unseen_line(sys.stdin, question)
    if not line.strip():
        raise UsageError("no code was typed", where="the marshal's code", cure="begin again, or give --code-file")
    return line.strip()


def _in_file(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as lines:
            code = lines.readline(LONGEST_CODE_LINE).strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        cure = "name a file that you may read, with the code in its first line"
        raise UsageError(f"the code cannot be read: {why}", where=str(file), cure=cure) from error
    if not code:
        raise UsageError("there is no code in it", where=str(file), cure="write the code into its first line")
    return code
