"""``compete``: a club's competition, from its beginning to its results; every command has a module of its own."""

from __future__ import annotations

from importlib import import_module

import typer

PARTS = ("compete_book", "compete_run", "compete_export")
"""The modules of its commands, in the order of the help."""


def register(app: typer.Typer) -> None:
    """Add the command and its own commands."""
    group = typer.Typer(
        name="compete",
        help="Hold a competition: its book, entrants, standings, results; verify all of it.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    for part in PARTS:
        import_module(f"pointsman.cli.{part}").register(group)
    app.add_typer(group)
