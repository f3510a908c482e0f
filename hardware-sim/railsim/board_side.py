"""What the rig wants of a node whose board is run elsewhere: its line, and what is wired to it.

``NodeSide`` with its simulated ``Node`` is one such; another runs the firmware itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from pointsman.track.model import Leg
from pointsman.track.wiring import Protocol as Speaks
from railsim.incidents import TurnoutSettled
from railsim.world import World


class BoardLine(Protocol):
    """A board at the end of a serial line. Times are seconds; have the layout at a time first."""

    def disconnect(self, port: str) -> None:
        """A host closes a port."""

    def receive(self, port: str, data: bytes, t_s: float) -> None:
        """Bytes that come in at a port at a time."""

    def reset(self, t_s: float) -> None:
        """The board starts anew."""

    def next_event_s(self) -> float | None:
        """When ``advance`` has something to do if nothing comes in; None when never."""

    def advance(self, t_s: float) -> list[tuple[str, bytes]]:
        """Do all that is due up to a time; returns what has gone to each port by then, in order."""


class BoardSide(Protocol):
    """What is wired to a board."""

    @property
    def protocol(self) -> Speaks:
        """What the board speaks."""

    @property
    def station(self) -> BoardLine:
        """The board."""

    def connect(self, port: str, *, serial: bool) -> None:
        """A host opens a port."""

    def see(self, beam: str, broken: bool, t_s: float) -> None:
        """A beam looks so from now on."""

    def settled(self, event: TurnoutSettled) -> None:
        """Points are over."""


class Machines(Protocol):
    """Where the wires from a board to points and locomotives end: between them and the world, faults strike."""

    def turnout(self, name: str, leg: Leg, moves_s: float, /) -> None:
        """Points begin to move; with an infinite time, until they have ``arrived``."""

    def arrived(self, name: str, /) -> None:
        """Their machine has brought them over."""

    def throttle(self, locomotive: str, forward: bool, step: int, emergency: bool, /) -> None:
        """What a locomotive hears."""


MakeBoard = Callable[[World, Machines, Callable[[bool], None]], BoardSide]
"""Makes the side of a board, of the world, its machines, and what is called with the power of what it feeds."""
