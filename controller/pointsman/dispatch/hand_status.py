"""What is told of a sitting by hand, besides what every play tells."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.operate.ahead import Limit, Protection
from pointsman.operate.hand_referee import Figures


@dataclass(frozen=True, slots=True)
class HandDrive:
    """A drive by the throttle that has ended: the ``number`` of it, from 1, and ``why`` it did.

    ``why`` is empty when the throttle was closed. ``closings`` is how often the throttle had been closed when it began.
    """

    number: int
    closings: int
    why: str


@dataclass(frozen=True, slots=True)
class HandStatus:
    """What else a screen shows while persons drive by hand.

    ``between`` is why the position cannot be written just now, empty when it can; ``limit`` what the drive under way
    must stop for, ``warned`` what it may pass and should not; ``who`` drives, or drove last; ``ended`` is the last
    drive of the throttle, None before the first: somebody who is not told every status still learns of it.
    """

    figures: Figures
    between: str
    protection: Protection
    limit: Limit | None
    who: str
    ended: HandDrive | None = None
    warned: Limit | None = None
