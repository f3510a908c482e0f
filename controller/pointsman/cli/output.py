"""What all commands print alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[str | None, typer.Option("--seed", help="Number or text that decides the draw; drawn if not given.")]
PuzzleName = Annotated[str, typer.Argument(metavar="PUZZLE", help="layout[/puzzle], for example inglenook/sidings.")]


def print_json(values: Mapping[str, Any]) -> None:
    """One JSON object on standard output."""
    print(json.dumps(values, ensure_ascii=False, indent=2))
