"""Telling what happens on the link to a station, and how the link is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.drivers.chatter import Chatter
from pointsman.messages import Accepted, Event, LinkChanged, LinkState, Rejected, StationNote


class Teller:
    """Gives events to ``emit``, each in a pass of its own of the running event loop.

    So whoever sends a command is never called back in the middle of it.
    """

    def __init__(self, station: str, emit: Callable[[Event], None]) -> None:
        self._station = station
        self._emit = emit
        self._state = LinkState.CLOSED
        self._chatter = Chatter(self.event)

    def event(self, event: Event) -> None:
        """Something happened."""
        asyncio.get_running_loop().call_soon(self._emit, event)

    def heard(self, event: Event) -> None:
        """The station said something; of its notes no more is told than a person could read."""
        if isinstance(event, StationNote):
            self._chatter.hear(event)
        else:
            self.event(event)

    def accept(self, number: int) -> None:
        """A command was carried out."""
        self.event(Accepted(_now_s(), number))

    def reject(self, number: int | None, why: str) -> None:
        """A command was not, or is not known to be, carried out; None: what was nobody's command is not told."""
        if number is not None:
            self.event(Rejected(_now_s(), number, why))

    def note(self, text: str) -> None:
        """Something that a person may want to know."""
        self.event(StationNote(_now_s(), text))

    def link(self, state: LinkState, why: str) -> None:
        """The link is so from now on; nothing is told when it was so already."""
        if state is not self._state:
            self._state = state
            self.event(LinkChanged(_now_s(), self._station, state, why))

    def end_stretch(self) -> None:
        """Tell how many of the station's notes were left out, if any were."""
        self._chatter.end_stretch()


def _now_s() -> float:
    return asyncio.get_running_loop().time()
