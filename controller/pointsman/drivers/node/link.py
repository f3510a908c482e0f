"""Where the link to a node stands."""

from __future__ import annotations

from enum import Enum, auto

from pointsman.protocols.node_constants import ALIVE_MS

SILENT_AFTER_S = 3 * ALIVE_MS / 1000
"""A node from which nothing has come for so long is silent."""


class Link(Enum):
    """Where the link stands. Only in UP do commands go out; only ``open`` leads there."""

    CLOSED = auto()
    SEEKING = auto()
    """Connected; perhaps the board is starting."""
    SETTING_UP = auto()
    UP = auto()
    SILENT = auto()
    """Connected, but nothing comes that can be read. Stops are still tried."""
    RESTARTED = auto()
    """The board has started anew, and keeps everything stopped."""

    @property
    def opening(self) -> bool:
        """Is it on its way up?"""
        return self in (Link.SEEKING, Link.SETTING_UP)

    @property
    def refusal(self) -> str:
        """Why no command goes out now."""
        if self is Link.SILENT:
            return "the node does not answer: open the link again"
        return "the node has started anew: open the link again" if self is Link.RESTARTED else "the link is not up"
