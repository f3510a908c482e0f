"""An emergency stop that no fence has confirmed yet."""

from __future__ import annotations

from dataclasses import dataclass, field

STOP_REPEAT_S = 0.1
TRIES = 10
"""What was written arrives, or the connection breaks: more of it helps nobody."""


@dataclass(slots=True)
class Halt:
    """How often it was sent, whether the power goes at once, whether that is confirmed, and what it carries out.

    The power goes with the second sending in any case: the first leaves the decoders time to hear the stop.
    """

    cut_power: bool
    sent: int = 0
    complete: bool = False
    numbers: list[int] = field(default_factory=list)

    @property
    def cuts_now(self) -> bool:
        """Does the power go with the next sending?"""
        return self.cut_power or self.sent > 0
