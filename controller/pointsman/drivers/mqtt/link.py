"""Where a link to nodes behind a broker stands."""

from __future__ import annotations

from enum import Enum, auto


class Link(Enum):
    """Where the link stands. Only in UP do commands go out; only ``open`` leads there."""

    CLOSED = auto()
    SETTING_UP = auto()
    UP = auto()
    SILENT = auto()
    """The broker does not answer. Stops are still tried."""
    GONE = auto()
    """The broker answers, and a node behind it is gone or has started anew. Stops are still sent."""

    @property
    def refusal(self) -> str:
        """Why no command goes out now."""
        return _REFUSALS.get(self, "the link is not up")


_REFUSALS = {
    Link.SILENT: "the broker does not answer: open the link again",
    Link.GONE: "a node is gone, or has started anew: open the link again",
}
