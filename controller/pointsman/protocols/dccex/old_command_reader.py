"""The station's side of the wire as firmware up to 5.0.9 reads it: its faults are what a host must live with."""

from __future__ import annotations

from pointsman.protocols.dccex.command_reader import parse_command
from pointsman.protocols.dccex.commands import Command


class OldStationReader:
    """Feed bytes, get the commands they complete.

    ``limit`` is the most characters of a command; what comes on top is dropped and the rest executed. A ``<`` throws an
    unfinished command away; a ``>`` outside a command executes the last one again. Quotes mean nothing.
    """

    def __init__(self, limit: int = 99) -> None:
        self._limit = limit
        self._inside = False
        self._text: list[str] = []

    def feed(self, data: bytes) -> list[Command]:
        """Commands completed by ``data``, in order. Never raises; keeps at most ``limit`` characters."""
        commands: list[Command] = []
        for char in data.decode("latin-1"):
            if char == "<":
                self._inside = True
                self._text.clear()
            elif char == ">":
                if self._inside or self._text:
                    commands.append(parse_command("".join(self._text), strict=False))
                self._inside = False
            elif self._inside and len(self._text) < self._limit:
                self._text.append(char)
        return commands
