"""Telling how the link to a station is."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.messages import LinkChanged, LinkState


class LinkTeller:
    """Tells how the link is, whenever that changes."""

    def __init__(self, station: str, tell: Callable[[LinkChanged], None]) -> None:
        self._station = station
        self._tell = tell
        self._state = LinkState.CLOSED

    def change(self, t_s: float, state: LinkState, why: str) -> None:
        """It is so from now on; nothing is told when it was so already."""
        if state is not self._state:
            self._state = state
            self._tell(LinkChanged(t_s, self._station, state, why))
