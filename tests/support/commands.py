"""Test support: what tests of the command line share."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pointsman.track.builtin import find_layout

CHECKOUT = Path(__file__).resolve().parents[2]
START = "head: L | s1: 1 2 3 | s2: 4 5 | s3:"
QUICK = ("--on", "sim", "--speed", "0", "--yes")

Pointsman = Callable[..., Any]
Person = Callable[[str], None]


def own_layout(folder: Path, like: str = "inglenook-small", *changes: tuple[str, str, str]) -> Path:
    """A copy of a built-in layout; each change is a file, a pattern and what to put there."""
    home = folder / "own"
    shutil.copytree(find_layout(like), home)
    for name, pattern, to in changes:
        text, count = re.subn(pattern, to, (home / name).read_text(), flags=re.DOTALL)
        assert count, f"no {pattern} in {name}"
        (home / name).write_text(text)
    return home


def refused(ran: Any, code: int, *words: str) -> None:
    """A documented code, a message for a person with a cure, no result and no traceback."""
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert "-> " in ran.err
    for word in words:
        assert word in ran.err


def without_title(ran: Any) -> Any:
    """What is asked may have been shown before it is found to make no sense."""
    return type(ran)(ran.code, "" if ran.out.startswith("Form the train") else ran.out, ran.err)
