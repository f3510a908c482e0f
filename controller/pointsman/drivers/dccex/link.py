"""Where a link stands."""

from __future__ import annotations

from enum import Enum, auto


class Link(Enum):
    """Where the link stands. Only in UP do commands go out; only ``open`` leads there."""

    CLOSED = auto()
    SEEKING = auto()
    SETTING_UP = auto()
    UP = auto()
    SILENT = auto()
    """The port is open, no answer comes. Stops are still tried."""
    RESTARTED = auto()
    """The station greeted out of the blue: ``open`` asks everything again."""

    @property
    def refusal(self) -> str:
        """Why no command goes out now."""
        return _REFUSALS.get(self, "the link is not up")


_REFUSALS = {
    Link.RESTARTED: "the station restarted: open the link again",
    Link.SILENT: "the station does not answer: open the link again",
}
