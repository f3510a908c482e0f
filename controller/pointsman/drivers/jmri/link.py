"""Where the link to JMRI stands."""

from __future__ import annotations

from enum import Enum, auto


class Link(Enum):
    """Where the link stands. Only in UP do commands go out; only ``open`` leads there."""

    CLOSED = auto()
    SETTING_UP = auto()
    UP = auto()
    SILENT = auto()
    """Connected, but no answer comes, or JMRI itself has lost the layout. Stops are still tried."""

    @property
    def refusal(self) -> str:
        """Why no command goes out now."""
        return "JMRI does not answer: open the link again" if self is Link.SILENT else "the link is not up"
