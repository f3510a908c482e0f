"""``doctor --watch``: what a person sees of it, and what is kept of it for the JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console

from pointsman.cli.output import say, whole_line
from pointsman.drivers.hearing import Seen

MOST_CHANGES = 1000
"""Of a watch, kept for the JSON."""


class Watch:
    """Every change, told as it comes, and how often each beam has changed."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._changes: list[Seen] = []
        self._counts: dict[str, int] = {}

    def expect(self, beams: Iterable[str]) -> None:
        """The beams that a person is to put a hand into; they are counted from now on."""
        self._counts.update(dict.fromkeys(beams, 0))

    def begin(self, seconds: float) -> None:
        """Say that it has begun; 0 s is until Ctrl-C."""
        how_long = "until Ctrl-C" if seconds == 0 else f"for {seconds:g} s"
        say(self._out, f"Watching {how_long}: put a hand into each beam.", "bold")

    def tell(self, seen: Seen) -> None:
        """A change has come."""
        if seen.beam:
            self._counts[seen.beam] = self._counts.get(seen.beam, 0) + 1
        if len(self._changes) < MOST_CHANGES:
            self._changes.append(seen)
        whole_line(self._out, f"{seen.t_s:8.2f} s  {seen.text}", "yellow" if not seen.beam else "")

    def conclude(self) -> None:
        """Say which beams were not seen to change; nothing where there is no beam."""
        if self._counts:
            never = [name for name, count in self._counts.items() if not count]
            say(self._out, f"Not seen to change: {', '.join(never)}." if never else "Every beam was seen to change.")

    def json(self) -> dict[str, Any]:
        """Its changes and counts, as JSON values."""
        changes = [
            {"t_s": round(one.t_s, 3), "text": one.text, "beam": one.beam or None, "broken": one.broken}
            for one in self._changes
        ]
        return {"changes": changes, "beam_changes": self._counts}
